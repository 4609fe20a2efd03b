//! All orders in which the protocol's steps and the allowed faults can happen.
//!
//! Breadth first over the relation, so that the first state that breaks a property is reached by the
//! fewest steps. A timeout may strike any ongoing transaction, because a clock that is late enough
//! makes any of them due. Bounds say how often each fault may happen, and with which settings a job may
//! start again. Each subtask's part is packed to bits and kept
//! once; a state is the numbers of its parts, and a table finds it again. These numbers are sorted where
//! that is asked for: subtasks that only swap places make no new state.
//!
//! Source: the relation's; the search is the usual one of explicit-state model checkers.

mod bounds;
mod compact;
mod judge;
mod layout;
mod moves;
mod pack;
mod properties;
mod protocol;
mod replay;
mod restart;
mod search;
mod spent;
mod steps;
mod table;
mod view;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod mutants;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use bounds::{ExploreParams, SecondPrefix};
pub use properties::Kind;
pub use replay::{WayParams, replay};
pub use search::{Exploration, ExploreProgress};
pub use steps::{ExploreReport, PropertyReport};
pub use view::{ExploreStep, IdView, LaneView, StateView, TxnView};
