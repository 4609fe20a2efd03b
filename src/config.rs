//! The option table, and config files read as each Flink version reads them.
//!
//! - [`files`]: what a Flink of a version loads from a configuration folder.
//! - [`paste`]: what a pasted text is, and what a version makes of it.
//! - [`export`]: a configuration written as a file that the version reads back unchanged.
//! - [`flat`], [`yaml`]: the two readers, for `flink-conf.yaml` and for `config.yaml`.
//! - [`options`]: every option of the three versions, and what becomes of a key in each.
//! - [`duration`], [`size`], [`number`]: the texts of single values.

pub mod duration;
pub mod error;
pub mod export;
pub mod files;
pub mod flat;
pub mod number;
pub mod options;
pub mod paste;
pub mod report;
pub mod sensitive;
pub mod size;
pub mod text;
pub mod yaml;

pub use error::ConfigError;
pub use report::{ConfigEntry, ConfigReport, SkippedLine};

/// The longest text that is read \[bytes\]. Flink's YAML library stops at as many code points
/// (`LoadSettings.getCodePointLimit`); the line parser has no limit of its own.
pub const MAX_TEXT_BYTES: usize = 3 << 20;

/// The most entries one text may yield, aliases written out.
pub const MAX_ENTRIES: usize = 100_000;

/// The most bytes of keys and values one text may yield, aliases written out.
pub const MAX_ENTRY_BYTES: usize = 16 << 20;

/// The deepest nesting of maps and lists.
pub const MAX_DEPTH: usize = 64;
