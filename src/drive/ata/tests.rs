//! Output of hdparm 9.65, and shims in its place.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

/// The end of `hdparm -I` of a SATA drive, with these words in place of "not".
fn identify(enabled: &str, locked: &str, frozen: &str) -> String {
    format!(
        "ATA device, with non-removable media\n\tModel Number:       ACME 870\n\
         Commands/features:\n\tEnabled\tSupported:\n\t   *\tSMART feature set\n\
         Security: \n\tMaster password revision code = 65534\n\t\tsupported\n\
         \t{enabled}\tenabled\n\t{locked}\tlocked\n\t{frozen}\tfrozen\n\
         \tnot\texpired: security count\n\t\tsupported: enhanced erase\n\
         \t2min for SECURITY ERASE UNIT. 8min for ENHANCED SECURITY ERASE UNIT. \n\
         Logical Unit WWN Device Identifier: 5002538f00000000\n"
    )
}

fn security(text: &str) -> Security {
    Security::parse(text)
}

#[test]
fn the_security_section_is_read() {
    let free = security(&identify("not", "not", "not"));
    assert!(free.is_supported && free.has_enhanced);
    assert!(!free.is_enabled && !free.is_locked && !free.is_frozen);
    assert_eq!(free.minutes, [Some(2), Some(8)]);
    // Four times what the drive says, and ten minutes.
    assert_eq!(free.time_max(false).as_secs(), 4 * 2 * 60 + 600);
    let stuck = security(&identify("", "", ""));
    assert!(stuck.is_enabled && stuck.is_locked && stuck.is_frozen);
}

/// Field report 43: a drive without the section is one without the feature, and no error.
#[test]
fn a_drive_without_the_section_offers_no_erase() {
    let none = security("ATA device, with non-removable media\nCapabilities:\n\tLBA\n");
    assert_eq!(none, Security::default());
    assert!(
        refuse(&none)
            .unwrap_err()
            .contains("no security feature set")
    );
}

/// Field report 44: frozen by firmware; what to do is said, and what else there is.
#[test]
fn frozen_and_locked_drives_are_told_what_to_do() {
    let frozen = refuse(&security(&identify("not", "not", ""))).unwrap_err();
    assert!(frozen.contains("suspend the machine") && frozen.contains("--purge discard"));
    let locked = refuse(&security(&identify("", "", "not"))).unwrap_err();
    assert!(locked.contains("--security-unlock"), "{locked}");
}

/// A shim that keeps its state in files: `enabled` exists while a password is set.
fn shim(folder: &tempfile::TempDir, erase: &str) -> Ata {
    let place = folder.path().display();
    let script = format!(
        "#!/bin/sh\ncd {place}\necho \"$*\" >> said\n\
         case \"$*\" in\n\
         *-I*) [ -e enabled ] && e= || e=not; sed \"s/\\tNOT\\tenabled/\\t$e\\tenabled/\" id;;\n\
         *set-pass*) touch enabled;;\n\
         *security-disable*) rm -f enabled;;\n\
         *security-erase*) {erase};;\n\
         esac\n"
    );
    fs::write(folder.path().join("id"), identify("NOT", "not", "not")).unwrap();
    let program = folder.path().join("hdparm");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    Ata {
        program: program.into(),
        node: "/dev/x".into(),
    }
}

fn said(folder: &tempfile::TempDir) -> Vec<String> {
    let said = fs::read_to_string(folder.path().join("said")).unwrap();
    let told = said.lines().filter(|line| !line.contains("-I"));
    told.map(str::to_owned).collect()
}

#[test]
fn an_erase_sets_a_password_and_ends_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let ata = shim(&folder, "rm -f enabled");
    let offered = [PurgeMethod::AtaErase, PurgeMethod::AtaEraseEnhanced];
    assert_eq!(ata.offered(), offered);
    assert_eq!(ata.erase(true), Ok(()));
    assert_eq!(
        said(&folder),
        [
            "--user-master u --security-set-pass ptse /dev/x",
            "--user-master u --security-erase-enhanced ptse /dev/x",
        ]
    );
}

/// A password left behind by an erase that was cut off is taken back first.
#[test]
fn a_password_of_ours_that_was_left_behind_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let ata = shim(&folder, "rm -f enabled");
    fs::write(folder.path().join("enabled"), []).unwrap();
    assert_eq!(ata.erase(false), Ok(()));
    assert!(said(&folder)[0].contains("--security-disable ptse"));
}

#[test]
fn a_failed_erase_fails_and_leaves_no_password() {
    let folder = tempfile::tempdir().unwrap();
    let ata = shim(&folder, "echo 'SG_IO: bad/missing sense data' >&2; exit 0");
    let cause = ata.erase(false).unwrap_err();
    assert!(cause.contains("bad/missing sense data"), "{cause}");
    assert!(cause.contains("the password was taken back"), "{cause}");
    assert!(!folder.path().join("enabled").exists());
}

#[test]
fn without_hdparm_the_package_is_named() {
    let ata = Ata {
        program: "/nonexistent/hdparm".into(),
        node: "/dev/x".into(),
    };
    assert_eq!(ata.offered(), []);
    let cause = ata.erase(false).unwrap_err();
    assert!(cause.contains("install the package hdparm"), "{cause}");
}
