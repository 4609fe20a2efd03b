//! How many network buffers does a job need, and how many does it want?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `NettyShuffleUtils`.
