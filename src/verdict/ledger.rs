//! The compliance ledger: every requirement the standard puts on a run, with what was asked, what
//! was done, the evidence, and a verdict.
//!
//! Deviations are derived, not declared: the effective plan and what was measured are compared
//! with [`crate::pts`], wherever a value came from. A value the standard leaves to the operator is
//! disclosed and never a deviation. A simulated drive is a banner on every page, not a deviation.
//! The ledger does not say that a run is compliant; it says what was checked and what departs.
//! Checked so far: the IOPS test (PTS 2.0.2, clause 7, with the settings of PTS-E).

mod conduct;
mod demand;
mod device;
mod health;
mod looped;
mod mixes;
mod preparation;
mod read_back;
mod record;
mod same;
mod sizes;
mod splits;
mod words;

#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::journal::RunState;
use crate::pts;
use crate::spec::Plan;
use crate::spec::plan::PlannedWork;

/// Clause text of a line that the standard does not ask for. What departs on such a line is a
/// warning of this tool and no deviation from the standard.
pub const OURS: &str = "ours";

/// All lines of a run, in the order of the test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// Edition the test file follows; `None` for a test that is not from the standard.
    pub standard: Option<String>,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A requirement, judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its name for programs: `cell-time`; numbered where it repeats.
    pub id: String,
    /// What is required, in the words of the standard.
    pub requirement: String,
    /// Clause of the standard, or [`OURS`].
    pub clause: String,
    /// What the effective test file asked for.
    pub asked: String,
    /// What was done, as measured.
    pub done: String,
    /// Record numbers and values that show it.
    pub evidence: String,
    /// The departure in a few words; empty when there is none.
    pub finding: String,
    /// The verdict.
    pub verdict: LineVerdict,
}

/// Verdict on one requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineVerdict {
    /// Done as required.
    Pass,
    /// Done otherwise than the standard requires.
    Deviation,
    /// Not as it should be, though the standard does not ask for it.
    Warning,
    /// Left out by the operator's decision.
    Waived,
    /// The requirement does not apply to this run.
    NotApplicable,
    /// The record does not tell, with the cause in the finding.
    CannotBeJudged,
}

/// Judges a run against the standard its test file follows.
pub fn judge(state: &RunState, plan: &Plan) -> Ledger {
    let standard = plan.spec.test.standard.clone();
    let mut lines = device::lines(state, plan);
    if let Some((step_index, rounds)) = plan.rounds() {
        let run = conduct::RoundsRun::of(state, step_index);
        lines.push(sequence(state, plan));
        lines.extend(preparation::lines(state, plan, rounds, &run));
        lines.extend(looped::lines(plan, rounds, &run));
        lines.push(sizes::line(rounds, &run));
        lines.push(mixes::line(rounds, &run));
        lines.extend(demand::lines(rounds, &run));
        lines.extend(conduct::steady_state(state, rounds, &run));
        lines.extend(conduct::lines(&run));
        lines.extend(record::interruptions(state, rounds));
        lines.extend(same::lines(state));
    } else {
        lines.push(no_rounds(plan));
    }
    lines.extend(read_back::line(state, plan));
    lines.extend(splits::lines(state, plan));
    lines.extend(health::lines(state));
    lines.extend(record::lines(state));
    if standard.is_none() {
        for line in lines.iter_mut().filter(|line| line.clause != OURS) {
            line.verdict = LineVerdict::NotApplicable;
        }
    }
    Ledger { standard, lines }
}

/// Purge, preconditioning and rounds belong together in this order, each once. A step that is
/// left out has a line of its own.
fn sequence(state: &RunState, plan: &Plan) -> Line {
    let name = |work: &PlannedWork| match work {
        PlannedWork::Purge => Some("purge"),
        PlannedWork::Fill(_) => Some("fill"),
        PlannedWork::Rounds(_) => Some("rounds"),
        // A plan with such a step does not run.
        PlannedWork::NotBuilt { .. } => None,
    };
    let found: Vec<&str> = plan
        .steps
        .iter()
        .filter_map(|step| name(&step.work))
        .collect();
    let mut wanted = vec!["purge", "fill", "rounds"];
    wanted.retain(|name| found.contains(name));
    let line = Line::new(
        "sequence",
        "7",
        "Purge, then preconditioning, then rounds, each once",
    )
    .asked(found.join(", "))
    .done(found.join(", "))
    .evidence(begun_text(state));
    let differs = found != wanted;
    line.found(differs.then(|| format!("{} instead of {}", found.join(", "), wanted.join(", "))))
}

/// Each step with the record in which it was begun.
fn begun_text(state: &RunState) -> String {
    let steps = state.attempts.iter();
    let texts: Vec<String> = steps
        .map(|attempt| format!("{} in record {}", attempt.step, attempt.record))
        .collect();
    if texts.is_empty() {
        "plan (record 1)".to_owned()
    } else {
        format!("begun: {}", texts.join(", "))
    }
}

