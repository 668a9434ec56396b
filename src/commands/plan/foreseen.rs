//! Deviations that a plan shows beforehand: the ledger of a run that has only been opened.

use std::collections::BTreeMap;

use crate::commands::arguments::TestArgs;
use crate::commands::run::tool;
use crate::drive::{DriveKind, Host, Identity, WriteCache};
use crate::journal::RunState;
use crate::journal::record::{Line, Record, RunOpened, SCHEMA};
use crate::run::records;
use crate::spec::Plan;
use crate::verdict::ledger::{self, LineVerdict};

/// What this plan departs from on this drive, beside what is required; waivers too.
pub(super) fn deviations(identity: &Identity, plan: &Plan, test: &TestArgs) -> Vec<String> {
    let line = Line {
        at: "1970-01-01T00:00:00Z".to_owned(),
        record: opened(identity, test),
    };
    let state = RunState::open(&line).expect("an opening record with a date");
    let ledger = ledger::judge(&state, plan);
    let deviating = ledger.with(LineVerdict::Deviation);
    let waived = ledger.with(LineVerdict::Waived);
    deviating
        .chain(waived)
        .map(|line| format!("{} (required: {})", line.finding, line.requirement))
        .collect()
}

fn opened(identity: &Identity, test: &TestArgs) -> Record {
    Record::RunOpened(Box::new(RunOpened {
        schema: SCHEMA.to_owned(),
        tool: tool(),
        spec_name: String::new(),
        spec_text: String::new(),
        spec_sha256: String::new(),
        overrides: test.set.clone(),
        quick: test.quick,
        effective: String::new(),
        seed: 0,
        purge_method: test.purge.word().to_owned(),
        waivers: Vec::new(),
        erase_consent: None,
        drive: records::drive(&with_cache_set(identity)),
        host: records::host(&Host::default()),
        fields: BTreeMap::new(),
    }))
}

/// A drive whose cache is known to be on is switched to what the test asks before it begins; what
/// it refuses then is found by the run.
fn with_cache_set(identity: &Identity) -> Identity {
    let mut identity = identity.clone();
    if identity.kind == DriveKind::Drive && identity.write_cache == WriteCache::On {
        identity.write_cache = WriteCache::Off;
    }
    identity
}
