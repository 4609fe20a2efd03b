//! Which subtask a key goes to: key → hash → key group → subtask.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, which agree: `KeyGroupRangeAssignment` and
//! `MathUtils.murmurHash`, and `hashCode` of `java.lang.String`, `Integer`, `Long`, `Boolean` and
//! `Double`. A key of SQL is a `RowData`, whose hash is another one; it is not modelled.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::{Derivation, Finding, Problem, Severity};

/// `KeyGroupRangeAssignment.DEFAULT_LOWER_BOUND_MAX_PARALLELISM`.
pub const MAX_PARALLELISM_LOWER: u32 = 1 << 7;
/// `KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM`.
pub const MAX_PARALLELISM_UPPER: u32 = 1 << 15;
/// The most keys asked about at once.
const KEYS_MAX: usize = 100_000;

/// The Java type of a key; it decides the hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyType {
    /// `java.lang.String`.
    #[default]
    String,
    /// `java.lang.Integer`.
    Integer,
    /// `java.lang.Long`.
    Long,
    /// `java.lang.Boolean`.
    Boolean,
    /// `java.lang.Double`.
    Double,
}

/// Why keys cannot be assigned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyGroupError {
    /// A parallelism outside 1 to 32768, in Flink's words.
    #[error("Operator parallelism not within bounds: {got}")]
    Bounds {
        /// What was given.
        got: i64,
        /// Path into the params.
        field: &'static str,
    },
    /// More subtasks than key groups, in Flink's words.
    #[error("Maximum parallelism must not be smaller than parallelism.")]
    Smaller,
    /// A subtask that does not exist.
    #[error("There is no subtask {index}: the parallelism is {parallelism}.")]
    Index {
        /// The subtask asked for.
        index: u32,
        /// How many there are.
        parallelism: u32,
    },
    /// A text that is no number of the key's type.
    #[error("“{text}” is not {wanted}.")]
    Key {
        /// The text, cut after 60 characters.
        text: String,
        /// What it should have been.
        wanted: &'static str,
    },
    /// More keys than are assigned at once.
    #[error("At most 100000 keys are assigned at once; these are {0}.")]
    TooMany(usize),
}

impl From<KeyGroupError> for Problem {
    fn from(error: KeyGroupError) -> Self {
        let (code, field) = match error {
            KeyGroupError::Bounds { field, .. } => ("other:IllegalArgumentException", field),
            KeyGroupError::Smaller => ("other:IllegalArgumentException", "maxParallelism"),
            KeyGroupError::Index { .. } => ("no_subtask", "index"),
            KeyGroupError::Key { .. } => ("bad_key", "keys"),
            KeyGroupError::TooMany(_) => ("too_many_keys", "keys"),
        };
        Self {
            code: code.to_owned(),
            message: error.to_string(),
            field: Some(field.to_owned()),
            option: None,
        }
    }
}

/// `MathUtils.murmurHash`: murmur3 of one block of 32 bits, made non-negative.
pub fn murmur(code: i32) -> i32 {
    let mut block = code.cast_unsigned().wrapping_mul(0xcc9e_2d51).rotate_left(15);
    block = block.wrapping_mul(0x1b87_3593);
    let mut hash = block.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    // The length of the block in bytes.
    hash ^= 4;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^= hash >> 16;
    let hash = hash.cast_signed();
    if hash >= 0 { hash } else { hash.checked_neg().unwrap_or(0) }
}

/// `String.hashCode`: over UTF-16 units.
pub fn hash_of_text(text: &str) -> i32 {
    text.encode_utf16().fold(0, |hash: i32, unit| hash.wrapping_mul(31).wrapping_add(unit.into()))
}

/// `Long.hashCode`.
pub fn hash_of_long(value: i64) -> i32 {
    let bits = value.cast_unsigned();
    ((bits ^ (bits >> 32)) & 0xffff_ffff) as u32 as i32
}

/// `Double.doubleToLongBits`, which knows one NaN.
fn java_bits(value: f64) -> i64 {
    let bits = if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() };
    bits.cast_signed()
}

