//! What a search along a knob came to, in numbers and words.
//!
//! Source: none of Flink's; the values are those at which runs of the simulation kept a promise or not.

use serde::Serialize;

use super::figures::Breach;
use super::knob::{Knob, Place};
use super::search::Found;
use crate::checkpoint::scenario::Scenario;
use crate::checkpoint::verdict::{number, said};
use crate::units::Bytes;

/// What is known of a knob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// The promise holds now and breaks at another value.
    Breaks,
    /// It is broken now and holds at another value.
    Mends,
    /// It holds in the whole range.
    NeverBreaks,
    /// It is broken in the whole range.
    NeverMends,
    /// The scenario has no such knob, or nothing to judge.
    NotApplicable,
}

/// The limit of a knob.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Margin {
    /// Which.
    pub knob: Knob,
    /// What of the scenario it moves.
    pub what: Option<String>,
    /// Its option, where it is one.
    pub option: Option<&'static str>,
    /// Unit of its values.
    pub unit: &'static str,
    /// What it is now.
    pub current: Option<f64>,
    /// What is known.
    pub outcome: Outcome,
    /// A value at which the promise was seen to hold.
    pub holds_at: Option<f64>,
    /// A value at which it was seen to break.
    pub breaks_at: Option<f64>,
    /// The last value tried where nothing changed.
    pub searched_to: Option<f64>,
    /// The value that ends the margin over the current one.
    pub times: Option<f64>,
    /// What breaks the promise there.
    pub breach: Option<Breach>,
    /// The scenario at that value.
    pub scenario: Option<Scenario>,
    /// Runs that the search took.
    pub runs: u32,
    /// It in words.
    pub says: String,
}

impl Margin {
    /// Of a knob that a scenario does not have.
    pub fn none(knob: Knob, why: &str) -> Self {
        Self {
            knob,
            what: None,
            option: knob.option(),
            unit: knob.unit(),
            current: None,
            outcome: Outcome::NotApplicable,
            holds_at: None,
            breaks_at: None,
            searched_to: None,
            times: None,
            breach: None,
            scenario: None,
            runs: 0,
            says: why.to_owned(),
        }
    }

    /// Of a search that is over. `breach` is what broke the promise last, and `refused` why no value
    /// beyond could be simulated.
    pub fn of(
        place: &Place,
        found: Found,
        held: bool,
        breach: Option<Breach>,
        refused: Option<&str>,
        scenario: &Scenario,
    ) -> Self {
        let knob = place.knob;
        let words = |value: f64| said_value(knob, value);
        let what = &place.what;
        let mut margin = Self::none(knob, "");
        margin.what = Some(what.clone());
        margin.current = Some(place.axis.current);
        let end = match found {
            Found::Between { holds_at, breaks_at } => {
                (margin.holds_at, margin.breaks_at) = (Some(holds_at), Some(breaks_at));
                margin.outcome = if held { Outcome::Breaks } else { Outcome::Mends };
                margin.says = match held {
                    true => format!(
                        "With {what} at {} the promise holds, at {} {}. It is {} now.",
                        words(holds_at),
                        words(breaks_at),
                        breaks(breach),
                        words(place.axis.current)
                    ),
                    false => format!(
                        "The promise is broken now, with {what} at {}. It holds at {} and not yet at {}.",
                        words(place.axis.current),
                        words(holds_at),
                        words(breaks_at)
                    ),
                };
                if held { breaks_at } else { holds_at }
            }
            Found::NotWithin { to } => {
                margin.searched_to = Some(to);
                margin.outcome = if held { Outcome::NeverBreaks } else { Outcome::NeverMends };
                let stays = if held { "holds" } else { "stays broken" };
                let from = words(place.axis.current);
                margin.says = match to.total_cmp(&place.axis.current).is_eq() {
                    true => format!(
                        "With {what} at {from} the promise {stays}; there is no other value."
                    ),
                    false => format!(
                        "The promise {stays} with {what} from {from} to {}, the end of what is tried.",
                        words(to)
                    ),
                };
                to
            }
        };
        if let Some(refused) = refused {
            margin.says += &format!(" Nothing beyond can be simulated: {refused}.");
        }
        margin.times = (place.axis.current > 0.0).then(|| end / place.axis.current);
        margin.breach = breach.filter(|_| margin.breaks_at.is_some());
        margin.scenario = Some(place.set(scenario, end));
        margin
    }
}

fn breaks(breach: Option<Breach>) -> &'static str {
    match breach {
        Some(Breach::Timeout) => "a checkpoint expires",
        _ => "more checkpoints than allowed take longer than the objective",
    }
}

/// A value in the unit a person would say.
pub fn said_value(knob: Knob, value: f64) -> String {
    let bytes = Bytes::new(value.round() as i64);
    match knob {
        Knob::Lag | Knob::Interval => said(value as u64),
        Knob::Skew => format!("{} %", number(value * 100.0)),
        Knob::ServiceTime if value >= 100_000.0 => format!("{} ms", number(value / 1000.0)),
        // The two sides of a limit are closer to each other than a tenth of a millisecond.
        Knob::ServiceTime if value >= 1000.0 => {
            let ms = format!("{:.2}", value / 1000.0);
            format!("{} ms", ms.trim_end_matches('0').trim_end_matches('.'))
        }
        Knob::ServiceTime => format!("{} µs", number(value)),
        Knob::SourceRate => format!("{} records/s", number(value)),
        Knob::StateBytes => bytes.to_string(),
        Knob::UploadBandwidth => format!("{bytes}/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_said_in_the_unit_a_person_would_say() {
        for (knob, value, expected) in [
            (Knob::ServiceTime, 5000.0, "5 ms"),
            (Knob::ServiceTime, 6276.9, "6.28 ms"),
            (Knob::ServiceTime, 500.0, "500 µs"),
            (Knob::ServiceTime, 25.24, "25.2 µs"),
            (Knob::ServiceTime, 250_000.0, "250 ms"),
            (Knob::SourceRate, 82_724.6, "82\u{202f}725 records/s"),
            (Knob::SourceRate, 10.0, "10 records/s"),
            (Knob::Skew, 0.9, "90 %"),
        ] {
            assert_eq!(said_value(knob, value), expected);
        }
    }
}
