//! Tests of addresses and keys: every refusal names what would be right.

use super::super::{SimError, describe};
use super::{KEYS, PROFILES, Settings};

fn refusal(address: &str) -> (SimError, String) {
    let error = describe(address).expect_err("the address is bad");
    let text = error.to_string();
    (error, text)
}

#[test]
fn an_unknown_drive_is_refused_with_those_that_are_known() {
    let (error, text) = refusal("sim:dc-tlcc");
    assert!(matches!(error, SimError::UnknownProfile { .. }));
    assert!(text.contains("dc-tlc, dc-tlc-3dwpd, small"), "{text}");
}

#[test]
fn an_unknown_key_is_refused_with_those_that_are_known() {
    let (error, text) = refusal("sim:small,faults.gap=20ms");
    assert!(matches!(error, SimError::UnknownKey { .. }));
    assert!(text.contains("'faults.gap'") && text.contains("faults.gap_at_cell_change"));
}

#[test]
fn a_value_of_the_wrong_kind_is_refused_with_an_example() {
    for (address, right) in [
        ("sim:small,capacity=8G", "a size such as 8GiB"),
        (
            "sim:small,faults.gap_at_cell_change=20",
            "a time such as 20ms",
        ),
        ("sim:small,scale.dies=-1", "a whole number"),
        ("sim:small,link.rate=7GB", "a rate such as 1200MB/s"),
        ("sim:small,flash.spare=0.145", "a share such as 14.5%"),
        ("sim:small,faults.unmapped_reads_slow=yes", "true or false"),
        ("sim:small,seed=x", "a whole number"),
        ("sim:small,faults.error_at_lba=", "a whole number"),
    ] {
        let (error, text) = refusal(address);
        assert!(matches!(error, SimError::BadValue { .. }), "{address}");
        assert!(text.contains(right), "{text}");
    }
}

#[test]
fn a_part_without_a_value_and_a_key_given_twice_are_refused() {
    let (error, _) = refusal("sim:small,fast");
    assert!(matches!(error, SimError::NotAKeyValue { .. }));
    for address in [
        "sim:small,seed=1,seed=2",
        "sim:small,buffer=1MiB,buffer=2MiB",
    ] {
        assert!(matches!(refusal(address).0, SimError::Twice { .. }));
    }
}

#[test]
fn a_profile_in_a_file_is_checked_like_a_built_in_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let address = format!("sim:{}", path.display());
    assert!(matches!(refusal(&address).0, SimError::Unreadable { .. }));
    let write = |text: &str| std::fs::write(&path, text).expect("written");
    write("capacity = ");
    assert!(matches!(refusal(&address).0, SimError::NotToml { .. }));
    write("schema = \"ptse-drive/1\"\nspeed = 3\n");
    assert!(matches!(refusal(&address).0, SimError::UnknownKey { .. }));
    write("schema = \"ptse-drive/1\"\n");
    let (error, text) = refusal(&address);
    assert!(matches!(error, SimError::Missing { .. }), "{text}");
    write(&" ".repeat(2 << 20));
    assert!(matches!(refusal(&address).0, SimError::TooLong { .. }));
    write(PROFILES[2].1);
    let identity = describe(&address).expect("a copy of a built-in profile");
    assert_eq!(identity.address, address);
    assert_eq!(identity.model, "ptse simulated small (slow motion)");
}

#[test]
fn the_canonical_address_has_its_keys_in_order() {
    let settings = Settings::read("sim:small, scale.slow=2 ,buffer=1MiB,seed=7").expect("good");
    assert_eq!(
        settings.address,
        "sim:small,seed=7,buffer=1MiB,scale.slow=2"
    );
    assert_eq!(settings.seed, 7);
    assert_eq!(Settings::read("sim:small").expect("good").seed, 1);
}

/// House rule of the profiles: each constant has its source or reason beside it.
#[test]
fn every_required_key_stands_in_every_profile_below_a_comment() {
    let texts = ["identity.", "host.", "name", "schema", "calendar."];
    for (name, text) in PROFILES {
        let settings = Settings::read(&format!("sim:{name}")).expect("good");
        for (key, _, default) in KEYS {
            assert!(
                default.is_some() || settings.values.contains_key(key),
                "{name} {key}"
            );
        }
        let mut section = String::new();
        let mut has_comment = false;
        for line in text.lines() {
            if let Some(head) = line.strip_prefix('[') {
                section = format!("{}.", head.trim_end_matches(']'));
            } else if line.starts_with('#') {
                has_comment = true;
            } else if line.is_empty() {
                has_comment = false;
            } else {
                let key = format!("{section}{}", line.split(' ').next().unwrap_or(""));
                let is_text = texts.iter().any(|prefix| key.starts_with(prefix));
                assert!(is_text || has_comment, "{name}: {key} has no comment");
            }
        }
    }
}
