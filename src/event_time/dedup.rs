//! Leaving duplicates out by an id, with state that expires.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TtlUtils.expired` for a `ValueState` of a process function
//! keyed by the id, with the defaults of `StateTtlConfig`: only writing renews, and what has expired
//! is not seen. Expired ids are counted as gone at once; when their bytes go is the clean-up's matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The ids that came, with the processing time of their first record [ms].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dedup {
    ttl: i64,
    seen: BTreeMap<String, i64>,
}

impl Dedup {
    /// Nothing came yet.
    pub const fn new(ttl: i64) -> Self {
        Self { ttl, seen: BTreeMap::new() }
    }

    /// Whether the id came before and has not expired; if not it is kept from now on.
    pub fn is_duplicate(&mut self, id: &str, now: i64) -> bool {
        let is_kept = self.seen.get(id).is_some_and(|written| self.is_kept(*written, now));
        if !is_kept {
            self.seen.insert(id.to_owned(), now);
        }
        is_kept
    }

    /// How many ids have not expired.
    pub fn kept(&self, now: i64) -> usize {
        self.seen.values().filter(|written| self.is_kept(**written, now)).count()
    }

    /// The ids that have not expired, with the processing time at which each was written [ms].
    pub fn live(&self, now: i64) -> impl Iterator<Item = (&str, i64)> {
        let kept = self.seen.iter().filter(move |(_, written)| self.is_kept(**written, now));
        kept.map(|(id, written)| (id.as_str(), *written))
    }

    /// What state with this TTL keeps of an id.
    pub const fn ttl(&self) -> i64 {
        self.ttl
    }

    const fn is_kept(&self, written: i64, now: i64) -> bool {
        written.saturating_add(self.ttl) > now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_when_its_ttl_is_over() {
        let mut dedup = Dedup::new(100);
        assert!(!dedup.is_duplicate("a", 0));
        assert!(dedup.is_duplicate("a", 99));
        // Reading does not renew, and at the very end it has expired.
        assert!(!dedup.is_duplicate("a", 100));
        assert!(dedup.is_duplicate("a", 199));
        assert_eq!((dedup.kept(199), dedup.kept(200)), (1, 0));
    }
}
