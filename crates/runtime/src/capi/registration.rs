//! Registration of device images, called by the wrapper's object when a library is loaded and
//! unloaded, and questions about the kernels in them.

use std::ffi::{c_char, c_void};

use scythe_abi::capi::{DeviceHandle, DeviceT, Status, bundle_state};
use scythe_abi::tgt::BinDesc;

use super::handles::{check_out, get, put, text};
use super::{c_string, edge, edge_or};
use crate::registry::{self, BundleState};
use crate::{Result, invalid};

/// # Safety
/// `desc` is null or a descriptor that stays valid, with its images, until
/// [`__tgt_unregister_lib`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tgt_register_lib(desc: *mut BinDesc) {
    edge_or((), || {
        // SAFETY: passed on.
        unsafe { registry::register(desc) };
        Ok(())
    });
}

/// # Safety
/// None: the address is only compared.
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
    // SAFETY: passed on.
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
        // SAFETY: passed on.
        let found = registry::kernel_symbol(unsafe { text(name, "name") }?, tu)?;
        // SAFETY: passed on.
        unsafe { put(symbol, "symbol", found.as_ptr()) }
    })
}

/// # Safety
/// `sink` is null or may be called with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_list(
    sink: Option<unsafe extern "C" fn(ctx: *mut c_void, symbol: *const c_char)>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        let sink = sink.ok_or_else(|| invalid("the callback for the list of kernels is null"))?;
        for symbol in registry::kernel_symbols() {
            // SAFETY: the caller's contract.
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
        // SAFETY: passed on.
        let (device, name) = unsafe { (get::<DeviceT>(device)?, text(name, "name")?) };
        let answer = registry::is_compatible(name, tu, device, state_from(state)?)?;
        // SAFETY: passed on.
        unsafe { put(compatible, "compatible", i32::from(answer)) }
    })
}

/// # Safety
/// See [`super`]; `work_group` is valid for three numbers.
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
        // SAFETY: passed on.
        let (device, name) = unsafe { (get::<DeviceT>(device)?, text(name, "name")?) };
        let (sizes, lanes) = registry::required_sizes(name, tu, device)?;
        // SAFETY: the caller's contract.
        unsafe { work_group.cast::<[u64; 3]>().write(sizes) };
        // SAFETY: passed on.
        unsafe { put(sub_group, "sub_group", lanes) }
    })
}

/// # Safety
/// See [`super`]; `sink` is null or may be called with `ctx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scythe_kernel_attributes(
    name: *const c_char,
    tu: u64,
    sink: Option<unsafe extern "C" fn(ctx: *mut c_void, text: *const c_char)>,
    ctx: *mut c_void,
) -> Status {
    edge(|| {
        let sink = sink.ok_or_else(|| invalid("the callback for kernel attributes is null"))?;
        // SAFETY: passed on.
        let attributes = registry::attributes(unsafe { text(name, "name") }?, tu)?;
        // SAFETY: the caller's contract.
        unsafe { sink(ctx, c_string(&attributes).as_ptr()) };
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
        // SAFETY: passed on.
        let kernel = unsafe { text(name, "name") }?;
        // SAFETY: passed on.
        let constant =
            (!constant.is_null()).then(|| unsafe { text(constant, "constant") }).transpose()?;
        let has = registry::has_constant(kernel, constant.map(|constant| (constant, tu)))?;
        // SAFETY: passed on.
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
