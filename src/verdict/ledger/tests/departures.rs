//! The table of departures: how a line is broken, and the lines that then are not a pass.

use super::*;
use crate::journal::record::{FailedIo, FailedKind, Interrupted, Resumed, Warning};
use crate::journal::state::{Interruption, Noted};
use crate::spec::plan::{PlannedStep, PlannedWork};
use crate::stimulus::{Access, BlockShares, Content};
use crate::units::{KIB, Nanos};
use crate::verdict::fixture::{converging_rounds, date, fill_of, rounds_of, unfinished};

use LineVerdict::{CannotBeJudged, Deviation, NotApplicable, Waived};

/// Findings after changing the plan before the run and the record after it.
fn broken(before: impl Fn(&mut Plan), after: impl Fn(&mut RunState)) -> Vec<(String, LineVerdict)> {
    let mut plan = plan(Bytes(512));
    before(&mut plan);
    let mut state = run(&plan, &published_rounds());
    after(&mut state);
    found(&state, &plan)
}

fn planned(before: impl Fn(&mut Plan)) -> Vec<(String, LineVerdict)> {
    broken(before, |_| ())
}

pub(super) fn recorded(after: impl Fn(&mut RunState)) -> Vec<(String, LineVerdict)> {
    broken(|_| (), after)
}

pub(super) fn only(id: &str, verdict: LineVerdict) -> Vec<(String, LineVerdict)> {
    vec![(id.to_owned(), verdict)]
}

fn not_built() -> PlannedWork {
    PlannedWork::NotBuilt {
        name: "idle",
        time: None,
    }
}

/// Changes every stimulus of a plan.
fn everywhere(plan: &mut Plan, change: impl Fn(&mut Access)) {
    change(&mut fill_of(plan).access);
    let cells = rounds_of(plan).cells.iter_mut();
    cells
        .filter_map(|cell| cell.access.as_mut().ok())
        .for_each(change);
}

/// A write at LBA 16 of 512 bytes that the system gave up.
fn failed_write() -> Interruption {
    let cause = "I/O error: write of 4096 bytes at byte 8192 failed";
    let mut stop = stop(cause, None, "ptse 0.2");
    if let Some(noted) = &mut stop.interrupted {
        noted.what.failed = Some(FailedIo {
            kind: FailedKind::TimeOut,
            direction: "write".to_owned(),
            offset_bytes: 8192,
            length_bytes: 4096,
            lba: 16,
            errno: Some(110),
            at_ns: 90_000_000_000,
        });
    }
    stop
}

fn stop(cause: &str, after_round: Option<u32>, tool: &str) -> Interruption {
    Interruption {
        interrupted: Some(Noted {
            record: 90,
            at: date(9000),
            what: Interrupted {
                cause: cause.to_owned(),
                failed: None,
                unanswered: None,
            },
        }),
        resumed: Some(Noted {
            record: 91,
            at: date(9900),
            what: Resumed {
                tool: tool.to_owned(),
                address: "/dev/nvme1n1".to_owned(),
                pause_s: Some(900),
                drive: None,
                host: None,
            },
        }),
        after_round,
    }
}

#[test]
fn what_is_not_a_drive_is_a_deviation_and_a_simulated_drive_is_not() {
    for kind in ["loop", "file", "other-block"] {
        let found = recorded(|state| state.opened.drive.kind = kind.to_owned());
        assert_eq!(found, only("device", Deviation), "{kind}");
    }
    let found = recorded(|state| state.opened.drive.kind = "simulated".to_owned());
    assert_eq!(found, only("device", NotApplicable));
}

#[test]
fn a_purge_the_standard_does_not_name_is_a_deviation() {
    let found = recorded(|state| {
        let purged = state.attempts[0].purged.as_mut().unwrap();
        purged.what.named_by_standard = false;
    });
    assert_eq!(found, only("purge", Deviation));
}

#[test]
fn a_purge_left_out_is_waived_or_a_deviation_or_not_ended() {
    let waived = recorded(|state| state.opened.purge_method = "none".to_owned());
    assert_eq!(waived, only("purge", Waived));
    let absent = planned(|plan| plan.steps[0].work = not_built());
    assert_eq!(absent, only("purge", Deviation));
    let running = recorded(|state| state.attempts[0].purged = None);
    assert_eq!(running, only("purge", CannotBeJudged));
}

