//! How I/Os spread: over the largest ranges, over sizes and directions, over workers and seeds.
//! Bounds are six standard deviations of a count, sqrt(n p (1 - p)), worked out by hand: one
//! test in 500 million would fail by chance, and with fixed seeds none does.

use super::*;

fn take(cell: &Cell, worker: u32, count: usize) -> Vec<Io> {
    let mut stream = Addresses::new(cell, worker);
    let ios = std::iter::from_fn(|| stream.next_io());
    ios.take(count).collect()
}

fn within(count: usize, expected: usize, bound: usize) {
    assert!(
        count.abs_diff(expected) <= bound,
        "{count}, expected {expected}"
    );
}

/// 16 equal parts of a range that ends at the last block below 2^64: 100,000 I/Os give 6,250 each,
/// six deviations are 459. Nothing reaches beyond the end.
#[test]
fn offsets_are_uniform_up_to_the_end_of_64_bits() {
    let end = u64::MAX / 4096 * 4096;
    let mut parts = [0; 16];
    for io in take(&timed(access(100, 100, 4096, end)), 0, 100_000) {
        assert!(
            io.offset
                .checked_add(u64::from(io.length))
                .is_some_and(|to| to <= end)
        );
        assert_eq!(io.offset % 4096, 0);
        parts[usize::try_from(io.offset >> 60).expect("below 16")] += 1;
    }
    parts
        .into_iter()
        .for_each(|count| within(count, 6_250, 459));
}

/// The last share of a sequential range that ends there, and its way back to the start.
#[test]
fn a_sequential_stream_ends_at_the_end_of_64_bits_and_begins_again() {
    let end = u64::MAX / 4096 * 4096;
    let mut pattern = access(0, 0, 4096, end);
    pattern.zones[0].start = Bytes(end - 4 * 4096);
    pattern.threads = 2;
    let offsets = |worker| -> Vec<u64> {
        let ios = take(&timed(pattern.clone()), worker, 3);
        ios.iter().map(|io| (end - io.offset) / 4096).collect()
    };
    assert_eq!((offsets(0), offsets(1)), (vec![4, 3, 4], vec![2, 1, 2]));
}

/// Reads 60/40 in 4 and 8 KiB, writes 25/75 in 64 and 128 KiB; 100,000 I/Os of 50/50 hold 50,000 of
/// each exactly, six deviations are 657 of the reads and 581 of the writes.
#[test]
fn sizes_have_their_shares_in_each_direction() {
    let mut pattern = access(50, 100, 4 * KIB, 1 << 40);
    pattern.read_blocks = BlockShares(vec![(Bytes(4 * KIB), 60), (Bytes(8 * KIB), 40)]);
    pattern.write_blocks = BlockShares(vec![(Bytes(64 * KIB), 25), (Bytes(128 * KIB), 75)]);
    let ios = take(&timed(pattern), 0, 100_000);
    let count = |is_read: bool, kib: u32| {
        let is_it = |io: &&Io| io.is_read == is_read && io.length == kib * 1024;
        ios.iter().filter(is_it).count()
    };
    let (small, large) = (count(true, 4), count(false, 64));
    within(small, 30_000, 657);
    within(large, 12_500, 581);
    assert_eq!(small + count(true, 8), 50_000);
    assert_eq!(large + count(false, 128), 50_000);
}

/// 80 % random of 100,000: six deviations are 759; what is not random goes on without a hole.
#[test]
fn a_random_share_leaves_a_sequential_stream_whole() {
    let range = 1 << 40;
    let ios = take(&timed(access(0, 80, 4 * KIB, range)), 0, 100_000);
    let mut next = 0;
    let mut sequential = 0;
    for io in &ios {
        // A random hit on the very place is one in 2^28.
        if io.offset == next {
            sequential += 1;
            next += 4 * KIB;
        }
    }
    within(sequential, 20_000, 759);
}

/// 2^18 places: two independent streams of 100,000 meet at the same index 0.4 times.
#[test]
fn workers_and_seeds_have_independent_streams() {
    let mut pattern = access(100, 100, 4 * KIB, 1 << 30);
    pattern.threads = 3;
    let cell = timed(pattern);
    let mut reseeded = cell.clone();
    reseeded.seed += 1;
    let streams = [
        take(&cell, 0, 100_000),
        take(&cell, 1, 100_000),
        take(&cell, 2, 100_000),
        take(&reseeded, 0, 100_000),
    ];
    for (index, one) in streams.iter().enumerate() {
        for other in &streams[index + 1..] {
            let meet = one.iter().zip(other).filter(|(a, b)| a.offset == b.offset);
            assert!(meet.count() <= 6);
            // Nor is one the other with a delay: its beginning stands nowhere in the other.
            let head: Vec<u64> = one[..3].iter().map(|io| io.offset).collect();
            let shifted = other
                .windows(3)
                .any(|w| w.iter().map(|io| io.offset).eq(head.clone()));
            assert!(!shifted);
        }
    }
}

/// A multiple of the largest block is not asked of a range: the tail goes to the last worker, and
/// no I/O of any worker leaves its share.
#[test]
fn shares_are_disjoint_and_cover_an_uneven_range() {
    let range = 41 * 128 * KIB + 5 * 512;
    let mut pattern = access(0, 0, 128 * KIB, range);
    pattern.threads = 6;
    let cell = timed(pattern);
    let mut covered = vec![0; usize::try_from(range / 512).expect("small")];
    for worker in 0..6 {
        // Six whole blocks for each, 11 whole ones and the tail for the last.
        let count = if worker == 5 { 12 } else { 6 };
        for io in take(&cell, worker, count) {
            for sector in io.offset / 512..(io.offset + u64::from(io.length)) / 512 {
                covered[usize::try_from(sector).expect("small")] += 1;
            }
        }
    }
    assert!(covered.iter().all(|&times| times == 1));
}
