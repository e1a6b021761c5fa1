//! Runs inputs. The input that is about to run is in a file, so that the supervisor finds it if the
//! process ends.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::coverage::Coverage;
use crate::limits;
use crate::mutate::Mutator;
use crate::options::Options;
use crate::random::Random;
use crate::targets::{self, Target};

/// The panic that the hook saw last.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Inputs that serve as bases at most.
const MOST_BASES: usize = 20_000;

/// The file with the input that runs: its length, and the bytes.
pub fn current(folder: &Path) -> PathBuf {
    folder.join("current")
}

/// Reads what [`current`] names.
pub fn read_current(folder: &Path) -> Option<Vec<u8>> {
    let bytes = std::fs::read(current(folder)).ok()?;
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    Some(rest.get(..usize::try_from(u64::from_le_bytes(*length)).ok()?)?.to_vec())
}

struct Worker<'a> {
    target: &'a Target,
    folder: PathBuf,
    file: File,
    coverage: Coverage,
    outcomes: HashSet<u64>,
    bases: Vec<Vec<u8>>,
    executions: u64,
    /// Places of panics that were reported.
    panics: HashSet<String>,
}

/// Runs inputs until a limit. Prints lines for the supervisor.
pub fn run(options: &Options) -> Result<bool, String> {
    let target = targets::find(options.target.as_deref().unwrap_or_default(), options)?;
    let folder = options.failures.join(target.name);
    let fail = |error| format!("cannot write '{}': {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(fail)?;
    let file = File::create(current(&folder)).map_err(fail)?;
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let payload = info.payload_as_str().unwrap_or("a panic").to_owned();
        if let Ok(mut last) = PANIC.lock() {
            *last = Some(format!("{place}: {payload}"));
        }
    }));
    limits::watch();
    let mut worker = Worker {
        target: &target,
        folder,
        file,
        coverage: Coverage::new(),
        outcomes: HashSet::new(),
        bases: Vec::new(),
        executions: 0,
        panics: HashSet::new(),
    };
    match &options.input {
        Some(path) => {
            let bytes = std::fs::read(path)
                .map_err(|error| format!("cannot read '{}': {error}", path.display()))?;
            worker.execute(&bytes);
        }
        None => worker.fuzz(options),
    }
    worker.status();
    Ok(worker.panics.is_empty())
}

impl Worker<'_> {
    fn fuzz(&mut self, options: &Options) {
        for seed in (self.target.seeds)() {
            self.execute(&seed);
            self.bases.push(seed);
        }
        if self.bases.is_empty() {
            self.bases.push(Vec::new());
        }
        let mut mutator = Mutator { random: Random::new(options.seed), words: self.target.words };
        let start = Instant::now();
        let mut told = start;
        while options.executions.is_none_or(|most| self.executions < most)
            && options.time.is_none_or(|most| start.elapsed() < most)
        {
            let base = self.choose(&mut mutator.random);
            let other = mutator.random.below(self.bases.len());
            let mut bytes = mutator.mutate(&self.bases[base], &self.bases[other]);
            if let Some(seal) = self.target.seal
                && mutator.random.below(8) != 0
            {
                seal(&mut bytes);
            }
            if self.execute(&bytes) && self.bases.len() < MOST_BASES {
                self.bases.push(bytes);
            }
            if told.elapsed() > Duration::from_secs(1) {
                self.status();
                told = Instant::now();
            }
        }
    }

    /// Chooses an input to change. New ones are chosen more often.
    fn choose(&self, random: &mut Random) -> usize {
        let count = self.bases.len();
        match random.below(2) {
            0 => random.below(count),
            _ => count - 1 - random.below(count.min(1 + count / 8)),
        }
    }

    /// Runs an input. Returns whether something new happened.
    fn execute(&mut self, bytes: &[u8]) -> bool {
        let head = (bytes.len() as u64).to_le_bytes();
        let written =
            self.file.write_all_at(&head, 0).and_then(|()| self.file.write_all_at(bytes, 8));
        if let Err(error) = written {
            eprintln!("cannot write the input: {error}");
        }
        self.executions += 1;
        self.coverage.clear();
        let result = catch_unwind(AssertUnwindSafe(|| self.read(bytes)));
        let is_new_code = self.coverage.add();
        let outcome = match result {
            Ok(outcome) => class(&outcome),
            Err(_) => {
                let text = PANIC.lock().ok().and_then(|mut last| last.take()).unwrap_or_default();
                self.panicked(bytes, &text);
                place(&text)
            }
        };
        let mut hasher = DefaultHasher::new();
        outcome.hash(&mut hasher);
        self.outcomes.insert(hasher.finish()) || is_new_code
    }

    /// Calls the reader within the limits.
    fn read(&self, bytes: &[u8]) -> String {
        match self.target.is_program {
            true => (self.target.read)(bytes),
            false => limits::within(bytes.len(), || (self.target.read)(bytes)),
        }
    }

    /// Stores the input of a panic, once for each place in the code.
    fn panicked(&mut self, bytes: &[u8], text: &str) {
        if !self.panics.insert(place(text)) {
            return;
        }
        let small = self.smaller(bytes, text);
        let path = store(&self.folder, &small);
        println!("finding {} {}", path.display(), text.replace('\n', " "));
    }

    /// Removes parts of an input as long as the same panic happens.
    fn smaller(&self, bytes: &[u8], text: &str) -> Vec<u8> {
        let same = |bytes: &[u8]| {
            catch_unwind(AssertUnwindSafe(|| self.read(bytes))).is_err()
                && PANIC.lock().is_ok_and(|last| last.as_deref().map(place) == Some(place(text)))
        };
        let mut best = bytes.to_vec();
        let mut size = best.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at < best.len() {
                let mut less = best.clone();
                less.drain(at..(at + size).min(best.len()));
                if same(&less) { best = less } else { at += size }
            }
            size /= 2;
        }
        best
    }

    /// Tells the supervisor the numbers so far.
    fn status(&self) {
        println!(
            "status {} {} {} {}",
            self.executions,
            self.outcomes.len(),
            self.coverage.regions(),
            self.bases.len()
        );
        let _ = std::io::stdout().flush();
    }
}

/// Stores an input under a name that depends on its contents.
pub fn store(folder: &Path, bytes: &[u8]) -> PathBuf {
    let name = &blake3::hash(bytes).to_hex()[..16];
    let path = folder.join(format!("input-{name}"));
    if let Err(error) = std::fs::write(&path, bytes) {
        eprintln!("cannot write '{}': {error}", path.display());
    }
    path
}

/// Returns the place in the code from the text of a panic.
fn place(text: &str) -> String {
    text.split(": ").next().unwrap_or_default().to_owned()
}

/// Reduces a message to its kind: without numbers and without quoted text.
fn class(text: &str) -> String {
    let is_quote = |c| matches!(c, '\'' | '"');
    let quoted = text.find(is_quote).zip(text.rfind(is_quote));
    let (before, after) =
        quoted.map_or((text, ""), |(first, last)| (&text[..first], &text[last..]));
    let kind = before.chars().take(200).chain(after.chars().take(80));
    let kind: String = kind.filter(|c| !c.is_ascii_digit()).collect();
    // What is left of a hexadecimal number is its letters.
    kind.split(' ').filter(|word| !word.starts_with('x')).collect::<Vec<_>>().join(" ")
}
