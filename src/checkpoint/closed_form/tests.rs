//! The sums against the simulation.
//!
//! Source: none; numbers are those of jobs that were measured on Flink 1.20.5.

use proptest::prelude::*;

use super::*;
use crate::checkpoint::job::{Placement, UploadLink, UploadPer};
use crate::checkpoint::random::ServiceTime;
use crate::checkpoint::report::CheckpointStatus;
use crate::checkpoint::scenario::{ScenarioEdge, ScenarioVertex, Skew};
use crate::checkpoint::{samples, simulate_scenario};

fn scenario(change: impl FnOnce(&mut Scenario)) -> Scenario {
    let mut scenario = samples::scenario();
    scenario.checkpointing.interval_ms = 20_000;
    change(&mut scenario);
    scenario
}

fn report(scenario: &Scenario) -> ClosedFormReport {
    closed_form(scenario).expect("the scenario can be").value
}

/// End-to-end times of the completed checkpoints [ms].
fn simulated(scenario: &Scenario) -> Vec<f64> {
    let report = simulate_scenario(scenario).expect("the scenario can be").value;
    let completed = report.checkpoints.iter().filter(|it| it.status == CheckpointStatus::Completed);
    completed.map(|it| it.end_to_end_ms as f64).collect()
}

#[track_caller]
fn check(scenario: &Scenario, form: Form, exact_ms: f64, within: f64) {
    let it = report(scenario);
    assert_eq!(it.applies, Some(form), "{it:#?}");
    let ms = it.end_to_end_ms.expect("it applies");
    assert!((ms - exact_ms).abs() < 1.0, "{ms} ms instead of {exact_ms}");
    let times = simulated(scenario);
    assert!(!times.is_empty());
    for time in times {
        assert!((time - ms).abs() <= ms * within, "{time} ms simulated, {ms} ms by the form");
    }
}

#[test]
fn a_full_remote_channel_takes_its_buffers_times_the_service_time() {
    // 42.67 records a buffer, 9 + 10 - 0.5 buffers, 10 ms a record: 7995 ms on Flink.
    check(&scenario(|_| {}), Form::SaturatedFanIn, 7893.3, 0.05);
}

#[test]
fn a_local_channel_holds_less_than_half_of_it() {
    let it = scenario(|it| it.network.placement = Placement::Local);
    // 3853 ms on Flink.
    check(&it, Form::SaturatedFanIn, 3626.7, 0.059);
}

#[test]
fn four_full_channels_share_the_floating_buffers() {
    let it = scenario(|it| {
        it.vertices[0].parallelism = 4;
        it.vertices[1].service = vec![ServiceTime::Constant { mean_us: 2500.0 }];
    });
    check(&it, Form::SaturatedFanIn, 5493.3, 0.05);
}

/// Two sources, two operators, one slow sink: 16.8 s on Flink, of which its service was 7 % slow.
fn chain() -> Scenario {
    scenario(|it| {
        it.vertices[0].parallelism = 2;
        it.vertices[1].parallelism = 2;
        it.vertices[1].service = vec![ServiceTime::Constant { mean_us: 0.0 }];
        it.vertices.push(ScenarioVertex {
            name: "sink".to_owned(),
            service: vec![ServiceTime::Constant { mean_us: 5000.0 }],
            ..ScenarioVertex::default()
        });
        it.edges.push(ScenarioEdge { from: 1, to: 2, ..it.edges[0].clone() });
        it.checkpointing.interval_ms = 40_000;
        it.checkpointing.first_trigger_ms = Some(20_000);
        it.run_ms = 90_000;
    })
}

#[test]
fn a_chain_is_drained_queue_after_queue_at_the_rate_of_its_slowest() {
    check(&chain(), Form::ChainShare, 15_680.0, 0.07);
}

#[test]
fn a_timeout_cuts_it_short_and_a_lag_is_what_it_is() {
    let it = scenario(|it| {
        it.checkpointing.mode = Mode::Timeout;
        it.checkpointing.aligned_checkpoint_timeout_ms = 1000;
    });
    check(&it, Form::AlignedTimeout, 1000.0, 0.01);
    for mode in [Mode::Aligned, Mode::Timeout, Mode::Unaligned, Mode::AtLeastOnce] {
        let it = scenario(|it| {
            it.checkpointing.mode = mode;
            it.checkpointing.aligned_checkpoint_timeout_ms = 1000;
            it.vertices[0].parallelism = 2;
            it.vertices[1].service = vec![ServiceTime::Constant { mean_us: 100.0 }];
            let source = it.vertices[0].source.as_mut().expect("a source");
            (source.rate, source.lag_ms) = (vec![1000.0], vec![2000, 0]);
        });
        check(&it, Form::SourceLag, 2000.0, 0.01);
    }
}

