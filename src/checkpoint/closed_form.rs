//! What can be said of a checkpoint without simulating it.
//!
//! Source: the rules of LocalBufferPool and BufferManager of Flink 1.20.5 put into sums. A full
//! sender holds one buffer less than its limit, since it stops when it takes the last one; a full
//! receiver holds its exclusive and floating buffers, of which one is half read. A local channel has
//! no receiver's buffers, and what is read is the sender's.

use serde::Serialize;

use super::params::{CheckpointParams, Mode, Topology};

/// A closed form with its numbers put in.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClosedForm {
    /// End-to-end time [ms].
    pub end_to_end_ms: f64,
    /// The sum, in words and numbers.
    pub because: String,
}

/// The end-to-end time, where a closed form holds: a lag before an empty queue, a single operator
/// behind full channels, and the timeout that cuts it short.
pub fn closed_form(params: &CheckpointParams, mode: Mode) -> Option<ClosedForm> {
    let queue = saturated_fan_in(params);
    if params.lag_ms > 0 {
        let idle = params.topo == Topology::FanIn && params.svc_us.iter().all(|it| *it <= 0.0);
        return idle.then(|| ClosedForm {
            end_to_end_ms: params.lag_ms as f64,
            because: format!(
                "The barrier of the lagging source leaves when its thread is free, {} ms after the \
                 trigger. Every mode waits for it.",
                params.lag_ms
            ),
        });
    }
    match mode {
        Mode::Aligned => queue,
        Mode::Timeout => queue.map(|queue| {
            let timeout = params.aligned_timeout_ms as f64;
            if queue.end_to_end_ms <= timeout {
                return queue;
            }
            ClosedForm {
                end_to_end_ms: timeout,
                because: format!(
                    "Aligned it would take {:.0} ms. After {timeout} ms barriers overtake what is \
                     still in front of them.",
                    queue.end_to_end_ms
                ),
            }
        }),
        Mode::Unaligned | Mode::AtLeastOnce => None,
    }
}

fn saturated_fan_in(params: &CheckpointParams) -> Option<ClosedForm> {
    let service_us = params.svc_us.first().copied().filter(|it| *it > 0.0)?;
    let sources = f64::from(params.sources);
    // Each channel is full only if each source offers more than its turn of the operator.
    let turn_per_s = 1e6 / service_us / sources;
    let full = params.rate.iter().all(|rate| *rate > turn_per_s);
    if params.topo != Topology::FanIn || params.operators != 1 || !full || params.debloat {
        return None;
    }
    let records = params.segment as f64 / params.record_bytes() as f64;
    let limit = (params.excl + params.floating).min(params.max_per_channel);
    let sender = sources * f64::from(limit.saturating_sub(1));
    let receiver = match params.remote {
        true => f64::from(params.excl) * sources + f64::from(params.floating) - 0.5,
        false => -0.5 * sources,
    };
    let end_to_end_ms = service_us * records * (sender + receiver) / 1000.0;
    Some(ClosedForm {
        end_to_end_ms,
        because: format!(
            "{sender} full buffers at the senders and {receiver:+} at the receiver, of {records:.1} \
             records each, at {service_us} µs a record: {end_to_end_ms:.0} ms."
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{samples, simulate};
    use super::*;

    #[track_caller]
    fn check(params: &CheckpointParams, mode: Mode, exact_ms: f64) {
        let closed = closed_form(params, mode).expect("a case with a closed form");
        assert!((closed.end_to_end_ms - exact_ms).abs() < 1.0, "{}", closed.because);
        let report = simulate(params, mode, &[], 1).expect("params that can be").value;
        let simulated = report.checkpoints[1].end_to_end_ms as f64;
        let error = (simulated - exact_ms).abs() / exact_ms;
        assert!(error < 0.05, "{simulated} ms simulated, {}", closed.because);
    }

    #[test]
    fn a_full_remote_channel_takes_its_buffers_times_the_service_time() {
        // 42.67 records a buffer, 9 + 10 - 0.5 buffers, 10 ms a record.
        check(&samples::full_queue(), Mode::Aligned, 7893.3);
    }

    #[test]
    fn a_local_channel_holds_less_than_half_of_it() {
        let params = CheckpointParams { remote: false, ..samples::full_queue() };
        check(&params, Mode::Aligned, 3626.7);
    }

    #[test]
    fn four_full_channels_share_the_floating_buffers() {
        let params = CheckpointParams { sources: 4, svc_us: vec![2500.0], ..samples::full_queue() };
        check(&params, Mode::Aligned, 5493.3);
    }

    #[test]
    fn a_timeout_cuts_it_short_and_a_lag_is_what_it_is() {
        check(&samples::full_queue(), Mode::Timeout, 1000.0);
        let lag = CheckpointParams {
            sources: 2,
            lag_ms: 2000,
            svc_us: vec![0.0],
            rate: vec![1000.0],
            ..samples::full_queue()
        };
        for mode in [Mode::Aligned, Mode::Timeout, Mode::Unaligned] {
            check(&lag, mode, 2000.0);
        }
    }

    #[test]
    fn there_is_none_where_a_channel_is_nearly_idle() {
        let params =
            CheckpointParams { sources: 2, rate: vec![10_000.0, 10.0], ..samples::full_queue() };
        assert_eq!(closed_form(&params, Mode::Aligned), None);
    }
}
