//! Partitions as tapes: what was appended in order of its offset, markers, and how far readers of
//! committed records can read.

use super::{MARGIN, Run, SIZE, fitted, region, tone_of};
use crate::charts::Region;
use crate::charts::axis::TICK_SIZE;
use crate::charts::backend::Anchor;
use crate::charts::hatch::Hatch;
use crate::charts::scene::{Line, Rect, Shape, line_height};
use crate::charts::text::Face;
use crate::charts::theme::{Paint, Tone};
use crate::event_time::text::counted;
use crate::transaction::moment::{Stage, stable_offset, stage};
use crate::transaction::params::SinkKind;
use crate::transaction::report::TapeEntry;

/// The most partitions that are drawn.
const PARTITIONS_MAX: usize = 4;
/// The width of what was appended at once, and of a marker (px).
const DATA: i32 = 40;
const MARKER: i32 = 24;
/// The height of a tape (px).
const TAPE: i32 = 26;

/// Tapes that are laid out.
pub struct Tapes {
    pub shapes: Vec<Shape>,
    pub lines: Vec<Line>,
    pub regions: Vec<Region>,
    /// Where they end (px).
    pub end: i32,
}

/// Lays out the partitions as they are at a time.
pub fn layout(run: &Run, now: u64, width: i32, top: i32) -> Tapes {
    let mut tapes = Tapes { shapes: Vec::new(), lines: Vec::new(), regions: Vec::new(), end: top };
    let mut partitions: Vec<u32> = run.tape.iter().map(|entry| entry.partition).collect();
    partitions.sort_unstable();
    partitions.dedup();
    let muted = Paint::Tone(Tone::Muted);
    let head = match run.sink {
        SinkKind::File => "Files: records in each; readers see those that are finished",
        SinkKind::Table => "Data files: records in each; readers see those that a snapshot names",
        _ => "The log: records in each piece, C and A for markers, │ the last stable offset",
    };
    let head = fitted(head, Face::Sans, TICK_SIZE, width - 2 * MARGIN);
    let at = (MARGIN, top + 4);
    tapes.lines.push(Line::new(head, TICK_SIZE, Anchor::Start, at).painted(muted));
    tapes.end = top + 4 + line_height(TICK_SIZE) + 4;
    for partition in partitions.iter().take(PARTITIONS_MAX) {
        tapes.partition(run, *partition, now, width);
    }
    if partitions.len() > PARTITIONS_MAX {
        let more = format!("and {} more partitions", partitions.len() - PARTITIONS_MAX);
        let at = (MARGIN, tapes.end);
        tapes.lines.push(Line::new(more, TICK_SIZE, Anchor::Start, at).painted(muted));
        tapes.end += line_height(TICK_SIZE);
    }
    tapes
}

impl Tapes {
    fn partition(&mut self, run: &Run, partition: u32, now: u64, width: i32) {
        let y = self.end;
        let written = |it: &&TapeEntry| it.partition == partition && it.at_ms <= now;
        let entries: Vec<&TapeEntry> = run.tape.iter().filter(written).collect();
        let stable = stable_offset(run.stable_offsets, partition, now);
        let is_files = !run.has_coordinator();
        let name = if is_files { format!("S{partition}") } else { format!("P{partition}") };
        let name = Line::new(name, SIZE, Anchor::Start, (MARGIN, y + 5)).bold();
        let x0 = name.rect.x1 + 8;
        let (from, is_cut) = first_that_fits(&entries, width - MARGIN - x0);
        self.lines.push(name);
        let mut x = x0;
        if is_cut {
            let dots = Line::new("…", SIZE, Anchor::Start, (x, y + 5));
            x = dots.rect.x1 + 4;
            self.lines.push(dots);
        }
        // Before the first piece nothing can be read.
        let mut edge = x;
        for entry in &entries[from..] {
            let rect = Rect::new(x, y, x + width_of(entry), y + TAPE);
            self.piece(run, entry, now, rect);
            x = rect.x1;
            let next = entry.offset + u64::from(entry.records).max(1);
            if next <= stable {
                edge = x;
            }
        }
        if entries.is_empty() {
            let none = Line::new("empty", TICK_SIZE, Anchor::Start, (x, y + 6));
            self.lines.push(none.painted(Paint::Tone(Tone::Muted)));
        } else if !is_files {
            let caret = Rect::new(edge - 1, y - 3, edge + 2, y + TAPE + 3);
            self.shapes.push(Shape::Fill(caret, Paint::Tone(Tone::Text)));
        }
        let label = if is_files {
            format!("What subtask {partition} wrote")
        } else {
            format!("Partition {partition}: read_committed readers can read up to offset {stable}")
        };
        self.regions.push(region(
            format!("stable{partition}"),
            label,
            Rect::new(MARGIN, y, x0, y + TAPE),
        ));
        self.end = y + TAPE + 8;
    }

