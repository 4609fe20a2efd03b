//! How queues, time and records went over the run: samples at equal distances, one array a column.
//!
//! The number of samples is bounded: where the length of a run is not known, every second sample is
//! dropped when there are too many.
//!
//! Source: Flink 1.20.5, MetricNames (busyTimeMsPerSecond and its kin, inputQueueLength,
//! outputQueueLength, inPoolUsage); credits are no metric of Flink.

use serde::Serialize;

use super::latency::Histogram;
use super::report::{LatencyReport, Throughput};
use super::simulation::Simulation;
use super::time::SimTime;

/// The most samples of a run, and the fewest for the largest jobs.
const SAMPLES: (usize, usize) = (300, 50);
/// Samples times subtasks are at most this many where that leaves enough.
const CELLS: usize = 60_000;
/// Where the length of the run is unknown, samples begin at this distance.
const FIRST_WIDTH: SimTime = SimTime::from_ms(10);

/// A task at a moment: totals since the start, and levels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sample {
    busy_ns: u64,
    backpressured_ns: u64,
    records_in: u64,
    records_out: u64,
    output_buffers: u32,
    output_bytes: u64,
    input_buffers: u32,
    input_bytes: u64,
    credits: u32,
    behind_ns: u64,
    buffer_bytes: u64,
}

/// Records at both ends, by whether a checkpoint ran.
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    time_ns: u64,
    source: u64,
    sink: u64,
}

impl Ends {
    fn add(&mut self, other: Self) {
        self.time_ns += other.time_ns;
        self.source += other.source;
        self.sink += other.sink;
    }
}

/// What is kept of a run.
#[derive(Debug, Clone)]
pub struct Recorder {
    width: SimTime,
    next: SimTime,
    most: usize,
    times: Vec<SimTime>,
    running: Vec<u32>,
    samples: Vec<Sample>,
    /// The longest latency of timed records since the sample before.
    worst: Vec<Option<SimTime>>,
    /// The same up to the next sample, and behind it.
    open: [Option<SimTime>; 2],
    tasks: usize,
    /// Latency of timed records; the second while a checkpoint ran.
    pub latency: [Histogram; 2],
    /// Records between timed ones.
    pub mark_every: u64,
    ends: [Ends; 2],
    last: (SimTime, u64, u64),
}

impl Recorder {
    /// A recorder for so many tasks; `end` is the end of the run, where it is known.
    pub fn new(tasks: usize, end: Option<SimTime>, mark_every: u64) -> Self {
        let most = (CELLS / tasks.max(1)).clamp(SAMPLES.1, SAMPLES.0);
        let even = |end: SimTime| SimTime::from_ns(end.as_ns().div_ceil(most as u64).max(1));
        let width = end.map_or(FIRST_WIDTH, even);
        Self {
            width,
            next: width,
            most,
            times: Vec::new(),
            running: Vec::new(),
            samples: Vec::new(),
            worst: Vec::new(),
            open: [None; 2],
            tasks,
            latency: [Histogram::default(), Histogram::default()],
            mark_every,
            ends: [Ends::default(); 2],
            last: (SimTime::ZERO, 0, 0),
        }
    }

    /// When the next sample is due.
    pub fn next(&self) -> SimTime {
        self.next
    }

    fn fold(&mut self) {
        let rows = self.times.len();
        let second = |place: &usize| place % 2 == 1;
        self.times = (0..rows).filter(second).map(|it| self.times[it]).collect();
        self.running = (0..rows).filter(second).map(|it| self.running[it]).collect();
        self.worst = self.worst.chunks_exact(2).map(|pair| pair[0].max(pair[1])).collect();
        let rows = (0..rows).filter(second);
        let tasks = self.tasks;
        let kept = rows.flat_map(|row| self.samples[row * tasks..(row + 1) * tasks].to_vec());
        self.samples = kept.collect();
        self.width = self.width.after(self.width);
    }
}

impl Simulation {
    /// Takes the samples that are due before `at`.
    pub(super) fn sample_until(&mut self, at: SimTime) {
        while self.recorder.next() <= at {
            let now = self.recorder.next();
            self.catch_up_all(now);
            self.sample(now);
            if self.recorder.times.len() >= 2 * self.recorder.most {
                self.recorder.fold();
            }
            self.recorder.next = now.after(self.recorder.width);
        }
    }

