//! Registration of device images, called by the wrapper's object when a library is loaded and unloaded.

use std::ffi::c_char;

use scythe_abi::tgt::BinDesc;

use super::edge_or;
use super::handles::text;
use crate::registry;

/// # Safety
/// `desc` is null or a descriptor that stays valid, with its images, until [`__tgt_unregister_lib`].
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
