//! The results of one program, in a file below the target folder.

use std::path::{Path, PathBuf};

use super::Device;

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The program compared its results and found them right.
    Passed,
    /// The program ended without an error, but does not say whether its results are right.
    Ended,
    /// The program found wrong results, or failed.
    Failed,
    /// The program needed more processor time than the limit.
    Slow,
}

impl Verdict {
    const ALL: [Verdict; 4] = [Verdict::Passed, Verdict::Ended, Verdict::Failed, Verdict::Slow];

    pub fn from_name(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Ended => "ended",
            Verdict::Failed => "failed",
            Verdict::Slow => "slow",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub verdict: Verdict,
    /// The line that explains a failure.
    pub reason: String,
}

/// The results of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For each device, success or the first error.
    built: Vec<(Device, Result<(), String>)>,
    pub run: Option<Run>,
}

impl Outcome {
    pub fn built(&self, device: Device) -> Option<&Result<(), String>> {
        self.built.iter().find(|(built, _)| *built == device).map(|(_, result)| result)
    }

    pub fn is_built_for(&self, device: Device) -> bool {
        self.built(device).is_some()
    }

    /// Returns whether the last build for a device succeeded.
    pub fn builds(&self, device: Device) -> bool {
        matches!(self.built(device), Some(Ok(())))
    }

    pub fn set_built(&mut self, device: Device, result: Result<(), String>) {
        self.built.retain(|(built, _)| *built != device);
        self.built.push((device, result));
        if device == Device::Cpu {
            self.run = None;
        }
    }

    fn file(folder: &Path, name: &str) -> PathBuf {
        folder.join("results").join(format!("{name}.txt"))
    }

    /// Reads the results of a program. A program without a file has no results.
    pub fn load(folder: &Path, name: &str) -> Outcome {
        let text = std::fs::read_to_string(Outcome::file(folder, name)).unwrap_or_default();
        Outcome::parse(&text)
    }

    pub fn save(&self, folder: &Path, name: &str) -> Result<(), String> {
        let file = Outcome::file(folder, name);
        let parent = file.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&file, self.text()))
            .map_err(|e| format!("cannot write {}: {e}", file.display()))
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (device, result) in &self.built {
            let result = result.as_ref().map_or_else(String::as_str, |()| "");
            text += &format!("build {} {result}\n", device.name());
        }
        if let Some(run) = &self.run {
            text += &format!("run {} {}\n", run.verdict.name(), run.reason);
        }
        text
    }

    fn parse(text: &str) -> Outcome {
        let mut outcome = Outcome::default();
        for line in text.lines() {
            let mut words = line.splitn(3, ' ');
            let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let rest = words.next().unwrap_or_default().to_owned();
            if kind == "build"
                && let Some(device) = Device::ALL.into_iter().find(|device| device.name() == name)
            {
                let result = if rest.is_empty() { Ok(()) } else { Err(rest) };
                outcome.built.push((device, result));
            } else if kind == "run"
                && let Some(verdict) = Verdict::from_name(name)
            {
                outcome.run = Some(Run { verdict, reason: rest });
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_survive_the_disk() {
        let mut outcome = Outcome::default();
        outcome.set_built(Device::Cpu, Ok(()));
        outcome.set_built(Device::Sm90, Err("a.cpp:3: error: no x".to_owned()));
        outcome.run = Some(Run { verdict: Verdict::Failed, reason: "FAIL at 3".to_owned() });
        assert_eq!(Outcome::parse(&outcome.text()), outcome);
        assert!(outcome.builds(Device::Cpu) && !outcome.builds(Device::Sm90));
        outcome.set_built(Device::Cpu, Ok(()));
        assert_eq!(outcome.run, None);
    }
}
