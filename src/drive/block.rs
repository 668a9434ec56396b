//! A block device of this machine as a drive: who it is, and how it is opened once the guard has
//! cleared it.
//!
//! Identity comes from sysfs and from the kernel's ioctls, with no helper programs. The device is
//! opened exclusively and directly (`O_EXCL`, `O_DIRECT`) and stays open until the run ends.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{ioctl_blkpbszget, ioctl_blksszget};

use super::Identity;
use super::guard::{self, Cleared, Refusal, System};
use super::identity::{DriveKind, TransferLimits, WriteCache};
use super::local::{LocalDrive, Medium};
use super::sysfs::BlockFolder;
use crate::units::{Bytes, KIB};

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
    let logical_block = u32::try_from(identity.logical_block.0).unwrap_or(u32::MAX);
    if !(logical_block == 512 || logical_block == LOGICAL_BLOCK_MAX) {
        return Err(OpenError::LogicalBlock {
            path: path.display().to_string(),
            size: logical_block,
        });
    }
    LocalDrive::start(identity, file, Medium::Block)
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
    Ok(identity)
}

/// All bytes, as the kernel counts them: the end of the device.
fn capacity_of(mut file: &File) -> io::Result<u64> {
    use std::io::{Seek, SeekFrom};
    file.seek(SeekFrom::End(0))
}

/// What sysfs tells; sizes come from the kernel's ioctls.
fn identity_from(folder: &BlockFolder, path: &Path) -> Identity {
    let disk = folder.disk();
    let name = folder.name();
    let kind = kind_of(&disk, folder);
    let serial = serial_of(&disk);
    let model = disk
        .text("device/model")
        .unwrap_or_else(|| model_without_name(&disk, kind));
    let backing = disk.text("loop/backing_file");
    let anchor = match (&backing, &serial) {
        (Some(backing), _) => loop_anchor(&disk, folder, backing),
        (None, Some(serial)) if folder.is_partition() => {
            let start = folder.text("start").unwrap_or_default();
            format!(
                "serial {serial} sectors {start}+{}",
                folder.capacity().0 / 512
            )
        }
        (None, Some(serial)) => match disk.text("wwid").or_else(|| disk.text("device/wwid")) {
            Some(wwid) => format!("serial {serial} {wwid}"),
            None => format!("serial {serial}"),
        },
        (None, None) => format!("name {name} {}", folder.capacity().0),
    };
    Identity {
        address: path.display().to_string(),
        kind,
        manufacturer: manufacturer_of(&disk),
        model,
        confirm_name: serial.clone().unwrap_or_else(|| name.clone()),
        serial,
        firmware: disk
            .text("device/firmware_rev")
            .or_else(|| disk.text("device/rev")),
        interface: interface_of(&disk, kind),
        nand: None,
        pcie: pcie_of(&disk),
        capacity: folder.capacity(),
        logical_block: Bytes(512),
        physical_block: None,
        write_cache: write_cache_of(&disk, kind),
        engine: None,
        limits: limits_of(&disk),
        anchor,
        scale: None,
    }
}

/// The part of which file a loop device shows: another part is another device.
fn loop_anchor(disk: &BlockFolder, folder: &BlockFolder, backing: &str) -> String {
    let start = disk.text("loop/offset").unwrap_or_default();
    let limit = disk.text("loop/sizelimit").unwrap_or_default();
    let file = fs::metadata(backing).map_or("gone".to_owned(), |file| {
        format!("{}:{}", file.dev(), file.ino())
    });
    format!(
        "loop {backing} ({file}) from {start} limit {limit}, {}",
        folder.capacity().0
    )
}

fn kind_of(disk: &BlockFolder, folder: &BlockFolder) -> DriveKind {
    const NO_FLASH: [&str; 8] = ["dm-", "md", "zram", "ram", "nbd", "drbd", "bcache", "rbd"];
    let name = disk.name();
    if name.starts_with("loop") {
        DriveKind::Loop
    } else if folder.is_partition() || NO_FLASH.iter().any(|prefix| name.starts_with(prefix)) {
        DriveKind::OtherBlock
    } else {
        DriveKind::Drive
    }
}

fn model_without_name(disk: &BlockFolder, kind: DriveKind) -> String {
    match kind {
        DriveKind::Loop => "loop device".to_owned(),
        DriveKind::Drive | DriveKind::Simulated | DriveKind::File | DriveKind::OtherBlock => {
            format!("block device {}", disk.name())
        }
    }
}

/// NVMe and virtio name it themselves, SCSI and ATA in a page that begins with four bytes of head.
fn serial_of(disk: &BlockFolder) -> Option<String> {
    let page = || {
        let bytes = fs::read(disk.folder().join("device/vpd_pg80")).ok()?;
        let text = String::from_utf8_lossy(bytes.get(4..)?).replace('\0', " ");
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    disk.text("device/serial")
        .or_else(|| disk.text("serial"))
        .or_else(page)
}

/// SCSI names the vendor; `ATA` there is the translation layer, and a number is a PCI identifier.
fn manufacturer_of(disk: &BlockFolder) -> Option<String> {
    disk.text("device/vendor")
        .filter(|vendor| vendor != "ATA" && !vendor.starts_with("0x"))
}

fn interface_of(disk: &BlockFolder, kind: DriveKind) -> Option<String> {
    let place = disk.folder().to_string_lossy();
    let is_on = |part: &str| place.contains(part);
    let words = match kind {
        DriveKind::Loop => "loop",
        DriveKind::Simulated | DriveKind::File | DriveKind::OtherBlock => return None,
        DriveKind::Drive if is_on("/nvme") => "NVMe",
        DriveKind::Drive if is_on("/usb") => "USB",
        DriveKind::Drive if is_on("/ata") => "SATA",
        DriveKind::Drive if is_on("/virtio") => "virtio",
        DriveKind::Drive if disk.text("device/sas_address").is_some() => "SAS",
        DriveKind::Drive => return None,
    };
    Some(words.to_owned())
}

/// Speed and width of the link an NVMe controller runs with now.
fn pcie_of(disk: &BlockFolder) -> Option<String> {
    let speed = disk.text("device/device/current_link_speed")?;
    let width = disk.text("device/device/current_link_width")?;
    Some(format!("{speed} x{width}"))
}

fn limits_of(disk: &BlockFolder) -> Option<TransferLimits> {
    let kib = disk.value("queue/max_sectors_kb")?;
    Some(TransferLimits {
        bytes_max: Bytes(kib.saturating_mul(KIB)),
        segments_max: disk.value("queue/max_segments"),
    })
}

/// The block layer's view. It can be read here and not yet set.
fn write_cache_of(disk: &BlockFolder, kind: DriveKind) -> WriteCache {
    let unknown = |cause: &str| WriteCache::Unknown {
        cause: cause.to_owned(),
    };
    match (kind, disk.text("queue/write_cache").as_deref()) {
        (DriveKind::Loop, _) => unknown("a loop device has no write cache of its own to set"),
        (_, Some("write through")) => {
            unknown("the block layer writes through, which does not tell what the drive does")
        }
        (_, Some("write back")) => WriteCache::On,
        (_, Some(_) | None) => unknown("the kernel does not tell its state"),
    }
}

#[cfg(test)]
mod tests;
