//! Which devices share their bytes with a target: its disk, partitions, and what is built on them.

use std::collections::BTreeMap;

use super::super::sysfs::{BlockFolder, DeviceNumber, Sysfs};
use super::loops::{Backing, Loops};

/// Devices in a family at most; a limit against cycles in a broken tree.
const MEMBERS_MAX: usize = 4096;

/// All devices whose data lie on one disk, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Family {
    members: BTreeMap<DeviceNumber, BlockFolder>,
    loops: Loops,
}

impl Family {
    /// Everything that shares bytes with the disk of `target`: partitions, siblings and, over any
    /// number of layers, holders and loop devices, on every path that leads to the disk; for a loop
    /// device also what it lies on and what else lies on the same.
    pub(super) fn above(target: &BlockFolder, sysfs: &Sysfs) -> Self {
        let loops = Loops::read(sysfs);
        let mut family = Self::default();
        family.add_above(&target.disk(), &loops);
        for path in other_paths(&target.disk(), sysfs) {
            family.add_above(&path, &loops);
        }
        let backing = target
            .disk()
            .number()
            .and_then(|number| loops.backing(number));
        match backing {
            Some(Backing::Block(number)) => {
                if let Some(below) = sysfs.block(number) {
                    family.add_above(&below.disk(), &loops);
                }
            }
            Some(file @ Backing::File(..)) => {
                for sibling in loops.over(file) {
                    family.add_above(sibling, &loops);
                }
            }
            None => {}
        }
        family.loops = loops;
        family
    }

    fn add_above(&mut self, device: &BlockFolder, loops: &Loops) {
        if !self.insert(device) {
            return;
        }
        let number = device.number().expect("a member has a number");
        let over = loops.over(Backing::Block(number)).cloned();
        for child in device
            .partitions()
            .into_iter()
            .chain(device.holders())
            .chain(over)
        {
            self.add_above(&child, loops);
        }
    }

    /// Everything `device` lies on: its disk and, over any number of layers, what it is built of.
    pub(super) fn below(device: &BlockFolder) -> Self {
        let mut family = Self::default();
        family.add_below(device);
        family
    }

    fn add_below(&mut self, device: &BlockFolder) {
        if !self.insert(device) {
            return;
        }
        if device.is_partition() {
            self.add_below(&device.disk());
        }
        for slave in device.slaves() {
            self.add_below(&slave);
        }
    }

    fn insert(&mut self, device: &BlockFolder) -> bool {
        let Some(number) = device.number() else {
            return false;
        };
        let has_room = self.members.len() < MEMBERS_MAX;
        has_room && self.members.insert(number, device.clone()).is_none()
    }

    /// The member with this number.
    pub(super) fn get(&self, number: DeviceNumber) -> Option<&BlockFolder> {
        self.members.get(&number)
    }

    /// Whether the two have a device in common.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.members
            .keys()
            .any(|number| other.members.contains_key(number))
    }

    /// A member that something is built on, and what is built on it; a loop device over another
    /// member, or over the same file as another, is built on it.
    pub(super) fn held(&self) -> Option<(&BlockFolder, BlockFolder)> {
        self.members.values().find_map(|member| {
            let number = member.number()?;
            let over_device = self.loops.over(Backing::Block(number)).next().cloned();
            let beside = match self.loops.backing(number) {
                Some(file @ Backing::File(..)) => self
                    .loops
                    .over(file)
                    .find(|one| one.number() != Some(number))
                    .cloned(),
                Some(Backing::Block(_)) | None => None,
            };
            let holder = member.holders().pop().or(over_device).or(beside);
            holder.map(|holder| (member, holder))
        })
    }
}

/// Other devices that are the same disk: two ports, cables or host adapters lead to it, with or
/// without a multipath device over them.
fn other_paths(disk: &BlockFolder, sysfs: &Sysfs) -> Vec<BlockFolder> {
    let Some(wwid) = disk.wwid() else {
        return Vec::new();
    };
    let is_same = |other: &BlockFolder| {
        // Cheap bridges give every disk one name; few of them have the same size too.
        other.number() != disk.number()
            && other.capacity() == disk.capacity()
            && other.wwid().as_ref() == Some(&wwid)
    };
    let mut disks = sysfs.disks();
    disks.retain(is_same);
    disks
}

#[cfg(test)]
mod tests {
    use super::super::super::sysfs::fixture::Tree;
    use super::*;

    fn number(minor: u32) -> DeviceNumber {
        DeviceNumber { major: 8, minor }
    }

    /// Field reports 34 and 36: partitions, their siblings and mapped devices belong together.
    #[test]
    fn a_family_holds_partitions_siblings_and_holders_of_holders() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1000);
        tree.partition("sda", "sda1", "8:1");
        tree.partition("sda", "sda2", "8:2");
        tree.disk("dm-0", "253:0", 100);
        tree.disk("dm-1", "253:1", 100);
        tree.disk("sdaa", "65:160", 1000);
        tree.hold("sda/sda2", "dm-0");
        tree.hold("dm-0", "dm-1");
        let sysfs = tree.sysfs();
        let part = sysfs.block(number(1)).unwrap();
        let family = Family::above(&part, &sysfs);
        let top = DeviceNumber {
            major: 253,
            minor: 1,
        };
        assert_eq!(family.members.len(), 5);
        assert_eq!(family.get(top).unwrap().name(), "dm-1");
        let (held, holder) = family.held().unwrap();
        assert_eq!((held.name(), holder.name()), ("sda2".into(), "dm-0".into()));
        // The other way round: what the mapped device lies on ends at the same disk.
        let below = Family::below(&sysfs.block(top).unwrap());
        assert!(below.get(number(0)).is_some() && below.get(number(1)).is_none());
        assert!(below.meets(&Family::below(&part)));
    }

    /// A filesystem mounted over the one path is overwritten over the other.
    #[test]
    fn all_paths_to_a_disk_are_one_family() {
        let tree = Tree::new();
        for (name, dev, wwid, sectors) in [
            ("sda", "8:0", "naa.5000c5008badf00d", 1000),
            ("sdb", "8:16", "naa.5000c5008badf00d", 1000),
            ("sdc", "8:32", "naa.5000c5000000feed", 1000),
            ("sdd", "8:48", "naa.5000c5008badf00d", 2000),
        ] {
            tree.disk(name, dev, sectors);
            tree.file(&format!("devices/{name}/device/wwid"), wwid);
        }
        tree.partition("sdb", "sdb1", "8:17");
        let sysfs = tree.sysfs();
        let family = Family::above(&sysfs.block(number(0)).unwrap(), &sysfs);
        assert_eq!(family.get(number(17)).unwrap().name(), "sdb1");
        let members: Vec<u32> = family.members.keys().map(|one| one.minor).collect();
        assert_eq!(members, [0, 16, 17]);
    }

    /// Disks without such a name are told apart by their numbers alone.
    #[test]
    fn disks_without_a_name_are_no_paths_to_each_other() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1000);
        tree.disk("sdb", "8:16", 1000);
        let sysfs = tree.sysfs();
        let family = Family::above(&sysfs.block(number(0)).unwrap(), &sysfs);
        assert!(family.get(number(16)).is_none());
    }
}
