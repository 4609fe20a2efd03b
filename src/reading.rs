//! What is this text from the clipboard, and which settings does it stand for?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `TaskExecutorProcessUtils`, `BashJavaUtils`.
