//! Every mistake in a test file is shown at once, each with its line, a caret and what is right.

use proptest::prelude::*;
use ptse::spec::{Plan, PlanError, Source, SourceError, SpecErrors, builtin, load};
use ptse::stimulus::Geometry;
use ptse::units::Bytes;

const IOPS: &str = "pts-e/iops";

fn built_in_text() -> String {
    builtin::find(IOPS).unwrap().text.to_owned()
}

fn source(text: &str) -> Source {
    Source::from_bytes("my.toml", text.as_bytes()).unwrap()
}

fn errors(text: &str) -> SpecErrors {
    load(&source(text), &[], false).expect_err("the file has a mistake")
}

/// The built-in file with one piece of text exchanged.
fn with(old: &str, new: &str) -> String {
    let text = built_in_text();
    assert!(text.contains(old), "{old}");
    text.replacen(old, new, 1)
}

/// A file with a single step after the purge.
fn single(step: &str) -> String {
    format!(
        "schema = \"ptse-spec/1\"\n[test]\nname = \"t\"\ntitle = \"t\"\n[stimulus]\nthreads = 1\n\
         queue_depth = 1\npattern = \"random\"\nread_percent = 0\nblock = \"4KiB\"\n[[step]]\n{step}\n"
    )
}

fn carets(page: &str) -> usize {
    let is_caret_row = |line: &&str| {
        let after = line.split_once("| ").map(|(_, rest)| rest.trim_start());
        after.is_some_and(|rest| rest.starts_with('^'))
    };
    page.lines().filter(is_caret_row).count()
}