#[test]
fn a_snapshot_comes_on_top() {
    let it = scenario(|it| {
        it.vertices[1].sync_ms = 300;
        it.vertices[1].async_ms = 200;
        it.vertices[1].state.bytes = vec![1e6];
        it.checkpointing.upload =
            Some(UploadLink { bytes_per_second: 1e6, per: UploadPer::TaskManager });
    });
    check(&it, Form::SaturatedFanIn, 7893.3 + 1500.0, 0.05);
}

/// What each completed checkpoint wrote of records in flight [B].
fn persisted(scenario: &Scenario) -> Vec<f64> {
    let report = simulate_scenario(scenario).expect("the scenario can be").value;
    let completed = report.checkpoints.iter().filter(|it| it.status == CheckpointStatus::Completed);
    completed.map(|it| it.persisted_bytes as f64).collect()
}

/// The bytes of a form against the simulation, within a share and a buffer of each subtask that reads.
#[track_caller]
fn check_persisted(scenario: &Scenario, form: Form, exact: f64, within: f64) {
    let it = report(scenario);
    assert_eq!(it.applies, Some(form), "{it:#?}");
    let outcome = it.forms.iter().find(|it| it.form == form).expect("it is there");
    let bytes = outcome.persisted_bytes.expect("it says");
    assert!((bytes - exact).abs() < 1.0, "{bytes} B instead of {exact}");
    let read = scenario.network.segment_bytes as f64 * f64::from(scenario.vertices[1].parallelism);
    let simulated = persisted(scenario);
    assert!(!simulated.is_empty());
    for it in simulated {
        assert!(
            (it - bytes).abs() <= bytes * within + read,
            "{it} B simulated, {bytes} B by the form"
        );
    }
}

#[test]
fn barriers_that_overtake_wait_for_the_record_in_service_and_write_the_queue() {
    // 97 ms and 68528 B on Flink, where checkpoints followed each other after 1.5 s.
    let it = scenario(|it| it.checkpointing.mode = Mode::Unaligned);
    check_persisted(&it, Form::Unaligned, 18.5 * 4096.0, 0.02);
    let form = report(&it);
    assert_eq!((form.end_to_end_ms, form.forms[4].phase_ms), (Some(5.0), 5.0));
    assert!(simulated(&it).iter().all(|it| *it <= 10.0), "{:?}", simulated(&it));
    let chained = Scenario { seed: 3, ..chain() };
    let mut chained = Scenario { run_ms: 120_000, ..chained };
    chained.checkpointing.mode = Mode::Unaligned;
    let bytes = report(&chained).forms[4].persisted_bytes.expect("it says");
    for it in persisted(&chained) {
        // A buffer for each of the three subtasks that read.
        assert!((it - bytes).abs() <= bytes * 0.02 + 3.0 * 4096.0, "{it} B simulated, {bytes} B");
    }
}

#[test]
fn after_the_timeout_what_is_left_is_written() {
    // 66640, 65772 and 45072 B on Flink, where checkpoints followed each other after 1.5 s.
    for (timeout_ms, exact) in [(100, 74_816.0), (500, 70_976.0), (3000, 46_976.0)] {
        let it = scenario(|it| {
            it.checkpointing.mode = Mode::Timeout;
            it.checkpointing.aligned_checkpoint_timeout_ms = timeout_ms;
        });
        check_persisted(&it, Form::AlignedTimeout, exact, 0.02);
    }
}

#[test]
fn one_channel_at_least_once_is_as_one_that_is_aligned() {
    let it = scenario(|it| it.checkpointing.mode = Mode::AtLeastOnce);
    check(&it, Form::SaturatedFanIn, 7893.3, 0.05);
}

#[test]
fn local_channels_among_remote_ones_hold_no_buffers_of_the_receiver() {
    let it = scenario(|it| {
        it.vertices[0].parallelism = 4;
        it.vertices[1].service = vec![ServiceTime::Constant { mean_us: 2500.0 }];
        it.network.placement = Placement::Slots { slots_per_task_manager: 2 };
    });
    // 4 × 9 + 2 × 2 + 8 − 0.5 − 2 × 0.5 buffers.
    check(&it, Form::SaturatedFanIn, 4960.0, 0.05);
}

