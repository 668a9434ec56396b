//! Promise: the rules of the house hold mechanically: sizes, arrows, bans. `ARCHITECTURE.md` says
//! why; a rule that gets in the way is changed there and here in the same commit.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

/// What each module may use. Arrows go down only.
const ARROWS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("process", &[]),
    ("pts", &["units"]),
    ("stats", &["units"]),
    ("steady_state", &["pts", "units"]),
    ("stimulus", &["units"]),
    ("spec", &["steady_state", "stimulus", "pts", "units"]),
    ("engine", &["stimulus", "stats", "units"]),
    (
        "drive",
        &["engine", "stimulus", "stats", "process", "units"],
    ),
    ("sim", &["drive", "spec", "stimulus", "stats", "units"]),
    (
        "journal",
        &["spec", "steady_state", "stimulus", "stats", "pts", "units"],
    ),
    (
        "run",
        &[
            "journal",
            "drive",
            "sim",
            "spec",
            "stimulus",
            "stats",
            "steady_state",
            "units",
        ],
    ),
    (
        "verdict",
        &[
            "journal",
            "spec",
            "steady_state",
            "stimulus",
            "stats",
            "pts",
            "units",
        ],
    ),
    (
        "report",
        &[
            "verdict",
            "journal",
            "spec",
            "steady_state",
            "stimulus",
            "stats",
            "pts",
            "units",
        ],
    ),
    (
        "ui",
        &[
            "report",
            "verdict",
            "journal",
            "spec",
            "steady_state",
            "stats",
            "pts",
            "units",
        ],
    ),
    (
        "commands",
        &[
            "ui", "report", "verdict", "run", "sim", "drive", "journal", "spec", "stimulus",
            "stats", "pts", "units",
        ],
    ),
];

const FILE_LINES_MAX: usize = 350;
const ROOT_LINES_MAX: usize = 60;
const LINE_CHARS_MAX: usize = 100;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below a folder of the project, with its text.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(root()).unwrap().to_owned(), text));
            }
        }
    }
    assert!(!found.is_empty(), "no Rust files below {folder}");
    found
}

/// The module a file of `src` belongs to: `src/run/driver.rs` and `src/units.rs`.
fn module_of(path: &Path) -> String {
    let first = path
        .components()
        .nth(1)
        .unwrap()
        .as_os_str()
        .to_string_lossy()
        .into_owned();
    first.trim_end_matches(".rs").to_owned()
}

fn is_root(path: &Path) -> bool {
    path.ends_with("src/main.rs") || path.ends_with("src/lib.rs")
}

fn assert_none(problems: &[String], rule: &str) {
    assert!(problems.is_empty(), "{rule}:\n{}", problems.join("\n"));
}

#[test]
fn files_and_lines_stay_short() {
    let mut problems = Vec::new();
    for (path, text) in files("src").into_iter().chain(files("tests")) {
        let limit = if is_root(&path) {
            ROOT_LINES_MAX
        } else {
            FILE_LINES_MAX
        };
        let lines = text.lines().count();
        if lines > limit {
            problems.push(format!(
                "{} has {lines} lines, at most {limit}",
                path.display()
            ));
        }
        for (number, line) in (1..).zip(text.lines()) {
            if line.chars().count() > LINE_CHARS_MAX {
                problems.push(format!("{}:{number} is too long", path.display()));
            }
        }
    }
    assert_none(&problems, "files and lines stay short");
}

#[test]
fn every_file_says_what_it_is_for() {
    let all = files("src").into_iter().chain(files("tests"));
    let problems: Vec<_> = all
        .filter(|(_, text)| !text.starts_with("//!"))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert_none(&problems, "every file begins with //!");
}

#[test]
fn arrows_go_down_only() {
    let mut problems = Vec::new();
    for (path, text) in files("src") {
        if is_root(&path) {
            continue;
        }
        let module = module_of(&path);
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == module) else {
            problems.push(format!(
                "{}: module '{module}' has no arrows",
                path.display()
            ));
            continue;
        };
        for used in text.split("crate::").skip(1) {
            let name: String = used
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            let is_module = ARROWS.iter().any(|(known, _)| *known == name);
            if is_module && name != module && !allowed.contains(&name.as_str()) {
                problems.push(format!("{}: '{module}' uses '{name}'", path.display()));
            }
        }
    }
    assert_none(&problems, "arrows go down only");
}

/// Modules and words that only they may use.
const BANS: &[(&[&str], &[&str], &str)] = &[
    (
        &[
            "println!",
            "eprintln!",
            "print!(",
            "eprint!(",
            "io::stdout",
            "io::stderr",
        ],
        &["src/commands", "src/main.rs", "src/ui"],
        "nothing below commands and ui prints",
    ),
    (
        &["unsafe "],
        &["src/drive", "src/engine"],
        "only drive and engine are unsafe",
    ),
    (
        &["SystemTime::now", "Local::now", "Utc::now"],
        &["src/commands", "src/run/driver.rs"],
        "only the driver and commands read the wall clock",
    ),
    (
        &["Command::new"],
        &["src/process.rs"],
        "only process.rs starts programs",
    ),
    (
        &["thread::sleep"],
        &["src/engine", "src/drive"],
        "nobody above the seam sleeps",
    ),
];

#[test]
fn banned_words_stay_where_they_belong() {
    let mut problems = Vec::new();
    for (path, text) in files("src") {
        let place = path.display().to_string();
        for (words, homes, rule) in BANS {
            if homes.iter().any(|home| place.starts_with(home)) {
                continue;
            }
            let code = text
                .lines()
                .map(|line| line.split("//").next().unwrap_or(""));
            for (number, line) in (1..).zip(code) {
                if words.iter().any(|word| line.contains(word)) {
                    problems.push(format!("{place}:{number}: {rule}"));
                }
            }
        }
    }
    assert_none(&problems, "bans");
}

/// Functions fit a screen. A function begins at `fn` and ends where its indentation returns.
#[test]
fn functions_fit_a_screen() {
    const FUNCTION_LINES_MAX: usize = 70;
    let mut problems = Vec::new();
    for (path, text) in files("src").into_iter().chain(files("tests")) {
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let trimmed = line.trim_start();
            let words: Vec<&str> = trimmed.split_whitespace().take(5).collect();
            if trimmed.starts_with("//") || !words.contains(&"fn") {
                continue;
            }
            let indentation = line.len() - trimmed.len();
            let closing = format!("{}}}", " ".repeat(indentation));
            let length = lines[index..]
                .iter()
                .position(|l| *l == closing)
                .unwrap_or(0);
            if length > FUNCTION_LINES_MAX {
                problems.push(format!(
                    "{}:{} has {length} lines",
                    path.display(),
                    index + 1
                ));
            }
        }
    }
    assert_none(&problems, "functions fit a screen");
}

/// An exception needs its reason.
#[test]
fn every_allow_has_a_reason() {
    let mut problems = Vec::new();
    for (path, text) in files("src").into_iter().chain(files("tests")) {
        for piece in text.split("[allow(").skip(1) {
            let attribute = piece.split(")]").next().unwrap_or("");
            if !attribute.contains("reason =") && !path.ends_with("house_rules.rs") {
                problems.push(format!("{}: allow({attribute})", path.display()));
            }
        }
    }
    assert_none(&problems, "every allow has a reason");
}
