//! Starts programs. Errors name the command, and a time limit applies.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Prints a line about the next action.
pub fn progress(text: &str) {
    eprintln!("==> {text}");
}

/// The result of a program.
#[derive(Debug)]
pub struct Outcome {
    /// The exit status, or `None` if a signal or the time limit ended the program.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub timed_out: bool,
    /// The reason why the program was stopped, if it was.
    pub stopped: Option<String>,
    pub elapsed: Duration,
}

impl Outcome {
    pub fn success(&self) -> bool {
        self.status == Some(0)
    }

    /// Describes the failure, with all output of the program.
    pub fn describe(&self) -> String {
        let how = match self.status {
            _ if self.stopped.is_some() => self.stopped.clone().unwrap_or_default(),
            Some(status) => format!("exit status {status}"),
            None => "terminated by a signal".to_owned(),
        };
        format!("{how}\n{}{}", self.stdout, self.stderr)
    }
}

/// Formats the command as a user would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// The variable in which cargo names its target folder for programs that it starts, such as this
/// one. The libraries in a staged tree must take precedence.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// The variable for the folder of compiled objects. Tests must neither use nor change the user's
/// folder.
pub const CACHE: &str = "SYCL_CACHE_DIR";

/// Runs a program with visible output.
pub fn run(command: &mut Command) -> Result<(), String> {
    let status = command
        .env_remove(LIBRARY_PATH)
        .status()
        .map_err(|e| format!("cannot run '{}': {e}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("'{}' failed, {status}", shown(command))) }
}

/// Runs a program and returns its standard output.
pub fn output(command: &mut Command) -> Result<String, String> {
    let outcome = capture(command, Duration::from_secs(600))?;
    if outcome.success() {
        Ok(outcome.stdout)
    } else {
        Err(format!("'{}' failed: {}", shown(command), outcome.describe()))
    }
}

/// Runs a program with a time limit and captures its output. Ends its whole process group at the
/// limit.
pub fn capture(command: &mut Command, limit: Duration) -> Result<Outcome, String> {
    watched(command, |_, elapsed| {
        (elapsed > limit)
            .then(|| format!("exceeded its time limit after {:.0} s", elapsed.as_secs_f64()))
    })
}

/// Returns the processor time of all programs that this process has started and waited for.
pub fn processor_time() -> Duration {
    // SAFETY: all bytes zero are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is valid for writes. The call cannot fail with these arguments.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    let time = |t: libc::timeval| {
        let microseconds = t.tv_sec * 1_000_000 + t.tv_usec;
        Duration::from_micros(u64::try_from(microseconds).unwrap_or_default())
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// Runs a program until it ends or `watch` returns a reason to stop it. The arguments of `watch`
/// are the process group and the elapsed time.
pub fn watched(
    command: &mut Command,
    mut watch: impl FnMut(u32, Duration) -> Option<String>,
) -> Result<Outcome, String> {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    let start = Instant::now();
    let mut child = command
        .env_remove(LIBRARY_PATH)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|e| format!("cannot run '{}': {e}", shown(command)))?;
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let mut stopped = None;
    let mut pause = Duration::from_micros(200);
    let status = loop {
        match child.try_wait().map_err(|e| format!("cannot wait for '{}': {e}", shown(command)))? {
            Some(status) => break status,
            None => {
                if stopped.is_none() {
                    stopped = watch(child.id(), start.elapsed());
                    if stopped.is_some() {
                        // The group contains all processes that the program started. Its leader has
                        // not been waited for, so the number still refers to the group.
                        let group = format!("-{}", child.id());
                        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
                    }
                }
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
        }
    };
    let elapsed = start.elapsed();
    let text = |t: std::thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&t.join().unwrap_or_default()).into_owned()
    };
    let mut stderr = text(stderr);
    let timed_out = stopped.is_some();
    if let Some(signal) = status.signal().filter(|_| !timed_out) {
        stderr += &format!("terminated by signal {signal}\n");
    }
    let status = status.code().filter(|_| !timed_out);
    Ok(Outcome { status, stdout: text(stdout), stderr, timed_out, stopped, elapsed })
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // The output before an error is still useful.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Runs jobs on as many threads as there are processors. The results have the order of the jobs.
pub fn parallel<T: Sync, R: Send>(jobs: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    parallel_on(std::thread::available_parallelism().map_or(1, |n| n.get()), jobs, work)
}

/// The same with a number of threads.
pub fn parallel_on<T: Sync, R: Send>(
    threads: usize,
    jobs: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let threads = threads.min(jobs.len().max(1));
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let worker = || {
            let mut mine = Vec::new();
            loop {
                let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(job) = jobs.get(i) else { return mine };
                mine.push((i, work(job)));
            }
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        handles.into_iter().flat_map(|h| h.join().expect("a worker does not panic")).collect()
    });
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, r)| r).collect()
}

/// A temporary folder, which is removed on drop.
pub struct Scratch(std::path::PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Result<Scratch, String> {
        let base = std::env::temp_dir();
        for attempt in 0..10_000 {
            let path = base.join(format!("scythe-xtask-{}-{name}-{attempt}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Scratch(path)),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(format!("cannot create {}: {e}", path.display())),
            }
        }
        Err(format!("cannot find an unused folder name in {}", base.display()))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
