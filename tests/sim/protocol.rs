//! The conversation: order of events, hand-overs, ticks, cancel, faults, determinism.

use ptse::drive::{Command, Drive, Event, Failure, HandOver, PurgeMethod};
use ptse::stats::Tally;
use ptse::stimulus::{Cell, Programme, Until};
use ptse::units::{Bytes, KIB, Nanos};

use crate::harness::{Lab, Shape, measurements, ticks};

const DRIVE: &str = "sim:dc-tlc,capacity=256MiB";

fn mixed_cells(shape: &Shape) -> Vec<Cell> {
    vec![
        shape.timed(0, 100, 128 * KIB, 1500),
        shape.timed(1, 65, 4 * KIB, 2000),
        shape.timed(2, 0, 512, 700),
    ]
}

#[test]
fn events_come_in_the_documented_order() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    assert!(matches!(lab.purge(PurgeMethod::Auto), Event::Purged(_)));
    let events = lab.run(vec![mixed_cells(&shape), mixed_cells(&shape)]);
    let mut names = String::new();
    for event in &events {
        let letter = match event {
            Event::Tick(tick) if tick.is_hand_over => 'h',
            Event::Tick(_) => 't',
            Event::CellDone(_) => 'C',
            Event::ProgrammeDone { .. } => 'P',
            Event::Stopped { .. } => 'S',
            Event::Purged(_) | Event::Cache(_) | Event::Health(_) | Event::Failed(_) => '?',
        };
        names.push(letter);
    }
    assert_eq!(names, "ttChttChtCPhttChttChtCPS");
}

/// Also when two drives run at the same time in one process.
#[test]
fn two_runs_give_the_same_events() {
    let once = || {
        let mut lab = Lab::open(DRIVE);
        let shape = lab.shape();
        let purged = lab.purge(PurgeMethod::Auto);
        let fill = shape.fill(2);
        let mut events = lab.run(vec![vec![fill], mixed_cells(&shape)]);
        events.push(purged);
        events
    };
    let beside = std::thread::spawn(once);
    let first = once();
    assert_eq!(beside.join().expect("ran"), first);
    assert_eq!(once(), first);
}

#[test]
fn cells_run_exactly_their_time_and_ticks_add_up_to_them() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let events = lab.fill_and_run(mixed_cells(&shape));
    let asked = [1500, 2000, 700].map(|millis| Nanos(millis * 1_000_000));
    let all = measurements(&events);
    assert_eq!(all.iter().map(|m| m.elapsed).collect::<Vec<_>>(), asked);
    for cell in all {
        let (mut read, mut write, mut span) = (Tally::default(), Tally::default(), 0);
        for tick in ticks(&events) {
            if tick.key == cell.key && !tick.is_hand_over {
                read.merge(&tick.read);
                write.merge(&tick.write);
                span += tick.span.0;
            }
        }
        assert_eq!((read, write), (cell.read.tally, cell.write.tally));
        assert_eq!(Nanos(span), cell.elapsed);
        assert_eq!(cell.read.histogram.count(), read.ios);
        assert_eq!(cell.write.histogram.count(), write.ios);
    }
}

/// Between the old deadline and the new clock at least the OIO of the old cell completes, and the
/// new clock starts where the hand-over's tick ends.
#[test]
fn a_hand_over_counts_for_neither_cell() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let events = lab.fill_and_run(mixed_cells(&shape));
    let all = measurements(&events);
    assert_eq!(all[0].hand_over, Default::default());
    for pair in all.windows(2) {
        let change = pair[1].hand_over;
        assert_eq!(change.idle_gap, Some(Nanos(0)));
        assert!(change.overlap > Nanos(0) && change.ios_uncounted >= 128);
        let is_it = |t: &&&ptse::drive::Tick| t.is_hand_over && t.key == pair[1].key;
        let tick = *ticks(&events).iter().find(is_it).expect("a tick");
        assert_eq!(tick.read.ios + tick.write.ios, change.ios_uncounted);
        assert_eq!(tick.at, pair[1].started);
        assert_eq!(
            Nanos(pair[0].started.0 + pair[0].elapsed.0 + tick.span.0),
            pair[1].started
        );
    }
}

