//! A die: one program or erase at a time, and reads that may suspend it.
//!
//! A read that comes while a job runs suspends it: it starts after the suspend time, and the job's
//! end moves by what the read stole. Reads that follow without a pause need no second suspend.
//! After a limit of stolen time for each job, reads wait for its end; without the limit reads
//! would starve programs.

use std::collections::VecDeque;

/// How a die treats reads; times in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Suspension {
    /// Time until a suspended job gives way.
    pub(crate) delay: u64,
    /// Time that reads may steal from one job; 0 for a die that cannot suspend.
    pub(crate) stolen_max: u64,
}

/// What a job did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Programmed a unit.
    Program {
        /// The unit.
        unit: u32,
        /// Erase count of its superblock when the job was made.
        erase_count: u32,
        /// Whether the unit holds buffered pages of the host.
        for_host: bool,
    },
    /// Erased a block.
    Erase,
}

/// A program or an erase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job {
    /// What.
    pub(crate) work: Work,
    /// When its data has arrived.
    pub(crate) ready: u64,
    /// How long it takes without reads.
    pub(crate) duration: u64,
}

#[derive(Debug, Clone, Copy)]
struct Running {
    work: Work,
    /// Since when it has been running without a read.
    since: u64,
    end: u64,
    stolen: u64,
}

/// A die and its queue of jobs. Times in nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Die {
    read_free: u64,
    running: Option<Running>,
    queue: VecDeque<Job>,
}

/// How a job's event turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Reads moved its end; it has to be asked again then.
    Moved(u64),
    /// It has ended.
    Ended(Work),
}

impl Die {
    /// Queues a job; gives its end if it starts at once.
    pub(crate) fn push(&mut self, now: u64, job: Job) -> Option<u64> {
        self.queue.push_back(job);
        if self.running.is_none() {
            self.start_next(now)
        } else {
            None
        }
    }

    /// Starts the next job on an idle die; gives its end.
    pub(crate) fn start_next(&mut self, now: u64) -> Option<u64> {
        let job = self.queue.pop_front()?;
        let since = now.max(self.read_free).max(job.ready);
        let end = since + job.duration;
        self.running = Some(Running {
            work: job.work,
            since,
            end,
            stolen: 0,
        });
        Some(end)
    }

    /// Handles the event of the running job.
    pub(crate) fn finish(&mut self, now: u64) -> Outcome {
        let running = self.running.take().expect("a job's event has its job");
        if running.end > now {
            let end = running.end;
            self.running = Some(running);
            return Outcome::Moved(end);
        }
        Outcome::Ended(running.work)
    }

    /// Reserves a read of `duration` from `arrival`; gives its end.
    #[inline]
    pub(crate) fn read(&mut self, arrival: u64, duration: u64, suspension: Suspension) -> u64 {
        let start = self.read_free.max(arrival);
        let done = match &mut self.running {
            Some(job) if start < job.end => job.give_way(start, duration, suspension),
            _ => start + duration,
        };
        self.read_free = done;
        done
    }
}

impl Running {
    fn give_way(&mut self, start: u64, duration: u64, suspension: Suspension) -> u64 {
        if self.stolen >= suspension.stolen_max {
            return self.end + duration;
        }
        let is_running = start > self.since;
        let done = start + duration + if is_running { suspension.delay } else { 0 };
        // A read that is over before the job has even begun steals nothing.
        let stolen = done.saturating_sub(if is_running { start } else { self.since });
        self.since = self.since.max(done);
        self.end += stolen;
        self.stolen += stolen;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUSPENSION: Suspension = Suspension {
        delay: 25,
        stolen_max: 200,
    };

    fn busy_die() -> Die {
        let mut die = Die::default();
        let job = Job {
            work: Work::Erase,
            ready: 0,
            duration: 1000,
        };
        assert_eq!(die.push(100, job), Some(1100));
        die
    }

    /// The read takes 25 + 60 from 500 on; the job ends 85 later, at 1185.
    #[test]
    fn a_read_suspends_a_job_and_moves_its_end() {
        let mut die = busy_die();
        assert_eq!(die.read(500, 60, SUSPENSION), 585);
        assert_eq!(die.finish(1100), Outcome::Moved(1185));
        assert_eq!(die.finish(1185), Outcome::Ended(Work::Erase));
    }

    /// The second read follows at 585 without another suspend; a third at 700 needs one.
    #[test]
    fn reads_in_a_row_suspend_once() {
        let mut die = busy_die();
        assert_eq!(die.read(500, 60, SUSPENSION), 585);
        assert_eq!(die.read(520, 60, SUSPENSION), 645);
        assert_eq!(die.read(700, 60, SUSPENSION), 785);
        assert_eq!(die.finish(1100), Outcome::Moved(1100 + 145 + 85));
    }

    /// After 85 + 85 + 85 >= 200 stolen, the job runs to its end at 1355 first.
    #[test]
    fn reads_cannot_starve_a_job() {
        let mut die = busy_die();
        for arrival in [200, 400, 600] {
            assert_eq!(die.read(arrival, 60, SUSPENSION), arrival + 85);
        }
        assert_eq!(die.read(800, 60, SUSPENSION), 1355 + 60);
        assert_eq!(die.read(801, 60, SUSPENSION), 1355 + 120);
        assert_eq!(die.finish(1355), Outcome::Ended(Work::Erase));
    }

    #[test]
    fn a_die_without_suspend_reads_after_the_job() {
        let mut die = busy_die();
        let none = Suspension {
            delay: 25,
            stolen_max: 0,
        };
        assert_eq!(die.read(500, 60, none), 1160);
    }

    #[test]
    fn a_job_waits_for_reads_and_for_its_data() {
        let mut die = Die::default();
        assert_eq!(die.read(100, 60, SUSPENSION), 160);
        let job = Job {
            work: Work::Erase,
            ready: 300,
            duration: 1000,
        };
        assert_eq!(die.push(110, job), Some(1300));
        // Over at 260, before the job begins at 300.
        assert_eq!(die.read(200, 60, SUSPENSION), 260);
        // Over at 340: the job begins then.
        assert_eq!(die.read(280, 60, SUSPENSION), 340);
        assert_eq!(die.finish(1300), Outcome::Moved(1340));
    }
}
