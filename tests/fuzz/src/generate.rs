//! From a seed to a kernel: statements in uniform control flow, with barriers, exchanges and group
//! algorithms, and divergent ones between them. `barriers::complete` adds the barriers that are
//! needed; this adds some that are not.

use crate::barriers;
use crate::expression::{COUNTERS, Expressions, FLOATS, GLOBAL, INTEGERS, MEMORIES, Scope};
use crate::program::{Arm, Code, Jump, Kernel, Shape, Statement, Touch};
use crate::random::Random;

/// What a place in the kernel allows.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    uniform: bool,
    breaks: bool,
    continues: bool,
    returns: bool,
}

/// The largest work-group, in work-items: as the prelude has it.
const MOST: usize = 67;

struct Generator {
    random: Random,
    scope: Scope,
    loops: usize,
}

/// The kernel of `seed`.
pub fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let dimensions = 1 + random.below(3);
    // Most are small, for the time it takes to compile them; a tenth has more of everything, and
    // deeper loops.
    let large = seed % 10 == 9;
    let more = usize::from(large);
    let scope = Scope {
        integers: 1 + more + random.below(4),
        floats: 1 + more + random.below(2),
        uniforms: 1 + more + random.below(2),
        arrays: random.chance(if large { 80 } else { 35 }),
        dimensions,
        counters: Vec::new(),
        readable: 0,
        writable: 0,
    };
    let mut generator = Generator { random, scope, loops: 0 };
    let variables = generator.variables();
    let slots = generator.slots();
    let length = 2 + 3 * more + generator.random.below(4);
    let depth = more + if generator.random.chance(30) { 3 } else { 2 };
    let place = Place { depth, uniform: true, breaks: false, continues: false, returns: true };
    let mut body = generator.block(length, place);
    barriers::complete(&mut body);
    let mut tail = Vec::new();
    if generator.random.chance(25) {
        generator.scope.readable = 0;
        generator.scope.writable = 0;
        let length = 1 + generator.random.below(2);
        tail = generator.block(length, Place { uniform: false, returns: true, ..place });
    }
    let used = body.iter().fold(Touch::default(), |all, s| all.with(s.touch()));
    let memories =
        slots.into_iter().filter(|(memory, _)| (used.reads | used.writes) >> memory & 1 == 1);
    let mut head: Vec<String> =
        variables.into_iter().chain(memories.map(|(_, text)| text)).collect();
    // Every slot is written before anybody reads it.
    head.push("sycl::group_barrier(it.get_group());".to_owned());
    let result = generator.result();
    let arguments = [(); 4].map(|()| match generator.random.below(3) {
        0 => generator.random.number() as u32,
        _ => generator.random.below(9) as u32,
    });
    let mut launches = generator.launches();
    let required = generator.random.chance(40);
    if required {
        let local = launches[0].0;
        launches.iter_mut().for_each(|launch| launch.0 = local);
    }
    let sub_group = if generator.random.chance(20) {
        Some(*generator.random.pick(&[4, 8, 16, 32]))
    } else {
        None
    };
    let code = Code { head, body, tail, result };
    Kernel { seed, dimensions, code, arguments, sub_group, required, launches }
}

impl Generator {
    /// Private variables with their first values.
    fn variables(&mut self) -> Vec<String> {
        let scope = self.scope.clone();
        let mut lines = Vec::new();
        for i in 0..scope.integers {
            lines.push(format!(
                "uint a{i} = in[(gid * {}u + {}u) & 255u];",
                1 + 2 * self.random.below(8),
                i * 37
            ));
        }
        for i in 0..scope.floats {
            lines.push(format!("float f{i} = to_float(in[(gid + {}u) & 255u]);", 11 + i * 53));
        }
        for i in 0..scope.uniforms {
            lines.push(format!(
                "uint v{i} = k{} + g * {}u;",
                self.random.below(4),
                self.random.below(3)
            ));
        }
        lines.push("ulong w = gid;".to_owned());
        if scope.arrays {
            lines.push(
                "uint p[8];\nfor (uint j = 0; j < 8; ++j)\n  p[j] = in[(l + j) & 255u];".to_owned(),
            );
            lines.push(
                "float r[4];\nfor (uint j = 0; j < 4; ++j)\n  r[j] = to_float(j * 77u + l);"
                    .to_owned(),
            );
        }
        lines
    }

