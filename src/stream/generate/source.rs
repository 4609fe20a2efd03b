//! Records as producers create them, put in order of arrival.
//!
//! A record is created at a time of the true clock. Its event time is that time by the producer's
//! clock; it arrives once its delay has passed and its partition is read. Records that arrive in
//! the same millisecond come in order of creation. Only records in flight are held: a record can
//! leave as soon as none created later can overtake it.
//!
//! Source: none of Flink's. A stalled partition stands for a source split that gets no data, and
//! catches up at once when it does.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::params::{Bursts, Delay, Duplicates, GeneratorParams, Spread, Stall, Values};
use super::random::{Purpose, Random};
use super::zipf::KeyLaw;
use crate::stream::error::StreamError;
use crate::stream::event::Event;

/// The most records in flight; 32 bytes each, so 64 MiB.
pub const MAX_IN_FLIGHT: usize = 1 << 21;

/// Creates records and hands them out in order of arrival.
#[derive(Debug, Clone)]
pub struct Source {
    start: i64,
    left: u64,
    /// When the next record is created, since the start [ms].
    clock: f64,
    number: u32,
    rate_per_ms: f64,
    bursts: Option<Bursts>,
    partitions: u16,
    spread: Spread,
    key_law: KeyLaw,
    delay: Delay,
    delay_cap: f64,
    /// In order of their beginnings.
    stalls: Vec<Stall>,
    /// Of each partition [ms].
    skews: Vec<i64>,
    duplicates: Option<Duplicates>,
    values: Values,
    keys: Random,
    delays: Random,
    draws: Random,
    repeats: Random,
    in_flight: BinaryHeap<Reverse<InFlight>>,
    /// What has happened so far.
    pub counts: Counts,
}

/// What happened to the records created so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Records created.
    pub created: u64,
    /// Second arrivals of records.
    pub duplicates: u64,
    /// Records whose delay was cut to the cap.
    pub capped: u64,
    /// Arrivals that waited for the end of a stall.
    pub stalled: u64,
    /// The most records in flight at one time.
    pub most_in_flight: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct InFlight(Event);

impl Ord for InFlight {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.arrival, self.0.id).cmp(&(other.0.arrival, other.0.id))
    }
}

impl PartialOrd for InFlight {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Source {
    /// A source at its start; the params were checked.
    pub fn new(params: &GeneratorParams) -> Self {
        let mut stalls = params.stalls.clone();
        stalls.sort_by_key(|stall| stall.from_ms);
        let mut skews = vec![0; usize::from(params.partitions)];
        for skew in &params.skews {
            skews[usize::from(skew.partition)] = skew.skew_ms;
        }
        let random = |purpose| Random::new(params.seed, purpose);
        Self {
            start: params.start_ms,
            left: params.events,
            clock: 0.0,
            number: 0,
            rate_per_ms: params.rate_per_second / 1000.0,
            bursts: params.bursts,
            partitions: params.partitions,
            spread: params.spread,
            key_law: KeyLaw::new(params.keys.count, params.keys.zipf_exponent),
            delay: params.delay,
            delay_cap: params.delay_cap_ms as f64,
            stalls,
            skews,
            duplicates: params.duplicates,
            values: params.values,
            keys: random(Purpose::Key),
            delays: random(Purpose::Delay),
            draws: random(Purpose::Value),
            repeats: random(Purpose::Duplicate),
            in_flight: BinaryHeap::new(),
            counts: Counts::default(),
        }
    }

    /// When the next record arrives [ms since the epoch]; `None` at the end.
    ///
    /// # Errors
    /// More than [`MAX_IN_FLIGHT`] records in flight.
    pub fn next_arrival(&mut self) -> Result<Option<i64>, StreamError> {
        loop {
            let first = self.in_flight.peek().map(|Reverse(it)| it.0.arrival);
            // No delay is negative: what is created from now on arrives now or later, and at the
            // same millisecond it has the higher number.
            let settled = first.filter(|arrival| self.left == 0 || *arrival <= self.now());
            if settled.is_some() || self.left == 0 {
                return Ok(settled);
            }
            if self.in_flight.len() + 2 > MAX_IN_FLIGHT {
                let message = format!(
                    "More than {MAX_IN_FLIGHT} records would be in flight at once. Lower the rate, the delays or the length of the stalls."
                );
                return Err(StreamError::too_much("delayCapMs", message));
            }
            self.create();
        }
    }

