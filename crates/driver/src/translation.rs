//! Translates the values of icpx's options into words for clang and for g++.

use crate::error::Error;
use crate::flags::Steps;

/// The words for one group of steps.
type Words = (Vec<String>, Steps);

/// Translates a floating-point model. Device code has no rounding modes and no exception flags, so
/// `strict` only disables contraction there.
pub fn fp_model(spelling: &'static str, value: String) -> Result<Vec<Words>, Error> {
    const EXACT: &[&str] = &["-fno-fast-math", "-ffp-contract=off"];
    let clangs = Steps::DEVICE.and(Steps::HOST);
    let words: [(&[&str], Steps); 3] = match value.as_str() {
        "fast" | "fast=1" => [
            (&["-ffp-model=fast"], clangs),
            (&["-ffast-math", "-fno-finite-math-only"], Steps::FOREIGN),
            (&[], Steps::NONE),
        ],
        "fast=2" | "aggressive" => [
            (&["-ffp-model=aggressive"], clangs),
            (&["-ffast-math"], Steps::FOREIGN),
            (&[], Steps::NONE),
        ],
        "precise" | "source" => {
            [(&["-ffp-model=precise"], clangs), (EXACT, Steps::FOREIGN), (&[], Steps::NONE)]
        }
        "consistent" => {
            [(EXACT, clangs.and(Steps::FOREIGN)), (&[], Steps::NONE), (&[], Steps::NONE)]
        }
        "strict" => [
            (&["-ffp-model=strict"], Steps::HOST),
            (EXACT, Steps::DEVICE),
            (
                &["-fno-fast-math", "-ffp-contract=off", "-frounding-math", "-ftrapping-math"],
                Steps::FOREIGN,
            ),
        ],
        "except" => [
            (&["-ffp-exception-behavior=strict"], Steps::HOST),
            (&["-ftrapping-math"], Steps::FOREIGN),
            (&[], Steps::NONE),
        ],
        "no-except" => [
            (&["-ffp-exception-behavior=ignore"], Steps::HOST),
            (&["-fno-trapping-math"], Steps::FOREIGN),
            (&[], Steps::NONE),
        ],
        _ => {
            return Err(Error::BadValue {
                option: spelling,
                value,
                expected: "'fast', 'precise', 'consistent' or 'strict'",
            });
        }
    };
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    Ok(words
        .into_iter()
        .filter(|(words, _)| !words.is_empty())
        .map(|(words, steps)| (owned(words), steps))
        .collect())
}

/// Translates the code of `-xCODE`. icpx writes names of processors in capital letters, and has its
/// own names for instruction sets.
pub fn processor(code: &str) -> Vec<String> {
    let known: &[&str] = match code {
        "SSE2" => &["x86-64"],
        "SSE3" => &["nocona"],
        "SSSE3" => &["core2"],
        "SSE4.1" => &["penryn"],
        "SSE4.2" => &["nehalem"],
        "ATOM_SSSE3" => &["bonnell"],
        "ATOM_SSE4.2" => &["silvermont"],
        "AVX" => &["sandybridge"],
        "CORE-AVX-I" => &["ivybridge"],
        "CORE-AVX2" => &["haswell"],
        "CORE-AVX512" => &["skylake-avx512"],
        "COMMON-AVX512" => &["haswell", "-mavx512f", "-mavx512cd"],
        "MIC-AVX512" => &["knl"],
        "KABYLAKE" | "COFFEELAKE" | "AMBERLAKE" | "WHISKEYLAKE" => &["skylake"],
        _ => &[],
    };
    let name = known.first().map_or_else(|| code.to_lowercase(), |&name| name.to_owned());
    let more = known.iter().skip(1).map(|&word| word.to_owned());
    std::iter::once(format!("-march={name}")).chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(value: &str, step: Steps) -> Vec<String> {
        let words = fp_model("-fp-model=", value.to_owned()).expect("the model is known");
        words.into_iter().filter(|(_, steps)| steps.contains(step)).flat_map(|(w, _)| w).collect()
    }

    #[test]
    fn models_differ_between_steps() {
        assert_eq!(model("fast", Steps::HOST), ["-ffp-model=fast"]);
        assert_eq!(model("fast", Steps::DEVICE), ["-ffp-model=fast"]);
        assert_eq!(model("fast=2", Steps::FOREIGN), ["-ffast-math"]);
        assert_eq!(model("strict", Steps::HOST), ["-ffp-model=strict"]);
        assert_eq!(model("strict", Steps::DEVICE), ["-fno-fast-math", "-ffp-contract=off"]);
        assert_eq!(model("except", Steps::DEVICE), [""; 0]);
        assert_eq!(model("consistent", Steps::HOST), model("consistent", Steps::FOREIGN));
        for value in ["fast", "precise", "consistent", "strict"] {
            assert!(model(value, Steps::LINK).is_empty());
        }
    }

    #[test]
    fn unknown_models_are_named() {
        let error = fp_model("-fp-model=", "extended".to_owned()).unwrap_err().to_string();
        assert_eq!(
            error,
            "invalid value 'extended' of option '-fp-model=': expected 'fast', 'precise', \
             'consistent' or 'strict'"
        );
    }

    #[test]
    fn processors_have_clang_s_names() {
        assert_eq!(processor("CORE-AVX2"), ["-march=haswell"]);
        assert_eq!(processor("COMMON-AVX512"), ["-march=haswell", "-mavx512f", "-mavx512cd"]);
        assert_eq!(processor("SAPPHIRERAPIDS"), ["-march=sapphirerapids"]);
        assert_eq!(processor("ICELAKE-SERVER"), ["-march=icelake-server"]);
    }
}
