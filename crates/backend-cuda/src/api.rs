//! The functions of the CUDA driver, found in `libcuda.so.1` at run time. Nothing links the driver,
//! so programs that do not use it also run on machines without it.
//!
//! Types and numbers are those of `cuda.h`. All calls are unsafe; callers guarantee that the
//! handles they pass are valid.

use std::ffi::{c_char, c_void};
use std::path::Path;

use scythe_hal::library::Library;

/// `CUcontext`, `CUstream`, `CUevent`, `CUmodule`, `CUfunction`, `CUmemoryPool`, `CUlinkState`.
pub(crate) type Handle = *mut c_void;
/// `CUdeviceptr`.
pub(crate) type Address = u64;
/// `CUdevice`.
pub(crate) type Ordinal = i32;

/// The file name of the driver.
pub(crate) const LIBRARY: &str = "libcuda.so.1";

/// The oldest driver that provides all functions below.
const OLDEST: &str = "CUDA 11.2";

macro_rules! functions {
    ($($field:ident = $name:literal, fn($($arg:ty),*);)*) => {
        /// The addresses of the functions, all of which return a `CUresult`.
        pub(crate) struct Api {
            $(pub(crate) $field: unsafe extern "C" fn($($arg),*) -> i32,)*
            pub(crate) hints: Hints,
            pub(crate) graphs: Option<GraphApi>,
            pub(crate) virtual_memory: Option<VirtualApi>,
            /// `cuLaunchKernelEx`, from CUDA 11.8 on.
            pub(crate) launch_kernel_ex: Option<LaunchEx>,
        }

        impl Api {
            fn find(library: &Library, path: &Path) -> std::result::Result<Self, String> {
                Ok(Self {
                    // SAFETY: the driver gives the function of this name this type.
                    $($field: unsafe { library.get($name) }.ok_or_else(|| missing(path, $name))?,)*
                    hints: Hints::find(library),
                    graphs: GraphApi::find(library),
                    virtual_memory: VirtualApi::find(library),
                    // SAFETY: the driver gives the function of this name this type.
                    launch_kernel_ex: unsafe { library.get("cuLaunchKernelEx") },
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
    device_get_uuid = "cuDeviceGetUuid", fn(*mut [u8; 16], Ordinal);
    device_get_default_mem_pool = "cuDeviceGetDefaultMemPool", fn(*mut Handle, Ordinal);
    device_primary_ctx_retain = "cuDevicePrimaryCtxRetain", fn(*mut Handle, Ordinal);
    ctx_get_current = "cuCtxGetCurrent", fn(*mut Handle);
    ctx_set_current = "cuCtxSetCurrent", fn(Handle);
    ctx_synchronize = "cuCtxSynchronize", fn();
    ctx_enable_peer_access = "cuCtxEnablePeerAccess", fn(Handle, u32);
    ctx_get_stream_priority_range = "cuCtxGetStreamPriorityRange", fn(*mut i32, *mut i32);
    stream_create = "cuStreamCreate", fn(*mut Handle, u32);
    stream_create_with_priority = "cuStreamCreateWithPriority", fn(*mut Handle, u32, i32);
    stream_destroy = "cuStreamDestroy_v2", fn(Handle);
    stream_synchronize = "cuStreamSynchronize", fn(Handle);
    stream_wait_event = "cuStreamWaitEvent", fn(Handle, Handle, u32);
    event_create = "cuEventCreate", fn(*mut Handle, u32);
    event_destroy = "cuEventDestroy_v2", fn(Handle);
    event_record = "cuEventRecord", fn(Handle, Handle);
    event_query = "cuEventQuery", fn(Handle);
    event_synchronize = "cuEventSynchronize", fn(Handle);
    event_elapsed_time = "cuEventElapsedTime", fn(*mut f32, Handle, Handle);
    mem_get_info = "cuMemGetInfo_v2", fn(*mut usize, *mut usize);
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
    launch_cooperative_kernel = "cuLaunchCooperativeKernel",
        fn(Handle, u32, u32, u32, u32, u32, u32, u32, Handle, *const *mut c_void);
    link_create = "cuLinkCreate_v2", fn(u32, *const i32, *const *mut c_void, *mut Handle);
    link_add_data = "cuLinkAddData_v2",
        fn(Handle, i32, *const c_void, usize, *const c_char, u32, *const i32, *const *mut c_void);
    link_complete = "cuLinkComplete", fn(Handle, *mut *mut c_void, *mut usize);
    link_destroy = "cuLinkDestroy", fn(Handle);
}

/// The type of `cuLaunchKernelEx`.
pub(crate) type LaunchEx = unsafe extern "C" fn(
    *const LaunchConfig,
    Handle,
    *const *mut c_void,
    *const *mut c_void,
) -> i32;

/// `CUlaunchConfig`.
#[repr(C)]
pub(crate) struct LaunchConfig {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) stream: Handle,
    pub(crate) attributes: *const LaunchAttribute,
    pub(crate) attribute_count: u32,
}

/// `CUlaunchAttribute`: a number, and a value of 64 bytes.
#[repr(C)]
pub(crate) struct LaunchAttribute {
    pub(crate) id: i32,
    pub(crate) padding: [u8; 4],
    pub(crate) value: [u32; 16],
}

/// Optional functions, without which programs still work.
pub(crate) struct Hints {
    pub(crate) prefetch: Option<unsafe extern "C" fn(Address, usize, Ordinal, Handle) -> i32>,
    pub(crate) advise: Option<unsafe extern "C" fn(Address, usize, i32, Ordinal) -> i32>,
    pub(crate) host_register: Option<unsafe extern "C" fn(*mut c_void, usize, u32) -> i32>,
    pub(crate) host_unregister: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    pub(crate) peer_attribute: Option<unsafe extern "C" fn(*mut i32, i32, Ordinal, Ordinal) -> i32>,
}

impl Hints {
    fn find(library: &Library) -> Self {
        // SAFETY: the driver gives the functions of these names these types.
        unsafe {
            Self {
                prefetch: library.get("cuMemPrefetchAsync"),
                advise: library.get("cuMemAdvise"),
                host_register: library.get("cuMemHostRegister_v2"),
                host_unregister: library.get("cuMemHostUnregister"),
                peer_attribute: library.get("cuDeviceGetP2PAttribute"),
            }
        }
    }
}

/// The functions for graphs, which drivers from CUDA 11.4 on have.
pub(crate) struct GraphApi {
    pub(crate) begin_capture: unsafe extern "C" fn(Handle, i32) -> i32,
    pub(crate) end_capture: unsafe extern "C" fn(Handle, *mut Handle) -> i32,
    pub(crate) capture_info: unsafe extern "C" fn(
        Handle,
        *mut i32,
        *mut u64,
        *mut Handle,
        *mut *const Handle,
        *mut usize,
    ) -> i32,
    pub(crate) set_dependencies: unsafe extern "C" fn(Handle, *mut Handle, usize, u32) -> i32,
    pub(crate) instantiate: unsafe extern "C" fn(*mut Handle, Handle, u64) -> i32,
    pub(crate) launch: unsafe extern "C" fn(Handle, Handle) -> i32,
    pub(crate) destroy: unsafe extern "C" fn(Handle) -> i32,
    pub(crate) exec_destroy: unsafe extern "C" fn(Handle) -> i32,
    pub(crate) exec_kernel_set:
        Option<unsafe extern "C" fn(Handle, Handle, *const KernelNode) -> i32>,
}

impl GraphApi {
    fn find(library: &Library) -> Option<Self> {
        // SAFETY: the driver gives the functions of these names these types.
        unsafe {
            Some(Self {
                begin_capture: library.get("cuStreamBeginCapture_v2")?,
                end_capture: library.get("cuStreamEndCapture")?,
                capture_info: library.get("cuStreamGetCaptureInfo_v2")?,
                set_dependencies: library.get("cuStreamUpdateCaptureDependencies")?,
                instantiate: library.get("cuGraphInstantiateWithFlags")?,
                launch: library.get("cuGraphLaunch")?,
                destroy: library.get("cuGraphDestroy")?,
                exec_destroy: library.get("cuGraphExecDestroy")?,
                exec_kernel_set: library
                    .get("cuGraphExecKernelNodeSetParams_v2")
                    .or_else(|| library.get("cuGraphExecKernelNodeSetParams")),
            })
        }
    }
}

/// The functions for virtual memory.
pub(crate) struct VirtualApi {
    pub(crate) granularity: unsafe extern "C" fn(*mut usize, *const PhysicalProperties, i32) -> i32,
    pub(crate) reserve: unsafe extern "C" fn(*mut Address, usize, usize, Address, u64) -> i32,
    pub(crate) free: unsafe extern "C" fn(Address, usize) -> i32,
    pub(crate) create: unsafe extern "C" fn(*mut u64, usize, *const PhysicalProperties, u64) -> i32,
    pub(crate) release: unsafe extern "C" fn(u64) -> i32,
    pub(crate) map: unsafe extern "C" fn(Address, usize, usize, u64, u64) -> i32,
    pub(crate) unmap: unsafe extern "C" fn(Address, usize) -> i32,
    pub(crate) set_access: unsafe extern "C" fn(Address, usize, *const PoolAccess, usize) -> i32,
    pub(crate) export: unsafe extern "C" fn(*mut c_void, u64, i32, u64) -> i32,
}

impl VirtualApi {
    fn find(library: &Library) -> Option<Self> {
        // SAFETY: the driver gives the functions of these names these types.
        unsafe {
            Some(Self {
                granularity: library.get("cuMemGetAllocationGranularity")?,
                reserve: library.get("cuMemAddressReserve")?,
                free: library.get("cuMemAddressFree")?,
                create: library.get("cuMemCreate")?,
                release: library.get("cuMemRelease")?,
                map: library.get("cuMemMap")?,
                unmap: library.get("cuMemUnmap")?,
                set_access: library.get("cuMemSetAccess")?,
                export: library.get("cuMemExportToShareableHandle")?,
            })
        }
    }
}

/// `CUmemLocation`: kind 1 is a device.
#[repr(C)]
pub(crate) struct Location {
    pub(crate) kind: i32,
    pub(crate) id: Ordinal,
}

/// `CUmemAllocationProp`.
#[repr(C)]
pub(crate) struct PhysicalProperties {
    pub(crate) kind: i32,
    pub(crate) handles: i32,
    pub(crate) location: Location,
    pub(crate) metadata: *mut c_void,
    pub(crate) flags: [u8; 8],
}

/// `CUDA_KERNEL_NODE_PARAMS`. Its first version ends with `extra`.
#[repr(C)]
pub(crate) struct KernelNode {
    pub(crate) function: Handle,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) arguments: *const *mut c_void,
    pub(crate) extra: *mut *mut c_void,
    pub(crate) kernel: Handle,
    pub(crate) context: Handle,
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
    /// `CUmemorytype`: 1 for host, 2 for device.
    pub(crate) memory_type: i32,
    pub(crate) host: usize,
    pub(crate) device: Address,
    pub(crate) array: usize,
    pub(crate) reserved: usize,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

impl Api {
    /// Loads a driver, which stays loaded. On failure, returns the reason as a sentence.
    pub(crate) fn load(path: &Path) -> std::result::Result<Self, String> {
        // SAFETY: the library's initialisers have no precondition.
        let library = unsafe { Library::load(path) }.map_err(|why| {
            format!(
                "cannot load the CUDA driver: {why}. Install NVIDIA's display driver, which \
                 provides {LIBRARY}"
            )
        })?;
        Self::find(&library, path)
    }
}

/// The message for a driver without the function `name`.
fn missing(path: &Path, name: &str) -> String {
    format!(
        "the CUDA driver {} does not provide {name}: install a driver for {OLDEST} or later",
        path.display()
    )
}
