//! Who a block device is, as far as sysfs tells. Sizes of blocks come from the kernel's ioctls.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::super::Identity;
use super::super::facts::{self, Link};
use super::super::identity::{ANCHOR_NAME, DriveKind, TransferLimits, WriteCache};
use super::super::sysfs::BlockFolder;
use crate::units::{Bytes, KIB};

/// What sysfs tells; sizes come from the kernel's ioctls.
pub(in crate::drive) fn identity_from(folder: &BlockFolder, path: &Path) -> Identity {
    let disk = folder.disk();
    let name = folder.name();
    let kind = kind_of(&disk, folder);
    let serial = serial_of(&disk);
    let model = disk
        .text("device/model")
        .unwrap_or_else(|| model_without_name(&disk, kind));
    let backing = disk.text("loop/backing_file");
    let wwid = disk.wwid();
    let anchor = match &backing {
        Some(backing) => loop_anchor(&disk, folder, backing),
        None => anchor(folder, serial.as_deref(), wwid.as_deref()),
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
        interface: facts::interface(&disk),
        nand: None,
        pcie: Link::of(&disk).map(|link| link.to_string()),
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

/// Serial number, world-wide name and place on the disk: what outlives a boot. The node's name does
/// not, and stands here only where there is nothing else.
fn anchor(folder: &BlockFolder, serial: Option<&str>, wwid: Option<&str>) -> String {
    let mut parts = Vec::new();
    parts.extend(serial.map(|serial| format!("serial {serial}")));
    parts.extend(wwid.map(str::to_owned));
    if parts.is_empty() {
        return format!("{ANCHOR_NAME}{} {}", folder.name(), folder.capacity().0);
    }
    if folder.is_partition() {
        let start = folder.text("start").unwrap_or_default();
        parts.push(format!("sectors {start}+{}", folder.capacity().0 / 512));
    }
    parts.join(" ")
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
