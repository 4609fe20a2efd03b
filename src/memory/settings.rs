//! What does a configuration say for an option: the text, the older key, or the default?
//!
//! An option is read only when the path taken needs it, so a bad value of an unread option is never
//! noticed. The order of reading decides which of two mistakes is reported.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `Configuration#get`, `ConfigurationUtils#convertValue`,
//! `ProcessMemoryUtils#getMemorySizeFromConfig`, `#getRangeFraction`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::arithmetic::{RangeFraction, Sized};
use super::error::{Kind, MemoryError};
use super::options::OptionDef;
use super::report::Origin;
use crate::config::number::{
    NumberError, java_double, parse_double, parse_float, parse_int, shortest_float,
};
use crate::config::size::{self, human};
use crate::units::{Bytes, FlinkVersion};

/// Minimum, maximum and fraction of one pool.
#[derive(Debug, Clone, Copy)]
pub struct RangeOptions {
    /// The least size.
    pub min: OptionDef,
    /// The largest size.
    pub max: OptionDef,
    /// The fraction.
    pub fraction: OptionDef,
}

/// A configuration as one Flink version reads it. It remembers which keys were read, so that what
/// was set in vain can be told.
#[derive(Debug)]
pub struct Settings<'a> {
    /// Option key to text.
    pub config: &'a BTreeMap<String, String>,
    /// The version that reads it.
    pub version: FlinkVersion,
    read: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Settings<'a> {
    /// Reads `config` as `version` does.
    pub fn new(config: &'a BTreeMap<String, String>, version: FlinkVersion) -> Self {
        Self { config, version, read: RefCell::default() }
    }

    /// Whether the value of this very key was read.
    pub fn was_read(&self, key: &str) -> bool {
        self.read.borrow().contains(key)
    }

    /// The key that is present, itself or the first of its older names, and its text.
    pub fn entry(&self, option: &OptionDef) -> Option<(&'static str, &'a str)> {
        std::iter::once(option.key)
            .chain(option.fallbacks.iter().copied())
            .find_map(|key| self.config.get(key).map(|text| (key, text.as_str())))
    }

    /// Whether the option or one of its older keys is set.
    pub fn contains(&self, option: &OptionDef) -> bool {
        self.entry(option).is_some()
    }

    fn text(&self, option: &OptionDef) -> Option<&'a str> {
        self.entry(option).map(|(key, text)| {
            self.read.borrow_mut().insert(key);
            text
        })
    }

    /// A size, from the configuration or the default.
    pub fn size(&self, option: &OptionDef) -> Result<Sized, MemoryError> {
        let (text, origin) = match (self.text(option), option.default) {
            (Some(text), _) => (text, Origin::Configured),
            (None, Some(default)) => (default, Origin::Default),
            (None, None) => ("0b", Origin::Default),
        };
        let bytes = size::parse(text).map_err(|error| {
            let key = option.key;
            MemoryError::new(
                Kind::UnreadableMemorySize,
                Some(key),
                format!("Cannot read memory size from config option '{key}'."),
                format!("'{text}' is not a size. {}", error.advice()),
            )
            .caused_by(unparsable(text, key))
            .caused_by(error.to_string())
        })?;
        Ok(Sized::new(bytes, origin))
    }

    /// A 32-bit fraction widened to 64 bits.
    pub fn fraction(&self, option: &OptionDef) -> Result<f64, MemoryError> {
        let text = self.text(option).or(option.default).unwrap_or("0");
        let fraction = parse_float(text).map_err(|error| {
            number_error(option, text, &error, "a fraction such as 0.4, with a point")
        })?;
        Ok(f64::from(fraction))
    }

    /// An integer.
    pub fn int(&self, option: &OptionDef) -> Result<i32, MemoryError> {
        let text = self.text(option).or(option.default).unwrap_or("0");
        parse_int(text).map_err(|error| {
            number_error(option, text, &error, "a whole number without spaces, such as 4")
        })
    }

    /// A double, if the option is set.
    pub fn double(&self, option: &OptionDef) -> Result<Option<f64>, MemoryError> {
        self.text(option)
            .map(|text| {
                parse_double(text)
                    .map_err(|error| number_error(option, text, &error, "a number such as 2.0"))
            })
            .transpose()
    }

    /// A boolean: `true` or `false` in any case.
    pub fn flag(&self, option: &OptionDef) -> Result<bool, MemoryError> {
        let text = self.text(option).or(option.default).unwrap_or("false");
        match text.to_uppercase().as_str() {
            "TRUE" => Ok(true),
            "FALSE" => Ok(false),
            _ => {
                let cause = format!(
                    "Unrecognized option for boolean: {text}. Expected either true or false(case insensitive)"
                );
                let plain = format!("'{text}' is neither true nor false.");
                let message = unparsable(text, option.key);
                Err(MemoryError::new(Kind::UnparsableValue, Some(option.key), message, plain)
                    .caused_by(cause))
            }
        }
    }

    /// A fraction with its range, checked when read even where the fraction will not be used.
    pub fn range(&self, options: &RangeOptions) -> Result<RangeFraction, MemoryError> {
        let min = self.size(&options.min)?.bytes;
        let max = self.size(&options.max)?.bytes;
        self.range_within(min, max, &options.fraction)
    }

    /// A fraction of which the range has no options.
    pub fn range_within(
        &self,
        min: Bytes,
        max: Bytes,
        option: &OptionDef,
    ) -> Result<RangeFraction, MemoryError> {
        let fraction = self.fraction(option)?;
        let (cause, plain) = if min > max {
            (
                "min value must be less or equal to max value",
                format!(
                    "The minimum {min} is above the maximum {max}. Raise the maximum or lower the minimum."
                ),
            )
        } else if (0.0..1.0).contains(&fraction) {
            return Ok(RangeFraction { min, max, fraction });
        } else {
            let read = shortest_float(fraction);
            (
                "fraction must be in range [0, 1)",
                format!("The fraction reads as {read}; it must be at least 0 and less than 1."),
            )
        };
        let message = format!(
            "Inconsistently configured {option} ({}) and its min ({}), max ({}) value",
            java_double(fraction),
            human(min),
            human(max)
        );
        Err(MemoryError::new(Kind::RangeOrFractionInconsistent, Some(option.key), message, plain)
            .caused_by(cause))
    }
}

fn unparsable(text: &str, key: &str) -> String {
    format!("Could not parse value '{text}' for key '{key}'.")
}

fn number_error(option: &OptionDef, text: &str, error: &NumberError, wanted: &str) -> MemoryError {
    let plain = format!("'{text}' is not {wanted}.");
    MemoryError::new(Kind::UnparsableValue, Some(option.key), unparsable(text, option.key), plain)
        .caused_by(error.to_string())
}
