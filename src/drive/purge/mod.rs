//! Purge: erases everything by the method asked for, and checks it by stamps planted before.
//!
//! What a method hits beside the target was found and allowed by the guard; it is compared again
//! here, before anything is erased.

mod discard;
mod nvme;
mod plant;

use std::fs::File;
use std::io;
use std::time::Duration;

use rustix::fs::ioctl_blksszget;

use super::capabilities::{Speaker, choose, offered};
use super::local::Medium;
use super::nvme::{Controller, Nvme};
use super::{Failure, PurgeMethod, Purged};
use crate::engine::Clock;
use discard::discard_all;
pub(super) use nvme::hits_all;
use nvme::{Erased, reach};
use plant::Plant;

/// How often a cancel is listened for while a drive works by itself.
const LISTEN_EVERY: Duration = Duration::from_millis(100);

/// How a purge ended that did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// The drive is purged, or the purge was waived.
    Purged(Purged),
    /// It was cancelled midway.
    Cancelled,
}

/// A target that can be purged.
#[derive(Debug)]
pub(super) struct Purger<'a> {
    pub(super) file: &'a File,
    pub(super) medium: Medium,
    pub(super) capacity: u64,
    pub(super) logical_block: u64,
    pub(super) clock: Clock,
    /// The namespace, if it is one.
    pub(super) nvme: Option<Nvme<'a>>,
    /// Who speaks to it, if it is a SATA or SCSI drive.
    pub(super) speaker: Option<&'a Speaker>,
    /// Other namespaces that may be erased with it.
    pub(super) allowed: &'a [u32],
}

impl Purger<'_> {
    /// Purges; `is_cancelled` is asked while that is possible.
    pub(super) fn purge(
        &self,
        method: PurgeMethod,
        is_cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<Ending, Failure> {
        let started = self.clock.now();
        let failed = |method: &str, cause: String| Failure::Purge {
            method: method.to_owned(),
            cause,
        };
        let controller = self
            .controller()
            .map_err(|cause| failed(method.title(), cause))?;
        let method = choose(method, &offered(controller.as_ref(), self.speaker))
            .map_err(|cause| failed(method.title(), cause))?;
        let name = if method == PurgeMethod::Discard {
            self.medium.discard_words()
        } else {
            method.title()
        };
        let verified = if method == PurgeMethod::None {
            Ok(Some("nothing was erased".to_owned()))
        } else {
            self.erase(method, controller.as_ref(), is_cancelled)
        };
        match verified.map_err(|cause| failed(name, cause))? {
            None => Ok(Ending::Cancelled),
            Some(verification) => Ok(Ending::Purged(Purged {
                method: name.to_owned(),
                is_named_by_standard: method.is_named_by_standard(),
                verification,
                started,
                ended: self.clock.now(),
            })),
        }
    }

    fn controller(&self) -> Result<Option<Controller>, String> {
        let asked = self.nvme.map(Nvme::controller).transpose();
        asked.map_err(|error| format!("the controller could not be asked what it can do: {error}"))
    }

    /// Stamps, erases, and looks for the stamps; the verification in words, or `None` when it was
    /// cancelled.
    fn erase(
        &self,
        method: PurgeMethod,
        controller: Option<&Controller>,
        is_cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<Option<String>, String> {
        let device = self.nvme.zip(controller);
        if let Some((nvme, controller)) = device {
            self.refuse_beyond(nvme, controller, method)?;
            if !nvme::recover(nvme, controller, &mut |time| pause(time, is_cancelled))? {
                return Ok(None);
            }
        }
        let plant = Plant {
            file: self.file,
            capacity: self.capacity,
            logical_block: self.logical_block,
        };
        plant
            .plant()
            .map_err(|error| format!("blocks could not be stamped before it ({error})"))?;
        let erased = match device {
            _ if method == PurgeMethod::Discard => self.discard(is_cancelled)?,
            Some((nvme, _)) => nvme::erase(nvme, method, &mut |time| pause(time, is_cancelled))?,
            None => self.speak(method, is_cancelled)?,
        };
        let Erased::Done { promised } = erased else {
            return Ok(None);
        };
        self.refuse_resized()?;
        let harvest = plant
            .harvest()
            .map_err(|error| format!("the planted blocks cannot be read ({error})"))?;
        harvest.judge(promised).map(Some)
    }

    /// Erases a SATA or SCSI drive.
    fn speak(
        &self,
        method: PurgeMethod,
        is_cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<Erased, String> {
        let is_done = match self.speaker {
            Some(Speaker::Ata(ata)) => {
                ata.erase(method == PurgeMethod::AtaEraseEnhanced)?;
                true
            }
            Some(Speaker::Scsi(scsi)) => {
                scsi.erase(method, &mut |time| pause(time, is_cancelled))?
            }
            None => return Err("the device offers no such method".to_owned()),
        };
        Ok(if is_done {
            Erased::Done { promised: None }
        } else {
            Erased::Cancelled
        })
    }

    fn discard(&self, is_cancelled: &mut dyn FnMut() -> bool) -> Result<Erased, String> {
        let is_done = discard_all(self.file, self.medium, self.capacity, is_cancelled)
            .map_err(|error| discard::explain(&error))?;
        Ok(if is_done {
            Erased::Done { promised: None }
        } else {
            Erased::Cancelled
        })
    }

    /// Refuses a method that would erase a namespace which nobody allowed to be erased.
    fn refuse_beyond(
        &self,
        nvme: Nvme<'_>,
        controller: &Controller,
        method: PurgeMethod,
    ) -> Result<(), String> {
        let mut beyond = reach(nvme, controller, method)
            .map_err(|error| format!("what it would erase could not be found out: {error}"))?;
        beyond.retain(|nsid| !self.allowed.contains(nsid));
        if beyond.is_empty() {
            return Ok(());
        }
        let list: Vec<String> = beyond.iter().map(u32::to_string).collect();
        Err(format!(
            "it would also erase namespace {} of the drive, which was not allowed; add \
             --all-namespaces or choose --purge discard",
            list.join(", ")
        ))
    }

    /// A drive that comes back with another size is another drive.
    fn refuse_resized(&self) -> Result<(), String> {
        let unread = |error: io::Error| format!("the size could not be read afterwards ({error})");
        let capacity = capacity_of(self.file).map_err(unread)?;
        let block = match self.medium {
            Medium::Block => {
                u64::from(ioctl_blksszget(self.file).map_err(|error| unread(error.into()))?)
            }
            Medium::File => self.logical_block,
        };
        if capacity >= self.capacity && block == self.logical_block {
            return Ok(());
        }
        Err(format!(
            "the drive came back with {capacity} bytes in blocks of {block} instead of {} in \
             blocks of {}; bring it back to the old format and start again",
            self.capacity, self.logical_block
        ))
    }
}

/// All bytes, as the kernel counts them.
fn capacity_of(mut file: &File) -> io::Result<u64> {
    use std::io::{Seek, SeekFrom};
    file.seek(SeekFrom::End(0))
}

/// Waits; `true` as soon as it is cancelled.
fn pause(time: Duration, is_cancelled: &mut dyn FnMut() -> bool) -> bool {
    let mut left = time;
    while !left.is_zero() {
        if is_cancelled() {
            return true;
        }
        let part = left.min(LISTEN_EVERY);
        std::thread::sleep(part);
        left -= part;
    }
    is_cancelled()
}

#[cfg(test)]
mod tests;
