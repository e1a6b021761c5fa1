//! Decides how many vectors an iteration of a work-item loop computes.
//!
//! Maths functions are long chains of dependent operations. A processor overlaps only one or two
//! iterations of a loop over them, and waits most of the time. LLVM's vectoriser interleaves only
//! short loops, so this module asks for it. Rows of a range are long, but those of work-groups may
//! be so short that they do not fill an iteration of an interleaved loop.

use crate::target::cpu::Options;
use scythe_abi::launch::Shape;
use scythe_llvm::{Function, Opcode, Type, TypeKind};

/// The number of vectors in flight that hides the latency of arithmetic.
const INTERLEAVE: u64 = 4;

/// The minimum number of floating-point operations for which [`INTERLEAVE`] pays off, and the
/// minimum number of them for each access to memory.
const MIN_ARITHMETIC: usize = 24;
const MIN_ARITHMETIC_PER_ACCESS: usize = 4;

/// Returns the number of vectors that an iteration should compute, if the vectoriser should not
/// decide.
pub fn count(
    kernel: Function<'_>,
    shape: Shape,
    local_size: Option<[u64; 3]>,
    options: &Options,
) -> Option<u64> {
    let whole = INTERLEAVE * u64::from(options.lanes);
    let fits = match shape {
        Shape::Range => true,
        Shape::NdRange => local_size.is_some_and(|size| size[0].is_multiple_of(whole)),
        Shape::SingleTask => false,
    };
    let (mut arithmetic, mut accesses) = (0, 0);
    for i in kernel.instructions() {
        use Opcode::*;
        match i.opcode() {
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFNeg => arithmetic += 1,
            LLVMCall if i.called_function().is_some_and(|f| f.is_intrinsic()) => {
                arithmetic += usize::from(is_float(i.ty()));
            }
            LLVMLoad | LLVMStore => accesses += 1,
            _ => {}
        }
    }
    let pays = arithmetic >= MIN_ARITHMETIC && arithmetic >= MIN_ARITHMETIC_PER_ACCESS * accesses;
    (options.opt_level > 1 && !options.scalar && fits && pays).then_some(INTERLEAVE)
}

fn is_float(ty: Type<'_>) -> bool {
    use TypeKind::*;
    matches!(ty.kind(), LLVMHalfTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind)
}
