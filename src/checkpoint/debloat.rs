//! Buffers that shrink until what waits is consumed in about a target time.
//!
//! Every period a task works out the throughput of each gate, without the time in which the gate had
//! nothing, and divides what may wait by the buffers that do. Senders use the new size for the next
//! buffer they open; the number of buffers stays.
//!
//! Source: Flink 1.20.5, BufferDebloater#recalculateBufferSize, BufferSizeEMA#calculateBufferSize,
//! ThroughputCalculator, RemoteInputChannel#getBuffersInUseCount (received ones and the backlog that the
//! sender announced), LocalInputChannel#getBuffersInUseCount, StreamTask#debloat;
//! `taskmanager.memory.min-segment-size`.
//!
//! # Deviations
//! A new size reaches the senders at once.

use super::job::Debloat;
use super::network::Network;
use super::simulation::{Event, Simulation};
use super::task::Mail;
use super::time::SimTime;

/// `taskmanager.memory.min-segment-size` [B].
const MIN_SEGMENT_BYTES: f64 = 256.0;

/// What a gate measures and asks for.
#[derive(Debug, Clone, Default)]
pub struct Debloater {
    /// Bytes taken when the period began.
    taken_before: u64,
    /// Time in which there was something to take, in this period.
    measured: SimTime,
    /// Since when there is.
    since: Option<SimTime>,
    /// The last throughput [B/s].
    throughput: u64,
    /// The moving average of the size [B].
    average: f64,
    /// The size that the senders were told [B].
    announced: f64,
}

impl Debloater {
    /// The gate has nothing to take.
    pub fn pause(&mut self, now: SimTime) {
        if let Some(since) = self.since.take() {
            self.measured = self.measured.after(now.since(since));
        }
    }

    /// The gate has something to take.
    pub fn resume(&mut self, now: SimTime) {
        self.since = self.since.or(Some(now));
    }

    /// Ends a period. Gives the new size of buffers, if it is far enough from the one announced.
    pub fn recalculate(
        &mut self,
        settings: Debloat,
        segment: u64,
        (taken, in_use): (u64, u64),
        now: SimTime,
    ) -> Option<u64> {
        let most = segment as f64;
        let least = MIN_SEGMENT_BYTES.min(most);
        if self.average <= 0.0 {
            (self.average, self.announced) = (most, most);
        }
        if let Some(since) = self.since {
            self.measured = self.measured.after(now.since(since));
            self.since = Some(now);
        }
        let bytes = (taken - self.taken_before) * 1000;
        if let Some(throughput) = bytes.checked_div(self.measured.as_ms()) {
            self.throughput = throughput;
        }
        (self.taken_before, self.measured) = (taken, SimTime::ZERO);
        let wanted = (self.throughput * settings.target.as_ms() / 1000) as f64;
        // No more than twice the size, so that it grows no faster than it shrinks.
        let wanted = (wanted / in_use.max(1) as f64).min(2.0 * self.average);
        let alpha = 2.0 / (f64::from(settings.samples) + 1.0);
        self.average = (self.average + alpha * (wanted - self.average)).clamp(least, most);
        let size = self.average.round();
        let near = (self.announced * f64::from(settings.threshold_percentages) / 100.0).floor();
        let inside = size > least && size < most;
        let same = (size - self.announced).abs() < 0.5;
        if same || (inside && (size - self.announced).abs() < near) {
            return None;
        }
        self.announced = size;
        Some(size as u64)
    }
}

impl Network {
    /// Buffers that wait for a gate, at the receiver and announced by senders.
    fn buffers_in_use(&self, gate: usize) -> u64 {
        let exclusive = self.settings.exclusive;
        let channels = self.gates[gate].channels.iter().map(|it| &self.channels[*it]);
        let of = channels.map(|it| match it.remote {
            true => it.incoming.len() as u64 + u64::from(it.required.saturating_sub(exclusive)),
            false => it.outgoing.len() as u64,
        });
        of.sum()
    }
}

