//! Drivers' own objects, for programs that use a driver beside SYCL.

use std::ffi::c_void;

use crate::{Errc, Error};

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

pub(crate) fn none(what: &str) -> Error {
    Error::new(Errc::BackendMismatch, format!("the {what} has no object of a driver: its backend has no driver"))
}
