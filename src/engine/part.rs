//! One worker's account of one cell: its I/Os in flight, its counts, its seconds. Pure.
//!
//! A cell's clock is the half-open interval (start, deadline]: an I/O that completes exactly at the
//! deadline counts, one that completes exactly at the start belongs to the hand-over. The same
//! holds for the seconds within it, so that every I/O lies in exactly one second.

use super::meter::Load;
use super::read_back::ReadBack;
use super::signal::{Counted, HandOverCount, Second, Signal};
use super::stage::StageRef;
use crate::stats::{Flow, Tally};
use crate::stimulus::Issued;
use crate::stimulus::addresses::{Addresses, Io};
use crate::stimulus::arrivals::{ArrivalCounts, Arrivals};
use crate::units::{Nanos, SECOND_NS};

/// An I/O that has completed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Completion {
    /// Number of the stage it was issued for.
    pub(super) stage: u64,
    /// What it was.
    pub(super) io: Io,
    /// When it was submitted; in open loop, when it was to be.
    pub(super) submitted: Nanos,
    /// When its completion was seen.
    pub(super) completed: Nanos,
}

impl Completion {
    #[inline]
    fn latency(&self) -> u64 {
        self.completed.0.saturating_sub(self.submitted.0)
    }

    #[inline]
    fn add_to(&self, read: &mut Tally, write: &mut Tally) {
        let tally = if self.io.is_read { read } else { write };
        tally.add(u64::from(self.io.length), self.latency());
    }
}

/// What one worker does and counts in one cell.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) stage: StageRef,
    number: u64,
    worker: u32,
    depth: u32,
    /// `None` for a worker that the cell does not use.
    addresses: Option<Addresses>,
    /// What its reads must return.
    pub(super) read_back: Option<ReadBack>,
    /// When the I/Os of an open loop are due.
    arrivals: Option<Arrivals>,
    issued: Issued,
    /// Whether a schedule or a read-back decides when I/Os are issued.
    is_held: bool,
    /// When the latest I/O of an open loop is meant to start.
    intended: Option<Nanos>,
    /// I/Os in flight.
    pub(super) in_flight: u32,
    /// No more I/Os will be issued.
    pub(super) is_issued: bool,
    /// Nothing is issued any more and nothing is in flight.
    pub(super) has_left: bool,
    /// What follows was asked and taken up.
    pub(super) is_superseded: bool,
    /// Nothing is counted for this cell any more.
    is_closed: bool,
    clock: Option<PartClock>,
    read: Flow,
    write: Flow,
    second: Second,
    hand_over: HandOverCount,
    submission_first: Option<Nanos>,
    completion_last: Nanos,
}

/// The cell's clock, once it has started.
#[derive(Debug, Clone, Copy)]
struct PartClock {
    start: Nanos,
    deadline: Option<Nanos>,
    second_end: Nanos,
    load: Load,
}

impl Part {
    /// The part of `worker` in a stage.
    pub(super) fn new(stage: StageRef, worker: u32) -> Self {
        let cell = &stage.stage().cell;
        let takes_part = worker < cell.access.threads;
        let arrivals = Arrivals::of(&cell.access, worker).filter(|_| takes_part);
        let read_back = ReadBack::of(&stage);
        Self {
            addresses: takes_part.then(|| Addresses::new(cell, worker)),
            is_held: arrivals.is_some() || read_back.is_some(),
            intended: None,
            arrivals,
            issued: Issued::default(),
            read_back,
            number: stage.stage().number,
            depth: if takes_part {
                cell.access.queue_depth
            } else {
                0
            },
            stage,
            worker,
            in_flight: 0,
            is_issued: !takes_part,
            has_left: !takes_part,
            is_superseded: false,
            is_closed: false,
            clock: None,
            read: Flow::default(),
            write: Flow::default(),
            second: Second::default(),
            hand_over: HandOverCount::default(),
            submission_first: None,
            completion_last: Nanos(0),
        }
    }

    /// Number of the stage.
    #[inline]
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the cell uses this worker.
    pub(super) fn takes_part(&self) -> bool {
        self.addresses.is_some()
    }

    /// I/Os this worker shall hold outstanding; 0 for one that the cell does not use.
    #[inline]
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether an amount ends the cell, not a time.
    pub(super) fn is_amount(&self) -> bool {
        self.stage.stage().is_amount()
    }

    /// The end of the cell's clock, where it is known beforehand.
    #[inline]
    pub(super) fn deadline(&self) -> Option<Nanos> {
        self.clock.and_then(|clock| clock.deadline)
    }

    /// The next moment at which a second or the cell ends, where this worker counts.
    pub(super) fn boundary(&self) -> Option<Nanos> {
        let clock = self.clock.filter(|_| !self.is_closed)?;
        let second_end = self.takes_part().then_some(clock.second_end);
        [second_end, clock.deadline].into_iter().flatten().min()
    }

    /// Whether the clock has started here.
    pub(super) fn has_clock(&self) -> bool {
        self.clock.is_some()
    }

    /// The clock starts; `load` is that of the thread so far.
    pub(super) fn start_clock(&mut self, start: Nanos, load: Load) {
        self.clock = Some(PartClock {
            start,
            deadline: self.stage.stage().deadline(start),
            second_end: Nanos(start.0.saturating_add(SECOND_NS)),
            load,
        });
    }

    /// The I/Os of the hand-over that ends here.
    pub(super) fn hand_over(&self) -> Signal {
        Signal::HandOver {
            stage: self.number(),
            count: self.hand_over,
        }
    }

