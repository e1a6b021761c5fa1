//! Drivers' own objects, for programs that use a driver beside SYCL.

use std::ffi::c_void;
use std::sync::Arc;

use crate::{Device, Errc, Error, Queue};

/// An object of the driver, such as a `cl_event`.
pub type Native = *mut c_void;

/// What a device can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum NativeKind {
    Platform = 0,
    Device = 1,
    Context = 2,
}

impl NativeKind {
    /// The kind with this number.
    pub fn from_u32(number: u32) -> Option<Self> {
        [Self::Platform, Self::Device, Self::Context].into_iter().find(|&kind| kind as u32 == number)
    }
}

/// Whether a device is in a context of its driver's.
pub enum InContext {
    /// It is the context that the device uses anyway.
    Own,
    /// The device, for commands and memory in that context.
    Other(Arc<dyn Device>),
    Absent,
}

/// A queue that a program made of the driver's own.
pub struct NativeQueue {
    pub queue: Arc<dyn Queue>,
    pub in_order: bool,
    pub profiling: bool,
}

pub(crate) fn none(what: &str) -> Error {
    Error::new(Errc::BackendMismatch, format!("the {what} has no object of a driver: its backend has no driver"))
}
