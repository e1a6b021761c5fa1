//! `device_global` variables: who allocates them, and how device code finds them.
//!
//! The runtime makes one allocation ([`crate::Device::alloc`], kind `Device`) per variable, context
//! and device, fills it with the initial value, and has code use it wherever the variable is named
//! ([`crate::BuildRequest::globals`]). Nothing of it changes as long as the process lives, so that
//! the address may be remembered.
//!
//! What a program's code holds of such a variable depends on who compiled it
//! (`passes::device_globals`):
//!
//! | code | a variable without `device_image_scope` | with it |
//! |---|---|---|
//! | x86-64 objects | an undefined symbol, bound when the object is loaded | the same |
//! | everything else | a pointer variable of that name, which holds the address of the allocation | the variable itself |
//!
//! Backends of the second kind need no more than [`crate::Program::global`].

use std::ffi::c_void;
use std::sync::Arc;

use crate::{Device, Errc, Error, Program, Result, Work};

/// The memory of a variable on one device.
#[derive(Clone, Copy, Debug)]
pub struct Global<'a> {
    /// The variable's name in device code.
    pub symbol: &'a str,
    pub size: usize,
    /// Device memory of `size` bytes, which outlives the program.
    pub address: *mut c_void,
}

/// Lets the pointer variables of a program hold the addresses of the allocations. A variable that
/// the program has no use for any more is passed over.
pub fn fill_pointers(
    device: &(impl Device + ?Sized),
    program: &dyn Program,
    globals: &[Global<'_>],
) -> Result<()> {
    let mut queue = None;
    for global in globals {
        let Some(place) = program.global(global.symbol)? else { continue };
        let address: Arc<[u8; 8]> = Arc::new((global.address as usize as u64).to_ne_bytes());
        let queue = match &queue {
            Some(queue) => queue,
            None => queue.insert(device.create_queue(false)?),
        };
        let work = Work::Memcpy { dst: place, src: address.as_ptr().cast(), size: address.len() };
        // SAFETY: the source is kept until the command has completed; the place is a pointer
        // variable of a program that runs no kernel yet.
        unsafe { queue.enqueue(work, &[], Some(Box::new(address.clone()))) }?.wait()?;
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
