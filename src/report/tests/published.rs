//! Published windows and tables come out with the published digits, in every form.
//!
//! Source of the figures: cloudharmony/block-storage, sample report (PTS-E 1.1 layout), and its
//! steady state determination data for RND 4 KiB 0/100, 1024 KiB and 128 KiB sequential writes.

use crate::report::model::{Exhibit, Report};
use crate::report::numbers::{Format, line_formula, text};
use crate::report::{build, csv, html, json};
use crate::units::Bytes;
use crate::verdict::fixture::{converging_rounds, plan, published_rounds, run};

fn published() -> Report {
    let plan = plan(Bytes(512));
    build(&run(&plan, &published_rounds()), &plan)
}

fn table(report: &Report, file: &str) -> String {
    let found = report.tables.iter().find(|table| table.file == file);
    csv::render(found.unwrap()).unwrap()
}

/// Text between the tags of an HTML page, one space between pieces.
fn words(html: &str) -> String {
    let pieces = html.split('<').filter_map(|piece| piece.split_once('>'));
    let words = pieces.flat_map(|(_, text)| text.split_whitespace());
    let text = words.collect::<Vec<_>>().join(" ");
    text.replace("&#x2f;", "/")
}

/// The block of the sample report, in its order; the publisher cut the average to 11726.
#[test]
fn the_determination_block_has_the_published_fields_in_their_order() {
    let html = words(&html::render(&published()).unwrap());
    let block = "Average IOPS 11726.8 \
                 Allowed Maximum Data Excursion 2345.36 \
                 Measured Maximum Data Excursion 300 within \
                 Allowed Maximum Slope Excursion 1172.68 \
                 Measured Maximum Slope Excursion 25.6 within \
                 Least Squares Linear Fit Formula -6.4 * R + 11746";
    assert!(html.contains(block), "block not found");
}

/// Sequential 1024 KiB and 128 KiB writes of the same report, MB/s.
#[test]
fn throughput_blocks_print_with_the_published_digits() {
    let exact = |value: f64| text(value, Format::Exact);
    assert_eq!(exact(1072.38), "1072.38");
    assert_eq!(exact(1072.38 / 5.0), "214.476");
    assert_eq!(exact(1098.346 / 5.0), "219.6692");
    assert_eq!(exact(1098.346 / 10.0), "109.8346");
    assert_eq!(line_formula(-3.366, 1082.478), "-3.366 * R + 1082.478");
    assert_eq!(line_formula(0.5, -2.0), "0.5 * R - 2");
}

/// Small blocks above, 0/100 at the left; RND 4 KiB writes second row, first column.
#[test]
fn the_table_stands_as_published() {
    let report = published();
    let expected = "\
block_kib,0/100,5/95,35/65,50/50,65/35,95/5,100/0
0.5,11093,11124.8,11030.8,11063.8,11357.6,11233.6,76888.2
4,11726.8,11715.2,11802,11790.4,11781.8,11717,70105.8
8,11482,11536.8,11543.8,11667.8,11583.8,11623.2,62755.4
16,10306.2,10319.4,10343.8,10364.6,10301.4,10431.2,56564.2
32,7768.2,8070.2,7791.8,7775.4,7964.4,7910.2,43290
64,5247.4,5387,5352,5314.2,5394.6,5332.6,22173.6
128,3243.2,3290,3267.6,3292.4,3309.2,3331.6,12111.8
1024,812.8,798.6,809.6,807.2,798.6,854,1059.8
";
    assert_eq!(table(&report, "iops.csv"), expected);
    let html = words(&html::render(&report).unwrap());
    assert!(html.contains(
        "Block size 0/100 5/95 35/65 50/50 65/35 95/5 100/0 \
         0.5 KiB 11093.0 11124.8 11030.8 11063.8 11357.6 11233.6 76888.2 \
         4 KiB 11726.8 11715.2 11802.0 11790.4 11781.8 11717.0 70105.8"
    ));
    assert!(html.contains("1024 KiB 812.8 798.6 809.6 807.2 798.6 854.0 1059.8"));
}

