//! What holds for every workload, not only for the measured ones.
#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use serde::Serialize;
use serde_json::Value;
use weir::finding::Problem;
use weir::state::assumptions::Assumptions;
use weir::state::heap::subtask;
use weir::state::layout::{Heap, Scalar, ValueType};
use weir::state::params::{
    Changes, CleanUp, KeySpace, MAX_ELEMENTS, MAX_KEYS, MAX_LENGTH, StateShape, Subtask, TtlParams,
    Workload,
};
use weir::state::{CompareParams, HeapParams, compare_backends, heap_state, table, ttl_growth};
use weir::units::FlinkVersion;

fn scalar() -> impl Strategy<Value = Scalar> {
    let length = || prop_oneof![8 => 0_u32..2000, 1 => 0..=MAX_LENGTH, 1 => any::<u32>()];
    prop_oneof![
        Just(Scalar::Long),
        Just(Scalar::Integer),
        Just(Scalar::Double),
        length().prop_map(|chars| Scalar::String { chars }),
        length().prop_map(|length| Scalar::Bytes { length }),
    ]
}

fn value_type() -> impl Strategy<Value = ValueType> {
    let fields = || prop::collection::vec(scalar(), 0..8);
    prop_oneof![
        scalar().prop_map(ValueType::from),
        fields().prop_map(|fields| ValueType::Pojo { fields }),
        fields().prop_map(|fields| ValueType::Tuple { fields }),
    ]
}

fn count() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0_u64..10_000_000, 2 => 0_u64..=MAX_KEYS, 1 => any::<u64>(), 1 => Just(MAX_ELEMENTS)]
}

fn state() -> impl Strategy<Value = StateShape> {
    prop_oneof![
        value_type().prop_map(|value| StateShape::Value { value }),
        (count(), scalar(), value_type()).prop_map(|(entries, key, value)| StateShape::Map {
            entries,
            key,
            value
        }),
        (count(), value_type())
            .prop_map(|(elements, element)| StateShape::List { elements, element }),
    ]
}

fn share() -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.0_f64..=0.5, 1 => any::<f64>()]
}

prop_compose! {
    fn workload()(
        keys in count(),
        key in scalar(),
        state in state(),
        (ttl, rehash_pending) in any::<(bool, bool)>(),
        parallelism in prop_oneof![8 => 1_u32..200, 1 => any::<u32>()],
        max_parallelism in prop::option::of(prop_oneof![8 => 1_u32..=32_768, 1 => any::<u32>()]),
        compressed_oops in prop::option::of(any::<bool>()),
        (updated_share, read_share) in (share(), share()),
    ) -> Workload {
        Workload {
            keys, key, state, ttl, parallelism, max_parallelism, compressed_oops, rehash_pending,
            updated_share, read_share,
        }
    }
}

fn config(mib: u64) -> std::collections::BTreeMap<String, String> {
    [("taskmanager.memory.process.size".to_owned(), format!("{mib}m"))].into()
}

/// Whether every number of an answer is exact in JavaScript.
fn is_exact(answer: &impl Serialize) -> bool {
    fn exact(value: &Value) -> bool {
        match value {
            Value::Object(fields) => fields.values().all(exact),
            Value::Array(items) => items.iter().all(exact),
            Value::Number(number) => {
                number.is_f64() || number.as_u64().is_none_or(|n| n <= MAX_KEYS)
            }
            _ => true,
        }
    }
    exact(&serde_json::to_value(answer).expect("an answer serialises"))
}

/// A plain `ValueState` whose tables have settled.
fn settled(length: u32, ttl: bool) -> Workload {
    let mut workload = Workload::new(0, Scalar::Long, ValueType::Bytes { length });
    (workload.ttl, workload.rehash_pending) = (ttl, false);
    workload
}

