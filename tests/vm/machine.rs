//! A throw-away machine with emulated NVMe drives: boots a kernel of its own without hardware
//! virtualisation, runs commands as root, and gives back what each said and its exit code.
//!
//! What the commands leave in the shared folder `/host` is on this host at once, so a power cut
//! loses nothing there. Every wait is bounded. Where there can be no such machine (no qemu, no
//! kernel), the reason is printed and the test passes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Longest life of a machine: the slowest test takes a third of it on two cores.
const LIFE_MAX: Duration = Duration::from_secs(300);
/// How often the host looks whether the machine is done.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Memory of the machine, with room for its own file system and for I/O buffers.
const MEMORY_MIB: &str = "1536";
/// The exit status with which the preparing script says that something cannot be had.
const CANNOT: i32 = 75;

/// A namespace of a drive.
#[derive(Debug, Clone)]
pub(crate) struct Namespace {
    image: PathBuf,
    block: u32,
    iops_max: Option<u32>,
    bad_sector: Option<u64>,
    discard: &'static str,
}

impl Namespace {
    /// A namespace whose content is this file, with blocks of `block` bytes.
    pub(crate) fn on(image: &Path, block: u32) -> Self {
        Self {
            image: image.to_owned(),
            block,
            iops_max: None,
            bad_sector: None,
            discard: "unmap",
        }
    }

    /// Completes at most so many I/Os a second.
    pub(crate) fn throttled(mut self, iops: u32) -> Self {
        self.iops_max = Some(iops);
        self
    }

    /// Accepts a discard and does nothing.
    pub(crate) fn ignoring_discard(mut self) -> Self {
        self.discard = "ignore";
        self
    }

    /// Answers reads of this sector of 512 bytes with an error.
    pub(crate) fn with_bad_sector(mut self, sector: u64) -> Self {
        self.bad_sector = Some(sector);
        self
    }
}

/// What a command said, standard error included, and its exit code.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) text: String,
}

/// A machine before it is switched on.
#[derive(Debug)]
pub(crate) struct Machine {
    /// The shared folder, `/host` inside.
    share: TempDir,
    cache: PathBuf,
    arguments: Vec<String>,
    controllers: usize,
    namespaces: usize,
    /// Machines run one after the other, whatever runs the tests.
    _lock: File,
}

impl Machine {
    /// A machine without drives that has these programs; `None`, with the reason printed, where
    /// there can be none.
    pub(crate) fn with(programs: &[&str]) -> Option<Self> {
        let cache = cache_folder();
        fs::create_dir_all(&cache).unwrap();
        let lock = File::create(cache.join("lock")).unwrap();
        lock.lock().unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vm/initrd.sh");
        let made = Command::new("bash")
            .arg(script)
            .arg(&cache)
            .arg(env!("CARGO_BIN_EXE_ptse"))
            .output()
            .unwrap();
        if made.status.code() == Some(CANNOT) {
            let why = String::from_utf8_lossy(&made.stdout).into_owned();
            println!("skipped: no machine with emulated drives: {}", why.trim());
            return None;
        }
        let said = String::from_utf8_lossy(&made.stderr).into_owned();
        assert!(made.status.success(), "{script} failed: {said}");
        let tools = fs::read_to_string(cache.join("tools")).unwrap();
        let has = |program: &str| tools.lines().any(|tool| Path::new(tool).ends_with(program));
        if let Some(missing) = programs.iter().find(|program| !has(program)) {
            println!("skipped: {missing} is not installed, so the machine has none");
            return None;
        }
        Some(Self {
            share: tempfile::tempdir().unwrap(),
            cache,
            arguments: Vec::new(),
            controllers: 0,
            namespaces: 0,
            _lock: lock,
        })
    }

    /// The shared folder.
    pub(crate) fn share(&self) -> &Path {
        self.share.path()
    }

    /// Adds a drive with one namespace: `/dev/nvme0n1` is the first.
    pub(crate) fn drive(self, serial: &str, namespace: Namespace) -> Self {
        self.controller(serial, vec![namespace])
    }

    /// Adds a drive with these namespaces: `/dev/nvme0n1`, `/dev/nvme0n2` ...
    pub(crate) fn controller(mut self, serial: &str, namespaces: Vec<Namespace>) -> Self {
        let controller = format!("nvme{}", self.controllers);
        self.controllers += 1;
        self.add(
            "-device",
            format!("nvme,id={controller},serial={serial},use-intel-id=off"),
        );
        for (nsid, namespace) in (1_u32..).zip(namespaces) {
            let node = self.block_nodes(&namespace);
            let block = namespace.block;
            // Of a fixed identity, as that of a real drive is at every boot.
            self.add(
                "-device",
                format!(
                    "nvme-ns,drive={node},bus={controller},nsid={nsid},\
                     uuid=70747365-0000-4000-8000-{:06}{nsid:06},\
                     logical_block_size={block},physical_block_size=4096",
                    identity_of(serial)
                ),
            );
        }
        self
    }

