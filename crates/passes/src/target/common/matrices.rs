//! The operations on joint matrices in device code: their names and the meaning of their operands.
//!
//! `include/sycl/ext/oneapi/matrix/operations.hpp` declares them, and docs/contracts.md describes
//! them. A matrix is private memory of a struct whose name contains [`STORAGE`]. Each target
//! decides what the memory holds.

use scythe_llvm::{Function, Instruction, Opcode, Type, TypeKind, Value};
use std::collections::HashSet;
use std::fmt;

/// A part of the name of the struct that is the memory of a matrix.
pub const STORAGE: &str = "matrix_storage";

/// The beginning of the names of all functions for matrices.
pub const PREFIX: &str = "__scythe_matrix_";

/// An operation that a sub-group performs once. The names end with the type of the words: `f32`,
/// `f64` or `s32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `(matrix, memory, stride, layout of the memory, kind, rows, columns)`.
    Load,
    /// `(matrix, memory, stride, layout of the memory, kind, rows, columns)`.
    Store,
    /// `(matrix, value, kind, rows, columns)`.
    Fill,
    /// `(D, A, B, C, kinds of D, A, B and C, M, N, K)`.
    Mad,
}

impl Operation {
    pub fn parse(name: &str) -> Option<Self> {
        let (operation, _word) = name.strip_prefix(PREFIX)?.split_once('_')?;
        Some(match operation {
            "load" => Self::Load,
            "store" => Self::Store,
            "mad" => Self::Mad,
            "fill" => Self::Fill,
            _ => return None,
        })
    }

    /// Returns the operation that an instruction calls.
    pub fn of(instruction: Instruction<'_>) -> Option<Self> {
        Self::parse(&instruction.called_function().filter(|_| instruction.is_call())?.name())
    }

    /// Returns the number of the first operands, which are the addresses of matrices.
    pub fn matrices(self) -> usize {
        if self == Self::Mad { 4 } else { 1 }
    }
}

/// The type of the elements. The numbers are those of `matrix_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    Bf16,
    Fp16,
    Tf32,
    Fp32,
    Fp64,
    Sint8,
    Uint8,
    Sint32,
}

impl Element {
    fn from_number(number: u64) -> Option<Self> {
        Some(match number {
            0 => Self::Bf16,
            1 => Self::Fp16,
            2 => Self::Tf32,
            3 => Self::Fp32,
            4 => Self::Fp64,
            5 => Self::Sint8,
            7 => Self::Sint32,
            9 => Self::Uint8,
            _ => return None,
        })
    }

    /// Returns the size in memory.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Sint8 | Self::Uint8 => 1,
            Self::Bf16 | Self::Fp16 => 2,
            Self::Tf32 | Self::Fp32 | Self::Sint32 => 4,
            Self::Fp64 => 8,
        }
    }

    /// Returns the name in `matrix_type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bf16 => "bf16",
            Self::Fp16 => "fp16",
            Self::Tf32 => "tf32",
            Self::Fp32 => "fp32",
            Self::Fp64 => "fp64",
            Self::Sint8 => "sint8",
            Self::Uint8 => "uint8",
            Self::Sint32 => "sint32",
        }
    }
}

/// The use of a matrix in a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    A,
    B,
    Accumulator,
}

/// The order of elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    RowMajor,
    ColMajor,
    /// The elements of a column that fill 32 bits lie side by side.
    Packed,
    Dynamic,
}

impl Layout {
    fn from_number(number: u64) -> Option<Self> {
        [Self::RowMajor, Self::ColMajor, Self::Packed, Self::Dynamic].get(number as usize).copied()
    }
}

/// The type of a matrix without its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    pub element: Element,
    pub usage: Use,
    pub layout: Layout,
}

impl Kind {
    fn from_number(number: u64) -> Option<Self> {
        let usage = [Use::A, Use::B, Use::Accumulator];
        Some(Self {
            element: Element::from_number(number & 0xff)?,
            usage: *usage.get((number >> 8 & 0xff) as usize)?,
            layout: Layout::from_number(number >> 16)?,
        })
    }
}

