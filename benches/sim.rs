//! Measures the simulated drive: I/Os per second of one core, and a whole IOPS test on `dc-tlc`.
//!
//! Run with `cargo bench --bench sim`, or `-- rates` and `-- iops [ADDRESS] [--no-fill]` for
//! one part. Rates are medians of three; on a shared machine they vary by a factor of 1.5.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::time::Instant;

use ptse::drive::{Command, Drive, Event, Measurement, PurgeMethod};
use ptse::pts;
use ptse::sim::{self, SimulatedDrive};
use ptse::stimulus::{
    Access, BlockShares, Cell, CellKey, Content, EngineKind, Programme, Until, Zone,
};
use ptse::units::{Bytes, KIB, Nanos, per_second, to_f64};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        println!("nothing measured: run with cargo bench");
        return;
    }
    let part = arguments.iter().find(|a| !a.starts_with("--"));
    let part = part.map_or("all", String::as_str);
    if part != "iops" {
        rates("sim:dc-tlc,capacity=30GiB,flash.spare=25%");
    }
    if part != "rates" {
        let address = arguments.iter().find(|a| a.starts_with("sim:"));
        iops_test(address.map_or("sim:dc-tlc", String::as_str));
    }
}

struct Lab {
    drive: SimulatedDrive,
    runtime: tokio::runtime::Runtime,
}

impl Lab {
    fn open(address: &str) -> Self {
        Self {
            drive: sim::open(address).expect("a good address"),
            runtime: tokio::runtime::Builder::new_current_thread()
                .build()
                .expect("a runtime"),
        }
    }

    fn cell(&self, index: usize, read_percent: u8, block: Bytes, until: Until) -> Cell {
        let geometry = self.drive.geometry();
        Cell {
            key: CellKey {
                step_index: 0,
                round: 1,
                cell_index: u32::try_from(index).expect("few cells"),
            },
            access: Access {
                threads: 4,
                queue_depth: 32,
                engine: EngineKind::Ring,
                read_percent,
                random_percent: 100,
                read_blocks: BlockShares::one(block),
                write_blocks: BlockShares::one(block),
                zones: vec![Zone {
                    weight: 1,
                    start: Bytes(0),
                    end: geometry.capacity,
                }],
                content: Content::Random,
                logical_block: geometry.logical_block,
                rate_iops: None,
            },
            until,
            seed: u64::try_from(index).expect("few cells"),
            reads_back: false,
        }
    }

    fn fill(&self) -> Cell {
        let twice = Bytes(2 * self.drive.geometry().capacity.0);
        let mut cell = self.cell(0, 0, pts::WIPC_BLOCK, Until::Transferred(twice));
        cell.access.random_percent = 0;
        cell
    }

    fn purge(&mut self) {
        self.drive.link().send(Command::Purge(PurgeMethod::Auto));
        let _purged = self.runtime.block_on(self.drive.link().next_event());
    }

    fn run(&mut self, cells: Vec<Cell>) -> Vec<Measurement> {
        let mut results = Vec::new();
        self.drive.link().send(Command::Run(Programme { cells }));
        while let Some(event) = self.runtime.block_on(self.drive.link().next_event()) {
            match event {
                Event::CellDone(cell) => results.push(*cell),
                Event::ProgrammeDone { .. } => self.drive.link().send(Command::Proceed),
                Event::Stopped { .. } => break,
                Event::Tick(_) | Event::Purged(_) | Event::Cache(_) | Event::Health(_) => {}
                Event::Failed(failure) => println!("failed: {failure}"),
            }
        }
        results
    }
}

fn rates(address: &str) {
    println!("{address}");
    let mut lab = Lab::open(address);
    lab.purge();
    let fill = lab.fill();
    let start = Instant::now();
    lab.run(vec![fill]);
    println!("2x fill: {:.2} s", start.elapsed().as_secs_f64());
    let settle = lab.cell(1, 0, Bytes(4 * KIB), Until::Time(Nanos::from_secs(6000)));
    lab.run(vec![settle]);
    let cases = [
        (100, 4 * KIB, 60),
        (0, 4 * KIB, 600),
        (65, 4 * KIB, 120),
        (0, 512, 300),
        (100, 1024 * KIB, 600),
        (0, 1024 * KIB, 1200),
    ];
    let mut cells = 1;
    for (read_percent, block, seconds) in cases {
        let mut walls = Vec::new();
        let mut last = None;
        for _ in 0..3 {
            // Each repetition has addresses of its own: repeated ones would overwrite themselves.
            cells += 1;
            let until = Until::Time(Nanos::from_secs(seconds));
            let cell = lab.cell(cells, read_percent, Bytes(block), until);
            let start = Instant::now();
            last = lab.run(vec![cell]).pop();
            walls.push(start.elapsed().as_secs_f64());
        }
        walls.sort_by(f64::total_cmp);
        let cell = last.expect("one cell ran");
        let ios = to_f64(cell.read.tally.ios + cell.write.tally.ios);
        println!(
            "{read_percent:3} % reads of {:>8}: {:7.1} ns/IO, {:6.2} M IO/s, WA {:.3}",
            Bytes(block).as_block(),
            walls[1] * 1e9 / ios,
            ios / walls[1] / 1e6,
            amplification(&cell),
        );
    }
}

fn amplification(cell: &Measurement) -> f64 {
    let flash = cell.flash.unwrap_or_default();
    to_f64(flash.programmed_pages) / to_f64(flash.host_pages.max(1))
}

fn iops_test(address: &str) {
    let mut lab = Lab::open(address);
    let start = Instant::now();
    lab.purge();
    if !std::env::args().any(|argument| argument == "--no-fill") {
        let fill = lab.fill();
        lab.run(vec![fill]);
    }
    println!("{address}: fill {:.2} s", start.elapsed().as_secs_f64());
    let mut ios = 0;
    for round in 1..=6 {
        let round_start = Instant::now();
        let mut cells = Vec::new();
        for read_percent in pts::IOPS_READ_PERCENT {
            for block in pts::IOPS_BLOCKS {
                let until = Until::Time(pts::CELL_TIME);
                let mut cell = lab.cell(cells.len(), read_percent, block, until);
                cell.key.round = round;
                cell.seed += 1000 * u64::from(round);
                cells.push(cell);
            }
        }
        let results = lab.run(cells);
        ios += results
            .iter()
            .map(|c| c.read.tally.ios + c.write.tally.ios)
            .sum::<u64>();
        println!(
            "round {round}: {:.2} s",
            round_start.elapsed().as_secs_f64()
        );
        for block in (0..8).rev() {
            print!("{:>9}", pts::IOPS_BLOCKS[block].as_block());
            for mix in (0..7).rev() {
                let cell = &results[mix * 8 + block];
                let total = cell.read.tally.ios + cell.write.tally.ios;
                print!(" {:9.1}", per_second(total, cell.elapsed).unwrap_or(0.0));
            }
            println!("   WA 0/100 {:.3}", amplification(&results[48 + block]));
        }
    }
    let wall = start.elapsed().as_secs_f64();
    println!(
        "{ios} I/Os, {wall:.1} s, {:.1} ns/IO",
        wall * 1e9 / to_f64(ios)
    );
}
