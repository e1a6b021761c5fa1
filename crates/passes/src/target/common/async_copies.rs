//! Replaces asynchronous group copies (`__spirv_OpGroupAsyncCopy`, `__spirv_OpGroupWaitEvents`) for
//! devices without an instruction for them: the CPU and NVIDIA GPUs.
//!
//! The headers declare these functions for any element type, and only the mangled name shows the
//! type. The function in the device library copies elements of a given size. A wait becomes a
//! barrier of the group, and the event is unused.
//!
//! Guarantee: afterwards the module contains no call of these functions. An element whose size the
//! name does not show is an error.

use super::local_variables::LOCAL;
use scythe_llvm::{CallConv, Instruction, Module, Value};

/// The prefixes of the mangled names in both spellings. The mangled element type follows a prefix
/// of `COPIES`.
const COPIES: [&str; 2] = ["_Z24__spirv_OpGroupAsyncCopyI", "_Z22__spirv_GroupAsyncCopyI"];
const WAITS: [&str; 2] = ["_Z25__spirv_OpGroupWaitEvents", "_Z23__spirv_GroupWaitEvents"];

/// The function of the device library. Its parameters are the destination, the source, the number
/// of elements, the strides of the destination and of the source in elements, and the size of an
/// element in bytes.
const GROUP_COPY: &str = "__scythe_group_copy";
const BARRIER: &str = "_Z22__spirv_ControlBarrierjjj";
/// The memory semantics: sequentially consistent, for local and global memory.
const SEMANTICS: u64 = 0x10 | 0x100 | 0x200;

/// A group copy that cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    #[error(
        "the elements of an asynchronous group copy have the mangled type '{element}', expected \
         scalars or vectors"
    )]
    Element { element: String },
    #[error("a call of an asynchronous group copy has {count} arguments, expected 6")]
    Arguments { count: usize },
}

/// A call of one of the group operations.
pub enum Call<'c> {
    /// A copy, with the mangled type of its elements.
    Copy(Instruction<'c>, String),
    Wait(Instruction<'c>),
}

/// Returns the calls of group operations in a module.
pub fn calls<'c>(module: &Module<'c>) -> Vec<Call<'c>> {
    let mut found = Vec::new();
    for function in module.functions().filter(|f| f.is_declaration() && f.has_uses()) {
        let name = function.name();
        let calls = function.users().into_iter().filter_map(|user| user.as_instruction());
        if let Some(element) = element(&name) {
            found.extend(calls.map(|call| Call::Copy(call, element.to_owned())));
        } else if WAITS.iter().any(|start| name.starts_with(start)) {
            found.extend(calls.map(Call::Wait));
        }
    }
    found
}

/// Replaces the calls. The module is generic device code or code for NVPTX.
pub fn replace(module: &Module<'_>) -> Result<(), CopyError> {
    for call in calls(module) {
        match call {
            Call::Copy(call, element) => {
                let size = size(&element).ok_or(CopyError::Element { element })?;
                copy(module, call, size)?;
            }
            Call::Wait(call) => wait(module, call),
        }
    }
    Ok(())
}

/// Returns the mangled element type of the group copy with this name.
fn element(name: &str) -> Option<&str> {
    let rest = COPIES.iter().find_map(|start| name.strip_prefix(start))?;
    rest.split_once("EP").map(|(element, _)| element)
}

/// Returns the size in bytes of a mangled number type or vector type. A vector of three elements
/// has the size of a vector of four.
fn size(element: &str) -> Option<u64> {
    if let Some(vector) = element.strip_prefix("Dv") {
        let (count, scalar) = vector.split_once('_')?;
        let count: u64 = count.parse().ok()?;
        return Some(if count == 3 { 4 } else { count } * size(scalar)?);
    }
    Some(match element {
        "a" | "h" | "c" | "b" => 1,
        "s" | "t" | "Dh" | "DF16_" => 2,
        "i" | "j" | "f" => 4,
        "l" | "m" | "x" | "y" | "d" => 8,
        _ => return None,
    })
}

fn call_of<'ctx>(
    module: &Module<'ctx>,
    before: Instruction<'ctx>,
    name: &str,
    args: &[Value<'ctx>],
) {
    let builder = module.context().create_builder();
    builder.position_before(before);
    let types: Vec<_> = args.iter().map(|arg| arg.ty()).collect();
    let ty = module.context().void_type().function(&types, false);
    let function = module.get_or_add_function(name, ty);
    if !module.triple().starts_with("nvptx") {
        function.set_call_conv(CallConv::SPIR_FUNC);
    }
    builder.call(function, args, "").set_call_conv(function.call_conv());
}

fn copy<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>, size: u64) -> Result<(), CopyError> {
    let args = call.args();
    let [_, to, from, count, stride, after] = args[..] else {
        return Err(CopyError::Arguments { count: args.len() });
    };
    let context = module.context();
    let builder = context.create_builder();
    builder.position_before(call);
    let generic = context.ptr_type(if module.triple().starts_with("nvptx") { 0 } else { 4 });
    let word = |number: u64| context.int_type(64).const_int(number);
    // The stride applies to the global memory.
    let is_to_local = to.ty().address_space() == Some(LOCAL);
    let (to_step, from_step) = if is_to_local { (word(1), stride) } else { (stride, word(1)) };
    let [to, from] = [to, from].map(|pointer| match pointer.ty() == generic {
        true => pointer,
        false => builder.addr_space_cast(pointer, generic, ""),
    });
    call_of(module, call, GROUP_COPY, &[to, from, count, to_step, from_step, word(size)]);
    call.replace_all_uses_with(after);
    call.erase();
    Ok(())
}

fn wait<'ctx>(module: &Module<'ctx>, call: Instruction<'ctx>) {
    let scope = call.args().first().copied();
    let number = |number: u64| module.context().int_type(32).const_int(number);
    let scope = scope.unwrap_or_else(|| number(2));
    call_of(module, call, BARRIER, &[scope, scope, number(SEMANTICS)]);
    call.erase();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_told_by_the_name() {
        let of = |name: &str| element(name).map(|element| (element.to_owned(), size(element)));
        let int = "_Z24__spirv_OpGroupAsyncCopyIiEP14__scythe_eventjPU3AS3T_PU3AS1S2_mmS1_";
        assert_eq!(of(int), Some(("i".to_owned(), Some(4))));
        assert_eq!(
            of("_Z22__spirv_GroupAsyncCopyIDv3_fEP14__scythe_event"),
            Some(("Dv3_f".to_owned(), Some(16)))
        );
        assert_eq!(
            of("_Z22__spirv_GroupAsyncCopyIDv8_DF16_EP14__scythe_event").and_then(|e| e.1),
            Some(16)
        );
        assert_eq!(
            of("_Z24__spirv_OpGroupAsyncCopyI4pairEP14__scythe_event").and_then(|e| e.1),
            None
        );
        assert_eq!(of("_Z22__spirv_ControlBarrierjjj"), None);
    }
}
