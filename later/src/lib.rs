//! The questions that the first answer does not need, as a wasm module of their own.
//!
//! Reading pasted texts and describing workloads is most of the engine's weight, so the page fetches
//! it when one of these questions is asked. Everything here is `weir`'s, compiled with them alone.

#[cfg(target_arch = "wasm32")]
pub use weir::web;
