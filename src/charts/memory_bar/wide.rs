//! Nested boxes: a component lies inside the one around it, and its width is its share.

use super::tree::{Node, Tree};
use super::{Frame, HIT, MARGIN, SIZE, named_size, percent, tone};
use crate::charts::backend::Anchor;
use crate::charts::scene::{Line, Placed, Rect, Shape, line_height};
use crate::charts::text::{self, Face};
use crate::charts::theme::{Paint, Tone};
use crate::units::Bytes;

/// The strip of a box that names it, above the boxes inside.
const HEADER: i32 = 24;
/// The height of the innermost boxes.
const LEAF: i32 = 88;
/// From the side of a box to its text.
const INSET: i32 = 6;
/// A box narrower than this cannot be pointed at by a line.
const VISIBLE: i32 = 3;
/// The font size of a name where the usual one does not fit.
const SMALL: u32 = 11;

pub(super) fn layout(mut frame: Frame, tree: &Tree) -> crate::charts::scene::Scene {
    let top = frame.y;
    let depth = tree.depth();
    let bottom = top + depth * HEADER + LEAF;
    let mut rects: Vec<Option<Rect>> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let parent = tree.nodes.iter().position(|n| Some(n.component.id) == node.component.parent);
        let around = parent.and_then(|at| rects[at]);
        rects.push(node_rect(&frame, node, around, (top, bottom)));
    }
    let mut outside: Vec<(&Node, Rect)> = Vec::new();
    let mut unseen: Vec<&Node> = Vec::new();
    for (node, rect) in tree.nodes.iter().zip(&rects) {
        let Some(rect) = *rect else {
            unseen.push(node);
            continue;
        };
        let lines = inside(node, rect, tree.total());
        // The pattern starts below the words rather than run through them.
        let words_end = lines.iter().flatten().map(|line| line.rect.y1 + 4).max();
        frame.draw_box(node, rect, words_end.unwrap_or(rect.y0), 8);
        if !node.holds && rect.width() > VISIBLE {
            // A hairline of ground keeps neighbours apart.
            let edge = Rect::new(rect.x1 - 1, rect.y0, rect.x1, rect.y1);
            frame.scene.shapes.push(Shape::Fill(edge, Paint::Tone(Tone::Surface)));
        }
        match lines {
            Some(lines) => frame.scene.lines.extend(lines),
            None if node.holds || rect.width() < VISIBLE => unseen.push(node),
            None => outside.push((node, rect)),
        }
    }
    if let Some(Some(whole)) = rects.first() {
        frame.mark_over(*whole);
    }
    frame.rule(bottom);

    let (y, rest) = leaders(&mut frame, &outside, bottom + 12);
    unseen.extend(rest);
    let mut notes: Vec<(&'static str, Rect)> = Vec::new();
    let y = frame.note(&unseen, y, |node, rect| notes.push((node.component.id, rect)));

    let scene = &mut frame.scene;
    scene.height = y + 8;
    for (node, rect) in tree.nodes.iter().zip(&rects) {
        let id = node.component.id;
        let noted = notes.iter().find(|(other, _)| *other == id).map(|(_, rect)| *rect);
        // An empty component answers where it is listed.
        let Some(hit) = rect.map(|rect| widened(rect, scene.width)).or(noted) else { continue };
        scene.placed.push(Placed { id, parent: node.component.parent, rect: *rect, hit });
    }
    frame.scene
}

/// The box of a node inside the one around it: at least a pixel wide, `None` without bytes.
fn node_rect(
    frame: &Frame,
    node: &Node,
    around: Option<Rect>,
    (top, bottom): (i32, i32),
) -> Option<Rect> {
    if node.is_empty() {
        return None;
    }
    let (x0, x1) = frame.span(node, around);
    Some(Rect::new(x0, top + node.depth * HEADER, x1, bottom))
}

