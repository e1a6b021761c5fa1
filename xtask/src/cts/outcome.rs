//! The results of a category on a backend, and the file that keeps them between runs.

use std::path::{Path, PathBuf};

use crate::backend::Backend;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    pub passed: usize,
    /// The number of tests that the device does not support.
    pub skipped: usize,
    /// The failed tests, with the reasons.
    pub failed: Vec<(String, String)>,
    /// The sources that could not be built, with the reasons.
    pub not_built: Vec<(String, String)>,
    pub build_seconds: f64,
    pub run_seconds: f64,
}

impl Outcome {
    /// Returns whether all tests of the category were built and none failed.
    pub fn conforms(&self) -> bool {
        self.failed.is_empty() && self.not_built.is_empty() && self.passed > 0
    }

    pub fn summary(&self) -> String {
        format!(
            "{} passed, {} failed, {} skipped, {} files not built ({:.0} s to build, {:.0} s to \
             run)",
            self.passed,
            self.failed.len(),
            self.skipped,
            self.not_built.len(),
            self.build_seconds,
            self.run_seconds
        )
    }

    pub fn save(&self, folder: &Path, backend: Backend, category: &str) -> Result<(), String> {
        let path = file(folder, backend, category);
        let waiting = path.with_extension("tmp");
        let fail = |e: std::io::Error| format!("cannot write {}: {e}", path.display());
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(fail)?;
        std::fs::write(&waiting, self.to_text()).map_err(fail)?;
        std::fs::rename(&waiting, &path).map_err(fail)
    }

    /// Loads the results. Returns `None` if there are none, or if another version of this tool
    /// wrote them.
    pub fn load(folder: &Path, backend: Backend, category: &str) -> Option<Outcome> {
        Outcome::from_text(&std::fs::read_to_string(file(folder, backend, category)).ok()?)
    }

    /// Formats the results, with one fact per line and tabs between its parts.
    fn to_text(&self) -> String {
        let mut text = format!("passed\t{}\nskipped\t{}\n", self.passed, self.skipped);
        text += &format!("seconds\t{:.1}\t{:.1}\n", self.build_seconds, self.run_seconds);
        for (kind, list) in [("failed", &self.failed), ("not built", &self.not_built)] {
            for (what, why) in list {
                text += &format!("{kind}\t{}\t{}\n", one_line(what), one_line(why));
            }
        }
        text
    }

    fn from_text(text: &str) -> Option<Outcome> {
        let mut outcome = Outcome::default();
        for line in text.lines() {
            let parts: Vec<&str> = line.split('\t').collect();
            match parts.as_slice() {
                ["passed", n] => outcome.passed = n.parse().ok()?,
                ["skipped", n] => outcome.skipped = n.parse().ok()?,
                ["seconds", build, run] => {
                    outcome.build_seconds = build.parse().ok()?;
                    outcome.run_seconds = run.parse().ok()?;
                }
                ["failed", what, why] => {
                    outcome.failed.push(((*what).to_owned(), (*why).to_owned()))
                }
                ["not built", what, why] => {
                    outcome.not_built.push(((*what).to_owned(), (*why).to_owned()))
                }
                _ => return None,
            }
        }
        Some(outcome)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn file(folder: &Path, backend: Backend, category: &str) -> PathBuf {
    folder.join("outcomes").join(backend.name()).join(format!("{category}.txt"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_keeps_everything() {
        let outcome = Outcome {
            passed: 3,
            skipped: 1,
            failed: vec![("a, b".to_owned(), "x == y".to_owned())],
            not_built: vec![("c.cpp".to_owned(), "no member".to_owned())],
            build_seconds: 1.5,
            run_seconds: 2.0,
        };
        assert_eq!(Outcome::from_text(&outcome.to_text()), Some(outcome));
        assert_eq!(Outcome::from_text("passed\tmany\n"), None);
    }

    #[test]
    fn nothing_at_all_is_no_conformance() {
        assert!(!Outcome::default().conforms());
        assert!(Outcome { passed: 1, ..Outcome::default() }.conforms());
    }
}
