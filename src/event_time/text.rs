//! Times for sentences.

use super::time::EventTime;
pub use crate::units::span;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Times closer to the epoch than this are read as a count, not as a date.
const COUNTED_MAX: i64 = 366 * DAY;

/// A point in event time: a date in UTC, or the time since the epoch where that is short.
pub fn moment(time: EventTime) -> String {
    let ms = time.get();
    if time == EventTime::MIN || time == EventTime::MAX {
        return time.to_string();
    }
    if !is_date(time) {
        return span(ms);
    }
    let (date, clock) = (ms.div_euclid(DAY), ms.rem_euclid(DAY));
    let Some((year, month, day)) = civil(date) else { return format!("{ms} ms") };
    let (hour, minute) = (clock / HOUR, clock % HOUR / MINUTE);
    let (second, milli) = (clock % MINUTE / SECOND, clock % SECOND);
    let fraction = if milli == 0 { String::new() } else { format!(".{milli:03}") };
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{fraction} UTC")
}

/// Whether a time reads as a date, and not as a count since the epoch.
pub const fn is_date(time: EventTime) -> bool {
    time.get().unsigned_abs() >= COUNTED_MAX as u64
}

/// A date's place on an axis with this step [ms]: the time of day, or the day where steps are days.
pub fn clock(ms: i64, step: i64) -> String {
    let (date, clock) = (ms.div_euclid(DAY), ms.rem_euclid(DAY));
    let (hour, minute) = (clock / HOUR, clock % HOUR / MINUTE);
    match civil(date) {
        Some((_, month, day)) if step >= DAY || clock == 0 => format!("{month:02}-{day:02}"),
        _ if step >= MINUTE => format!("{hour:02}:{minute:02}"),
        _ if step >= SECOND => format!("{hour:02}:{minute:02}:{:02}", clock % MINUTE / SECOND),
        _ => format!(":{:02}.{:03}", clock % MINUTE / SECOND, clock % SECOND),
    }
}

/// Year, month and day of the n-th day since the epoch, by the proleptic Gregorian calendar; `None`
/// beyond the year 9999.
fn civil(days: i64) -> Option<(i64, i64, i64)> {
    // 400 years have 146 097 days; years are counted from March, so that leap days come last.
    let shifted = days.checked_add(719_468)?;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (0..=9999).contains(&year).then_some((year, month, day))
}

/// A count with its noun: `1 record`, `3 records`.
pub fn counted(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A count with its noun and verb: `1 record is`, `3 records are`.
pub fn agreeing(count: u32, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_take_the_unit_a_person_would_say() {
        let cases = [
            (0, "0 s"),
            (250, "250 ms"),
            (14_999, "14.999 s"),
            (10_000, "10 s"),
            (300_000, "5 min"),
            (9_000_000, "2 h 30 min"),
            (86_400_000, "1 d"),
            (-5000, "-5 s"),
        ];
        for (ms, text) in cases {
            assert_eq!(span(ms), text);
        }
    }

    #[test]
    fn moments_are_dates_where_they_are_far_from_the_epoch() {
        assert_eq!(moment(EventTime::ms(9999)), "9.999 s");
        assert_eq!(moment(EventTime::ms(1_630_857_600_000)), "2021-09-05 16:00:00 UTC");
        assert_eq!(moment(EventTime::ms(1_709_208_000_123)), "2024-02-29 12:00:00.123 UTC");
        assert_eq!(moment(EventTime::ms(-62_135_596_800_000)), "0001-01-01 00:00:00 UTC");
        assert_eq!(moment(EventTime::MIN), "no watermark yet");
    }
}
