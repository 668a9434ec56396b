//! The machine a drive hangs on, as the kernel and the distribution describe it.

use std::fs;
use std::path::Path;

use super::identity::Host;
use super::sysfs::text_of;
use crate::units::{GIB, KIB, to_f64};

/// Reads the description below `root`, usually `/`.
pub fn read(root: &Path) -> Host {
    let text = |file: &str| fs::read(root.join(file)).ok();
    let lossy = |file| text(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Host {
        motherboard: motherboard(root),
        cpu: lossy("proc/cpuinfo").as_deref().and_then(cpu),
        memory: lossy("proc/meminfo").as_deref().and_then(memory),
        operating_system: operating_system(
            lossy("etc/os-release").as_deref(),
            text_of(&root.join("proc/sys/kernel/osrelease")).as_deref(),
        ),
        hba: None,
    }
}

fn motherboard(root: &Path) -> Option<String> {
    let field = |name: &str| text_of(&root.join("sys/class/dmi/id").join(name));
    let pair = |vendor: &str, product: &str| {
        let parts = [field(vendor), field(product)];
        let words: Vec<String> = parts.into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(" "))
    };
    pair("board_vendor", "board_name").or_else(|| pair("sys_vendor", "product_name"))
}

/// Model, number of packages and logical CPUs.
fn cpu(cpuinfo: &str) -> Option<String> {
    let values = |key: &'static str| {
        cpuinfo.lines().filter_map(move |line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then(|| value.trim())
        })
    };
    let logical = values("processor").count();
    let model = values("model name").next()?;
    let mut packages: Vec<&str> = values("physical id").collect();
    packages.sort_unstable();
    packages.dedup();
    Some(match packages.len() {
        0 | 1 => format!("{model}, {logical} logical CPUs"),
        count => format!("{count} x {model}, {logical} logical CPUs"),
    })
}

fn memory(meminfo: &str) -> Option<String> {
    let line = meminfo.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    let gib = to_f64(kib) * to_f64(KIB) / to_f64(GIB);
    Some(format!("{gib:.1} GiB"))
}

fn operating_system(os_release: Option<&str>, kernel: Option<&str>) -> Option<String> {
    let name = os_release.and_then(|text| {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
        Some(line.trim().trim_matches('"').to_owned())
    });
    let kernel = kernel.map(|release| format!("Linux {release}"));
    let parts: Vec<String> = [name, kernel].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_described_from_its_files() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Xeon 8462Y\nphysical id\t: 0\n\n\
                       processor\t: 1\nmodel name\t: Xeon 8462Y\nphysical id\t: 1\n";
        assert_eq!(cpu(cpuinfo).unwrap(), "2 x Xeon 8462Y, 2 logical CPUs");
        // 24,684,092 KiB / 1,048,576 = 23.54
        assert_eq!(memory("MemTotal:       24684092 kB\n").unwrap(), "23.5 GiB");
        let release = "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n";
        let words = operating_system(Some(release), Some("6.1.0")).unwrap();
        assert_eq!(words, "Debian GNU/Linux 12, Linux 6.1.0");
    }

    #[test]
    fn what_is_not_told_is_missing() {
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(read(empty.path()), Host::default());
    }
}
