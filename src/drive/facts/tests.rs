//! Facts from sysfs trees as other machines have them.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use super::super::sysfs::DeviceNumber;
use super::super::sysfs::fixture::Tree;
use super::*;

fn facts(tree: &Tree, number: &str) -> Facts {
    let number = DeviceNumber::parse(number).unwrap();
    let folder = tree.sysfs().block(number).unwrap();
    Facts::read(&folder, &tree.path().join("by-id"))
}

fn nvme() -> Tree {
    let tree = Tree::new();
    tree.disk("nvme0n1", "259:0", 2048);
    for (file, text) in [
        ("device/transport", "pcie\n"),
        ("device/numa_node", "1\n"),
        ("device/device/current_link_speed", "16.0 GT/s PCIe\n"),
        ("device/device/current_link_width", "2\n"),
        ("device/device/max_link_speed", "16.0 GT/s PCIe\n"),
        ("device/device/max_link_width", "4\n"),
        ("nsid", "3\n"),
        ("nguid", "00000000-0000-0000-0000-000000000000\n"),
        ("eui", "00 25 38 81 41 b0 12 34\n"),
        ("wwid", "eui.0025388141b01234\n"),
        ("queue/scheduler", "none [mq-deadline] kyber bfq \n"),
        ("queue/max_sectors_kb", "128\n"),
        ("queue/io_poll", "0\n"),
        ("queue/rotational", "0\n"),
        ("queue/write_cache", "write back\n"),
        ("removable", "0\n"),
    ] {
        tree.file(&format!("devices/nvme0n1/{file}"), text);
    }
    tree
}

#[test]
fn an_nvme_drive_tells_link_node_and_queue() {
    let facts = facts(&nvme(), "259:0");
    assert_eq!(facts.transport.as_deref(), Some("NVMe"));
    let link = facts.link.unwrap();
    // Two of four lanes: a link that is slower than it could be says so.
    assert!(link.is_downgraded());
    assert_eq!(link.to_string(), "16.0 GT/s PCIe x2 (of 16.0 GT/s PCIe x4)");
    assert_eq!((facts.namespace_id, facts.numa_node), (Some(3), Some(1)));
    assert_eq!(facts.scheduler.as_deref(), Some("mq-deadline"));
    assert_eq!(facts.request_kib_max, Some(128));
    assert_eq!((facts.polls, facts.rotational), (Some(false), Some(false)));
    // An identifier of zeros is none.
    assert_eq!(facts.nguid, None);
    assert_eq!(facts.wwid.as_deref(), Some("eui.0025388141b01234"));
}

/// Issue 4: by-id names in any bytes survive.
#[test]
fn all_by_id_names_are_found_whatever_their_bytes() {
    let tree = nvme();
    let by_id = tree.path().join("by-id");
    fs::create_dir(&by_id).unwrap();
    let odd = OsStr::from_bytes(b"nvme-ACME_\xFC\xFF");
    for (name, node) in [
        (odd, "../../nvme0n1"),
        (OsStr::new("nvme-eui.0025388141b01234"), "../../nvme0n1"),
        (
            OsStr::new("nvme-eui.0025388141b01234-part1"),
            "../../nvme0n1p1",
        ),
        (OsStr::new("nvme-other"), "../../nvme0n10"),
    ] {
        symlink(node, by_id.join(name)).unwrap();
    }
    let names = facts(&tree, "259:0").names;
    let expected = [by_id.join(odd), by_id.join("nvme-eui.0025388141b01234")];
    assert_eq!(names, expected);
}

#[test]
fn what_is_not_told_is_missing_and_not_zero() {
    let tree = Tree::new();
    tree.disk("xyz0", "250:0", 8);
    let facts = facts(&tree, "250:0");
    assert_eq!((facts.transport, facts.link), (None, None));
    assert_eq!((facts.numa_node, facts.rotational), (None, None));
    assert_eq!(facts.names, Vec::<PathBuf>::new());
}

/// Paths as Linux 6.1 makes them for libata and for a SAS expander.
#[test]
fn sata_and_sas_links_tell_their_rate() {
    let tree = Tree::new();
    tree.disk("pci/ata3/host2/target2:0:0/2:0:0:0/block/sda", "8:0", 8);
    tree.file(
        "devices/pci/ata3/link3/ata_link/link3/sata_spd",
        "6.0 Gbps\n",
    );
    let facts_of = |number: &str| facts(&tree, number);
    let sata = facts_of("8:0");
    assert_eq!(sata.transport.as_deref(), Some("SATA"));
    assert_eq!(sata.link_rate.as_deref(), Some("6.0 Gbps"));
    let port = "pci/host6/port-6:0";
    let disk = format!("{port}/end_device-6:0/target6:0:0/6:0:0:0/block/sdb");
    tree.disk(&disk, "8:16", 8);
    tree.file(&format!("devices/{disk}/device/sas_address"), "0x5000c50\n");
    tree.file(
        &format!("devices/{port}/phy-6:0/sas_phy/phy-6:0/negotiated_linkrate"),
        "12.0 Gbit\n",
    );
    let sas = facts_of("8:16");
    assert_eq!(sas.transport.as_deref(), Some("SAS"));
    assert_eq!(sas.link_rate.as_deref(), Some("12.0 Gbit"));
}

/// With several controllers the disk hangs on the subsystem; its link is the first one's.
#[test]
fn a_disk_of_a_subsystem_tells_the_link_of_its_controller() {
    let tree = Tree::new();
    tree.disk("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", "259:0", 8);
    let device = "devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/device";
    for (file, text) in [
        ("nvme0/transport", "pcie\n"),
        ("nvme0/numa_node", "1\n"),
        ("nvme0/device/current_link_speed", "32.0 GT/s PCIe\n"),
        ("nvme0/device/current_link_width", "4\n"),
    ] {
        tree.file(&format!("{device}/{file}"), text);
    }
    let facts = facts(&tree, "259:0");
    assert_eq!(facts.transport.as_deref(), Some("NVMe"));
    assert_eq!(facts.link.unwrap().to_string(), "32.0 GT/s PCIe x4");
    assert_eq!(facts.numa_node, Some(1));
}

/// An emulated controller says `Unknown` and 0 lanes.
#[test]
fn a_link_that_is_not_known_is_none() {
    let tree = nvme();
    tree.file(
        "devices/nvme0n1/device/device/current_link_speed",
        "Unknown\n",
    );
    assert_eq!(facts(&tree, "259:0").link, None);
}
