//! From a validated test to the plan for one drive: bytes, cells, labels.
//!
//! Starts of ranges are aligned down to 4 KiB, so that no range begins inside a flash page map
//! entry; ends are aligned down to the logical block, and 100 % is the capacity exactly. A cell
//! that a drive cannot run stays in the plan with the reason; nothing is left out silently.

use super::fit::fitting;
use super::model::{
    Amount, AmountOf, Fill, Hold, Place, Range, Rounds, Spec, StepKind, Stimulus, Variable,
};
use super::pattern::WHOLE_MILLIONTHS;
use super::plan::{
    Plan, PlannedCell, PlannedFill, PlannedRounds, PlannedStep, PlannedVariable, PlannedWork,
};
use super::plan_error::{PlanError, PlanErrors};
use super::{label, read_back, schedule};
use crate::stimulus::{Access, Geometry, Zone};
use crate::units::{Bytes, KIB};

/// Ranges and zones start at multiples of this.
const START_ALIGNMENT: u64 = 4 * KIB;

impl Plan {
    /// What a test would do on a drive of this geometry.
    ///
    /// # Errors
    /// [`PlanErrors`] with everything that cannot be done there.
    pub fn resolve(spec: &Spec, geometry: Geometry) -> Result<Self, PlanErrors> {
        let (capacity, logical_block) = (geometry.capacity.0, geometry.logical_block.0);
        if logical_block < 512 || capacity == 0 || !capacity.is_multiple_of(logical_block) {
            return Err(PlanErrors(vec![PlanError::OddGeometry {
                capacity,
                logical_block,
            }]));
        }
        let mut errors = Vec::new();
        let mut steps = Vec::new();
        for step in &spec.steps {
            let resolver = Resolver {
                step: &step.id,
                geometry,
            };
            match resolver.work(&step.kind) {
                Ok(work) => steps.push(PlannedStep {
                    id: step.id.clone(),
                    work,
                }),
                Err(error) => errors.extend(error),
            }
        }
        if !errors.is_empty() {
            errors.dedup();
            return Err(PlanErrors(errors));
        }
        Ok(Self {
            spec: spec.clone(),
            geometry,
            steps,
        })
    }
}

/// Resolves one step.
struct Resolver<'s> {
    step: &'s str,
    geometry: Geometry,
}

