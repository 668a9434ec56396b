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

/// The mix that a cell gives to the drive is the one asked for, within four standard deviations
/// and in fact within half a deck of 100 for each worker; what completes on the cell's clock may
/// lack up to TC x QD I/Os of the slower direction.
#[test]
fn what_is_issued_has_the_mix_and_what_completes_lacks_at_most_what_is_outstanding() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let blocks = [1024 * KIB, 4 * KIB];
    let mixes = [95_u8, 65, 35, 5];
    let places = mixes
        .iter()
        .flat_map(|mix| blocks.map(|block| (*mix, block)));
    let cells: Vec<Cell> = (0..)
        .zip(places.clone())
        .map(|(index, (mix, block))| shape.timed(index, mix, block, 6_000))
        .collect();
    let workers = u64::from(cells[0].access.threads);
    let outstanding = u64::from(cells[0].access.outstanding());
    let events = lab.fill_and_run(cells);
    let all = measurements(&events);
    for (cell, (mix, block)) in all.iter().zip(places) {
        let (issued, mix) = (cell.issued, u64::from(mix));
        let n = issued.reads + issued.writes;
        let off = (100 * issued.reads).abs_diff(mix * n);
        assert!(off <= 100 * 50 * workers, "{mix} {block}: {issued:?}");
        assert!(n > 400, "{mix} {block}: {n}");
        let completed = cell.read.tally.ios + cell.write.tally.ios;
        let apart = outstanding + cell.hand_over.ios_uncounted;
        assert!(
            completed <= n && n - completed <= apart,
            "{mix} {block}: {completed} of {n}"
        );
        let lacking = (100 * cell.read.tally.ios).abs_diff(mix * completed);
        assert!(
            lacking <= 100 * (100 * workers + 2 * outstanding),
            "{mix} {block}: {lacking}"
        );
    }
}

#[test]
fn a_stalled_second_is_a_tick_with_zeros() {
    let mut lab = Lab::open(&format!("{DRIVE},faults.stall_at=2s,faults.stall_for=3s"));
    let shape = lab.shape();
    let events = lab.run(vec![vec![shape.timed(0, 100, 4096, 7000)]]);
    let all = ticks(&events);
    let ios: Vec<_> = all.iter().map(|t| t.read.ios > 0).collect();
    assert_eq!(ios, [true, true, false, false, false, true, true]);
    assert_eq!(all[5].read.latency_ns_max / 1_000_000_000, 3);
}
