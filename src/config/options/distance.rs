//! Which known key did a misspelt one mean?
//!
//! The one with the fewest changed, added, removed or swapped letters, if they are few enough.

/// The most letters that may differ; more is another word rather than a misspelt one.
const MAX_DISTANCE: usize = 3;

/// The longest key that is compared; no option of Flink is longer.
const MAX_KEY_BYTES: usize = 128;

/// The nearest of the known keys, the first of them when several are equally near.
pub fn nearest<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if key.len() > MAX_KEY_BYTES {
        return None;
    }
    let wanted = key.to_ascii_lowercase();
    // A short key has no room for three slips.
    let most = MAX_DISTANCE.min(key.len() / 4);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let limit = best.map_or(most + 1, |(distance, _)| distance);
        let lower = candidate.to_ascii_lowercase();
        let distance = distance(wanted.as_bytes(), lower.as_bytes(), limit);
        if distance < limit {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, key)| key)
}

/// The number of single edits between two texts, or `limit` when it is at least that.
fn distance(a: &[u8], b: &[u8], limit: usize) -> usize {
    if a.len().abs_diff(b.len()) >= limit {
        return limit;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(last[j] + 1).min(row[j - 1] + 1);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        if row.iter().all(|&d| d >= limit) {
            return limit;
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(limit).min(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted_up_to_the_limit() {
        let count = |a: &str, b: &str| distance(a.as_bytes(), b.as_bytes(), 5);
        assert_eq!(count("abc", "abc"), 0);
        assert_eq!(count("abc", "acb"), 1);
        assert_eq!(count("abc", "abcd"), 1);
        assert_eq!(count("kitten", "sitting"), 3);
        assert_eq!(count("a", "abcdefghij"), 5);
    }

    #[test]
    fn another_word_is_no_misspelling() {
        let known = ["parallelism.default", "state.backend.type"];
        assert_eq!(nearest("paralelism.default", known.into_iter()), Some(known[0]));
        assert_eq!(nearest("parallelism.maximum", known.into_iter()), None);
        assert_eq!(nearest("abc", known.into_iter()), None);
    }
}
