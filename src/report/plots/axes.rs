//! From values to places: the scales of a two-dimensional plot and its frame.

use plotters::backend::DrawingBackend;
use plotters::style::text_anchor::HPos;

use super::PlotError;
use super::canvas::{Canvas, Pen, Point};
use super::style::{GREY, GRID, GRID_LIGHT, lettering};
use super::ticks::{self, Tick};
use crate::report::model::{Axis, LinePlot, Scale};

/// Height of texts at the axes.
pub(super) const TEXT: f64 = 14.0;

/// The rectangle of the data, in units of the drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// An axis with its range settled.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ruler {
    low: f64,
    high: f64,
    scale: Scale,
    pub(super) ticks: Vec<Tick>,
}

impl Ruler {
    /// Settles the range of an axis so that all `values` lie on it.
    pub(super) fn of(axis: &Axis, values: impl Iterator<Item = f64>, count: f64) -> Self {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let (low, high, ticks) = match axis.scale {
            _ if !axis.ticks.is_empty() => labelled(axis, low, high),
            Scale::LinearFromZero => from_zero(high, count),
            Scale::LinearClose | Scale::Log2 => {
                let room = ((high - low) * 0.08).max(high.abs() * 1e-6).max(1e-12);
                let (low, high) = (low - room, high + room);
                (low, high, ticks::linear(low, high, count))
            }
            Scale::Log10 => {
                let ticks = ticks::decades(low, high);
                let ends = (ticks.first(), ticks.last());
                let (first, last) = (ends.0.map_or(1.0, |t| t.0), ends.1.map_or(10.0, |t| t.0));
                (first, last, ticks)
            }
        };
        Self {
            low,
            high,
            scale: axis.scale,
            ticks,
        }
    }

    /// Where a value lies, 0 at the beginning of the axis and 1 at its end.
    pub(super) fn fraction(&self, value: f64) -> f64 {
        let (low, high, value) = match self.scale {
            Scale::LinearFromZero | Scale::LinearClose => (self.low, self.high, value),
            Scale::Log10 => (self.low.log10(), self.high.log10(), value.log10()),
            Scale::Log2 => (self.low.log2(), self.high.log2(), value.log2()),
        };
        (value - low) / (high - low)
    }

    /// Width of the longest label, in heights of its text.
    pub(super) fn label_width(&self) -> f64 {
        ticks::label_width(&self.ticks)
    }
}

fn from_zero(high: f64, count: f64) -> (f64, f64, Vec<Tick>) {
    let high = if high > 0.0 { high * 1.04 } else { 1.0 };
    let step = ticks::nice_step(high / count);
    let top = (high / step).ceil() * step;
    (0.0, top, ticks::linear(0.0, top, count))
}

/// The range of given labels with half a step at both ends: rounds, or doublings of a size.
fn labelled(axis: &Axis, low: f64, high: f64) -> (f64, f64, Vec<Tick>) {
    let first = axis.ticks.first().map_or(low, |tick| tick.0.min(low));
    let last = axis.ticks.last().map_or(high, |tick| tick.0.max(high));
    let (low, high) = match axis.scale {
        Scale::LinearFromZero => (0.0, last),
        Scale::LinearClose => (first - 0.4, last + 0.4),
        Scale::Log10 => (first, last),
        Scale::Log2 => (first / 1.4, last * 1.4),
    };
    (low, high, axis.ticks.clone())
}

/// Both axes over a frame.
#[derive(Debug)]
pub(super) struct Axes<'a> {
    pub(super) frame: Frame,
    pub(super) x: Ruler,
    pub(super) y: Ruler,
    plot: &'a LinePlot,
}

impl<'a> Axes<'a> {
    pub(super) fn new(plot: &'a LinePlot, frame: Frame, x: Ruler, y: Ruler) -> Self {
        Self { frame, x, y, plot }
    }

    pub(super) fn x_at(&self, value: f64) -> f64 {
        self.frame.left + (self.frame.right - self.frame.left) * self.x.fraction(value)
    }

    pub(super) fn y_at(&self, value: f64) -> f64 {
        self.frame.bottom - (self.frame.bottom - self.frame.top) * self.y.fraction(value)
    }

    pub(super) fn at(&self, point: (f64, f64)) -> Point {
        (self.x_at(point.0), self.y_at(point.1))
    }

    /// Grid, frame, labels and titles.
    pub(super) fn draw<DB: DrawingBackend>(
        &self,
        canvas: &Canvas<'_, DB>,
    ) -> Result<(), PlotError> {
        let f = self.frame;
        if self.plot.y.scale == Scale::Log10 {
            self.between_decades(canvas)?;
        }
        for (value, label) in &self.y.ticks {
            let y = self.y_at(*value);
            canvas.line(&[(f.left, y), (f.right, y)], Pen::solid(GRID, 1.0))?;
            canvas.text((f.left - 8.0, y), label, lettering(TEXT, HPos::Right))?;
        }
        for (value, label) in &self.x.ticks {
            let x = self.x_at(*value);
            canvas.line(&[(x, f.top), (x, f.bottom)], Pen::solid(GRID_LIGHT, 1.0))?;
            canvas.line(&[(x, f.bottom), (x, f.bottom + 5.0)], Pen::solid(GREY, 1.0))?;
            canvas.text((x, f.bottom + 17.0), label, lettering(TEXT, HPos::Center))?;
        }
        let axes = [(f.left, f.top), (f.left, f.bottom), (f.right, f.bottom)];
        canvas.line(&axes, Pen::solid(GREY, 1.4))?;
        let middle = f64::midpoint(f.left, f.right);
        let mut title = lettering(TEXT, HPos::Center);
        title.is_bold = true;
        canvas.text((middle, f.bottom + 39.0), &self.plot.x.title, title)?;
        let left = f.left - 24.0 - self.y.label_width() * TEXT;
        title.is_upright = true;
        let middle = f64::midpoint(f.top, f.bottom);
        canvas.text((left, middle), &self.plot.y.title, title)
    }

    fn between_decades<DB: DrawingBackend>(
        &self,
        canvas: &Canvas<'_, DB>,
    ) -> Result<(), PlotError> {
        let f = self.frame;
        let decades = self.y.ticks.len().saturating_sub(1);
        for (value, _) in self.y.ticks.iter().take(decades) {
            for times in 2..10 {
                let y = self.y_at(value * f64::from(times));
                canvas.line(&[(f.left, y), (f.right, y)], Pen::solid(GRID_LIGHT, 1.0))?;
            }
        }
        Ok(())
    }
}
