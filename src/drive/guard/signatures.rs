//! Finds what a device carries: file systems, partition tables, RAID, LVM, encryption, pools.
//!
//! It reads magic numbers where their makers put them (the places are those of the kernel's and
//! util-linux's headers) and writes nothing. Weak magic numbers of two bytes are believed only
//! together with fields beside them, so that random data of an earlier test is not taken for a
//! file system.

use std::io;

/// Something found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// What it is, with its article: `an ext4 file system`.
    pub what: &'static str,
    /// First byte of its magic number.
    pub offset: u64,
}

/// Where a magic number lies.
struct Magic {
    what: &'static str,
    offset: u64,
    bytes: &'static [u8],
}

const fn magic(what: &'static str, offset: u64, bytes: &'static [u8]) -> Magic {
    Magic {
        what,
        offset,
        bytes,
    }
}

const XFS: &str = "an XFS file system";
const BTRFS: &str = "a Btrfs file system";
const FAT: &str = "a FAT file system";
const SWAP: &str = "swap space";
const LUKS: &str = "LUKS encryption";
const RAID: &str = "a Linux RAID member (md)";
const GPT: &str = "a GPT partition table";
const REISER: &str = "a ReiserFS file system";

const MAGICS: [Magic; 44] = [
    magic(XFS, 0, b"XFSB"),
    magic(BTRFS, 0x1_0040, b"_BHRfS_M"),
    magic(BTRFS, 0x400_0040, b"_BHRfS_M"),
    magic("an F2FS file system", 1024, &[0x10, 0x20, 0xF5, 0xF2]),
    magic("an NTFS file system", 3, b"NTFS    "),
    magic("an exFAT file system", 3, b"EXFAT   "),
    magic("BitLocker encryption", 3, b"-FVE-FS-"),
    magic(FAT, 54, b"FAT12   "),
    magic(FAT, 54, b"FAT16   "),
    magic(FAT, 82, b"FAT32   "),
    magic(SWAP, 4096 - 10, b"SWAPSPACE2"),
    magic(SWAP, 8192 - 10, b"SWAPSPACE2"),
    magic(SWAP, 16_384 - 10, b"SWAPSPACE2"),
    magic(SWAP, 65_536 - 10, b"SWAPSPACE2"),
    magic(SWAP, 4096 - 10, b"SWAP-SPACE"),
    magic("a suspended system", 4096 - 10, b"S1SUSPEND\0"),
    magic(LUKS, 0, b"LUKS\xBA\xBE"),
    magic(LUKS, 0x4000, b"SKUL\xBA\xBE"),
    magic(LUKS, 0x8000, b"SKUL\xBA\xBE"),
    magic(LUKS, 0x1_0000, b"SKUL\xBA\xBE"),
    magic(LUKS, 0x2_0000, b"SKUL\xBA\xBE"),
    magic(LUKS, 0x4_0000, b"SKUL\xBA\xBE"),
    magic(RAID, 0, &[0xFC, 0x4E, 0x2B, 0xA9]),
    magic(RAID, 4096, &[0xFC, 0x4E, 0x2B, 0xA9]),
    magic(
        "a bcache device",
        4120,
        b"\xC6\x85\x73\xF6\x4E\x1A\x45\xCA\x82\x65\xF5\x7F\x48\xBA\x6D\x81",
    ),
    magic(
        "a bcachefs file system",
        4120,
        b"\xC6\x85\x73\xF6\x66\xCE\x90\xA9\xD9\x6A\x60\xCF\x80\x3D\xF7\xEF",
    ),
    magic("a Ceph BlueStore device", 0, b"bluestore block device"),
    magic("a Stratis pool", 520, b"!Stra0tis\x86\xFF\x02^\x41rh"),
    magic("a VDO volume", 0, b"dmvdo001"),
    magic("an Oracle ASM disk", 32, b"ORCLDISK"),
    magic("a VMFS volume", 0x10_0000, &[0x0D, 0xD0, 0x01, 0xC0]),
    magic("a SquashFS file system", 0, b"hsqs"),
    magic("an EROFS file system", 1024, &[0xE2, 0xE1, 0xF5, 0xE0]),
    magic("an ISO 9660 file system", 32_769, b"CD001"),
    magic("a UDF file system", 32_769, b"BEA01"),
    magic("a JFS file system", 32_768, b"JFS1"),
    magic(REISER, 65_588, b"ReIsEr"),
    magic(REISER, 8_244, b"ReIsEr"),
    magic("a GFS2 file system", 65_536, &[0x01, 0x16, 0x19, 0x70]),
    magic("an APFS container", 32, b"NXSB"),
    magic("an HFS+ file system", 1024, b"H+\0\x04"),
    magic("an HFS+ file system", 1024, b"HX\0\x05"),
    magic(GPT, 512, b"EFI PART"),
    magic(GPT, 4096, b"EFI PART"),
];

/// Bytes of a ZFS label, of which there are two at either end.
const ZFS_LABEL: u64 = 256 * 1024;

