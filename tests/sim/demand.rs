//! Open loop: I/Os are asked for by a schedule, and response time counts from there.

use ptse::drive::{Event, Measurement, PurgeMethod};
use ptse::stimulus::arrivals::ArrivalCounts;
use ptse::stimulus::{Cell, Until};
use ptse::units::{Bytes, KIB, Nanos};

use crate::harness::{Lab, Shape, measurements, ticks};

/// Reads of pages never written take 12,086 ns each at queue depth 1 (see `protocol`).
const DRIVE: &str = "sim:dc-tlc,capacity=256MiB";
const MS: u64 = 1_000_000;

fn open_loop(mut cell: Cell, rate_iops: u64) -> Cell {
    cell.access.rate_iops = Some(rate_iops);
    cell
}

fn reads(shape: &Shape, index: u32, rate_iops: u64, millis: u64) -> Cell {
    open_loop(shape.single(index, 100, 4 * KIB, millis), rate_iops)
}

fn only(events: &[Event]) -> &Measurement {
    let [one] = measurements(events)[..] else {
        panic!("one cell: {events:?}");
    };
    one
}

fn slower_than(measured: &Measurement, limit: Nanos) -> u64 {
    let buckets = measured.read.histogram.buckets();
    let slow = buckets.filter(|(latency, _)| *latency > limit.0);
    slow.map(|(_, count)| count).sum()
}

/// No coordinated omission: 3 s without a completion at 1,000 I/Os a second are 2,900 I/Os that
/// waited longer than 100 ms, though only 4 x 32 of them were outstanding.
#[test]
fn a_stall_of_three_seconds_shows_in_2900_response_times() {
    let stall = "faults.stall_at=5s,faults.stall_for=3s";
    let mut lab = Lab::open(&format!("{DRIVE},{stall}"));
    let mut cell = lab.shape().timed(0, 100, 4 * KIB, 10_000);
    let closed = lab.run(vec![vec![cell.clone()]]);
    // In closed loop the same stall hides behind the few I/Os that were outstanding.
    assert_eq!(slower_than(only(&closed), Nanos(100 * MS)), 4 * 32);

    let mut lab = Lab::open(&format!("{DRIVE},{stall}"));
    cell = open_loop(cell, 1_000);
    let events = lab.run(vec![vec![cell]]);
    let measured = only(&events);
    let slow = slower_than(measured, Nanos(100 * MS));
    assert!((2_900..=3_000).contains(&slow), "{slow}");
    let expected = ArrivalCounts {
        asked: 10_000,
        not_issued: 0,
    };
    assert_eq!(measured.arrivals, Some(expected));
    assert_eq!(measured.read.tally.ios, 10_000);
    let longest = measured.read.tally.latency_ns_max;
    assert!((2_999 * MS..3_001 * MS).contains(&longest), "{longest}");
    // The seconds that stood still are told, with nothing in them.
    let each: Vec<u64> = ticks(&events).iter().map(|tick| tick.read.ios).collect();
    assert_eq!(each.iter().sum::<u64>(), 10_000);
    assert_eq!(each[6..7], [0]);
}

#[test]
fn a_rate_that_the_drive_can_take_is_met_exactly_in_every_second() {
    for threads in [1, 3] {
        let mut lab = Lab::open(DRIVE);
        let mut cell = reads(&lab.shape(), 0, 1_000, 3_000);
        cell.access.threads = threads;
        let events = lab.run(vec![vec![cell]]);
        let measured = only(&events);
        let each: Vec<u64> = ticks(&events).iter().map(|tick| tick.read.ios).collect();
        assert_eq!(each, [1_000; 3]);
        let tally = measured.read.tally;
        assert_eq!(
            (tally.latency_ns_min, tally.latency_ns_max),
            (12_086, 12_086)
        );
    }
}

/// 100,000 a second asked of a drive that does one each 12,086 ns: 82,740 complete in a second, one
/// more is outstanding, and the last one to complete was meant to start at 827.39 ms.
#[test]
fn what_finds_no_slot_waits_and_what_never_finds_one_is_counted() {
    let mut lab = Lab::open(DRIVE);
    let cell = reads(&lab.shape(), 0, 100_000, 1_000);
    let events = lab.run(vec![vec![cell]]);
    let measured = only(&events);
    assert_eq!(measured.read.tally.ios, 82_740);
    let expected = ArrivalCounts {
        asked: 100_000,
        not_issued: 100_000 - 82_741,
    };
    assert_eq!(measured.arrivals, Some(expected));
    let last = 82_740 * 12_086 - 827_390_000;
    assert_eq!(measured.read.tally.latency_ns_max, last);
}

/// At the deadline of 10 ms the open loop has been at rest since 9 ms + 12,086 ns.
#[test]
fn an_open_loop_at_rest_hands_over_at_its_deadline() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let closed = shape.single(1, 100, 4 * KIB, 10);
    let cells = vec![
        reads(&shape, 0, 1_000, 10),
        closed,
        reads(&shape, 2, 1_000, 10),
    ];
    let events = lab.run(vec![cells]);
    let all = measurements(&events);
    assert_eq!(all[1].started, Nanos(10 * MS));
    let change = all[1].hand_over;
    let rest = 10 * MS - 9 * MS - 12_086;
    assert_eq!(change.idle_gap, Some(Nanos(rest)));
    assert_eq!((change.overlap, change.ios_uncounted), (Nanos(0), 0));
    // Into the open loop: its schedule begins at the deadline of 20 ms, its clock when the last
    // old I/O has completed, its first I/O takes the slot that comes free there.
    let last_old = 10 * MS + 828 * 12_086;
    assert_eq!(all[2].started, Nanos(last_old));
    assert_eq!(all[2].hand_over.overlap, Nanos(0));
    assert_eq!(all[2].arrivals.map(|counts| counts.asked), Some(10));
    assert_eq!(
        all[2].read.tally.latency_ns_max,
        12_086 + last_old - 20 * MS
    );
}

#[test]
fn an_amount_in_open_loop_ends_with_its_last_completion() {
    let mut lab = Lab::open(DRIVE);
    let mut cell = reads(&lab.shape(), 0, 1_000, 0);
    cell.until = Until::Transferred(Bytes(10 * 4 * KIB));
    lab.purge(PurgeMethod::Auto);
    let events = lab.run(vec![vec![cell]]);
    let measured = only(&events);
    assert_eq!(measured.read.tally.ios, 10);
    assert_eq!(measured.elapsed, Nanos(9 * MS + 12_086));
    assert_eq!(measured.arrivals, None);
}
