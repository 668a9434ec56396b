//! Colours, markers and dashes. A series differs from the others by all three, so that it can be
//! told in grey print and by people who do not see the colours.

use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::PlotError;
use super::canvas::{Canvas, Lettering, Pen, Point};
use crate::report::model::Role;

/// Text.
pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Axes and secondary text.
pub(super) const GREY: RGBColor = RGBColor(0x55, 0x55, 0x55);
/// Grid lines.
pub(super) const GRID: RGBColor = RGBColor(0xD8, 0xDC, 0xE0);
/// Lines between the grid lines of a logarithmic axis.
pub(super) const GRID_LIGHT: RGBColor = RGBColor(0xEE, 0xF0, 0xF2);
/// The fitted line, red as in published PTS reports.
const FIT: RGBColor = RGBColor(0xC6, 0x1A, 0x1A);
/// Measured points of a window, average and bounds.
const WINDOW: RGBColor = RGBColor(0x00, 0x4C, 0x8C);

/// Qualitative colours after Okabe and Ito, the light ones darkened for white paper.
const COLORS: [RGBColor; 8] = [
    RGBColor(0x00, 0x5A, 0xA0),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x8F, 0x68),
    RGBColor(0xA8, 0x3C, 0x8E),
    RGBColor(0x4A, 0x4A, 0x4A),
    RGBColor(0xD9, 0x96, 0x00),
    RGBColor(0x3F, 0xA2, 0xDC),
    RGBColor(0x7A, 0x4B, 0x1E),
];

const DASHES: [Option<(f64, f64)>; 8] = [
    None,
    Some((9.0, 4.0)),
    None,
    Some((3.0, 3.0)),
    None,
    Some((9.0, 4.0)),
    None,
    Some((3.0, 3.0)),
];

/// Colour of the n-th series.
pub(super) fn color(number: usize) -> RGBColor {
    COLORS[number % COLORS.len()]
}

/// A colour mixed with white (positive) or black (negative), by a fraction.
pub(super) fn shade(color: RGBColor, fraction: f64) -> RGBColor {
    let target = if fraction < 0.0 { 0.0 } else { 255.0 };
    let mixed = |part: u8| {
        let value = f64::from(part) + (target - f64::from(part)) * fraction.abs();
        let whole = super::canvas::pixels(value / super::FINE).clamp(0, 255);
        u8::try_from(whole).unwrap_or(u8::MAX)
    };
    RGBColor(mixed(color.0), mixed(color.1), mixed(color.2))
}

/// Plain text of a plot.
pub(super) fn lettering(size: f64, at: HPos) -> Lettering {
    Lettering {
        size,
        color: INK,
        at,
        is_bold: false,
        is_upright: false,
    }
}

/// The line of a series; `None` for points only.
pub(super) fn pen(role: Role) -> Option<Pen> {
    match role {
        Role::Measured(number) => Some(Pen {
            color: color(number),
            width: 1.8,
            dash: DASHES[number % DASHES.len()],
        }),
        Role::Points => None,
        Role::Average => Some(Pen::solid(INK, 1.6)),
        Role::Bound => Some(Pen {
            color: GREY,
            width: 1.4,
            dash: Some((7.0, 5.0)),
        }),
        Role::Fit => Some(Pen::solid(FIT, 2.0)),
    }
}

/// The marker of a series at a point, if it has one.
pub(super) fn marker<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    role: Role,
    at: Point,
) -> Result<(), PlotError> {
    match role {
        Role::Measured(number) => shape(canvas, number, at),
        Role::Points => diamond(canvas, at, 6.0, WINDOW),
        Role::Average | Role::Bound | Role::Fit => Ok(()),
    }
}

fn shape<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    number: usize,
    at: Point,
) -> Result<(), PlotError> {
    let ink = color(number);
    let (x, y) = at;
    let thick = Pen::solid(ink, 2.0);
    match number % COLORS.len() {
        0 => canvas.disc(at, 4.2, ink),
        1 => {
            let r = 3.8;
            let square = [
                (x - r, y - r),
                (x + r, y - r),
                (x + r, y + r),
                (x - r, y + r),
            ];
            canvas.polygon(&square, ink)
        }
        2 => canvas.polygon(&[(x, y - 5.2), (x + 4.8, y + 3.6), (x - 4.8, y + 3.6)], ink),
        3 => diamond(canvas, at, 5.2, ink),
        4 => {
            canvas.line(&[(x - 4.0, y - 4.0), (x + 4.0, y + 4.0)], thick)?;
            canvas.line(&[(x - 4.0, y + 4.0), (x + 4.0, y - 4.0)], thick)
        }
        5 => canvas.polygon(&[(x, y + 5.2), (x + 4.8, y - 3.6), (x - 4.8, y - 3.6)], ink),
        6 => {
            canvas.line(&[(x - 5.0, y), (x + 5.0, y)], thick)?;
            canvas.line(&[(x, y - 5.0), (x, y + 5.0)], thick)
        }
        _ => {
            canvas.disc(at, 3.6, RGBColor(0xFF, 0xFF, 0xFF))?;
            canvas.ring(at, 3.6, thick)
        }
    }
}

fn diamond<DB: DrawingBackend>(
    canvas: &Canvas<'_, DB>,
    (x, y): Point,
    r: f64,
    ink: RGBColor,
) -> Result<(), PlotError> {
    canvas.polygon(&[(x, y - r), (x + r, y), (x, y + r), (x - r, y)], ink)
}
