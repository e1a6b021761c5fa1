//! Random expressions as C++ text, without undefined behaviour. Signed arithmetic and guarded
//! differences cannot overflow where they run, so the compiler marks them so: it must not rely on
//! the marks for lanes that do not run them.
//!
//! Names: `l`, `g`, `n`, `gid`, `i0`…`i2` tell the place; `k0`…`k3` and `items` are arguments;
//! `a0`… differ between work-items, `v0`… start alike in all; `b`, `h`, `s`, `w`, `t` and `f` have
//! other types; `p` is an array.

use crate::random::Random;

/// How many variables of each kind there are.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    pub varying: usize,
    pub uniform: usize,
}

pub struct Expressions<'a> {
    pub random: &'a mut Random,
    pub scope: Scope,
}

impl Expressions<'_> {
    /// An unsigned integer of 32 bits.
    pub fn word(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(20) {
            return self.leaf();
        }
        let d = depth - 1;
        match self.random.below(22) {
            0..=5 => {
                let op = *self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {op} {})", self.word(d), self.word(d))
            }
            6 => format!("({} << ({} & 31u))", self.word(d), self.word(d)),
            7 => format!("({} >> ({} & 31u))", self.word(d), self.word(d)),
            8 => format!("({} / ({} | 1u))", self.word(d), self.word(d)),
            9 => format!("({} % (({} & 63u) + 1u))", self.word(d), self.word(d)),
            10 | 11 => self.guarded(),
            12 => format!("static_cast<uint>({})", self.signed(d)),
            13 => format!("({} ? {} : {})", self.condition(d), self.word(d), self.word(d)),
            14 => {
                let ty =
                    *self.random.pick(&["signed char", "short", "unsigned char", "unsigned short"]);
                format!("static_cast<uint>(static_cast<{ty}>({}))", self.word(d))
            }
            15 => format!("static_cast<uint>({})", self.wide(d)),
            16 | 17 => self.load(d),
            18 => format!("p[{} & 7u]", self.word(d)),
            19 => format!("out[{}u * items + gid]", 1 + self.random.below(4)),
            20 => {
                let f = *self.random.pick(&["popcount", "clz"]);
                format!("sycl::{f}({})", self.word(d))
            }
            _ => format!("static_cast<uint>({})", self.condition(d)),
        }
    }

    /// A difference, quotient or product that only those work-items compute for which it does not
    /// wrap.
    fn guarded(&mut self) -> String {
        let (x, y) = (self.leaf(), self.leaf());
        let c = 2 + self.random.below(7);
        match self.random.below(5) {
            0 => format!("({x} > {y} ? {x} - {y} : {y} - {x})"),
            1 => format!("({x} >= {y} ? ({x} - {y}) / {c}u : {c}u)"),
            2 => format!("({x} != 0u ? {y} / {x} : {y})"),
            3 => format!("({x} < 1000u && {y} < 1000u ? {x} * {c}u + {y} : {x} ^ {y})"),
            _ => format!("in[({x} >= {y} && {x} - {y} < 256u) ? {x} - {y} : {c}u]"),
        }
    }

    /// A load, most often of neighbours by neighbours.
    fn load(&mut self, d: usize) -> String {
        let u = self.uniform_leaf();
        match self.random.below(8) {
            0 => format!("in[l + ({u} & 127u)]"),
            1 => format!("in[200u - l + ({u} & 31u)]"),
            2 => "in[gid & 255u]".to_owned(),
            3 => format!("in[(static_cast<int>(l) - static_cast<int>({u} & 63u)) & 255]"),
            4 => format!("in[(l * {}u + ({u} & 15u)) & 255u]", 1 + self.random.below(4)),
            5 => format!("in[{u} & 255u]"),
            6 => format!("in[static_cast<unsigned char>(l + {u})]"),
            _ => format!("in[{} & 255u]", self.word(d)),
        }
    }

    /// A signed integer, by arithmetic that does not overflow.
    fn signed(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => "s".to_owned(),
                _ => format!(
                    "static_cast<int>({} & {}u)",
                    self.leaf(),
                    *self.random.pick(&[7, 63, 1023])
                ),
            };
        }
        let (x, y) = (self.leaf(), self.leaf());
        let small = format!("static_cast<int>({x} & 1023u)");
        match self.random.below(5) {
            0 => format!("({small} - static_cast<int>({y} & 1023u))"),
            1 => format!("({small} * static_cast<int>({y} & 63u) - 500)"),
            2 => format!("(s > -1000000 && s < 1000000 ? s * 3 - {small} : {small})"),
            3 => format!(
                "(({small} - static_cast<int>({y} & 1023u)) / {})",
                2 + self.random.below(5)
            ),
            _ => format!("(static_cast<int>({x}) >> ({y} & 31u))"),
        }
    }

    /// An unsigned integer of 64 bits.
    pub fn wide(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => "w".to_owned(),
                1 => format!("static_cast<ulong>({})", self.leaf()),
                _ => format!("static_cast<ulong>(static_cast<long>({}))", self.signed(1)),
            };
        }
        let d = depth - 1;
        match self.random.below(6) {
            0..=2 => {
                let op = *self.random.pick(&["+", "-", "*", "^"]);
                format!("({} {op} {})", self.wide(d), self.wide(d))
            }
            3 => format!("({} >> ({} & 63u))", self.wide(d), self.leaf()),
            4 => {
                let (x, y) = (self.wide(0), self.wide(0));
                format!("({x} >= {y} ? ({x} - {y}) / 3u : 100u)")
            }
            _ => format!("({} % ({} | 1u))", self.wide(d), self.wide(0)),
        }
    }

    /// A float; its bits are the same on every machine.
    pub fn float(&mut self) -> String {
        let x = self.leaf();
        match self.random.below(3) {
            0 => format!("limited(f * 0.75f + static_cast<float>({x} & 4095u))"),
            1 => format!("limited(f / (1.5f + static_cast<float>({x} & 15u)))"),
            _ => format!("static_cast<float>(static_cast<int>({x}) >> 8)"),
        }
    }

    fn leaf(&mut self) -> String {
        match self.random.below(16) {
            0..=4 => format!("a{}", self.random.below(self.scope.varying)),
            5 | 6 => "l".to_owned(),
            7 => format!("i{}", self.random.below(3)),
            8 => "gid".to_owned(),
            9 => (*self.random.pick(&["static_cast<uint>(b)", "static_cast<uint>(h)", "bits(f)"]))
                .to_owned(),
            _ => self.uniform_leaf(),
        }
    }

    /// A value that starts alike in all work-items of a group.
    pub fn uniform_leaf(&mut self) -> String {
        match self.random.below(9) {
            0..=3 => format!("v{}", self.random.below(self.scope.uniform)),
            4 => format!("k{}", self.random.below(4)),
            5 => "g".to_owned(),
            6 => "n".to_owned(),
            _ => self.constant(),
        }
    }

    pub fn constant(&mut self) -> String {
        let small = self.random.chance(75);
        let value =
            if small { self.random.below(20) as u64 } else { self.random.number() & 0xFFFF_FFFF };
        format!("{value}u")
    }

    pub fn condition(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.random.below(12) {
            0 if depth > 0 => {
                let op = *self.random.pick(&["&&", "||"]);
                format!("({} {op} {})", self.condition(d), self.condition(d))
            }
            1..=4 => {
                let bit = 1u32 << self.random.below(6);
                format!("(a{} & {bit}u)", self.random.below(self.scope.varying))
            }
            5 => format!("(l % {}u == {}u)", 2 + self.random.below(5), self.random.below(2)),
            6 => format!("(l < {})", self.word(d)),
            7 => (*self.random.pick(&["t", "!t", "(s < 0)", "(b > 100)", "(h & 4)", "(f < 2.0f)"]))
                .to_owned(),
            8 => format!("({} < {})", self.signed(d), self.signed(d)),
            9 => self.uniform_condition(),
            _ => {
                let op = *self.random.pick(&["<", ">", "==", "!=", "<=", ">="]);
                format!("({} {op} {})", self.word(d), self.word(d))
            }
        }
    }

    /// A condition that starts alike in all work-items of a group.
    pub fn uniform_condition(&mut self) -> String {
        let v = format!("v{}", self.random.below(self.scope.uniform));
        match self.random.below(4) {
            0 => format!("({v} > {}u)", 3 + self.random.below(30)),
            1 => {
                format!("(({v} & {}u) == {}u)", *self.random.pick(&[1, 3, 7]), self.random.below(2))
            }
            2 => format!("({v} % 3u == {}u)", self.random.below(3)),
            _ => format!("({v} < {})", self.uniform_leaf()),
        }
    }
}
