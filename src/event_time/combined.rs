//! The minimum over parts that may be idle: splits of a source, inputs of an operator.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1: `CombinedWatermarkStatus`, `WatermarkOutputMultiplexer` and
//! `IndexedCombinedWatermarkStatus`. They differ in one thing: when all parts go idle, 2.2 first
//! advances to the maximum over all of them.

use serde::{Deserialize, Serialize};

use super::time::EventTime;
use crate::units::FlinkVersion;

/// One part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its name or number.
    pub id: String,
    /// Its highest watermark.
    pub watermark: EventTime,
    /// Whether it is left out.
    pub is_idle: bool,
}

/// `CombinedWatermarkStatus`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Combined {
    flushes_when_idle: bool,
    parts: Vec<Part>,
    combined: EventTime,
    is_idle: bool,
}

impl Combined {
    /// No parts yet.
    pub fn new(version: FlinkVersion) -> Self {
        Self {
            flushes_when_idle: version >= FlinkVersion::V2_2,
            parts: Vec::new(),
            combined: EventTime::MIN,
            is_idle: false,
        }
    }

    /// With `count` parts named by their number.
    pub fn with_parts(version: FlinkVersion, count: usize) -> Self {
        let mut combined = Self::new(version);
        for id in 0..count {
            combined.add(id.to_string());
        }
        combined
    }

    /// The combined watermark.
    pub const fn watermark(&self) -> EventTime {
        self.combined
    }

    /// Whether all parts were idle at the last update.
    pub const fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// The parts, in the order in which they came.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Adds a part, which holds everything back until it has a watermark; false where it is known.
    pub fn add(&mut self, id: String) -> bool {
        let is_new = self.find(&id).is_none();
        if is_new {
            self.parts.push(Part { id, watermark: EventTime::MIN, is_idle: false });
        }
        is_new
    }

    /// Removes a part; it has effect at the next update.
    pub fn remove(&mut self, id: &str) {
        self.parts.retain(|part| part.id != id);
    }

    /// The place of a part.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.parts.iter().position(|part| part.id == id)
    }

    /// `PartialWatermark.setWatermark`: any watermark wakes the part; true if it advanced.
    pub fn set_watermark(&mut self, at: usize, watermark: EventTime) -> bool {
        let Some(part) = self.parts.get_mut(at) else { return false };
        part.is_idle = false;
        let is_higher = watermark > part.watermark;
        if is_higher {
            part.watermark = watermark;
        }
        is_higher
    }

    /// `PartialWatermark.setIdle`.
    pub fn set_idle(&mut self, at: usize, is_idle: bool) {
        if let Some(part) = self.parts.get_mut(at) {
            part.is_idle = is_idle;
        }
    }

    /// `updateCombinedWatermark`: true if it advanced.
    pub fn update(&mut self) -> bool {
        let Some(all_max) = self.parts.iter().map(|part| part.watermark).max() else {
            return false;
        };
        let active = self.parts.iter().filter(|part| !part.is_idle);
        let min = active.map(|part| part.watermark).min();
        self.is_idle = min.is_none();
        let next = min.or(self.flushes_when_idle.then_some(all_max));
        match next {
            Some(next) if next > self.combined => {
                self.combined = next;
                true
            }
            _ => false,
        }
    }
}
