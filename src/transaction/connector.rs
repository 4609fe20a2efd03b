//! Which Kafka connector goes with a Flink version, and what it can do.
//!
//! Source: docs/data/flink_connectors.yml of apache/flink-web, which is Flink's page of downloads
//! (3.3.0: Flink 1.19 and 1.20; 3.4.0: 1.20; 4.0.0: 2.0), its PR 849 and the page it makes (5.0.0:
//! 2.1 and 2.2), and the artifacts of releases that the page no longer lists (3.2.0-1.18 and
//! 3.2.0-1.19); flink-connector-kafka PR 156 (a prefix is required, first in 4.0.0), PR 154
//! (`TransactionNamingStrategy`, first in 4.0.0), PR 314 and 321 (not in any release).

use serde::{Deserialize, Serialize};

use crate::units::FlinkVersion;

/// A release line of flink-connector-kafka.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is the release line of its name")]
pub enum Connector {
    #[serde(rename = "3.2")]
    V3_2,
    #[serde(rename = "3.3")]
    V3_3,
    #[serde(rename = "3.4")]
    V3_4,
    #[serde(rename = "4.0")]
    V4_0,
    #[serde(rename = "5.0")]
    V5_0,
}

impl Connector {
    /// All release lines, oldest first.
    pub const ALL: [Self; 5] = [Self::V3_2, Self::V3_3, Self::V3_4, Self::V4_0, Self::V5_0];

    /// The release line, as in `3.4`.
    pub const fn line(self) -> &'static str {
        match self {
            Self::V3_2 => "3.2",
            Self::V3_3 => "3.3",
            Self::V3_4 => "3.4",
            Self::V4_0 => "4.0",
            Self::V5_0 => "5.0",
        }
    }

    /// The one that goes with a Flink version.
    pub const fn of(flink: FlinkVersion) -> Self {
        match flink {
            FlinkVersion::V1_18 => Self::V3_2,
            FlinkVersion::V1_20 => Self::V3_4,
            FlinkVersion::V2_2 => Self::V5_0,
        }
    }

    /// The Flink versions it is released for.
    pub const fn flinks(self) -> &'static [&'static str] {
        match self {
            Self::V3_2 => &["1.18", "1.19"],
            Self::V3_3 => &["1.19", "1.20"],
            Self::V3_4 => &["1.20"],
            Self::V4_0 => &["2.0"],
            Self::V5_0 => &["2.1", "2.2"],
        }
    }

    /// Whether transactional ids can be pooled (`TransactionNamingStrategy`).
    pub fn has_pooling(self) -> bool {
        self >= Self::V4_0
    }

    /// Whether an exactly-once sink without a prefix is refused (FLINK-37380).
    pub fn requires_prefix(self) -> bool {
        self >= Self::V4_0
    }

    /// Whether it still has `FlinkKafkaProducer`.
    pub fn has_legacy_sink(self) -> bool {
        self < Self::V4_0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flink_version_has_a_connector_that_is_released_for_it() {
        for flink in FlinkVersion::ALL {
            assert!(Connector::of(flink).flinks().contains(&flink.line()), "{flink:?}");
        }
    }

    #[test]
    fn pooling_and_required_prefixes_came_with_4_0() {
        let with: Vec<_> = Connector::ALL.into_iter().filter(|it| it.has_pooling()).collect();
        assert_eq!(with, [Connector::V4_0, Connector::V5_0]);
        assert!(Connector::of(FlinkVersion::V1_20).has_legacy_sink());
        assert!(!Connector::of(FlinkVersion::V2_2).has_legacy_sink());
        for it in Connector::ALL {
            assert_eq!(serde_json::to_value(it).unwrap(), it.line());
        }
    }
}
