//! A job at one moment of a run: where the barriers are, what each task does, how full its queues
//! are. It is what the log of facts says up to there, with the sample that was taken before it.
//!
//! Source: Flink 1.20.5, LocalBufferPool (a pool gives no more than its limit, and no more than
//! max-buffers-per-channel to each of its subpartitions), BufferManager for a gate's buffers.

use super::facts::{Fact, Facts};
use super::record::Series;
use super::simulation::Simulation;

/// Where a barrier is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierPlace {
    /// Behind the records that were sent before it.
    Queued,
    /// Before the records that it overtook.
    Ahead,
    /// Handled by the receiver.
    Arrived,
}

/// What a task does about a checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TaskPhase {
    /// Nothing: it has no barrier of one that runs.
    #[default]
    Running,
    /// It has some of its barriers.
    Aligning,
    /// It takes or writes its state.
    Snapshotting,
    /// Its part is stored.
    Acknowledged,
    /// It has failed, and was not restarted.
    Failed,
}

/// Buffers in use, and how many there can be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Level {
    /// In use.
    pub used: u32,
    /// At most.
    pub limit: u32,
}

/// A task at the moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskMoment {
    /// What it does about a checkpoint.
    pub phase: TaskPhase,
    /// Which one; 0 for none.
    pub checkpoint: u64,
    /// Barriers of it that it has.
    pub arrived: usize,
    /// Barriers that it needs.
    pub expected: usize,
    /// Busy, idle and backpressured [ms/s] when the last sample was taken.
    pub load: Option<[f64; 3]>,
    /// Buffers of its outputs; none for a sink.
    pub output: Option<Level>,
    /// Buffers of its remote inputs; none where there are none.
    pub input: Option<Level>,
}

/// A channel at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelMoment {
    /// The sending task.
    pub from: usize,
    /// The receiving task.
    pub to: usize,
    /// Whether the receiver reads nothing from it.
    pub is_blocked: bool,
    /// The newest barrier, and where it is.
    pub barrier: Option<(u64, BarrierPlace)>,
    /// Whether it has overtaken records on its way.
    pub overtook: bool,
}

/// The job at the moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moment {
    /// From the start of the run [ms].
    pub time_ms: f64,
    /// The tasks, in the order of the report's.
    pub tasks: Vec<TaskMoment>,
    /// The channels, in the order of the facts'.
    pub channels: Vec<ChannelMoment>,
}

impl Simulation {
    /// The job after the first `count` facts of the log.
    pub fn moment(&self, facts: &Facts, series: &Series, count: usize) -> Moment {
        let mut moment = self.at_rest(facts);
        for row in 0..count.min(facts.kind.len()) {
            moment.time_ms = facts.time_ms[row];
            moment.apply(facts, row);
        }
        self.add_levels(&mut moment, series);
        moment
    }

    fn at_rest(&self, facts: &Facts) -> Moment {
        let ends = facts.channel_from.iter().zip(&facts.channel_to);
        let channel = |(from, to): (&u32, &u32)| ChannelMoment {
            from: *from as usize,
            to: *to as usize,
            is_blocked: false,
            barrier: None,
            overtook: false,
        };
        let channels: Vec<ChannelMoment> = ends.map(channel).collect();
        let mut tasks = vec![TaskMoment::default(); self.tasks.len()];
        for channel in &channels {
            tasks[channel.to].expected += 1;
        }
        Moment { time_ms: 0.0, tasks, channels }
    }

