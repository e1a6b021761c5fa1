//! Slips of the pen: the known word that was probably meant.

/// The known word that is most like `seen`, where one is like it at all; of several, the first in
/// order.
pub fn nearest<'a>(seen: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody means a known word by a long text, and comparing it would take its time.
    let seen = Some(seen).filter(|seen| seen.len() <= 2 * scythe_abi::target::LONGEST_NAME)?;
    let (changes, word) = known.map(|word| (distance(seen, word), word)).min()?;
    (changes <= 2 + 2 * (word.len().min(seen.len()) / 4)).then_some(word)
}

/// Twice the number of letters that must be inserted, removed or replaced to make one word of the
/// other. Case counts half.
fn distance(from: &str, to: &str) -> usize {
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