impl Resolver<'_> {
    fn work(&self, kind: &StepKind) -> Result<PlannedWork, Vec<PlanError>> {
        match kind {
            StepKind::Purge => Ok(PlannedWork::Purge),
            StepKind::Fill(fill) => self.fill(fill).map(PlannedWork::Fill),
            StepKind::Rounds(rounds) => self.rounds(rounds).map(PlannedWork::Rounds),
            StepKind::Hold(hold) => self.hold(hold).map(|()| not_built(kind)),
            StepKind::Saturate(saturate) => {
                self.possible(&saturate.stimulus).map(|_| not_built(kind))
            }
            StepKind::Duty(duty) => self.possible(&duty.stimulus).map(|_| not_built(kind)),
            StepKind::Curve(curve) => self.possible(&curve.stimulus).map(|_| not_built(kind)),
            StepKind::Points(points) => {
                if let Some(hold) = &points.before_point {
                    self.hold(hold)?;
                }
                Ok(not_built(kind))
            }
            StepKind::Idle(_) => Ok(not_built(kind)),
        }
    }

    fn fill(&self, fill: &Fill) -> Result<PlannedFill, Vec<PlanError>> {
        let access = self.possible(&fill.stimulus)?;
        let (start, end) = self
            .range(fill.stimulus.range)
            .map_err(|error| vec![error])?;
        let amount = amount_bytes(fill.amount, end - start, self.geometry);
        if amount.0 == 0 {
            return Err(vec![PlanError::Impossible {
                step: self.step.to_owned(),
                reason: "the amount is less than one logical block".to_owned(),
            }]);
        }
        let read_back = read_back::planned(fill, &access, amount, end - start);
        Ok(PlannedFill {
            access,
            amount,
            read_back,
        })
    }

    fn hold(&self, hold: &Hold) -> Result<(), Vec<PlanError>> {
        self.possible(&hold.stimulus).map(|_| ())
    }

    fn rounds(&self, rounds: &Rounds) -> Result<PlannedRounds, Vec<PlanError>> {
        let mut errors = Vec::new();
        if let Some(hold) = &rounds.before_round {
            errors.extend(self.hold(hold).err().into_iter().flatten());
        }
        let stimuli: Vec<&Stimulus> = rounds.cells.iter().map(|cell| &cell.stimulus).collect();
        let labels = label::cells(&stimuli);
        let mut cells = Vec::new();
        for (stimulus, label) in stimuli.iter().zip(labels) {
            match self.access(stimulus) {
                Ok(access) => cells.push(PlannedCell {
                    label,
                    read_percent: stimulus.read_percent,
                    block: label::block(stimulus),
                    access,
                }),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut variables = |list: &[Variable], is_required: bool| {
            let mut planned = Vec::new();
            for variable in list {
                let index = usize::try_from(variable.cell_index).ok();
                let Some(cell) = index.and_then(|index| cells.get(index)) else {
                    continue;
                };
                if let (Err(reason), true) = (&cell.access, is_required) {
                    errors.push(PlanError::TrackedImpossible {
                        step: self.step.to_owned(),
                        label: cell.label.clone(),
                        reason: reason.clone(),
                    });
                }
                planned.push(PlannedVariable {
                    metric: variable.metric,
                    cell_index: variable.cell_index,
                    label: cell.label.clone(),
                });
            }
            planned
        };
        let tracked = variables(&rounds.track, true);
        let watched = variables(&rounds.watch, false);
        if cells.iter().all(|cell| cell.access.is_err()) {
            errors.push(PlanError::Impossible {
                step: self.step.to_owned(),
                reason: "none of its cells can be run".to_owned(),
            });
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(PlannedRounds {
            cells,
            cell_time: rounds.cell_time,
            rounds_max: rounds.rounds_max,
            at_limit: rounds.at_limit,
            tracked,
            watched,
        })
    }

    /// A stimulus that the drive must be able to take.
    fn possible(&self, stimulus: &Stimulus) -> Result<Access, Vec<PlanError>> {
        match self.access(stimulus) {
            Ok(Ok(access)) => Ok(access),
            Ok(Err(reason)) => Err(vec![PlanError::Impossible {
                step: self.step.to_owned(),
                reason,
            }]),
            Err(error) => Err(vec![error]),
        }
    }

    /// A stimulus on this drive; the inner error is why its block sizes do not fit.
    fn access(&self, stimulus: &Stimulus) -> Result<Result<Access, String>, PlanError> {
        let logical_block = self.geometry.logical_block;
        let fit = |shares| fitting(shares, logical_block, stimulus.small_blocks);
        let (reads, writes) = (stimulus.read_percent > 0, stimulus.read_percent < 100);
        let fitted = match (reads, writes) {
            (true, false) => fit(&stimulus.read_blocks).map(|read| (read.clone(), read)),
            (false, _) => fit(&stimulus.write_blocks).map(|write| (write.clone(), write)),
            (true, true) => fit(&stimulus.read_blocks)
                .and_then(|read| fit(&stimulus.write_blocks).map(|write| (read, write))),
        };
        let (read_blocks, write_blocks) = match fitted {
            Ok(blocks) => blocks,
            Err(reason) => return Ok(Err(reason)),
        };
        let (start, end) = self.range(stimulus.range)?;
        let access = Access {
            threads: stimulus.threads,
            queue_depth: stimulus.queue_depth,
            engine: stimulus.engine,
            read_percent: stimulus.read_percent,
            random_percent: stimulus.random_percent,
            read_blocks,
            write_blocks,
            zones: self.zones(stimulus, start, end),
            content: stimulus.content,
            logical_block,
            rate_iops: stimulus.rate_iops,
        };
        let largest = access.block_largest();
        let needed = Bytes(largest.0.saturating_mul(u64::from(stimulus.threads)));
        let smallest_zone = access.zones.iter().map(Zone::len).min().unwrap_or(0);
        if end - start < needed.0 || smallest_zone < largest.0 {
            return Err(PlanError::TooSmall {
                step: self.step.to_owned(),
                threads: stimulus.threads,
                block: largest.as_block(),
                needed: Bytes(needed.0.max(largest.0)),
                found: smallest_zone.min(end - start),
            });
        }
        Ok(Ok(access))
    }

    /// First byte of a range and first byte after it.
    fn range(&self, range: Range) -> Result<(u64, u64), PlanError> {
        let capacity = self.geometry.capacity.0;
        let at = |place| match place {
            Place::Millionths(share) => part(capacity, share),
            Place::At(Bytes(bytes)) => bytes,
        };
        let end = down(at(range.to), self.geometry.logical_block.0);
        if end > capacity {
            return Err(PlanError::BeyondEnd {
                step: self.step.to_owned(),
                end: Bytes(end),
                capacity,
            });
        }
        let start = down(at(range.from), self.start_alignment());
        Ok((start.min(end), end))
    }

    /// Zones that follow each other without gap or overlap where their shares do.
    fn zones(&self, stimulus: &Stimulus, start: u64, end: u64) -> Vec<Zone> {
        if stimulus.zones.is_empty() {
            return vec![Zone {
                weight: 1,
                start: Bytes(start),
                end: Bytes(end),
            }];
        }
        let at = |place| match place {
            Place::Millionths(WHOLE_MILLIONTHS) => end,
            Place::Millionths(share) => {
                down(start + part(end - start, share), self.start_alignment()).max(start)
            }
            Place::At(Bytes(bytes)) => (start + bytes).min(end),
        };
        stimulus
            .zones
            .iter()
            .map(|zone| Zone {
                weight: zone.weight,
                start: Bytes(at(zone.range.from)),
                end: Bytes(at(zone.range.to)),
            })
            .collect()
    }

    fn start_alignment(&self) -> u64 {
        START_ALIGNMENT.max(self.geometry.logical_block.0)
    }
}

fn not_built(kind: &StepKind) -> PlannedWork {
    let cost = schedule::cost_of_kind(kind, None);
    PlannedWork::NotBuilt {
        name: label::kind(kind),
        time: cost.time_min.zip(cost.time_max),
    }
}

/// An amount in whole logical blocks.
pub(super) fn amount_bytes(amount: Amount, range_bytes: u64, geometry: Geometry) -> Bytes {
    let bytes = match amount {
        Amount::Exactly(Bytes(bytes)) => bytes,
        Amount::Times { thousandths, of } => {
            let whole = match of {
                AmountOf::Capacity => geometry.capacity.0,
                AmountOf::Range => range_bytes,
            };
            let product = u128::from(whole) * u128::from(thousandths) / 1000;
            u64::try_from(product).unwrap_or(u64::MAX)
        }
    };
    Bytes(down(bytes, geometry.logical_block.0))
}

/// Size of a range in bytes, cut at the end of the drive.
pub(super) fn range_bytes(range: Range, geometry: Geometry) -> u64 {
    let resolver = Resolver { step: "", geometry };
    resolver
        .range(range)
        .map_or(geometry.capacity.0, |(start, end)| end - start)
}

/// So many millionths of a size, rounded down.
fn part(bytes: u64, millionths: u32) -> u64 {
    let product = u128::from(bytes) * u128::from(millionths) / u128::from(WHOLE_MILLIONTHS);
    u64::try_from(product).unwrap_or(bytes)
}

fn down(bytes: u64, alignment: u64) -> u64 {
    bytes - bytes % alignment
}