impl Simulation {
    /// The first period of every task with inputs begins with the run.
    pub(super) fn schedule_debloating(&mut self) {
        let Some(settings) = self.job.network.debloat else { return };
        for task in 0..self.tasks.len() {
            if !self.tasks[task].gates.is_empty() {
                let at = self.now.after(settings.period);
                self.queue.push(at, Event::Mail(task, Mail::Debloat));
            }
        }
    }

    /// A period of a task ends, and the next begins.
    pub(super) fn debloat(&mut self, task: usize) {
        let Some(settings) = self.job.network.debloat else { return };
        for place in 0..self.tasks[task].gates.len() {
            let gate = self.tasks[task].gates[place];
            for channel in self.network.gates[gate].channels.clone() {
                self.catch_up_sender(channel);
            }
            let in_use = self.network.buffers_in_use(gate);
            let segment = self.network.settings.segment_bytes;
            let it = &mut self.network.gates[gate];
            let seen = (it.taken_bytes, in_use);
            let Some(size) = it.debloater.recalculate(settings, segment, seen, self.now) else {
                continue;
            };
            it.buffer_bytes = size;
            for channel in self.network.gates[gate].channels.clone() {
                let it = &mut self.network.channels[channel];
                it.buffer_bytes = size;
                // A smaller buffer is full earlier.
                let sender = self.network.partitions[it.partition].task;
                self.tasks[sender].replan = true;
                self.plan(sender);
            }
        }
        self.queue.push(self.now.after(settings.period), Event::Mail(task, Mail::Debloat));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{samples, simulate_scenario};
    use super::*;

    const STOCK: Debloat = Debloat {
        target: SimTime::from_ms(1000),
        period: SimTime::from_ms(200),
        samples: 20,
        threshold_percentages: 25,
    };

    /// Sizes after each period, with a constant throughput and constant buffers in use.
    fn sizes(samples: u32, bytes_a_period: u64, in_use: u64, periods: u64) -> Vec<f64> {
        let mut it = Debloater::default();
        it.resume(SimTime::ZERO);
        let settings = Debloat { samples, threshold_percentages: 0, ..STOCK };
        let size = |period: u64| {
            let now = SimTime::from_ms(period * 200);
            it.recalculate(settings, 32_768, (period * bytes_a_period, in_use), now);
            it.average.round()
        };
        (1..=periods).map(size).collect()
    }

    #[test]
    fn it_grows_and_shrinks_with_an_exponential_moving_average() {
        // Without throughput a size goes down by alpha = 2 / 21 each period.
        let down = sizes(20, 0, 1, 5);
        assert_eq!(down, [29647.0, 26824.0, 24269.0, 21958.0, 19867.0]);
        // 100,000 B/s for a second in 10 buffers are 10,000 B each.
        let settled = sizes(20, 20_000, 10, 200);
        assert!((settled[199] - 10_000.0).abs() < 2.0, "{}", settled[199]);
    }

    #[test]
    fn a_small_change_is_not_announced() {
        let mut it = Debloater::default();
        it.resume(SimTime::ZERO);
        let at = |period: u64| SimTime::from_ms(period * 200);
        assert_eq!(it.recalculate(STOCK, 32_768, (0, 1), at(1)), None);
        let told = (2..9).find_map(|period| it.recalculate(STOCK, 32_768, (0, 1), at(period)));
        assert_eq!(told, Some(24_269), "25 % less than a segment");
    }

    #[test]
    fn a_full_queue_takes_about_the_target_time() {
        let mut scenario = samples::scenario();
        scenario.network.buffer_debloat.enabled = true;
        scenario.run_ms = 90_000;
        scenario.checkpointing.first_trigger_ms = Some(60_000);
        let report = simulate_scenario(&scenario).expect("it can be").value;
        let time = report.checkpoints[0].end_to_end_ms;
        assert!((500..2000).contains(&time), "{time} ms instead of 7.9 s");
    }
}
