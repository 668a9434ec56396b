//! From cell to cell: what is measured of the change, and where clocks start.

use ptse::drive::PurgeMethod;
use ptse::stimulus::{Cell, Until};
use ptse::units::{Bytes, KIB, Nanos};

use crate::harness::{Lab, measurements, ticks};

const DRIVE: &str = "sim:dc-tlc,capacity=256MiB";

/// Missing is not zero: before the first cell of a step that was not queued in time no gap is
/// measured; within a step it is, and the simulated clock stood still meanwhile.
#[test]
fn a_programme_from_rest_has_a_gap_only_within_its_step() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let gap = |lab: &mut Lab, cell: Cell| {
        let events = lab.run(vec![vec![cell]]);
        measurements(&events)[0].hand_over.idle_gap
    };
    assert_eq!(gap(&mut lab, shape.fill(1)), None);
    let cell = shape.timed(0, 100, 4 * KIB, 5);
    assert_eq!(gap(&mut lab, cell.clone()), None);
    assert_eq!(gap(&mut lab, cell.clone()), Some(Nanos(0)));
    lab.purge(PurgeMethod::Auto);
    assert_eq!(gap(&mut lab, cell), None);
}

/// An amount counts all its I/Os, so its clock holds them all: it starts with its first
/// submission, before the last old I/O has completed. The real engine does the same.
#[test]
fn the_clock_of_an_amount_starts_with_its_first_submission() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let mut amount = shape.timed(1, 100, 4 * KIB, 0);
    amount.until = Until::Transferred(Bytes(1_000 * 4 * KIB));
    let events = lab.run(vec![vec![shape.timed(0, 100, 4 * KIB, 5), amount]]);
    let all = measurements(&events);
    assert_eq!(all[1].read.tally.ios, 1_000);
    let overlap = all[1].hand_over.overlap;
    assert!(overlap > Nanos(0));
    let every = ticks(&events);
    let change = every.iter().find(|tick| tick.is_hand_over).expect("one");
    assert_eq!(change.at.0, all[1].started.0 + overlap.0);
    let counted = every
        .iter()
        .filter(|tick| !tick.is_hand_over && tick.key == all[1].key);
    let span: u64 = counted.map(|tick| tick.span.0).sum();
    assert_eq!(span, all[1].elapsed.0);
}
