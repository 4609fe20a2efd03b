//! What is read from argument lines, logs and messages, against everything that was recorded.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use weir::memory::{
    DiagnoseParams, MemoryParams, Role, derive_job_manager, derive_task_manager, diagnose,
};
use weir::reading::{PasteKind, PasteParams, PasteReport, jvm_arguments, read_paste};
use weir::units::FlinkVersion;

const ROLES: [(Role, &str); 2] = [(Role::TaskManager, "tm"), (Role::JobManager, "jm")];

fn rows(role: &str, version: FlinkVersion) -> Vec<Value> {
    let name = format!("tests/oracle/memory/{role}_memory_{}.jsonl", version.checked_on());
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name));
    let text = text.expect("the oracle file is readable");
    text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect()
}

fn paste(version: FlinkVersion, text: &str) -> PasteReport {
    let params = PasteParams { version, text: text.to_owned(), file_name: None };
    read_paste(&params).unwrap_or_else(|error| panic!("{error}: {text}")).value
}

fn config(report: &PasteReport) -> BTreeMap<String, String> {
    report.entries.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect()
}

/// The arguments and pools of a configuration, `None` where it does not start.
fn derived(role: Role, version: FlinkVersion, config: BTreeMap<String, String>) -> Option<Value> {
    let params = MemoryParams { config, ..MemoryParams::new(version) };
    let report = match role {
        Role::TaskManager => {
            serde_json::to_value(derive_task_manager(&params).ok()?.value).expect("serialises")
        }
        Role::JobManager => {
            serde_json::to_value(derive_job_manager(&params).ok()?.value).expect("serialises")
        }
    };
    Some(report)
}

/// A size as text; those beyond 2^53 are texts already.
fn plain(size: &Value) -> String {
    size.as_str().map_or_else(|| size.to_string(), str::to_owned)
}

const POOLS: [&str; 12] = [
    "frameworkHeap",
    "frameworkOffHeap",
    "taskHeap",
    "taskOffHeap",
    "network",
    "managed",
    "jvmHeap",
    "offHeap",
    "totalFlink",
    "metaspace",
    "jvmOverhead",
    "totalProcess",
];

#[test]
fn every_recorded_argument_line_is_inverted() {
    for (role, file) in ROLES {
        for version in FlinkVersion::ALL {
            let (mut passed, mut total) = (0, 0);
            for row in rows(file, version) {
                let Some(line) = row["ok"]["jvmArgs"].as_str() else { continue };
                total += 1;
                let arguments = jvm_arguments::read(line).expect("flags");
                let inverted = jvm_arguments::invert(version, role, &arguments);
                let inverted = inverted.unwrap_or_else(|| panic!("{} {line}", row["id"]));
                let config =
                    inverted.settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
                let got = derived(role, version, config);
                let got = got.unwrap_or_else(|| panic!("{} {inverted:?}", row["id"]));
                assert_eq!(got["jvmArgs"], line, "{} {inverted:?}", row["id"]);
                passed += 1;
            }
            println!("{file} {}: {passed}/{total} argument lines inverted", version.checked_on());
            assert!(total > 0);
        }
    }
}

/// Bytes as Flink's messages print them, computed here from the recorded number alone.
fn human(bytes: i64) -> String {
    format!("0.000xb ({bytes} bytes)")
}

