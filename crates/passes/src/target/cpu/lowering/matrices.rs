//! Joint matrices on the CPU: one memory for each sub-group, and vector code that runs once for
//! each sub-group.
//!
//! The memory of a matrix holds its elements row by row, in the type in which the CPU computes:
//! `float` for all types of at most 32 bits with a fraction, `double`, or 32-bit integers. Loads
//! convert the elements once. A product keeps rows of the accumulator in vector registers, and
//! multiplies a row of B by the elements of A, which processors broadcast while they load them.
//! The code does not depend on the size of the sub-group.
//!
//! [`share`] marks the variables that hold matrices before the kernel is widened. Widening then
//! allocates them once for each sub-group, and keeps the operations as one scalar call. [`lower`]
//! replaces these calls by vector code, also in functions that stay scalar, whose sub-groups have
//! one work-item.

use super::widening::subgroup::permute;
use crate::target::common::matrices::{
    self, Element, Layout, Matrix, Operation, is_storage, product, variables, without_casts,
};
use crate::target::cpu::{CpuError, Options};
use scythe_llvm::{
    Builder, ContextRef, Function, Instruction, IntPredicate, Linkage, Module, RealPredicate, Type,
    Value,
};

/// The metadata of variables of which each sub-group has one.
const SHARED: &str = "scythe.shared";

/// Whether a variable exists once for each sub-group.
pub fn is_shared(variable: Instruction<'_>) -> bool {
    let Some(function) = variable.function() else { return false };
    variable.metadata(function.ty().context().metadata_kind(SHARED)).is_some()
}

/// Whether the function with this name is an operation on matrices, which a sub-group performs
/// once.
pub fn is_operation(name: &str) -> bool {
    Operation::parse(name).is_some()
}

/// Whether the module has operations on matrices.
pub fn any(module: &Module<'_>) -> bool {
    module.functions().any(|f| is_operation(&f.name()) && f.has_uses())
}

/// Marks the variables of a kernel that hold matrices.
pub fn share(kernel: Function<'_>) -> Result<(), CpuError> {
    let calls = matrices::calls(kernel);
    let context = kernel.ty().context();
    for (operation, call) in calls {
        for matrix in call.args().into_iter().take(operation.matrices()) {
            let found = variables(matrix).filter(|found| {
                let whole = |v: &Instruction<'_>| v.allocated_type().is_some_and(is_storage);
                found.iter().all(|v| v.is_static_alloca() && whole(v))
            });
            let Some(found) = found else {
                return Err(CpuError::HiddenMatrix { kernel: kernel.name() });
            };
            for variable in found {
                variable.set_metadata(context.metadata_kind(SHARED), Some(context.md_node(&[])));
            }
        }
    }
    Ok(())
}

/// Replaces the operations in a function by vector code.
pub fn lower<'ctx>(
    module: &Module<'ctx>,
    function: Function<'ctx>,
    options: &Options,
) -> Result<(), CpuError> {
    let calls = matrices::calls(function);
    let builder = module.context().create_builder();
    for (operation, call) in calls {
        let unknown = || CpuError::HiddenMatrix { kernel: function.name() };
        let args = call.args();
        let run_time = match operation {
            Operation::Load | Operation::Store => &args[..3],
            Operation::Fill => &args[..2],
            Operation::Mad => &args[..4],
        };
        let values: Vec<Value<'ctx>> = run_time
            .iter()
            .enumerate()
            .map(|(n, &arg)| if n < operation.matrices() { without_casts(arg) } else { arg })
            .collect();
        let types: Vec<Type<'ctx>> = values.iter().map(|v| v.ty()).collect();
        let signature = module.context().void_type().function(&types, false);
        let code = module.add_function("__scythe_matrix.code", signature);
        code.set_linkage(Linkage::LLVMInternalLinkage);
        let emitter = Emitter { module, context: module.context(), builder: &builder, code };
        builder.position_at_end(module.context().append_block(code, ""));
        builder.set_debug_loc(None);
        match operation {
            Operation::Load | Operation::Store => {
                let matrix = matrices::matrix(&args[4..7]).ok_or_else(unknown)?;
                let layout = matrices::layout(args[3]).ok_or_else(unknown)?;
                match operation {
                    Operation::Load => emitter.load(matrix, layout),
                    _ => emitter.store(matrix, layout),
                }
            }
            Operation::Fill => emitter.fill(matrices::matrix(&args[2..5]).ok_or_else(unknown)?),
            Operation::Mad => {
                emitter.multiply(product(&args).ok_or_else(unknown)?, Registers::of(options));
            }
        }
        builder.ret_void();
        builder.position_before(call);
        let new = builder.call(code, &values, "");
        call.erase();
        new.inline_call()?;
        code.erase();
    }
    Ok(())
}

