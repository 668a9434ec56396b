//! The plots of the IOPS test as data: convergence, measurement windows, 2D and 3D matrix.

use std::collections::BTreeSet;

use super::Run;
use super::matrix::{cell_index, cell_of};
use super::summary::rounds_text;
use crate::report::model::{
    Axis, BarPlot, Determination, LinePlot, Matrix, Role, Room, Scale, Series,
};
use crate::report::numbers::{Format, line_formula, text};
use crate::units::{Bytes, to_f64};

/// IOPS of the 0/100 cells of every block size over all closed rounds.
pub(super) fn convergence(run: &Run<'_>) -> Option<LinePlot> {
    let planned = run.planned?;
    let last = run.closed.last()?.number;
    let blocks: BTreeSet<Bytes> = planned
        .cells
        .iter()
        .filter(|cell| cell.read_percent == 0)
        .filter_map(|cell| cell.block)
        .collect();
    // The number of a series decides its colour: blocks that this drive cannot do keep theirs, so
    // that a block looks the same in the reports of all drives.
    let series: Vec<Series> = blocks
        .iter()
        .enumerate()
        .filter_map(|(number, block)| {
            let index = cell_index(planned, 0, *block)?;
            let cell = planned.cells.get(usize::try_from(index).ok()?)?;
            cell.access.as_ref().ok()?;
            Some(Series {
                label: block.as_block(),
                role: Role::Measured(number),
                points: round_points(run, index),
            })
        })
        .collect();
    let segments: Vec<(u32, u32)> = run.closed.iter().map(|r| (r.number, r.segment)).collect();
    let breaks = segments
        .windows(2)
        .filter(|pair| pair[0].1 != pair[1].1)
        .map(|pair| f64::from(pair[1].0) - 0.5)
        .collect();
    Some(LinePlot {
        id: "convergence".to_owned(),
        title: "Steady state convergence, R/W 0/100, all block sizes".to_owned(),
        description: format!(
            "IOPS of random writes of {} block sizes over rounds 1 to {last}. {}",
            series.len(),
            ends_of(&series)
        ),
        x: rounds_axis(run.closed.first()?.number, last),
        y: Axis {
            title: "IOPS".to_owned(),
            scale: Scale::LinearFromZero,
            ticks: Vec::new(),
        },
        legend: "RND, R/W 0/100".to_owned(),
        series,
        breaks,
        room: Room::Page,
    })
}

fn round_points(run: &Run<'_>, cell_index: u32) -> Vec<(f64, f64)> {
    run.closed
        .iter()
        .filter_map(|round| {
            let cell = cell_of(round, cell_index)?;
            let iops = crate::units::per_second(cell.total().ios, cell.elapsed)?;
            Some((f64::from(round.number), iops))
        })
        .collect()
}

/// First and last value of each series, in words.
fn ends_of(series: &[Series]) -> String {
    let texts: Vec<String> = series
        .iter()
        .filter_map(|one| {
            let (first, last) = (one.points.first()?, one.points.last()?);
            let number = |value: f64| text(value, Format::OneDecimal);
            Some(format!(
                "{}: {} at first, {} at last",
                one.label,
                number(first.1),
                number(last.1)
            ))
        })
        .collect();
    format!("{}.", texts.join("; "))
}

/// An axis of rounds: every round labelled up to 30, every fifth beyond.
fn rounds_axis(first: u32, last: u32) -> Axis {
    let step = if last - first < 30 { 1 } else { 5 };
    Axis {
        title: "Round".to_owned(),
        scale: Scale::LinearClose,
        ticks: (first..=last)
            .filter(|round| *round == first || round.is_multiple_of(step))
            .map(|round| (f64::from(round), round.to_string()))
            .collect(),
    }
}