#[test]
fn the_write_cache_is_judged_by_its_state() {
    let on = recorded(|state| state.opened.drive.write_cache = "on".to_owned());
    assert_eq!(on, only("write-cache", Deviation));
    let unknown = "unknown: the device has no such control".to_owned();
    let unknown = recorded(|state| state.opened.drive.write_cache.clone_from(&unknown));
    assert_eq!(unknown, only("write-cache", CannotBeJudged));
    let absent = recorded(|state| state.opened.drive.write_cache = "absent".to_owned());
    assert_eq!(absent, []);
}

#[test]
fn the_fill_is_sequential_128_kib_writes() {
    let block = |plan: &mut Plan| {
        fill_of(plan).access.write_blocks = BlockShares::one(Bytes(64 * KIB));
    };
    assert_eq!(planned(block), only("fill-pattern", Deviation));
    let random = |plan: &mut Plan| fill_of(plan).access.random_percent = 100;
    assert_eq!(planned(random), only("fill-pattern", Deviation));
}

#[test]
fn the_fill_writes_twice_the_capacity_to_the_byte() {
    let once = |plan: &mut Plan| fill_of(plan).amount.0 /= 2;
    assert_eq!(planned(once), only("fill-amount", Deviation));
    let short = recorded(|state| state.attempts[1].cells[0].write.bytes -= 512);
    assert_eq!(short, only("fill-amount", Deviation));
    let running = recorded(|state| state.attempts[1].is_done = false);
    assert_eq!(running, only("fill-amount", CannotBeJudged));
    let none = planned(|plan| plan.steps[1].work = not_built());
    let pattern = ("fill-pattern".to_owned(), NotApplicable);
    assert_eq!(none, [pattern, ("fill-amount".to_owned(), Deviation)]);
}

/// Done-when 6 of the main issue: the operator's choice is disclosed, not a deviation.
#[test]
fn another_queue_depth_is_disclosed_and_one_that_changes_is_a_deviation() {
    let mut deep = plan(Bytes(512));
    everywhere(&mut deep, |access| access.queue_depth = 256);
    let state = run(&deep, &published_rounds());
    assert_eq!(found(&state, &deep), []);
    let line = line(&judge(&state, &deep), "threads-and-depth");
    assert_eq!(line.done, "TC 4 / QD 256 (recommended 32)");
    let other = planned(|plan| fill_of(plan).access.threads = 1);
    assert_eq!(other, only("threads-and-depth", Deviation));
}

#[test]
fn range_and_content_departures_are_one_line_each() {
    let half = planned(|plan| everywhere(plan, |access| access.zones[0].end.0 /= 2));
    assert_eq!(half, only("active-range", Deviation));
    let stamped = |plan: &mut Plan| everywhere(plan, |access| access.content = Content::Stamped);
    assert_eq!(planned(stamped), only("data-pattern", Deviation));
}

#[test]
fn cells_missing_or_in_another_order_are_a_deviation() {
    let swapped = planned(|plan| {
        let rounds = rounds_of(plan);
        rounds.cells.swap(1, 2);
    });
    assert_eq!(swapped, only("loop-order", Deviation));
    let broken = recorded(|state| {
        state.attempts[2].rounds[3].cells.remove(10);
    });
    assert_eq!(broken, only("loop-order", Deviation));
    let sequential = planned(|plan| {
        let cell = &mut rounds_of(plan).cells[9];
        cell.access.as_mut().unwrap().random_percent = 0;
    });
    assert_eq!(sequential, only("loop-random", Deviation));
}

/// Done-when 2 of the main issue: on 4096-byte blocks the ledger says why a row is missing.
#[test]
fn half_a_kibibyte_on_large_blocks_does_not_apply_and_says_why() {
    let plan = plan(Bytes(4096));
    let state = run(&plan, &published_rounds());
    assert_eq!(found(&state, &plan), only("all-blocks", NotApplicable));
    let finding = line(&judge(&state, &plan), "all-blocks").finding;
    assert!(
        finding.starts_with("49 of 56 cells measured; those of 0.5 KiB left out"),
        "{finding}"
    );
    assert!(finding.contains("4096 bytes"), "{finding}");
}

/// Done-when 6 of the main issue.
#[test]
fn a_cell_of_59_seconds_makes_exactly_one_deviation() {
    let found = planned(|plan| rounds_of(plan).cell_time = Nanos::from_secs(59));
    assert_eq!(found, only("cell-time", Deviation));
}

#[test]
fn quick_cells_and_rounds_are_named_so() {
    let mut plan = plan(Bytes(512));
    rounds_of(&mut plan).cell_time = Nanos(500_000_000);
    rounds_of(&mut plan).rounds_max = 6;
    let mut state = run(&plan, &published_rounds());
    state.opened.quick = true;
    let ledger = judge(&state, &plan);
    let findings: Vec<_> = ledger
        .with(Deviation)
        .map(|line| line.finding.as_str())
        .collect();
    let cells = "quick cells: 0.5 s instead of 60 s";
    assert_eq!(findings, [cells, "quick rounds: limit 6 instead of 25"]);
}

