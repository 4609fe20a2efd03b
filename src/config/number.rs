//! `Float.parseFloat` and `Integer.parseInt` as Flink uses them for options.
