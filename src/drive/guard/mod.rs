//! Stands before anything is opened for writing: decides whether a device may be erased.
//!
//! Devices are compared by number, never by name, and every look is read-only. The order is part
//! of the contract (design 5): what is in use is refused first, then what carries something, and
//! only then the name given to `--erase` is compared, so that nobody learns to silence the guard
//! by typing a name.

mod carried;
mod family;
mod loops;
pub mod mounts;
mod occupied;
mod opening;
mod reach;
mod refusal;
pub mod signatures;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::PurgeMethod;
use super::block::describe;
use super::identity::Identity;
use super::sysfs::{BlockFolder, DeviceNumber, Sysfs};
use carried::carried;
pub(super) use carried::refuse_signed;
use loops::Loops;
pub(super) use occupied::refuse_in_use;
use occupied::{refuse_needed, refuse_unusable};
use opening::open_read_only;
pub(super) use opening::{check_number, not_opened, open_exclusive};
pub(super) use reach::Other;
pub use refusal::Refusal;

/// What the operator allows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Guard<'a> {
    /// What the device may carry.
    pub carries: Carries<'a>,
    /// Files and folders that must not lie on the device, beside `/` and this program: the run
    /// folder.
    pub needed: &'a [&'a Path],
    /// How the device will be purged, which may hit more than the device.
    pub purge: PurgeMethod,
    /// Whether other namespaces may be erased with it.
    pub all_namespaces: bool,
}

/// What a device may carry and still be erased.
#[derive(Debug, Clone, Copy, Default)]
pub enum Carries<'a> {
    /// Nothing that is known.
    #[default]
    Nothing,
    /// Whatever it carries when it is inspected, and nothing that comes later.
    Anything,
    /// Exactly these fingerprints, which an earlier inspection found.
    Known(&'a [String]),
}

/// Where the kernel's lists are read: `/sys` and `/proc`, or copies of them in tests.
#[derive(Debug, Clone)]
pub struct System {
    /// sysfs.
    pub sysfs: Sysfs,
    /// Folder of `self/mountinfo` and `swaps`.
    pub proc: PathBuf,
}

impl Default for System {
    fn default() -> Self {
        Self {
            sysfs: Sysfs::at("/sys"),
            proc: PathBuf::from("/proc"),
        }
    }
}

/// A device that is free to be erased, if its owner says so.
#[derive(Debug, Clone)]
pub struct Inspected {
    pub(super) path: PathBuf,
    pub(super) number: DeviceNumber,
    pub(super) folder: BlockFolder,
    pub(super) identity: Identity,
    /// Fingerprints of what it may carry.
    pub(super) allowed: Vec<String>,
    /// Other namespaces that its purge erases, and may erase.
    pub(super) others: Vec<Other>,
    pub(super) system: System,
}

/// A device that may be erased. Only [`Inspected::confirm`] makes one.
#[derive(Debug, Clone)]
pub struct Cleared(pub(super) Inspected);

impl Inspected {
    /// Who it is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Fingerprints of the signatures that it carries and that were allowed.
    pub fn allowed(&self) -> &[String] {
        &self.allowed
    }

    /// Whether its purge erases other namespaces, which was allowed.
    pub fn reaches_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Compares what the operator named with what the device is called.
    ///
    /// # Errors
    /// [`Refusal::NotConfirmed`] when nothing was named, [`Refusal::OtherDrive`] when another
    /// drive was.
    pub fn confirm(self, erase: Option<&str>) -> Result<Cleared, Refusal> {
        let path = self.path.clone();
        let confirm = self.identity.confirm_name.clone();
        let described = describe(&self.identity);
        match erase {
            Some(given) if given == confirm => Ok(Cleared(self)),
            Some(given) => Err(Refusal::OtherDrive {
                path,
                given: given.to_owned(),
                described,
                confirm,
            }),
            None => Err(Refusal::NotConfirmed {
                path,
                described,
                confirm,
            }),
        }
    }
}

/// Decides whether the block device at `path` is free to be erased. Nothing is written.
///
/// # Errors
/// [`Refusal`], with what to do.
pub fn inspect(path: &Path, guard: &Guard<'_>) -> Result<Inspected, Refusal> {
    let system = System::default();
    let number = block_number(path)?;
    let folder = listed(&system, path, number)?;
    let mut allowed = match guard.carries {
        Carries::Nothing | Carries::Anything => Vec::new(),
        Carries::Known(known) => known.to_vec(),
    };
    let file = free_to_read(&system, path, &folder, guard)?;
    check_number(path, &file, number)?;
    let others = reach::others(&system, path, &folder, &file, guard)?;
    refuse_content(path, &file, &folder, guard, &mut allowed)?;
    for other in &others {
        // A namespace that is attached nowhere has no node and nobody who uses it.
        let Some((path, folder)) = &other.node else {
            continue;
        };
        let file = free_to_read(&system, path, folder, guard)?;
        refuse_content(path, &file, folder, guard, &mut allowed)?;
    }
    Ok(Inspected {
        path: path.to_owned(),
        number,
        identity: super::block::identify_open(path, &folder, &file)?,
        folder,
        allowed,
        others,
        system,
    })
}

