//! Ledger lines about what changed on the drive or the machine between two segments of a run: the
//! header of the report is that of the opening.

use crate::journal::RunState;
use crate::journal::record::{DriveRecord, HostRecord};

use super::Line;

/// One line for a run that was resumed by another process; none for a run in one piece.
pub(super) fn lines(state: &RunState) -> Vec<Line> {
    let mut drive = &state.opened.drive;
    let mut host = &state.opened.host;
    let mut looked = Vec::new();
    let mut changes = Vec::new();
    for noted in state
        .interruptions
        .iter()
        .filter_map(|stop| stop.resumed.as_ref())
    {
        let record = noted.record;
        let note = |change: String| format!("{change} (record {record})");
        if let Some(now) = &noted.what.drive {
            changes.extend(drive_changes(drive, now).into_iter().map(note));
            looked.push(format!("record {record}"));
            drive = now;
        }
        if let Some(now) = &noted.what.host {
            changes.extend(host_changes(host, now).into_iter().map(note));
            host = now;
        }
    }
    if looked.is_empty() {
        return Vec::new();
    }
    let line = Line::new(
        "same-set-up",
        "5",
        "Drive, firmware, link and test platform are the same throughout, and reported",
    )
    .asked("as when the run was opened")
    .evidence(format!("compared in {}", looked.join(", ")));
    let text = changes.join("; ");
    vec![if changes.is_empty() {
        line.done("unchanged")
    } else {
        line.done(text.clone()).deviates(text)
    }]
}

fn drive_changes(was: &DriveRecord, is: &DriveRecord) -> Vec<String> {
    changed([
        ("firmware", &was.firmware, &is.firmware),
        ("interface", &was.interface, &is.interface),
        ("PCIe link", &was.pcie, &is.pcie),
        ("load engine", &was.engine, &is.engine),
    ])
}

fn host_changes(was: &HostRecord, is: &HostRecord) -> Vec<String> {
    changed([
        ("motherboard", &was.motherboard, &is.motherboard),
        ("CPU", &was.cpu, &is.cpu),
        (
            "operating system",
            &was.operating_system,
            &is.operating_system,
        ),
        ("HBA", &was.hba, &is.hba),
    ])
}

fn changed(pairs: [(&str, &Option<String>, &Option<String>); 4]) -> Vec<String> {
    let words = |text: &Option<String>| text.clone().unwrap_or("not recorded".to_owned());
    pairs
        .into_iter()
        .filter(|(_, was, is)| was != is)
        .map(|(what, was, is)| format!("{what} was {} and is {}", words(was), words(is)))
        .collect()
}
