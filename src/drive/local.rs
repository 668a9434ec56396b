//! A block device or file of this machine behind the drive seam: a thread that answers commands,
//! and the engine that runs programmes.
//!
//! Whether the target may be written was decided before: block devices are only opened with what
//! the guard cleared. The descriptor stays open, and exclusive, until the drive is closed.

mod condition;

use std::collections::VecDeque;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::TryRecvError;
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::Sender;

use super::block::OpenError;
use super::capabilities::Speaker;
use super::identity::WriteCache;
use super::nvme::Nvme;
use super::purge::{Ending, Purger};
use super::sysfs::BlockFolder;
use super::{
    Calendar, Command, Drive, Event, Failure, HandOver, Host, Identity, Link, LinkEnd, Measurement,
    PurgeMethod, Tick, host,
};
use crate::engine::{self, Clock, Engine, Fault, Outcome, SILENT_AFTER, Target};

/// What lies under a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Medium {
    /// A block device.
    Block,
    /// A regular file.
    File,
}

impl Medium {
    /// What a discard of it is called in the report.
    pub(super) fn discard_words(self) -> &'static str {
        match self {
            Self::Block => "discard of the whole device",
            Self::File => "hole punched over the whole file",
        }
    }
}

/// What a run touches beside the blocks of the target.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// Identifiers of other namespaces that a purge erases with it: no purge may erase another one.
    pub(super) nsids: Vec<u32>,
    /// Their devices, held exclusively for the whole run.
    pub(super) held: Vec<File>,
    /// What the kernel tells of the target, if it is a whole disk: only such a one may be told
    /// anything but I/O.
    pub(super) disk: Option<BlockFolder>,
}

/// A target that is open for the run.
#[derive(Debug)]
pub struct LocalDrive {
    identity: Identity,
    host: Host,
    link: Link,
    thread: Option<JoinHandle<()>>,
}

impl LocalDrive {
    /// Takes an open target over, after trying whether the engine works on it.
    pub(super) fn start(
        mut identity: Identity,
        file: File,
        medium: Medium,
        beside: Beside,
    ) -> Result<Self, OpenError> {
        let path = identity.address.clone();
        let file = Arc::new(OwnedFd::from(file));
        match engine::try_out(&file) {
            Ok(words) => identity.engine = Some(words),
            Err(cause) => return Err(OpenError::Engine { path, cause }),
        }
        let (link, end) = Link::new();
        let server = Server {
            capacity: identity.capacity.0,
            logical_block: identity.logical_block.0,
            file,
            medium,
            beside,
            write_cache: identity.write_cache.clone(),
            clock: Clock::start(),
            pending: VecDeque::new(),
            end,
        };
        let thread = Builder::new()
            .name("ptse-drive".to_owned())
            .spawn(move || server.serve())
            .map_err(|source| OpenError::Thread { path, source })?;
        Ok(Self {
            identity,
            host: host::read(Path::new("/")),
            link,
            thread: Some(thread),
        })
    }
}

impl Drive for LocalDrive {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn host(&self) -> &Host {
        &self.host
    }

    fn calendar(&self) -> Calendar {
        Calendar::Wall
    }

    fn link(&mut self) -> &mut Link {
        &mut self.link
    }
}

impl Drop for LocalDrive {
    fn drop(&mut self) {
        self.link.send(Command::Close);
        if let Some(thread) = self.thread.take() {
            // The thread may wait for room in the queue of events; nobody reads them any more.
            self.link.close();
            drop(thread.join());
        }
    }
}

/// The drive's thread.
struct Server {
    capacity: u64,
    logical_block: u64,
    file: Arc<OwnedFd>,
    medium: Medium,
    beside: Beside,
    /// The write cache as it was found.
    write_cache: WriteCache,
    clock: Clock,
    /// Commands that arrived during a purge.
    pending: VecDeque<Command>,
    end: LinkEnd,
}

impl Server {
    fn serve(mut self) {
        let target = Target {
            file: Arc::clone(&self.file),
            logical_block: u32::try_from(self.logical_block).unwrap_or(u32::MAX),
            silent_after: SILENT_AFTER,
            clock: self.clock,
        };
        let events = self.end.events.clone();
        let emit = Box::new(move |event| send(&events, translate(event)));
        let engine = match Engine::start(&target, emit) {
            Ok(engine) => engine,
            Err(error) => {
                let cause = format!("its thread cannot be started ({error})");
                self.fail(Failure::Engine { cause });
                return;
            }
        };
        while let Some(command) = self.next_command() {
            match command {
                Command::Run(programme) => engine.run(programme),
                Command::Proceed => engine.proceed(),
                Command::Cancel => engine.cancel(),
                Command::Purge(method) => {
                    engine.forget();
                    if !self.purge(method) {
                        return;
                    }
                }
                Command::Cache(demand) => self.cache(demand),
                Command::Health => self.health(),
                Command::Close => return,
            }
        }
    }

