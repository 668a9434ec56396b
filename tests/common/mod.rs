//! What several test files share: a small plan and small records, made by hand.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "each test file uses its own part; tests panic, and say what they skip"
)]

pub mod killed;
pub mod loops;
mod plans;

use std::collections::BTreeMap;

use ptse::journal::record::{
    CellDone, DriveRecord, FlowRecord, HostRecord, Line, PurgeDone, Record, RoundClosed, RunOpened,
    SCHEMA, StepDone, StepStarted,
};
use ptse::journal::{RunState, histograms};
use ptse::stats::Histogram;

#[allow(unused_imports, reason = "each test file uses its own part of it")]
pub use plans::plan;

/// A line with a fixed date.
pub fn line(record: Record) -> Line {
    Line {
        at: "2026-01-05T18:00:00.000Z".to_owned(),
        record,
    }
}

/// The opening record of a run on a drive of 1 GiB.
pub fn opened() -> Line {
    line(Record::RunOpened(Box::new(RunOpened {
        schema: SCHEMA.to_owned(),
        tool: "ptse 0.1".to_owned(),
        spec_name: "pts-e/iops".to_owned(),
        spec_text: String::new(),
        spec_sha256: String::new(),
        overrides: Vec::new(),
        quick: false,
        effective: String::new(),
        seed: 1,
        purge_method: "auto".to_owned(),
        waivers: Vec::new(),
        erase_consent: None,
        drive: DriveRecord {
            address: "sim:test".to_owned(),
            kind: "simulated".to_owned(),
            manufacturer: None,
            model: "test".to_owned(),
            serial: Some("SIM-1".to_owned()),
            firmware: None,
            interface: None,
            nand: None,
            pcie: None,
            capacity_bytes: 1 << 30,
            logical_block_bytes: 512,
            physical_block_bytes: None,
            write_cache: "off".to_owned(),
            anchor: "sim:test".to_owned(),
            scale: None,
            engine: None,
            limits: None,
        },
        host: HostRecord::default(),
        fields: BTreeMap::new(),
    })))
}

/// A step begins.
pub fn started(step_index: u32, step: &str) -> Line {
    line(Record::StepStarted(StepStarted {
        step_index,
        step: step.to_owned(),
    }))
}

/// A purge that ended.
pub fn purged(step_index: u32) -> Line {
    line(Record::Purged(PurgeDone {
        step_index,
        method: "format".to_owned(),
        named_by_standard: true,
        verification: "checked".to_owned(),
        started_ns: 0,
        ended_ns: 1,
    }))
}

/// A step has ended.
pub fn done(step_index: u32) -> Line {
    line(Record::StepDone(StepDone { step_index }))
}

/// A cell with `ios` writes of 4 KiB in a second.
pub fn cell(step_index: u32, round: u32, cell_index: u32, ios: u64) -> Line {
    let mut histogram = Histogram::default();
    histogram.record_times(1_000_000, ios);
    let flow = FlowRecord {
        ios,
        bytes: ios * 4096,
        latency_ns_sum: ios * 1_000_000,
        latency_ns_min: 1_000_000,
        latency_ns_max: 1_000_000,
        histogram: histograms::encode(&histogram),
    };
    line(Record::CellDone(Box::new(CellDone {
        step_index,
        round,
        cell_index,
        cell: "RND 4 KiB 0/100".to_owned(),
        started_ns: 0,
        elapsed_ns: 1_000_000_000,
        read: None,
        write: Some(flow),
        idle_gap_ns: Some(0),
        hand_over_ns: 0,
        hand_over_ios: 0,
        reads_issued: None,
        writes_issued: None,
        arrivals: None,
        workers: Vec::new(),
        host_limited: None,
        flash: None,
    })))
}

/// A round, judged steady or not, without variables.
pub fn round(step_index: u32, round: u32, steady: bool) -> Line {
    line(Record::RoundClosed(RoundClosed {
        step_index,
        round,
        steady,
        variables: Vec::new(),
    }))
}

/// The fold of lines, the first of which opens the run.
pub fn fold(lines: &[Line]) -> RunState {
    let mut state = RunState::open(&lines[0]).unwrap();
    for line in &lines[1..] {
        state.apply(line).unwrap();
    }
    state
}
