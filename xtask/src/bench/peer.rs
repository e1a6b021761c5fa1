//! The compile time of a program against the headers of another implementation (the peer), with the
//! same file, compiler and optimisation, in turn.
//!
//! The peer is a command, such as `clang++-22 -isystem DIR/include -fopenmp -D…` for a library-only
//! implementation, or another SYCL compiler with its options. Both commands write an object file.
//! In that time Scythe compiles the file for the host and for devices.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::compile::best;
use super::{Limit, Report};
use crate::process::{Scratch, progress};

const USAGE: &str = "'bench peer' needs --peer COMMAND FILE... [-- OPTION...]: the compiler of the \
                         peer with its options, the programs, and options for both compilers";
/// The limit for the largest program: half of the peer's time.
const LIMIT: f64 = 0.5;
const ROUNDS: usize = 5;

/// The arguments of the comparison.
#[derive(Debug, PartialEq)]
struct Request {
    peer: Vec<String>,
    files: Vec<PathBuf>,
    options: Vec<String>,
}

/// Parses the arguments after `peer`.
fn request(args: &[String]) -> Result<Request, String> {
    let (mine, options) = match args.iter().position(|a| a == "--") {
        Some(at) => (&args[..at], args[at + 1..].to_vec()),
        None => (args, Vec::new()),
    };
    let [flag, peer, files @ ..] = mine else { return Err(USAGE.to_owned()) };
    let peer: Vec<String> = peer.split_whitespace().map(str::to_owned).collect();
    if flag != "--peer" || peer.is_empty() || files.is_empty() {
        return Err(USAGE.to_owned());
    }
    if let Some(unknown) = files.iter().find(|f| f.starts_with('-')) {
        return Err(format!("unknown option '{unknown}'; {USAGE}"));
    }
    Ok(Request { peer, files: files.iter().map(PathBuf::from).collect(), options })
}

/// Checks the arguments of `measure`.
pub fn check(args: &[String]) -> Result<(), String> {
    request(args).map(|_| ())
}

/// Compiles each file with both compilers. The limit applies to the largest file.
pub fn measure(prefix: &Path, args: &[String]) -> Result<Report, String> {
    let request = request(args)?;
    let scratch = Scratch::new("peer")?;
    let mut files = Vec::new();
    for file in &request.files {
        let path =
            file.canonicalize().map_err(|e| format!("cannot find {}: {e}", file.display()))?;
        let bytes =
            path.metadata().map_err(|e| format!("cannot read {}: {e}", file.display()))?.len();
        files.push((path, bytes));
    }
    let largest = files.iter().map(|(_, bytes)| *bytes).max();
    let mut report = Report::default();
    for (file, bytes) in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        progress(&format!("compiling {name} with both, best of {ROUNDS}"));
        let object = |command: &mut Command, output: &str| {
            command
                .args(&request.options)
                .args(["-O2", "-c", "-o", output])
                .arg(file)
                .current_dir(scratch.path());
        };
        let mut peer = Command::new(&request.peer[0]);
        peer.args(&request.peer[1..]);
        object(&mut peer, "peer.o");
        let mut scythe = Command::new(prefix.join("bin/scythe"));
        scythe.arg("-fsycl");
        object(&mut scythe, "scythe.o");
        let [scythe, peer] = best([&mut scythe, &mut peer], ROUNDS)?;
        let limit = if Some(*bytes) == largest { Limit::AtMost(LIMIT) } else { Limit::None };
        report.add(format!("{name}: the peer"), peer.elapsed, " s", Limit::None);
        report.add(format!("{name}: scythe -fsycl"), scythe.elapsed, " s", Limit::None);
        report.add(format!("{name}: ratio"), scythe.elapsed / peer.elapsed, "x", limit);
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Result<Request, String> {
        request(&args.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_for_both_follow_two_dashes() {
        let request = read(&["--peer", "clang++ -isystem dir", "a.cpp", "b.cpp", "--", "-I", "x"])
            .expect("it is right");
        assert_eq!(request.peer, ["clang++", "-isystem", "dir"]);
        assert_eq!(request.files, [PathBuf::from("a.cpp"), PathBuf::from("b.cpp")]);
        assert_eq!(request.options, ["-I", "x"]);
    }

    #[test]
    fn what_is_missing_is_said() {
        for wrong in [
            &[][..],
            &["--peer"],
            &["--peer", "clang++"],
            &["--peer", " ", "a.cpp"],
            &["a.cpp", "b.cpp"],
        ] {
            assert_eq!(read(wrong), Err(USAGE.to_owned()), "{wrong:?}");
        }
        assert!(read(&["--peer", "clang++", "-O3"]).is_err_and(|e| e.contains("'-O3'")));
    }
}
