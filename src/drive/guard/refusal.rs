//! Why a target is not written to: one sentence each, with what, where and what to do.

use std::path::PathBuf;

/// A refused target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing there.
    #[error("{} does not exist; `lsblk` lists the block devices of this machine", path.display())]
    Missing {
        /// As given.
        path: PathBuf,
    },
    /// It could not be looked at.
    #[error("{} cannot be opened: {cause}; {remedy}", path.display())]
    NotOpened {
        /// As given.
        path: PathBuf,
        /// The system's words.
        cause: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Not a block device.
    #[error("{} is {what}, not a block device; {remedy}", path.display())]
    NotBlock {
        /// As given.
        path: PathBuf,
        /// What it is.
        what: &'static str,
        /// What to name instead.
        remedy: String,
    },
    /// Unknown to sysfs.
    #[error(
        "{} has device number {number}, which the kernel does not list under /sys/dev/block; \
         without it nobody can tell what is mounted from it, so mount sysfs and try again",
        path.display()
    )]
    Unlisted {
        /// As given.
        path: PathBuf,
        /// Its number.
        number: String,
    },
    /// A file system of the same disk is mounted.
    #[error(
        "{} is in use: {device} is mounted at {point}; unmount it first (umount {point})",
        path.display()
    )]
    Mounted {
        /// As given.
        path: PathBuf,
        /// The mounted device.
        device: String,
        /// Mount point.
        point: String,
    },
    /// Swap lies on it.
    #[error(
        "{} is in use: {device} is swap space; switch it off first (swapoff {device})",
        path.display()
    )]
    Swap {
        /// As given.
        path: PathBuf,
        /// The swap device.
        device: String,
    },
    /// Another device is built on it.
    #[error(
        "{} is in use: {holder} is built on {device}; take {holder} apart first (losetup -d, \
         dmsetup remove, mdadm --stop or vgchange -an)",
        path.display()
    )]
    Held {
        /// As given.
        path: PathBuf,
        /// The device that is held.
        device: String,
        /// What holds it.
        holder: String,
    },
    /// This machine needs it.
    #[error(
        "{} is on the disk that holds {what} ({needed}); a test would destroy what runs it, so \
         choose another drive",
        path.display()
    )]
    Needed {
        /// As given.
        path: PathBuf,
        /// `the root file system`, `the run folder`, `the program`.
        what: &'static str,
        /// Path of that.
        needed: String,
    },
    /// It cannot be written.
    #[error(
        "{} is read-only; make it writable first (blockdev --setrw, or the drive's write \
         protection)",
        path.display()
    )]
    ReadOnly {
        /// As given.
        path: PathBuf,
    },
    /// No bytes.
    #[error("{} has no capacity; insert a medium or attach a backing file first", path.display())]
    Empty {
        /// As given.
        path: PathBuf,
    },
    /// Somebody has it open exclusively.
    #[error(
        "{} is busy: another program or the kernel holds it exclusively; find it with `lsof {}` \
         and end it",
        path.display(), path.display()
    )]
    Busy {
        /// As given.
        path: PathBuf,
    },
    /// It carries something.
    #[error(
        "{} carries {signatures}; if that may be destroyed, add --even-with-signatures or wipe it \
         first (wipefs -a {})",
        path.display(), path.display()
    )]
    Signed {
        /// As given.
        path: PathBuf,
        /// What was found, and where.
        signatures: String,
    },
    /// Its purge would erase more than it.
    #[error(
        "{}: {method} would also erase {others}; add --all-namespaces if they may be erased too, \
         or choose --purge discard, which erases this one alone",
        path.display()
    )]
    Reaches {
        /// As given.
        path: PathBuf,
        /// The method, in words.
        method: &'static str,
        /// What else it would erase.
        others: String,
    },
    /// It cannot be purged in the way that was asked for.
    #[error("{} cannot be purged by {method}: {cause}", path.display())]
    NoPurge {
        /// As given.
        path: PathBuf,
        /// The method, in words.
        method: &'static str,
        /// Why.
        cause: String,
    },
    /// It is sanitizing itself.
    #[error(
        "{} answers no I/O: a sanitize is in progress, {percent} % done; wait until it has ended \
         and start again",
        path.display()
    )]
    Sanitizing {
        /// As given.
        path: PathBuf,
        /// How far it is.
        percent: u32,
    },
    /// Nobody said that it may be erased.
    #[error(
        "{} ({described}) would be erased completely; to allow that add --erase {confirm}",
        path.display()
    )]
    NotConfirmed {
        /// As given.
        path: PathBuf,
        /// Model, serial number and capacity.
        described: String,
        /// What `--erase` must name.
        confirm: String,
    },
    /// Another drive was meant.
    #[error(
        "--erase names {given}, but {} is another drive ({described}); if that is the one to \
         erase, give --erase {confirm}",
        path.display()
    )]
    OtherDrive {
        /// As given.
        path: PathBuf,
        /// What `--erase` named.
        given: String,
        /// Model, serial number and capacity.
        described: String,
        /// What `--erase` must name.
        confirm: String,
    },
    /// It changed between the look and the opening.
    #[error(
        "{} was {before} when it was checked and is {after} now; check the cabling and start again",
        path.display()
    )]
    Changed {
        /// As given.
        path: PathBuf,
        /// Before.
        before: String,
        /// After.
        after: String,
    },
}
