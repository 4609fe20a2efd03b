//! The tree that the components' parents make.

use super::COMPONENTS_MAX;
use crate::charts::ChartError;
use crate::memory::report::Component;
use crate::units::Bytes;

/// A component in the tree.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    pub component: &'a Component,
    /// Bytes before it in the process.
    pub start: u64,
    /// Boxes around it.
    pub depth: i32,
    /// Whether it holds other components.
    pub holds: bool,
}

impl Node<'_> {
    /// Bytes before the end of it.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.component.bytes.get().unsigned_abs())
    }

    pub fn is_empty(&self) -> bool {
        self.component.bytes == Bytes::ZERO
    }
}

/// All components, each after the one around it, siblings as they were given.
#[derive(Debug, Clone)]
pub(super) struct Tree<'a> {
    pub nodes: Vec<Node<'a>>,
    total: Bytes,
}

impl<'a> Tree<'a> {
    pub fn new(components: &'a [Component]) -> Result<Self, ChartError> {
        if components.len() > COMPONENTS_MAX {
            return Err(ChartError::TooManyComponents { count: components.len() });
        }
        let mut roots = components.iter().filter(|component| component.parent.is_none());
        let root = roots.next().ok_or(ChartError::NothingToDraw)?;
        for (i, component) in components.iter().enumerate() {
            let id = component.id;
            if component.bytes < Bytes::ZERO {
                return Err(ChartError::NegativeSize { id: id.to_owned() });
            }
            if components.iter().take(i).any(|earlier| earlier.id == id) {
                return Err(ChartError::Tree { id: id.to_owned() });
            }
        }
        if root.bytes == Bytes::ZERO {
            return Err(ChartError::NothingToDraw);
        }
        let mut tree = Self { nodes: Vec::with_capacity(components.len()), total: root.bytes };
        tree.add(components, root, 0, 0)?;
        // A second root, an unknown parent or a circle of parents leaves someone out.
        let left_out = components
            .iter()
            .find(|component| !tree.nodes.iter().any(|node| node.component.id == component.id));
        match left_out {
            Some(component) => Err(ChartError::Tree { id: component.id.to_owned() }),
            None => Ok(tree),
        }
    }

    /// The size of the outermost component.
    pub const fn total(&self) -> Bytes {
        self.total
    }

    /// Boxes around the innermost component.
    pub fn depth(&self) -> i32 {
        self.nodes.iter().map(|node| node.depth).max().unwrap_or(0)
    }

    fn add(
        &mut self,
        components: &'a [Component],
        component: &'a Component,
        start: u64,
        depth: i32,
    ) -> Result<(), ChartError> {
        let at = self.nodes.len();
        self.nodes.push(Node { component, start, depth, holds: false });
        let mut next = start;
        for child in components.iter().filter(|child| child.parent == Some(component.id)) {
            self.add(components, child, next, depth + 1)?;
            next = next.saturating_add(child.bytes.get().unsigned_abs());
            self.nodes[at].holds = true;
        }
        if next > self.nodes[at].end() {
            return Err(ChartError::PartsExceedWhole { id: component.id.to_owned() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::report::{Color, Origin};

    fn component(id: &'static str, parent: Option<&'static str>, bytes: i64) -> Component {
        Component {
            id,
            name: id,
            parent,
            bytes: Bytes::new(bytes),
            share: 0.0,
            origin: Origin::Sum,
            option: "",
            color: Color::Heap,
            location: "",
            cap: "",
            recommendation: String::new(),
        }
    }

    #[track_caller]
    fn check(components: &[(&'static str, Option<&'static str>, i64)], want: &str) {
        let components: Vec<_> =
            components.iter().map(|&(id, parent, bytes)| component(id, parent, bytes)).collect();
        let got = match Tree::new(&components) {
            Ok(tree) => {
                let node = |n: &Node| format!("{}{}@{}", n.component.id, n.depth, n.start);
                tree.nodes.iter().map(node).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(got, want);
    }

    #[test]
    fn children_lie_side_by_side_in_their_parent() {
        check(
            &[("b", Some("a"), 3), ("d", Some("b"), 2), ("a", None, 10), ("c", Some("a"), 7)],
            "a0@0 b1@0 d2@0 c1@3",
        );
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        check(&[], "there is nothing to draw to scale");
        check(&[("a", None, 0)], "there is nothing to draw to scale");
        check(
            &[("a", None, 1), ("b", None, 1)],
            "component b has no place in the tree of components",
        );
        check(
            &[("a", None, 1), ("b", Some("x"), 1)],
            "component b has no place in the tree of components",
        );
        check(
            &[("a", None, 1), ("b", Some("c"), 1), ("c", Some("b"), 1)],
            "component b has no place in the tree of components",
        );
        check(
            &[("a", None, 1), ("b", Some("b"), 1)],
            "component b has no place in the tree of components",
        );
        check(&[("a", None, -1)], "a has a negative size");
        check(
            &[("a", None, 9), ("b", Some("a"), 5), ("c", Some("a"), 5)],
            "the parts of a add up to more than a",
        );
    }
}
