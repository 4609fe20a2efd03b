//! Reads the source tree and says, line by line, where it breaks the project's own rules.
//!
//! Every check is a function from text to problems, tested on a good and a bad sample. The rules
//! they guard are listed as invariants in ARCHITECTURE.md.

mod layers;
mod page;
mod palette;
mod questions;
mod rust;
mod shape;
mod sources;
mod words;

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{accuracy, project};

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    file: String,
    line: usize,
    what: String,
}

impl Problem {
    /// A problem in a file at a line, counted from 1.
    pub fn new(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// A file of the project: its path from the root, with forward slashes, and its text.
#[derive(Debug, Clone)]
pub struct Source {
    /// Such as `src/memory/jvm.rs`.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl Source {
    /// A file for a test.
    #[cfg(test)]
    pub fn sample(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// Whether the name ends with one of these extensions.
    pub fn is_a(&self, extensions: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, it)| extensions.contains(&it))
    }
}

/// Text files that are looked at.
const EXTENSIONS: [&str; 11] =
    ["rs", "js", "mjs", "ts", "css", "html", "md", "toml", "json", "svg", "yaml"];
/// Folders that hold nothing written by hand.
const SKIPPED: [&str; 3] = ["node_modules", "target", "oracle"];

/// Prints every problem and fails if there is one.
pub fn run() -> Result<()> {
    let sources = read_tree()?;
    let mut problems = check(&sources);
    if let Some(readme) = find(&sources, "README.md") {
        problems
            .extend(accuracy::problem(&readme.text)?.map(|it| Problem::new("README.md", 1, it)));
    }
    for warning in sources.iter().filter_map(shape::warning) {
        println!("warning: {warning}");
    }
    problems.sort();
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => {
            println!("{} files are tidy", sources.len());
            Ok(())
        }
        1 => bail!("tidy found one problem"),
        count => bail!("tidy found {count} problems"),
    }
}

/// All checks that need nothing but the texts.
fn check(sources: &[Source]) -> Vec<Problem> {
    let mut problems = Vec::new();
    match find(sources, "src/lib.rs") {
        Some(root) => {
            let layers = layers::order(&root.text);
            for source in
                sources.iter().filter(|it| it.path.starts_with("src/") && it.is_a(&["rs"]))
            {
                problems.extend(layers::check(source, &layers));
                problems.extend(sources::check(source, &layers));
            }
        }
        None => problems.push(Problem::new("src/lib.rs", 1, "is missing")),
    }
    for source in sources {
        problems.extend(shape::check(source));
        problems.extend(words::check(source));
        problems.extend(page::check(source));
    }
    problems.extend(palette::check(sources));
    problems.extend(questions::check(sources));
    problems
}

/// A file by its path.
pub fn find<'a>(sources: &'a [Source], path: &str) -> Option<&'a Source> {
    sources.iter().find(|source| source.path == path)
}

/// Reads everything written by hand, sorted by path.
fn read_tree() -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    let ignored = ignored(&project::read(".gitignore")?);
    walk(project::root(), "", &ignored, &mut sources)?;
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

/// The folders that .gitignore names at the root.
fn ignored(gitignore: &str) -> Vec<String> {
    gitignore.lines().filter_map(|line| line.trim().strip_prefix('/')).map(str::to_owned).collect()
}

fn walk(folder: &Path, prefix: &str, ignored: &[String], into: &mut Vec<Source>) -> Result<()> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        let is_hidden = name.starts_with('.') && name != ".cargo" && name != ".ci";
        let is_skipped = SKIPPED.contains(&name.as_str()) || ignored.contains(&path);
        if is_hidden || is_skipped {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(&entry.path(), &path, ignored, into)?;
        } else if kind.is_file() {
            let source = Source { path, text: String::new() };
            if source.is_a(&EXTENSIONS) {
                let text = std::fs::read_to_string(entry.path())
                    .with_context(|| format!("{} is not UTF-8 text", source.path))?;
                into.push(Source { text, ..source });
            }
        }
    }
    Ok(())
}

/// Asserts which lines a check complains about.
#[cfg(test)]
#[track_caller]
fn assert_lines(problems: &[Problem], lines: &[usize]) {
    let found: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(found, lines, "{problems:#?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_file_and_line() {
        let problem = Problem::new("src/a.rs", 3, "is wrong");
        assert_eq!(problem.to_string(), "src/a.rs:3: is wrong");
    }

    #[test]
    fn ignored_folders_are_read_from_gitignore() {
        assert_eq!(ignored("/target\n/dist\nother\n"), ["target", "dist"]);
    }

    #[test]
    fn the_tree_is_read_without_what_was_built() {
        let sources = read_tree().unwrap();
        assert!(find(&sources, "src/lib.rs").is_some());
        assert!(sources.iter().all(|it| !it.path.contains("node_modules")));
        assert!(sources.iter().all(|it| !it.path.starts_with("target")));
    }

    #[test]
    fn checks_reach_their_files() {
        let sources = [
            Source::sample("src/lib.rs", "//! Weir.\n\npub mod units;\npub mod memory;\n"),
            Source::sample("src/units.rs", "//! Units.\nuse crate::memory::X;\n"),
            Source::sample("src/memory.rs", "fn f() {}\n"),
            Source::sample("www/main.js", "eval(\"1\");\n"),
        ];
        let found: Vec<String> = check(&sources).iter().map(ToString::to_string).collect();
        assert!(found[0].starts_with("src/units.rs:2: "), "{found:?}");
        assert!(found.iter().any(|it| it.starts_with("src/memory.rs:1: ")), "{found:?}");
        assert!(found.iter().any(|it| it.starts_with("www/main.js:1: ")), "{found:?}");
    }
}
