//! Load on loop devices of 512 and 4096-byte blocks, through the drive seam.

use std::os::unix::fs::FileExt;

use ptse::drive::{Event, Failure};
use ptse::engine::content::Stamp;
use ptse::stats::Tally;
use ptse::units::{Bytes, KIB, MIB};

use crate::harness::{LoopDevice, Talk, fill, measurements, ticks, timed};

/// An odd number of blocks, so that the last I/O of a fill is a short one.
const BYTES: u64 = 48 * MIB + 7 * 4096;

/// "The fill writes every LBA exactly twice, tail included": the amount is exact, and each block
/// carries its own LBA and a write of the second pass.
#[test]
fn a_fill_covers_a_device_to_its_last_block() {
    for block in [512, 4096] {
        let Some(device) = LoopDevice::new(BYTES, block) else {
            return;
        };
        let mut talk = Talk::with(device.open());
        let at = talk.geometry();
        assert_eq!(
            (at.capacity, at.logical_block),
            (Bytes(BYTES), Bytes(block))
        );
        let events = talk.run(vec![vec![fill(at, 2)]]);
        let written = measurements(&events)[0].write.tally;
        assert_eq!(written.bytes, 2 * BYTES);
        drop(talk);
        let mut bytes = vec![0; usize::try_from(block).unwrap()];
        for lba in 0..BYTES / block {
            device
                .image
                .as_file()
                .read_exact_at(&mut bytes, lba * block)
                .unwrap();
            let stamp = Stamp::read(&bytes).expect("stamped");
            assert_eq!(stamp.lba, lba);
            // Two workers share the writes evenly; at most 8 of the first pass are in flight.
            assert!(stamp.sequence + 8 >= written.ios / 4, "{stamp:?}");
        }
    }
}

/// Cells of two queued programmes: exact times, no overlapping clocks, mixes, ticks that add up.
#[test]
fn queued_programmes_join_and_ticks_add_up() {
    let Some(device) = LoopDevice::new(BYTES, 512) else {
        return;
    };
    let mut talk = Talk::with(device.open());
    let at = talk.geometry();
    let round = vec![
        timed(at, 0, 100, 128 * KIB, 300),
        timed(at, 1, 65, 4 * KIB, 1200),
        timed(at, 2, 0, 512, 300),
    ];
    let events = talk.run(vec![vec![fill(at, 1)], round.clone(), round]);
    let all = measurements(&events);
    assert_eq!(all.len(), 7);
    for pair in all.windows(2) {
        let end = pair[0].started.0 + pair[0].elapsed.0;
        assert!(pair[1].started.0 >= end, "clocks overlap");
        assert!(
            pair[1].started.0 - end < 10_000_000_000,
            "{:?}",
            pair[1].hand_over
        );
    }
    for cell in all.iter().filter(|cell| cell.key.cell_index == 1) {
        let (reads, total) = (
            cell.read.tally.ios,
            cell.read.tally.ios + cell.write.tally.ios,
        );
        let (reads, total) = (
            f64::from(u32::try_from(reads).unwrap()),
            f64::from(u32::try_from(total).unwrap()),
        );
        // The bound: 4 sqrt(p (1 - p) / n).
        let bound = 4.0 * (0.65 * 0.35 / total).sqrt();
        assert!((reads / total - 0.65).abs() <= bound, "{reads} of {total}");
    }
    let (mut ticked, mut counted) = (Tally::default(), Tally::default());
    for tick in ticks(&events).iter().filter(|tick| !tick.is_hand_over) {
        ticked.merge(&tick.read);
        ticked.merge(&tick.write);
    }
    for cell in &all {
        counted.merge(&cell.read.tally);
        counted.merge(&cell.write.tally);
    }
    assert_eq!(ticked, counted);
}

/// "Offsets cover the active range and nothing outside."
#[test]
fn nothing_is_written_outside_the_active_range() {
    let Some(device) = LoopDevice::new(BYTES, 4096) else {
        return;
    };
    let mut talk = Talk::with(device.open());
    let mut cell = timed(talk.geometry(), 0, 0, 4096, 500);
    cell.access.zones[0].start = Bytes(8 * MIB);
    cell.access.zones[0].end = Bytes(10 * MIB);
    talk.run(vec![vec![cell]]);
    drop(talk);
    let mut bytes = vec![0; 4096];
    for lba in 0..BYTES / 4096 {
        device
            .image
            .as_file()
            .read_exact_at(&mut bytes, lba * 4096)
            .unwrap();
        let is_inside = (8 * MIB..10 * MIB).contains(&(lba * 4096));
        // 512 blocks and thousands of writes: a block inside is missed with probability e^-n/512.
        assert!(
            is_inside || bytes.iter().all(|&byte| byte == 0),
            "LBA {lba}"
        );
        if !is_inside {
            continue;
        }
        if let Some(stamp) = Stamp::read(&bytes) {
            assert_eq!(stamp.lba, lba);
        }
    }
}

/// The backing file was cut behind the device's back: the first LBA that is gone is named.
#[test]
fn an_error_names_its_lba_and_ends_the_run() {
    let Some(device) = LoopDevice::new(BYTES, 512) else {
        return;
    };
    let mut talk = Talk::with(device.open());
    let at = talk.geometry();
    device.image.as_file().set_len(16 * MIB).unwrap();
    let mut read = fill(at, 1);
    read.access.read_percent = 100;
    read.access.threads = 1;
    read.access.queue_depth = 1;
    let events = talk.run(vec![vec![read]]);
    let [.., Event::Failed(failure), Event::Stopped { .. }] = events.as_slice() else {
        panic!("{:?}", events.last());
    };
    let Failure::Io {
        direction,
        offset,
        lba,
        errno,
        cause,
        ..
    } = failure
    else {
        panic!("{failure}");
    };
    assert_eq!((*direction, *offset, *lba), ("read", 16 * MIB, 32_768));
    assert!(cause.contains("Input/output error"), "{cause}");
    assert_eq!(*errno, Some(5));
}

#[test]
fn a_discard_is_verified_and_named_as_what_it_is() {
    let Some(device) = LoopDevice::new(BYTES, 512) else {
        return;
    };
    let mut talk = Talk::with(device.open());
    let at = talk.geometry();
    talk.run(vec![vec![fill(at, 1)]]);
    let event = talk.purge();
    let Event::Purged(purged) = event else {
        panic!("{event:?}");
    };
    assert_eq!(purged.method, "discard of the whole device");
    assert!(!purged.is_named_by_standard && purged.ended > purged.started);
    assert!(purged.verification.contains("none of them read back"));
    drop(talk);
    let mut block = [1; 512];
    for lba in [0, 5000, BYTES / 512 - 1] {
        device
            .image
            .as_file()
            .read_exact_at(&mut block, lba * 512)
            .unwrap();
        assert_eq!(block, [0; 512]);
    }
}

/// A loop device is known again by its backing file and size, whatever number it gets.
#[test]
fn a_device_is_described_and_known_by_its_backing_file() {
    let Some(device) = LoopDevice::new(BYTES, 4096) else {
        return;
    };
    let identity = ptse::drive::block::identify(&device.path).unwrap();
    assert_eq!(identity.confirm_name, device.name());
    assert_eq!(identity.capacity, Bytes(BYTES));
    let image = device.image.path().display();
    assert!(
        identity.anchor.starts_with(&format!("loop {image} (")),
        "{}",
        identity.anchor
    );
    assert!(
        identity
            .anchor
            .ends_with(&format!("from 0 limit 0, {BYTES}"))
    );
}