/// Reads of pages never written take 12,086 ns each at queue depth 1: 82 of them end within 1 ms,
/// the 83rd at 1,003,138 ns. There the next cell's first I/O starts, and its clock.
#[test]
fn a_hand_over_at_queue_depth_1_is_exact_to_the_nanosecond() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let cells = vec![shape.single(0, 100, 4096, 1), shape.single(1, 100, 4096, 1)];
    let events = lab.run(vec![cells]);
    let all = measurements(&events);
    assert_eq!((all[0].read.tally.ios, all[1].read.tally.ios), (82, 82));
    assert_eq!(all[1].started.0 - all[0].started.0, 1_003_138);
    let change = HandOver {
        idle_gap: Some(Nanos(0)),
        overlap: Nanos(0),
        ios_uncounted: 1,
    };
    assert_eq!(all[1].hand_over, change);
}

/// Ten buffered writes of 12,086 ns, one after the other.
#[test]
fn an_amount_lasts_from_its_first_submission_to_its_last_completion() {
    let mut lab = Lab::open(DRIVE);
    let mut cell = lab.shape().single(0, 0, 4096, 0);
    cell.until = Until::Transferred(Bytes(40_960));
    let events = lab.run(vec![vec![cell]]);
    assert_eq!(measurements(&events)[0].elapsed, Nanos(120_860));
}

#[test]
fn an_amount_is_transferred_exactly_and_the_next_cell_joins_it() {
    let mut lab = Lab::open("sim:dc-tlc,capacity=299999744B,logical_block=512B,flash.spare=30%");
    let shape = lab.shape();
    assert_eq!(shape.0.capacity, Bytes(299_999_744));
    lab.purge(PurgeMethod::Auto);
    let next = shape.timed(1, 0, 4 * KIB, 300);
    let events = lab.run(vec![vec![shape.fill(2), next]]);
    let all = measurements(&events);
    assert_eq!(all[0].write.tally.bytes, 2 * shape.0.capacity.0);
    assert_eq!(all[0].read.tally.ios, 0);
    assert_eq!(all[1].hand_over.idle_gap, Some(Nanos(0)));
    assert!(all[1].hand_over.overlap > Nanos(0));
    assert_eq!(all[1].started.0, all[0].started.0 + all[0].elapsed.0);
}

#[test]
fn after_an_amount_the_next_programme_begins_without_a_gap() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    lab.purge(PurgeMethod::Auto);
    let events = lab.run(vec![
        vec![shape.fill(1)],
        vec![shape.timed(1, 100, 4096, 50)],
    ]);
    let all = measurements(&events);
    let without_a_gap = HandOver {
        idle_gap: Some(Nanos(0)),
        ..HandOver::default()
    };
    assert_eq!(all[1].hand_over, without_a_gap);
    assert_eq!(all[1].started.0, all[0].started.0 + all[0].elapsed.0);
}

/// Issue: 20 ms without I/O at each change of cell must show as idle gaps of exactly that.
#[test]
fn a_gap_at_each_change_shows_as_an_idle_gap_of_that_length() {
    let mut lab = Lab::open(&format!("{DRIVE},faults.gap_at_cell_change=20ms"));
    let shape = lab.shape();
    lab.purge(PurgeMethod::Auto);
    let fill = shape.fill(1);
    let events = lab.run(vec![vec![fill], mixed_cells(&shape), mixed_cells(&shape)]);
    let gaps: Vec<_> = measurements(&events)
        .iter()
        .map(|m| (m.hand_over.idle_gap, m.hand_over.overlap.0))
        .collect();
    let gap = (Some(Nanos(20_000_000)), 0);
    assert_eq!(gaps, [(None, 0), gap, gap, gap, gap, gap, gap]);
}

#[test]
fn cancel_drops_everything_and_the_drive_can_run_again() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let cells = vec![shape.timed(0, 0, 4096, 1_000_000)];
    lab.send(Command::Run(Programme {
        cells: cells.clone(),
    }));
    lab.send(Command::Run(Programme { cells }));
    assert!(matches!(lab.next(), Event::Tick(_)));
    lab.send(Command::Cancel);
    while !matches!(lab.next(), Event::Stopped { .. }) {}
    let events = lab.run(vec![mixed_cells(&shape)]);
    assert_eq!(measurements(&events).len(), 3);
}

#[test]
fn a_queued_programme_is_dropped_when_the_answer_is_cancel() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    for _ in 0..2 {
        lab.send(Command::Run(Programme {
            cells: vec![shape.timed(0, 100, 4096, 100)],
        }));
    }
    let mut cells = 0;
    loop {
        let event = lab.next();
        if let Event::Stopped { at } = event {
            assert!(at > Nanos(100_000_000));
            break;
        }
        cells += usize::from(matches!(event, Event::CellDone(_)));
        if matches!(event, Event::ProgrammeDone { .. }) {
            lab.send(Command::Cancel);
        }
    }
    assert_eq!(cells, 1);
}

