//! Random expressions, as C++ text, without undefined behaviour: unsigned arithmetic wraps,
//! divisors and shifts are guarded, indices are reduced to their range, and floats stay far from
//! infinity and NaN, whose bits may differ.
//!
//! Names in scope of every kernel: `l` and `n`, a work-item's number in its group and the size of
//! that; `g`, the group's number; `i0`, `i1`, `i2`, the local id; `k0`…`k3`, arguments; and what
//! the generator declares.

use crate::program::Touch;
use crate::random::Random;

/// The variables and memories that an expression may use at its place.
#[derive(Clone, Debug)]
pub struct Scope {
    /// `a0`…: private integers.
    pub integers: usize,
    /// `f0`…: private floats.
    pub floats: usize,
    /// `v0`…: integers that are the same in the whole group.
    pub uniforms: usize,
    /// Whether `p`, eight integers, and `r`, four floats, exist.
    pub arrays: bool,
    pub dimensions: usize,
    /// Names of loop counters, and whether they are uniform.
    pub counters: Vec<(String, bool)>,
    /// Memories whose slots of other work-items may be read here.
    pub readable: u8,
    /// Memories whose own slot may be written here.
    pub writable: u8,
}

/// The memories that work-items share: two local accessors, a part of global memory, and counters
/// in local memory.
pub const INTEGERS: u8 = 0;
pub const FLOATS: u8 = 1;
pub const GLOBAL: u8 = 2;
pub const COUNTERS: u8 = 3;
pub const MEMORIES: u8 = 4;

/// Makes expressions; notes which memories they read.
pub struct Expressions<'a> {
    pub random: &'a mut Random,
    pub scope: &'a Scope,
    pub touch: Touch,
}

