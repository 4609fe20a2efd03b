//! State on its way to the storage: links that are shared, and one asynchronous thread a subtask.
//!
//! Subtasks that upload at once get equal parts of their link. A subtask's asynchronous parts run one
//! after another. What RocksDB uploads is the rule of `state::incremental`: F, F, F, S + F.
//!
//! Source: Flink 1.20.5, AsyncCheckpointRunnable on StreamTask's asyncOperationsThreadPool (core size
//! 0, unbounded queue, so one thread), RocksIncrementalSnapshotStrategy (files count as uploaded once
//! their checkpoint completed), SubtaskCheckpointCoordinatorImpl#notifyCheckpointAborted (streams of a
//! running upload are closed).

use super::job::{Incremental, UploadPer};
use super::simulation::{Event, Simulation};
use super::task::{AsyncJob, Stage};
use super::time::SimTime;

/// Files of RocksDB's level 0 that start a compaction, `level0_file_num_compaction_trigger`.
const COMPACTION_TRIGGER: u64 = 4;

/// What is left of a transfer that counts as nothing [B]; sums of doubles are not exact.
const NOTHING: f64 = 1e-3;

/// A link to the storage.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// Who uploads, and what is left of it [B].
    active: Vec<(usize, f64)>,
    /// Up to when that is worked out.
    since: SimTime,
    /// Changes with every transfer that comes or goes, so that old events are known as such.
    epoch: u64,
}

/// Size and upload of keyed state in one checkpoint [B].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StatePart {
    /// All that the checkpoint refers to.
    pub size: f64,
    /// What was written since the snapshot before.
    pub written: f64,
}

/// What a snapshot of a subtask holds, by how many it took before.
pub fn state_part(incremental: Incremental, whole: f64, changed: f64, before: u64) -> StatePart {
    match incremental {
        Incremental::Full => StatePart { size: whole, written: whole },
        _ if before == 0 => StatePart { size: whole, written: whole },
        Incremental::Delta => StatePart { size: whole, written: changed },
        Incremental::Rocksdb => {
            let place = (before - 1) % COMPACTION_TRIGGER;
            let compacted = if place == 0 && before > 1 { whole } else { 0.0 };
            let size = whole + (place + 1) as f64 * changed;
            StatePart { size, written: compacted + changed }
        }
    }
}

impl Simulation {
    /// The link that a task uploads through.
    fn link_of(&self, task: usize) -> usize {
        match self.job.upload.map(|it| it.per) {
            Some(UploadPer::Slot) => self.tasks[task].slot,
            _ => self.tasks[task].task_manager,
        }
    }

    /// Puts the asynchronous part of a snapshot behind those that wait.
    pub(super) fn enqueue_async(&mut self, task: usize, job: AsyncJob) {
        let ready = job.ready;
        self.tasks[task].async_jobs.push_back(job);
        self.queue.push(ready, Event::Async(task));
    }

    /// The asynchronous thread of a task goes on.
    pub(super) fn run_async(&mut self, task: usize) {
        if self.tasks[task].lost {
            return;
        }
        while let Some(job) = self.tasks[task].async_jobs.front().copied() {
            let next = match job.stage {
                Stage::Queued if job.ready > self.now => return,
                Stage::Queued => Stage::Working(self.now.after(job.span)),
                Stage::Working(end) if end > self.now => return,
                Stage::Working(_) if job.bytes > 0.0 && self.job.upload.is_some() => {
                    Stage::Uploading
                }
                Stage::Working(_) => Stage::Waiting,
                Stage::Uploading => return,
                Stage::Waiting => {
                    let snapshot = self.tasks[task].snapshots.iter().find(|it| it.id == job.id);
                    if snapshot.is_some_and(|it| it.incomplete) {
                        return;
                    }
                    self.tasks[task].async_jobs.pop_front();
                    self.acknowledge(task, job.id);
                    continue;
                }
            };
            if let Some(job) = self.tasks[task].async_jobs.front_mut() {
                job.stage = next;
            }
            match next {
                Stage::Working(end) if end > self.now => self.queue.push(end, Event::Async(task)),
                Stage::Uploading => self.begin_upload(task, job.bytes),
                _ => {}
            }
        }
    }

    /// Adds bytes of overtaken records that are known only now to a snapshot's upload.
    pub(super) fn upload_more(&mut self, task: usize, id: u64, bytes: f64) {
        let link = self.link_of(task);
        let Some(job) = self.tasks[task].async_jobs.iter_mut().find(|it| it.id == id) else {
            return;
        };
        match job.stage {
            Stage::Queued | Stage::Working(_) => job.bytes += bytes,
            Stage::Uploading => {
                self.settle(link);
                if let Some(transfer) = self.links[link].active.iter_mut().find(|it| it.0 == task) {
                    transfer.1 += bytes;
                }
                self.plan_link(link);
            }
            Stage::Waiting if bytes > 0.0 && self.job.upload.is_some() => {
                job.stage = Stage::Uploading;
                self.begin_upload(task, bytes);
            }
            Stage::Waiting => {}
        }
    }

