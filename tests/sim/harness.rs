//! Drives the simulated drive through its two channels, as the driver of a run does.

use ptse::drive::{Command, Drive, Event, Measurement, PurgeMethod, Tick};
use ptse::sim::{self, SimulatedDrive};
use ptse::stimulus::{
    Access, BlockShares, Cell, CellKey, Content, EngineKind, Geometry, Programme, Until, Zone,
};
use ptse::units::{Bytes, KIB, Nanos};

/// A drive with the reading end of its events.
#[derive(Debug)]
pub(crate) struct Lab {
    /// The drive.
    pub(crate) drive: SimulatedDrive,
    runtime: tokio::runtime::Runtime,
}

impl Lab {
    /// Opens a drive.
    pub(crate) fn open(address: &str) -> Self {
        Self {
            drive: sim::open(address).expect("the address is good"),
            runtime: tokio::runtime::Builder::new_current_thread()
                .build()
                .expect("a runtime"),
        }
    }

    /// Sends a command.
    pub(crate) fn send(&mut self, command: Command) {
        self.drive.link().send(command);
    }

    /// Waits for the next event.
    pub(crate) fn next(&mut self) -> Event {
        let link = self.drive.link();
        self.runtime
            .block_on(link.next_event())
            .expect("the drive's thread is alive")
    }

    /// Purges.
    pub(crate) fn purge(&mut self, method: PurgeMethod) -> Event {
        self.send(Command::Purge(method));
        self.next()
    }

    /// Runs programmes one behind the other and gives all events, `Stopped` included.
    pub(crate) fn run(&mut self, programmes: Vec<Vec<Cell>>) -> Vec<Event> {
        for cells in programmes {
            self.send(Command::Run(Programme { cells }));
        }
        let mut events = Vec::new();
        loop {
            let event = self.next();
            if matches!(event, Event::ProgrammeDone { .. }) {
                self.send(Command::Proceed);
            }
            let is_last = matches!(event, Event::Stopped { .. });
            events.push(event);
            if is_last {
                return events;
            }
        }
    }

    /// Purges, fills once sequentially, and runs one programme; gives the events of the last.
    pub(crate) fn fill_and_run(&mut self, cells: Vec<Cell>) -> Vec<Event> {
        self.purge(PurgeMethod::Auto);
        let fill = self.shape().fill(1);
        self.run(vec![vec![fill]]);
        self.run(vec![cells])
    }

    /// What cells are made from.
    pub(crate) fn shape(&self) -> Shape {
        Shape(self.drive.geometry())
    }
}

/// Makes cells for a drive's geometry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape(pub(crate) Geometry);

impl Shape {
    /// An access over the whole drive.
    pub(crate) fn access(
        &self,
        read_percent: u8,
        block: u64,
        threads: u32,
        queue_depth: u32,
    ) -> Access {
        Access {
            threads,
            queue_depth,
            engine: EngineKind::Ring,
            read_percent,
            random_percent: 100,
            read_blocks: BlockShares::one(Bytes(block)),
            write_blocks: BlockShares::one(Bytes(block)),
            zones: vec![Zone {
                weight: 1,
                start: Bytes(0),
                end: self.0.capacity,
            }],
            content: Content::Random,
            logical_block: self.0.logical_block,
            rate_iops: None,
        }
    }

    /// A random cell of some milliseconds, TC 4 and QD 32.
    pub(crate) fn timed(&self, index: u32, read_percent: u8, block: u64, millis: u64) -> Cell {
        Cell {
            key: CellKey {
                step_index: 2,
                round: 1,
                cell_index: index,
            },
            access: self.access(read_percent, block, 4, 32),
            until: Until::Time(Nanos(millis * 1_000_000)),
            seed: u64::from(index) + 77,
            reads_back: false,
        }
    }

    /// A random cell at queue depth 1.
    pub(crate) fn single(&self, index: u32, read_percent: u8, block: u64, millis: u64) -> Cell {
        let mut cell = self.timed(index, read_percent, block, millis);
        cell.access.threads = 1;
        cell.access.queue_depth = 1;
        cell
    }

    /// A sequential fill of so many times the capacity in 128 KiB blocks.
    pub(crate) fn fill(&self, times: u64) -> Cell {
        let mut access = self.access(0, 128 * KIB, 4, 8);
        access.random_percent = 0;
        Cell {
            key: CellKey {
                step_index: 1,
                round: 0,
                cell_index: 0,
            },
            access,
            until: Until::Transferred(Bytes(self.0.capacity.0 * times)),
            seed: 5,
            reads_back: false,
        }
    }
}

/// The measurements among events.
pub(crate) fn measurements(events: &[Event]) -> Vec<&Measurement> {
    let mut found = Vec::new();
    for event in events {
        if let Event::CellDone(measurement) = event {
            found.push(&**measurement);
        }
    }
    found
}

/// The ticks among events.
pub(crate) fn ticks(events: &[Event]) -> Vec<&Tick> {
    let mut found = Vec::new();
    for event in events {
        if let Event::Tick(tick) = event {
            found.push(&**tick);
        }
    }
    found
}
