//! ptse takes a solid-state drive from purge to a PTS-format report.
pub mod drive;
pub mod engine;
pub mod journal;
pub mod pts;
pub mod spec;
pub mod stats;
pub mod steady_state;
pub mod stimulus;
pub mod units;