    /// For each memory, which slot of it a work-item owns, and the first value there.
    fn slots(&mut self) -> Vec<(u8, String)> {
        let firsts = [(INTEGERS, "t", "a0"), (FLOATS, "u", "f0"), (GLOBAL, "s", "a0 ^ l")];
        let mut lines: Vec<(u8, String)> = firsts
            .into_iter()
            .map(|(memory, name, first)| {
                let own = match self.random.below(40) {
                    0..20 => "l".to_owned(),
                    turn => format!("turned(l, {turn}u % n, n)"),
                };
                (memory, format!("const uint o{name} = {own};\n{name}[o{name}] = {first};"))
            })
            .collect();
        lines.push((COUNTERS, "for (uint j = l; j < 4; j += n)\n  c[j] = k1 + j;".to_owned()));
        lines
    }

    /// All private state, mixed.
    fn result(&mut self) -> String {
        let scope = &self.scope;
        let mut terms: Vec<String> = (0..scope.integers).map(|i| format!("a{i}")).collect();
        terms.extend((0..scope.uniforms).map(|i| format!("v{i}")));
        terms.extend((0..scope.floats).map(|i| format!("bits(f{i})")));
        terms.extend(["static_cast<uint>(w)".to_owned(), "static_cast<uint>(w >> 32)".to_owned()]);
        if scope.arrays {
            terms.extend((0..8).map(|i| format!("p[{i}]")));
            terms.extend((0..4).map(|i| format!("bits(r[{i}])")));
        }
        terms.iter().fold("0u".to_owned(), |all, term| format!("({all} * 31u + {term})"))
    }

    /// Work-groups of 1 to 67 work-items: a few sizes that vectors divide, odd ones, and short rows
    /// of all kinds.
    fn launches(&mut self) -> Vec<([usize; 3], usize)> {
        let count = 2 + self.random.below(2);
        (0..count)
            .map(|_| {
                let size = if self.random.chance(30) {
                    1 << self.random.below(7)
                } else {
                    1 + self.random.below(67)
                };
                let mut local = [1, 1, 1];
                let mut left = size;
                if self.random.chance(50) {
                    // SYCL's last dimension varies fastest.
                    let row = *self.random.pick(&[1, 2, 3, 4, 5, 7, 8, 12]);
                    local[self.scope.dimensions - 1] = row;
                    left = MOST / row;
                    for extent in local.iter_mut().take(self.scope.dimensions - 1) {
                        *extent = 1 + self.random.below(left.min(17));
                        left /= *extent;
                    }
                    return (local, 1 + self.random.below(3));
                }
                for extent in local.iter_mut().take(self.scope.dimensions - 1) {
                    *extent = 1 + self.random.below(left.min(9));
                    left /= *extent;
                }
                local[self.scope.dimensions - 1] = left;
                (local, 1 + self.random.below(3))
            })
            .collect()
    }

    fn block(&mut self, length: usize, place: Place) -> Vec<Statement> {
        (0..length).map(|_| self.statement(place)).collect()
    }

    /// Lets the next statement read some memories, and write others.
    fn share_out(&mut self) {
        self.scope.readable = 0;
        self.scope.writable = 0;
        for memory in 0..MEMORIES {
            match self.random.below(3) {
                0 => self.scope.readable |= 1 << memory,
                1 => self.scope.writable |= 1 << memory,
                _ => {}
            }
        }
    }

    fn statement(&mut self, place: Place) -> Statement {
        if !place.uniform {
            return self.divergent(place);
        }
        self.share_out();
        match self.random.below(100) {
            0..=24 if place.depth > 0 => self.compound(place, true),
            25..=44 if place.depth > 0 => self.compound(place, false),
            45..=52 => self.uniform_assignment(),
            53..=60 => self.exchange(),
            61..=70 => self.collective(),
            71..=74 => {
                let name =
                    *self.random.pick(&["sycl::group_barrier(it.get_group());", "it.barrier();"]);
                Statement::Barrier(name.to_owned())
            }
            75..=80 if place.breaks || place.continues || self.random.chance(15) => {
                self.jump(place, true)
            }
            _ => self.simple(),
        }
    }

    fn divergent(&mut self, place: Place) -> Statement {
        match self.random.below(100) {
            0..=24 if place.depth > 0 => self.compound(place, false),
            25..=32 if place.breaks || place.continues || place.returns => self.jump(place, false),
            _ => self.simple(),
        }
    }

