//! Physics through the seam: latency, bounds, amplification, convergence.

use std::time::Instant;

use ptse::drive::{Measurement, PurgeMethod};
use ptse::pts;
use ptse::steady_state::{Sample, SteadyState, Verdict};
use ptse::stimulus::Cell;
use ptse::units::{KIB, Nanos, per_second, to_f64};

use crate::harness::{Lab, Shape, measurements};

const DRIVE: &str = "sim:dc-tlc,capacity=256MiB";

fn iops(cell: &Measurement) -> f64 {
    per_second(cell.read.tally.ios + cell.write.tally.ios, cell.elapsed).expect("time passed")
}

fn assert_within(found: f64, expected: f64, fraction: f64) {
    let off = (found - expected).abs() / expected;
    assert!(off <= fraction, "{found} against {expected}: {off}");
}

/// 7,000 + 60,000 + 3,414 + 586 + 4,500 ns, every one of them, and 12,086 for a buffered write.
#[test]
fn queue_depth_1_latencies_are_the_sum_of_their_parts() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let mut one_write = shape.single(0, 0, 4 * KIB, 10);
    one_write.access.random_percent = 0;
    let events = lab.fill_and_run(vec![
        shape.single(1, 100, 512, 1000),
        shape.single(2, 100, 4 * KIB, 100),
        one_write,
    ]);
    let all = measurements(&events);
    let read = all[1].read.tally;
    assert_eq!((read.latency_ns_min, read.latency_ns_max), (75_500, 75_500));
    let write = all[2].write.tally;
    assert_eq!(
        (write.latency_ns_min, write.latency_ns_max),
        (12_086, 12_086)
    );
}

#[test]
fn the_first_fill_is_written_exactly_once() {
    let mut lab = Lab::open("sim:dc-tlc,capacity=299999744B");
    lab.purge(PurgeMethod::Auto);
    let fill = lab.shape().fill(1);
    let events = lab.run(vec![vec![fill]]);
    let flash = measurements(&events)[0].flash.expect("simulated");
    let pages = 299_999_744_u64.div_ceil(4096);
    assert_eq!((flash.host_pages, flash.moved_pages), (pages, 0));
    assert_eq!(flash.programmed_pages, pages);
}

#[test]
fn programmed_pages_are_host_and_moved_pages_in_every_cell() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let mut cells = Vec::new();
    for (index, block) in (0..).zip([512, 4 * KIB, 12 * KIB, 128 * KIB, 1024 * KIB]) {
        cells.push(shape.timed(2 * index, 0, block, 1700));
        cells.push(shape.timed(2 * index + 1, 65, block, 1300));
    }
    let events = lab.fill_and_run(cells);
    for cell in measurements(&events) {
        let flash = cell.flash.expect("simulated");
        assert_eq!(flash.programmed_pages, flash.host_pages + flash.moved_pages);
        assert!(flash.host_pages > 0 && flash.moved_pages > 0);
    }
}

/// The slice's share of 7,000 MB/s is 437.5 MB/s.
#[test]
fn no_cell_exceeds_the_link() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let blocks = [4 * KIB, 128 * KIB, 1024 * KIB];
    let mut cells = Vec::new();
    for (index, block) in (0..).zip(blocks) {
        cells.push(shape.timed(index, 100, block, 2000));
    }
    lab.purge(PurgeMethod::Auto);
    let unmapped = lab.run(vec![cells.clone()]);
    let mapped = lab.fill_and_run(cells);
    for events in [unmapped, mapped] {
        for (cell, block) in measurements(&events).into_iter().zip(blocks) {
            let bytes = iops(cell) * to_f64(block);
            assert!(bytes <= 437.5e6 * 1.005, "{bytes}");
        }
    }
}

/// Little's law: IOPS x mean latency is the number outstanding, 128.
#[test]
fn iops_times_latency_is_the_outstanding_io() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let cells = vec![
        shape.timed(0, 100, 4 * KIB, 500),
        shape.timed(1, 0, 4 * KIB, 4000),
        shape.timed(2, 65, 4 * KIB, 2000),
    ];
    let events = lab.fill_and_run(cells);
    for cell in measurements(&events) {
        let mut total = cell.read.tally;
        total.merge(&cell.write.tally);
        assert!(total.ios >= 12_800);
        let mean = total.latency_ns_mean().expect("I/Os") / 1e9;
        assert_within(iops(cell) * mean, 128.0, 0.01);
    }
}

#[test]
fn reads_change_nothing() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let events = lab.fill_and_run(vec![shape.timed(0, 100, 4 * KIB, 500)]);
    let flash = measurements(&events)[0].flash.expect("simulated");
    assert_eq!(flash, Default::default());
}