/// The vector registers of the processor.
#[derive(Clone, Copy)]
struct Registers {
    bytes: u64,
    /// The number of registers for accumulators.
    accumulators: u64,
}

impl Registers {
    fn of(options: &Options) -> Self {
        let has = |name: &str| options.features.split(',').any(|feature| feature == name);
        match () {
            () if has("+avx512vl") => Self { bytes: 64, accumulators: 24 },
            () if has("+avx") => Self { bytes: 32, accumulators: 12 },
            () => Self { bytes: 16, accumulators: 12 },
        }
    }
}

/// Emits the code of one operation, as the body of a function.
struct Emitter<'a, 'ctx> {
    module: &'a Module<'ctx>,
    context: ContextRef<'ctx>,
    builder: &'a Builder<'ctx>,
    code: Function<'ctx>,
}

/// Returns the number of elements of a column that lie side by side in the packed layout.
fn packed(element: Element) -> u64 {
    (4 / element.bytes()).max(1)
}

impl<'ctx> Emitter<'_, 'ctx> {
    /// Returns the type in which the CPU computes with an element.
    fn word(&self, element: Element) -> Type<'ctx> {
        match element {
            Element::Bf16 | Element::Fp16 | Element::Tf32 | Element::Fp32 => {
                self.context.float_type()
            }
            Element::Fp64 => self.context.double_type(),
            Element::Sint8 | Element::Uint8 | Element::Sint32 => self.context.int_type(32),
        }
    }

    fn word_bytes(element: Element) -> u64 {
        if element == Element::Fp64 { 8 } else { 4 }
    }

    /// Returns the type of an element in memory.
    fn stored(&self, element: Element) -> Type<'ctx> {
        match element {
            Element::Fp16 => self.context.half_type(),
            Element::Bf16 => self.context.int_type(16),
            Element::Sint8 | Element::Uint8 => self.context.int_type(8),
            _ => self.word(element),
        }
    }

    /// Converts elements in memory to words.
    fn widen(&self, element: Element, value: Value<'ctx>) -> Value<'ctx> {
        let like = |ty| self.like(value, ty);
        let int = self.context.int_type(32);
        match element {
            Element::Fp16 => self.builder.fp_ext(value, like(self.word(element)), ""),
            Element::Bf16 => {
                let bits = self.builder.zext(value, like(int), "");
                let bits = self.builder.shl(bits, self.all(like(int), 16), "");
                self.builder.bit_cast(bits, like(self.word(element)), "")
            }
            Element::Sint8 => self.builder.sext(value, like(int), ""),
            Element::Uint8 => self.builder.zext(value, like(int), ""),
            _ => value,
        }
    }

    /// Converts words, which have the precision of the element, to elements in memory.
    fn narrow(&self, element: Element, value: Value<'ctx>) -> Value<'ctx> {
        let like = |ty| self.like(value, ty);
        let int = self.context.int_type(32);
        match element {
            Element::Fp16 => self.builder.fp_trunc(value, like(self.context.half_type()), ""),
            Element::Bf16 => {
                let bits = self.builder.bit_cast(value, like(int), "");
                let bits = self.builder.lshr(bits, self.all(like(int), 16), "");
                self.builder.trunc(bits, like(self.context.int_type(16)), "")
            }
            Element::Sint8 | Element::Uint8 => {
                self.builder.trunc(value, like(self.context.int_type(8)), "")
            }
            _ => value,
        }
    }

    /// Rounds words to the precision of an accumulator's elements.
    fn round(&self, element: Element, value: Value<'ctx>) -> Value<'ctx> {
        match element {
            Element::Fp16 => {
                let narrow = self.like(value, self.context.half_type());
                let narrow = self.builder.fp_trunc(value, narrow, "");
                self.builder.fp_ext(narrow, value.ty(), "")
            }
            Element::Bf16 => self.round_to_bfloat16(value),
            _ => value,
        }
    }

    /// Rounds to nearest, ties to even. For a conversion to bfloat16, LLVM calls a function that
    /// the C library lacks, unless the processor has instructions for it.
    fn round_to_bfloat16(&self, value: Value<'ctx>) -> Value<'ctx> {
        let b = self.builder;
        let int = self.like(value, self.context.int_type(32));
        let all = |number| self.all(int, number);
        let bits = b.bit_cast(value, int, "");
        let odd = b.and(b.lshr(bits, all(16), ""), all(1), "");
        let rounded = b.add(bits, b.add(odd, all(0x7fff), ""), "");
        // The quiet bit keeps a NaN whose payload is in the low bits.
        let quiet = b.or(bits, all(0x0040_0000), "");
        let is_nan = b.fcmp(RealPredicate::LLVMRealUNO, value, value, "");
        let kept = b.and(b.select(is_nan, quiet, rounded, ""), all(0xffff_0000), "");
        b.bit_cast(kept, value.ty(), "")
    }

    /// Returns `ty`, or a vector of it if `value` is a vector.
    fn like(&self, value: Value<'ctx>, ty: Type<'ctx>) -> Type<'ctx> {
        match (value.ty().element(), value.ty().element_count()) {
            (Some(_), Some(count)) => ty.vector(count as u32),
            _ => ty,
        }
    }

    fn all(&self, ty: Type<'ctx>, value: u64) -> Value<'ctx> {
        match (ty.element(), ty.element_count()) {
            (Some(element), Some(count)) => {
                scythe_llvm::const_vector(&vec![element.const_int(value); count as usize])
            }
            _ => ty.const_int(value),
        }
    }

    fn splat(&self, value: Value<'ctx>, count: u64) -> Value<'ctx> {
        let poison = value.ty().vector(count as u32).poison();
        let zero = self.context.const_int(32, 0);
        let one = self.builder.insert_element(poison, value, zero, "");
        permute(self.builder, one, one, &vec![0; count as usize])
    }

    fn param(&self, n: usize) -> Value<'ctx> {
        self.code.params()[n]
    }

    /// Returns the address of an element of a matrix.
    fn place(&self, matrix: Value<'ctx>, of: Matrix, row: u64, col: u64) -> Value<'ctx> {
        let offset = (row * of.cols + col) * Self::word_bytes(of.kind.element);
        self.builder.byte_offset(self.context, matrix, offset, "")
    }

    fn set_row(&self, matrix: Value<'ctx>, of: Matrix, row: u64, words: Value<'ctx>) {
        let store = self.builder.store(words, self.place(matrix, of, row, 0));
        store.set_align(Self::word_bytes(of.kind.element) as u32);
    }

    fn row(&self, matrix: Value<'ctx>, of: Matrix, row: u64) -> Value<'ctx> {
        let ty = self.word(of.kind.element).vector(of.cols as u32);
        let load = self.builder.load(ty, self.place(matrix, of, row, 0), "");
        load.set_align(Self::word_bytes(of.kind.element) as u32);
        load.as_value()
    }

    /// Returns the addresses of `count` lines of memory.
    fn lines(&self, element: Element, count: u64) -> Vec<Value<'ctx>> {
        let (memory, stride) = (self.param(1), self.param(2));
        let bytes = self.builder.mul(stride, stride.ty().const_int(element.bytes()), "");
        let mut line = memory;
        let mut lines = vec![line];
        for _ in 1..count {
            line = self.builder.gep(self.context.int_type(8), line, &[bytes], "");
            lines.push(line);
        }
        lines
    }

    /// Loads neighbouring elements from memory.
    fn line(&self, element: Element, address: Value<'ctx>, count: u64) -> Value<'ctx> {
        let load = self.builder.load(self.stored(element).vector(count as u32), address, "");
        load.set_align(element.bytes() as u32);
        load.as_value()
    }

    /// Turns `lines`, whose number is a power of two, into one vector with element 0 of each line,
    /// element 1 of each line, and so on.
    fn interleave(&self, mut lines: Vec<Value<'ctx>>) -> Value<'ctx> {
        while lines.len() > 1 {
            let half = lines.len() / 2;
            let length = lines[0].ty().element_count().unwrap_or(1);
            let order: Vec<u64> = (0..length).flat_map(|n| [n, length + n]).collect();
            lines = (0..half)
                .map(|n| permute(self.builder, lines[n], lines[n + half], &order))
                .collect();
        }
        lines[0]
    }

    /// Returns the columns of a matrix that is given as rows.
    fn transpose(&self, lines: Vec<Value<'ctx>>) -> Vec<Value<'ctx>> {
        let (height, width) = (lines.len() as u64, lines[0].ty().element_count().unwrap_or(1));
        if height.is_power_of_two() {
            let all = self.interleave(lines);
            let part = |n: u64| -> Vec<u64> { (n * height..(n + 1) * height).collect() };
            return (0..width).map(|n| permute(self.builder, all, all, &part(n))).collect();
        }
        let at = |n: u64| self.context.const_int(32, n);
        let column = |n: u64| {
            let empty = lines[0].ty().element().expect("lines are vectors").vector(height as u32);
            lines.iter().enumerate().fold(empty.poison(), |column, (row, &line)| {
                let element = self.builder.extract_element(line, at(n), "");
                self.builder.insert_element(column, element, at(row as u64), "")
            })
        };
        (0..width).map(column).collect()
    }

    /// `(matrix, memory, stride)`.
    fn load(&self, of: Matrix, layout: Layout) {
        let (matrix, element) = (self.param(0), of.kind.element);
        let rows: Vec<Value<'ctx>> = match layout {
            Layout::RowMajor | Layout::Dynamic => self
                .lines(element, of.rows)
                .into_iter()
                .map(|address| self.widen(element, self.line(element, address, of.cols)))
                .collect(),
            Layout::ColMajor => self.transpose(
                self.lines(element, of.cols)
                    .into_iter()
                    .map(|address| self.widen(element, self.line(element, address, of.rows)))
                    .collect(),
            ),
            Layout::Packed => {
                let side = packed(element);
                let lines = self.lines(element, of.rows.div_ceil(side));
                let lines: Vec<_> =
                    lines.iter().map(|&at| self.line(element, at, of.cols * side)).collect();
                let row = |n: u64| {
                    let order: Vec<u64> = (0..of.cols).map(|c| c * side + n % side).collect();
                    let line = lines[(n / side) as usize];
                    self.widen(element, permute(self.builder, line, line, &order))
                };
                (0..of.rows).map(row).collect()
            }
        };
        for (n, row) in rows.into_iter().enumerate() {
            self.set_row(matrix, of, n as u64, row);
        }
    }

    /// `(matrix, memory, stride)`.
    fn store(&self, of: Matrix, layout: Layout) {
        let (matrix, element) = (self.param(0), of.kind.element);
        let rows: Vec<_> =
            (0..of.rows).map(|n| self.narrow(element, self.row(matrix, of, n))).collect();
        let side = packed(element);
        let lines = match layout {
            Layout::RowMajor | Layout::Dynamic => rows,
            Layout::ColMajor => self.transpose(rows),
            Layout::Packed => rows
                .chunks(side as usize)
                .map(|rows| {
                    // The memory behind the last row belongs to the matrix.
                    let mut rows = rows.to_vec();
                    rows.resize(side as usize, rows[0].ty().const_null());
                    self.interleave(rows)
                })
                .collect(),
        };
        let addresses = self.lines(element, lines.len() as u64);
        for (line, address) in lines.into_iter().zip(addresses) {
            self.builder.store(line, address).set_align(element.bytes() as u32);
        }
    }

    /// `(matrix, value)`.
    fn fill(&self, of: Matrix) {
        let row = self.splat(self.param(1), of.cols);
        (0..of.rows).for_each(|n| self.set_row(self.param(0), of, n, row));
    }

    /// `(D, A, B, C)`.
    fn multiply(&self, [d, a, b, c]: [Matrix; 4], registers: Registers) {
        let element = d.kind.element;
        let bytes = d.cols * Self::word_bytes(element);
        let in_row = bytes.div_ceil(registers.bytes);
        let block = (registers.accumulators / in_row).clamp(1, d.rows);
        let mut row = 0;
        while row < d.rows {
            let rows = block.min(d.rows - row);
            self.multiply_rows([d, a, b, c], row..row + rows);
            row += rows;
        }
    }

    /// Computes some rows of D in a loop over the columns of A.
    fn multiply_rows(&self, [d, a, b, c]: [Matrix; 4], rows: std::ops::Range<u64>) {
        let [to, left, right, from] = [0, 1, 2, 3].map(|n| self.param(n));
        let builder = self.builder;
        let int = self.context.int_type(64);
        let bytes = Self::word_bytes(a.kind.element);
        let before = builder.block().expect("the builder has an insertion point");
        let (header, after) =
            (self.context.append_block(self.code, ""), self.context.append_block(self.code, ""));
        let starts: Vec<_> = rows.clone().map(|row| self.row(from, c, row)).collect();
        builder.br(header);
        builder.position_at_end(header);
        let k = builder.phi(int, "");
        k.add_incoming(int.const_int(0), before);
        let sums: Vec<Instruction<'ctx>> = starts
            .into_iter()
            .map(|start| {
                let sum = builder.phi(start.ty(), "");
                sum.add_incoming(start, before);
                sum
            })
            .collect();
        let address = |matrix, scale: u64, offset: u64| {
            let at = builder.nuw_mul(k.as_value(), int.const_int(scale), "");
            let line = builder.gep(self.context.int_type(8), matrix, &[at], "");
            builder.byte_offset(self.context, line, offset, "")
        };
        let b_row = builder.load(
            self.word(b.kind.element).vector(b.cols as u32),
            address(right, b.cols * bytes, 0),
            "",
        );
        b_row.set_align(bytes as u32);
        let mut results = Vec::new();
        for (row, sum) in rows.clone().zip(&sums) {
            let factor = builder.load(
                self.word(a.kind.element),
                address(left, bytes, row * a.cols * bytes),
                "",
            );
            factor.set_align(bytes as u32);
            let factor = self.splat(factor.as_value(), d.cols);
            let result = self.multiply_add(factor, b_row.as_value(), sum.as_value());
            sum.add_incoming(result, header);
            results.push(result);
        }
        let next = builder.nuw_add(k.as_value(), int.const_int(1), "");
        k.add_incoming(next, header);
        let more = builder.icmp(IntPredicate::LLVMIntULT, next, int.const_int(a.cols), "");
        builder.cond_br(more, header, after);
        builder.position_at_end(after);
        for (row, result) in rows.zip(results) {
            self.set_row(to, d, row, self.round(d.kind.element, result));
        }
    }

    fn multiply_add(&self, a: Value<'ctx>, b: Value<'ctx>, c: Value<'ctx>) -> Value<'ctx> {
        if a.ty().element().is_some_and(|ty| ty.int_width().is_some()) {
            return self.builder.add(self.builder.mul(a, b, ""), c, "");
        }
        let function =
            self.module.intrinsic("llvm.fmuladd", &[a.ty()]).expect("LLVM knows fmuladd");
        self.builder.call(function, &[a, b, c], "").as_value()
    }
}
