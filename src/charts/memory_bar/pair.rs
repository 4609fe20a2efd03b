//! Two processes below each other on the same scale, so that lengths can be compared by eye.

use super::{MemoryBarInput, description, layout_to, regions};
use crate::charts::memory_bar::tree::Tree;
use crate::charts::scene::Scene;
use crate::charts::theme::Theme;
use crate::charts::{Chart, ChartError, Region};
use crate::units::Bytes;

/// Free space between the two (px).
const GAP: i32 = 16;

/// Draws `a` above `b`, `width` px wide. Regions carry `a.` or `b.` before the component's id.
pub fn draw(
    a: &MemoryBarInput,
    b: &MemoryBarInput,
    theme: Theme,
    width: u32,
) -> Result<Chart, ChartError> {
    let (above, below) = layout(a, b, width)?;
    let down = above.height + GAP;
    let mut parts = part(a, &above, "a", 0)?;
    parts.extend(part(b, &below, "b", down)?);
    let total = |input: &MemoryBarInput| Tree::new(input.components).map(|tree| tree.total());
    let description = format!("A: {} B: {}", description(a, total(a)?), description(b, total(b)?));
    let scene = above.above(below, GAP);
    let height = scene.height.unsigned_abs();
    Ok(Chart { svg: scene.to_svg(theme)?, width, height, description, regions: parts })
}

/// Both drawings on an axis that reaches the end of the longer one.
pub fn layout(
    a: &MemoryBarInput,
    b: &MemoryBarInput,
    width: u32,
) -> Result<(Scene, Scene), ChartError> {
    let mut end = Bytes::ZERO;
    for input in [a, b] {
        end = end.max(Tree::new(input.components)?.total()).max(input.container.limit);
    }
    Ok((layout_to(a, width, end)?, layout_to(b, width, end)?))
}

fn part(
    input: &MemoryBarInput,
    scene: &Scene,
    side: &str,
    down: i32,
) -> Result<Vec<Region>, ChartError> {
    let named = |region: Region| Region {
        id: format!("{side}.{}", region.id),
        label: format!("{}: {}", side.to_uppercase(), region.label),
        y: region.y + f64::from(down),
        ..region
    };
    Ok(regions(input, scene)?.into_iter().map(named).collect())
}
