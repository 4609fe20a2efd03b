//! Length and layout of files, and which machine a test is for.

use super::{Problem, Source};

/// No file of code or prose is longer [lines].
const LINES_MAX: usize = 600;
/// From here on a file should be thought about [lines].
const LINES_WARN: usize = 400;
/// A map that is longer than the country helps nobody [lines].
const ARCHITECTURE_LINES_MAX: usize = 200;

/// Files that are one table or one listing by nature.
const LONG_BY_NATURE: [&str; 3] =
    ["src/web/types.ts", "src/web/checkpoints.ts", "src/web/transactions.ts"];

/// Lines, blanks and tabs of any file written by hand.
pub fn check(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    if is_generated(source) {
        return problems;
    }
    let count = source.text.lines().count();
    if let Some(max) = lines_max(source).filter(|max| count > *max) {
        let what = format!("{count} lines; at most {max}, so split it by concern");
        problems.push(Problem::new(&source.path, count, what));
    }
    for (at, line) in source.text.lines().enumerate() {
        if line.ends_with([' ', '\t', '\r']) {
            problems.push(Problem::new(&source.path, at + 1, "the line ends in a blank"));
        }
        if line.starts_with('\t') && source.is_a(&["rs", "js", "mjs"]) {
            problems.push(Problem::new(&source.path, at + 1, "indented with a tab; use spaces"));
        }
    }
    if is_test_crate(&source.path) && !source.text.contains("target_arch = \"wasm32\"") {
        // wasm-pack compiles every test to wasm, whichever it is asked to run.
        let what = "begin with #![cfg(target_arch = \"wasm32\")], or with its opposite";
        problems.push(Problem::new(&source.path, 1, what));
    }
    if !source.text.is_empty() && !source.text.ends_with('\n') {
        problems.push(Problem::new(&source.path, count, "the last line does not end"));
    }
    problems
}

/// A file that grows long.
pub fn warning(source: &Source) -> Option<Problem> {
    let count = source.text.lines().count();
    let is_long =
        lines_max(source) == Some(LINES_MAX) && (LINES_WARN + 1..=LINES_MAX).contains(&count);
    is_long.then(|| Problem::new(&source.path, count, format!("{count} lines; over {LINES_WARN}")))
}

fn lines_max(source: &Source) -> Option<usize> {
    match source.path.as_str() {
        "ARCHITECTURE.md" => Some(ARCHITECTURE_LINES_MAX),
        path if LONG_BY_NATURE.contains(&path) => None,
        _ => source.is_a(&["rs", "js", "mjs", "ts", "css", "html", "md"]).then_some(LINES_MAX),
    }
}

/// Whether cargo makes a test of its own of the file.
fn is_test_crate(path: &str) -> bool {
    path.strip_prefix("tests/").is_some_and(|name| name.ends_with(".rs") && !name.contains('/'))
}

/// Lock files, and goldens that the engine wrote.
fn is_generated(source: &Source) -> bool {
    source.path.ends_with("package-lock.json") || source.path.starts_with("tests/golden/")
}

#[cfg(test)]
mod tests {
    use super::super::assert_lines;
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<Problem> {
        check(&Source::sample(path, text))
    }

    #[test]
    fn files_end_and_are_not_too_long() {
        assert_lines(&lines("src/a.rs", &"x\n".repeat(600)), &[]);
        assert_lines(&lines("src/a.rs", &"x\n".repeat(601)), &[601]);
        assert_lines(&lines("ARCHITECTURE.md", &"x\n".repeat(201)), &[201]);
        assert_lines(&lines("src/web/types.ts", &"x\n".repeat(900)), &[]);
        assert_lines(&lines("src/a.json", &"1\n".repeat(900)), &[]);
    }

    #[test]
    fn tests_say_where_they_run() {
        assert_lines(&lines("tests/a.rs", "#![cfg(target_arch = \"wasm32\")]\n"), &[]);
        assert_lines(&lines("tests/a.rs", "#![cfg(not(target_arch = \"wasm32\"))]\n"), &[]);
        assert_lines(&lines("tests/a.rs", "use x;\n"), &[1]);
        assert_lines(&lines("tests/replay/a.rs", "use x;\n"), &[]);
    }

    #[test]
    fn long_files_are_warned_about() {
        let warned = |count| warning(&Source::sample("src/a.rs", &"x\n".repeat(count))).is_some();
        assert!(!warned(400) && warned(401) && warned(600) && !warned(601));
    }

    #[test]
    fn blanks_are_where_they_belong() {
        assert_lines(&lines("src/a.rs", "a \n\tb\nc"), &[1, 2, 3]);
        assert_lines(&lines("www/a.css", "a {\n\tb: c;\n}\n"), &[]);
        assert_lines(&lines("tests/golden/a.md", "a \nb"), &[]);
    }
}
