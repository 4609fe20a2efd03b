//! Which limit of its container did a process on YARN cross?
//!
//! YARN prints sizes in binary units; `4 GB` without a decimal is exact, `4.2 GB` is rounded. Hadoop 2
//! writes "beyond physical memory limits", Hadoop 3 "1234B beyond the 'PHYSICAL' memory limit".
//!
//! Source: Hadoop, `ContainersMonitorImpl#formatErrorMessage`, `ContainerExitStatus`
//! (`KILLED_EXCEEDED_PMEM` is -104, `KILLED_EXCEEDED_VMEM` is -103), `StringUtils.TraditionalBinaryPrefix`.

use super::{Kill, Limit};
use crate::config::text::java_lines;
use crate::reading::report::Observed;
use crate::reading::text::{digits, flattened, line_of, number_after};
use crate::units::Bytes;

const SOURCE: &str = "YARN's ContainersMonitorImpl";

/// Reads YARN's message about a container.
pub fn read(text: &str) -> Option<Kill> {
    if let Some(limit) = exit_status(text) {
        return Some(limit);
    }
    let flat = flattened(text);
    let signs = [
        ("beyond physical memory limits", Limit::YarnPhysical),
        ("beyond virtual memory limits", Limit::YarnVirtual),
        ("beyond the 'PHYSICAL' memory limit", Limit::YarnPhysical),
        ("beyond the 'VIRTUAL' memory limit", Limit::YarnVirtual),
    ];
    let (sign, limit) = signs.into_iter().find(|(sign, _)| flat.contains(sign))?;
    let line = [sign, "is running ", "containerID="]
        .iter()
        .map(|sign| line_of(text, sign))
        .find(|line| *line > 1)
        .unwrap_or(1);
    let mut kill =
        Kill { limit, container: None, observed: Vec::new(), role: None, line, source: SOURCE };
    if let Some(excess) = excess(&flat, sign) {
        kill.observed.push(Observed::size("excess", "Beyond the limit", line, excess));
    }
    let (_, message) = flat.split_once(sign)?;
    usage(&mut kill, message, line);
    Some(kill)
}

/// "Current usage: 4.2 GB of 4 GB physical memory used; 5.6 GB of 8.4 GB virtual memory used."
fn usage(kill: &mut Kill, message: &str, line: usize) {
    let Some((_, usage)) = message.split_once("Current usage: ") else { return };
    let Some((physical, rest)) = usage.split_once("physical memory used") else { return };
    let virtual_memory = rest.split_once("virtual memory used").map(|(sizes, _)| sizes);
    let pairs = [
        (
            Some(physical),
            ["physicalUsed", "physicalLimit"],
            ["Physical memory used", "Physical limit"],
        ),
        (virtual_memory, ["virtualUsed", "virtualLimit"], ["Virtual memory used", "Virtual limit"]),
    ];
    for (sizes, ids, names) in pairs {
        let Some((used, limit)) = sizes.and_then(|sizes| sizes.split_once(" of ")) else {
            continue;
        };
        for ((text, id), name) in [used, limit].into_iter().zip(ids).zip(names) {
            let Some((size, exact)) = binary(text) else { continue };
            let fact = Observed::size(id, name, line, size);
            kill.observed.push(if exact { fact } else { fact.rounded() });
            if exact && id == "physicalLimit" {
                kill.container = Some(size);
            }
        }
    }
}

/// `168853504B` right before the sign.
fn excess(flat: &str, sign: &str) -> Option<Bytes> {
    let (before, _) = flat.split_once(sign)?;
    let number = before.trim_end().strip_suffix('B')?;
    let start = number.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    number.get(start..)?.parse().ok().map(Bytes::new)
}

