//! Purge of a SCSI or SAS drive by FORMAT UNIT or SANITIZE, through sg3_utils. The standard names
//! FORMAT UNIT (PTS 2.0.2, clause 3.2).
//!
//! Both go on in the drive by themselves, over resets and power cuts; they are started without the
//! programs' pauses for second thoughts and polled by REQUEST SENSE.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use super::PurgeMethod;
use crate::process::{self, Ended};

/// How long a command that only asks or starts may take.
const ASK_TIME_MAX: Duration = Duration::from_secs(60);
/// Longest format or sanitize.
const ERASE_TIME_MAX: Duration = Duration::from_secs(12 * 3600);
/// Time from one look to the next.
const POLL_EVERY: Duration = Duration::from_secs(2);

/// A SCSI drive and the folder of the programs that speak to it.
#[derive(Debug, Clone)]
pub(super) struct Scsi {
    /// Where the programs lie; empty to look them up in PATH.
    programs: PathBuf,
    node: PathBuf,
}

impl Scsi {
    /// The methods that a SCSI drive may have. Whether it has them, it says itself.
    pub(super) const OFFERED: [PurgeMethod; 3] = [
        PurgeMethod::ScsiFormat,
        PurgeMethod::SanitizeBlock,
        PurgeMethod::SanitizeCrypto,
    ];

    /// The drive at this node.
    pub(super) fn at(node: PathBuf) -> Self {
        Self {
            programs: PathBuf::new(),
            node,
        }
    }

    /// Erases; `pause` waits and tells whether to give up. `false` when it was cancelled, and the
    /// drive goes on by itself.
    pub(super) fn erase(
        &self,
        method: PurgeMethod,
        pause: &mut dyn FnMut(Duration) -> bool,
    ) -> Result<bool, String> {
        // What goes on from before a restart is waited for, since nothing else can be begun.
        if !self.wait(pause)? {
            return Ok(false);
        }
        match method {
            PurgeMethod::ScsiFormat => self.start_format()?,
            PurgeMethod::SanitizeBlock => self.start("sg_sanitize", &["--block"])?,
            PurgeMethod::SanitizeCrypto => self.start("sg_sanitize", &["--crypto"])?,
            PurgeMethod::Auto
            | PurgeMethod::Format
            | PurgeMethod::FormatCrypto
            | PurgeMethod::AtaErase
            | PurgeMethod::AtaEraseEnhanced
            | PurgeMethod::Discard
            | PurgeMethod::None => return Err("it is no method of SCSI".to_owned()),
        }
        self.wait(pause)
    }

    /// Formats in the block size in use. Protection information would have to be asked for again,
    /// so a drive that has it is left alone.
    fn start_format(&self) -> Result<(), String> {
        let capacity = self.run("sg_readcap", &["--long"])?;
        if capacity.out.contains("prot_en=1") {
            return Err(
                "the drive is formatted with protection information, which a format would \
                        change; choose --purge sanitize-block"
                    .to_owned(),
            );
        }
        self.start("sg_format", &["--format"])
    }

