//! A cell at work: its streams, its clock, and what it has counted.
//!
//! A clock interval holds its first nanosecond and not its last: an I/O that completes exactly at
//! the deadline completes in the hand-over. In a cell that is ended by its amount it is the other
//! way round, since its last completion is its end.

use super::stream::Stream;
use crate::drive::{FlashCounts, HandOver, Measurement, Tick};
use crate::sim::flash::Flash;
use crate::stats::{Flow, Tally};
use crate::stimulus::addresses::Io;
use crate::stimulus::arrivals::{ArrivalCounts, Arrivals};
use crate::stimulus::{Cell, CellKey, Issued, Until};
use crate::units::{Nanos, SECOND_NS};

/// No boundary ahead.
pub(super) const NEVER: u64 = u64::MAX;

/// A cell whose I/Os are outstanding or will be.
#[derive(Debug)]
pub(super) struct ActiveCell {
    /// Its name.
    pub(super) key: CellKey,
    /// When its last I/O so far completed.
    pub(super) completion_last: u64,
    /// Slots it fills.
    pub(super) slots: usize,
    /// Its I/Os in flight.
    pub(super) outstanding: u32,
    /// Whether completions count: its clock runs.
    pub(super) is_counting: bool,
    /// Whether it goes on submitting.
    pub(super) is_issuing: bool,
    /// How the cell before gave way.
    pub(super) hand_over: HandOver,
    queue_depth: usize,
    time_asked: Option<u64>,
    streams: Vec<Stream>,
    streams_ended: usize,
    /// In open loop, the arrivals of each worker.
    arrivals: Vec<Arrivals>,
    /// In open loop, the free slots of each worker.
    free: Vec<Vec<usize>>,
    /// Since when nothing is outstanding, where the hand-over ended before the first submission.
    rest_from: Option<u64>,
    started: u64,
    deadline: u64,
    tick_start: u64,
    tick_end: u64,
    tick_read: Tally,
    tick_write: Tally,
    read: Flow,
    write: Flow,
    flash_before: FlashCounts,
}

impl ActiveCell {
    /// A cell that may submit from `now` on.
    pub(super) fn new(cell: &Cell, now: u64) -> Self {
        let threads = cell.access.threads;
        let queue_depth = cell.access.queue_depth as usize;
        let mut arrivals: Vec<Arrivals> = (0..threads)
            .filter_map(|worker| Arrivals::of(&cell.access, worker))
            .collect();
        for worker in &mut arrivals {
            worker.begin(Nanos(now));
        }
        Self {
            key: cell.key,
            slots: threads as usize * queue_depth,
            outstanding: 0,
            completion_last: now,
            is_counting: false,
            is_issuing: true,
            hand_over: HandOver::default(),
            queue_depth,
            time_asked: match cell.until {
                Until::Time(time) => Some(time.0),
                Until::Transferred(_) => None,
            },
            streams: (0..threads).map(|w| Stream::new(cell, w)).collect(),
            streams_ended: 0,
            free: vec![Vec::new(); arrivals.len()],
            arrivals,
            rest_from: None,
            started: 0,
            deadline: NEVER,
            tick_start: NEVER,
            tick_end: NEVER,
            tick_read: Tally::default(),
            tick_write: Tally::default(),
            read: Flow::default(),
            write: Flow::default(),
            flash_before: FlashCounts::default(),
        }
    }

    /// Whether an amount ends it. Such a cell counts all its I/Os, from its first submission on.
    pub(super) fn is_amount(&self) -> bool {
        self.time_asked.is_none()
    }

    /// Whether an amount has been issued by all workers and has completed.
    pub(super) fn is_complete(&self) -> bool {
        self.streams_ended == self.streams.len() && self.outstanding == 0
    }

    /// Whether it submits by a schedule and not when a slot comes free.
    pub(super) fn is_open_loop(&self) -> bool {
        !self.arrivals.is_empty()
    }

    /// Whether a worker of an amount has nothing left to issue.
    pub(super) fn has_ended_stream(&self) -> bool {
        self.streams_ended > 0
    }

    /// Starts the clock.
    pub(super) fn start_clock(&mut self, now: u64, flash: FlashCounts) {
        self.is_counting = true;
        self.started = now;
        self.deadline = self.time_asked.map_or(NEVER, |time| now + time);
        self.tick_start = now;
        self.tick_end = (now + SECOND_NS).min(self.deadline);
        self.flash_before = flash;
    }

    /// The next time at which something is due that no I/O's completion brings about: the first
    /// time beyond the running tick, or an arrival that has a free slot.
    pub(super) fn boundary(&self) -> u64 {
        self.tick_boundary().min(self.arrival_next())
    }

    /// The first time that lies beyond the running tick.
    pub(super) fn tick_boundary(&self) -> u64 {
        self.tick_end.saturating_add(u64::from(self.is_amount()))
    }

    fn arrival_next(&self) -> u64 {
        if !self.is_issuing {
            return NEVER;
        }
        let waiting = self.arrivals.iter().zip(&self.free);
        let waiting = waiting.filter(|(_, free)| !free.is_empty());
        let next = waiting.filter_map(|(arrivals, _)| arrivals.next());
        next.map(|at| at.0).min().unwrap_or(NEVER)
    }

