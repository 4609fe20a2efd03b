//! The figures of two reports beside each other.

use serde::Serialize;

use super::Report;
use super::figures::{Amount, Figure, figures};

/// Answer of `comparePanels`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PanelComparison {
    /// One sentence: the first figures that differ.
    pub verdict: String,
    /// What A's own answer says.
    pub a_verdict: String,
    /// Every figure of either side, in the order of B.
    pub figures: Vec<FigureDifference>,
    /// Those of them that do not differ.
    pub equal: usize,
}

/// One figure on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureDifference {
    /// A stable name.
    pub id: String,
    /// What it belongs to where several are alike, such as `4 slots`; empty for the whole.
    pub group: String,
    /// For people.
    pub name: String,
    /// What it measures: `bytes`, `count`, `number`, `share` or `seconds`.
    pub unit: &'static str,
    /// In A; `None` where A has no such figure.
    pub a: Option<Amount>,
    /// In B.
    pub b: Option<Amount>,
    /// B minus A.
    pub difference: Option<Amount>,
    /// The difference as a share of A; `None` where A is 0 or unknown.
    pub relative: Option<f64>,
}

/// The most figures that a verdict names.
const NAMED_MAX: usize = 3;

/// Holds two answers to the same question against each other.
pub(super) fn compare(a: &Report, b: &Report) -> PanelComparison {
    let (of_a, of_b) = (figures(a), figures(b));
    let of_both = of_b.iter().map(|b| (of_a.iter().find(|a| a.id == b.id), Some(b)));
    let gone = of_a.iter().filter(|a| !of_b.iter().any(|b| b.id == a.id));
    let figures: Vec<FigureDifference> = of_both
        .chain(gone.map(|a| (Some(a), None)))
        .filter_map(|(a, b)| FigureDifference::new(a, b))
        .collect();
    let equal = figures.iter().filter(|row| row.is_equal()).count();
    PanelComparison {
        verdict: verdict(&figures),
        a_verdict: a.verdict().to_owned(),
        figures,
        equal,
    }
}

impl FigureDifference {
    /// `None` where neither side has an amount.
    fn new(a: Option<&Figure>, b: Option<&Figure>) -> Option<Self> {
        let figure = b.or(a)?;
        let [a, b] = [a, b].map(|side| side.and_then(|figure| figure.amount));
        let unit = b.or(a)?.unit();
        let difference = a.zip(b).and_then(|(a, b)| b.minus(a));
        let relative = a
            .map(Amount::double)
            .filter(|a| *a != 0.0)
            .zip(difference)
            .map(|(a, difference)| difference.double() / a);
        let Figure { id, group, name, .. } = figure.clone();
        Some(Self { id, group, name, unit, a, b, difference, relative })
    }

    fn is_equal(&self) -> bool {
        self.a == self.b
    }

    /// "Block cache 64 MiB less (128 MiB → 64 MiB)".
    fn in_words(&self) -> String {
        let Self { name, group, a, b, difference, .. } = self;
        let of = if group.is_empty() { String::new() } else { format!(" ({group})") };
        let [was, is] = [a, b].map(|side| side.map_or("none".to_owned(), Amount::in_words));
        let change = difference.map_or(String::new(), |difference| {
            let way = if difference.double() < 0.0 { "less" } else { "more" };
            format!(" {} {way}", difference.magnitude().in_words())
        });
        format!("{name}{of}{change} ({was} → {is})")
    }
}

fn verdict(figures: &[FigureDifference]) -> String {
    let changed: Vec<&FigureDifference> = figures.iter().filter(|row| !row.is_equal()).collect();
    let named: Vec<String> = changed.iter().take(NAMED_MAX).map(|row| row.in_words()).collect();
    if named.is_empty() {
        return "Every figure is what it is in A.".to_owned();
    }
    let rest = match changed.len() - named.len() {
        0 => String::new(),
        1 => "; one more figure differs".to_owned(),
        n => format!("; {n} more figures differ"),
    };
    format!("Against A: {}{rest}.", named.join(", "))
}
