//! Which known word a mistyped one most likely meant. Decides nothing else.

/// The known words close to `word`, nearest first: at most a third of its letters wrong, or one
/// the beginning of the other.
pub(super) fn nearest<'k>(word: &str, known: &[&'k str]) -> Vec<&'k str> {
    let ranked = ranked(word, known);
    ranked.into_iter().map(|(_, candidate)| candidate).collect()
}

/// "did you mean 'a'?", or the whole list when nothing is near and it is short enough to read.
pub fn suggestion(word: &str, known: &[&str]) -> Option<String> {
    let ranked = ranked(word, known);
    if let Some((best, _)) = ranked.first() {
        let equals: Vec<&str> = ranked
            .iter()
            .filter(|(distance, _)| distance == best)
            .map(|(_, candidate)| *candidate)
            .collect();
        return Some(format!("did you mean '{}'?", equals.join("' or '")));
    }
    (!known.is_empty()).then(|| format!("known here: {}", known.join(", ")))
}

/// The known words close to `word` with the number of wrong letters.
fn ranked<'k>(word: &str, known: &[&'k str]) -> Vec<(usize, &'k str)> {
    let lower = word.to_lowercase();
    let limit = (word.chars().count() / 3).clamp(1, 4);
    let mut found: Vec<(usize, &str)> = known
        .iter()
        .filter_map(|candidate| {
            let distance = distance(&lower, &candidate.to_lowercase());
            let begins = lower.len() >= 3
                && (candidate.starts_with(&lower) || lower.starts_with(*candidate));
            (distance <= limit || begins).then_some((distance, *candidate))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Insertions, deletions, exchanges and swaps of neighbours between two words.
fn distance(left: &str, right: &str) -> usize {
    const LETTERS_MAX: usize = 64;
    let left: Vec<char> = left.chars().take(LETTERS_MAX).collect();
    let right: Vec<char> = right.chars().take(LETTERS_MAX).collect();
    let width = right.len() + 1;
    let mut rows: Vec<Vec<usize>> = vec![(0..width).collect()];
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let exchanged = rows[i][j] + usize::from(a != b);
            let mut best = exchanged.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_or_lost_letter_is_found() {
        let known = ["cell_time", "rounds_max", "block"];
        assert_eq!(nearest("cell_tiem", &known), ["cell_time"]);
        assert_eq!(nearest("roundsmax", &known), ["rounds_max"]);
        assert_eq!(nearest("blok", &known), ["block"]);
        assert!(nearest("temperature", &known).is_empty());
    }

    #[test]
    fn nothing_near_lists_what_there_is() {
        assert_eq!(
            suggestion("zzzz", &["off", "on"]).unwrap(),
            "known here: off, on"
        );
    }
}
