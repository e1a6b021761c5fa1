//! Random expressions of all arithmetic types as C++ text, without undefined behaviour: operators
//! that could have it are functions of the prelude.

use crate::random::Random;

/// An arithmetic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    Bool,
    F32,
    F64,
}

use Type::{Bool, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

impl Type {
    pub const INTEGERS: [Self; 8] = [I8, U8, I16, U16, I32, U32, I64, U64];
    /// Weighted: most code computes with 32 bits.
    pub const ALL: [Self; 14] =
        [I8, U8, I16, U16, I32, I32, U32, U32, U32, I64, U64, Bool, F32, F64];

    pub fn name(self) -> &'static str {
        match self {
            I8 => "schar",
            U8 => "uchar",
            I16 => "short",
            U16 => "ushort",
            I32 => "int",
            U32 => "uint",
            I64 => "long",
            U64 => "ulong",
            Bool => "bool",
            F32 => "float",
            F64 => "double",
        }
    }

    /// The prefix of variables of the type.
    pub fn prefix(self) -> &'static str {
        match self {
            I8 => "sb",
            U8 => "ub",
            I16 => "sh",
            U16 => "uh",
            I32 => "si",
            U32 => "a",
            I64 => "sl",
            U64 => "ul",
            Bool => "bo",
            F32 => "f",
            F64 => "d",
        }
    }

    fn bits(self) -> u32 {
        match self {
            I8 | U8 => 8,
            I16 | U16 => 16,
            I32 | U32 => 32,
            _ => 64,
        }
    }
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope {
    /// The variables of each type.
    pub variables: usize,
    /// Variables that all work-items of a group agree on.
    pub uniform: usize,
    pub specialized: bool,
}

pub struct Expressions<'a> {
    pub random: &'a mut Random,
    pub scope: Scope,
}

