//! Plots as data: points, axes and roles, without colours or coordinates.

use super::Matrix;

/// A plot of points and lines.
#[derive(Debug, Clone, PartialEq)]
pub struct LinePlot {
    /// Name of its file without ending.
    pub id: String,
    /// Title for people who cannot see it.
    pub title: String,
    /// What it shows, in words and figures.
    pub description: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Heading of the legend.
    pub legend: String,
    /// What is drawn.
    pub series: Vec<Series>,
    /// Rounds before which the run was interrupted, drawn as breaks.
    pub breaks: Vec<f64>,
    /// How much room it gets.
    pub room: Room,
}

/// How much room a plot gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The exhibit of its page.
    Page,
    /// The width of the page, above a determination block.
    Band,
    /// The width of the title page; repeats a plot that stands elsewhere.
    Title,
    /// Half the width, beside a table, without a legend; repeats the plot above it.
    Half,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Title with its unit.
    pub title: String,
    /// Its scale.
    pub scale: Scale,
    /// Labelled places; empty lets the renderer choose.
    pub ticks: Vec<(f64, String)>,
}

/// Scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Linear from zero.
    LinearFromZero,
    /// Linear around the data.
    LinearClose,
    /// Logarithmic with decades.
    Log10,
    /// Logarithmic with doublings.
    Log2,
}

/// A series of a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Legend text.
    pub label: String,
    /// What it is, which decides how it is drawn.
    pub role: Role,
    /// Points, ascending in x.
    pub points: Vec<(f64, f64)>,
}

/// What a series is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The n-th series of measured values joined by a line, from 0.
    Measured(usize),
    /// Measured values as points only.
    Points,
    /// An average.
    Average,
    /// A limit beside an average.
    Bound,
    /// A fitted line.
    Fit,
}

/// Bars over block sizes and mixes.
#[derive(Debug, Clone, PartialEq)]
pub struct BarPlot {
    /// Name of its file without ending.
    pub id: String,
    /// Title for people who cannot see it.
    pub title: String,
    /// What it shows, in words and figures.
    pub description: String,
    /// The figures; bars go from left to right by rows and from front to back by columns.
    pub matrix: Matrix,
}
