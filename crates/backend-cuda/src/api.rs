//! The CUDA driver's functions, found in `libcuda.so.1` at run time. Nothing links it: a machine
//! without a driver is no different to a program that does not ask for one.
//!
//! Types and numbers are those of `cuda.h`. Every call is unsafe by its nature; callers hold the
//! handles they pass.

use std::ffi::{CStr, CString, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// `CUcontext`, `CUstream`, `CUevent`, `CUmodule`, `CUfunction`, `CUmemoryPool`, `CUlinkState`.
pub(crate) type Handle = *mut c_void;
/// `CUdeviceptr`.
pub(crate) type Address = u64;
/// `CUdevice`.
pub(crate) type Ordinal = i32;

/// What drivers are called.
pub(crate) const LIBRARY: &str = "libcuda.so.1";

/// The oldest driver that has all functions below.
const OLDEST: &str = "CUDA 11.2";

macro_rules! functions {
    ($($field:ident = $name:literal, fn($($arg:ty),*);)*) => {
        /// One address for each function. All of them return a `CUresult`.
        pub(crate) struct Api {
            $(pub(crate) $field: unsafe extern "C" fn($($arg),*) -> i32,)*
            pub(crate) hints: Hints,
        }

        impl Api {
            fn find(library: *mut c_void, path: &Path) -> std::result::Result<Self, String> {
                Ok(Self {
                    $($field: {
                        let address = symbol(library, path, $name)?;
                        // SAFETY: the driver gives the function of this name this type.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($arg),*) -> i32,
                            >(address)
                        }
                    },)*
                    hints: Hints::find(library, path),
                })
            }
        }
    };
}

functions! {
    init = "cuInit", fn(u32);
    driver_get_version = "cuDriverGetVersion", fn(*mut i32);
    get_error_name = "cuGetErrorName", fn(i32, *mut *const c_char);
    get_error_string = "cuGetErrorString", fn(i32, *mut *const c_char);
    device_get_count = "cuDeviceGetCount", fn(*mut i32);
    device_get = "cuDeviceGet", fn(*mut Ordinal, i32);
    device_get_name = "cuDeviceGetName", fn(*mut c_char, i32, Ordinal);
    device_total_mem = "cuDeviceTotalMem_v2", fn(*mut usize, Ordinal);
    device_get_attribute = "cuDeviceGetAttribute", fn(*mut i32, i32, Ordinal);
    device_can_access_peer = "cuDeviceCanAccessPeer", fn(*mut i32, Ordinal, Ordinal);
    device_get_default_mem_pool = "cuDeviceGetDefaultMemPool", fn(*mut Handle, Ordinal);
    device_primary_ctx_retain = "cuDevicePrimaryCtxRetain", fn(*mut Handle, Ordinal);
    ctx_get_current = "cuCtxGetCurrent", fn(*mut Handle);
    ctx_set_current = "cuCtxSetCurrent", fn(Handle);
    ctx_synchronize = "cuCtxSynchronize", fn();
    ctx_enable_peer_access = "cuCtxEnablePeerAccess", fn(Handle, u32);
    stream_create = "cuStreamCreate", fn(*mut Handle, u32);
    stream_destroy = "cuStreamDestroy_v2", fn(Handle);
    stream_synchronize = "cuStreamSynchronize", fn(Handle);
    stream_wait_event = "cuStreamWaitEvent", fn(Handle, Handle, u32);
    event_create = "cuEventCreate", fn(*mut Handle, u32);
    event_destroy = "cuEventDestroy_v2", fn(Handle);
    event_record = "cuEventRecord", fn(Handle, Handle);
    event_query = "cuEventQuery", fn(Handle);
    event_synchronize = "cuEventSynchronize", fn(Handle);
    event_elapsed_time = "cuEventElapsedTime", fn(*mut f32, Handle, Handle);
    mem_alloc = "cuMemAlloc_v2", fn(*mut Address, usize);
    mem_free = "cuMemFree_v2", fn(Address);
    mem_host_alloc = "cuMemHostAlloc", fn(*mut *mut c_void, usize, u32);
    mem_free_host = "cuMemFreeHost", fn(*mut c_void);
    mem_alloc_managed = "cuMemAllocManaged", fn(*mut Address, usize, u32);
    mem_alloc_from_pool_async = "cuMemAllocFromPoolAsync", fn(*mut Address, usize, Handle, Handle);
    mem_free_async = "cuMemFreeAsync", fn(Address, Handle);
    mem_pool_set_attribute = "cuMemPoolSetAttribute", fn(Handle, i32, *mut c_void);
    mem_pool_set_access = "cuMemPoolSetAccess", fn(Handle, *const PoolAccess, usize);
    mem_pool_trim_to = "cuMemPoolTrimTo", fn(Handle, usize);
    memcpy_async = "cuMemcpyAsync", fn(Address, Address, usize, Handle);
    memcpy_3d_async = "cuMemcpy3DAsync_v2", fn(*const Copy3d, Handle);
    memset_d8_async = "cuMemsetD8Async", fn(Address, u8, usize, Handle);
    memset_d16_async = "cuMemsetD16Async", fn(Address, u16, usize, Handle);
    memset_d32_async = "cuMemsetD32Async", fn(Address, u32, usize, Handle);
    pointer_get_attribute = "cuPointerGetAttribute", fn(*mut c_void, i32, Address);
    module_load_data_ex = "cuModuleLoadDataEx",
        fn(*mut Handle, *const c_void, u32, *const i32, *const *mut c_void);
    module_unload = "cuModuleUnload", fn(Handle);
    module_get_function = "cuModuleGetFunction", fn(*mut Handle, Handle, *const c_char);
    module_get_global = "cuModuleGetGlobal_v2", fn(*mut Address, *mut usize, Handle, *const c_char);
    func_get_attribute = "cuFuncGetAttribute", fn(*mut i32, i32, Handle);
    func_set_attribute = "cuFuncSetAttribute", fn(Handle, i32, i32);
    occupancy_max_active_blocks = "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        fn(*mut i32, Handle, i32, usize);
    launch_kernel = "cuLaunchKernel",
        fn(Handle, u32, u32, u32, u32, u32, u32, u32, Handle, *const *mut c_void,
            *const *mut c_void);
    link_create = "cuLinkCreate_v2", fn(u32, *const i32, *const *mut c_void, *mut Handle);
    link_add_data = "cuLinkAddData_v2",
        fn(Handle, i32, *const c_void, usize, *const c_char, u32, *const i32, *const *mut c_void);
    link_complete = "cuLinkComplete", fn(Handle, *mut *mut c_void, *mut usize);
    link_destroy = "cuLinkDestroy", fn(Handle);
}

