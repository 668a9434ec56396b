//! A worker's way with stamps made by hand.

use super::*;
use crate::engine::stage::Row;
use crate::stats::Tally;
use crate::stimulus::{BlockShares, Cell, CellKey, Content, EngineKind, Until, Zone};
use crate::units::Bytes;

fn cell(threads: u32, queue_depth: u32, until: Until) -> Cell {
    Cell {
        key: CellKey {
            step_index: 0,
            round: 0,
            cell_index: 0,
        },
        access: Access {
            threads,
            queue_depth,
            engine: EngineKind::Ring,
            read_percent: 0,
            random_percent: 0,
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

fn timed(queue_depth: u32, nanos: u64) -> Cell {
    cell(1, queue_depth, Until::Time(Nanos(nanos)))
}

fn amount(ios: u64) -> Cell {
    cell(1, 2, Until::Transferred(Bytes(ios * 4096)))
}

struct Walk {
    course: Course,
    flying: Vec<(Io, u64, Nanos)>,
}

impl Walk {
    fn new(cells: Vec<Cell>) -> Self {
        let first = StageRef::first(Row::new(0, cells));
        let course = Course::new(first, 0, Meter::none());
        let flying = Vec::new();
        Self { course, flying }
    }

    /// Issues all that may be issued at a time; gives the stages of the new I/Os.
    fn issue(&mut self, at: u64) -> Vec<u64> {
        let mut stages = Vec::new();
        while let Some((io, stage)) = self.course.next_io() {
            self.course.note_submission(stage, Nanos(at));
            let submitted = self.course.take_intended().unwrap_or(Nanos(at));
            self.flying.push((io, stage, submitted));
            stages.push(stage);
        }
        self.course.arrive(Nanos(at));
        stages
    }

    /// Completes the oldest `count` I/Os at a time and refills.
    fn complete(&mut self, count: usize, at: u64) -> Vec<u64> {
        self.course.arrive(Nanos(at));
        for (io, stage, submitted) in self.flying.drain(..count) {
            self.course.settle(&Completion {
                stage,
                io,
                submitted,
                completed: Nanos(at),
            });
        }
        self.course.arrive(Nanos(at));
        self.issue(at)
    }

    /// I/Os counted for a stage, and in the hand-over into it.
    fn counts(&self, number: u64) -> (Option<u64>, Option<u64>) {
        let (mut counted, mut between) = (None, None);
        for signal in &self.course.out {
            match signal {
                Signal::Counted(done) if done.stage == number => {
                    counted = Some(done.write.tally.ios);
                }
                Signal::HandOver { stage, count } if *stage == number => {
                    between = Some(count.write.ios);
                }
                Signal::Counted(_)
                | Signal::HandOver { .. }
                | Signal::Second { .. }
                | Signal::Failed(_)
                | Signal::Exited { .. } => {}
            }
        }
        (counted, between)
    }
}

/// Design 4: a slot freed after the deadline is filled at once; what completes between the
/// deadline and the last old completion counts for neither.
#[test]
fn slots_change_one_by_one_and_the_hand_over_counts_for_neither() {
    let mut walk = Walk::new(vec![timed(3, 1_000), timed(3, 1_000)]);
    assert_eq!(walk.issue(100), [0, 0, 0]);
    assert_eq!(walk.complete(1, 600), [0]);
    // Exactly at the deadline still counts and is still refilled by the old cell.
    assert_eq!(walk.complete(1, 1_100), [0]);
    assert_eq!(walk.complete(1, 1_150), [1]);
    // The oldest now is old, then a new one beside an old one, then the last old one.
    assert_eq!(walk.complete(1, 1_160), [1]);
    walk.flying.rotate_left(1);
    assert_eq!(walk.complete(1, 1_170), [1]);
    let old = walk.flying.iter().position(|one| one.1 == 0).unwrap();
    walk.flying.swap(0, old);
    assert_eq!(walk.complete(1, 1_180), [1]);
    assert_eq!(walk.counts(0), (Some(2), Some(0)));
    assert_eq!(walk.counts(1), (None, Some(4)));
    assert_eq!(walk.complete(3, 1_181), [1, 1, 1]);
    walk.complete(3, 2_180);
    // The clock ran from 1,180 to 2,180, both ends as stated in `part`.
    walk.course.arrive(Nanos(2_181));
    assert_eq!(walk.counts(1).0, Some(6));
}

#[test]
fn a_smaller_depth_is_reached_without_exceeding_the_old_one() {
    let mut walk = Walk::new(vec![timed(4, 1_000), timed(2, 1_000)]);
    walk.issue(0);
    assert_eq!(walk.complete(1, 1_001), [1]);
    assert_eq!(walk.complete(1, 1_002), [1]);
    assert_eq!(walk.complete(1, 1_003), [] as [u64; 0]);
}

#[test]
fn a_larger_depth_is_filled_at_the_deadline() {
    let mut walk = Walk::new(vec![timed(1, 1_000), timed(4, 1_000)]);
    walk.issue(0);
    walk.course.arrive(Nanos(1_001));
    assert_eq!(walk.issue(1_001), [1, 1, 1]);
    assert_eq!(walk.complete(1, 1_002), [1]);
    assert_eq!(walk.counts(1), (None, Some(1)));
}

#[test]
fn an_amount_gives_way_when_it_is_issued_and_counts_all_its_ios() {
    let mut walk = Walk::new(vec![amount(3), timed(2, 1_000)]);
    assert_eq!(walk.issue(0), [0, 0]);
    assert_eq!(walk.complete(1, 10), [0]);
    assert_eq!(walk.complete(1, 20), [1]);
    assert_eq!(walk.complete(1, 30), [1]);
    assert_eq!(walk.counts(0), (Some(3), Some(0)));
    assert_eq!(walk.counts(1).1, Some(0));
}

/// Between an amount's first I/O and the end of the hand-over into it, its I/Os count for it.
#[test]
fn an_amount_counts_what_completes_before_its_clock() {
    let mut walk = Walk::new(vec![timed(2, 1_000), amount(2)]);
    walk.issue(0);
    assert_eq!(walk.complete(1, 1_001), [1]);
    walk.flying.rotate_left(1);
    assert_eq!(walk.complete(1, 1_002), [1]);
    walk.complete(1, 1_003);
    walk.complete(1, 1_004);
    assert_eq!(walk.counts(1), (Some(2), Some(2)));
    assert!(walk.course.is_over());
}

/// The rate of an amount would be too high if its clock left out what it counts.
#[test]
fn the_clock_of_an_amount_starts_with_its_first_submission() {
    let mut walk = Walk::new(vec![timed(2, 1_000), amount(2)]);
    walk.issue(0);
    walk.complete(1, 1_001);
    let Some(upcoming) = &walk.course.upcoming else {
        panic!("the amount is under way beside an old I/O");
    };
    assert_eq!(upcoming.stage.stage().start.get(), Some(Nanos(1_001)));
    let stage = upcoming.stage.clone();
    walk.complete(1, 1_050);
    walk.complete(2, 1_060);
    assert_eq!(
        (stage.stage().start.get(), stage.stage().end()),
        (Some(Nanos(1_001)), Nanos(1_060))
    );
}

#[test]
fn stalled_seconds_are_passed_without_ios() {
    const SECOND: u64 = 1_000_000_000;
    let mut walk = Walk::new(vec![timed(1, 5 * SECOND)]);
    walk.issue(0);
    walk.complete(1, SECOND / 2);
    walk.course.arrive(Nanos(3 * SECOND + 1));
    walk.complete(1, 3 * SECOND + 2);
    walk.course.arrive(Nanos(4 * SECOND + 1));
    walk.course.arrive(Nanos(5 * SECOND + 1));
    let mut seconds = Vec::new();
    let mut total = Tally::default();
    for signal in &walk.course.out {
        if let Signal::Second { second, passed, .. } = signal {
            seconds.push((second.index, *passed, second.write.ios));
        }
        if let Signal::Counted(counted) = signal {
            total.merge(&counted.write.tally);
            seconds.push((counted.second.index, 9, counted.second.write.ios));
        }
    }
    assert_eq!(seconds, [(0, 3, 1), (3, 4, 1), (4, 9, 0)]);
    assert_eq!((total.ios, total.latency_ns_max), (2, 5 * SECOND / 2 + 2));
}

/// A hand-over that never ends is noticed by what it waits for.
#[test]
fn an_old_io_that_never_completes_is_overdue() {
    let mut walk = Walk::new(vec![timed(2, 1_000), timed(2, 1_000)]);
    walk.issue(0);
    walk.complete(1, 1_001);
    assert_eq!(walk.course.overdue(Nanos(1_500), Nanos(1_000)), None);
    assert_eq!(walk.course.overdue(Nanos(2_001), Nanos(1_000)), Some(1));
}

fn scheduled(queue_depth: u32, rate_iops: u64, until: Until) -> Cell {
    let mut cell = cell(1, queue_depth, until);
    cell.access.rate_iops = Some(rate_iops);
    cell
}

/// One I/O each 100 ns: the schedule, not a free slot, calls for the next; the worker sleeps until
/// then, and with every slot taken until something completes.
#[test]
fn an_open_loop_issues_what_is_due_and_keeps_the_intended_start() {
    let until = Until::Time(Nanos(1_000));
    let mut walk = Walk::new(vec![scheduled(2, 10_000_000, until)]);
    walk.course.arrive(Nanos(5_000));
    assert_eq!(walk.issue(5_000), [0]);
    assert_eq!(walk.course.wake_at(Nanos(5_010)), Nanos(5_100));
    walk.course.arrive(Nanos(5_100));
    assert_eq!(walk.issue(5_100), [0]);
    // Both slots are taken: nothing to wake for before the deadline.
    assert_eq!(walk.course.wake_at(Nanos(5_110)), Nanos(6_001));
    assert_eq!(walk.complete(1, 5_650), [0]);
    assert_eq!(walk.flying.last().unwrap().2, Nanos(5_200));
    assert_eq!(walk.complete(2, 5_660), [0, 0]);
    walk.course.arrive(Nanos(6_001));
    let counted = walk.course.out.iter().find_map(|signal| match signal {
        Signal::Counted(counted) => Some(counted),
        Signal::Second { .. }
        | Signal::HandOver { .. }
        | Signal::Failed(_)
        | Signal::Exited { .. } => None,
    });
    let counted = counted.unwrap();
    // Due on (5,000, 6,000] are ten; of those up to 6,000, the one at 5,000 included, six never
    // found a slot.
    assert_eq!(
        (counted.arrivals.asked, counted.arrivals.not_issued),
        (10, 6)
    );
    // 5,650 - 5,000, 5,660 - 5,100 and 5,660 - 5,200.
    assert_eq!(counted.write.tally.latency_ns_sum, 650 + 560 + 460);
}

/// The schedule begins at the deadline of the cell before, which all workers know.
#[test]
fn a_schedule_begins_with_the_hand_over() {
    let until = Until::Time(Nanos(1_000));
    let mut walk = Walk::new(vec![timed(1, 1_000), scheduled(1, 10_000_000, until)]);
    walk.issue(0);
    assert_eq!(walk.complete(1, 1_040), [1]);
    assert_eq!(walk.flying.last().unwrap().2, Nanos(1_000));
}

/// The cell behind an amount in open loop begins at once, not at an arrival that will not come.
#[test]
fn an_amount_in_open_loop_gives_way_when_it_is_issued() {
    let two = Until::Transferred(Bytes(2 * 4096));
    let mut walk = Walk::new(vec![scheduled(2, 1_000, two), timed(2, 1_000)]);
    assert_eq!(walk.issue(0), [0]);
    walk.course.arrive(Nanos(1_000_000));
    assert_eq!(walk.issue(1_000_000), [0]);
    assert_eq!(walk.complete(1, 1_000_100), [1]);
}
