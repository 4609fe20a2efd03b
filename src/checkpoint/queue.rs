//! The event queue: earliest first, and what was scheduled first among equals.
//!
//! The tie-break is what makes a run deterministic: two events of the same nanosecond come out in
//! the order in which they were put in, whatever else the queue holds.
//!
//! A heap of four children a node over pairs of integers, with the events beside it: most of a run's
//! time in here is comparisons, and two words are compared faster and moved for less than an event.
//!
//! Source: none of Flink's; it is the usual queue of a discrete-event simulation.

use super::time::SimTime;

/// Children of a node.
const CHILDREN: usize = 4;
/// Bits of a rank that tell where its event is; the others are its number in the order of insertion.
const PLACE_BITS: u32 = 24;

/// Time [ns], then number of insertion and place of the event.
type Key = (u64, u64);

/// Events by time, then by order of insertion.
#[derive(Debug, Clone)]
pub struct EventQueue<E> {
    heap: Vec<Key>,
    events: Vec<E>,
    /// Places in `events` whose event was taken.
    free: Vec<u32>,
    next: u64,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: Vec::new(), events: Vec::new(), free: Vec::new(), next: 0 }
    }
}

impl<E: Copy> EventQueue<E> {
    /// Adds an event.
    pub fn push(&mut self, at: SimTime, event: E) {
        let place = match self.free.pop() {
            Some(place) => {
                self.events[place as usize] = event;
                place
            }
            None => {
                self.events.push(event);
                self.events.len() as u32 - 1
            }
        };
        debug_assert!(place >> PLACE_BITS == 0, "as many events wait as fit into memory");
        let key = (at.as_ns(), self.next << PLACE_BITS | u64::from(place));
        self.next += 1;
        self.heap.push(key);
        self.up(self.heap.len() - 1, key);
    }

    /// Takes the earliest event; among equals the one that was added first.
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        let (at, rank) = *self.heap.first()?;
        let last = self.heap.pop()?;
        if !self.heap.is_empty() {
            self.down(0, last);
        }
        let place = place_of(rank);
        self.free.push(place as u32);
        Some((SimTime::from_ns(at), self.events[place]))
    }

    /// Drops the events that are not to be kept.
    pub fn retain(&mut self, keep: impl Fn(&E) -> bool) {
        let (events, free) = (&self.events, &mut self.free);
        self.heap.retain(|(_, rank)| {
            let place = place_of(*rank);
            let kept = keep(&events[place]);
            if !kept {
                free.push(place as u32);
            }
            kept
        });
        for node in (0..self.heap.len().div_ceil(CHILDREN)).rev() {
            self.down(node, self.heap[node]);
        }
    }

    /// When the next event is.
    pub fn next_at(&self) -> Option<SimTime> {
        self.heap.first().map(|(at, _)| SimTime::from_ns(*at))
    }

    /// Puts a key where a hole is, or above it.
    fn up(&mut self, mut hole: usize, key: Key) {
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if self.heap[parent] <= key {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = key;
    }

    /// Puts a key where a hole is, or below it.
    fn down(&mut self, mut hole: usize, key: Key) {
        loop {
            let first = hole * CHILDREN + 1;
            let Some(children) = self.heap.get(first..) else { break };
            let mut least = key;
            let mut place = hole;
            for (child, it) in children.iter().take(CHILDREN).enumerate() {
                if *it < least {
                    (least, place) = (*it, first + child);
                }
            }
            if place == hole {
                break;
            }
            self.heap[hole] = least;
            hole = place;
        }
        self.heap[hole] = key;
    }
}

fn place_of(rank: u64) -> usize {
    (rank & ((1 << PLACE_BITS) - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_one_moment_come_out_in_the_order_of_insertion() {
        let mut queue = EventQueue::default();
        for (at, name) in [(5, 'a'), (3, 'b'), (5, 'c'), (3, 'd'), (5, 'e')] {
            queue.push(SimTime::from_ns(at), name);
        }
        assert_eq!(queue.pop(), Some((SimTime::from_ns(3), 'b')));
        // An event that is added later comes after its equals that wait already.
        queue.push(SimTime::from_ns(3), 'f');
        queue.push(SimTime::from_ns(5), 'g');
        let rest: String = std::iter::from_fn(|| queue.pop()).map(|(_, name)| name).collect();
        assert_eq!(rest, "dfaceg");
    }

    /// Pushes, pops and drops, against a sorted list.
    #[test]
    fn it_is_a_sorted_list() {
        let mut queue = EventQueue::default();
        let mut sorted: Vec<(u64, u64)> = Vec::new();
        let mut bits = 7_u64;
        for step in 0..4000_u64 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let drawn = bits >> 40;
            match drawn % 5 {
                0 | 1 if !sorted.is_empty() => {
                    let (at, event) = sorted.remove(0);
                    assert_eq!(queue.pop(), Some((SimTime::from_ns(at), event)));
                }
                _ => {
                    let at = drawn % 50;
                    queue.push(SimTime::from_ns(at), step);
                    sorted.insert(sorted.partition_point(|it| it.0 <= at), (at, step));
                }
            }
            if step % 500 == 499 {
                queue.retain(|it| it % 3 > 0);
                sorted.retain(|it| it.1 % 3 > 0);
            }
            assert_eq!(queue.next_at(), sorted.first().map(|it| SimTime::from_ns(it.0)));
        }
        let rest: Vec<u64> = std::iter::from_fn(|| queue.pop()).map(|(_, it)| it).collect();
        assert_eq!(rest, sorted.iter().map(|it| it.1).collect::<Vec<_>>());
    }
}
