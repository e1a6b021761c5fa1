//! `bench WHAT --against PREFIX`: compares the current tree with another installation of Scythe.
//!
//! Both installations run the same measurement in turn, several times, so that a busy machine slows
//! down both. The best value of each row counts.

use std::path::Path;

use super::{Limit, Measure, Report, Row};
use crate::process::progress;

const ROUNDS: usize = 3;
/// The current tree may be this much slower than the other installation.
const TOLERANCE: f64 = 1.03;

/// Measures both installations and returns one row per row of the measurement: the value of `new`
/// divided by the value of `old`, or the reverse if larger values are better.
pub fn compare(
    measure: Measure,
    names: &[String],
    old: &Path,
    new: &Path,
) -> Result<Report, String> {
    let mut best: Option<(Report, Report)> = None;
    for round in 1..=ROUNDS {
        progress(&format!("round {round} of {ROUNDS}: {}", old.display()));
        let old = measure(old, names)?;
        progress(&format!("round {round} of {ROUNDS}: {}", new.display()));
        let new = measure(new, names)?;
        best = Some(match best {
            None => (old, new),
            Some((best_old, best_new)) => (better(best_old, old), better(best_new, new)),
        });
    }
    let (old, new) = best.unwrap_or_default();
    let mut report = Report::default();
    for (old, new) in old.0.iter().zip(&new.0) {
        let costs = if is_cost(old) { new.value / old.value } else { old.value / new.value };
        let what = format!("{} ({:.3} -> {:.3}{})", new.what, old.value, new.value, new.unit);
        // The times of peers are the same programs twice: they show how noisy the machine is.
        let is_time = matches!(new.unit, " s" | " ms" | " us");
        let limit = if is_time { Limit::AtMost(TOLERANCE) } else { Limit::None };
        report.add(what, costs, "x", limit);
    }
    Ok(report)
}

fn is_cost(row: &Row) -> bool {
    !matches!(row.limit, Limit::AtLeast(_))
}

/// The better value of each row.
fn better(mut best: Report, other: Report) -> Report {
    for (best, other) in best.0.iter_mut().zip(other.0) {
        let better = if is_cost(best) { f64::min } else { f64::max };
        best.value = better(best.value, other.value);
    }
    best
}
