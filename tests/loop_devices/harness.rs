//! A loop device on a temporary file, and a drive on it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ptse::drive::guard::{self, Guard};
use ptse::drive::local::LocalDrive;
use ptse::drive::{self, Drive, Event, Measurement, PurgeMethod, Tick};
use ptse::stimulus::{
    Access, BlockShares, Cell, CellKey, Content, EngineKind, Geometry, Programme, Until, Zone,
};
use ptse::units::{Bytes, Nanos};
use tempfile::{NamedTempFile, TempDir};

/// Runs a program; `None` when it is not installed.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Option<Output> {
    Command::new(program).args(arguments).output().ok()
}

/// Whether it ended well.
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    run(program, arguments).is_some_and(|output| output.status.success())
}

/// A loop device that goes with this value.
#[derive(Debug)]
pub(crate) struct LoopDevice {
    pub(crate) path: PathBuf,
    pub(crate) image: NamedTempFile,
    /// Tests in other processes take the next free device one after the other.
    _lock: File,
}

impl LoopDevice {
    /// A device of `bytes` with logical blocks of `block` bytes; `None`, with the reason printed,
    /// where there can be none.
    pub(crate) fn new(bytes: u64, block: u64) -> Option<Self> {
        let image = NamedTempFile::new().unwrap();
        image.as_file().set_len(bytes).unwrap();
        Self::on(image, &["-b", &block.to_string()])
    }

    /// A device on an image, with further options of `losetup`.
    pub(crate) fn on(image: NamedTempFile, options: &[&str]) -> Option<Self> {
        let lock = File::create(std::env::temp_dir().join("ptse-loop-tests.lock")).unwrap();
        lock.lock().unwrap();
        let file = image.path().to_str().unwrap();
        let arguments = [options, &["--find", "--show", file]].concat();
        let output = run("losetup", &arguments);
        let Some(output) = output.filter(|output| output.status.success()) else {
            println!("skipped: losetup gives no loop device here (not root, or not installed)");
            return None;
        };
        let path = String::from_utf8(output.stdout).unwrap().trim().into();
        Some(Self {
            path,
            image,
            _lock: lock,
        })
    }

    /// Its kernel name, which `--erase` must give.
    pub(crate) fn name(&self) -> &str {
        self.path.file_name().unwrap().to_str().unwrap()
    }

    pub(crate) fn open(&self) -> LocalDrive {
        let inspected = guard::inspect(&self.path, &Guard::default()).unwrap();
        let cleared = inspected.confirm(Some(self.name())).unwrap();
        drive::block::open(&cleared).unwrap()
    }

    pub(crate) fn refusal(&self) -> String {
        refusal_at(&self.path)
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        succeeds("losetup", &["-d", self.path.to_str().unwrap()]);
    }
}

/// What the guard says to a path, with the right name already given.
pub(crate) fn refusal_at(path: &Path) -> String {
    let name = path.file_name().unwrap().to_str().unwrap();
    let cleared = guard::inspect(path, &Guard::default())
        .and_then(|inspected| inspected.confirm(Some(name)))
        .map(|cleared| drive::block::open(&cleared).map(drop));
    cleared.unwrap_err().to_string()
}

/// A file system mounted read-only and without replaying its journal; unmounted at the end.
#[derive(Debug)]
pub(crate) struct Mounted {
    pub(crate) point: TempDir,
}

impl Mounted {
    pub(crate) fn new(device: &Path) -> Option<Self> {
        let point = tempfile::tempdir().unwrap();
        let (from, to) = (device.to_str().unwrap(), point.path().to_str().unwrap());
        if !succeeds("mount", &["-o", "ro,noload", from, to]) {
            println!("skipped: nothing can be mounted here");
            return None;
        }
        Some(Self { point })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        succeeds("umount", &[self.point.path().to_str().unwrap()]);
    }
}

/// Drives the conversation of one drive.
pub(crate) struct Talk {
    pub(crate) drive: LocalDrive,
    runtime: tokio::runtime::Runtime,
}

impl Talk {
    pub(crate) fn with(drive: LocalDrive) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().build().unwrap();
        Self { drive, runtime }
    }

    pub(crate) fn geometry(&self) -> Geometry {
        self.drive.geometry()
    }

    pub(crate) fn send(&mut self, command: drive::Command) {
        self.drive.link().send(command);
    }

    pub(crate) fn next(&mut self) -> Event {
        let event = self.drive.link().next_event();
        let limit = std::time::Duration::from_secs(60);
        let event = self
            .runtime
            .block_on(async { tokio::time::timeout(limit, event).await });
        event
            .expect("an event within a minute")
            .expect("the drive runs")
    }

    pub(crate) fn purge(&mut self) -> Event {
        self.send(drive::Command::Purge(PurgeMethod::Auto));
        self.next()
    }

    /// Runs programmes queued at once and gives all events up to the stop.
    pub(crate) fn run(&mut self, programmes: Vec<Vec<Cell>>) -> Vec<Event> {
        for cells in programmes {
            self.send(drive::Command::Run(Programme { cells }));
        }
        let mut events = Vec::new();
        loop {
            let event = self.next();
            if let Event::ProgrammeDone { .. } = event {
                self.send(drive::Command::Proceed);
            }
            let is_end = matches!(event, Event::Stopped { .. });
            events.push(event);
            if is_end {
                return events;
            }
        }
    }
}

/// The cells among events.
pub(crate) fn measurements(events: &[Event]) -> Vec<&Measurement> {
    let mut all = Vec::new();
    for event in events {
        if let Event::CellDone(cell) = event {
            all.push(&**cell);
        }
    }
    all
}

/// The ticks among events.
pub(crate) fn ticks(events: &[Event]) -> Vec<&Tick> {
    let mut all = Vec::new();
    for event in events {
        if let Event::Tick(tick) = event {
            all.push(&**tick);
        }
    }
    all
}

/// A cell of random I/O over the whole drive, two workers at depth 8.
pub(crate) fn timed(at: Geometry, cell_index: u32, read: u8, block: u64, millis: u64) -> Cell {
    Cell {
        key: CellKey {
            step_index: 1,
            round: 1,
            cell_index,
        },
        access: Access {
            threads: 2,
            queue_depth: 8,
            engine: EngineKind::Ring,
            read_percent: read,
            random_percent: 100,
            read_blocks: BlockShares::one(Bytes(block)),
            write_blocks: BlockShares::one(Bytes(block)),
            zones: vec![Zone {
                weight: 1,
                start: Bytes(0),
                end: at.capacity,
            }],
            content: Content::Random,
            logical_block: at.logical_block,
            rate_iops: None,
        },
        until: Until::Time(Nanos(millis * 1_000_000)),
        seed: 5,
        reads_back: false,
    }
}

/// A sequential fill in blocks of 128 KiB.
pub(crate) fn fill(at: Geometry, times: u64) -> Cell {
    let mut cell = timed(at, 0, 0, 128 * 1024, 0);
    cell.access.random_percent = 0;
    cell.until = Until::Transferred(Bytes(times * at.capacity.0));
    cell
}
