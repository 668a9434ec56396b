//! The write cache is set, read back, and given back as it was found, however a run ends.

use std::fs;

use crate::images::{image, ledger_line, run_folder};
use crate::machine::{Machine, Namespace};

const MIB: u64 = 1 << 20;

/// One cell of writes with the cache off.
const SPEC: &str = "schema = \"ptse-spec/1\"\n\
    [test]\nname = \"vm/cache\"\ntitle = \"cache\"\nstandard = \"PTS 2.0.2\"\nclause = \"7\"\n\
    [conditions]\nwrite_cache = \"off\"\n\
    [stimulus]\nthreads = 1\nqueue_depth = 1\n\
    [[step]]\ndo = \"purge\"\n\
    [[step]]\ndo = \"rounds\"\npattern = \"random\"\nread_percent = 0\n\
    loop = [ { block = [\"4KiB\"] } ]\ncell_time = \"10s\"\nrounds_max = 1\n";

/// The NVMe feature as another tool reads it.
const FEATURE: &str = "nvme get-feature /dev/nvme0 -f 6";

fn run(drive: &str, erase: &str, out: &str) -> String {
    format!("ptse run /host/spec --drive {drive} --erase {erase} --purge none --out /host/{out}")
}

/// Issue 4: scsi_debug's cache mode is switched and restored. A run that is stopped gives the
/// cache of an NVMe drive back; one that was killed cannot, and its resume does.
#[test]
fn a_cache_is_given_back_after_the_end_a_stop_and_a_kill() {
    let Some(machine) = Machine::with(&["nvme"]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let drive = image(&folder, "drive", 16 * MIB);
    let machine = machine.drive("CACHED1", Namespace::on(&drive, 512));
    let share = machine.share();
    fs::write(share.join("spec"), SPEC).unwrap();
    let scsi = "modprobe sd_mod; modprobe scsi_debug dev_size_mb=16; \
                while [ ! -e /dev/sda ]; do usleep 100000; done; \
                cat /sys/class/scsi_disk/*/cache_type";
    let scsi_serial = "\"$(tail -c +5 /sys/block/sda/device/vpd_pg80)\"";
    let on_scsi = run("/dev/sda", scsi_serial, "scsi");
    let begin = |out: &str| {
        let run = run("/dev/nvme0n1", "CACHED1", out);
        format!(
            "{run} & run=$!; while ! grep -q rounds /host/{out}/*/journal.jsonl; do \
             usleep 200000; done; sleep 1; {FEATURE}"
        )
    };
    let said = machine.run(&[
        scsi,
        &on_scsi,
        "cat /sys/class/scsi_disk/*/cache_type",
        &format!("{}; kill -INT $run; wait $run; {FEATURE}", begin("stopped")),
        &format!("{}; kill -KILL $run; wait $run; {FEATURE}", begin("killed")),
        "ptse resume /host/killed/*",
        FEATURE,
    ]);
    let text = |number: usize| said[number].text.as_str();
    assert!(text(0).contains("write back"), "{}", text(0));
    assert_eq!(said[1].code, 0, "{}", text(1));
    assert!(text(2).contains("write back"), "{}", text(2));
    let line = ledger_line(&run_folder(&share.join("scsi")), "write-cache");
    assert_eq!(
        (&line["verdict"], &line["done"]),
        (&"pass".into(), &"off".into()),
        "{line}"
    );
    assert_eq!(states(text(3)), [0, 1], "{}", text(3));
    assert_eq!(states(text(4)), [0, 0], "{}", text(4));
    assert_eq!(said[5].code, 0, "{}", text(5));
    let folder = run_folder(&share.join("killed"));
    let line = ledger_line(&folder, "write-cache");
    assert_eq!(line["verdict"], "pass", "{line}");
    assert_eq!(states(text(6)), [1], "{}", text(6));
}

/// Every state that the other tool read, in order.
fn states(text: &str) -> Vec<u32> {
    let values = text.split("urrent value:").skip(1);
    values
        .map(|rest| {
            let word = rest.split_whitespace().next().unwrap();
            u32::from_str_radix(word.trim_start_matches("0x"), 16).unwrap()
        })
        .collect()
}
