//! A plan made by hand: purge, 2x fill, rounds of two cells on a drive of 1 GiB.

use std::collections::BTreeMap;

use ptse::spec::model::{AtLimit, CacheWish, Conditions, Metric, Spec, TestName};
use ptse::spec::plan::{PlannedCell, PlannedFill, PlannedRounds, PlannedVariable, PlannedWork};
use ptse::spec::{Plan, PlannedStep};
use ptse::stimulus::{Access, BlockShares, Content, EngineKind, Geometry, Zone};
use ptse::units::{Bytes, KIB, Nanos};

const CAPACITY: Bytes = Bytes(1 << 30);

/// Purge, fill and at most `rounds_max` rounds of RND 64 KiB 65/35 and RND 4 KiB 0/100.
pub fn plan(rounds_max: u32) -> Plan {
    let step = |id: &str, work| PlannedStep {
        id: id.to_owned(),
        work,
    };
    let fill = PlannedFill {
        read_back: None,
        access: access(0, 0, 128 * KIB),
        amount: Bytes(2 * CAPACITY.0),
    };
    let rounds = PlannedRounds {
        cells: vec![planned_cell(65, 64 * KIB), planned_cell(0, 4 * KIB)],
        cell_time: Nanos::from_secs(1),
        rounds_max,
        at_limit: AtLimit::Stop,
        tracked: vec![PlannedVariable {
            metric: Metric::Iops,
            cell_index: 1,
            label: "RND 4 KiB 0/100".to_owned(),
        }],
        watched: Vec::new(),
    };
    Plan {
        spec: spec(),
        geometry: Geometry {
            capacity: CAPACITY,
            logical_block: Bytes(512),
        },
        steps: vec![
            step("purge", PlannedWork::Purge),
            step("fill", PlannedWork::Fill(fill)),
            step("rounds", PlannedWork::Rounds(rounds)),
        ],
    }
}

fn spec() -> Spec {
    let name = TestName {
        name: "test".to_owned(),
        title: "Test".to_owned(),
        standard: None,
        clause: None,
    };
    Spec {
        test: name,
        conditions: Conditions {
            write_cache: CacheWish::AsFound,
        },
        report_fields: BTreeMap::new(),
        steps: Vec::new(),
        parts: Vec::new(),
    }
}

fn planned_cell(read_percent: u8, block: u64) -> PlannedCell {
    PlannedCell {
        label: format!(
            "RND {} KiB {read_percent}/{}",
            block / KIB,
            100 - read_percent
        ),
        read_percent,
        block: Some(Bytes(block)),
        access: Ok(access(read_percent, 100, block)),
    }
}

fn access(read_percent: u8, random_percent: u8, block: u64) -> Access {
    Access {
        threads: 2,
        queue_depth: 4,
        engine: EngineKind::Ring,
        read_percent,
        random_percent,
        read_blocks: BlockShares::one(Bytes(block)),
        write_blocks: BlockShares::one(Bytes(block)),
        zones: vec![Zone {
            weight: 1,
            start: Bytes(0),
            end: CAPACITY,
        }],
        content: Content::Random,
        logical_block: Bytes(512),
        rate_iops: None,
    }
}
