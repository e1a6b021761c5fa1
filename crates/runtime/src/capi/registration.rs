//! Registration of device images, which the wrapper object performs when a library is loaded and
//! unloaded, and queries about the kernels in them.

use std::ffi::{c_char, c_void};

use scythe_abi::capi::{
    self as c, ContextHandle, ContextT, DeviceHandle, DeviceT, KernelFunction, Status, bundle_state,
};
use scythe_abi::tgt::BinDesc;

use super::handles::{check_out, get, put, text};
use super::{c_string, edge, edge_or};
use crate::registry::{self, BundleState};
use crate::{Result, cooperation, invalid};

/// # Safety
/// `desc` must be null, or a descriptor that stays valid, with its images, until
/// [`__tgt_unregister_lib`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tgt_register_lib(desc: *mut BinDesc) {
    edge_or((), || {
        // SAFETY: the caller guarantees that `desc` is null, or a descriptor that stays valid, with
        // its images, until it is unregistered.
        unsafe { registry::register(desc) };
        Ok(())
    });
}

/// # Safety
/// There are no requirements: the address is only compared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tgt_unregister_lib(desc: *mut BinDesc) {
    edge_or((), || {
        registry::unregister(desc);
        Ok(())
    });
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_known(name: *const c_char, tu: u64) -> i32 {
    // SAFETY: the caller guarantees that `name` is null or a C string.
    edge_or(0, || Ok(i32::from(registry::is_known(unsafe { text(name, "name") }?, tu))))
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_find(
    name: *const c_char,
    tu: u64,
    symbol: *mut *const c_char,
) -> Status {
    edge(|| {
        check_out(symbol, "symbol")?;
        // SAFETY: the caller guarantees that `name` is null or a C string.
        let found = registry::kernel_symbol(unsafe { text(name, "name") }?, tu)?;
        // SAFETY: the caller guarantees that `symbol` is null or valid for a write.
        unsafe { put(symbol, "symbol", found.as_ptr()) }
    })
}

/// # Safety
/// `sink` must be null, or it must be sound to call it with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_list(
    sink: Option<unsafe extern "C" fn(ctx: *mut c_void, symbol: *const c_char)>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        let sink = sink.ok_or_else(|| invalid("the callback for the list of kernels is null"))?;
        for symbol in registry::kernel_symbols() {
            // SAFETY: the caller guarantees that `sink` can be called with `ctx`.
            unsafe { sink(ctx, symbol.as_ptr()) };
        }
        Ok(())
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_compatible(
    device: DeviceHandle,
    name: *const c_char,
    tu: u64,
    state: u32,
    compatible: *mut i32,
) -> Status {
    edge(|| {
        check_out(compatible, "compatible")?;
        // SAFETY: the caller guarantees that `device` is null or a live handle and that `name` is
        // null or a C string.
        let (device, name) = unsafe { (get::<DeviceT>(device)?, text(name, "name")?) };
        let answer = registry::is_compatible(name, tu, device, state_from(state)?)?;
        // SAFETY: the caller guarantees that `compatible` is null or valid for a write.
        unsafe { put(compatible, "compatible", i32::from(answer)) }
    })
}

/// # Safety
/// See [`super`]. `work_group` must be null or valid for writes of three numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_required_sizes(
    device: DeviceHandle,
    name: *const c_char,
    tu: u64,
    work_group: *mut u64,
    sub_group: *mut u32,
) -> Status {
    edge(|| {
        check_out(work_group, "work_group")?;
        check_out(sub_group, "sub_group")?;
        // SAFETY: the caller guarantees that `device` is null or a live handle and that `name` is
        // null or a C string.
        let (device, name) = unsafe { (get::<DeviceT>(device)?, text(name, "name")?) };
        let (sizes, lanes) = registry::required_sizes(name, tu, device)?;
        // SAFETY: `work_group` is not null, and the caller guarantees that it is valid for three
        // numbers.
        unsafe { work_group.cast::<[u64; 3]>().write(sizes) };
        // SAFETY: the caller guarantees that `sub_group` is null or valid for a write.
        unsafe { put(sub_group, "sub_group", lanes) }
    })
}

