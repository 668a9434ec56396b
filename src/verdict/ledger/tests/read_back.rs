//! The line about the read-back of a fill.

use super::*;
use crate::spec::plan::PlannedReadBack;
use crate::stats::Tally;
use crate::verdict::fixture::fill_of;

fn read_back(kind: &str, has_cell: bool) -> Line {
    let mut plan = plan(Bytes(512));
    let access = fill_of(&mut plan).access.clone();
    fill_of(&mut plan).read_back = Some(PlannedReadBack {
        access,
        amount: Bytes(1 << 27),
        is_all: false,
    });
    let mut state = run(&plan, &published_rounds());
    state.opened.drive.kind = kind.to_owned();
    if has_cell {
        let mut cell = state.attempts[1].cells[0].clone();
        cell.key.cell_index = 1;
        cell.record = 5;
        cell.write = Tally::default();
        cell.read.ios = 1024;
        cell.read.bytes = 1 << 27;
        state.attempts[1].cells.push(cell);
    }
    line(&judge(&state, &plan), "read-back")
}

#[test]
fn a_read_back_is_told_with_its_reads() {
    let found = read_back("drive", true);
    assert_eq!(found.verdict, LineVerdict::Pass);
    assert_eq!(found.evidence, "record 5: 134217728 bytes in 1024 reads");
}

#[test]
fn a_read_back_that_did_not_happen_is_no_pass() {
    assert_eq!(
        read_back("drive", false).verdict,
        LineVerdict::CannotBeJudged
    );
    let simulated = read_back("simulated", true);
    assert_eq!(simulated.verdict, LineVerdict::NotApplicable);
    assert!(simulated.done.ends_with("not compared"), "{simulated:?}");
}
