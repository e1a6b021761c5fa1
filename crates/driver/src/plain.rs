//! Invocations without `-fsycl`, which clang++ handles alone.
//!
//! clang++ gets the words of the command line unchanged, except for options that clang does not
//! have: other spellings of clang's options are translated, and options without effect are removed.
//! A response file is replaced by its words only if it contains such an option.

use std::collections::VecDeque;

use crate::args::{self, Taken};
use crate::error::Error;
use crate::flags::{Meaning, Steps};
use crate::{response, translation};

/// The words for clang++.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Command {
    pub words: Vec<String>,
    /// Options without effect, as the user wrote them.
    pub ignored: Vec<String>,
}

/// Returns the command for the arguments `raw`, whose response files are not expanded. Without a
/// link, clang gets no translations for the linker, because it would warn about them.
pub fn command(raw: &[String], linking: bool) -> Result<Command, Error> {
    // Each word with the index of the argument that it comes from.
    let mut words: VecDeque<String> = VecDeque::new();
    let mut origins: VecDeque<usize> = VecDeque::new();
    for (index, arg) in raw.iter().enumerate() {
        let expanded = response::expand(vec![arg.clone()])?;
        origins.extend(expanded.iter().map(|_| index));
        words.extend(expanded);
    }
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut changed = vec![false; raw.len()];
    let mut ignored: Vec<String> = Vec::new();
    let mut only_inputs = false;
    while let Some(word) = words.pop_front() {
        let origin = origins.pop_front().unwrap_or_default();
        only_inputs |= word == "--";
        if only_inputs || !word.starts_with('-') || word == "-" {
            out.push((origin, word));
            continue;
        }
        let before = words.len();
        let taken = args::take(word, &mut words)?;
        let last = origins.drain(..before - words.len()).next_back().unwrap_or(origin);
        match translate(&taken, linking)? {
            Translation::Unchanged => {
                // The value is the last word, which may come from another argument.
                let count = taken.words.len();
                let places = taken.words.into_iter().enumerate();
                out.extend(places.map(|(at, word)| match at + 1 == count {
                    true => (last, word),
                    false => (origin, word),
                }));
            }
            translation => {
                (changed[origin], changed[last]) = (true, true);
                match translation {
                    Translation::Words(new) => {
                        out.extend(new.into_iter().map(|word| (origin, word)));
                    }
                    Translation::NoEffect => {
                        let option = taken.words.join(" ");
                        if !ignored.contains(&option) {
                            ignored.push(option);
                        }
                    }
                    Translation::Unchanged | Translation::Removed => {}
                }
            }
        }
    }
    Ok(Command { words: collect(raw, &changed, out), ignored })
}

/// Joins the words of all arguments. An argument without changes stays as it was.
fn collect(raw: &[String], changed: &[bool], words: Vec<(usize, String)>) -> Vec<String> {
    let mut of_argument: Vec<Vec<String>> = vec![Vec::new(); raw.len()];
    for (origin, word) in words {
        of_argument[origin].push(word);
    }
    let joined = of_argument
        .into_iter()
        .enumerate()
        .flat_map(|(index, words)| if changed[index] { words } else { vec![raw[index].clone()] });
    joined.collect()
}

enum Translation {
    Unchanged,
    Words(Vec<String>),
    Removed,
    NoEffect,
}

fn translate(taken: &Taken, linking: bool) -> Result<Translation, Error> {
    let flag = taken.flag;
    if flag.in_clang {
        return Ok(Translation::Unchanged);
    }
    if let Some(words) = taken.stands_for() {
        return of_words(words, linking);
    }
    Ok(match flag.meaning {
        Meaning::Refused(reason) => {
            return Err(Error::RefusedOption { option: taken.words.join(" "), reason });
        }
        Meaning::FpModel => {
            let all = translation::fp_model(flag.spelling, taken.value.clone())?.into_iter();
            let host = all.filter(|(_, steps)| steps.contains(Steps::HOST));
            Translation::Words(host.flat_map(|(words, _)| words).collect())
        }
        Meaning::Processor => Translation::Words(translation::processor(&taken.value)),
        // The driver itself has used these options.
        Meaning::Sycl | Meaning::NoSycl | Meaning::Clang | Meaning::Always(_) => {
            Translation::Removed
        }
        _ => Translation::NoEffect,
    })
}

/// Translates the words that an option stands for.
fn of_words(words: Vec<String>, linking: bool) -> Result<Translation, Error> {
    let mut rest: VecDeque<String> = words.into();
    let mut out = Vec::new();
    while let Some(word) = rest.pop_front() {
        let taken = args::take(word, &mut rest)?;
        match translate(&taken, linking)? {
            Translation::Unchanged if taken.flag.steps == Steps::LINK && !linking => {}
            Translation::Unchanged => out.extend(taken.words),
            Translation::Words(words) => out.extend(words),
            other @ (Translation::Removed | Translation::NoEffect) => return Ok(other),
        }
    }
    Ok(Translation::Words(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        command(&response::split(line), true).expect("the line is valid").words
    }

    #[test]
    fn options_of_clang_stay() {
        let line = "-O2 -mkl -x c++ a.cpp -o app -Wl,-s -include x.h --offload-arch=sm_90 -- -qmkl";
        assert_eq!(words(line), response::split(line));
    }

    #[test]
    fn options_of_other_compilers_are_translated_or_removed() {
        let found = command(
            &response::split(
                "-qopenmp -xHost -fp-model strict -no-vec -debug minimal -fsycl-targets=spir64 \
             -Xsycl-target-backend -O3 -fsycl-unnamed-lambda -fno-sycl -qopt-report=3 a.cpp",
            ),
            true,
        )
        .unwrap();
        assert_eq!(
            found.words,
            [
                "-fopenmp",
                "-march=native",
                "-ffp-model=strict",
                "-fno-vectorize",
                "-fno-slp-vectorize",
                "-g1",
                "a.cpp"
            ]
        );
        assert_eq!(
            found.ignored,
            ["-fsycl-targets=spir64", "-Xsycl-target-backend -O3", "-qopt-report=3"]
        );
    }

    #[test]
    fn translations_for_the_linker_need_a_link() {
        let raw = response::split("-ftz -qtbb -lm a.cpp");
        let words = |linking| command(&raw, linking).unwrap().words;
        assert_eq!(words(true), ["-mdaz-ftz", "-ltbb", "-lm", "a.cpp"]);
        assert_eq!(words(false), ["-lm", "a.cpp"]);
    }

    #[test]
    fn refused_options_are_errors() {
        let error =
            command(&response::split("-qmkl=parallel a.cpp"), true).unwrap_err().to_string();
        assert!(error.starts_with("option '-qmkl=parallel' cannot be used: Scythe"), "{error}");
    }

    #[test]
    fn response_files_stay_if_nothing_in_them_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            format!("@{}", path.display())
        };
        let (same, other) = (file("same", "a.o b.o -o"), file("other", "-xHost c.o"));
        let raw = [same.clone(), "app".to_owned(), "-qopenmp".to_owned(), other];
        let found = command(&raw, true).unwrap();
        assert_eq!(found.words, [same.as_str(), "app", "-fopenmp", "-march=native", "c.o"]);
    }
}
