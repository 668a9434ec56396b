//! Write cache and health of a real drive over a run. The health is read before the first step and
//! after the last one. The cache is set as the test asks before it begins, read back
//! and set again after every purge, looked at once more at the end, and then given back as it was
//! found. The state it was found in stands in the opening record, so that a resume after a crash
//! still knows it.

use std::time::Duration;

use crate::drive::{CacheDemand, CacheLook, Command, DriveKind, Event};
use crate::journal::record::{CacheOccasion, Record};
use crate::run::driver::Driver;
use crate::run::ending::Halt;
use crate::run::records;
use crate::spec::model::CacheWish;

/// How long a drive may take to be given its cache back when a run stops.
const RESTORE_TIME_MAX: Duration = Duration::from_secs(10);

impl Driver<'_> {
    /// Sets the cache as the test asks, or reads it, and records both.
    pub(super) async fn control_cache(&mut self, occasion: CacheOccasion) -> Result<(), Halt> {
        if !self.is_drive() {
            return Ok(());
        }
        let demand = match (occasion, self.plan.spec.conditions.write_cache) {
            (CacheOccasion::Restored, _) => match self.found() {
                Some(on) => CacheDemand::Set { on },
                None => return Ok(()),
            },
            (CacheOccasion::End, _) | (_, CacheWish::AsFound) => CacheDemand::Look,
            (_, CacheWish::Off) => CacheDemand::Set { on: false },
            (_, CacheWish::On) => CacheDemand::Set { on: true },
        };
        self.drive.link().send(Command::Cache(demand));
        let look = self.cache_look().await?;
        self.record(Record::Cache(records::cache(occasion, &look)))
    }

    /// Gives the cache back when a run stops early, if the drive answers in time.
    pub(super) async fn restore_cache(&mut self) {
        let is_open = self.state.closed.is_none() && !self.is_repeating();
        let is_set = is_open && !self.state.caches.is_empty();
        let (true, Some(on)) = (is_set && self.is_drive(), self.found()) else {
            return;
        };
        let demand = CacheDemand::Set { on };
        self.drive.link().send(Command::Cache(demand));
        let answer = async {
            loop {
                match self.drive.link().next_event().await {
                    Some(Event::Cache(look)) => return Some(look),
                    Some(_) => {}
                    None => return None,
                }
            }
        };
        let answer = tokio::time::timeout(RESTORE_TIME_MAX, answer).await;
        if let Ok(Some(look)) = answer {
            let record = records::cache(CacheOccasion::Restored, &look);
            drop(self.record(Record::Cache(record)));
        }
    }

    /// Reads the health of a real drive and records it. Nothing is measured meanwhile.
    pub(super) async fn look_at_health(&mut self) -> Result<(), Halt> {
        if !self.is_drive() {
            return Ok(());
        }
        self.drive.link().send(Command::Health);
        loop {
            match self.event().await? {
                Event::Health(health) => {
                    let record = records::health(&health);
                    return self.record(Record::Health(Box::new(record)));
                }
                Event::Failed(failure) => return Err(Halt::Failure(failure)),
                Event::Tick(_)
                | Event::CellDone(_)
                | Event::ProgrammeDone { .. }
                | Event::Purged(_)
                | Event::Cache(_)
                | Event::Stopped { .. } => {}
            }
        }
    }

    /// Whether there is a drive of flash to ask.
    fn is_drive(&self) -> bool {
        self.drive.identity().kind == DriveKind::Drive
    }

    /// How the cache was found when the run was opened, if the run has changed it.
    fn found(&self) -> Option<bool> {
        let wish = match self.plan.spec.conditions.write_cache {
            CacheWish::Off => false,
            CacheWish::On => true,
            CacheWish::AsFound => return None,
        };
        let found = match self.state.opened.drive.write_cache.as_str() {
            "on" => true,
            "off" => false,
            _ => return None,
        };
        (found != wish).then_some(found)
    }

    async fn cache_look(&mut self) -> Result<CacheLook, Halt> {
        loop {
            match self.event().await? {
                Event::Cache(look) => return Ok(look),
                Event::Failed(failure) => return Err(Halt::Failure(failure)),
                Event::Tick(_)
                | Event::CellDone(_)
                | Event::ProgrammeDone { .. }
                | Event::Purged(_)
                | Event::Health(_)
                | Event::Stopped { .. } => {}
            }
        }
    }
}
