//! What a comparison says in sentences, and the finding that a smaller heap deserves.
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskExecutorProcessUtils` (which total the split starts from).

use super::{Process, SizeDifference};
use crate::config::size::config_text;
use crate::finding::{Change, Finding, Severity};
use crate::memory::boundary;
use crate::memory::notice::cite;
use crate::memory::options::tm;
use crate::memory::params::MemoryParams;
use crate::memory::task_manager::Route;
use crate::memory::trace::exact;
use crate::units::Bytes;

/// The most components a verdict names.
const NAMED_MAX: usize = 3;

pub(super) fn changes_in_words(b: &Process, rows: &[SizeDifference], settings: usize) -> String {
    let is_sum = |id: &str| b.components.iter().any(|other| other.parent == Some(id));
    let mut parts: Vec<&SizeDifference> =
        rows.iter().filter(|row| !is_sum(row.id) && !row.is_equal()).collect();
    parts.sort_by_key(|row| std::cmp::Reverse(row.magnitude()));
    let others = parts.len().saturating_sub(NAMED_MAX);
    let named: Vec<String> = parts.iter().take(NAMED_MAX).map(|row| change_in_words(row)).collect();
    let count = match settings {
        0 => "No setting differs".to_owned(),
        1 => "One setting differs".to_owned(),
        n => format!("{n} settings differ"),
    };
    if named.is_empty() {
        return format!("{count} from A, and every component has the size it has in A.");
    }
    let rest = match others {
        0 => String::new(),
        1 => "; one more component differs".to_owned(),
        n => format!("; {n} more components differ"),
    };
    format!("Against A: {}{rest}. {count}.", named.join(", "))
}

/// "Task Heap 1 GiB less (1.42 GiB → 435 MiB)".
fn change_in_words(row: &SizeDifference) -> String {
    let size = Bytes::new(i64::try_from(row.magnitude()).unwrap_or(i64::MAX));
    let way = if row.difference < Some(Bytes::ZERO) { "less" } else { "more" };
    let [a, b] = [row.a, row.b].map(|size| size.unwrap_or(Bytes::ZERO));
    format!("{} {size} {way} ({a} → {b})", row.name)
}

pub(super) fn observed_in_words(compared: &[&SizeDifference], equal: usize) -> String {
    let most = compared.iter().filter(|row| !row.is_equal()).max_by_key(|row| row.magnitude());
    match most {
        _ if compared.is_empty() => {
            "The text shows no size to the byte that these settings derive.".to_owned()
        }
        None => format!("All {} sizes of the text are what these settings derive.", compared.len()),
        Some(row) => {
            let [a, b] = [row.a, row.b].map(|size| exact(size.unwrap_or(Bytes::ZERO)));
            format!(
                "{equal} of {} sizes of the text are what these settings derive; the largest difference is {}: {a} in the text, {b} derived.",
                compared.len(),
                row.name
            )
        }
    }
}

/// Differences below this are truncation, which no heap is sized to [bytes].
const TRUNCATION: i64 = 1 << 20;

/// A heap that shrinks in a process that does not is easily missed: it starts, and dies under load.
pub(super) fn smaller_heap(memory: &MemoryParams, a: &Process, b: &Process) -> Option<Finding> {
    let (before, after) = (a.task_manager.as_ref()?, b.task_manager.as_ref()?);
    let (was, is) = (before.jvm_heap(), after.jvm_heap());
    let lost = was.checked_sub(is).filter(|lost| lost.get() >= TRUNCATION)?;
    if after.total_process() < before.total_process() {
        return None;
    }
    let grown = b
        .components
        .iter()
        .filter(|c| !b.components.iter().any(|other| other.parent == Some(c.id)))
        .filter_map(|c| a.bytes(c.id).and_then(|was| c.bytes.checked_sub(was)).map(|by| (by, c)))
        .max_by_key(|(by, _)| *by)
        .filter(|(by, _)| *by > Bytes::ZERO);
    let taker = grown.map_or(String::new(), |(by, component)| {
        format!(" {} takes {} more of the same total.", component.name, exact(by))
    });
    let knob = match after.route {
        Route::TotalProcess => Some((tm::PROCESS, after.total_process())),
        Route::TotalFlink => Some((tm::FLINK, after.total_flink())),
        Route::FineGrained => None,
    };
    let raised = knob.and_then(|(option, near)| {
        boundary::lowest(memory, option, near, |changed| {
            boundary::task_manager(changed).is_some_and(|spec| spec.jvm_heap() >= was)
        })
    });
    let apply = raised
        .map_or(Vec::new(), |found| vec![Change::set(found.option.key, config_text(found.whole))]);
    Some(Finding {
        code: "heap_shrinks_against_a",
        severity: Severity::Warning,
        title: format!("-Xmx is {:.0} % smaller than in A.", 100.0 * lost.share_of(was)),
        reason: format!("{} became {}.{taker}", exact(was), exact(is)),
        option: Some(raised.map_or(tm::TASK_HEAP.key, |found| found.option.key).to_owned()),
        price: Some(
            "The heap of A needs a larger process, or another pool that gives it up; managed memory can where no RocksDB, batch operator or Python uses it."
                .to_owned(),
        ),
        apply,
        source: cite("TaskExecutorProcessUtils", memory.version),
    })
}
