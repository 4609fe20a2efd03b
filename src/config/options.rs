//! Which options does each Flink version have, and what becomes of a key in it?
//!
//! THE option table: `options.tsv` beside this file holds every option of the three versions with
//! its type, default and older keys. A native test compares it with what was recorded from the
//! released jars; `UPDATE_EXPECT=1 cargo test --test options` rewrites it.
//!
//! A row is `key, versions, type, default, older keys`, separated by tabs; an empty key repeats the
//! one above. `versions` is the sum of 1 for 1.18, 2 for 1.20 and 4 for 2.2. A type ends with `[]`
//! for a list and with `!` when the option is deprecated. A default starts with `=`. An older key
//! starts with `+` when it is an alternative rather than deprecated.
//!
//! Source: every `*Options` and `*Config` class of flink-dist 1.18.1, 1.20.5 and 2.2.1, without the
//! options that Flink keeps for itself (`$internal.`, `internal.`, `hidden.`) and the keys that are
//! relative to a reporter's prefix.

mod distance;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::units::FlinkVersion;

/// One option of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionInfo {
    /// The key it is read by first.
    pub key: &'static str,
    /// `string`, `int`, `long`, `double`, `float`, `bool`, `duration`, `size`, `map` or `enum`.
    pub kind: &'static str,
    /// Whether it is a list of that type.
    pub list: bool,
    /// The default as Flink writes it.
    pub default: Option<&'static str>,
    /// Whether Flink marks the option as deprecated.
    pub deprecated: bool,
    /// Keys that are read when the first is absent, in the order of reading.
    pub fallbacks: Vec<Fallback>,
}

/// A key that an option is also read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fallback {
    /// The key.
    pub key: &'static str,
    /// Whether Flink warns when it is used.
    pub deprecated: bool,
}

/// What a key is to a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyStatus {
    /// The first key of an option.
    Primary,
    /// One of a family of keys, such as `env.java.opts.*` or `metrics.reporter.<name>.*`.
    Family {
        /// What the keys of the family start with.
        prefix: &'static str,
    },
    /// An alternative key of other options.
    Fallback {
        /// Their first keys, sorted.
        of: Vec<&'static str>,
    },
    /// An old key that still works.
    Deprecated {
        /// The first keys of the options that read it, sorted.
        of: Vec<&'static str>,
    },
    /// No key of this version, but of others.
    OtherVersion {
        /// The versions that have it, oldest first.
        versions: Vec<FlinkVersion>,
    },
    /// No key of any version.
    Unknown {
        /// The nearest key of this version, if one is near.
        did_you_mean: Option<&'static str>,
    },
}

/// The option with this first key in a version.
pub fn lookup(version: FlinkVersion, key: &str) -> Option<OptionInfo> {
    let (&key, rows) = table().options.get_key_value(key)?;
    let row = rows.iter().find(|row| row.versions & bit(version) != 0)?;
    let (kind, deprecated) = strip_mark(row.kind, "!");
    let (kind, list) = strip_mark(kind, "[]");
    let default = row.default.strip_prefix('=');
    Some(OptionInfo { key, kind, list, default, deprecated, fallbacks: row.fallbacks().collect() })
}

/// All options of a version, by key.
pub fn all(version: FlinkVersion) -> impl Iterator<Item = OptionInfo> {
    table().options.keys().filter_map(move |key| lookup(version, key))
}

/// What a key is to a version. A key that is both the first of one option and an older one of
/// another counts as the first.
pub fn status(version: FlinkVersion, key: &str) -> KeyStatus {
    if is_primary(version, key) {
        return KeyStatus::Primary;
    }
    let readers = readers(version, key);
    if !readers.is_empty() {
        let of = readers.iter().map(|(of, _)| *of).collect();
        let deprecated = readers.iter().any(|(_, deprecated)| *deprecated);
        return if deprecated { KeyStatus::Deprecated { of } } else { KeyStatus::Fallback { of } };
    }
    if let Some(prefix) = family(key) {
        return KeyStatus::Family { prefix };
    }
    let has = |v: &FlinkVersion| is_primary(*v, key) || !self::readers(*v, key).is_empty();
    let versions: Vec<FlinkVersion> = FlinkVersion::ALL.into_iter().filter(has).collect();
    if versions.is_empty() {
        KeyStatus::Unknown { did_you_mean: nearest(version, key) }
    } else {
        KeyStatus::OtherVersion { versions }
    }
}

