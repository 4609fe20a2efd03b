//! Records that nobody sees, in one step: those of a source that open no buffer and fill none, and those
//! that a sink reads out of the buffer at hand.
//!
//! A step gives what the same number of single records would, to the last field; where it cannot be sure of
//! that it does nothing, and the records are taken one by one.
//!
//! Source: none of Flink's; the rules for each record are those of `simulation.rs`.

use super::random::Service;
use super::simulation::Simulation;
use super::time::SimTime;

/// How many moments from `first` on, each `spacing` after the one before, come before another: all that
/// are not after it where `inclusive`.
fn count_until(first: SimTime, spacing: SimTime, moment: SimTime, inclusive: bool) -> u64 {
    let spacing = spacing.as_ns().max(1);
    match (first <= moment, inclusive) {
        (true, true) => moment.since(first).as_ns() / spacing + 1,
        (true, false) => moment.since(first).as_ns().div_ceil(spacing),
        (false, _) => 0,
    }
}

impl Simulation {
    /// Lets a source emit what is due by a moment, as far as it is sure that nobody sees it.
    pub(super) fn emit_quietly(&mut self, task: usize, moment: SimTime, inclusive: bool) {
        let it = &self.tasks[task];
        let Some(source) = &self.job.vertices[it.vertex].source else { return };
        let [(partition, _)] = it.outputs[..] else { return };
        let regular = source.bursts.is_none()
            && source.max_rate.is_none()
            && source.burst <= 1
            && it.next_due >= it.busy_until;
        if !regular || it.mark.is_some() || !self.network.available(partition) {
            return;
        }
        let (comes, spacing) = source.due(it.index, it.next_due);
        if !comes || spacing == SimTime::ZERO {
            return;
        }
        // The next one that is timed is emitted by itself.
        let unmarked = self.recorder.mark_every.saturating_sub(it.unmarked).saturating_sub(1);
        let count = count_until(it.next_due, spacing, moment, inclusive).min(unmarked);
        if count < 2 {
            return;
        }
        let Some(count) = self.unseen(task, partition, count) else { return };
        let channels = self.network.partitions[partition].channels.len();
        for (place, records) in self.tasks[task].turns[0].shares(count, channels) {
            let channel = self.network.partitions[partition].channels[place];
            self.network.write_quietly(channel, records);
        }
        let it = &mut self.tasks[task];
        let written = match it.turns[0].skip(count) {
            true => count,
            false => count * channels as u64,
        };
        it.records_out += written;
        it.records_in += count;
        it.offset += count;
        it.unmarked += count;
        it.carry = 0.0;
        it.busy_until = it.next_due.after(spacing.times(count - 1));
        it.next_due = it.next_due.after(spacing.times(count));
    }

    /// How many of the next records an output takes without opening a buffer or filling one; none where
    /// that is not sure of two.
    fn unseen(&self, task: usize, partition: usize, count: u64) -> Option<u64> {
        let turns = &self.tasks[task].turns[0];
        let channels = &self.network.partitions[partition].channels;
        if !turns.are_even() {
            return None;
        }
        let mut shares = turns.shares(count, channels.len());
        // Mostly all fit; how many do is only worked out where they do not.
        if shares.all(|(place, records)| self.network.channels[channels[place]].fits(records)) {
            return Some(count);
        }
        let open = |place: usize| {
            let it = &self.network.channels[channels[place]];
            // One without an open buffer may take any buffer of the pool.
            if it.room() == 0 { 1 } else { it.records_to_fill() }
        };
        Some(count.min(turns.before_even(channels.len(), open))).filter(|count| *count >= 2)
    }

    /// Lets a sink read records of the buffer at hand until a moment. One is in service before and after.
    pub(super) fn read_quietly(&mut self, task: usize, moment: SimTime, inclusive: bool) {
        let it = &self.tasks[task];
        let Service::Constant(service) = it.service else { return };
        if it.batch_left < 2
            || !it.outputs.is_empty()
            || it.mark.is_some()
            || !it.mails.is_empty()
            || self.has_priority(task)
        {
            return;
        }
        let Some(channel) = self.network.gates[it.gates[0]].reading else { return };
        if service == SimTime::ZERO {
            return;
        }
        let until = count_until(it.busy_until, service, moment, inclusive);
        let untimed = self.network.channels[channel].records_before_mark();
        let count = until.min(it.batch_left).min(untimed);
        if count < 2 || !self.network.take_many(channel, count) {
            return;
        }
        let it = &mut self.tasks[task];
        it.batch_left -= count;
        it.records_in += count;
        it.busy = it.busy.after(service.times(count));
        it.busy_until = it.busy_until.after(service.times(count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_counted_as_a_loop_counts_them() {
        for (first, spacing, moment) in [(5, 3, 4), (5, 3, 5), (5, 3, 8), (5, 3, 9), (0, 1, 7)] {
            for inclusive in [false, true] {
                let is_over = |at: u64| if inclusive { at > moment } else { at >= moment };
                let looped = (0..).map(|it| first + it * spacing).take_while(|at| !is_over(*at));
                let times = [first, spacing, moment].map(SimTime::from_ns);
                let counted = count_until(times[0], times[1], times[2], inclusive);
                assert_eq!(
                    counted,
                    looped.count() as u64,
                    "{first} {spacing} {moment} {inclusive}"
                );
            }
        }
    }
}
