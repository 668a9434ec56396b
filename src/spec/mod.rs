//! Test files: from TOML text to a validated [`Spec`], and from that to a [`Plan`] for one drive.
//!
//! A test is data. The loader reads a file with its overrides and reports every mistake at once;
//! [`Plan::resolve`] turns percentages and multiples into the bytes of one drive.
//!
//! The way of a file: [`Source`] finds its text; `tree` parses it with the place of every value;
//! `set` and `quick` edit the tree; `document`, `stimulus`, `steps` and `rounds` judge it and
//! build the [`Spec`]; `write` makes the effective file of the same tree.

mod content;
mod document;
mod errors;
mod fit;
mod hold;
mod load;
mod nearest;
mod params;
mod pattern;
mod plan_error;
mod quick;
mod read_back;
mod reader;
mod resolve;
mod rounds;
mod saturate;
mod set;
mod source;
mod steps;
mod stimulus;
mod track;
mod tree;
mod write;

pub mod builtin;
pub mod keys;
pub mod label;
pub mod model;
pub mod plan;
pub mod schedule;

pub use document::{REPORT_FIELDS, SCHEMA};
pub use errors::SpecErrors;
pub use load::{Loaded, PartError, load};
pub use model::{Spec, Step, StepKind};
pub use nearest::suggestion;
pub use plan::{Plan, PlannedStep, PlannedWork};
pub use plan_error::{PlanError, PlanErrors};
pub use schedule::Cost;
pub use source::{Source, SourceError};
