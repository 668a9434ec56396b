//! Schedules worked out by hand.

use super::*;
use crate::stimulus::{BlockShares, Content, EngineKind, Zone};
use crate::units::Bytes;

fn arrivals(rate_iops: u64, threads: u32, worker: u32, origin: u64) -> Arrivals {
    let access = Access {
        threads,
        queue_depth: 4,
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
        rate_iops: Some(rate_iops),
    };
    let mut arrivals = Arrivals::of(&access, worker).expect("an open loop");
    arrivals.begin(Nanos(origin));
    arrivals
}

fn take(arrivals: &mut Arrivals, count: usize) -> Vec<u64> {
    let taken = std::iter::from_fn(|| arrivals.take_due(Nanos(u64::MAX)));
    taken.take(count).map(|at| at.0).collect()
}

/// 1,000 I/Os a second over 2 workers: one a millisecond, each worker every second one.
#[test]
fn workers_take_the_arrivals_of_one_schedule_in_turn() {
    let (mut first, mut second) = (arrivals(1_000, 2, 0, 70), arrivals(1_000, 2, 1, 70));
    assert_eq!(take(&mut first, 3), [70, 2_000_070, 4_000_070]);
    assert_eq!(take(&mut second, 3), [1_000_070, 3_000_070, 5_000_070]);
}

/// A spacing of a third of a nanosecond's fraction must not add up: the 300,000,000th arrival at
/// 3 I/Os a second lies exactly 10^8 seconds after the first.
#[test]
fn a_spacing_that_is_no_whole_number_does_not_drift() {
    let mut thirds = arrivals(3, 1, 0, 0);
    assert_eq!(
        take(&mut thirds, 4),
        [0, 333_333_333, 666_666_666, SECOND_NS]
    );
    assert_eq!(thirds.intended(300_000_000), 100_000_000 * SECOND_NS);
}

#[test]
fn nothing_is_due_before_its_time_and_a_late_taker_gets_the_intended_start() {
    let mut one = arrivals(1_000, 1, 0, 0);
    assert_eq!(one.take_due(Nanos(0)), Some(Nanos(0)));
    assert_eq!(one.take_due(Nanos(999_999)), None);
    assert_eq!(one.take_due(Nanos(3_000_000)), Some(Nanos(1_000_000)));
    assert_eq!(one.next(), Some(Nanos(2_000_000)));
}

/// However many workers share it, a rate is exact in every second of a clock that starts with it.
#[test]
fn every_second_asks_for_the_rate_exactly() {
    for (rate, threads) in [(1_000, 1), (1_000, 3), (7, 4), (1, 4), (100_000_000, 16)] {
        for second in 0..5 {
            let mut all = ArrivalCounts::default();
            for worker in 0..threads {
                let one = arrivals(rate, threads, worker, 123);
                let start = 123 + second * SECOND_NS;
                all.merge(&one.counts(Nanos(start), Nanos(start + SECOND_NS)));
            }
            assert_eq!(all.asked, rate, "{rate} IOPS, {threads} workers");
        }
    }
}

/// 1,000 I/Os a second for 2 s, of which the first 1,500 found a slot; the arrival at the very
/// start lies outside the clock and was issued.
#[test]
fn what_was_due_and_never_issued_is_counted() {
    let mut one = arrivals(1_000, 1, 0, 0);
    take(&mut one, 1_501);
    let expected = ArrivalCounts {
        asked: 2_000,
        not_issued: 500,
    };
    assert_eq!(one.counts(Nanos(0), Nanos(2 * SECOND_NS)), expected);
}

#[test]
fn a_closed_loop_has_no_arrivals_and_an_unbegun_schedule_none_due() {
    let mut one = arrivals(1_000, 1, 0, 0);
    one.origin = None;
    assert_eq!((one.next(), one.take_due(Nanos(u64::MAX))), (None, None));
    assert_eq!(
        one.counts(Nanos(0), Nanos(SECOND_NS)),
        ArrivalCounts::default()
    );
}