    /// The chain of block nodes below a namespace; returns the name of the uppermost.
    fn block_nodes(&mut self, namespace: &Namespace) -> String {
        let number = self.namespaces;
        self.namespaces += 1;
        let image = namespace.image.display();
        let discard = namespace.discard;
        let file = format!("driver=file,node-name=file{number},filename={image},discard={discard}");
        self.add("-blockdev", file);
        let mut below = format!("file{number}");
        if let Some(sector) = namespace.bad_sector {
            let rule = format!(
                "inject-error.0.event=none,inject-error.0.iotype=read,inject-error.0.errno=5,\
                 inject-error.0.sector={sector},inject-error.0.once=off"
            );
            let node = format!("driver=blkdebug,node-name=bad{number},image={below},{rule}");
            self.add("-blockdev", node);
            below = format!("bad{number}");
        }
        let raw = format!("driver=raw,node-name=raw{number},file={below},discard={discard}");
        self.add("-blockdev", raw);
        if let Some(iops) = namespace.iops_max {
            let group = format!("throttle-group,id=group{number},x-iops-total={iops}");
            self.add("-object", group);
            let node = format!(
                "driver=throttle,node-name=slow{number},throttle-group=group{number},\
                 file=raw{number}"
            );
            self.add("-blockdev", node);
            return format!("slow{number}");
        }
        format!("raw{number}")
    }

    fn add(&mut self, option: &str, value: String) {
        self.arguments.push(option.to_owned());
        self.arguments.push(value);
    }

    /// The same machine, its drives taken out; the shared folder keeps its content.
    pub(crate) fn switched_off(mut self) -> Self {
        self.arguments.clear();
        (self.controllers, self.namespaces) = (0, 0);
        self
    }

    /// Boots, runs the commands one after the other, and switches off.
    pub(crate) fn run(&self, commands: &[&str]) -> Vec<Said> {
        let mut qemu = self.boot(commands);
        let begun = Instant::now();
        while qemu.0.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < LIFE_MAX, "{}", self.tale("does not end"));
            std::thread::sleep(LOOK_EVERY);
        }
        let said = (0..commands.len()).map(|number| self.said(number));
        said.collect()
    }

    /// Boots, begins the commands, and cuts the power as soon as `reached` says so of the shared
    /// folder.
    pub(crate) fn cut_when(&self, commands: &[&str], reached: impl Fn(&Path) -> bool) {
        let mut qemu = self.boot(commands);
        let begun = Instant::now();
        while !reached(self.share()) {
            assert!(begun.elapsed() < LIFE_MAX, "{}", self.tale("goes on"));
            let is_over = qemu.0.try_wait().unwrap().is_some();
            assert!(!is_over, "{}", self.tale("ended before the power was cut"));
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn boot(&self, commands: &[&str]) -> Qemu {
        for old in ["said", "code", "command"] {
            for number in 0..100 {
                drop(fs::remove_file(
                    self.share().join(format!("{old}.{number}")),
                ));
            }
        }
        for (number, command) in commands.iter().enumerate() {
            fs::write(self.share().join(format!("command.{number}")), command).unwrap();
        }
        let count = self.namespaces.to_string();
        fs::write(self.share().join("namespaces"), count).unwrap();
        let console = File::create(self.share().join("console")).unwrap();
        let shared = format!(
            "local,path={},mount_tag=host,security_model=none",
            self.share().display()
        );
        let qemu = Command::new("qemu-system-x86_64")
            .args(["-machine", "q35", "-accel", "tcg,thread=multi"])
            .args(["-cpu", "max", "-smp", "2", "-m", MEMORY_MIB])
            .args(["-nographic", "-no-reboot", "-nic", "none"])
            .arg("-kernel")
            .arg(self.cache.join("vmlinuz"))
            .arg("-initrd")
            .arg(self.cache.join("initrd"))
            .args(["-append", "console=ttyS0 quiet panic=-1"])
            .args(["-virtfs", &shared])
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(console.try_clone().unwrap())
            .stderr(console)
            .spawn()
            .unwrap();
        Qemu(qemu)
    }

    fn said(&self, number: usize) -> Said {
        let read = |what: &str| fs::read(self.share().join(format!("{what}.{number}"))).ok();
        let text = read("said").unwrap_or_default();
        let code = read("code").unwrap_or_else(|| panic!("{}", self.tale("died")));
        let code = String::from_utf8_lossy(&code).trim().parse().unwrap();
        Said {
            code,
            text: String::from_utf8_lossy(&text).into_owned(),
        }
    }

    /// What went wrong, with all that the machine said.
    fn tale(&self, what: &str) -> String {
        let mut tale = format!("the machine {what}");
        for number in 0..100 {
            let said = fs::read(self.share().join(format!("said.{number}")));
            let Ok(said) = said else { break };
            tale += &format!("\n[{number}] {}", String::from_utf8_lossy(&said));
        }
        let console = fs::read(self.share().join("console")).unwrap_or_default();
        tale + "\n[console] " + &String::from_utf8_lossy(&console)
    }
}

/// A running machine; its power is cut when this value goes.
struct Qemu(Child);

impl Drop for Qemu {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Where kernel and system are kept between runs of the tests.
fn cache_folder() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(home)
        .unwrap_or_else(std::env::temp_dir)
        .join("ptse-vm")
}

/// Six digits that are the same at every boot and differ from drive to drive.
fn identity_of(serial: &str) -> u64 {
    let number = serial.bytes().fold(0_u64, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    number % 1_000_000
}