/// Mixed cells cost the sum of the die time of their parts: 1 / (r/R + (1-r)/W).
#[test]
fn mixed_cells_follow_from_the_pure_ones() {
    let mut lab = Lab::open("sim:dc-tlc,capacity=1GiB");
    let shape = lab.shape();
    let cells = vec![
        shape.timed(0, 0, 4 * KIB, 60_000),
        shape.timed(1, 100, 4 * KIB, 500),
        shape.timed(2, 0, 4 * KIB, 4000),
        shape.timed(3, 65, 4 * KIB, 4000),
    ];
    let events = lab.fill_and_run(cells);
    let all = measurements(&events);
    let (read, write, mixed) = (iops(all[1]), iops(all[2]), iops(all[3]));
    assert_within(mixed, 1.0 / (0.65 / read + 0.35 / write), 0.06);
}

/// The same flash with 14.5 and 37.4 % spare area: amplification about 4.2 and 2.06, so steady
/// writes rise 1.9 to 2.15 times and reads stay.
#[test]
fn more_spare_area_doubles_steady_writes_and_leaves_reads() {
    let run = |address: &str| {
        let mut lab = Lab::open(address);
        let shape = lab.shape();
        let events = lab.fill_and_run(vec![
            shape.timed(0, 0, 4 * KIB, 70_000),
            shape.timed(1, 0, 4 * KIB, 10_000),
            // The first two seconds of reads still meet the programs of what was written.
            shape.timed(2, 100, 4 * KIB, 4000),
            shape.timed(3, 100, 4 * KIB, 1000),
        ]);
        let all = measurements(&events);
        (iops(all[1]), iops(all[3]))
    };
    let (write_one, read_one) = run("sim:dc-tlc,capacity=1200MiB");
    let (write_three, read_three) = run("sim:dc-tlc-3dwpd,capacity=1000MiB");
    let ratio = write_three / write_one;
    assert!((1.9..=2.15).contains(&ratio), "{ratio}");
    assert_within(read_three, read_one, 0.01);
}

/// After random writes, sequential ones are amplified until every superblock of old data has been
/// overwritten, and then no more: collection has a frontier of its own.
#[test]
fn sequential_writes_recover_after_random_ones() {
    let mut lab = Lab::open("sim:dc-tlc,capacity=1GiB");
    let shape = lab.shape();
    let mut cells = vec![shape.timed(0, 0, 8 * KIB, 60_000)];
    for index in 1..=4 {
        let mut cell = shape.timed(index, 0, 1024 * KIB, 15_000);
        cell.access.random_percent = 0;
        cell.access.threads = 1;
        cells.push(cell);
    }
    let events = lab.fill_and_run(cells);
    let all = measurements(&events);
    let moved = |index: usize| all[index].flash.expect("simulated").moved_pages;
    assert!(moved(1) > 0);
    assert!(moved(4) * 100 <= all[4].flash.expect("simulated").host_pages);
}

fn iops_round(shape: &Shape, round: u32, cell_time: Nanos) -> Vec<Cell> {
    let mut cells = Vec::new();
    for read_percent in pts::IOPS_READ_PERCENT {
        for block in pts::IOPS_BLOCKS {
            let index = u32::try_from(cells.len()).expect("56 cells");
            let mut cell = shape.timed(index, read_percent, block.0, cell_time.0 / 1_000_000);
            cell.key.round = round;
            cell.seed += 100 * u64::from(round);
            cells.push(cell);
        }
    }
    cells
}

/// The round after which all three tracked variables are steady, with `rounds` at most, and the
/// 4 KiB writes of round 1 over the mean of the last five rounds.
fn steady_round(
    lab: &mut Lab,
    rounds: u32,
    cell_time: Nanos,
    has_fill: bool,
) -> (Option<u32>, f64) {
    let shape = lab.shape();
    lab.purge(PurgeMethod::Auto);
    if has_fill {
        lab.run(vec![vec![shape.fill(2)]]);
    }
    let mut tracked = [(); 3].map(|()| SteadyState::new(1, 1.0));
    let mut writes = Vec::new();
    for round in 1..=rounds {
        let events = lab.run(vec![iops_round(&shape, round, cell_time)]);
        let cells = measurements(&events);
        let order: Vec<_> = cells
            .iter()
            .map(|c| (c.key.round, c.key.cell_index))
            .collect();
        assert_eq!(order, (0..56).map(|i| (round, i)).collect::<Vec<_>>());
        writes.push(iops(cells[54]));
        let mut steady = 0;
        for (state, (read_percent, block)) in tracked.iter_mut().zip(pts::IOPS_TRACKED) {
            let mix = pts::IOPS_READ_PERCENT
                .iter()
                .position(|p| *p == read_percent);
            let size = pts::IOPS_BLOCKS.iter().position(|b| *b == block);
            let cell = cells[mix.expect("a mix") * 8 + size.expect("a block")];
            let verdict = state.push(Some(Sample {
                amount: cell.read.tally.ios + cell.write.tally.ios,
                per: cell.elapsed.0,
            }));
            steady += u32::from(matches!(verdict, Verdict::Steady(_)));
        }
        if steady == 3 {
            let window = &writes[writes.len() - 5..];
            return (Some(round), writes[0] * 5.0 / window.iter().sum::<f64>());
        }
    }
    (None, 0.0)
}

