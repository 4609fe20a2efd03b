//! The search itself, a slice at a time.
//!
//! Source: none; breadth-first search over packed states.

use serde::Serialize;

use super::bounds::{ExploreParams, Spent};
use super::compact::compact;
use super::pack::{MAX_LANE_WORDS, TooWide, pack_head, pack_lane, unpack_head, unpack_lane};
use super::properties::{Heard, Kind, PROPERTIES, judge};
use super::table::{Found, Seen};
use crate::transaction::error::TransactionError;
use crate::transaction::event::{Event, Rules};
use crate::transaction::relation::{candidates, step};
use crate::transaction::state::{Lane, State};

/// Words before the lanes.
const HEAD: usize = 1;

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
    pub event: Option<Event>,
}

/// A search.
#[derive(Debug)]
pub struct Exploration {
    pub(super) params: ExploreParams,
    pub(super) rules: Rules,
    pub(super) seen: Seen,
    pub(super) parents: Vec<u32>,
    pub(super) decided: [Option<Decided>; PROPERTIES.len()],
    pub(super) is_broken: bool,
    pub(super) is_cut: bool,
    lane_words: usize,
    stop_mask: u16,
    order: Order,
    stack: Vec<u32>,
    next: u32,
    /// Where the states of the newest depth begin.
    level_end: u32,
    depth: u32,
    generated: u64,
    base: State,
    scratch: State,
    events: Vec<Event>,
    packed: Vec<[u64; MAX_LANE_WORDS]>,
    words: Vec<u64>,
}

impl Exploration {
    /// A search at its start.
    pub fn new(params: &ExploreParams) -> Result<Self, TransactionError> {
        Self::in_order(params, Order::Breadth)
    }