    fn sample(&mut self, now: SimTime) {
        self.recorder.times.push(now);
        self.recorder.running.push(self.running);
        let [open, later] = self.recorder.open;
        self.recorder.worst.push(open);
        self.recorder.open = [later, None];
        for task in 0..self.tasks.len() {
            let sample = self.sample_of(task, now);
            self.recorder.samples.push(sample);
        }
    }

    fn sample_of(&self, task: usize, now: SimTime) -> Sample {
        let it = &self.tasks[task];
        let (sum, since) = it.backpressured;
        let still = since.map_or(SimTime::ZERO, |at| now.since(at));
        let mut sample = Sample {
            busy_ns: it.busy.as_ns(),
            backpressured_ns: sum.after(still).as_ns(),
            records_in: it.records_in,
            records_out: it.records_out,
            ..Sample::default()
        };
        if it.gates.is_empty() && it.next_due < now {
            sample.behind_ns = now.since(it.next_due).as_ns();
        }
        for (partition, _) in &it.outputs {
            let partition = &self.network.partitions[*partition];
            sample.output_buffers += partition.used;
            let unsent = partition.channels.iter().map(|it| self.network.channels[*it].unsent());
            sample.output_bytes += unsent.sum::<u64>();
        }
        for gate in &it.gates {
            let gate = &self.network.gates[*gate];
            sample.credits += gate.floating_free;
            sample.buffer_bytes = gate.buffer_bytes;
            for channel in &gate.channels {
                let channel = &self.network.channels[*channel];
                let (buffers, bytes) = channel.queued();
                sample.input_buffers += buffers;
                sample.input_bytes += bytes;
                sample.credits += channel.credit();
            }
        }
        sample
    }

    /// What was made and taken since the last change between running and not running.
    fn open_span(&self) -> (usize, Ends) {
        let made = self.tasks.iter().filter(|it| it.gates.is_empty());
        let taken = self.tasks.iter().filter(|it| it.outputs.is_empty());
        let made: u64 = made.map(|it| it.records_in).sum();
        let taken: u64 = taken.map(|it| it.records_in).sum();
        let (since, made_before, taken_before) = self.recorder.last;
        let span = Ends {
            time_ns: self.now.since(since).as_ns(),
            source: made - made_before,
            sink: taken - taken_before,
        };
        (usize::from(self.running > 0), span)
    }

    /// The number of checkpoints in progress changes.
    pub(super) fn set_running(&mut self, running: u32) {
        self.catch_up_all(self.now);
        let (during, span) = self.open_span();
        let it = &mut self.recorder;
        it.ends[during].add(span);
        it.last = (self.now, it.last.1 + span.source, it.last.2 + span.sink);
        self.running = running;
    }

    /// A timed record reached a sink.
    pub(super) fn time_record(&mut self, origin: SimTime, at: SimTime) {
        let during = usize::from(self.running > 0);
        let it = &mut self.recorder;
        let latency = at.since(origin);
        it.latency[during].add(latency);
        let open = &mut it.open[usize::from(at >= it.next)];
        *open = (*open).max(Some(latency));
    }

    pub(super) fn latency(&self) -> LatencyReport {
        let [without, during] = &self.recorder.latency;
        LatencyReport { during: during.percentiles(), without: without.percentiles() }
    }

    pub(super) fn throughput(&self) -> Throughput {
        let (open, span) = self.open_span();
        let mut ends = self.recorder.ends;
        ends[open].add(span);
        let [without, during] = ends;
        let rate =
            |count: u64, it: Ends| (it.time_ns > 0).then(|| count as f64 * 1e9 / it.time_ns as f64);
        Throughput {
            source_during: rate(during.source, during),
            source_without: rate(without.source, without),
            sink_during: rate(during.sink, during),
            sink_without: rate(without.sink, without),
        }
    }
}