/// `hashCode` of a key given as text.
///
/// # Errors
/// A text that is no number of the type.
pub fn hash_of(key: &str, key_type: KeyType) -> Result<i32, KeyGroupError> {
    let refused = |wanted| KeyGroupError::Key { text: key.chars().take(60).collect(), wanted };
    match key_type {
        KeyType::String => Ok(hash_of_text(key)),
        KeyType::Integer => key
            .parse()
            .map_err(|_| refused("an Integer: a whole number from -2147483648 to 2147483647")),
        KeyType::Long => {
            key.parse().map(hash_of_long).map_err(|_| refused("a Long: a whole number of 64 bits"))
        }
        KeyType::Boolean => match key {
            "true" => Ok(1231),
            "false" => Ok(1237),
            _ => Err(refused("a Boolean: true or false")),
        },
        KeyType::Double => key
            .parse()
            .map(|value: f64| hash_of_long(java_bits(value)))
            .map_err(|_| refused("a Double: a number, NaN or Infinity")),
    }
}

/// `computeKeyGroupForKeyHash`.
pub fn key_group(hash: i32, max_parallelism: u32) -> u32 {
    murmur(hash).cast_unsigned() % max_parallelism
}

/// `computeOperatorIndexForKeyGroup`.
pub fn subtask_of(key_group: u32, parallelism: u32, max_parallelism: u32) -> u32 {
    key_group * parallelism / max_parallelism
}

/// `checkParallelismPreconditions`.
///
/// # Errors
/// Outside 1 to 32768.
pub fn check_parallelism(parallelism: i64, field: &'static str) -> Result<u32, KeyGroupError> {
    u32::try_from(parallelism)
        .ok()
        .filter(|p| (1..=MAX_PARALLELISM_UPPER).contains(p))
        .ok_or(KeyGroupError::Bounds { got: parallelism, field })
}

/// `computeDefaultMaxParallelism`: 1.5 times the parallelism, up to a power of two, 128 to 32768.
///
/// # Errors
/// A parallelism outside 1 to 32768.
pub fn default_max_parallelism(parallelism: i64) -> Result<u32, KeyGroupError> {
    let parallelism = check_parallelism(parallelism, "parallelism")?;
    let wanted = (parallelism + parallelism / 2).next_power_of_two();
    Ok(wanted.clamp(MAX_PARALLELISM_LOWER, MAX_PARALLELISM_UPPER))
}

/// The key groups of one subtask, both ends inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyGroupRange {
    /// The first.
    pub start: u32,
    /// The last.
    pub end: u32,
    /// How many.
    pub count: u32,
}

/// `computeKeyGroupRangeForOperatorIndex`.
///
/// # Errors
/// A parallelism out of bounds or above the maximum.
pub fn range_of(
    max_parallelism: i64,
    parallelism: i64,
    index: u32,
) -> Result<KeyGroupRange, KeyGroupError> {
    let (parallelism, max) = check(parallelism, max_parallelism)?;
    if index >= parallelism {
        return Err(KeyGroupError::Index { index, parallelism });
    }
    let start = (index * max).div_ceil(parallelism);
    let end = ((index + 1) * max - 1) / parallelism;
    Ok(KeyGroupRange { start, end, count: end + 1 - start })
}

fn check(parallelism: i64, max_parallelism: i64) -> Result<(u32, u32), KeyGroupError> {
    let parallelism = check_parallelism(parallelism, "parallelism")?;
    let max = check_parallelism(max_parallelism, "maxParallelism")?;
    if parallelism > max { Err(KeyGroupError::Smaller) } else { Ok((parallelism, max)) }
}

/// Params of `assignKeyGroups`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyGroupParams {
    /// Subtasks of the keyed operator.
    pub parallelism: i64,
    /// Key groups; `None` takes Flink's default for the parallelism.
    pub max_parallelism: Option<i64>,
    /// What `hashCode` is taken of.
    pub key_type: KeyType,
    /// Keys as text.
    pub keys: Vec<String>,
}

