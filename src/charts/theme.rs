//! The palette, light and dark: one meaning, one colour.
//!
//! Colours that are told apart in one chart differ by at least [`DIFFERENCE_MIN`] in CIELAB for full colour
//! vision, protanopia and deuteranopia; text stands at 4.5:1 and marks at 3:1 (WCAG 2.2). The
//! tests below compute all of it, and the page's style sheet takes the same table.

use serde::{Deserialize, Serialize};

/// The ground a chart is drawn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// Dark on white.
    Light,
    /// Light on near black.
    Dark,
}

/// A colour in sRGB: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Black.
    pub const BLACK: Self = Self(0, 0, 0);
    /// White.
    pub const WHITE: Self = Self(255, 255, 255);

    /// Reads `#rrggbb`; what is not a hexadecimal digit counts as 0.
    pub const fn from_hex(hex: &str) -> Self {
        let hex = hex.as_bytes();
        if hex.len() != 7 {
            return Self::BLACK;
        }
        Self(byte(hex[1], hex[2]), byte(hex[3], hex[4]), byte(hex[5], hex[6]))
    }
}

const fn byte(high: u8, low: u8) -> u8 {
    digit(high) * 16 + digit(low)
}

const fn digit(c: u8) -> u8 {
    match c {
        b'0'..=b'9' => c - b'0',
        b'a'..=b'f' => c - b'a' + 10,
        b'A'..=b'F' => c - b'A' + 10,
        _ => 0,
    }
}

/// What a colour means. The order is that of [`PALETTE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "a tone's meaning is its name in the palette")]
pub enum Tone {
    Surface,
    Panel,
    Text,
    Muted,
    Hairline,
    Accent,
    Danger,
    Warning,
    Good,
    Heap,
    OffHeap,
    Managed,
    Network,
    Jvm,
    Aligned,
    Unaligned,
    AtLeastOnce,
    OnTime,
    Late,
    Dropped,
    Open,
    PreCommitted,
    Committed,
    Aborted,
    StartDelay,
    SyncPart,
    AsyncPart,
}

/// Every colour: its name, on light, on dark.
pub const PALETTE: [(&str, &str, &str); 27] = [
    ("surface", "#ffffff", "#10151c"),
    ("panel", "#f2f4f7", "#1a212b"),
    ("text", "#1a2230", "#e6eaf0"),
    ("muted", "#586374", "#9aa6b5"),
    ("hairline", "#dde2e8", "#2a323d"),
    ("accent", "#1d5fb4", "#6fb1f2"),
    ("danger", "#c8102e", "#ff6459"),
    ("warning", "#8f5b00", "#e3b34c"),
    ("good", "#1c7840", "#5cc07c"),
    ("heap", "#1d68c4", "#4593f0"),
    ("offHeap", "#bd5314", "#f2a03d"),
    ("managed", "#4fa07a", "#2f8a52"),
    ("network", "#bd7abd", "#9a559c"),
    ("jvm", "#4a5160", "#b4bbc4"),
    ("aligned", "#1d68c4", "#4593f0"),
    ("unaligned", "#bd5314", "#f2a03d"),
    ("atLeastOnce", "#4a5160", "#b4bbc4"),
    ("onTime", "#1d68c4", "#4593f0"),
    ("late", "#bd5314", "#f2a03d"),
    ("dropped", "#4a5160", "#b4bbc4"),
    ("open", "#1d68c4", "#4593f0"),
    ("preCommitted", "#bd7abd", "#9a559c"),
    ("committed", "#4fa07a", "#2f8a52"),
    ("aborted", "#4a5160", "#b4bbc4"),
    ("startDelay", "#4a5160", "#b4bbc4"),
    ("syncPart", "#bd7abd", "#9a559c"),
    ("asyncPart", "#4fa07a", "#2f8a52"),
];

/// What a shape or a text is painted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// A colour of the palette.
    Tone(Tone),
    /// Black or white, whichever reads better on the tone.
    On(Tone),
    /// The other of the two: lines in it leave a text on the tone as readable as before.
    Beneath(Tone),
}

impl Theme {
    /// The colour of `tone`.
    pub const fn tone(self, tone: Tone) -> Rgb {
        let (_, light, dark) = PALETTE[tone as usize];
        match self {
            Self::Light => Rgb::from_hex(light),
            Self::Dark => Rgb::from_hex(dark),
        }
    }

    /// The colour that `paint` comes to.
    pub fn paint(self, paint: Paint) -> Rgb {
        match paint {
            Paint::Tone(tone) => self.tone(tone),
            Paint::On(tone) => ink_on(self.tone(tone)),
            Paint::Beneath(tone) if ink_on(self.tone(tone)) == Rgb::BLACK => Rgb::WHITE,
            Paint::Beneath(_) => Rgb::BLACK,
        }
    }
}

/// Black or white, whichever has the higher contrast on `ground`.
pub fn ink_on(ground: Rgb) -> Rgb {
    if contrast(Rgb::BLACK, ground) >= contrast(Rgb::WHITE, ground) {
        Rgb::BLACK
    } else {
        Rgb::WHITE
    }
}