    fn add_levels(&self, moment: &mut Moment, series: &Series) {
        // The sample that was taken last, or the first one where none was yet.
        let row = series.time_ms.partition_point(|time| *time <= moment.time_ms).saturating_sub(1);
        let per_channel = self.job.network.max_per_channel;
        for (place, task) in moment.tasks.iter_mut().enumerate() {
            let of = &self.tasks[place];
            let Some(samples) = series.tasks.get(place) else { continue };
            let at = |column: &[f64]| column.get(row).copied();
            task.load = at(&samples.busy)
                .zip(at(&samples.idle))
                .zip(at(&samples.backpressured))
                .map(|((busy, idle), backpressured)| [busy, idle, backpressured]);
            let pools =
                of.outputs.iter().map(|(partition, _)| &self.network.partitions[*partition]);
            let limit = pools
                .map(|it| it.limit.min(per_channel.saturating_mul(it.channels.len() as u32)))
                .sum();
            let used = |column: &[f64]| at(column).unwrap_or(0.0) as u32;
            if !of.outputs.is_empty() {
                task.output = Some(Level { used: used(&samples.output_buffers), limit });
            }
            let limit = self.gate_buffers(place);
            if limit > 0 {
                task.input = Some(Level { used: used(&samples.input_buffers), limit });
            }
        }
    }

    /// Buffers that remote data of a task's inputs can be in.
    fn gate_buffers(&self, task: usize) -> u32 {
        let network = &self.job.network;
        let buffers = |gate: &usize| {
            let channels = &self.network.gates[*gate].channels;
            let remote = channels.iter().filter(|it| self.network.channels[**it].remote).count();
            if remote == 0 { 0 } else { network.exclusive * remote as u32 + network.floating }
        };
        self.tasks[task].gates.iter().map(buffers).sum()
    }
}

impl Moment {
    fn apply(&mut self, facts: &Facts, row: usize) {
        let id = u64::from(facts.checkpoint[row]);
        let task = usize::try_from(facts.task[row]).ok();
        let channel = usize::try_from(facts.channel[row]).ok();
        let Some(kind) = Fact::from_number(facts.kind[row]) else { return };
        match (kind, task, channel) {
            (Fact::BarrierSent, _, Some(channel)) => {
                self.channels[channel].barrier = Some((id, BarrierPlace::Queued));
                self.channels[channel].overtook = false;
            }
            (Fact::BarrierOvertook | Fact::BarrierConverted, _, Some(channel)) => {
                self.channels[channel].barrier = Some((id, BarrierPlace::Ahead));
                self.channels[channel].overtook = true;
            }
            (Fact::BarrierArrived, _, Some(channel)) => self.arrive(channel, id),
            (Fact::ChannelBlocked, _, Some(channel)) => self.channels[channel].is_blocked = true,
            (Fact::ChannelUnblocked, _, Some(channel)) => self.channels[channel].is_blocked = false,
            (Fact::SwitchedToUnaligned, Some(task), _) => {
                let into = |it: &&mut ChannelMoment| it.to == task;
                for channel in self.channels.iter_mut().filter(into) {
                    channel.overtook |= channel.barrier.is_some_and(|it| it.0 == id);
                }
            }
            (Fact::SnapshotStarted, Some(task), _) => self.turn(task, id, TaskPhase::Snapshotting),
            (Fact::Acknowledged, Some(task), _) => self.turn(task, id, TaskPhase::Acknowledged),
            (Fact::Completed | Fact::Failed, ..) => self.end(id),
            (Fact::SubtaskFailed, Some(task), _) => self.tasks[task].phase = TaskPhase::Failed,
            (Fact::FailureNoticed, ..) => self.reset(true),
            (Fact::Restarted, ..) => self.reset(false),
            _ => {}
        }
    }

    fn arrive(&mut self, channel: usize, id: u64) {
        self.channels[channel].barrier = Some((id, BarrierPlace::Arrived));
        let task = self.channels[channel].to;
        let it = &mut self.tasks[task];
        if it.checkpoint != id {
            it.checkpoint = id;
            it.arrived = 0;
            it.phase = TaskPhase::Aligning;
        }
        it.arrived += 1;
    }

    fn turn(&mut self, task: usize, id: u64, phase: TaskPhase) {
        let it = &mut self.tasks[task];
        // A part of an older checkpoint says nothing about the newer one that the task is in.
        if id >= it.checkpoint {
            if it.checkpoint != id {
                it.arrived = 0;
            }
            it.checkpoint = id;
            it.phase = phase;
        }
    }

