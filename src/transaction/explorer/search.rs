//! The search itself, a slice at a time.
//!
//! Source: none; breadth-first search over packed states.

use std::marker::PhantomData;

use serde::Serialize;

use super::bounds::ExploreParams;
use super::judge::{judge, look_at_commits};
use super::layout::Layout;
use super::moves::moves;
use super::pack::{PackedLane, TooWide, pack_head, unpack_head};
use super::properties::{Heard, Kind, PROPERTIES, Property, Shown};
use super::protocol::{FlinkAndKafka, Protocol};
use super::spent::Spent;
use super::table::{Found, Seen};
use crate::transaction::error::TransactionError;
use crate::transaction::event::{Event, Rules};
use crate::transaction::state::{Lane, State};

/// In which order states are expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The first found first: the way to a broken property is the shortest.
    Breadth,
    /// The last found first; for tests, which hold the two to the same counts.
    Depth,
}

/// How far the search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExploreProgress {
    /// Steps that were tried and can happen.
    pub generated: u64,
    /// Different states.
    pub distinct: u32,
    /// Of these, still to be expanded.
    pub waiting: u32,
    /// Steps from the start to the newest state.
    pub depth: u32,
    /// Memory for states [bytes].
    pub bytes: u32,
    /// Nothing is left to do.
    pub done: bool,
}

/// How a property was decided: by a step from a state.
#[derive(Debug, Clone, Copy)]
pub struct Decided {
    pub from: u32,
    pub event: Event,
}

/// A search.
#[derive(Debug)]
pub struct Exploration<P = FlinkAndKafka> {
    pub(super) params: ExploreParams,
    pub(super) layout: Layout,
    pub(super) rules: Rules,
    /// A word for the jobs and the faults so far, then the numbers of the lanes, two to a word.
    pub(super) seen: Seen,
    /// Lanes as words. There are far fewer than states, in which they come together in many ways.
    lanes: Seen,
    pub(super) parents: Vec<u32>,
    pub(super) decided: [Option<Decided>; PROPERTIES.len()],
    pub(super) is_broken: bool,
    pub(super) is_cut: bool,
    stop_mask: u16,
    /// The properties that are judged and not yet decided, a bit each.
    undecided: u16,
    order: Order,
    stack: Vec<u32>,
    next: u32,
    /// Where the states of the newest depth begin.
    level_end: u32,
    depth: u32,
    generated: u64,
    /// The state that is expanded, with the numbers of its lanes.
    base: State,
    base_lanes: Vec<u32>,
    scratch: State,
    events: Vec<Event>,
    /// The lanes in which `scratch` differs from `base`.
    changed: Vec<bool>,
    numbers: Vec<u32>,
    words: Vec<u64>,
    protocol: PhantomData<P>,
}

impl Exploration {
    /// A search at its start.
    pub fn new(params: &ExploreParams) -> Result<Self, TransactionError> {
        Self::in_order(params, Order::Breadth)
    }

    /// The same, depth first: for whoever holds the two orders to the same counts.
    pub fn depth_first(params: &ExploreParams) -> Result<Self, TransactionError> {
        Self::in_order(params, Order::Depth)
    }
}

impl<P: Protocol> Exploration<P> {
    /// The same in another order.
    pub(super) fn in_order(params: &ExploreParams, order: Order) -> Result<Self, TransactionError> {
        params.check()?;
        let base = params.initial();
        let mut search = Self {
            params: params.clone(),
            layout: Layout::of(params),
            rules: params.rules(),
            seen: Seen::new(Some(1 + base.lanes.len().div_ceil(2))),
            lanes: Seen::new(None),
            parents: Vec::new(),
            decided: [None; PROPERTIES.len()],
            is_broken: false,
            is_cut: false,
            stop_mask: stop_mask(params)?,
            undecided: mask(|it| it.is_judged(params)),
            order,
            stack: Vec::new(),
            next: 0,
            level_end: 1,
            depth: 0,
            generated: 0,
            scratch: base.clone(),
            base_lanes: vec![u32::MAX; base.lanes.len()],
            changed: vec![true; base.lanes.len()],
            base,
            events: Vec::new(),
            numbers: Vec::new(),
            words: Vec::new(),
            protocol: PhantomData,
        };
        let initial = search.base.clone();
        if search.pack(&initial, &Spent::default()).is_ok() {
            search.seen.insert(&search.words);
            search.parents.push(u32::MAX);
            search.stack.push(0);
        }
        Ok(search)
    }

