//! The readers of pasted texts as a wasm module of their own.
//!
//! They are half of the engine's weight and needed only when something is pasted or exported, so
//! the page fetches them then. Everything here is `weir`'s, compiled with only those questions.

#[cfg(target_arch = "wasm32")]
pub use weir::web;
