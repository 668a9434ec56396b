//! From `--drive` to an open drive: inspected first, confirmed second, opened for writing last.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use crate::commands::exit::CommandError;
use crate::drive::{Drive, Identity};
use crate::sim;
use crate::stimulus::Geometry;

/// What the operator allows.
#[derive(Debug, Clone, Copy)]
pub struct Consent<'a> {
    /// `--erase`.
    pub erase: Option<&'a str>,
    /// `--even-with-signatures`.
    pub even_with_signatures: bool,
    /// Folder of the results, whose disk must not be the target.
    pub out: Option<&'a Path>,
    /// Whether the operator may be asked at the terminal.
    pub can_ask: bool,
}
