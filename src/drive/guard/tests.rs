//! Order and words of the refusals, with trees of other machines.

use super::super::sysfs::fixture::Tree;
use super::*;

fn system(tree: &Tree, mountinfo: &str) -> System {
    tree.file("proc/self/mountinfo", mountinfo);
    System {
        sysfs: tree.sysfs(),
        proc: tree.path().join("proc"),
    }
}

fn folder(tree: &Tree, number: &str) -> BlockFolder {
    let number = DeviceNumber::parse(number).unwrap();
    tree.sysfs().block(number).unwrap()
}

fn tree_with_partition() -> Tree {
    let tree = Tree::new();
    tree.disk("sda", "8:0", 1000);
    tree.partition("sda", "sda1", "8:1");
    tree.partition("sda", "sda2", "8:2");
    tree.disk("dm-0", "253:0", 100);
    tree
}

const DEVICE: &str = "/dev/disk/by-id/x";

/// Field report 34: the whole disk is refused for a mount of one of its partitions, and a
/// partition for a mount of its sibling.
#[test]
fn a_mounted_partition_protects_its_whole_disk() {
    let tree = tree_with_partition();
    let system = system(&tree, "29 1 8:1 / /data rw - ext4 /dev/root rw\n");
    for target in ["8:0", "8:1", "8:2"] {
        let refusal = refuse_in_use(&system, Path::new(DEVICE), &folder(&tree, target));
        let words = refusal.unwrap_err().to_string();
        assert_eq!(
            words,
            "/dev/disk/by-id/x is in use: /dev/sda1 is mounted at /data; unmount it first \
             (umount /data)"
        );
    }
}

/// Field report 36: a mapped device that is mounted is named, and one that is not still holds.
#[test]
fn what_is_built_on_a_disk_protects_it() {
    let tree = tree_with_partition();
    tree.hold("sda/sda2", "dm-0");
    let mounted = system(&tree, "29 1 253:0 / /home rw - xfs /dev/mapper/x rw\n");
    let target = folder(&tree, "8:0");
    let words = |system: &System| {
        let refusal = refuse_in_use(system, Path::new(DEVICE), &target);
        refusal.unwrap_err().to_string()
    };
    assert!(words(&mounted).contains("/dev/dm-0 is mounted at /home"));
    let idle = system(&tree, "");
    assert!(words(&idle).contains("/dev/dm-0 is built on /dev/sda2"));
}

/// Issue 4: a container or service may have mounted what this process does not see.
#[test]
fn a_mount_in_another_mount_namespace_protects_its_disk() {
    let tree = tree_with_partition();
    let system = system(&tree, "");
    let proc = tree.path().join("proc");
    for (process, namespace) in [("self", "mnt:[1]"), ("5", "mnt:[1]"), ("77", "mnt:[2]")] {
        std::fs::create_dir_all(proc.join(process).join("ns")).unwrap();
        std::os::unix::fs::symlink(namespace, proc.join(process).join("ns/mnt")).unwrap();
    }
    let target = folder(&tree, "8:0");
    assert_eq!(refuse_in_use(&system, Path::new(DEVICE), &target), Ok(()));
    let elsewhere = "29 1 8:1 / /data rw - ext4 /dev/root rw\n";
    tree.file("proc/77/mountinfo", elsewhere);
    let words = refuse_in_use(&system, Path::new(DEVICE), &target)
        .unwrap_err()
        .to_string();
    assert!(
        words.contains("/dev/sda1 is mounted at /data (as process 77 sees it)"),
        "{words}"
    );
}

/// Field report 42: sdaa is not sda, whatever their names have in common.
#[test]
fn a_disk_with_a_similar_name_is_not_in_the_way() {
    let tree = tree_with_partition();
    tree.disk("sdaa", "65:160", 1000);
    let system = system(&tree, "29 1 8:1 / /data rw - ext4 /dev/sda1 rw\n");
    let target = folder(&tree, "65:160");
    assert_eq!(refuse_in_use(&system, Path::new(DEVICE), &target), Ok(()));
}

#[test]
fn without_the_list_of_mounts_nothing_is_cleared() {
    let tree = tree_with_partition();
    let system = System {
        sysfs: tree.sysfs(),
        proc: tree.path().join("none"),
    };
    let refusal = refuse_in_use(&system, Path::new(DEVICE), &folder(&tree, "8:0"));
    assert!(matches!(refusal, Err(Refusal::NotOpened { .. })));
}

#[test]
fn read_only_and_empty_devices_are_refused() {
    let tree = tree_with_partition();
    tree.file("devices/sda/ro", "1\n");
    let path = Path::new(DEVICE);
    let refusal = refuse_unusable(path, &folder(&tree, "8:1")).unwrap_err();
    assert!(refusal.to_string().contains("blockdev --setrw"));
    tree.disk("sr0", "11:0", 0);
    let refusal = refuse_unusable(path, &folder(&tree, "11:0")).unwrap_err();
    assert!(refusal.to_string().contains("no capacity"));
}

#[test]
fn what_is_not_a_block_device_is_told_what_to_name() {
    let words = |path: &str| block_number(Path::new(path)).unwrap_err().to_string();
    assert!(words("/dev/does-not-exist").contains("`lsblk`"));
    assert!(words("/dev/null").contains("is a character device, not a block device"));
    assert!(words("/proc").contains("is a folder"));
    assert!(words("/proc/self/mountinfo").contains("give file:/proc/self/mountinfo"));
}

#[test]
fn errors_of_open_become_refusals_with_remedies() {
    let refusal = |code| not_opened(Path::new("/dev/x"), &io::Error::from_raw_os_error(code));
    assert!(matches!(refusal(libc::EBUSY), Refusal::Busy { .. }));
    assert!(matches!(refusal(libc::EROFS), Refusal::ReadOnly { .. }));
    assert!(refusal(libc::EACCES).to_string().contains("root"));
    assert!(refusal(libc::EIO).to_string().contains("cabling"));
}
