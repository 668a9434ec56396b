//! Magic numbers at the places their makers document.

use super::*;

const SIZE: usize = 80 << 20;

fn found(size: usize, marks: &[(usize, &[u8])]) -> Vec<&'static str> {
    let mut image = vec![0; size];
    for (offset, bytes) in marks {
        image[*offset..offset + bytes.len()].copy_from_slice(bytes);
    }
    let read = |offset: u64, buffer: &mut [u8]| {
        let offset = usize::try_from(offset).unwrap();
        buffer.copy_from_slice(&image[offset..offset + buffer.len()]);
        Ok(())
    };
    let all = find(u64::try_from(size).unwrap(), read).unwrap();
    all.iter().map(|signature| signature.what).collect()
}

#[test]
fn an_empty_device_carries_nothing() {
    assert!(found(SIZE, &[]).is_empty());
    assert!(found(512, &[]).is_empty());
    assert!(found(0, &[]).is_empty());
}

/// Issue 2: filesystem, partition-table, LVM, RAID and ZFS signatures.
#[test]
fn each_kind_is_found_where_it_lies() {
    let end = SIZE;
    let md: &[u8] = &[0xFC, 0x4E, 0x2B, 0xA9];
    let cases: [(&str, usize, &[u8]); 18] = [
        ("an XFS file system", 0, b"XFSB"),
        ("a Btrfs file system", 65_600, b"_BHRfS_M"),
        ("an F2FS file system", 1024, &[0x10, 0x20, 0xF5, 0xF2]),
        ("swap space", 4086, b"SWAPSPACE2"),
        ("LUKS encryption", 0, b"LUKS\xBA\xBE\0\x02"),
        ("a Linux RAID member (md)", 0, md),
        ("a Linux RAID member (md)", 4096, md),
        ("a Linux RAID member (md)", end - 65_536, md),
        ("a Linux RAID member (md)", end - 8192, md),
        (
            "a ZFS pool member",
            131_072 + 7 * 1024,
            &[0x0C, 0xB1, 0xBA, 0, 0, 0, 0, 0],
        ),
        (
            "a ZFS pool member",
            end - 131_072,
            &[0, 0, 0, 0, 0, 0xBA, 0xB1, 0x0C],
        ),
        ("a Ceph BlueStore device", 0, b"bluestore block device\n"),
        ("a SquashFS file system", 0, b"hsqs"),
        ("an ISO 9660 file system", 32_769, b"CD001"),
        ("a GPT partition table", 512, b"EFI PART"),
        ("a GPT partition table", 4096, b"EFI PART"),
        ("a GPT partition table", end - 512, b"EFI PART"),
        ("a GPT partition table", end - 4096, b"EFI PART"),
    ];
    for (what, offset, bytes) in cases {
        assert_eq!(found(SIZE, &[(offset, bytes)]), [what], "at {offset}");
    }
}

#[test]
fn an_lvm_label_counts_in_any_of_the_first_four_sectors() {
    for sector in 0..4 {
        let marks: [(usize, &[u8]); 2] = [
            (sector * 512, b"LABELONE"),
            (sector * 512 + 24, b"LVM2 001"),
        ];
        assert_eq!(found(SIZE, &marks), ["an LVM physical volume"]);
    }
}

/// The two bytes of ext occur in random data once in 65,536 devices; fields beside them do not.
#[test]
fn weak_magic_numbers_need_their_surroundings() {
    let ext: &[u8] = &[0x53, 0xEF];
    assert_eq!(
        found(SIZE, &[(1080, ext)]),
        ["an ext2, ext3 or ext4 file system"]
    );
    assert!(found(SIZE, &[(1080, ext), (1024 + 24, &[9, 9, 9, 9])]).is_empty());
    let boot: &[u8] = &[0x55, 0xAA];
    assert_eq!(found(SIZE, &[(510, boot)]), ["an MBR partition table"]);
    assert!(found(SIZE, &[(510, boot), (446, &[0x37])]).is_empty());
}

#[test]
fn a_boot_sector_of_a_file_system_is_no_partition_table() {
    let marks: [(usize, &[u8]); 2] = [(82, b"FAT32   "), (510, &[0x55, 0xAA])];
    assert_eq!(found(SIZE, &marks), ["a FAT file system"]);
}

#[test]
fn what_cannot_be_read_is_not_taken_for_empty() {
    let read = |_: u64, _: &mut [u8]| Err(io::Error::other("bad sector"));
    assert!(find(1 << 30, read).is_err());
}
