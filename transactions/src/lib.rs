//! The Exactly-once tool's questions and its long runs, as a wasm module of their own.
//!
//! It is compiled for speed, and the page fetches it when the tool is opened. Everything here is
//! `weir`'s.

#[cfg(target_arch = "wasm32")]
pub use weir::web;
