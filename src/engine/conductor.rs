//! Runs programmes one after the other without a rest: queue, crews, and the order of events.
//!
//! A programme that is queued in time is linked behind the running one and begins without asking
//! anybody. One that comes too late begins as soon as it is there, and the rest before it is
//! reported as an idle gap. Exactly one `Stopped` ends every activity, after the last answer that
//! is owed.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::Inbox;
use super::assembly::{Assembly, Before};
use super::crew::{Capacity, Crew, Ground};
use super::event::Event;
use super::signal::{Fault, Signal};
use super::stage::{Next, Row, StageRef};
use crate::stimulus::Programme;

/// Receives the events of an engine.
pub(super) type Emit = Box<dyn FnMut(Event) + Send>;

/// The engine's own thread.
pub(super) struct Conductor {
    ground: Ground,
    /// Why the target itself may make the host the limit.
    trait_of_target: Option<String>,
    emit: Emit,
    crews: Vec<Crew>,
    crews_made: u64,
    stages_made: u64,
    /// The row to which the next one is linked.
    tail: Option<Arc<Row>>,
    /// Programmes that came too late to be linked.
    waiting: VecDeque<Programme>,
    assemblies: VecDeque<Assembly>,
    /// The cell before the next one to be assembled.
    before: Option<StageRef>,
    answers_owed: u32,
    /// Something was begun and not yet reported as stopped.
    is_active: bool,
    is_cancelled: bool,
    broken: Option<Fault>,
}

impl Conductor {
    pub(super) fn new(ground: Ground, trait_of_target: Option<String>, emit: Emit) -> Self {
        Self {
            ground,
            trait_of_target,
            emit,
            crews: Vec::new(),
            crews_made: 0,
            stages_made: 0,
            tail: None,
            waiting: VecDeque::new(),
            assemblies: VecDeque::new(),
            before: None,
            answers_owed: 0,
            is_active: false,
            is_cancelled: false,
            broken: None,
        }
    }

    /// Serves until it is closed.
    pub(super) fn run(mut self, inbox: &Receiver<Inbox>) {
        while let Ok(message) = inbox.recv() {
            match message {
                Inbox::Run(programme) => self.take(programme),
                Inbox::Proceed => self.proceed(),
                Inbox::Cancel => self.cancel(),
                Inbox::Forget => self.before = None,
                Inbox::Signal(signal) => self.hear(signal),
                Inbox::Close => break,
            }
        }
        for crew in self.crews.drain(..) {
            crew.dismiss();
        }
    }

    fn take(&mut self, programme: Programme) {
        if programme.cells.is_empty() {
            return;
        }
        self.is_active = true;
        if let Some(fault) = self.broken.clone() {
            (self.emit)(Event::Failed(fault));
            self.stopped();
        } else if self.crews.is_empty() {
            self.start(programme);
        } else if self.is_cancelled {
            self.waiting.push_back(programme);
        } else {
            self.append(programme);
        }
    }

    fn proceed(&mut self) {
        self.answers_owed = self.answers_owed.saturating_sub(1);
        self.stop_if_idle();
    }

    fn cancel(&mut self) {
        self.waiting.clear();
        self.answers_owed = 0;
        self.is_active = true;
        self.abandon();
        self.stop_if_idle();
    }

    /// Drops what runs; the workers end by themselves.
    fn abandon(&mut self) {
        self.is_cancelled = !self.crews.is_empty();
        self.crews.iter().for_each(Crew::stop);
        self.assemblies.clear();
        self.tail = None;
        self.before = None;
    }

    fn stop_if_idle(&mut self) {
        let is_idle = self.crews.is_empty() && self.waiting.is_empty() && self.answers_owed == 0;
        if self.is_active && is_idle {
            self.stopped();
        }
    }

    fn stopped(&mut self) {
        self.is_active = false;
        let at = self.ground.clock.now();
        (self.emit)(Event::Stopped { at });
    }

    /// Begins a programme while nothing runs.
    fn start(&mut self, programme: Programme) {
        let capacity = Capacity::of(&programme.cells);
        let step_index = programme.cells[0].key.step_index;
        let before = self
            .before
            .take()
            .filter(|before| before.stage().cell.key.step_index == step_index);
        let before = before.map(|before| Before::Rested(before.stage().last_completion()));
        let row = self.row(programme);
        if let Some(crew) = self.assemble(capacity, &row) {
            self.expect(&row, capacity.threads, before);
            crew.begin();
            self.crews.push(crew);
            self.tail = Some(row);
        }
    }