/// The ledger knows the requirements of tests made of rounds.
fn no_rounds(plan: &Plan) -> Line {
    let clause = plan.spec.test.clause.as_deref().unwrap_or("7");
    Line::new("loop-order", clause, "The test loop runs as prescribed")
        .asked("no step with rounds in the test file")
        .cannot("this version has no requirements to check a test without rounds against")
}

impl Ledger {
    /// Lines with this verdict.
    pub fn with(&self, verdict: LineVerdict) -> impl Iterator<Item = &Line> {
        self.lines
            .iter()
            .filter(move |line| line.verdict == verdict)
    }

    /// Number of deviations.
    pub fn deviations(&self) -> usize {
        self.with(LineVerdict::Deviation).count()
    }

    /// Number of requirements of the standard among the lines.
    pub fn requirements(&self) -> usize {
        let of_standard = |line: &&Line| line.clause != OURS;
        self.lines.iter().filter(of_standard).count()
    }

    /// The verdict in one sentence, for the title page.
    pub fn sentence(&self) -> String {
        let Some(standard) = &self.standard else {
            return "Not a test of the standard: no requirement applies.".to_owned();
        };
        let edition = standard.replace("PTS ", "PTS-E ");
        let count = self.requirements();
        let own = words::counted(self.lines.len() - count, "check");
        let warnings = self.with(LineVerdict::Warning).count();
        let more: String = [
            (self.with(LineVerdict::Waived).count(), "waived"),
            (
                self.with(LineVerdict::CannotBeJudged).count(),
                "cannot be judged",
            ),
            (warnings, if warnings == 1 { "warning" } else { "warnings" }),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, words)| format!("; {number} {words}"))
        .collect();
        match self.deviations() {
            0 => format!(
                "No deviation from the {count} requirements of {edition} checked here; the ledger \
                 lists them with their source, and {own} of our own{more}."
            ),
            1 => format!("1 deviation from {edition}{more}."),
            number => format!("{number} deviations from {edition}{more}."),
        }
    }
}

impl LineVerdict {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Deviation => "deviation",
            Self::Warning => "warning",
            Self::Waived => "waived",
            Self::NotApplicable => "not applicable",
            Self::CannotBeJudged => "cannot be judged",
        }
    }

    /// For programs.
    pub fn key(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Deviation => "deviation",
            Self::Warning => "warning",
            Self::Waived => "waived",
            Self::NotApplicable => "not-applicable",
            Self::CannotBeJudged => "cannot-be-judged",
        }
    }
}

impl Line {
    /// A line without evidence so far, which passes until something says otherwise.
    fn new(id: impl Into<String>, clause: &str, requirement: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            requirement: requirement.into(),
            clause: clause.to_owned(),
            asked: String::new(),
            done: String::new(),
            evidence: String::new(),
            finding: String::new(),
            verdict: LineVerdict::Pass,
        }
    }

    fn asked(mut self, text: impl Into<String>) -> Self {
        self.asked = text.into();
        self
    }

    fn done(mut self, text: impl Into<String>) -> Self {
        self.done = text.into();
        self
    }

    fn evidence(mut self, text: impl Into<String>) -> Self {
        self.evidence = text.into();
        self
    }

    fn judged(mut self, verdict: LineVerdict, finding: impl Into<String>) -> Self {
        self.verdict = verdict;
        self.finding = finding.into();
        self
    }

    /// A deviation from the standard, or a warning where the standard asks for nothing.
    fn deviates(self, finding: impl Into<String>) -> Self {
        let verdict = if self.clause == OURS {
            LineVerdict::Warning
        } else {
            LineVerdict::Deviation
        };
        self.judged(verdict, finding)
    }

    fn cannot(self, finding: impl Into<String>) -> Self {
        self.judged(LineVerdict::CannotBeJudged, finding)
    }

    fn inapplicable(self, finding: impl Into<String>) -> Self {
        self.judged(LineVerdict::NotApplicable, finding)
    }

    /// A deviation if there is a finding, a pass otherwise.
    fn found(self, finding: Option<String>) -> Self {
        match finding {
            Some(text) => self.deviates(text),
            None => self,
        }
    }
}

/// Recommended threads and queue depth of the IOPS test, for texts that disclose a choice.
pub fn intensity_text(threads: u32, queue_depth: u32) -> String {
    let beside = |value: u32, recommended: u32| {
        if value == recommended {
            value.to_string()
        } else {
            format!("{value} (recommended {recommended})")
        }
    };
    format!(
        "TC {} / QD {}",
        beside(threads, pts::IOPS_THREADS_RECOMMENDED),
        beside(queue_depth, pts::IOPS_QUEUE_DEPTH_RECOMMENDED)
    )
}
