//! The steps that end on a judgement of samples or choose from results: `saturate` and `points`.

use super::errors::{Fault, Faults};
use super::model::{Amount, AmountOf, Metric, Points, Saturate};
use super::steps::Scope;
use super::track::METRICS;
use super::tree::Node;
use super::{hold, nearest, pattern, reader};
use crate::units::Nanos;

/// Keys of a points step.
pub(super) const POINTS_KEYS: [&str; 5] = ["from", "limit", "choose", "before_point", "cell"];
/// Keys of `stop`.
const STOP_KEYS: [&str; 5] = ["steady", "written", "time", "art_max", "samples_max"];
/// Keys of `sample`.
const SAMPLE_KEYS: [&str; 3] = ["time", "every", "first"];
/// Longest stretch between judged samples, in samples.
const EVERY_MAX: u32 = 100_000;
/// Clause on the measurement window.
const WINDOW_CLAUSE: &str = "PTS 2.0.2, clause 2.1.24: the window is five consecutive samples";

/// Reads a saturate step.
pub(super) fn read(scope: &Scope<'_>, faults: &mut Faults) -> Option<Saturate> {
    let before = faults.count();
    let stimulus = scope.stimulus(faults);
    let example = "{ time = \"60s\", every = 30, first = 1 }";
    let sample = scope
        .required("sample", example, faults)
        .and_then(|node| sample(node, faults));
    let example = "{ steady = [\"iops\"], written = \"4x\", time = \"6h\" }";
    let stop = scope
        .required("stop", example, faults)
        .and_then(|node| stop(node, faults));
    if faults.count() > before {
        return None;
    }
    let (sample, stop) = (sample?, stop?);
    Some(Saturate {
        stimulus,
        sample_time: sample.0,
        sample_every: sample.1,
        sample_first: sample.2,
        steady: stop.steady,
        written_max: stop.written,
        time_max: stop.time,
        response_time_max: stop.art_max,
        samples_max: stop.samples_max,
    })
}

fn sample(node: &Node, faults: &mut Faults) -> Option<(Nanos, u32, u32)> {
    let table = reader::table(node, "sample", faults)?;
    reader::check_keys(table, "sample", &SAMPLE_KEYS, faults);
    let time = reader::required(table, "time", "sample", "\"60s\"", &SAMPLE_KEYS, faults)
        .and_then(|node| reader::duration(node, "time", faults));
    let every = table.get("every").map_or(Some(1), |node| {
        reader::whole(node, "every", 1..=EVERY_MAX, faults)
    })?;
    let first = table.get("first").map_or(Some(1), |node| {
        reader::whole(node, "first", 1..=every, faults)
    });
    Some((time?, every, first?))
}

/// The rules of `stop`.
struct Stop {
    steady: Vec<Metric>,
    written: Option<Amount>,
    time: Option<Nanos>,
    art_max: Option<Nanos>,
    samples_max: Option<u32>,
}

fn stop(node: &Node, faults: &mut Faults) -> Option<Stop> {
    let table = reader::table(node, "stop", faults)?;
    reader::check_keys(table, "stop", &STOP_KEYS, faults);
    let mut steady = Vec::new();
    if let Some(list) = table.get("steady") {
        for metric in reader::list(list, "steady", faults)? {
            steady.extend(reader::choice(metric, "steady", &METRICS, faults));
        }
    }
    let written = table
        .get("written")
        .and_then(|node| pattern::amount(node, "written", AmountOf::Capacity, faults));
    let time = table
        .get("time")
        .and_then(|node| reader::duration(node, "time", faults));
    let art_max = table
        .get("art_max")
        .and_then(|node| reader::duration(node, "art_max", faults));
    let samples_max = table
        .get("samples_max")
        .and_then(|node| reader::whole(node, "samples_max", 1..=100_000, faults));
    if let (false, Some(max), Some(node)) =
        (steady.is_empty(), samples_max, table.get("samples_max"))
        && max < 5
    {
        faults.push(
            Fault::at(node.span, format!("{max} samples can never be steady"))
                .label("must be at least 5")
                .clause(WINDOW_CLAUSE),
        );
    }
    let bounds = ["written", "time", "samples_max"];
    if !bounds.iter().any(|key| table.get(key).is_some()) {
        faults.push(
            Fault::at(table.span, "nothing bounds this step")
                .label("it could run for ever")
                .help("add written = \"4x\", time = \"6h\" or samples_max = 25")
                .missing(),
        );
    }
    Some(Stop {
        steady,
        written,
        time,
        art_max,
        samples_max,
    })
}

/// Reads a points step.
pub(super) fn points(scope: &Scope<'_>, faults: &mut Faults) -> Option<Points> {
    let before = faults.count();
    let from = scope
        .required("from", "\"rounds\"", faults)
        .and_then(|node| from(node, scope, faults));
    let limit = scope
        .required("limit", "{ art_max = \"5ms\" }", faults)
        .and_then(|node| limit(node, faults));
    let choose = scope
        .required("choose", "[\"max\", \"mid\", \"min\"]", faults)
        .and_then(|node| choose(node, faults));
    let before_point = scope
        .table
        .get("before_point")
        .and_then(|node| hold::nested(node, "before_point", scope.base, scope.base, faults));
    let cell_time = scope
        .required("cell", "{ time = \"10m\" }", faults)
        .and_then(|node| {
            let cell = reader::table(node, "cell", faults)?;
            reader::check_keys(cell, "cell", &["time"], faults);
            let time = reader::required(cell, "time", "cell", "\"10m\"", &["time"], faults)?;
            reader::duration(time, "time", faults)
        });
    (faults.count() == before).then_some(Points {
        from: from?,
        response_time_max: limit?,
        choose: choose?,
        before_point: before_point.map(Box::new),
        cell_time: cell_time?,
    })
}

fn from(node: &Node, scope: &Scope<'_>, faults: &mut Faults) -> Option<String> {
    let text = reader::text(node, "from", faults)?;
    let ids: Vec<&str> = scope
        .earlier
        .iter()
        .filter(|(_, kind)| *kind == "rounds")
        .map(|(id, _)| id.as_str())
        .collect();
    if ids.contains(&text) {
        return Some(text.to_owned());
    }
    let help = if ids.is_empty() {
        Some("put a rounds step before this one".to_owned())
    } else {
        nearest::suggestion(text, &ids)
    };
    faults.push(
        Fault::at(
            node.span,
            format!("no rounds step '{text}' stands before this one"),
        )
        .label("whose cells are meant?")
        .maybe_help(help),
    );
    None
}

fn limit(node: &Node, faults: &mut Faults) -> Option<Nanos> {
    let table = reader::table(node, "limit", faults)?;
    reader::check_keys(table, "limit", &["art_max"], faults);
    let art_max = reader::required(table, "art_max", "limit", "\"5ms\"", &["art_max"], faults)?;
    reader::duration(art_max, "art_max", faults)
}

fn choose(node: &Node, faults: &mut Faults) -> Option<Vec<String>> {
    const WORDS: [(&str, &str); 3] = [("max", "max"), ("mid", "mid"), ("min", "min")];
    let list = reader::list(node, "choose", faults)?;
    let chosen: Vec<String> = list
        .iter()
        .filter_map(|word| reader::choice(word, "choose", &WORDS, faults))
        .map(str::to_owned)
        .collect();
    (chosen.len() == list.len()).then_some(chosen)
}
