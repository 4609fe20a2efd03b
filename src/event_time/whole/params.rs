//! What a whole stream is asked: where it comes from, and the operator that it goes through.
//!
//! Source: none of Flink's; windows and watermarks are those of the other questions.

use serde::{Deserialize, Serialize};

use crate::event_time::operator::WindowParams;
use crate::event_time::params::WatermarkParams;
use crate::event_time::window::Assigner;
use crate::stream::disorder::{DisorderParams, WatermarkPlace, Window};
use crate::stream::{GeneratorParams, ReaderParams};

/// A stream and the operator that it goes through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WholeParams {
    /// Where it comes from.
    pub source: StreamSource,
    /// The windows.
    pub windows: WindowParams,
    /// How watermarks come about.
    pub watermarks: WatermarkParams,
    /// Whether a bounded source ends it with the watermark `Long.MAX_VALUE`.
    pub end_of_input: bool,
}

/// Where a stream comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum StreamSource {
    /// From a seed.
    Generated {
        /// How.
        generator: Box<GeneratorParams>,
    },
    /// From a file, whose bytes are pushed.
    File {
        /// How it is read.
        reader: ReaderParams,
    },
}

impl WholeParams {
    /// What is measured on the way: one generator of watermarks, as the operator has.
    pub(super) fn disorder(&self) -> DisorderParams {
        let window = match self.windows.assigner {
            Assigner::Tumbling { size, offset } => {
                Some(Window::Tumbling { size_ms: size, offset_ms: offset })
            }
            Assigner::Sliding { size, slide, offset } => {
                Some(Window::Sliding { size_ms: size, slide_ms: slide, offset_ms: offset })
            }
            Assigner::Session { gap } => Some(Window::Session { gap_ms: gap }),
            _ => None,
        };
        DisorderParams {
            watermarks: WatermarkPlace::Operator,
            window,
            allowed_lateness_ms: self.windows.allowed_lateness.get(),
            bound_ms: self.watermarks.rule.bound(),
        }
    }
}
