//! Puts together what the workers counted in one cell: seconds, the hand-over, the outcome. Pure.

use std::collections::VecDeque;

use super::event::{Event, Outcome, Tick, WorkerLoad};
use super::meter::Load;
use super::signal::{Counted, HandOverCount, Second};
use super::stage::StageRef;
use crate::stats::Flow;
use crate::stimulus::Issued;
use crate::stimulus::arrivals::ArrivalCounts;
use crate::units::{Nanos, SECOND_NS};

/// Share of its time above which a worker may have been the limit, in thousandths.
const BUSY_PERMILLE: u32 = 950;

/// A cell whose counts are coming in.
#[derive(Debug)]
pub(super) struct Assembly {
    stage: StageRef,
    workers: usize,
    before: Option<Before>,
    hand_overs: usize,
    hand_over: HandOverCount,
    /// Seconds not reported yet, the first one with index `seconds_told`.
    seconds: VecDeque<Second>,
    seconds_told: u64,
    /// For each worker, how many seconds have ended; workers that the cell does not use have none
    /// to wait for.
    passed: Vec<u64>,
    counted: usize,
    read: Flow,
    write: Flow,
    submission_first: Option<Nanos>,
    issued: Issued,
    arrivals: ArrivalCounts,
    loads: Vec<(u32, Load)>,
}

/// The cell before, as far as the hand-over needs it.
#[derive(Debug, Clone)]
pub(super) enum Before {
    /// It runs or has run without a stop in between.
    Joined(StageRef),
    /// It ended, and the drive rested until this programme came; when its last I/O completed.
    Rested(Nanos),
}

impl Assembly {
    /// For a stage that `workers` workers will report on.
    pub(super) fn new(stage: StageRef, workers: u32, before: Option<Before>) -> Self {
        let workers = usize::try_from(workers).unwrap_or(usize::MAX);
        let threads = stage.stage().cell.access.threads;
        Self {
            stage,
            workers,
            before,
            hand_overs: 0,
            hand_over: HandOverCount::default(),
            seconds: VecDeque::new(),
            seconds_told: 0,
            passed: vec![0; usize::try_from(threads).unwrap_or(0)],
            counted: 0,
            read: Flow::default(),
            write: Flow::default(),
            submission_first: None,
            issued: Issued::default(),
            arrivals: ArrivalCounts::default(),
            loads: Vec::new(),
        }
    }

    /// Number of its stage.
    pub(super) fn number(&self) -> u64 {
        self.stage.stage().number
    }

    /// The stage.
    pub(super) fn stage(&self) -> &StageRef {
        &self.stage
    }

    /// A worker's hand-over has ended. Gives the tick once it has ended for all.
    pub(super) fn add_hand_over(&mut self, count: &HandOverCount) -> Option<Event> {
        self.hand_over.read.merge(&count.read);
        self.hand_over.write.merge(&count.write);
        self.hand_overs += 1;
        if self.hand_overs < self.workers {
            return None;
        }
        let Some(Before::Joined(before)) = &self.before else {
            return None;
        };
        let stage = self.stage.stage();
        let start = stage.start.get()?;
        let before = before.stage();
        let began = before
            .start
            .get()
            .and_then(|start| before.deadline(start))
            .unwrap_or(start);
        // The clock of an amount has started before: this tick lies beside its first one.
        let ended = if stage.is_amount() {
            before.last_completion().max(began)
        } else {
            start
        };
        Some(Event::Tick(Box::new(Tick {
            key: stage.cell.key,
            is_hand_over: true,
            at: ended,
            span: Nanos(ended.0.saturating_sub(began.0)),
            read: self.hand_over.read,
            write: self.hand_over.write,
        })))
    }

    /// A second has ended for a worker. Gives the ticks of all that have ended for every worker.
    pub(super) fn add_second(&mut self, worker: u32, second: &Second, passed: u64) -> Vec<Event> {
        self.merge(second);
        self.note_passed(worker, passed);
        self.tell_passed()
    }

    fn note_passed(&mut self, worker: u32, passed: u64) {
        let slot = usize::try_from(worker)
            .ok()
            .and_then(|w| self.passed.get_mut(w));
        if let Some(slot) = slot {
            *slot = passed;
        }
    }

    fn merge(&mut self, second: &Second) {
        if second.read.ios + second.write.ios == 0 {
            return;
        }
        let place = second.index.saturating_sub(self.seconds_told);
        let place = usize::try_from(place).expect("workers are at most a few seconds apart");
        while self.seconds.len() <= place {
            self.seconds.push_back(Second::default());
        }
        self.seconds[place].read.merge(&second.read);
        self.seconds[place].write.merge(&second.write);
    }

    fn tell_passed(&mut self) -> Vec<Event> {
        let all = self.passed.iter().copied().min().unwrap_or(0);
        let mut ticks = Vec::new();
        while self.seconds_told < all {
            ticks.push(self.tick(SECOND_NS));
        }
        ticks
    }

