//! Test files: from TOML text to a validated [`Spec`], and from that to a [`Plan`] for one drive.
//!
//! A test is data. The loader reads a file with its overrides and reports every mistake at once;
//! [`Plan::resolve`] turns percentages and multiples into the bytes of one drive.

pub mod model;
pub mod plan;

pub use model::{Spec, Step, StepKind};
pub use plan::{Plan, PlannedStep, PlannedWork};