/// PTS-E 1.1 tracked RND 4 KiB 0/100 alone.
#[test]
fn fewer_tracked_variables_are_a_deviation() {
    let found = planned(|plan| rounds_of(plan).tracked.truncate(1));
    assert_eq!(found, only("tracked-variables", Deviation));
}

/// Rounds 4 to 8 of the published plot fail on slope alone.
#[test]
fn a_run_that_ends_unsteady_deviates_and_one_that_goes_on_is_not_judged() {
    let plan = plan(Bytes(512));
    let state = run(&plan, &converging_rounds()[..8]);
    assert_eq!(found(&state, &plan), only("steady-state", Deviation));
    let rounds: Vec<_> = converging_rounds()
        .into_iter()
        .take(8)
        .map(|round| (0, round))
        .collect();
    let state = unfinished(&plan, &rounds);
    assert_eq!(found(&state, &plan), only("steady-state", CannotBeJudged));
}

#[test]
fn before_the_first_round_nothing_of_the_rounds_is_judged() {
    let plan = plan(Bytes(512));
    let ids: Vec<String> = found(&unfinished(&plan, &[]), &plan)
        .into_iter()
        .map(|(id, verdict)| {
            assert_eq!(verdict, CannotBeJudged, "{id}");
            id
        })
        .collect();
    let expected =
        "loop-order cell-time block-sizes mixes steady-state idle-gaps hand-overs host-limits";
    assert_eq!(ids.join(" "), expected);
}

#[test]
fn each_interruption_in_rounds_is_a_deviation_and_one_before_them_is_not() {
    let found = recorded(|state| {
        state.interruptions.push(stop("Ctrl-C", None, "ptse 0.1"));
        state
            .interruptions
            .push(stop("SIGTERM", Some(2), "ptse 0.1"));
        state
            .interruptions
            .push(stop("SIGTERM", Some(3), "ptse 0.1"));
    });
    let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["interruptions.2", "interruptions.3"]);
    let plan = plan(Bytes(512));
    let mut state = run(&plan, &published_rounds());
    state
        .interruptions
        .push(stop("SIGTERM", Some(2), "ptse 0.1"));
    let line = line(&judge(&state, &plan), "interruptions.1");
    assert_eq!(line.finding, "interrupted after round 2 for 15 min 00 s");
}

#[test]
fn failed_io_and_a_second_tool_are_named() {
    let found = recorded(|state| {
        state.interruptions.push(failed_write());
    });
    let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["errors", "tool"]);
    let plan = plan(Bytes(512));
    let mut state = run(&plan, &published_rounds());
    state.interruptions.push(failed_write());
    let line = line(&judge(&state, &plan), "errors");
    assert_eq!(
        line.done,
        "0 errors, 0 short transfers, 1 time-out, 0 blocks with wrong data, 0 never completed"
    );
    let place = "record 90: LBA 16, errno 110, 1 min 30 s after the drive was opened";
    assert!(line.evidence.starts_with(place), "{}", line.evidence);
}

#[test]
fn every_warning_is_a_line() {
    let found = recorded(|state| {
        state.warnings.push(Noted {
            record: 80,
            at: date(8000),
            what: Warning {
                kind: "samples-stopped".to_owned(),
                text: "samples stopped: the results disk is full".to_owned(),
            },
        });
    });
    assert_eq!(found, only("warnings.1", LineVerdict::Warning));
}

/// Clause 7: purge, then preconditioning, then rounds. What is measured after another purge, or
/// before the fill, was not preconditioned.
#[test]
fn steps_in_another_order_are_a_deviation_of_their_own() {
    let sequence = |change: &dyn Fn(&mut Vec<PlannedStep>)| {
        let plan = || {
            let mut plan = plan(Bytes(512));
            change(&mut plan.steps);
            plan
        };
        let ledger = judge(&run(&super::plan(Bytes(512)), &published_rounds()), &plan());
        line(&ledger, "sequence").verdict
    };
    assert_eq!(sequence(&|_| ()), LineVerdict::Pass);
    assert_eq!(sequence(&|steps| steps.swap(1, 2)), Deviation);
    assert_eq!(
        sequence(&|steps| steps.insert(2, steps[0].clone())),
        Deviation
    );
    assert_eq!(
        sequence(&|steps| steps.insert(2, steps[1].clone())),
        Deviation
    );
}