/// The type of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Matrix {
    pub kind: Kind,
    pub rows: u64,
    pub cols: u64,
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usage = match self.kind.usage {
            Use::A => "use::a",
            Use::B => "use::b",
            Use::Accumulator => "use::accumulator",
        };
        write!(f, "{} {} x {}, {usage}", self.kind.element.name(), self.rows, self.cols)
    }
}

/// Reads the kind, rows and columns of a matrix from three neighbouring arguments. Returns `None`
/// if they are not constants with a meaning.
pub fn matrix(args: &[Value<'_>]) -> Option<Matrix> {
    let [kind, rows, cols] = constants(args)?;
    Some(Matrix { kind: Kind::from_number(kind)?, rows, cols })
}

/// Reads the layout of memory.
pub fn layout(arg: Value<'_>) -> Option<Layout> {
    Layout::from_number(arg.const_int_value()?)
}

/// Reads a kind.
pub fn kind(arg: Value<'_>) -> Option<Kind> {
    Kind::from_number(arg.const_int_value()?)
}

/// Reads the types of D, A, B and C from the arguments of [`Operation::Mad`].
pub fn product(args: &[Value<'_>]) -> Option<[Matrix; 4]> {
    let [d, a, b, c] = constants(args.get(4..8)?)?;
    let [m, n, k] = constants(args.get(8..11)?)?;
    let matrix = |kind, rows, cols| Some(Matrix { kind: Kind::from_number(kind)?, rows, cols });
    Some([matrix(d, m, n)?, matrix(a, m, k)?, matrix(b, k, n)?, matrix(c, m, n)?])
}

fn constants<const N: usize>(args: &[Value<'_>]) -> Option<[u64; N]> {
    let values: Option<Vec<u64>> = args.iter().map(|arg| arg.const_int_value()).collect();
    values?.try_into().ok()
}

/// Returns the variables that a pointer may point into, or `None` if it may point elsewhere.
pub fn variables<'ctx>(pointer: Value<'ctx>) -> Option<Vec<Instruction<'ctx>>> {
    let (mut seen, mut found, mut work) = (HashSet::new(), Vec::new(), vec![pointer]);
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        let instruction = value.as_instruction()?;
        match instruction.opcode() {
            Opcode::LLVMAlloca => found.push(instruction),
            Opcode::LLVMGetElementPtr
            | Opcode::LLVMAddrSpaceCast
            | Opcode::LLVMBitCast
            | Opcode::LLVMFreeze => work.push(instruction.operand(0)?),
            Opcode::LLVMPHI => work.extend(instruction.incoming().into_iter().map(|x| x.0)),
            Opcode::LLVMSelect => work.extend(instruction.operands().skip(1)),
            _ => return None,
        }
    }
    Some(found)
}

/// Whether a type consists of matrices only.
pub fn is_storage(ty: Type<'_>) -> bool {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => {
            ty.struct_name().is_some_and(|name| name.contains(STORAGE))
                || (!ty.contained().is_empty() && ty.contained().into_iter().all(is_storage))
        }
        TypeKind::LLVMArrayTypeKind => ty.element().is_some_and(is_storage),
        _ => false,
    }
}

/// Removes the address computations that do not change an address, and casts between address
/// spaces.
pub fn without_casts(mut pointer: Value<'_>) -> Value<'_> {
    while let Some(cast) =
        pointer.as_instruction().filter(|i| i.opcode() == Opcode::LLVMAddrSpaceCast)
    {
        match cast.operand(0) {
            Some(inner) => pointer = inner,
            None => break,
        }
    }
    pointer
}

/// Returns the calls of operations in a function.
pub fn calls<'ctx>(function: Function<'ctx>) -> Vec<(Operation, Instruction<'ctx>)> {
    function.instructions().filter_map(|i| Some((Operation::of(i)?, i))).collect()
}
