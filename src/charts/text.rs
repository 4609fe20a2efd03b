//! How wide a text is, without asking a browser.
//!
//! The table holds the advances of DejaVu Sans, the widest of the fonts that `system-ui` commonly
//! stands for (Segoe UI, San Francisco, Roboto, Noto Sans and Cantarell are all narrower), so a
//! text that fits by this table fits on the reader's screen.

/// The font families written into drawings; multi-word names need no quotes in CSS.
pub const SANS: &str = "system-ui, -apple-system, Segoe UI, Roboto, sans-serif";
/// The font families of keys and values.
pub const MONO: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

/// A typeface and weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// Running text.
    Sans,
    /// Titles.
    SansBold,
    /// Keys and values.
    Mono,
}

/// The dots that stand for what was cut off.
pub const ELLIPSIS: char = '…';

/// A narrow no-break space, between groups of three digits.
pub const NARROW_SPACE: char = '\u{202f}';

/// Advances of U+0020 to U+007E (1/1000 em).
const SANS_ADVANCES: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// Advance of every character of a monospace face (1/1000 em).
const MONO_ADVANCE: u32 = 602;
/// Advance of accented letters and signs beyond ASCII (1/1000 em).
const OTHER_ADVANCE: u32 = 1000;
/// Advance of scripts whose characters fill a square, from Hangul on, and then some (1/1000 em).
const WIDE_ADVANCE: u32 = 1200;

fn advance(c: char, face: Face) -> u32 {
    if face == Face::Mono && c < '\u{1100}' {
        return MONO_ADVANCE;
    }
    let regular = match c {
        ' '..='~' => u32::from(SANS_ADVANCES[c as usize - ' ' as usize]),
        NARROW_SPACE => 200,
        '\u{a0}' | '·' => 318,
        c if c < '\u{1100}' || ('\u{2000}'..'\u{2100}').contains(&c) => OTHER_ADVANCE,
        _ => WIDE_ADVANCE,
    };
    // No letter of the bold cut is more than a quarter wider; a word is about a tenth wider.
    if face == Face::SansBold { regular * 23 / 20 } else { regular }
}

/// The width of `text` set in `size` px (px), rounded up.
pub fn width(text: &str, face: Face, size: u32) -> i32 {
    let mills: u64 = text.chars().map(|c| u64::from(advance(c, face))).sum();
    let px = (mills * u64::from(size)).div_ceil(1000);
    i32::try_from(px).unwrap_or(i32::MAX)
}

/// `text`, cut and closed with an ellipsis where it is wider than `max` px; `None` where not even
/// one character and the ellipsis fit.
pub fn ellipsize(text: &str, face: Face, size: u32, max: i32) -> Option<String> {
    if width(text, face, size) <= max {
        return Some(text.to_owned());
    }
    let mut kept = String::new();
    let mut best = None;
    for c in text.chars() {
        kept.push(c);
        let candidate = format!("{}{ELLIPSIS}", kept.trim_end());
        if width(&candidate, face, size) > max {
            break;
        }
        best = Some(candidate);
    }
    best
}

/// Breaks `text` at spaces into lines of at most `max` px; `None` where a word is wider.
pub fn wrap(text: &str, face: Face, size: u32, max: i32) -> Option<Vec<String>> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if width(word, face, size) > max {
            return None;
        }
        let joined = lines.last().map(|line| format!("{line} {word}"));
        match (joined, lines.last_mut()) {
            (Some(joined), Some(line)) if width(&joined, face, size) <= max => *line = joined,
            _ => lines.push(word.to_owned()),
        }
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_add_up_and_round_up() {
        assert_eq!(width("", Face::Sans, 12), 0);
        assert_eq!(width("MiB", Face::Sans, 12), 22);
        assert_eq!(width("MiB", Face::Mono, 10), 19);
        assert!(width("MiB", Face::SansBold, 12) > width("MiB", Face::Sans, 12));
    }

    #[test]
    fn long_texts_end_in_an_ellipsis_that_fits() {
        assert_eq!(ellipsize("Task Heap", Face::Sans, 12, 200).as_deref(), Some("Task Heap"));
        let cut = ellipsize("Task Off-Heap", Face::Sans, 12, 60).unwrap();
        assert_eq!(cut, "Task Of…");
        assert!(width(&cut, Face::Sans, 12) <= 60);
        assert_eq!(ellipsize("Task", Face::Sans, 12, 10), None);
    }

    #[test]
    fn lines_break_at_spaces_only() {
        let lines = wrap("JVM Metaspace 256 MiB", Face::Sans, 12, 80).unwrap();
        assert_eq!(lines, ["JVM", "Metaspace", "256 MiB"]);
        assert_eq!(wrap("Metaspace", Face::Sans, 12, 40), None);
    }
}
