//! The built-in test on emulated drives with blocks of 512 and 4096 bytes.

use std::fs;

use crate::images::{digest, image, ledger_line, patterned, run_folder};
use crate::machine::{Machine, Namespace};

const MIB: u64 = 1 << 20;

/// The whole test, small enough for a machine without hardware virtualisation.
const RUN: &str = "ptse run pts-e/iops --quick --set rounds.cell_time=50ms \
                   --set rounds.rounds_max=5 --set stimulus.threads=2 \
                   --set stimulus.queue_depth=4";

/// A quick run completes on either block size, its record verifies, and the other namespace of
/// the controller is not touched.
#[test]
fn a_quick_run_completes_on_512_and_on_4096_byte_blocks() {
    let Some(machine) = Machine::with(&[]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let small = image(&folder, "small", 64 * MIB);
    let large = image(&folder, "large", 64 * MIB);
    let neighbour = patterned(&folder, "neighbour", 16 * MIB);
    let before = digest(&neighbour);
    let both = vec![Namespace::on(&large, 4096), Namespace::on(&neighbour, 4096)];
    let machine = machine
        .drive("SMALL1", Namespace::on(&small, 512))
        .controller("LARGE1", both);
    let said = machine.run(&[
        &format!("{RUN} --drive /dev/nvme0n1 --erase SMALL1 --out /host/small"),
        &format!("{RUN} --drive /dev/nvme1n1 --erase LARGE1 --out /host/large"),
        "ptse verify /host/small/*",
        "ptse verify /host/large/*",
    ]);
    for run in &said[..2] {
        assert!(matches!(run.code, 0 | 1), "{}", run.text);
    }
    for verified in &said[2..] {
        assert_eq!(verified.code, 0, "{}", verified.text);
    }
    assert!(digest(&neighbour) == before, "the other namespace changed");
    for (name, smallest) in [("small", "0.5,"), ("large", "0.5,,,,,,,")] {
        let folder = run_folder(&machine.share().join(name));
        assert_eq!(ledger_line(&folder, "device")["verdict"], "pass");
        let purge = ledger_line(&folder, "purge");
        assert_eq!(purge["verdict"], "pass", "{purge}");
        assert_eq!(purge["done"], "NVMe Format NVM, user-data erase", "{purge}");
        let cache = ledger_line(&folder, "write-cache");
        assert_eq!(
            (&cache["verdict"], &cache["done"]),
            (&"pass".into(), &"off".into())
        );
        let evidence = cache["evidence"].as_str().unwrap();
        assert!(
            evidence.contains("before the test on, then off"),
            "{evidence}"
        );
        assert!(evidence.contains("given back off, then on"), "{evidence}");
        let health = ledger_line(&folder, "health");
        assert_eq!(health["verdict"], "pass", "{health}");
        let evidence = health["evidence"].as_str().unwrap();
        assert!(
            evidence.contains("bytes by the drive's count"),
            "{evidence}"
        );
        println!("{name}: {evidence}");
        let table = fs::read_to_string(folder.join("tables/iops.csv")).unwrap();
        let row = table.lines().nth(1).unwrap();
        assert!(row.starts_with(smallest), "{row}");
        // On 512-byte blocks the row is measured; on 4096 it is missing, never 0.
        assert_eq!(row.contains(",,"), name == "large", "{row}");
    }
}
