//! The questions of the engine: few, and all of them on the map.

use super::rust::line_of;
use super::{Problem, Source, find};

/// A tool asks a handful of questions; more would be a second interface. Each file of src/web with
/// exports is a wasm module of its own.
const QUESTIONS_MAX: usize = 20;
const MAP: &str = "docs/questions.md";

/// Compares the exports of src/web with the table of docs/questions.md.
pub fn check(sources: &[Source]) -> Vec<Problem> {
    let mut problems = pins(sources);
    let boundary = sources.iter().filter(|it| it.path.starts_with("src/web") && it.is_a(&["rs"]));
    let exports: Vec<(String, &str, usize)> = boundary
        .flat_map(|source| {
            let named = exports(&source.text).into_iter();
            named.map(|(name, line)| (name, source.path.as_str(), line))
        })
        .collect();
    // Before the boundary is written there is nothing to compare.
    if exports.is_empty() {
        return problems;
    }
    for module in exports.chunk_by(|a, b| a.1 == b.1) {
        if let Some((name, path, line)) = module.get(QUESTIONS_MAX) {
            let what =
                format!("`{name}` is export number {}; at most {QUESTIONS_MAX}", QUESTIONS_MAX + 1);
            problems.push(Problem::new(path, *line, what));
        }
    }
    let map = find(sources, MAP).map(|map| table(&map.text)).unwrap_or_default();
    for (name, path, line) in &exports {
        if map.iter().all(|(listed, _)| listed != name) {
            let what = format!("`{name}` is not in the table of questions of {MAP}");
            problems.push(Problem::new(path, *line, what));
        }
    }
    for (name, line) in &map {
        if exports.iter().all(|(exported, ..)| exported != name) {
            problems.push(Problem::new(
                MAP,
                *line,
                format!("src/web exports no question `{name}`"),
            ));
        }
    }
    problems
}

/// The JavaScript names of exported functions, with their lines.
fn exports(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("#[wasm_bindgen(") {
        let attribute = &text[at..at + text[at..].find(']').unwrap_or(0)];
        if let Some((_, rest)) = attribute.split_once("js_name") {
            let rest = rest.trim_start_matches([' ', '=', '"']);
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            found.push((rest[..end].to_owned(), line_of(text, at)));
        }
    }
    found
}

/// The names in the first column of the table under the heading with "Questions".
fn table(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with('#') {
            inside = line.trim_start_matches('#').trim() == "Questions";
        }
        let name = line.strip_prefix("| `").and_then(|rest| rest.split('`').next());
        if let Some(name) = name.filter(|_| inside) {
            found.push((name.to_owned(), at + 1));
        }
    }
    found
}

/// The version of wasm-bindgen is written where cargo and where Trunk read it.
fn pins(sources: &[Source]) -> Vec<Problem> {
    let version = |path: &str, key: &str| {
        let line = find(sources, path)?.text.lines().find(|line| line.starts_with(key))?;
        line.split('"').nth(1).map(|it| it.trim_start_matches('=').to_owned())
    };
    let (cargo, trunk) =
        (version("Cargo.toml", "wasm-bindgen ="), version("Trunk.toml", "wasm_bindgen ="));
    match (cargo, trunk) {
        (Some(cargo), Some(trunk)) if cargo != trunk => {
            let what = format!("pins wasm-bindgen {trunk}, Cargo.toml pins {cargo}");
            vec![Problem::new("Trunk.toml", 1, what)]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::assert_lines;
    use super::*;

    const WEB: &str = "#[wasm_bindgen(js_name = \"about\")]\npub fn about() {}\n\
                       #[wasm_bindgen(\n    js_name = deriveX,\n    unchecked_return_type = \"A\"\n)]\n\
                       pub fn derive_x() {}\n#[wasm_bindgen(start)]\nfn start() {}\n";

    fn lines(web: &str, map: &str) -> Vec<Problem> {
        check(&[Source::sample("src/web/questions.rs", web), Source::sample(MAP, map)])
    }

    #[test]
    fn exports_and_map_agree() {
        assert_eq!(exports(WEB), [("about".to_owned(), 1), ("deriveX".to_owned(), 3)]);
        let map = "# Map\n| `elsewhere` |\n## Questions\n| Name |\n|--|\n| `about` | x |\n| `deriveX` | y |\n";
        assert_lines(&lines(WEB, map), &[]);
        assert_lines(&lines("//! Later.\n", map), &[]);
    }

    #[test]
    fn what_is_only_on_one_side_is_named() {
        let map = "## Questions\n| `about` | x |\n| `gone` | y |\n## More\n| `other` |\n";
        assert_lines(&lines(WEB, map), &[3, 3]);
    }

    #[test]
    fn exports_are_counted() {
        let web: String = (0..21)
            .map(|n| format!("#[wasm_bindgen(js_name = q{n})]\npub fn q{n}() {{}}\n"))
            .collect();
        let rows: String = (0..21).map(|n| format!("| `q{n}` |\n")).collect();
        assert_lines(&lines(&web, &format!("## Questions\n{rows}")), &[41]);
    }

    #[test]
    fn both_pins_are_the_same() {
        let pin = |trunk: &str| {
            pins(&[
                Source::sample("Cargo.toml", "wasm-bindgen = \"=0.2.1\"\n"),
                Source::sample("Trunk.toml", trunk),
            ])
        };
        assert_lines(&pin("wasm_bindgen = \"0.2.1\"\n"), &[]);
        assert_lines(&pin("wasm_bindgen = \"0.2.2\"\n"), &[1]);
    }
}
