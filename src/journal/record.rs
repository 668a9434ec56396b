//! Records as they stand on disk, version 1. Every field name here is a promise.
//!
//! Integers are exact; a missing value is `null` or an absent key, never 0. Times on the drive's
//! clock end in `_ns` and count from the opening of the drive in the segment of the run.

mod cell;
mod drive;
mod failed;
mod limits;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use cell::{ArrivalsRecord, FlashRecord, WorkerRecord};
pub use drive::{CacheDone, CacheOccasion, DriveRecord, HealthDone, HostRecord};
pub use failed::{FailedIo, FailedKind};
pub use limits::LimitsRecord;

/// Version of this form. A reader refuses any other by name.
pub const SCHEMA: &str = "ptse-journal/1";

/// A line of the journal without its hash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Date with time zone, RFC 3339; of the simulated calendar in a simulated run.
    pub at: String,
    /// What happened.
    #[serde(flatten)]
    pub record: Record,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub enum Record {
    /// The first line.
    RunOpened(Box<RunOpened>),
    /// A step begins.
    StepStarted(StepStarted),
    /// A purge ended well.
    Purged(PurgeDone),
    /// The write cache was read, and set where that was asked for.
    Cache(CacheDone),
    /// What the drive told of its health.
    Health(Box<HealthDone>),
    /// A cell returned.
    CellDone(Box<CellDone>),
    /// A round is complete and judged.
    RoundClosed(RoundClosed),
    /// A step has ended.
    StepDone(StepDone),
    /// Something the ledger must name.
    Warning(Warning),
    /// Report fields supplied after the fact.
    Annotated(Annotated),
    /// The run stopped before its end and can be resumed.
    Interrupted(Interrupted),
    /// The run goes on.
    Resumed(Box<Resumed>),
    /// The last line of a complete run.
    RunClosed(RunClosed),
}

/// Everything the run was opened with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunOpened {
    /// [`SCHEMA`].
    pub schema: String,
    /// `ptse` and its version as major.minor.
    pub tool: String,
    /// The test file as given: built-in name or path.
    pub spec_name: String,
    /// Its text in full.
    pub spec_text: String,
    /// SHA-256 of that text, in hex.
    pub spec_sha256: String,
    /// `--set` arguments in their order.
    pub overrides: Vec<String>,
    /// Whether `--quick` shortened it.
    pub quick: bool,
    /// The effective test file: overrides and `--quick` applied. The plan is made from this.
    pub effective: String,
    /// Seed of all random streams.
    pub seed: u64,
    /// Purge method asked for: `auto`, `discard`, `none`.
    pub purge_method: String,
    /// Options that lifted a guard: `even-with-signatures`.
    pub waivers: Vec<String>,
    /// The serial or kernel name the operator gave to allow erasing; `null` for a simulated drive.
    pub erase_consent: Option<String>,
    /// The drive.
    pub drive: DriveRecord,
    /// The machine.
    pub host: HostRecord,
    /// Report fields supplied by the operator, by key.
    pub fields: BTreeMap<String, String>,
}

/// A step begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepStarted {
    /// Index in the plan, from 0.
    pub step_index: u32,
    /// Its id.
    pub step: String,
}

/// A purge that ended well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeDone {
    /// Index of its step.
    pub step_index: u32,
    /// Method in words.
    pub method: String,
    /// Whether the standard names it.
    pub named_by_standard: bool,
    /// How it was checked, or why not.
    pub verification: String,
    /// Begin on the drive's clock.
    pub started_ns: u64,
    /// End on the drive's clock.
    pub ended_ns: u64,
}

