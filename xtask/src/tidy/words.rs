//! Words that no file holds: where packages come from is for each machine to say.

use super::{Problem, Source};

/// Hosts of package registries, in halves so that this file does not hold them.
const HOSTS: [(&str, &str); 9] = [
    ("registry.npm", "js.org"),
    ("registry.yarn", "pkg.com"),
    ("index.crates", ".io"),
    ("static.crates", ".io"),
    ("static.rust-", "lang.org"),
    ("deb.debian", ".org"),
    ("proxy.golang", ".org"),
    ("files.python", "hosted.org"),
    ("repo1.maven", ".org"),
];

/// Folders outside the project.
const OUTSIDE: [(&str, &str); 3] = [("../", "shared/"), ("/work/", "shared"), ("/tmp/", "wt/")];

/// Checks any file.
pub fn check(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (at, line) in source.text.lines().enumerate() {
        let mut complain = |what: String| problems.push(Problem::new(&source.path, at + 1, what));
        for (host, words) in HOSTS.iter().map(|(a, b)| (format!("{a}{b}"), line)) {
            if words.contains(&host) {
                complain(format!("names the package registry {host}"));
            }
        }
        for outside in OUTSIDE.iter().map(|(a, b)| format!("{a}{b}")) {
            if line.contains(&outside) {
                complain(format!("names `{outside}`, which is not in this repository"));
            }
        }
        if source.path.ends_with("package-lock.json") && line.contains("\"resolved\"") {
            complain("names where a package was fetched; see .npmrc".to_owned());
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::assert_lines;
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<Problem> {
        check(&Source::sample(path, text))
    }

    #[test]
    fn registries_are_not_named() {
        let text = format!("fine\nsee {}{}\n", HOSTS[0].0, HOSTS[0].1);
        assert_lines(&lines("README.md", &text), &[2]);
        assert_lines(&lines("README.md", "cargo fetches crates\n"), &[]);
    }

    #[test]
    fn nothing_outside_the_repository_is_named() {
        let text = format!("{}{}oracle\n", OUTSIDE[0].0, OUTSIDE[0].1);
        assert_lines(&lines("src/a.rs", &text), &[1]);
        assert_lines(&lines("src/a.rs", "use super::shared;\n"), &[]);
    }

    #[test]
    fn a_lock_file_does_not_say_where_packages_were_fetched() {
        assert_lines(&lines("package-lock.json", "{\n \"resolved\": \"x\"\n}\n"), &[2]);
        assert_lines(&lines("www/a.js", "promise.resolved;\n"), &[]);
    }
}
