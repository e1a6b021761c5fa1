//! Decides whether device code for NVIDIA GPUs flushes subnormal `float` numbers.
//!
//! clang links `crtfastmath.o` into programs with `-ffast-math`. It makes the host's processor, and
//! with it the CPU device, flush these numbers. NVIDIA GPUs have no such mode, only different
//! instructions, so the device pass must choose them. nvcc's `-use_fast_math` does the same.

/// The options of the device pass. `double` numbers cannot be flushed on these GPUs.
pub const FLUSH: [&str; 2] = ["-Xclang", "-fdenormal-fp-math-f32=preserve-sign,preserve-sign"];

/// Returns whether the options of a device pass ask for it, by the rules by which clang links
/// `crtfastmath.o`. clang itself obeys `-fdenormal-fp-math=`, which overrides the other options.
pub fn flushed(words: &[String]) -> bool {
    let (mut fast, mut fastest) = (false, false);
    for word in words {
        match word.as_str() {
            "-ffast-math"
            | "-funsafe-math-optimizations"
            | "-ffp-model=fast"
            | "-ffp-model=aggressive" => fast = true,
            "-fno-fast-math" | "-fno-unsafe-math-optimizations" => fast = false,
            _ if word.starts_with("-ffp-model=") => fast = false,
            _ if word.starts_with("-O") => fastest = word == "-Ofast",
            _ if word.starts_with("-fdenormal-fp-math") => return false,
            _ => {}
        }
    }
    fast || fastest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_option_counts() {
        let cases = [
            ("-O3", false),
            ("-ffast-math", true),
            ("-Ofast", true),
            ("-Ofast -O2", false),
            ("-ffast-math -fno-fast-math", false),
            ("-fno-fast-math -Ofast", true),
            ("-funsafe-math-optimizations", true),
            ("-ffp-model=fast", true),
            ("-ffast-math -ffp-model=precise", false),
            ("-fdenormal-fp-math=ieee -ffast-math", false),
        ];
        for (line, expected) in cases {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(flushed(&words), expected, "{line}");
        }
    }
}
