//! A drive is found by what it is, not by its node.

use crate::images::{digest, image, journal, patterned, run_folder};
use crate::machine::{Machine, Namespace};

const MIB: u64 = 1 << 20;

/// Field report 50: nodes swap their names between two boots. The power is cut in round 2; the
/// drive comes back under the node of another one; the resume finds it by its serial number, and
/// the other drive is not touched.
#[test]
fn a_resume_after_a_power_cut_finds_the_drive_under_another_node() {
    let Some(machine) = Machine::with(&[]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mine = image(&folder, "mine", 16 * MIB);
    let other = patterned(&folder, "other", 16 * MIB);
    let before = digest(&other);
    let first = machine
        .drive("MINE1", Namespace::on(&mine, 512))
        .drive("OTHER1", Namespace::on(&other, 512));
    let out = first.share().join("out");
    first.cut_when(
        &[
            "ptse run pts-e/iops --quick --set rounds.cell_time=20ms --set rounds.rounds_max=5 \
           --set stimulus.threads=1 --set stimulus.queue_depth=2 --drive /dev/nvme0n1 \
           --erase MINE1 --out /host/out",
        ],
        |_| {
            let begun = journal(&out).map(|journal| {
                let mut rounds = journal.state.rounds(2);
                rounds.any(|round| round.number == 2 && round.cells.len() >= 5)
            });
            begun == Some(true)
        },
    );
    let second = first
        .switched_off()
        .drive("OTHER1", Namespace::on(&other, 512))
        .drive("MINE1", Namespace::on(&mine, 512));
    let said = second.run(&["ptse resume /host/out/*", "ptse verify /host/out/*"]);
    assert!(matches!(said[0].code, 0 | 1), "{}", said[0].text);
    assert_eq!(said[1].code, 0, "{}", said[1].text);
    assert!(digest(&other) == before, "the other drive changed");
    let folder = run_folder(&out);
    let journal = journal(&out).unwrap();
    let resumed = journal.state.interruptions[0].resumed.as_ref().unwrap();
    assert_eq!(resumed.what.address, "/dev/nvme1n1", "{}", folder.display());
}