    /// Barriers that still wait stay where they are: those of a failed checkpoint do.
    fn end(&mut self, id: u64) {
        let in_it = |it: &&mut TaskMoment| it.checkpoint == id && it.phase != TaskPhase::Failed;
        for task in self.tasks.iter_mut().filter(in_it) {
            task.phase = TaskPhase::Running;
        }
        for channel in &mut self.channels {
            if channel.barrier == Some((id, BarrierPlace::Arrived)) {
                channel.barrier = None;
            }
        }
    }

    /// Nothing runs any more, or all of it again; what failed is shown until then.
    fn reset(&mut self, keeps_failed: bool) {
        for task in &mut self.tasks {
            let phase = match task.phase {
                TaskPhase::Failed if keeps_failed => TaskPhase::Failed,
                _ => TaskPhase::Running,
            };
            *task = TaskMoment { expected: task.expected, phase, ..TaskMoment::default() };
        }
        for channel in &mut self.channels {
            *channel =
                ChannelMoment { is_blocked: false, barrier: None, overtook: false, ..*channel };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scenario::Scenario;
    use super::*;

    /// Two sources at 1000 records/s, one of which blocks for 2 s at each trigger.
    fn run(mode: &str) -> Simulation {
        let text = format!(
            r#"{{"vertices":[
                {{"name":"Source","parallelism":2,"source":{{"rate":[1000.0],"lagMs":[2000,0]}}}},
                {{"name":"Operator","service":[{{"kind":"constant","meanUs":100.0}}]}}],
            "edges":[{{"from":0,"to":1,"exchange":"hash","recordBytes":96}}],
            "checkpointing":{{"mode":"{mode}","firstTriggerMs":5000}},"runMs":10000,"seed":1}}"#
        );
        let scenario: Scenario = serde_json::from_str(&text).expect("the scenario parses");
        let mut simulation = Simulation::new(scenario.job().expect("it can be"));
        while !simulation.advance(u64::MAX).done {}
        simulation
    }

    /// Every moment of a run.
    fn moments(simulation: &Simulation) -> Vec<Moment> {
        let (facts, series) = (simulation.facts(), simulation.series());
        (0..=facts.kind.len()).map(|count| simulation.moment(&facts, &series, count)).collect()
    }

    #[test]
    fn an_early_channel_is_blocked_until_the_late_barrier_comes() {
        let simulation = run("aligned");
        let all = moments(&simulation);
        let blocked: Vec<&Moment> =
            all.iter().filter(|it| it.channels.iter().any(|it| it.is_blocked)).collect();
        assert!(blocked.iter().any(|it| (it.tasks[2].arrived, it.tasks[2].expected) == (1, 2)));
        for moment in blocked {
            assert_eq!(moment.tasks[2].phase, TaskPhase::Aligning, "{moment:?}");
            assert!((5000.0..=7100.0).contains(&moment.time_ms), "{}", moment.time_ms);
        }
        let last = &all[all.len() - 1];
        assert!(last.tasks.iter().all(|it| it.phase == TaskPhase::Running), "{last:?}");
        assert!(last.channels.iter().all(|it| it.barrier.is_none() && !it.is_blocked));
    }

    #[test]
    fn an_unaligned_snapshot_begins_before_the_late_barrier_and_blocks_nothing() {
        let all = moments(&run("unaligned"));
        assert!(all.iter().all(|it| it.channels.iter().all(|it| !it.is_blocked)));
        let early = |it: &&Moment| it.tasks[2].phase == TaskPhase::Snapshotting;
        let first = all.iter().find(early).expect("a snapshot is taken");
        assert!(first.time_ms < 5100.0, "{}", first.time_ms);
    }

    #[test]
    fn levels_never_pass_what_there_is() {
        for moment in moments(&run("aligned")) {
            for it in &moment.tasks {
                let [busy, idle, backpressured] = it.load.expect("a sample was taken");
                assert!((busy + idle + backpressured - 1000.0).abs() < 1e-6);
                assert!(it.output.is_none_or(|it| it.used <= it.limit + 5), "{it:?}");
                assert!(it.input.is_none_or(|it| it.used <= it.limit), "{it:?}");
            }
            assert_eq!(moment.tasks[2].output, None);
            assert_eq!(moment.tasks[2].input.map(|it| it.limit), Some(12));
        }
    }
}
