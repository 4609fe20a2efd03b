//! How does Flink read and print the numbers of its options?
//!
//! Fractions are `Float` options: the text becomes a 32-bit float, which is then widened, so `0.1`
//! is 0.10000000149011612. Integers are not trimmed.
//!
//! Source: JDK 17 `Float.parseFloat`, `Double.parseDouble`, `Integer.parseInt`, `Double.toString`,
//! `String.format("%.3f")`, as Flink 1.18.1, 1.20.5 and 2.2.1 call them in `ConfigurationUtils`.
//!
//! # Deviations
//! `Integer.parseInt` also reads the decimal digits of other scripts; here they are refused.

/// Why a text is not a number. `Display` gives the JDK's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// Nothing but white space where a float was expected.
    #[error("empty String")]
    Empty,
    /// More than one decimal point.
    #[error("multiple points")]
    MultiplePoints,
    /// Anything else.
    #[error("For input string: \"{0}\"")]
    Malformed(String),
}

/// Trims as `String.trim` of Java does: code points up to U+0020 only.
pub fn java_trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}

/// Reads a 32-bit float as `Float.parseFloat` does.
pub fn parse_float(text: &str) -> Result<f32, NumberError> {
    match float_text(text)? {
        FloatText::Decimal(digits) => digits.parse().map_err(|_| malformed(text)),
        // Scaling by a power of two is exact in 64 bits for everything a float can hold.
        FloatText::Hex { negative, mantissa, exponent } => {
            let scaled = scale(f64::from(mantissa as f32), exponent) as f32;
            Ok(if negative { -scaled } else { scaled })
        }
    }
}

/// Reads a 64-bit float as `Double.parseDouble` does.
pub fn parse_double(text: &str) -> Result<f64, NumberError> {
    match float_text(text)? {
        FloatText::Decimal(digits) => digits.parse().map_err(|_| malformed(text)),
        FloatText::Hex { negative, mantissa, exponent } => {
            let scaled = scale(mantissa as f64, exponent);
            Ok(if negative { -scaled } else { scaled })
        }
    }
}

/// Reads an integer as `Integer.parseInt` does: no trimming, a sign is allowed.
pub fn parse_int(text: &str) -> Result<i32, NumberError> {
    text.parse().map_err(|_| malformed(text))
}

/// Prints a double as `Double.toString` does, as in `0.1`, `1.0E-5` or `NaN`.
pub fn java_double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    let magnitude = value.abs();
    let plain = magnitude == 0.0 || (1e-3..1e7).contains(&magnitude);
    let text = if plain { format!("{value}") } else { format!("{value:E}") };
    let (mantissa, exponent) = match text.split_once('E') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text.as_str(), None),
    };
    let point = if mantissa.contains('.') { "" } else { ".0" };
    match exponent {
        Some(exponent) => format!("{mantissa}{point}E{exponent}"),
        None => format!("{mantissa}{point}"),
    }
}

/// The shortest text that reads as the same 32-bit float: fractions are floats, and widened to a
/// double `0.4` would read `0.4000000059604645`.
pub fn shortest_float(widened: f64) -> String {
    if widened.is_finite() { format!("{}", widened as f32) } else { java_double(widened) }
}

/// Prints a non-negative finite number with `digits` decimals, rounding the shortest decimal form half up
/// as `String.format` does. Rust's own formatting rounds the exact binary value half to even.
pub fn round_half_up(value: f64, digits: usize) -> String {
    let text = format!("{value}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    if fraction.len() <= digits {
        return format!("{whole}.{fraction:0<digits$}");
    }
    let (kept, dropped) = fraction.split_at(digits);
    let mut decimals: Vec<u8> = whole.bytes().chain(kept.bytes()).collect();
    if dropped.as_bytes()[0] >= b'5' {
        let carried = decimals.iter_mut().rev().all(|digit| {
            *digit = if *digit == b'9' { b'0' } else { *digit + 1 };
            *digit == b'0'
        });
        if carried {
            decimals.insert(0, b'1');
        }
    }
    let text: String = decimals.into_iter().map(char::from).collect();
    let (whole, fraction) = text.split_at(text.len() - digits);
    format!("{whole}.{fraction}")
}

enum FloatText<'a> {
    Decimal(std::borrow::Cow<'a, str>),
    /// Value = mantissa * 2^exponent; bits that did not fit are folded into the lowest one.
    Hex {
        negative: bool,
        mantissa: u64,
        exponent: i32,
    },
}

fn malformed(text: &str) -> NumberError {
    NumberError::Malformed(text.to_owned())
}

