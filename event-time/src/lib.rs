//! The event-time tool's questions and its long runs, as a wasm module of their own.
//!
//! Its loops run over millions of records, so it is compiled for speed where the other modules are
//! compiled for size, and the page fetches it when the tool is opened. Everything here is `weir`'s.

#[cfg(target_arch = "wasm32")]
pub use weir::web;