    /// Expands at most so many states more.
    pub fn advance(&mut self, states: u32) -> ExploreProgress {
        for _ in 0..states {
            if self.is_broken || self.is_cut {
                break;
            }
            let at = match self.order {
                Order::Breadth if (self.next as usize) < self.seen.len() => {
                    if self.next == self.level_end {
                        self.level_end = self.seen.len() as u32;
                        self.depth += 1;
                    }
                    self.next += 1;
                    self.next - 1
                }
                Order::Breadth => break,
                Order::Depth => match self.stack.pop() {
                    Some(at) => at,
                    None => break,
                },
            };
            self.expand(at);
            self.is_cut |= self.bytes() > self.params.max_bytes as usize;
        }
        self.progress()
    }

    /// How far it is.
    pub fn progress(&self) -> ExploreProgress {
        let distinct = self.seen.len() as u32;
        let waiting = match self.order {
            Order::Breadth => distinct - self.next,
            Order::Depth => self.stack.len() as u32,
        };
        ExploreProgress {
            generated: self.generated,
            distinct,
            waiting,
            depth: self.depth,
            bytes: u32::try_from(self.bytes()).unwrap_or(u32::MAX),
            done: waiting == 0 || self.is_broken || self.is_cut,
        }
    }

    fn bytes(&self) -> usize {
        self.seen.bytes() + self.lanes.bytes() + self.parents.len() * 4
    }

    /// Bytes of a packed state on average, with its share of the lanes, without table and parent.
    pub fn state_bytes(&self) -> u32 {
        let bytes = self.seen.item_bytes() + self.lanes.item_bytes();
        bytes.div_ceil(self.seen.len().max(1)) as u32
    }

    /// Reads a state.
    pub(super) fn unpack(&self, at: u32, state: &mut State) -> Spent {
        let words = self.seen.get(at);
        for (lane, number) in state.lanes.iter_mut().zip(numbers_in(words)) {
            self.layout.unpack_lane(self.lanes.get(number), lane);
        }
        self.unpack_head(words[0], state)
    }

    /// Reads a state over the one that was expanded last: neighbours have most lanes in common.
    fn unpack_over(&mut self, at: u32, base: &mut State) -> Spent {
        let words = self.seen.get(at);
        for (lane, number) in numbers_in(words).take(base.lanes.len()).enumerate() {
            if self.base_lanes[lane] != number {
                self.base_lanes[lane] = number;
                self.changed[lane] = true;
                self.layout.unpack_lane(self.lanes.get(number), &mut base.lanes[lane]);
            }
        }
        self.unpack_head(words[0], base)
    }

    fn unpack_head(&self, word: u64, state: &mut State) -> Spent {
        let mut spent = Spent::default();
        unpack_head(word, state, &mut spent);
        state.end_offset = 0;
        if self.layout.offset > 0 {
            let txns = state.lanes.iter().flat_map(|it| &it.txns);
            state.end_offset = txns.map(|it| it.last + 1).max().unwrap_or(0);
        }
        spent
    }

    fn expand(&mut self, at: u32) {
        let jobs = self.base.jobs;
        let empty = || State { jobs, lanes: Vec::new(), end_offset: 0 };
        let mut base = std::mem::replace(&mut self.base, empty());
        let mut scratch = std::mem::replace(&mut self.scratch, empty());
        let mut events = std::mem::take(&mut self.events);
        let spent = self.unpack_over(at, &mut base);
        let mut changed = std::mem::take(&mut self.changed);
        moves(&self.params, &base, &spent, &mut events);
        for event in &events {
            put_back(&base, &mut scratch, &changed);
            let mut heard = Heard::default();
            let can_happen = P::step(&mut scratch, *event, &self.rules, &mut heard).is_ok();
            // Most steps touch one lane, so the others need not be read, written or looked up again.
            for (is_changed, lanes) in changed.iter_mut().zip(scratch.lanes.iter().zip(&base.lanes))
            {
                *is_changed = lanes.0 != lanes.1;
            }
            if !can_happen {
                continue;
            }
            self.generated += 1;
            let mut after = spent;
            after.count(*event, &base);
            let (torn, withheld) = match heard.committed {
                [0, 0, 0, 0] => (false, false),
                _ => look_at_commits(&self.layout, &scratch, &heard),
            };
            self.layout.compact_step(&base, &mut scratch, &mut changed);
            let step = Step { from: at, event: *event, heard, torn, withheld };
            match self.keep(&scratch, &after, &changed) {
                Ok(Found::New(new)) => {
                    self.parents.push(at);
                    if self.order == Order::Depth {
                        self.stack.push(new);
                    }
                    self.decide(&scratch, &after, &step);
                }
                // What was seen at a step may be new even where the state is not.
                Ok(Found::Known(_)) if step.shows().bits(self.rules.sink) & self.undecided != 0 => {
                    self.decide(&scratch, &after, &step);
                }
                Ok(Found::Known(_)) => {}
                Err(TooWide) => self.is_cut = true,
            }
            if self.is_broken || self.is_cut {
                break;
            }
        }
        self.base = base;
        self.scratch = scratch;
        self.events = events;
        self.changed = changed;
    }

