//! The numbers the standard fixes, each with its clause. Nothing else lives here.
//!
//! Clause numbers are those of PTS 2.0.2 (SNIA Standard, 1 October 2020). Where a value is an
//! operator's choice the recommendation is named so; the ledger treats it accordingly.

use crate::units::{Bytes, KIB, Nanos};

/// The edition the built-in test files follow.
pub const EDITION: &str = "PTS 2.0.2";

/// Rounds in the measurement window (clause 2.1.24).
pub const WINDOW_ROUNDS: usize = 5;
/// Rounds after which the operator may stop without steady state (clause 7).
pub const ROUNDS_MAX: u32 = 25;
/// Length of a cell of the IOPS loop (clause 7).
pub const CELL_TIME: Nanos = Nanos::from_secs(60);
/// Read shares of the IOPS loop in their normative order, outer loop (clause 7), in percent.
pub const IOPS_READ_PERCENT: [u8; 7] = [100, 95, 65, 50, 35, 5, 0];
/// Block sizes of the IOPS loop in their normative order, inner loop (clause 7).
pub const IOPS_BLOCKS: [Bytes; 8] = [
    Bytes(1024 * KIB),
    Bytes(128 * KIB),
    Bytes(64 * KIB),
    Bytes(32 * KIB),
    Bytes(16 * KIB),
    Bytes(8 * KIB),
    Bytes(4 * KIB),
    Bytes(512),
];
/// Tracked variables of the IOPS test as (read percent, block size) (clause 7).
pub const IOPS_TRACKED: [(u8, Bytes); 3] = [
    (0, Bytes(4 * KIB)),
    (65, Bytes(64 * KIB)),
    (100, Bytes(1024 * KIB)),
];
/// Block size of workload-independent preconditioning (clause 7).
pub const WIPC_BLOCK: Bytes = Bytes(128 * KIB);
/// Amount of workload-independent preconditioning, in times the user capacity (clause 7).
pub const WIPC_CAPACITY_TIMES: u64 = 2;
/// Recommended thread count of the IOPS test (clause 7, PTS-E); the operator may choose.
pub const IOPS_THREADS_RECOMMENDED: u32 = 4;
/// Recommended outstanding I/O for each thread of the IOPS test (clause 7, PTS-E).
pub const IOPS_QUEUE_DEPTH_RECOMMENDED: u32 = 32;
/// Longest idle gap between two cells that is not a deviation. The standard wants an
/// uninterrupted sequence without a figure; 5 ms is our bound where buffers must be exchanged.
pub const IDLE_GAP_MAX: Nanos = Nanos(5_000_000);

const _: () = assert!(IOPS_READ_PERCENT.len() * IOPS_BLOCKS.len() == 56);
