//! Drives that are in use are refused, and nothing on them changes.

use crate::images::{digest, image};
use crate::machine::{Machine, Namespace};

const MIB: u64 = 1 << 20;

/// Something that uses a drive: how it is made, how it is put to use without a write, which
/// drives must be refused then, and what the refusal names.
struct Use {
    make: &'static str,
    engage: &'static str,
    drives: &'static [&'static str],
    names: &'static str,
}

const USES: [Use; 5] = [
    Use {
        make: "mkfs.ext4 -q -F /dev/nvme0n1",
        engage: "modprobe ext4; mount -t ext4 -o ro,noload /dev/nvme0n1 /mnt",
        drives: &["nvme0n1"],
        names: "is mounted at /mnt",
    },
    Use {
        make: "modprobe raid1; mdadm --create /dev/md0 --run --level=1 --raid-devices=2 \
               --assume-clean --metadata=1.2 --homehost=any /dev/nvme1n1 /dev/nvme2n1 && \
               mdadm --stop /dev/md0",
        engage: "modprobe raid1; echo 1 > /sys/module/md_mod/parameters/start_ro; \
                 mdadm --assemble --readonly /dev/md0 /dev/nvme1n1 /dev/nvme2n1",
        drives: &["nvme1n1", "nvme2n1"],
        names: "/dev/md0 is built on /dev/nvme",
    },
    Use {
        make: "true",
        engage: "modprobe dm-linear; modprobe dm-mod; \
                 dmsetup --noudevsync create held --table '0 2048 linear /dev/nvme3n1 0'",
        drives: &["nvme3n1"],
        names: "/dev/dm-0 is built on /dev/nvme3n1",
    },
    Use {
        make: "mkswap /dev/nvme4n1",
        engage: "swapon /dev/nvme4n1",
        drives: &["nvme4n1"],
        names: "is swap space",
    },
    Use {
        make: "true",
        engage: "true",
        drives: &["nvme5"],
        names: "name a namespace of this controller, such as /dev/nvme5n1",
    },
];

/// Issue 4: a mounted, an md-member, a dm-held and a swap drive, and a controller given by
/// mistake; a drive confirmed by another one's serial number; a drive that nobody confirmed.
#[test]
fn drives_in_use_are_refused_with_nothing_changed() {
    let Some(mut machine) = Machine::new() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let images: Vec<_> = (0..6)
        .map(|number| image(&folder, &format!("{number}"), 32 * MIB))
        .collect();
    for (number, image) in images.iter().enumerate() {
        machine = machine.drive(&format!("DRIVE{number}"), Namespace::on(image, 512));
    }
    let made = machine.run(&USES.map(|one| one.make));
    for said in &made {
        assert_eq!(said.code, 0, "{}", said.text);
    }
    let before: Vec<_> = images.iter().map(|image| digest(image)).collect();
    let mut commands: Vec<String> = USES.map(|one| one.engage.to_owned()).into();
    let mut expected = Vec::new();
    for one in &USES {
        for drive in one.drives {
            let serial = format!("DRIVE{}", &drive[4..5]);
            commands.push(run(drive, &format!("--erase {serial}")));
            expected.push(one.names.to_owned());
        }
    }
    commands.push(run("nvme5n1", "--erase DRIVE3"));
    expected.push("--erase DRIVE5".to_owned());
    commands.push(run("nvme5n1", ""));
    expected.push("--erase DRIVE5".to_owned());
    let lines: Vec<&str> = commands.iter().map(String::as_str).collect();
    let said = machine.run(&lines);
    let (engaged, refused) = said.split_at(USES.len());
    for said in engaged {
        assert_eq!(said.code, 0, "{}", said.text);
    }
    for (said, expected) in refused.iter().zip(&expected) {
        assert_eq!(said.code, 3, "{}", said.text);
        assert!(said.text.contains(expected), "{expected}: {}", said.text);
    }
    for (image, before) in images.iter().zip(&before) {
        assert!(digest(image) == *before, "{} changed", image.display());
    }
}

fn run(drive: &str, confirmed: &str) -> String {
    format!(
        "ptse run pts-e/iops --quick --drive /dev/{drive} {confirmed} --even-with-signatures \
         --out /tmp/out"
    )
}
