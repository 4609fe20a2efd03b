//! Lengths of time in words, to the millisecond, as a person says them even where they are odd.
//!
//! Source: none of Flink; the settings of Kafka are whole milliseconds (`ProducerConfig`).

use crate::units;

const MINUTE: u64 = 60_000;
/// From here on odd seconds stand behind minutes [ms].
const IN_PARTS_FROM: u64 = 2 * MINUTE;

/// A span: `200 ms`, `65.2 s`, `15 min`, `3 min 5.001 s`, `11 h 49 min 11.68 s`.
pub fn span(ms: i64) -> String {
    let rest = ms.unsigned_abs();
    if rest < IN_PARTS_FROM || rest.is_multiple_of(MINUTE) {
        return units::span(ms);
    }
    let sign = if ms < 0 { "-" } else { "" };
    let (days, hours, minutes) =
        (rest / (1440 * MINUTE), rest / (60 * MINUTE) % 24, rest / MINUTE % 60);
    let parts = [(days, "d"), (hours, "h"), (minutes, "min")];
    let mut words: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number} {unit}"))
        .collect();
    words.push(units::span((rest % MINUTE) as i64));
    format!("{sign}{}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn odd_lengths_are_said_in_parts() {
        for (ms, words) in [
            (0, "0 s"),
            (200, "200 ms"),
            (65_200, "65.2 s"),
            (900_000, "15 min"),
            (185_001, "3 min 5.001 s"),
            (42_551_680, "11 h 49 min 11.68 s"),
            (604_800_001, "7 d 1 ms"),
            (-185_000, "-3 min 5 s"),
        ] {
            assert_eq!(span(ms), words);
        }
    }
}
