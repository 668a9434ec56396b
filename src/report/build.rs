//! From the folded journal and its plan to the [`Report`]. Pure; decides what is shown, not how.

mod conditions;
mod fields;
mod header;
mod matrix;
mod pages;
mod plots;
mod rounds;
mod summary;
mod tables;
mod variables;

use crate::journal::RunState;
use crate::journal::state::RoundResult;
use crate::report::model::{Banner, Report, Status, TestTitle};
use crate::spec::Plan;
use crate::spec::plan::PlannedRounds;
use crate::verdict::{Window, ledger};

/// The report of a run, complete or not.
pub fn build(state: &RunState, plan: &Plan) -> Report {
    let run = Run::of(state, plan);
    let ledger = ledger::judge(state, plan);
    let status = status(state);
    let matrix = matrix::matrix(&run);
    let variables = variables::determinations(&run);
    let rounds = rounds::rows(&run);
    let summary = summary::summary(&run, status, &ledger);
    let mut report = Report {
        tool: state.opened.tool.clone(),
        test: TestTitle {
            name: plan.spec.test.name.clone(),
            title: plan.spec.test.title.clone(),
            standard: plan.spec.test.standard.clone(),
            clause: plan.spec.test.clause.clone(),
        },
        status,
        banners: banners(state, status),
        header: header::header(&run, &ledger),
        summary,
        variables,
        rounds,
        matrix,
        ledger,
        pages: Vec::new(),
        tables: Vec::new(),
    };
    report.pages = pages::pages(&run, &report);
    report.tables = tables::tables(&run, &report);
    report
}

/// A run with the parts of it that every page needs.
#[derive(Debug)]
struct Run<'a> {
    state: &'a RunState,
    plan: &'a Plan,
    /// The rounds of the plan.
    planned: Option<&'a PlannedRounds>,
    /// All rounds, broken ones included.
    rounds: Vec<&'a RoundResult>,
    /// The rounds that were closed.
    closed: Vec<&'a RoundResult>,
    /// The rounds the report stands on.
    window: Option<Window<'a>>,
}

impl<'a> Run<'a> {
    fn of(state: &'a RunState, plan: &'a Plan) -> Self {
        let step = plan.rounds();
        let index = step.and_then(|(index, _)| u32::try_from(index).ok());
        let rounds: Vec<&RoundResult> =
            index.map_or_else(Vec::new, |index| state.rounds(index).collect());
        let is_closed = |round: &&&RoundResult| round.closed.is_some();
        Self {
            state,
            plan,
            planned: step.map(|(_, rounds)| rounds),
            closed: rounds.iter().filter(is_closed).copied().collect(),
            rounds,
            window: index.and_then(|index| Window::of(state, index)),
        }
    }

    /// Whether the window holds and the test is steady in it.
    fn is_steady(&self) -> bool {
        self.window.as_ref().is_some_and(|window| window.is_steady)
    }

    /// `4 - 8`, `NOT REACHED (rounds 2 to 6 shown)`.
    fn steady_text(&self) -> String {
        let Some(window) = &self.window else {
            return "not recorded (no round is complete)".to_owned();
        };
        let (first, last) = window.span();
        if window.is_steady {
            format!("{first} - {last}")
        } else {
            let shown = summary::rounds_text(first, last);
            format!("NOT REACHED ({shown} shown)")
        }
    }
}

/// What a target is that has no flash of its own.
fn not_a_drive(kind: &str) -> Option<&'static str> {
    match kind {
        "drive" | "simulated" => None,
        "loop" => Some("loop device"),
        "file" => Some("regular file"),
        _ => Some("block device without flash of its own"),
    }
}

fn status(state: &RunState) -> Status {
    let stands_still = state
        .interruptions
        .last()
        .is_some_and(|stop| stop.resumed.is_none());
    if state.closed.is_some() {
        Status::Complete
    } else if stands_still {
        Status::Interrupted
    } else {
        Status::Running
    }
}

fn banners(state: &RunState, status: Status) -> Vec<Banner> {
    let banner = |word: &str, text: String| Banner {
        word: word.to_owned(),
        text,
    };
    let mut banners = Vec::new();
    let drive = &state.opened.drive;
    if drive.kind == "simulated" {
        let scale = drive.scale.as_deref().unwrap_or("scale not recorded");
        banners.push(banner("SIMULATED", scale.to_owned()));
    }
    if let Some(what) = not_a_drive(&drive.kind) {
        let text = format!("{what}: figures describe this machine, not a solid-state drive");
        banners.push(banner("NOT A DRIVE", text));
    }
    if state.opened.quick {
        let text = "shortened by --quick: a rehearsal of the run, not a measurement";
        banners.push(banner("REHEARSAL", text.to_owned()));
    }
    let last = header::date_text(&state.last_at);
    match status {
        Status::Complete => {}
        Status::Running => banners.push(banner(
            "DRAFT",
            format!("the run has not ended; last record {last}"),
        )),
        Status::Interrupted => banners.push(banner(
            "INTERRUPTED",
            format!("the run stands still and can be resumed; last record {last}"),
        )),
    }
    banners
}
