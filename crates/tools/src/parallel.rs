//! Runs several jobs at the same time. The results are in the order of the jobs.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the result of `work` for each job. At most `limit` jobs run at a time, including one on
/// the caller's thread.
pub fn map<J: Sync, R: Send + Sync>(
    limit: NonZero<usize>,
    jobs: &[J],
    work: impl Fn(&J) -> R + Sync,
) -> Vec<R> {
    let results: Vec<OnceLock<R>> = jobs.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some((index, job)) = take(&next, jobs) {
            // Only the thread that took an index sets its result.
            let _ = results[index].set(work(job));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..limit.get().min(jobs.len()) {
            scope.spawn(run);
        }
        run();
    });
    // If a thread panics, the scope panics, too. Here, all results are set.
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// Returns the number of jobs that this machine can run at the same time.
pub fn processors() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// Returns the next job and its index.
fn take<'a, J>(next: &AtomicUsize, jobs: &'a [J]) -> Option<(usize, &'a J)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, jobs.get(index)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_jobs_however_many_run_at_a_time() {
        let jobs: Vec<u64> = (0..100).collect();
        let expected: Vec<u64> = jobs.iter().map(|n| n * n).collect();
        for limit in [1, 3, 1000] {
            let limit = NonZero::new(limit).unwrap();
            let running = AtomicUsize::new(0);
            let results = map(limit, &jobs, |n| {
                assert!(running.fetch_add(1, Ordering::SeqCst) < limit.get());
                std::thread::yield_now();
                running.fetch_sub(1, Ordering::SeqCst);
                n * n
            });
            assert_eq!(results, expected);
        }
        assert!(map(NonZero::<usize>::MIN, &[] as &[u8], |_| ()).is_empty());
    }
}
