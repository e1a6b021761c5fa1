//! Puts barriers where a kernel would race without them, and nowhere else.
//!
//! Between two barriers a memory is either read by everybody or written by its owners, never both.
//! The accesses since the last barrier are followed along all paths of the uniform control flow:
//! `break` and `continue` carry theirs to the end and to the head of their loop. A statement that
//! could race with them gets a barrier before it. Divergent compounds hold no barriers, and count
//! as one statement; the generator lets none of them both read and write a memory.

use crate::program::{Jump, Shape, Statement, Touch};

/// Accesses that jumps carry out of a loop's body; `None` where no path leads.
#[derive(Default)]
struct Jumps {
    out: Option<Touch>,
    next: Option<Touch>,
}

/// Makes `body` free of races; what a kernel starts with has touched nothing.
pub fn complete(body: &mut Vec<Statement>) {
    flow(body, Some(Touch::default()), &mut Jumps::default());
}

/// Joins the accesses of two paths.
fn join(a: Option<Touch>, b: Option<Touch>) -> Option<Touch> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.with(b)),
        (a, b) => a.or(b),
    }
}

/// Follows `body` from the accesses `before` it; the answer is those at its end.
fn flow(body: &mut Vec<Statement>, before: Option<Touch>, jumps: &mut Jumps) -> Option<Touch> {
    let mut state = before;
    let mut i = 0;
    while i < body.len() {
        let barrier = match (&body[i], state) {
            (_, None) => false,
            (Statement::Exchange { memory, .. }, Some(s)) => {
                s.races_with(Touch { reads: 0, writes: 1 << memory })
            }
            (Statement::Compound { uniform: true, .. } | Statement::Barrier(_), _) => false,
            (s, Some(before)) => before.races_with(s.touch()),
        };
        if barrier {
            body.insert(i, Statement::Barrier("sycl::group_barrier(it.get_group());".to_owned()));
        }
        state = step(&mut body[i], state, jumps);
        i += 1;
    }
    state
}

fn step(statement: &mut Statement, before: Option<Touch>, jumps: &mut Jumps) -> Option<Touch> {
    match statement {
        Statement::Barrier(_) | Statement::Exchange { .. } => before.map(|_| Touch::default()),
        Statement::Jump { jump, .. } => {
            match jump {
                Jump::Break => jumps.out = join(jumps.out, before),
                Jump::Continue => jumps.next = join(jumps.next, before),
                Jump::Return => {}
            }
            // Jumps are conditional.
            before
        }
        Statement::Compound { arms, shape: Shape::Branch, uniform: true, .. } => {
            // No arm need run.
            arms.iter_mut().fold(before, |all, arm| join(all, flow(&mut arm.body, before, jumps)))
        }
        Statement::Compound { arms, shape: Shape::Loop { once }, uniform: true, .. } => {
            let mut head = before;
            loop {
                let mut inner = Jumps::default();
                let mut end = head;
                for arm in arms.iter_mut() {
                    end = flow(&mut arm.body, end, &mut inner);
                }
                let around = join(head, join(end, inner.next));
                if around == head {
                    let skipped = if *once { None } else { head };
                    return join(join(skipped, end), join(inner.out, inner.next));
                }
                head = around;
            }
        }
        other => before.map(|b| b.with(other.touch())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Arm;

    fn write() -> Statement {
        Statement::Simple { text: "w".to_owned(), touch: Touch { reads: 0, writes: 1 } }
    }

    fn read() -> Statement {
        Statement::Simple { text: "r".to_owned(), touch: Touch { reads: 1, writes: 0 } }
    }

    fn looped(body: Vec<Statement>) -> Statement {
        let arm = Arm { open: String::new(), body, close: String::new() };
        let shape = Shape::Loop { once: false };
        Statement::Compound {
            head: String::new(),
            arms: vec![arm],
            foot: String::new(),
            shape,
            uniform: true,
        }
    }

    /// Letters for statements, `|` for barriers, brackets round loops.
    fn shown(body: &[Statement]) -> String {
        let one = |s: &Statement| match s {
            Statement::Simple { text, .. } | Statement::Exchange { text, .. } => text.clone(),
            Statement::Barrier(_) => "|".to_owned(),
            Statement::Jump { .. } => "j".to_owned(),
            Statement::Compound { arms, .. } => format!("[{}]", shown(&arms[0].body)),
        };
        body.iter().map(one).collect()
    }

    fn check(mut body: Vec<Statement>, expected: &str) {
        complete(&mut body);
        assert_eq!(shown(&body), expected);
        let again = body.clone();
        complete(&mut body);
        assert_eq!(again, body, "nothing is missing the second time");
    }

    #[test]
    fn barriers_stand_between_writes_and_reads() {
        check(vec![write(), write(), read(), read(), write()], "ww|rr|w");
    }

    #[test]
    fn the_next_round_of_a_loop_counts() {
        check(vec![write(), looped(vec![read()]), write()], "w[|r]|w");
        check(vec![looped(vec![write(), read()])], "[|w|r]");
    }

    #[test]
    fn jumps_carry_their_accesses() {
        let jump = |jump| Statement::Jump { text: String::new(), jump };
        let barrier = || Statement::Barrier(String::new());
        check(vec![looped(vec![read(), jump(Jump::Break), barrier()]), write()], "[rj|]|w");
        check(
            vec![looped(vec![write(), jump(Jump::Continue), barrier(), read(), barrier()])],
            "[wj|r|]",
        );
        check(
            vec![looped(vec![read(), jump(Jump::Continue), barrier(), write(), barrier()])],
            "[rj|w|]",
        );
    }
}
