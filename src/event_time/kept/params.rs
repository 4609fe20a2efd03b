//! The types of what a window operator keeps.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `WindowedStream` (`reduce`, `aggregate`, `process`).

use serde::{Deserialize, Serialize};

use super::super::error::EventTimeError;
use crate::state::layout::{Scalar, ValueType};
use crate::state::params::MAX_FIELDS;

/// The longest string or array, so that no sum of bytes overflows.
const LENGTH_MAX: u32 = 1 << 20;

/// What the function of the windows needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WindowFunction {
    /// `reduce` or `aggregate`: an accumulator.
    Incremental,
    /// `process` or `apply`: all records.
    Full,
}

/// Types and function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeptParams {
    /// The function.
    pub function: WindowFunction,
    /// Type of the keys.
    pub key: Scalar,
    /// Type of the accumulator of an incremental function.
    pub accumulator: ValueType,
    /// Type of a record, for a function that needs all of them.
    pub element: ValueType,
    /// `-XX:+UseCompressedOops`, which the JVM has below 32 GB of heap.
    pub compressed_oops: bool,
    /// Heap of a registered state without keys, a key group; `None` takes the measured one [B].
    #[serde(default)]
    pub empty_state_per_key_group: Option<u32>,
}

impl Default for KeptParams {
    fn default() -> Self {
        Self {
            function: WindowFunction::Incremental,
            key: Scalar::String { chars: 8 },
            accumulator: ValueType::Long,
            element: ValueType::Long,
            compressed_oops: true,
            empty_state_per_key_group: None,
        }
    }
}

impl KeptParams {
    /// Whether these types are offered.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check(&self) -> Result<(), EventTimeError> {
        if matches!(self.key, Scalar::Bytes { .. } | Scalar::Double) {
            return Err(EventTimeError::StateKey);
        }
        length("kept.key", self.key)?;
        for (field, value) in
            [("kept.accumulator", &self.accumulator), ("kept.element", &self.element)]
        {
            match value {
                ValueType::String { chars } => length(field, Scalar::String { chars: *chars })?,
                ValueType::Bytes { length: bytes } => {
                    length(field, Scalar::Bytes { length: *bytes })?;
                }
                ValueType::Pojo { fields } | ValueType::Tuple { fields } => {
                    if fields.is_empty() || fields.len() > MAX_FIELDS {
                        let (what, max, got) = ("Fields", MAX_FIELDS, fields.len());
                        return Err(EventTimeError::TooMany { field, what, max, got });
                    }
                    fields.iter().try_for_each(|it| length(field, *it))?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn length(field: &'static str, scalar: Scalar) -> Result<(), EventTimeError> {
    let (Scalar::String { chars: got } | Scalar::Bytes { length: got }) = scalar else {
        return Ok(());
    };
    if got <= LENGTH_MAX {
        return Ok(());
    }
    let (max, got) = (LENGTH_MAX.into(), got.into());
    Err(EventTimeError::TooLarge { field, what: "A length", max, got })
}
