//! Finds the known word that a misspelt word stands for.

/// The length in bytes up to which a text can be a misspelt word. Comparing longer texts would take
/// long.
const LONGEST_WORD: usize = 512;

/// Returns the known word that is most similar to `seen`, if one is similar enough. Of several,
/// returns the first.
pub fn nearest<'a>(seen: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let seen = Some(seen).filter(|seen| seen.len() <= LONGEST_WORD)?;
    let (changes, word) = known.map(|word| (distance(seen, word), word)).min()?;
    (changes <= 2 + 2 * (word.len().min(seen.len()) / 4)).then_some(word)
}

/// Returns twice the number of letters that must be inserted, removed or replaced to convert one
/// word to the other. A different case counts half.
pub fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).map(|count| 2 * count).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], 2 * (i + 1));
        for (j, &b) in to.iter().enumerate() {
            let replaced = match a == b {
                true => 0,
                false if a.eq_ignore_ascii_case(&b) => 1,
                false => 2,
            };
            let replaced = diagonal + replaced;
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 2).min(diagonal + 2);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_named_unless_all_are_far() {
        let known = ["aspects", "sub-group-sizes", "intel_gpu_skl"];
        let near = |seen| nearest(seen, known.into_iter());
        assert_eq!(near("aspect"), Some("aspects"));
        assert_eq!(near("sub_group_sizes"), Some("sub-group-sizes"));
        assert_eq!(near("INTEL_GPU_SKL"), None);
        assert_eq!(near("intel_gpu_SKL"), Some("intel_gpu_skl"));
        assert_eq!(near("quantum"), None);
        assert_eq!(near(""), None);
        assert_eq!(near(&"x".repeat(1 << 20)), None);
    }
}
