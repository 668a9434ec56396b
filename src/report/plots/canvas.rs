//! Lines, areas and texts in units of the drawing, on any backend of plotters.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle};

use super::{FINE, PlotError};

/// A point in units of the drawing, from its upper left corner.
pub(super) type Point = (f64, f64);

/// A drawing area with helpers.
pub(super) struct Canvas<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
}

/// How a text stands.
#[derive(Clone, Copy)]
pub(super) struct Lettering {
    /// Height in units of the drawing.
    pub(super) size: f64,
    pub(super) color: RGBColor,
    /// Which side of the text lies at its point.
    pub(super) at: HPos,
    pub(super) is_bold: bool,
    /// Whether it runs from bottom to top.
    pub(super) is_upright: bool,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pen {
    pub(super) color: RGBColor,
    pub(super) width: f64,
    /// Length of dashes and of the spaces between them; `None` for a solid line.
    pub(super) dash: Option<(f64, f64)>,
}

impl Pen {
    pub(super) fn solid(color: RGBColor, width: f64) -> Self {
        Self {
            color,
            width,
            dash: None,
        }
    }
}

/// A length on the fine canvas.
#[allow(
    clippy::cast_possible_truncation,
    reason = "rounded and held within the range of the canvas first"
)]
pub(super) fn pixels(length: f64) -> i32 {
    (length * FINE).round().clamp(-1e8, 1e8) as i32
}

fn place(point: Point) -> (i32, i32) {
    (pixels(point.0), pixels(point.1))
}

fn lengths(length: f64) -> u32 {
    u32::try_from(pixels(length)).unwrap_or(0)
}

impl<'a, DB: DrawingBackend> Canvas<'a, DB> {
    pub(super) fn new(area: &'a DrawingArea<DB, Shift>) -> Self {
        Self { area }
    }

    pub(super) fn line(&self, points: &[Point], pen: Pen) -> Result<(), PlotError> {
        let style = ShapeStyle::from(&pen.color).stroke_width(lengths(pen.width));
        let path: Vec<(i32, i32)> = points.iter().copied().map(place).collect();
        match pen.dash {
            None => self.check(self.area.draw(&PathElement::new(path, style))),
            Some((dash, space)) => {
                let (dash, space) = (pixels(dash), pixels(space));
                let path = DashedPathElement::new(path, dash, space, style);
                self.check(self.area.draw(&path))
            }
        }
    }

    pub(super) fn polygon(&self, points: &[Point], fill: RGBColor) -> Result<(), PlotError> {
        let corners: Vec<(i32, i32)> = points.iter().copied().map(place).collect();
        self.check(self.area.draw(&Polygon::new(corners, fill.filled())))
    }

    pub(super) fn disc(&self, at: Point, radius: f64, fill: RGBColor) -> Result<(), PlotError> {
        self.check(
            self.area
                .draw(&Circle::new(place(at), pixels(radius), fill.filled())),
        )
    }

    pub(super) fn ring(&self, at: Point, radius: f64, pen: Pen) -> Result<(), PlotError> {
        let style = ShapeStyle::from(&pen.color).stroke_width(lengths(pen.width));
        self.check(
            self.area
                .draw(&Circle::new(place(at), pixels(radius), style)),
        )
    }

    pub(super) fn text(&self, at: Point, text: &str, how: Lettering) -> Result<(), PlotError> {
        // The backend divides sizes by 1.24.
        let font = ("sans-serif", how.size * FINE * 1.24).into_font();
        let font = if how.is_bold {
            font.style(plotters::style::FontStyle::Bold)
        } else {
            font
        };
        let font = if how.is_upright {
            font.transform(FontTransform::Rotate270)
        } else {
            font
        };
        let style = TextStyle::from(font)
            .color(&how.color)
            .pos(Pos::new(how.at, VPos::Center));
        self.check(
            self.area
                .draw(&Text::new(text.to_owned(), place(at), style)),
        )
    }

    fn check(
        &self,
        drawn: Result<(), DrawingAreaErrorKind<DB::ErrorType>>,
    ) -> Result<(), PlotError> {
        drawn.map_err(|error| PlotError {
            cause: error.to_string(),
        })
    }
}
