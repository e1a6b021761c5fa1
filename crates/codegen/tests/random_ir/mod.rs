//! Generates random kernels as LLVM IR: integers of all widths, floating point, vectors and flags;
//! branches, loops and switches whose values meet in phi nodes; and the intrinsics that the
//! optimiser creates from such code.
//!
//! Guarantees: the IR is valid; the same seed gives the same text; every value that a kernel
//! computes can reach memory, so that the optimiser keeps it. The results of kernels are not
//! defined: tests translate them, but never run them.

use std::fmt::Write;

/// A small random number generator (xorshift).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Int(u32),
    Float(&'static str),
}

/// A type. `lanes` is 0 for scalars.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ty {
    scalar: Scalar,
    lanes: u32,
}

const WIDTHS: [u32; 12] = [1, 8, 8, 16, 16, 32, 32, 32, 64, 64, 64, 64];
/// Widths that SPIR-V does not have, but the optimiser creates.
const ODD: [u32; 7] = [3, 5, 12, 24, 33, 48, 63];
const FLOATS: [&str; 3] = ["half", "float", "double"];
const LANES: [u32; 5] = [2, 3, 4, 8, 16];

impl Ty {
    fn int(width: u32) -> Self {
        Self { scalar: Scalar::Int(width), lanes: 0 }
    }

    fn with(self, scalar: Scalar) -> Self {
        Self { scalar, ..self }
    }

    fn element(self) -> Self {
        Self { lanes: 0, ..self }
    }

    fn width(self) -> u32 {
        match self.scalar {
            Scalar::Int(width) => width,
            Scalar::Float("half") => 16,
            Scalar::Float("float") => 32,
            Scalar::Float(_) => 64,
        }
    }

    fn is_int(self) -> bool {
        matches!(self.scalar, Scalar::Int(_))
    }

    fn text(self) -> String {
        let scalar = match self.scalar {
            Scalar::Int(width) => format!("i{width}"),
            Scalar::Float(name) => name.to_owned(),
        };
        if self.lanes == 0 { scalar } else { format!("<{} x {scalar}>", self.lanes) }
    }

    /// Returns the type's name in the names of intrinsics.
    fn suffix(self) -> String {
        let scalar = match self.scalar {
            Scalar::Int(width) => format!("i{width}"),
            Scalar::Float(_) => format!("f{}", self.width()),
        };
        if self.lanes == 0 { scalar } else { format!("v{}{scalar}", self.lanes) }
    }
}

/// Generates a module of `kernels` kernels. Intrinsics need no declarations.
pub fn module(seed: u64, kernels: usize) -> String {
    let mut text = String::from("target triple = \"spirv64-unknown-unknown\"\n");
    for index in 0..kernels {
        let mut numbers = Numbers::new(seed.wrapping_mul(1000) + index as u64);
        for _ in 0..8 {
            numbers.next();
        }
        let mut kernel = Kernel {
            numbers,
            text: String::new(),
            values: Vec::new(),
            next: 0,
            block: String::new(),
        };
        text += &kernel.write(&format!("kernel_{index}"));
    }
    text
}

struct Kernel {
    numbers: Numbers,
    text: String,
    /// The values that can be used at the current position, newest last.
    values: Vec<(Ty, String)>,
    next: usize,
    block: String,
}

impl Kernel {
    fn write(&mut self, name: &str) -> String {
        self.values = vec![
            (Ty::int(64), "%a".to_owned()),
            (Ty::int(32), "%b".to_owned()),
            (Ty::int(16), "%c".to_owned()),
            (Ty::int(8), "%d".to_owned()),
            (Ty { scalar: Scalar::Float("float"), lanes: 0 }, "%e".to_owned()),
        ];
        self.block = "entry".to_owned();
        for _ in 0..2 + self.numbers.below(3) {
            let ty = self.any_type();
            self.load(ty);
        }
        let statements = 6 + self.numbers.below(14);
        self.statements(statements, 0);
        for _ in 0..4 {
            self.store();
        }
        format!(
            "define spir_kernel void @{name}(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %a, i32 \
             %b, i16 %c, i8 %d, \
             float %e) {{\nentry:\n{}  ret void\n}}\n",
            self.text
        )
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn label(&mut self) -> String {
        self.next += 1;
        format!("b{}", self.next)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "  {text}");
    }

    fn begin(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
        self.block = label.to_owned();
    }

