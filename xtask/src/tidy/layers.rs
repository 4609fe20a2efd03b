//! Which module may use which, and what the engine may not touch at all.

use super::rust::{code, is_word, line_of, paths};
use super::{Problem, Source};

/// The only module that may know JavaScript.
const BOUNDARY: &str = "web";

/// Crates and names of the JavaScript side.
const JAVASCRIPT: [&str; 6] =
    ["js_sys", "web_sys", "wasm_bindgen", "serde_wasm_bindgen", "JsValue", "tsify"];

/// Modules of std that reach out of the engine.
const OUTSIDE: [&str; 6] = ["time", "fs", "env", "net", "thread", "process"];

/// Names whose answers differ from run to run.
const UNSTEADY: [&str; 3] = ["HashMap", "HashSet", "rand"];

const MACROS: [&str; 7] = ["panic", "todo", "unimplemented", "dbg", "println", "print", "eprintln"];

/// The modules of lib.rs, lowest first.
pub fn order(lib: &str) -> Vec<String> {
    code(lib)
        .lines()
        .filter_map(|line| {
            line.trim().strip_prefix("pub mod ")?.strip_suffix(';').map(str::to_owned)
        })
        .collect()
}

/// The module a file below src/ belongs to, such as `memory`.
pub fn module_of(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("src/")?;
    rest.split('/').next().map(|name| name.strip_suffix(".rs").unwrap_or(name))
}

/// Checks a file of the engine.
pub fn check(source: &Source, layers: &[String]) -> Vec<Problem> {
    let Some(module) = module_of(&source.path) else { return Vec::new() };
    let code = code(&source.text);
    let mut problems = Vec::new();
    for (at, path) in paths(&code) {
        let what = upward(module, &depth_free(&source.path, &path), layers)
            .or_else(|| javascript(module, &path))
            .or_else(|| outside(&path));
        problems.extend(what.map(|what| Problem::new(&source.path, line_of(&code, at), what)));
    }
    for (at, what) in crashes(&code) {
        problems.push(Problem::new(&source.path, line_of(&code, at), what));
    }
    problems
}

/// The path with a `super` that reaches the crate's root written as `crate`.
fn depth_free(file: &str, path: &[String]) -> Vec<String> {
    let depth = file.matches('/').count();
    let ups = path.iter().take_while(|part| *part == "super").count();
    if ups > 0 && ups >= depth {
        return [&["crate".to_owned()], &path[ups..]].concat();
    }
    path.to_vec()
}

fn upward(module: &str, path: &[String], layers: &[String]) -> Option<String> {
    let [root, other, ..] = path else { return None };
    let place = |name: &str| layers.iter().position(|layer| layer == name);
    if root != "crate" || other == module {
        return None;
    }
    let (here, there) = (place(module)?, place(other)?);
    (there > here)
        .then(|| format!("`{module}` uses `{other}`, which is a layer above it in src/lib.rs"))
}

fn javascript(module: &str, path: &[String]) -> Option<String> {
    let name = path.iter().find(|part| JAVASCRIPT.contains(&part.as_str()))?;
    (module != BOUNDARY)
        .then(|| format!("`{name}` outside src/{BOUNDARY}: only the boundary knows JavaScript"))
}

fn outside(path: &[String]) -> Option<String> {
    if let [root, part, ..] = path
        && root == "std"
        && OUTSIDE.contains(&part.as_str())
    {
        return Some(format!(
            "`std::{part}`: the engine reads no clock, file, environment or network"
        ));
    }
    let unsteady = path.iter().find(|part| UNSTEADY.contains(&part.as_str()))?;
    Some(format!("`{unsteady}`: its answers differ from run to run"))
}

/// Ways to stop without an answer.
fn crashes(code: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = code
        .match_indices(".unwrap()")
        .map(|(at, _)| {
            (at, "`.unwrap()`: return an error, or say in `.expect()` why it holds".to_owned())
        })
        .collect();
    for name in MACROS {
        let call = format!("{name}!");
        let calls = code
            .match_indices(&call)
            .filter(|(at, _)| *at == 0 || !is_word(code.as_bytes()[at - 1]));
        found.extend(calls.map(|(at, _)| {
            (at, format!("`{call}`: bad input is an answer, not a crash or a print"))
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::assert_lines;
    use super::*;

    fn layers() -> Vec<String> {
        order("pub mod units;\n\npub mod config;\npub mod memory;\n#[cfg(x)]\npub mod web;\n")
    }

    fn lines(path: &str, text: &str) -> Vec<Problem> {
        check(&Source::sample(path, text), &layers())
    }

    #[test]
    fn the_order_is_that_of_lib_rs() {
        assert_eq!(layers(), ["units", "config", "memory", "web"]);
    }

    #[test]
    fn a_module_uses_only_modules_below_it() {
        let good = "use crate::units::Bytes;\nuse crate::memory::report::X;\nuse super::Y;\n";
        assert_lines(&lines("src/memory/jvm.rs", good), &[]);
        let bad = "use crate::units::Bytes;\nuse crate::{units::A, memory::B};\nuse crate::web;\n";
        assert_lines(&lines("src/config/size.rs", bad), &[2, 3]);
        assert_lines(&lines("src/config/size.rs", "use super::super::memory::A;\n"), &[1]);
        assert_lines(&lines("src/config.rs", "use super::memory::A;\n"), &[1]);
    }

    #[test]
    fn javascript_stays_at_the_boundary() {
        let text = "use wasm_bindgen::JsValue;\n";
        assert_lines(&lines("src/web/wire.rs", text), &[]);
        assert_lines(&lines("src/memory.rs", text), &[1]);
        assert_lines(&lines("src/memory.rs", "// JsValue is named in words only\n"), &[]);
    }

    #[test]
    fn the_engine_reaches_for_nothing_outside() {
        let bad = "use std::time::Instant;\nuse std::{fmt, env};\nlet x: HashMap<A, B>;\nrand::random();\n";
        assert_lines(&lines("src/memory.rs", bad), &[1, 2, 3, 4]);
        let good = "use std::fmt;\nuse std::collections::BTreeMap;\nlet operand = 1;\n\
                    #[cfg(test)]\nmod tests {\n use std::fs;\n}\n";
        assert_lines(&lines("src/memory.rs", good), &[]);
    }

    #[test]
    fn the_engine_does_not_crash_or_print() {
        let bad = "let a = b.unwrap();\npanic!();\ntodo!();\nprintln!();\n";
        assert_lines(&lines("src/memory.rs", bad), &[1, 2, 3, 4]);
        let good = "let a = b.unwrap_or(1);\n/// ```\n/// panic!() and x.unwrap()\nlet s = \"todo!()\";\n\
                    #[cfg(test)]\nmod t { fn f() { x.unwrap(); panic!(); } }\n";
        assert_lines(&lines("src/memory.rs", good), &[]);
    }
}
