//! What was judged: determination data of a variable, and the rounds.

use serde::Serialize;

/// Steady-state determination data of one variable in the window of the report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Determination {
    /// `RND 4 KiB 0/100`.
    pub variable: String,
    /// `IOPS`, `MB/s` or `ms`.
    pub unit: String,
    /// `Average IOPS`.
    pub average_label: String,
    /// Whether steady state depends on it.
    pub is_tracked: bool,
    /// First and last round of the window.
    pub window: Option<(u32, u32)>,
    /// Whether the whole test is steady in this window.
    pub is_steady: bool,
    /// Values of the window's rounds; `None` where a round gave none.
    pub values: Vec<(u32, Option<f64>)>,
    /// The five fields; `None` with the cause in `missing`.
    pub data: Option<DeterminationData>,
    /// What is missing.
    pub missing: Option<String>,
}

/// The fields of the block, unrounded, in the unit of the variable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DeterminationData {
    /// Mean of the five values.
    pub average: f64,
    /// 20 % of the average.
    pub allowed_data_excursion: f64,
    /// Largest minus smallest.
    pub measured_data_excursion: f64,
    /// 10 % of the average.
    pub allowed_slope_excursion: f64,
    /// Travel of the fitted line across the window.
    pub measured_slope_excursion: f64,
    /// Gradient of the fitted line, per round.
    pub slope: f64,
    /// The fitted line at round 0.
    pub intercept: f64,
    /// Data excursion within its limit.
    pub data_holds: bool,
    /// Slope excursion within its limit.
    pub slope_holds: bool,
}

/// A round, complete or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoundRow {
    /// From 1.
    pub round: u32,
    /// Part of the run between two interruptions, from 0.
    pub segment: u32,
    /// How far it came.
    pub state: RoundState,
    /// Number of the record that closed it.
    pub record: Option<u64>,
    /// Whether all tracked variables are steady in the window that ends here.
    pub is_steady: bool,
    /// Values and judgements of all variables.
    pub variables: Vec<RoundVariable>,
}

/// How far a round came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundState {
    /// All its cells are measured and it was judged.
    Closed,
    /// It runs.
    Running,
    /// An interruption broke it; its cells count for nothing.
    Broken,
}

/// A variable in a round.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoundVariable {
    /// Its name.
    pub variable: String,
    /// Its unit.
    pub unit: String,
    /// Its value in the round.
    pub value: Option<f64>,
    /// Numerator of the exact value.
    pub amount: Option<u64>,
    /// Denominator of the exact value.
    pub per: Option<u64>,
    /// `too-few`, `invalid`, `unsteady` or `steady`; `none` in a round that was not closed.
    pub verdict: String,
    /// The judgement, once there are five rounds.
    pub data: Option<DeterminationData>,
}
