//! Which CPU each worker runs on: one for each, those near the drive first.
//!
//! Only CPUs that this process may use are taken, so `taskset` and control groups divide a host
//! between runs. Runs that were not divided keep out of each other's way: a CPU that another run
//! has taken is passed over, seen by a lock on its folder in sysfs that ends with that run. Workers
//! for which no CPU is left are placed by the kernel, which is said in words.

use std::fs::{self, File};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, FlockOperation, flock, fstat, major, minor};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Where the kernel shows its CPUs.
const CPUS: &str = "/sys/devices/system/cpu";

/// The CPUs of an engine, in the order in which workers get them.
#[derive(Debug)]
pub(super) struct Cpus {
    order: Vec<usize>,
    /// The drive's NUMA node, if the kernel knows it.
    node: Option<u32>,
    taken: Vec<(usize, File)>,
}

/// What decides about the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cpu {
    number: usize,
    is_near: bool,
    /// Whether another thread of the same core has a lower number.
    is_second_thread: bool,
}

impl Cpus {
    /// Those for a target, nearest first.
    pub(super) fn near(target: &impl AsFd) -> Self {
        let node = node_of(target);
        let near = node.map(|node| {
            listed(Path::new(&format!(
                "/sys/devices/system/node/node{node}/cpulist"
            )))
        });
        let allowed = sched_getaffinity(None).ok();
        let is_allowed = |number: &usize| allowed.is_some_and(|set| set.is_set(*number));
        let cpus = (0..CpuSet::MAX_CPU).filter(is_allowed).map(|number| {
            let siblings = format!("{CPUS}/cpu{number}/topology/thread_siblings_list");
            Cpu {
                number,
                is_near: near.as_ref().is_none_or(|near| near.contains(&number)),
                is_second_thread: listed(Path::new(&siblings)).first() < Some(&number)
                    && Path::new(&siblings).exists(),
            }
        });
        Self {
            order: order(cpus.collect()),
            node,
            taken: Vec::new(),
        }
    }

    /// CPUs for so many workers, as far as there are any, and in words. A CPU that this engine
    /// has taken before it gets again.
    pub(super) fn take(&mut self, workers: usize) -> (Vec<usize>, String) {
        let missing = workers.saturating_sub(self.taken.len());
        let is_mine = |number: &usize| self.taken.iter().any(|(mine, _)| mine == number);
        let others = self.order.iter().filter(|number| !is_mine(number));
        let more: Vec<(usize, File)> = others
            .filter_map(|&number| Some((number, lock(number)?)))
            .take(missing)
            .collect();
        self.taken.extend(more);
        let numbers: Vec<usize> = self
            .taken
            .iter()
            .map(|taken| taken.0)
            .take(workers)
            .collect();
        let words = self.words(workers, &numbers);
        (numbers, words)
    }

    /// How workers are placed, before any is.
    pub(super) fn plan(&self) -> String {
        let node = self.node.map_or_else(
            || "the drive's NUMA node is not known".to_owned(),
            |node| format!("NUMA node {node} of the drive first"),
        );
        let (count, first) = (self.order.len(), self.order.first());
        let from = first.map_or_else(String::new, |first| format!(" from CPU {first} on"));
        format!("a CPU of its own for each worker, of {count}{from} ({node})")
    }

    fn words(&self, workers: usize, numbers: &[usize]) -> String {
        let list: Vec<String> = numbers.iter().map(usize::to_string).collect();
        let without = workers - numbers.len();
        let node = self
            .node
            .map_or_else(String::new, |node| format!(", NUMA node {node} first"));
        match (numbers.len(), without) {
            (0, _) => "workers on no CPU of their own: none is free".to_owned(),
            (_, 0) => format!("workers on CPUs {}{node}", list.join(" ")),
            (_, without) => format!(
                "workers on CPUs {}{node}; {without} without one, since no more are free",
                list.join(" ")
            ),
        }
    }
}

/// Lets the calling thread run on one CPU only. Whether the kernel did it.
pub(super) fn pin(number: usize) -> bool {
    let mut only = CpuSet::new();
    only.set(number);
    sched_setaffinity(None, &only).is_ok()
}

/// Near ones first, then one thread of each core, then the rest; CPU 0 last among its equals,
/// since the kernel's own work tends to run there.
fn order(mut cpus: Vec<Cpu>) -> Vec<usize> {
    cpus.sort_by_key(|cpu| {
        (
            !cpu.is_near,
            cpu.is_second_thread,
            cpu.number == 0,
            cpu.number,
        )
    });
    cpus.iter().map(|cpu| cpu.number).collect()
}

fn lock(number: usize) -> Option<File> {
    let folder = File::open(format!("{CPUS}/cpu{number}")).ok()?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(folder)
}

/// The NUMA node of the device on which the target lies.
fn node_of(target: &impl AsFd) -> Option<u32> {
    let status = fstat(target).ok()?;
    let is_device = FileType::from_raw_mode(status.st_mode) == FileType::BlockDevice;
    let device = if is_device {
        status.st_rdev
    } else {
        status.st_dev
    };
    let link = format!("/sys/dev/block/{}:{}", major(device), minor(device));
    let place: PathBuf = fs::canonicalize(link).ok()?;
    place.ancestors().find_map(|folder| {
        let text = fs::read_to_string(folder.join("numa_node")).ok()?;
        text.trim().parse().ok()
    })
}

/// A list of the kernel, such as `0-3,8`; empty where there is none.
fn listed(path: &Path) -> Vec<usize> {
    fs::read_to_string(path).map_or_else(|_| Vec::new(), |text| parse_list(&text))
}

fn parse_list(text: &str) -> Vec<usize> {
    let parts = text.trim().split(',');
    parts
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.parse().ok()?..=last.parse::<usize>().ok()?)
        })
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_the_kernel_are_read() {
        assert_eq!(parse_list("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(parse_list("\n"), [] as [usize; 0]);
    }

    /// Two nodes of two cores with two threads; the drive is at node 1.
    #[test]
    fn near_cores_come_first_and_cpu_0_last_of_its_kind() {
        let cpu = |number, is_near, is_second_thread| Cpu {
            number,
            is_near,
            is_second_thread,
        };
        let cpus = vec![
            cpu(0, false, false),
            cpu(1, false, false),
            cpu(2, true, false),
            cpu(3, true, false),
            cpu(4, false, true),
            cpu(6, true, true),
        ];
        assert_eq!(order(cpus), [2, 3, 6, 1, 0, 4]);
    }

    /// Field report 66: a second run does not crowd onto the CPUs of the first. Other tests may
    /// have taken CPUs too, so only what is taken twice is looked at.
    #[test]
    fn two_engines_share_no_cpu_and_say_what_is_missing() {
        let file = File::open("/dev/null").unwrap();
        let (mut one, mut two) = (Cpus::near(&file), Cpus::near(&file));
        let all = one.order.len();
        let (first, _) = one.take(all);
        let (second, words) = two.take(all);
        assert!(second.iter().all(|number| !first.contains(number)));
        if !first.is_empty() {
            assert!(words.contains("free"), "{words}");
        }
        assert_eq!(one.take(all).0, first);
    }

    #[test]
    fn a_thread_can_be_pinned_to_a_cpu_it_may_use() {
        let number = std::thread::spawn(|| {
            let first = Cpus::near(&File::open("/dev/null").unwrap()).order[0];
            assert!(pin(first));
            (first, rustix::thread::sched_getcpu())
        });
        let (asked, found) = number.join().unwrap();
        assert_eq!(asked, found);
    }
}
