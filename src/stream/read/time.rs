//! What a timestamp says, in milliseconds since the epoch.
//!
//! Numbers are read digit by digit, not as doubles, and cut down to whole milliseconds towards the
//! past, as Flink cuts a `TIMESTAMP` to precision 3.
//!
//! ISO 8601 is read as `2024-02-29T23:59:59.123456789+01:00`: date alone or date and time with `T`
//! or a blank between, seconds and up to nine digits of their fraction optional, the zone as `Z`,
//! `+01:00`, `+0100` or `+01`. Without a zone it is UTC, and the caller is told. Leap seconds,
//! weeks, days of the year and years of more than four digits are not read.
//!
//! Source: ISO 8601 and RFC 3339; days from a date: Howard Hinnant, `days_from_civil`.

use super::params::TimeFormat;
use super::report::{Fault, Reason, excerpt};
use crate::stream::generate::params::MAX_START_MS;

/// The farthest event time from the epoch, some 136 900 years [ms]. The difference of any two is
/// a whole number in JavaScript.
pub const MAX_TIME_MS: i64 = MAX_START_MS;

/// The most digits of a number: those of a 128-bit integer.
const MAX_DIGITS: usize = 38;
/// The farthest zone, as in `java.time.ZoneOffset` [minutes].
const MAX_OFFSET_MINUTES: i64 = 18 * 60;

/// A timestamp as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// [ms since the epoch].
    pub time: i64,
    /// Whether it names a zone, or needs none.
    pub has_zone: bool,
}

/// Reads a timestamp; blanks around it do not count.
pub fn parse(text: &str, format: TimeFormat) -> Result<Stamp, Fault> {
    let text = text.trim_ascii();
    if text.is_empty() {
        return Err(Fault::new(Reason::EmptyTime, "The timestamp is empty."));
    }
    let digits_to_ms = match format {
        TimeFormat::EpochSeconds => 3,
        TimeFormat::EpochMillis => 0,
        TimeFormat::EpochMicros => -3,
        TimeFormat::EpochNanos => -6,
        TimeFormat::Iso8601 => return parse_iso(text),
    };
    if let Some(time) = whole(text).and_then(|it| whole_ms(it, format)) {
        return Ok(Stamp { time, has_zone: true });
    }
    let number = Decimal::parse(text).ok_or_else(|| {
        Fault::new(Reason::NotANumber, format!("The timestamp {} is not a number.", excerpt(text)))
    })?;
    let time = number.shifted_floor(digits_to_ms).and_then(|it| i64::try_from(it).ok());
    let time = time.filter(|it| it.unsigned_abs() <= MAX_TIME_MS.unsigned_abs());
    match time {
        Some(time) => Ok(Stamp { time, has_zone: true }),
        None => Err(Fault::new(
            Reason::TimeOutOfRange,
            format!(
                "The timestamp {} is more than 136 900 years from 1970; is its unit another one?",
                excerpt(text)
            ),
        )),
    }
}

/// A whole number of up to 18 digits. Nearly all timestamps are one, and [`Decimal`] is many times
/// slower.
fn whole(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_short = (1..=18).contains(&digits.len());
    text.parse().ok().filter(|_| is_short)
}

/// The same as by [`Decimal`], or `None` where that has to say why not.
fn whole_ms(number: i64, format: TimeFormat) -> Option<i64> {
    let time = match format {
        TimeFormat::EpochSeconds => number.checked_mul(1000)?,
        TimeFormat::EpochMillis => number,
        TimeFormat::EpochMicros => number.div_euclid(1000),
        TimeFormat::EpochNanos => number.div_euclid(1_000_000),
        TimeFormat::Iso8601 => return None,
    };
    Some(time).filter(|it| it.unsigned_abs() <= MAX_TIME_MS.unsigned_abs())
}

/// A number as written: `digits * 10^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    digits: i128,
    exponent: i32,
}

impl Decimal {
    /// Reads `-12.5e3` and the like, up to 38 digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) if exponent.len() <= 5 => (mantissa, exponent.parse().ok()?),
            Some(_) => return None,
            None => (text, 0_i32),
        };
        let unsigned = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let count = whole.len() + fraction.len();
        let mut all = whole.bytes().chain(fraction.bytes());
        if count == 0 || count > MAX_DIGITS || !all.clone().all(|it| it.is_ascii_digit()) {
            return None;
        }
        let digits =
            all.try_fold(0_i128, |sum, it| sum.checked_mul(10)?.checked_add((it - b'0').into()))?;
        let digits = if mantissa.starts_with('-') { -digits } else { digits };
        Some(Self { digits, exponent: exponent - fraction.len() as i32 })
    }

    /// This number times `10^places`, cut down to a whole one; `None` beyond 128 bits.
    pub fn shifted_floor(self, places: i32) -> Option<i128> {
        let power = self.exponent + places;
        let scale = 10_i128.checked_pow(power.unsigned_abs());
        match (power >= 0, scale) {
            _ if self.digits == 0 => Some(0),
            (true, Some(scale)) => self.digits.checked_mul(scale),
            (true, None) => None,
            (false, Some(scale)) => Some(self.digits.div_euclid(scale)),
            (false, None) => Some(if self.digits < 0 { -1 } else { 0 }),
        }
    }
}