#[test]
fn json_carries_schema_matrix_and_judgement() {
    let text = json::render(&published()).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], "ptse-report/1");
    assert_eq!(json["matrix"]["values"][1][0], 11726.8);
    assert_eq!(json["steady_state"]["reached"], true);
    assert_eq!(json["steady_state"]["window"], serde_json::json!([1, 5]));
    let data = &json["steady_state"]["variables"][0]["data"];
    let near = |key: &str, value: f64| (data[key].as_f64().unwrap() - value).abs() < 1e-9;
    assert!(near("average", 11726.8) && near("measured_data_excursion", 300.0));
    assert!(near("slope", -6.4) && near("intercept", 11746.0));
    assert_eq!(json["deviations"], serde_json::json!([]));
}

#[test]
fn tables_for_programs_have_one_line_of_heads_and_equal_rows() {
    let report = published();
    for (file, rows) in [
        ("iops.csv", 8),
        ("rounds.csv", 5),
        ("steady_state.csv", 15),
        ("convergence.csv", 5),
        ("cells.csv", 5 * 56 + 1),
    ] {
        let text = table(&report, file);
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let heads = reader.headers().unwrap().len();
        let records: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
        assert_eq!(records.len(), rows, "{file}");
        assert!(records.iter().all(|record| record.len() == heads), "{file}");
        assert!(!text.contains('#') && !text.contains('\r'), "{file}");
    }
    assert!(table(&report, "rounds.csv").starts_with(
        "round,segment,state,record,steady,RND 4 KiB 0/100 (IOPS),RND 64 KiB 65/35 (IOPS)"
    ));
}

/// The six pages of the public sample report, with three windows as in edition 2.0.
#[test]
fn all_exhibits_of_the_iops_test_have_a_page() {
    let report = published();
    let ids: Vec<&str> = report.pages.iter().map(|page| page.id.as_str()).collect();
    let exhibits = [
        "summary",
        "convergence",
        "window-1",
        "window-2",
        "window-3",
        "table",
        "iops-2d",
        "iops-3d",
        "rounds",
        "conditions",
        "changes",
    ];
    assert_eq!(ids[..exhibits.len()], exhibits);
    assert!(
        ids[exhibits.len()..]
            .iter()
            .all(|id| id.starts_with("ledger-"))
    );
}

/// Transcend's run was published with steady-state rounds 5 to 9.
#[test]
fn the_published_rounds_are_those_of_the_report() {
    let plan = plan(Bytes(512));
    let report = build(&run(&plan, &converging_rounds()), &plan);
    assert_eq!(report.summary.window, Some((5, 9)));
    let steady = &report.header.columns[2].fields[8];
    assert_eq!(
        (steady.label.as_str(), steady.value.as_str()),
        ("- SS Rounds", "5 - 9")
    );
    let verdicts: Vec<bool> = report.rounds.iter().map(|row| row.is_steady).collect();
    assert_eq!(verdicts.iter().filter(|steady| **steady).count(), 1);
}

/// Every series of the convergence plot has a point in every round.
#[test]
fn convergence_shows_every_block_size_in_every_round() {
    let report = published();
    let plot = report.pages[1]
        .exhibits
        .iter()
        .find_map(|exhibit| match exhibit {
            Exhibit::Lines(plot) => Some(plot),
            Exhibit::Summary
            | Exhibit::Bars(_)
            | Exhibit::Determination(_)
            | Exhibit::Table(_)
            | Exhibit::Ledger(_)
            | Exhibit::Text(_) => None,
        });
    let series = &plot.unwrap().series;
    assert_eq!(series.len(), 8);
    assert!(series.iter().all(|one| one.points.len() == 5));
    let four_kib: Vec<f64> = series[1].points.iter().map(|point| point.1).collect();
    assert_eq!(four_kib, [11646.0, 11730.0, 11903.0, 11752.0, 11603.0]);
}