/// Whether a version reads this key, under any of its names or as one of a family.
pub fn is_key(version: FlinkVersion, key: &str) -> bool {
    is_primary(version, key) || !readers(version, key).is_empty() || family(key).is_some()
}

/// The newer keys of the options that still read this key as a deprecated one.
pub fn replaced_by(version: FlinkVersion, key: &str) -> Vec<&'static str> {
    let newer = readers(version, key).into_iter().filter(|(of, old)| *old && *of != key);
    newer.map(|(of, _)| of).collect()
}

/// The name that an option of other versions has in this one: an older key that is the first here,
/// or a newer one that took its place.
pub fn name_in(version: FlinkVersion, key: &str) -> Option<&'static str> {
    let older = table().options.get(key).into_iter().flatten().flat_map(Row::fallbacks);
    let newer = table().readers.get(key).into_iter().flatten().map(|reader| reader.of);
    older.map(|older| older.key).chain(newer).find(|name| is_primary(version, name))
}

/// Whether the first part of a key is one that Flink's own options start with.
pub fn in_flink_namespace(key: &str) -> bool {
    // File systems take their options from the Hadoop or cloud library below.
    const SHARED: [&str; 1] = ["fs"];
    let first = first_part(key);
    if SHARED.contains(&first) {
        return false;
    }
    let start = format!("{first}.");
    let next = table().options.range(start.as_str()..).next();
    next.is_some_and(|(key, _)| key.starts_with(&start))
}

/// Families of keys that Flink passes on to something else, or reads by a name the user chooses.
const FAMILIES: [&str; 20] = [
    "containerized.master.env.",
    "containerized.taskmanager.env.",
    "env.java.opts.",
    "events.reporter.",
    "external-resource.",
    "flink.hadoop.",
    "flink.yarn.",
    "fs.",
    "job-event.store.",
    "kubernetes.hadoop.conf.",
    "metrics.reporter.",
    "python.",
    "s3.",
    "security.delegation.token.provider.",
    "security.kerberos.token.provider.",
    "sql-client.",
    "sql-gateway.",
    "table.",
    "traces.reporter.",
    "yarn.containers.",
];

/// Maps are one option whose entries may be written as keys of their own.
fn family(key: &str) -> Option<&'static str> {
    let named =
        FAMILIES.into_iter().find(|prefix| key.len() > prefix.len() && key.starts_with(prefix));
    named.or_else(|| {
        let ends = key.match_indices('.').map(|(at, _)| &key[..at]);
        let parents = ends.filter_map(|parent| table().options.get_key_value(parent));
        parents.filter(|(_, rows)| rows[0].kind.starts_with("map")).map(|(key, _)| *key).next()
    })
}

fn first_part(key: &str) -> &str {
    key.split_once('.').map_or(key, |(first, _)| first)
}

fn strip_mark<'a>(text: &'a str, mark: &str) -> (&'a str, bool) {
    text.strip_suffix(mark).map_or((text, false), |rest| (rest, true))
}

fn is_primary(version: FlinkVersion, key: &str) -> bool {
    let rows = table().options.get(key);
    rows.is_some_and(|rows| rows.iter().any(|row| row.versions & bit(version) != 0))
}

/// The options that read a key after their first one, with whether it is deprecated there.
fn readers(version: FlinkVersion, key: &str) -> Vec<(&'static str, bool)> {
    let readers = table().readers.get(key).map_or(&[][..], Vec::as_slice);
    let of_version = readers.iter().filter(|reader| reader.versions & bit(version) != 0);
    of_version.map(|reader| (reader.of, reader.deprecated)).collect()
}

/// The key of the version that differs least, when little enough.
fn nearest(version: FlinkVersion, key: &str) -> Option<&'static str> {
    /// Names from RocksDB itself that people carry over.
    const HABITS: [(&str, &str); 1] = [(
        "state.backend.rocksdb.max-write-buffer-number",
        "state.backend.rocksdb.writebuffer.count",
    )];
    if let Some((_, right)) = HABITS.iter().find(|(wrong, _)| *wrong == key) {
        return Some(right);
    }
    let options = table()
        .options
        .iter()
        .map(|(key, rows)| (*key, rows.iter().fold(0, |m, r| m | r.versions)));
    let older = table()
        .readers
        .iter()
        .map(|(key, readers)| (*key, readers.iter().fold(0, |m, r| m | r.versions)));
    let known = options.chain(older).filter(|(_, versions)| versions & bit(version) != 0);
    distance::nearest(key, known.map(|(key, _)| key))
}

