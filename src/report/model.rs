//! The model of a report. Plain data: every renderer prints this and decides nothing.
//!
//! Figures are unrounded `f64` in the unit their heading names, beside the [`Format`] that says
//! how people read them; programs get all digits. A missing figure carries its cause.

mod plot;
mod rounds;

use serde::Serialize;
use serde::ser::SerializeStruct;

pub use plot::{Axis, BarPlot, LinePlot, Role, Room, Scale, Series};
pub use rounds::{Determination, DeterminationData, RoundRow, RoundState, RoundVariable};

use crate::report::numbers::Format;
use crate::units::to_f64;
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
    /// Rounds so far, broken ones included.
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
    /// In capitals: `SIMULATED`, `NOT A DRIVE`, `REHEARSAL`, `DRAFT`, `INTERRUPTED`.
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
#[derive(Debug, Clone, PartialEq)]
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

/// For programs: `label`, `unit`, `value` (a number or `null`) and, where it is `null`, `missing`.
impl Serialize for Figure {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Figure", 4)?;
        object.serialize_field("label", &self.label)?;
        object.serialize_field("unit", &self.unit)?;
        let (value, missing) = match &self.value {
            Value::Number(number, _) => (Some(*number), None),
            Value::Count(count) => (Some(to_f64(*count)), None),
            Value::Text(text) | Value::Missing(text) => (None, Some(text)),
        };
        object.serialize_field("value", &value)?;
        object.serialize_field("missing", &missing)?;
        object.end()
    }
}

/// A value in a table.
#[derive(Debug, Clone, PartialEq)]
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
