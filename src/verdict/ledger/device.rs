//! Ledger lines about the drive itself: what it is, how it was purged, its write cache.

use crate::journal::RunState;
use crate::journal::record::{CacheDone, CacheOccasion, PurgeDone};
use crate::journal::state::Noted;
use crate::spec::Plan;
use crate::spec::model::CacheWish;
use crate::spec::plan::PlannedWork;
use crate::units::Nanos;

use super::{Line, LineVerdict};

pub(super) fn lines(state: &RunState, plan: &Plan) -> Vec<Line> {
    vec![kind(state), purge(state, plan), write_cache(state, plan)]
}

fn kind(state: &RunState) -> Line {
    let drive = &state.opened.drive;
    let line = Line::new(
        "device",
        "scope",
        "The device under test is a solid-state storage device",
    )
    .asked(drive.address.clone())
    .evidence("record 1");
    match drive.kind.as_str() {
        "drive" => line.done(format!("drive, {}", drive.model)),
        "simulated" => line.done("simulated drive").inapplicable(
            "simulated: every page says so; figures describe the model, not a product",
        ),
        "loop" => not_a_drive(line, "loop device"),
        "file" => not_a_drive(line, "regular file"),
        _ => not_a_drive(line, "block device without flash of its own"),
    }
}

fn not_a_drive(line: Line, what: &str) -> Line {
    line.done(what).deviates(format!("not a drive: {what}"))
}

fn purge(state: &RunState, plan: &Plan) -> Line {
    let line = Line::new(
        "purge",
        "7",
        "Purge the device before the test by a method named by the standard",
    )
    .asked(state.opened.purge_method.clone());
    let Some(step_index) = purge_step(plan) else {
        return line
            .done("none")
            .deviates("the test file has no purge before the test");
    };
    let done = state
        .attempts
        .iter()
        .rev()
        .filter(|attempt| attempt.step_index == step_index)
        .find_map(|attempt| attempt.purged.as_ref());
    if state.opened.purge_method == "none" {
        let evidence = done.map_or("record 1".to_owned(), purge_evidence);
        return line
            .done("no purge")
            .evidence(evidence)
            .judged(LineVerdict::Waived, "purge waived by the operator");
    }
    let Some(noted) = done else {
        return if state.opened.purge_method == "discard" {
            line.deviates("discard instead of a named purge")
        } else {
            line.cannot("the purge has not ended")
        };
    };
    let method = &noted.what.method;
    let line = line.done(method.clone()).evidence(purge_evidence(noted));
    if noted.what.named_by_standard {
        return line;
    }
    let what = if method.to_lowercase().contains("discard") {
        "discard"
    } else {
        method.as_str()
    };
    line.deviates(format!("{what} instead of a named purge"))
}

fn purge_evidence(noted: &Noted<PurgeDone>) -> String {
    let took = Nanos(noted.what.ended_ns.saturating_sub(noted.what.started_ns));
    format!(
        "record {}: {}; took {}",
        noted.record,
        noted.what.verification,
        took.as_span()
    )
}

/// Index of the last purge before the first step that writes; a later one is not before the test.
fn purge_step(plan: &Plan) -> Option<u32> {
    let index = plan
        .steps
        .iter()
        .take_while(|step| step.work == PlannedWork::Purge)
        .count();
    u32::try_from(index.checked_sub(1)?).ok()
}

fn write_cache(state: &RunState, plan: &Plan) -> Line {
    let asked = match plan.spec.conditions.write_cache {
        CacheWish::Off => "off",
        CacheWish::On => "on",
        CacheWish::AsFound => "as found",
    };
    let stood = state.write_cache();
    let line = Line::new(
        "write-cache",
        "7",
        "The volatile write cache is disabled (WCD)",
    )
    .asked(asked)
    .done(stood)
    .evidence(cache_evidence(state));
    if plan.spec.conditions.write_cache != CacheWish::Off {
        return line.deviates("the test file does not ask for a disabled volatile write cache");
    }
    let looks = state.caches.iter().map(|noted| &noted.what);
    let for_test = looks.filter(|look| look.occasion != CacheOccasion::Restored);
    let worst = for_test
        .map(|look| (look.after.as_str(), look.refusal.as_deref()))
        .find(|(after, _)| !is_compliant(after))
        .unwrap_or((stood, None));
    match worst {
        ("off" | "absent", _) => line,
        ("on", Some(refusal)) => line.done("on").deviates(format!(
            "volatile write cache enabled, it could not be switched off: {refusal}"
        )),
        ("on", None) => line.done("on").deviates("volatile write cache enabled"),
        (other, refusal) => {
            let cause = other.strip_prefix("unknown:").unwrap_or(other).trim();
            let refused = refusal.map_or(String::new(), |refusal| format!("; {refusal}"));
            let finding = format!("state of the volatile write cache not known: {cause}{refused}");
            line.done("not known").cannot(finding)
        }
    }
}

/// Off, or none to switch off: then the drive is compliant by its nature.
fn is_compliant(state: &str) -> bool {
    matches!(state, "off" | "absent")
}

/// Every look at the cache with its record; the opening record where there was none.
fn cache_evidence(state: &RunState) -> String {
    let words = |noted: &Noted<CacheDone>| {
        let CacheDone {
            occasion,
            before,
            after,
            ..
        } = &noted.what;
        let occasion = match occasion {
            CacheOccasion::Start => "before the test",
            CacheOccasion::AfterPurge => "after the purge",
            CacheOccasion::End => "at the end",
            CacheOccasion::Restored => "given back",
        };
        let change = if before == after {
            after.clone()
        } else {
            format!("{before}, then {after}")
        };
        format!("record {}: {occasion} {change}", noted.record)
    };
    let looks: Vec<String> = state.caches.iter().map(words).collect();
    let nature = (state.write_cache() == "absent")
        .then(|| "the drive has no volatile write cache".to_owned());
    let opening = looks.is_empty().then(|| "record 1".to_owned());
    let parts: Vec<String> = opening.into_iter().chain(looks).chain(nature).collect();
    parts.join("; ")
}