    fn tick(&mut self, span_ns: u64) -> Event {
        let second = self.seconds.pop_front().unwrap_or_default();
        let stage = self.stage.stage();
        let start = stage.start.get().unwrap_or_default();
        let began = start.0 + self.seconds_told * SECOND_NS;
        self.seconds_told += 1;
        Event::Tick(Box::new(Tick {
            key: stage.cell.key,
            is_hand_over: false,
            at: Nanos(began + span_ns),
            span: Nanos(span_ns),
            read: second.read,
            write: second.write,
        }))
    }

    /// A worker has counted everything; `traits` are reasons why the host may be the limit in
    /// every cell. Gives the last ticks and the outcome once all have.
    pub(super) fn add_counted(&mut self, counted: &Counted, traits: &[String]) -> Vec<Event> {
        self.read.merge(&counted.read);
        self.write.merge(&counted.write);
        self.merge(&counted.second);
        let first = [self.submission_first, counted.submission_first];
        self.submission_first = first.into_iter().flatten().min();
        self.issued.merge(&counted.issued);
        self.arrivals.merge(&counted.arrivals);
        if counted.took_part {
            self.loads.push((counted.worker, counted.load));
        }
        self.note_passed(counted.worker, u64::MAX);
        self.counted += 1;
        if self.counted < self.workers {
            return Vec::new();
        }
        self.finish(traits)
    }

    fn finish(&mut self, traits: &[String]) -> Vec<Event> {
        let stage = self.stage.stage();
        let start = stage.start.get().unwrap_or_default();
        let elapsed = Nanos(stage.end().0.saturating_sub(start.0));
        let key = stage.cell.key;
        let is_scheduled = !stage.is_amount() && stage.cell.access.rate_iops.is_some();
        let mut events = Vec::new();
        while self.seconds_told * SECOND_NS < elapsed.0 || !self.seconds.is_empty() {
            let left = elapsed.0.saturating_sub(self.seconds_told * SECOND_NS);
            events.push(self.tick(left.min(SECOND_NS)));
        }
        let (idle_gap, overlap) = self.gap();
        events.push(Event::Cell(Box::new(Outcome {
            key,
            started: start,
            elapsed,
            read: std::mem::take(&mut self.read),
            write: std::mem::take(&mut self.write),
            idle_gap,
            overlap,
            ios_uncounted: self.hand_over.read.ios + self.hand_over.write.ios,
            issued: self.issued,
            arrivals: is_scheduled.then_some(self.arrivals),
            workers: self.workers(elapsed),
            host_limited: self.host_limited(elapsed, traits),
        })));
        events
    }

    /// With d = first submission of this cell minus last completion of the one before: (d, 0)
    /// where d is positive, else (0, -d). Without a cell before it no gap is measured.
    fn gap(&self) -> (Option<Nanos>, Nanos) {
        let last = match &self.before {
            None => return (None, Nanos(0)),
            Some(Before::Joined(before)) => before.stage().last_completion(),
            Some(Before::Rested(last)) => *last,
        };
        let Some(first) = self.submission_first else {
            return (None, Nanos(0));
        };
        (
            Some(Nanos(first.0.saturating_sub(last.0))),
            Nanos(last.0.saturating_sub(first.0)),
        )
    }

    fn workers(&mut self, elapsed: Nanos) -> Vec<WorkerLoad> {
        self.loads.sort_unstable_by_key(|(worker, _)| *worker);
        let share = |time: Nanos| permille(time, elapsed);
        let loads = self.loads.iter().map(|(_, load)| WorkerLoad {
            cpu_permille: share(load.ran),
            waiting_permille: load.waited.map(share),
            preempted: load.preempted,
        });
        loads.collect()
    }

    fn host_limited(&self, elapsed: Nanos, traits: &[String]) -> Option<String> {
        let mut reasons = traits.to_vec();
        let busiest = self.loads.iter().max_by_key(|(_, load)| load.busy());
        if let Some((worker, load)) = busiest
            && permille(load.busy(), elapsed) > BUSY_PERMILLE
        {
            let percent = |time: Nanos| permille(time, elapsed) / 10;
            let waited = match load.waited {
                Some(waited) => format!("waited for a CPU {} %", percent(waited)),
                None => "how long it waited for a CPU is not known".to_owned(),
            };
            reasons.push(format!(
                "worker {worker} was busy {} % of the time (ran {} %, {waited}; its CPU was taken \
                 away {} times)",
                percent(load.busy()).min(100),
                percent(load.ran),
                load.preempted
            ));
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }
}

fn permille(part: Nanos, whole: Nanos) -> u32 {
    let share = u128::from(part.0) * 1000 / u128::from(whole.0.max(1));
    u32::try_from(share).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
