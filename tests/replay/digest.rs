//! One number for all answers to a file's rows, so that native code and wasm can be held together.

use std::cell::RefCell;

use serde_json::Value;

use super::{Ask, replay_of};

/// What native code answered, a digest a file.
#[cfg(target_arch = "wasm32")]
pub const GOLDEN: &str = include_str!("../golden/answers.txt");

/// The digest of every whole answer (values, findings, steps, errors) to the rows of a file.
pub fn of_answers(ask: Ask<'_>, file: &str, rows: &str) -> String {
    let replay = replay_of(file).expect("the file has a replay");
    let state = RefCell::new(0xcbf2_9ce4_8422_2325_u64);
    let listening = |question: &str, params: &Value| {
        let answer = ask(question, params);
        let mut text = String::new();
        canonical(&answer, &mut text);
        let mut hash = state.borrow_mut();
        for byte in text.bytes() {
            *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        answer
    };
    for line in rows.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        replay(&listening, &row);
    }
    format!("{file} {:016x}", state.into_inner())
}

/// JSON with sorted keys; numbers in a form that does not depend on who printed them.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().collect();
            keys.sort();
            for key in keys {
                out.push_str(key);
                out.push('=');
                canonical(&fields[key], out);
                out.push(';');
            }
        }
        Value::Array(items) => {
            for item in items {
                canonical(item, out);
                out.push(',');
            }
        }
        Value::Number(number) => match number.as_f64() {
            // JavaScript prints 1.0 as 1; reading a double back may move its last digit.
            Some(double) if number.is_f64() && double.fract() != 0.0 => {
                out.push_str(&format!("{double:.12e}"));
            }
            Some(double) if number.is_f64() => out.push_str(&format!("{double}")),
            _ => out.push_str(&number.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}
