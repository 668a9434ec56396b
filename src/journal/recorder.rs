//! Writes what a run produces, on a thread of its own, so that no cell waits for a disk.
//!
//! Every record is followed by `fdatasync`; samples are not synced and may lose their tail.
//! **Full disk**: 64 MiB are held back when the run opens. When a write fails, samples stop first
//! (a fault the driver turns into a warning record); when a record cannot be written, the reserve
//! is given up so that the *interrupted* record has room, and nothing else is written after it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread::JoinHandle;

use tokio::sync::{mpsc as faults, oneshot};

use crate::journal::chain;
use crate::journal::read::Journal;
use crate::journal::record::{Line, Record};
use crate::journal::samples_file::Samples;
pub use crate::journal::samples_file::SamplesEnd;
use crate::journal::{Entry, JOURNAL_FILE, RESERVE_FILE, SAMPLES_FILE};

/// Bytes held back for the last record on a full disk.
pub const RESERVE_BYTES: u64 = 64 << 20;
/// Entries that may wait before the driver waits for the disk.
const QUEUE: usize = 8192;

/// A write that failed.
#[derive(Debug)]
pub enum Fault {
    /// Samples are not written any more.
    Samples(io::Error),
    /// A record could not be written; only an *interrupted* record is accepted now.
    Journal(io::Error),
}

impl Fault {
    /// The system's error.
    pub fn into_error(self) -> io::Error {
        match self {
            Self::Samples(error) | Self::Journal(error) => error,
        }
    }
}

/// The sending end of the recorder's thread.
#[derive(Debug)]
pub struct Recorder {
    jobs: SyncSender<Job>,
    faults: faults::UnboundedReceiver<Fault>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
enum Job {
    Write(Entry, Option<oneshot::Sender<()>>),
    EndSamples(oneshot::Sender<SamplesEnd>),
}

/// The right to write a journal, held by one process at a time. It is taken before the journal is
/// read: what another process still adds to it must not be cut off.
#[derive(Debug)]
pub struct Claim(File);

impl Claim {
    /// Takes it for the run in `dir`.
    ///
    /// # Errors
    /// When there is no journal or another process writes it.
    pub fn take(dir: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .append(true)
            .open(dir.join(JOURNAL_FILE))?;
        lock(&file)?;
        Ok(Self(file))
    }
}

impl Recorder {
    /// Starts the files of a new run in the empty folder `dir`.
    ///
    /// # Errors
    /// When a file cannot be created or the reserve does not fit.
    pub fn create(dir: &Path) -> io::Result<Self> {
        let new = |name| {
            OpenOptions::new()
                .append(true)
                .create_new(true)
                .open(dir.join(name))
        };
        let samples = Samples::create(new(SAMPLES_FILE)?)?;
        let journal = new(JOURNAL_FILE)?;
        lock(&journal)?;
        hold_back(dir)?;
        sync_folder(dir)?;
        let files = Files {
            dir: dir.to_owned(),
            journal,
            head: chain::GENESIS.to_owned(),
            length_bytes: 0,
            samples: Some(samples),
            is_full: false,
        };
        Self::start(files)
    }

    /// Goes on with the files of a run that was claimed and then read as `journal`: cuts off torn
    /// tails.
    ///
    /// # Errors
    /// When a file cannot be opened, cut or read, or the journal is not what was read.
    pub fn reopen(claim: Claim, dir: &Path, journal: &Journal) -> io::Result<Self> {
        let Claim(file) = claim;
        let torn = journal.torn.map_or(0, |torn| torn.bytes);
        if file.metadata()?.len() != journal.length_bytes + torn {
            return Err(io::Error::other("the journal is not the one that was read"));
        }
        file.set_len(journal.length_bytes)?;
        file.sync_all()?;
        let reserve = std::fs::metadata(dir.join(RESERVE_FILE));
        if reserve.map_or(0, |file| file.len()) < RESERVE_BYTES {
            hold_back(dir)?;
        }
        let files = Files {
            dir: dir.to_owned(),
            journal: file,
            head: journal.head.clone(),
            length_bytes: journal.length_bytes,
            samples: Some(Samples::reopen(&dir.join(SAMPLES_FILE))?),
            is_full: false,
        };
        Self::start(files)
    }

    fn start(files: Files) -> io::Result<Self> {
        let (jobs, job_end) = mpsc::sync_channel(QUEUE);
        let (fault_end, faults) = faults::unbounded_channel();
        let thread = std::thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || files.run(&job_end, &fault_end))?;
        Ok(Self {
            jobs,
            faults,
            thread: Some(thread),
        })
    }

    /// Hands over an entry; it is on disk some time later.
    pub fn write(&self, entry: Entry) {
        // The thread only ends when this end is dropped, so sending does not fail.
        drop(self.jobs.send(Job::Write(entry, None)));
    }

    /// Hands over an entry and waits until it is synced, or has failed (see [`Recorder::fault`]).
    pub async fn write_and_wait(&self, entry: Entry) {
        let (done, wait) = oneshot::channel();
        drop(self.jobs.send(Job::Write(entry, Some(done))));
        drop(wait.await);
    }