    /// The cell may issue I/Os from `origin` on: an open loop's schedule begins there.
    pub(super) fn admit(&mut self, origin: Nanos) {
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.begin(origin);
        }
    }

    /// When the next I/O is due that no completion will call for; `None` in a closed loop.
    pub(super) fn arrival_next(&self) -> Option<Nanos> {
        let arrivals = self.arrivals.as_ref().filter(|_| !self.is_issued)?;
        arrivals.next()
    }

    /// The next I/O to issue at `now`; `None` when nothing is due or the amount is issued.
    #[inline(always)]
    pub(super) fn next_io(&mut self, now: Nanos) -> Option<Io> {
        if self.is_issued || (self.is_held && !self.admits(now)) {
            return None;
        }
        let io = self.addresses.as_mut().and_then(Addresses::next_io);
        match io {
            Some(io) => {
                self.in_flight += 1;
                self.issued.note(io.is_read);
            }
            None => self.is_issued = true,
        }
        io
    }

    /// Whether a schedule or a read-back decides when I/Os are issued.
    #[inline]
    pub(super) fn is_held(&self) -> bool {
        self.is_held
    }

    /// When the I/O that was given last is meant to start, in open loop.
    pub(super) fn intended(&self) -> Option<Nanos> {
        self.intended
    }

    /// Whether an I/O may be issued at `now` where not every free slot calls for one: in open loop
    /// when one is due, and in a read-back once all is written.
    #[inline(never)]
    fn admits(&mut self, now: Nanos) -> bool {
        if self.read_back.as_ref().is_some_and(|one| !one.may_begin()) {
            return false;
        }
        let Some(arrivals) = &mut self.arrivals else {
            return true;
        };
        // The cell behind an amount does not wait for an arrival that will not come.
        self.is_issued = self.addresses.as_ref().is_none_or(Addresses::is_issued);
        if self.is_issued {
            return false;
        }
        arrivals.begin(now);
        self.intended = arrivals.take_due(now);
        self.intended.is_some()
    }

    /// I/Os of it were handed to the kernel.
    pub(super) fn note_submission(&mut self, at: Nanos) {
        self.submission_first.get_or_insert(at);
    }

    /// An I/O of this cell has completed; it is counted by one of the methods below.
    #[inline]
    pub(super) fn note_completion(&mut self, at: Nanos) {
        self.in_flight -= 1;
        self.completion_last = at;
    }

    /// When the last I/O of this cell completed here.
    pub(super) fn completion_last(&self) -> Nanos {
        self.completion_last
    }

    /// Counts an I/O of this cell.
    #[inline]
    pub(super) fn count(&mut self, done: &Completion, out: &mut Vec<Signal>) {
        self.pass(done.completed, out);
        self.count_now(done);
    }

    /// Counts an I/O of this cell that completed before its second ended.
    #[inline]
    pub(super) fn count_now(&mut self, done: &Completion) {
        let (flow, tally) = if done.io.is_read {
            (&mut self.read, &mut self.second.read)
        } else {
            (&mut self.write, &mut self.second.write)
        };
        let latency = done.latency();
        flow.histogram.record(latency);
        tally.add(u64::from(done.io.length), latency);
    }

    /// Counts an I/O to the hand-over into this cell.
    pub(super) fn count_hand_over(&mut self, done: &Completion) {
        done.add_to(&mut self.hand_over.read, &mut self.hand_over.write);
    }

    /// Reports the second that ended, if one ended before `at`.
    #[inline]
    pub(super) fn pass(&mut self, at: Nanos, out: &mut Vec<Signal>) {
        let has_ended = self.clock.is_some_and(|clock| at > clock.second_end);
        if has_ended && self.takes_part() && !self.is_closed {
            self.close_second(at, out);
        }
    }

    fn close_second(&mut self, at: Nanos, out: &mut Vec<Signal>) {
        let Some(clock) = &mut self.clock else { return };
        let index = (at.0 - clock.start.0 - 1) / SECOND_NS;
        clock.second_end = Nanos(clock.start.0 + (index + 1) * SECOND_NS);
        let ended = std::mem::take(&mut self.second);
        self.second.index = index;
        self.read.tally.merge(&ended.read);
        self.write.tally.merge(&ended.write);
        out.push(Signal::Second {
            stage: self.number(),
            worker: self.worker,
            second: ended,
            passed: index,
        });
    }

    /// Closes the account: nothing of this cell will be counted here any more.
    pub(super) fn close(&mut self, load: Load) -> Signal {
        self.is_closed = true;
        self.read.tally.merge(&self.second.read);
        self.write.tally.merge(&self.second.write);
        let load_before = self.clock.map_or(load, |clock| clock.load);
        Signal::Counted(Box::new(Counted {
            stage: self.number(),
            worker: self.worker,
            took_part: self.takes_part(),
            read: std::mem::take(&mut self.read),
            write: std::mem::take(&mut self.write),
            second: std::mem::take(&mut self.second),
            submission_first: self.submission_first,
            issued: self.issued,
            arrivals: self.arrival_counts(),
            load: load.since(&load_before),
        }))
    }

    /// What became of an open loop's arrivals on a clock that a time ended. An amount issues all.
    fn arrival_counts(&self) -> ArrivalCounts {
        let span = self
            .clock
            .and_then(|clock| Some((clock.start, clock.deadline?)));
        match (&self.arrivals, span) {
            (Some(arrivals), Some((start, deadline))) => arrivals.counts(start, deadline),
            (Some(_) | None, Some(_) | None) => ArrivalCounts::default(),
        }
    }

    /// Leaves the stage.
    pub(super) fn leave(&mut self) {
        self.has_left = true;
        self.stage.leave(self.completion_last);
    }
}
