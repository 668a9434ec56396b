//! What is read back after a fill: by default a sample, on request everything.
//!
//! Only a sequential fill in blocks of one size whose blocks carry stamps can be compared, since
//! only there it is known which write each block must hold. The reads follow the fill without a
//! rest, in its own block size and intensity.

use super::model::Fill;
use super::plan::PlannedReadBack;
use crate::stimulus::{Access, Content, coverage};
use crate::units::Bytes;

/// Reads of a sample: a drive that lost one block in 300 is found out with 97 % probability.
const SAMPLES: u64 = 1024;

/// How much of a fill is read back and compared with what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadBack {
    /// Nothing.
    Nothing,
    /// Blocks at random places.
    Sampled,
    /// The whole range.
    All,
}

/// The read-back of a fill of `amount` bytes over a range of `range` bytes.
pub(super) fn planned(
    fill: &Fill,
    access: &Access,
    amount: Bytes,
    range: u64,
) -> Option<PlannedReadBack> {
    let is_stamped = match access.content {
        Content::Random | Content::Fresh | Content::Stamped => true,
        // Zeros carry no stamp, and duplicates not that of one place.
        Content::Zero | Content::Reducible(_) => false,
    };
    let block = access.write_blocks.single()?;
    if !is_stamped || !coverage::is_told(access) {
        return None;
    }
    let whole = range.min(amount.0);
    let is_all = match fill.read_back {
        ReadBack::Nothing => return None,
        ReadBack::Sampled => false,
        ReadBack::All => true,
    };
    let sample = block.0.saturating_mul(SAMPLES).min(whole);
    Some(PlannedReadBack {
        access: Access {
            read_percent: 100,
            random_percent: if is_all { 0 } else { 100 },
            read_blocks: access.write_blocks.clone(),
            rate_iops: None,
            ..access.clone()
        },
        amount: Bytes(if is_all { whole } else { sample }),
        is_all,
    })
}