fn log_of(role: Role, ok: &Value) -> String {
    let size = |id: &str| human(ok[id].as_i64().expect("a size"));
    let add = |ids: &[&str]| human(ids.iter().map(|id| ok[*id].as_i64().expect("a size")).sum());
    match role {
        Role::TaskManager => format!(
            "INFO  [] - Final TaskExecutor Memory configuration:
INFO  [] -   Total Process Memory:          {}
INFO  [] -     Total Flink Memory:          {}
INFO  [] -       Total JVM Heap Memory:     {}
INFO  [] -         Framework:               {}
INFO  [] -         Task:                    {}
INFO  [] -       Total Off-heap Memory:     {}
INFO  [] -         Managed:                 {}
INFO  [] -         Total JVM Direct Memory: {}
INFO  [] -           Framework:             {}
INFO  [] -           Task:                  {}
INFO  [] -           Network:               {}
INFO  [] -     JVM Metaspace:               {}
INFO  [] -     JVM Overhead:                {}\n",
            size("totalProcess"),
            size("totalFlink"),
            add(&["frameworkHeap", "taskHeap"]),
            size("frameworkHeap"),
            size("taskHeap"),
            add(&["managed", "frameworkOffHeap", "taskOffHeap", "network"]),
            size("managed"),
            add(&["frameworkOffHeap", "taskOffHeap", "network"]),
            size("frameworkOffHeap"),
            size("taskOffHeap"),
            size("network"),
            size("metaspace"),
            size("jvmOverhead"),
        ),
        Role::JobManager => format!(
            "Final Master Memory configuration:
  Total Process Memory: {}
    Total Flink Memory: {}
      JVM Heap:         {}
      Off-heap:         {}
    JVM Metaspace:      {}
    JVM Overhead:       {}\n",
            size("totalProcess"),
            size("totalFlink"),
            size("jvmHeap"),
            size("offHeap"),
            size("metaspace"),
            size("jvmOverhead"),
        ),
    }
}

#[test]
fn every_recorded_table_leads_to_settings_that_give_it() {
    for (role, file) in ROLES {
        for version in FlinkVersion::ALL {
            let (mut total, mut given) = (0, BTreeMap::<usize, usize>::new());
            for row in rows(file, version) {
                let Some(ok) = row.get("ok") else { continue };
                total += 1;
                let report = paste(version, &log_of(role, ok));
                assert_eq!((report.kind, report.role), (PasteKind::StartupLog, Some(role)));
                *given.entry(report.entries.len()).or_default() += 1;
                let got = derived(role, version, config(&report));
                let got = got.unwrap_or_else(|| panic!("{} {report:?}", row["id"]));
                for pool in POOLS.into_iter().filter(|pool| ok.get(pool).is_some()) {
                    assert_eq!(plain(&got[pool]), plain(&ok[pool]), "{} {pool}", row["id"]);
                }
            }
            let counts: Vec<String> = given.iter().map(|(n, rows)| format!("{rows}×{n}")).collect();
            println!(
                "{file} {}: {total} tables given by settings; rows×settings {}",
                version.checked_on(),
                counts.join(" ")
            );
        }
    }
}

#[test]
fn a_recorded_start_line_leads_to_its_pools() {
    for version in FlinkVersion::ALL {
        let mut total = 0;
        for row in rows("tm", version) {
            let ok = &row["ok"];
            let Some(properties) = ok["dynamicConfigs"].as_str() else { continue };
            let line = format!(
                "java {} -XX:+UseG1GC -Dlog.file=/a.log \
                 org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir conf {properties}",
                ok["jvmArgs"].as_str().expect("arguments")
            );
            let report = paste(version, &line);
            assert_eq!(
                (report.kind, report.role),
                (PasteKind::JvmArguments, Some(Role::TaskManager))
            );
            let got = derived(Role::TaskManager, version, config(&report));
            let got = got.unwrap_or_else(|| panic!("{} {report:?}", row["id"]));
            for pool in POOLS.into_iter().filter(|pool| ok.get(pool).is_some()) {
                assert_eq!(plain(&got[pool]), plain(&ok[pool]), "{} {pool}", row["id"]);
            }
            assert_eq!(got["numSlots"], ok["numSlots"], "{}", row["id"]);
            assert_eq!(got["cpuCores"], ok["cpuCores"], "{}", row["id"]);
            total += 1;
        }
        println!("{}: {total} start lines read back", version.checked_on());
        assert!(total > 0);
    }
}

