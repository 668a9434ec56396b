//! Whatever a file or an argument holds, the loader answers with a test or with mistakes.
#![allow(
    clippy::unwrap_used,
    reason = "a helper of a test fails the test by panicking"
)]

use proptest::prelude::*;
use ptse::spec::{Source, builtin, load};

const IOPS: &str = "pts-e/iops";

fn built_in_text() -> String {
    builtin::find(IOPS).unwrap().text.to_owned()
}

fn source(text: &str) -> Source {
    Source::from_bytes("my.toml", text.as_bytes()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let loaded = Source::from_bytes("x", &bytes).and_then(|source| load(&source, &[], true));
        if let Err(errors) = loaded {
            prop_assert!(errors.count() > 0);
            errors.render(false);
        }
    }

    /// The built-in file with one place overwritten: still near enough to get past the parser.
    #[test]
    fn a_damaged_file_never_panics(
        at in 0_usize..3000,
        length in 0_usize..12,
        patch in "[-a-z0-9\"=.%$\\[\\]{}, \né\\\\]{0,8}",
    ) {
        let text: Vec<char> = built_in_text().chars().collect();
        let at = at.min(text.len());
        let end = (at + length).min(text.len());
        let damaged: String = text[..at].iter().collect::<String>()
            + &patch
            + &text[end..].iter().collect::<String>();
        match load(&source(&damaged), &[], true) {
            Ok(loaded) => {
                let again = load(&source(&loaded.effective), &[], false).unwrap();
                prop_assert_eq!(again.spec, loaded.spec);
            }
            Err(errors) => {
                prop_assert!(errors.count() > 0);
                errors.render(false);
            }
        }
    }

    #[test]
    fn an_arbitrary_override_never_panics(argument in "[-a-z0-9\"=.%$\\[\\]{}, \né]{0,24}") {
        let built_in = Source::find(IOPS).unwrap();
        if let Err(errors) = load(&built_in, &[argument], false) {
            errors.render(false);
        }
    }
}
