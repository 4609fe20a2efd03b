//! The books of a run: what each task has made and taken, over all restarts.
//!
//! A restart begins new channels. What counts of the old ones is what the restored checkpoint says of them,
//! so the sums over all of them are those of a run that never failed.

use std::collections::BTreeMap;

use crate::checkpoint::job::{BarrierMode, Exchange};
use crate::checkpoint::report::{ChannelCut, CheckpointStatus};
use crate::checkpoint::simulation::Simulation;

/// Records of each channel before the channels that there are now, as bytes: what its sender had made and
/// what its receiver had taken.
type Bases = Vec<(u64, u64)>;

/// The books, and whether they balance.
#[derive(Debug, Default)]
pub struct Ledger {
    bases: Bases,
    /// For each checkpoint the bases at its trigger, and its cut once it is complete.
    checkpoints: BTreeMap<u64, (Bases, Vec<ChannelCut>)>,
    recoveries: usize,
    /// Channels that were blocked at the last look, with how far they were read.
    blocked: Vec<(usize, u64, usize, u64)>,
    /// Restarts after which something was in flight.
    pub restored_in_flight: usize,
}

impl Ledger {
    /// Looks at a run after each of its events.
    pub fn check(&mut self, run: &Simulation) -> Result<(), String> {
        self.follow(run)?;
        self.not_read_while_blocked(run)?;
        bytes_are_kept(run)?;
        buffers_are_kept(run)?;
        self.tasks_balance(run)
    }

    fn follow(&mut self, run: &Simulation) -> Result<(), String> {
        self.bases.resize(run.network.channels.len(), (0, 0));
        for it in &run.checkpoints {
            if !self.checkpoints.contains_key(&it.id) {
                self.checkpoints.insert(it.id, (self.bases.clone(), Vec::new()));
            }
            let known = self.checkpoints.get_mut(&it.id).expect("it was just put there");
            if it.status == CheckpointStatus::Completed && known.1.is_empty() {
                known.1.clone_from(&it.cut);
                consistent(run, it.id, &it.cut)?;
            }
        }
        if let Some(it) = run.recoveries.get(self.recoveries) {
            self.recoveries += 1;
            let of = it.restored_checkpoint.map(|id| &self.checkpoints[&id]);
            self.bases = match of {
                None => vec![(0, 0); self.bases.len()],
                Some((bases, cut)) => {
                    let after = |(base, cut): (&(u64, u64), &ChannelCut)| {
                        (base.0 + cut.emitted - cut.persisted, base.1 + cut.consumed)
                    };
                    self.restored_in_flight += usize::from(cut.iter().any(|it| it.persisted > 0));
                    bases.iter().zip(cut).map(after).collect()
                }
            };
            // Channels are others now.
            self.blocked.clear();
        }
        Ok(())
    }

    fn not_read_while_blocked(&mut self, run: &Simulation) -> Result<(), String> {
        let now = super::blocked(run);
        for (task, id, channel, position) in &self.blocked {
            let same = now.iter().find(|it| (it.0, it.1, it.2) == (*task, *id, *channel));
            if same.is_some_and(|it| it.3 != *position) {
                return Err(format!("channel {channel} is blocked and was read"));
            }
        }
        self.blocked = now;
        Ok(())
    }

    /// What a task made follows from what it took, whatever failed in between.
    fn tasks_balance(&self, run: &Simulation) -> Result<(), String> {
        for (number, task) in run.tasks.iter().enumerate() {
            let records =
                |channel: &usize, bytes: u64| bytes / run.network.channels[*channel].record_bytes;
            let taken: u64 = match task.gates.is_empty() {
                true => task.offset,
                false => {
                    let channels =
                        task.gates.iter().flat_map(|gate| &run.network.gates[*gate].channels);
                    let taken = channels.map(|it| {
                        records(it, self.bases[*it].1 + run.network.channels[*it].consumed)
                    });
                    // What is in service was taken and made nothing yet.
                    taken.sum::<u64>() - u64::from(task.in_service)
                }
            };
            for (partition, edge) in &task.outputs {
                let channels = &run.network.partitions[*partition].channels;
                let made = |it: &usize| {
                    let waits = task.to_write.iter().filter(|waits| *waits == it).count() as u64;
                    records(it, self.bases[*it].0 + run.network.channels[*it].emitted) + waits
                };
                let balances = match run.job.edges[*edge].exchange {
                    Exchange::Broadcast => channels.iter().all(|it| made(it) == taken),
                    _ => channels.iter().map(made).sum::<u64>() == taken,
                };
                if !balances {
                    let made: Vec<u64> = channels.iter().map(made).collect();
                    return Err(format!("task {number} took {taken} and made {made:?}"));
                }
            }
        }
        Ok(())
    }
}

/// State and in-flight data hold what was sent before the barriers; at least once state may hold more.
fn consistent(run: &Simulation, id: u64, cut: &[ChannelCut]) -> Result<(), String> {
    let at_least_once = run.job.mode == BarrierMode::AtLeastOnce;
    for (channel, it) in cut.iter().enumerate() {
        let held = it.consumed + it.persisted;
        if held < it.emitted || (held > it.emitted && !at_least_once) {
            return Err(format!("checkpoint {id} cuts channel {channel} at {it:?}"));
        }
    }
    Ok(())
}

/// What went into a channel was taken from it or is in it.
fn bytes_are_kept(run: &Simulation) -> Result<(), String> {
    for (number, it) in run.network.channels.iter().enumerate() {
        let there = it.consumed + it.partial + it.queued().1 + it.unsent();
        if there != it.emitted {
            return Err(format!(
                "{} B went into channel {number}, {there} B are there",
                it.emitted
            ));
        }
    }
    Ok(())
}

/// A buffer is free or holds something, of a gate and of a pool; credits are free buffers.
fn buffers_are_kept(run: &Simulation) -> Result<(), String> {
    let settings = run.network.settings;
    for (number, gate) in run.network.gates.iter().enumerate() {
        let remote = gate.channels.iter().filter(|it| run.network.channels[**it].remote);
        let mut floating = gate.floating_free;
        let mut any = false;
        for channel in remote {
            any = true;
            let it = &run.network.channels[*channel];
            let held = it.held();
            floating += it.free_floating + held.1;
            if it.free_exclusive + held.0 != settings.exclusive {
                return Err(format!("channel {channel} lost or found exclusive buffers"));
            }
        }
        if any && floating != settings.floating {
            return Err(format!("gate {number} has {floating} floating buffers"));
        }
    }
    for (number, partition) in run.network.partitions.iter().enumerate() {
        let channels = partition.channels.iter();
        let taken: u32 = channels.map(|it| run.network.channels[*it].taken).sum();
        if taken != partition.used {
            return Err(format!(
                "pool {number} gave {} segments, {taken} are used",
                partition.used
            ));
        }
    }
    Ok(())
}