    fn next_command(&mut self) -> Option<Command> {
        if let Some(command) = self.pending.pop_front() {
            return Some(command);
        }
        self.end.commands.recv().ok()
    }

    /// Purges; whether the drive is still wanted.
    fn purge(&mut self, method: PurgeMethod) -> bool {
        let file = match self.file.try_clone() {
            Ok(descriptor) => File::from(descriptor),
            Err(error) => {
                self.fail(Failure::Purge {
                    method: self.medium.discard_words().to_owned(),
                    cause: format!("no descriptor for it ({error})"),
                });
                return true;
            }
        };
        let kernel = self.kernel();
        let speaker = self.beside.disk.as_ref().and_then(Speaker::of);
        let mut is_wanted = true;
        let (pending, commands) = (&mut self.pending, &self.end.commands);
        let mut is_cancelled = || {
            match commands.try_recv() {
                Ok(Command::Cancel) => return true,
                Ok(Command::Close) | Err(TryRecvError::Disconnected) => {
                    is_wanted = false;
                    return true;
                }
                Ok(other) => pending.push_back(other),
                Err(TryRecvError::Empty) => {}
            }
            false
        };
        let purger = Purger {
            nvme: kernel
                .as_ref()
                .map(|kernel| Nvme::new(kernel, kernel.nsid())),
            speaker: speaker.as_ref(),
            allowed: &self.beside.nsids,
            file: &file,
            medium: self.medium,
            capacity: self.capacity,
            logical_block: self.logical_block,
            clock: self.clock,
        };
        match purger.purge(method, &mut is_cancelled) {
            Ok(Ending::Purged(purged)) => send(&self.end.events, Event::Purged(purged)),
            Ok(Ending::Cancelled) => self.stopped(),
            Err(failure) => self.fail(failure),
        }
        is_wanted
    }

    fn fail(&self, failure: Failure) {
        send(&self.end.events, Event::Failed(failure));
        self.stopped();
    }

    fn stopped(&self) {
        let at = self.clock.now();
        send(&self.end.events, Event::Stopped { at });
    }
}

/// Waits for room in the queue. Nobody reads any more once the drive is being dropped.
fn send(events: &Sender<Event>, event: Event) {
    drop(events.blocking_send(event));
}

/// The engine's words in those of the seam.
fn translate(event: engine::Event) -> Event {
    match event {
        engine::Event::Tick(tick) => Event::Tick(Box::new(translate_tick(&tick))),
        engine::Event::Cell(outcome) => Event::CellDone(Box::new(translate_outcome(*outcome))),
        engine::Event::ProgrammeDone { at } => Event::ProgrammeDone { at },
        engine::Event::Stopped { at } => Event::Stopped { at },
        engine::Event::Failed(fault) => Event::Failed(translate_fault(fault)),
    }
}

fn translate_tick(tick: &engine::Tick) -> Tick {
    Tick {
        key: tick.key,
        is_hand_over: tick.is_hand_over,
        at: tick.at,
        span: tick.span,
        read: tick.read,
        write: tick.write,
        temperature_celsius: None,
    }
}

fn translate_outcome(outcome: Outcome) -> Measurement {
    Measurement {
        key: outcome.key,
        started: outcome.started,
        elapsed: outcome.elapsed,
        read: outcome.read,
        write: outcome.write,
        hand_over: HandOver {
            idle_gap: outcome.idle_gap,
            overlap: outcome.overlap,
            ios_uncounted: outcome.ios_uncounted,
        },
        issued: outcome.issued,
        arrivals: outcome.arrivals,
        workers: outcome.workers,
        host_limited: outcome.host_limited,
        flash: None,
    }
}

fn translate_fault(fault: Fault) -> Failure {
    match fault {
        Fault::Io {
            direction,
            offset,
            length,
            lba,
            errno,
            at,
            cause,
        } => Failure::Io {
            direction,
            offset,
            length,
            lba,
            errno,
            at,
            cause,
        },
        Fault::WrongData {
            lba,
            expected,
            found,
            at,
        } => Failure::WrongData {
            lba,
            expected,
            found,
            at,
        },
        Fault::Silent {
            waited_s,
            outstanding,
        } => Failure::Silent {
            waited_s,
            outstanding,
        },
        Fault::Setup { cause } => Failure::Engine { cause },
    }
}