/// # Safety
/// See [`super`]. `local_size` must be null or valid for reads of three numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_query(
    context: ContextHandle,
    device: DeviceHandle,
    symbol: *const c_char,
    local_size: *const u64,
    local_bytes: u64,
    facts: *mut c::KernelFacts,
) -> Status {
    edge(|| {
        check_out(facts, "facts")?;
        // SAFETY: the caller guarantees that both handles are null or live and that `symbol` is
        // null or a C string.
        let (context, device, symbol) = unsafe {
            (get::<ContextT>(context)?, get::<DeviceT>(device)?, text(symbol, "symbol")?)
        };
        // SAFETY: the caller guarantees that `local_size` is null or valid for three numbers.
        let local_size = unsafe { local_size.cast::<[u64; 3]>().as_ref() }
            .ok_or_else(|| invalid("the local size is null"))?;
        let place = registry::DeviceInContext { device, context: context.id };
        let known = cooperation::facts(symbol, place, *local_size, local_bytes)?;
        // SAFETY: the caller guarantees that `facts` is null or valid for a write.
        unsafe { put(facts, "facts", known) }
    })
}

/// # Safety
/// See [`super`]. `sink` must be null, or it must be sound to call it with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_attributes(
    name: *const c_char,
    tu: u64,
    sink: Option<unsafe extern "C" fn(ctx: *mut c_void, text: *const c_char)>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        let sink = sink.ok_or_else(|| invalid("the callback for kernel attributes is null"))?;
        // SAFETY: the caller guarantees that `name` is null or a C string.
        let attributes = registry::attributes(unsafe { text(name, "name") }?, tu)?;
        // SAFETY: the caller guarantees that `sink` can be called with `ctx`.
        unsafe { sink(ctx, c_string(&attributes).as_ptr()) };
        Ok(())
    })
}

/// # Safety
/// See [`super`]. `sink` must be null, or it must be sound to call it with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_arguments(
    name: *const c_char,
    tu: u64,
    function: *mut KernelFunction,
    sink: Option<unsafe extern "C" fn(ctx: *mut c_void, offset: u64, size: u64)>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        check_out(function, "function")?;
        // SAFETY: the caller guarantees that `name` is null or a C string.
        let launch = registry::description(unsafe { text(name, "name") }?, tu)?;
        let found = launch.function.as_ref();
        let arguments = found.map_or(&[][..], |found| &found.arguments);
        let described = KernelFunction {
            functor_size: found.map_or(0, |_| launch.functor_size),
            dims: found.map_or(0, |found| found.dimensions),
            arg_count: arguments.len() as u32,
        };
        // SAFETY: the caller guarantees that `function` is null or valid for a write.
        unsafe { put(function, "function", described) }?;
        let Some(sink) = sink else { return Ok(()) };
        for argument in arguments {
            // SAFETY: the caller guarantees that `sink` can be called with `ctx`.
            unsafe { sink(ctx, argument.offset, argument.size) };
        }
        Ok(())
    })
}

/// # Safety
/// See [`super`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_has_constant(
    name: *const c_char,
    constant: *const c_char,
    tu: u64,
    answer: *mut i32,
) -> Status {
    edge(|| {
        check_out(answer, "answer")?;
        // SAFETY: the caller guarantees that `name` is null or a C string.
        let kernel = unsafe { text(name, "name") }?;
        // SAFETY: the caller guarantees that `constant` is null or a C string.
        let constant =
            (!constant.is_null()).then(|| unsafe { text(constant, "constant") }).transpose()?;
        let has = registry::has_constant(kernel, constant.map(|constant| (constant, tu)))?;
        // SAFETY: the caller guarantees that `answer` is null or valid for a write.
        unsafe { put(answer, "answer", i32::from(has)) }
    })
}

fn state_from(number: u32) -> Result<BundleState> {
    Ok(match number {
        bundle_state::INPUT => BundleState::Input,
        bundle_state::OBJECT => BundleState::Object,
        bundle_state::EXECUTABLE => BundleState::Executable,
        _ => return Err(invalid(format!("bundle state {number} is unknown, expected 0 to 2"))),
    })
}
