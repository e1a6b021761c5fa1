//! The tool `not`: succeeds if a command fails in an orderly way.
//!
//! A command that panics (status 101), exceeds its time limit (124), cannot be started (125 to 127)
//! or is ended by a signal has not rejected its input. LLVM's own `not` accepts most of these
//! cases.

use std::process::Command;

/// Runs a command. Returns an error if it does not end with an orderly failure.
pub(crate) fn run(args: &[String]) -> Result<String, String> {
    let (program, rest) = args.split_first().ok_or("not: which command must fail?")?;
    let status =
        Command::new(program).args(rest).status().map_err(|e| format!("not: '{program}': {e}"))?;
    match status.code() {
        Some(0) => Err(format!("not: '{program}' succeeded, but must fail")),
        Some(code) if code < 124 && code != 101 => Ok(String::new()),
        _ => Err(format!("not: '{program}' must fail in an orderly way, but ended with {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn only_an_orderly_failure_counts() {
        let shell = |text: &str| run(&["sh", "-c", text].map(str::to_owned));
        assert_eq!(shell("exit 3"), Ok(String::new()));
        assert!(shell("exit 0").unwrap_err().contains("succeeded"));
        assert!(shell("exit 101").unwrap_err().contains("101"));
        assert!(shell("kill -9 $$").unwrap_err().contains("signal"));
        assert!(run(&["no such program".into()]).unwrap_err().contains("no such program"));
        assert!(run(&[]).is_err());
    }
}
