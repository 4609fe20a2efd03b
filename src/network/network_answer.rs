//! The answer about network buffers: the TaskManager's pool against what the job's tasks take.

use super::advice;
use super::error::NetworkError;
use super::gate::gate;
use super::options::{self, ShuffleSettings};
use super::params::{JobTask, NetworkJob, NetworkParams};
use super::partition::{announced, partition};
use super::pool::{BufferPool, insufficient};
use super::report::{Knob, NetworkGate, NetworkReport, NetworkTask};
use super::topology;
use crate::config::size::config_text;
use crate::finding::Derivation;
use crate::memory::boundary::{self, Boundary};
use crate::memory::error::{Kind, MemoryError};
use crate::memory::options::tm;
use crate::memory::settings::Settings;
use crate::memory::task_manager::TaskManagerSpec;
use crate::memory::trace::Trace;
use crate::memory::{MemoryParams, task_manager_spec};
use crate::units::Bytes;

/// What a TaskManager has and what its fullest instance needs.
#[derive(Debug, Clone)]
pub(crate) struct Demand {
    /// The TaskManager.
    pub spec: TaskManagerSpec,
    /// The options.
    pub shuffle: ShuffleSettings,
    /// Buffers in the pool.
    pub total: i64,
    /// Buffers without which its tasks do not start.
    pub required: i64,
    /// Buffers its tasks use when there are enough.
    pub wanted: i64,
    /// The tasks.
    pub tasks: Vec<NetworkTask>,
}

/// Everything that verdict and findings speak about.
pub(super) struct Situation<'a> {
    pub params: &'a MemoryParams,
    pub demand: &'a Demand,
    pub report: &'a NetworkReport,
}

/// Counts the buffers of a job against the pool of a TaskManager.
///
/// # Errors
/// Flink's refusal of the TaskManager or of a gate, or a description that does not hold together.
pub fn network_buffers(params: &NetworkParams) -> Result<Derivation<NetworkReport>, NetworkError> {
    let memory = params.memory();
    let demand = demand(&memory, &params.job)?;
    let mut pool = BufferPool::new(demand.total, demand.shuffle.segment);
    let requests = params.job.requests.iter().map(|request| pool.ask(request)).collect();
    let job_slots = topology::slots_of(&params.job);
    let slots = demand.spec.num_slots;
    let fits = demand.required <= demand.total;
    let smallest_total = boundary::total_for(&memory, &demand.spec, |changed| {
        total_buffers(changed).is_ok_and(|total| total >= demand.required)
    });
    let mut value = NetworkReport {
        version: params.version,
        checked_on: params.version.checked_on(),
        verdict: String::new(),
        network: demand.spec.pools.network.bytes,
        segment: demand.shuffle.segment,
        total: demand.total,
        required: demand.required,
        wanted: demand.wanted,
        unlimited: demand
            .tasks
            .iter()
            .any(|task| task.subtasks > 0 && task.partitions.iter().any(|p| p.max.is_none())),
        fits,
        failure: if fits { None } else { first_failure(&demand) },
        smallest_network: needed(&demand)?,
        smallest_total: smallest_total.map(knob),
        slots,
        job_slots,
        task_managers: job_slots.div_euclid(i64::from(slots.max(1)))
            + i64::from(job_slots % i64::from(slots.max(1)) > 0),
        tasks: demand.tasks.clone(),
        requests,
        not_modelled: advice::NOT_MODELLED.to_vec(),
    };
    let situation = Situation { params: &memory, demand: &demand, report: &value };
    let (verdict, findings) = (advice::verdict(&situation), advice::findings(&situation));
    value.verdict = verdict;
    Ok(Derivation { value, findings })
}

/// A boundary as a report shows it.
pub(crate) fn knob(found: Boundary) -> Knob {
    Knob { option: found.option.key, bytes: found.bytes, text: config_text(found.whole) }
}

/// What the TaskManager has and what the job takes of it.
pub(crate) fn demand(params: &MemoryParams, job: &NetworkJob) -> Result<Demand, NetworkError> {
    job.check()?;
    task_manager_spec(params, &mut Trace::silent(), |spec, settings, _| {
        let shuffle = options::read(settings, job.tiered_exclusive_buffers)?;
        let total = buffers(spec.pools.network.bytes, shuffle.segment)?;
        let mut tasks = topology::tasks_of(job)?;
        let mut cost = Vec::new();
        for task in &tasks {
            cost.push(measure(&shuffle, task)?.required);
        }
        topology::place(job, &mut tasks, &cost, i64::from(spec.num_slots));
        let measured: Result<Vec<NetworkTask>, NetworkError> =
            tasks.iter().chain(&job.tasks).map(|task| measure(&shuffle, task)).collect();
        let tasks = measured?;
        let required = over_subtasks(&tasks, |task| task.required)?;
        let wanted = over_subtasks(&tasks, |task| task.wanted)?;
        Ok(Demand { spec, shuffle, total, required, wanted, tasks })
    })?
}

