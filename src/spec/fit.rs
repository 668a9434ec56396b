//! Which block sizes a drive takes: multiples of its logical block.

use super::model::SmallBlocks;
use crate::stimulus::BlockShares;
use crate::units::Bytes;

/// The shares that fit a logical block, or why none does.
pub(super) fn fitting(
    shares: &BlockShares,
    logical_block: Bytes,
    policy: SmallBlocks,
) -> Result<BlockShares, String> {
    let fits = |size: Bytes| size.0.is_multiple_of(logical_block.0);
    if let Some(size) = shares.single() {
        return if fits(size) {
            Ok(shares.clone())
        } else {
            Err(misfit(size, logical_block))
        };
    }
    let mut kept: Vec<(Bytes, u32)> = Vec::new();
    for (size, weight) in &shares.0 {
        let size = match policy {
            SmallBlocks::Skip if !fits(*size) => continue,
            SmallBlocks::Skip => *size,
            SmallBlocks::RoundUp => Bytes(size.0.next_multiple_of(logical_block.0)),
        };
        match kept.iter_mut().find(|(known, _)| *known == size) {
            Some((_, sum)) => *sum += weight,
            None => kept.push((size, *weight)),
        }
    }
    if kept.is_empty() {
        return Err(misfit(shares.largest(), logical_block));
    }
    Ok(BlockShares(kept))
}

fn misfit(size: Bytes, logical_block: Bytes) -> String {
    let relation = if size < logical_block {
        "smaller than"
    } else {
        "not a multiple of"
    };
    let (size, block) = (size.as_block(), logical_block.as_block());
    format!("{size} is {relation} the logical block of {block}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composite() -> BlockShares {
        BlockShares(vec![
            (Bytes(512), 4),
            (Bytes(1536), 1),
            (Bytes(4096), 67),
            (Bytes(8192), 28),
        ])
    }

    #[test]
    fn on_4096_byte_blocks_small_sizes_are_left_out_or_rounded_up_as_said() {
        let skipped = fitting(&composite(), Bytes(4096), SmallBlocks::Skip).unwrap();
        assert_eq!(skipped.0, [(Bytes(4096), 67), (Bytes(8192), 28)]);
        let rounded = fitting(&composite(), Bytes(4096), SmallBlocks::RoundUp).unwrap();
        assert_eq!(rounded.0, [(Bytes(4096), 72), (Bytes(8192), 28)]);
        assert_eq!(
            fitting(&composite(), Bytes(512), SmallBlocks::Skip),
            Ok(composite())
        );
    }

    #[test]
    fn a_single_size_that_does_not_fit_says_why_under_either_policy() {
        for policy in [SmallBlocks::Skip, SmallBlocks::RoundUp] {
            assert_eq!(
                fitting(&BlockShares::one(Bytes(512)), Bytes(4096), policy).unwrap_err(),
                "0.5 KiB is smaller than the logical block of 4 KiB"
            );
            assert_eq!(
                fitting(&BlockShares::one(Bytes(6144)), Bytes(4096), policy).unwrap_err(),
                "6 KiB is not a multiple of the logical block of 4 KiB"
            );
        }
    }
}
