//! Stands before anything is opened for writing: decides whether a device may be erased.
//!
//! Devices are compared by number, never by name, and every look is read-only. The order is part
//! of the contract (design 5): what is in use is refused first, then what carries something, and
//! only then the name given to `--erase` is compared, so that nobody learns to silence the guard
//! by typing a name.

mod family;
pub mod mounts;
mod opening;
mod refusal;
pub mod signatures;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::block::describe;
use super::identity::Identity;
use super::sysfs::{BlockFolder, DeviceNumber, Sysfs};
use family::Family;
use mounts::{parse_mounts, parse_swaps};
use opening::open_read_only;
pub(super) use opening::{check_number, not_opened, open_exclusive};
pub use refusal::Refusal;
use signatures::Signature;

/// What the operator allows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Guard<'a> {
    /// Whether a device that carries something may be erased.
    pub even_with_signatures: bool,
    /// Files and folders that must not lie on the device, beside `/` and this program: the run
    /// folder.
    pub needed: &'a [&'a Path],
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
    pub(super) even_with_signatures: bool,
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
    refuse_in_use(&system, path, &folder)?;
    refuse_needed(&system, path, &folder, guard)?;
    refuse_unusable(path, &folder)?;
    let file = open_read_only(path)?;
    check_number(path, &file, number)?;
    if !guard.even_with_signatures {
        refuse_signed(path, &file, folder.capacity().0)?;
    }
    Ok(Inspected {
        path: path.to_owned(),
        number,
        identity: super::block::identify_open(path, &folder, &file)?,
        folder,
        even_with_signatures: guard.even_with_signatures,
        system,
    })
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

fn number_of(path: &str) -> Option<DeviceNumber> {
    let metadata = fs::metadata(path).ok()?;
    metadata
        .file_type()
        .is_block_device()
        .then(|| DeviceNumber::from_raw(metadata.rdev()))
}

/// Refuses what is mounted, swap or held, on any device of the same disk.
pub(super) fn refuse_in_use(
    system: &System,
    path: &Path,
    folder: &BlockFolder,
) -> Result<(), Refusal> {
    let family = Family::above(folder);
    let device = |folder: &BlockFolder| format!("/dev/{}", folder.name());
    for mount in parse_mounts(&list(system, "self/mountinfo", path)?, number_of) {
        let numbers = [Some(mount.number), mount.source];
        let mounted = numbers
            .into_iter()
            .flatten()
            .find_map(|one| family.get(one));
        if let Some(mounted) = mounted {
            return Err(Refusal::Mounted {
                path: path.to_owned(),
                device: device(mounted),
                point: mount.point,
            });
        }
    }
    // A kernel without swap has no such list.
    let swaps = fs::read_to_string(system.proc.join("swaps")).unwrap_or_default();
    for number in parse_swaps(&swaps, number_of) {
        if let Some(swap) = family.get(number) {
            return Err(Refusal::Swap {
                path: path.to_owned(),
                device: device(swap),
            });
        }
    }
    match family.held() {
        None => Ok(()),
        Some((held, holder)) => Err(Refusal::Held {
            path: path.to_owned(),
            device: device(held),
            holder: device(&holder),
        }),
    }
}

fn list(system: &System, name: &str, path: &Path) -> Result<String, Refusal> {
    let file = system.proc.join(name);
    let bytes = fs::read(&file).map_err(|error| Refusal::NotOpened {
        path: path.to_owned(),
        cause: format!("{} cannot be read ({error})", file.display()),
        remedy: "without it nobody can tell what is mounted, so mount /proc and try again",
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Refuses the disk that holds the root file system, this program or the run folder.
fn refuse_needed(
    system: &System,
    path: &Path,
    folder: &BlockFolder,
    guard: &Guard<'_>,
) -> Result<(), Refusal> {
    let below = Family::below(&folder.disk());
    let program = std::env::current_exe().unwrap_or_default();
    let named = [
        ("the root file system", Path::new("/")),
        ("this program", &program),
    ];
    let folders = guard.needed.iter().map(|path| ("the run folder", *path));
    for (what, needed) in named.into_iter().chain(folders) {
        // The nearest ancestor that exists: the run folder itself may not exist yet.
        let metadata = needed
            .ancestors()
            .find_map(|place| fs::metadata(place).ok());
        let numbers = metadata.map(|metadata| DeviceNumber::from_raw(metadata.dev()));
        let device = numbers.and_then(|number| system.sysfs.block(number));
        if device.is_some_and(|device| Family::below(&device).meets(&below)) {
            return Err(Refusal::Needed {
                path: path.to_owned(),
                what,
                needed: needed.display().to_string(),
            });
        }
    }
    Ok(())
}

fn refuse_unusable(path: &Path, folder: &BlockFolder) -> Result<(), Refusal> {
    let path = path.to_owned();
    if folder.value("ro").unwrap_or(0) != 0 || folder.disk().value("ro").unwrap_or(0) != 0 {
        return Err(Refusal::ReadOnly { path });
    }
    if folder.capacity().0 == 0 {
        return Err(Refusal::Empty { path });
    }
    Ok(())
}

/// Refuses a device that carries something.
pub(super) fn refuse_signed(path: &Path, file: &File, size: u64) -> Result<(), Refusal> {
    let read = |offset, buffer: &mut [u8]| file.read_exact_at(buffer, offset);
    let found = signatures::find(size, read).map_err(|error| Refusal::NotOpened {
        path: path.to_owned(),
        cause: format!("what it carries cannot be read ({error})"),
        remedy: "check the drive; --even-with-signatures goes on without looking",
    })?;
    if found.is_empty() {
        return Ok(());
    }
    let words = |one: &Signature| format!("{} (at byte {})", one.what, one.offset);
    Err(Refusal::Signed {
        path: path.to_owned(),
        signatures: found.iter().map(words).collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests;
