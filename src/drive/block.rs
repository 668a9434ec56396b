//! A block device of this machine as a drive: who it is, and how it is opened once the guard has
//! cleared it.
//!
//! Identity comes from sysfs and from the kernel's ioctls, with no helper programs. The device is
//! opened exclusively and directly (`O_EXCL`, `O_DIRECT`) and stays open until the run ends.

mod from_sysfs;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{ioctl_blkpbszget, ioctl_blksszget};

use super::Identity;
use super::cache::{Cache, ScsiSwitch};
use super::guard::{self, Cleared, Inspected, Refusal, System};
use super::identity::DriveKind;
use super::local::{Beside, LocalDrive, Medium};
use super::nvme::{Kernel, Nvme};
use super::sysfs::BlockFolder;
use crate::units::Bytes;
pub(super) use from_sysfs::identity_from;

/// Largest logical block that can be tested. Larger and uneven ones belong to formats with
/// metadata inside the block, which a test must not write.
const LOGICAL_BLOCK_MAX: u32 = 4096;

/// Why a target that may be written was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It must not be written any more.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Its logical block is not 512 or 4096 bytes.
    #[error(
        "{path} has logical blocks of {size} bytes; only 512 and 4096 can be tested, so format \
         the drive without metadata inside the block"
    )]
    LogicalBlock {
        /// As given.
        path: String,
        /// What the kernel says.
        size: u32,
    },
    /// The drive's own thread could not be started.
    #[error("the thread for {path} cannot be started: {source}; end other programs first")]
    Thread {
        /// As given.
        path: String,
        /// The system's words.
        #[source]
        source: io::Error,
    },
    /// The load engine cannot work here.
    #[error("the load engine cannot work on {path}: {cause}")]
    Engine {
        /// As given.
        path: String,
        /// Why, and what to do.
        cause: String,
    },
    /// A file that cannot be used as a target.
    #[error("file:{path} cannot be tested: {cause}")]
    File {
        /// As given.
        path: String,
        /// Why, and what to do.
        cause: String,
    },
}

/// Who the block device at `path` is. It is opened for reading only and not kept.
///
/// # Errors
/// [`Refusal`] when there is no such block device or it cannot be opened.
pub fn identify(path: &Path) -> Result<Identity, Refusal> {
    let system = System::default();
    let number = guard::block_number(path)?;
    let folder = guard::listed(&system, path, number)?;
    let file = File::open(path).map_err(|error| guard::not_opened(path, &error))?;
    guard::check_number(path, &file, number)?;
    identify_open(path, &folder, &file)
}

/// Opens a cleared device for the run, after looking again whether it is still the same and still
/// free.
///
/// # Errors
/// [`OpenError`] when it changed, is taken, or has blocks that cannot be tested.
pub fn open(cleared: &Cleared) -> Result<LocalDrive, OpenError> {
    let Cleared(cleared) = cleared;
    let path = cleared.path.as_path();
    guard::refuse_in_use(&cleared.system, path, &cleared.folder)?;
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(true)
        .custom_flags(libc::O_EXCL | libc::O_DIRECT);
    let file = guard::open_exclusive(path, &options)?;
    // From here on nobody else can mount or claim it; what is checked now stays true.
    guard::check_number(path, &file, cleared.number)?;
    let identity = identify_open(path, &cleared.folder, &file)?;
    if !is_same(&identity, &cleared.identity) {
        return Err(OpenError::Refused(Refusal::Changed {
            path: path.to_owned(),
            before: describe(&cleared.identity),
            after: describe(&identity),
        }));
    }
    let plain = File::open(path).map_err(|error| guard::not_opened(path, &error))?;
    guard::check_number(path, &plain, cleared.number)?;
    guard::refuse_signed(path, &plain, identity.capacity.0, &cleared.allowed)?;
    drop(plain);
    testable_block(&identity)?;
    let beside = claim_others(cleared)?;
    LocalDrive::start(identity, file, Medium::Block, beside)
}

/// Takes the other namespaces that the purge erases, so that nobody else can begin to use them.
fn claim_others(cleared: &Inspected) -> Result<Beside, Refusal> {
    // Whatever a drive is told hits all of it, so the drive below a partition or a mapped device
    // is told nothing.
    let is_whole_drive =
        cleared.identity.kind == DriveKind::Drive && !cleared.folder.is_partition();
    let mut beside = Beside {
        disk: is_whole_drive.then(|| cleared.folder.clone()),
        ..Beside::default()
    };
    for other in &cleared.others {
        beside.nsids.push(other.nsid);
        let Some((path, folder)) = &other.node else {
            continue;
        };
        guard::refuse_in_use(&cleared.system, path, folder)?;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_EXCL);
        let file = guard::open_exclusive(path, &options)?;
        if let Some(number) = folder.number() {
            guard::check_number(path, &file, number)?;
        }
        guard::refuse_signed(path, &file, folder.capacity().0, &cleared.allowed)?;
        beside.held.push(file);
    }
    Ok(beside)
}

/// Refuses a drive with blocks that cannot be tested.
pub(super) fn testable_block(identity: &Identity) -> Result<(), OpenError> {
    let size = u32::try_from(identity.logical_block.0).unwrap_or(u32::MAX);
    if size == 512 || size == LOGICAL_BLOCK_MAX {
        return Ok(());
    }
    Err(OpenError::LogicalBlock {
        path: identity.address.clone(),
        size,
    })
}

/// Whether two looks saw one drive in one format. Link and cache may change in between.
fn is_same(one: &Identity, other: &Identity) -> bool {
    one.anchor == other.anchor
        && one.confirm_name == other.confirm_name
        && one.capacity == other.capacity
        && one.logical_block == other.logical_block
}

/// Model, serial number and capacity in one line, for refusals and prompts.
pub fn describe(identity: &Identity) -> String {
    let serial = match &identity.serial {
        Some(serial) => format!("serial {serial}"),
        None => "no serial number".to_owned(),
    };
    format!(
        "{}, {serial}, {}",
        identity.model,
        identity.capacity.as_capacity()
    )
}

/// Who an open device is.
pub(super) fn identify_open(
    path: &Path,
    folder: &BlockFolder,
    file: &File,
) -> Result<Identity, Refusal> {
    let failed = |error: rustix::io::Errno| guard::not_opened(path, &error.into());
    let logical_block = ioctl_blksszget(file).map_err(failed)?;
    // Missing on old kernels only; then it is not recorded.
    let physical_block = ioctl_blkpbszget(file)
        .ok()
        .map(|size| Bytes(u64::from(size)));
    let capacity = capacity_of(file).map_err(|error| guard::not_opened(path, &error))?;
    let blocks = capacity / u64::from(logical_block.max(1));
    let mut identity = identity_from(folder, path);
    identity.capacity = Bytes(blocks * u64::from(logical_block));
    identity.logical_block = Bytes(u64::from(logical_block));
    identity.physical_block = physical_block;
    if let Some(kernel) = Kernel::on(folder, file) {
        identity.write_cache = Nvme::new(&kernel, kernel.nsid()).read();
    } else if let Some(state) = ScsiSwitch::of(&folder.disk()).map(|switch| switch.read()) {
        identity.write_cache = state;
    }
    Ok(identity)
}

/// All bytes, as the kernel counts them: the end of the device.
fn capacity_of(mut file: &File) -> io::Result<u64> {
    use std::io::{Seek, SeekFrom};
    file.seek(SeekFrom::End(0))
}

#[cfg(test)]
mod tests;
