//! Open loop: when each I/O of a worker is due, whatever the drive does.
//!
//! I/Os arrive at a constant spacing at the rate of the whole stimulus, dealt to the workers in
//! turn. An arrival that finds no free slot waits with its intended start kept, and its response
//! time counts from there: a drive that stalls cannot hide behind I/Os that were never sent. Pure
//! integers, so that nothing drifts over days.

use super::Access;
use crate::units::{Nanos, SECOND_NS};

/// The arrivals of one worker in one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrivals {
    rate_iops: u64,
    threads: u64,
    worker: u64,
    /// When the first arrival of worker 0 is due; `None` until the cell is taken up.
    origin: Option<u64>,
    taken: u64,
    next: u64,
}

/// What became of the arrivals of an open-loop cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArrivalCounts {
    /// Arrivals whose intended start lies on the cell's clock.
    pub asked: u64,
    /// Arrivals that were due before the cell ended and that no slot was free for.
    pub not_issued: u64,
}

impl ArrivalCounts {
    /// Adds those of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.asked += other.asked;
        self.not_issued += other.not_issued;
    }
}

impl Arrivals {
    /// The arrivals of `worker` (from 0); `None` in a closed loop.
    pub fn of(access: &Access, worker: u32) -> Option<Self> {
        let rate_iops = access.rate_iops.filter(|rate| *rate > 0)?;
        Some(Self {
            rate_iops,
            threads: u64::from(access.threads.max(1)),
            worker: u64::from(worker),
            origin: None,
            taken: 0,
            next: 0,
        })
    }

    /// Lets the schedule begin at `origin`, unless it has begun.
    pub fn begin(&mut self, origin: Nanos) {
        if self.origin.is_none() {
            self.origin = Some(origin.0);
            self.next = self.intended(0);
        }
    }

    /// Intended start of the next arrival; `None` before the schedule begins.
    #[inline]
    pub fn next(&self) -> Option<Nanos> {
        self.origin.map(|_| Nanos(self.next))
    }

    /// Takes the next arrival if it is due at `now`; gives its intended start.
    #[inline]
    pub fn take_due(&mut self, now: Nanos) -> Option<Nanos> {
        let due = self.next().filter(|due| *due <= now)?;
        self.taken += 1;
        self.next = self.intended(self.taken);
        Some(due)
    }

    /// What became of them in a cell whose clock ran from `start` (excluded) to `end` (included).
    pub fn counts(&self, start: Nanos, end: Nanos) -> ArrivalCounts {
        self.counts_of(self.due_until(start), self.due_until(end))
    }

    /// The same on a clock from `start` (included) to `end` (excluded).
    pub fn counts_before(&self, start: Nanos, end: Nanos) -> ArrivalCounts {
        let before = |at: Nanos| match at.0.checked_sub(1) {
            Some(last) => self.due_until(Nanos(last)),
            None => 0,
        };
        self.counts_of(before(start), before(end))
    }

    fn counts_of(&self, before_clock: u64, due: u64) -> ArrivalCounts {
        ArrivalCounts {
            asked: due - before_clock,
            not_issued: due.saturating_sub(self.taken),
        }
    }

    /// Intended start of this worker's arrival with an index from 0.
    fn intended(&self, index: u64) -> u64 {
        let among_all = index * self.threads + self.worker;
        let (seconds, rest) = (among_all / self.rate_iops, among_all % self.rate_iops);
        // A rate is at most 10^8, so the product stays below 10^17.
        let nanos = rest * SECOND_NS / self.rate_iops;
        self.origin.unwrap_or(0) + seconds * SECOND_NS + nanos
    }

    /// This worker's arrivals with an intended start up to `at`, included.
    fn due_until(&self, at: Nanos) -> u64 {
        let Some(passed) = self.origin.and_then(|origin| at.0.checked_sub(origin)) else {
            return 0;
        };
        let (seconds, rest) = (passed / SECOND_NS, passed % SECOND_NS);
        // The last arrival of all workers up to then: the largest k with k * 10^9 / rate <= rest.
        let in_rest = ((rest + 1) * self.rate_iops - 1) / SECOND_NS;
        let last = seconds * self.rate_iops + in_rest;
        match last.checked_sub(self.worker) {
            Some(beyond) => beyond / self.threads + 1,
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests;
