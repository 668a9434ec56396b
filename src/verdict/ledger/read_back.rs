//! The ledger line about reading back what the fill wrote, where the plan does it.

use crate::journal::RunState;
use crate::journal::record::FailedKind;
use crate::spec::Plan;
use crate::spec::plan::PlannedWork;

use super::{Line, OURS};

pub(super) fn line(state: &RunState, plan: &Plan) -> Option<Line> {
    let (index, planned) = plan.steps.iter().enumerate().find_map(|(index, step)| {
        let PlannedWork::Fill(fill) = &step.work else {
            return None;
        };
        Some((index, fill.read_back.as_ref()?))
    })?;
    let line = Line::new(
        "read-back",
        OURS,
        "What the fill wrote can be read back, every block from its last write",
    )
    .asked(if planned.is_all {
        "everything"
    } else {
        "a sample at random places"
    });
    let stops = state.interruptions.iter();
    let mut wrong = stops
        .filter_map(|stop| stop.interrupted.as_ref())
        .filter(|noted| {
            let failed = noted.what.failed.as_ref();
            failed.is_some_and(|io| io.kind == FailedKind::WrongData)
        });
    if let Some(noted) = wrong.next() {
        let line = line.done("other data was read");
        let evidence = format!("record {}: {}", noted.record, noted.what.cause);
        return Some(line.evidence(evidence).deviates("a block holds wrong data"));
    }
    let attempt = state.attempt(u32::try_from(index).ok()?);
    let mut cells = attempt.into_iter().flat_map(|attempt| &attempt.cells);
    let Some(cell) = cells.find(|cell| cell.key.cell_index == 1) else {
        return Some(line.cannot("nothing has been read back"));
    };
    let reads = format!("{} bytes in {} reads", cell.read.bytes, cell.read.ios);
    let line = line.evidence(format!("record {}: {reads}", cell.record));
    if state.opened.drive.kind == "simulated" {
        let line = line.done(format!("{reads}, not compared"));
        return Some(line.inapplicable("a simulated drive stores no data to compare"));
    }
    Some(line.done(format!(
        "{reads}, each block compared in LBA, worker and number of the write"
    )))
}
