//! The validated form of a test file. Independent of any drive: ranges are shares or sizes.

use std::collections::BTreeMap;

pub use super::read_back::ReadBack;
use crate::stimulus::{BlockShares, Content, EngineKind};
use crate::units::{Bytes, Nanos};

/// A test file, validated.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// `[test]`.
    pub test: TestName,
    /// `[conditions]`.
    pub conditions: Conditions,
    /// Report fields the file itself supplies, by their key in the header block.
    pub report_fields: BTreeMap<String, String>,
    /// `[[step]]`, in order. Empty when the file consists of parts.
    pub steps: Vec<Step>,
    /// `[[part]]`, in order: other tests, each from its own purge.
    pub parts: Vec<Part>,
}

/// What a test is called and which clause it follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestName {
    /// Built-in name or file stem: `pts-e/iops`.
    pub name: String,
    /// Subtitle of the report pages.
    pub title: String,
    /// Edition of the standard: `PTS 2.0.2`; `None` for laboratory presets (not PTS).
    pub standard: Option<String>,
    /// Clause of the standard.
    pub clause: Option<String>,
}

/// What must be true of the drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conditions {
    /// State the volatile write cache shall have.
    pub write_cache: CacheWish,
}

/// Wanted state of the volatile write cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheWish {
    /// Disabled (PTS-E, WCD).
    Off,
    /// Enabled (PTS-C, WCE).
    On,
    /// As found.
    AsFound,
}

/// Another test used as a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Built-in name or path of the test file.
    pub uses: String,
    /// Overrides, as `--set` takes them.
    pub set: Vec<(String, String)>,
}

/// One entry of the test file.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its `do`, numbered where it repeats: `rounds`, or `fill.1` and `fill.2`.
    pub id: String,
    /// What it does.
    pub kind: StepKind,
}

/// The kinds of steps.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// Return the drive to the state of never-written LBAs.
    Purge,
    /// Transfer an amount (WIPC).
    Fill(Fill),
    /// Run a loop of cells again and again until the tracked variables are steady (WDPC).
    Rounds(Rounds),
    /// Apply one stimulus for a time or an amount.
    Hold(Hold),
    /// Apply one stimulus until a stop rule matches, judged on samples of it.
    Saturate(Saturate),
    /// A stimulus for a time, then host idle, again and again.
    Duty(Duty),
    /// Host idle.
    Idle(Nanos),
    /// Open loop at shares of a measured maximum.
    Curve(Curve),
    /// Captures at operating points chosen from an earlier step.
    Points(Points),
}

/// An access pattern with its demand intensity, not yet resolved against a drive.
#[derive(Debug, Clone, PartialEq)]
pub struct Stimulus {
    /// Workers (TC).
    pub threads: u32,
    /// Outstanding I/Os for each worker (QD).
    pub queue_depth: u32,
    /// How I/Os reach the kernel.
    pub engine: EngineKind,
    /// 0 to 100.
    pub read_percent: u8,
    /// 0 is sequential, 100 random.
    pub random_percent: u8,
    /// Block sizes of reads.
    pub read_blocks: BlockShares,
    /// Block sizes of writes.
    pub write_blocks: BlockShares,
    /// Active range.
    pub range: Range,
    /// Zones within the active range; empty means uniform.
    pub zones: Vec<ZoneShare>,
    /// What writes carry.
    pub content: Content,
    /// Where sequential streams start.
    pub sequential_start: SequentialStart,
    /// What happens to composite sizes below the logical block.
    pub small_blocks: SmallBlocks,
    /// Open-loop rate in I/Os a second; `None` is the closed loop.
    pub rate_iops: Option<u64>,
    /// Streams beside it, measured apart.
    pub with: Vec<Stimulus>,
    /// Whether its I/Os are discards instead of reads and writes; only in a stream beside.
    pub discards: bool,
}

/// A part of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// First byte of it.
    pub from: Place,
    /// First byte after it.
    pub to: Place,
}

/// A place on the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Share of the capacity, in millionths.
    Millionths(u32),
    /// Bytes from the start.
    At(Bytes),
}

/// A share of the I/Os confined to a part of the active range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoneShare {
    /// Weight among the zones.
    pub weight: u32,
    /// Where, in millionths of the active range.
    pub range: Range,
}

/// Where a sequential stream starts in each cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequentialStart {
    /// At the start of its share.
    Zero,
    /// Where the last cell stopped.
    Continue,
}

