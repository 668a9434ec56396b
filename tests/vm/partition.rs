//! A partition, or a device mapped over a part of a drive, is tested alone: nothing that would hit
//! the rest of the drive is sent through it.

use std::fs;

use crate::images::{patterned, run_folder};
use crate::machine::{Machine, Namespace};

const MIB: u64 = 1 << 20;
const SECTOR: u64 = 512;
/// First sector and sectors of the two partitions.
const FIRST: (u64, u64) = (2048, 8 * MIB / SECTOR);
const SECOND: (u64, u64) = (FIRST.0 + FIRST.1, 4 * MIB / SECTOR);

/// One cell of reads.
const SPEC: &str = "schema = \"ptse-spec/1\"\n\
    [test]\nname = \"vm/part\"\ntitle = \"partition\"\n\
    [stimulus]\nthreads = 1\nqueue_depth = 1\n\
    [[step]]\ndo = \"purge\"\n\
    [[step]]\ndo = \"rounds\"\npattern = \"random\"\nread_percent = 100\n\
    loop = [ { block = [\"4KiB\"] } ]\ncell_time = \"1s\"\nrounds_max = 1\n";

/// A boot sector with two partitions: bytes 446 and on are the table, 16 bytes an entry.
fn partition(image: &mut [u8]) {
    image[..512].fill(0);
    for (entry, (first, count)) in [FIRST, SECOND].into_iter().enumerate() {
        let at = 446 + 16 * entry;
        image[at + 4] = 0x83;
        let number = |value: u64| u32::try_from(value).unwrap().to_le_bytes();
        image[at + 8..at + 12].copy_from_slice(&number(first));
        image[at + 12..at + 16].copy_from_slice(&number(count));
    }
    image[510..512].copy_from_slice(&[0x55, 0xAA]);
}

fn outside(image: &[u8]) -> Vec<u8> {
    let at = |sector: u64| usize::try_from(sector * SECTOR).unwrap();
    [&image[..at(FIRST.0)], &image[at(SECOND.0)..]].concat()
}

#[test]
fn a_purge_of_a_part_of_a_drive_leaves_the_rest() {
    let Some(machine) = Machine::with(&["dmsetup"]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = patterned(&folder, "parted", 16 * MIB);
    let mut image = fs::read(&path).unwrap();
    partition(&mut image);
    fs::write(&path, &image).unwrap();
    let machine = machine.drive("PARTED1", Namespace::on(&path, 512));
    let below = patterned(&folder, "below", 16 * MIB);
    let machine = machine.drive("BELOW1", Namespace::on(&below, 512));
    let before = fs::read(&below).unwrap();
    fs::write(machine.share().join("spec"), SPEC).unwrap();
    let run = "ptse run /host/spec --drive /dev/nvme0n1p1 --erase PARTED1";
    let mapped = "ptse run /host/spec --drive /dev/dm-0 --erase dm-0";
    let said = machine.run(&[
        &format!("{run} --purge format --out /host/format"),
        &format!("{run} --purge format --all-namespaces --out /host/format"),
        &format!("{run} --out /host/auto"),
        "dmsetup --noudevsync create half --table '0 8192 linear /dev/nvme1n1 0'",
        &format!("{mapped} --purge format --out /host/format"),
        &format!("{mapped} --out /host/mapped"),
    ]);
    for refused in [&said[0], &said[1], &said[4]] {
        assert_eq!(refused.code, 3, "{}", refused.text);
        assert!(
            refused.text.contains("does not offer it"),
            "{}",
            refused.text
        );
    }
    assert!(!machine.share().join("format").exists());
    assert_eq!(said[2].code, 0, "{}", said[2].text);
    let journal = run_folder(&machine.share().join("auto")).join("journal.jsonl");
    let journal = fs::read_to_string(journal).unwrap();
    assert!(journal.contains("discard of the whole device"), "{journal}");
    let after = fs::read(&path).unwrap();
    assert!(outside(&after) == outside(&image), "a neighbour changed");
    assert!(after != image, "the partition was not purged");
    // A mapped device passes calls on to the drive below it; only its own 4 MiB may change.
    assert_eq!(said[5].code, 0, "{}", said[5].text);
    let after = fs::read(&below).unwrap();
    let mapped = 4 << 20;
    assert!(
        after[mapped..] == before[mapped..],
        "beyond the map something changed"
    );
    assert!(
        after[..mapped] != before[..mapped],
        "the map was not purged"
    );
}
