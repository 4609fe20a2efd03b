//! Which stream do a rate, keys, delays and mishaps make?
//!
//! A [`Generator`] yields records in order of arrival, in batches of any size, and holds only those
//! in flight. The same params give the same stream on every machine and for every size of batch; a
//! clone goes on where its original stands.
//!
//! Laws of delays: a number `u` is drawn evenly from 0 to 1. Uniform is `u * max`, exponential
//! `-ln(1 - u) * mean`, Pareto `min * (1 - u)^(-1 / alpha)`, and lognormal
//! `median * e^(sigma * z)` with a standard normal `z`. Event times and arrivals are cut to whole
//! milliseconds. Rounding and the functions used are those of [`random`].
//!
//! Source: none of Flink's; its `DataGeneratorSource` knows rates, but no delays.

pub mod params;
pub mod random;
pub mod source;
pub mod zipf;

use serde::Serialize;

use super::error::StreamError;
use super::event::Event;
use crate::finding::{Derivation, Finding, Severity};
use crate::units::grouped;
pub use params::GeneratorParams;
use params::Replay;
use source::Source;

/// A stream, at the place where it was read up to.
#[derive(Debug, Clone)]
pub struct Generator {
    start: i64,
    source: Source,
    replays: std::vec::IntoIter<Replay>,
    next_replay: Option<Replay>,
    /// The source as it was where the next replay begins.
    copy: Option<Source>,
    is_replaying: bool,
    yielded: u64,
    replayed: u64,
}

/// What was generated so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GeneratorReport {
    /// Records yielded: created, sent twice or read again.
    pub events: u64,
    /// Records that producers created.
    pub created: u64,
    /// Second arrivals.
    pub duplicates: u64,
    /// Records read again.
    pub replayed: u64,
    /// Records whose delay was cut to the cap.
    pub capped: u64,
    /// Arrivals that waited for the end of a stall.
    pub stalled: u64,
    /// Records in flight now.
    pub in_flight: u64,
    /// The most records in flight at one time.
    pub most_in_flight: u64,
}

impl Generator {
    /// A stream at its start.
    ///
    /// # Errors
    /// A param outside its range.
    pub fn new(params: &GeneratorParams) -> Result<Self, StreamError> {
        params.check()?;
        let mut replays = params.replays.clone().into_iter();
        Ok(Self {
            start: params.start_ms,
            source: Source::new(params),
            next_replay: replays.next(),
            replays,
            copy: None,
            is_replaying: false,
            yielded: 0,
            replayed: 0,
        })
    }

    /// Adds up to `max` records to `out` and says how many; 0 is the end.
    ///
    /// # Errors
    /// More records in flight than are held; the ones before that were added, none will be after.
    pub fn fill(&mut self, out: &mut Vec<Event>, max: usize) -> Result<usize, StreamError> {
        let before = out.len();
        while out.len() - before < max {
            match self.next_event()? {
                Some(event) => out.push(event),
                None => break,
            }
        }
        Ok(out.len() - before)
    }

    fn next_event(&mut self) -> Result<Option<Event>, StreamError> {
        if let Some(event) = self.replay()? {
            return Ok(Some(event));
        }
        if self.source.next_arrival()?.is_none() {
            return Ok(None);
        }
        self.yielded += 1;
        Ok(self.source.take())
    }

    /// The next record that is read again, if it is time for one.
    fn replay(&mut self) -> Result<Option<Event>, StreamError> {
        while let Some(replay) = self.next_replay {
            let at = self.start + replay.at_ms;
            let next = self.source.next_arrival()?;
            if self.copy.is_none() && next.is_some_and(|it| it >= at - replay.last_ms) {
                self.copy = Some(self.source.clone());
            }
            if !self.is_replaying && next.is_some_and(|it| it < at) {
                return Ok(None);
            }
            self.is_replaying = true;
            if let Some(copy) = &mut self.copy
                && copy.next_arrival()?.is_some_and(|it| it < at)
                && let Some(event) = copy.take()
            {
                self.yielded += 1;
                self.replayed += 1;
                return Ok(Some(Event { arrival: at, ..event }));
            }
            (self.copy, self.is_replaying) = (None, false);
            self.next_replay = self.replays.next();
        }
        Ok(None)
    }

    /// What was generated so far, and what a reader should know of it.
    pub fn report(&self) -> Derivation<GeneratorReport> {
        let counts = self.source.counts;
        let copied = self.copy.as_ref().map_or(0, Source::in_flight);
        let value = GeneratorReport {
            events: self.yielded,
            created: counts.created,
            duplicates: counts.duplicates,
            replayed: self.replayed,
            capped: counts.capped,
            stalled: counts.stalled,
            in_flight: (self.source.in_flight() + copied) as u64,
            most_in_flight: counts.most_in_flight as u64,
        };
        let findings = capped(&value).into_iter().collect();
        Derivation { value, findings }
    }
}

fn capped(report: &GeneratorReport) -> Option<Finding> {
    let count = |number: u64| grouped(i64::try_from(number).unwrap_or(i64::MAX));
    (report.capped > 0).then(|| Finding {
        code: "delays_capped",
        severity: Severity::Note,
        title: format!(
            "{} of {} delays were cut to the cap",
            count(report.capped),
            count(report.created)
        ),
        reason: "The law of delays has no end; the cap is the longest delay of this stream, so a bound as long as the cap is always enough unless a partition stalls, a clock is wrong or records come again.".to_owned(),
        option: None,
        price: Some("A higher cap keeps more records in flight.".to_owned()),
        apply: Vec::new(),
        source: "delayCapMs of the generator".to_owned(),
    })
}
