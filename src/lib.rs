//! `ptse` takes a solid-state drive from purge to a PTS-format report.
//!
//! ```text
//! commands > ui > report > verdict > run > journal, sim, drive > engine
//!          > spec > stimulus > steady_state, stats > pts, units
//! ```
//!
//! Words, as the standard has them: a *purge* returns a drive to the state of never-written LBAs;
//! *WIPC* is workload-independent preconditioning (a *fill* of 2x capacity); *WDPC* runs the test
//! itself in *rounds* of *cells* until *steady state*, and the five rounds in which it holds are
//! the *measurement window*; a *tracked variable* is what the rule is applied to; *TC* and *QD*
//! are threads and outstanding I/Os for each. Ours: a *stimulus* is an access pattern at a demand
//! intensity; a *programme* is a row of cells handed to a drive at once; a *stretch* is one
//! programme of a run; an *exhibit* is one table or plot; the *ledger* lists the requirements.

pub mod commands;
pub mod drive;
pub mod engine;
pub mod journal;
pub mod process;
pub mod pts;
pub mod report;
pub mod run;
pub mod sim;
pub mod spec;
pub mod stats;
pub mod steady_state;
pub mod stimulus;
pub mod ui;
pub mod units;
pub mod verdict;
