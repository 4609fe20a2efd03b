//! From which value on does it start? Boundaries found by deriving again, never by a formula of
//! their own, so they are Flink's to the byte.

use super::options::{OptionDef, tm};
use super::params::{MemoryParams, Role, starts, task_manager_spec};
use super::task_manager::{Route, TaskManagerSpec};
use super::trace::Trace;
use crate::config::size::config_text;
use crate::units::Bytes;

/// A value that starts, next to one that does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boundary {
    /// The option that was moved.
    pub option: OptionDef,
    /// The last value towards the failure that starts; none beyond it does.
    pub bytes: Bytes,
    /// The nearest whole MiB on the safe side that starts too; the boundary itself if none does.
    pub whole: Bytes,
}

/// The value next to the failure, between one that works and one that fails.
pub fn edge(works: i64, fails: i64, test: impl Fn(i64) -> bool) -> i64 {
    let (mut works, mut fails) = (works, fails);
    // The sum of two sizes may exceed 64 bits.
    while (i128::from(works) - i128::from(fails)).abs() > 1 {
        let middle = i128::midpoint(i128::from(works), i128::from(fails)) as i64;
        if test(middle) {
            works = middle;
        } else {
            fails = middle;
        }
    }
    works
}

/// The least value from 0 to `most` that passes, where whatever is larger passes too; `None` where
/// `most` does not.
pub fn least_up_to(most: i64, test: impl Fn(i64) -> bool) -> Option<i64> {
    // No value below 0 is tried: the middle of 0 and -1 is never asked for.
    test(most).then(|| edge(most, -1, test))
}

/// The least value that passes, searched from `near`: below it where that passes, else upwards in
/// doubling steps, to `most` and no further.
fn least_near(near: i64, most: i64, test: impl Fn(i64) -> bool) -> Option<i64> {
    let (mut fails, mut works) = (-1, near.max(1));
    while !test(works) {
        fails = works;
        works = works.checked_mul(2).filter(|next| *next <= most)?;
    }
    Some(edge(works, fails, test))
}

/// How far beyond an edge values may still start.
///
/// Fractions are truncated one by one, so where two or three of them grow by a byte together, the
/// next total has a byte less for the rest: near an edge values start and fail in turn, over at most
/// three bytes divided by the share that no fraction takes.
const RAGGED: i64 = 64;

/// The outermost value beyond an edge, in steps of `step` (1 or -1), that still starts: the value
/// from which on, truncation or not, nothing does.
pub fn outermost(edge: i64, step: i64, test: impl Fn(i64) -> bool) -> i64 {
    let mut last = edge;
    // Where the whole next stretch starts, another range begins there, which is not ragged.
    for _ in 0..RAGGED {
        let beyond = (1..=RAGGED).rev().filter_map(|n| last.checked_add(n * step));
        let Some(further) = beyond.filter(|value| *value >= 0).find(|value| test(*value)) else {
            return last;
        };
        last = further;
    }
    edge
}

/// The params with one option set to a size.
pub fn with_size(params: &MemoryParams, option: &OptionDef, size: Bytes) -> MemoryParams {
    let mut changed = params.clone();
    changed.set(option.key, &config_text(size));
    changed
}

/// Going down from a value that starts: the smallest that still does. `None` when even 0 starts.
pub fn smallest(
    role: Role,
    params: &MemoryParams,
    option: OptionDef,
    works: Bytes,
) -> Option<Boundary> {
    let test = |bytes| starts(role, &with_size(params, &option, Bytes::new(bytes)));
    if test(0) || !test(works.get()) {
        return None;
    }
    let bytes = outermost(edge(works.get(), 0, test), -1, test);
    Some(Boundary { option, bytes: Bytes::new(bytes), whole: whole_mib_up(bytes, test) })
}

/// Going up or down from a value that fails: the nearest that starts, if any does.
pub fn nearest(
    role: Role,
    params: &MemoryParams,
    option: OptionDef,
    fails: Bytes,
    up: bool,
) -> Option<Boundary> {
    let test = |bytes| starts(role, &with_size(params, &option, Bytes::new(bytes)));
    let from = fails.get();
    // Steps double, starting at a quarter MiB: a window of values that start is rarely narrower.
    let mut fails_at = from;
    let mut step: i64 = 1 << 18;
    let works = loop {
        let next = if up { from.saturating_add(step) } else { from.saturating_sub(step).max(0) };
        if test(next) {
            break next;
        }
        if next == 0 || next == i64::MAX || step > i64::MAX / 2 {
            return None;
        }
        fails_at = next;
        step *= 2;
    };
    let bytes = outermost(edge(works, fails_at, test), if up { -1 } else { 1 }, test);
    let whole = if up { whole_mib_up(bytes, test) } else { whole_mib_down(bytes, test) };
    Some(Boundary { option, bytes: Bytes::new(bytes), whole })
}

