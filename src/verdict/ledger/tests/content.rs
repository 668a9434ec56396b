//! What is written: only random data is what the standard asks for.

use super::*;
use crate::stimulus::{Content, Reduction};
use crate::verdict::fixture::{fill_of, rounds_of};

fn written(content: Content) -> (Vec<(String, LineVerdict)>, String) {
    let mut plan = plan(Bytes(512));
    fill_of(&mut plan).access.content = content;
    for cell in &mut rounds_of(&mut plan).cells {
        if let Ok(access) = &mut cell.access {
            access.content = content;
        }
    }
    let state = run(&plan, &published_rounds());
    let done = line(&judge(&state, &plan), "data-pattern").done;
    (found(&state, &plan), done)
}

#[test]
fn data_that_is_not_random_is_named_and_a_deviation() {
    let reduction = Reduction {
        compressible_percent: 50,
        duplicate_percent: 0,
    };
    for (content, words) in [
        (Content::Stamped, "one random buffer"),
        (Content::Zero, "zeros"),
        (Content::Reducible(reduction), "50 % compressible"),
    ] {
        let (lines, done) = written(content);
        let expected = ("data-pattern".to_owned(), LineVerdict::Deviation);
        assert_eq!(lines, [expected]);
        assert!(done.starts_with(words), "{done}");
    }
}

#[test]
fn random_data_made_anew_for_each_io_is_random_too() {
    assert_eq!(written(Content::Fresh).0, []);
}