    fn define(&mut self, ty: Ty, text: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {text}"));
        self.values.push((ty, name.clone()));
        name
    }

    fn any_type(&mut self) -> Ty {
        let scalar = match self.numbers.below(10) {
            0 | 1 => Scalar::Float(self.numbers.one(&FLOATS)),
            2 => Scalar::Int(self.numbers.one(&ODD)),
            _ => Scalar::Int(self.numbers.one(&WIDTHS)),
        };
        let odd = matches!(scalar, Scalar::Int(width) if !WIDTHS.contains(&width));
        let lanes = if !odd && self.numbers.chance(25) { self.numbers.one(&LANES) } else { 0 };
        Ty { scalar, lanes }
    }

    fn constant(&mut self, ty: Ty) -> String {
        if ty.lanes != 0 {
            let element = ty.element();
            let list: Vec<String> = (0..ty.lanes)
                .map(|_| format!("{} {}", element.text(), self.constant(element)))
                .collect();
            return format!("<{}>", list.join(", "));
        }
        match ty.scalar {
            Scalar::Int(1) => self.numbers.one(&["true", "false"]).to_owned(),
            Scalar::Int(width) => {
                let number = self.numbers.next() as i64;
                let small = self.numbers.below(9) as i64 - 2;
                let number = if self.numbers.chance(70) { small } else { number };
                let shift = 64 - width.min(64);
                ((number << shift) >> shift).to_string()
            }
            Scalar::Float(_) => {
                self.numbers.one(&["0.0", "1.0", "-2.0", "0.5", "1024.0"]).to_owned()
            }
        }
    }

    /// Returns a value of this type: an existing value, a constant, or a converted value.
    fn value(&mut self, ty: Ty) -> String {
        let known: Vec<String> =
            self.values.iter().filter(|(t, _)| *t == ty).map(|(_, name)| name.clone()).collect();
        match known.is_empty() {
            false if self.numbers.chance(80) => {
                let recent = known.len().saturating_sub(6);
                known[recent + self.numbers.below(known.len() - recent)].clone()
            }
            true if self.numbers.chance(70) => self.convert(ty),
            _ => self.constant(ty),
        }
    }

    /// Creates a value of this type from a value of another type.
    fn convert(&mut self, ty: Ty) -> String {
        if ty.lanes != 0 {
            let element = self.value(ty.element());
            let (vector, at) = (self.constant(ty), self.numbers.below(ty.lanes as usize));
            let inserted = format!(
                "insertelement {} {vector}, {} {element}, i32 {at}",
                ty.text(),
                ty.element().text()
            );
            return self.define(ty, &inserted);
        }
        let from: Vec<(Ty, String)> =
            self.values.iter().filter(|(t, _)| t.lanes == 0).cloned().collect();
        let (source, value) = from[self.numbers.below(from.len())].clone();
        let signed = self.numbers.chance(50);
        let cast = match (source.is_int(), ty.is_int()) {
            (true, true) if source.width() > ty.width() => "trunc",
            (true, true) if source.width() < ty.width() => {
                if signed {
                    "sext"
                } else {
                    "zext"
                }
            }
            (true, true) => return value,
            (true, false) => {
                if signed {
                    "sitofp"
                } else {
                    "uitofp"
                }
            }
            (false, true) => {
                if signed {
                    "fptosi"
                } else {
                    "fptoui"
                }
            }
            (false, false) if source.width() > ty.width() => "fptrunc",
            (false, false) if source.width() < ty.width() => "fpext",
            (false, false) => return value,
        };
        self.define(ty, &format!("{cast} {} {value} to {}", source.text(), ty.text()))
    }

    fn address(&mut self, ty: Ty) -> String {
        let index = self.value(Ty::int(64));
        let base = self.numbers.one(&["%p", "%q"]);
        let name = self.fresh();
        self.line(&format!(
            "{name} = getelementptr {}, ptr addrspace(1) {base}, i64 {index}",
            ty.text()
        ));
        name
    }

    fn load(&mut self, ty: Ty) {
        // Flags are bytes in memory.
        let ty = if ty.width() == 1 { ty.with(Scalar::Int(8)) } else { ty };
        let address = self.address(ty);
        self.define(ty, &format!("load {}, ptr addrspace(1) {address}", ty.text()));
    }