/// The contrast ratio of two colours, 1 to 21 (WCAG 2.2).
pub fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The relative luminance of a colour, 0 to 1 (WCAG 2.2).
pub fn luminance(Rgb(r, g, b): Rgb) -> f64 {
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// An sRGB channel as an amount of light, 0 to 1.
fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.04045 {
        return c / 12.92;
    }
    let x = (c + 0.055) / 1.055;
    // x^2.4 = x^2 * (x^2)^(1/5) by Newton's method: `powf` differs between platforms in the last
    // bit, sums and products do not.
    let square = x * x;
    let mut root = 1.0;
    for _ in 0..40 {
        root = (4.0 * root + square / (root * root * root * root)) / 5.0;
    }
    square * root
}

/// The least distance between two colours of one chart in CIELAB, in any of the simulated visions.
pub const DIFFERENCE_MIN: f64 = 25.0;

#[cfg(test)]
mod tests {
    use super::*;

    const THEMES: [Theme; 2] = [Theme::Light, Theme::Dark];
    const FAMILIES: [Tone; 5] =
        [Tone::Heap, Tone::OffHeap, Tone::Managed, Tone::Network, Tone::Jvm];

    #[test]
    fn tones_stand_in_the_order_of_the_palette() {
        assert_eq!(PALETTE[Tone::Danger as usize].0, "danger");
        assert_eq!(PALETTE[Tone::Jvm as usize].0, "jvm");
        assert_eq!(PALETTE[Tone::Dropped as usize].0, "dropped");
        assert_eq!(PALETTE[Tone::Aborted as usize].0, "aborted");
        assert_eq!(PALETTE[Tone::AsyncPart as usize].0, "asyncPart");
        assert_eq!(Tone::AsyncPart as usize, PALETTE.len() - 1);
        for (name, light, dark) in PALETTE {
            for hex in [light, dark] {
                let digits = hex.strip_prefix('#').unwrap();
                assert!(hex.len() == 7 && digits.bytes().all(|c| c.is_ascii_hexdigit()), "{name}");
            }
        }
    }

    #[test]
    fn light_is_linear_as_wcag_defines_it() {
        for channel in 0..=255 {
            let c = f64::from(channel) / 255.0;
            let want = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
            assert!((linear(channel) - want).abs() < 1e-12, "{channel}");
        }
        assert!((contrast(Rgb::BLACK, Rgb::WHITE) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn texts_and_marks_stand_out_from_the_surface() {
        for theme in THEMES {
            let surface = theme.tone(Tone::Surface);
            for (i, (name, ..)) in PALETTE.into_iter().enumerate().skip(1) {
                let (_, light, dark) = PALETTE[i];
                let rgb = Rgb::from_hex(if theme == Theme::Light { light } else { dark });
                let least = match name {
                    "text" | "muted" | "accent" | "danger" | "warning" | "good" => 4.5,
                    "hairline" => 1.2,
                    "panel" => 1.0,
                    _ => 3.0,
                };
                let got = contrast(rgb, surface);
                assert!(got >= least, "{name} on {theme:?}: {got:.2}");
            }
        }
    }

    #[test]
    fn texts_on_marks_read_well() {
        for theme in THEMES {
            assert!(contrast(theme.tone(Tone::Text), theme.tone(Tone::Panel)) >= 4.5);
            assert!(contrast(theme.tone(Tone::Muted), theme.tone(Tone::Panel)) >= 4.5);
            for tone in FAMILIES.into_iter().chain([Tone::Muted, Tone::Danger]) {
                let got = contrast(theme.paint(Paint::On(tone)), theme.tone(tone));
                assert!(got >= 4.5, "{tone:?} on {theme:?}: {got:.2}");
            }
        }
    }

    /// Rows of the simulation of a dichromat in linear RGB (Viénot, Brettel and Mollon, 1999).
    const VISIONS: [(&str, [[f64; 3]; 3]); 3] = [
        ("full", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protanopia",
            [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
        ),
        (
            "deuteranopia",
            [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
        ),
    ];

    fn lab(Rgb(r, g, b): Rgb, vision: &[[f64; 3]; 3]) -> [f64; 3] {
        let light = [linear(r), linear(g), linear(b)];
        let row =
            |m: [f64; 3]| m.iter().zip(light).map(|(m, c)| m * c).sum::<f64>().clamp(0.0, 1.0);
        let [r, g, b] = vision.map(row);
        let xyz = [
            (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
            0.2126 * r + 0.7152 * g + 0.0722 * b,
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
        ];
        let [x, y, z] = xyz.map(|t| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn what_is_told_apart_differs_in_every_vision() {
        let groups: [&[Tone]; 6] = [
            &FAMILIES,
            &[Tone::Good, Tone::Accent, Tone::Muted],
            &[Tone::Aligned, Tone::Unaligned, Tone::AtLeastOnce],
            &[Tone::OnTime, Tone::Late, Tone::Dropped],
            &[Tone::Open, Tone::PreCommitted, Tone::Committed, Tone::Aborted],
            &[Tone::StartDelay, Tone::Aligned, Tone::Unaligned, Tone::SyncPart, Tone::AsyncPart],
        ];
        for (theme, (vision, rows)) in THEMES.into_iter().flat_map(|t| VISIONS.map(|v| (t, v))) {
            for group in groups {
                for (i, &a) in group.iter().enumerate() {
                    for &b in &group[i + 1..] {
                        let (p, q) = (lab(theme.tone(a), &rows), lab(theme.tone(b), &rows));
                        let square: f64 = p.iter().zip(q).map(|(p, q)| (p - q) * (p - q)).sum();
                        let got = square.sqrt();
                        assert!(got >= DIFFERENCE_MIN, "{a:?}, {b:?}, {vision}, {theme:?}: {got}");
                    }
                }
            }
        }
    }
}
