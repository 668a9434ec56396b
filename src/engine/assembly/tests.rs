//! Ticks, gaps and reasons from counts made by hand.

use super::*;
use crate::engine::stage::Row;
use crate::stats::Tally;
use crate::stimulus::{Access, BlockShares, Cell, CellKey, Content, EngineKind, Until, Zone};
use crate::units::Bytes;

const SECOND: u64 = SECOND_NS;

fn stages(count: u32, threads: u32, nanos: u64) -> Vec<StageRef> {
    let cell = |cell_index| Cell {
        key: CellKey {
            step_index: 0,
            round: 0,
            cell_index,
        },
        access: Access {
            threads,
            queue_depth: 1,
            engine: EngineKind::Ring,
            read_percent: 100,
            random_percent: 100,
            read_blocks: BlockShares::one(Bytes(4096)),
            write_blocks: BlockShares::one(Bytes(4096)),
            zones: vec![Zone {
                weight: 1,
                start: Bytes(0),
                end: Bytes(1 << 20),
            }],
            content: Content::Random,
            logical_block: Bytes(512),
            rate_iops: None,
        },
        until: Until::Time(Nanos(nanos)),
        seed: 1,
        reads_back: false,
    };
    StageRef::all(&Row::new(0, (0..count).map(cell).collect())).collect()
}

fn tally(ios: u64) -> Tally {
    let mut tally = Tally::default();
    (0..ios).for_each(|_| tally.add(4096, 1_000));
    tally
}

fn second(index: u64, reads: u64) -> Second {
    Second {
        index,
        read: tally(reads),
        write: Tally::default(),
    }
}

fn counted(worker: u32, reads: u64, last: Second, busy: u64) -> Counted {
    let mut read = Flow::default();
    (0..reads).for_each(|_| read.add(4096, 1_000));
    Counted {
        stage: 0,
        worker,
        took_part: true,
        read,
        write: Flow::default(),
        second: last,
        submission_first: Some(Nanos(50 + u64::from(worker))),
        issued: crate::stimulus::Issued::default(),
        arrivals: ArrivalCounts::default(),
        load: Load {
            ran: Nanos(busy),
            waited: Some(Nanos(20)),
            preempted: 3,
        },
    }
}

fn reads_of(events: &[Event]) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    for event in events {
        if let Event::Tick(tick) = event {
            all.push((tick.span.0, tick.read.ios));
        }
    }
    all
}

/// Two workers that are a second apart: a second is told when both have passed it.
#[test]
fn seconds_are_told_when_every_worker_has_passed_them() {
    let stage = stages(1, 2, 5 * SECOND / 2).remove(0);
    stage.stage().start.publish(Nanos(100));
    let mut assembly = Assembly::new(stage, 2, None);
    assert_eq!(assembly.add_second(0, &second(0, 3), 2), []);
    let told = assembly.add_second(1, &second(0, 4), 1);
    assert_eq!(reads_of(&told), [(SECOND, 7)]);
    assert_eq!(
        assembly.add_counted(&counted(0, 4, second(2, 1), 0), &[]),
        []
    );
    let told = assembly.add_counted(&counted(1, 6, second(1, 2), 0), &[]);
    assert_eq!(reads_of(&told), [(SECOND, 2), (SECOND / 2, 1)]);
    let Some(Event::Cell(outcome)) = told.last() else {
        panic!("the cell is done");
    };
    assert_eq!(outcome.read.tally.ios, 10);
    assert_eq!(
        (outcome.started, outcome.elapsed),
        (Nanos(100), Nanos(5 * SECOND / 2))
    );
}

/// Design 4: d is the first submission of the new cell minus the last completion of the old one.
#[test]
fn gaps_and_overlaps_come_from_first_submission_and_last_completion() {
    for (last_completion, gap, overlap) in [(40, 10, 0), (50, 0, 0), (75, 0, 25)] {
        let mut both = stages(2, 1, 1_000);
        let (second, first) = (both.remove(1), both.remove(0));
        first.stage().start.publish(Nanos(0));
        first.leave(Nanos(last_completion));
        let mut assembly = Assembly::new(second, 1, Some(Before::Joined(first)));
        let last = Second::default();
        let told = assembly.add_counted(&counted(0, 0, last, 0), &[]);
        let Some(Event::Cell(outcome)) = told.last() else {
            panic!("the cell is done");
        };
        assert_eq!(
            (outcome.idle_gap, outcome.overlap),
            (Some(Nanos(gap)), Nanos(overlap))
        );
    }
}

#[test]
fn a_hand_over_is_told_once_all_workers_are_through() {
    let mut both = stages(2, 2, 1_000);
    let (second, first) = (both.remove(1), both.remove(0));
    first.stage().start.publish(Nanos(0));
    first.leave(Nanos(1_005));
    first.leave(Nanos(1_030));
    let mut assembly = Assembly::new(second, 2, Some(Before::Joined(first)));
    let count = HandOverCount {
        read: tally(3),
        write: Tally::default(),
    };
    assert_eq!(assembly.add_hand_over(&count), None);
    let Some(Event::Tick(tick)) = assembly.add_hand_over(&count) else {
        panic!("both are through");
    };
    assert!(tick.is_hand_over);
    assert_eq!(
        (tick.at, tick.span, tick.read.ios),
        (Nanos(1_030), Nanos(30), 6)
    );
}

/// Field report 64: above 95 % of a CPU a worker may have been the limit; time that it waited for
/// one is the host's, too.
#[test]
fn a_busy_worker_is_named_with_its_figures() {
    let named = "worker 0 was busy 97 % of the time (ran 95 %, waited for a CPU 2 %; its CPU was \
                 taken away 3 times)";
    for (ran, expected) in [(930, None), (950, Some(named))] {
        let stage = stages(1, 1, 1_000).remove(0);
        stage.stage().start.publish(Nanos(0));
        let mut assembly = Assembly::new(stage, 1, None);
        let told = assembly.add_counted(&counted(0, 0, Second::default(), ran), &[]);
        let Some(Event::Cell(outcome)) = told.last() else {
            panic!("the cell is done");
        };
        assert_eq!(outcome.host_limited.as_deref(), expected);
        let load = WorkerLoad {
            cpu_permille: u32::try_from(ran).unwrap(),
            waiting_permille: Some(20),
            preempted: 3,
        };
        assert_eq!(outcome.workers, [load]);
    }
}