/// The samples of one task.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskSeries {
    /// `busyTimeMsPerSecond` since the sample before.
    pub busy: Vec<f64>,
    /// `backPressuredTimeMsPerSecond`.
    pub backpressured: Vec<f64>,
    /// `idleTimeMsPerSecond`.
    pub idle: Vec<f64>,
    /// `numRecordsInPerSecond`.
    pub records_in: Vec<f64>,
    /// `numRecordsOutPerSecond`.
    pub records_out: Vec<f64>,
    /// `outputQueueLength`, buffers of the output's pool in use.
    pub output_buffers: Vec<f64>,
    /// `outputQueueSize` [B].
    pub output_bytes: Vec<f64>,
    /// `inputQueueLength` and the buffer being read.
    pub input_buffers: Vec<f64>,
    /// `inputQueueSize` and what is unread of that buffer [B].
    pub input_bytes: Vec<f64>,
    /// Free buffers of the inputs; not a metric of Flink.
    pub credits: Vec<f64>,
    /// How far a source is behind what it is offered [ms].
    pub behind_ms: Vec<f64>,
    /// `debloatedBufferSize` of an input [B].
    pub buffer_bytes: Vec<f64>,
}

/// The samples of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Series {
    /// When each was taken, from the start of the run [ms].
    pub time_ms: Vec<f64>,
    /// Checkpoints in progress.
    pub running: Vec<f64>,
    /// Records a second made by all sources since the sample before.
    pub source_records: Vec<f64>,
    /// Records a second taken by all sinks.
    pub sink_records: Vec<f64>,
    /// The longest time from a source to a sink of the timed records that arrived since the sample
    /// before; absent where none did [ms].
    pub latency_ms: Vec<Option<f64>>,
    /// The tasks, in the order of the report's.
    pub tasks: Vec<TaskSeries>,
}

impl Simulation {
    /// The samples so far.
    pub fn series(&self) -> Series {
        let recorder = &self.recorder;
        let mut series = Series {
            time_ms: recorder.times.iter().map(|it| it.as_ns() as f64 / 1e6).collect(),
            running: recorder.running.iter().map(|it| f64::from(*it)).collect(),
            source_records: vec![0.0; recorder.times.len()],
            sink_records: vec![0.0; recorder.times.len()],
            latency_ms: recorder
                .worst
                .iter()
                .map(|it| it.map(|it| it.as_ns() as f64 / 1e6))
                .collect(),
            tasks: Vec::new(),
        };
        for task in 0..recorder.tasks {
            let it = self.series_of(task);
            if self.tasks[task].gates.is_empty() {
                add(&mut series.source_records, &it.records_in);
            }
            if self.tasks[task].outputs.is_empty() {
                add(&mut series.sink_records, &it.records_in);
            }
            series.tasks.push(it);
        }
        series
    }

    fn series_of(&self, task: usize) -> TaskSeries {
        let recorder = &self.recorder;
        let mut series = TaskSeries::default();
        let (mut before, mut since) = (Sample::default(), SimTime::ZERO);
        for (row, at) in recorder.times.iter().enumerate() {
            let it = recorder.samples[row * recorder.tasks + task];
            let seconds = at.since(since).as_ns().max(1) as f64 / 1e9;
            // A record's time is counted when it is taken, so a sample may hold more than its span.
            let share = |now: u64, before: u64, most: f64| {
                (now.saturating_sub(before) as f64 / 1e6 / seconds).min(most)
            };
            let backpressured = share(it.backpressured_ns, before.backpressured_ns, 1000.0);
            let busy = share(it.busy_ns, before.busy_ns, 1000.0 - backpressured);
            series.backpressured.push(backpressured);
            series.busy.push(busy);
            series.idle.push(1000.0 - busy - backpressured);
            let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
            series.records_in.push(rate(it.records_in, before.records_in));
            series.records_out.push(rate(it.records_out, before.records_out));
            series.output_buffers.push(it.output_buffers.into());
            series.output_bytes.push(it.output_bytes as f64);
            series.input_buffers.push(it.input_buffers.into());
            series.input_bytes.push(it.input_bytes as f64);
            series.credits.push(it.credits.into());
            series.behind_ms.push(it.behind_ns as f64 / 1e6);
            series.buffer_bytes.push(it.buffer_bytes as f64);
            (before, since) = (it, *at);
        }
        series
    }
}

fn add(sum: &mut [f64], values: &[f64]) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}
