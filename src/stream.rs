//! Where do events come from, and how far out of order are they?
//!
//! A stream is generated from a seed, or read from the records of a user; from either comes the
//! distribution of its disorder, and from that the bound of `BoundedOutOfOrdernessWatermarks`.

pub mod bound;
pub mod disorder;
pub mod error;
pub mod event;
pub mod generate;
pub mod read;

pub use bound::{BoundParams, BoundReport, choose_bound};
pub use disorder::{Disorder, DisorderParams};
pub use error::StreamError;
pub use event::Event;
pub use generate::{Generator, GeneratorParams, GeneratorReport};
pub use read::{ReadReport, Reader, ReaderParams, Records, SniffReport, sniff};
