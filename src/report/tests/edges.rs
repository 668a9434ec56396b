//! Runs at the edges of what a report must hold.

use std::collections::BTreeMap;

use crate::journal::RunState;
use crate::journal::record::{Annotated, Interrupted};
use crate::journal::state::{Interruption, Noted};
use crate::report::model::{Report, Status};
use crate::report::numbers::{Format, text};
use crate::report::{build, csv, html, json, write_all};
use crate::units::Bytes;
use crate::verdict::fixture::{
    Tenths, converging_rounds, date, plan, published_rounds, run, unfinished,
};

fn of(state: &RunState) -> Report {
    build(state, &plan(Bytes(512)))
}

fn complete() -> RunState {
    run(&plan(Bytes(512)), &published_rounds())
}

fn iops_csv(report: &Report) -> String {
    let table = report.tables.iter().find(|table| table.file == "iops.csv");
    csv::render(table.unwrap()).unwrap()
}

/// Done-when 2 of the main issue: n/a everywhere and never 0, and 49 bars.
#[test]
fn on_4096_byte_blocks_the_half_kibibyte_row_is_missing_and_never_zero() {
    let plan = plan(Bytes(4096));
    let report = build(&run(&plan, &published_rounds()), &plan);
    let csv = iops_csv(&report);
    assert_eq!(csv.lines().nth(1), Some("0.5,,,,,,,"));
    assert_eq!(
        csv.lines().nth(2),
        Some("4,11726.8,11715.2,11802,11790.4,11781.8,11717,70105.8")
    );
    let html = html::render(&report).unwrap().replace("&#x2f;", "/");
    assert_eq!(html.matches(">n/a</td>").count(), 7);
    assert!(html.contains("n/a: 0.5 KiB is smaller than the drive&#x27;s blocks of 4096 bytes."));
    assert_eq!(html.matches("<g><title>").count(), 49);
}

#[test]
fn on_512_byte_blocks_56_bars_carry_their_values_as_text() {
    let html = html::render(&of(&complete())).unwrap();
    assert_eq!(html.matches("<g><title>").count(), 56);
    assert!(html.contains("<g><title>4 KiB 0/100: 11726.8 IOPS</title>"));
    assert!(html.contains("<g><title>1024 KiB 100/0: 1059.8 IOPS</title>"));
}

/// Peers leave the block empty when steady state was not reached.
#[test]
fn without_steady_state_the_evidence_stays() {
    let plan = plan(Bytes(512));
    let report = build(&run(&plan, &converging_rounds()[..8]), &plan);
    assert!(
        report
            .summary
            .verdict
            .starts_with("STEADY STATE NOT REACHED by round 8")
    );
    let block = &report.variables[0];
    assert_eq!(block.window, Some((4, 8)));
    let data = block.data.unwrap();
    // (8800 + 7970 + 8470 + 7740 + 7640) / 5, slope (-17600 - 7970 + 7740 + 15280) / 10
    assert!((data.average - 8124.0).abs() < 1e-9 && (data.slope + 255.0).abs() < 1e-9);
    assert!(data.data_holds && !data.slope_holds);
    let html = html::render(&report).unwrap();
    assert!(html.contains("STEADY STATE NOT REACHED") && html.contains("-255 * R + 9654"));
}

#[test]
fn a_single_round_is_a_draft_that_says_what_is_missing() {
    let plan = plan(Bytes(512));
    let rounds: Vec<(u32, Tenths)> = vec![(0, published_rounds()[0])];
    let report = build(&unfinished(&plan, &rounds), &plan);
    assert_eq!(report.status, Status::Running);
    assert_eq!(report.banners[0].word, "DRAFT");
    let missing = report.variables[0].missing.clone().unwrap();
    assert!(
        missing.starts_with("1 consecutive round of the 5"),
        "{missing}"
    );
    assert_eq!(report.matrix.as_ref().unwrap().values[1][0], Some(11646.0));
    html::render(&report).unwrap();
}

#[test]
fn a_run_without_a_round_still_has_a_report() {
    let plan = plan(Bytes(512));
    let report = build(&unfinished(&plan, &[]), &plan);
    assert!(report.matrix.is_none() && report.rounds.is_empty());
    let html = html::render(&report).unwrap();
    assert!(html.contains("No round is complete yet"));
    json::render(&report).unwrap();
}

#[test]
fn an_interrupted_run_says_so_on_every_page() {
    let plan = plan(Bytes(512));
    let rounds: Vec<_> = converging_rounds()
        .into_iter()
        .take(3)
        .map(|r| (0, r))
        .collect();
    let mut state = unfinished(&plan, &rounds);
    state.interruptions.push(Interruption {
        interrupted: Some(Noted {
            record: 200,
            at: date(9000),
            what: Interrupted {
                cause: "Ctrl-C".to_owned(),
                failed: None,
                unanswered: None,
            },
        }),
        resumed: None,
        after_round: Some(3),
    });
    let report = build(&state, &plan);
    assert_eq!(report.status, Status::Interrupted);
    let html = html::render(&report).unwrap();
    assert_eq!(
        html.matches("<b>INTERRUPTED</b>").count(),
        report.pages.len()
    );
}

#[test]
fn a_simulated_run_says_so_on_every_page_with_its_scale() {
    let mut state = complete();
    state.opened.drive.kind = "simulated".to_owned();
    state.opened.drive.scale = Some("blocks 1/64: fills come 64 times sooner".to_owned());
    let report = of(&state);
    let html = html::render(&report).unwrap();
    let banner = "<b>SIMULATED</b>blocks 1&#x2f;64: fills come 64 times sooner";
    assert_eq!(html.matches(banner).count(), report.pages.len());
    assert_eq!(report.ledger.deviations(), 0);
}

