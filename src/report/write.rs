//! Puts a report's files into a folder, each whole or not at all.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::report::model::{Exhibit, Report, Room};
use crate::report::{ReportError, csv, html, json, plots};

/// Every derived file: its path below the run folder, and its text.
///
/// # Errors
/// [`ReportError`] if a form cannot be made.
pub fn render_all(report: &Report) -> Result<Vec<(PathBuf, String)>, ReportError> {
    let mut files = vec![
        (PathBuf::from("report.html"), html::render(report)?),
        (PathBuf::from("report.json"), json::render(report)?),
    ];
    for table in &report.tables {
        files.push((Path::new("tables").join(&table.file), csv::render(table)?));
    }
    for (name, svg) in plot_files(report)? {
        files.push((Path::new("plots").join(format!("{name}.svg")), svg));
    }
    Ok(files)
}

/// Writes every derived file under `dir`, each to a file of its own beside its place that is then
/// renamed over it. Returns the paths, in order.
///
/// # Errors
/// [`ReportError`] if a form cannot be made or a file cannot be written.
pub fn write_all(report: &Report, dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let mut paths = Vec::new();
    for (name, text) in render_all(report)? {
        let path = dir.join(name);
        replace(&path, &text).map_err(|source| ReportError::Write {
            path: path.clone(),
            source,
        })?;
        paths.push(path);
    }
    Ok(paths)
}

/// Every plot of the pages but those drawn small, which repeat others.
fn plot_files(report: &Report) -> Result<Vec<(String, String)>, ReportError> {
    let mut files = Vec::new();
    for exhibit in report.pages.iter().flat_map(|page| &page.exhibits) {
        match exhibit {
            Exhibit::Lines(plot) if matches!(plot.room, Room::Page | Room::Band) => {
                files.push((plot.id.clone(), plots::lines_svg(plot)?));
            }
            Exhibit::Bars(plot) => files.push((plot.id.clone(), plots::bars_svg(plot)?)),
            Exhibit::Lines(_)
            | Exhibit::Summary
            | Exhibit::Determination(_)
            | Exhibit::Table(_)
            | Exhibit::Ledger(_)
            | Exhibit::Text(_) => {}
        }
    }
    Ok(files)
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(".part");
    let partial = PathBuf::from(partial);
    let mut file = fs::File::create(&partial)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&partial, path)
}