/// A recorded refusal as a JVM prints it.
fn stack_trace(error: &Value) -> String {
    let class = error["class"].as_str().unwrap_or("java.lang.IllegalArgumentException");
    let message = error["message"].as_str().expect("a message");
    let mut text =
        format!("Exception in thread \"main\" {class}: {message}\n\tat a.B.c(B.java:1)\n");
    for cause in error["causes"].as_array().into_iter().flatten() {
        text += &format!("Caused by: {}\n\t... 3 more\n", cause.as_str().expect("a cause"));
    }
    text
}

#[test]
fn every_recorded_refusal_is_recognised() {
    for (role, file) in ROLES {
        for version in FlinkVersion::ALL {
            let (mut total, mut other, mut given) = (0, 0, 0);
            for row in rows(file, version) {
                for error in [&row["error"], &row["startScript"]["error"]] {
                    let Some(kind) = error["kind"].as_str() else { continue };
                    if kind.starts_with("other:") {
                        other += 1;
                        continue;
                    }
                    total += 1;
                    let report = paste(version, &stack_trace(error));
                    let cause = report.cause.as_ref().expect("a cause");
                    assert_eq!(
                        (report.kind, cause.code),
                        (PasteKind::Exception, kind),
                        "{}",
                        row["id"]
                    );
                    assert!(!cause.next.is_empty() && !cause.reason.is_empty(), "{}", row["id"]);
                    assert!(cause.knob.is_some() || kind == "long_overflow", "{}", row["id"]);
                    assert!(report.role.is_none() || report.role == Some(role), "{}", row["id"]);
                    if report.entries.is_empty() || report.role.is_none() {
                        continue;
                    }
                    given += 1;
                    let total_of = |config: &BTreeMap<String, String>| {
                        config
                            .keys()
                            .any(|key| key.ends_with("process.size") || key.ends_with("flink.size"))
                    };
                    let mut settings = config(&report);
                    if !total_of(&settings) {
                        let total = match role {
                            Role::TaskManager => "taskmanager.memory.process.size",
                            Role::JobManager => "jobmanager.memory.process.size",
                        };
                        settings.insert(total.to_owned(), "64g".to_owned());
                    }
                    let memory = MemoryParams { config: settings, ..MemoryParams::new(version) };
                    let failure = diagnose(&DiagnoseParams { role, memory }).value.failure;
                    assert_eq!(failure.expect("it is refused").kind, kind, "{}", row["id"]);
                }
            }
            println!(
                "{file} {}: {total} refusals recognised, {given} with settings refused alike, {other} without a name",
                version.checked_on()
            );
        }
    }
}