    /// Ends the samples and returns what *run closed* must say of them.
    pub async fn end_samples(&self) -> SamplesEnd {
        let (done, wait) = oneshot::channel();
        drop(self.jobs.send(Job::EndSamples(done)));
        wait.await
            .expect("the recorder answers as long as this end lives")
    }

    /// The next failed write, when one happens.
    pub async fn fault(&mut self) -> Option<Fault> {
        self.faults.recv().await
    }

    /// A failed write that has happened already.
    pub fn fault_now(&mut self) -> Option<Fault> {
        self.faults.try_recv().ok()
    }

    /// Waits until everything handed over is written.
    pub fn finish(mut self) {
        let thread = self.thread.take();
        drop(self);
        if let Some(thread) = thread {
            drop(thread.join());
        }
    }
}

/// The files, owned by the recorder's thread.
#[derive(Debug)]
struct Files {
    dir: PathBuf,
    journal: File,
    head: String,
    length_bytes: u64,
    /// `None` once a write to them has failed.
    samples: Option<Samples>,
    /// Whether a record could not be written.
    is_full: bool,
}

impl Files {
    fn run(mut self, jobs: &Receiver<Job>, faults: &faults::UnboundedSender<Fault>) {
        loop {
            let job = match jobs.try_recv() {
                Ok(job) => job,
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) => {
                    self.flush_samples(faults);
                    let Ok(job) = jobs.recv() else { break };
                    job
                }
            };
            match job {
                Job::Write(Entry::Sample(row), _) => {
                    let line = row.to_csv();
                    self.with_samples(faults, |samples| samples.write_line(&line));
                }
                Job::Write(Entry::Record { line, .. }, done) => {
                    self.flush_samples(faults);
                    self.write_record(&line, faults);
                    done.map(|done| done.send(()));
                }
                Job::EndSamples(done) => {
                    self.flush_samples(faults);
                    let end = self.samples.as_ref().map_or_else(
                        || SamplesEnd {
                            rows: 0,
                            sha256: String::new(),
                        },
                        Samples::end,
                    );
                    drop(done.send(end));
                }
            }
        }
        self.flush_samples(faults);
        drop(std::fs::remove_file(self.dir.join(RESERVE_FILE)));
    }

    fn flush_samples(&mut self, faults: &faults::UnboundedSender<Fault>) {
        self.with_samples(faults, |samples| samples.flush());
    }

    fn with_samples(
        &mut self,
        faults: &faults::UnboundedSender<Fault>,
        write: impl FnOnce(&mut Samples) -> io::Result<()>,
    ) {
        let Some(samples) = &mut self.samples else {
            return;
        };
        if let Err(error) = write(samples) {
            self.samples = None;
            drop(faults.send(Fault::Samples(error)));
        }
    }

    fn write_record(&mut self, line: &Line, faults: &faults::UnboundedSender<Fault>) {
        let is_last_word = matches!(line.record, Record::Interrupted(_));
        if self.is_full && !is_last_word {
            let full = io::Error::from(io::ErrorKind::StorageFull);
            drop(faults.send(Fault::Journal(full)));
            return;
        }
        let json = serde_json::to_vec(line).expect("records serialise");
        let hash = chain::link(&self.head, &json);
        let bytes = [hash.as_bytes(), b" ", &json, b"\n"].concat();
        let mut written = self.append(&bytes);
        if let (Err(error), true) = (&written, is_last_word && !self.is_full) {
            let first = io::Error::from(error.kind());
            self.give_up_reserve(first, faults);
            written = self.append(&bytes);
        }
        match written {
            Ok(()) => {
                self.head = hash;
                self.length_bytes += u64::try_from(bytes.len()).expect("a record");
            }
            Err(error) => self.give_up_reserve(error, faults),
        }
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.journal.write_all(bytes)?;
        self.journal.sync_data()
    }

    /// Leaves whole lines only and frees the space held back.
    fn give_up_reserve(&mut self, error: io::Error, faults: &faults::UnboundedSender<Fault>) {
        self.is_full = true;
        self.samples = None;
        drop(self.journal.set_len(self.length_bytes));
        drop(std::fs::remove_file(self.dir.join(RESERVE_FILE)));
        drop(faults.send(Fault::Journal(error)));
    }
}

/// One process writes a journal at a time.
fn lock(journal: &File) -> io::Result<()> {
    rustix::fs::flock(
        journal,
        rustix::fs::FlockOperation::NonBlockingLockExclusive,
    )
    .map_err(|_| {
        io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another ptse is still writing this run",
        )
    })
}

/// Allocates the reserve, or writes it as zeros where the file system cannot allocate.
fn hold_back(dir: &Path) -> io::Result<()> {
    let file = File::create(dir.join(RESERVE_FILE))?;
    let allocated =
        rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, RESERVE_BYTES);
    match allocated {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => write_zeros(file),
        Err(error) => Err(error.into()),
    }
}

fn write_zeros(mut file: File) -> io::Result<()> {
    let zeros = vec![0_u8; 1 << 20];
    for _ in 0..RESERVE_BYTES >> 20 {
        file.write_all(&zeros)?;
    }
    file.sync_data()
}

fn sync_folder(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()?;
    match dir.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => File::open(parent)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}
