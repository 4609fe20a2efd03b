//! JSON values in texts that people paste: several one after another, with lines between them, cut
//! off, or something else altogether.
//!
//! Source: none; limits are ours.

use serde_json::Value;

/// The most bytes of all texts together.
pub const TEXT_MAX: usize = 8 << 20;
/// The most files and texts.
pub const FILES_MAX: usize = 2000;
/// The most values.
pub const VALUES_MAX: usize = 4000;
/// The longest line that names the value below it, in bytes.
const LABEL_MAX: usize = 300;

/// A value and what stands above it.
#[derive(Debug)]
pub struct Found {
    /// The last line above it, such as the address it was fetched from.
    pub label: String,
    /// The line it begins in, from 1.
    pub line: usize,
    /// It, or why it could not be read.
    pub value: Result<Value, String>,
}

/// Every value of a text.
pub fn values(text: &str, most: usize) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while found.len() < most {
        let Some(begin) = next_value(text, at) else { break };
        let label = label(&text[at..begin]);
        let line = text[..begin].matches('\n').count() + 1;
        let mut stream = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                at = begin + stream.byte_offset();
                found.push(Found { label, line, value: Ok(value) });
            }
            Some(Err(error)) => {
                let reason = if error.is_eof() {
                    "It is cut off: the text ends inside the value.".to_owned()
                } else {
                    format!("It is not JSON: {}.", without_place(&error.to_string()))
                };
                found.push(Found { label, line, value: Err(reason) });
                // What follows may be whole again from the next line that begins a value.
                at = begin + text[begin..].find('\n').unwrap_or(text.len() - begin);
            }
            None => break,
        }
    }
    found
}

/// Where the next object or list begins that stands at the start of a line or of the text. Right
/// behind another value it need not, since people paste without line breaks.
fn next_value(text: &str, from: usize) -> Option<usize> {
    let rest = &text[from..];
    let close = rest.trim_start_matches([' ', '\t', '\r', '\n', ',', ';', '\u{feff}']);
    if close.starts_with(['{', '[']) {
        return Some(text.len() - close.len());
    }
    rest.match_indices('\n').find_map(|(at, _)| {
        let line = rest[at + 1..].trim_start_matches([' ', '\t', '\r']);
        line.starts_with(['{', '[']).then(|| text.len() - line.len())
    })
}

fn label(between: &str) -> String {
    let line = between.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    if line.len() > LABEL_MAX { String::new() } else { line.to_owned() }
}

/// A message without its place: it counts from the start of the value, which nobody sees.
fn without_place(message: &str) -> &str {
    message.rfind(" at line ").map_or(message, |at| &message[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(text: &str) -> Vec<Result<Value, String>> {
        values(text, VALUES_MAX).into_iter().map(|it| it.value).collect()
    }

    #[test]
    fn values_follow_each_other_with_and_without_lines_between() {
        assert_eq!(read("{\"a\":1}{\"b\":2}\n[3]").len(), 3);
        let text =
            "$ curl http://jm:8081/jobs/1/checkpoints\n{\"a\": 1}\n\ncurl …/config\n {\"b\": 2}\n";
        let found = values(text, VALUES_MAX);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].label, "$ curl http://jm:8081/jobs/1/checkpoints");
        assert_eq!((found[1].label.as_str(), found[1].line), ("curl …/config", 5));
    }

    #[test]
    fn what_is_no_value_is_said_and_the_rest_is_read() {
        let found = read("{\"a\": oops}\n{\"b\": 2}");
        assert!(found[0].as_ref().is_err_and(|it| it.starts_with("It is not JSON")));
        assert!(found[1].is_ok());
        let cut = read("{\"a\": [1, 2");
        assert!(cut[0].as_ref().is_err_and(|it| it.starts_with("It is cut off")));
        assert!(read("no values here").is_empty());
        assert!(read("").is_empty());
    }

    #[test]
    fn deep_values_and_many_values_end() {
        assert!(read(&"[".repeat(100_000)).iter().all(Result::is_err));
        assert_eq!(values(&"{}".repeat(10_000), 50).len(), 50);
    }
}
