//! Where a test file comes from: the binary, or a file of the user.

use std::path::{Path, PathBuf};

use super::builtin;
use super::errors::{SourceText, SpecErrors};
use super::nearest::nearest;

/// Largest test file that is read, in bytes. The longest of our own has a hundredth of it.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The text of a test file and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Built-in name or path as given.
    pub name: String,
    /// TOML text.
    pub text: String,
    /// Folder that paths of parts are relative to; `None` for a built-in test.
    pub folder: Option<PathBuf>,
}

/// Why there is no test file.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Neither a built-in test nor a file.
    #[error("there is no built-in test '{name}' and no file of that name; {advice}")]
    NotFound {
        /// As given.
        name: String,
        /// Which names come near.
        advice: String,
    },
    /// The file exists and cannot be read.
    #[error("cannot read the test file '{name}'")]
    Unreadable {
        /// As given.
        name: String,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// Far larger than any test file.
    #[error("'{name}' has {bytes} bytes; a test file has at most {FILE_BYTES_MAX}")]
    TooLarge {
        /// As given.
        name: String,
        /// Its size.
        bytes: u64,
    },
    /// Not a text.
    #[error("{0}")]
    NotText(SpecErrors),
}

impl Source {
    /// A built-in test by its name, or a file by its path.
    ///
    /// # Errors
    /// [`SourceError`] with the nearest names when there is neither.
    pub fn find(name_or_path: &str) -> Result<Self, SourceError> {
        if let Some(built_in) = builtin::find(name_or_path) {
            return Ok(Self {
                name: built_in.name.to_owned(),
                text: built_in.text.to_owned(),
                folder: None,
            });
        }
        let path = Path::new(name_or_path);
        let unreadable = |cause| SourceError::Unreadable {
            name: name_or_path.to_owned(),
            cause,
        };
        let found = match std::fs::metadata(path) {
            Ok(found) => found,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {
                return Err(SourceError::NotFound {
                    name: name_or_path.to_owned(),
                    advice: advice(name_or_path),
                });
            }
            Err(cause) => return Err(unreadable(cause)),
        };
        if found.is_file() && found.len() > FILE_BYTES_MAX {
            return Err(SourceError::TooLarge {
                name: name_or_path.to_owned(),
                bytes: found.len(),
            });
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let mut source = Self::from_bytes(name_or_path, &bytes).map_err(SourceError::NotText)?;
        source.folder = path.parent().map(Path::to_path_buf);
        Ok(source)
    }

    /// A test file from its bytes.
    ///
    /// # Errors
    /// [`SpecErrors`] that names the first byte which is not UTF-8.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, SpecErrors> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self {
                name: name.to_owned(),
                text: text.to_owned(),
                folder: None,
            }),
            Err(error) => {
                let good = error.valid_up_to();
                let line = bytes[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
                let text = SourceText {
                    name: name.to_owned(),
                    text: String::new(),
                };
                let title = format!("'{name}' is not UTF-8 text: byte {good}, line {line}");
                Err(SpecErrors::about(text, title))
            }
        }
    }

    /// A test that a part of this one names: built in, or a path beside this file.
    ///
    /// # Errors
    /// As [`Source::find`].
    pub fn beside(&self, name_or_path: &str) -> Result<Self, SourceError> {
        if builtin::find(name_or_path).is_some() {
            return Self::find(name_or_path);
        }
        let path = match &self.folder {
            Some(folder) => folder.join(name_or_path),
            None => PathBuf::from(name_or_path),
        };
        Self::find(&path.to_string_lossy())
    }
}

fn advice(name: &str) -> String {
    let known: Vec<&str> = builtin::all()
        .iter()
        .map(|built_in| built_in.name)
        .collect();
    let mut near = nearest(name, &known);
    if near.is_empty() {
        near = known
            .iter()
            .copied()
            .filter(|known| known.rsplit('/').next() == name.rsplit('/').next())
            .collect();
    }
    if near.is_empty() {
        "`ptse specs` lists the built-in ones".to_owned()
    } else {
        format!("did you mean '{}'?", near.join("' or '"))
    }
}
