//! Parts and limits of bars of bytes.

use super::bars::{Limit, Look, Part, stacked};
use crate::units::{Bytes, grouped};

/// A size as a length; no bar is drawn to the left.
pub(super) fn length(bytes: Bytes) -> u64 {
    bytes.get().max(0).unsigned_abs()
}

/// To the byte.
pub(super) fn exact(bytes: Bytes) -> String {
    format!("{} bytes", grouped(bytes.get()))
}

/// Parts of bytes one after the other.
pub(super) fn parts(sizes: &[(&str, &str, Bytes, Look)]) -> Vec<Part> {
    stacked(sizes.iter().map(|(id, name, bytes, look)| {
        let [id, name] = [id, name].map(|text| (*text).to_owned());
        (id, name, length(*bytes), bytes.to_string(), exact(*bytes), *look)
    }))
}

/// A limit of bytes: its words, then its size.
pub(super) fn limit(words: &str, at: Bytes, is_danger: bool) -> Limit {
    Limit { at: length(at), text: format!("{words} {at}"), is_danger }
}
