//! Why a test has no plan for a drive, each reason with its step and the figures behind it.

use crate::units::Bytes;

/// Why a test cannot be run on a drive of this geometry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A capacity or a logical block that no drive has.
    #[error(
        "a drive of {capacity} bytes with logical blocks of {logical_block} bytes cannot be \
         tested: the capacity must be a multiple of the block, and the block at least 512"
    )]
    OddGeometry {
        /// In bytes.
        capacity: u64,
        /// In bytes.
        logical_block: u64,
    },
    /// A range that ends beyond the drive.
    #[error("step '{step}': the range ends at {end}, beyond the {capacity} bytes of the drive")]
    BeyondEnd {
        /// Id of the step.
        step: String,
        /// End of the range.
        end: Bytes,
        /// In bytes.
        capacity: u64,
    },
    /// A range without room for the I/Os.
    #[error(
        "the drive is too small for step '{step}': {threads} threads with blocks of up to {block} \
         need a range of at least {needed}, and it has {}",
        Bytes(*found)
    )]
    TooSmall {
        /// Id of the step.
        step: String,
        /// Workers.
        threads: u32,
        /// Largest block, `1024 KiB`.
        block: String,
        /// Smallest range that would do.
        needed: Bytes,
        /// The range in bytes.
        found: u64,
    },
    /// A step whose only stimulus this drive cannot take.
    #[error("step '{step}' is impossible on this drive: {reason}")]
    Impossible {
        /// Id of the step.
        step: String,
        /// Why.
        reason: String,
    },
    /// A variable that must be steady, of a cell that this drive cannot run.
    #[error("step '{step}' tracks {label}, which is impossible on this drive: {reason}")]
    TrackedImpossible {
        /// Id of the step.
        step: String,
        /// Label of the cell.
        label: String,
        /// Why.
        reason: String,
    },
}

/// Every reason at once; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanErrors(pub Vec<PlanError>);

impl std::fmt::Display for PlanErrors {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines: Vec<String> = self.told().map(PlanError::to_string).collect();
        out.write_str(&lines.join("\n"))
    }
}

impl PlanErrors {
    /// What is worth saying: of several ranges that are too small, the one that needs the most.
    fn told(&self) -> impl Iterator<Item = &PlanError> {
        let need = |error: &PlanError| match error {
            PlanError::TooSmall { needed, .. } => Some(*needed),
            PlanError::OddGeometry { .. }
            | PlanError::BeyondEnd { .. }
            | PlanError::Impossible { .. }
            | PlanError::TrackedImpossible { .. } => None,
        };
        let largest = self
            .0
            .iter()
            .filter(|error| need(error).is_some())
            .max_by_key(|e| need(e));
        let others = self.0.iter().filter(move |error| need(error).is_none());
        largest.into_iter().chain(others)
    }
}

impl std::error::Error for PlanErrors {}
