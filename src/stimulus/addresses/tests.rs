//! Rules of the address streams.

mod spread;

use super::*;
use crate::stimulus::{CellKey, Content, EngineKind, Zone};
use crate::units::{KIB, Nanos};

fn access(read_percent: u8, random_percent: u8, block: u64, range: u64) -> Access {
    Access {
        threads: 1,
        queue_depth: 1,
        engine: EngineKind::Ring,
        read_percent,
        random_percent,
        read_blocks: BlockShares::one(Bytes(block)),
        write_blocks: BlockShares::one(Bytes(block)),
        zones: vec![Zone {
            weight: 1,
            start: Bytes(0),
            end: Bytes(range),
        }],
        content: Content::Random,
        logical_block: Bytes(512),
        rate_iops: None,
    }
}

fn cell(access: Access, until: Until) -> Cell {
    let key = CellKey {
        step_index: 0,
        round: 1,
        cell_index: 0,
    };
    Cell {
        key,
        access,
        until,
        seed: 7,
        reads_back: false,
    }
}

fn timed(access: Access) -> Cell {
    cell(access, Until::Time(Nanos::from_secs(60)))
}

/// "The fill writes every LBA exactly twice, tail included."
#[test]
fn a_fill_of_twice_the_capacity_touches_every_sector_twice() {
    let capacity = 10 * 128 * KIB + 3 * 512;
    for threads in [1, 2, 4, 7] {
        let mut pattern = access(0, 0, 128 * KIB, capacity);
        pattern.threads = threads;
        let fill = cell(pattern, Until::Transferred(Bytes(2 * capacity)));
        let sectors = usize::try_from(capacity / 512).expect("small");
        let mut touched = vec![0_u32; sectors];
        for worker in 0..threads {
            let mut stream = Addresses::new(&fill, worker);
            while let Some(io) = stream.next_io() {
                for sector in io.offset / 512..(io.offset + u64::from(io.length)) / 512 {
                    touched[usize::try_from(sector).expect("small")] += 1;
                }
            }
        }
        assert!(
            touched.iter().all(|&times| times == 2),
            "{threads} threads: {touched:?}"
        );
    }
}

#[test]
fn a_fraction_of_the_range_adds_up_to_the_amount() {
    let mut pattern = access(0, 0, 128 * KIB, 1_000_000 * 512);
    pattern.threads = 3;
    let amount = 777_777 * 512;
    let fill = cell(pattern, Until::Transferred(Bytes(amount)));
    let issued: u64 = (0..3)
        .map(|worker| {
            let mut stream = Addresses::new(&fill, worker);
            std::iter::from_fn(|| stream.next_io())
                .map(|io| u64::from(io.length))
                .sum::<u64>()
        })
        .sum();
    assert_eq!(issued, amount);
}

#[test]
fn random_offsets_cover_the_range_and_nothing_outside() {
    let mut pattern = access(0, 100, 4 * KIB, 64 * 4 * KIB);
    pattern.zones[0].start = Bytes(8 * KIB);
    let mut stream = Addresses::new(&timed(pattern), 0);
    let mut seen = [false; 64];
    for _ in 0..10_000 {
        let io = stream.next_io().expect("time ends it");
        seen[usize::try_from(io.offset / (4 * KIB)).expect("small")] = true;
    }
    assert_eq!(seen.iter().position(|&s| s), Some(2));
    assert!(seen[2..].iter().all(|&s| s));
}

/// "Mixes within 0.1 % over a million I/Os", and exact in every hundred.
#[test]
fn mixes_hold_in_every_hundred() {
    for percent in [5, 35, 50, 65, 95] {
        let mut stream = Addresses::new(&timed(access(percent, 100, 4 * KIB, 1 << 30)), 0);
        for _ in 0..200 {
            let reads = (0..100)
                .filter(|_| stream.next_io().expect("endless").is_read)
                .count();
            assert_eq!(reads, usize::from(percent));
        }
    }
}

#[test]
fn workers_have_streams_of_their_own_and_seeds_repeat() {
    let mut pattern = access(50, 100, 4 * KIB, 1 << 30);
    pattern.threads = 2;
    let cell = timed(pattern);
    let take = |worker| {
        let mut stream = Addresses::new(&cell, worker);
        (0..50)
            .map(|_| stream.next_io().expect("endless"))
            .collect::<Vec<_>>()
    };
    assert_eq!(take(0), take(0));
    assert_ne!(take(0), take(1));
}

/// pts-golden 7: half of the I/Os in the first 5 %, 30 % in the next 15 %, 20 % in the rest.
#[test]
fn zones_get_their_shares() {
    let mut pattern = access(0, 100, 4 * KIB, 100 << 20);
    let zone = |weight, from: u64, to: u64| Zone {
        weight,
        start: Bytes(from << 20),
        end: Bytes(to << 20),
    };
    pattern.zones = vec![zone(50, 0, 5), zone(30, 5, 20), zone(20, 20, 100)];
    let mut stream = Addresses::new(&timed(pattern), 0);
    let mut counts = [0_u32; 3];
    for _ in 0..1_000_000 {
        let offset = stream.next_io().expect("endless").offset >> 20;
        counts[usize::from(offset >= 5) + usize::from(offset >= 20)] += 1;
    }
    for (count, share) in counts.into_iter().zip([500_000_i64, 300_000, 200_000]) {
        assert!((i64::from(count) - share).abs() < 3_000, "{counts:?}");
    }
}