fn bytes(workload: &Workload, keys: u64, compressed_oops: bool) -> i64 {
    let heap = Heap { compressed_oops };
    let one = Subtask { keys, key_groups: 128 };
    let one = subtask(workload, one, heap, &Assumptions::default()).expect("it is small");
    one.during_snapshot().expect("it is small").get()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_workload_is_answered_or_refused_with_its_field(
        workload in workload(),
        mib in prop_oneof![8 => 1000_u64..100_000, 1 => 0_u64..1000],
        updates in count(),
        distinct in prop::option::of(count()),
        sst in prop::option::of(prop_oneof![4 => 1.0_f64..5000.0, 1 => any::<f64>()]),
    ) {
        let params = CompareParams {
            version: FlinkVersion::V1_20,
            config: config(mib),
            start_script: true,
            container_limit: None,
            workload: workload.clone(),
            changes: Changes { updates, distinct, sst_bytes_per_entry: sst },
            assumptions: None,
        };
        let heap = HeapParams {
            version: params.version,
            config: params.config.clone(),
            start_script: true,
            container_limit: None,
            workload,
            assumptions: None,
        };
        for refused in [heap_state(&heap).err(), compare_backends(&params).err()].into_iter().flatten() {
            let problem = Problem::from(refused);
            prop_assert!(problem.field.is_some() || problem.option.is_some() || mib < 1000, "{problem:?}");
        }
        if let Ok(answer) = compare_backends(&params) {
            prop_assert!(is_exact(&answer));
        }
        if let Ok(answer) = heap_state(&heap) {
            prop_assert!(is_exact(&answer));
            let report = answer.value;
            let keys: Vec<u64> = report.boundaries.iter().map(|it| it.keys).collect();
            // A snapshot only adds.
            prop_assert!(keys[1] <= keys[2], "{:?}", keys);
            prop_assert!(report.during_snapshot >= report.bytes);
        }
    }

    #[test]
    fn heap_grows_with_keys_and_values(
        keys in 0_u64..5_000_000, more in 0_u64..1_000_000,
        length in 0_u32..5000, longer in 0_u32..1000,
        (ttl, oops) in any::<(bool, bool)>(),
    ) {
        let small = bytes(&settled(length, ttl), keys, oops);
        prop_assert!(bytes(&settled(length, ttl), keys + more, oops) >= small);
        prop_assert!(bytes(&settled(length + longer, ttl), keys, oops) >= small);
        prop_assert!(bytes(&settled(length, ttl), keys, false) >= bytes(&settled(length, ttl), keys, true));
    }

    #[test]
    fn a_table_has_a_power_of_two_slots_and_room(entries in 0_u64..1 << 29) {
        let slots = table::slots_of(entries);
        prop_assert!(slots.is_power_of_two() && slots >= table::INITIAL_SLOTS);
        prop_assert!(entries <= slots / 4 * 3 + 1, "{entries} in {slots}");
        let one = table::expected(entries, 1, None);
        prop_assert_eq!(one.primary, slots);
    }

    #[test]
    fn the_keys_that_fit_do_fit(keys in 1_000_u64..10_000_000, mib in 1500_u64..20_000, pending in any::<bool>()) {
        let mut workload = Workload::new(keys, Scalar::Long, ValueType::Bytes { length: 100 });
        workload.rehash_pending = pending;
        let ask = |keys: u64| {
            let workload = Workload { keys, ..workload.clone() };
            let params = HeapParams {
                version: FlinkVersion::V2_2, config: config(mib), start_script: true,
                container_limit: None, workload, assumptions: None,
            };
            heap_state(&params).expect("it starts").value
        };
        for boundary in ask(keys).boundaries.iter().filter(|it| it.id == "full") {
            prop_assert!(ask(boundary.keys).bytes <= boundary.limit);
            prop_assert!(ask(boundary.keys + 1).bytes > boundary.limit);
        }
    }

    #[test]
    fn live_keys_are_never_more_than_there_are(
        spaces in prop::collection::vec((count(), prop_oneof![8 => 0.0_f64..1e6, 1 => any::<f64>()]), 0..4),
        ttl_seconds in prop_oneof![4 => 0_u64..1_000_000, 1 => any::<u64>()],
        horizon_seconds in prop_oneof![4 => 0_u64..10_000_000, 1 => any::<u64>()],
        clean_up in prop::sample::select(vec![
            CleanUp::None, CleanUp::FullSnapshot, CleanUp::Incremental1, CleanUp::Incremental5,
            CleanUp::Incremental10EveryRecord, CleanUp::CompactionFilter,
        ]),
    ) {
        let key_spaces = spaces.into_iter()
            .map(|(keys, updates_per_second)| KeySpace { keys, updates_per_second }).collect();
        let params =
            TtlParams { version: FlinkVersion::V1_20, key_spaces, ttl_seconds, clean_up, horizon_seconds };
        match ttl_growth(&params) {
            Ok(answer) => {
                prop_assert!(is_exact(&answer));
                let report = answer.value;
                prop_assert!(report.live <= report.keys && report.stored <= report.keys);
                for point in &report.series {
                    prop_assert!(point.live <= point.stored, "{point:?}");
                    prop_assert!(point.stored <= point.without_clean_up, "{point:?}");
                    prop_assert!(point.without_clean_up <= report.keys, "{point:?}");
                }
            }
            Err(error) => prop_assert!(Problem::from(error).field.is_some()),
        }
    }
}
