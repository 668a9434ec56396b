//! SVG texts around what plotters' backend writes.

use std::fmt::Write as _;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::prelude::SVGBackend;

use super::PlotError;
use super::canvas::pixels;

/// A drawing area on an SVG text.
pub(super) type SvgArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// What `draw` draws, without the document around it.
pub(super) fn fragment(
    size: (f64, f64),
    draw: impl FnOnce(&SvgArea<'_>) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let mut text = String::new();
    {
        let wide = |length: f64| u32::try_from(pixels(length)).unwrap_or(0);
        let backend = SVGBackend::with_string(&mut text, (wide(size.0), wide(size.1)));
        let area = backend.into_drawing_area();
        draw(&area)?;
        area.present().map_err(|error| PlotError {
            cause: error.to_string(),
        })?;
    }
    let start = text.find('>').map_or(0, |end| end + 1);
    let end = text.rfind("</svg>").unwrap_or(text.len());
    Ok(tidy(text[start..end].trim_start()))
}

/// A group whose title is shown by browsers and read by screen readers.
pub(super) fn group(title: &str, inner: &str) -> String {
    format!("<g><title>{}</title>\n{inner}</g>\n", escape(title))
}

/// The whole document.
pub(super) fn document(
    id: &str,
    size: (f64, f64),
    title: &str,
    description: &str,
    body: &str,
) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-desc\" stroke-linejoin=\"round\">\n\
         <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n{body}</svg>\n",
        pixels(size.0),
        pixels(size.1),
        escape(title),
        escape(description)
    );
    text
}

/// Whole font sizes: plotters divides them by 1.24 and prints what is left.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("font-size=\"") {
        let (before, from) = rest.split_at(at + "font-size=\"".len());
        tidied.push_str(before);
        let end = from.find('"').unwrap_or(from.len());
        match from[..end].parse::<f64>() {
            Ok(size) => tidied.push_str(&format!("{size:.0}")),
            Err(_) => tidied.push_str(&from[..end]),
        }
        rest = &from[end..];
    }
    tidied.push_str(rest);
    tidied
        .replace(" opacity=\"1\"", "")
        .replace(" \"/>", "\"/>")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
