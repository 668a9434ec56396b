//! Every mistake in a test file is shown at once, each with its line, a caret and what is right.
#![allow(
    clippy::unwrap_used,
    reason = "a helper of a test fails the test by panicking"
)]

use ptse::spec::{Source, SpecErrors, builtin, load};

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
        "schema = \"ptse-spec/1\"\n[test]\nname = \"t\"\ntitle = \"t\"\n[stimulus]\n\
         threads = 1\nqueue_depth = 1\npattern = \"random\"\nread_percent = 0\n\
         block = \"4KiB\"\n[[step]]\n{step}\n"
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
        "my.toml:33:1",
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

/// Asserts for each step that its mistake is named in these words.
fn assert_named(cases: &[(String, &str)]) {
    for (step, words) in cases {
        let page = errors(&single(step)).render(false);
        assert!(page.contains(words), "{step}\n{words} is not in\n{page}");
    }
}

/// A step that would be right without the added line.
fn cases(base: &str, added: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    let step = |line: &str| format!("{base}\n{line}");
    added
        .iter()
        .map(|(line, words)| (step(line), *words))
        .collect()
}

/// One line for each rule: what is written, and the words that say what would be right.
#[test]
fn each_contradiction_of_a_stimulus_has_its_own_words() {
    assert_named(&cases(
        "do = \"hold\"\ntime = \"5s\"",
        &[
            ("threads = 0", "1 to 1024"),
            ("read_percent = 50.5", "whole number from 0 to 100"),
            ("block = \"1000B\"", "multiple of 512B"),
            ("block = \"1.5MB\"", "multiple of 512B"),
            (
                "block = { \"4KiB\" = 60, \"8KiB\" = 39 }",
                "add up to 99.00 %",
            ),
            ("block = { \"4KiB\" = 60, \"4096B\" = 40 }", "stands twice"),
            ("block = { \"4KiB\" = 100.001 }", "0.01 to 100"),
            ("block = { read = \"4KiB\" }", "block has no 'write'"),
            ("range = \"50%..20%\"", "must end after its start"),
            ("range = \"120%\"", "is not a range"),
            (
                "zones = [ { share = 90, range = \"5%\" } ]",
                "add up to 90.00 %",
            ),
            (
                "zones = [ { share = 100, range = \"5GiB\" } ]",
                "in percent of the active range",
            ),
            (
                "zones = [ { share = 100, range = \"5%\" } ]\npattern = \"sequential\"",
                "zones need random addresses",
            ),
            (
                "random_percent = 5\npattern = \"random\"",
                "stand in one place",
            ),
            ("with = [ { with = [] } ]", "unknown key 'with'"),
            ("with = [ { operation = \"trim\" } ]", "known here: discard"),
            ("rate = 0", "1 to 100000000"),
            ("content = \"pattern\"", "random, fresh, stamped, zero"),
            ("content = { compress = 50 }", "unknown key 'compress'"),
            ("engine = \"sync\"\nqueue_depth = 2", "with queue_depth = 2"),
        ],
    ));
}

#[test]
fn each_contradiction_of_a_step_has_its_own_words() {
    assert_named(&cases(
        "do = \"hold\"\ntime = \"5s\"",
        &[
            ("amount = \"2x\"", "which of them ends it?"),
            ("record_every = \"6s\"", "longer than 5s"),
            ("of = \"range\"", "of what amount?"),
            ("capture = 1", "must be true or false"),
        ],
    ));
    assert_named(&cases(
        "do = \"fill\"",
        &[
            ("amount = \"2\"", "is not an amount"),
            ("amount = \"0x\"", "is not an amount"),
            ("amount = \"1x\"\nread_percent = 5", "a fill writes"),
            ("amount = \"1x\"\ntime = \"5s\"", "'time' is a key of hold"),
        ],
    ));
    assert_named(&cases(
        "do = \"saturate\"\nsample = { time = \"60s\" }",
        &[
            ("stop = { steady = [\"iops\"] }", "could run for ever"),
            (
                "stop = { steady = [\"iops\"], samples_max = 4 }",
                "4 samples can never be steady",
            ),
        ],
    ));
    let points = "do = \"points\"\nfrom = \"rounds\"\nlimit = { art_max = \"5ms\" }\n\
                  choose = [\"max\"]\ncell = { time = \"10m\" }";
    let curve = "do = \"curve\"\npercent = [10, 300]\nwarm_up = \"1s\"\ntime = \"1s\"";
    assert_named(&[
        (points.to_owned(), "put a rounds step before this one"),
        (curve.to_owned(), "1 to 200"),
        ("do = \"hold\"".to_owned(), "has no 'time'"),
        ("do = \"purge\"\nthreads = 1".to_owned(), "clause 7"),
        (
            "do = \"duty\"\ntime = \"5s\"\nidle = \"5s\"".to_owned(),
            "has no 'repeat'",
        ),
        (
            "do = \"idle\"\ntime = \"9000h\"".to_owned(),
            "longer than a year",
        ),
        ("do = \"pruge\"".to_owned(), "did you mean 'purge'?"),
    ]);
}

#[test]
fn each_contradiction_of_rounds_has_its_own_words() {
    assert_named(&cases(
        "do = \"rounds\"\ncell_time = \"60s\"",
        &[
            ("", "has no 'track'"),
            ("track = [ { iosp = {} } ]", "did you mean 'iops'?"),
            (
                "rounds_max = 1\ntrack = [ { iops = {} } ]",
                "nothing is judged in one round",
            ),
        ],
    ));
    assert_named(&cases(
        "do = \"rounds\"\ncell_time = \"60s\"\ntrack = [ { iops = {} } ]",
        &[
            ("loop = [ { threads = [1, 2] } ]", "ambiguous"),
            ("loop = [ { threads = [] } ]", "threads is empty"),
            ("loop = [ { threads = [2, 2] } ]", "twice"),
            (
                "loop = [ { threads = [1, 2], queue_depth = [1] } ]",
                "vary together",
            ),
            ("loop = [ { cell_time = [1] } ]", "unknown key 'cell_time'"),
            ("loop = [ {} ]", "which key varies?"),
            ("before_cell = { idle = \"0s\" }", "must be above 0"),
            ("before_round = { tme = \"5m\" }", "did you mean 'time'?"),
            ("at_limit = \"halt\"", "known here: stop, continue"),
        ],
    ));
}

/// A loop is multiplied out in memory, so its size has a limit.
#[test]
fn a_loop_of_more_than_4096_cells_is_refused() {
    let numbers: Vec<String> = (1..=65).map(|number: u32| number.to_string()).collect();
    let list = numbers.join(", ");
    let step = format!(
        "do = \"rounds\"\ncell_time = \"1s\"\nrounds_max = 1\n\
         loop = [ {{ threads = [{list}] }}, {{ queue_depth = [{list}] }} ]"
    );
    assert_named(&[(step, "more than 4096 cells")]);
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

#[test]
fn an_empty_file_lacks_everything() {
    let page = errors("").render(false);
    for part in [
        "has no 'schema'",
        "[test] with name and title",
        "no [[step]]",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
}

#[test]
fn a_single_step_is_still_a_list() {
    let page = errors(&single("do = \"purge\"").replace("[[step]]", "[step]")).render(false);
    assert!(page.contains("write [[step]]"), "{page}");
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
    assert_eq!(carets(&page), 2, "{page}");
}

#[test]
fn colours_are_only_used_when_asked_for() {
    let errors = errors(&with("threads = 4", "threads = 0"));
    assert!(!errors.render(false).contains('\u{1b}'));
    assert!(errors.render(true).contains('\u{1b}'));
}