#[test]
fn a_slow_subtask_stops_its_sender_while_the_other_is_idle() {
    let it = scenario(|it| {
        it.vertices[1].parallelism = 2;
        let service = |mean_us| ServiceTime::Constant { mean_us };
        it.vertices[1].service = vec![service(100.0), service(10_000.0)];
    });
    // 9 + 9.5 buffers: max-buffers-per-channel is less than the pool.
    check(&it, Form::SkewedSubtask, 7893.3, 0.05);
    let it = scenario(|it| {
        it.vertices[0].parallelism = 2;
        it.vertices[1].parallelism = 3;
        it.vertices[1].service = vec![ServiceTime::Constant { mean_us: 4000.0 }];
        it.edges[0].skew = Skew::Weights { weights: vec![1.0, 4.0, 1.0] };
    });
    // 2 × 9 + 2 × 2 + 8 − 0.5 buffers of 42.67 records.
    check(&it, Form::SkewedSubtask, 5034.7, 0.05);
}

#[test]
fn a_lag_behind_a_full_queue_comes_too_late_to_count() {
    let it = scenario(|it| {
        it.vertices[0].source.as_mut().expect("a source").lag_ms = vec![2000];
    });
    check(&it, Form::SaturatedFanIn, 7893.3, 0.05);
}

#[test]
fn where_none_applies_the_reason_is_given() {
    type Change = fn(&mut Scenario);
    let cases: [(Change, &str); 12] = [
        (
            |it| {
                it.checkpointing.mode = Mode::Unaligned;
                it.vertices[1].sync_ms = 300;
            },
            "there is no sum for it with barriers that overtake",
        ),
        (
            |it| {
                it.checkpointing.mode = Mode::Unaligned;
                it.vertices[1].service = vec![ServiceTime::Exponential { mean_us: 10_000.0 }];
            },
            "may take any time",
        ),
        (
            |it| {
                it.checkpointing.mode = Mode::AtLeastOnce;
                it.vertices[0].parallelism = 2;
            },
            "records behind a barrier",
        ),
        (
            |it| {
                it.vertices[1].parallelism = 2;
                it.edges[0].skew = Skew::Weights { weights: vec![9.0, 10.0] };
            },
            "No subtask is much slower",
        ),
        (
            |it| {
                it.checkpointing.mode = Mode::Timeout;
                it.checkpointing.aligned_checkpoint_timeout_ms = 1000;
                it.vertices[0].source.as_mut().expect("a source").lag_ms = vec![500];
            },
            "with aligned barriers only",
        ),
        (|it| it.network.buffer_debloat.enabled = true, "debloating"),
        (
            |it| {
                it.vertices[0].parallelism = 4;
                it.vertices[1].parallelism = 4;
                it.network.placement = Placement::Slots { slots_per_task_manager: 2 };
            },
            "one kind",
        ),
        (
            |it| it.vertices[0].source.as_mut().expect("a source").rate = vec![10.0],
            "No vertex is offered",
        ),
        (|it| it.vertices[0].source.as_mut().expect("a source").rate = vec![101.0], "full after"),
        (|it| it.checkpointing.interval_ms = 5000, "of an interval of"),
        (|it| it.checkpointing.timeout_ms = 5000, "expires after 5000 ms"),
        (
            |it| {
                it.vertices[0].parallelism = 2;
                it.vertices[0].source.as_mut().expect("a source").rate = vec![10_000.0, 10.0];
            },
            "less than its turn",
        ),
    ];
    for (change, reason) in cases {
        let it = report(&scenario(change));
        assert_eq!(it.applies, None, "{reason}");
        let whys: Vec<String> = it.forms.iter().filter_map(|it| it.why_not.clone()).collect();
        assert!(whys.iter().any(|it| it.contains(reason)), "{reason}: {whys:#?}");
        assert!(it.verdict.starts_with("No closed form applies"), "{}", it.verdict);
    }
}

