//! Every file says what it is for, and every file with a rule of Flink says where the rule is from.

use super::layers::module_of;
use super::rust::code;
use super::{Problem, Source};

/// Modules that hold no rule of Flink.
const WITHOUT_RULES: [&str; 6] = ["lib", "units", "finding", "panel", "charts", "web"];
/// Files of the other modules that hold none either: params, results, bookkeeping, and what only
/// asks the rules again.
const PLAIN_FILES: [&str; 9] = [
    "/params.rs",
    "/progress.rs",
    "/report.rs",
    "/trace.rs",
    "/boundary.rs",
    "/text.rs",
    "/verdict.rs",
    "/snapshot.rs",
    "_answer.rs",
];

/// Checks a file of the engine.
pub fn check(source: &Source, layers: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let doc: Vec<&str> = source.text.lines().take_while(|line| line.starts_with("//!")).collect();
    if doc.is_empty() {
        let what = "no module doc: begin the file with `//!` and the question it answers";
        problems.push(Problem::new(&source.path, 1, what));
    } else if holds_rules(source, layers) && !doc.iter().any(|line| line.contains("Source:")) {
        let what = "the module doc names no `Source:`, the Flink version and class of its rules";
        problems.push(Problem::new(&source.path, 1, what));
    }
    problems
}

fn holds_rules(source: &Source, layers: &[String]) -> bool {
    let Some(module) = module_of(&source.path) else { return false };
    let is_domain = layers.iter().any(|layer| layer == module) && !WITHOUT_RULES.contains(&module);
    let is_plain = PLAIN_FILES.iter().any(|name| source.path.ends_with(name));
    is_domain && !is_plain && has_items(&code(&source.text))
}

/// Whether the code has a function or a constant.
fn has_items(code: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word == "fn" || word == "const")
}

#[cfg(test)]
mod tests {
    use super::super::assert_lines;
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<Problem> {
        let layers = ["units", "config", "memory"].map(str::to_owned);
        check(&Source::sample(path, text), &layers)
    }

    #[test]
    fn every_file_has_a_module_doc() {
        assert_lines(&lines("src/units.rs", "use x;\n//! Late.\n"), &[1]);
        assert_lines(&lines("src/units.rs", "//! Units.\nfn f() {}\n"), &[]);
    }

    #[test]
    fn files_with_rules_name_their_source() {
        assert_lines(&lines("src/memory/jvm.rs", "//! JVM.\nconst A: u8 = 1;\n"), &[1]);
        assert_lines(
            &lines("src/memory/jvm.rs", "//! JVM.\n//!\n//! Source: Flink.\nfn f() {}\n"),
            &[],
        );
        assert_lines(&lines("src/memory.rs", "//! Facade.\npub mod jvm;\n"), &[]);
        assert_lines(&lines("src/memory/report.rs", "//! Plain.\nfn f() {}\n"), &[]);
        assert_lines(&lines("src/memory/a.rs", "//! A.\n#[cfg(test)]\nmod t { fn f() {} }\n"), &[]);
    }
}
