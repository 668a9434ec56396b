//! From a test file and its overrides to a validated test.

use sha2::{Digest, Sha256};

use super::document;
use super::errors::{Fault, Faults, SourceText, SpecErrors};
use super::model::Spec;
use super::source::{Source, SourceError};
use super::tree::{Span, Table, parse};
use super::{params, quick, set, write};

/// A test file, read and found to be without mistakes.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The test, with every override applied.
    pub spec: Spec,
    /// The test file with every override applied, as TOML; loads to the same [`Spec`].
    pub effective: String,
    /// The test file as it was given.
    pub text: String,
    /// Built-in name or path as given.
    pub name: String,
    /// SHA-256 of `text`, 64 hex digits.
    pub sha256: String,
    source: Source,
    quick: bool,
}

/// Why the tests that a file is made of cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The file of a part.
    #[error("part {number}, '{uses}': {cause}")]
    NoSource {
        /// Its number, from 1.
        number: usize,
        /// Its `use`.
        uses: String,
        /// Why.
        #[source]
        cause: SourceError,
    },
    /// Its content, or what the part sets in it.
    #[error("part {number}, '{uses}', has mistakes:\n{errors}")]
    Mistakes {
        /// Its number, from 1.
        number: usize,
        /// Its `use`.
        uses: String,
        /// All of them.
        errors: SpecErrors,
    },
    /// Parts are not made of parts.
    #[error("part {number}, '{uses}', is itself made of parts: name those here instead")]
    Nested {
        /// Its number, from 1.
        number: usize,
        /// Its `use`.
        uses: String,
    },
}

/// Reads a test file, applies the overrides (`KEY=VALUE`) in their order, then `--quick`.
///
/// # Errors
/// [`SpecErrors`] with every mistake of the file and the overrides.
pub fn load(source: &Source, overrides: &[String], quick: bool) -> Result<Loaded, SpecErrors> {
    let mut sources = vec![SourceText {
        name: source.name.clone(),
        text: source.text.clone(),
    }];
    let mut faults = Faults::default();
    let (mut tree, syntax) = parse(&source.text, 0);
    apply(&mut tree, overrides, "--set", &mut sources, &mut faults);
    let mut spec = document::read(&tree, &mut faults);
    faults.add_syntax(&syntax, &source.text);
    if let (Some(long), true, true) = (&spec, quick, faults.is_empty()) {
        let shorter = quick::overrides(long);
        apply(&mut tree, &shorter, "--quick", &mut sources, &mut faults);
        spec = document::read(&tree, &mut faults);
    }
    match spec {
        Some(spec) if faults.is_empty() => Ok(Loaded {
            spec,
            effective: write::document(&tree),
            text: source.text.clone(),
            name: source.name.clone(),
            sha256: hex(&Sha256::digest(source.text.as_bytes())),
            source: source.clone(),
            quick,
        }),
        Some(_) | None => {
            if faults.is_empty() {
                faults.push(Fault::at(Span::beginning(0), "the test file has a mistake"));
            }
            Err(faults.into_errors(sources))
        }
    }
}

fn apply(
    tree: &mut Table,
    arguments: &[String],
    name: &str,
    sources: &mut Vec<SourceText>,
    faults: &mut Faults,
) {
    let before = tree.clone();
    for argument in arguments {
        set::apply(tree, argument, sources.len(), faults);
        sources.push(SourceText {
            name: name.to_owned(),
            text: argument.clone(),
        });
    }
    params::prune(&before, tree);
}

impl Loaded {
    /// The tests of a file that is made of parts, in their order; empty for any other file.
    ///
    /// # Errors
    /// [`PartError`] for the first part that is not found or has mistakes.
    pub fn parts(&self) -> Result<Vec<Loaded>, PartError> {
        let mut loaded = Vec::new();
        for (index, part) in self.spec.parts.iter().enumerate() {
            let (number, uses) = (index + 1, part.uses.clone());
            let source = self.source.beside(&part.uses).map_err(|cause| {
                let uses = uses.clone();
                PartError::NoSource {
                    number,
                    uses,
                    cause,
                }
            })?;
            let overrides: Vec<String> = part
                .set
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            let test = load(&source, &overrides, self.quick).map_err(|errors| {
                let uses = uses.clone();
                PartError::Mistakes {
                    number,
                    uses,
                    errors,
                }
            })?;
            if !test.spec.parts.is_empty() {
                return Err(PartError::Nested { number, uses });
            }
            loaded.push(test);
        }
        Ok(loaded)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
