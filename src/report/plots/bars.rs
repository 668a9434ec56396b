//! The 3D plot: a bar for each cell of the matrix, small blocks at the left, 0/100 in front.
//!
//! Bars are drawn from far to near. The view is the first of a row of ever steeper ones, with ever
//! lower bars, in which every bar shows a part of itself that no other bar hides.

#[cfg(test)]
mod tests;

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::text_anchor::HPos;

use super::PlotError;
use super::canvas::{Canvas, Pen, Point};
use super::projection::{BAR_WIDTH, Bar, FACES, Face, Place, VIEWS, View, visible_area};
use super::style::{GREY, GRID, GRID_LIGHT, color, lettering, shade};
use super::ticks::{self, Tick};
use crate::report::model::Matrix;
use crate::report::numbers::{Format, text};

/// Size of the drawing.
pub(super) const SIZE: (f64, f64) = (1000.0, 710.0);
/// Smallest visible part of a bar, in units of the drawing squared.
const VISIBLE_MIN: f64 = 40.0;
/// Room for labels around the floor and the walls: right, top, bottom.
const ROOM: (f64, f64, f64) = (78.0, 14.0, 116.0);
const TEXT: f64 = 14.0;

/// The bars, seen from a settled view.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    matrix: &'a Matrix,
    view: View,
    bars: Vec<Bar>,
    ticks: Vec<Tick>,
    /// Value at the top of the walls.
    top: f64,
    /// Height of the walls in lengths of a floor cell.
    walls: f64,
    /// Units of the drawing for a floor cell.
    scale: f64,
    /// Where the left front corner of the floor lies.
    origin: Point,
}

impl<'a> Scene<'a> {
    pub(super) fn of(matrix: &'a Matrix) -> Self {
        let lower = [1.0, 0.75, 0.5, 0.3, 0.15, 0.05];
        let mut candidates = lower
            .into_iter()
            .flat_map(|share| VIEWS.into_iter().map(move |view| (view, share)))
            .map(|(view, share)| Self::seen(matrix, view, share));
        let first = candidates.next();
        let best = first.filter(Self::shows_all);
        best.or_else(|| candidates.find(Self::shows_all))
            .unwrap_or_else(|| Self::seen(matrix, VIEWS[VIEWS.len() - 1], 0.01))
    }

    fn seen(matrix: &'a Matrix, view: View, share: f64) -> Self {
        let values = || matrix.values.iter().flatten().flatten().copied();
        let high = values().fold(0.0, f64::max);
        let high = if high > 0.0 { high * 1.02 } else { 1.0 };
        let step = ticks::nice_step(high / 6.0);
        let top = (high / step).ceil() * step;
        let (columns, rows) = floor_size(matrix);
        let (right, above, below) = ROOM;
        let ticks = ticks::linear(0.0, top, 6.0);
        let left = 44.0 + ticks::label_width(&ticks) * TEXT;
        let width = view.project([columns, rows, 0.0]).0;
        let lowest = view.project([columns, 0.0, 0.0]).1;
        let highest = view.project([0.0, rows, 0.0]).1;
        let scale = (SIZE.0 - left - right) / width;
        let room = (SIZE.1 - above - below) / scale - (highest - lowest);
        let walls = (room / view.upright()).clamp(0.5, 6.0) * share;
        let mut bars = Vec::new();
        for (column, row_values) in matrix.values.iter().enumerate() {
            for (row, value) in row_values.iter().enumerate() {
                bars.extend(value.map(|value| Bar {
                    column,
                    row,
                    height: walls * (value / top).max(0.0),
                }));
            }
        }
        Self {
            matrix,
            view,
            bars,
            ticks,
            top,
            walls,
            scale,
            origin: (left, above + (highest + walls * view.upright()) * scale),
        }
    }

    fn shows_all(&self) -> bool {
        let unit = self.scale * self.scale;
        self.bars
            .iter()
            .all(|bar| visible_area(bar, &self.bars, &self.view) * unit >= VISIBLE_MIN)
    }

    /// Bars in the order of drawing: rows from back to front, in a row from left to right.
    pub(super) fn far_to_near(&self) -> Vec<&Bar> {
        let mut bars: Vec<&Bar> = self.bars.iter().collect();
        bars.sort_by_key(|bar| (usize::MAX - bar.row, bar.column));
        bars
    }

    /// The bar in words: `4 KiB 0/100: 11726.8 IOPS`.
    pub(super) fn label(&self, bar: &Bar) -> String {
        let matrix = self.matrix;
        let value = matrix.values[bar.column][bar.row].unwrap_or(0.0);
        format!(
            "{} KiB {}: {} {}",
            matrix.blocks_kib[bar.column],
            matrix.mixes[bar.row],
            text(value, Format::OneDecimal),
            matrix.unit
        )
    }

    fn at(&self, place: Place) -> Point {
        let (right, up) = self.view.project(place);
        (
            self.origin.0 + right * self.scale,
            self.origin.1 - up * self.scale,
        )
    }

    pub(super) fn draw_bar<DB: DrawingBackend>(
        &self,
        bar: &Bar,
        area: &DrawingArea<DB, Shift>,
    ) -> Result<(), PlotError> {
        let canvas = Canvas::new(area);
        let base = color(bar.row);
        for face in FACES {
            let tone = match face {
                Face::Top => 0.35,
                Face::Front => 0.08,
                Face::Right => -0.28,
            };
            let mut corners = bar.face(face).map(|place| self.at(place)).to_vec();
            canvas.polygon(&corners, shade(base, tone))?;
            corners.push(corners[0]);
            canvas.line(&corners, Pen::solid(shade(base, -0.5), 0.6))?;
        }
        Ok(())
    }

