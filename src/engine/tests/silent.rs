//! A target that stops answering: a pipe into which nobody writes.

use super::*;

#[test]
fn a_target_that_never_answers_is_named_and_given_up() {
    let (reader, _writer) = std::io::pipe().unwrap();
    let target = Target {
        file: Arc::new(reader.into()),
        logical_block: 512,
        silent_after: Nanos(300_000_000),
        clock: Clock::start(),
    };
    let (sender, events) = channel();
    let emit = Box::new(move |event| drop(sender.send(event)));
    let engine = Engine::start(&target, emit).unwrap();
    let cells = vec![cell(0, access(2, 3, 100, 4 * KIB), millis(60_000))];
    engine.run(Programme { cells });
    let next = || events.recv_timeout(Duration::from_secs(30)).unwrap();
    let Event::Failed(fault) = next() else {
        panic!("it is silent from the first I/O on");
    };
    assert_eq!(
        fault,
        Fault::Silent {
            waited_s: 0,
            outstanding: 6
        }
    );
    assert!(matches!(next(), Event::Stopped { .. }));
}
