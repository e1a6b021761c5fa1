//! From a seed to a kernel.

use super::expression::{Expressions, Scope};
use super::{Code, Jump, Kernel, Statement};
use crate::random::Random;
use crate::reduce::Nested;

/// The largest work-group, in work-items.
const MOST: usize = 70;
/// The most work-groups: the prelude has room for them.
const GROUPS: usize = 4;

/// What a place in the kernel allows.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    breaks: bool,
    continues: bool,
}

struct Generator {
    random: Random,
    scope: Scope,
    /// Labels that `goto`s may name; all are placed in the end.
    labels: usize,
    counters: usize,
}

/// The kernel of `seed`.
pub fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed ^ 0xC0_47_01);
    let scope = Scope { varying: 2 + random.below(2), uniform: 1 + random.below(3) };
    let labels = match random.below(10) {
        0..=4 => 0,
        5..=7 => 1 + random.below(2),
        _ => 3 + random.below(4),
    };
    let mut g = Generator { random, scope, labels, counters: 0 };
    let length = 2 + g.random.below(4);
    let depth = 1 + g.random.below(3);
    let mut body = g.block(length, Place { depth, breaks: false, continues: false });
    if labels > 3 && g.random.chance(50) {
        body = g.graph();
    }
    for label in 0..labels {
        if !has_label(&body, label) {
            g.place_label(&mut body, label);
        }
    }
    let declarations = g.declarations();
    let result = g.result();
    let arguments = [(); 4].map(|()| match g.random.below(3) {
        0 => g.random.number() as u32,
        _ => g.random.below(9) as u32,
    });
    let dimensions = 1 + g.random.below(3);
    let nd = g.random.chance(80);
    let mut launches = g.launches(dimensions);
    let required = nd && g.random.chance(40);
    if required {
        let local = launches[0].0;
        launches.iter_mut().for_each(|launch| launch.0 = local);
    }
    let sub_group =
        if nd && g.random.chance(12) { Some(*g.random.pick(&[4, 8, 16, 32])) } else { None };
    let code = Code { nd, declarations, body, result };
    Kernel { seed, dimensions, code, arguments, sub_group, required, launches }
}

fn has_label(body: &[Statement], label: usize) -> bool {
    body.iter().any(|s| {
        *s == Statement::Label(label) || s.bodies().into_iter().any(|b| has_label(b, label))
    })
}

impl Generator {
    fn declarations(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for i in 0..self.scope.varying {
            let value = match self.random.below(4) {
                0 => format!("gid * 2654435761u + {}u", self.random.below(100)),
                1 => format!("l + {}u", self.random.below(9)),
                _ => format!("in[(gid * {}u + {}u) & 255u]", 1 + 2 * self.random.below(8), i * 37),
            };
            lines.push(format!("uint a{i} = {value};"));
        }
        for i in 0..self.scope.uniform {
            let value = match self.random.below(4) {
                0 => format!("k{}", self.random.below(4)),
                1 => format!("g * {}u", 1 + self.random.below(3)),
                _ => format!("{}u", self.random.below(3)),
            };
            lines.push(format!("uint v{i} = {value};"));
        }
        let narrow = *self.random.pick(&["0", "k1", "l"]);
        lines.push(format!("unsigned char b = static_cast<unsigned char>({narrow});"));
        lines.push(format!(
            "unsigned short h = static_cast<unsigned short>({});",
            *self.random.pick(&["7", "k2", "gid"])
        ));
        lines.push(format!(
            "int s = {};",
            *self.random.pick(&["0", "-5", "static_cast<int>(l) - 4"])
        ));
        lines.push(format!("ulong w = {};", *self.random.pick(&["1", "gid", "k3"])));
        lines.push("bool t = false;".to_owned());
        lines.push("float f = 1.0f;".to_owned());
        lines.push("uint p[8] = {k0, l, 2u, 3u, k1, 5u, g, 7u};".to_owned());
        lines.extend((0..self.counters).map(|i| format!("uint c{i} = 0u;")));
        lines
    }

    fn result(&mut self) -> Vec<String> {
        let mut terms: Vec<String> = (0..self.scope.varying).map(|i| format!("a{i}")).collect();
        terms.extend((0..self.scope.uniform).map(|i| format!("v{i}")));
        terms.extend(["b", "h", "static_cast<uint>(s)", "static_cast<uint>(w)"].map(str::to_owned));
        terms.extend(["static_cast<uint>(w >> 32)", "t", "bits(f)"].map(str::to_owned));
        terms.extend((0..8).map(|i| format!("p[{i}]")));
        terms
    }

    fn launches(&mut self, dimensions: usize) -> Vec<([usize; 3], usize)> {
        let count = 1 + self.random.below(2);
        (0..count)
            .map(|_| {
                let mut local = [1, 1, 1];
                let row = match self.random.below(3) {
                    0 => 1 << self.random.below(6),
                    1 => 1 + self.random.below(20),
                    _ => 1 + self.random.below(MOST),
                };
                local[dimensions - 1] = row;
                let mut left = MOST / row;
                for extent in local.iter_mut().take(dimensions - 1) {
                    *extent = 1 + self.random.below(left.min(9));
                    left /= *extent;
                }
                (local, 1 + self.random.below(GROUPS))
            })
            .collect()
    }

