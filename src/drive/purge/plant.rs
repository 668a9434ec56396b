//! Stamps planted before a purge, and looked for after it: a purge that was none would falsify
//! everything that follows.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::engine::content::Stamp;
use crate::engine::memory::Region;
use crate::engine::noise::Noise;

/// Blocks that are stamped before a purge.
const PLANTED: u64 = 64;
/// Who planted: no cell and no worker has this number.
const PLANTER: u64 = u64::MAX;

/// Blocks of a target that are stamped.
#[derive(Debug)]
pub(super) struct Plant<'a> {
    pub(super) file: &'a File,
    pub(super) capacity: u64,
    pub(super) logical_block: u64,
}

/// What was found at the planted places afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Harvest {
    /// Places that were looked at.
    pub(super) all: usize,
    /// Those that still read back what was planted.
    pub(super) left: usize,
    /// The byte that all of them are filled with, if it is one.
    pub(super) fill: Option<u8>,
}

impl Plant<'_> {
    /// Sampled LBAs, evenly spread, first and last included.
    pub(super) fn places(&self) -> Vec<u64> {
        let last = self.capacity / self.logical_block - 1;
        let spread = |index: u64| {
            let lba = u128::from(last) * u128::from(index) / u128::from(PLANTED - 1);
            u64::try_from(lba).unwrap_or(last)
        };
        let mut lbas: Vec<u64> = (0..PLANTED).map(spread).collect();
        lbas.dedup();
        lbas
    }

    /// Stamps the blocks, and waits until they are on the medium.
    pub(super) fn plant(&self) -> io::Result<()> {
        let length = usize::try_from(self.logical_block).map_err(io::Error::other)?;
        let mut region = Region::new(length)?;
        let block = region.part(0, length);
        let mut noise = Noise::new(PLANTER);
        for lba in self.places() {
            noise.fill(block);
            stamp(lba).write(block);
            self.file.write_all_at(block, lba * self.logical_block)?;
        }
        self.file.sync_data()
    }

    /// Reads the blocks again.
    pub(super) fn harvest(&self) -> io::Result<Harvest> {
        let length = usize::try_from(self.logical_block).map_err(io::Error::other)?;
        let mut region = Region::new(length)?;
        let block = region.part(0, length);
        let places = self.places();
        let mut left = 0;
        let mut fills = Vec::with_capacity(places.len());
        for lba in &places {
            self.file.read_exact_at(block, lba * self.logical_block)?;
            left += usize::from(Stamp::read(block) == Some(stamp(*lba)));
            let first = block[0];
            fills.push(block.iter().all(|byte| *byte == first).then_some(first));
        }
        let first = fills.first().copied().flatten();
        Ok(Harvest {
            all: places.len(),
            left,
            fill: first.filter(|_| fills.iter().all(|fill| *fill == first)),
        })
    }
}

impl Harvest {
    /// The verification in words, or why it failed. `promised` is what the drive says that erased
    /// blocks return.
    pub(super) fn judge(&self, promised: Option<u8>) -> Result<String, String> {
        let Self { all, left, fill } = self;
        if *left > 0 {
            return Err(format!(
                "{left} of {all} blocks that were stamped before it still read back; the drive \
                 does not carry it out, so choose another method or waive it with --purge none"
            ));
        }
        if let Some(promised) = promised
            && *fill != Some(promised)
        {
            return Err(format!(
                "the drive promises that erased blocks read as bytes 0x{promised:02X}, and at \
                 {all} sampled blocks they do not; choose another method"
            ));
        }
        let seen = match fill {
            Some(byte) => format!("; all of them read as bytes 0x{byte:02X}"),
            None => String::new(),
        };
        Ok(format!(
            "{all} blocks were stamped before it, the first and the last LBA among them; none of \
             them read back afterwards{seen}"
        ))
    }
}

fn stamp(lba: u64) -> Stamp {
    Stamp {
        lba,
        writer: PLANTER,
        sequence: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_of_the_drive_is_held_against_it() {
        let harvest = |left, fill| Harvest {
            all: 64,
            left,
            fill,
        };
        assert!(harvest(0, Some(0)).judge(Some(0)).is_ok());
        assert!(harvest(0, Some(0xFF)).judge(None).is_ok());
        let broken = harvest(0, Some(7)).judge(Some(0)).unwrap_err();
        assert!(broken.contains("promises"), "{broken}");
        let left = harvest(1, None).judge(None).unwrap_err();
        assert!(left.starts_with("1 of 64 blocks"), "{left}");
    }

    #[test]
    fn a_small_target_is_stamped_whole() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(2048).unwrap();
        let plant = Plant {
            file: &file,
            capacity: 2048,
            logical_block: 512,
        };
        assert_eq!(plant.places(), [0, 1, 2, 3]);
        plant.plant().unwrap();
        let harvest = plant.harvest().unwrap();
        assert_eq!((harvest.all, harvest.left, harvest.fill), (4, 4, None));
    }
}
