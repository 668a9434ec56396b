//! The guard on real devices: what is in use is refused, and not one byte of it changes.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use ptse::drive::guard::{self, Guard};
use ptse::units::MIB;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::harness::{LoopDevice, Mounted, refusal_at, succeeds};

const BYTES: u64 = 32 * MIB;

fn digest(image: &Path) -> Vec<u8> {
    Sha256::digest(std::fs::read(image).unwrap()).to_vec()
}

fn make_ext4(device: &Path) -> bool {
    let made = succeeds("mkfs.ext4", &["-q", device.to_str().unwrap()]);
    if !made {
        println!("skipped: mkfs.ext4 is not installed");
    }
    made
}

/// "With a filesystem mounted read-only: the message names the mount point, and not one byte
/// changed; the same through a by-id style symlink."
#[test]
fn a_mounted_device_is_refused_by_every_name_and_stays_unchanged() {
    let Some(device) = LoopDevice::new(BYTES, 512) else {
        return;
    };
    if !make_ext4(&device.path) {
        return;
    }
    let Some(mounted) = Mounted::new(&device.path) else {
        return;
    };
    let before = digest(device.image.path());
    let names = tempfile::tempdir().unwrap();
    let by_id = names.path().join(device.name());
    symlink(&device.path, &by_id).unwrap();
    let point = mounted.point.path().to_str().unwrap();
    for path in [&device.path, &by_id] {
        let words = refusal_at(path);
        assert!(words.contains(&format!("is mounted at {point}")), "{words}");
        assert!(words.starts_with(path.to_str().unwrap()));
    }
    assert_eq!(digest(device.image.path()), before);
}

/// A table with two partitions, each 8 MiB, written by hand as the BIOS reads it.
fn partitioned() -> NamedTempFile {
    let image = NamedTempFile::new().unwrap();
    image.as_file().set_len(BYTES).unwrap();
    let mut table = [0_u8; 66];
    for (index, start) in [2048_u32, 20_480].into_iter().enumerate() {
        let entry = &mut table[16 * index..16 * (index + 1)];
        entry[4] = 0x83;
        entry[8..12].copy_from_slice(&start.to_le_bytes());
        entry[12..16].copy_from_slice(&16_384_u32.to_le_bytes());
    }
    table[64..].copy_from_slice(&[0x55, 0xAA]);
    image.as_file().write_all_at(&table, 446).unwrap();
    image
}

/// Field report 34: a mount of one partition protects the whole device and its other partitions.
#[test]
fn a_mounted_partition_protects_device_and_siblings() {
    let Some(device) = LoopDevice::on(partitioned(), &[]) else {
        return;
    };
    let whole = device.path.to_str().unwrap();
    let part = |number: u32| PathBuf::from(format!("{whole}p{number}"));
    if !succeeds("partx", &["-a", whole]) || !part(1).exists() || !make_ext4(&part(1)) {
        println!("skipped: no partitions on loop devices here");
        return;
    }
    let words = device.refusal();
    assert!(words.contains("carries an MBR partition table"), "{words}");
    let Some(mounted) = Mounted::new(&part(1)) else {
        return;
    };
    let before = digest(device.image.path());
    let point = mounted.point.path().to_str().unwrap().to_owned();
    for path in [device.path.clone(), part(1), part(2)] {
        let words = refusal_at(&path);
        assert!(words.contains(&format!("mounted at {point}")), "{words}");
    }
    drop(mounted);
    assert_eq!(digest(device.image.path()), before);
    succeeds("partx", &["-d", whole]);
}

#[test]
fn a_file_system_is_only_erased_when_that_is_allowed() {
    let Some(device) = LoopDevice::new(BYTES, 512) else {
        return;
    };
    if !make_ext4(&device.path) {
        return;
    }
    let words = device.refusal();
    assert!(
        words.contains("an ext2, ext3 or ext4 file system"),
        "{words}"
    );
    assert!(words.contains("--even-with-signatures"));
    let allowed = Guard {
        carries: ptse::drive::guard::Carries::Anything,
        ..Guard::default()
    };
    let cleared = guard::inspect(&device.path, &allowed)
        .unwrap()
        .confirm(Some(device.name()))
        .unwrap();
    assert!(ptse::drive::block::open(&cleared).is_ok());
}

/// The name is compared last: with none or a wrong one the right one is shown.
#[test]
fn without_its_name_a_free_device_is_not_opened() {
    let Some(device) = LoopDevice::new(BYTES, 512) else {
        return;
    };
    let inspect = || guard::inspect(&device.path, &Guard::default()).unwrap();
    let words = inspect().confirm(None).unwrap_err().to_string();
    let right = format!("--erase {}", device.name());
    assert!(
        words.contains(&right) && words.contains("33.55 MB"),
        "{words}"
    );
    let words = inspect().confirm(Some("S123")).unwrap_err().to_string();
    assert!(
        words.contains("--erase names S123") && words.contains(&right),
        "{words}"
    );
}

/// Field report 37: another program's exclusive claim refuses it, also between look and opening.
#[test]
fn a_device_that_is_taken_is_refused() {
    let Some(device) = LoopDevice::new(BYTES, 512) else {
        return;
    };
    let exclusive = || {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .custom_flags(rustix::fs::OFlags::EXCL.bits().cast_signed());
        options.open(&device.path).unwrap()
    };
    let cleared = guard::inspect(&device.path, &Guard::default())
        .unwrap()
        .confirm(Some(device.name()))
        .unwrap();
    let held = exclusive();
    assert!(device.refusal().contains("is busy"));
    let late = ptse::drive::block::open(&cleared).unwrap_err().to_string();
    assert!(late.contains("is busy"), "{late}");
    drop(held);
    let drive = ptse::drive::block::open(&cleared).unwrap();
    assert!(
        device.refusal().contains("is busy"),
        "held for the whole run"
    );
    drop(drive);
}

#[test]
fn a_file_system_made_after_the_look_is_found_at_the_opening() {
    let Some(device) = LoopDevice::new(BYTES, 512) else {
        return;
    };
    let cleared = guard::inspect(&device.path, &Guard::default())
        .unwrap()
        .confirm(Some(device.name()))
        .unwrap();
    let mut file = File::options().write(true).open(&device.path).unwrap();
    file.write_all(b"XFSB").unwrap();
    file.sync_all().unwrap();
    drop(file);
    let words = ptse::drive::block::open(&cleared).unwrap_err().to_string();
    assert!(words.contains("an XFS file system"), "{words}");
}

#[test]
fn a_read_only_device_is_refused_with_the_remedy() {
    let image = NamedTempFile::new().unwrap();
    image.as_file().set_len(BYTES).unwrap();
    let Some(device) = LoopDevice::on(image, &["-r"]) else {
        return;
    };
    assert!(device.refusal().contains("is read-only"));
}

/// The disk below the root file system is refused whatever name is given. Only looked at.
#[test]
fn the_disk_of_the_root_file_system_is_refused() {
    use std::os::unix::fs::MetadataExt;
    let root = std::fs::metadata("/").unwrap().dev();
    let (major, minor) = (rustix::fs::major(root), rustix::fs::minor(root));
    let node = std::fs::canonicalize(format!("/sys/dev/block/{major}:{minor}"));
    let Ok(node) = node else {
        println!("skipped: the root file system lies on no block device");
        return;
    };
    let path = Path::new("/dev").join(node.file_name().unwrap());
    if !path.exists() {
        println!("skipped: the device of the root file system has no node");
        return;
    }
    let words = guard::inspect(&path, &Guard::default())
        .unwrap_err()
        .to_string();
    assert!(words.contains("is mounted at /"), "{words}");
}
