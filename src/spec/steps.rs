//! The steps of a test file: which kinds there are, which keys each takes, and the simple ones.
//!
//! Rounds stand in `rounds`, what is judged on samples or chosen from results in `saturate`.

use super::errors::{Fault, Faults};
use super::model::{AmountOf, Curve, Duty, Fill, ReadBack, Step, StepKind, Stimulus};
use super::nearest::suggestion;
use super::tree::{Node, Table, Value};
use super::{hold, pattern, reader, rounds, saturate, stimulus};

/// Clause on purging: no parameter applies to it.
const PURGE_CLAUSE: &str = "PTS 2.0.2, clause 7: ActiveRange and other parameters do not apply \
                            to the purge";

/// A kind of step and its keys besides `do` and those of a stimulus.
pub(super) struct Kind {
    pub(super) name: &'static str,
    own: &'static [&'static str],
    takes_stimulus: bool,
}

/// Every kind of step.
pub(super) const KINDS: [Kind; 9] = [
    kind("purge", &[], false),
    kind("fill", &["amount", "of", "read_back"], true),
    kind("rounds", &rounds::KEYS, true),
    kind("hold", &hold::KEYS, true),
    kind("saturate", &["sample", "stop"], true),
    kind("duty", &["time", "idle", "repeat"], true),
    kind("idle", &["time"], false),
    kind("curve", &["percent", "warm_up", "time"], true),
    kind("points", &saturate::POINTS_KEYS, false),
];
/// Most repetitions of a duty step.
const REPEAT_MAX: u32 = 100_000;
/// Largest share of a curve in percent of the measured maximum.
const CURVE_PERCENT_MAX: u32 = 200;

const fn kind(name: &'static str, own: &'static [&'static str], takes_stimulus: bool) -> Kind {
    Kind {
        name,
        own,
        takes_stimulus,
    }
}

impl Kind {
    fn keys(&self) -> Vec<&'static str> {
        let mut keys = vec!["do"];
        keys.extend(self.own);
        if self.takes_stimulus {
            keys.extend(stimulus::KEYS);
        }
        keys
    }
}

/// What a step is read from.
pub(super) struct Scope<'a> {
    /// Id and kind of the step.
    pub(super) id: &'a str,
    /// The step itself; its span is that of its `do`.
    pub(super) table: &'a Table,
    /// `[stimulus]`.
    pub(super) base: &'a Table,
    /// Both together.
    pub(super) merged: Table,
    /// Ids and kinds of the steps before it.
    pub(super) earlier: &'a [(String, &'static str)],
}

/// Reads all steps. A step with a mistake is left out; the mistakes are in the list.
pub(super) fn read(list: &[Node], base: &Table, faults: &mut Faults) -> Vec<Step> {
    let tables: Vec<(&'static Kind, Table)> = list
        .iter()
        .filter_map(|node| step_table(node, faults))
        .collect();
    let kinds: Vec<&'static str> = tables.iter().map(|(kind, _)| kind.name).collect();
    let ids = ids(&kinds);
    let named: Vec<(String, &'static str)> = ids.iter().cloned().zip(kinds).collect();
    let mut steps = Vec::new();
    for (index, (kind, table)) in tables.iter().enumerate() {
        check_step_keys(kind, table, faults);
        stimulus::check_layer(table, faults);
        let scope = Scope {
            id: &ids[index],
            table,
            base,
            merged: stimulus::overlay(base, table),
            earlier: &named[..index],
        };
        steps.extend(step(kind.name, &scope, faults).map(|kind| Step {
            id: ids[index].clone(),
            kind,
        }));
    }
    steps
}

/// Ids of steps of these kinds in this order: the kind, numbered where it repeats.
pub(super) fn ids(kinds: &[&str]) -> Vec<String> {
    kinds
        .iter()
        .enumerate()
        .map(|(index, kind)| {
            if kinds.iter().filter(|other| *other == kind).count() == 1 {
                return (*kind).to_owned();
            }
            let before = kinds[..index].iter().filter(|other| *other == kind).count();
            format!("{kind}.{}", before + 1)
        })
        .collect()
}

fn step_table(node: &Node, faults: &mut Faults) -> Option<(&'static Kind, Table)> {
    let mut table = reader::table(node, "a step", faults)?.clone();
    let Some(kind) = table.get("do") else {
        faults.push(
            Fault::at(table.span, "a step has no 'do'")
                .label("what shall it do?")
                .help(format!(
                    "add do = \"purge\", or one of {}",
                    names().join(", ")
                ))
                .missing(),
        );
        return None;
    };
    let name = reader::text(kind, "do", faults)?;
    let span = kind.span;
    let Some(kind) = KINDS.iter().find(|kind| kind.name == name) else {
        faults.push(
            Fault::at(span, format!("unknown step '{name}'"))
                .label("no such kind of step")
                .maybe_help(suggestion(name, &names())),
        );
        return None;
    };
    table.span = span;
    Some((kind, table))
}

fn names() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.name).collect()
}

