//! The allocation of `device_global` variables and their addresses in device code.
//!
//! For each variable, context and device, the runtime creates one allocation
//! ([`crate::Device::alloc`], kind `Device`) and fills it with the initial value. Device code uses
//! this allocation for all accesses to the variable ([`crate::BuildRequest::globals`]). The
//! allocation stays the same as long as the process lives, so code may store its address.
//!
//! The form of such a variable in a program's code depends on the compiler
//! (`passes::device_globals`):
//!
//! | code | a variable without `device_image_scope` | with it |
//! |---|---|---|
//! | x86-64 objects | an undefined symbol, bound when the object is loaded | the same |
//! | all others | a pointer variable of that name with the allocation's address | the variable |
//!
//! Backends for the second form only need to implement [`crate::Program::global`].

use std::ffi::c_void;
use std::sync::Arc;

use crate::{Command, Errc, Error, Keep, Program, Queue, Result, Work};

/// The memory of a variable on one device.
#[derive(Clone, Copy, Debug)]
pub struct Global<'a> {
    /// The variable's name in device code.
    pub symbol: &'a str,
    pub size: usize,
    /// Device memory of `size` bytes, which outlives the program.
    pub address: *mut c_void,
}

/// Stores the addresses of the allocations in the pointer variables of a program. Skips variables
/// that the program no longer contains because its code does not use them. `create_queue` returns a
/// queue of the device.
pub fn fill_pointers(
    create_queue: impl Fn() -> Result<Arc<dyn Queue>>,
    program: &dyn Program,
    globals: &[Global<'_>],
) -> Result<()> {
    let mut queue = None;
    for global in globals {
        let Some(place) = program.global(global.symbol)? else { continue };
        let address: Arc<[u8; 8]> = Arc::new((global.address as usize as u64).to_ne_bytes());
        let queue = match &queue {
            Some(queue) => queue,
            None => queue.insert(create_queue()?),
        };
        let work = Work::Memcpy { dst: place, src: address.as_ptr().cast(), size: address.len() };
        let keep: Keep = Some(Box::new(address.clone()));
        // SAFETY: the source is kept until the command has completed; the place is a pointer
        // variable of a program that runs no kernel yet.
        unsafe { queue.enqueue(Command { work, deps: &[], keep }) }?.wait()?;
    }
    Ok(())
}

pub(crate) fn none(symbol: &str) -> Error {
    Error::new(
        Errc::FeatureNotSupported,
        format!(
            "device_global '{symbol}' cannot be used: the backend does not support variables in \
             device images"
        ),
    )
}