/// The acceptance of the main job: five different mistakes, five carets, in one go.
#[test]
fn five_different_mistakes_show_five_carets() {
    let text = built_in_text()
        .replacen("queue_depth = 32", "queue_deph = 32", 1)
        .replacen("block = \"128KiB\"", "block = \"128k\"", 1)
        .replacen("cell_time = \"60s\"", "cell_time = 60", 1)
        .replacen("rounds_max = 25", "rounds_max = 4", 1)
        .replacen("read_percent = 65, block", "read_percent = 66, block", 1);
    let page = errors(&text).render(false);
    assert_eq!(carets(&page), 5, "{page}");
    for part in [
        "did you mean 'queue_depth'?",
        "'128k' is ambiguous",
        "must be a duration such as \"60s\"",
        "must be at least 5, or 1 for a plain sweep",
        "no cell of this step has this 'read_percent'",
        "PTS 2.0.2, clause 2.1.24",
        "my.toml:25:1",
        "5 mistakes in my.toml",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
}

/// Every key of the built-in test, mistyped by one letter, is found and put right.
#[test]
fn every_mistyped_key_is_named_with_the_right_one() {
    for key in [
        "schema",
        "name",
        "title",
        "standard",
        "clause",
        "write_cache",
        "range",
        "threads",
        "queue_depth",
        "content",
        "do",
        "pattern",
        "block",
        "amount",
        "of",
        "cell_time",
        "rounds_max",
        "at_limit",
        "track",
        "loop",
    ] {
        let line = format!("\n{key} = ");
        let wrong = format!("{key}x");
        let text = built_in_text().replacen(&line, &format!("\n{wrong} = "), 1);
        let page = errors(&text).render(false);
        if key == "do" {
            assert!(page.contains("a step has no 'do'"), "{page}");
            continue;
        }
        assert!(page.contains(&format!("unknown key '{wrong}'")), "{page}");
        assert!(page.contains(&format!("did you mean '{key}'?")), "{page}");
        let unread = key == "loop" || carets(&page) == 1;
        assert!(unread, "{key} is named once:\n{page}");
    }
}

/// One line for each rule: what is written, and the words that say what would be right.
#[test]
fn each_contradiction_has_its_own_words() {
    let hold = "do = \"hold\"\ntime = \"5s\"\n";
    let rounds = "do = \"rounds\"\ncell_time = \"60s\"\n";
    let saturate = "do = \"saturate\"\nsample = { time = \"60s\" }\n";
    let track = "track = [ { iops = {} } ]\n";
    let cases: Vec<(String, &str)> = vec![
        (format!("{hold}amount = \"2x\""), "which of them ends it?"),
        (format!("{hold}record_every = \"6s\""), "longer than 5s"),
        (format!("{hold}threads = 0"), "1 to 1024"),
        (
            format!("{hold}read_percent = 50.5"),
            "whole number from 0 to 100",
        ),
        (format!("{hold}block = \"1000B\""), "multiple of 512B"),
        (format!("{hold}block = \"1.5MB\""), "multiple of 512B"),
        (
            format!("{hold}block = {{ \"4KiB\" = 60, \"8KiB\" = 39 }}"),
            "add up to 99.00 %",
        ),
        (
            format!("{hold}block = {{ read = \"4KiB\" }}"),
            "block has no 'write'",
        ),
        (
            format!("{hold}range = \"50%..20%\""),
            "must end after its start",
        ),
        (format!("{hold}range = \"120%\""), "is not a range"),
        (
            format!("{hold}zones = [ {{ share = 90, range = \"5%\" }} ]"),
            "add up to 90.00 %",
        ),
        (
            format!(
                "{hold}zones = [ {{ share = 100, range = \"5%\" }} ]\npattern = \"sequential\""
            ),
            "zones need random addresses",
        ),
        (
            format!("{hold}zones = [ {{ share = 100, range = \"5GiB\" }} ]"),
            "in percent of the active range",
        ),
        (
            format!("{hold}random_percent = 5\npattern = \"random\""),
            "stand in one place",
        ),
        (
            format!("{hold}with = [ {{ with = [] }} ]"),
            "unknown key 'with'",
        ),
        (
            format!("{hold}with = [ {{ operation = \"trim\" }} ]"),
            "known here: discard",
        ),
        (format!("{hold}rate = 0"), "1 to 100000000"),
        (format!("{hold}of = \"range\""), "of what amount?"),
        ("do = \"hold\"".into(), "has no 'time'"),
        ("do = \"fill\"\namount = \"2\"".into(), "is not an amount"),
        ("do = \"fill\"\namount = \"0x\"".into(), "is not an amount"),
        (
            "do = \"fill\"\namount = \"1x\"\nread_percent = 5".into(),
            "a fill writes",
        ),
        (
            "do = \"fill\"\namount = \"1x\"\ntime = \"5s\"".into(),
            "'time' is a key of hold",
        ),
        ("do = \"purge\"\nthreads = 1".into(), "clause 7"),
        (rounds.to_owned(), "has no 'track'"),
        (
            format!("{rounds}rounds_max = 1\n{track}"),
            "nothing is judged in one round",
        ),
        (
            format!("{rounds}{track}loop = [ {{ threads = [1, 2] }} ]"),
            "ambiguous",
        ),
        (
            format!("{rounds}{track}loop = [ {{ threads = [] }} ]"),
            "threads is empty",
        ),
        (
            format!("{rounds}{track}loop = [ {{ threads = [2, 2] }} ]"),
            "twice",
        ),
        (
            format!("{rounds}{track}loop = [ {{ threads = [1, 2], queue_depth = [1] }} ]"),
            "vary together",
        ),
        (
            format!("{rounds}{track}loop = [ {{ cell_time = [1] }} ]"),
            "unknown key 'cell_time'",
        ),
        (
            format!("{rounds}track = [ {{ iosp = {{}} }} ]"),
            "did you mean 'iops'?",
        ),
        (
            format!("{rounds}{track}before_cell = {{ idle = \"0s\" }}"),
            "must be above 0",
        ),
        (
            format!("{rounds}{track}before_round = {{ tme = \"5m\" }}"),
            "did you mean 'time'?",
        ),
        (
            format!("{saturate}stop = {{ steady = [\"iops\"] }}"),
            "could run for ever",
        ),
        (
            format!("{saturate}stop = {{ steady = [\"iops\"], samples_max = 4 }}"),
            "4 samples can never be steady",
        ),
        (
            "do = \"points\"\nfrom = \"rounds\"\nlimit = { art_max = \"5ms\" }\n\
             choose = [\"max\"]\ncell = { time = \"10m\" }"
                .into(),
            "put a rounds step before this one",
        ),
        (
            "do = \"duty\"\ntime = \"5s\"\nidle = \"5s\"".into(),
            "has no 'repeat'",
        ),
        (
            "do = \"idle\"\ntime = \"9000h\"".into(),
            "longer than a year",
        ),
        (
            "do = \"curve\"\npercent = [10, 300]\nwarm_up = \"1s\"\ntime = \"1s\"".into(),
            "1 to 200",
        ),
        ("do = \"pruge\"".into(), "did you mean 'purge'?"),
    ];
    for (step, words) in cases {
        let page = errors(&single(&step)).render(false);
        assert!(page.contains(words), "{step}\n{words} is not in\n{page}");
    }
}

#[test]
fn what_contradicts_the_whole_file_is_named() {
    let text = built_in_text();
    let cases = [
        (
            format!("{text}\n[[part]]\nuse = \"pts-e/iops\"\n"),
            "parts beside steps",
        ),
        (
            with("\"ptse-spec/1\"", "\"ptse-spec/9\""),
            "must be \"ptse-spec/1\"",
        ),
        (
            with("standard = \"PTS 2.0.2\"", "standard = \"PTS 2.02\""),
            "'PTS 2.0.2'",
        ),
        (
            with("standard = \"PTS 2.0.2\"", ""),
            "a clause of which standard?",
        ),
        (
            with("threads = 4", "threads = \"$tc\""),
            "no parameter is called 'tc'",
        ),
        (
            format!("{text}\n[params]\nblok = \"4KiB\"\n"),
            "parameter 'blok' is not used",
        ),
        (with("\"off\"", "\"of\""), "did you mean 'off'"),
        (with("threads = 4", ""), "'threads' is missing"),
        (
            "schema = \"ptse-spec/1\"\n[test]\nname=\"t\"\ntitle=\"t\"\n".into(),
            "no [[step]]",
        ),
    ];
    for (text, words) in cases {
        let page = errors(&text).render(false);
        assert!(page.contains(words), "{words} is not in\n{page}");
    }
}

/// TOML's own mistakes are shown beside the others, and nothing seems missing because of them.
#[test]
fn a_syntax_mistake_stands_beside_the_others() {
    let text = with("cell_time = \"60s\"", "cell_time = \"60s").replacen(
        "rounds_max = 25",
        "rounds_mx = 25",
        1,
    );
    let page = errors(&text).render(false);
    assert!(page.contains("not valid TOML"), "{page}");
    assert!(page.contains("did you mean 'rounds_max'?"), "{page}");
    assert!(!page.contains("is missing"), "{page}");
}

#[test]
fn colours_are_only_used_when_asked_for() {
    let errors = errors(&with("threads = 4", "threads = 0"));
    assert!(!errors.render(false).contains('\u{1b}'));
    assert!(errors.render(true).contains('\u{1b}'));
}

#[test]
fn a_name_that_is_nothing_lists_near_ones() {
    let Err(error) = Source::find("pts-e/iop") else {
        panic!("there is no such test");
    };
    assert!(matches!(error, SourceError::NotFound { .. }));
    assert!(
        error.to_string().contains("did you mean 'pts-e/iops'?"),
        "{error}"
    );
}

#[test]
fn a_file_that_is_not_text_or_far_too_large_is_refused() {
    let error = Source::from_bytes("x", b"ok\n\xff")
        .unwrap_err()
        .render(false);
    assert!(error.contains("byte 3, line 2"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.toml");
    std::fs::write(&path, vec![b'#'; (1 << 20) + 1]).unwrap();
    let error = Source::find(path.to_str().unwrap()).unwrap_err();
    assert!(matches!(error, SourceError::TooLarge { .. }), "{error}");
    let error = Source::find(folder.path().to_str().unwrap()).unwrap_err();
    assert!(matches!(error, SourceError::Unreadable { .. }), "{error}");
}

fn plan_errors(text: &str, capacity: u64, logical_block: u64) -> Vec<PlanError> {
    let spec = load(&source(text), &[], false).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let geometry = Geometry {
        capacity: Bytes(capacity),
        logical_block: Bytes(logical_block),
    };
    Plan::resolve(&spec.spec, geometry).unwrap_err().0
}

/// Four threads with blocks of 1 MiB need 4 MiB; a 2 MiB drive has no room.
#[test]
fn a_drive_too_small_for_the_blocks_is_refused_by_the_plan() {
    let errors = plan_errors(&built_in_text(), 2 << 20, 512);
    assert!(
        errors
            .iter()
            .any(|e| matches!(e, PlanError::TooSmall { threads: 4, .. }))
    );
    let text = errors.last().unwrap().to_string();
    assert!(text.contains("at least 4MiB, not 2097152 bytes"), "{text}");
}

#[test]
fn a_range_beyond_the_drive_is_refused_by_the_plan() {
    let errors = plan_errors(&with("\"100%\"", "\"20GiB\""), 10 << 30, 512);
    assert!(
        matches!(errors[0], PlanError::BeyondEnd { .. }),
        "{errors:?}"
    );
}

/// A tracked 0.5 KiB cell on 4096-byte blocks can never be judged.
#[test]
fn a_tracked_cell_that_is_impossible_is_refused_by_the_plan() {
    let text = with(
        "read_percent = 0, block = \"4KiB\"",
        "read_percent = 0, block = \"0.5KiB\"",
    );
    let errors = plan_errors(&text, 10 << 30, 4096);
    assert!(
        matches!(errors[0], PlanError::TrackedImpossible { .. }),
        "{errors:?}"
    );
}

#[test]
fn an_impossible_fill_or_geometry_is_refused_by_the_plan() {
    let errors = plan_errors(
        &with("block = \"128KiB\"", "block = \"2KiB\""),
        10 << 30,
        4096,
    );
    assert!(
        matches!(errors[0], PlanError::Impossible { .. }),
        "{errors:?}"
    );
    let errors = plan_errors(&built_in_text(), 1000, 512);
    assert!(
        matches!(errors[0], PlanError::OddGeometry { .. }),
        "{errors:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(source) = Source::from_bytes("x", &bytes) {
            if let Err(errors) = load(&source, &[], true) {
                prop_assert!(errors.count() > 0);
                errors.render(false);
            }
        }
    }

    /// The built-in file with one place overwritten: still near enough to get past the parser.
    #[test]
    fn a_damaged_file_never_panics(
        at in 0_usize..3000,
        length in 0_usize..12,
        patch in "[-a-z0-9\"=.%$\\[\\]{}, \né\\\\]{0,8}",
    ) {
        let text: Vec<char> = built_in_text().chars().collect();
        let at = at.min(text.len());
        let end = (at + length).min(text.len());
        let damaged: String = text[..at].iter().collect::<String>()
            + &patch
            + &text[end..].iter().collect::<String>();
        match load(&source(&damaged), &[], true) {
            Ok(loaded) => {
                let again = load(&source(&loaded.effective), &[], false).unwrap();
                prop_assert_eq!(again.spec, loaded.spec);
            }
            Err(errors) => {
                prop_assert!(errors.count() > 0);
                errors.render(false);
            }
        }
    }

    #[test]
    fn an_arbitrary_override_never_panics(argument in "[-a-z0-9\"=.%$\\[\\]{}, \né]{0,24}") {
        let built_in = Source::find(IOPS).unwrap();
        if let Err(errors) = load(&built_in, &[argument], false) {
            errors.render(false);
        }
    }
}