    fn expression(&mut self, make: impl FnOnce(&mut Expressions<'_>) -> String) -> String {
        make(&mut Expressions { random: &mut self.random, scope: self.scope })
    }

    fn block(&mut self, length: usize, place: Place) -> Vec<Statement> {
        let mut all = Vec::new();
        for _ in 0..length {
            self.statement(place, &mut all);
        }
        all
    }

    fn statement(&mut self, place: Place, all: &mut Vec<Statement>) {
        match self.random.below(100) {
            0..=21 if place.depth > 0 => {
                let condition = self.expression(|e| e.condition(2));
                let (then, otherwise) = (1 + self.random.below(3), self.random.below(3));
                let inner = Place { depth: place.depth - 1, ..place };
                let (then, otherwise) = (self.block(then, inner), self.block(otherwise, inner));
                all.push(Statement::If { condition, then, otherwise });
            }
            22..=44 if place.depth > 0 => self.repeat(place, all),
            45..=50 if place.depth > 0 => self.switch(place, all),
            51..=64 => {
                let jump = self.jump(place);
                all.push(jump);
            }
            _ => {
                let simple = self.simple();
                all.push(simple);
            }
        }
    }

    /// A jump out of what is around it, or to a label; most often conditional.
    fn jump(&mut self, place: Place) -> Statement {
        let mut kinds = Vec::new();
        if place.breaks {
            kinds.extend([Jump::Break, Jump::Break]);
        }
        if place.continues {
            kinds.extend([Jump::Continue, Jump::Continue]);
        }
        if self.labels > 0 {
            let label = self.random.below(self.labels);
            kinds.extend([Jump::Goto(label), Jump::Goto(label)]);
        }
        if kinds.is_empty() || self.random.chance(12) {
            let number = 1 + self.random.below(9) as u32;
            kinds = vec![Jump::Return(number)];
        }
        let jump = self.random.pick(&kinds).clone();
        let condition = self.expression(|e| {
            if e.random.chance(25) { e.uniform_condition() } else { e.condition(1) }
        });
        Statement::Jump { condition: Some(condition), jump }
    }

    fn simple(&mut self) -> Statement {
        let a = self.random.below(self.scope.varying);
        let v = self.random.below(self.scope.uniform);
        let c = 1 + 2 * self.random.below(9);
        Statement::Simple(match self.random.below(20) {
            0..=2 => format!("v{v} += {}u;", 1 + self.random.below(3)),
            3 => format!("v{v} = v{v} * 3u + k{};", self.random.below(4)),
            4 => self.expression(|e| format!("v{v} = {};", e.uniform_leaf())),
            5 => self.expression(|e| format!("v{v} ^= {};", e.word(1))),
            6 | 7 => format!("a{a} = a{a} * 5u + {c}u;"),
            8 => self.expression(|e| format!("b = static_cast<unsigned char>({});", e.word(2))),
            9 => {
                self.expression(|e| format!("h = static_cast<unsigned short>(h + {});", e.word(1)))
            }
            10 => {
                self.expression(|e| format!("s = static_cast<int>({} & 8191u) - 4096;", e.word(1)))
            }
            11 => self.expression(|e| format!("w = {};", e.wide(2))),
            12 => self.expression(|e| format!("t = {};", e.condition(1))),
            13 => self.expression(|e| format!("f = {};", e.float())),
            14 => self.expression(|e| format!("p[{} & 7u] = {};", e.word(1), e.word(1))),
            15 | 16 => {
                let slot = 1 + self.random.below(4);
                self.expression(|e| format!("out[{slot}u * items + gid] = {};", e.word(2)))
            }
            _ => {
                let op = *self.random.pick(&["=", "+=", "^=", "-=", "*="]);
                self.expression(|e| format!("a{a} {op} {};", e.word(3)))
            }
        })
    }

    /// A loop. The endless ones step a generator of random numbers first, so that their exits are
    /// taken sooner or later.
    fn repeat(&mut self, place: Place, all: &mut Vec<Statement>) {
        let inner = Place { depth: place.depth - 1, breaks: true, continues: true };
        let length = 1 + self.random.below(4);
        let mut body = self.block(length, inner);
        let counter = self.counters;
        let bound = self.expression(|e| {
            let bound = if e.random.chance(50) { e.uniform_leaf() } else { e.word(1) };
            format!("{bound} % {}u + 1u", 2 + e.random.below(9))
        });
        let (open, close) = match self.random.below(6) {
            0 => {
                self.counters += 1;
                (
                    format!("for (c{counter} = 0u; c{counter} < {bound}; ++c{counter})"),
                    String::new(),
                )
            }
            1 => {
                self.counters += 1;
                (
                    format!("for (c{counter} = {bound}; c{counter} != 0u; --c{counter})"),
                    String::new(),
                )
            }
            kind => {
                let a = self.random.below(self.scope.varying);
                let v = self.random.below(self.scope.uniform);
                let c = 1 + 2 * self.random.below(50);
                body.insert(0, Statement::Simple(format!("a{a} = a{a} * 5u + {c}u;")));
                body.insert(1, Statement::Simple(format!("v{v} += 1u;")));
                let condition = self.expression(|e| {
                    let limit = 4 + e.random.below(25);
                    match e.random.below(3) {
                        0 => format!("(v{v} > {limit}u)"),
                        1 => format!("((a{a} >> {}u & 7u) == 1u)", e.random.below(20)),
                        _ => format!("(v{v} > {limit}u || (a{a} >> 9u & 3u) == 2u)"),
                    }
                });
                match kind {
                    2 => ("do".to_owned(), format!("while (!{condition});")),
                    3 => (format!("while (!{condition})"), String::new()),
                    _ => {
                        let exit =
                            Statement::Jump { condition: Some(condition), jump: Jump::Break };
                        let at = 2 + self.random.below(body.len() - 1);
                        body.insert(at, exit);
                        ("for (;;)".to_owned(), String::new())
                    }
                }
            }
        };
        all.push(Statement::Loop { open, body, close });
    }

    fn switch(&mut self, place: Place, all: &mut Vec<Statement>) {
        let inner = Place { depth: place.depth - 1, breaks: true, ..place };
        let count = 2 + self.random.below(4);
        let mut arms = Vec::new();
        for i in 0..count {
            let length = 1 + self.random.below(2);
            let mut arm = self.block(length, inner);
            if i + 1 < count && !self.random.chance(35) {
                arm.push(Statement::Jump { condition: None, jump: Jump::Break });
            }
            arms.push(arm);
        }
        let value = self.expression(|e| {
            let value = if e.random.chance(25) { e.uniform_leaf() } else { e.word(2) };
            format!("{value} & 7u")
        });
        all.push(Statement::Switch { value, arms });
    }

    /// Blocks that end in jumps to any of them.
    fn graph(&mut self) -> Vec<Statement> {
        let mut all = Vec::new();
        for label in 0..self.labels {
            all.push(Statement::Label(label));
            let a = self.random.below(self.scope.varying);
            let c = 1 + 2 * self.random.below(50);
            all.push(Statement::Simple(format!("a{a} = a{a} * 5u + {c}u;")));
            for _ in 0..self.random.below(3) {
                let simple = self.simple();
                all.push(simple);
            }
            for _ in 0..1 + self.random.below(2) {
                let condition = self.expression(|e| {
                    if e.random.chance(30) {
                        e.uniform_condition()
                    } else {
                        format!(
                            "((a{a} >> {}u & 3u) == {}u)",
                            e.random.below(24),
                            e.random.below(4)
                        )
                    }
                });
                let jump = Jump::Goto(self.random.below(self.labels));
                all.push(Statement::Jump { condition: Some(condition), jump });
            }
        }
        all
    }

    /// Puts a label somewhere: into a loop, a branch or a switch as well.
    fn place_label(&mut self, body: &mut Vec<Statement>, label: usize) {
        let at = self.random.below(body.len() + 1);
        if let Some(statement) = body.get_mut(at)
            && self.random.chance(60)
        {
            let mut inside: Vec<&mut Vec<Statement>> = statement.bodies_mut();
            inside.retain(|b| !b.is_empty());
            if !inside.is_empty() {
                let chosen = self.random.below(inside.len());
                let inner = inside.swap_remove(chosen);
                return self.place_label(inner, label);
            }
        }
        body.insert(at, Statement::Label(label));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::program;

    #[test]
    fn a_seed_always_gives_the_same_kernel() {
        for seed in 0..50 {
            assert_eq!(program(&[kernel(seed)]), program(&[kernel(seed)]));
        }
    }

    #[test]
    fn launches_fit_the_memory_of_the_prelude() {
        for seed in 0..2000 {
            for (local, groups) in kernel(seed).launches {
                assert!(
                    local.iter().product::<usize>() <= MOST && (1..=GROUPS).contains(&groups),
                    "{local:?}"
                );
            }
        }
    }

    #[test]
    fn every_goto_has_its_label() {
        fn targets(body: &[Statement], all: &mut Vec<usize>) {
            for s in body {
                if let Statement::Jump { jump: Jump::Goto(label), .. } = s {
                    all.push(*label);
                }
                s.bodies().into_iter().for_each(|b| targets(b, all));
            }
        }
        let mut count = 0;
        for seed in 0..500 {
            let k = kernel(seed);
            let mut all = Vec::new();
            targets(&k.code.body, &mut all);
            count += all.len();
            assert!(all.iter().all(|l| has_label(&k.code.body, *l)), "kernel {seed}");
        }
        assert!(count > 200, "{count} gotos");
    }
}
