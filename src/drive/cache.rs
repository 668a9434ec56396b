//! The volatile write cache of a drive: read from the drive itself, set, and read back at once. A
//! setting that was accepted and not carried out is a refusal like any other.
//!
//! NVMe drives are asked by their feature. SCSI and SATA drives are asked through the kernel's
//! `cache_type`, which sends MODE SELECT (SATA: SET FEATURES) and reads the page back.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use super::identity::WriteCache;
use super::nvme::{AdminError, Nvme};
use super::sysfs::{BlockFolder, text_of};

/// What shall be done with the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheDemand {
    /// Read it.
    Look,
    /// Switch it on or off, and read it back.
    Set {
        /// Whether it shall be on.
        on: bool,
    },
}

/// What was found and done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheLook {
    /// Before.
    pub before: WriteCache,
    /// What was asked for.
    pub demand: CacheDemand,
    /// Read back afterwards.
    pub after: WriteCache,
    /// Why it is not as it was asked for.
    pub refusal: Option<String>,
}

/// A cache that can be asked and switched.
pub(super) trait Cache: fmt::Debug {
    /// Its state.
    fn read(&self) -> WriteCache;
    /// Switches it; the drive's answer if it refuses.
    fn set(&self, on: bool) -> Result<(), String>;
}

/// Does what is asked.
pub(super) fn answer(cache: &dyn Cache, demand: CacheDemand) -> CacheLook {
    let before = cache.read();
    let look = |after: WriteCache, refusal| CacheLook {
        before: before.clone(),
        demand,
        after,
        refusal,
    };
    let CacheDemand::Set { on } = demand else {
        return look(before.clone(), None);
    };
    let wanted = if on { WriteCache::On } else { WriteCache::Off };
    if before == wanted || before == WriteCache::Absent {
        return look(before.clone(), None);
    }
    let refused = cache.set(on).err();
    let after = cache.read();
    let refusal = (after != wanted).then(|| {
        refused.unwrap_or_else(|| match &after {
            WriteCache::Unknown { cause } => format!("it cannot be read back: {cause}"),
            WriteCache::On | WriteCache::Off | WriteCache::Absent => {
                "the drive accepted the setting and did not carry it out".to_owned()
            }
        })
    });
    look(after, refusal)
}

impl Cache for Nvme<'_> {
    fn read(&self) -> WriteCache {
        let unknown = |error: AdminError| WriteCache::Unknown {
            cause: format!("the drive could not be asked: {error}"),
        };
        match self.controller() {
            Err(error) => unknown(error),
            Ok(controller) if !controller.has_cache => WriteCache::Absent,
            Ok(_) => match self.cache() {
                Err(error) => unknown(error),
                Ok(true) => WriteCache::On,
                Ok(false) => WriteCache::Off,
            },
        }
    }

    fn set(&self, on: bool) -> Result<(), String> {
        self.set_cache(on).map_err(|error| error.to_string())
    }
}

/// The kernel's switch of a SCSI disk, a file with the words `write back` and `write through`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScsiSwitch {
    file: PathBuf,
}

impl ScsiSwitch {
    /// The switch of a disk that has one.
    pub(super) fn of(disk: &BlockFolder) -> Option<Self> {
        let place = disk.folder().join("device/scsi_disk");
        let entry = fs::read_dir(place).ok()?.flatten().next()?;
        let file = entry.path().join("cache_type");
        file.exists().then_some(Self { file })
    }
}

impl Cache for ScsiSwitch {
    fn read(&self) -> WriteCache {
        // Other words add what forced unit access does: `write back, no read (daft)`.
        match text_of(&self.file).as_deref() {
            Some("write through" | "none") => WriteCache::Off,
            Some(words) if words.starts_with("write back") => WriteCache::On,
            Some(words) => WriteCache::Unknown {
                cause: format!("the kernel calls it '{words}'"),
            },
            None => WriteCache::Unknown {
                cause: "the kernel does not tell its state".to_owned(),
            },
        }
    }

    fn set(&self, on: bool) -> Result<(), String> {
        let words = if on { "write back" } else { "write through" };
        fs::write(&self.file, words).map_err(|error| format!("the drive refuses it ({error})"))
    }
}

/// A target without a cache that could be asked.
#[derive(Debug)]
pub(super) struct NoSwitch<'a>(pub(super) &'a WriteCache);

impl Cache for NoSwitch<'_> {
    fn read(&self) -> WriteCache {
        self.0.clone()
    }

    fn set(&self, _on: bool) -> Result<(), String> {
        Err("the kernel offers no way to set it".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::nvme::fake::{Fake, Habits};
    use super::super::sysfs::DeviceNumber;
    use super::super::sysfs::fixture::Tree;
    use super::*;

    const OFF: CacheDemand = CacheDemand::Set { on: false };

    fn asked(habits: Habits, demand: CacheDemand) -> (CacheLook, Fake) {
        let fake = Fake::new(habits);
        let look = answer(&Nvme::new(&fake, 1), demand);
        (look, fake)
    }

    #[test]
    fn a_cache_is_switched_and_read_back() {
        let (look, fake) = asked(Habits::default(), OFF);
        assert_eq!((look.before, look.after), (WriteCache::On, WriteCache::Off));
        assert_eq!(look.refusal, None);
        // Set Features, feature 6.
        assert_eq!(fake.sent(), [(0x09, 0, 6)]);
        let back = answer(&Nvme::new(&fake, 1), CacheDemand::Set { on: true });
        assert_eq!((back.before, back.after), (WriteCache::Off, WriteCache::On));
    }

    /// Field report 53: the set was accepted and nothing happened.
    #[test]
    fn a_set_that_is_accepted_and_not_done_is_a_refusal() {
        let habits = Habits {
            ignores_cache: true,
            ..Habits::default()
        };
        let (look, _) = asked(habits, OFF);
        assert_eq!(look.after, WriteCache::On);
        assert!(look.refusal.unwrap().contains("did not carry it out"));
    }

    #[test]
    fn a_drive_without_a_cache_is_never_told_to_set_it() {
        let habits = Habits {
            has_no_cache: true,
            ..Habits::default()
        };
        let (look, fake) = asked(habits, OFF);
        assert_eq!((look.after, look.refusal), (WriteCache::Absent, None));
        assert_eq!(fake.sent(), []);
    }

    #[test]
    fn a_look_sets_nothing() {
        let (look, fake) = asked(Habits::default(), CacheDemand::Look);
        assert_eq!((look.before, look.after), (WriteCache::On, WriteCache::On));
        assert_eq!(fake.sent(), []);
    }

    #[test]
    fn a_scsi_disk_is_switched_through_the_kernel() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 2048);
        let file = "devices/sda/device/scsi_disk/2:0:0:0/cache_type";
        tree.file(file, "write back\n");
        let disk = tree.sysfs().block(DeviceNumber { major: 8, minor: 0 });
        let switch = ScsiSwitch::of(&disk.unwrap()).unwrap();
        let look = answer(&switch, OFF);
        assert_eq!((look.before, look.after), (WriteCache::On, WriteCache::Off));
        let kept = fs::read_to_string(tree.path().join(file)).unwrap();
        assert_eq!(kept, "write through");
        tree.file(file, "write back, no read (daft)\n");
        assert_eq!(switch.read(), WriteCache::On);
    }

    #[test]
    fn what_has_no_switch_refuses_by_name() {
        let state = WriteCache::Unknown {
            cause: "a file".to_owned(),
        };
        let look = answer(&NoSwitch(&state), OFF);
        assert!(look.refusal.unwrap().contains("no way to set it"));
        assert_eq!(look.after, state);
    }
}
