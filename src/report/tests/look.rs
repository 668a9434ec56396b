//! temporary
use crate::journal::record::{Interrupted, Resumed};
use crate::journal::state::{Interruption, Noted};
use crate::report::{build, write_all};
use crate::units::Bytes;
use crate::verdict::fixture;

#[test]
fn look() {
    let out = std::path::Path::new("/tmp/report-look");
    let plan = fixture::plan(Bytes(512));
    let mut state = fixture::run(&plan, &fixture::converging_rounds());
    write_all(&build(&state, &plan), &out.join("a")).unwrap();
    state.opened.drive.kind = "simulated".into();
    state.opened.drive.scale = Some("simulated drive dc-tlc at scale blocks 1/64: rates and latencies as of the full-size model, fills come 64 times sooner".into());
    state.opened.drive.model = "Ein sehr langer Modellname <b>&\"quotes\"</b> – 三星 990 Пример SSD Enterprise Mixed-Use 7.68TB U.3 15mm".into();
    state.opened.drive.write_cache = "unknown: the device has no such control".into();
    state.opened.purge_method = "none".into();
    write_all(&build(&state, &plan), &out.join("b")).unwrap();
    let plan = fixture::plan(Bytes(4096));
    let mut state = fixture::run(&plan, &fixture::published_rounds());
    state.opened.drive.kind = "loop".into();
    state.attempts[0].purged.as_mut().unwrap().what.method = "discard of the whole device".into();
    state.attempts[0]
        .purged
        .as_mut()
        .unwrap()
        .what
        .named_by_standard = false;
    write_all(&build(&state, &plan), &out.join("c")).unwrap();
    // 25 rounds, unsteady, interrupted
    let plan = fixture::plan(Bytes(512));
    let rounds: Vec<(u32, fixture::Tenths)> = (0..25u64)
        .map(|r| {
            let mut v = fixture::TRANSCEND;
            for row in v.iter_mut() {
                for x in row.iter_mut() {
                    *x = *x * 180 * (100 + 60 * (r % 2)) / 100;
                }
            }
            (u32::from(r > 6), v)
        })
        .collect();
    let mut state = fixture::unfinished(&plan, &rounds);
    state.interruptions.push(Interruption {
        interrupted: Some(Noted {
            record: 300,
            at: fixture::date(9000),
            what: Interrupted {
                cause: "SIGTERM".into(),
            },
        }),
        resumed: Some(Noted {
            record: 301,
            at: fixture::date(9900),
            what: Resumed {
                tool: "ptse 0.1".into(),
                address: "/dev/nvme1n1".into(),
                pause_s: 900,
            },
        }),
        after_round: Some(7),
    });
    write_all(&build(&state, &plan), &out.join("d")).unwrap();
    let rounds: Vec<_> = fixture::published_rounds()
        .into_iter()
        .take(1)
        .map(|v| (0, v))
        .collect();
    let mut state = fixture::unfinished(&plan, &rounds);
    state.interruptions.push(Interruption {
        interrupted: Some(Noted {
            record: 300,
            at: fixture::date(9000),
            what: Interrupted {
                cause: "Ctrl-C".into(),
            },
        }),
        resumed: None,
        after_round: Some(1),
    });
    write_all(&build(&state, &plan), &out.join("e")).unwrap();
}