    /// The next record, once [`Source::next_arrival`] has settled that there is one.
    pub fn take(&mut self) -> Option<Event> {
        self.in_flight.pop().map(|Reverse(it)| it.0)
    }

    /// Records in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    fn now(&self) -> i64 {
        self.start + self.clock as i64
    }

    fn create(&mut self) {
        let key = self.key_law.draw(&mut self.keys);
        let partition = match self.spread {
            Spread::RoundRobin => self.number % u32::from(self.partitions),
            Spread::ByKey => key % u32::from(self.partitions),
        } as u16;
        let delay = self.draw_delay();
        let arrival = self.after_stalls(partition, self.start + (self.clock + delay) as i64);
        let event = Event {
            time: self.now() + self.skews[usize::from(partition)],
            arrival,
            key,
            partition,
            value: self.draw_value(),
            id: self.number,
        };
        self.push(event);
        self.repeat(event);
        self.counts.created += 1;
        self.counts.most_in_flight = self.counts.most_in_flight.max(self.in_flight.len());
        self.left -= 1;
        self.number += 1;
        self.clock += 1.0 / self.rate();
    }

    fn push(&mut self, event: Event) {
        self.in_flight.push(Reverse(InFlight(event)));
    }

    fn repeat(&mut self, event: Event) {
        let Some(duplicates) = self.duplicates else { return };
        if self.repeats.unit() < duplicates.share {
            let later = 1 + self.repeats.below(duplicates.within_ms.unsigned_abs()) as i64;
            let arrival = self.after_stalls(event.partition, event.arrival + later);
            self.push(Event { arrival, ..event });
            self.counts.duplicates += 1;
        }
    }

    /// The rate at the last record decides when the next one comes [records per ms].
    fn rate(&self) -> f64 {
        match self.bursts {
            Some(bursts) if is_burst(&bursts, self.clock as i64) => {
                self.rate_per_ms * bursts.factor
            }
            _ => self.rate_per_ms,
        }
    }

    fn draw_delay(&mut self) -> f64 {
        let random = &mut self.delays;
        let delay = match self.delay {
            Delay::None => return 0.0,
            Delay::Uniform { max_ms } => random.unit() * max_ms,
            Delay::Exponential { mean_ms } => -random.log_unit() * mean_ms,
            Delay::Lognormal { median_ms, sigma } => median_ms * libm::exp(sigma * random.normal()),
            Delay::Pareto { min_ms, alpha } => min_ms * libm::exp(-random.log_unit() / alpha),
        };
        if delay > self.delay_cap {
            self.counts.capped += 1;
            return self.delay_cap;
        }
        delay
    }

    fn after_stalls(&mut self, partition: u16, arrival: i64) -> i64 {
        let mut arrives = arrival;
        for stall in self.stalls.iter().filter(|stall| stall.partition == partition) {
            let from = self.start + stall.from_ms;
            if (from..from + stall.length_ms).contains(&arrives) {
                arrives = from + stall.length_ms;
            }
        }
        self.counts.stalled += u64::from(arrives != arrival);
        arrives
    }

    fn draw_value(&mut self) -> i32 {
        let Values { min, max } = self.values;
        let count = max.abs_diff(min);
        if count == 0 {
            return min;
        }
        min.wrapping_add_unsigned(self.draws.below(u64::from(count) + 1) as u32)
    }
}

fn is_burst(bursts: &Bursts, at: i64) -> bool {
    at >= bursts.every_ms && at % bursts.every_ms < bursts.length_ms
}
