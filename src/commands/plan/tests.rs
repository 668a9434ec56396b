//! What `ptse plan` prints.

use super::*;
use crate::drive::PurgeMethod;
use crate::units::Bytes;

fn args(spec: &str, set: Vec<String>, quick: bool, format: PlanFormat) -> PlanArgs {
    PlanArgs {
        test: TestArgs {
            spec: spec.to_owned(),
            drive: "sim:dc-tlc".to_owned(),
            out: "reports".into(),
            purge: PurgeMethod::Auto,
            set,
            quick,
            even_with_signatures: false,
            all_namespaces: false,
        },
        format,
    }
}

fn printed(spec: &str, format: PlanFormat, quick: bool, logical_block: u64) -> String {
    let set = vec!["stimulus.queue_depth=256".to_owned()];
    let args = args(spec, set, quick, format);
    let target = Target {
        description: "sim:dc-tlc".to_owned(),
        geometry: Geometry {
            capacity: Bytes(7_681_501_126_656),
            logical_block: Bytes(logical_block),
        },
        start: Start::Free { erase: None },
    };
    let mut out = Vec::new();
    execute(
        &args,
        &target,
        &|_| vec!["one deviation".to_owned()],
        &mut out,
    )
    .unwrap();
    String::from_utf8(out).unwrap()
}

/// 5 x 56 and 25 x 56 minutes; 2 x 7,681,501,126,656 bytes; the override is in the plan.
#[test]
fn the_plan_of_iops_states_cells_times_bytes_and_tracked_variables() {
    let text = printed("pts-e/iops", PlanFormat::Text, false, 512);
    for part in [
        "56 cells of 1 min 00 s, 5 to 25 rounds",
        "4 h 40 min to 23 h 20 min",
        "15363002253312 bytes",
        "TC 4 QD 256",
        "RND 64 KiB 65/35 (IOPS)",
        "one deviation",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn no_line_is_longer_than_a_terminal() {
    let root = env!("CARGO_MANIFEST_DIR");
    for spec in [
        "pts-e/cbw",
        "pts-e/full",
        "lab/write-pressure",
        "lab/ezfio-like",
    ] {
        let path = format!("{root}/tests/specs/{spec}.toml");
        let mut args = String::new();
        for line in print_any(&path).lines() {
            assert!(line.chars().count() <= 92, "{spec}: {line}");
            args.push_str(line);
        }
        assert!(args.contains("is not built yet in this version"), "{args}");
    }
}

fn print_any(path: &str) -> String {
    let args = args(path, Vec::new(), true, PlanFormat::Text);
    let geometry = Geometry {
        capacity: Bytes(7_681_501_126_656),
        logical_block: Bytes(4096),
    };
    let target = Target {
        description: "sim:dc-tlc".to_owned(),
        geometry,
        start: Start::Refused {
            why: "it is in use".to_owned(),
        },
    };
    let mut out = Vec::new();
    execute(&args, &target, &|_| Vec::new(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// On 4096-byte blocks the seven 0.5 KiB cells carry their reason and no numbers.
#[test]
fn json_has_a_schema_and_null_where_nothing_is_known() {
    let text = printed("pts-e/iops", PlanFormat::Json, true, 4096);
    let page: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(page["schema"], "ptse-plan/1");
    let steps = &page["tests"][0]["steps"];
    assert!(steps[0]["cost"]["time_ns_max"].is_null());
    assert_eq!(steps[2]["rounds"]["rounds_max"], 6);
    assert_eq!(steps[2]["rounds"]["cell_time_ns"], 500_000_000);
    let cell = &steps[2]["rounds"]["cells"][55];
    assert!(cell["impossible"].as_str().unwrap().contains("0.5 KiB"));
    assert!(cell["threads"].is_null());
    assert_eq!(page["tests"][0]["deviations"][0], "one deviation");
}
