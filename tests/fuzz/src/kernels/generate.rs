//! From a seed to a kernel.

use super::expression::{Expressions, Scope, Type};
use super::{Arm, Code, Kernel, Statement};
use crate::random::Random;

/// The largest work-group, in work-items.
const MOST: usize = 70;
/// The most work-groups: the prelude has room for them.
const GROUPS: usize = 4;

struct Generator {
    random: Random,
    scope: Scope,
    reduces: bool,
    /// The counters and labels so far.
    names: usize,
}

/// What a place in the kernel allows.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    /// All work-items of a group come here together.
    uniform: bool,
    loops: bool,
    returns: bool,
}

/// The kernel of `seed`.
pub fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed ^ 0x6B_65_72_6E);
    let nd = random.chance(75);
    let reduces = random.chance(15);
    let specialized = !reduces && random.chance(20);
    let scope = Scope { variables: 1 + random.below(2), uniform: 1 + random.below(2), specialized };
    let mut g = Generator { random, scope, reduces, names: 0 };
    let place = Place { depth: 1 + g.random.below(2), uniform: nd, loops: false, returns: false };
    let length = 4 + g.random.below(6);
    let body = g.block(length, place);
    let length = g.random.below(5);
    let tail = g.block(length, Place { uniform: false, returns: true, ..place });
    let declarations = g.declarations();
    let result = g.result();
    let arguments = [(); 4].map(|()| match g.random.below(3) {
        0 => g.random.number() as u32,
        _ => g.random.below(9) as u32,
    });
    let dimensions = 1 + g.random.below(3);
    let mut launches = g.launches(dimensions);
    let required = nd && g.random.chance(40);
    if required {
        let local = launches[0].0;
        launches.iter_mut().for_each(|launch| launch.0 = local);
    }
    let sub_group =
        if nd && g.random.chance(20) { Some(*g.random.pick(&[4, 8, 16, 32])) } else { None };
    let code = Code { nd, specialized, reduces, declarations, body, tail, result };
    Kernel { seed, dimensions, code, arguments, sub_group, required, launches }
}

const ALL: [Type; 11] = [
    Type::I8,
    Type::U8,
    Type::I16,
    Type::U16,
    Type::I32,
    Type::U32,
    Type::I64,
    Type::U64,
    Type::Bool,
    Type::F32,
    Type::F64,
];

impl Generator {
    fn declarations(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for ty in ALL {
            for i in 0..self.scope.variables {
                let value = match self.random.below(4) {
                    0 => format!("in[(gid * {}u + {i}u) & 255u]", 1 + 2 * self.random.below(8)),
                    1 => format!("k{}", self.random.below(4)),
                    2 => format!("l + {}u", self.random.below(9)),
                    _ => format!("gid * 2654435761u + {}u", self.random.below(100)),
                };
                let name = ty.name();
                lines.push(format!("{name} {}{i} = to<{name}>({value});", ty.prefix()));
            }
        }
        for i in 0..self.scope.uniform {
            lines.push(format!("uint v{i} = k{};", self.random.below(4)));
        }
        lines.extend(
            [
                "sycl::uint4 v4(in[gid & 255u], l, k0, 7u);",
                "sycl::uchar16 c16(static_cast<uchar>(l));",
                "sycl::short8 s8(static_cast<short>(k1));",
                "sycl::int3 i3(static_cast<int>(l) - 3, 5, -1);",
                "sycl::ulong2 w2(gid, 1ul);",
                "sycl::float4 f4(1.5f, f0, 0.25f, to<float>(l));",
                "sycl::double2 d2(d0, -2.5);",
                "sycl::marray<uint, 5> m5(l);",
                "record st{{1, 2, static_cast<uchar>(l)}, k2, -7, d0, 5ul, false};",
                "small s{static_cast<ushort>(k3), static_cast<schar>(l)};",
                "uint p[8] = {k0, l, 2u, 3u, k1, 5u, g, 7u};",
                "uchar bytes[16] = {1, 2, 3, static_cast<uchar>(l)};",
                "record all[2] = {st, st};",
            ]
            .map(str::to_owned),
        );
        lines
    }

    fn result(&mut self) -> Vec<String> {
        let mut terms = Vec::new();
        for ty in ALL {
            terms.extend((0..self.scope.variables).map(|i| format!("folded({}{i})", ty.prefix())));
        }
        terms.extend((0..self.scope.uniform).map(|i| format!("v{i}")));
        for name in ["v4", "c16", "s8", "i3", "w2", "f4", "d2", "m5", "st", "s", "all[0]", "all[1]"]
        {
            terms.push(format!("folded({name})"));
        }
        terms.extend((0..8).map(|i| format!("p[{i}]")));
        terms.extend((0..16).step_by(3).map(|i| format!("bytes[{i}]")));
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

    fn expressions(&mut self) -> Expressions<'_> {
        Expressions { random: &mut self.random, scope: self.scope }
    }