/// Composite block sizes below the drive's logical block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallBlocks {
    /// Left out; the other shares keep their proportions.
    Skip,
    /// Issued with the logical block.
    RoundUp,
}

/// How much a fill or a hold transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// A multiple, in thousandths, of the active range or of the whole capacity.
    Times {
        /// 2000 is "2x".
        thousandths: u64,
        /// What is multiplied.
        of: AmountOf,
    },
    /// Bytes.
    Exactly(Bytes),
}

/// What a multiple refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmountOf {
    /// User capacity.
    Capacity,
    /// The active range.
    Range,
}

/// A fill.
#[derive(Debug, Clone, PartialEq)]
pub struct Fill {
    /// What is written.
    pub stimulus: Stimulus,
    /// How much.
    pub amount: Amount,
    /// What of it is read back afterwards.
    pub read_back: ReadBack,
}

/// Rounds of a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    /// The cells of one round in the order of execution: the nested loops multiplied out.
    pub cells: Vec<LoopCell>,
    /// Keys of the loops from the outermost to the innermost, as written in the file.
    pub loop_keys: Vec<Vec<String>>,
    /// Time of one cell.
    pub cell_time: Nanos,
    /// Limit.
    pub rounds_max: u32,
    /// What happens at the limit.
    pub at_limit: AtLimit,
    /// Variables that must be steady, all in the same window.
    pub track: Vec<Variable>,
    /// Variables that are judged and shown but not required.
    pub watch: Vec<Variable>,
    /// Stimulus applied before each round, unrecorded.
    pub before_round: Option<Box<Hold>>,
    /// Host idle before each cell.
    pub idle_before_cell: Nanos,
}

/// A cell of a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopCell {
    /// What is done.
    pub stimulus: Stimulus,
}

/// What to do when the rounds reach their limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtLimit {
    /// Report the last five rounds with "steady state not reached".
    Stop,
    /// Go on until it is reached.
    Continue,
}

/// A quantity of a cell that is followed over the rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Which quantity.
    pub metric: Metric,
    /// Index of its cell in the loop.
    pub cell_index: u32,
}

/// Quantities of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// I/Os a second, reads plus writes.
    Iops,
    /// Bytes a second, printed in MB/s.
    Throughput,
    /// Mean latency, weighted by I/O count.
    LatencyMean,
}

/// A stimulus held.
#[derive(Debug, Clone, PartialEq)]
pub struct Hold {
    /// What is done.
    pub stimulus: Stimulus,
    /// Time, if time ends it.
    pub time: Option<Nanos>,
    /// Amount, if an amount ends it.
    pub amount: Option<Amount>,
    /// Length of one record.
    pub record_every: Option<Nanos>,
    /// Whether every response time is kept.
    pub capture: bool,
}

/// A stimulus until a stop rule matches.
#[derive(Debug, Clone, PartialEq)]
pub struct Saturate {
    /// What is done.
    pub stimulus: Stimulus,
    /// Length of one sample.
    pub sample_time: Nanos,
    /// One sample in so many is judged.
    pub sample_every: u32,
    /// Number of the first judged sample, from 1.
    pub sample_first: u32,
    /// Variables judged for steady state.
    pub steady: Vec<Metric>,
    /// Stop after this much.
    pub written_max: Option<Amount>,
    /// Stop after this time.
    pub time_max: Option<Nanos>,
    /// Stop when the mean response time exceeds this.
    pub response_time_max: Option<Nanos>,
    /// Stop after so many judged samples.
    pub samples_max: Option<u32>,
}

/// Stimulus and idle in turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Duty {
    /// What is done.
    pub stimulus: Stimulus,
    /// For how long.
    pub time: Nanos,
    /// Host idle after it.
    pub idle: Nanos,
    /// How often.
    pub repeat: u32,
}

/// Shares of a measured maximum, open loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What is done.
    pub stimulus: Stimulus,
    /// Shares in percent.
    pub percent: Vec<u32>,
    /// Unrecorded time before each point.
    pub warm_up: Nanos,
    /// Time of a point.
    pub time: Nanos,
}

/// Captures at operating points.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// Id of the step whose cells are the candidates.
    pub from: String,
    /// Only cells with a mean response time below this qualify.
    pub response_time_max: Nanos,
    /// Which points, in order: `max`, `mid`, `min`.
    pub choose: Vec<String>,
    /// Stimulus before each point.
    pub before_point: Option<Box<Hold>>,
    /// The capture.
    pub cell_time: Nanos,
}
