//! Runs made of published figures, for the tests of the ledger and of the report.
//!
//! Sources: cloudharmony/block-storage, sample report (PTS-E 1.1 layout, rounds 1 to 5), and
//! transcend-information/SNIA-SSS-PTS, README (PTS-E 2.0 layout, rounds 5 to 9).

mod opened;
mod rounds;

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};

use crate::journal::RunState;
use crate::journal::record::{
    DriveRecord, HostRecord, PurgeDone, RoundClosed, RunClosed, RunOpened, VariableJudged,
    WindowRecord,
};
use crate::journal::state::{Attempt, CellResult, Noted, RoundResult};
use crate::pts;
use crate::spec::model::{AtLimit, CacheWish, Conditions, Metric, Spec, TestName};
use crate::spec::plan::{
    Plan, PlannedCell, PlannedFill, PlannedRounds, PlannedStep, PlannedVariable, PlannedWork,
};
use crate::stats::Tally;
use crate::steady_state::{Sample, SteadyState, Verdict};
use crate::stimulus::{Access, BlockShares, CellKey, Content, EngineKind, Geometry, Zone};
use crate::units::{Bytes, KIB, Nanos};
use opened::opened;
use rounds::round_results;

/// IOPS in tenths, rows 0.5 to 1024 KiB, columns 0/100 to 100/0.
pub(crate) type Tenths = [[u64; 7]; 8];

/// Matrix of the cloudharmony sample report.
pub(crate) const CLOUDHARMONY: Tenths = [
    [
        110_930, 111_248, 110_308, 110_638, 113_576, 112_336, 768_882,
    ],
    [
        117_268, 117_152, 118_020, 117_904, 117_818, 117_170, 701_058,
    ],
    [
        114_820, 115_368, 115_438, 116_678, 115_838, 116_232, 627_554,
    ],
    [
        103_062, 103_194, 103_438, 103_646, 103_014, 104_312, 565_642,
    ],
    [77_682, 80_702, 77_918, 77_754, 79_644, 79_102, 432_900],
    [52_474, 53_870, 53_520, 53_142, 53_946, 53_326, 221_736],
    [32_432, 32_900, 32_676, 32_924, 33_092, 33_316, 121_118],
    [8128, 7986, 8096, 8072, 7986, 8540, 10_598],
];

/// Window of RND 4 KiB 0/100 that gives the sample report's determination data exactly.
pub(crate) const CLOUDHARMONY_WINDOW: [u64; 5] = [116_460, 117_300, 119_030, 117_520, 116_030];

/// Matrix of the Transcend README.
pub(crate) const TRANSCEND: Tenths = [
    [73_612, 75_706, 102_738, 130_929, 171_148, 528_896, 825_071],
    [79_433, 79_131, 110_056, 140_153, 184_294, 548_755, 820_955],
    [41_131, 40_439, 57_712, 72_527, 99_483, 338_593, 582_727],
    [20_945, 20_425, 29_705, 36_520, 49_919, 176_098, 314_583],
    [10_295, 10_760, 14_901, 18_665, 25_355, 92_246, 160_234],
    [5263, 5330, 7471, 9424, 12_596, 43_988, 77_292],
    [2628, 2723, 3747, 4666, 6470, 21_522, 35_369],
    [327, 348, 486, 610, 823, 2706, 4363],
];

/// Rounds 1 to 9 of 0.5, 4 and 8 KiB 0/100, read off the README's convergence plot.
pub(crate) const TRANSCEND_CONVERGENCE: [[u64; 9]; 3] = [
    [
        65_500, 91_800, 73_800, 72_900, 79_000, 72_100, 73_100, 72_600, 71_300,
    ],
    [
        72_500, 102_900, 90_000, 88_000, 79_700, 84_700, 77_400, 76_400, 78_900,
    ],
    [
        35_400, 50_600, 44_800, 40_500, 43_900, 40_500, 40_000, 42_700, 38_500,
    ],
];

const CAPACITY: Bytes = Bytes(480_103_981_056);

const WHOLE_DRIVE: Zone = Zone {
    weight: 1,
    start: Bytes(0),
    end: CAPACITY,
};

