//! Translates again if the back end gave two blocks the same id.
//!
//! It does so by chance ([`scythe_passes::target::spirv::lowering::labels`]). It cannot happen if
//! the functions have addresses that no function had before.

use crate::Error;
use scythe_passes::target::spirv::SpirvError;
use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// More than one is rarely needed: the second has memory of its own.
const ATTEMPTS: u32 = 4;

/// Of the threads for further attempts: as much as a program's first thread has.
const STACK: usize = 8 << 20;

/// What `translate` gives, if need be at a later attempt.
pub fn run<T: Send>(translate: &(dyn Fn() -> Result<T, Error> + Sync)) -> Result<T, Error> {
    attempt(ATTEMPTS, translate)
}

fn attempt<T: Send>(
    left: u32,
    translate: &(dyn Fn() -> Result<T, Error> + Sync),
) -> Result<T, Error> {
    match translate() {
        Err(error @ Error::Spirv(SpirvError::SameBlock { .. })) if left > 1 => scope(|s| {
            // The C library gives threads that live at the same time memory from different places;
            // this one waits for the next.
            let next =
                Builder::new().stack_size(STACK).spawn_scoped(s, || attempt(left - 1, translate));
            let Ok(next) = next else { return Err(error) };
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

    fn same_block(id: u32) -> Error {
        SpirvError::SameBlock { id }.into()
    }

    /// Fails as often as `results` says; returns the threads, too.
    fn with(results: Vec<Result<u32, Error>>) -> (Result<u32, Error>, Vec<ThreadId>) {
        let (results, threads) = (Mutex::new(results.into_iter()), Mutex::new(Vec::new()));
        let result = run(&|| {
            threads.lock().unwrap().push(thread::current().id());
            results.lock().unwrap().next().expect("no more attempts than results")
        });
        (result, threads.into_inner().unwrap())
    }

    #[test]
    fn each_attempt_has_a_thread_of_its_own() {
        let (result, threads) = with(vec![Err(same_block(7)), Err(same_block(8)), Ok(5)]);
        assert_eq!(result.ok(), Some(5));
        assert_eq!(threads[0], thread::current().id());
        assert!(threads[0] != threads[1] && threads[1] != threads[2] && threads[2] != threads[0]);
    }

    #[test]
    fn what_always_fails_is_said() {
        let (result, threads) = with((1..=ATTEMPTS).map(|id| Err(same_block(id))).collect());
        let why = result.unwrap_err().to_string();
        assert_eq!(why, "the SPIR-V back end gave two blocks of a function the id 4");
        assert_eq!(threads.len(), ATTEMPTS as usize);
    }

    #[test]
    fn other_errors_are_final() {
        let (result, threads) =
            with(vec![Err(SpirvError::NoKernel { kernel: "k".to_owned() }.into())]);
        assert_eq!(
            (result.unwrap_err().to_string().as_str(), threads.len()),
            ("the device code has no kernel 'k'", 1)
        );
    }
}
