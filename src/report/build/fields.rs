//! Report fields that people supply: with the test file, when the run is opened, or afterwards.

use std::collections::BTreeMap;

use super::Run;
use crate::spec::REPORT_FIELDS;

pub(super) const NOT_GIVEN: &str = "not recorded (not given)";
pub(super) const NO_ANSWER: &str = "not recorded (the system does not tell)";
pub(super) const NO_ANSWER_DRIVE: &str = "not recorded (the drive does not tell)";

/// Texts supplied by people, the latest first.
pub(super) struct Fields<'a> {
    given: BTreeMap<&'a str, &'a str>,
    amended: BTreeMap<&'a str, (&'a str, String)>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(run: &Run<'a>) -> Self {
        let from_spec = run.plan.spec.report_fields.iter();
        let from_run = run.state.opened.fields.iter();
        let mut amended = BTreeMap::new();
        for noted in &run.state.annotations {
            let on = noted.at.format("%Y-%m-%d").to_string();
            for (key, value) in &noted.what.fields {
                amended.insert(key.as_str(), (value.as_str(), on.clone()));
            }
        }
        Self {
            given: from_spec
                .chain(from_run)
                .map(|(key, value)| (key.as_str(), value.as_str()))
                .collect(),
            amended,
        }
    }

    /// The annotation, else the recorded value, else the given text, else why there is none.
    pub(super) fn text(&self, key: &str, recorded: Option<&str>, missing: &str) -> String {
        debug_assert!(REPORT_FIELDS.contains(&key), "'{key}' cannot be given");
        if let Some((value, on)) = self.amended.get(key) {
            return format!("{value} (amended on {on})");
        }
        let given = self.given.get(key).copied();
        given.or(recorded).unwrap_or(missing).to_owned()
    }
}