/// A measurement window; `None` without a judged window.
pub(super) fn window(block: &Determination, number: usize, from_zero: bool) -> Option<LinePlot> {
    let data = block.data.as_ref()?;
    let (first, last) = block.window?;
    let ends = [f64::from(first), f64::from(last)];
    let flat = |value: f64| ends.iter().map(|x| (*x, value)).collect::<Vec<_>>();
    let measured = block
        .values
        .iter()
        .filter_map(|(round, value)| Some((f64::from(*round), (*value)?)))
        .collect();
    let fit = ends
        .iter()
        .map(|x| (*x, data.slope * x + data.intercept))
        .collect();
    let series = |label: &str, role, points| Series {
        label: label.to_owned(),
        role,
        points,
    };
    let suffix = if from_zero { "-from-zero" } else { "" };
    Some(LinePlot {
        id: format!("window-{number}{suffix}"),
        title: format!("Measurement window, {}", block.variable),
        description: format!(
            "{} in {}: average {}, largest minus smallest {}, fitted line {} with R the round.",
            block.variable,
            rounds_text(first, last),
            text(data.average, Format::Exact),
            text(data.measured_data_excursion, Format::Exact),
            line_formula(data.slope, data.intercept)
        ),
        x: rounds_axis(first, last),
        y: Axis {
            title: block.unit.clone(),
            scale: if from_zero {
                Scale::LinearFromZero
            } else {
                Scale::LinearClose
            },
            ticks: Vec::new(),
        },
        legend: block.variable.clone(),
        series: vec![
            series("110 % of average", Role::Bound, flat(data.average * 1.1)),
            series("Average", Role::Average, flat(data.average)),
            series("90 % of average", Role::Bound, flat(data.average * 0.9)),
            series("Slope (linear fit)", Role::Fit, fit),
            series(&block.unit, Role::Points, measured),
        ],
        breaks: Vec::new(),
        room: if from_zero { Room::Half } else { Room::Band },
    })
}

/// IOPS over block size, a series for each mix.
pub(super) fn matrix_2d(matrix: &Matrix) -> LinePlot {
    let kib: Vec<f64> = matrix
        .blocks_bytes
        .iter()
        .map(|bytes| to_f64(*bytes) / 1024.0)
        .collect();
    let series = matrix
        .mixes
        .iter()
        .enumerate()
        .map(|(column, mix)| Series {
            label: mix.clone(),
            role: Role::Measured(column),
            points: kib
                .iter()
                .zip(&matrix.values)
                .filter_map(|(x, row)| Some((*x, row[column]?)))
                .filter(|(_, y)| *y > 0.0)
                .collect(),
        })
        .collect();
    LinePlot {
        id: "iops-2d".to_owned(),
        title: "IOPS over block size, a line for each R/W mix".to_owned(),
        description: matrix_words(matrix),
        x: Axis {
            title: "Block size, KiB".to_owned(),
            scale: Scale::Log2,
            ticks: kib
                .iter()
                .copied()
                .zip(matrix.blocks_kib.iter().cloned())
                .collect(),
        },
        y: Axis {
            title: "IOPS (logarithmic)".to_owned(),
            scale: Scale::Log10,
            ticks: Vec::new(),
        },
        legend: "R/W mix".to_owned(),
        series,
        breaks: Vec::new(),
        room: Room::Page,
    }
}

/// IOPS over block size and mix as bars.
pub(super) fn matrix_3d(matrix: &Matrix) -> BarPlot {
    BarPlot {
        id: "iops-3d".to_owned(),
        title: "IOPS over block size and R/W mix".to_owned(),
        description: matrix_words(matrix),
        matrix: matrix.clone(),
    }
}

fn matrix_words(matrix: &Matrix) -> String {
    let values = matrix.values.iter().flatten().flatten().copied();
    let (low, high) = values.fold((f64::MAX, 0.0_f64), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if high == 0.0 {
        return "No cell has a value.".to_owned();
    }
    format!(
        "{} block sizes from {} to {} KiB by {} R/W mixes from {} to {}; IOPS from {} to {}. All \
         values stand in the table of this report.",
        matrix.blocks_kib.len(),
        matrix.blocks_kib.first().map_or("", String::as_str),
        matrix.blocks_kib.last().map_or("", String::as_str),
        matrix.mixes.len(),
        matrix.mixes.first().map_or("", String::as_str),
        matrix.mixes.last().map_or("", String::as_str),
        text(low, Format::OneDecimal),
        text(high, Format::OneDecimal)
    )
}