fn check_step_keys(kind: &Kind, table: &Table, faults: &mut Faults) {
    let known = kind.keys();
    for entry in &table.entries {
        if known.contains(&entry.key.as_str()) {
            continue;
        }
        let homes: Vec<&str> = KINDS
            .iter()
            .filter(|other| other.keys().contains(&entry.key.as_str()))
            .map(|other| other.name)
            .collect();
        let fault = if homes.is_empty() {
            Fault::at(entry.key_span, format!("unknown key '{}'", entry.key))
                .label(format!("not a key of a {} step", kind.name))
                .maybe_help(suggestion(&entry.key, &known))
        } else {
            Fault::at(
                entry.key_span,
                format!("a {} step has no '{}'", kind.name, entry.key),
            )
            .label("does not belong here")
            .help(format!("'{}' is a key of {}", entry.key, homes.join(", ")))
        };
        faults.push(if kind.name == "purge" {
            fault.clause(PURGE_CLAUSE)
        } else {
            fault
        });
    }
}

fn step(name: &str, scope: &Scope<'_>, faults: &mut Faults) -> Option<StepKind> {
    match name {
        "purge" => Some(StepKind::Purge),
        "fill" => fill(scope, faults).map(StepKind::Fill),
        "rounds" => rounds::read(scope, faults).map(StepKind::Rounds),
        "hold" => hold::read(
            scope.table,
            &scope.merged,
            scope.base,
            &scope.place(),
            faults,
        )
        .map(StepKind::Hold),
        "saturate" => saturate::read(scope, faults).map(StepKind::Saturate),
        "duty" => duty(scope, faults).map(StepKind::Duty),
        "idle" => scope.time("time", "\"5m\"", faults).map(StepKind::Idle),
        "curve" => curve(scope, faults).map(StepKind::Curve),
        _ => saturate::points(scope, faults).map(StepKind::Points),
    }
}

impl Scope<'_> {
    /// The stimulus of the step.
    pub(super) fn stimulus(&self, faults: &mut Faults) -> Stimulus {
        stimulus::read(&self.merged, self.base, &self.place(), faults)
    }

    /// A value the step must have.
    pub(super) fn required(&self, key: &str, example: &str, faults: &mut Faults) -> Option<&Node> {
        let kind = self.id.split('.').next().unwrap_or(self.id);
        let known = KINDS
            .iter()
            .find(|known| known.name == kind)
            .map(Kind::keys)
            .unwrap_or_default();
        reader::required(self.table, key, &self.place(), example, &known, faults)
    }

    /// A duration the step must have.
    pub(super) fn time(
        &self,
        key: &str,
        example: &str,
        faults: &mut Faults,
    ) -> Option<crate::units::Nanos> {
        let node = self.required(key, example, faults)?;
        reader::duration(node, key, faults)
    }

    /// What the step is called in a message.
    pub(super) fn place(&self) -> String {
        format!("step '{}'", self.id)
    }
}

fn fill(scope: &Scope<'_>, faults: &mut Faults) -> Option<Fill> {
    let mut merged = scope.merged.clone();
    if let Some(entry) = scope.table.entry("read_percent")
        && entry.node.value != Value::Integer(0)
    {
        faults.push(
            Fault::at(entry.node.span, "a fill writes; it has no reads")
                .label("must be 0, or left out")
                .clause("PTS 2.0.2, clause 7: preconditioning writes twice the user capacity"),
        );
    }
    merged.put(super::tree::Entry {
        key: "read_percent".to_owned(),
        key_span: scope.table.span,
        node: Node {
            span: scope.table.span,
            value: Value::Integer(0),
        },
    });
    let stimulus = stimulus::read(&merged, scope.base, &scope.place(), faults);
    let of = hold::amount_of(scope.table, faults);
    let amount = scope
        .required("amount", "\"2x\"", faults)
        .and_then(|node| pattern::amount(node, "amount", of.unwrap_or(AmountOf::Capacity), faults));
    const READ_BACK: [(&str, ReadBack); 3] = [
        ("sampled", ReadBack::Sampled),
        ("all", ReadBack::All),
        ("none", ReadBack::Nothing),
    ];
    let read_back = match scope.table.get("read_back") {
        Some(node) => reader::choice(node, "read_back", &READ_BACK, faults),
        None => Some(ReadBack::Sampled),
    };
    Some(Fill {
        stimulus,
        read_back: read_back?,
        amount: amount?,
    })
}

fn duty(scope: &Scope<'_>, faults: &mut Faults) -> Option<Duty> {
    let stimulus = scope.stimulus(faults);
    let time = scope.time("time", "\"5s\"", faults);
    let idle = scope.time("idle", "\"5s\"", faults);
    let repeat = scope
        .required("repeat", "360", faults)
        .and_then(|node| reader::whole(node, "repeat", 1..=REPEAT_MAX, faults));
    Some(Duty {
        stimulus,
        time: time?,
        idle: idle?,
        repeat: repeat?,
    })
}

fn curve(scope: &Scope<'_>, faults: &mut Faults) -> Option<Curve> {
    let stimulus = scope.stimulus(faults);
    let warm_up = scope.time("warm_up", "\"30s\"", faults);
    let time = scope.time("time", "\"30s\"", faults);
    let mut percent = Vec::new();
    if let Some(node) = scope.required("percent", "[10, 20, 50, 100]", faults) {
        for share in reader::list(node, "percent", faults)? {
            percent.extend(reader::whole(
                share,
                "percent",
                1..=CURVE_PERCENT_MAX,
                faults,
            ));
        }
    }
    if let Some(rate) = scope.merged.entry("rate") {
        faults.push(
            Fault::at(rate.key_span, "a curve sets the rate itself").label("must not be set here"),
        );
    }
    Some(Curve {
        stimulus,
        percent,
        warm_up: warm_up?,
        time: time?,
    })
}
