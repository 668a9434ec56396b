//! The file behind the samples: counted and hashed while it is written.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::journal::chain;
use crate::journal::samples::HEADING;

/// Rows and SHA-256 of the samples when they ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplesEnd {
    /// Rows without the heading.
    pub rows: u64,
    /// In hex.
    pub sha256: String,
}

#[derive(Debug)]
pub(super) struct Samples {
    file: BufWriter<File>,
    hasher: Sha256,
    rows: u64,
}

impl Samples {
    fn over(file: File, hasher: Sha256) -> Self {
        Self {
            file: BufWriter::new(file),
            hasher,
            rows: 0,
        }
    }

    /// Begins a new file with its heading.
    pub(super) fn create(file: File) -> io::Result<Self> {
        let mut samples = Self::over(file, Sha256::new());
        samples.write_line(HEADING)?;
        samples.rows = 0;
        samples.flush()?;
        Ok(samples)
    }

    /// Opens existing samples, cuts off a torn last line and counts what is there.
    pub(super) fn reopen(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(path)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let whole = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        if whole == 0 {
            file.set_len(0)?;
            return Self::create(file);
        }
        file.set_len(u64::try_from(whole).expect("a file that was read"))?;
        let mut hasher = Sha256::new();
        hasher.update(&text[..whole]);
        let lines = text[..whole].iter().filter(|&&byte| byte == b'\n').count();
        let mut samples = Self::over(file, hasher);
        samples.rows = u64::try_from(lines - 1).expect("lines of a file that was read");
        Ok(samples)
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    pub(super) fn write_line(&mut self, line: &str) -> io::Result<()> {
        for bytes in [line.as_bytes(), b"\n"] {
            self.file.write_all(bytes)?;
            self.hasher.update(bytes);
        }
        self.rows += 1;
        Ok(())
    }

    pub(super) fn end(&self) -> SamplesEnd {
        SamplesEnd {
            rows: self.rows,
            sha256: chain::hex(&self.hasher.clone().finalize()),
        }
    }
}