    fn store(&mut self) {
        let at = self.values.len() - 1 - self.numbers.below(self.values.len().min(8));
        let (mut ty, mut value) = self.values[at].clone();
        if ty.width() == 1 {
            let bytes = ty.with(Scalar::Int(8));
            value = self.define(bytes, &format!("zext {} {value} to {}", ty.text(), bytes.text()));
            ty = bytes;
        }
        let address = self.address(ty);
        self.line(&format!("store {} {value}, ptr addrspace(1) {address}", ty.text()));
    }

    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            match self.numbers.below(if depth < 3 { 22 } else { 16 }) {
                0 => {
                    let ty = self.any_type();
                    self.load(ty);
                }
                1 => self.store(),
                2..=6 => self.arithmetic(),
                7 | 8 => self.conversion(),
                9 => self.comparison(),
                10 => self.choice(),
                11 => self.lanes(),
                12 | 13 => self.intrinsic(),
                14 => self.bits(),
                15 => self.freeze(),
                16 | 17 => self.branch(depth),
                18..=20 => self.repeat(depth),
                _ => self.switch(depth),
            }
        }
    }

    fn arithmetic(&mut self) {
        let ty = self.any_type();
        let operation = match ty.scalar {
            Scalar::Float(_) => self.numbers.one(&["fadd", "fsub", "fmul", "fdiv"]),
            Scalar::Int(1) => self.numbers.one(&["and", "or", "xor"]),
            Scalar::Int(_) => self.numbers.one(&[
                "add", "add nsw", "add nuw", "sub", "mul", "and", "or", "xor", "shl", "lshr",
                "ashr", "udiv", "urem", "sdiv", "srem",
            ]),
        };
        let (x, y) = (self.value(ty), self.value(ty));
        self.define(ty, &format!("{operation} {} {x}, {y}", ty.text()));
    }

    fn conversion(&mut self) {
        let (ty, value) = self.values[self.numbers.below(self.values.len())].clone();
        let Scalar::Int(width) = ty.scalar else { return };
        let to = match ty.lanes {
            0 if self.numbers.chance(20) => self.numbers.one(&ODD),
            _ => self.numbers.one(&WIDTHS),
        };
        let result = ty.with(Scalar::Int(to));
        let cast = match to.cmp(&width) {
            std::cmp::Ordering::Less => "trunc",
            std::cmp::Ordering::Equal => return,
            std::cmp::Ordering::Greater => self.numbers.one(&["zext", "sext"]),
        };
        let name =
            self.define(result, &format!("{cast} {} {value} to {}", ty.text(), result.text()));
        // The back end has the most defects in extensions of truncations.
        if cast == "trunc" && self.numbers.chance(60) {
            let wider: Vec<u32> = WIDTHS.into_iter().filter(|w| *w > to).collect();
            if let Some(wide) =
                (!wider.is_empty()).then(|| ty.with(Scalar::Int(self.numbers.one(&wider))))
            {
                let cast = self.numbers.one(&["zext", "zext", "sext"]);
                self.define(wide, &format!("{cast} {} {name} to {}", result.text(), wide.text()));
            }
        }
    }

    fn comparison(&mut self) {
        let ty = self.any_type();
        let (x, y) = (self.value(ty), self.value(ty));
        let compare = match ty.is_int() {
            true => ["icmp eq", "icmp ne", "icmp ult", "icmp slt", "icmp sge", "icmp ugt"],
            false => ["fcmp oeq", "fcmp une", "fcmp olt", "fcmp uge", "fcmp uno", "fcmp ord"],
        };
        let compare = self.numbers.one(&compare);
        self.define(ty.with(Scalar::Int(1)), &format!("{compare} {} {x}, {y}", ty.text()));
    }

    fn choice(&mut self) {
        let ty = self.any_type();
        let condition = if ty.lanes != 0 && self.numbers.chance(50) {
            ty.with(Scalar::Int(1))
        } else {
            Ty::int(1)
        };
        let (c, x, y) = (self.value(condition), self.value(ty), self.value(ty));
        let text = ty.text();
        self.define(ty, &format!("select {} {c}, {text} {x}, {text} {y}", condition.text()));
    }

    /// Generates accesses to elements of vectors, by constant and variable indices, and shuffles.
    fn lanes(&mut self) {
        let mut ty = self.any_type();
        if ty.lanes == 0 {
            if !WIDTHS.contains(&ty.width()) {
                return;
            }
            ty.lanes = self.numbers.one(&LANES);
        }
        let (vector, text, element) = (self.value(ty), ty.text(), ty.element());
        let at = match self.numbers.chance(70) {
            true => self.numbers.below(ty.lanes as usize).to_string(),
            false => self.value(Ty::int(32)),
        };
        match self.numbers.below(3) {
            0 => drop(self.define(element, &format!("extractelement {text} {vector}, i32 {at}"))),
            1 => {
                let value = self.value(element);
                let inserted =
                    format!("insertelement {text} {vector}, {} {value}, i32 {at}", element.text());
                self.define(ty, &inserted);
            }
            _ => {
                let (other, lanes) = (self.value(ty), self.numbers.one(&LANES));
                let mask: Vec<String> = (0..lanes)
                    .map(|_| format!("i32 {}", self.numbers.below(2 * ty.lanes as usize)))
                    .collect();
                let mask = mask.join(", ");
                let shuffle = format!(
                    "shufflevector {text} {vector}, {text} {other}, <{lanes} x i32> <{mask}>"
                );
                self.define(Ty { lanes, ..ty }, &shuffle);
            }
        }
    }

    fn intrinsic(&mut self) {
        let mut ty = self.any_type();
        if ty.is_int() && (ty.width() == 1 || !WIDTHS.contains(&ty.width())) {
            ty = ty.with(Scalar::Int(32));
        }
        let (text, suffix) = (ty.text(), ty.suffix());
        let x = self.value(ty);
        let call = if ty.is_int() {
            let name = self.numbers.one(&[
                "ctpop",
                "ctlz",
                "cttz",
                "abs",
                "umin",
                "umax",
                "smin",
                "smax",
                "fshl",
                "fshr",
                "bswap",
                "bitreverse",
                "uadd.sat",
                "usub.sat",
                "sadd.sat",
                "ssub.sat",
            ]);
            match name {
                "bswap" if ty.width() == 8 => return,
                "ctpop" | "bswap" | "bitreverse" => format!("llvm.{name}.{suffix}({text} {x})"),
                "ctlz" | "cttz" | "abs" => format!("llvm.{name}.{suffix}({text} {x}, i1 false)"),
                "fshl" | "fshr" => {
                    let (y, z) = (self.value(ty), self.value(ty));
                    format!("llvm.{name}.{suffix}({text} {x}, {text} {y}, {text} {z})")
                }
                _ => format!("llvm.{name}.{suffix}({text} {x}, {text} {})", self.value(ty)),
            }
        } else {
            let name = self
                .numbers
                .one(&["fabs", "floor", "sqrt", "minnum", "maxnum", "copysign", "fma", "trunc"]);
            match name {
                "fma" => {
                    let (y, z) = (self.value(ty), self.value(ty));
                    format!("llvm.{name}.{suffix}({text} {x}, {text} {y}, {text} {z})")
                }
                "minnum" | "maxnum" | "copysign" => {
                    format!("llvm.{name}.{suffix}({text} {x}, {text} {})", self.value(ty))
                }
                _ => format!("llvm.{name}.{suffix}({text} {x})"),
            }
        };
        self.define(ty, &format!("call {text} @{call}"));
    }

    /// Generates a bit cast to another type.
    fn bits(&mut self) {
        let ty = self.any_type();
        if ty.width() == 1 || !WIDTHS.contains(&ty.width()) {
            return;
        }
        let result = match ty.scalar {
            Scalar::Float(_) => ty.with(Scalar::Int(ty.width())),
            Scalar::Int(16) => ty.with(Scalar::Float("half")),
            Scalar::Int(32) => ty.with(Scalar::Float("float")),
            Scalar::Int(64) => ty.with(Scalar::Float("double")),
            Scalar::Int(_) if [2, 4, 8].contains(&ty.lanes) => Ty::int(8 * ty.lanes),
            Scalar::Int(_) => return,
        };
        let value = self.value(ty);
        self.define(result, &format!("bitcast {} {value} to {}", ty.text(), result.text()));
    }

    fn freeze(&mut self) {
        let (ty, value) = self.values[self.numbers.below(self.values.len())].clone();
        self.define(ty, &format!("freeze {} {value}", ty.text()));
    }

    /// Returns values of these types, each with the current block.
    fn ends(&mut self, types: &[Ty]) -> Vec<(String, String)> {
        let values: Vec<String> = types.iter().map(|ty| self.value(*ty)).collect();
        values.into_iter().map(|value| (value, self.block.clone())).collect()
    }

    fn some_types(&mut self) -> Vec<Ty> {
        (0..1 + self.numbers.below(3)).map(|_| self.any_type()).collect()
    }

    fn join(&mut self, types: &[Ty], ends: &[Vec<(String, String)>]) {
        for (index, ty) in types.iter().enumerate() {
            let from: Vec<String> =
                ends.iter().map(|end| format!("[ {}, %{} ]", end[index].0, end[index].1)).collect();
            self.define(*ty, &format!("phi {} {}", ty.text(), from.join(", ")));
        }
    }

    fn branch(&mut self, depth: usize) {
        let (condition, types) = (self.value(Ty::int(1)), self.some_types());
        let (yes, no, end) = (self.label(), self.label(), self.label());
        self.line(&format!("br i1 {condition}, label %{yes}, label %{no}"));
        self.arms(&[yes, no], &end, &types, 5, depth);
    }

    fn repeat(&mut self, depth: usize) {
        let types = self.some_types();
        let counter = Ty::int(self.numbers.one(&[8, 16, 32, 64]));
        let (start, first) = (self.value(counter), self.ends(&types));
        let before = self.block.clone();
        let (head, end) = (self.label(), self.label());
        self.line(&format!("br label %{head}"));
        let outer = self.values.len();
        // The values from the end of the loop are known only after the loop has been written.
        self.begin(&head);
        let (index, names): (String, Vec<String>) =
            (self.fresh(), types.iter().map(|_| self.fresh()).collect());
        let place = self.text.len();
        self.values.push((counter, index.clone()));
        self.values.extend(types.iter().copied().zip(names.iter().cloned()));
        let count = 1 + self.numbers.below(6);
        self.statements(count, depth + 1);
        let (step, limit) = (self.numbers.one(&["1", "2", "8", "-1"]), self.constant(counter));
        let next = self.define(counter, &format!("add {} {index}, {step}", counter.text()));
        let last = self.ends(&types);
        let done = self.fresh();
        let compare = self.numbers.one(&["ult", "ugt", "eq", "sge"]);
        self.line(&format!("{done} = icmp {compare} {} {next}, {limit}", counter.text()));
        self.line(&format!("br i1 {done}, label %{head}, label %{end}"));
        let back = self.block.clone();
        let mut phis = format!(
            "  {index} = phi {} [ {start}, %{before} ], [ {next}, %{back} ]\n",
            counter.text()
        );
        for (i, ty) in types.iter().enumerate() {
            let (from, to) = (&first[i].0, &last[i].0);
            let _ = writeln!(
                phis,
                "  {} = phi {} [ {from}, %{before} ], [ {to}, %{back} ]",
                names[i],
                ty.text()
            );
        }
        self.text.insert_str(place, &phis);
        // Code after the loop may use the last values that the loop computed.
        let kept: Vec<(Ty, String)> = self.values[outer..outer + 1 + types.len()].to_vec();
        self.values.truncate(outer);
        self.values.extend(kept);
        self.begin(&end);
    }

    fn switch(&mut self, depth: usize) {
        let types = self.some_types();
        let selector = Ty::int(self.numbers.one(&[8, 16, 32, 64]));
        let value = self.value(selector);
        let (labels, end): (Vec<String>, String) =
            ((0..3).map(|_| self.label()).collect(), self.label());
        let text = selector.text();
        let cases: Vec<String> = labels
            .iter()
            .skip(1)
            .enumerate()
            .map(|(i, label)| format!("{text} {i}, label %{label}"))
            .collect();
        self.line(&format!("switch {text} {value}, label %{} [ {} ]", labels[0], cases.join(" ")));
        self.arms(&labels, &end, &types, 3, depth);
    }

    /// Writes the blocks `labels`, each with fewer than `most` statements, and joins values of
    /// `types` from all of them in `end`.
    fn arms(&mut self, labels: &[String], end: &str, types: &[Ty], most: usize, depth: usize) {
        let outer = self.values.len();
        let mut ends = Vec::new();
        for label in labels {
            self.begin(label);
            let count = self.numbers.below(most);
            self.statements(count, depth + 1);
            ends.push(self.ends(types));
            self.line(&format!("br label %{end}"));
            self.values.truncate(outer);
        }
        self.begin(end);
        self.join(types, &ends);
    }
}
