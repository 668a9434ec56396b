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
    let Some(mut machine) = Machine::with(&["mkfs.ext4", "mdadm", "dmsetup"]) else {
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
    commands.push("ptse drives --format json".to_owned());
    let lines: Vec<&str> = commands.iter().map(String::as_str).collect();
    let said = machine.run(&lines);
    let (engaged, refused) = said.split_at(USES.len());
    check_drives(&said.last().unwrap().text);
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

/// `ptse drives` says of each of them what `ptse run` says, and of the free one how to go on.
fn check_drives(json: &str) {
    let survey: serde_json::Value = serde_json::from_str(json).unwrap();
    let drive = |name: &str| {
        let drives = survey["drives"].as_array().unwrap();
        let address = format!("/dev/{name}");
        let found = drives.iter().find(|drive| drive["address"] == address);
        found.unwrap_or_else(|| panic!("no {name} in {json}"))
    };
    for one in &USES[..4] {
        for name in one.drives {
            let why = drive(name)["why_not"].as_str().unwrap_or_default();
            assert!(why.contains(one.names), "{name}: {why}");
        }
    }
    let free = drive("nvme5n1");
    assert_eq!(free["can_be_tested"], true, "{free}");
    assert_eq!(free["erase"], "DRIVE5");
    assert_eq!(free["model"], "QEMU NVMe Ctrl");
    assert_eq!(free["transport"], "NVMe");
    assert_eq!(
        (&free["namespace_id"], &free["logical_block_bytes"]),
        (&1.into(), &512.into())
    );
    assert_eq!(free["capacity_bytes"], 32 * MIB);
    // The emulated controller has a volatile write cache, and formats; it has no Sanitize.
    assert_eq!(free["write_cache"], "on");
    assert_eq!(
        free["purge_methods"],
        serde_json::json!(["format", "discard"])
    );
    let md = drive("md0");
    assert_eq!(
        (&md["is_drive"], &md["transport"]),
        (&false.into(), &"software RAID".into())
    );
}

fn run(drive: &str, confirmed: &str) -> String {
    format!(
        "ptse run pts-e/iops --quick --drive /dev/{drive} {confirmed} --even-with-signatures \
         --out /tmp/out"
    )
}
