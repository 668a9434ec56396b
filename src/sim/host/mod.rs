//! The simulated host: keeps the slots of a cell filled, and hands over from cell to cell.
//!
//! A slot is one outstanding I/O. When one completes it is counted and the slot is filled again at
//! the same nanosecond, so the stimulus never stops; how one cell gives way to the next is in
//! `change`. Nothing here reads a clock of the real world or depends on when a command arrives:
//! commands are looked at between events, and only a cancel changes what happens next.

mod cell;
mod change;
mod conversation;
mod stream;

use std::collections::VecDeque;
use std::sync::mpsc;

use tokio::sync::mpsc as events;

use self::cell::{ActiveCell, NEVER};
use self::change::Change;
use super::device::Device;
use crate::drive::{Command, Event, Failure};
use crate::stimulus::addresses::Io;
use crate::stimulus::{Cell, Programme};
use crate::units::{Nanos, SECOND_NS};

/// Events between two looks at the command channel.
const EVENTS_PER_LOOK: u32 = 4096;
/// Outstanding I/Os at most: the agenda's key has room for them and for 13 days.
pub(crate) const OUTSTANDING_MAX: u64 = 16_000;
/// After this long the host gives up on an I/O, as Linux does with an NVMe command by default
/// (30 s, then an abort and another 30 s).
const TIMEOUT: u64 = 60 * SECOND_NS;
/// What Linux reports for a medium error.
const EIO: i32 = 5;
/// What Linux reports for a command that it gave up.
const ETIMEDOUT: i32 = 110;

/// Rounds after which decay stops in any case: 2^25 x 3 ms at most, still a valid time.
const DECAY_ROUNDS_MAX: u32 = 25;

/// Misbehaviour that the host sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostFaults {
    /// Nanoseconds without an I/O at each change of cell.
    pub(crate) gap_at_change: u64,
    /// Byte whose reads and writes fail.
    pub(crate) error_offset: Option<u64>,
    /// Number, from 1, of the I/O that never completes; 0 for none.
    pub(crate) never_completes: u64,
    /// How much longer programs take with each round, in millionths.
    pub(crate) decay_ppm: u64,
    /// Rounds after which the decay stops; 0 for never.
    pub(crate) decay_rounds: u32,
    /// Program time of the first round in nanoseconds.
    pub(crate) program_time: u64,
}

impl HostFaults {
    /// Time of a program in a round, in nanoseconds; round 0 and 1 are without decay.
    pub(crate) fn program_time_in(&self, round: u32) -> u64 {
        let mut rounds = round.saturating_sub(1);
        if self.decay_rounds > 0 {
            rounds = rounds.min(self.decay_rounds);
        }
        let mut time = self.program_time;
        for _ in 0..rounds.min(DECAY_ROUNDS_MAX) {
            time +=
                time / 1_000_000 * self.decay_ppm + time % 1_000_000 * self.decay_ppm / 1_000_000;
        }
        time
    }
}

/// What the host needs beside the device.
#[derive(Debug, Clone)]
pub(crate) struct HostBuild {
    /// Bytes of a logical block.
    pub(crate) logical_block: u64,
    /// Name of a purge in the words of the report.
    pub(crate) purge_method: String,
    /// How long a purge takes, in nanoseconds.
    pub(crate) purge_time: u64,
    /// Faults.
    pub(crate) faults: HostFaults,
}

/// Why playing programmes ends.
#[derive(Debug)]
enum Halt {
    /// Nothing is queued, or cancelled.
    Stop,
    /// The drive cannot go on.
    Failed(Failure),
    /// Nobody listens any more.
    Closed,
}

/// One outstanding I/O.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// From when its response time counts.
    submitted: u64,
    length: u32,
    worker: u32,
    /// Index of its cell.
    cell: usize,
    is_read: bool,
    is_busy: bool,
    fails: bool,
}

/// The host with its drive.
#[derive(Debug)]
pub(crate) struct Session {
    device: Device,
    build: HostBuild,
    commands: mpsc::Receiver<Command>,
    events: events::Sender<Event>,
    queue: VecDeque<Programme>,
    /// Cells of the running programme that have not begun.
    programme: VecDeque<Cell>,
    /// At most two cells have I/Os in flight: the one that enters and the one that leaves.
    cells: [Option<ActiveCell>; 2],
    entering: usize,
    slots: Vec<Slot>,
    busy: usize,
    /// The next tick or deadline of either cell.
    boundary: u64,
    now: u64,
    /// Step of the last cell, unless something came after it: a purge, a cancel, a failure.
    step_last: Option<u32>,
    change: Change,
    ios_submitted: u64,
    failing: Option<Io>,
}

impl Session {
    /// A host that waits for commands.
    pub(crate) fn new(
        device: Device,
        build: HostBuild,
        commands: mpsc::Receiver<Command>,
        events: events::Sender<Event>,
    ) -> Self {
        Self {
            device,
            build,
            commands,
            events,
            queue: VecDeque::new(),
            programme: VecDeque::new(),
            cells: [None, None],
            entering: 0,
            slots: Vec::new(),
            busy: 0,
            boundary: NEVER,
            now: 0,
            step_last: None,
            change: Change::at(0),
            ios_submitted: 0,
            failing: None,
        }
    }

    /// Plays what is queued until something ends it.
    fn play(&mut self) -> Halt {
        let mut halted = self.begin_from_idle();
        while halted.is_ok() {
            halted = self.play_some();
        }
        match halted {
            Ok(()) => Halt::Stop,
            Err(halt) => halt,
        }
    }

