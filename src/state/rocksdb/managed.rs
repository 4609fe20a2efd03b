//! Which part of a slot's managed memory does the state backend get?
//!
//! Consumers that are in the slot share it by their weights. A weight map in the configuration
//! replaces the default as a whole; a consumer it does not name has no weight. The state backend
//! counts only where it uses managed memory.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `ManagedMemoryUtils#convertToFractionOfSlot`,
//! `#getFractionRoundedDown`, `MemoryManager#computeMemorySize`, `#computeNumberOfPages`;
//! `DATAPROC` is a name of `OPERATOR` and `STATE_BACKEND` up to 1.20 only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::RocksdbError;
use super::options::{BACKEND, CONSUMER_WEIGHTS};
use crate::config::number::parse_int;
use crate::memory::error::{Kind, MemoryError};
use crate::memory::settings::Settings;
use crate::units::{Bytes, FlinkVersion};

/// Digits after the point: `ManagedMemoryUtils.MANAGED_MEMORY_FRACTION_SCALE`.
const SCALE: u32 = 16;

/// What uses managed memory, under Flink's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum UseCase {
    /// Batch operators: sorting, hash tables, caches.
    Operator,
    /// RocksDB.
    StateBackend,
    /// Python processes.
    Python,
}

impl UseCase {
    /// Names in the weight map, the first that is there counts.
    fn names(self, version: FlinkVersion) -> &'static [&'static str] {
        let old = version < FlinkVersion::V2_2;
        match self {
            Self::Operator if old => &["OPERATOR", "DATAPROC"],
            Self::Operator => &["OPERATOR"],
            Self::StateBackend if old => &["STATE_BACKEND", "DATAPROC"],
            Self::StateBackend => &["STATE_BACKEND"],
            Self::Python => &["PYTHON"],
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Operator => "OPERATOR",
            Self::StateBackend => "STATE_BACKEND",
            Self::Python => "PYTHON",
        }
    }
}

/// A consumer in the slot.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManagedConsumer {
    /// What it is.
    pub use_case: UseCase,
    /// The part of the use case that it takes, 0 to 1; 1 for the state backend and Python.
    pub share: f64,
}

/// What a consumer gets.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsumerShare {
    /// What it is.
    pub use_case: UseCase,
    /// Its fraction of the slot's managed memory.
    pub fraction_of_slot: f64,
    /// Its bytes; `None` where Flink refuses.
    pub bytes: Option<Bytes>,
    /// Its pages of the segment size, of the whole pages in the slot.
    pub pages: Option<i64>,
    /// Flink's refusal.
    pub error: Option<String>,
}

/// Whether the backend that the configuration names uses managed memory.
pub fn backend_uses_managed(settings: &Settings<'_>) -> bool {
    let name = settings.entry(&BACKEND).map_or("", |(_, text)| text).to_lowercase();
    name == "rocksdb" || name == "forst" && settings.version == FlinkVersion::V2_2
}

/// What each consumer gets of a slot's managed memory.
pub fn shares(
    settings: &Settings<'_>,
    consumers: &[ManagedConsumer],
    backend_in_use: bool,
    slot: Bytes,
    page: Bytes,
) -> Result<Vec<ConsumerShare>, RocksdbError> {
    let counts = |consumer: &UseCase| *consumer != UseCase::StateBackend || backend_in_use;
    let slot_pages = slot.get() / page.get().max(1);
    let weights = weights(settings)?;
    let weight = |consumer: UseCase| weights.get(&consumer).copied().unwrap_or(0);
    let mut present: Vec<UseCase> = consumers.iter().map(|consumer| consumer.use_case).collect();
    present.sort_unstable();
    present.dedup();
    let total: i64 = present.iter().filter(|c| counts(c)).map(|c| weight(*c)).sum();
    let share_of = |consumer: &ManagedConsumer| {
        let whole = if total > 0 && counts(&consumer.use_case) {
            rounded_down(weight(consumer.use_case), total)
        } else {
            0.0
        };
        let fraction = consumer.share * whole;
        let granted = fraction > 0.0;
        let bytes = Bytes::new((slot.get() as f64 * fraction) as i64);
        ConsumerShare {
            use_case: consumer.use_case,
            fraction_of_slot: fraction,
            bytes: granted.then_some(bytes),
            // Of the slot's whole pages, not of the bytes: up to a page less.
            pages: granted.then_some((slot_pages as f64 * fraction) as i64),
            error: (!granted).then(|| {
                format!(
                    "The fraction of memory to allocate should not be 0. Please make sure that all types of managed memory consumers contained in the job are configured with a non-negative weight via `{}`.",
                    CONSUMER_WEIGHTS.key
                )
            }),
        }
    };
    Ok(consumers.iter().map(share_of).collect())
}