/// Scenarios in the range of the sum for full channels.
fn saturated() -> impl Strategy<Value = Scenario> {
    let sizes = (1..5_u32, any::<bool>(), any::<u32>());
    let buffers = (2..5_u32, 4..12_u32, 8..14_u32, 4..60_u64, 30..400_u64);
    (sizes, buffers, 1000.0..4000.0_f64, 3.0..30.0_f64).prop_map(
        |((sources, local, seed), (exclusive, floating, most, records, bytes), service, times)| {
            scenario(|it| {
                it.seed = seed;
                it.vertices[0].parallelism = sources;
                let turn = 1e6 / service / f64::from(sources);
                it.vertices[0].source.as_mut().expect("a source").rate = vec![turn * times];
                it.vertices[1].service = vec![ServiceTime::Constant { mean_us: service }];
                it.edges[0].record_bytes = bytes;
                it.network.placement = if local { Placement::Local } else { Placement::Remote };
                // Not a whole number of records, since records span buffers.
                it.network.segment_bytes = records * bytes + bytes / 3;
                it.network.buffers_per_channel = exclusive;
                it.network.floating_buffers_per_gate = floating;
                it.network.max_buffers_per_channel = most;
                // Time for the queues to fill, whatever was drawn: 12 s of records at the most.
                it.checkpointing.interval_ms = 40_000;
                it.checkpointing.first_trigger_ms = Some(12_000);
                it.run_ms = 50_000;
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_sum_for_full_channels_is_what_the_simulation_gives(scenario in saturated()) {
        let it = report(&scenario);
        let Some(ms) = it.end_to_end_ms else {
            // Longer than the interval leaves room for.
            return Ok(());
        };
        prop_assert_eq!(it.applies, Some(Form::SaturatedFanIn));
        let within = ms * 0.059 + it.forms[1].phase_ms;
        for time in simulated(&scenario) {
            prop_assert!((time - ms).abs() <= within, "{} ms simulated, {} ± {} ms", time, ms, within);
        }
    }

    #[test]
    fn the_sum_for_a_chain_is_what_the_simulation_gives(
        (sources, operators, service, records) in (1..4_u32, 1..4_u32, 1000.0..5000.0_f64, 8..40_u64)
    ) {
        let mut scenario = chain();
        scenario.vertices[0].parallelism = sources;
        scenario.vertices[1].parallelism = operators;
        scenario.vertices[2].service = vec![ServiceTime::Constant { mean_us: service }];
        scenario.network.segment_bytes = records * 96 + 32;
        scenario.run_ms = 55_000;
        let it = report(&scenario);
        let Some(ms) = it.end_to_end_ms else { return Ok(()) };
        let within = ms * 0.07 + it.forms[1].phase_ms;
        for time in simulated(&scenario) {
            prop_assert!((time - ms).abs() <= within, "{} ms simulated, {} ± {} ms", time, ms, within);
        }
    }

    #[test]
    fn the_sums_of_skew_slots_and_overtaking_are_what_the_simulation_gives(
        base in saturated(), kind in 0..3_u8, weight in 2.0..9.0_f64, slots in 1..4_u32
    ) {
        let mut scenario = base;
        match kind {
            0 => {
                scenario.vertices[1].parallelism = 3;
                scenario.edges[0].skew = Skew::Weights { weights: vec![1.0, weight, 1.0] };
                scenario.vertices[0].source.as_mut().expect("a source").rate[0] *= 3.0;
            }
            1 => scenario.network.placement = Placement::Slots { slots_per_task_manager: slots },
            _ => scenario.checkpointing.mode = Mode::Unaligned,
        }
        let it = report(&scenario);
        let Some(form) = it.applies else { return Ok(()) };
        let expected = [Form::SkewedSubtask, Form::SaturatedFanIn, Form::Unaligned];
        prop_assert_eq!(form, expected[usize::from(kind)]);
        let outcome = it.forms.iter().find(|it| it.form == form).expect("it is there");
        let ms = outcome.end_to_end_ms.expect("it applies");
        for time in simulated(&scenario) {
            let within = ms * 0.07 + outcome.phase_ms + 1.0;
            prop_assert!((time - ms).abs() <= within, "{} ms simulated, {} ± {} ms", time, ms, within);
        }
        if let Some(bytes) = outcome.persisted_bytes {
            let read = scenario.network.segment_bytes as f64
                * f64::from(scenario.vertices[0].parallelism + 1);
            for it in persisted(&scenario) {
                prop_assert!((it - bytes).abs() <= bytes * 0.07 + read, "{} B simulated, {} B", it, bytes);
            }
        }
    }
}
