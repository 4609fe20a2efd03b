//! What type does an unquoted word have, and how does Flink print it again?
//!
//! Values of `config.yaml` are typed by the core schema of YAML 1.2 and then turned into text, so
//! `0.40` arrives as `0.4`, `010` as `10` and `1e3` as `1000.0`.
//!
//! Source: `CoreScalarResolver` and the `ConstructYamlCore*` classes of snakeyaml-engine, and
//! `Double.toString` of Java. `Double.toString` prints the shortest decimal that reads back the
//! same, in scientific notation below 10^-3 and from 10^7 on.

use super::node::Value;

/// The most digits of a hexadecimal or octal number; Java has no limit short of its memory.
pub const MAX_RADIX_DIGITS: usize = 1024;

/// Types an unquoted word by the core schema.
pub fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    integer(text)
        .map(Value::Int)
        .or_else(|| float(text).map(Value::Float))
        .unwrap_or_else(|| Value::Text(text.to_owned()))
}

/// An integer of any size in decimal, or `None` when the text is none.
pub fn integer(text: &str) -> Option<String> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return to_decimal(digits, radix);
        }
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(match digits.trim_start_matches('0') {
        "" => "0".to_owned(),
        significant => format!("{sign}{significant}"),
    })
}

/// A float of the core schema: `.inf`, `.nan` or a decimal; `None` when the text is none.
pub fn float(text: &str) -> Option<f64> {
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(f64::NAN);
    }
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let size = if matches!(rest, ".inf" | ".Inf" | ".INF") {
        f64::INFINITY
    } else if is_decimal(rest) {
        rest.parse().ok()?
    } else {
        return None;
    };
    Some(if negative { -size } else { size })
}

/// A double as Flink prints it: `Double.toString`, and YAML's names for the values beyond numbers.
pub fn print_float(value: f64) -> String {
    if value.is_nan() {
        return ".nan".to_owned();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let size = value.abs();
    if size.is_infinite() {
        return format!("{sign}.inf");
    }
    // 0.001 is still printed plainly, 10 000 000 no longer.
    if size > 0.0 && !(1e-3..1e7).contains(&size) {
        return format!("{sign}{}", scientific(size));
    }
    let plain = format!("{size}");
    let point = if plain.contains('.') { "" } else { ".0" };
    format!("{sign}{plain}{point}")
}

fn scientific(size: f64) -> String {
    // Rust prints the same shortest digits, as in `1.5e10`. Java wants at least two of them, and
    // the two that come closest: the smallest double is 4.9E-324 and not 5.0E-324.
    let shortest = format!("{size:e}");
    let text = if shortest.contains('.') { shortest } else { format!("{size:.1e}") };
    text.replace('e', "E")
}

/// `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_decimal(text: &str) -> bool {
    let all_digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mantissa_fits =
        all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    mantissa_fits && exponent_fits
}

/// Rewrites digits of a radix as decimal ones, by schoolbook multiplication in base 10^9.
fn to_decimal(digits: &str, radix: u32) -> Option<String> {
    const BASE: u64 = 1_000_000_000;
    if digits.is_empty() || digits.len() > MAX_RADIX_DIGITS {
        return None;
    }
    let mut limbs: Vec<u64> = vec![0];
    for digit in digits.chars() {
        let mut carry = u64::from(digit.to_digit(radix)?);
        for limb in &mut limbs {
            let value = *limb * u64::from(radix) + carry;
            *limb = value % BASE;
            carry = value / BASE;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut limbs = limbs.into_iter().rev();
    let mut text = limbs.next().unwrap_or(0).to_string();
    for limb in limbs {
        text.push_str(&format!("{limb:09}"));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let got = match resolve(text) {
            Value::Null => "null".to_owned(),
            Value::Bool(b) => b.to_string(),
            Value::Int(i) => i,
            Value::Float(f) => print_float(f),
            Value::Text(t) => format!("{t:?}"),
            Value::List(_) | Value::Map(_) => unreachable!("a word is no collection"),
        };
        assert_eq!(got, want, "{text}");
    }

    /// Recorded from Flink 2.2.1.
    #[test]
    fn words_are_typed_and_printed_as_in_flink() {
        let cases = [
            ("010", "10"),
            ("0x10", "16"),
            ("0o10", "8"),
            ("+5", "5"),
            ("-0", "0"),
            ("12345678901234567890", "12345678901234567890"),
            ("0x7FFFFFFFFFFFFFFFFF", "2361183241434822606847"),
            ("-0x10", "\"-0x10\""),
            ("0.40", "0.4"),
            ("1e3", "1000.0"),
            ("1e6", "1000000.0"),
            ("1e7", "1.0E7"),
            ("1e-3", "0.001"),
            ("1e-4", "1.0E-4"),
            ("0.1e-5", "1.0E-6"),
            ("123456789.123", "1.23456789123E8"),
            ("1.", "1.0"),
            (".5", "0.5"),
            ("-0.0", "-0.0"),
            ("1e400", ".inf"),
            ("-.INF", "-.inf"),
            (".nan", ".nan"),
            ("True", "true"),
            ("fAlse", "\"fAlse\""),
            ("yes", "\"yes\""),
            ("1_000", "\"1_000\""),
            ("1:30", "\"1:30\""),
            ("2001-01-01", "\"2001-01-01\""),
            (".", "\".\""),
            ("e5", "\"e5\""),
            ("1e", "\"1e\""),
            ("4e-324", "4.9E-324"),
        ];
        for (text, want) in cases {
            check(text, want);
        }
    }
}