/// Where one key goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyPlace {
    /// The key as given.
    pub key: String,
    /// Its `hashCode`.
    pub hash_code: i32,
    /// `MathUtils.murmurHash` of that.
    pub murmur: i32,
    /// Its key group.
    pub key_group: u32,
    /// The subtask that owns the group.
    pub operator_index: u32,
}

/// One subtask and what it got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubtaskShare {
    /// The subtask.
    pub operator_index: u32,
    /// Its key groups.
    pub range: KeyGroupRange,
    /// How many of the keys.
    pub keys: u32,
}

/// Where keys go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyGroupReport {
    /// The maximum parallelism used.
    pub max_parallelism: u32,
    /// Each key.
    pub places: Vec<KeyPlace>,
    /// Each subtask.
    pub subtasks: Vec<SubtaskShare>,
}

/// Which subtask does each key go to?
///
/// # Errors
/// A parallelism out of bounds, a maximum below it, or a text that is no key of the type.
pub fn assign_key_groups(
    params: &KeyGroupParams,
) -> Result<Derivation<KeyGroupReport>, KeyGroupError> {
    if params.keys.len() > KEYS_MAX {
        return Err(KeyGroupError::TooMany(params.keys.len()));
    }
    let wanted = match params.max_parallelism {
        Some(max) => max,
        None => default_max_parallelism(params.parallelism)?.into(),
    };
    let (parallelism, max_parallelism) = check(params.parallelism, wanted)?;
    let places: Vec<KeyPlace> = params
        .keys
        .iter()
        .map(|key| {
            let hash_code = hash_of(key, params.key_type)?;
            let group = key_group(hash_code, max_parallelism);
            Ok(KeyPlace {
                key: key.clone(),
                hash_code,
                murmur: murmur(hash_code),
                key_group: group,
                operator_index: subtask_of(group, parallelism, max_parallelism),
            })
        })
        .collect::<Result<_, _>>()?;
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for place in &places {
        *counts.entry(place.operator_index).or_default() += 1;
    }
    let subtasks: Vec<SubtaskShare> = (0..parallelism)
        .map(|operator_index| {
            let keys = counts.get(&operator_index).copied().unwrap_or(0);
            let range = range_of(wanted, params.parallelism, operator_index)?;
            Ok(SubtaskShare { operator_index, range, keys })
        })
        .collect::<Result<_, KeyGroupError>>()?;
    let findings = skew(&subtasks).into_iter().collect();
    Ok(Derivation { value: KeyGroupReport { max_parallelism, places, subtasks }, findings })
}

/// Groups that do not divide evenly, or subtasks without a key.
fn skew(subtasks: &[SubtaskShare]) -> Option<Finding> {
    let without = subtasks.iter().filter(|share| share.keys == 0).count();
    if without == 0 || subtasks.len() < 2 {
        return None;
    }
    Some(Finding {
        code: "subtasks_without_keys",
        severity: Severity::Note,
        title: format!("{without} of {} subtasks get none of these keys", subtasks.len()),
        reason: "A key's subtask follows from its hash; nothing evens out how many keys each gets."
            .to_owned(),
        option: None,
        price: None,
        apply: Vec::new(),
        source: "KeyGroupRangeAssignment of Flink 1.18.1, 1.20.5 and 2.2.1".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_javas() {
        assert_eq!(hash_of_text("a"), 97);
        assert_eq!(hash_of_text("hello"), 99_162_322);
        assert_eq!(hash_of_long(-1), 0);
        assert_eq!(hash_of_long(1 << 32), 1);
        assert_eq!(murmur(0), 593_689_054);
    }

    #[test]
    fn a_bad_key_names_what_it_should_be() {
        let error = hash_of("1.5", KeyType::Integer).unwrap_err();
        assert!(error.to_string().contains("Integer"), "{error}");
    }

    #[test]
    fn ranges_cover_every_group_once() {
        for parallelism in [1, 3, 7, 128] {
            let mut next = 0;
            for index in 0..parallelism {
                let range = range_of(128, i64::from(parallelism), index).unwrap();
                assert_eq!(range.start, next);
                next = range.end + 1;
            }
            assert_eq!(next, 128);
        }
    }
}
