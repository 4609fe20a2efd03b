//! What does the pool of network buffers answer to requests, one after the other?
//!
//! Only the required buffers are reserved; what is left over is shared out among the pools. A
//! request fails when what is required already and what it requires exceed the total.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `NetworkBufferPool#createBufferPool`,
//! `#requestUnpooledMemorySegments`, `#redistributeBuffers`.
//!
//! # Deviations
//! Flink shares out in the order of a hash set, so which of several pools gets the odd buffer is
//! not fixed there; here it is the order of creation.

use serde::{Deserialize, Serialize};

use crate::memory::options::tm;
use crate::units::Bytes;

/// One request to the pool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum PoolRequest {
    /// A pool of a gate or of a partition.
    Pool {
        /// Buffers it requires.
        required: i64,
        /// The most it takes; `None` has no limit.
        max: Option<i64>,
    },
    /// Exclusive buffers of channels.
    Unpooled {
        /// How many.
        count: i64,
    },
}

/// What the pool answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PoolAnswer {
    /// The size the new pool starts with, or the buffers handed out.
    pub granted: Option<i64>,
    /// Flink's message when there are too few.
    pub error: Option<String>,
}

/// The pool of a TaskManager.
#[derive(Debug, Clone)]
pub struct BufferPool {
    total: i64,
    segment: Bytes,
    required: i64,
    pools: Vec<(i64, i64)>,
}

impl BufferPool {
    /// An untouched pool.
    pub fn new(total: i64, segment: Bytes) -> Self {
        Self { total, segment, required: 0, pools: Vec::new() }
    }

    /// Answers one request.
    pub fn ask(&mut self, request: &PoolRequest) -> PoolAnswer {
        let wanted = match request {
            PoolRequest::Pool { required, .. } => *required,
            PoolRequest::Unpooled { count } => *count,
        }
        .max(0);
        if wanted > self.total - self.required {
            let error = insufficient(wanted, self.total - self.required, self.total, self.segment);
            return PoolAnswer { granted: None, error: Some(error) };
        }
        self.required += wanted;
        let granted = match request {
            PoolRequest::Unpooled { .. } => wanted,
            PoolRequest::Pool { max, .. } => {
                self.pools.push((wanted, max.map_or(i64::from(i32::MAX), |max| max.max(wanted))));
                self.size_of_last()
            }
        };
        PoolAnswer { granted: Some(granted), error: None }
    }

    /// The size of the newest pool after what is left over was shared out.
    fn size_of_last(&self) -> i64 {
        let spare = self.total - self.required;
        let room = |(required, max): &(i64, i64)| spare.min(max - required);
        let capacity: i64 = self.pools.iter().map(room).sum();
        let share = spare.min(capacity);
        let (mut parts, mut given, mut size) = (0, 0, 0);
        for pool in &self.pools {
            parts += room(pool);
            let so_far = i128::from(share) * i128::from(parts) / i128::from(capacity.max(1));
            // At most `share`, which is a number of buffers.
            let mine = so_far as i64 - given;
            given += mine;
            size = pool.0 + mine;
        }
        size
    }
}

/// Flink's refusal, word for word.
pub fn insufficient(required: i64, available: i64, total: i64, segment: Bytes) -> String {
    format!(
        "Insufficient number of network buffers: required {required}, but only {available} available. The total number of network buffers is currently set to {total} of {} bytes each. You can increase this number by setting the configuration keys '{}', '{}', and '{}'.",
        segment.get(),
        tm::NETWORK_FRACTION.key,
        tm::NETWORK_MIN.key,
        tm::NETWORK_MAX.key
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_over_is_shared_out() {
        // Recorded: of ten buffers, two pools of 5 to 10 start as 10 and 5.
        let mut pool = BufferPool::new(10, Bytes::kib(32));
        let request = PoolRequest::Pool { required: 5, max: Some(10) };
        assert_eq!(pool.ask(&request).granted, Some(10));
        assert_eq!(pool.ask(&request).granted, Some(5));
        assert!(pool.ask(&PoolRequest::Unpooled { count: 1 }).error.is_some());
    }
}
