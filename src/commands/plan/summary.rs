//! Steps in words, a line for each thing that matters to whoever waits for them.

use crate::spec::model::{Amount, AmountOf, AtLimit, Hold, Points, Rounds, Saturate, Stimulus};
use crate::spec::plan::{PlannedRounds, PlannedVariable};
use crate::spec::{StepKind, label};
use crate::stimulus::Geometry;
use crate::units::{Bytes, Nanos};

/// What rounds do, without their time.
pub(super) fn rounds_lines(
    rounds: &Rounds,
    planned: &PlannedRounds,
    geometry: Geometry,
) -> Vec<String> {
    let cells = planned.cells.len();
    let count = match (rounds.rounds_max, rounds.at_limit) {
        (1, _) => "one round".to_owned(),
        (max, AtLimit::Stop) => format!("5 to {max} rounds"),
        (_, AtLimit::Continue) => "at least 5 rounds, until steady".to_owned(),
    };
    let cell = if cells == 1 { "cell" } else { "cells" };
    let mut lines = vec![format!(
        "{cells} {cell} of {}, {count}",
        planned.cell_time.as_span()
    )];
    for (depth, key) in rounds.loop_keys.iter().flatten().enumerate() {
        let place = match (depth, rounds.loop_keys.len()) {
            (0, 2..) => " (outermost)",
            _ => "",
        };
        let values = values_of(rounds, planned, key);
        lines.push(format!("loop {key}{place}: {values}"));
    }
    if let Some(first) = rounds.cells.first().filter(|_| rounds.loop_keys.is_empty()) {
        lines.push(stimulus_line(&first.stimulus));
    } else if let Some(first) = rounds.cells.first() {
        lines.push(format!("first cell: {}", stimulus_line(&first.stimulus)));
    }
    if let Some(hold) = &rounds.before_round {
        lines.push(format!(
            "before each round: {}",
            hold_lines(hold, geometry).join(", ")
        ));
    }
    if rounds.idle_before_cell.0 > 0 {
        let idle = rounds.idle_before_cell.as_span();
        lines.push(format!("before each cell: {idle} of host idle"));
    }
    if !planned.tracked.is_empty() {
        lines.push("steady when all of these hold in the same five rounds:".to_owned());
        lines.extend(planned.tracked.iter().map(variable_line));
    }
    if !planned.watched.is_empty() {
        lines.push("judged beside them, not required:".to_owned());
        lines.extend(planned.watched.iter().map(variable_line));
    }
    let reasons = || {
        let cells = planned.cells.iter();
        cells.filter_map(|cell| cell.access.as_ref().err())
    };
    let mut told: Vec<&String> = Vec::new();
    for reason in reasons() {
        if !told.contains(&reason) {
            told.push(reason);
            let count = reasons().filter(|other| *other == reason).count();
            let cells = if count == 1 { "cell" } else { "cells" };
            lines.push(format!("{count} {cells} n/a: {reason}"));
        }
    }
    lines
}

fn variable_line(variable: &PlannedVariable) -> String {
    format!("  {} ({})", variable.label, variable.metric.unit())
}

