//! How workers agree on the start of a clock, and on what follows.

use super::*;
use crate::stimulus::{Access, BlockShares, CellKey, Content, EngineKind, Zone};
use crate::units::Bytes;

fn cell(threads: u32, until: Until) -> Cell {
    Cell {
        key: CellKey {
            step_index: 0,
            round: 0,
            cell_index: 0,
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
        until,
        seed: 1,
        reads_back: false,
    }
}

fn timed(threads: u32) -> Cell {
    cell(threads, Until::Time(Nanos(1_000)))
}

#[test]
fn a_start_is_no_earlier_than_what_was_counted_before_it() {
    let start = ClockStart::default();
    assert_eq!(start.observe(Nanos(70)), None);
    assert_eq!(start.observe(Nanos(60)), None);
    assert_eq!(start.get(), None);
    assert_eq!(start.publish(Nanos(65)), Nanos(70));
    assert_eq!(start.publish(Nanos(90)), Nanos(70));
    assert_eq!(start.observe(Nanos(80)), Some(Nanos(70)));
}

/// Whatever the order of events, each completion is on one side only: one that saw no start is not
/// later than it.
#[test]
fn threads_agree_about_the_side_of_every_completion() {
    for _ in 0..200 {
        let start = ClockStart::default();
        let unseen = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..2)
                .map(|worker| {
                    let start = &start;
                    let counts = move || {
                        let stamps = (0..500).map(|step| Nanos(2 * step + worker));
                        stamps.filter(|&at| start.observe(at).is_none()).max()
                    };
                    scope.spawn(counts)
                })
                .collect();
            start.publish(Nanos(100));
            let ends = workers
                .into_iter()
                .filter_map(|worker| worker.join().unwrap());
            ends.max()
        });
        assert!(unseen <= start.get(), "{unseen:?} {:?}", start.get());
    }
}

#[test]
fn the_last_worker_to_leave_starts_the_next_clock() {
    let row = Row::new(5, vec![timed(2), timed(1)]);
    let first = StageRef::first(Arc::clone(&row));
    first.stage().start.publish(Nanos(100));
    let Following::Same(second) = first.following() else {
        panic!("the second cell follows");
    };
    assert_eq!(second.stage().number, 6);
    first.leave(Nanos(1_130));
    assert_eq!(second.stage().start.get(), None);
    first.leave(Nanos(1_120));
    assert_eq!(second.stage().start.get(), Some(Nanos(1_130)));
    assert_eq!(first.stage().last_completion(), Nanos(1_130));
}

/// At queue depth 1 the last I/O may complete before the deadline; the clocks must not overlap.
#[test]
fn the_next_clock_never_starts_before_the_deadline() {
    let row = Row::new(0, vec![timed(1), timed(1)]);
    let first = StageRef::first(row);
    first.stage().start.publish(Nanos(100));
    first.leave(Nanos(1_090));
    let Following::Same(second) = first.following() else {
        panic!("the second cell follows");
    };
    assert_eq!(second.stage().start.get(), Some(Nanos(1_100)));
}

#[test]
fn an_amount_ends_with_its_last_completion() {
    let row = Row::new(0, vec![cell(1, Until::Transferred(Bytes(4096)))]);
    let only = StageRef::first(row);
    only.stage().start.publish(Nanos(100));
    assert!(matches!(only.following(), Following::Nobody));
    only.leave(Nanos(777));
    assert!(only.stage().is_finished());
    assert_eq!(only.stage().end(), Nanos(777));
}

#[test]
fn a_row_can_be_linked_until_somebody_found_nothing_there() {
    let (one, two) = (Row::new(0, vec![timed(1)]), Row::new(1, vec![timed(1)]));
    let first = StageRef::first(Arc::clone(&one));
    assert!(first.peek().is_none());
    assert!(one.link(Next::Row(Arc::clone(&two))).is_ok());
    assert!(matches!(first.following(), Following::Same(_)));
    assert!(matches!(
        StageRef::first(Arc::clone(&two)).following(),
        Following::Nobody
    ));
    assert!(two.link(Next::End).is_err());
}
