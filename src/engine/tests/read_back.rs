//! Reading back what a fill wrote: on a file, and on a target that loses every write.

use super::*;

fn read_back(of: &Cell, is_all: bool) -> Cell {
    let mut reads = of.clone();
    reads.key.cell_index += 1;
    reads.access.read_percent = 100;
    reads.access.read_blocks = of.access.write_blocks.clone();
    if !is_all {
        reads.access.random_percent = 100;
        reads.until = Until::Transferred(Bytes(64 * 128 * KIB));
    }
    reads.reads_back = true;
    reads
}

/// Every block of two passes, the tail included, with workers of unequal shares.
#[test]
fn what_a_fill_wrote_is_read_back_whole() {
    let end = RANGE - 3 * 512;
    for (threads, is_all) in [(1, true), (3, true), (3, false)] {
        let rig = Rig::new(RANGE);
        let mut pattern = fill(0, threads, 1);
        pattern.access.zones[0].end = Bytes(end);
        pattern.until = Until::Transferred(Bytes(2 * end));
        let reads = read_back(&pattern, is_all);
        let events = rig.run(&[vec![pattern, reads]]);
        let outcomes = outcomes(&events);
        assert_eq!(outcomes.len(), 2, "{events:?}");
        let expected = if is_all { 2 * end } else { 64 * 128 * KIB };
        assert_eq!(outcomes[1].read.tally.bytes, expected);
    }
}

/// `/dev/zero` takes every write and returns zeros: the drive of whom every tester dreams.
#[test]
fn a_target_that_loses_writes_is_found_out_with_its_lba() {
    let mut options = OpenOptions::new();
    let zero = options.read(true).write(true).open("/dev/zero").unwrap();
    let target = Target {
        file: Arc::new(zero.into()),
        logical_block: 512,
        silent_after: SILENT_AFTER,
        clock: Clock::start(),
    };
    let (sender, events) = channel();
    let emit = Box::new(move |event| drop(sender.send(event)));
    let engine = Engine::start(&target, emit).unwrap();
    let mut pattern = fill(0, 1, 1);
    // `/dev/zero` may cut a read short behind a page, which would be a failure of another name.
    pattern.access.write_blocks = access(1, 8, 0, 4 * KIB).write_blocks;
    let reads = read_back(&pattern, true);
    let cells = vec![pattern, reads];
    engine.run(Programme { cells });
    let fault = loop {
        match events.recv_timeout(Duration::from_secs(60)).unwrap() {
            Event::Failed(fault) => break fault,
            Event::Stopped { .. } | Event::ProgrammeDone { .. } => panic!("it went unnoticed"),
            Event::Cell(_) | Event::Tick(_) => {}
        }
    };
    let Fault::WrongData {
        lba,
        expected,
        found,
        ..
    } = fault
    else {
        panic!("{fault:?}");
    };
    assert_eq!(lba, 0);
    assert_eq!(expected, "write 0 of worker 0 in cell 0 at LBA 0");
    assert_eq!(found, "no block of this program");
}
