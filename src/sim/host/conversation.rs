//! The drive's side of the conversation: what each command does, when.

use super::{Halt, Session};
use crate::drive::{
    CacheDemand, CacheLook, Command, Event, Failure, Health, PurgeMethod, Purged, WriteCache,
};
use crate::units::{Bytes, Nanos};

impl Session {
    /// Answers commands until the driver closes the drive or goes away.
    pub(crate) fn converse(mut self) {
        while let Ok(command) = self.commands.recv() {
            let halt = match command {
                Command::Close => Halt::Closed,
                Command::Purge(method) => match self.purge(method) {
                    Ok(()) => continue,
                    Err(halt) => halt,
                },
                Command::Health => match self.health() {
                    Ok(()) => continue,
                    Err(halt) => halt,
                },
                Command::Cache(demand) => match self.cache(demand) {
                    Ok(()) => continue,
                    Err(halt) => halt,
                },
                Command::Run(programme) => {
                    self.queue.push_back(programme);
                    self.play()
                }
                Command::Cancel => {
                    self.step_last = None;
                    Halt::Stop
                }
                // An answer to a question that was settled otherwise.
                Command::Proceed => continue,
            };
            if self.halt(halt).is_err() {
                return;
            }
        }
    }

    /// Lets outstanding I/Os complete and reports that nothing runs any more.
    fn halt(&mut self, halt: Halt) -> Result<(), Halt> {
        match halt {
            Halt::Closed => return Err(Halt::Closed),
            Halt::Failed(failure) => {
                self.failing = None;
                self.step_last = None;
                self.emit(Event::Failed(failure))?;
            }
            Halt::Stop => {}
        }
        self.queue.clear();
        self.programme.clear();
        self.cells = [None, None];
        self.boundary = super::NEVER;
        while self.busy > 0 {
            let (time, place) = self
                .device
                .first()
                .expect("an outstanding I/O has its event ahead");
            if let Some(slot) = self.device.step(time, place) {
                self.device.retire(slot);
                self.slots[slot].is_busy = false;
                self.busy -= 1;
                self.now = time;
                if self.slots[slot].fails && self.failing.is_some() {
                    let failure = self.failure();
                    self.failing = None;
                    self.emit(Event::Failed(failure))?;
                }
            }
        }
        self.emit(Event::Stopped {
            at: Nanos(self.now),
        })
    }

    fn purge(&mut self, method: PurgeMethod) -> Result<(), Halt> {
        let started = self.now;
        self.step_last = None;
        let (name, is_named_by_standard) = match method {
            PurgeMethod::Auto | PurgeMethod::Format => (self.build.purge_method.clone(), true),
            PurgeMethod::FormatCrypto
            | PurgeMethod::SanitizeBlock
            | PurgeMethod::SanitizeCrypto
            | PurgeMethod::AtaErase
            | PurgeMethod::AtaEraseEnhanced
            | PurgeMethod::ScsiFormat => return self.refuse_purge(method),
            PurgeMethod::Discard => ("discard of the whole device (simulated)".into(), false),
            PurgeMethod::None => ("none".into(), false),
        };
        if method != PurgeMethod::None {
            self.now = self.device.settle(self.now) + self.build.purge_time;
            self.device.erase(method);
        }
        let mapped = match self.device.mapped_bytes() {
            0 => "no data".to_owned(),
            bytes => Bytes(bytes).as_capacity(),
        };
        self.emit(Event::Purged(Purged {
            method: name,
            is_named_by_standard,
            verification: match method {
                PurgeMethod::Auto
                | PurgeMethod::Format
                | PurgeMethod::FormatCrypto
                | PurgeMethod::SanitizeBlock
                | PurgeMethod::SanitizeCrypto
                | PurgeMethod::AtaErase
                | PurgeMethod::AtaEraseEnhanced
                | PurgeMethod::ScsiFormat => {
                    format!("{mapped} left after the format, all blocks erased")
                }
                PurgeMethod::Discard => {
                    format!("{mapped} left after the discard; blocks are erased when needed")
                }
                PurgeMethod::None => format!("not purged, {mapped} stays"),
            },
            started: Nanos(started),
            ended: Nanos(self.now),
        }))
    }

    /// A simulated drive has no volatile cache: its buffer is held up by capacitors.
    fn cache(&mut self, demand: CacheDemand) -> Result<(), Halt> {
        self.emit(Event::Cache(CacheLook {
            before: WriteCache::Absent,
            demand,
            after: WriteCache::Absent,
            refusal: None,
        }))
    }

    fn health(&mut self) -> Result<(), Halt> {
        self.emit(Event::Health(Box::new(Health {
            source: "none".to_owned(),
            missing: Some("a simulated drive has no health to tell of".to_owned()),
            ..Health::default()
        })))
    }

    fn refuse_purge(&mut self, method: PurgeMethod) -> Result<(), Halt> {
        self.emit(Event::Failed(Failure::Purge {
            method: method.title().to_owned(),
            cause: "the simulated drive offers --purge format, discard and none".to_owned(),
        }))?;
        self.emit(Event::Stopped {
            at: Nanos(self.now),
        })
    }

    /// Takes what has arrived while a programme runs.
    pub(super) fn look_at_commands(&mut self) -> Result<(), Halt> {
        loop {
            match self.commands.try_recv() {
                Ok(command) => {
                    self.hear(command)?;
                }
                Err(std::sync::mpsc::TryRecvError::Empty) => return Ok(()),
                Err(std::sync::mpsc::TryRecvError::Disconnected) => return Err(Halt::Closed),
            }
        }
    }

    /// The last cell of the programme is done: the clock stands still until the driver answers.
    pub(super) fn finish_programme(&mut self) -> Result<(), Halt> {
        self.emit(Event::ProgrammeDone {
            at: Nanos(self.now),
        })?;
        loop {
            let command = self.commands.recv().map_err(|_closed| Halt::Closed)?;
            if self.hear(command)? {
                let programme = self.queue.pop_front().ok_or(Halt::Stop)?;
                self.programme = programme.cells.into();
                return Ok(());
            }
        }
    }

    /// Hears a command while a programme runs; tells whether it was to proceed.
    fn hear(&mut self, command: Command) -> Result<bool, Halt> {
        match command {
            Command::Run(programme) => {
                self.queue.push_back(programme);
                Ok(false)
            }
            Command::Proceed => Ok(true),
            Command::Cancel => {
                self.step_last = None;
                Err(Halt::Stop)
            }
            Command::Close => Err(Halt::Closed),
            Command::Health => self.health().map(|()| false),
            Command::Cache(demand) => self.cache(demand).map(|()| false),
            Command::Purge(_) => Err(Halt::Failed(Failure::Purge {
                method: self.build.purge_method.clone(),
                cause: "a programme is running; cancel it first".into(),
            })),
        }
    }
}