/// The label inside a box, or `None` where it does not fit.
fn inside(node: &Node, rect: Rect, total: Bytes) -> Option<Vec<Line>> {
    let component = node.component;
    let room = rect.width() - 2 * INSET;
    let x = rect.x0 + INSET;
    if node.holds {
        let y = rect.y0 + (HEADER - line_height(SIZE)) / 2;
        let line = Line::new(named_size(component), SIZE, Anchor::Start, (x, y));
        return (line.rect.width() <= room).then(|| vec![line.on_plate(Tone::Panel)]);
    }
    let tone = tone(component.color);
    let size = component.bytes.to_string();
    [SIZE, SMALL].into_iter().find_map(|font| {
        let mut texts = text::wrap(component.name, Face::Sans, font, room)?;
        if text::width(&size, Face::Sans, font) > room {
            return None;
        }
        texts.push(size.clone());
        let fit = (rect.height() - 2 * INSET) / line_height(font);
        let share = percent(component.bytes, total);
        if (texts.len() as i32) < fit && text::width(&share, Face::Sans, font) <= room {
            texts.push(share);
        }
        if texts.len() as i32 > fit {
            return None;
        }
        let height = line_height(font);
        let line = |(text, i): (String, i32)| {
            let y = rect.y0 + INSET + i * height;
            Line::new(text, font, Anchor::Start, (x, y)).painted(Paint::On(tone))
        };
        let mut lines: Vec<_> = texts.into_iter().zip(0..).map(line).collect();
        let widest = lines.iter().map(|line| line.rect.x1).max().unwrap_or(x);
        for line in &mut lines {
            // One plate for all lines: where danger is drawn over the box, words stay readable.
            let Rect { y0, y1, .. } = line.rect;
            line.plate = Some((Rect::new(x - 3, y0, widest + 3, y1), tone));
        }
        Some(lines)
    })
}

/// Most rows of labels below the bar.
const ROWS: i32 = 6;
/// From one row of labels to the next.
const ROW: i32 = 18;

/// A label below the bar and the line that leads up to its box.
struct Leader<'a> {
    node: &'a Node<'a>,
    line: Line,
    lead: Rect,
}

/// Labels below the bar. Returns the bottom of the last row and the nodes that found no place.
///
/// The boxes left of some split carry their text to the right of their line, the others to the
/// left. Each split is tried; the one that leaves out the fewest in the fewest rows wins.
fn leaders<'a>(
    frame: &mut Frame,
    nodes: &[(&'a Node<'a>, Rect)],
    top: i32,
) -> (i32, Vec<&'a Node<'a>>) {
    let width = frame.scene.width;
    let arrangements = (0..=nodes.len()).rev().map(|split| arrange(nodes, split, top, width));
    let bottom = |placed: &[Leader]| placed.iter().map(|leader| leader.line.rect.y1 + 4).max();
    let best = arrangements.min_by_key(|placed| (nodes.len() - placed.len(), bottom(placed)));
    let placed = best.unwrap_or_default();
    let left_out =
        |node: &Node| !placed.iter().any(|leader| leader.node.component.id == node.component.id);
    let rest = nodes.iter().map(|(node, _)| *node).filter(|node| left_out(node)).collect();
    let end = bottom(&placed).unwrap_or(top - 4);
    for Leader { line, lead, .. } in placed {
        frame.scene.shapes.push(Shape::Fill(lead, Paint::Tone(Tone::Muted)));
        frame.scene.lines.push(line);
    }
    (end, rest)
}

/// Puts each label into the first row where neither it nor its line meets what is already there:
/// first those left of the split, from the split outwards, then those right of it.
fn arrange<'a>(
    nodes: &[(&'a Node<'a>, Rect)],
    split: usize,
    top: i32,
    width: i32,
) -> Vec<Leader<'a>> {
    let (left, right) = nodes.split_at(split.min(nodes.len()));
    let left = left.iter().rev().map(|item| (item, Anchor::Start));
    let right = right.iter().map(|item| (item, Anchor::End));
    let mut placed: Vec<Leader> = Vec::new();
    for (&(node, rect), anchor) in left.chain(right) {
        let x = rect.x0 + rect.width() / 2;
        let at = if anchor == Anchor::Start { x + 5 } else { x - 4 };
        let in_row = |row: i32| {
            let text = named_size(node.component);
            let line = Line::new(text, SIZE, anchor, (at, top + row * ROW));
            let end = line.rect.y0 + line.rect.height() / 2 + 3;
            Leader { node, line, lead: Rect::new(x, rect.y1, x + 1, end) }
        };
        let free = |new: &Leader| {
            let Rect { x0, x1, .. } = new.line.rect;
            let around = new.line.rect.grown(6, 0);
            let meets = |old: &Leader| {
                around.overlaps(old.line.rect)
                    || around.overlaps(old.lead)
                    || new.lead.grown(3, 0).overlaps(old.line.rect)
            };
            x0 >= MARGIN && x1 <= width - MARGIN && !placed.iter().any(meets)
        };
        let found = (0..ROWS).map(in_row).find(free);
        placed.extend(found);
    }
    placed
}

/// The box, widened around its middle to what a finger can hit, inside the drawing.
fn widened(rect: Rect, width: i32) -> Rect {
    let missing = (HIT - rect.width()).max(0);
    let x0 = (rect.x0 - missing / 2).clamp(0, width - rect.width() - missing);
    Rect::new(x0, rect.y0, x0 + rect.width() + missing, rect.y1)
}
