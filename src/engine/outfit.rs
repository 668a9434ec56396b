//! What a worker is given: its place in the crew, and what it shares with others.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::Inbox;
use super::clock::Clock;
use super::control::Control;
use super::slots::Layout;
use super::stage::StageRef;

/// What a worker is made of.
#[derive(Debug)]
pub(super) struct Outfit {
    pub(super) number: u32,
    pub(super) layout: Layout,
    /// Whether contents from the pool are written.
    pub(super) needs_pool: bool,
    /// Whether a ring is not wanted.
    pub(super) is_sync: bool,
    pub(super) logical_block: u32,
    /// What direct I/O on the target needs of memory, in bytes.
    pub(super) alignment: u32,
    pub(super) file: Arc<OwnedFd>,
    pub(super) clock: Clock,
    pub(super) control: Arc<Control>,
    pub(super) first: StageRef,
    pub(super) inbox: Sender<Inbox>,
}