    fn piece(&mut self, run: &Run, entry: &TapeEntry, now: u64, rect: Rect) {
        let owner = entry.transaction.and_then(|at| run.transactions.get(at));
        let stage = owner.map_or(Stage::Committed, |it| stage(it, now));
        let tone = tone_of(stage);
        let paint = Paint::Tone(tone);
        let inner = Rect::new(rect.x0, rect.y0, rect.x1 - 1, rect.y1);
        let (text, words) = match entry.kind {
            "commitMarker" => ("C".to_owned(), "commit marker".to_owned()),
            "abortMarker" => ("A".to_owned(), "abort marker".to_owned()),
            _ => (entry.records.to_string(), counted(entry.records, "record")),
        };
        let is_marker = entry.kind != "data";
        if is_marker {
            self.shapes.push(Shape::Frame(inner, paint));
        } else {
            self.shapes.push(Shape::Fill(inner, paint));
            let hatch = match stage {
                Stage::PreCommitted => Some(Hatch::Rising),
                Stage::Aborted => Some(Hatch::Falling),
                Stage::Open | Stage::Committed => None,
            };
            if let Some(hatch) = hatch {
                let paint = Paint::Tone(Tone::Surface);
                self.shapes.push(Shape::Lines {
                    area: inner,
                    hatch,
                    step: 7,
                    thick: 1,
                    paint,
                    alpha: 0.5,
                });
            }
        }
        let at = ((rect.x0 + rect.x1) / 2, rect.y0 + 5);
        let line = Line::new(text, TICK_SIZE, Anchor::Middle, at);
        let line =
            if is_marker { line.bold() } else { line.painted(Paint::On(tone)).on_plate(tone) };
        self.lines.push(line);
        let state = state_of(run.sink, stage);
        let written = run.time(entry.at_ms);
        let written = if run.has_clock { format!("at {written}") } else { format!("in {written}") };
        let label = if run.has_coordinator() {
            let whose =
                owner.and_then(|it| it.transactional_id.as_deref()).unwrap_or("no transaction");
            let (partition, offset) = (entry.partition, entry.offset);
            format!(
                "Partition {partition}, offset {offset}: {words} of {whose}, {state}, written {written}"
            )
        } else {
            format!("Subtask {}: {words}, {state}, written {written}", entry.partition)
        };
        let id = format!("tape{}_{}", entry.partition, entry.offset);
        self.regions.push(region(id, label, inner));
    }
}

/// What a stage is called where it is written.
fn state_of(sink: SinkKind, stage: Stage) -> &'static str {
    match (sink, stage) {
        (SinkKind::File, Stage::Open) => "in progress",
        (SinkKind::File, Stage::PreCommitted) => "pending",
        (SinkKind::File, Stage::Committed) => "finished",
        (SinkKind::Table, Stage::Open) => "written to",
        (SinkKind::Table, Stage::PreCommitted) => "staged",
        (SinkKind::Table, Stage::Committed) => "in a snapshot",
        (SinkKind::File | SinkKind::Table, Stage::Aborted) => "left behind",
        (_, Stage::Open) => "open",
        (_, Stage::PreCommitted) => "pre-committed",
        (_, Stage::Committed) => "committed",
        (_, Stage::Aborted) => "aborted",
    }
}

fn width_of(entry: &TapeEntry) -> i32 {
    if entry.kind == "data" { DATA } else { MARKER }
}

/// The first of the last entries that have room, and whether any was left out.
fn first_that_fits(entries: &[&TapeEntry], room: i32) -> (usize, bool) {
    let mut left = room - 20;
    let mut from = entries.len();
    while from > 0 && left >= width_of(entries[from - 1]) {
        from -= 1;
        left -= width_of(entries[from]);
    }
    (from, from > 0)
}
