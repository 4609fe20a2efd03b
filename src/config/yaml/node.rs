//! A YAML document as a tree of typed values with their positions.

use std::rc::Rc;

/// One value of a document. An alias shares the node of its anchor.
#[derive(Debug)]
pub struct Node {
    /// The typed value.
    pub value: Value,
    /// Line of its first character, from 1.
    pub line: usize,
    /// Column of its first character, from 1.
    pub column: usize,
    /// Names a list or map, so that a shared one is known again; 0 for the rest.
    pub id: usize,
}

/// A value typed by the core schema.
#[derive(Debug)]
pub enum Value {
    /// No value at all, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of any size, in decimal.
    Int(String),
    /// A double.
    Float(f64),
    /// A text.
    Text(String),
    /// A sequence.
    List(Vec<Rc<Node>>),
    /// A mapping in file order; keys are never lists or maps.
    Map(Vec<(Rc<Node>, Rc<Node>)>),
}

impl Value {
    /// Names a scalar so that two are equal exactly when Java's are: `1`, `1.0` and `"1"` differ.
    pub fn identity(&self) -> String {
        match self {
            Self::Null => "n".to_owned(),
            Self::Bool(value) => format!("b{value}"),
            Self::Int(value) => format!("i{value}"),
            Self::Float(value) => format!("f{}", super::scalar::print_float(*value)),
            Self::Text(value) => format!("s{value}"),
            Self::List(_) | Self::Map(_) => String::new(),
        }
    }
}