    /// Floor, walls, labels and titles.
    pub(super) fn draw_frame<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
    ) -> Result<(), PlotError> {
        let canvas = Canvas::new(area);
        self.floor_and_walls(&canvas)?;
        self.value_labels(&canvas)?;
        self.block_labels(&canvas)?;
        self.mix_labels(&canvas)?;
        self.legend(&canvas)
    }

    /// A row of mixes with the colours of their bars, below everything.
    fn legend<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), PlotError> {
        const ENTRY: f64 = 92.0;
        let y = SIZE.1 - 16.0;
        let mut head = lettering(TEXT, HPos::Left);
        head.is_bold = true;
        let mut x = self.origin.0;
        canvas.text((x, y), "R/W mix", head)?;
        x += ENTRY * 0.85;
        for (row, mix) in self.matrix.mixes.iter().enumerate() {
            let square = [
                (x, y - 7.0),
                (x + 14.0, y - 7.0),
                (x + 14.0, y + 7.0),
                (x, y + 7.0),
            ];
            canvas.polygon(&square, color(row))?;
            canvas.text((x + 20.0, y), mix, lettering(TEXT, HPos::Left))?;
            x += ENTRY;
        }
        Ok(())
    }

    fn floor_and_walls<DB: DrawingBackend>(
        &self,
        canvas: &Canvas<'_, DB>,
    ) -> Result<(), PlotError> {
        let (columns, rows) = floor_size(self.matrix);
        let place = |places: &[Place]| places.iter().map(|p| self.at(*p)).collect::<Vec<_>>();
        let floor = [
            [0.0, 0.0, 0.0],
            [columns, 0.0, 0.0],
            [columns, rows, 0.0],
            [0.0, rows, 0.0],
        ];
        canvas.polygon(&place(&floor), shade(GRID, 0.72))?;
        let thin = Pen::solid(GRID, 1.0);
        for column in 0..=self.matrix.blocks_kib.len() {
            let x = f64::from(u32::try_from(column).unwrap_or(0));
            canvas.line(&place(&[[x, 0.0, 0.0], [x, rows, 0.0]]), thin)?;
            let wall = place(&[[x, rows, 0.0], [x, rows, self.walls]]);
            canvas.line(&wall, Pen::solid(GRID_LIGHT, 1.0))?;
        }
        for row in 0..=self.matrix.mixes.len() {
            let y = f64::from(u32::try_from(row).unwrap_or(0));
            canvas.line(&place(&[[0.0, y, 0.0], [columns, y, 0.0]]), thin)?;
            let wall = place(&[[0.0, y, 0.0], [0.0, y, self.walls]]);
            canvas.line(&wall, Pen::solid(GRID_LIGHT, 1.0))?;
        }
        for (value, _) in &self.ticks {
            let z = self.height_of(*value);
            let around = [[0.0, 0.0, z], [0.0, rows, z], [columns, rows, z]];
            canvas.line(&place(&around), thin)?;
        }
        let edges = [[0.0, 0.0, self.walls], [0.0, 0.0, 0.0], [columns, 0.0, 0.0]];
        canvas.line(&place(&edges), Pen::solid(GREY, 1.4))?;
        let edge = [[columns, 0.0, 0.0], [columns, rows, 0.0]];
        canvas.line(&place(&edge), Pen::solid(GREY, 1.4))
    }

    fn height_of(&self, value: f64) -> f64 {
        self.walls * value / self.top
    }

    fn value_labels<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), PlotError> {
        for (value, label) in &self.ticks {
            let (x, y) = self.at([0.0, 0.0, self.height_of(*value)]);
            canvas.line(&[(x - 5.0, y), (x, y)], Pen::solid(GREY, 1.2))?;
            canvas.text((x - 10.0, y), label, lettering(TEXT, HPos::Right))?;
        }
        let mut title = lettering(TEXT, HPos::Center);
        title.is_bold = true;
        title.is_upright = true;
        let (_, y) = self.at([0.0, 0.0, self.walls / 2.0]);
        canvas.text((14.0, y), &format!("{}, linear", self.matrix.unit), title)
    }

    fn block_labels<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), PlotError> {
        for (index, block) in self.matrix.blocks_kib.iter().enumerate() {
            let middle = f64::from(u32::try_from(index).unwrap_or(0)) + 0.5;
            let (x, y) = self.at([middle, -0.12, 0.0]);
            canvas.text((x, y + 13.0), block, lettering(TEXT, HPos::Center))?;
        }
        let (columns, _) = floor_size(self.matrix);
        let (x, y) = self.at([columns / 2.0, -0.12, 0.0]);
        let mut title = lettering(TEXT, HPos::Center);
        title.is_bold = true;
        canvas.text((x - 20.0, y + 46.0), "Block size, KiB", title)
    }

    fn mix_labels<DB: DrawingBackend>(&self, canvas: &Canvas<'_, DB>) -> Result<(), PlotError> {
        let (columns, rows) = floor_size(self.matrix);
        for (index, mix) in self.matrix.mixes.iter().enumerate() {
            let middle = f64::from(u32::try_from(index).unwrap_or(0)) + 0.5;
            let (x, y) = self.at([columns + BAR_WIDTH / 4.0, middle, 0.0]);
            canvas.text((x, y + 4.0), mix, lettering(TEXT, HPos::Left))?;
        }
        let (x, y) = self.at([columns, rows, 0.0]);
        let mut title = lettering(TEXT, HPos::Right);
        title.is_bold = true;
        canvas.text((x + ROOM.0 - 6.0, y - 22.0), "R/W mix", title)
    }
}

fn floor_size(matrix: &Matrix) -> (f64, f64) {
    let length = |count: usize| f64::from(u32::try_from(count).unwrap_or(0)).max(1.0);
    (length(matrix.blocks_kib.len()), length(matrix.mixes.len()))
}
