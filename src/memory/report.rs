//! The shape of an answer: components, steps, container. Reports are plain data.

use serde::Serialize;

use crate::units::Bytes;

/// What decided the size of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// The configuration names the size.
    Configured,
    /// The option's default.
    Default,
    /// A fraction of a larger pool, inside its range.
    Fraction,
    /// The fraction gave less than the minimum.
    ClampedToMin,
    /// The fraction gave more than the maximum.
    ClampedToMax,
    /// What the other components left over.
    Remainder,
    /// The sum of the components inside.
    Sum,
}

/// The colour family of a component; one meaning, one colour, everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Color {
    /// On the JVM heap, capped by `-Xmx`.
    Heap,
    /// Direct or native memory of the framework and of tasks.
    OffHeap,
    /// Managed memory, native.
    Managed,
    /// Network buffers, direct.
    Network,
    /// The JVM's own: metaspace and overhead.
    Jvm,
    /// A sum of other components.
    Total,
}

/// One row of the memory table and one box of the bar.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Component {
    /// For example `taskHeap`; the totals are `totalProcess` and `totalFlink`.
    pub id: &'static str,
    /// Flink's name, for example `Task Heap`.
    pub name: &'static str,
    /// The box this one lies in; `None` for the outermost.
    pub parent: Option<&'static str>,
    /// Its size.
    pub bytes: Bytes,
    /// Its share of the total process memory, 0 to 1.
    pub share: f64,
    /// What decided its size.
    pub origin: Origin,
    /// The option key that sets it.
    pub option: &'static str,
    /// Its colour family.
    pub color: Color,
    /// Where its bytes live, for example `JVM heap`.
    pub location: &'static str,
    /// What caps it, for example `-Xmx`.
    pub cap: &'static str,
    /// What to do about it, with numbers.
    pub recommendation: String,
}

/// One step of a derivation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What the step finds.
    pub title: String,
    /// Flink's formula in words.
    pub formula: String,
    /// The formula with the values put in.
    pub numbers: String,
    /// What came out.
    pub result: Option<Bytes>,
    /// Class and method, or option key.
    pub source: String,
}

/// The container around the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Container {
    /// Its memory limit.
    pub limit: Bytes,
    /// Whether the reader named the limit; otherwise it equals the total process memory, which is
    /// what Flink's Kubernetes and YARN integrations ask for.
    pub named: bool,
    /// Limit minus total process memory; negative when the container is too small.
    pub headroom: Bytes,
}

/// One pool of a TaskManager divided by its slots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SlotShare {
    /// The component's id.
    pub id: &'static str,
    /// The component's name.
    pub name: &'static str,
    /// What each slot gets, by integer division.
    pub per_slot: Bytes,
    /// Bytes that the division leaves over.
    pub remainder: Bytes,
}
