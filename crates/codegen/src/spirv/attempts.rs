//! Repeats the translation if the back end gave two blocks the same id.
//!
//! The back end does so by chance ([`scythe_passes::target::spirv::lowering::labels`]). It cannot
//! happen if the functions have addresses that no function had before.

use crate::Error;
use scythe_passes::target::spirv::SpirvError;
use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// The maximum number of attempts. The second one nearly always succeeds, because it uses other
/// memory.
const ATTEMPTS: u32 = 4;

/// The stack size of the threads for further attempts: that of a program's first thread.
const STACK: usize = 8 << 20;

/// Returns the result of `translate`, from a later attempt if necessary.
pub fn run<T: Send>(translate: &(dyn Fn() -> Result<T, Error> + Sync)) -> Result<T, Error> {
    attempt(ATTEMPTS, translate)
}

fn attempt<T: Send>(
    left: u32,
    translate: &(dyn Fn() -> Result<T, Error> + Sync),
) -> Result<T, Error> {
    match translate() {
        Err(error @ Error::Spirv(SpirvError::SameBlock { .. })) if left > 1 => scope(|s| {
            // The C library allocates memory for threads that live at the same time from different
            // arenas. This thread waits for the next one.
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

    /// Runs a translation that returns `results` in order. Also returns the threads of the
    /// attempts.
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
        assert_eq!(
            why,
            "LLVM's SPIR-V back end gave two basic blocks of a function the same id %4"
        );
        assert_eq!(threads.len(), ATTEMPTS as usize);
    }

    #[test]
    fn other_errors_are_final() {
        let (result, threads) = with(vec![Err(Error::NoKernel { kernel: "k".to_owned() })]);
        assert_eq!(
            (result.unwrap_err().to_string().as_str(), threads.len()),
            ("the device code has no kernel 'k'", 1)
        );
    }
}
