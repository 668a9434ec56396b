//! Which keys of a test the standard fixes, which are the operator's choice, and which are ours.
//!
//! A table to read and to print; whether a run departed from it is derived by the ledger from
//! the plan and from what was measured. Clauses are those of PTS 2.0.2. Where the standard leaves
//! a point open in what could be read of it, the key is the operator's choice.

use super::model::TestName;

/// Who decides on the value of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// The standard: another value is a deviation.
    Fixed(&'static str),
    /// The operator: any value is compliant and disclosed, beside the recommended one if any.
    Choice(Option<&'static str>),
    /// Nobody: the standard has no opinion on it.
    Ours,
}

/// A key, by its path in the test file without numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRule {
    /// Such as `rounds.cell_time`.
    pub key: &'static str,
    /// Who decides, and the value in the notation of the test file.
    pub ruling: Ruling,
    /// Clause of the standard; empty for keys of ours.
    pub clause: &'static str,
}

const fn fixed(key: &'static str, value: &'static str, clause: &'static str) -> KeyRule {
    KeyRule {
        key,
        ruling: Ruling::Fixed(value),
        clause,
    }
}

const fn choice(key: &'static str, recommended: &'static str, clause: &'static str) -> KeyRule {
    KeyRule {
        key,
        ruling: Ruling::Choice(Some(recommended)),
        clause,
    }
}

const fn open(key: &'static str, clause: &'static str) -> KeyRule {
    KeyRule {
        key,
        ruling: Ruling::Choice(None),
        clause,
    }
}

const fn ours(key: &'static str) -> KeyRule {
    KeyRule {
        key,
        ruling: Ruling::Ours,
        clause: "",
    }
}

/// Every test of the enterprise part.
const EVERY: [KeyRule; 4] = [
    fixed("conditions.write_cache", "\"off\"", "PTS-E"),
    fixed("stimulus.range", "\"100%\"", "PTS-E"),
    fixed("stimulus.content", "\"random\"", "PTS-E"),
    fixed("purge", "first, before every test", "3"),
];
/// Keys that no test of the standard cares about.
const NONE: [KeyRule; 5] = [
    ours("test.*"),
    ours("report.*"),
    ours("params.*"),
    ours("stimulus.sequential_start"),
    ours("fill.read_back"),
];
const WIPC: [KeyRule; 4] = [
    fixed("fill.pattern", "\"sequential\"", "7"),
    fixed("fill.block", "\"128KiB\"", "7"),
    fixed("fill.amount", "\"2x\"", "7"),
    fixed("fill.of", "\"capacity\"", "7"),
];
const ROUNDS: [KeyRule; 4] = [
    fixed("rounds.cell_time", "\"60s\"", "7"),
    fixed("rounds.rounds_max", "25 or more", "2.1.24"),
    open("rounds.at_limit", "2.1.24"),
    ours("rounds.watch"),
];
const IOPS: [KeyRule; 5] = [
    choice("stimulus.threads", "4", "7"),
    choice("stimulus.queue_depth", "32", "7"),
    fixed("rounds.pattern", "\"random\"", "7"),
    fixed(
        "rounds.loop",
        "7 mixes 100 to 0 outside, 8 sizes 1024KiB to 0.5KiB inside",
        "7",
    ),
    fixed(
        "rounds.track",
        "iops of 0/100 4KiB, 65/35 64KiB and 100/0 1024KiB",
        "7",
    ),
];
const THROUGHPUT: [KeyRule; 7] = [
    choice("stimulus.threads", "1", "8"),
    choice("stimulus.queue_depth", "32", "8"),
    fixed("fill.block", "the block size of its pass", "8"),
    fixed("rounds.pattern", "\"sequential\"", "8"),
    fixed("rounds.block", "\"1024KiB\", then \"128KiB\"", "8"),
    fixed("rounds.loop", "reads, then writes", "8"),
    fixed("rounds.track", "throughput of the writes", "8"),
];
const LATENCY: [KeyRule; 7] = [
    fixed("stimulus.threads", "1", "9"),
    fixed("stimulus.queue_depth", "1", "9"),
    fixed("rounds.pattern", "\"random\"", "9"),
    fixed(
        "rounds.loop",
        "mixes 100, 65, 0 outside, 8KiB, 4KiB, 0.5KiB inside",
        "9",
    ),
    fixed("rounds.track", "latency of 0/100 4KiB", "9"),
    fixed("hold.time", "\"20m\"", "9"),
    fixed("hold.capture", "true", "9"),
];
const WRITE_SATURATION: [KeyRule; 11] = [
    choice("stimulus.threads", "4", "10"),
    choice("stimulus.queue_depth", "32", "10"),
    fixed("saturate.pattern", "\"random\"", "10"),
    fixed("saturate.block", "\"4KiB\"", "10"),
    fixed("saturate.read_percent", "0", "10"),
    fixed("saturate.sample.time", "\"60s\"", "10"),
    choice("saturate.sample.every", "30", "10"),
    choice("saturate.sample.first", "1", "10"),
    fixed("saturate.stop.written", "\"4x\"", "10"),
    fixed("saturate.stop.time", "\"6h\"", "10"),
    fixed("hold.time", "\"20m\"", "10.2.4"),
];
const IDLE_RECOVERY: [KeyRule; 8] = [
    open("stimulus.threads", "11"),
    open("stimulus.queue_depth", "11"),
    fixed(
        "saturate",
        "RND 4KiB 0/100 until steady, 25 judged samples at most",
        "11.2.3",
    ),
    choice("saturate.sample.first", "30", "11.2.3"),
    fixed("duty.time", "\"5s\"", "11"),
    fixed(
        "duty.idle",
        "\"5s\", \"10s\", \"15s\", \"25s\", \"50s\"",
        "11",
    ),
    fixed("duty.repeat", "360", "11"),
    fixed("hold.time", "\"1800s\"", "11"),
];
const CROSS_STIMULUS: [KeyRule; 5] = [
    fixed("stimulus.threads", "1", "12"),
    fixed("stimulus.queue_depth", "32", "12"),
    fixed("hold.pattern", "sequential, random, sequential", "12"),
    fixed("hold.block", "\"1024KiB\", \"8KiB\", \"1024KiB\"", "12"),
    fixed("hold.time", "\"8h\", \"6h\", \"8h\"", "12"),
];
const SWEEP: [KeyRule; 7] = [
    fixed(
        "saturate",
        "0/100 at TC 32 QD 32 until steady, 25 samples at most",
        "13",
    ),
    fixed(
        "rounds.before_round",
        "0/100 at TC 32 QD 32 for 5 minutes",
        "13",
    ),
    fixed("rounds.loop", "TC, then QD, each 32 16 8 6 4 2 1", "13"),
    fixed("rounds.track", "iops of TC 32 QD 32", "13"),
    fixed("points.limit.art_max", "\"5ms\"", "13"),
    fixed("points.before_point.time", "\"60m\"", "13"),
    fixed("points.cell.time", "\"10m\"", "13"),
];
const COMPOSITE: [KeyRule; 4] = [
    fixed("stimulus.block", "12 sizes, 67 % of them 4KiB", "13"),
    fixed(
        "stimulus.zones",
        "50 % to 0%..5%, 30 % to 5%..20%, 20 % to the rest",
        "13",
    ),
    fixed("rounds.read_percent", "40", "13"),
    open("stimulus.on_small_blocks", "13"),
];
const DEMAND_INTENSITY: [KeyRule; 2] = [
    choice("stimulus.block", "\"8KiB\"", "14"),
    choice("rounds.read_percent", "65", "14"),
];