/// Buffers in the pool of a TaskManager.
pub(super) fn total_buffers(params: &MemoryParams) -> Result<i64, NetworkError> {
    task_manager_spec(params, &mut Trace::silent(), |spec, settings, _| {
        buffers(spec.pools.network.bytes, segment(settings)?)
    })?
}

fn segment(settings: &Settings<'_>) -> Result<Bytes, NetworkError> {
    Ok(options::read(settings, None)?.segment)
}

fn buffers(network: Bytes, segment: Bytes) -> Result<i64, NetworkError> {
    let total = network.get() / segment.get().max(1);
    if total <= i64::from(i32::MAX) {
        return Ok(total);
    }
    let message = format!(
        "{network} are {total} buffers of {segment}; Flink counts no more than {}.",
        i32::MAX
    );
    let option = Some(tm::NETWORK_MAX.key);
    Err(MemoryError::new(Kind::OtherIllegalArgument, option, message.clone(), message).into())
}

/// Network memory of exactly the required buffers.
pub(super) fn needed(demand: &Demand) -> Result<Bytes, NetworkError> {
    let bytes = demand.required.checked_mul(demand.shuffle.segment.get());
    Ok(bytes.map(Bytes::new).ok_or_else(MemoryError::overflow)?)
}

fn over_subtasks(
    tasks: &[NetworkTask],
    of: impl Fn(&NetworkTask) -> i64,
) -> Result<i64, NetworkError> {
    let sum = tasks.iter().try_fold(0_i64, |sum, task| {
        of(task).checked_mul(task.subtasks).and_then(|all| sum.checked_add(all))
    });
    countable(sum.ok_or_else(MemoryError::overflow)?)
}

/// Refuses counts that a JavaScript number does not hold; Flink's own end much earlier.
fn countable(count: i64) -> Result<i64, NetworkError> {
    if count <= Bytes::JS_SAFE_MAX.get() { Ok(count) } else { Err(MemoryError::overflow().into()) }
}

/// The buffers of one task.
fn measure(shuffle: &ShuffleSettings, task: &JobTask) -> Result<NetworkTask, NetworkError> {
    let (mut gates, mut required, mut wanted, mut announce) = (Vec::new(), 0_i64, 0_i64, Ok(0_i64));
    for described in &task.gates {
        let buffers = gate(shuffle, described.partition, described.channels)?;
        // Counts are at most 2^15 channels times an int times 2^15 gates.
        required = required.saturating_add(buffers.required.saturating_mul(described.count));
        let target = buffers.target.saturating_mul(described.count);
        wanted = wanted.saturating_add(target);
        announce = announce.map(|sum: i64| sum.saturating_add(target));
        gates.push(NetworkGate { count: described.count, buffers });
    }
    let mut partitions = Vec::new();
    for described in &task.partitions {
        let buffers = partition(shuffle, described.partition, described.subpartitions);
        required = required.saturating_add(buffers.min);
        wanted = wanted.saturating_add(buffers.max.unwrap_or(buffers.min));
        announce = announce.and_then(|sum| Ok(sum.saturating_add(announced(shuffle, &buffers)?)));
        partitions.push(buffers);
    }
    let (announced, announce_error) = match announce {
        Ok(sum) => (Some(countable(sum)?), None),
        Err(message) => (None, Some(message)),
    };
    Ok(NetworkTask {
        name: task.name.clone(),
        subtasks: task.subtasks,
        gates,
        partitions,
        required: countable(required)?,
        wanted: countable(wanted)?,
        announced,
        announce_error,
    })
}

/// The message of the first request that fails, subtask after subtask, partitions before gates.
fn first_failure(demand: &Demand) -> Option<String> {
    let mut used = 0;
    for task in &demand.tasks {
        let fitting = (demand.total - used).checked_div(task.required).unwrap_or(task.subtasks);
        used += fitting.min(task.subtasks) * task.required;
        if fitting >= task.subtasks {
            continue;
        }
        let gates = task.gates.iter().flat_map(|gate| {
            let exclusive = gate.buffers.exclusive_per_channel * gate.buffers.channels;
            let times = usize::try_from(gate.count).unwrap_or(0);
            std::iter::repeat_n([gate.buffers.required_floating, exclusive], times).flatten()
        });
        for request in task.partitions.iter().map(|partition| partition.min).chain(gates) {
            if request > demand.total - used {
                let (total, segment) = (demand.total, demand.shuffle.segment);
                return Some(insufficient(request, total - used, total, segment));
            }
            used += request;
        }
    }
    None
}
