//! Plots as SVG, drawn with plotters' primitives on any of its backends.
//!
//! Coordinates of plotters are integers, so everything is drawn on a canvas ten times larger and
//! scaled by the view box. Drawing functions are generic over the backend; this module makes SVG
//! texts of them, with a title and a description for people who cannot see them. Text is plain
//! sans-serif text. The same model gives the same bytes.

mod axes;
mod bars;
mod canvas;
mod lines;
mod projection;
mod style;
mod svg;
mod ticks;

use crate::report::ReportError;
use crate::report::model::{BarPlot, LinePlot};

/// Units of the canvas for one unit of the drawing.
const FINE: f64 = 10.0;

/// A drawing that failed; only a backend that writes elsewhere than to memory can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
struct PlotError {
    cause: String,
}

/// A plot of points and lines as an SVG document.
///
/// # Errors
/// [`ReportError::Plot`] with its name.
pub fn lines_svg(plot: &LinePlot) -> Result<String, ReportError> {
    let failed = |error: PlotError| ReportError::Plot {
        plot: plot.id.clone(),
        cause: error.cause,
    };
    let size = lines::size(plot.room);
    let body = svg::fragment(size, |area| lines::draw(plot, area)).map_err(failed)?;
    Ok(svg::document(
        &plot.id,
        size,
        &plot.title,
        &plot.description,
        &body,
    ))
}

/// Bars over block sizes and mixes as an SVG document. Each bar is a group with its value as
/// title.
///
/// # Errors
/// [`ReportError::Plot`] with its name.
pub fn bars_svg(plot: &BarPlot) -> Result<String, ReportError> {
    let failed = |error: PlotError| ReportError::Plot {
        plot: plot.id.clone(),
        cause: error.cause,
    };
    let scene = bars::Scene::of(&plot.matrix);
    let mut body = svg::fragment(bars::SIZE, |area| scene.draw_frame(area)).map_err(failed)?;
    for bar in scene.far_to_near() {
        let inner = svg::fragment(bars::SIZE, |area| scene.draw_bar(bar, area)).map_err(failed)?;
        body.push_str(&svg::group(&scene.label(bar), &inner));
    }
    Ok(svg::document(
        &plot.id,
        bars::SIZE,
        &plot.title,
        &plot.description,
        &body,
    ))
}
