//! Every draft of the test language loads, plans, and comes back from its effective file.
#![allow(
    clippy::unwrap_used,
    reason = "a helper of a test fails the test by panicking"
)]

use std::path::{Path, PathBuf};

use ptse::spec::plan::PlannedRounds;
use ptse::spec::{Loaded, Plan, PlannedWork, Source, StepKind, load};
use ptse::stimulus::Geometry;
use ptse::units::Bytes;

/// A drive sold as 7.68 TB.
const CAPACITY: Bytes = Bytes(7_681_501_126_656);

fn geometry(logical_block: u64) -> Geometry {
    Geometry {
        capacity: CAPACITY,
        logical_block: Bytes(logical_block),
    }
}

fn draft_paths() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specs");
    let mut paths: Vec<PathBuf> = ["pts-e", "lab"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

fn source(path: &Path) -> Source {
    Source::find(path.to_str().unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

fn load_all() -> Vec<Loaded> {
    let mut sources: Vec<Source> = draft_paths().iter().map(|path| source(path)).collect();
    sources.extend(
        ptse::spec::builtin::all()
            .iter()
            .map(|built_in| Source::find(built_in.name).unwrap()),
    );
    sources
        .iter()
        .map(|source| load(source, &[], false).unwrap_or_else(|e| panic!("{}", e.render(false))))
        .collect()
}

fn plan_of(name: &str, logical_block: u64) -> Plan {
    let path = format!("{}/tests/specs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let loaded = if Path::new(&path).exists() {
        load(&source(Path::new(&path)), &[], false)
    } else {
        load(&Source::find(name).unwrap(), &[], false)
    };
    Plan::resolve(&loaded.unwrap().spec, geometry(logical_block)).unwrap()
}

fn rounds(plan: &Plan) -> Vec<&PlannedRounds> {
    plan.steps
        .iter()
        .filter_map(|step| match &step.work {
            PlannedWork::Rounds(rounds) => Some(rounds),
            PlannedWork::Purge | PlannedWork::Fill(_) | PlannedWork::NotBuilt { .. } => None,
        })
        .collect()
}

/// The eight tests, `full`, IOPS after 1.1, and at least a dozen laboratory presets.
#[test]
fn there_are_drafts_of_everything_the_language_must_hold() {
    let names: Vec<String> = load_all()
        .iter()
        .map(|l| l.spec.test.name.clone())
        .collect();
    for name in [
        "iops",
        "throughput",
        "latency",
        "wsat",
        "hir",
        "xsr",
        "cbw",
        "dirth",
        "full",
        "iops-1.1",
    ] {
        assert!(names.contains(&format!("pts-e/{name}")), "{name}");
    }
    assert!(names.iter().filter(|name| name.starts_with("lab/")).count() >= 12);
}

#[test]
fn every_draft_plans_on_512_and_4096_byte_blocks() {
    for loaded in load_all() {
        let parts = loaded.parts().unwrap_or_else(|error| panic!("{error}"));
        for loaded in parts.iter().chain([&loaded]) {
            for logical_block in [512, 4096] {
                let plan = Plan::resolve(&loaded.spec, geometry(logical_block))
                    .unwrap_or_else(|error| panic!("{}: {error}", loaded.name));
                assert_eq!(plan.steps.len(), loaded.spec.steps.len());
            }
        }
    }
}

#[test]
fn the_effective_file_of_every_draft_loads_to_the_same_test() {
    for loaded in load_all() {
        for quick in [false, true] {
            let source = Source {
                name: loaded.name.clone(),
                text: loaded.text.clone(),
                folder: None,
            };
            let first = load(&source, &[], quick).unwrap();
            let again = Source {
                text: first.effective.clone(),
                ..source
            };
            let again = load(&again, &[], false).unwrap_or_else(|e| panic!("{}", e.render(false)));
            assert_eq!(again.spec, first.spec, "{}", first.effective);
            assert_eq!(again.effective, first.effective);
        }
    }
}

/// Seven sizes below 4 KiB hold 10 of 100 shares: 90 are left.
#[test]
fn composite_sizes_below_a_4096_byte_block_are_left_out() {
    let plan = plan_of("pts-e/cbw", 4096);
    let access = rounds(&plan)[0].cells[0].access.as_ref().unwrap();
    let weight_sum: u32 = access.read_blocks.0.iter().map(|(_, weight)| weight).sum();
    assert_eq!((access.read_blocks.0.len(), weight_sum), (5, 90));
}

/// 83.33 % of the drive is written twice, not twice the whole drive.
#[test]
fn an_over_provisioned_range_is_filled_by_its_own_size() {
    let plan = plan_of("lab/overprovision-83", 512);
    let fill = plan.fill().unwrap();
    let end = CAPACITY.0 / 10_000 * 8333 + CAPACITY.0 % 10_000 * 8333 / 10_000;
    assert_eq!(fill.access.zones[0].end, Bytes(end / 512 * 512));
    assert_eq!(fill.amount, Bytes(2 * fill.access.zones[0].end.0));
}

/// Streams beside the main one keep their own intensity and do not inherit each other.
#[test]
fn write_pressure_holds_streams_beside_the_reads() {
    let plan = plan_of("lab/write-pressure", 512);
    let StepKind::Rounds(rounds) = &plan.spec.steps[3].kind else {
        panic!("the fourth step is rounds");
    };
    assert_eq!(rounds.cells.len(), 7);
    let stream = &rounds.cells[5].stimulus.with[0];
    assert_eq!(
        (stream.rate_iops, stream.queue_depth, stream.read_percent),
        (Some(4578), 32, 0)
    );
    assert_eq!(rounds.cells[5].stimulus.queue_depth, 1);
    assert!(rounds.cells[6].stimulus.with[0].discards);
    assert_eq!(
        plan.not_built(),
        ["step 'rounds.2' (with) is not built yet in this version"]
    );
}

#[test]
fn a_part_may_set_keys_of_its_test() {
    let path = format!("{}/tests/specs/pts-e/full.toml", env!("CARGO_MANIFEST_DIR"));
    let full = load(&source(Path::new(&path)), &[], true).unwrap();
    assert_eq!(full.parts().unwrap().len(), 8);
    let one = load(
        &source(Path::new(&path)),
        &["part.4.set.stimulus.threads=9".into()],
        false,
    );
    let parts = one.unwrap().parts().unwrap();
    assert!(
        parts[3].effective.contains("threads = 9"),
        "{}",
        parts[3].effective
    );
}
