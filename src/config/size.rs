//! `MemorySize`: the texts it accepts and the texts it prints.