/// Functions that programs can do without.
pub(crate) struct Hints {
    pub(crate) prefetch: Option<unsafe extern "C" fn(Address, usize, Ordinal, Handle) -> i32>,
    pub(crate) advise: Option<unsafe extern "C" fn(Address, usize, i32, Ordinal) -> i32>,
}

impl Hints {
    fn find(library: *mut c_void, path: &Path) -> Self {
        let [prefetch, advise] =
            ["cuMemPrefetchAsync", "cuMemAdvise"].map(|name| symbol(library, path, name).ok());
        // SAFETY: the driver gives the functions of these names these types.
        unsafe {
            Self {
                prefetch: prefetch.map(|at| std::mem::transmute(at)),
                advise: advise.map(|at| std::mem::transmute(at)),
            }
        }
    }
}

/// `CUmemAccessDesc` for a device.
#[repr(C)]
pub(crate) struct PoolAccess {
    /// `CU_MEM_LOCATION_TYPE_DEVICE`: 1.
    pub(crate) location_type: i32,
    pub(crate) location: Ordinal,
    /// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`: 3.
    pub(crate) flags: i32,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
pub(crate) struct Copy3d {
    pub(crate) src: Side,
    pub(crate) dst: Side,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// One side of a [`Copy3d`].
#[repr(C)]
#[derive(Default)]
pub(crate) struct Side {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
    pub(crate) lod: usize,
    /// 1: host; 2: device.
    pub(crate) memory_type: i32,
    pub(crate) host: usize,
    pub(crate) device: Address,
    pub(crate) array: usize,
    pub(crate) reserved: usize,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

impl Api {
    /// Loads a driver, which stays loaded. A sentence says why there is none.
    pub(crate) fn load(path: &Path) -> std::result::Result<Self, String> {
        let name = CString::new(path.as_os_str().as_bytes())
            .map_err(|_| format!("the name {} contains a NUL character", path.display()))?;
        // SAFETY: the name is NUL-terminated; the library's initialisers have no precondition.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            let why = dl_error();
            return Err(format!(
                "cannot load the CUDA driver: {why}. Install NVIDIA's display driver, which \
                 provides {LIBRARY}"
            ));
        }
        Self::find(library, path)
    }
}

fn symbol(
    library: *mut c_void,
    path: &Path,
    name: &str,
) -> std::result::Result<*mut c_void, String> {
    let text = CString::new(name).unwrap_or_default();
    // SAFETY: the library is open and the name NUL-terminated.
    let address = unsafe { libc::dlsym(library, text.as_ptr()) };
    match address.is_null() {
        true => Err(format!(
            "the CUDA driver {} does not provide {name}: install a driver for {OLDEST} or later",
            path.display()
        )),
        false => Ok(address),
    }
}

/// What the dynamic loader last complained of.
fn dl_error() -> String {
    // SAFETY: the string, where there is one, lasts until this thread's next call of the dynamic
    // loader.
    unsafe {
        let text: *const c_char = libc::dlerror();
        if text.is_null() {
            "unknown reason".into()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}
