//! The subcommands: what each takes, does and prints. Wiring only; the only place that prints.

pub mod plan;
pub mod specs;
