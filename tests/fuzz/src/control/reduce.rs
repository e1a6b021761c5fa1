//! Makes a kernel that fails smaller: drops statements and launches, and replaces compound
//! statements by what they hold. A change that leaves a `goto` without its label, or a `break`
//! outside of a loop, does not compile, so it does not fail.

use super::{Kernel, Statement, count};

/// Reduces `kernel` as long as `fails` holds, with at most `attempts` questions.
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
        let before = count(&best.body);
        let mut place = before;
        while place > 0 {
            place = (place - 1).min(count(&best.body).saturating_sub(1));
            for unwrap in [false, true] {
                let mut candidate = best.clone();
                if apply(&mut candidate.body, place, unwrap)
                    && count(&candidate.body) < count(&best.body)
                    && ask(&candidate)
                {
                    best = candidate;
                    break;
                }
            }
        }
        if count(&best.body) == before {
            return best;
        }
    }
}

/// Drops statement number `place`, in the order of the text, or puts its bodies in its place.
fn apply(body: &mut Vec<Statement>, mut place: usize, unwrap: bool) -> bool {
    for i in 0..body.len() {
        let here = body[i].count();
        if place >= here {
            place -= here;
            continue;
        }
        if place == 0 {
            let inside: Vec<Statement> = if unwrap {
                body[i].bodies().into_iter().flatten().cloned().collect()
            } else {
                Vec::new()
            };
            body.splice(i..=i, inside);
            return true;
        }
        place -= 1;
        for inner in body[i].bodies_mut() {
            let inside = count(inner);
            if place < inside {
                return apply(inner, place, unwrap);
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
    use crate::batch::Case;

    fn holds_goto(all: &[Statement]) -> bool {
        all.iter().any(|s| {
            matches!(s, Statement::Jump { jump: super::super::Jump::Goto(_), .. })
                || s.bodies().into_iter().any(|b| holds_goto(b))
        })
    }

    #[test]
    fn only_what_fails_is_left() {
        let kernel = (0..)
            .map(Kernel::generate)
            .find(|k| holds_goto(&k.body) && count(&k.body) > 10)
            .unwrap();
        let reduced = reduce(&kernel, 10_000, &mut |k| holds_goto(&k.body));
        assert_eq!((count(&reduced.body), reduced.launches.len()), (1, 1), "{:?}", reduced.body);
    }

    #[test]
    fn questions_are_limited() {
        let mut asked = 0;
        reduce(&Kernel::generate(3), 5, &mut |_| {
            asked += 1;
            false
        });
        assert!(asked <= 5);
    }
}