/// The plan of pts-e/iops on a drive with this logical block.
pub(crate) fn plan(logical_block: Bytes) -> Plan {
    let access = |read_percent, random_percent, block| Access {
        threads: 4,
        queue_depth: 32,
        engine: EngineKind::Ring,
        read_percent,
        random_percent,
        read_blocks: BlockShares::one(block),
        write_blocks: BlockShares::one(block),
        zones: vec![WHOLE_DRIVE],
        content: Content::Random,
        logical_block,
        rate_iops: None,
    };
    let cell = |read_percent: u8, block: Bytes| PlannedCell {
        label: label(read_percent, block),
        read_percent,
        block: Some(block),
        access: if block < logical_block {
            let (size, logical) = (block.as_block(), logical_block.0);
            Err(format!(
                "{size} is smaller than the drive's blocks of {logical} bytes"
            ))
        } else {
            Ok(access(read_percent, 100, block))
        },
    };
    let cells: Vec<PlannedCell> = pts::IOPS_READ_PERCENT
        .iter()
        .flat_map(|read| pts::IOPS_BLOCKS.iter().map(|block| cell(*read, *block)))
        .collect();
    let tracked = pts::IOPS_TRACKED.iter().map(|(read, block)| {
        let is_it = |cell: &PlannedCell| (cell.read_percent, cell.block) == (*read, Some(*block));
        PlannedVariable {
            metric: Metric::Iops,
            cell_index: u32::try_from(cells.iter().position(is_it).unwrap()).unwrap(),
            label: label(*read, *block),
        }
    });
    let rounds = PlannedRounds {
        tracked: tracked.collect(),
        cells: cells.clone(),
        cell_time: pts::CELL_TIME,
        rounds_max: pts::ROUNDS_MAX,
        at_limit: AtLimit::Stop,
        watched: Vec::new(),
    };
    let fill = opened::twice(access(0, 0, pts::WIPC_BLOCK));
    let step = |id: &str, work| PlannedStep {
        id: id.to_owned(),
        work,
    };
    Plan {
        spec: spec(),
        geometry: Geometry {
            capacity: CAPACITY,
            logical_block,
        },
        steps: vec![
            step("purge", PlannedWork::Purge),
            step("fill", PlannedWork::Fill(fill)),
            step("rounds", PlannedWork::Rounds(rounds)),
        ],
    }
}

fn label(read_percent: u8, block: Bytes) -> String {
    format!(
        "RND {} {read_percent}/{}",
        block.as_block(),
        100 - read_percent
    )
}

fn spec() -> Spec {
    Spec {
        test: TestName {
            name: "pts-e/iops".to_owned(),
            title: "IOPS - Block Size x RW Mix Matrix".to_owned(),
            standard: Some(pts::EDITION.to_owned()),
            clause: Some("7".to_owned()),
        },
        conditions: Conditions {
            write_cache: CacheWish::Off,
        },
        report_fields: BTreeMap::new(),
        steps: Vec::new(),
        parts: Vec::new(),
    }
}

/// A plan's loop, to be changed by a test.
pub(crate) fn rounds_of(plan: &mut Plan) -> &mut PlannedRounds {
    plan.steps
        .iter_mut()
        .find_map(|step| match &mut step.work {
            PlannedWork::Rounds(rounds) => Some(rounds),
            PlannedWork::Purge | PlannedWork::Fill(_) | PlannedWork::NotBuilt { .. } => None,
        })
        .unwrap()
}

/// A plan's fill, to be changed by a test.
pub(crate) fn fill_of(plan: &mut Plan) -> &mut PlannedFill {
    plan.steps
        .iter_mut()
        .find_map(|step| match &mut step.work {
            PlannedWork::Fill(fill) => Some(fill),
            PlannedWork::Purge | PlannedWork::Rounds(_) | PlannedWork::NotBuilt { .. } => None,
        })
        .unwrap()
}

/// The five rounds of the sample report.
pub(crate) fn published_rounds() -> Vec<Tenths> {
    let round = |four_kib: u64| {
        let mut values = CLOUDHARMONY;
        values[1][0] = four_kib;
        values
    };
    CLOUDHARMONY_WINDOW.into_iter().map(round).collect()
}

