//! Opens devices exclusively, and puts the system's errors into refusals.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use super::super::sysfs::DeviceNumber;
use super::Refusal;

/// How often a busy device is asked again.
const BUSY_TRIES: u32 = 30;
/// Time between two such questions.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// Opens for reading only, and exclusively: a mounted or otherwise held device refuses that.
pub(super) fn open_read_only(path: &Path) -> Result<File, Refusal> {
    open_exclusive(
        path,
        OpenOptions::new().read(true).custom_flags(libc::O_EXCL),
    )
}

/// Opens a device exclusively. The kernel lets go of a device some time after a run on it was
/// killed, when the last I/O of its rings has completed; so a busy one is asked again for a while.
pub(in crate::drive) fn open_exclusive(
    path: &Path,
    options: &OpenOptions,
) -> Result<File, Refusal> {
    let mut tries = 0;
    loop {
        match options.open(path) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) && tries < BUSY_TRIES => {
                tries += 1;
                std::thread::sleep(BUSY_PAUSE);
            }
            opened => return opened.map_err(|error| not_opened(path, &error)),
        }
    }
}

/// The refusal for an error of `open` or `stat`.
pub(in crate::drive) fn not_opened(path: &Path, error: &io::Error) -> Refusal {
    let path = path.to_owned();
    let remedy = match error.raw_os_error() {
        Some(libc::EBUSY) => return Refusal::Busy { path },
        Some(libc::EROFS) => return Refusal::ReadOnly { path },
        Some(libc::ENOMEDIUM | libc::ENXIO) => return Refusal::Empty { path },
        Some(libc::EACCES | libc::EPERM) if rustix::process::geteuid().is_root() => {
            "the kernel refuses it even to root, as it does for disks that this machine uses; \
             choose another drive"
        }
        Some(libc::EACCES | libc::EPERM) => "run ptse as root, or use another drive",
        Some(_) | None => "check the drive and its cabling",
    };
    Refusal::NotOpened {
        path,
        cause: error.to_string(),
        remedy,
    }
}

/// The path must still lead to the device that was looked at.
pub(in crate::drive) fn check_number(
    path: &Path,
    file: &File,
    before: DeviceNumber,
) -> Result<(), Refusal> {
    let metadata = file.metadata().map_err(|error| not_opened(path, &error))?;
    let after = DeviceNumber::from_raw(metadata.rdev());
    if after == before {
        return Ok(());
    }
    Err(Refusal::Changed {
        path: path.to_owned(),
        before: format!("device {before}"),
        after: format!("device {after}"),
    })
}