    /// A worker whose next arrival is due at `now`, with a slot that was free when it was offered.
    pub(super) fn due(&mut self, now: u64) -> Option<(usize, usize)> {
        if !self.is_issuing {
            return None;
        }
        let is_due = |arrivals: &Arrivals| arrivals.next().is_some_and(|at| at.0 <= now);
        let mut workers = self.arrivals.iter().zip(&self.free);
        let worker = workers.position(|(arrivals, free)| is_due(arrivals) && !free.is_empty())?;
        let slot = self.free[worker].pop()?;
        Some((worker, slot))
    }

    /// When the running tick ends.
    pub(super) fn tick_end(&self) -> u64 {
        self.tick_end
    }

    /// Whether the clock has run its time at `now`.
    pub(super) fn is_due(&self, now: u64) -> bool {
        now >= self.deadline
    }

    /// The next I/O for a slot, and the time from which its response time counts: `now`, or in
    /// open loop its intended start. `None` when its worker has nothing to issue for it.
    #[inline]
    pub(super) fn next_io(
        &mut self,
        slot: usize,
        worker: usize,
        flash: &Flash,
        now: u64,
    ) -> Option<(Io, u64)> {
        debug_assert!(slot < self.slots && worker == slot / self.queue_depth);
        let mut from = now;
        if let Some(arrivals) = self.arrivals.get_mut(worker) {
            if self.streams[worker].is_issued() {
                self.note_ended_streams();
                return None;
            }
            let Some(intended) = arrivals.take_due(Nanos(now)) else {
                self.free[worker].push(slot);
                return None;
            };
            from = intended.0;
        }
        let io = self.streams[worker].next(flash);
        if io.is_none() {
            self.note_ended_streams();
        }
        io.map(|io| (io, from))
    }

    /// The hand-over into it ended at `at` before it submitted anything.
    pub(super) fn note_rest(&mut self, at: u64) {
        self.rest_from = Some(at);
    }

    /// It submits an I/O at `now`.
    #[inline]
    pub(super) fn note_submission(&mut self, now: u64) {
        if let Some(rest_from) = self.rest_from.take() {
            self.hand_over.idle_gap = Some(Nanos(now - rest_from));
        }
    }

    /// The worker that a slot belongs to.
    pub(super) fn worker_of(&self, slot: usize) -> usize {
        slot / self.queue_depth
    }

    fn note_ended_streams(&mut self) {
        self.streams_ended = self.streams.iter().filter(|s| s.is_issued()).count();
    }

    /// Counts a completion.
    #[inline]
    pub(super) fn count(&mut self, is_read: bool, bytes: u64, latency: u64) {
        if is_read {
            self.tick_read.add(bytes, latency);
            self.read.histogram.record(latency);
        } else {
            self.tick_write.add(bytes, latency);
            self.write.histogram.record(latency);
        }
    }

    /// Closes the tick that ends at `at`; `None` when it is empty.
    pub(super) fn close_tick(&mut self, at: u64) -> Option<Tick> {
        let (read, write) = (
            std::mem::take(&mut self.tick_read),
            std::mem::take(&mut self.tick_write),
        );
        self.read.tally.merge(&read);
        self.write.tally.merge(&write);
        let span = at - self.tick_start;
        self.tick_start = at;
        self.tick_end = (at + SECOND_NS).min(self.deadline);
        (span > 0 || read.ios + write.ios > 0).then_some(Tick {
            key: self.key,
            is_hand_over: false,
            at: Nanos(at),
            span: Nanos(span),
            read,
            write,
            temperature_celsius: None,
        })
    }

    fn issued(&self) -> Issued {
        let mut all = Issued::default();
        for stream in &self.streams {
            all.merge(&stream.issued());
        }
        all
    }

    /// What became of the arrivals on a clock that a time ended at `at`.
    fn arrival_counts(&self, at: u64) -> Option<ArrivalCounts> {
        if self.arrivals.is_empty() || self.is_amount() {
            return None;
        }
        let mut all = ArrivalCounts::default();
        for worker in &self.arrivals {
            all.merge(&worker.counts_before(Nanos(self.started), Nanos(at)));
        }
        Some(all)
    }

    /// Stops the clock at `at`, after its last tick, and gives what the cell returned.
    pub(super) fn end(&mut self, at: u64, flash: FlashCounts) -> Measurement {
        self.is_counting = false;
        self.is_issuing = false;
        self.deadline = NEVER;
        self.tick_end = NEVER;
        let before = self.flash_before;
        Measurement {
            key: self.key,
            started: Nanos(self.started),
            elapsed: Nanos(at - self.started),
            read: std::mem::take(&mut self.read),
            write: std::mem::take(&mut self.write),
            hand_over: self.hand_over,
            issued: self.issued(),
            arrivals: self.arrival_counts(at),
            workers: Vec::new(),
            host_limited: None,
            flash: Some(FlashCounts {
                host_pages: flash.host_pages - before.host_pages,
                moved_pages: flash.moved_pages - before.moved_pages,
                programmed_pages: flash.programmed_pages - before.programmed_pages,
            }),
        }
    }
}