/// `dc-tlc` made 60 times smaller, with cells 60 times shorter: the same shares
/// of the capacity. The buffer is smaller too, or draining it would fill a cell.
const SHRUNK: &str = "sim:dc-tlc,capacity=1400MiB,buffer=64MiB";

#[test]
fn an_iops_test_is_steady_between_rounds_5_and_10() {
    let mut lab = Lab::open(SHRUNK);
    let (round, _) = steady_round(&mut lab, 10, Nanos(1_000_000_000), true);
    assert!(
        round.is_some_and(|round| (5..=10).contains(&round)),
        "{round:?}"
    );
}

/// Without the fill the first round runs on fresh flash, and its 4 KiB writes are well above those
/// of the window: 1.5 times on the full profile (below), a little less here, where hand-overs are
/// long beside the cells and write as well.
#[test]
fn without_a_fill_convergence_is_there_to_be_seen() {
    let mut lab = Lab::open(SHRUNK);
    let (round, fresh) = steady_round(&mut lab, 10, Nanos(1_000_000_000), false);
    assert!(
        round.is_some_and(|round| (5..=10).contains(&round)),
        "{round:?}"
    );
    assert!(fresh >= 1.3, "{fresh}");
}

#[test]
fn decay_keeps_a_test_from_steady_state_and_decay_that_stops_makes_it_late() {
    let cell_time = Nanos(250_000_000);
    let mut lab = Lab::open("sim:dc-tlc,capacity=350MiB,faults.decay=8%");
    assert_eq!(steady_round(&mut lab, 8, cell_time, true).0, None);
    let mut lab = Lab::open("sim:dc-tlc,capacity=350MiB,faults.decay=8%,faults.decay_rounds=3");
    let (round, _) = steady_round(&mut lab, 12, cell_time, true);
    assert!(round.is_some_and(|round| round > 5), "{round:?}");
}

/// The real profile with minute cells takes half a minute in a release build.
#[test]
#[cfg_attr(debug_assertions, ignore = "200 million I/Os; run with --release")]
fn the_default_drive_is_steady_between_rounds_5_and_10() {
    let mut lab = Lab::open("sim:dc-tlc");
    let (round, _) = steady_round(&mut lab, 10, pts::CELL_TIME, true);
    assert!(
        round.is_some_and(|round| (5..=10).contains(&round)),
        "{round:?}"
    );
    let (round, fresh) = steady_round(&mut lab, 10, pts::CELL_TIME, false);
    assert!(
        round.is_some_and(|round| (5..=10).contains(&round)),
        "{round:?}"
    );
    assert!(fresh >= 1.5, "{fresh}");
    println!("round-1 writes are {fresh:.2} times those of the window");
}

/// The bench asks for 10 and 4 million a second on a quiet core; half of it must always hold.
#[test]
#[cfg_attr(debug_assertions, ignore = "measures speed; run with --release")]
fn a_core_plays_millions_of_ios_a_second() {
    let mut lab = Lab::open("sim:dc-tlc,capacity=30GiB,flash.spare=25%");
    let shape = lab.shape();
    lab.fill_and_run(vec![shape.timed(0, 0, 4 * KIB, 1_000_000)]);
    for (read_percent, millis, least) in [(100, 60_000, 5.0e6), (0, 200_000, 2.0e6)] {
        let cell = shape.timed(1, read_percent, 4 * KIB, millis);
        let start = Instant::now();
        let events = lab.run(vec![vec![cell]]);
        let wall = start.elapsed().as_secs_f64();
        let cell = measurements(&events)[0];
        let rate = to_f64(cell.read.tally.ios + cell.write.tally.ios) / wall;
        assert!(rate >= least, "{rate}");
    }
}