/// The nine rounds of the Transcend plot; block sizes it was not read off for are scaled with
/// 4 KiB, and all mixes stay as in the table.
pub(crate) fn converging_rounds() -> Vec<Tenths> {
    let round = |index: usize| {
        let mut values = TRANSCEND;
        for (row, line) in values.iter_mut().enumerate() {
            line[0] = match TRANSCEND_CONVERGENCE.get(row) {
                Some(series) => series[index],
                None => line[0] * TRANSCEND_CONVERGENCE[1][index] / TRANSCEND[1][0],
            };
        }
        values
    };
    (0..9).map(round).collect()
}

/// A complete run of these rounds.
pub(crate) fn run(plan: &Plan, rounds: &[Tenths]) -> RunState {
    let segments: Vec<(u32, Tenths)> = rounds.iter().map(|values| (0, *values)).collect();
    let mut state = unfinished(plan, &segments);
    let closed = Noted {
        record: state.record_last + 1,
        at: state.last_at,
        what: RunClosed {
            outcome: "steady".to_owned(),
            samples_rows: 0,
            samples_sha256: String::new(),
        },
    };
    state.record_last += 1;
    state.closed = Some(closed);
    for attempt in &mut state.attempts {
        attempt.is_done = true;
    }
    state
}

/// A run that has not ended, its rounds with their segments.
pub(crate) fn unfinished(plan: &Plan, rounds: &[(u32, Tenths)]) -> RunState {
    let mut record = 5;
    let planned = plan.rounds().unwrap().1;
    let rounds = round_results(planned, rounds, &mut record);
    let fill = plan.fill().map(|fill| fill_cell(fill.amount));
    let attempt = |step_index, record, purged, cells, rounds: Vec<RoundResult>| Attempt {
        step_index,
        step: plan.steps[usize::try_from(step_index).unwrap()].id.clone(),
        segment: 0,
        record,
        at: date(u64::from(step_index) * 600),
        purged,
        cells,
        is_done: rounds.is_empty(),
        rounds,
    };
    let last = date(600 + record * 60);
    RunState {
        opened: opened(plan),
        opened_at: date(0),
        attempts: vec![
            attempt(0, 2, Some(purged()), Vec::new(), Vec::new()),
            attempt(1, 3, None, fill.into_iter().collect(), Vec::new()),
            attempt(2, 5, None, Vec::new(), rounds),
        ],
        warnings: Vec::new(),
        annotations: Vec::new(),
        caches: Vec::new(),
        healths: Vec::new(),
        interruptions: Vec::new(),
        closed: None,
        record_last: record,
        last_at: last,
    }
}

/// A date of the fixture, in seconds from its beginning.
pub(crate) fn date(seconds: u64) -> DateTime<FixedOffset> {
    let start = DateTime::parse_from_rfc3339("2026-03-02T08:00:00+01:00").unwrap();
    start + std::time::Duration::from_secs(seconds)
}

fn purged() -> Noted<PurgeDone> {
    Noted {
        record: 2,
        at: date(30),
        what: PurgeDone {
            step_index: 0,
            method: "NVMe Format NVM, user data erase".to_owned(),
            named_by_standard: true,
            verification: "1024 blocks read back as zeros".to_owned(),
            started_ns: 0,
            ended_ns: 12_000_000_000,
        },
    }
}

fn fill_cell(amount: Bytes) -> CellResult {
    let ios = amount.0.div_ceil(128 * KIB);
    CellResult {
        record: 4,
        key: CellKey {
            step_index: 1,
            round: 0,
            cell_index: 0,
        },
        label: "SEQ 128 KiB 0/100".to_owned(),
        started: Nanos::from_secs(12),
        elapsed: Nanos::from_secs(900),
        read: Tally::default(),
        write: tally(ios, amount.0, Nanos::from_secs(900)),
        read_histogram: None,
        write_histogram: None,
        idle_gap: Some(Nanos(0)),
        hand_over: Nanos(0),
        hand_over_ios: 0,
        issued: None,
        arrivals: None,
        workers: Vec::new(),
        host_limited: None,
        flash: None,
    }
}

/// By Little's law 128 outstanding I/Os have latencies that add up to 128 times the time.
fn tally(ios: u64, bytes: u64, elapsed: Nanos) -> Tally {
    if ios == 0 {
        return Tally::default();
    }
    let mean = 128 * elapsed.0 / ios;
    Tally {
        ios,
        bytes,
        latency_ns_sum: 128 * elapsed.0,
        latency_ns_min: mean / 4,
        latency_ns_max: mean * 20,
    }
}