/// A time as ISO 8601 in UTC, for people.
pub fn iso_text(time: i64) -> String {
    let (day, ms) = (time.div_euclid(86_400_000), time.rem_euclid(86_400_000));
    // `civil_from_days`, the inverse of `days_from_civil` below.
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (seconds, ms) = (ms / 1000, ms % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{date:02}T{hours:02}:{minutes:02}:{seconds:02}.{ms:03}Z")
}

fn parse_iso(text: &str) -> Result<Stamp, Fault> {
    iso(text).ok_or_else(|| {
        let message = format!(
            "The timestamp {} is not written as 2024-02-29T23:59:59.123Z, or there is no such day or time.",
            excerpt(text)
        );
        Fault::new(Reason::NotIso8601, message)
    })
}

fn iso(text: &str) -> Option<Stamp> {
    let mut rest = Rest(text.as_bytes());
    let year = rest.number(4)?;
    rest.skip(b'-')?;
    let month = rest.number(2).filter(|it| (1..=12).contains(it))?;
    rest.skip(b'-')?;
    let day = rest.number(2).filter(|it| (1..=days_of_month(year, month)).contains(it))?;
    let midnight = days_from_civil(year, month, day) * 86_400_000;
    if rest.0.is_empty() {
        return Some(Stamp { time: midnight, has_zone: false });
    }
    rest.skip(b'T').or_else(|| rest.skip(b't')).or_else(|| rest.skip(b' '))?;
    let hours = rest.number(2).filter(|it| *it < 24)?;
    rest.skip(b':')?;
    let minutes = rest.number(2).filter(|it| *it < 60)?;
    let (mut seconds, mut millis) = (0, 0);
    if rest.skip(b':').is_some() {
        seconds = rest.number(2).filter(|it| *it < 60)?;
        if rest.skip(b'.').or_else(|| rest.skip(b',')).is_some() {
            millis = rest.fraction_to_millis()?;
        }
    }
    let offset = rest.offset_minutes()?;
    let minute = hours * 60 + minutes - offset.unwrap_or(0);
    let time = midnight + (minute * 60 + seconds) * 1000 + millis;
    Some(Stamp { time, has_zone: offset.is_some() })
}

/// What is left of a timestamp.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn skip(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    /// A number of exactly so many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        let value = number
            .iter()
            .try_fold(0, |sum, it| it.is_ascii_digit().then(|| sum * 10 + i64::from(it - b'0')))?;
        self.0 = rest;
        Some(value)
    }

    fn fraction_to_millis(&mut self) -> Option<i64> {
        let count = self.0.iter().take_while(|it| it.is_ascii_digit()).count();
        if !(1..=9).contains(&count) {
            return None;
        }
        let kept = count.min(3);
        let millis = self.number(kept)? * [100, 10, 1][kept - 1];
        self.number(count - kept)?;
        Some(millis)
    }

    /// The zone to the end of the text: `Some(None)` without one.
    fn offset_minutes(&mut self) -> Option<Option<i64>> {
        if self.0.is_empty() {
            return Some(None);
        }
        if self.skip(b'Z').or_else(|| self.skip(b'z')).is_some() {
            return self.0.is_empty().then_some(Some(0));
        }
        let sign = if self.skip(b'-').is_some() { -1 } else { self.skip(b'+').map(|()| 1)? };
        let hours = self.number(2)?;
        let minutes = match self.0 {
            [] => 0,
            [b':', ..] => self.skip(b':').and_then(|()| self.number(2))?,
            _ => self.number(2)?,
        };
        let offset = hours * 60 + minutes;
        let is_zone = minutes < 60 && offset <= MAX_OFFSET_MINUTES && self.0.is_empty();
        is_zone.then_some(Some(sign * offset))
    }
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date of the Gregorian calendar. Years begin in March, so that the
/// leap day is the last of its year.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, format: TimeFormat, want: Result<i64, Reason>) {
        let got = parse(text, format).map(|it| it.time).map_err(|it| it.reason);
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn epochs_are_read_in_their_unit_and_cut_towards_the_past() {
        use TimeFormat::{EpochMicros, EpochMillis, EpochNanos, EpochSeconds};
        check("1700000000", EpochSeconds, Ok(1_700_000_000_000));
        check(" 1700000000.1239 ", EpochSeconds, Ok(1_700_000_000_123));
        check("1.700000000123E9", EpochSeconds, Ok(1_700_000_000_123));
        check("-0.0001", EpochSeconds, Ok(-1));
        check("+5", EpochMillis, Ok(5));
        check("-1700000000001", EpochMillis, Ok(-1_700_000_000_001));
        check("1700000000123999", EpochMicros, Ok(1_700_000_000_123));
        check("-1", EpochMicros, Ok(-1));
        check("1700000000123999999", EpochNanos, Ok(1_700_000_000_123));
        check("0e99", EpochMillis, Ok(0));
        check("1e-99", EpochMillis, Ok(0));
        check("4320000000000000", EpochMillis, Ok(MAX_TIME_MS));
    }

    #[test]
    fn what_is_no_epoch_says_why() {
        use TimeFormat::{EpochMillis, EpochSeconds};
        check("", EpochMillis, Err(Reason::EmptyTime));
        check(" \t", EpochMillis, Err(Reason::EmptyTime));
        for text in ["x", "12a", "-", ".", "1.2.3", "0x10", "1_000", "NaN", "inf", "1e", "1\0"] {
            check(text, EpochMillis, Err(Reason::NotANumber));
        }
        check(&"9".repeat(39), EpochMillis, Err(Reason::NotANumber));
        check(&"9".repeat(38), EpochMillis, Err(Reason::TimeOutOfRange));
        check("9223372036854775807", EpochMillis, Err(Reason::TimeOutOfRange));
        check("-9223372036854775808", EpochMillis, Err(Reason::TimeOutOfRange));
        check("1e999", EpochSeconds, Err(Reason::TimeOutOfRange));
        check("4320000000000001", EpochMillis, Err(Reason::TimeOutOfRange));
    }

    #[test]
    fn iso_8601_is_read_with_and_without_a_zone() {
        let cases = [
            ("1970-01-01", 0, false),
            ("1970-01-01T00:00", 0, false),
            ("1969-12-31 23:59:59.999Z", -1, true),
            ("2024-02-29T23:59:59.123456789Z", 1_709_251_199_123, true),
            ("2024-02-29t23:59:59,1z", 1_709_251_199_100, true),
            ("2024-03-01T00:59:59.123+01:00", 1_709_251_199_123, true),
            ("2024-02-29T18:29:59.12-0530", 1_709_251_199_120, true),
            ("2024-02-29T23:59:59+00", 1_709_251_199_000, true),
            ("0000-03-01T00:00:00Z", -62_162_035_200_000, true),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999, true),
        ];
        for (text, time, has_zone) in cases {
            assert_eq!(parse(text, TimeFormat::Iso8601), Ok(Stamp { time, has_zone }), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        let cases = "2023-02-29 1900-02-29 2024-13-01 2024-00-01 2024-01-32 2024-1-1 20240101 \
            2024-01-01T24:00 2024-01-01T23:60 2024-01-01T23:59:60Z 2024-01-01T23:59:59.Z \
            2024-01-01T23:59:59.1234567890Z 2024-01-01T23 2024-01-01T 2024-01-01TZ 2024-01-01Z \
            2024-01-01T00:00+ 2024-01-01T00:00+1 2024-01-01T00:00+19:00 2024-01-01T00:00+01:60 \
            2024-01-01T00:00Zx 2024-01-01T00:00+01:00x 2024-01-01T00:00+01: 1700000000 é ２０２４";
        for text in cases.split_ascii_whitespace() {
            check(text, TimeFormat::Iso8601, Err(Reason::NotIso8601));
        }
    }

    #[test]
    fn days_are_counted_through_a_leap_cycle() {
        let mut day = days_from_civil(1600, 1, 1);
        for year in 1600..2001 {
            for month in 1..=12 {
                for date in 1..=days_of_month(year, month) {
                    assert_eq!(days_from_civil(year, month, date), day);
                    day += 1;
                }
            }
        }
        assert_eq!(day, 11_323, "2001-01-01");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(time in -62_135_596_800_000_i64..253_402_300_800_000) {
            let text = iso_text(time);
            prop_assert_eq!(parse(&text, TimeFormat::Iso8601), Ok(Stamp { time, has_zone: true }), "{}", text);
        }

        #[test]
        fn whole_numbers_are_read_as_any_number_is(number in any::<i64>(), shift in 0_u32..60) {
            let number = number >> shift;
            for format in [TimeFormat::EpochSeconds, TimeFormat::EpochMillis, TimeFormat::EpochMicros, TimeFormat::EpochNanos] {
                let whole = parse(&number.to_string(), format);
                let decimal = parse(&format!("{number}.0"), format);
                prop_assert_eq!(whole.map_err(|it| it.reason), decimal.map_err(|it| it.reason));
            }
        }

        #[test]
        fn any_text_is_an_answer(text in any::<String>(), iso in "[-0-9T:.+Z, ]{0,40}") {
            for format in [TimeFormat::EpochSeconds, TimeFormat::EpochNanos, TimeFormat::Iso8601] {
                let _ = parse(&text, format);
                let _ = parse(&iso, format);
            }
        }

        #[test]
        fn seconds_with_a_fraction_are_milliseconds(time in -MAX_TIME_MS..=MAX_TIME_MS) {
            let sign = if time < 0 { "-" } else { "" };
            let text = format!("{sign}{}.{:03}", time.unsigned_abs() / 1000, time.unsigned_abs() % 1000);
            prop_assert_eq!(parse(&text, TimeFormat::EpochSeconds).map(|it| it.time), Ok(time));
            prop_assert_eq!(parse(&time.to_string(), TimeFormat::EpochMillis).map(|it| it.time), Ok(time));
        }
    }
}