/// A size in binary units, and whether it is exact.
fn binary(text: &str) -> Option<(Bytes, bool)> {
    let text = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let (whole, rest) = digits(text)?;
    let (tenths, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest).map(|(tenths, rest)| (Some(tenths), rest))?,
        None => (None, rest),
    };
    let unit = rest.trim_start().split([' ', ';', ',']).next()?;
    let shift = match unit {
        "B" => 0,
        "KB" => 10,
        "MB" => 20,
        "GB" => 30,
        "TB" => 40,
        _ => return None,
    };
    let whole: i64 = whole.parse().ok()?;
    let mut bytes = whole.checked_mul(1 << shift)?;
    if let Some(tenth) = tenths {
        let tenth: i64 = tenth.get(..1)?.parse().ok()?;
        bytes = bytes.checked_add(tenth.checked_mul(1 << shift)? / 10)?;
    }
    Some((Bytes::new(bytes), tenths.is_none()))
}

/// `exitStatus=-104` or `Exit status: -104`, where the message itself is not there.
fn exit_status(text: &str) -> Option<Kill> {
    if text.contains("Current usage: ") {
        return None;
    }
    java_lines(text).enumerate().find_map(|(index, line)| {
        let lower = line.to_lowercase();
        let code: i32 = ["exitstatus=-", "exit status: -", "exitstatus: -", "exitcode: -"]
            .iter()
            .find_map(|label| number_after(&lower, label))?;
        let limit = match code {
            104 => Limit::YarnPhysical,
            103 => Limit::YarnVirtual,
            _ => return None,
        };
        let source = "YARN's ContainerExitStatus";
        let (container, observed, role, line) = (None, Vec::new(), None, index + 1);
        Some(Kill { limit, container, observed, role, line, source })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HADOOP_2: &str = "Container [pid=44545,containerID=container_1438831879245_0001_02_000001] is running beyond physical memory limits. Current usage: 4.2 GB of 4 GB physical memory used; 5.6 GB of 8.4 GB virtual memory used. Killing container.";
    const HADOOP_3: &str = "2019-11-25 20:12:41,138 INFO  org.apache.flink.yarn.YarnResourceManager - Closing TaskExecutor connection container_e03_1559725928417_0577_01_001065 because: [2019-11-25 20:12:36.159]Container [pid=97191,containerID=container_e03_1559725928417_0577_01_001065] is running 168853504B beyond the 'PHYSICAL' memory limit. Current usage: 6.2 GB of 6 GB physical memory used; 9.8 GB of 60 GB virtual memory used. Killing container.";

    #[test]
    fn the_physical_limit_is_that_of_the_container() {
        let kill = read(HADOOP_2).expect("a kill");
        assert_eq!((kill.limit, kill.container), (Limit::YarnPhysical, Some(Bytes::gib(4))));
        let exact: Vec<bool> = kill.observed.iter().map(|fact| fact.exact).collect();
        assert_eq!(exact, [false, true, false, false]);
        let kill = read(HADOOP_3).expect("a kill");
        assert_eq!(kill.container, Some(Bytes::gib(6)));
        assert_eq!(kill.observed[0].bytes, Some(Bytes::new(168_853_504)));
    }

    #[test]
    fn the_virtual_limit_is_another() {
        let text = "Container [pid=3730,containerID=c] is running 1723304448B beyond the 'VIRTUAL' memory limit.\nCurrent usage: 348.4 MB of 1 GB physical memory used; 3.7 GB of 2.1 GB virtual memory used. Killing container.";
        let kill = read(text).expect("a kill");
        assert_eq!((kill.limit, kill.container), (Limit::YarnVirtual, Some(Bytes::gib(1))));
        let old = HADOOP_2.replace("physical memory limits", "virtual memory limits");
        assert_eq!(read(&old).expect("a kill").limit, Limit::YarnVirtual);
    }

    #[test]
    fn a_rounded_limit_is_no_limit() {
        let text = HADOOP_2.replace("of 4 GB", "of 9.8 GB");
        assert_eq!(read(&text).expect("a kill").container, None);
    }

    #[test]
    fn exit_statuses_are_told_apart() {
        let of = |text: &str| read(text).map(|kill| kill.limit);
        assert_eq!(of("state=COMPLETE, exitStatus=-104, diagnostics="), Some(Limit::YarnPhysical));
        assert_eq!(of("Exit status: -103. Diagnostics:"), Some(Limit::YarnVirtual));
        assert_eq!(of("exitStatus=-100"), None);
    }
}