fn float_text(text: &str) -> Result<FloatText<'_>, NumberError> {
    let trimmed = java_trim(text);
    if trimmed.is_empty() {
        return Err(NumberError::Empty);
    }
    let (negative, unsigned) = match trimmed.as_bytes()[0] {
        b'-' => (true, &trimmed[1..]),
        b'+' => (false, &trimmed[1..]),
        _ => (false, trimmed),
    };
    let sign = if negative { "-" } else { "" };
    if unsigned == "NaN" {
        return Ok(FloatText::Decimal("NaN".into()));
    }
    if unsigned == "Infinity" {
        return Ok(FloatText::Decimal(format!("{sign}inf").into()));
    }
    let body = unsigned.strip_suffix(['f', 'F', 'd', 'D']);
    if let Some(hex) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let hex = hex.strip_suffix(['f', 'F', 'd', 'D']).filter(|h| has_exponent(h)).unwrap_or(hex);
        return hex_float(hex, negative).ok_or_else(|| malformed(trimmed));
    }
    let body = body.unwrap_or(unsigned);
    let (significand, exponent) = match body.split_once(['e', 'E']) {
        Some((significand, exponent)) => (significand, Some(exponent)),
        None => (body, None),
    };
    if significand.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && significand.bytes().filter(|b| *b == b'.').count() > 1
    {
        return Err(NumberError::MultiplePoints);
    }
    let digits = significand.replacen('.', "", 1);
    let significand_ok = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let exponent_ok = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['+', '-']).unwrap_or(e);
        !e.is_empty() && e.bytes().all(|b| b.is_ascii_digit())
    });
    if significand_ok && exponent_ok {
        Ok(FloatText::Decimal(format!("{sign}{body}").into()))
    } else {
        Err(malformed(trimmed))
    }
}

fn has_exponent(hex: &str) -> bool {
    hex.contains(['p', 'P'])
}

fn hex_float<'a>(text: &str, negative: bool) -> Option<FloatText<'a>> {
    let (significand, exponent) = text.split_once(['p', 'P'])?;
    let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let limit = 1_000_000;
    let mut power: i32 = unsigned.parse().unwrap_or(limit).min(limit);
    if exponent.starts_with('-') {
        power = -power;
    }
    let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut mantissa: u64 = 0;
    for (i, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = c.to_digit(16)?;
        let after_point = i >= whole.len();
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            power = power.saturating_sub(if after_point { 4 } else { 0 });
        } else {
            mantissa |= u64::from(digit != 0);
            power = power.saturating_add(if after_point { 0 } else { 4 });
        }
    }
    Some(FloatText::Hex { negative, mantissa, exponent: power })
}

/// `value * 2^exponent`, in steps that neither overflow nor underflow early.
fn scale(value: f64, exponent: i32) -> f64 {
    let mut scaled = value;
    let mut left = exponent.clamp(-3000, 3000);
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        scaled *= 2_f64.powi(step);
        left -= step;
    }
    scaled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_as_java_reads_them() {
        let good: [(&str, f32); 12] = [
            ("0.2f", 0.2),
            ("0.1d", 0.1),
            (".25", 0.25),
            ("5.", 5.0),
            ("1e-3", 0.001),
            ("0x1p-3", 0.125),
            ("0x1.8p1", 3.0),
            ("0x1p-3f", 0.125),
            (" 0.5\t", 0.5),
            ("+1", 1.0),
            ("0.99999999", 1.0),
            ("Infinity", f32::INFINITY),
        ];
        for (text, value) in good {
            assert_eq!(parse_float(text).map(f32::to_bits), Ok(value.to_bits()), "{text}");
        }
        assert!(parse_float("NaN").unwrap().is_nan());
        assert_eq!(parse_float("-0.0").map(f32::to_bits), Ok((-0.0_f32).to_bits()));
        for text in [
            "0,1", "10%", "", " ", "x", "true", "0x1", "1e", "--1", "inf", "nan", "1_0", "1.2.3",
            ".",
        ] {
            assert!(parse_float(text).is_err(), "{text}");
        }
        assert_eq!(parse_float("0.4.0"), Err(NumberError::MultiplePoints));
    }

    #[test]
    fn integers_are_not_trimmed() {
        assert_eq!(parse_int("+3"), Ok(3));
        assert_eq!(parse_int("-5"), Ok(-5));
        for text in [" 2 ", "2.0", "2147483648", "", "+", "1e1"] {
            assert!(parse_int(text).is_err(), "{text}");
        }
    }

    #[test]
    fn doubles_print_as_java_prints_them() {
        let cases = [
            (f64::from(0.1_f32), "0.10000000149011612"),
            (1.0, "1.0"),
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1000.0, "1000.0"),
            (1e7, "1.0E7"),
            (1.234e-5, "1.234E-5"),
            (0.001, "0.001"),
            (2_147_483_647.0, "2.147483647E9"),
            (f64::NAN, "NaN"),
        ];
        for (value, text) in cases {
            assert_eq!(java_double(value), text);
        }
    }

    #[test]
    fn a_widened_float_prints_as_it_was_written() {
        for text in ["0.4", "0.1", "0.65", "0", "1.1", "0.000001"] {
            let read: f32 = text.parse().expect("a number");
            assert_eq!(shortest_float(f64::from(read)), text);
        }
        assert_eq!(shortest_float(f64::INFINITY), "Infinity");
    }

    #[test]
    fn decimals_round_half_up() {
        let cases = [
            (1.0005, "1.001"),
            (0.9995, "1.000"),
            (204.8, "204.800"),
            (9.9999, "10.000"),
            (2.0, "2.000"),
            (1023.0625, "1023.063"),
        ];
        for (value, text) in cases {
            assert_eq!(round_half_up(value, 3), text);
        }
    }
}