/// 25 rounds and an interruption: the plot breaks and the rounds page holds all of them.
#[test]
fn twenty_five_rounds_with_an_interruption_fit() {
    let plan = plan(Bytes(512));
    let rounds: Vec<(u32, Tenths)> = (0..25_u32)
        .map(|index| {
            let round = if index % 2 == 0 { 0 } else { 1 };
            (u32::from(index > 6), converging_rounds()[round])
        })
        .collect();
    let report = build(&unfinished(&plan, &rounds), &plan);
    assert_eq!(report.rounds.len(), 25);
    assert_eq!(report.summary.window, Some((21, 25)));
    let html = html::render(&report).unwrap();
    assert!(html.contains(">\ninterrupted\n</text>"));
    assert!(html.len() < 600_000, "{} bytes", html.len());
}

#[test]
fn hostile_and_foreign_names_are_text_and_nothing_else() {
    let mut state = complete();
    let name = "<script>alert('x')</script> & \"Ö 三星\" ".repeat(4);
    state.opened.drive.model.clone_from(&name);
    state.opened.drive.serial = None;
    let report = of(&state);
    let html = html::render(&report).unwrap();
    assert!(!html.contains("<script") && html.contains("&lt;script&gt;"));
    assert!(html.contains("not recorded (the device has none)"));
    let json: serde_json::Value = serde_json::from_str(&json::render(&report).unwrap()).unwrap();
    assert_eq!(json["header"]["model"], name.as_str());
}

#[test]
fn the_page_needs_no_network_and_no_script() {
    let html = html::render(&of(&complete())).unwrap();
    let namespace = "http://www.w3.org/2000/svg";
    assert!(!html.replace(namespace, "").contains("http"));
    for word in ["<script", "<link", "@import", "url(", "src="] {
        assert!(!html.contains(word), "{word}");
    }
}

/// From 0.5 to 15,000,000 with one rounding; nothing is printed as minus zero.
#[test]
fn figures_print_over_the_whole_range() {
    assert_eq!(text(0.5, Format::OneDecimal), "0.5");
    assert_eq!(text(15_000_000.0, Format::OneDecimal), "15000000.0");
    assert_eq!(text(11726.8, Format::Exact), "11726.8");
    assert_eq!(text(300.0, Format::Exact), "300");
    assert_eq!(text(0.112_082_4, Format::Exact), "0.1120824");
    assert_eq!(text(-0.003_585, Format::Exact), "-0.003585");
    assert_eq!(text(-0.000_000_000_01, Format::Exact), "0");
    assert_eq!(text(-0.04, Format::OneDecimal), "0.0");
    assert_eq!(text(f64::NAN, Format::OneDecimal), "n/a");
}

/// pts.md 4.2: four columns of ten fields; nothing is left blank.
#[test]
fn the_header_has_forty_fields_and_none_is_blank() {
    let header = of(&complete()).header;
    let fields: Vec<_> = header
        .columns
        .iter()
        .flat_map(|column| &column.fields)
        .collect();
    assert_eq!((header.columns.len(), fields.len()), (4, 40));
    assert!(fields.iter().all(|field| !field.value.is_empty()));
    let value = |column: usize, label: &str| {
        let fields = header.columns[column].fields.iter();
        fields
            .clone()
            .find(|field| field.label == label)
            .unwrap()
            .value
            .clone()
    };
    assert_eq!(value(1, "Write Cache"), "off (WCD)");
    assert_eq!(value(2, "Pre Condition 1"), "SEQ 128 KiB W");
    assert_eq!(value(2, "- Duration"), "2X Device Capacity");
    assert_eq!(value(3, "RW Mix"), "Outer Loop");
    assert_eq!(value(3, "- TOIO - TC/QD"), "128 - TC 4 / QD 32");
}

#[test]
fn an_annotation_is_marked_and_never_changes_who_the_drive_is() {
    let mut state = complete();
    let fields = [("tested_by", "Lab 7"), ("model", "something better")];
    state.annotations.push(Noted {
        record: 400,
        at: date(86_400),
        what: Annotated {
            fields: BTreeMap::from(fields.map(|(key, text)| (key.to_owned(), text.to_owned()))),
        },
    });
    let header = of(&state).header;
    assert_eq!(header.tested_by, "Lab 7 (amended on 2026-03-03)");
    assert_eq!(header.model, "EXAMPLE SSD 480");
}

/// Design 6: derived files can be deleted and come back byte for byte.
#[test]
fn the_same_run_gives_the_same_files() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = write_all(&of(&complete()), one.path()).unwrap();
    let second = write_all(&of(&complete()), two.path()).unwrap();
    assert_eq!(first.len(), second.len());
    for (a, b) in first.iter().zip(&second) {
        assert_eq!(a.file_name(), b.file_name());
        assert_eq!(
            std::fs::read(a).unwrap(),
            std::fs::read(b).unwrap(),
            "{a:?}"
        );
    }
    let names: Vec<_> = first
        .iter()
        .map(|path| path.strip_prefix(one.path()).unwrap())
        .collect();
    let plots = names
        .iter()
        .filter(|name| name.starts_with("plots"))
        .count();
    assert_eq!((names.len(), plots), (13, 6));
    assert!(first.iter().all(|path| path.exists()));
    assert!(!one.path().join("report.html.part").exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("occupied");
    std::fs::write(&file, "").unwrap();
    let error = write_all(&of(&complete()), &file).unwrap_err().to_string();
    assert!(
        error.contains("occupied") && error.contains("report.html"),
        "{error}"
    );
}
