//! Rust text as the checks want it: without comments, the insides of strings, and tests; and the
//! paths named in what is left.

/// The text with comments, strings and `#[cfg(test)]` items replaced by blanks, so that what is
/// left keeps its lines.
pub fn code(text: &str) -> String {
    without_tests(&blank_comments_and_strings(text))
}

/// The line that a byte offset lies in, counted from 1.
pub fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
}

fn blank_comments_and_strings(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => find(bytes, at, b"\n").unwrap_or(bytes.len()),
            b'/' if bytes[at..].starts_with(b"/*") => block_comment_end(bytes, at),
            b'r' | b'b' if starts_raw_string(bytes, at) => raw_string_end(bytes, at),
            b'"' => string_end(bytes, at),
            b'\'' => char_end(bytes, at),
            _ => at,
        };
        for byte in &mut out[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    // Only whole characters were blanked, byte by byte, so this stays UTF-8.
    String::from_utf8_lossy(&out).into_owned()
}

fn find(bytes: &[u8], from: usize, needle: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(needle.len()).position(|it| it == needle).map(|at| from + at)
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if bytes[at..].starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn starts_raw_string(bytes: &[u8], at: usize) -> bool {
    if at > 0 && is_word(bytes[at - 1]) {
        return false;
    }
    let rest = bytes[at..].strip_prefix(b"b").unwrap_or(&bytes[at..]);
    let Some(rest) = rest.strip_prefix(b"r") else { return false };
    rest.iter().find(|byte| **byte != b'#') == Some(&b'"')
}

fn raw_string_end(bytes: &[u8], start: usize) -> usize {
    let Some(quote) = find(bytes, start, b"\"") else { return bytes.len() };
    let hashes = bytes[start..quote].iter().filter(|byte| **byte == b'#').count();
    let close = [&b"\""[..], &b"#".repeat(hashes)].concat();
    find(bytes, quote + 1, &close).map_or(bytes.len(), |at| at + close.len())
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The end of a character literal, or `start` where the quote begins a lifetime.
fn char_end(bytes: &[u8], start: usize) -> usize {
    if bytes.get(start + 1) == Some(&b'\\') {
        return find(bytes, start + 3, b"'").map_or(bytes.len(), |at| at + 1);
    }
    // A character is one to four bytes long.
    let longest = (start + 6).min(bytes.len());
    match bytes[(start + 1).min(longest)..longest].iter().position(|byte| *byte == b'\'') {
        Some(length @ 1..) if length == 1 || !bytes[start + 1].is_ascii() => start + length + 2,
        _ => start,
    }
}

fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = code.to_owned();
    while let Some(start) = out.find(MARK) {
        let end = start + MARK.len() + item_length(&out[start + MARK.len()..]);
        let blank: String =
            out[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        out.replace_range(start..end, &blank);
    }
    out
}

/// The length of the item at the start: up to its closing brace or its semicolon.
fn item_length(code: &str) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// Every path in the code, groups taken apart: `use a::{b, c::d};` names `a::b` and `a::c::d`.
pub fn paths(code: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let bytes = code.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if is_word(bytes[at]) {
            at = read_path(code, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

fn read_path(
    code: &str,
    start: usize,
    prefix: &[String],
    found: &mut Vec<(usize, Vec<String>)>,
) -> usize {
    let bytes = code.as_bytes();
    let mut path = prefix.to_vec();
    let mut at = start;
    loop {
        let word = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        path.push(code[word..at].to_owned());
        let after = skip_blanks(bytes, at);
        if !bytes[after..].starts_with(b"::") {
            break;
        }
        let next = skip_blanks(bytes, after + 2);
        match bytes.get(next) {
            Some(byte) if is_word(*byte) => at = next,
            Some(b'{') => return read_group(code, next + 1, &path, found),
            _ => break,
        }
    }
    found.push((start, path));
    at
}

fn read_group(
    code: &str,
    start: usize,
    prefix: &[String],
    found: &mut Vec<(usize, Vec<String>)>,
) -> usize {
    let bytes = code.as_bytes();
    let mut at = start;
    while at < bytes.len() && bytes[at] != b'}' {
        at = if is_word(bytes[at]) { read_path(code, at, prefix, found) } else { at + 1 };
    }
    (at + 1).min(bytes.len())
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Whether a byte may be part of a name.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(code(text), want);
    }

    #[test]
    fn comments_and_strings_are_blank() {
        check("a // b\nc", "a     \nc");
        check("a /* b /* c */ d\n */ e", "a               \n    e");
        check("f(\"x \\\" y\") + g", "f(        ) + g");
        check("r#\"a \" b\"# + var", "           + var");
        check("'\"' + \"b\"", "    +    ");
        check("'\\'' + x", "     + x");
        check("&'a str + 'é'", "&'a str +     ");
    }

    #[test]
    fn tests_are_blank() {
        check(
            "a;\n#[cfg(test)]\nmod t { fn f() { x } }\nb;",
            "a;\n            \n                      \nb;",
        );
        check("#[cfg(test)]\nuse x::y;\nb;", "            \n         \nb;");
    }

    #[test]
    fn paths_are_taken_apart() {
        let code = "use crate::{units::Bytes, memory::{a, b::C as D}};\nlet x = std::env::var(y);";
        let found: Vec<String> = paths(code).into_iter().map(|(_, path)| path.join("::")).collect();
        for path in
            ["crate::units::Bytes", "crate::memory::a", "crate::memory::b::C", "std::env::var"]
        {
            assert!(found.iter().any(|it| it == path), "{path} in {found:?}");
        }
        let at = code.find("std").unwrap();
        assert_eq!(line_of(code, at), 2);
    }

    #[test]
    fn unfinished_text_is_read_to_its_end() {
        for text in
            ["\"abc", "/* abc", "r#\"abc", "'\\", "'", "use a::{b, c", "#[cfg(test)] mod {", "a::"]
        {
            paths(&code(text));
        }
    }
}
