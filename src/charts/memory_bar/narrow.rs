//! The nested bar unfolded: one row per component under one axis, for phones.

use super::tree::Tree;
use super::{Frame, MARGIN, SIZE, percent};
use crate::charts::backend::Anchor;
use crate::charts::scene::{Line, Placed, Rect, Scene, line_height};
use crate::charts::text::{self, Face};
use crate::charts::theme::{Paint, Tone};

/// The height of a bar.
const BAR: i32 = 14;
/// From a bar to the text of the next row.
const GAP: i32 = 8;
/// How far a text moves in per box around its component.
const INDENT: i32 = 12;
/// From a name to its size.
const SPACE: i32 = 8;

pub(super) fn layout(mut frame: Frame, tree: &Tree) -> Scene {
    let mut y = frame.y;
    let right = frame.scene.width - MARGIN;
    let mut placed: Vec<(&'static str, Option<Rect>, Rect)> = Vec::with_capacity(tree.nodes.len());
    for node in tree.nodes.iter().filter(|node| !node.is_empty()) {
        let component = node.component;
        let top = y;
        let share = percent(component.bytes, tree.total());
        let x = MARGIN + (node.depth * INDENT).min(frame.scene.width / 4);
        let name_width = text::width(component.name, Face::Sans, SIZE);
        let end = |value: &str| x + name_width + SPACE + text::width(value, Face::Sans, SIZE);
        // The share gives way to the name, and to a limit at the right, whose line would otherwise
        // be broken; the name is cut only when nothing else helps.
        let short = component.bytes.to_string();
        let long = format!("{short} · {share}");
        let limit = frame.limit_x;
        let right_end = if limit * 4 > right * 3 { limit - 4 } else { right };
        let value = match (end(&long) <= right_end, end(&short) <= right_end) {
            (true, _) => long,
            (false, false) if end(&long) <= right => long,
            _ => short,
        };
        let room = right - x - SPACE - text::width(&value, Face::Sans, SIZE);
        let name = text::ellipsize(component.name, Face::Sans, SIZE, room).unwrap_or_default();
        let name = Line::new(name, SIZE, Anchor::Start, (x, y)).on_plate(Tone::Surface);
        let value = Line::new(value, SIZE, Anchor::Start, (name.rect.x1 + SPACE, y));
        frame.scene.lines.push(name);
        frame.scene.lines.push(value.painted(Paint::Tone(Tone::Muted)).on_plate(Tone::Surface));
        y += line_height(SIZE) + 1;

        let around = placed.iter().find(|(id, ..)| Some(*id) == component.parent);
        let (x0, x1) = frame.span(node, around.and_then(|&(_, bar, _)| bar));
        let bar = Rect::new(x0, y, x1, y + BAR);
        frame.draw_box(node, bar, y, 5);
        frame.mark_over(bar);
        y += BAR + GAP;
        placed.push((component.id, Some(bar), Rect::new(0, top, frame.scene.width, y - GAP / 2)));
    }
    let bottom = y - GAP;
    frame.rule(bottom);
    let empty: Vec<_> = tree.nodes.iter().filter(|node| node.is_empty()).collect();
    y = frame.note(&empty, bottom + 8, |node, rect| placed.push((node.component.id, None, rect)));
    frame.scene.height = y + 8;
    for node in &tree.nodes {
        let component = node.component;
        let found = placed.iter().find(|(id, ..)| *id == component.id);
        if let Some(&(id, rect, hit)) = found {
            frame.scene.placed.push(Placed { id, parent: component.parent, rect, hit });
        }
    }
    frame.scene
}
