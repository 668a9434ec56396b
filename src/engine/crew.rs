//! The workers that run one or more programmes: their threads, rings and buffers.
//!
//! A crew is set up for the largest demand of the programmes it runs. A queued programme that
//! needs more gets a crew of its own, which is ready before the running one ends, so that the
//! change costs one wake-up and not the allocation of buffers.

use std::cell::RefCell;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{Builder, JoinHandle};

use super::Inbox;
use super::clock::Clock;
use super::control::Control;
use super::cpus::{Cpus, pin};
use super::outfit::Outfit;
use super::signal::{Fault, Signal};
use super::slots::Layout;
use super::stage::{Row, StageRef};
use super::worker::Worker;
use crate::stimulus::{Cell, Content, EngineKind};
use crate::units::Nanos;

/// The demand that a crew is set up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Capacity {
    /// Workers.
    pub(super) threads: u32,
    /// I/Os in flight on each of them.
    pub(super) slots: u32,
    /// Longest I/O.
    pub(super) slot_bytes: u32,
    /// Whether any I/O writes.
    pub(super) writes: bool,
    /// Whether contents from the pool are written.
    pub(super) needs_pool: bool,
    /// Whether I/Os are system calls; all cells of a step say the same.
    pub(super) is_sync: bool,
}

impl Capacity {
    /// What these cells need, with buffers that begin on pages.
    pub(super) fn of(cells: &[Cell]) -> Self {
        let largest = |of: fn(&Cell) -> u64| cells.iter().map(of).max().unwrap_or(0);
        let bytes = largest(|cell| cell.access.block_largest().0);
        Self {
            threads: fit(largest(|cell| u64::from(cell.access.threads))),
            slots: fit(largest(|cell| u64::from(cell.access.queue_depth))),
            slot_bytes: fit(bytes.next_multiple_of(4096)),
            writes: cells.iter().any(|cell| cell.access.writes()),
            needs_pool: cells.iter().any(|cell| {
                let is_pooled = match cell.access.content {
                    Content::Random | Content::Stamped => true,
                    Content::Fresh | Content::Zero | Content::Reducible(_) => false,
                };
                is_pooled && cell.access.writes()
            }),
            is_sync: cells
                .iter()
                .any(|cell| cell.access.engine == EngineKind::Sync),
        }
    }

    /// Whether a crew of this capacity can run what needs that one.
    pub(super) fn holds(&self, needed: &Self) -> bool {
        self.threads >= needed.threads
            && self.slots >= needed.slots
            && self.slot_bytes >= needed.slot_bytes
            && self.writes >= needed.writes
            && self.needs_pool >= needed.needs_pool
            && self.is_sync == needed.is_sync
    }
}

fn fit(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// What all crews of an engine have in common.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) file: Arc<OwnedFd>,
    pub(super) logical_block: u32,
    /// What direct I/O needs of memory, in bytes.
    pub(super) alignment: u32,
    pub(super) silent_after: Nanos,
    pub(super) clock: Clock,
    /// Only the conductor's thread takes some.
    pub(super) cpus: RefCell<Cpus>,
    pub(super) inbox: Sender<Inbox>,
}

/// Workers under way.
#[derive(Debug)]
pub(super) struct Crew {
    pub(super) number: u64,
    pub(super) capacity: Capacity,
    /// How the rings are set up.
    pub(super) words: String,
    /// Why the set-up may cost speed.
    pub(super) shortcoming: Option<String>,
    control: Arc<Control>,
    first: Arc<Row>,
    threads: Vec<JoinHandle<()>>,
    exited: usize,
}

/// Sends the notice of a worker's end, however it ends.
struct Exit {
    crew: u64,
    inbox: Sender<Inbox>,
}

impl Drop for Exit {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let cause = "a worker thread panicked; this is a fault of ptse".to_owned();
            let fault = Signal::Failed(Fault::Setup { cause });
            drop(self.inbox.send(Inbox::Signal(fault)));
        }
        let exited = Signal::Exited { crew: self.crew };
        drop(self.inbox.send(Inbox::Signal(exited)));
    }
}