const fn bit(version: FlinkVersion) -> u8 {
    match version {
        FlinkVersion::V1_18 => 1,
        FlinkVersion::V1_20 => 2,
        FlinkVersion::V2_2 => 4,
    }
}

struct Table {
    options: BTreeMap<&'static str, Vec<Row>>,
    readers: BTreeMap<&'static str, Vec<Reader>>,
}

struct Row {
    versions: u8,
    kind: &'static str,
    default: &'static str,
    older: &'static str,
}

struct Reader {
    versions: u8,
    of: &'static str,
    deprecated: bool,
}

impl Row {
    fn fallbacks(&self) -> impl Iterator<Item = Fallback> + use<> {
        let keys = self.older.split(',').filter(|key| !key.is_empty());
        keys.map(|key| match key.strip_prefix('+') {
            Some(key) => Fallback { key, deprecated: false },
            None => Fallback { key, deprecated: true },
        })
    }
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut options: BTreeMap<&'static str, Vec<Row>> = BTreeMap::new();
        let mut readers: BTreeMap<&'static str, Vec<Reader>> = BTreeMap::new();
        let mut current = "";
        for line in include_str!("options.tsv").lines() {
            let mut cells = line.split('\t');
            let mut cell = || cells.next().unwrap_or_default();
            let key = cell();
            current = if key.is_empty() { current } else { key };
            let versions = cell().parse().unwrap_or(0);
            let row = Row { versions, kind: cell(), default: cell(), older: cell() };
            for Fallback { key, deprecated } in row.fallbacks() {
                let reader = Reader { versions, of: current, deprecated };
                readers.entry(key).or_default().push(reader);
            }
            options.entry(current).or_default().push(row);
        }
        Table { options, readers }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_knows_its_type_default_and_older_keys() {
        let option = lookup(FlinkVersion::V1_20, "taskmanager.memory.managed.size").unwrap();
        assert_eq!((option.kind, option.default), ("size", None));
        assert_eq!(
            option.fallbacks,
            [Fallback { key: "taskmanager.memory.size", deprecated: true }]
        );
        let option = lookup(FlinkVersion::V2_2, "taskmanager.numberOfTaskSlots").unwrap();
        assert_eq!((option.kind, option.default), ("int", Some("1")));
        assert_eq!(lookup(FlinkVersion::V2_2, "taskmanager.heap.size"), None);
    }

    #[test]
    fn a_key_has_a_status_in_each_version() {
        let v = FlinkVersion::V2_2;
        let check = |key: &str, want: &str| assert_eq!(format!("{:?}", status(v, key)), want);
        check("taskmanager.memory.process.size", "Primary");
        check(
            "taskmanager.memory.size",
            r#"Deprecated { of: ["taskmanager.memory.managed.size"] }"#,
        );
        check("taskmanager.heap.size", "OtherVersion { versions: [V1_18, V1_20] }");
        check("fs.s3a.endpoint", r#"Family { prefix: "fs." }"#);
        check("env.java.opts.mine", r#"Family { prefix: "env.java.opts." }"#);
        check(
            "taskmanager.memory.managed.consumer-weights.OPERATOR",
            r#"Family { prefix: "taskmanager.memory.managed.consumer-weights" }"#,
        );
        check("my.own.key", "Unknown { did_you_mean: None }");
        check(
            "taskmanager.memory.proces.size",
            r#"Unknown { did_you_mean: Some("taskmanager.memory.process.size") }"#,
        );
        check(
            "taskmanager.numberoftaskslots",
            r#"Unknown { did_you_mean: Some("taskmanager.numberOfTaskSlots") }"#,
        );
        check(
            "state.backend.rocksdb.write-buffer-size",
            r#"Unknown { did_you_mean: Some("state.backend.rocksdb.writebuffer.size") }"#,
        );
    }

    #[test]
    fn namespaces_are_those_of_the_options() {
        assert!(in_flink_namespace("taskmanager.x"));
        assert!(!in_flink_namespace("fs.s3a.endpoint"));
        assert!(!in_flink_namespace("my.key"));
        assert!(!in_flink_namespace("tasks"));
    }
}