    fn start(&self, program: &str, arguments: &[&str]) -> Result<(), String> {
        let ended = self.run(program, &[arguments, &["--quick", "--early"]].concat())?;
        if ended.code == Some(0) {
            return Ok(());
        }
        let said = format!("{}\n{}", ended.out, ended.err);
        let words: Vec<&str> = said
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty())
            .collect();
        let last = words.last().copied().unwrap_or("it said nothing");
        Err(format!(
            "{program} ended with code {:?}: {last}; choose another method with --purge",
            ended.code
        ))
    }

    /// Polls until nothing is in progress; `false` when it was cancelled.
    fn wait(&self, pause: &mut dyn FnMut(Duration) -> bool) -> Result<bool, String> {
        let mut waited = Duration::ZERO;
        loop {
            let ended = self.run("sg_requests", &["--progress"])?;
            let Some(percent) = progress(&ended.out) else {
                return Ok(true);
            };
            tracing::info!(percent, "erasing");
            if waited >= ERASE_TIME_MAX {
                return Err(format!(
                    "it stands at {percent} % after {} s, longer than it is given; wait until it \
                     has ended, then start again",
                    waited.as_secs()
                ));
            }
            if pause(POLL_EVERY) {
                return Ok(false);
            }
            waited += POLL_EVERY;
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<Ended, String> {
        let path: OsString = self.programs.join(program).into();
        let mut all: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        all.push(self.node.as_os_str());
        process::run(&path, "sg3-utils", &all, ASK_TIME_MAX).map_err(|error| error.to_string())
    }
}

/// `Progress indication: 45.10% done`, in whole percent.
fn progress(said: &str) -> Option<u32> {
    let (_, rest) = said.split_once("Progress indication:")?;
    let number = rest.trim_start().split(['.', '%']).next()?;
    number.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Shims that note what they were asked; progress stands in `left`, a line a poll.
    fn shims(folder: &tempfile::TempDir, start_code: i32, protection: &str) -> Scsi {
        let place = folder.path().display();
        let note = format!("#!/bin/sh\ncd {place}\necho \"$(basename $0) $*\" >> said\n");
        let poll = "head -n 1 left; sed -i 1d left";
        let bodies = [
            ("sg_requests", poll.to_owned()),
            ("sg_readcap", format!("echo '   Protection: {protection}'")),
            (
                "sg_format",
                format!("echo 'Format unit failed' >&2; exit {start_code}"),
            ),
            ("sg_sanitize", format!("exit {start_code}")),
        ];
        for (name, body) in bodies {
            let path = folder.path().join(name);
            fs::write(&path, format!("{note}{body}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(folder.path().join("left"), "\n").unwrap();
        Scsi {
            programs: folder.path().to_owned(),
            node: "/dev/x".into(),
        }
    }

    fn started(folder: &tempfile::TempDir) -> Vec<String> {
        let said = fs::read_to_string(folder.path().join("said")).unwrap();
        let starts = said.lines().filter(|line| !line.starts_with("sg_requests"));
        starts.map(str::to_owned).collect()
    }

    const NO_PROTECTION: &str = "prot_en=0, p_type=0, p_i_exponent=0";

    /// Field report 49: no pause for a change of mind, and progress by request sense.
    #[test]
    fn a_sanitize_is_started_at_once_and_polled_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let scsi = shims(&folder, 0, NO_PROTECTION);
        let progress = "\nProgress indication: 0.00% done\nProgress indication: 45.10% done\n\n";
        fs::write(folder.path().join("left"), progress).unwrap();
        let mut polls = 0;
        let ended = scsi.erase(PurgeMethod::SanitizeBlock, &mut |_| {
            polls += 1;
            false
        });
        assert_eq!((ended, polls), (Ok(true), 2));
        assert_eq!(
            started(&folder),
            ["sg_sanitize --block --quick --early /dev/x"]
        );
    }

    #[test]
    fn a_format_keeps_the_block_size_and_leaves_protection_alone() {
        let folder = tempfile::tempdir().unwrap();
        let scsi = shims(&folder, 0, NO_PROTECTION);
        assert_eq!(
            scsi.erase(PurgeMethod::ScsiFormat, &mut |_| false),
            Ok(true)
        );
        let format = "sg_format --format --quick --early /dev/x";
        assert_eq!(started(&folder).last().unwrap(), format);
        let folder = tempfile::tempdir().unwrap();
        let scsi = shims(&folder, 0, "prot_en=1, p_type=0, p_i_exponent=0");
        let cause = scsi
            .erase(PurgeMethod::ScsiFormat, &mut |_| false)
            .unwrap_err();
        assert!(cause.contains("protection information"), "{cause}");
    }

    #[test]
    fn a_drive_that_refuses_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let scsi = shims(&folder, 9, NO_PROTECTION);
        let cause = scsi
            .erase(PurgeMethod::ScsiFormat, &mut |_| false)
            .unwrap_err();
        assert!(
            cause.contains("code Some(9): Format unit failed"),
            "{cause}"
        );
    }

    #[test]
    fn what_goes_on_is_waited_for_and_given_up_when_cancelled() {
        let folder = tempfile::tempdir().unwrap();
        let scsi = shims(&folder, 0, NO_PROTECTION);
        fs::write(
            folder.path().join("left"),
            "Progress indication: 3.00% done\n",
        )
        .unwrap();
        assert_eq!(
            scsi.erase(PurgeMethod::SanitizeCrypto, &mut |_| true),
            Ok(false)
        );
        assert_eq!(started(&folder), Vec::<String>::new());
    }
}