#[test]
fn an_error_at_an_lba_names_it_and_stops() {
    let mut lab = Lab::open(&format!("{DRIVE},faults.error_at_lba=1000"));
    let fill = lab.shape().fill(1);
    let events = lab.run(vec![vec![fill]]);
    let [.., Event::Failed(failure), Event::Stopped { .. }] = events.as_slice() else {
        panic!("{:?}", events.last());
    };
    let Failure::Io {
        direction,
        offset,
        length,
        lba,
        ..
    } = failure
    else {
        panic!("{failure}");
    };
    // LBA 1000 is byte 512,000, in the fourth block of 131,072 bytes.
    assert_eq!(
        (*direction, *offset, *length, *lba),
        ("write", 3 * 131_072, 131_072, 1000)
    );
}

#[test]
fn an_io_that_never_completes_fails_after_a_minute() {
    let mut lab = Lab::open(&format!("{DRIVE},faults.never_completes=500"));
    let shape = lab.shape();
    let events = lab.run(vec![vec![shape.timed(0, 100, 4096, 1000)]]);
    let [.., Event::Failed(failure), Event::Stopped { at }] = events.as_slice() else {
        panic!("{:?}", events.last());
    };
    assert!(failure.to_string().contains("no completion within 60 s"));
    assert!(*at > Nanos::from_secs(60) && *at < Nanos::from_secs(61));
    // It has no response time: no figure holds it.
    let minute = Nanos::from_secs(60).0;
    assert!(
        ticks(&events)
            .iter()
            .all(|tick| tick.read.latency_ns_max < minute)
    );
}

#[test]
fn too_many_outstanding_ios_are_refused() {
    let mut lab = Lab::open(DRIVE);
    let mut cell = lab.shape().timed(0, 100, 4096, 10);
    cell.access.threads = 2000;
    let events = lab.run(vec![vec![cell]]);
    assert!(matches!(
        events.as_slice(),
        [Event::Failed(Failure::Engine { .. }), Event::Stopped { .. }]
    ));
}

#[test]
fn purges_are_named_and_empty_the_map() {
    let mut lab = Lab::open(DRIVE);
    let fill = lab.shape().fill(1);
    lab.run(vec![vec![fill]]);
    let mut purged = |method| {
        let event = lab.purge(method);
        let Event::Purged(purged) = event else {
            panic!("{event:?}");
        };
        purged
    };
    let none = purged(PurgeMethod::None);
    assert!(none.verification.contains("268.44 MB stays"), "{none:?}");
    assert!(!none.is_named_by_standard);
    let discard = purged(PurgeMethod::Discard);
    assert!(!discard.is_named_by_standard && discard.verification.starts_with("no data left"));
    let auto = purged(PurgeMethod::Auto);
    assert!(auto.is_named_by_standard);
    assert_eq!(auto.ended.0 - auto.started.0, 5_000_000_000);
}

#[test]
fn an_empty_amount_and_one_smaller_than_its_slots_end() {
    let mut lab = Lab::open(DRIVE);
    let shape = lab.shape();
    let of = |bytes| Cell {
        until: Until::Transferred(Bytes(bytes)),
        ..shape.timed(0, 0, 4096, 0)
    };
    let timed = shape.timed(1, 100, 4096, 20);
    let events = lab.run(vec![vec![
        of(0),
        of(4096 * 3),
        timed,
        of(4096 * 300),
        of(0),
    ]]);
    let bytes: Vec<_> = measurements(&events)
        .iter()
        .map(|m| m.write.tally.bytes)
        .collect();
    assert_eq!(bytes, [0, 4096 * 3, 0, 4096 * 300, 0]);
}

#[test]
fn the_address_in_the_identity_opens_the_same_drive() {
    let first = Lab::open("sim:small,scale.slow=4,seed=9,capacity=1GiB");
    let identity = first.drive.identity();
    assert_eq!(identity.serial.as_deref(), Some("SIM-SMALL-9"));
    assert_eq!(
        identity.address,
        "sim:small,seed=9,capacity=1GiB,scale.slow=4"
    );
    let again = ptse::sim::describe(&identity.address).expect("opens again");
    assert_eq!(&again, identity);
    assert_eq!(first.drive.seed(), 9);
}
