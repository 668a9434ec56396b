//! Draws plots of points and lines: frame, series, legend outside the data.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::text_anchor::HPos;

use super::PlotError;
use super::axes::{Axes, Frame, Ruler, TEXT};
use super::canvas::{Canvas, Pen};
use super::style::{GREY, lettering, marker, pen};
use super::ticks::DIGIT;
use crate::report::model::{LinePlot, Role, Room, Series};

/// Width of the line sample in the legend.
const SAMPLE: f64 = 34.0;
/// Height of an entry of the legend.
const ENTRY: f64 = 23.0;

/// Size of the drawing.
pub(super) fn size(room: Room) -> (f64, f64) {
    match room {
        Room::Page => (1000.0, 630.0),
        Room::Band => (1000.0, 320.0),
        Room::Title => (1000.0, 250.0),
        Room::Half => (500.0, 210.0),
    }
}

pub(super) fn draw<DB: DrawingBackend>(
    plot: &LinePlot,
    area: &DrawingArea<DB, Shift>,
) -> Result<(), PlotError> {
    let canvas = Canvas::new(area);
    let axes = layout(plot);
    axes.draw(&canvas)?;
    for place in &plot.breaks {
        broken(&canvas, &axes, *place)?;
    }
    for series in &plot.series {
        line(&canvas, &axes, series, &plot.breaks)?;
    }
    for series in &plot.series {
        for point in &series.points {
            marker(&canvas, series.role, axes.at(*point))?;
        }
    }
    if has_legend(plot) {
        legend(&canvas, plot, axes.frame)?;
    }
    Ok(())
}

fn has_legend(plot: &LinePlot) -> bool {
    plot.room != Room::Half
}

/// The frame leaves room for labels on the left and below, and for the legend on the right.
fn layout(plot: &LinePlot) -> Axes<'_> {
    let (width, height) = size(plot.room);
    let points = || plot.series.iter().flat_map(|series| &series.points);
    let x = Ruler::of(&plot.x, points().map(|point| point.0), 8.0);
    let count = if height > 500.0 { 8.0 } else { 5.0 };
    let y = Ruler::of(&plot.y, points().map(|point| point.1), count);
    let legend = if has_legend(plot) {
        legend_width(plot) + 24.0
    } else {
        14.0
    };
    let frame = Frame {
        left: 42.0 + y.label_width() * TEXT,
        right: width - legend,
        top: 16.0,
        bottom: height - 54.0,
    };
    Axes::new(plot, frame, x, y)
}

fn legend_width(plot: &LinePlot) -> f64 {
    let labels = plot
        .series
        .iter()
        .map(|series| series.label.chars().count());
    let longest = labels.max().unwrap_or(0);
    let width =
        |characters: usize| f64::from(u32::try_from(characters).unwrap_or(0)) * DIGIT * TEXT;
    let entries = SAMPLE + 8.0 + width(longest);
    entries.max(width(plot.legend.chars().count()) * 1.06)
}

fn line<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    axes: &Axes<'_>,
    series: &Series,
    breaks: &[f64],
) -> Result<(), PlotError> {
    let Some(pen) = pen(series.role) else {
        return Ok(());
    };
    let crosses = |a: f64, b: f64| breaks.iter().any(|place| a < *place && *place < b);
    for piece in series.points.chunk_by(|a, b| !crosses(a.0, b.0)) {
        let path: Vec<_> = piece.iter().map(|point| axes.at(*point)).collect();
        if path.len() > 1 {
            canvas.line(&path, pen)?;
        }
    }
    Ok(())
}

/// The place of an interruption.
fn broken<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    axes: &Axes<'_>,
    place: f64,
) -> Result<(), PlotError> {
    let x = axes.x_at(place);
    let dashed = Pen {
        color: GREY,
        width: 1.4,
        dash: Some((4.0, 4.0)),
    };
    canvas.line(&[(x, axes.frame.top), (x, axes.frame.bottom)], dashed)?;
    let mut how = lettering(TEXT * 0.86, HPos::Left);
    how.color = GREY;
    canvas.text((x + 5.0, axes.frame.top + 9.0), "interrupted", how)
}

fn legend<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    plot: &LinePlot,
    frame: Frame,
) -> Result<(), PlotError> {
    let left = frame.right + 18.0;
    let mut y = frame.top + 10.0;
    let mut head = lettering(TEXT, HPos::Left);
    head.is_bold = true;
    canvas.text((left, y), &plot.legend, head)?;
    for series in &plot.series {
        y += ENTRY;
        if let Some(pen) = pen(series.role) {
            canvas.line(&[(left, y), (left + SAMPLE, y)], pen)?;
        }
        let middle = (left + SAMPLE / 2.0, y);
        marker(canvas, series.role, middle)?;
        let words = match series.role {
            Role::Points => format!("Measured {}", series.label),
            Role::Measured(_) | Role::Average | Role::Bound | Role::Fit => series.label.clone(),
        };
        canvas.text(
            (left + SAMPLE + 8.0, y),
            &words,
            lettering(TEXT, HPos::Left),
        )?;
    }
    Ok(())
}
