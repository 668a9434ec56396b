//! `samples.csv`: one line for each second of every cell, and one for each hand-over.
//!
//! A last second that is shorter has its true span, so the rows of a cell add up to the cell
//! exactly. A second in which nothing completed stands here as zeros. Latencies are printed in
//! microseconds to the nanosecond; where nothing completed they are empty.

use crate::stats::Tally;
use crate::units::Nanos;

/// The heading line.
pub const HEADING: &str = "segment,drive_time_s,span_s,step,round,cell,phase,reads,writes,\
read_bytes,write_bytes,read_latency_mean_us,read_latency_max_us,write_latency_mean_us,\
write_latency_max_us,temperature_c";

/// One line of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleRow {
    /// Part of the run between two interruptions, from 0.
    pub segment: u32,
    /// End of the span on the drive's clock.
    pub at: Nanos,
    /// Its length.
    pub span: Nanos,
    /// Id of the step.
    pub step: String,
    /// Round from 1; `None` in a step without rounds.
    pub round: Option<u32>,
    /// Index of the cell in its loop, from 0.
    pub cell_index: u32,
    /// Whether these I/Os belong to a hand-over, and to no cell.
    pub is_hand_over: bool,
    /// Reads completed.
    pub read: Tally,
    /// Writes completed.
    pub write: Tally,
    /// Temperature, where it was read.
    pub temperature_celsius: Option<i32>,
}

impl SampleRow {
    /// The line, without its end. Cells are numbered from 1, as people count.
    pub fn to_csv(&self) -> String {
        let phase = if self.is_hand_over {
            "hand-over"
        } else {
            "cell"
        };
        let round = self.round.map_or(String::new(), |round| round.to_string());
        let temperature = self
            .temperature_celsius
            .map_or(String::new(), |c| c.to_string());
        [
            self.segment.to_string(),
            seconds(self.at),
            seconds(self.span),
            self.step.clone(),
            round,
            (self.cell_index + 1).to_string(),
            phase.to_owned(),
            self.read.ios.to_string(),
            self.write.ios.to_string(),
            self.read.bytes.to_string(),
            self.write.bytes.to_string(),
            mean_us(&self.read),
            max_us(&self.read),
            mean_us(&self.write),
            max_us(&self.write),
            temperature,
        ]
        .join(",")
    }
}

fn seconds(time: Nanos) -> String {
    format!("{}.{:09}", time.0 / 1_000_000_000, time.0 % 1_000_000_000)
}

fn mean_us(tally: &Tally) -> String {
    if tally.ios == 0 {
        return String::new();
    }
    // Rounded half up to the nanosecond, once, here.
    let mean = (tally.latency_ns_sum + tally.ios / 2) / tally.ios;
    micros(mean)
}

fn max_us(tally: &Tally) -> String {
    if tally.ios == 0 {
        String::new()
    } else {
        micros(tally.latency_ns_max)
    }
}

fn micros(nanos: u64) -> String {
    format!("{}.{:03}", nanos / 1000, nanos % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_as_many_fields_as_the_heading_and_no_zero_for_missing() {
        let mut write = Tally::default();
        write.add(4096, 10_500);
        write.add(4096, 10_501);
        let row = SampleRow {
            segment: 0,
            at: Nanos(1_500_000_000),
            span: Nanos::from_secs(1),
            step: "rounds".to_owned(),
            round: Some(2),
            cell_index: 0,
            is_hand_over: false,
            read: Tally::default(),
            write,
            temperature_celsius: None,
        };
        let line = row.to_csv();
        assert_eq!(line.split(',').count(), HEADING.split(',').count());
        assert_eq!(
            line,
            "0,1.500000000,1.000000000,rounds,2,1,cell,0,2,0,8192,,,10.501,10.501,"
        );
    }
}