/// The rules for a test, those of the standard first; empty for a test that follows none.
pub fn rules(test: &TestName) -> Vec<KeyRule> {
    if test.standard.is_none() {
        return Vec::new();
    }
    let clause = test.clause.as_deref().unwrap_or_default();
    let own: Vec<&[KeyRule]> = match clause.split('.').next().unwrap_or_default() {
        "7" => vec![&IOPS, &WIPC, &ROUNDS],
        "8" => vec![&THROUGHPUT, &WIPC, &ROUNDS],
        "9" => vec![&LATENCY, &WIPC, &ROUNDS],
        "10" => vec![&WRITE_SATURATION],
        "11" => vec![&IDLE_RECOVERY],
        "12" => vec![&CROSS_STIMULUS],
        "13" => vec![&COMPOSITE, &SWEEP, &ROUNDS],
        "14" => vec![&DEMAND_INTENSITY, &SWEEP, &ROUNDS],
        _ => Vec::new(),
    };
    let mut rules: Vec<KeyRule> = Vec::new();
    for rule in EVERY.iter().chain(own.into_iter().flatten()).chain(&NONE) {
        // What a test says of its own goes before what most tests have in common.
        if !rules.iter().any(|known| known.key == rule.key) {
            rules.push(*rule);
        }
    }
    let is_first_edition = test
        .standard
        .as_deref()
        .is_some_and(|standard| standard.starts_with("PTS-E 1"));
    if is_first_edition {
        for rule in &mut rules {
            *rule = as_in_first_edition(*rule, clause);
        }
    }
    rules
}

/// PTS-E 1.x: no recommended demand intensity, one tracked variable, 24 hours of saturation.
fn as_in_first_edition(mut rule: KeyRule, clause: &str) -> KeyRule {
    rule.ruling = match (clause, rule.key) {
        ("7" | "8" | "10", "stimulus.threads" | "stimulus.queue_depth") => Ruling::Choice(None),
        ("7", "rounds.track") => Ruling::Fixed("iops of 0/100 4KiB"),
        ("10", "saturate.stop.time") => Ruling::Fixed("\"24h\""),
        _ => rule.ruling,
    };
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(standard: &str, clause: &str) -> TestName {
        TestName {
            name: "t".into(),
            title: "t".into(),
            standard: Some(standard.into()),
            clause: Some(clause.into()),
        }
    }

    fn ruling(standard: &str, clause: &str, key: &str) -> Option<Ruling> {
        rules(&test(standard, clause))
            .iter()
            .find(|rule| rule.key == key)
            .map(|rule| rule.ruling)
    }

    /// PTS 2.0.2 recommends 4 / 32 for IOPS; LAT requires 1 / 1.
    #[test]
    fn demand_intensity_is_a_choice_in_iops_and_fixed_in_latency() {
        let key = "stimulus.queue_depth";
        assert_eq!(
            ruling("PTS 2.0.2", "7", key),
            Some(Ruling::Choice(Some("32")))
        );
        assert_eq!(ruling("PTS 2.0.2", "9", key), Some(Ruling::Fixed("1")));
        assert_eq!(ruling("PTS-E 1.1", "7", key), Some(Ruling::Choice(None)));
    }

    #[test]
    fn a_rule_of_the_test_itself_goes_before_the_common_one() {
        let throughput = ruling("PTS 2.0.2", "8", "fill.block");
        assert_eq!(
            throughput,
            Some(Ruling::Fixed("the block size of its pass"))
        );
        assert_eq!(
            ruling("PTS 2.0.2", "7", "fill.block"),
            Some(Ruling::Fixed("\"128KiB\""))
        );
    }

    #[test]
    fn a_test_outside_the_standard_has_no_rules() {
        let mut lab = test("", "");
        lab.standard = None;
        assert!(rules(&lab).is_empty());
    }
}
