//! The model of a report. Plain data: every renderer prints this and decides nothing.
//!
//! Figures are unrounded `f64` in the unit their heading names, beside the [`Format`] that says
//! how people read them; programs get all digits. A missing figure carries its cause.

mod plot;

use serde::Serialize;

pub use plot::{Axis, BarPlot, LinePlot, Role, Room, Scale, Series};

use crate::report::numbers::Format;
use crate::verdict::Ledger;
use crate::verdict::ledger::Line;

/// Version of the JSON form.
pub const SCHEMA: &str = "ptse-report/1";

/// Everything a renderer needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// `ptse` and its version as major.minor.
    pub tool: String,
    /// The test.
    pub test: TestTitle,
    /// How far the run has come.
    pub status: Status,
    /// What every page says above its header: `SIMULATED ...`, `DRAFT ...`.
    pub banners: Vec<Banner>,
    /// The header block of every page.
    pub header: Header,
    /// The title page.
    pub summary: Summary,
    /// Tracked and watched variables over all rounds; empty for a test without rounds.
    pub variables: Vec<Determination>,
    /// Rounds closed so far.
    pub rounds: Vec<RoundRow>,
    /// The table of block sizes by mixes.
    pub matrix: Option<Matrix>,
    /// Requirements and verdicts.
    pub ledger: Ledger,
    /// The pages in their order, the title page first.
    pub pages: Vec<Page>,
    /// Tables for programs, by file name.
    pub tables: Vec<DataTable>,
}

/// Names of the test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestTitle {
    /// Built-in name or path: `pts-e/iops`.
    pub name: String,
    /// Subtitle of every page.
    pub title: String,
    /// Edition of the standard, if it is from one.
    pub standard: Option<String>,
    /// Clause of the standard.
    pub clause: Option<String>,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Ended.
    Complete,
    /// Still going; the report is a draft.
    Running,
    /// Stopped before its end; the report is a draft.
    Interrupted,
}

/// A line across the top of every page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Banner {
    /// One word in capitals: `SIMULATED`, `DRAFT`, `INTERRUPTED`.
    pub word: String,
    /// What it means here.
    pub text: String,
}

/// The header block of PTS reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Header {
    /// Start of the run with its time zone.
    pub run_date: String,
    /// Last record of the run with its time zone.
    pub report_date: String,
    /// `IOPS Test - REPORT PAGE`.
    pub band: String,
    /// Name of the specification the form follows.
    pub specification: String,
    /// Subtitle of the test.
    pub subtitle: String,
    /// `Rev. PTS-E 2.0.2`.
    pub revision: String,
    /// Vendor.
    pub vendor: String,
    /// Model.
    pub model: String,
    /// Tester or sponsor.
    pub tested_by: String,
    /// Four columns of ten fields.
    pub columns: Vec<HeaderColumn>,
}

/// A column of the header block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeaderColumn {
    /// `Test Platform`, `Device Under Test` ...
    pub title: String,
    /// Ten fields.
    pub fields: Vec<HeaderField>,
}

/// A field of the header block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeaderField {
    /// Its label in the form.
    pub label: String,
    /// Its value, `n/a`, or `not recorded (why)`.
    pub value: String,
}

/// The title page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The result in one sentence.
    pub verdict: String,
    /// Whether the sentence is good news; decides about emphasis only.
    pub is_steady: bool,
    /// The drive in one line.
    pub drive: String,
    /// First and last round of the window, if there is one.
    pub window: Option<(u32, u32)>,
    /// Figures everybody looks for first.
    pub figures: Vec<Figure>,
    /// The ledger in one sentence.
    pub ledger: String,
    /// Deviations, waivers and what cannot be judged.
    pub findings: Vec<Finding>,
}

/// A figure of the title page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// What it is.
    pub label: String,
    /// Its value.
    pub value: Value,
    /// Its unit.
    pub unit: String,
}

/// An entry of the title page's list of findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Verdict for people.
    pub verdict: String,
    /// Verdict for programs.
    pub key: String,
    /// The finding.
    pub text: String,
    /// Where the requirement comes from: `clause 7`, `scope`, `ours`.
    pub source: String,
}

/// A value in a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// A text.
    Text(String),
    /// A figure with the way people read it.
    Number(f64, Format),
    /// An exact count.
    Count(u64),
    /// No value, with the cause; printed `n/a`.
    Missing(String),
}

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

/// A closed round.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoundRow {
    /// From 1.
    pub round: u32,
    /// Part of the run between two interruptions, from 0.
    pub segment: u32,
    /// Number of the record that closed it.
    pub record: u64,
    /// Whether all tracked variables are steady in the window that ends here.
    pub is_steady: bool,
    /// Values and judgements of all variables.
    pub variables: Vec<RoundVariable>,
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
    /// `too-few`, `invalid`, `unsteady` or `steady`.
    pub verdict: String,
    /// The judgement, once there are five rounds.
    pub data: Option<DeterminationData>,
}

/// Block sizes by mixes, small blocks and writes first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Matrix {
    /// `IOPS`.
    pub unit: String,
    /// Rounds the means are taken over.
    pub rounds: Vec<u32>,
    /// Block sizes in KiB as text, ascending.
    pub blocks_kib: Vec<String>,
    /// Block sizes in bytes.
    pub blocks_bytes: Vec<u64>,
    /// Mixes as read/write, ascending in reads.
    pub mixes: Vec<String>,
    /// A row for each block size.
    pub values: Vec<Vec<Option<f64>>>,
    /// Causes of the missing values, a row for each block size.
    pub missing: Vec<Vec<Option<String>>>,
}

/// A page: header, title band, exhibits, footer.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Title band.
    pub title: String,
    /// Footer: `Plot n - TITLE` or the title.
    pub footer: String,
    /// Name for links and file names.
    pub id: String,
    /// What it shows.
    pub exhibits: Vec<Exhibit>,
}

/// Something a page shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Exhibit {
    /// The title page.
    Summary,
    /// Points and lines.
    Lines(LinePlot),
    /// Bars in three dimensions.
    Bars(BarPlot),
    /// A determination block.
    Determination(Determination),
    /// A table.
    Table(Table),
    /// Lines of the ledger.
    Ledger(Vec<Line>),
    /// A paragraph.
    Text(String),
}

/// A table for people.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Heading above it; empty for none.
    pub caption: String,
    /// Column heads; the first stands above the row heads.
    pub heads: Vec<String>,
    /// Rows.
    pub rows: Vec<TableRow>,
    /// Remarks below.
    pub notes: Vec<String>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRow {
    /// Row head.
    pub head: String,
    /// Values, one for each column head after the first.
    pub cells: Vec<Value>,
}

/// A table for programs.
#[derive(Debug, Clone, PartialEq)]
pub struct DataTable {
    /// File name without folder: `iops.csv`.
    pub file: String,
    /// Column heads, with units.
    pub heads: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<Value>>,
}