impl Expressions<'_> {
    /// An unsigned integer of 32 bits.
    pub fn integer(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(20) {
            return self.leaf();
        }
        let d = depth - 1;
        match self.random.below(24) {
            0..=7 => {
                let op = *self.random.pick(&["+", "-", "*", "&", "|", "^", "+", "^"]);
                format!("({} {op} {})", self.integer(d), self.integer(d))
            }
            8 => format!("({} << ({} & 31u))", self.integer(d), self.integer(d)),
            9 => format!("({} >> ({} & 31u))", self.integer(d), self.integer(d)),
            10 if self.random.chance(50) => {
                format!("({} / ({} | 1u))", self.integer(d), self.integer(d))
            }
            10 => format!("({} % (({} & 63u) + 1u))", self.integer(d), self.integer(d)),
            11 => {
                // The division must not happen for work-items whose divisor is zero.
                let divisor = self.leaf();
                format!("({divisor} != 0u ? {} / {divisor} : {})", self.integer(d), self.integer(d))
            }
            12 | 13 => {
                format!("({} ? {} : {})", self.condition(d), self.integer(d), self.integer(d))
            }
            14 => format!("signed_shift({}, {})", self.integer(d), self.integer(d)),
            15 => format!("high_product({}, {})", self.integer(d), self.integer(d)),
            16 => {
                let narrow =
                    *self.random.pick(&["signed char", "short", "unsigned char", "unsigned short"]);
                format!("static_cast<uint>(static_cast<{narrow}>({}))", self.integer(d))
            }
            17 => format!("sycl::rotate({}, {} & 31u)", self.integer(d), self.integer(d)),
            18 => format!("to_integer({})", self.float(d.min(2))),
            19 => format!("static_cast<uint>({})", self.condition(d)),
            20 => {
                let f =
                    *self.random.pick(&["sycl::popcount", "sycl::clz", "sycl::max", "sycl::min"]);
                match f {
                    "sycl::popcount" | "sycl::clz" => format!("{f}({})", self.integer(d)),
                    _ => format!("{f}({}, {})", self.integer(d), self.integer(d)),
                }
            }
            _ => self.memory(d),
        }
    }

    /// A slot of an array or of shared memory.
    fn memory(&mut self, d: usize) -> String {
        let mut choices = vec!["input"];
        if self.scope.arrays {
            choices.extend(["array", "guarded"]);
        }
        let readable: Vec<u8> =
            (0..MEMORIES).filter(|m| self.scope.readable >> m & 1 == 1).collect();
        if !readable.is_empty() {
            choices.extend(["shared"; 4]);
        }
        match *self.random.pick(&choices) {
            "input" => format!("in[{} & 255u]", self.integer(d)),
            "array" => format!("p[{} & 7u]", self.integer(d)),
            "guarded" => {
                let index = self.leaf();
                format!("({index} < 8u ? p[{index}] : {})", self.integer(d))
            }
            _ => {
                let memory = *self.random.pick(&readable);
                let index = self.integer(d);
                self.shared(memory, &index)
            }
        }
    }

    /// Any slot of a shared memory, as an integer.
    pub fn shared(&mut self, memory: u8, index: &str) -> String {
        self.touch.reads |= 1 << memory;
        match memory {
            INTEGERS => format!("t[slot({index}, n)]"),
            FLOATS => format!("to_integer(u[slot({index}, n)])"),
            GLOBAL => format!("s[slot({index}, n)]"),
            _ => format!("c[{index} & 3u]"),
        }
    }

    fn leaf(&mut self) -> String {
        match self.random.below(12) {
            0..=4 => format!("a{}", self.random.below(self.scope.integers)),
            5 => "l".to_owned(),
            6 => format!("i{}", self.random.below(self.scope.dimensions)),
            7 if !self.scope.counters.is_empty() => {
                self.random.pick(&self.scope.counters).0.clone()
            }
            8 => format!("to_integer(f{})", self.random.below(self.scope.floats)),
            _ => self.uniform(0),
        }
    }

    /// An integer that is the same in the whole group, if the uniform variables are.
    pub fn uniform(&mut self, depth: usize) -> String {
        if depth > 0 && self.random.chance(60) {
            let op = *self.random.pick(&["+", "*", "^", ">> 1u ^", "&", "-"]);
            return format!("({} {op} {})", self.uniform(depth - 1), self.uniform(depth - 1));
        }
        let counters: Vec<&String> =
            self.scope.counters.iter().filter(|c| c.1).map(|c| &c.0).collect();
        match self.random.below(9) {
            0..=2 => format!("v{}", self.random.below(self.scope.uniforms)),
            3 => format!("k{}", self.random.below(4)),
            4 => "g".to_owned(),
            5 => "n".to_owned(),
            6 | 7 if !counters.is_empty() => (*self.random.pick(&counters)).clone(),
            _ => self.constant(),
        }
    }

    fn constant(&mut self) -> String {
        let small = self.random.chance(70);
        let value =
            if small { self.random.below(20) as u64 } else { self.random.number() & 0xFFFF_FFFF };
        format!("{value}u")
    }

    pub fn condition(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.random.below(8) {
            0 if depth > 0 => {
                let op = *self.random.pick(&["&&", "||"]);
                format!("({} {op} {})", self.condition(d), self.condition(d))
            }
            1 => format!("(({} & {}u) == 0u)", self.integer(d), 1 + self.random.below(7)),
            2 => format!("({} < {})", self.float(d.min(1)), self.float(d.min(1))),
            3 => format!(
                "(static_cast<int>({}) < static_cast<int>({}))",
                self.integer(d),
                self.integer(d)
            ),
            4 => format!("(l < {})", self.integer(d)),
            5 => format!("(l % {}u == {}u)", 2 + self.random.below(5), self.random.below(2)),
            _ => {
                let op = *self.random.pick(&["<", ">", "==", "!=", "<=", ">="]);
                format!("({} {op} {})", self.integer(d), self.integer(d))
            }
        }
    }

    /// A condition that is the same in the whole group.
    pub fn uniform_condition(&mut self) -> String {
        match self.random.below(3) {
            0 => format!("(({} & {}u) == 0u)", self.uniform(1), 1 + self.random.below(3)),
            1 => format!("(({} & 7u) < {}u)", self.uniform(1), 1 + self.random.below(7)),
            _ => format!("({} % 3u != {}u)", self.uniform(1), self.random.below(3)),
        }
    }

    /// A float; variables hold less than 10^6, so that a depth of two cannot overflow.
    pub fn float(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(20) {
            return match self.random.below(6) {
                0 => format!("{}.{}f", self.random.below(100), self.random.below(1000)),
                1 => format!("to_float({})", self.leaf()),
                2 if self.scope.arrays => format!("r[{} & 3u]", self.leaf()),
                3 if self.scope.readable >> FLOATS & 1 == 1 => {
                    self.touch.reads |= 1 << FLOATS;
                    format!("u[slot({}, n)]", self.leaf())
                }
                _ => format!("f{}", self.random.below(self.scope.floats)),
            };
        }
        let d = depth - 1;
        match self.random.below(9) {
            0..=3 => {
                let op = *self.random.pick(&["+", "-", "*"]);
                format!("({} {op} {})", self.float(d), self.float(d))
            }
            4 => format!(
                "({} / (1.25f + static_cast<float>({} & 255u)))",
                self.float(d),
                self.leaf()
            ),
            5 => format!("sycl::fma({}, {}, {})", self.float(d), self.float(d), self.float(d)),
            6 => format!("({} ? {} : {})", self.condition(d), self.float(d), self.float(d)),
            7 => format!("sycl::fabs({})", self.float(d)),
            _ => format!("to_float({})", self.integer(d)),
        }
    }
}
