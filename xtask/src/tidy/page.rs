//! What the page may not do: make markup from text, run text, or load from elsewhere.

use super::rust::is_word;
use super::{Problem, Source};

/// Ways to turn text into markup or code.
const UNSAFE: [&str; 8] = [
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "setHTMLUnsafe",
    "createContextualFragment",
];

/// Namespaces: names that look like addresses and are never fetched.
const NAMESPACE: &str = "://www.w3.org/";
/// Where a link in a text may lead.
const LINK_HOSTS: [&str; 3] =
    ["://nightlies.apache.org/flink/", "://flink.apache.org/", "://kafka.apache.org/"];

/// Checks a file of www/.
pub fn check(source: &Source) -> Vec<Problem> {
    if !source.path.starts_with("www/") || !source.is_a(&["js", "mjs", "css", "html", "svg"]) {
        return Vec::new();
    }
    let mut problems = Vec::new();
    for (at, line) in source.text.lines().enumerate() {
        let mut complain = |what: String| problems.push(Problem::new(&source.path, at + 1, what));
        for name in UNSAFE.iter().filter(|name| names(line, name)) {
            complain(format!("`{name}`: text from the engine or the reader must stay text"));
        }
        for address in addresses(line).filter(|address| !may_be_named(line, address)) {
            complain(format!("`{address}`: the page loads nothing from elsewhere"));
        }
    }
    if source.is_a(&["html"]) {
        problems.extend(markup(source));
    }
    problems.sort();
    problems
}

/// Whether the line has `name` as a whole word.
fn names(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = at.checked_sub(1).map(|it| line.as_bytes()[it]);
        let after = line.as_bytes().get(at + name.len());
        let goes_on =
            name.ends_with(|c: char| c.is_alphanumeric()) && after.is_some_and(|it| is_word(*it));
        !before.is_some_and(is_word) && !goes_on
    })
}

/// Everything in the line that starts with a scheme and a host.
fn addresses(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("http").filter_map(|(at, _)| {
        let rest = &line[at..];
        let is_address = rest.starts_with("http://") || rest.starts_with("https://");
        let end = rest.find(|c: char| c.is_whitespace() || "\"'`<>)".contains(c));
        is_address.then(|| &rest[..end.unwrap_or(rest.len())])
    })
}

fn may_be_named(line: &str, address: &str) -> bool {
    let is_link = line.contains("href") && !line.contains("<link");
    address.contains(NAMESPACE) || (is_link && LINK_HOSTS.iter().any(|host| address.contains(host)))
}

/// Styles and scripts inside the markup, which a strict content policy forbids.
fn markup(source: &Source) -> Vec<Problem> {
    let text = source.text.to_lowercase();
    let mut problems = Vec::new();
    let mut complain = |at: usize, what: &str| {
        let line = super::rust::line_of(&text, at);
        problems.push(Problem::new(&source.path, line, what));
    };
    for (at, _) in text.match_indices('<') {
        let tag = &text[at..text[at..].find('>').map_or(text.len(), |end| at + end)];
        if tag.starts_with("<style") {
            complain(at, "a style in the page; put it in a style sheet");
        }
        if tag.starts_with("<script") && !tag.contains(" src=") {
            complain(at, "a script in the page; put it in a module");
        }
        for word in tag.split_whitespace().skip(1).filter(|word| word.contains('=')) {
            let name = word.split('=').next().unwrap_or("");
            if name == "style" {
                complain(at, "a style attribute; use a class");
            }
            if name.len() > 2
                && name.starts_with("on")
                && name.bytes().all(|it| it.is_ascii_lowercase())
            {
                complain(at, "a handler attribute; add a listener in a module");
            }
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
    fn text_stays_text() {
        let bad = "a.innerHTML = b;\neval(c);\nnew Function(d);\ndocument.write(e);\n";
        assert_lines(&lines("www/a.js", bad), &[1, 2, 3, 4]);
        let good = "retrieval(x);\na.textContent = b;\nthis.innerHTMLLength;\n";
        assert_lines(&lines("www/a.js", good), &[]);
        assert_lines(&lines("tests/page/a.mjs", bad), &[]);
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        let bad = "import \"https://cdn.example/x.js\";\nfetch('http://a.b/');\n";
        assert_lines(&lines("www/a.js", bad), &[1, 2]);
        assert_lines(&lines("www/a.css", "a { background: url(https://a.b/c.png); }\n"), &[1]);
        let good = "createElementNS(\"http://www.w3.org/2000/svg\", \"path\");\n\
                    link.href = \"https://nightlies.apache.org/flink/flink-docs-release-1.20/\";\n";
        assert_lines(&lines("www/a.js", good), &[]);
        assert_lines(&lines("www/a.html", "<a href=\"https://elsewhere.example/\">x</a>\n"), &[1]);
    }

    #[test]
    fn the_markup_carries_no_style_and_no_script() {
        let bad = "<p style=\"x\">\n<style>\n<script>a()</script>\n<b onclick=\"c()\">\n";
        assert_lines(&lines("www/index.html", bad), &[1, 2, 3, 4]);
        let good = "<script type=\"module\" src=\"main.js\"></script>\n<p class=\"style\" data-on=\"1\">on = style\n";
        assert_lines(&lines("www/index.html", good), &[]);
    }
}