/// Everything found on a device of `size` bytes; `read_at` fills the buffer from an offset.
///
/// # Errors
/// When a place cannot be read: what cannot be looked at is not known to be empty.
pub fn find(
    size: u64,
    mut read_at: impl FnMut(u64, &mut [u8]) -> io::Result<()>,
) -> io::Result<Vec<Signature>> {
    let mut probe = Probe {
        size,
        read_at: &mut read_at,
        found: Vec::new(),
    };
    for one in &MAGICS {
        probe.test(one.what, one.offset, one.bytes)?;
    }
    probe.ext()?;
    probe.lvm()?;
    probe.at_the_end()?;
    probe.zfs()?;
    probe.mbr()?;
    Ok(probe.found)
}

struct Probe<'a> {
    size: u64,
    read_at: &'a mut dyn FnMut(u64, &mut [u8]) -> io::Result<()>,
    found: Vec<Signature>,
}

impl Probe<'_> {
    /// The bytes at a place, or `None` where the device is too small for it.
    fn bytes<const N: usize>(&mut self, offset: u64) -> io::Result<Option<[u8; N]>> {
        let end = offset.checked_add(u64::try_from(N).unwrap_or(u64::MAX));
        if end.is_none_or(|end| end > self.size) {
            return Ok(None);
        }
        let mut bytes = [0; N];
        (self.read_at)(offset, &mut bytes)?;
        Ok(Some(bytes))
    }

    fn test(&mut self, what: &'static str, offset: u64, expected: &[u8]) -> io::Result<()> {
        let seen = self.bytes::<32>(offset)?;
        if seen.is_some_and(|seen| seen.starts_with(expected)) {
            self.note(what, offset);
        }
        Ok(())
    }

    fn note(&mut self, what: &'static str, offset: u64) {
        if self.found.iter().all(|found| found.what != what) {
            self.found.push(Signature { what, offset });
        }
    }

    /// The superblock lies at 1024; its magic is at byte 56 of it. Block size and revision must
    /// make sense too.
    fn ext(&mut self) -> io::Result<()> {
        let Some(block) = self.bytes::<128>(1024)? else {
            return Ok(());
        };
        let is_small = |at: usize, limit: u8| {
            block[at] <= limit && block[at + 1..at + 4].iter().all(|&byte| byte == 0)
        };
        if block[56..58] == [0x53, 0xEF] && is_small(24, 6) && is_small(76, 1) {
            self.note("an ext2, ext3 or ext4 file system", 1024 + 56);
        }
        Ok(())
    }

    /// A physical volume is labelled in one of the first four sectors.
    fn lvm(&mut self) -> io::Result<()> {
        for sector in 0..4 {
            let label = self.bytes::<32>(sector * 512)?;
            if label
                .is_some_and(|label| label.starts_with(b"LABELONE") && &label[24..] == b"LVM2 001")
            {
                self.note("an LVM physical volume", sector * 512);
            }
        }
        Ok(())
    }

    /// Backup partition tables and the superblocks of RAID that lie at the end.
    fn at_the_end(&mut self) -> io::Result<()> {
        let size = self.size;
        let md = [0xFC, 0x4E, 0x2B, 0xA9];
        let md_big_endian = [0xA9, 0x2B, 0x4E, 0xFC];
        let md_090 = (size & !0xFFFF).checked_sub(0x1_0000);
        let md_1_0 = (size / 512)
            .checked_sub(16)
            .map(|sector| (sector & !7) * 512);
        let from_end = |bytes: u64| size.checked_sub(bytes);
        let places: [(&'static str, Option<u64>, &[u8]); 8] = [
            (GPT, from_end(512), b"EFI PART"),
            (GPT, from_end(4096), b"EFI PART"),
            (RAID, md_090, &md),
            (RAID, md_090, &md_big_endian),
            (RAID, md_1_0, &md),
            (
                "an Intel RAID member",
                from_end(1024),
                b"Intel Raid ISM Cfg Sig. ",
            ),
            ("a DDF RAID member", from_end(512), b"\xDE\x11\xDE\x11"),
            ("a DDF RAID member", from_end(4096), b"\xDE\x11\xDE\x11"),
        ];
        for (what, offset, expected) in places {
            if let Some(offset) = offset {
                self.test(what, offset, expected)?;
            }
        }
        Ok(())
    }

    /// Uberblocks fill the second half of each label, at least 1 KiB apart.
    fn zfs(&mut self) -> io::Result<()> {
        let end = self.size / ZFS_LABEL * ZFS_LABEL;
        let labels = [
            Some(0),
            Some(ZFS_LABEL),
            end.checked_sub(2 * ZFS_LABEL),
            end.checked_sub(ZFS_LABEL),
        ];
        for label in labels.into_iter().flatten() {
            for slot in 0..128 {
                let offset = label + ZFS_LABEL / 2 + slot * 1024;
                let word = self.bytes::<8>(offset)?.map(u64::from_le_bytes);
                if word.is_some_and(|word| word == 0x00BA_B10C || word.swap_bytes() == 0x00BA_B10C)
                {
                    self.note("a ZFS pool member", offset);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// A boot sector whose four entries have the flags of a partition table.
    fn mbr(&mut self) -> io::Result<()> {
        let Some(sector) = self.bytes::<512>(0)? else {
            return Ok(());
        };
        let is_table = sector[510..] == [0x55, 0xAA]
            && (0..4).all(|entry| matches!(sector[446 + 16 * entry], 0x00 | 0x80));
        let is_boot_sector = self.found.iter().any(|found| found.offset < 512);
        if is_table && !is_boot_sector {
            self.note("an MBR partition table", 510);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