/// Opens a device for reading that nobody uses and that can be tested.
fn free_to_read(
    system: &System,
    path: &Path,
    folder: &BlockFolder,
    guard: &Guard<'_>,
) -> Result<File, Refusal> {
    refuse_in_use(system, path, folder)?;
    refuse_needed(system, path, folder, guard)?;
    refuse_unusable(path, folder)?;
    let file = open_read_only(path)?;
    if let Some(number) = folder.number() {
        check_number(path, &file, number)?;
    }
    Ok(file)
}

/// Refuses what a device carries, or notes it among what is allowed.
fn refuse_content(
    path: &Path,
    file: &File,
    folder: &BlockFolder,
    guard: &Guard<'_>,
    allowed: &mut Vec<String>,
) -> Result<(), Refusal> {
    let size = folder.capacity().0;
    if matches!(guard.carries, Carries::Anything) {
        allowed.extend(carried(path, file, size)?);
    }
    refuse_signed(path, file, size, allowed)
}

/// The folder in which the kernel describes a device.
pub(super) fn listed(
    system: &System,
    path: &Path,
    number: DeviceNumber,
) -> Result<BlockFolder, Refusal> {
    system.sysfs.block(number).ok_or_else(|| Refusal::Unlisted {
        path: path.to_owned(),
        number: number.to_string(),
    })
}

/// Decides what a file that shall be overwritten may carry, as for a device; returns the
/// fingerprints that were allowed.
///
/// # Errors
/// [`Refusal::Signed`] when it carries something else.
pub fn inspect_file(path: &Path, carries: Carries<'_>) -> Result<Vec<String>, Refusal> {
    refuse_shared_file(path)?;
    let file = File::open(path).map_err(|error| not_opened(path, &error))?;
    let size = file
        .metadata()
        .map_err(|error| not_opened(path, &error))?
        .len();
    let allowed = match carries {
        Carries::Nothing => Vec::new(),
        Carries::Anything => carried(path, &file, size)?,
        Carries::Known(known) => known.to_vec(),
    };
    refuse_signed(path, &file, size, &allowed)?;
    Ok(allowed)
}

/// Refuses a file whose bytes a loop device shares: what is on that device would be erased.
pub(super) fn refuse_shared_file(path: &Path) -> Result<(), Refusal> {
    let loops = Loops::read(&System::default().sysfs);
    let shared = loops::backing_of(path).and_then(|backing| loops.over(backing).next().cloned());
    match shared {
        None => Ok(()),
        Some(device) => Err(Refusal::Held {
            path: path.to_owned(),
            device: path.display().to_string(),
            holder: format!("/dev/{}", device.name()),
        }),
    }
}

/// The device number of a block device, through any symlinks.
pub(super) fn block_number(path: &Path) -> Result<DeviceNumber, Refusal> {
    let metadata = fs::metadata(path).map_err(|error| {
        let path = path.to_owned();
        if error.kind() == io::ErrorKind::NotFound {
            return Refusal::Missing { path };
        }
        not_opened(&path, &error)
    })?;
    let kind = metadata.file_type();
    if kind.is_block_device() {
        return Ok(DeviceNumber::from_raw(metadata.rdev()));
    }
    let (what, remedy) = if kind.is_char_device() {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let is_nvme = name.is_some_and(|name| name.starts_with("nvme"));
        let remedy = if is_nvme {
            format!(
                "name a namespace of this controller, such as {}n1",
                path.display()
            )
        } else {
            "name the block device of the same drive".to_owned()
        };
        ("a character device", remedy)
    } else if kind.is_dir() {
        ("a folder", "name a device under /dev".to_owned())
    } else if kind.is_file() {
        let remedy = format!("to test a file give file:{}", path.display());
        ("a regular file", remedy)
    } else {
        ("a pipe or socket", "name a device under /dev".to_owned())
    };
    Err(Refusal::NotBlock {
        path: path.to_owned(),
        what,
        remedy,
    })
}

#[cfg(test)]
mod tests;