impl Expressions<'_> {
    pub fn variable(&mut self, ty: Type) -> String {
        format!("{}{}", ty.prefix(), self.random.below(self.scope.variables))
    }

    pub fn of(&mut self, ty: Type, depth: usize) -> String {
        match ty {
            Bool => self.condition(depth),
            F32 | F64 => self.real(ty, depth),
            _ => self.integer(ty, depth),
        }
    }

    pub fn word(&mut self, depth: usize) -> String {
        self.integer(U32, depth)
    }

    fn literal(&mut self, ty: Type) -> String {
        let value = match self.random.below(4) {
            0 => self.random.number() as i64,
            1 => [0, -1, i64::MAX, i64::MIN, 127, 128, 255, 32768][self.random.below(8)],
            _ => self.random.below(20) as i64,
        };
        let value = match ty {
            I8 => i64::from(value as i8),
            U8 => i64::from(value as u8),
            I16 => i64::from(value as i16),
            U16 => i64::from(value as u16),
            I32 => i64::from(value as i32),
            U32 => return format!("{}u", value as u32),
            U64 => return format!("{}ul", value as u64),
            _ => value,
        };
        format!("static_cast<{}>({}ul)", ty.name(), value as u64)
    }

    fn leaf(&mut self, ty: Type) -> String {
        match self.random.below(14) {
            0..=5 => self.variable(ty),
            6 => self.literal(ty),
            7 => {
                let from = *self.random.pick(&Type::ALL);
                let from = self.variable(from);
                format!("to<{}>({from})", ty.name())
            }
            8 => format!("to<{}>(l)", ty.name()),
            9 => {
                let part =
                    *self.random.pick(&["st.a", "st.b", "st.c", "st.d[1]", "st.f", "s.x", "s.y"]);
                format!("to<{}>({part})", ty.name())
            }
            10 => {
                let part = *self.random.pick(&[
                    "v4.x()",
                    "v4.w()",
                    "v4[2]",
                    "c16.s5()",
                    "c16[l & 15u]",
                    "s8.s7()",
                    "i3.y()",
                    "i3[l % 3u]",
                    "w2.y()",
                    "m5[3]",
                    "m5[l % 5u]",
                    "static_cast<uint>(c16.hi()[1])",
                    "static_cast<int>(s8.swizzle<3>())",
                    "v4.swizzle<2, 1, 0>()[1]",
                ]);
                format!("to<{0}>(static_cast<{1}>({part}))", ty.name(), "long")
            }
            11 if self.scope.specialized => {
                let name = *self.random.pick(&["constant", "narrow_constant"]);
                format!("to<{}>(kh.get_specialization_constant<{name}>())", ty.name())
            }
            12 => {
                let uniform = self.uniform_leaf();
                format!("to<{}>({uniform})", ty.name())
            }
            _ => format!("to<{}>(in[(gid + {}u) & 255u])", ty.name(), self.random.below(200)),
        }
    }

    pub fn integer(&mut self, ty: Type, depth: usize) -> String {
        if depth == 0 || self.random.chance(15) {
            return self.leaf(ty);
        }
        let (d, name) = (depth - 1, ty.name());
        match self.random.below(22) {
            0..=4 => {
                let op = *self.random.pick(&["add", "sub", "mul", "both", "either", "differ"]);
                format!("{op}<{name}>({}, {})", self.of(ty, d), self.of(ty, d))
            }
            // Operators themselves, where they cannot overflow.
            5 | 6 if matches!(ty, U32 | U64) => {
                let op = *self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {op} {})", self.of(ty, d), self.of(ty, d))
            }
            5 if ty.bits() < 32 => {
                let op = *self.random.pick(&["+", "-", "&", "^"]);
                format!("static_cast<{name}>({} {op} {})", self.of(ty, d), self.of(ty, d))
            }
            7 => {
                let op = *self.random.pick(&["left", "right"]);
                format!("{op}<{name}>({}, {})", self.of(ty, d), self.word(d))
            }
            8 => {
                let op = *self.random.pick(&["quotient", "remainder"]);
                format!("{op}<{name}>({}, {})", self.of(ty, d), self.of(ty, d))
            }
            9 | 10 => {
                let from = *self.random.pick(&Type::ALL);
                format!("to<{name}>({})", self.of(from, d))
            }
            11 => format!("({} ? {} : {})", self.condition(d), self.leaf(ty), self.of(ty, d)),
            12..=14 => self.function(ty, d),
            15 => format!(
                "churned<{name}, {}>({}, {})",
                1 + self.random.below(4),
                self.of(ty, d),
                self.leaf(ty)
            ),
            16 => self.leaf(ty),
            17 => format!("to<{name}>(p[{} & 7u])", self.word(d)),
            18 => format!("to<{name}>(bytes[{} & 15u])", self.word(d)),
            19 => format!("to<{name}>(in[{} & 255u])", self.word(d)),
            20 => format!("flip<{name}>({})", self.of(ty, d)),
            _ => format!("to<{name}>({})", self.condition(d)),
        }
    }

    /// An integer function of SYCL.
    fn function(&mut self, ty: Type, d: usize) -> String {
        let name = ty.name();
        let (x, y) = (self.of(ty, d), self.leaf(ty));
        match self.random.below(9) {
            0 => {
                let f = *self.random.pick(&["popcount", "clz", "ctz"]);
                format!("static_cast<{name}>(sycl::{f}({x}))")
            }
            1 => format!("sycl::rotate({x}, both<{name}>({y}, {}))", ty.bits() - 1),
            2 | 3 => {
                let f = *self.random.pick(&["add_sat", "sub_sat"]);
                format!("sycl::{f}({x}, {y})")
            }
            4 => {
                let f = *self.random.pick(&["hadd", "rhadd"]);
                format!("sycl::{f}({x}, {y})")
            }
            5 => format!("sycl::mul_hi({x}, {y})"),
            6 => {
                let f = *self.random.pick(&["mad_hi", "mad_sat"]);
                // The sum of `mad_hi` may overflow.
                match ty {
                    I8 | I16 | I32 | I64 if f == "mad_hi" => format!("sycl::mul_hi({y}, {x})"),
                    _ => {
                        let z = self.leaf(ty);
                        format!("sycl::{f}({x}, {y}, {z})")
                    }
                }
            }
            7 => format!("static_cast<{name}>(sycl::abs_diff({x}, {y}))"),
            _ => {
                let f = *self.random.pick(&["min", "max"]);
                format!("sycl::{f}({x}, {y})")
            }
        }
    }

    /// A number of a floating-point type. Its bits are the same on every machine.
    pub fn real(&mut self, ty: Type, depth: usize) -> String {
        let name = ty.name();
        if depth == 0 || self.random.chance(20) {
            return match self.random.below(6) {
                0 => format!("to<{name}>({})", self.leaf(I16)),
                1 => format!("static_cast<{name}>(f4[l & 3u])"),
                2 => format!("static_cast<{name}>(d2.y())"),
                3 => format!(
                    "static_cast<{name}>({}.{}5)",
                    self.random.below(9),
                    self.random.below(9)
                ),
                _ => self.variable(ty),
            };
        }
        let d = depth - 1;
        match self.random.below(9) {
            0..=3 => {
                let op = *self.random.pick(&["+", "-", "*"]);
                format!("limited({} {op} {})", self.real(ty, d), self.real(ty, d))
            }
            4 => format!("limited({} / {})", self.real(ty, d), self.real(ty, d)),
            5 => {
                let f = *self.random.pick(&["floor", "ceil", "trunc", "rint", "fabs"]);
                format!("sycl::{f}({})", self.real(ty, d))
            }
            6 => format!(
                "limited(sycl::fma({}, {}, {}))",
                self.real(ty, d),
                self.real(ty, 0),
                self.real(ty, 0)
            ),
            7 => format!("({} ? {} : {})", self.condition(d), self.real(ty, d), self.real(ty, 0)),
            _ => {
                let from = *self.random.pick(&Type::ALL);
                format!("to<{name}>({})", self.of(from, d))
            }
        }
    }

    pub fn condition(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.random.below(9) {
            0 => self.variable(Bool),
            1 if depth > 0 => {
                let op = *self.random.pick(&["&&", "||", "!=", "^"]);
                format!("({} {op} {})", self.condition(d), self.condition(d))
            }
            2 => {
                let ty = *self.random.pick(&[F32, F64]);
                format!("({} < {})", self.real(ty, d), self.real(ty, 0))
            }
            3 => format!("(l % {}u == {}u)", 2 + self.random.below(5), self.random.below(2)),
            4 => self.uniform_condition(),
            5 => format!("!{}", self.variable(Bool)),
            _ => {
                let ty = *self.random.pick(&Type::INTEGERS);
                let op = *self.random.pick(&["<", ">", "==", "!=", "<=", ">="]);
                format!("({} {op} {})", self.of(ty, d), self.leaf(ty))
            }
        }
    }

    fn uniform_leaf(&mut self) -> String {
        match self.random.below(6) {
            0..=2 => format!("v{}", self.random.below(self.scope.uniform)),
            3 => format!("k{}", self.random.below(4)),
            4 => "n".to_owned(),
            _ => format!("{}u", self.random.below(20)),
        }
    }

    /// A number that all work-items of a group agree on.
    pub fn uniform(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.uniform_leaf();
        }
        let op = *self.random.pick(&["+", "-", "*", "&", "|", "^"]);
        format!("({} {op} {})", self.uniform(depth - 1), self.uniform_leaf())
    }

    pub fn uniform_condition(&mut self) -> String {
        let op = *self.random.pick(&["<", ">", "==", "!="]);
        format!("({} {op} ({} & 15u))", self.uniform_leaf(), self.uniform_leaf())
    }
}
