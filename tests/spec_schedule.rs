//! The schedule of each test of the standard, from its test file.
//!
//! Expected figures are schedule arithmetic of the standard: cells, rounds and times that follow
//! from the test definitions alone.
#![allow(
    clippy::unwrap_used,
    reason = "a helper of a test fails the test by panicking"
)]

use ptse::spec::plan::PlannedRounds;
use ptse::spec::{Plan, PlannedWork, Source, load};
use ptse::stimulus::Geometry;
use ptse::units::{Bytes, Nanos};

/// A drive sold as 7.68 TB.
const CAPACITY: Bytes = Bytes(7_681_501_126_656);

fn plan_of(name: &str, logical_block: u64) -> Plan {
    let path = format!("{}/tests/specs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let is_draft = std::path::Path::new(&path).exists();
    let source = Source::find(if is_draft { &path } else { name }).unwrap();
    let loaded = load(&source, &[], false).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let geometry = Geometry {
        capacity: CAPACITY,
        logical_block: Bytes(logical_block),
    };
    Plan::resolve(&loaded.spec, geometry).unwrap()
}

fn rounds(plan: &Plan) -> Vec<&PlannedRounds> {
    plan.steps
        .iter()
        .filter_map(|step| match &step.work {
            PlannedWork::Rounds(rounds) => Some(rounds),
            PlannedWork::Purge | PlannedWork::Fill(_) | PlannedWork::NotBuilt { .. } => None,
        })
        .collect()
}

fn minutes(count: u64) -> Option<Nanos> {
    Some(Nanos::from_secs(60 * count))
}

/// D-IOPS: 56 cells, 56 minutes a round, 1,400 minutes at most; five rounds are the least.
#[test]
fn iops_has_56_cells_and_at_most_1400_minutes() {
    let plan = plan_of("pts-e/iops", 512);
    assert_eq!(rounds(&plan)[0].cells.len(), 56);
    assert_eq!(rounds(&plan)[0].possible(), 56);
    let cost = plan.costs()[2];
    assert_eq!(
        (cost.time_min, cost.time_max),
        (minutes(280), minutes(1400))
    );
    assert!(plan.not_built().is_empty());
}

/// The order is normative: 100/0 first and 0/100 last outside, 1024 KiB down to 0.5 KiB inside.
#[test]
fn iops_cells_run_from_large_reads_to_small_writes() {
    let plan = plan_of("pts-e/iops", 512);
    let labels: Vec<&str> = rounds(&plan)[0]
        .cells
        .iter()
        .map(|c| c.label.as_str())
        .collect();
    assert_eq!(labels[0], "RND 1024 KiB 100/0");
    assert_eq!(labels[7], "RND 0.5 KiB 100/0");
    assert_eq!(labels[8], "RND 1024 KiB 95/5");
    assert_eq!(labels[55], "RND 0.5 KiB 0/100");
    let tracked: Vec<&str> = rounds(&plan)[0]
        .tracked
        .iter()
        .map(|v| v.label.as_str())
        .collect();
    assert_eq!(
        tracked,
        ["RND 4 KiB 0/100", "RND 64 KiB 65/35", "RND 1024 KiB 100/0"]
    );
}

/// The fill writes twice the user capacity, to the byte, over all of it.
#[test]
fn iops_fill_is_exactly_twice_the_capacity() {
    let plan = plan_of("pts-e/iops", 512);
    let fill = plan.fill().unwrap();
    assert_eq!(fill.amount, Bytes(2 * CAPACITY.0));
    assert_eq!(fill.access.zones.len(), 1);
    assert_eq!(
        (fill.access.zones[0].start, fill.access.zones[0].end),
        (Bytes(0), CAPACITY)
    );
    assert_eq!(fill.access.read_percent, 0);
}

/// 4 Kn drives cannot take 0.5 KiB: seven cells are left out with the reason, none is a zero.
#[test]
fn on_4096_byte_blocks_the_half_kib_row_is_impossible_with_its_reason() {
    let plan = plan_of("pts-e/iops", 4096);
    let rounds = rounds(&plan)[0];
    assert_eq!((rounds.cells.len(), rounds.possible()), (56, 49));
    let reason = rounds.cells[55].access.as_ref().unwrap_err();
    assert_eq!(reason, "0.5 KiB is smaller than the logical block of 4 KiB");
    assert_eq!(plan.costs()[2].time_max, minutes(49 * 25));
}

/// D-TP: two minutes a round and 50 minutes at most for each block size, each from its own purge.
#[test]
fn throughput_has_two_minute_rounds_for_each_block_size() {
    let plan = plan_of("pts-e/throughput", 512);
    let ids: Vec<&str> = plan.steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "purge.1", "fill.1", "rounds.1", "purge.2", "fill.2", "rounds.2"
        ]
    );
    for (rounds, index) in rounds(&plan).iter().zip([2, 5]) {
        assert_eq!(rounds.cells.len(), 2);
        assert_eq!(plan.costs()[index].time_max, minutes(50));
        assert_eq!((rounds.tracked.len(), rounds.watched.len()), (1, 1));
    }
    assert_eq!(rounds(&plan)[1].tracked[0].label, "SEQ 128 KiB 0/100");
}

