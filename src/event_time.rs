//! Event time: watermarks, windows and what happens to each record.
//!
//! Follows Flink 1.18.1, 1.20.5 and 2.2.1; each file names the classes whose rules it holds.

pub mod assign;
pub mod assigner_operator;
pub mod code;
pub mod combined;
pub mod comparison;
pub mod dedup;
pub mod error;
pub mod event_time_answer;
pub mod generator;
pub mod kept;
pub mod lives;
pub mod moment;
pub mod notice;
pub mod operator;
pub mod params;
pub mod pipeline;
pub mod report;
pub mod restored;
pub mod rules;
pub mod run;
pub mod sessions;
pub mod signal;
pub mod snapshot;
pub mod source;
pub mod text;
pub mod time;
pub mod trace;
pub mod trigger;
pub mod valve;
pub mod verdict;
pub mod whole;
pub mod why;
pub mod window;
pub mod zone;

pub use assign::assign_windows;
pub use comparison::compare_event_time;
pub use error::EventTimeError;
pub use event_time_answer::run_event_time;
pub use moment::event_time_at;
pub use trace::trace_watermarks;
pub use why::why_no_output;
