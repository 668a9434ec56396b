//! Purges of files and of a drive that answers as it is told to.

use std::os::unix::fs::FileExt;

use super::super::nvme::fake::{BLOCKS, Fake, Habits};
use super::super::{CacheDemand, WriteCache, cache};
use super::*;

fn purger(file: &File, capacity: u64) -> Purger<'_> {
    Purger {
        file,
        medium: Medium::File,
        capacity,
        logical_block: 512,
        clock: Clock::start(),
        nvme: None,
        speaker: None,
        allowed: &[],
    }
}

fn file_of(blocks: u64) -> File {
    let file = tempfile::tempfile().unwrap();
    file.set_len(blocks * 512).unwrap();
    file
}

/// Purges a fake drive; the outcome, or the cause of the failure.
fn purge(fake: &Fake, method: PurgeMethod, allowed: &[u32]) -> Result<Purged, String> {
    let purger = Purger {
        nvme: Some(Nvme::new(fake, 1)),
        allowed,
        ..purger(&fake.file, BLOCKS * 512)
    };
    match purger.purge(method, &mut || false) {
        Ok(Ending::Purged(purged)) => Ok(purged),
        Ok(Ending::Cancelled) => panic!("nobody cancelled"),
        Err(Failure::Purge { cause, .. }) => Err(cause),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_punched_file_reads_back_nothing_that_was_planted() {
    let file = file_of(1000);
    file.write_all_at(&[7; 512], 100 * 512).unwrap();
    let ending = purger(&file, 512_000).purge(PurgeMethod::Auto, &mut || false);
    let Ok(Ending::Purged(purged)) = ending else {
        panic!("{ending:?}");
    };
    assert!(!purged.is_named_by_standard);
    assert!(purged.verification.starts_with("64 blocks were stamped"));
    let mut block = [1; 512];
    file.read_exact_at(&mut block, 100 * 512).unwrap();
    assert_eq!(block, [0; 512]);
}

#[test]
fn a_cancelled_or_waived_purge_erases_nothing() {
    let file = file_of(4);
    let purger = purger(&file, 2048);
    let ending = purger.purge(PurgeMethod::Discard, &mut || true);
    assert_eq!(ending.unwrap(), Ending::Cancelled);
    let waived = purger.purge(PurgeMethod::None, &mut || false).unwrap();
    let Ending::Purged(purged) = waived else {
        panic!("waived");
    };
    assert_eq!(purged.method, "none (waived)");
}

/// Field report 46 and 52: what a target does not offer is named with what it offers.
#[test]
fn a_method_that_is_not_offered_names_those_that_are() {
    let file = file_of(4);
    let failure = purger(&file, 2048).purge(PurgeMethod::Format, &mut || false);
    let words = failure.unwrap_err().to_string();
    assert!(words.contains("--purge: discard, none"), "{words}");
}

/// Field report 47: dword 10 holds the index of the format in use (2) and user-data erase (1 at
/// bit 9), for this namespace and no other.
#[test]
fn a_format_keeps_the_format_in_use_and_is_verified() {
    let fake = Fake::new(Habits::default());
    let purged = purge(&fake, PurgeMethod::Auto, &[]).unwrap();
    assert_eq!(purged.method, "NVMe Format NVM, user-data erase");
    assert!(purged.is_named_by_standard);
    assert!(purged.verification.starts_with("64 blocks"), "{purged:?}");
    assert_eq!(fake.sent(), [(0x80, 1, 2 | 1 << 9)]);
}

#[test]
fn a_cryptographic_format_is_asked_for_by_its_own_code() {
    let fake = Fake::new(Habits {
        format_bits: 0b100,
        ..Habits::default()
    });
    let purged = purge(&fake, PurgeMethod::FormatCrypto, &[]).unwrap();
    assert_eq!(purged.method, "NVMe Format NVM, cryptographic erase");
    assert_eq!(fake.sent(), [(0x80, 1, 2 | 2 << 9)]);
    let without = Fake::new(Habits::default());
    let cause = purge(&without, PurgeMethod::FormatCrypto, &[]).unwrap_err();
    assert!(cause.contains("does not offer it"), "{cause}");
}

/// Issue 4: a format that switches the cache on again is found when it is looked at afterwards.
#[test]
fn a_cache_that_a_format_switches_on_is_found_on_afterwards() {
    let fake = Fake::new(Habits {
        format_flips_cache: true,
        ..Habits::default()
    });
    let off = CacheDemand::Set { on: false };
    let nvme = Nvme::new(&fake, 1);
    assert_eq!(cache::answer(&nvme, off).after, WriteCache::Off);
    purge(&fake, PurgeMethod::Format, &[]).unwrap();
    let look = cache::answer(&nvme, off);
    assert_eq!((look.before, look.after), (WriteCache::On, WriteCache::Off));
}

/// Issue 4: each of these was taken for a purge by some tool.
#[test]
fn a_format_that_is_none_fails_and_says_why() {
    let cases = [
        (
            Habits {
                leaves_a_block: true,
                ..Habits::default()
            },
            "1 of 64 blocks",
        ),
        (
            // Field report 47: 0x410A, invalid format.
            Habits {
                format_status: 0x410A,
                ..Habits::default()
            },
            "status 0x410a (invalid format)",
        ),
        (
            Habits {
                format_changes_index: true,
                ..Habits::default()
            },
            "came back in another format",
        ),
        (
            Habits {
                is_extended: true,
                ..Habits::default()
            },
            "8 bytes of metadata for each block, at the end",
        ),
    ];
    for (habits, expected) in cases {
        let cause = purge(&Fake::new(habits), PurgeMethod::Format, &[]).unwrap_err();
        assert!(cause.contains(expected), "{expected}: {cause}");
    }
}

/// Field report 39: the attribute says that a format hits every namespace (bit 0), or that its
/// erase does (bit 1).
#[test]
fn a_format_that_hits_other_namespaces_needs_leave_for_each() {
    for format_bits in [0b01, 0b10] {
        let habits = Habits {
            format_bits,
            others: vec![2, 7],
            ..Habits::default()
        };
        for allowed in [&[][..], &[2], &[7]] {
            let fake = Fake::new(habits.clone());
            let cause = purge(&fake, PurgeMethod::Format, allowed).unwrap_err();
            assert!(cause.contains("--all-namespaces"), "{cause}");
            assert_eq!(fake.sent(), [], "something was sent");
        }
        let fake = Fake::new(habits);
        assert!(purge(&fake, PurgeMethod::Format, &[2, 7]).is_ok());
    }
    let alone = Habits {
        others: vec![2],
        ..Habits::default()
    };
    assert!(purge(&Fake::new(alone), PurgeMethod::Format, &[]).is_ok());
}

fn sanitizing() -> Habits {
    Habits {
        sanitize_bits: 0b11,
        sanitize_polls: 1,
        deallocated: 1,
        ..Habits::default()
    }
}

/// Field report 48: the command ends at once, the log tells when the drive has ended. Dword 10:
/// block erase (2), unrestricted exit (bit 3).
#[test]
fn a_sanitize_is_polled_to_its_end_and_verified() {
    let fake = Fake::new(sanitizing());
    let purged = purge(&fake, PurgeMethod::SanitizeBlock, &[]).unwrap();
    assert_eq!(purged.method, "Sanitize, block erase");
    assert_eq!(fake.sent(), [(0x84, 0, 2 | 1 << 3)]);
    assert!(purged.verification.contains("bytes 0x00"), "{purged:?}");
}

#[test]
fn a_sanitize_hits_the_whole_subsystem() {
    let fake = Fake::new(Habits {
        others: vec![3],
        ..sanitizing()
    });
    let cause = purge(&fake, PurgeMethod::SanitizeCrypto, &[]).unwrap_err();
    assert!(cause.contains("namespace 3"), "{cause}");
    assert_eq!(fake.sent(), []);
}

#[test]
fn a_sanitize_that_fails_or_leaves_a_block_fails_the_purge() {
    let fails = Fake::new(Habits {
        sanitize_fails: true,
        ..sanitizing()
    });
    let cause = purge(&fails, PurgeMethod::SanitizeBlock, &[]).unwrap_err();
    assert!(cause.contains("says that it failed"), "{cause}");
    let leaves = Fake::new(Habits {
        leaves_a_block: true,
        ..sanitizing()
    });
    let cause = purge(&leaves, PurgeMethod::SanitizeBlock, &[]).unwrap_err();
    assert!(cause.contains("1 of 64 blocks"), "{cause}");
}

/// Field report 48: the machine restarted in the middle of one, or the last one failed.
#[test]
fn a_sanitize_from_before_a_restart_is_waited_for() {
    let running = Fake::new(sanitizing()).in_a_sanitize(1);
    assert!(purge(&running, PurgeMethod::Format, &[]).is_ok());
    let failed = Fake::new(sanitizing()).after_a_failed_sanitize();
    assert!(purge(&failed, PurgeMethod::SanitizeBlock, &[]).is_ok());
    let exit = 1;
    assert_eq!(failed.sent()[0], (0x84, 0, exit));
}

/// A drive that tells no estimate is given 8 hours, and a poll is a second.
#[test]
fn a_sanitize_that_never_ends_is_given_up() {
    let fake = Fake::new(sanitizing()).in_a_sanitize(u32::MAX);
    let mut waited = 0;
    let controller = Nvme::new(&fake, 1).controller().unwrap();
    let cause = nvme::recover(Nvme::new(&fake, 1), &controller, &mut |_| {
        waited += 1;
        false
    });
    assert_eq!(waited, 8 * 3600);
    let cause = cause.unwrap_err();
    assert!(cause.contains("25 % after 28800 s"), "{cause}");
}

#[test]
fn a_cancel_is_heard_during_a_sanitize() {
    let fake = Fake::new(sanitizing()).in_a_sanitize(1000);
    let controller = Nvme::new(&fake, 1).controller().unwrap();
    let nvme = Nvme::new(&fake, 1);
    assert_eq!(nvme::recover(nvme, &controller, &mut |_| true), Ok(false));
}
