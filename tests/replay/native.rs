//! The questions asked natively, with the same params and answers as the wasm exports.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use weir::config::{ConfigError, duration, files, size};
use weir::event_time;
use weir::finding::{Derivation, Problem};
use weir::key_group;
use weir::memory;
use weir::network;
use weir::reading;
use weir::state;
use weir::state::{rocksdb, slots};
use weir::transaction;

/// Asks a question by its exported name.
pub fn ask(question: &str, params: &Value) -> Value {
    match question {
        "deriveTaskManager" => answer(params, memory::derive_task_manager),
        "deriveJobManager" => answer(params, memory::derive_job_manager),
        "compareMemory" => answer(params, memory::compare_memory),
        "localMemory" => answer(params, memory::local::local_memory),
        "parseDuration" => answer(params, duration::answer),
        "memoryBoundaries" => {
            answer(params, |params| Ok::<_, ConfigError>(memory::backwards::boundaries(params)))
        }
        "readPaste" => answer(params, reading::read_paste),
        "readConfig" => answer(params, files::read),
        "parseMemorySize" => answer(params, |params| size::report(params).map(plain)),
        "networkBuffers" => answer(params, network::network_buffers),
        "rocksdbMemory" => answer(params, rocksdb::rocksdb_memory),
        "slotsSweep" => answer(params, slots::slots_sweep),
        "heapState" => answer(params, state::heap_state),
        "compareBackends" => answer(params, state::compare_backends),
        "runEventTime" => answer(params, event_time::run_event_time),
        "eventTimeAt" => answer(params, event_time::event_time_at),
        "whyNoOutput" => answer(params, event_time::why_no_output),
        "traceWatermarks" => answer(params, event_time::trace_watermarks),
        "assignWindows" => answer(params, event_time::assign_windows),
        "assignKeyGroups" => answer(params, key_group::assign_key_groups),
        "playTransactions" => answer(params, transaction::play_transactions),
        "ttlGrowth" => answer(params, state::ttl_growth),
        "transactionTimeouts" => answer(params, transaction::timeouts::transaction_timeouts),
        "lintTransactions" => answer(params, transaction::lints::lint_transactions),
        "readTransactionText" => answer(params, transaction::read::read_transaction_text),
        _ => panic!("{question} is not asked natively yet"),
    }
}

fn plain<T>(value: T) -> Derivation<T> {
    Derivation { value, findings: Vec::new() }
}

fn answer<P: DeserializeOwned, T: Serialize, E: Into<Problem>>(
    params: &Value,
    question: impl FnOnce(&P) -> Result<Derivation<T>, E>,
) -> Value {
    let params = P::deserialize(params).expect("the replay builds params that parse");
    match question(&params) {
        Ok(Derivation { value, findings }) => {
            json!({ "ok": true, "value": value, "findings": findings })
        }
        Err(error) => json!({ "ok": false, "error": error.into() }),
    }
}
