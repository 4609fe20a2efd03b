//! What decided a component with a range: its fraction, a clamp, or the sizes around it?
//!
//! Source: Flink 1.18.1, 1.20.5, 2.2.1, `ProcessMemoryUtils#capToMinMax` (clamps are only logged),
//! `#sanityCheckJvmOverhead`, `TaskExecutorFlinkMemoryUtils#sanityCheckNetworkMemory` (the fraction
//! of a remainder is not enforced).

use super::cite;
use crate::finding::{Finding, Severity};
use crate::memory::arithmetic::Sized;
use crate::memory::report::Origin;
use crate::memory::settings::{RangeOptions, Settings};
use crate::memory::task_manager::NETWORK;
use crate::memory::trace::exact;
use crate::units::Bytes;

/// What decided a component with a range: a clamp, or that it was the remainder.
pub(super) fn decided(
    name: &str,
    sized: Sized,
    options: &RangeOptions,
    settings: &Settings<'_>,
    beside: &str,
) -> Option<Finding> {
    let fraction = settings.entry(&options.fraction).map(|(_, text)| text);
    let fraction = fraction.or(options.fraction.default).unwrap_or_default();
    let (option, code, what, bound) = match sized.origin {
        Origin::ClampedToMin => (options.min, "clamped_to_min", "raised to its minimum", "below"),
        Origin::ClampedToMax => (options.max, "clamped_to_max", "lowered to its maximum", "above"),
        Origin::Remainder => return remainder(name, sized, options, settings),
        _ => return None,
    };
    let gave = sized.unclamped.unwrap_or(sized.bytes);
    let difference = Bytes::new((sized.bytes.get() - gave.get()).abs());
    let price = if sized.origin == Origin::ClampedToMin {
        format!("Down to {gave} it frees up to {difference} for {beside}.")
    } else {
        format!("Up to {gave} it takes up to {difference} from {beside}.")
    };
    Some(Finding {
        code,
        severity: Severity::Note,
        title: format!("{name} was {what}, {}.", exact(sized.bytes)),
        reason: format!("The fraction {fraction} gives {}, {bound} {}.", exact(gave), option.key),
        option: Some(option.key.to_owned()),
        price: Some(price),
        apply: Vec::new(),
        source: cite("ProcessMemoryUtils#capToMinMax", settings.version),
    })
}

fn remainder(
    name: &str,
    sized: Sized,
    options: &RangeOptions,
    settings: &Settings<'_>,
) -> Option<Finding> {
    let set = settings.entry(&options.fraction);
    let (severity, reason) = match set {
        Some((_, text)) => (
            Severity::Warning,
            format!(
                "{} = {text} is read but not enforced; only the minimum and the maximum are.",
                options.fraction.key
            ),
        ),
        None => {
            (Severity::Note, "The sizes around it are set, so its fraction is not used.".to_owned())
        }
    };
    Some(Finding {
        code: "remainder",
        severity,
        title: format!("{name} is what the other settings leave: {}.", exact(sized.bytes)),
        reason,
        option: Some(options.fraction.key.to_owned()),
        price: Some(format!("It must stay between {} and {}.", options.min.key, options.max.key)),
        apply: Vec::new(),
        source: cite(
            if options.min.key == NETWORK.min.key {
                "TaskExecutorFlinkMemoryUtils#sanityCheckNetworkMemory"
            } else {
                "ProcessMemoryUtils#sanityCheckJvmOverhead"
            },
            settings.version,
        ),
    })
}