    fn decide(&mut self, state: &State, spent: &Spent, step: &Step) {
        let shown = judge::<P>(&self.layout, state, &self.rules, spent, step.shows());
        let news = shown.bits(self.rules.sink) & self.undecided;
        self.undecided &= !news;
        for (at, property) in PROPERTIES.iter().enumerate() {
            if news >> at & 1 == 1 {
                self.decided[at] = Some(Decided { from: step.from, event: step.event });
                let stops = self.stop_mask >> at & 1 == 1;
                self.is_broken |= stops && property.kind == Kind::Always;
            }
        }
    }

    /// Packs a state, with its lanes in an order of their own where they are alike.
    pub(super) fn pack(&mut self, state: &State, spent: &Spent) -> Result<(), TooWide> {
        self.numbers.clear();
        for lane in &state.lanes {
            let number = self.number_of(lane)?;
            self.numbers.push(number);
        }
        self.put_together(state, spent);
        Ok(())
    }

    /// Packs what a step has made of the state that is expanded, and keeps it where it is new.
    fn keep(&mut self, state: &State, spent: &Spent, changed: &[bool]) -> Result<Found, TooWide> {
        self.numbers.clear();
        self.numbers.extend_from_slice(&self.base_lanes);
        for (at, lane) in state.lanes.iter().enumerate() {
            if changed[at] {
                self.numbers[at] = self.number_of(lane)?;
            }
        }
        self.put_together(state, spent);
        Ok(self.seen.insert(&self.words))
    }

    fn number_of(&mut self, lane: &Lane) -> Result<u32, TooWide> {
        let packed: PackedLane = self.layout.pack_lane(lane)?;
        let (Found::New(number) | Found::Known(number)) = self.lanes.insert(packed.words());
        Ok(number)
    }

    fn put_together(&mut self, state: &State, spent: &Spent) {
        if self.params.sorts_lanes() {
            self.numbers.sort_unstable();
        }
        self.words.clear();
        self.words.push(pack_head(state, spent));
        for pair in self.numbers.chunks(2) {
            let second = pair.get(1).map_or(0, |it| u64::from(*it) << 32);
            self.words.push(u64::from(pair[0]) | second);
        }
    }

    /// The words of the state that was packed last.
    pub(super) fn packed_words(&self) -> &[u64] {
        &self.words
    }
}

/// The numbers of the lanes in a packed state, and perhaps one that stands for none.
fn numbers_in(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words[1..].iter().flat_map(|it| [*it as u32, (*it >> 32) as u32])
}

/// Makes `scratch` as it was before a step that changed these lanes.
fn put_back(base: &State, scratch: &mut State, changed: &[bool]) {
    scratch.jobs = base.jobs;
    scratch.end_offset = base.end_offset;
    let lanes = scratch.lanes.iter_mut().zip(&base.lanes).zip(changed);
    for ((lane, before), _) in lanes.filter(|(_, is_changed)| **is_changed) {
        lane.clone_from(before);
    }
}

/// A step of the search, and what was seen at it.
struct Step {
    from: u32,
    event: Event,
    heard: Heard,
    torn: bool,
    withheld: bool,
}

impl Step {
    fn shows(&self) -> Shown {
        Shown {
            refused: self.heard.refused,
            failed: self.heard.failed,
            aborted: self.heard.aborted,
            torn: self.torn,
            withheld: self.withheld,
            ..Shown::default()
        }
    }
}

/// The properties that end a search, a bit each.
fn stop_mask(params: &ExploreParams) -> Result<u16, TransactionError> {
    if params.stop_at.is_empty() {
        return Ok(mask(|it| it.is_promise));
    }
    let mut stops = 0_u16;
    for name in &params.stop_at {
        let known = PROPERTIES.iter().position(|it| it.name == name);
        let known = known.ok_or_else(|| TransactionError::Unknown {
            field: "stopAt",
            value: name.clone(),
            known: "names of properties",
        })?;
        stops |= 1 << known;
    }
    Ok(stops)
}

/// A bit for each property that is so.
fn mask(is_so: impl Fn(&Property) -> bool) -> u16 {
    let bits = PROPERTIES.iter().enumerate().map(|(at, it)| u16::from(is_so(it)) << at);
    bits.fold(0, |sum, bit| sum | bit)
}