    /// What nobody waits for any more is not uploaded. The given asynchronous part goes on, as it was
    /// measured to do.
    pub(super) fn cancel_async(&mut self, task: usize, id: u64) {
        let Some(job) = self.tasks[task].async_jobs.iter_mut().find(|it| it.id == id) else {
            return;
        };
        job.bytes = 0.0;
        if job.stage == Stage::Uploading {
            job.stage = Stage::Waiting;
            let link = self.link_of(task);
            self.settle(link);
            self.links[link].active.retain(|it| it.0 != task);
            self.plan_link(link);
        }
        self.queue.push(self.now, Event::Async(task));
    }

    fn begin_upload(&mut self, task: usize, bytes: f64) {
        let link = self.link_of(task);
        self.settle(link);
        self.links[link].active.push((task, bytes));
        self.plan_link(link);
    }

    /// Bytes per nanosecond that each of the active transfers gets.
    fn speed(&self, link: usize) -> f64 {
        let rate = self.job.upload.map_or(f64::INFINITY, |it| it.bytes_per_second);
        rate / 1e9 / self.links[link].active.len().max(1) as f64
    }

    fn settle(&mut self, link: usize) {
        let speed = self.speed(link);
        let now = self.now;
        let it = &mut self.links[link];
        let elapsed = now.since(it.since).as_ns() as f64;
        it.active.iter_mut().for_each(|transfer| transfer.1 -= speed * elapsed);
        it.since = now;
    }

    fn plan_link(&mut self, link: usize) {
        let speed = self.speed(link);
        let it = &mut self.links[link];
        it.epoch += 1;
        let least = it.active.iter().map(|transfer| transfer.1).reduce(f64::min);
        let epoch = it.epoch;
        if let Some(least) = least {
            let span = SimTime::from_ns((least.max(0.0) / speed).ceil() as u64);
            self.queue.push(self.now.after(span), Event::Upload(link, epoch));
        }
    }

    /// A transfer of a link may be done.
    pub(super) fn on_upload(&mut self, link: usize, epoch: u64) {
        if self.links[link].epoch != epoch {
            return;
        }
        self.settle(link);
        let done = |it: &&(usize, f64)| it.1 <= NOTHING;
        let tasks: Vec<usize> =
            self.links[link].active.iter().filter(done).map(|it| it.0).collect();
        self.links[link].active.retain(|it| it.1 > NOTHING);
        self.plan_link(link);
        for task in tasks {
            if let Some(job) = self.tasks[task].async_jobs.front_mut() {
                job.stage = Stage::Waiting;
            }
            self.run_async(task);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::job::{UploadLink, UploadPer};
    use super::super::samples;
    use super::super::{Scenario, simulate_scenario};
    use super::*;

    #[test]
    fn rocksdb_uploads_everything_again_in_every_fourth_checkpoint() {
        let parts: Vec<(f64, f64)> = (0..10)
            .map(|before| state_part(Incremental::Rocksdb, 100.0, 1.0, before))
            .map(|it| (it.size, it.written))
            .collect();
        let sizes = [100.0, 101.0, 102.0, 103.0, 104.0, 101.0, 102.0, 103.0, 104.0, 101.0];
        let written = [100.0, 1.0, 1.0, 1.0, 1.0, 101.0, 1.0, 1.0, 1.0, 101.0];
        assert_eq!(parts, std::iter::zip(sizes, written).collect::<Vec<_>>());
    }

    fn uploading(per: UploadPer, change: impl FnOnce(&mut Scenario)) -> Vec<u64> {
        let mut scenario = samples::scenario();
        let source = scenario.vertices[0].source.as_mut().expect("a source");
        source.rate = vec![10.0];
        scenario.vertices[1].parallelism = 2;
        scenario.vertices[1].state.bytes = vec![1e6, 3e6];
        scenario.checkpointing.upload = Some(UploadLink { bytes_per_second: 1e6, per });
        change(&mut scenario);
        let report = simulate_scenario(&scenario).expect("it can be").value;
        let subtasks = report.checkpoints[0].subtasks.iter();
        subtasks.filter(|it| it.vertex == "window").map(|it| (it.async_ms + 50) / 100).collect()
    }

    #[test]
    fn subtasks_of_a_task_manager_share_its_link() {
        use super::super::job::Placement;
        assert_eq!(uploading(UploadPer::Slot, |_| {}), [10, 30]);
        // Both get half until the smaller one is done after 2 s; 2 MB are left then.
        let local = |it: &mut Scenario| it.network.placement = Placement::Local;
        assert_eq!(uploading(UploadPer::TaskManager, local), [20, 40]);
    }
}
