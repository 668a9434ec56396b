//! What the kernel tells about block devices in sysfs. The root is a parameter, so that trees of
//! other machines can be read in tests.
//!
//! It reports; it does not judge. Texts are decoded lossily, since drives name themselves in any
//! bytes, and blanks around them are dropped.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::units::Bytes;

/// Longest text read from a file.
const TEXT_BYTES_MAX: usize = 4096;
/// Unit of `size` files, whatever the logical block.
const SECTOR: u64 = 512;

/// Major and minor number of a device: what a block device is compared by, never its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceNumber {
    /// Major.
    pub major: u32,
    /// Minor.
    pub minor: u32,
}

impl DeviceNumber {
    /// From the number that `stat` gives.
    pub fn from_raw(raw: u64) -> Self {
        Self {
            major: rustix::fs::major(raw),
            minor: rustix::fs::minor(raw),
        }
    }

    /// Reads `259:3`.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.trim().split_once(':')?;
        Some(Self {
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
        })
    }
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.major, self.minor)
    }
}

/// The tree, usually at `/sys`.
#[derive(Debug, Clone)]
pub struct Sysfs {
    root: PathBuf,
}

/// The folder of one block device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockFolder {
    folder: PathBuf,
}

impl Sysfs {
    /// The tree at this folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// A device by its number.
    pub fn block(&self, number: DeviceNumber) -> Option<BlockFolder> {
        BlockFolder::at(&self.root.join("dev/block").join(number.to_string()))
    }

    /// All whole devices, in the order of their names.
    pub fn disks(&self) -> Vec<BlockFolder> {
        let mut all = children(&self.root.join("block"));
        all.sort_by_key(|disk| disk.name());
        all
    }
}

impl BlockFolder {
    fn at(path: &Path) -> Option<Self> {
        let folder = fs::canonicalize(path).ok()?;
        folder.join("dev").exists().then_some(Self { folder })
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Kernel name without `/dev/`.
    pub fn name(&self) -> String {
        let name = self.folder.file_name().unwrap_or(OsStr::new(""));
        // Names with a slash (`cciss/c0d0`) are written with an exclamation mark.
        name.to_string_lossy().replace('!', "/")
    }

    /// Its number.
    pub fn number(&self) -> Option<DeviceNumber> {
        DeviceNumber::parse(&self.text("dev")?)
    }

    /// A text in one of its files; `None` when it is missing or empty.
    pub fn text(&self, file: &str) -> Option<String> {
        text_of(&self.folder.join(file))
    }

    /// A number in one of its files.
    pub fn value(&self, file: &str) -> Option<u64> {
        self.text(file)?.parse().ok()
    }

    /// All bytes.
    pub fn capacity(&self) -> Bytes {
        Bytes(self.value("size").unwrap_or(0).saturating_mul(SECTOR))
    }

    /// What the kernel tells a disk by all over the world, whatever path leads to it.
    pub fn wwid(&self) -> Option<String> {
        let disk = self.disk();
        disk.text("wwid").or_else(|| disk.text("device/wwid"))
    }

    /// Whether it is a part of another device.
    pub fn is_partition(&self) -> bool {
        self.folder.join("partition").exists()
    }

    /// The whole device it is a part of, or itself.
    pub fn disk(&self) -> Self {
        let parent = self.folder.parent().filter(|_| self.is_partition());
        parent.and_then(Self::at).unwrap_or_else(|| self.clone())
    }

    /// Its partitions.
    pub fn partitions(&self) -> Vec<Self> {
        let mut all = children(&self.folder);
        all.retain(Self::is_partition);
        all.sort();
        all
    }

    /// Devices built on it: device mapper, RAID, bcache.
    pub fn holders(&self) -> Vec<Self> {
        children(&self.folder.join("holders"))
    }

    /// Devices it is built on.
    pub fn slaves(&self) -> Vec<Self> {
        children(&self.folder.join("slaves"))
    }
}

/// The first line or so of a file, decoded lossily.
pub(super) fn text_of(path: &Path) -> Option<String> {
    let mut bytes = fs::read(path).ok()?;
    bytes.truncate(TEXT_BYTES_MAX);
    let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn children(folder: &Path) -> Vec<BlockFolder> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| BlockFolder::at(&entry.path()))
        .filter(|child| child.folder != folder)
        .collect()
}

#[cfg(test)]
pub(super) mod fixture;

#[cfg(test)]
mod tests {
    use super::fixture::Tree;
    use super::*;

    #[test]
    fn device_numbers_read_back() {
        let number = DeviceNumber::parse("259:3\n").unwrap();
        assert_eq!(number.to_string(), "259:3");
        assert_eq!(DeviceNumber::parse("259"), None);
    }

    /// Field report 55: a serial with bytes 0xFC 0x00 0xFF must not stop anything.
    #[test]
    fn texts_in_any_bytes_are_read() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1000);
        tree.file_bytes("devices/sda/device/model", b"DISK \xFC\x00\xFF  \n");
        let disk = tree
            .sysfs()
            .block(DeviceNumber { major: 8, minor: 0 })
            .unwrap();
        assert_eq!(disk.text("device/model").unwrap(), "DISK \u{FFFD} \u{FFFD}");
        assert_eq!(disk.text("device/serial"), None);
    }

    #[test]
    fn partitions_know_their_disk() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1000);
        tree.partition("sda", "sda1", "8:1");
        let part = tree
            .sysfs()
            .block(DeviceNumber { major: 8, minor: 1 })
            .unwrap();
        assert!(part.is_partition());
        assert_eq!(part.disk().name(), "sda");
        assert_eq!(part.disk().partitions(), [part]);
        assert_eq!(tree.sysfs().disks().len(), 1);
    }
}
