//! The ledger line about requests that the kernel splits: one I/O of the test is then several of
//! the drive. Simulated drives and files have no such limits.

use crate::journal::RunState;
use crate::journal::record::LimitsRecord;
use crate::spec::Plan;
use crate::spec::plan::PlannedWork;
use crate::stimulus::Access;
use crate::units::{Bytes, KIB};

use super::{Line, OURS};

/// Memory of a buffer is contiguous for the drive at least in pages.
const PAGE: u64 = 4 * KIB;

pub(super) fn lines(state: &RunState, plan: &Plan) -> Vec<Line> {
    let drive = &state.opened.drive;
    if matches!(drive.kind.as_str(), "simulated" | "file") {
        return Vec::new();
    }
    let line = Line::new(
        "splits",
        OURS,
        "One I/O of the test is one request to the device",
    );
    let sizes = sizes(plan);
    let (Some(largest), Some(limits)) = (sizes.last(), drive.limits) else {
        let line = line.done("not recorded");
        return vec![line.cannot("the longest request of the device is not known")];
    };
    let limit = Bytes(limits.transfer_bytes_max).as_block();
    let segments = limits.segments_max.map_or(String::new(), |count| {
        format!(", in at most {count} pieces of memory")
    });
    let line = line
        .asked(format!("blocks up to {}", largest.as_block()))
        .evidence(format!("record 1: requests of at most {limit}{segments}"));
    let split: Vec<String> = sizes
        .iter()
        .filter_map(|size| words(*size, limits))
        .collect();
    if split.is_empty() {
        return vec![line.done("none is split")];
    }
    let text = split.join(", ");
    vec![line.done(text.clone()).deviates(text)]
}

/// Block sizes of the test, from the smallest to the largest.
fn sizes(plan: &Plan) -> Vec<Bytes> {
    let of_access = |access: &Access| {
        let shares = [&access.read_blocks, &access.write_blocks];
        let sizes = shares.into_iter().flat_map(|shares| &shares.0);
        sizes.map(|(size, _)| *size).collect::<Vec<_>>()
    };
    let mut sizes = Vec::new();
    for step in &plan.steps {
        match &step.work {
            PlannedWork::Fill(fill) => sizes.extend(of_access(&fill.access)),
            PlannedWork::Rounds(rounds) => {
                let possible = rounds
                    .cells
                    .iter()
                    .filter_map(|cell| cell.access.as_ref().ok());
                sizes.extend(possible.flat_map(of_access));
            }
            PlannedWork::Purge | PlannedWork::NotBuilt { .. } => {}
        }
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// `1024 KiB split into 4`; into more where its pages lie apart in memory.
fn words(size: Bytes, limits: LimitsRecord) -> Option<String> {
    let least = size.0.div_ceil(limits.transfer_bytes_max.max(1));
    let by_pages = |pieces: u64| size.0.div_ceil(PAGE).div_ceil(pieces.max(1));
    let most = limits.segments_max.map_or(least, by_pages).max(least);
    let size = size.as_block();
    match (least, most) {
        (1, 1) => None,
        (least, most) if least == most => Some(format!("{size} split into {least}")),
        (1, most) => Some(format!("{size} perhaps split, into up to {most}")),
        (least, most) => Some(format!("{size} split into {least} to {most}")),
    }
}
