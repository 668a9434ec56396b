//! `--set` and `--quick`: the same test as a copied file, and a mistake at its argument.
#![allow(
    clippy::unwrap_used,
    reason = "a helper of a test fails the test by panicking"
)]

use ptse::spec::model::{Hold, StepKind};
use ptse::spec::{Loaded, Source, load};
use ptse::units::{Bytes, Nanos};

const IOPS: &str = "pts-e/iops";

fn set(arguments: &[&str]) -> Loaded {
    let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
    load(&Source::find(IOPS).unwrap(), &arguments, false)
        .unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

fn refused(arguments: &[&str]) -> String {
    let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
    load(&Source::find(IOPS).unwrap(), &arguments, false)
        .unwrap_err()
        .render(false)
}

fn draft(name: &str) -> Source {
    let path = format!("{}/tests/specs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Source::find(&path).unwrap()
}

/// A 59-second cell by argument and by an edited copy is one and the same test.
#[test]
fn an_override_equals_a_copied_file() {
    let text = Source::find(IOPS).unwrap().text;
    for (argument, old, new) in [
        (
            "rounds.cell_time=59s",
            "cell_time = \"60s\"",
            "cell_time = \"59s\"",
        ),
        (
            "stimulus.queue_depth=256",
            "queue_depth = 32",
            "queue_depth = 256",
        ),
        ("fill.amount=3x", "amount = \"2x\"", "amount = \"3x\""),
        (
            "fill.block = 1024KiB",
            "block = \"128KiB\"",
            "block = \"1024KiB\"",
        ),
        (
            "conditions.write_cache=on",
            "write_cache = \"off\"",
            "write_cache = \"on\"",
        ),
        (
            "rounds.loop.1.read_percent=[100, 65, 0]",
            "[100, 95, 65, 50, 35, 5, 0]",
            "[100, 65, 0]",
        ),
        (
            "rounds.track.2.iops.block=\"32KiB\"",
            "65, block = \"64KiB\"",
            "65, block = \"32KiB\"",
        ),
    ] {
        let copied = text.replacen(old, new, 1);
        assert_ne!(copied, text, "{old}");
        let copied = Source::from_bytes("copy.toml", copied.as_bytes()).unwrap();
        let copied = load(&copied, &[], false).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let overridden = set(&[argument]);
        assert_eq!(overridden.spec, copied.spec, "{argument}");
        assert_eq!(overridden.effective, copied.effective, "{argument}");
        assert_eq!(overridden.text, text, "the file as given stays as given");
    }
}

#[test]
fn a_key_that_the_file_leaves_out_can_be_set() {
    let loaded = set(&["fill.threads=1", "report.tested_by=Lab 7"]);
    let StepKind::Fill(fill) = &loaded.spec.steps[1].kind else {
        panic!("the second step is a fill");
    };
    assert_eq!(fill.stimulus.threads, 1);
    assert_eq!(loaded.spec.report_fields["tested_by"], "Lab 7");
}

#[test]
fn the_last_of_two_overrides_holds() {
    let loaded = set(&["rounds.cell_time=30s", "rounds.cell_time=59s"]);
    assert_eq!(loaded.spec, set(&["rounds.cell_time=59s"]).spec);
}

/// Two block sizes of TP: the second fill is `fill.2`, and plain `fill` would be a guess.
#[test]
fn a_step_that_repeats_goes_by_its_number() {
    let loaded = load(
        &draft("pts-e/throughput"),
        &["fill.2.amount=1x".into()],
        false,
    )
    .unwrap();
    let amounts: Vec<String> = loaded
        .spec
        .steps
        .iter()
        .filter_map(|step| match &step.kind {
            StepKind::Fill(fill) => Some(format!("{:?}", fill.amount)),
            StepKind::Purge
            | StepKind::Rounds(_)
            | StepKind::Hold(_)
            | StepKind::Saturate(_)
            | StepKind::Duty(_)
            | StepKind::Idle(_)
            | StepKind::Curve(_)
            | StepKind::Points(_) => None,
        })
        .collect();
    assert!(
        amounts[0].contains("2000") && amounts[1].contains("1000"),
        "{amounts:?}"
    );
    let arguments = ["fill.amount=1x".to_owned(), "fill.3.amount=1x".to_owned()];
    let page = load(&draft("pts-e/throughput"), &arguments, false)
        .unwrap_err()
        .render(false);
    assert!(page.contains("number it: fill.1 to fill.2"), "{page}");
    assert!(page.contains("there is no fill.3"), "{page}");
}

#[test]
fn a_parameter_reaches_every_place_that_uses_it() {
    let arguments = ["params.block=16KiB".to_owned()];
    let loaded = load(&draft("pts-e/dirth"), &arguments, false).unwrap();
    let StepKind::Saturate(saturate) = &loaded.spec.steps[1].kind else {
        panic!("the second step saturates");
    };
    assert_eq!(
        saturate.stimulus.write_blocks.single(),
        Some(Bytes(16 * 1024))
    );
    assert!(
        loaded.effective.contains("block = \"$block\""),
        "{}",
        loaded.effective
    );
}

/// Each wrong argument is shown itself, with a caret and the nearest key that would do.
#[test]
fn a_wrong_key_is_shown_at_its_argument() {
    for (argument, words) in [
        ("rounds.cell_tme=59s", "did you mean 'cell_time'?"),
        ("round.cell_time=59s", "did you mean 'rounds'?"),
        ("stimulis.threads=1", "did you mean 'stimulus'?"),
        ("zzz.a=1", "known here: purge, fill, rounds, test"),
        ("rounds.cell_time.x=1", "it is the text \"60s\""),
        ("rounds.track.9.iops.block=4KiB", "'track' is a list of 3"),
        ("stimulus=1", "name one of its keys"),
        ("stimulus.threads", "write KEY=VALUE"),
        ("=1", "this is not a key"),
        ("schema=x", "cannot be set"),
        ("stimulus.threads=0", "1 to 1024"),
        ("rounds.rounds_max=3", "clause 2.1.24"),
        ("fill.block=4k", "ambiguous"),
        ("params.block=4KiB", "is not used"),
    ] {
        let page = refused(&[argument]);
        assert!(page.contains(words), "{words} is not in\n{page}");
        assert!(page.contains(" --> --set:1:"), "{page}");
        assert!(page.contains(argument), "{page}");
    }
}

#[test]
fn several_wrong_arguments_are_shown_together() {
    let page = refused(&["rounds.cell_tme=59s", "stimulus.threads=0", "fil.amount=2x"]);
    assert!(page.contains("3 mistakes in --set"), "{page}");
}

fn quick(name: &str) -> Loaded {
    let source = if name == IOPS {
        Source::find(IOPS).unwrap()
    } else {
        draft(name)
    };
    load(&source, &[], true).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

/// Half-second cells and six rounds; purge and the twofold fill stay whole.
#[test]
fn quick_shortens_cells_and_rounds_but_not_the_fill() {
    let (short, long) = (quick(IOPS), set(&[]));
    let StepKind::Rounds(rounds) = &short.spec.steps[2].kind else {
        panic!("the third step is rounds");
    };
    assert_eq!(
        (rounds.cell_time, rounds.rounds_max),
        (Nanos(500_000_000), 6)
    );
    assert_eq!(rounds.cells.len(), 56);
    assert_eq!(short.spec.steps[..2], long.spec.steps[..2]);
}

/// Sampling stretches of 3, six judged samples, a capture of at most 20 s.
#[test]
fn quick_shortens_samples_and_holds() {
    let wsat = quick("pts-e/wsat");
    let StepKind::Saturate(saturate) = &wsat.spec.steps[1].kind else {
        panic!("the second step saturates");
    };
    assert_eq!(saturate.sample_time, Nanos(500_000_000));
    assert_eq!((saturate.sample_every, saturate.samples_max), (3, Some(6)));
    assert!(matches!(
        &wsat.spec.steps[2].kind,
        StepKind::Hold(Hold { time: Some(time), .. }) if *time == Nanos::from_secs(20)
    ));
}

/// Six loops, 50 s of idle become one, pre-writes two seconds.
#[test]
fn quick_shortens_duty_loops_and_pre_writes() {
    let hir = quick("pts-e/hir");
    let StepKind::Duty(duty) = &hir.spec.steps[10].kind else {
        panic!("wait state 10 is a duty step");
    };
    assert_eq!((duty.repeat, duty.idle), (6, Nanos::from_secs(1)));
    let cbw = quick("pts-e/cbw");
    let StepKind::Rounds(rounds) = &cbw.spec.steps[2].kind else {
        panic!("the third step is rounds");
    };
    let before = rounds.before_round.as_ref().unwrap();
    assert_eq!(before.time, Some(Nanos::from_secs(2)));
}

/// What is shorter already is left alone, and an override goes before `--quick`.
#[test]
fn quick_never_makes_anything_longer() {
    let source = Source::find(IOPS).unwrap();
    let arguments = [
        "rounds.cell_time=100ms".to_owned(),
        "rounds.rounds_max=5".to_owned(),
    ];
    let loaded = load(&source, &arguments, true).unwrap();
    let StepKind::Rounds(rounds) = &loaded.spec.steps[2].kind else {
        panic!("the third step is rounds");
    };
    assert_eq!(
        (rounds.cell_time, rounds.rounds_max),
        (Nanos(100_000_000), 5)
    );
}