/// What a cell returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellDone {
    /// Index of its step.
    pub step_index: u32,
    /// Round from 1; 0 where there are no rounds.
    pub round: u32,
    /// Index in the loop, from 0.
    pub cell_index: u32,
    /// Its name for people.
    pub cell: String,
    /// Start of its clock.
    pub started_ns: u64,
    /// Time on its clock.
    pub elapsed_ns: u64,
    /// Reads; absent when none completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<FlowRecord>,
    /// Writes; absent when none completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<FlowRecord>,
    /// Time without any outstanding I/O before it; `null` where it was not measured.
    pub idle_gap_ns: Option<u64>,
    /// Time in which it overlapped with the cell before.
    pub hand_over_ns: u64,
    /// I/Os that completed in the hand-over, counted for neither cell.
    pub hand_over_ios: u64,
    /// Reads issued for it, completed or not; absent in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_issued: Option<u64>,
    /// Writes issued for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes_issued: Option<u64>,
    /// What an open loop asked for; absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalsRecord>,
    /// How busy each worker's thread was; absent for a simulated drive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerRecord>,
    /// Why the host may have been the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_limited: Option<String>,
    /// Flash operations, from a simulated drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash: Option<FlashRecord>,
}

/// One direction of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowRecord {
    /// Completed I/Os.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Sum of their latencies.
    pub latency_ns_sum: u64,
    /// Smallest latency.
    pub latency_ns_min: u64,
    /// Largest latency.
    pub latency_ns_max: u64,
    /// Latencies in ns, HdrHistogram V2, deflated, base64.
    pub histogram: String,
}

/// A round, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundClosed {
    /// Index of its step.
    pub step_index: u32,
    /// Round from 1.
    pub round: u32,
    /// Whether all tracked variables are steady in the window that ends here.
    pub steady: bool,
    /// Every tracked variable, then every watched one.
    pub variables: Vec<VariableJudged>,
}

/// A variable after a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariableJudged {
    /// Its name for people.
    pub variable: String,
    /// Whether steady state depends on it.
    pub tracked: bool,
    /// Numerator of its value in this round; `null` when the cell gave none.
    pub amount: Option<u64>,
    /// Denominator.
    pub per: Option<u64>,
    /// `too-few`, `invalid`, `unsteady` or `steady`.
    pub verdict: String,
    /// The evidence, once five rounds exist.
    pub window: Option<WindowRecord>,
}

/// The evidence of a verdict, in the printed unit of the variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WindowRecord {
    /// First round.
    pub round_first: u32,
    /// Mean of five values.
    pub mean: f64,
    /// Largest minus smallest.
    pub data_excursion: f64,
    /// Gradient of the fitted line.
    pub slope_per_round: f64,
    /// Its value at round 0.
    pub intercept: f64,
    /// Its travel across the window.
    pub slope_excursion: f64,
    /// Data excursion within 20 % of the mean.
    pub data_holds: bool,
    /// Slope excursion within 10 % of the mean.
    pub slope_holds: bool,
}

/// A step has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepDone {
    /// Its index.
    pub step_index: u32,
}

/// Something the ledger must name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Kind, for programs: `samples-stopped`, `clock-jumped`.
    pub kind: String,
    /// For people.
    pub text: String,
}

/// Report fields supplied after the fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotated {
    /// Fields by key.
    pub fields: BTreeMap<String, String>,
}

/// The run stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupted {
    /// By what: `Ctrl-C`, `SIGTERM`, `I/O error: ...`.
    pub cause: String,
    /// The I/O that failed, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<FailedIo>,
    /// I/Os that never completed, where the drive stopped answering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<u32>,
}

/// The run goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumed {
    /// Tool version that goes on.
    pub tool: String,
    /// Address at which the drive was found again.
    pub address: String,
    /// Seconds between the last record and the resume; `null` where the clock went back.
    pub pause_s: Option<u64>,
    /// The drive as it is now; absent where this very process goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<DriveRecord>,
    /// The machine as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostRecord>,
}

/// The end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunClosed {
    /// `steady`, `not-steady` or `done` for tests without a steady-state rule.
    pub outcome: String,
    /// Rows of `samples.csv` without its heading.
    pub samples_rows: u64,
    /// SHA-256 of `samples.csv`, in hex.
    pub samples_sha256: String,
}
