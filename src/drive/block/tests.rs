//! Identity from sysfs trees as other machines have them.

use super::super::identity::{DriveKind, WriteCache};
use super::super::sysfs::DeviceNumber;
use super::super::sysfs::fixture::Tree;
use super::*;
use crate::drive::TransferLimits;

/// A SCSI disk may have a world-wide name and no serial number; a node's name outlives no boot.
#[test]
fn a_world_wide_name_is_an_identity_and_a_node_is_not() {
    let named = |wwid: Option<&str>| {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 2048);
        if let Some(wwid) = wwid {
            tree.file("devices/sda/device/wwid", wwid);
        }
        identity(&tree, "8:0")
    };
    let drive = named(Some("naa.5000c500a0b1c2d3"));
    assert_eq!(drive.anchor, "naa.5000c500a0b1c2d3");
    assert!(!drive.is_known_by_name_only());
    assert!(named(None).is_known_by_name_only());
}

fn identity(tree: &Tree, number: &str) -> Identity {
    let number = DeviceNumber::parse(number).unwrap();
    let folder = tree.sysfs().block(number).unwrap();
    identity_from(&folder, Path::new("/dev/x"))
}

#[test]
fn an_nvme_drive_is_named_by_its_controller() {
    let tree = Tree::new();
    tree.disk("nvme0n1", "259:0", 2048);
    for (file, text) in [
        ("device/model", "ACME D7 3.84T              \n"),
        ("device/serial", "PHX1234\n"),
        ("device/firmware_rev", "9CV1\n"),
        ("device/device/current_link_speed", "16.0 GT/s PCIe\n"),
        ("device/device/current_link_width", "4\n"),
        ("wwid", "eui.0100\n"),
        ("queue/write_cache", "write through\n"),
        ("queue/max_sectors_kb", "256\n"),
        ("queue/max_segments", "33\n"),
    ] {
        tree.file(&format!("devices/nvme0n1/{file}"), text);
    }
    let drive = identity(&tree, "259:0");
    assert_eq!(drive.kind, DriveKind::Drive);
    assert_eq!(drive.model, "ACME D7 3.84T");
    assert_eq!(drive.confirm_name, "PHX1234");
    assert_eq!(drive.anchor, "serial PHX1234 eui.0100");
    assert_eq!(drive.firmware.as_deref(), Some("9CV1"));
    assert_eq!(drive.interface.as_deref(), Some("NVMe"));
    assert_eq!(drive.pcie.as_deref(), Some("16.0 GT/s PCIe x4"));
    assert_eq!(drive.capacity, Bytes(1_048_576));
    let limits = TransferLimits {
        bytes_max: Bytes(262_144),
        segments_max: Some(33),
    };
    assert_eq!(drive.limits, Some(limits));
    // The block layer's switch is no word of the drive's.
    assert!(matches!(drive.write_cache, WriteCache::Unknown { .. }));
    assert_eq!(describe(&drive), "ACME D7 3.84T, serial PHX1234, 1.05 MB");
}

/// SCSI keeps the serial number in a page with a head of four bytes; `ATA` is no manufacturer.
#[test]
fn a_scsi_drive_is_named_by_its_page() {
    let tree = Tree::new();
    tree.disk("sda", "8:0", 2048);
    tree.file("devices/sda/device/vendor", "ATA     \n");
    tree.file("devices/sda/device/model", "ACME 870\n");
    tree.file_bytes("devices/sda/device/vpd_pg80", b"\0\x80\0\x08S4X  99 ");
    tree.file("devices/sda/queue/write_cache", "write back\n");
    let drive = identity(&tree, "8:0");
    assert_eq!(drive.serial.as_deref(), Some("S4X  99"));
    assert_eq!(drive.manufacturer, None);
    assert_eq!(drive.write_cache, WriteCache::On);
}

#[test]
fn a_loop_device_is_confirmed_by_its_kernel_name() {
    let tree = Tree::new();
    tree.disk("loop7", "7:7", 8);
    tree.file("devices/loop7/loop/backing_file", "/images/a.img\n");
    tree.file("devices/loop7/loop/offset", "4096\n");
    tree.file("devices/loop7/loop/sizelimit", "2048\n");
    let drive = identity(&tree, "7:7");
    assert_eq!(drive.kind, DriveKind::Loop);
    assert_eq!((drive.serial, drive.confirm_name.as_str()), (None, "loop7"));
    assert_eq!(
        drive.anchor,
        "loop /images/a.img (gone) from 4096 limit 2048, 4096"
    );
    assert!(matches!(drive.write_cache, WriteCache::Unknown { .. }));
}

#[test]
fn a_partition_is_no_drive_but_needs_the_serial_of_its_disk() {
    let tree = Tree::new();
    tree.disk("sda", "8:0", 2048);
    tree.partition("sda", "sda1", "8:1");
    tree.file("devices/sda/device/serial", "S1\n");
    let part = identity(&tree, "8:1");
    assert_eq!(part.kind, DriveKind::OtherBlock);
    assert_eq!(part.confirm_name, "S1");
}