    /// Text made by `make`, with the memories it reads.
    fn expression(&mut self, make: impl FnOnce(&mut Expressions<'_>) -> String) -> (String, Touch) {
        let mut e =
            Expressions { random: &mut self.random, scope: &self.scope, touch: Touch::default() };
        let text = make(&mut e);
        (text, e.touch)
    }

    fn simple(&mut self) -> Statement {
        let integer = format!("a{}", self.random.below(self.scope.integers));
        let float = format!("f{}", self.random.below(self.scope.floats));
        let writable: Vec<u8> =
            (0..MEMORIES).filter(|m| self.scope.writable >> m & 1 == 1).collect();
        let (text, touch) = match self.random.below(12) {
            0..=2 => {
                let op = *self.random.pick(&["=", "+=", "^=", "*=", "-="]);
                self.expression(|e| format!("{integer} {op} {};", e.integer(2)))
            }
            3 | 4 => self.expression(|e| format!("{float} = limited({});", e.float(2))),
            5 if self.scope.arrays => {
                self.expression(|e| format!("p[{} & 7u] = {};", e.integer(1), e.integer(2)))
            }
            6 if self.scope.arrays => {
                self.expression(|e| format!("r[{} & 3u] = limited({});", e.integer(1), e.float(2)))
            }
            7 => self.expression(|e| format!("w = w * 6364136223846793005ull + {};", e.integer(2))),
            8 => self.expression(|e| format!("bump({integer}, {});", e.integer(2))),
            9..=11 if !writable.is_empty() => {
                let memory = *self.random.pick(&writable);
                let (text, mut touch) = self.expression(|e| match memory {
                    INTEGERS => format!("t[ot] = {};", e.integer(2)),
                    FLOATS => format!("u[ou] = limited({});", e.float(2)),
                    GLOBAL => format!("s[os] = {};", e.integer(2)),
                    _ => format!("add(c[{} & 3u], {});", e.integer(1), e.integer(2)),
                });
                touch.writes |= 1 << memory;
                (text, touch)
            }
            _ => self.expression(|e| format!("{integer} = {};", e.integer(2))),
        };
        Statement::Simple { text, touch }
    }

    /// A new value for a variable that the whole group agrees on.
    fn uniform_assignment(&mut self) -> Statement {
        let variable = self.random.below(self.scope.uniforms);
        let readable: Vec<u8> =
            (0..MEMORIES).filter(|m| self.scope.readable >> m & 1 == 1).collect();
        let from = if readable.is_empty() || self.random.chance(40) {
            None
        } else {
            Some(*self.random.pick(&readable))
        };
        let (text, touch) = self.expression(|e| {
            let value = e.uniform(2);
            match from {
                Some(memory) => format!("v{variable} = {};", e.shared(memory, &value)),
                None => format!("v{variable} = {value};"),
            }
        });
        Statement::Simple { text, touch }
    }

    fn exchange(&mut self) -> Statement {
        let target = self.random.below(self.scope.integers);
        self.scope.readable = 0;
        let function = *self.random.pick(&["exchange", "exchange_inline", "next_of_sub_group"]);
        let (text, _) = self.expression(|e| match function {
            "next_of_sub_group" => format!("a{target} = {function}(it, t, ot, {});", e.integer(2)),
            _ => format!(
                "a{target} = {function}(it, t, ot, slot({}, n), {});",
                e.integer(1),
                e.integer(2)
            ),
        });
        Statement::Exchange { text, memory: INTEGERS }
    }

    /// A group algorithm: of the group, or of sub-groups such that their size does not show.
    fn collective(&mut self) -> Statement {
        let uniform = self.random.below(self.scope.uniforms);
        let private = self.random.below(self.scope.integers);
        let float = self.random.below(self.scope.floats);
        let op = *self.random.pick(&[
            "sycl::plus<uint>()",
            "sycl::bit_xor<uint>()",
            "sycl::maximum<uint>()",
            "sycl::minimum<uint>()",
        ]);
        let group = "it.get_group()";
        let kind = self.random.below(9);
        let (text, touch) = self.expression(|e| match kind {
            0 => format!("v{uniform} = sycl::reduce_over_group({group}, {}, {op});", e.integer(2)),
            1 => format!(
                "a{private} = sycl::inclusive_scan_over_group({group}, {}, \
                {op});",
                e.integer(2)
            ),
            2 => format!(
                "a{private} = sycl::exclusive_scan_over_group({group}, {}, \
                {op});",
                e.integer(2)
            ),
            3 => format!(
                "v{uniform} = sycl::group_broadcast({group}, {}, slot({}, \
                n));",
                e.integer(2),
                e.uniform(1)
            ),
            4 => format!("v{uniform} += sycl::any_of_group({group}, {});", e.condition(2)),
            5 => format!("v{uniform} += sycl::all_of_group({group}, {});", e.condition(2)),
            6 => format!("v{uniform} = sum_by_sub_groups(it, {});", e.integer(2)),
            // Adding zero leaves one zero only: which of two a minimum takes is open.
            7 => format!(
                "f{float} = limited(sycl::reduce_over_group({group}, {} + 0.0f, \
                 sycl::minimum<float>()));",
                e.float(1)
            ),
            _ => format!("a{private} ^= kept_by_sub_group(it, {});", e.integer(2)),
        });
        Statement::Simple { text, touch }
    }

    fn jump(&mut self, place: Place, uniform: bool) -> Statement {
        let mut kinds = Vec::new();
        kinds.extend(place.breaks.then_some(Jump::Break));
        kinds.extend(place.continues.then_some(Jump::Continue));
        // Rare, since the rest of the kernel then matters to some groups only.
        if kinds.is_empty() || (place.returns && self.random.chance(10)) {
            kinds = vec![Jump::Return];
        }
        let jump = *self.random.pick(&kinds);
        let (condition, _) = if uniform {
            self.expression(|e| e.uniform_condition())
        } else {
            let readable = std::mem::take(&mut self.scope.readable);
            let condition = self.expression(|e| e.condition(2));
            self.scope.readable = readable;
            condition
        };
        let action = match jump {
            Jump::Break => "break;",
            Jump::Continue => "continue;",
            Jump::Return => "FINISH(1u)",
        };
        Statement::Jump { text: format!("if ({condition}) {action}"), jump }
    }

    /// A branch, a switch or a loop, whose condition all work-items agree on, or not.
    fn compound(&mut self, place: Place, uniform: bool) -> Statement {
        // Inside of uniform flow each statement shares memories out anew; a divergent one does so
        // for all of its parts.
        let (readable, returns) =
            (self.scope.readable, place.returns && (uniform || !place.uniform));
        let inner = Place { depth: place.depth - 1, uniform, returns, ..place };
        let inner = if uniform == place.uniform {
            inner
        } else {
            Place { breaks: false, continues: false, ..inner }
        };
        // Conditions are evaluated apart from what statements touch.
        self.scope.readable = 0;
        let statement = match self.random.below(10) {
            0..=2 => self.branch(inner, uniform, readable),
            3 => self.switch(inner, uniform, readable),
            _ => self.repeat(inner, uniform, readable),
        };
        self.scope.readable = readable;
        statement
    }

    fn condition(&mut self, uniform: bool) -> String {
        self.expression(|e| if uniform { e.uniform_condition() } else { e.condition(2) }).0
    }

    fn branch(&mut self, inner: Place, uniform: bool, readable: u8) -> Statement {
        let condition = self.condition(uniform);
        self.scope.readable = readable;
        let length = 1 + self.random.below(2);
        let body = self.block(length, inner);
        let mut arms =
            vec![Arm { open: format!("if ({condition}) {{"), body, close: "}".to_owned() }];
        if self.random.chance(45) {
            self.scope.readable = readable;
            let length = 1 + self.random.below(2);
            let body = self.block(length, inner);
            arms.push(Arm { open: "else {".to_owned(), body, close: "}".to_owned() });
        }
        Statement::Compound {
            head: String::new(),
            arms,
            foot: String::new(),
            shape: Shape::Branch,
            uniform,
        }
    }

    fn switch(&mut self, inner: Place, uniform: bool, readable: u8) -> Statement {
        let value = self.expression(|e| if uniform { e.uniform(1) } else { e.integer(2) }).0;
        // `break` would leave the switch.
        let inner = Place { breaks: false, ..inner };
        let count = 2 + self.random.below(3);
        let mut arms = Vec::new();
        for i in 0..count {
            self.scope.readable = readable;
            let length = 1 + self.random.below(2);
            let body = self.block(length, inner);
            let last = i + 1 == count;
            let open = if last { "default: {".to_owned() } else { format!("case {i}: {{") };
            // Falling through makes a memory's accesses of two arms follow each other, which
            // divergent ones may.
            let falls = !uniform && !last && self.random.chance(30);
            let close = if falls { "} [[fallthrough]];" } else { "} break;" };
            arms.push(Arm { open, body, close: close.to_owned() });
        }
        let head = format!("switch ({value} & 3u) {{");
        Statement::Compound { head, arms, foot: "}".to_owned(), shape: Shape::Branch, uniform }
    }

    fn repeat(&mut self, inner: Place, uniform: bool, readable: u8) -> Statement {
        let counter = format!("j{}", self.loops);
        self.loops += 1;
        let bound = self.expression(|e| if uniform { e.uniform(1) } else { e.integer(2) }).0;
        let rounds = match self.random.below(3) {
            0 => format!("{}u", 1 + self.random.below(3)),
            _ => format!("{bound} % {}u", 2 + self.random.below(4)),
        };
        self.scope.counters.push((counter.clone(), uniform));
        self.scope.readable = readable;
        let length = 1 + self.random.below(2);
        let body = self.block(length, Place { breaks: true, continues: true, ..inner });
        self.scope.counters.pop();
        let end = format!("{counter}_end");
        let declared = format!("uint {counter} = 0; const uint {end} = {rounds};");
        let (head, open, close, once) = match self.random.below(4) {
            0 => (
                format!("{{ {declared}"),
                "do {".to_owned(),
                format!("}} while (++{counter} < {end});"),
                true,
            ),
            1 => (
                format!("{{ {declared}"),
                format!("while ({counter}++ < {end}) {{"),
                "}".to_owned(),
                false,
            ),
            _ => {
                let open = format!("for (; {counter} < {end}; ++{counter}) {{");
                (format!("{{ {declared}"), open, "}".to_owned(), false)
            }
        };
        let arms = vec![Arm { open, body, close }];
        Statement::Compound {
            head,
            arms,
            foot: "}".to_owned(),
            shape: Shape::Loop { once },
            uniform,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::program;

    #[test]
    fn a_seed_always_gives_the_same_kernel() {
        assert_eq!(kernel(7), kernel(7));
        assert_ne!(kernel(7).code, kernel(8).code);
    }

    #[test]
    fn required_sizes_and_short_rows_are_among_the_launches() {
        let kernels: Vec<Kernel> = (0..500).map(kernel).collect();
        for k in kernels.iter().filter(|k| k.required) {
            assert!(k.launches.iter().all(|l| l.0 == k.launches[0].0), "{:?}", k.launches);
        }
        for row in [1, 2, 3, 4, 5, 7, 8, 12] {
            for dimensions in [2, 3] {
                let short = |k: &&Kernel| {
                    k.dimensions == dimensions && k.launches[0].0[dimensions - 1] == row
                };
                assert!(
                    kernels.iter().filter(|k| k.required).any(|k| short(&k)),
                    "{row} in {dimensions} dimensions"
                );
            }
        }
    }

    #[test]
    fn work_groups_have_1_to_67_work_items() {
        let sizes: Vec<usize> = (0..500)
            .flat_map(|s| kernel(s).launches)
            .map(|(local, _)| local.iter().product())
            .collect();
        assert_eq!((sizes.iter().min(), sizes.iter().max()), (Some(&1), Some(&67)));
    }

    /// Whether `found` holds for a statement in `body` or below.
    fn any(body: &[Statement], found: &dyn Fn(&Statement) -> bool) -> bool {
        body.iter().any(|s| {
            let below = match s {
                Statement::Compound { arms, .. } => arms.iter().any(|a| any(&a.body, found)),
                _ => false,
            };
            found(s) || below
        })
    }

    #[test]
    fn divergent_statements_hold_no_barrier_and_no_race() {
        let waits = |s: &Statement| matches!(s, Statement::Barrier(_) | Statement::Exchange { .. });
        let wrong = |s: &Statement| match s {
            Statement::Compound { arms, uniform: false, .. } => {
                s.touch().races_with(s.touch()) || arms.iter().any(|a| any(&a.body, &waits))
            }
            Statement::Simple { touch, .. } => touch.races_with(*touch),
            _ => false,
        };
        for seed in 0..2000 {
            let k = kernel(seed);
            let (body, tail) = (&k.code.body, &k.code.tail);
            assert!(
                !any(body, &wrong) && !any(tail, &wrong) && !any(tail, &waits),
                "{}",
                program(&[k])
            );
        }
    }

    #[test]
    fn barriers_stand_in_nested_loops_and_branches() {
        let inside = |shape: fn(&Shape) -> bool| {
            let nested = move |s: &Statement| match s {
                Statement::Compound { arms, shape: outer, .. } if shape(outer) => {
                    arms.iter().any(|a| {
                        any(&a.body, &|s| match s {
                            Statement::Compound { arms, shape: Shape::Loop { .. }, .. } => arms
                                .iter()
                                .any(|a| any(&a.body, &|s| matches!(s, Statement::Barrier(_)))),
                            _ => false,
                        })
                    })
                }
                _ => false,
            };
            (0..500).filter(|s| any(&kernel(*s).code.body, &nested)).count()
        };
        let (loops, branches) =
            (inside(|s| matches!(s, Shape::Loop { .. })), inside(|s| *s == Shape::Branch));
        assert!(
            loops > 10 && branches > 5,
            "{loops} in nested loops, {branches} in loops under branches"
        );
    }
}
