//! The event queue: earliest first, and what was scheduled first among equals.
//!
//! The tie-break is what makes a run deterministic: two events of the same nanosecond come out in
//! the order in which they were put in, whatever else the queue holds.
//!
//! Source: none of Flink's; it is the usual queue of a discrete-event simulation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::time::SimTime;

#[derive(Debug, Clone)]
struct Scheduled<E> {
    at: SimTime,
    sequence: u64,
    event: E,
}

impl<E> PartialEq for Scheduled<E> {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.sequence) == (other.at, other.sequence)
    }
}

impl<E> Eq for Scheduled<E> {}

impl<E> PartialOrd for Scheduled<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Scheduled<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

/// Events by time, then by order of insertion.
#[derive(Debug, Clone)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Reverse<Scheduled<E>>>,
    next: u64,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), next: 0 }
    }
}

impl<E> EventQueue<E> {
    /// Adds an event.
    pub fn push(&mut self, at: SimTime, event: E) {
        self.heap.push(Reverse(Scheduled { at, sequence: self.next, event }));
        self.next += 1;
    }

    /// Takes the earliest event; among equals the one that was added first.
    pub fn pop(&mut self) -> Option<(SimTime, E)> {
        self.heap.pop().map(|Reverse(it)| (it.at, it.event))
    }

    /// Drops the events that are not to be kept.
    pub fn retain(&mut self, keep: impl Fn(&E) -> bool) {
        self.heap.retain(|Reverse(it)| keep(&it.event));
    }

    /// When the next event is.
    pub fn next_at(&self) -> Option<SimTime> {
        self.heap.peek().map(|Reverse(it)| it.at)
    }
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
}
