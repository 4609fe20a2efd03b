//! Where do the bytes of a TaskManager or JobManager go?

pub mod report;
