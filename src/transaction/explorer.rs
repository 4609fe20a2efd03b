//! All orders in which the protocol's steps and the allowed faults can happen.
//!
//! Breadth first over the relation, so that the first state that breaks a property is reached by the
//! fewest steps. A timeout may strike any ongoing transaction, because a clock that is late enough
//! makes any of them due. States are packed to bits and kept in one array; a table of indices finds
//! them again. Lanes are sorted within a state where that is asked for: tasks that only swap places
//! make no new state.
//!
//! Source: the relation's; the search is the usual one of explicit-state model checkers.

mod bounds;
mod compact;
mod pack;
mod properties;
mod search;
mod steps;
mod table;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use bounds::ExploreParams;
pub use properties::Kind;
pub use search::{Exploration, ExploreProgress, Order};
pub use steps::{ExploreReport, ExploreStep, IdView, LaneView, PropertyReport, StateView, TxnView};
