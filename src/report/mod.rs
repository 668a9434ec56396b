//! The report of a run: one model, many renderers.
//!
//! [`build`] turns the folded journal and its plan into a [`Report`], a value that holds every
//! figure unrounded and every page as data. The renderers only print it, so all forms carry the
//! same digits: [`html`] (one self-contained file), [`json`] and [`csv`] (for programs), and the
//! plots as SVG. Nothing here reads a clock: the same journal gives the same files, byte for byte.

pub mod build;
pub mod csv;
pub mod html;
pub mod json;
pub mod model;
pub mod numbers;
pub mod plots;
mod write;

#[cfg(test)]
mod tests;

pub use build::build;
pub use model::Report;
pub use write::{render_all, write_all};

use std::path::PathBuf;

/// Why a report could not be made or written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file could not be written.
    #[error("cannot write {}: {source}; free space or fix permissions, then run `ptse report`",
        path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's words.
        #[source]
        source: std::io::Error,
    },
    /// The page template does not render.
    #[error("the template {name} does not render: {source}")]
    Template {
        /// Its name.
        name: &'static str,
        /// Where and why.
        #[source]
        source: minijinja::Error,
    },
    /// A plot could not be drawn.
    #[error("the plot {plot} cannot be drawn: {cause}")]
    Plot {
        /// Its name.
        plot: String,
        /// Why.
        cause: String,
    },
    /// A value could not be put into JSON.
    #[error("the report does not fit into JSON: {source}")]
    Json {
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A table could not be put into CSV.
    #[error("the table {table} cannot be written as CSV: {source}")]
    Csv {
        /// Its name.
        table: String,
        /// Why.
        #[source]
        source: ::csv::Error,
    },
}