impl Crew {
    /// Sets up a crew that waits at the gate of its first row.
    pub(super) fn assemble(
        number: u64,
        capacity: Capacity,
        first: Arc<Row>,
        ground: &Ground,
    ) -> Result<Self, String> {
        let (ready, readiness) = mpsc::channel();
        let mut crew = Self {
            number,
            capacity,
            words: String::new(),
            shortcoming: None,
            control: Arc::new(Control::new(capacity.threads, ground.silent_after)),
            first,
            threads: Vec::new(),
            exited: 0,
        };
        let workers = usize::try_from(capacity.threads).unwrap_or(usize::MAX);
        let (cpus, placed) = ground.cpus.borrow_mut().take(workers);
        let mut cpus = cpus.into_iter();
        for worker in 0..capacity.threads {
            let outfit = crew.outfit(worker, ground);
            match spawn(number, outfit, cpus.next(), ready.clone()) {
                Ok(thread) => crew.threads.push(thread),
                Err(error) => {
                    crew.dismiss();
                    return Err(format!("thread {worker} could not be started ({error})"));
                }
            }
        }
        drop(ready);
        for outcome in readiness {
            match outcome {
                Ok((words, shortcoming)) => {
                    crew.words = format!("{words}; {placed}");
                    crew.shortcoming = crew.shortcoming.or(shortcoming);
                }
                Err(cause) => {
                    crew.dismiss();
                    return Err(cause);
                }
            }
        }
        Ok(crew)
    }

    fn outfit(&self, number: u32, ground: &Ground) -> Outfit {
        let capacity = self.capacity;
        Outfit {
            number,
            layout: Layout {
                slots: capacity.slots,
                block_bytes: capacity.slot_bytes,
                writes: capacity.writes,
                slots_of_all: u64::from(capacity.threads) * u64::from(capacity.slots),
            },
            needs_pool: capacity.needs_pool,
            is_sync: capacity.is_sync,
            logical_block: ground.logical_block,
            alignment: ground.alignment,
            file: Arc::clone(&ground.file),
            clock: ground.clock,
            control: Arc::clone(&self.control),
            first: StageRef::first(Arc::clone(&self.first)),
            inbox: ground.inbox.clone(),
        }
    }

    /// Lets the workers begin.
    pub(super) fn begin(&self) {
        self.first.gate().open();
    }

    /// Lets the workers stop and end.
    pub(super) fn stop(&self) {
        self.control.stop();
        self.first.gate().open();
    }

    /// One of its workers has ended; whether that was the last.
    pub(super) fn note_exit(&mut self) -> bool {
        self.exited += 1;
        self.exited == self.threads.len()
    }

    /// Stops the workers and waits for their end.
    pub(super) fn dismiss(mut self) {
        self.stop();
        for thread in self.threads.drain(..) {
            // A panic was told as a fault by the worker's exit notice.
            drop(thread.join());
        }
    }
}

type Readiness = Result<(String, Option<String>), String>;

fn spawn(
    crew: u64,
    outfit: Outfit,
    cpu: Option<usize>,
    ready: Sender<Readiness>,
) -> std::io::Result<JoinHandle<()>> {
    let name = format!("ptse-worker-{}", outfit.number);
    Builder::new().name(name).spawn(move || {
        let _exit = Exit {
            crew,
            inbox: outfit.inbox.clone(),
        };
        if let Some(cpu) = cpu
            && !pin(cpu)
        {
            tracing::warn!(cpu, "a worker could not be placed");
        }
        // From here on, so that its memory lies near the CPU it runs on.
        match Worker::new(outfit) {
            Ok(worker) => {
                drop(ready.send(Ok(worker.set_up())));
                drop(ready);
                worker.run();
            }
            Err(cause) => drop(ready.send(Err(cause))),
        }
    })
}
