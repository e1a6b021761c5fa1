//! Makes a kernel that fails smaller: drops statements, puts what a compound holds in its place,
//! and leaves out launches, as long as the kernel still fails. [`Kind::repair`] keeps it legal. A
//! change that leaves a `goto` without its label, or a `break` outside of a loop, does not compile,
//! so it does not fail.

use crate::kernel::{Kernel, Kind};

/// A statement with the statement lists inside of it.
pub trait Nested: Clone {
    /// The bodies inside of this statement; none if it is not a compound.
    fn bodies(&self) -> Vec<&Vec<Self>>;
    fn bodies_mut(&mut self) -> Vec<&mut Vec<Self>>;
}

/// Reduces `kernel` as long as `fails` says that it still does, with at most `attempts` questions.
pub fn reduce<K: Kind>(
    kernel: &Kernel<K>,
    attempts: usize,
    fails: &mut dyn FnMut(&Kernel<K>) -> bool,
) -> Kernel<K> {
    let mut best = kernel.clone();
    let mut left = attempts;
    let mut ask = |candidate: &Kernel<K>| {
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
                let mut candidate = best.clone();
                let changed = apply(candidate.code.bodies_mut(), place, change);
                candidate.code.repair();
                if changed && size(&candidate) < size(&best) && ask(&candidate) {
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

#[derive(Clone, Copy)]
enum Change {
    Drop,
    /// A compound's contents instead of itself, once and in order.
    Unwrap,
}

/// Returns the number of statements of `kernel`.
pub fn size<K: Kind>(kernel: &Kernel<K>) -> usize {
    kernel.code.bodies().into_iter().map(|body| count(body)).sum()
}

/// Returns the number of statements in `body` and below.
fn count<S: Nested>(body: &[S]) -> usize {
    let below = |s: &S| s.bodies().into_iter().map(|inner| count(inner)).sum::<usize>();
    body.iter().map(|s| 1 + below(s)).sum()
}

/// Changes statement number `place` of `bodies`, counted in the order of the text. Returns whether
/// the change is possible.
fn apply<S: Nested>(bodies: Vec<&mut Vec<S>>, mut place: usize, change: Change) -> bool {
    for body in bodies {
        for i in 0..body.len() {
            if place == 0 {
                return apply_to(body, i, change);
            }
            let below = count(std::slice::from_ref(&body[i])) - 1;
            if place <= below {
                return apply(body[i].bodies_mut(), place - 1, change);
            }
            place -= 1 + below;
        }
    }
    false
}

/// Changes statement `i` of `body`.
fn apply_to<S: Nested>(body: &mut Vec<S>, i: usize, change: Change) -> bool {
    let inside: Vec<S> = match (change, body[i].bodies()) {
        (Change::Drop, _) => Vec::new(),
        (Change::Unwrap, inner) if inner.is_empty() => return false,
        (Change::Unwrap, inner) => inner.into_iter().flatten().cloned().collect(),
    };
    body.splice(i..=i, inside);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use crate::program::{Kernel, Statement};

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
        let fails = |k: &Kernel| texts(&k.code.body).contains("exchange(");
        let kernel = (0..).map(generate::kernel).find(|k| fails(k) && size(k) > 10).unwrap();
        let reduced = reduce(&kernel, 1000, &mut { fails });
        let text = texts(&reduced.code.body);
        assert_eq!((size(&reduced), reduced.launches.len()), (1, 1), "{text}");
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
