//! One meaning, one colour: the charts and the page take the same palette.

use super::{Problem, Source, find};

const TABLE: &str = "src/charts/theme.rs";

/// A row `("heap", "#1d68c4", "#4593f0")`: a name, its colour on light and on dark ground.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    name: String,
    light: String,
    dark: String,
    line: usize,
}

/// Compares the table with every `--color-…` of the page's style sheets.
pub fn check(sources: &[Source]) -> Vec<Problem> {
    let Some(table) = find(sources, TABLE) else { return Vec::new() };
    let sheets: Vec<&Source> =
        sources.iter().filter(|it| it.path.starts_with("www/") && it.is_a(&["css"])).collect();
    if sheets.is_empty() {
        return Vec::new();
    }
    let css: Vec<(String, String)> = sheets.iter().flat_map(|sheet| colors(&sheet.text)).collect();
    let mut problems = Vec::new();
    for row in rows(&table.text) {
        let property = format!("--color-{}", kebab(&row.name));
        let in_css: Vec<&str> = css
            .iter()
            .filter(|(name, _)| kebab(name) == kebab(&row.name))
            .map(|(_, it)| it.as_str())
            .collect();
        for (ground, wanted) in [("light", &row.light), ("dark", &row.dark)] {
            if !in_css.contains(&wanted.as_str()) {
                let what =
                    format!("no style sheet sets `{property}: {wanted}` for {ground} ground");
                problems.push(Problem::new(TABLE, row.line, what));
            }
        }
        for other in in_css.iter().filter(|it| **it != row.light && **it != row.dark) {
            let what =
                format!("a style sheet sets `{property}: {other}`, which is not in this table");
            problems.push(Problem::new(TABLE, row.line, what));
        }
    }
    problems
}

/// The rows of the table: lines with exactly a name and two colours in quotes.
fn rows(text: &str) -> Vec<Row> {
    let row = |(at, line): (usize, &str)| {
        let quoted: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
        match quoted[..] {
            [name, light, dark] if is_color(light) && is_color(dark) && !is_color(name) => {
                Some(Row {
                    name: name.to_owned(),
                    light: light.to_lowercase(),
                    dark: dark.to_lowercase(),
                    line: at + 1,
                })
            }
            _ => None,
        }
    };
    text.lines().enumerate().filter_map(row).collect()
}

/// Name and value of every `--color-NAME: #rrggbb` in a style sheet.
fn colors(css: &str) -> Vec<(String, String)> {
    let declaration = |rest: &str| {
        let (name, rest) = rest.split_once(':')?;
        let value = rest.split([';', '}', '\n']).next()?.trim().to_lowercase();
        let is_name = name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
        (is_name && is_color(&value)).then(|| (name.to_owned(), value))
    };
    css.split("--color-").skip(1).filter_map(declaration).collect()
}

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or("");
    digits.len() == 6 && digits.bytes().all(|it| it.is_ascii_hexdigit())
}

/// `offHeap` as `off-heap`.
fn kebab(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            text.push('-');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::assert_lines;
    use super::*;

    const THEME: &str = "const PALETTE: X = [\n    (\"heap\", \"#1D68c4\", \"#4593f0\"),\n    \
                         (\"offHeap\", \"#bd5314\", \"#f2a03d\"),\n];\n";

    fn lines(css: &str) -> Vec<Problem> {
        check(&[Source::sample(TABLE, THEME), Source::sample("www/tokens.css", css)])
    }

    #[test]
    fn the_same_colors_are_in_step() {
        let css = ":root { --color-heap: #1d68c4; --color-off-heap: #bd5314; --color-x: #000000 }\n\
                   @media (x) { :root { --color-heap: #4593F0; --color-off-heap: #f2a03d } }\n\
                   a { color: var(--color-heap); }\n";
        assert_lines(&lines(css), &[]);
        assert_lines(&check(&[Source::sample(TABLE, THEME)]), &[]);
    }

    #[test]
    fn a_missing_and_another_color_are_named() {
        let css = ":root { --color-heap: #1d68c4; --color-off-heap: #bd5315; }\n\
                   .dark { --color-heap: #4593f0; --color-off-heap: #f2a03d }\n";
        assert_lines(&lines(css), &[3, 3]);
        assert_lines(&lines(":root { --color-heap: #1d68c4; }"), &[2, 3, 3]);
    }

    #[test]
    fn the_rows_are_those_with_two_colors() {
        assert_eq!(rows(THEME).len(), 2);
        assert!(rows("assert_eq!(a(\"#ffffff\"), \"#000000\");\n").is_empty());
    }
}
