//! The boundary to JavaScript: one exported function per question, plain objects in, an `Answer`
//! out. The only module that names JavaScript; nothing here computes.
//!
//! The shapes are in `web/types.ts` and, for a simulator, in a file of its own; they travel into the
//! generated declarations.

#[cfg(feature = "checkpoints")]
pub mod checkpoint_run;
#[cfg(feature = "checkpoints")]
pub mod checkpoint_what_if;
#[cfg(feature = "checkpoints")]
pub mod checkpoints;
#[cfg(feature = "event-time")]
pub mod event_run;
#[cfg(feature = "event-time")]
pub mod event_stream;
#[cfg(feature = "event-time")]
pub mod event_time;
#[cfg(feature = "later")]
pub mod later;
#[cfg(feature = "first")]
pub mod questions;
#[cfg(feature = "transactions")]
pub mod transactions;
mod wire;

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("web/types.ts");

#[cfg(feature = "checkpoints")]
#[wasm_bindgen(typescript_custom_section)]
const CHECKPOINT_TYPES: &str = include_str!("web/checkpoints.ts");

#[cfg(feature = "transactions")]
#[wasm_bindgen(typescript_custom_section)]
const TRANSACTION_TYPES: &str = include_str!("web/transactions.ts");

/// Sends a panic's message to the console before the instance traps; the worker is restarted then.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        web_sys::console::error_1(&format!("engine fault: {info}").into());
    }));
}