/// D-LAT: nine cells, nine minutes a round, 225 minutes at most, then 20 minutes of capture.
#[test]
fn latency_has_nine_cells_and_a_capture_of_20_minutes() {
    let plan = plan_of("pts-e/latency", 512);
    assert_eq!(rounds(&plan)[0].cells.len(), 9);
    assert_eq!(plan.costs()[2].time_max, minutes(225));
    assert_eq!(plan.costs()[3].time_min, minutes(20));
}

/// D-WSAT: six hours at most in 2.0, four capacities, 20 minutes of capture.
#[test]
fn write_saturation_ends_after_six_hours_at_most() {
    let plan = plan_of("pts-e/wsat", 512);
    assert_eq!(plan.costs()[1].time_max, minutes(360));
    assert_eq!(plan.costs()[2].time_max, minutes(20));
    assert_eq!(
        plan.not_built(),
        [
            "step 'saturate' (saturate) is not built yet in this version",
            "step 'hold' (hold) is not built yet in this version",
        ]
    );
}

/// D-HIR: segments of 3600, 5400, 7200, 10800 and 19800 s, five baselines: 55,800 s.
#[test]
fn host_idle_recovery_takes_55800_seconds_after_preconditioning() {
    let plan = plan_of("pts-e/hir", 512);
    let costs = plan.costs();
    let seconds: Vec<u64> = costs[2..]
        .iter()
        .map(|cost| cost.time_max.unwrap().0 / 1_000_000_000)
        .collect();
    assert_eq!(
        seconds,
        [3600, 1800, 5400, 1800, 7200, 1800, 10800, 1800, 19800, 1800]
    );
    assert_eq!(seconds.iter().sum::<u64>(), 55_800);
}

/// D-XSR: 480 + 360 + 480 minutes.
#[test]
fn cross_stimulus_recovery_takes_1320_minutes() {
    let plan = plan_of("pts-e/xsr", 512);
    let (total, unknown) = plan.total();
    assert_eq!(total.time_max, minutes(1320));
    assert_eq!(unknown, ["purge"]);
}

/// D-CBW-DIRTH: 49 steps, five minutes before each round, 54 minutes a round, 25 rounds at most;
/// three points of 60 + 10 minutes.
#[test]
fn demand_variation_has_49_cells_and_54_minute_rounds() {
    for name in ["pts-e/cbw", "pts-e/dirth"] {
        let plan = plan_of(name, 512);
        assert_eq!(rounds(&plan)[0].cells.len(), 49);
        assert_eq!(plan.costs()[2].time_max, minutes(54 * 25));
        assert_eq!(plan.costs()[2].time_min, minutes(54 * 5));
        assert_eq!(plan.costs()[3].time_max, minutes(3 * 70));
        assert!(rounds(&plan)[0].cells[0].label.ends_with("TC 32 QD 32"));
        assert!(rounds(&plan)[0].cells[48].label.ends_with("TC 1 QD 1"));
    }
}

/// CBW-RANGE: 50, 30 and 20 % of the I/Os to 5, 15 and 80 % of the addresses, without gap or
/// overlap, the last one to the end of the drive.
#[test]
fn composite_zones_tile_the_drive() {
    let plan = plan_of("pts-e/cbw", 512);
    let access = rounds(&plan)[0].cells[0].access.as_ref().unwrap();
    let weights: Vec<u32> = access.zones.iter().map(|zone| zone.weight).collect();
    assert_eq!(weights, [50, 30, 20]);
    assert_eq!(access.zones[0].start, Bytes(0));
    assert_eq!(access.zones[2].end, CAPACITY);
    for pair in access.zones.windows(2) {
        assert_eq!(pair[0].end, pair[1].start);
        assert_eq!(pair[0].end.0 % 4096, 0);
    }
    assert_eq!(access.zones[0].end.0, CAPACITY.0 / 20 / 4096 * 4096);
    let weight_sum: u32 = access.read_blocks.0.iter().map(|(_, weight)| weight).sum();
    assert_eq!((access.read_blocks.0.len(), weight_sum), (12, 100));
}
