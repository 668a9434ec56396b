//! What stimuli, cells and steps are called for people: `RND 4 KiB 65/35`.

use super::model::{Place, Range, StepKind, Stimulus};
use crate::units::{Bytes, to_f64};

/// The `do` of a kind of step.
pub fn kind(kind: &StepKind) -> &'static str {
    match kind {
        StepKind::Purge => "purge",
        StepKind::Fill(_) => "fill",
        StepKind::Rounds(_) => "rounds",
        StepKind::Hold(_) => "hold",
        StepKind::Saturate(_) => "saturate",
        StepKind::Duty(_) => "duty",
        StepKind::Idle(_) => "idle",
        StepKind::Curve(_) => "curve",
        StepKind::Points(_) => "points",
    }
}

/// The block size of a stimulus, where all its I/Os have the same.
pub fn block(stimulus: &Stimulus) -> Option<Bytes> {
    let (read, write) = (
        stimulus.read_blocks.single(),
        stimulus.write_blocks.single(),
    );
    match stimulus.read_percent {
        0 => write,
        100 => read,
        _ => read.filter(|_| read == write),
    }
}

/// Pattern, block size and mix of reads and writes: `SEQ 128 KiB 0/100`, `RND mixed 40/60`.
pub fn access(stimulus: &Stimulus) -> String {
    let pattern = match stimulus.random_percent {
        0 => "SEQ".to_owned(),
        100 => "RND".to_owned(),
        percent => format!("{percent} % RND"),
    };
    let size = block(stimulus).map_or("mixed".to_owned(), Bytes::as_block);
    let reads = stimulus.read_percent;
    if stimulus.discards {
        return format!("{pattern} {size} discard");
    }
    format!("{pattern} {size} {reads}/{}", 100 - reads)
}

/// Labels of the cells of a loop. What varies besides pattern, size and mix is named too, and
/// cells that still look alike are numbered.
pub fn cells(stimuli: &[&Stimulus]) -> Vec<String> {
    let varies = |value: fn(&Stimulus) -> String| {
        let mut values = stimuli.iter().map(|stimulus| value(stimulus));
        let first = values.next();
        let others = values.any(|other| Some(&other) != first.as_ref());
        others.then_some(value)
    };
    let suffixes: Vec<fn(&Stimulus) -> String> = [
        varies(|stimulus| format!("TC {}", stimulus.threads)),
        varies(|stimulus| format!("QD {}", stimulus.queue_depth)),
        varies(|stimulus| format!("in {}", range(stimulus.range))),
        varies(|stimulus| match stimulus.rate_iops {
            Some(rate) => format!("at {rate} IOPS"),
            None => "at full rate".to_owned(),
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut labels: Vec<String> = stimuli
        .iter()
        .map(|stimulus| {
            let mut label = access(stimulus);
            for suffix in &suffixes {
                label = format!("{label} {}", suffix(stimulus));
            }
            label
        })
        .collect();
    number_twins(&mut labels);
    labels
}

fn number_twins(labels: &mut [String]) {
    let plain = labels.to_vec();
    for (index, label) in labels.iter_mut().enumerate() {
        if plain.iter().filter(|other| *other == &plain[index]).count() > 1 {
            let before = plain[..index]
                .iter()
                .filter(|other| *other == &plain[index]);
            *label = format!("{label} #{}", before.count() + 1);
        }
    }
}

/// A range as the test file writes it: `0 %..25 %`, `0 %..20GiB`.
pub fn range(range: Range) -> String {
    let place = |place| match place {
        Place::Millionths(share) => format!("{} %", to_f64(u64::from(share)) / 10_000.0),
        Place::At(bytes) => bytes.to_string(),
    };
    format!("{}..{}", place(range.from), place(range.to))
}
