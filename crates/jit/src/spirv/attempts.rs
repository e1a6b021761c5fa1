//! Translating again where the back end gave two blocks one id.
//!
//! It does so by chance ([`super::labels`]): with functions that come to lie where none has been before, it cannot happen.

use std::fmt;
use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// More than one is rarely needed: the second has memory of its own.
const ATTEMPTS: u32 = 4;

/// Of the threads for further attempts: as much as a program's first thread has.
const STACK: usize = 8 << 20;

/// Why a translation came to nothing.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Two blocks of a function have this id.
    Blocks(u32),
    Other(String),
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self::Other(message)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blocks(id) => write!(f, "the SPIR-V back end gave two blocks of a function the id {id}"),
            Self::Other(message) => f.write_str(message),
        }
    }
}

/// What `translate` gives, if need be at a later attempt.
pub fn run<T: Send>(translate: &(dyn Fn() -> Result<T, Trouble> + Sync)) -> Result<T, String> {
    attempt(ATTEMPTS, translate).map_err(|trouble| trouble.to_string())
}

fn attempt<T: Send>(left: u32, translate: &(dyn Fn() -> Result<T, Trouble> + Sync)) -> Result<T, Trouble> {
    match translate() {
        Err(Trouble::Blocks(id)) if left > 1 => scope(|s| {
            // The C library gives threads that live at the same time memory from different places; this one waits for the next.
            let next = Builder::new().stack_size(STACK).spawn_scoped(s, || attempt(left - 1, translate));
            let Ok(next) = next else { return Err(Trouble::Blocks(id)) };
            next.join().unwrap_or_else(|panic| resume_unwind(panic))
        }),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::thread::{self, ThreadId};

    /// Fails as often as `results` says; returns the threads, too.
    fn with(results: Vec<Result<u32, Trouble>>) -> (Result<u32, String>, Vec<ThreadId>) {
        let (results, threads) = (Mutex::new(results.into_iter()), Mutex::new(Vec::new()));
        let result = run(&|| {
            threads.lock().unwrap().push(thread::current().id());
            results.lock().unwrap().next().expect("no more attempts than results")
        });
        (result, threads.into_inner().unwrap())
    }

    #[test]
    fn each_attempt_has_a_thread_of_its_own() {
        let (result, threads) = with(vec![Err(Trouble::Blocks(7)), Err(Trouble::Blocks(8)), Ok(5)]);
        assert_eq!(result, Ok(5));
        assert_eq!(threads[0], thread::current().id());
        assert!(threads[0] != threads[1] && threads[1] != threads[2] && threads[2] != threads[0]);
    }

    #[test]
    fn what_always_fails_is_said() {
        let (result, threads) = with((1..=ATTEMPTS).map(|id| Err(Trouble::Blocks(id))).collect());
        assert_eq!(result, Err("the SPIR-V back end gave two blocks of a function the id 4".to_owned()));
        assert_eq!(threads.len(), ATTEMPTS as usize);
    }

    #[test]
    fn other_errors_are_final() {
        let (result, threads) = with(vec![Err(Trouble::Other("no kernel".to_owned()))]);
        assert_eq!((result, threads.len()), (Err("no kernel".to_owned()), 1));
    }
}