    fn play_some(&mut self) -> Result<(), Halt> {
        for _ in 0..EVENTS_PER_LOOK {
            let Some((time, place)) = self.device.first() else {
                self.pass_rest()?;
                continue;
            };
            if time >= self.boundary {
                self.cross()?;
            } else if let Some(slot) = self.device.step(time, place) {
                self.complete(slot, time)?;
            }
        }
        self.look_at_commands()
    }

    /// The drive has nothing to do: the next thing to happen is a tick or an arrival.
    fn pass_rest(&mut self) -> Result<(), Halt> {
        if self.busy == 0 && self.boundary < NEVER {
            return self.cross();
        }
        Err(Halt::Failed(Failure::Silent {
            waited_s: 0,
            outstanding: u32::try_from(self.busy).unwrap_or(u32::MAX),
        }))
    }

    /// Counts a completion and fills its slot again.
    #[inline]
    fn complete(&mut self, slot: usize, now: u64) -> Result<(), Halt> {
        let done = self.slots[slot];
        self.now = now;
        if done.fails {
            // A failed I/O has no response time: it enters no figure.
            return Err(Halt::Failed(self.failure()));
        }
        let latency = now - done.submitted;
        let is_alone = self.cells[1 - done.cell].is_none();
        let cell = self.cells[done.cell]
            .as_mut()
            .expect("a cell stays while its I/Os are out");
        cell.outstanding -= 1;
        cell.completion_last = now;
        if cell.is_counting {
            cell.count(done.is_read, u64::from(done.length), latency);
        } else {
            self.change
                .count(done.is_read, u64::from(done.length), latency);
        }
        if is_alone && cell.is_issuing && !cell.is_open_loop() {
            let worker = done.worker as usize;
            if let Some((io, from)) = cell.next_io(slot, worker, self.device.flash(), now) {
                cell.outstanding += 1;
                let slot_state = &mut self.slots[slot];
                slot_state.submitted = from;
                slot_state.length = io.length;
                slot_state.is_read = io.is_read;
                self.submit(slot, io, now);
                return Ok(());
            }
        }
        self.slots[slot].is_busy = false;
        self.busy -= 1;
        self.device.retire(slot);
        self.refill(slot, now);
        self.settle_cells()
    }

    /// Fills a free slot from the cell that leaves, while it has something to issue for it, or
    /// from the one that enters.
    fn refill(&mut self, slot: usize, now: u64) {
        for index in [1 - self.entering, self.entering] {
            let Some(cell) = &mut self.cells[index] else {
                continue;
            };
            if !cell.is_issuing || slot >= cell.slots {
                continue;
            }
            let worker = cell.worker_of(slot);
            if let Some((io, from)) = cell.next_io(slot, worker, self.device.flash(), now) {
                self.start(slot, index, worker, io, from, now);
                return;
            }
        }
    }

    fn start(&mut self, slot: usize, index: usize, worker: usize, io: Io, from: u64, now: u64) {
        let counts = self.device.counts();
        if let Some(cell) = &mut self.cells[index] {
            cell.outstanding += 1;
            cell.note_submission(now);
            if cell.is_amount() && !cell.is_counting {
                cell.start_clock(now, counts);
            }
        }
        if index == self.entering {
            self.change.first_submission.get_or_insert(now);
        }
        self.busy += 1;
        self.slots[slot] = Slot {
            submitted: from,
            length: io.length,
            worker: u32::try_from(worker).expect("workers are counted in 32 bits"),
            cell: index,
            is_read: io.is_read,
            is_busy: true,
            fails: false,
        };
        self.submit(slot, io, now);
    }

    #[inline]
    fn submit(&mut self, slot: usize, io: Io, now: u64) {
        let faults = &self.build.faults;
        self.ios_submitted += 1;
        if let Some(offset) = faults.error_offset
            && offset >= io.offset
            && offset - io.offset < u64::from(io.length)
        {
            self.slots[slot].fails = true;
            self.failing = Some(io);
        }
        if self.ios_submitted == faults.never_completes {
            self.slots[slot].fails = true;
            self.failing = Some(io);
            self.device.complete_at(slot, now + TIMEOUT);
            return;
        }
        self.device.submit(slot, io, now);
    }

    fn failure(&self) -> Failure {
        let io = self.failing.expect("a slot fails for an I/O");
        let hits = |offset: u64| offset >= io.offset && offset - io.offset < u64::from(io.length);
        let (offset, errno, cause) = match self.build.faults.error_offset.filter(|&o| hits(o)) {
            Some(offset) => (
                offset,
                EIO,
                "simulated medium error (faults.error_at_lba)".into(),
            ),
            None => (
                io.offset,
                ETIMEDOUT,
                format!(
                    "no completion within {} s (simulated, faults.never_completes)",
                    TIMEOUT / SECOND_NS
                ),
            ),
        };
        Failure::Io {
            direction: if io.is_read { "read" } else { "write" },
            offset: io.offset,
            length: u64::from(io.length),
            lba: offset / self.build.logical_block,
            errno: Some(errno),
            at: Nanos(self.now),
            cause,
        }
    }

    fn emit(&self, event: Event) -> Result<(), Halt> {
        self.events
            .blocking_send(event)
            .map_err(|_closed| Halt::Closed)
    }
}