    fn name(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    fn block(&mut self, length: usize, place: Place) -> Vec<Statement> {
        (0..length).map(|_| self.statement(place)).collect()
    }

    fn statement(&mut self, place: Place) -> Statement {
        match self.random.below(100) {
            0..=24 if place.depth > 0 => self.compound(place),
            25..=39 if place.uniform => self.collective(),
            40..=45 if place.uniform => {
                let v = self.random.below(self.scope.uniform);
                let value = self.expressions().uniform(2);
                Statement::Simple(format!("v{v} = {value};"))
            }
            46..=50 if place.loops && !place.uniform => {
                let condition = self.expressions().condition(2);
                let jump = *self.random.pick(&["break;", "continue;"]);
                Statement::Simple(format!("if ({condition}) {jump}"))
            }
            51..=53 if place.returns => {
                let condition = self.expressions().condition(2);
                let number = self.random.below(9);
                Statement::Simple(format!("if ({condition}) FINISH({number}u)"))
            }
            54..=58 => {
                let which = self.expressions().word(1);
                let value = self.expressions().word(2);
                Statement::Simple(format!("count(cells, wide, {which}, {value});"))
            }
            59..=61 if self.reduces => {
                let value = self.expressions().word(2);
                let name = *self.random.pick(&["sum", "greatest"]);
                Statement::Simple(format!("{name}.combine({value});"))
            }
            62..=79 => self.aggregate(),
            _ => {
                let ty = *self.random.pick(&Type::ALL);
                let mut e = self.expressions();
                let (variable, value) = (e.variable(ty), e.of(ty, 3));
                Statement::Simple(format!("{variable} = {value};"))
            }
        }
    }

    /// A change of a vector, an array or a structure.
    fn aggregate(&mut self) -> Statement {
        let kind = self.random.below(40);
        let mut e = self.expressions();
        let (x, y) = (e.word(2), e.word(1));
        let lane = ["x", "y", "z", "w"][e.random.below(4)];
        let [a, b, c, d] = [(); 4].map(|()| e.random.below(4));
        let text = match kind {
            0 => format!("v4 = v4 * ({x}) + v4.swizzle<{a}, {b}, {c}, {d}>();"),
            1 => format!("v4.{lane}() ^= {x};"),
            2 => format!("v4[{x} & 3u] = {y};"),
            3 => format!("v4.lo() = v4.hi() + sycl::uint2({x}, {y});"),
            4 => format!("v4 = v4 >> (v4.swizzle<{a}, {b}, {c}, {d}>() & 31u);"),
            5 => format!("v4 = (v4 << ({x} & 31u)) | (v4 / sycl::uint4({y} | 1u));"),
            6 => "v4.odd() = v4.even();".to_owned(),
            7 => format!("v4 = sycl::select(v4, sycl::uint4({x}), v4 > sycl::uint4({y}));"),
            8 => format!("v4 = c16.as<sycl::uint4>() ^ ({x});"),
            9 => format!("c16 = v4.as<sycl::uchar16>() + static_cast<uchar>({x});"),
            10 => format!("c16[{x} & 15u] = static_cast<uchar>({y});"),
            11 => "c16 = sycl::uchar16(c16.hi(), c16.lo());".to_owned(),
            12 => "s8 = c16.lo().convert<short>() - static_cast<short>(100);".to_owned(),
            13 => format!("s8[{x} & 7u] = static_cast<short>({y});"),
            14 => "s8 = sycl::min(s8, s8.swizzle<7, 6, 5, 4, 3, 2, 1, 0>());".to_owned(),
            15 => {
                "s8 = sycl::add_sat(s8, c16.hi().as<sycl::short4>().swizzle<0, 1, 2, 3, 3, 2, 1, \
                   0>());"
                    .to_owned()
            }
            16 => format!("i3 = sycl::int3(static_cast<int>({x}), i3.z(), i3.x());"),
            17 => format!("i3 = i3 ^ (v4.swizzle<{a}, {b}, {c}>().as<sycl::int3>() & 0xFFFF);"),
            18 => "i3 = (i3 > i3.swizzle<2, 1, 0>()) & i3;".to_owned(),
            19 => format!("w2 = w2 * static_cast<ulong>({x}) + v4.hi().convert<ulong>();"),
            20 => format!("w2 = w2.swizzle<1, 0>() ^ (w2 >> static_cast<ulong>({x} & 63u));"),
            21 => "v4 = v4 + w2.as<sycl::uint4>();".to_owned(),
            22 => format!("f4 = limited(f4 * 0.5f + sycl::float4(to<float>({x})));"),
            23 => format!("f4 = limited(v4.convert<float>() * 0x1p-20f - f4.{lane}());"),
            24 => format!("f4.{lane}() = to<float>({x});"),
            25 => format!("f4 = f4.swizzle<{a}, {b}, {c}, {d}>();"),
            26 => "d2 = limited(f4.lo().convert<double>() * 1.25 + d2.swizzle<1, 0>());".to_owned(),
            27 => "f4.hi() = d2.convert<float>();".to_owned(),
            28 => "v4 = v4 ^ f4.convert<int>().as<sycl::uint4>();".to_owned(),
            29 => format!("m5 = m5 * sycl::marray<uint, 5>({x}) + m5;"),
            30 => format!("m5[({x}) % 5u] ^= {y};"),
            31 => format!("m5 = (m5 >> 3u) + ({x});"),
            32 => format!("st = twisted(st, {x}, s);"),
            33 => format!("s = paired(st, {x});"),
            34 => format!("all[{x} & 1u] = st;"),
            35 => format!("st = all[{x} & 1u];"),
            36 => format!("p[{x} & 7u] = {y};"),
            37 => format!("bytes[{x} & 15u] = static_cast<uchar>({y});"),
            38 => format!("st.d[({x}) % 3u] += static_cast<uchar>({y});"),
            _ => {
                let ty = *e.random.pick(&Type::INTEGERS);
                let (to, by, name) = (e.variable(ty), e.variable(ty), ty.name());
                let value = e.of(ty, 1);
                format!("{to} = apart<{name}>({value}, &{by});")
            }
        };
        Statement::Simple(text)
    }

    /// A function of the whole group, which does not show the size of sub-groups.
    fn collective(&mut self) -> Statement {
        let kind = self.random.below(13);
        let ty = *self.random.pick(&Type::INTEGERS);
        let unsigned = *self.random.pick(&[Type::U32, Type::U64]);
        let uniform = self.random.below(self.scope.uniform);
        let mut e = self.expressions();
        let (name, target, value) = (ty.name(), e.variable(ty), e.of(ty, 2));
        let (wide, into, number) = (unsigned.name(), e.variable(unsigned), e.of(unsigned, 2));
        let word = e.word(1);
        let op = *e.random.pick(&["maximum", "minimum", "bit_and", "bit_or", "bit_xor"]);
        let group = "it.get_group()";
        let text = match kind {
            0 => format!("{target} = exchange<{name}>(it, t, {word}, {value});"),
            1 => format!("a0 = tallied(it, c, {word}, {});", e.word(2)),
            2 => format!(
                "{target} = sycl::reduce_over_group({group}, {value}, sycl::{op}<{name}>());"
            ),
            3 => format!(
                "{into} = sycl::reduce_over_group({group}, {number}, sycl::plus<{wide}>());"
            ),
            4 => {
                let form = *e.random.pick(&["inclusive", "exclusive"]);
                format!(
                    "{into} = sycl::{form}_scan_over_group({group}, {number}, \
                     sycl::plus<{wide}>());"
                )
            }
            5 => format!(
                "{target} = sycl::inclusive_scan_over_group({group}, {value}, \
                 sycl::{op}<{name}>());"
            ),
            6 => {
                let from = e.uniform(1);
                format!("{target} = sycl::group_broadcast({group}, {value}, slot({from}, n));")
            }
            7 => {
                let f = *e.random.pick(&["any", "all", "none"]);
                let condition = e.condition(2);
                format!("v{uniform} += sycl::{f}_of_group({group}, {condition});")
            }
            8 => format!("{into} = sum_by_sub_groups<{wide}>(it, {number});"),
            9 => format!("{into} = prefix_by_sub_groups<{wide}>(it, {number});"),
            10 => format!("{target} = kept_by_sub_group<{name}>(it, {value});"),
            11 => {
                let ty = *e.random.pick(&[Type::F32, Type::F64]);
                let (target, value) = (e.variable(ty), e.of(ty, 2));
                format!("{target} = kept_by_sub_group<{}>(it, {value});", ty.name())
            }
            _ => {
                let end = 1 + e.random.below(200);
                format!(
                    "v{uniform} = sycl::joint_reduce({group}, in + 3, in + 3 + {end}, \
                     sycl::plus<uint>());"
                )
            }
        };
        Statement::Simple(text)
    }

    fn compound(&mut self, place: Place) -> Statement {
        let uniform = place.uniform && self.random.chance(50);
        let inner = Place { depth: place.depth - 1, uniform, loops: place.loops, ..place };
        let inner = if uniform || !place.uniform { inner } else { Place { loops: false, ..inner } };
        match self.random.below(10) {
            0..=2 => self.branch(inner),
            3 => self.switch(inner),
            4 => self.two_entries(inner),
            _ => self.repeat(inner),
        }
    }

    fn decide(&mut self, place: Place) -> String {
        let mut e = self.expressions();
        if place.uniform { e.uniform_condition() } else { e.condition(2) }
    }

    fn number(&mut self, place: Place) -> String {
        let mut e = self.expressions();
        if place.uniform { e.uniform(1) } else { e.word(2) }
    }

    fn arm(&mut self, open: String, close: &str, place: Place) -> Arm {
        let length = 1 + self.random.below(3);
        Arm { open, body: self.block(length, place), close: close.to_owned() }
    }

    fn branch(&mut self, place: Place) -> Statement {
        let condition = self.decide(place);
        let mut arms = vec![self.arm(format!("if ({condition}) {{"), "}", place)];
        if self.random.chance(45) {
            arms.push(self.arm("else {".to_owned(), "}", place));
        }
        Statement::Compound { head: String::new(), arms, foot: String::new() }
    }

    fn switch(&mut self, place: Place) -> Statement {
        let value = self.number(place);
        // `break` would leave the switch.
        let place = Place { loops: false, ..place };
        let count = 2 + self.random.below(3);
        let arms = (0..count)
            .map(|i| {
                let open =
                    if i + 1 == count { "default: {".into() } else { format!("case {i}: {{") };
                let falls = self.random.chance(30);
                self.arm(open, if falls { "}" } else { "} break;" }, place)
            })
            .collect();
        Statement::Compound { head: format!("switch ({value} & 3u) {{"), arms, foot: "}".into() }
    }

    /// A loop that starts at its beginning or in its middle.
    fn two_entries(&mut self, place: Place) -> Statement {
        let name = self.name();
        let (condition, rounds) = (self.decide(place), self.number(place));
        let place = Place { loops: false, ..place };
        let head = format!(
            "{{ uint j{name} = 0; const uint e{name} = ({rounds}) % 4u; if ({condition}) goto \
             M{name};"
        );
        let arms = vec![
            self.arm(format!("L{name}: {{"), "}", place),
            self.arm(format!("M{name}: {{"), "}", place),
        ];
        let foot = format!("if (++j{name} < e{name}) goto L{name}; }}");
        Statement::Compound { head, arms, foot }
    }

    fn repeat(&mut self, place: Place) -> Statement {
        let name = self.name();
        let rounds = match self.random.below(3) {
            0 => format!("{}u", 1 + self.random.below(4)),
            _ => format!("({}) % {}u", self.number(place), 2 + self.random.below(4)),
        };
        let place = Place { loops: true, ..place };
        let head = format!("{{ uint j{name} = 0; const uint e{name} = {rounds};");
        let (open, close) = match self.random.below(4) {
            0 => ("do {".to_owned(), format!("}} while (++j{name} < e{name});")),
            1 => (format!("while (j{name}++ < e{name}) {{"), "}".to_owned()),
            _ => (format!("for (; j{name} < e{name}; ++j{name}) {{"), "}".to_owned()),
        };
        let arms = vec![self.arm(open, &close, place)];
        Statement::Compound { head, arms, foot: "}".into() }
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
    fn kernels_use_every_part_of_the_language() {
        let kernels: Vec<Kernel> = (0..1500).map(kernel).collect();
        let text = program(&kernels);
        for part in [
            "exchange<",
            "tallied(",
            "prefix_by_sub_groups<ulong>",
            "kept_by_sub_group<schar>",
            "kept_by_sub_group<double>",
            "joint_reduce",
            "group_broadcast",
            "switch (",
            "goto M",
            "sum.combine",
            "get_specialization_constant<narrow_constant>",
            "twisted(",
            "paired(",
            "m5 = (m5 >> 3u)",
            "v4.odd() = v4.even()",
            "do {",
            "break;",
            "continue;",
            "FINISH(3u)",
            "sycl::mad_sat",
            "reqd_sub_group_size",
            "reqd_work_group_size",
            "item<3>",
        ] {
            assert!(text.contains(part), "{part}");
        }
    }

    /// Group functions stand where all work-items of the group come.
    #[test]
    fn ranges_have_no_group_functions() {
        for k in (0..1500).map(kernel).filter(|k| !k.code.nd) {
            let text = program(&[k]);
            let kernel = &text[text.find("struct kernel_").unwrap()..];
            assert!(!kernel.contains("over_group") && !kernel.contains("(it, "), "{kernel}");
        }
    }
}
