//! The declarations of what-ifs and closed forms.

use serde_json::json;

use weir::checkpoint::{Scenario, WhatIf, WhatIfParams, closed_form};

use super::check;

#[test]
fn what_ifs_and_closed_forms_are_as_declared() {
    let service = json!([{ "kind": "constant", "meanUs": 20_000.0 }]);
    let scenario = json!({
        "vertices": [
            { "name": "source", "source": { "rate": [1000.0] } },
            { "name": "sink", "service": service },
        ],
        "edges": [{ "from": 0, "to": 1, "exchange": "hash", "recordBytes": 100 }],
        "network": { "segmentBytes": 512 },
        "checkpointing": {
            "intervalMs": 1000, "timeoutMs": 500, "firstTriggerMs": 1000, "tolerableFailedCheckpoints": 9,
        },
        "runMs": 4000,
        "seed": 1,
    });
    let params = json!({
        "scenario": scenario,
        "objectiveMs": 400,
        "allowedShare": 0.0,
        "parts": ["modes", "changes", "margins"],
        "knobs": ["lag", "interval"],
        "flink": "1.20",
    });
    check("WhatIfParams", &params);
    let params: WhatIfParams = serde_json::from_value(params).expect("the params parse");
    let mut what_if = WhatIf::new(params).expect("the params are accepted");
    check("WhatIfProgress", &what_if.advance(1));
    let report = what_if.finish().value;
    check("WhatIfReport", &report);
    check("RunFigures", report.before.as_ref().expect("it was run"));
    check("Sla", report.sla.as_ref().expect("it was judged"));
    check("Thrashing", report.thrashing.as_ref().expect("all expire"));
    check("ModeOutcome", &report.modes);
    check("ChangeOutcome", &report.changes);
    check("ConfigChange", &report.changes[0].apply);
    check("Margin", &report.margins);

    let mut scenario: Scenario = serde_json::from_value(scenario).expect("the scenario parses");
    scenario.checkpointing.timeout_ms = 600_000;
    scenario.checkpointing.interval_ms = 10_000;
    scenario.checkpointing.first_trigger_ms = Some(3000);
    let report = closed_form(&scenario).expect("the scenario is accepted").value;
    check("ClosedFormReport", &report);
    check("FormOutcome", &report.forms);
    let steps = report.forms.iter().flat_map(|it| it.steps.clone());
    check("FormStep", &steps.collect::<Vec<_>>());
}
