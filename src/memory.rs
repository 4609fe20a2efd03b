//! Where do the bytes of a TaskManager or JobManager go?
//!
//! A configuration goes in as Flink reads it, option key to text; out come every pool in bytes, the
//! JVM arguments, the steps of the derivation and what was noticed on the way, or Flink's refusal.
//! The arithmetic is Flink's own to the byte, version by version.
//!
//! ```
//! use weir::memory::{self, MemoryParams};
//! use weir::units::{Bytes, FlinkVersion};
//!
//! let mut params = MemoryParams::new(FlinkVersion::V1_20);
//! params.set("taskmanager.memory.process.size", "1728m");
//! let answer = memory::derive_task_manager(&params).expect("the stock configuration starts");
//! assert_eq!(answer.value.task_heap, Bytes::new(402_653_174));
//! ```

pub mod advice;
pub mod arithmetic;
pub mod backwards;
pub mod boundary;
pub mod comparison;
pub mod diagnosis;
pub mod error;
pub mod form;
pub mod job_manager;
pub mod jvm;
pub mod legacy;
pub mod local;
pub mod notice;
pub mod options;
pub mod report;
mod sensible;
pub mod settings;
pub mod task_manager;
pub mod trace;

mod job_manager_answer;
mod params;
mod task_manager_answer;

pub use comparison::compare_memory;
pub use diagnosis::{Diagnosis, diagnose};
pub use job_manager_answer::{JobManagerReport, derive_job_manager, job_manager_layout};
pub use params::{DiagnoseParams, MemoryParams, Role};
pub(crate) use params::{job_manager_spec, task_manager_spec};
pub use task_manager_answer::{TaskManagerReport, derive_task_manager, task_manager_layout};
