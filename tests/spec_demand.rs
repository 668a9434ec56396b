//! What a test file says about demand and about reading back, and what a plan makes of it.
#![allow(
    clippy::unwrap_used,
    reason = "a helper of a test fails the test by panicking"
)]

use ptse::run::machine::{Stretch, programme};
use ptse::spec::plan::PlannedFill;
use ptse::spec::{Plan, Source, load};
use ptse::stimulus::{Geometry, Until};
use ptse::units::{Bytes, KIB, MIB};

const CAPACITY: Bytes = Bytes(960_197_124_096);

fn plan(arguments: &[&str]) -> Plan {
    let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
    let loaded = load(&Source::find("pts-e/iops").unwrap(), &arguments, false)
        .unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    let geometry = Geometry {
        capacity: CAPACITY,
        logical_block: Bytes(512),
    };
    Plan::resolve(&loaded.spec, geometry).unwrap()
}

fn fill(plan: &Plan) -> &PlannedFill {
    plan.fill().unwrap()
}

/// A sample is 1,024 blocks of the fill's 128 KiB: 128 MiB at random places, behind the fill.
#[test]
fn a_fill_is_read_back_by_a_sample_unless_the_file_says_otherwise() {
    let sampled = plan(&[]);
    let reads = fill(&sampled).read_back.as_ref().unwrap();
    assert_eq!((reads.amount, reads.is_all), (Bytes(128 * MIB), false));
    assert_eq!(
        (reads.access.random_percent, reads.access.read_percent),
        (100, 100)
    );
    assert_eq!(reads.access.read_blocks.single(), Some(Bytes(128 * KIB)));
    let stretch = Stretch {
        step_index: 1,
        round: 0,
    };
    let cells = programme(&sampled, stretch, 1).cells;
    assert_eq!(cells.len(), 2);
    assert_eq!(cells[0].until, Until::Transferred(Bytes(2 * CAPACITY.0)));
    assert!(!cells[0].reads_back && cells[1].reads_back);

    let all = plan(&["fill.read_back=all"]);
    let reads = fill(&all).read_back.as_ref().unwrap();
    assert_eq!((reads.amount, reads.access.random_percent), (CAPACITY, 0));
    let none = plan(&["fill.read_back=none"]);
    assert_eq!(fill(&none).read_back, None);
    assert_eq!(programme(&none, stretch, 1).cells.len(), 1);
}

/// Which write a block of a random fill holds is not known, so there is nothing to compare with.
#[test]
fn a_random_fill_is_not_read_back() {
    let random = plan(&["fill.pattern=random"]);
    assert_eq!(fill(&random).read_back, None);
}

#[test]
fn a_rate_reaches_the_cells_and_can_be_run() {
    let paced = plan(&["rounds.rate=1000"]);
    assert_eq!(paced.not_built(), [] as [String; 0]);
    let (_, rounds) = paced.rounds().unwrap();
    for cell in &rounds.cells {
        let access = cell.access.as_ref().unwrap();
        assert_eq!(access.rate_iops, Some(1_000), "{}", cell.label);
    }
    assert_eq!(fill(&paced).access.rate_iops, None);
}
