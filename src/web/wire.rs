//! Parse, ask, serialise, wrap: the four steps of every question.
//!
//! Params come through JSON, because that way an unknown or misspelt field is refused with its path.
//! Answers go out through one serialiser that writes what JSON would.

use std::convert::Infallible;

use js_sys::JSON;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

use crate::finding::{Derivation, Finding, Problem};

/// The most UTF-8 bytes of params that are read; a page reads at most half of it from a file.
const MAX_PARAMS_BYTES: usize = 16 << 20;

/// What goes out: `{ok: true, value, findings}` or `{ok: false, error}`.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer<T> {
    Value { ok: bool, value: T, findings: Vec<Finding> },
    Error { ok: bool, error: Problem },
}

/// For questions that are never refused.
impl From<Infallible> for Problem {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// Asks a question that may be refused.
pub fn ask<P, T, E>(
    params: &JsValue,
    question: impl FnOnce(&P) -> Result<Derivation<T>, E>,
) -> JsValue
where
    P: DeserializeOwned,
    T: Serialize,
    E: Into<Problem>,
{
    tell(parse(params).and_then(|params| question(&params).map_err(Into::into)))
}

/// Writes an answer.
pub fn tell<T: Serialize>(answer: Result<Derivation<T>, Problem>) -> JsValue {
    value(&match answer {
        Ok(Derivation { value, findings }) => Answer::Value { ok: true, value, findings },
        Err(error) => Answer::Error { ok: false, error },
    })
}

/// Writes a plain value.
pub fn value(value: &impl Serialize) -> JsValue {
    value
        .serialize(&Serializer::json_compatible())
        .expect("reports hold no integer beyond 2^53 and no map with keys other than texts")
}

/// Writes an answer whose value is an object with methods.
#[cfg(any(feature = "event-time", feature = "checkpoints", feature = "transactions"))]
pub fn object<T: Into<JsValue>>(answer: Result<T, Problem>) -> JsValue {
    match answer {
        Ok(object) => {
            let answer = tell(Ok(plain(())));
            let is_set = js_sys::Reflect::set(&answer, &"value".into(), &object.into());
            is_set.expect("an answer is a plain object");
            answer
        }
        Err(error) => tell::<()>(Err(error)),
    }
}

/// A value without findings.
#[cfg(any(
    feature = "first",
    feature = "event-time",
    feature = "checkpoints",
    feature = "transactions"
))]
pub fn plain<T>(value: T) -> Derivation<T> {
    Derivation { value, findings: Vec::new() }
}

/// Reads params.
pub fn parse<P: DeserializeOwned>(params: &JsValue) -> Result<P, Problem> {
    let json = JSON::stringify(params)
        .ok()
        .and_then(|text| text.as_string())
        .ok_or_else(|| bad_params("The params must be a plain object.".to_owned(), None))?;
    if json.len() > MAX_PARAMS_BYTES {
        let limit = MAX_PARAMS_BYTES >> 20;
        return Err(bad_params(format!("The params are larger than {limit} MiB."), None));
    }
    let deserializer = &mut serde_json::Deserializer::from_str(&json);
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let path = error.path().to_string();
        let field = (path != ".").then_some(path);
        bad_params(without_place(error.into_inner().to_string()), field)
    })
}

/// A message of the reader without its place in a JSON text that nobody sees; the field says where.
fn without_place(mut message: String) -> String {
    if let Some(at) = message.rfind(" at line ") {
        message.truncate(at);
    }
    message
}

fn bad_params(message: String, field: Option<String>) -> Problem {
    Problem { code: "bad_params".to_owned(), message, field, option: None }
}
