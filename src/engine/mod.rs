//! The load engine: runs programmes on an open device or file without a rest between cells.
//!
//! One thread and one io_uring for each worker, or system calls where the kernel refuses it. It is
//! handed an open descriptor and knows nothing of mounts, serial numbers or erasing; whether the
//! target may be written is decided before, by `drive::guard`. How cells follow each other is in
//! `course` and `stage` (design 4), how I/Os are moved is in `worker`, `lane` and `ring`, what they
//! carry in `filler` and `content`, and what is reported in `assembly`.

mod assembly;
pub mod clock;
mod conductor;
pub mod content;
mod control;
mod course;
mod cpus;
mod crew;
mod desk;
pub mod event;
mod filler;
mod kernel;
mod lane;
pub mod memory;
mod meter;
pub mod noise;
mod outfit;
mod part;
pub mod probe;
mod read_back;
mod ring;
mod signal;
mod slots;
mod stage;
mod stopwatch;
mod sync;
mod worker;

use std::cell::RefCell;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{Builder, JoinHandle};

pub use clock::Clock;
pub use event::{Event, Outcome, Tick, WorkerLoad};
pub use signal::Fault;

use crate::stimulus::Programme;
use crate::units::Nanos;
use conductor::Conductor;
use crew::Ground;

/// Time without a completion, with I/Os outstanding, after which a drive counts as silent.
pub const SILENT_AFTER: Nanos = Nanos::from_secs(30);

/// What the engine works on, and how.
#[derive(Debug, Clone)]
pub struct Target {
    /// Open for reading and writing, without a page cache in between (`O_DIRECT`).
    pub file: Arc<OwnedFd>,
    /// Smallest unit of an I/O, in bytes.
    pub logical_block: u32,
    /// See [`SILENT_AFTER`].
    pub silent_after: Nanos,
    /// The clock of the drive.
    pub clock: Clock,
}

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    requests: Sender<Inbox>,
    thread: Option<JoinHandle<()>>,
}

/// What the engine's thread is told, from above and from its workers.
#[derive(Debug)]
enum Inbox {
    Run(Programme),
    Proceed,
    Cancel,
    /// What runs next does not continue what ran before.
    Forget,
    Close,
    Signal(signal::Signal),
}

/// How the engine would work on a target, in words, found by setting up a small lane for it.
///
/// # Errors
/// Why it cannot work here, and what to do.
pub fn try_out(file: &Arc<OwnedFd>) -> Result<String, String> {
    let layout = slots::Layout {
        slots: 1,
        block_bytes: 4096,
        writes: false,
        slots_of_all: 1,
    };
    let slots = slots::Slots::new(layout).map_err(|error| format!("no memory ({error})"))?;
    let lane = lane::Lane::new(file, &slots, false)?;
    let stamps = stopwatch::Stopwatch::words();
    let places = cpus::Cpus::near(file).plan();
    Ok(format!("{}; {stamps}; {places}", lane.words()))
}

impl Engine {
    /// Starts the engine's thread. Events come through `emit`, on that thread.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(target: &Target, emit: Box<dyn FnMut(Event) + Send>) -> std::io::Result<Self> {
        let (requests, inbox) = mpsc::channel();
        let ground = Ground {
            file: Arc::clone(&target.file),
            logical_block: target.logical_block,
            alignment: probe::memory_alignment(&target.file, target.logical_block),
            silent_after: target.silent_after,
            clock: target.clock,
            cpus: RefCell::new(cpus::Cpus::near(&target.file)),
            inbox: requests.clone(),
        };
        probe::skip_access_times(&target.file);
        let traits = probe::nowait_missing(&target.file, target.logical_block);
        let conductor = Conductor::new(ground, traits, emit);
        let thread = Builder::new()
            .name("ptse-engine".to_owned())
            .spawn(move || conductor.run(&inbox))?;
        Ok(Self {
            requests,
            thread: Some(thread),
        })
    }

    /// Runs a programme, after those that run or wait already.
    pub fn run(&self, programme: Programme) {
        self.ask(Inbox::Run(programme));
    }

    /// Answers one `ProgrammeDone`.
    pub fn proceed(&self) {
        self.ask(Inbox::Proceed);
    }

    /// Drops what runs and what waits; one `Stopped` answers.
    pub fn cancel(&self) {
        self.ask(Inbox::Cancel);
    }

    /// The next programme does not continue the last one: the rest before it is no idle gap.
    pub fn forget(&self) {
        self.ask(Inbox::Forget);
    }

    fn ask(&self, request: Inbox) {
        // The thread only ends before this engine does if it panicked; `drop` then joins it and
        // the channel of events ends, which the driver sees.
        drop(self.requests.send(request));
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.ask(Inbox::Close);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests;
