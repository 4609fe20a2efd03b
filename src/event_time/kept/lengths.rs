//! How many records lie in how many windows, counted as they come and go.
//!
//! Source: none of Flink's; bookkeeping of this engine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Contents by the number of records in them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lengths(BTreeMap<u64, u64>);

impl Lengths {
    /// Contents that had so many records have so many now; none is no contents.
    pub fn change(&mut self, before: usize, after: usize) {
        let before = before as u64;
        if let Some(count) = self.0.get_mut(&before) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&before);
            }
        }
        if after > 0 {
            *self.0.entry(after as u64).or_default() += 1;
        }
    }

    /// Numbers of records, and how many contents have that many.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().map(|(records, contents)| (*records, *contents))
    }
}
