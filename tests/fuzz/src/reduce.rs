//! Makes a kernel that fails smaller: drops statements, puts what a compound holds in its place,
//! and leaves out launches, as long as the kernel still fails. It stays legal: barriers that a
//! change makes necessary come back.

use crate::barriers;
use crate::program::{Kernel, Statement, count};

/// Reduces `kernel` as long as `fails` says that it still does, with at most `attempts` questions.
pub fn reduce(kernel: &Kernel, attempts: usize, fails: &mut dyn FnMut(&Kernel) -> bool) -> Kernel {
    let mut best = kernel.clone();
    let mut left = attempts;
    let mut ask = |candidate: &Kernel| {
        left = left.saturating_sub(1);
        left > 0 && fails(candidate)
    };
    for i in (0..best.launches.len()).rev() {
        let mut candidate = best.clone();
        candidate.launches.remove(i);
        if !candidate.launches.is_empty() && ask(&candidate) {
            best = candidate;
        }
    }
    loop {
        let before = size(&best);
        // From the end: what comes later depends on what comes earlier, not the other way round.
        let mut place = before;
        while place > 0 {
            place = (place - 1).min(size(&best).saturating_sub(1));
            for change in [Change::Drop, Change::Unwrap] {
                let Some(candidate) = changed(&best, place, change) else { continue };
                if size(&candidate) < size(&best) && ask(&candidate) {
                    best = candidate;
                    break;
                }
            }
        }
        if size(&best) == before {
            return best;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Drop,
    /// A compound's contents instead of itself, once and in order.
    Unwrap,
}

fn size(kernel: &Kernel) -> usize {
    count(&kernel.body) + count(&kernel.tail)
}

/// `kernel` without its statement number `place`, counted in the order of the text.
fn changed(kernel: &Kernel, place: usize, change: Change) -> Option<Kernel> {
    let mut candidate = kernel.clone();
    let in_body = count(&kernel.body);
    let done = if place < in_body {
        apply(&mut candidate.body, place, change)
    } else {
        apply(&mut candidate.tail, place - in_body, change)
    };
    barriers::complete(&mut candidate.body);
    done.then_some(candidate)
}

fn apply(body: &mut Vec<Statement>, mut place: usize, change: Change) -> bool {
    for i in 0..body.len() {
        let here = body[i].count();
        if place >= here {
            place -= here;
            continue;
        }
        if place == 0 {
            if change == Change::Drop {
                body.remove(i);
                return true;
            }
            let Statement::Compound { arms, .. } = &body[i] else { return false };
            let inside: Vec<Statement> = arms.iter().flat_map(|a| a.body.clone()).collect();
            body.splice(i..=i, inside);
            return true;
        }
        place -= 1;
        let Statement::Compound { arms, .. } = &mut body[i] else { return false };
        for arm in arms {
            let inside = count(&arm.body);
            if place < inside {
                return apply(&mut arm.body, place, change);
            }
            place -= inside;
        }
        return false;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    /// The texts of all statements, one after the other.
    fn texts(body: &[Statement]) -> String {
        let one = |s: &Statement| match s {
            Statement::Simple { text, .. }
            | Statement::Exchange { text, .. }
            | Statement::Jump { text, .. } => text.clone(),
            Statement::Barrier(_) => String::new(),
            Statement::Compound { arms, .. } => arms.iter().map(|a| texts(&a.body)).collect(),
        };
        body.iter().map(one).collect()
    }

    #[test]
    fn only_what_fails_is_left() {
        let fails = |k: &Kernel| texts(&k.body).contains("exchange(");
        let kernel = (0..).map(generate::kernel).find(|k| fails(k) && size(k) > 10).unwrap();
        let reduced = reduce(&kernel, 1000, &mut { fails });
        assert_eq!((size(&reduced), reduced.launches.len()), (1, 1), "{}", texts(&reduced.body));
    }

    #[test]
    fn questions_are_limited() {
        let mut asked = 0;
        reduce(&generate::kernel(3), 5, &mut |_| {
            asked += 1;
            false
        });
        assert!(asked <= 5);
    }
}
