//! The structures that the wrapper object passes to `__tgt_register_lib`.

use std::ffi::c_void;

/// A device image: the bytes of one container of `scythe-image`.
#[repr(C)]
pub struct DeviceImage {
    pub image_start: *const c_void,
    pub image_end: *const c_void,
}

/// The contents of `.sycl_offloading.descriptor`.
#[repr(C)]
pub struct BinDesc {
    pub num_device_images: i32,
    pub device_images: *const DeviceImage,
}
