//! The only place that starts programs: bounded in time and in what is read from them.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Most bytes kept of what a program says; helper programs say a few KiB.
const SAID_BYTES_MAX: u64 = 4 << 20;

/// What a program said, and its exit code; `None` when a signal ended it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Exit code.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Why a program gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// It is not installed.
    #[error("{program} is not installed; install the package {package}")]
    Missing {
        /// Its name.
        program: String,
        /// The Debian package that has it.
        package: &'static str,
    },
    /// It did not end in time.
    #[error("{program} did not end within {seconds} s")]
    TimedOut {
        /// Its name.
        program: String,
        /// How long it was given.
        seconds: u64,
    },
    /// The system refused it.
    #[error("{program} could not be run: {source}")]
    System {
        /// Its name.
        program: String,
        /// The system's words.
        #[source]
        source: io::Error,
    },
}

/// Runs a program to its end, without input, and gives what it said. One that takes longer than
/// `time_max` is killed.
///
/// # Errors
/// [`ProcessError`] when it is missing, cannot be run or does not end in time.
pub fn run(
    program: &OsStr,
    package: &'static str,
    arguments: &[&OsStr],
    time_max: Duration,
) -> Result<Ended, ProcessError> {
    let name = || program.to_string_lossy().into_owned();
    let system = |source| ProcessError::System {
        program: name(),
        source,
    };
    let spawned = Command::new(program)
        .args(arguments)
        // Helpers are parsed, so they speak the language of their fixtures.
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(ProcessError::Missing {
                program: name(),
                package,
            });
        }
        Err(error) => return Err(system(error)),
    };
    let said = listen(&mut child).recv_timeout(time_max);
    if said.is_err() {
        // It may have ended at this very moment.
        drop(child.kill());
    }
    let status = child.wait().map_err(system)?;
    match said {
        Ok([out, err]) => Ok(Ended {
            code: status.code(),
            out,
            err,
        }),
        Err(_) => Err(ProcessError::TimedOut {
            program: name(),
            seconds: time_max.as_secs(),
        }),
    }
}

/// Reads both outputs until the program closes them.
fn listen(child: &mut Child) -> mpsc::Receiver<[String; 2]> {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (sender, receiver) = mpsc::channel();
    let errors = thread::spawn(move || err.map(read_all).unwrap_or_default());
    thread::spawn(move || {
        let out = out.map(read_all).unwrap_or_default();
        let both = [out, errors.join().unwrap_or_default()];
        // Nobody listens any more when the time was over.
        drop(sender.send(both.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())));
    });
    receiver
}

/// Everything up to the limit; what lies beyond is read too, so that the program can end.
fn read_all(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let kept = pipe.by_ref().take(SAID_BYTES_MAX).read_to_end(&mut bytes);
    if kept.is_ok() {
        drop(io::copy(&mut pipe, &mut io::sink()));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, time_max: Duration) -> Result<Ended, ProcessError> {
        let arguments = [OsStr::new("-c"), OsStr::new(script)];
        run(OsStr::new("sh"), "dash", &arguments, time_max)
    }

    #[test]
    fn output_and_code_are_given_back() {
        let ended = shell("echo out; echo err >&2; exit 3", Duration::from_secs(30)).unwrap();
        assert_eq!(ended.code, Some(3));
        assert_eq!((ended.out.as_str(), ended.err.as_str()), ("out\n", "err\n"));
    }

    #[test]
    fn a_missing_program_names_its_package() {
        let error = run(
            OsStr::new("no-such-program"),
            "sg3-utils",
            &[],
            Duration::ZERO,
        );
        let words = error.unwrap_err().to_string();
        assert!(words.contains("install the package sg3-utils"), "{words}");
    }

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        let error = shell("exec sleep 600", Duration::from_millis(50)).unwrap_err();
        assert!(matches!(error, ProcessError::TimedOut { .. }), "{error}");
    }
}
