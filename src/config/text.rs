//! Java's idea of blanks and lines, which is not Rust's.
//!
//! Source: `String.trim` and `BufferedReader.readLine` of Java.

/// `String.trim`: drops code points up to U+0020 from both ends, and no other blanks.
pub fn java_trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}

/// The lines of a text as `BufferedReader.readLine` cuts them: at `\n`, `\r` or `\r\n`, with no
/// empty line after a final break.
pub fn java_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, tail) = rest.split_at(end);
        rest = tail.strip_prefix("\r\n").or_else(|| tail.strip_prefix(['\n', '\r'])).unwrap_or("");
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blanks_up_to_space_are_trimmed() {
        assert_eq!(java_trim("\u{0}\t a\u{a0} \r\n"), "a\u{a0}");
    }

    #[test]
    fn lines_end_at_any_break() {
        assert_eq!(java_lines("a\nb\r\nc\rd\n").collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        assert_eq!(java_lines("\n\nx").collect::<Vec<_>>(), ["", "", "x"]);
    }
}