/// The values a key takes over the cells, each once, in the order of the cells.
fn values_of(rounds: &Rounds, planned: &PlannedRounds, key: &str) -> String {
    let mut values: Vec<String> = Vec::new();
    for (cell, planned) in rounds.cells.iter().zip(&planned.cells) {
        let stimulus = &cell.stimulus;
        let value = match key {
            "threads" => stimulus.threads.to_string(),
            "queue_depth" => stimulus.queue_depth.to_string(),
            "read_percent" => stimulus.read_percent.to_string(),
            "random_percent" | "pattern" => format!("{} % random", stimulus.random_percent),
            "block" => label::block(stimulus).map_or("mixed".to_owned(), Bytes::kib_text),
            "range" => label::range(stimulus.range),
            "with" => streams(stimulus),
            _ => planned.label.clone(),
        };
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let unit = if key == "block" { " KiB" } else { "" };
    let separator = match key {
        "threads" | "queue_depth" | "read_percent" | "block" => " ",
        _ => ", ",
    };
    format!("{}{unit}", values.join(separator))
}

/// What a step does, a line each, without its time.
pub(super) fn summary(kind: &StepKind, geometry: Geometry) -> Vec<String> {
    match kind {
        StepKind::Purge => vec!["back to never-written blocks".to_owned()],
        StepKind::Fill(fill) => vec![
            stimulus_line(&fill.stimulus),
            amount_text(fill.amount, geometry),
        ],
        StepKind::Rounds(_) => Vec::new(),
        StepKind::Hold(hold) => hold_lines(hold, geometry),
        StepKind::Saturate(saturate) => saturate_lines(saturate, geometry),
        StepKind::Duty(duty) => vec![
            stimulus_line(&duty.stimulus),
            format!(
                "{} of it, then {} of host idle, {} times",
                duty.time.as_span(),
                duty.idle.as_span(),
                duty.repeat
            ),
        ],
        StepKind::Idle(_) => vec!["host idle".to_owned()],
        StepKind::Curve(curve) => {
            let shares: Vec<String> = curve.percent.iter().map(u32::to_string).collect();
            vec![
                stimulus_line(&curve.stimulus),
                format!(
                    "open loop at {} % of its measured maximum",
                    shares.join(" ")
                ),
                format!(
                    "{} of warm-up and {} a point",
                    curve.warm_up.as_span(),
                    curve.time.as_span()
                ),
            ]
        }
        StepKind::Points(points) => points_lines(points, geometry),
    }
}

fn hold_lines(hold: &Hold, geometry: Geometry) -> Vec<String> {
    let mut lines = vec![stimulus_line(&hold.stimulus)];
    let end = match (hold.time, hold.amount) {
        (Some(time), _) => format!("for {}", time.as_span()),
        (None, Some(amount)) => amount_text(amount, geometry),
        (None, None) => String::new(),
    };
    let record = hold
        .record_every
        .map(|every| format!(", a record every {}", every.as_span()))
        .unwrap_or_default();
    let capture = if hold.capture {
        ", every response time kept"
    } else {
        ""
    };
    lines.push(format!("{end}{record}{capture}"));
    lines
}

fn saturate_lines(saturate: &Saturate, geometry: Geometry) -> Vec<String> {
    let mut stops = Vec::new();
    if !saturate.steady.is_empty() {
        let units: Vec<&str> = saturate.steady.iter().map(|metric| metric.unit()).collect();
        stops.push(format!("{} steady", units.join(" and ")));
    }
    stops.extend(
        saturate
            .written_max
            .map(|amount| amount_text(amount, geometry)),
    );
    stops.extend(saturate.time_max.map(Nanos::as_span));
    stops.extend(
        saturate
            .response_time_max
            .map(|time| format!("mean response above {}", time.as_span())),
    );
    stops.extend(
        saturate
            .samples_max
            .map(|max| format!("{max} judged samples")),
    );
    vec![
        stimulus_line(&saturate.stimulus),
        format!(
            "samples of {}; judged: {}, then every {}",
            saturate.sample_time.as_span(),
            saturate.sample_first,
            saturate.sample_every
        ),
        format!("ends with the first of: {}", stops.join(", ")),
    ]
}

fn points_lines(points: &Points, geometry: Geometry) -> Vec<String> {
    let mut lines = vec![format!(
        "cells of '{}' below {} mean response: {}",
        points.from,
        points.response_time_max.as_span(),
        points.choose.join(", ")
    )];
    if let Some(hold) = &points.before_point {
        lines.push(format!(
            "before each: {}",
            hold_lines(hold, geometry).join(", ")
        ));
    }
    lines.push(format!(
        "then {} of its own stimulus, every response time kept",
        points.cell_time.as_span()
    ));
    lines
}

fn stimulus_line(stimulus: &Stimulus) -> String {
    let mut line = format!(
        "{}, TC {} QD {}, range {}",
        label::access(stimulus),
        stimulus.threads,
        stimulus.queue_depth,
        label::range(stimulus.range)
    );
    if !stimulus.zones.is_empty() {
        line.push_str(&format!(" in {} zones", stimulus.zones.len()));
    }
    if let Some(rate) = stimulus.rate_iops {
        line.push_str(&format!(", {rate} IOPS"));
    }
    if !stimulus.with.is_empty() {
        line.push_str(&format!(", beside {}", streams(stimulus)));
    }
    line
}

/// The streams beside a stimulus.
fn streams(stimulus: &Stimulus) -> String {
    let streams: Vec<String> = stimulus
        .with
        .iter()
        .map(|stream| match stream.rate_iops {
            Some(rate) => format!("{} at {rate} IOPS", label::access(stream)),
            None => label::access(stream),
        })
        .collect();
    streams.join(" and ")
}

fn amount_text(amount: Amount, geometry: Geometry) -> String {
    match amount {
        Amount::Exactly(bytes) => bytes.to_string(),
        Amount::Times { thousandths, of } => {
            let whole = thousandths / 1000;
            let rest = thousandths % 1000;
            let times = if rest == 0 {
                format!("{whole}x")
            } else {
                format!("{}x", format!("{whole}.{rest:03}").trim_end_matches('0'))
            };
            match of {
                AmountOf::Capacity => {
                    format!(
                        "{times} the capacity of {}",
                        geometry.capacity.as_capacity()
                    )
                }
                AmountOf::Range => format!("{times} its range"),
            }
        }
    }
}