/// The smallest value of the total that is set with which `holds`, the other settings unchanged.
/// `None` where no total is set, or none that was tried holds.
pub fn total_for(
    params: &MemoryParams,
    spec: &TaskManagerSpec,
    holds: impl Fn(&MemoryParams) -> bool,
) -> Option<Boundary> {
    let (option, now) = match spec.route {
        Route::FineGrained => return None,
        Route::TotalFlink => (tm::FLINK, spec.total_flink()),
        Route::TotalProcess => (tm::PROCESS, spec.total_process()),
    };
    lowest(params, option, now, holds)
}

/// The smallest size of an option with which `holds`, searched from a value near it. `None` beyond
/// [`LARGEST_TRIED`].
pub fn lowest(
    params: &MemoryParams,
    option: OptionDef,
    near: Bytes,
    holds: impl Fn(&MemoryParams) -> bool,
) -> Option<Boundary> {
    let test = |bytes| holds(&with_size(params, &option, Bytes::new(bytes)));
    let bytes = least_near(near.get(), LARGEST_TRIED.get(), test)?;
    Some(Boundary { option, bytes: Bytes::new(bytes), whole: whole_mib_up(bytes, test) })
}

/// A TaskManager's memory, `None` when it does not start.
pub fn task_manager(params: &MemoryParams) -> Option<TaskManagerSpec> {
    task_manager_spec(params, &mut Trace::searching(), |spec, _, _| spec).ok()
}

/// No TaskManager is larger.
pub const LARGEST_TRIED: Bytes = Bytes::gib(1 << 12);

const MIB: i64 = 1 << 20;

fn whole_mib_up(bytes: i64, test: impl Fn(i64) -> bool) -> Bytes {
    let whole = bytes.checked_add(MIB - 1).map_or(bytes, |sum| sum / MIB * MIB);
    Bytes::new(if test(whole) { whole } else { bytes })
}

fn whole_mib_down(bytes: i64, test: impl Fn(i64) -> bool) -> Bytes {
    let whole = bytes / MIB * MIB;
    Bytes::new(if test(whole) { whole } else { bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::options::tm;
    use crate::units::FlinkVersion;

    #[test]
    fn the_edge_is_found_in_both_directions() {
        assert_eq!(edge(i64::MAX, 0, |v| v >= 12_345), 12_345);
        assert_eq!(edge(0, i64::MAX, |v| v <= 12_345), 12_345);
    }

    #[test]
    fn the_least_value_is_found_from_everywhere() {
        for near in [0, 1, 99, 12_345, 1 << 40] {
            assert_eq!(least_near(near, i64::MAX, |v| v >= 12_345), Some(12_345), "{near}");
            assert_eq!(least_near(near, i64::MAX, |_| true), Some(0), "{near}");
        }
        assert_eq!(least_near(7, 10_000, |v| v >= 12_345), None);
        assert_eq!(least_up_to(12_345, |v| v >= 12_345), Some(12_345));
        assert_eq!(least_up_to(i64::MAX, |v| v >= 0), Some(0));
        assert_eq!(least_up_to(12_344, |v| v >= 12_345), None);
    }

    #[test]
    fn truncation_does_not_hide_the_outermost_value() {
        assert_eq!(outermost(100, -1, |v| v >= 100 || v == 97 || v == 60), 60);
        assert_eq!(outermost(2, -1, |_| true), 0);
        assert_eq!(outermost(1 << 40, -1, |_| true), 1 << 40);
        let mut params = MemoryParams::new(FlinkVersion::V1_20);
        params.set("taskmanager.memory.flink.size", "426m");
        params.set("taskmanager.memory.framework.heap.size", "300m");
        let found = nearest(Role::TaskManager, &params, tm::FLINK, Bytes::mib(426), true)
            .expect("a larger total starts");
        for less in 1..=RAGGED {
            let bytes = Bytes::new(found.bytes.get() - less);
            assert!(!starts(Role::TaskManager, &with_size(&params, &tm::FLINK, bytes)), "{less}");
        }
    }

    #[test]
    fn one_byte_less_than_the_smallest_process_fails() {
        let params = MemoryParams::new(FlinkVersion::V1_20);
        let found =
            smallest(Role::TaskManager, &params, tm::PROCESS, Bytes::gib(4)).expect("4g starts");
        let starts_with = |b| starts(Role::TaskManager, &with_size(&params, &tm::PROCESS, b));
        assert!(starts_with(found.bytes));
        assert!(!starts_with(Bytes::new(found.bytes.get() - 1)));
        assert_eq!(found.whole, Bytes::mib(982));
    }

    #[test]
    fn a_window_between_two_failures_is_found() {
        let mut params = MemoryParams::new(FlinkVersion::V1_20);
        params.set("taskmanager.memory.flink.size", "4g");
        params.set("taskmanager.memory.task.heap.size", "256m");
        params.set("taskmanager.memory.network.max", "1g");
        let up = nearest(Role::TaskManager, &params, tm::NETWORK_MAX, Bytes::gib(1), true)
            .expect("works");
        assert_eq!(up.bytes, Bytes::new(2_040_109_440));
    }
}