    /// Queues a programme behind what runs.
    fn append(&mut self, programme: Programme) {
        let needed = Capacity::of(&programme.cells);
        let Some((tail, last)) = self.tail.clone().zip(self.crews.last()) else {
            self.waiting.push_back(programme);
            return;
        };
        let capacity = last.capacity;
        let row = self.row(programme.clone());
        let linked = if capacity.holds(&needed) {
            let linked = tail.link(Next::Row(Arc::clone(&row))).is_ok();
            (linked, None, capacity.threads)
        } else {
            let Some(crew) = self.assemble(needed, &row) else {
                return;
            };
            let linked = tail.link(Next::Elsewhere(Arc::clone(&row))).is_ok();
            (linked, Some(crew), needed.threads)
        };
        let (is_linked, crew, threads) = linked;
        match (is_linked, crew) {
            (true, crew) => {
                let before = self.before.clone().map(Before::Joined);
                self.expect(&row, threads, before);
                self.crews.extend(crew);
                self.tail = Some(row);
            }
            (false, crew) => {
                if let Some(crew) = crew {
                    crew.dismiss();
                }
                self.waiting.push_back(programme);
            }
        }
    }

    fn row(&mut self, programme: Programme) -> Arc<Row> {
        let number_first = self.stages_made;
        self.stages_made += u64::try_from(programme.cells.len()).unwrap_or(u64::MAX);
        Row::new(number_first, programme.cells)
    }

    fn assemble(&mut self, capacity: Capacity, row: &Arc<Row>) -> Option<Crew> {
        self.crews_made += 1;
        let number = self.crews_made;
        match Crew::assemble(number, capacity, Arc::clone(row), &self.ground) {
            Ok(crew) => {
                tracing::info!(crew = number, setup = crew.words, "workers are ready");
                Some(crew)
            }
            Err(cause) => {
                self.fail(Fault::Setup { cause });
                None
            }
        }
    }

    /// Prepares to assemble the cells of a row.
    fn expect(&mut self, row: &Arc<Row>, workers: u32, mut before: Option<Before>) {
        for stage in StageRef::all(row) {
            self.assemblies
                .push_back(Assembly::new(stage.clone(), workers, before.take()));
            before = Some(Before::Joined(stage.clone()));
            self.before = Some(stage);
        }
    }

    fn hear(&mut self, signal: Signal) {
        match signal {
            Signal::Second {
                stage,
                worker,
                second,
                passed,
            } => {
                let events = self
                    .assembly(stage)
                    .map(|assembly| assembly.add_second(worker, &second, passed));
                self.emit_all(events.into_iter().flatten());
            }
            Signal::HandOver { stage, count } => {
                let event = self
                    .assembly(stage)
                    .and_then(|assembly| assembly.add_hand_over(&count));
                self.emit_all(event);
            }
            Signal::Counted(counted) => {
                let traits = self.traits();
                let events = self
                    .assembly(counted.stage)
                    .map(|assembly| assembly.add_counted(&counted, &traits));
                self.emit_all(events.into_iter().flatten());
            }
            Signal::Failed(fault) => {
                if !self.is_cancelled {
                    self.fail(fault);
                }
            }
            Signal::Exited { crew } => self.note_exit(crew),
        }
    }

    /// Reasons that hold for every cell.
    fn traits(&self) -> Vec<String> {
        let mut shortcomings = self
            .crews
            .iter()
            .filter_map(|crew| crew.shortcoming.clone());
        let of_kernel = shortcomings.next();
        self.trait_of_target
            .iter()
            .cloned()
            .chain(of_kernel)
            .collect()
    }

    fn assembly(&mut self, stage: u64) -> Option<&mut Assembly> {
        self.assemblies
            .iter_mut()
            .find(|assembly| assembly.number() == stage)
    }

    fn emit_all(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            let done = match &event {
                Event::Cell(_) => self.assemblies.pop_front(),
                Event::Tick(_)
                | Event::ProgrammeDone { .. }
                | Event::Stopped { .. }
                | Event::Failed(_) => None,
            };
            (self.emit)(event);
            if let Some(assembly) = done
                && assembly.stage().is_last()
            {
                self.answers_owed += 1;
                let at = assembly.stage().stage().end();
                (self.emit)(Event::ProgrammeDone { at });
            }
        }
    }

    fn fail(&mut self, fault: Fault) {
        self.waiting.clear();
        self.answers_owed = 0;
        self.broken = Some(fault.clone());
        self.abandon();
        (self.emit)(Event::Failed(fault));
        self.stop_if_idle();
    }

    fn note_exit(&mut self, number: u64) {
        let Some(place) = self.crews.iter().position(|crew| crew.number == number) else {
            return;
        };
        if self.crews[place].note_exit() {
            self.crews.remove(place).dismiss();
        }
        if !self.crews.is_empty() {
            return;
        }
        self.tail = None;
        self.is_cancelled = false;
        match self.waiting.pop_front() {
            Some(programme) => self.take(programme),
            None => self.stop_if_idle(),
        }
    }
}