/// Pieces of every text that is read, and of some that are not.
const FRAGMENTS: [&str; 44] = [
    "INFO  [] - Final TaskExecutor Memory configuration:\n",
    "Final Master Memory configuration:\n",
    "  Total Process Memory: ",
    "    Total Flink Memory: ",
    "      JVM Heap: ",
    "Framework: ",
    "Task: ",
    "Managed: ",
    "Network: ",
    "JVM Overhead: ",
    "JVM Metaspace: ",
    "1.688gb (1811939328 bytes)",
    "8388608.000tb (9223372036854775807 bytes)",
    "0 bytes",
    "(99999999999999999999 bytes)",
    "-Xmx",
    "-Xmx536870902 -XX:MaxDirectMemorySize=268435458 -XX:MaxMetaspaceSize=268435456 ",
    "-XX:MaxDirectMemorySize=9223372036854775807 ",
    "-Xmx9223372036854775807 -XX:MaxMetaspaceSize=0 ",
    "-D taskmanager.memory.network.min=134217730b ",
    "-D taskmanager.numberOfTaskSlots=-1 ",
    "org.apache.flink.runtime.taskexecutor.TaskManagerRunner ",
    "Loading configuration property: taskmanager.memory.process.size, 1728m\n",
    "Sum of configured Framework Heap Memory (",
    "), Framework Off-Heap Memory (0 bytes), Task Off-Heap Memory (0 bytes), Managed Memory (",
    " exceed configured Total Flink Memory (",
    "Derived JVM Overhead size (",
    ") is not in configured JVM Overhead range [",
    "Inconsistently configured Key: 'taskmanager.memory.network.fraction' , (fallback keys: []) (",
    ") and its min (1 bytes), max (0 bytes) value",
    "Could not parse value '\u{1f980}' for key 'a.password'.",
    "Cannot read memory size from config option 'taskmanager.memory.process.size'.",
    "java.lang.OutOfMemoryError: ",
    "Direct buffer memory (allocated: 99999999999999999999, limit: 1)",
    "Insufficient number of network buffers: required 4294967295, but only 0 available. The total number of network buffers is currently set to 4294967295 of 9223372036854775807 bytes each",
    "memory segments for NetworkBufferPool (required (MB): 9223372036854775807, allocated (MB): 1, missing (MB): 1)",
    "The network memory min (256 mb) and max (4 gb) mismatch, the network memory has to be resolved",
    " is running 9B beyond the 'PHYSICAL' memory limit. Current usage: ",
    "9999999999999.9 TB of 4 GB physical memory used; 1.\u{e9} GB of",
    "Memory cgroup out of memory: Killed process 1 (java) total-vm:9223372036854775807kB, anon-rss:1kB",
    "memory: usage 4194304kB, limit 9007199254740988kB, failcnt 0\n",
    "Exit Code: 137\nLimits:\n  memory: 9223372036854775807Gi\n",
    "taskmanager.memory.process.size: 4g\n",
    "\n",
];

mod any_text {
    use super::FRAGMENTS;
    use proptest::prelude::*;
    use weir::reading::{PasteParams, read_paste};
    use weir::units::FlinkVersion;

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            8 => prop::sample::select(FRAGMENTS.to_vec()).prop_map(str::to_owned),
            1 => any::<i64>().prop_map(|bytes| format!("{bytes} bytes)")),
            1 => any::<String>(),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn is_read_or_refused(
            version in prop::sample::select(FlinkVersion::ALL.to_vec()),
            pieces in prop::collection::vec(piece(), 0..12),
        ) {
            let text = pieces.concat();
            if let Ok(answer) = read_paste(&PasteParams { version, text, file_name: None }) {
                let value = &answer.value;
                prop_assert!(!value.recognised.is_empty());
                serde_json::to_string(&answer).expect("it serialises");
                let cause = serde_json::to_string(&value.cause).expect("it serialises");
                prop_assert!(!cause.contains('\u{1f980}'), "a secret is shown");
            }
        }
    }
}

#[test]
fn a_flag_that_cannot_be_read_is_named_and_not_called_missing() {
    let findings = |text: &str| {
        let version = FlinkVersion::V1_20;
        let params = PasteParams { version, text: text.to_owned(), file_name: None };
        let answer = read_paste(&params).expect("an argument line");
        assert!(answer.value.entries.is_empty(), "{text}");
        answer.findings.into_iter().map(|finding| finding.title).collect::<Vec<_>>()
    };
    assert_eq!(
        findings("-Xmx99999999999999999999g -Xms1m"),
        ["-Xmx cannot be read.", "-XX:MaxMetaspaceSize is missing, so no settings can be told."]
    );
    assert_eq!(
        findings("-Xmx-5 -XX:MaxDirectMemorySize=1.5g -XX:MaxMetaspaceSize=256m"),
        ["-Xmx and -XX:MaxDirectMemorySize cannot be read."]
    );
    assert_eq!(
        findings("-XX:MaxDirectMemorySize=1g"),
        ["-Xmx and -XX:MaxMetaspaceSize are missing, so no settings can be told."]
    );
}
