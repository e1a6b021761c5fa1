//! Replaces pointers to local memory in the parameters of kernels by offsets into shared memory.
//!
//! CUDA gives a kernel one block of shared memory, and the host chooses its size. Each kernel that
//! takes pointers to local memory gets an external symbol in that address space,
//! `<kernel>.shared_mem`, and takes 32-bit offsets from it instead. The runtime places the blocks
//! one after another.
//!
//! ```text
//! ptx_kernel void @k(ptr addrspace(3) %a, i32 %n, ptr addrspace(3) %b)
//!   becomes
//! @k.shared_mem = external addrspace(3) global [0 x i8], align 128
//! ptx_kernel void @k(i32 %a.offset, i32 %n, i32 %b.offset)
//!   %0 = and i32 %a.offset, -128
//!   %a = getelementptr inbounds [0 x i8], ptr addrspace(3) @k.shared_mem, i32 0, i32 %0
//! ```
//!
//! Offsets are multiples of [`LOCAL_ALIGNMENT`]. The `and` passes this fact to the optimiser, which
//! can then load several elements at once.
//!
//! Variables in local memory of a known size do not change: the driver places them before that
//! block.

use crate::target::common::local_variables::LOCAL;
use crate::target::nvptx::arguments;
use scythe_abi::cuda::LOCAL_ALIGNMENT;
use scythe_llvm::{Function, Module, Value};

const SUFFIX: &str = ".shared_mem";

/// Replaces the parameters of all kernels of the module. Returns the first offset of each kernel.
pub fn run<'ctx>(module: &Module<'ctx>) -> Vec<Value<'ctx>> {
    let is_local = |param: &Value<'ctx>| param.ty().address_space() == Some(LOCAL);
    let first = |kernel: &Function<'ctx>| kernel.params().iter().position(is_local);
    let kernels: Vec<_> =
        module.kernels().into_iter().filter_map(|kernel| Some((kernel, first(&kernel)?))).collect();
    kernels.into_iter().filter_map(|(kernel, first)| offsets(module, kernel).param(first)).collect()
}

fn offsets<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) -> Function<'ctx> {
    let context = module.context();
    let i32 = context.int_type(32);
    let bytes = context.int_type(8).array(0);
    let memory = module.add_global(&format!("{}{SUFFIX}", kernel.name()), bytes, LOCAL);
    memory.set_align(LOCAL_ALIGNMENT);
    let old = kernel.params();
    let is_local = |index: usize| old[index].ty().address_space() == Some(LOCAL);
    let types: Vec<_> =
        (0..old.len()).map(|index| if is_local(index) { i32 } else { old[index].ty() }).collect();
    let names: Vec<String> = old.iter().map(|param| param.name()).collect();
    arguments::replace(module, kernel, &types, |builder, index, offset| {
        let name = &names[index];
        offset.set_name(&format!("{name}.offset"));
        let aligned =
            builder.and(offset, i32.const_int(u64::from(LOCAL_ALIGNMENT.wrapping_neg())), "");
        builder.inbounds_gep(bytes, memory.as_value(), &[i32.const_int(0), aligned], name)
    })
}