    /// The same in another order.
    pub fn in_order(params: &ExploreParams, order: Order) -> Result<Self, TransactionError> {
        params.check()?;
        let known = |name: &String| PROPERTIES.iter().position(|it| it.name == name);
        let mut stop_mask = 0_u16;
        for name in &params.stop_at {
            let known = known(name).ok_or_else(|| TransactionError::Unknown {
                field: "stopAt",
                value: name.clone(),
                known: "names of properties",
            })?;
            stop_mask |= 1 << known;
        }
        if params.stop_at.is_empty() {
            for (at, property) in PROPERTIES.iter().enumerate() {
                stop_mask |= u16::from(property.is_promise) << at;
            }
        }
        let lanes = params.sinks as usize;
        let mut base = params.initial();
        base.lanes.resize_with(lanes, Lane::new);
        let mut search = Self {
            params: params.clone(),
            rules: params.rules(),
            seen: Seen::new(HEAD + lanes),
            parents: Vec::new(),
            decided: [None; PROPERTIES.len()],
            is_broken: false,
            is_cut: false,
            lane_words: 1,
            stop_mask,
            order,
            stack: Vec::new(),
            next: 0,
            level_end: 1,
            depth: 0,
            generated: 0,
            scratch: base.clone(),
            base,
            events: Vec::new(),
            packed: vec![[0; MAX_LANE_WORDS]; lanes],
            words: Vec::new(),
        };
        let initial = search.base.clone();
        if search.keep(&initial, &Spent::default()).is_ok() {
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
            let bytes = self.seen.bytes() + self.parents.len() * 4;
            self.is_cut |= bytes > self.params.max_bytes as usize;
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
        let bytes = self.seen.bytes() + self.parents.len() * 4;
        ExploreProgress {
            generated: self.generated,
            distinct,
            waiting,
            depth: self.depth,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            done: waiting == 0 || self.is_broken || self.is_cut,
        }
    }

    /// Bytes of one packed state, without table and parent.
    pub fn state_bytes(&self) -> u32 {
        (self.seen.stride * 8) as u32
    }

    /// Reads a state.
    pub(super) fn unpack(&self, at: u32, state: &mut State) -> Spent {
        let words = self.seen.state(at);
        let mut spent = Spent::default();
        unpack_head(words[0], state, &mut spent);
        let ownership = state.job(0).ownership;
        for (lane, words) in state.lanes.iter_mut().zip(words[HEAD..].chunks_exact(self.lane_words))
        {
            let (of, records) = (self.params.sinks, self.params.records);
            unpack_lane(words, of, records, self.params.zombies, ownership, lane);
        }
        spent
    }

    fn expand(&mut self, at: u32) {
        let jobs = self.base.jobs;
        let empty = || State { jobs, lanes: Vec::new() };
        let mut base = std::mem::replace(&mut self.base, empty());
        let mut scratch = std::mem::replace(&mut self.scratch, empty());
        let mut events = std::mem::take(&mut self.events);
        let spent = self.unpack(at, &mut base);
        candidates(&base, 0, &self.params.limits(&spent), &mut events);
        for event in &events {
            scratch.clone_from(&base);
            let mut heard = Heard::default();
            if step(&mut scratch, *event, &self.rules, &mut heard).is_err() {
                continue;
            }
            self.generated += 1;
            let mut after = spent;
            after.count(*event, base.job(0).completed);
            scratch.lanes.iter_mut().for_each(compact);
            match self.keep(&scratch, &after) {
                Ok(Found::New(new)) => {
                    self.parents.push(at);
                    if self.order == Order::Depth {
                        self.stack.push(new);
                    }
                    self.decide(&scratch, &after, &heard, at, *event);
                }
                // What was seen at a step is new even where the state is not.
                Ok(Found::Known) if heard.refused || heard.failed || heard.aborted => {
                    self.decide(&scratch, &after, &heard, at, *event);
                }
                Ok(Found::Known) => {}
                Err(TooWide) => self.is_cut = true,
            }
            if self.is_broken || self.is_cut {
                break;
            }
        }
        self.base = base;
        self.scratch = scratch;
        self.events = events;
    }

    fn decide(&mut self, state: &State, spent: &Spent, heard: &Heard, from: u32, event: Event) {
        let bits = judge(state, spent, heard, self.rules.sink, self.params.records);
        for (at, property) in PROPERTIES.iter().enumerate() {
            if bits >> at & 1 == 1 && self.decided[at].is_none() {
                self.decided[at] = Some(Decided { from, event: Some(event) });
                let stops = self.stop_mask >> at & 1 == 1;
                self.is_broken |= stops && property.kind == Kind::Always;
            }
        }
    }

    /// Packs a state, with its lanes in order where they are alike.
    pub(super) fn pack(&mut self, state: &State, spent: &Spent) -> Result<(), TooWide> {
        let (of, records) = (self.params.sinks, self.params.records);
        let mut widest = self.lane_words;
        for (lane, out) in state.lanes.iter().zip(&mut self.packed) {
            *out = [0; MAX_LANE_WORDS];
            widest = widest.max(pack_lane(lane, of, records, self.params.zombies, out)?);
        }
        if widest > self.lane_words {
            self.seen.widen(HEAD, self.lane_words, widest);
            self.lane_words = widest;
        }
        if self.params.is_symmetric {
            self.packed.sort_unstable();
        }
        self.words.clear();
        self.words.push(pack_head(state, spent));
        for lane in &self.packed {
            self.words.extend_from_slice(&lane[..self.lane_words]);
        }
        Ok(())
    }

    fn keep(&mut self, state: &State, spent: &Spent) -> Result<Found, TooWide> {
        self.pack(state, spent)?;
        Ok(self.seen.insert(&self.words))
    }

    /// The words of the state that was packed last.
    pub(super) fn packed_words(&self) -> Vec<u64> {
        self.words.clone()
    }

    /// Whether a state packs to the one at `at`.
    pub(super) fn is_at(&mut self, state: &State, spent: &Spent, at: u32) -> bool {
        self.pack(state, spent).is_ok() && self.seen.state(at) == self.words
    }
}
