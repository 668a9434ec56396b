//! Loop devices and what they lie on. The kernel keeps no holder for a loop device over a block
//! device, and two loop devices, or a loop device and a file, may share one file's bytes without
//! either being busy: only their backing tells.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::super::sysfs::{BlockFolder, DeviceNumber, Sysfs};

/// What a loop device lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backing {
    /// A block device.
    Block(DeviceNumber),
    /// A file, by the number of its file system and its inode.
    File(u64, u64),
}

/// Every loop device of this machine that is attached, with its backing.
#[derive(Debug, Clone, Default)]
pub(super) struct Loops(Vec<(BlockFolder, Backing)>);

impl Loops {
    /// Reads them from sysfs. A backing that was deleted since can be shared by nobody else.
    pub(super) fn read(sysfs: &Sysfs) -> Self {
        let attached = sysfs.disks().into_iter().filter_map(|disk| {
            let path = disk.text("loop/backing_file")?;
            let backing = backing_of(Path::new(&path))?;
            Some((disk, backing))
        });
        Self(attached.collect())
    }

    /// What a loop device lies on; `None` for any other device.
    pub(super) fn backing(&self, device: DeviceNumber) -> Option<Backing> {
        let found = self
            .0
            .iter()
            .find(|(disk, _)| disk.number() == Some(device));
        found.map(|(_, backing)| *backing)
    }

    /// The loop devices that lie on this backing.
    pub(super) fn over(&self, backing: Backing) -> impl Iterator<Item = &BlockFolder> {
        self.0
            .iter()
            .filter(move |(_, one)| *one == backing)
            .map(|(disk, _)| disk)
    }
}

/// The backing that a path names now.
pub(super) fn backing_of(path: &Path) -> Option<Backing> {
    let metadata = fs::metadata(path).ok()?;
    Some(if metadata.file_type().is_block_device() {
        Backing::Block(DeviceNumber::from_raw(metadata.rdev()))
    } else {
        Backing::File(metadata.dev(), metadata.ino())
    })
}
