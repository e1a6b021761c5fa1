//! Limits for a program: its run time, the memory of its process group, and the time without
//! progress.

use std::path::Path;
use std::time::{Duration, Instant};

/// The interval at which memory and progress are checked.
const LOOK: Duration = Duration::from_millis(250);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub time: Duration,
    /// The limit of resident memory, in bytes.
    pub memory: u64,
}

impl Limits {
    /// Returns a function for [`crate::process::watched`]. With `sign`, the program is also stopped
    /// if that file has not grown for a quarter of the time.
    pub fn watch(self, sign: Option<&Path>) -> impl FnMut(u32, Duration) -> Option<String> {
        let sign = sign.map(Path::to_owned);
        let patience = (self.time / 4).max(Duration::from_secs(30)).min(self.time);
        let mut looked = Instant::now();
        let mut grown = (0, Instant::now());
        move |group, elapsed| {
            if elapsed > self.time {
                return Some(format!(
                    "exceeded its time limit after {:.0} s",
                    elapsed.as_secs_f64()
                ));
            }
            if looked.elapsed() < LOOK {
                return None;
            }
            looked = Instant::now();
            if let Some(file) = &sign {
                let size = std::fs::metadata(file).map_or(0, |m| m.len());
                if size != grown.0 {
                    grown = (size, Instant::now());
                } else if grown.1.elapsed() > patience {
                    return Some(format!("made no progress for {:.0} s", patience.as_secs_f64()));
                }
            }
            let bytes = resident(group);
            (bytes > self.memory)
                .then(|| format!("exceeded its memory limit of {} MB", self.memory >> 20))
        }
    }
}

/// Returns the resident memory of a process group in bytes.
fn resident(group: u32) -> u64 {
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let processes = entries
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit()));
    processes
        .filter_map(|e| pages_of(&std::fs::read_to_string(e.path().join("stat")).ok()?, group))
        .sum::<u64>()
        * 4096
}

/// Returns the resident pages in a line of `/proc/N/stat`, if the process belongs to the group. The
/// program's name, in parentheses, may contain any characters. The group is the third word after
/// it, and the resident pages are the twenty-second.
fn pages_of(stat: &str, group: u32) -> Option<u64> {
    let words: Vec<&str> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
    (words.get(2)?.parse() == Ok(group)).then(|| words.get(21)?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_for_the_group_alone() {
        let stat = format!(
            "7 (a ) b) S 1 42 42 {} 123 0",
            (0..17).map(|_| "0").collect::<Vec<_>>().join(" ")
        );
        assert_eq!(pages_of(&stat, 42), Some(123));
        assert_eq!(pages_of(&stat, 43), None);
        assert_eq!(pages_of("", 42), None);
    }

    #[test]
    fn programs_are_stopped_with_the_reason() {
        let mut sleep = std::process::Command::new("sleep");
        let limits = Limits { time: Duration::from_millis(300), memory: 1 << 40 };
        let ended = crate::process::watched(sleep.arg("20"), limits.watch(None)).unwrap();
        assert!(ended.stopped.unwrap().contains("time limit"));
        let mut sleep = std::process::Command::new("sleep");
        let limits = Limits { time: Duration::from_secs(20), memory: 1 };
        let ended = crate::process::watched(sleep.arg("20"), limits.watch(None)).unwrap();
        assert!(ended.stopped.unwrap().contains("memory limit"));
    }
}