/// The quotient in decimal, cut after 16 digits, as a double.
fn rounded_down(dividend: i64, divisor: i64) -> f64 {
    let scaled = i128::from(dividend) * 10_i128.pow(SCALE) / i128::from(divisor.max(1));
    // The text of a decimal reads back as the nearest double, as BigDecimal's does.
    format!("{scaled}e-{SCALE}").parse().unwrap_or(0.0)
}

fn weights(settings: &Settings<'_>) -> Result<BTreeMap<UseCase, i64>, RocksdbError> {
    let texts = weight_texts(settings)?;
    let mut weights = BTreeMap::new();
    for use_case in [UseCase::Operator, UseCase::StateBackend, UseCase::Python] {
        let names = use_case.names(settings.version);
        let Some(text) = names.iter().find_map(|name| texts.get(*name)) else { continue };
        let weight = parse_int(text).map_err(|error| {
            let plain = format!("'{text}' is not a whole number.");
            let option = Some(CONSUMER_WEIGHTS.key);
            MemoryError::new(Kind::OtherNumberFormat, option, error.to_string(), plain)
        })?;
        if weight < 0 {
            return Err(RocksdbError::NegativeWeight(format!(
                "Managed memory weight should not be negative. Configured weight for {} is {weight}.",
                use_case.name()
            )));
        }
        weights.insert(use_case, i64::from(weight));
    }
    Ok(weights)
}

/// The map as texts: `NAME:weight,...` under the key, or one entry under `key.NAME` each.
fn weight_texts(settings: &Settings<'_>) -> Result<BTreeMap<String, String>, RocksdbError> {
    let option = CONSUMER_WEIGHTS;
    let set = settings.entry(&option).map(|(_, text)| text);
    if set.is_none() {
        let prefix = format!("{}.", option.key);
        let below: BTreeMap<String, String> = settings
            .config
            .iter()
            .filter_map(|(key, text)| Some((key.strip_prefix(&prefix)?.to_owned(), text.clone())))
            .collect();
        if !below.is_empty() {
            return Ok(below);
        }
    }
    let text = set.or(option.default).unwrap_or_default();
    let mut texts = BTreeMap::new();
    for entry in text.split(',').filter(|entry| !entry.trim().is_empty()) {
        let Some((name, weight)) = entry.split_once(':').filter(|(_, w)| !w.contains(':')) else {
            let message = format!("Could not parse value '{text}' for key '{}'.", option.key);
            let plain = format!("'{entry}' is not a name and a weight, such as PYTHON:30.");
            let error = MemoryError::new(Kind::UnparsableValue, Some(option.key), message, plain);
            return Err(error.into());
        };
        texts.insert(name.trim().to_owned(), weight.trim().to_owned());
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_cut_after_sixteen_digits() {
        assert!((rounded_down(1, 3) - 0.333_333_333_333_333_3).abs() < f64::EPSILON);
        assert!((rounded_down(70, 100) - 0.7).abs() < f64::EPSILON);
        assert_eq!((1_000_000_007_f64 * rounded_down(1, 3)) as i64, 333_333_335);
    }
}
