//! A test file resolved against one drive: bytes, cells, durations. Touches nothing.

use crate::spec::model::{AtLimit, Metric, Spec};
use crate::stimulus::{Access, Geometry};
use crate::units::{Bytes, Nanos};

/// What would happen on a drive of this size.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The test.
    pub spec: Spec,
    /// The drive.
    pub geometry: Geometry,
    /// Its steps in order.
    pub steps: Vec<PlannedStep>,
}

/// A step, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStep {
    /// Id as in the test file.
    pub id: String,
    /// What it does.
    pub work: PlannedWork,
}

/// The work of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum PlannedWork {
    /// Purge.
    Purge,
    /// One cell that transfers an amount.
    Fill(PlannedFill),
    /// Rounds of cells.
    Rounds(PlannedRounds),
    /// A step of the language that this version can plan but not run.
    NotBuilt {
        /// Its `do`.
        name: &'static str,
        /// Shortest and longest time, where they are known.
        time: Option<(Nanos, Nanos)>,
    },
}

/// A fill, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedFill {
    /// What is written.
    pub access: Access,
    /// How much.
    pub amount: Bytes,
    /// What is read back afterwards; `None` where nothing is.
    pub read_back: Option<PlannedReadBack>,
}

/// Reads after a fill that must return what it wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedReadBack {
    /// What is read.
    pub access: Access,
    /// How much.
    pub amount: Bytes,
    /// Whether that is all that was written.
    pub is_all: bool,
}

/// Rounds, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRounds {
    /// All cells of the loop in their order, impossible ones included.
    pub cells: Vec<PlannedCell>,
    /// Time of a cell.
    pub cell_time: Nanos,
    /// Limit.
    pub rounds_max: u32,
    /// At the limit.
    pub at_limit: AtLimit,
    /// Variables that must be steady in the same window.
    pub tracked: Vec<PlannedVariable>,
    /// Variables that are only shown.
    pub watched: Vec<PlannedVariable>,
}

/// A cell of the loop on this drive.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCell {
    /// Its name for people: `RND 4 KiB 65/35`.
    pub label: String,
    /// 0 to 100.
    pub read_percent: u8,
    /// The block size, where there is one only.
    pub block: Option<Bytes>,
    /// What is done, or why this drive cannot do it.
    pub access: Result<Access, String>,
}

/// A variable, tied to a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedVariable {
    /// Which quantity.
    pub metric: Metric,
    /// Index of its cell among [`PlannedRounds::cells`].
    pub cell_index: u32,
    /// Its name for people: `RND 4 KiB 0/100`.
    pub label: String,
}

impl Metric {
    /// Heading with its unit: `IOPS`, `MB/s`, `ms`.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::Throughput => "MB/s",
            Self::LatencyMean => "ms",
        }
    }

    /// Factor from the exact fraction of [`crate::steady_state::Sample`] to the printed unit:
    /// I/Os or bytes for each nanosecond, or nanoseconds for each I/O.
    pub fn scale(self) -> f64 {
        match self {
            Self::Iops => 1e9,
            Self::Throughput => 1e9 / 1e6,
            Self::LatencyMean => 1e-6,
        }
    }
}

impl PlannedFill {
    /// Number of its cells: the fill itself, and the read-back.
    pub fn cells(&self) -> usize {
        1 + usize::from(self.read_back.is_some())
    }
}

impl PlannedRounds {
    /// Number of cells this drive can run.
    pub fn possible(&self) -> usize {
        self.cells.iter().filter(|cell| cell.access.is_ok()).count()
    }
}

impl Plan {
    /// The rounds of the test and the index of their step, if it has any.
    pub fn rounds(&self) -> Option<(usize, &PlannedRounds)> {
        self.steps
            .iter()
            .enumerate()
            .find_map(|(index, step)| match &step.work {
                PlannedWork::Rounds(rounds) => Some((index, rounds)),
                PlannedWork::Purge | PlannedWork::Fill(_) | PlannedWork::NotBuilt { .. } => None,
            })
    }

    /// The first fill of the test, if it has one.
    pub fn fill(&self) -> Option<&PlannedFill> {
        self.steps.iter().find_map(|step| match &step.work {
            PlannedWork::Fill(fill) => Some(fill),
            PlannedWork::Purge | PlannedWork::Rounds(_) | PlannedWork::NotBuilt { .. } => None,
        })
    }

    /// Whether the test begins with a purge.
    pub fn has_purge(&self) -> bool {
        self.steps
            .iter()
            .any(|step| step.work == PlannedWork::Purge)
    }
}
