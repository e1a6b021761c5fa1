//! The structures that the wrapper's object hands to `__tgt_register_lib`.

use std::ffi::c_void;

/// One device image: the bytes of one container of `scythe-image`.
#[repr(C)]
pub struct DeviceImage {
    pub image_start: *const c_void,
    pub image_end: *const c_void,
}

/// `.sycl_offloading.descriptor`.
#[repr(C)]
pub struct BinDesc {
    pub num_device_images: i32,
    pub device_images: *const DeviceImage,
}
