//! Mistakes in a test file: collected, ordered, and shown with the line and a caret.
//!
//! Nothing here judges. A fault says what is wrong, a label at the caret says it in a few words,
//! help says what would be right, and the clause is named where the standard is offended.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::tree::{Span, SyntaxError};

/// Most mistakes that are kept; nobody reads more, and a file can hold a hundred thousand.
const FAULTS_MAX: usize = 500;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) span: Span,
    pub(super) title: String,
    pub(super) label: String,
    pub(super) help: Option<String>,
    pub(super) clause: Option<&'static str>,
    /// Something needed is not there; meaningless where the text could not be read.
    pub(super) is_missing: bool,
}

/// The mistakes found so far. The same one, reached on several ways, counts once.
#[derive(Debug, Default)]
pub(super) struct Faults {
    list: Vec<Fault>,
}

/// A text that mistakes point into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceText {
    /// File name, or `--set`.
    pub(super) name: String,
    pub(super) text: String,
}

/// Every mistake of a test file and its overrides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecErrors {
    sources: Vec<SourceText>,
    faults: Vec<Fault>,
}

impl Fault {
    /// A mistake at a place.
    pub(super) fn at(span: Span, title: impl Into<String>) -> Self {
        Self {
            span,
            title: title.into(),
            label: String::new(),
            help: None,
            clause: None,
            is_missing: false,
        }
    }

    /// The few words at the caret.
    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// What would be right.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What would be right, where something is known.
    pub(super) fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    /// The clause of the standard it offends.
    pub(super) fn clause(mut self, clause: &'static str) -> Self {
        self.clause = Some(clause);
        self
    }

    /// Something needed is not there.
    pub(super) fn missing(mut self) -> Self {
        self.is_missing = true;
        self
    }
}

impl Faults {
    /// Adds a mistake unless it stands here already.
    pub(super) fn push(&mut self, fault: Fault) {
        if self.list.len() < FAULTS_MAX && !self.list.contains(&fault) {
            self.list.push(fault);
        }
    }

    /// Adds to the mistake found last.
    pub(super) fn amend_last(&mut self, amend: impl FnOnce(Fault) -> Fault) {
        let last = self.list.pop().map(amend);
        self.list.extend(last);
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether any stands within a place.
    pub(super) fn are_within(&self, place: Span) -> bool {
        self.list.iter().any(|fault| {
            fault.span.source == place.source
                && (place.start..=place.end).contains(&fault.span.start)
        })
    }

    /// Whether none was found.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds the mistakes of TOML itself, the first of each line, and drops what was found only
    /// because of them: what seems missing, and whatever stands on the same line.
    pub(super) fn add_syntax(&mut self, errors: &[SyntaxError], text: &str) {
        if errors.is_empty() {
            return;
        }
        let line_of = |at: usize| {
            text.as_bytes()
                .iter()
                .take(at)
                .filter(|byte| **byte == b'\n')
                .count()
        };
        let lines: Vec<usize> = errors
            .iter()
            .map(|error| line_of(error.span.start))
            .collect();
        self.list.retain(|fault| {
            fault.span.source != 0
                || (!fault.is_missing && !lines.contains(&line_of(fault.span.start)))
        });
        for (index, error) in errors.iter().enumerate() {
            if lines[..index].contains(&lines[index]) {
                continue;
            }
            self.push(Fault::at(
                error.span,
                format!("not valid TOML: {}", error.message),
            ));
        }
    }

    /// The report of what was found, in the order of the texts.
    pub(super) fn into_errors(self, sources: Vec<SourceText>) -> SpecErrors {
        let mut faults = self.list;
        faults.sort_by_key(|fault| fault.span);
        SpecErrors { sources, faults }
    }
}

impl SpecErrors {
    /// A single mistake about a text as a whole.
    pub(super) fn about(source: SourceText, title: impl Into<String>) -> Self {
        let mut faults = Faults::default();
        faults.push(Fault::at(Span::beginning(0), title));
        faults.into_errors(vec![source])
    }

    /// How many mistakes there are; at least one.
    pub fn count(&self) -> usize {
        self.faults.len()
    }

    /// The mistakes with file name, line and caret; with terminal colours if asked for.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let mut page = String::new();
        for fault in &self.faults {
            page.push_str(&renderer.render(&[self.group(fault)]));
            page.push_str("\n\n");
        }
        page.push_str(&format!("{} in {}\n", self.tally(), self.names()));
        page
    }

    fn group<'s>(&'s self, fault: &'s Fault) -> Group<'s> {
        let title = Level::ERROR.primary_title(fault.title.as_str());
        let mut group = match self.sources.get(fault.span.source) {
            Some(source) => {
                let range = within(&source.text, fault.span.start..fault.span.end);
                let mut annotation = AnnotationKind::Primary.span(range);
                if !fault.label.is_empty() {
                    annotation = annotation.label(fault.label.as_str());
                }
                title.element(
                    Snippet::source(source.text.as_str())
                        .path(source.name.as_str())
                        .annotation(annotation),
                )
            }
            None => Group::with_title(title),
        };
        if let Some(help) = &fault.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        if let Some(clause) = fault.clause {
            group = group.element(Level::NOTE.message(clause));
        }
        group
    }

    fn tally(&self) -> String {
        match self.faults.len() {
            1 => "1 mistake".to_owned(),
            FAULTS_MAX.. => format!("{FAULTS_MAX} mistakes or more"),
            count => format!("{count} mistakes"),
        }
    }

    fn names(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for fault in &self.faults {
            let name = self.sources.get(fault.span.source);
            let name = name.map_or("the overrides", |source| source.name.as_str());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(" and ")
    }
}

impl std::fmt::Display for SpecErrors {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.render(false).trim_end())
    }
}

impl std::error::Error for SpecErrors {}

/// The range cut to the text, to whole characters, and to its first line, so that one caret
/// row shows it.
fn within(text: &str, range: Range<usize>) -> Range<usize> {
    let mut start = range.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = range.end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let line_end = text[start..end].find(['\n', '\r']);
    start..line_end.map_or(end, |length| start + length)
}
