//! OpenCL's functions, found in `libOpenCL.so.1` at run time. Nothing links OpenCL, so programs
//! that do not use it also run on machines without it.
//!
//! Types and numbers are those of OpenCL's headers. All calls are unsafe; callers guarantee that
//! the handles they pass are valid.

use std::ffi::{c_char, c_void};

use scythe_hal::library::Library;
use scythe_hal::{Errc, Error, Result};

/// Any OpenCL object.
pub(crate) type Handle = *mut c_void;

pub(crate) type EventCallback = unsafe extern "C" fn(event: Handle, status: i32, data: *mut c_void);

/// What loaders are called.
const LIBRARY: &str = "libOpenCL.so.1";

macro_rules! functions {
    ($($field:ident = $name:literal, fn($($arg:ty),*) -> $result:ty;)*) => {
        /// The addresses of the functions.
        pub(crate) struct Api {
            $(pub(crate) $field: unsafe extern "C" fn($($arg),*) -> $result,)*
        }

        impl Api {
            fn find(library: &Library) -> std::result::Result<Self, String> {
                Ok(Self {
                    // SAFETY: OpenCL gives the function of this name this type.
                    $($field: unsafe { library.get($name) }.ok_or_else(|| missing($name))?,)*
                })
            }
        }
    };
}

functions! {
    get_platform_ids = "clGetPlatformIDs", fn(u32, *mut Handle, *mut u32) -> i32;
    get_platform_info = "clGetPlatformInfo", fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    get_device_ids = "clGetDeviceIDs", fn(Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    get_device_info = "clGetDeviceInfo", fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    get_extension_function_address_for_platform = "clGetExtensionFunctionAddressForPlatform",
        fn(Handle, *const c_char) -> *mut c_void;
    create_context = "clCreateContext",
        fn(*const isize, u32, *const Handle, *const c_void, *mut c_void, *mut i32) -> Handle;
    retain_context = "clRetainContext", fn(Handle) -> i32;
    create_command_queue_with_properties = "clCreateCommandQueueWithProperties",
        fn(Handle, Handle, *const u64, *mut i32) -> Handle;
    retain_command_queue = "clRetainCommandQueue", fn(Handle) -> i32;
    release_command_queue = "clReleaseCommandQueue", fn(Handle) -> i32;
    create_program_with_il = "clCreateProgramWithIL",
        fn(Handle, *const c_void, usize, *mut i32) -> Handle;
    create_program_with_source = "clCreateProgramWithSource",
        fn(Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle;
    get_program_info = "clGetProgramInfo", fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    create_program_with_binary = "clCreateProgramWithBinary",
        fn(Handle, u32, *const Handle, *const usize, *const *const u8, *mut i32,
            *mut i32) -> Handle;
    build_program = "clBuildProgram",
        fn(Handle, u32, *const Handle, *const c_char, *const c_void, *mut c_void) -> i32;
    get_program_build_info = "clGetProgramBuildInfo",
        fn(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    release_program = "clReleaseProgram", fn(Handle) -> i32;
    create_kernel = "clCreateKernel", fn(Handle, *const c_char, *mut i32) -> Handle;
    release_kernel = "clReleaseKernel", fn(Handle) -> i32;
    set_kernel_arg = "clSetKernelArg", fn(Handle, u32, usize, *const c_void) -> i32;
    set_kernel_exec_info = "clSetKernelExecInfo", fn(Handle, u32, usize, *const c_void) -> i32;
    enqueue_nd_range_kernel = "clEnqueueNDRangeKernel",
        fn(Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle,
            *mut Handle) -> i32;
    enqueue_marker_with_wait_list = "clEnqueueMarkerWithWaitList",
        fn(Handle, u32, *const Handle, *mut Handle) -> i32;
    enqueue_barrier_with_wait_list = "clEnqueueBarrierWithWaitList",
        fn(Handle, u32, *const Handle, *mut Handle) -> i32;
    flush = "clFlush", fn(Handle) -> i32;
    finish = "clFinish", fn(Handle) -> i32;
    wait_for_events = "clWaitForEvents", fn(u32, *const Handle) -> i32;
    get_event_info = "clGetEventInfo", fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    get_event_profiling_info = "clGetEventProfilingInfo",
        fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    set_event_callback = "clSetEventCallback", fn(Handle, i32, EventCallback, *mut c_void) -> i32;
    retain_event = "clRetainEvent", fn(Handle) -> i32;
    release_event = "clReleaseEvent", fn(Handle) -> i32;
    get_context_info = "clGetContextInfo", fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    get_command_queue_info = "clGetCommandQueueInfo",
        fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    get_mem_object_info = "clGetMemObjectInfo",
        fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    retain_kernel = "clRetainKernel", fn(Handle) -> i32;
    get_kernel_work_group_info = "clGetKernelWorkGroupInfo",
        fn(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    get_kernel_sub_group_info = "clGetKernelSubGroupInfo",
        fn(Handle, Handle, u32, usize, *const c_void, usize, *mut c_void, *mut usize) -> i32;
    get_kernel_info = "clGetKernelInfo", fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    retain_program = "clRetainProgram", fn(Handle) -> i32;
    retain_mem_object = "clRetainMemObject", fn(Handle) -> i32;
    release_mem_object = "clReleaseMemObject", fn(Handle) -> i32;
    create_sub_devices = "clCreateSubDevices",
        fn(Handle, *const isize, u32, *mut Handle, *mut u32) -> i32;
    create_sub_buffer = "clCreateSubBuffer",
        fn(Handle, u64, u32, *const c_void, *mut i32) -> Handle;
    enqueue_read_buffer = "clEnqueueReadBuffer",
        fn(Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle, *mut Handle) -> i32;
    enqueue_write_buffer = "clEnqueueWriteBuffer",
        fn(Handle, Handle, u32, usize, usize, *const c_void, u32, *const Handle,
            *mut Handle) -> i32;
    enqueue_copy_buffer = "clEnqueueCopyBuffer",
        fn(Handle, Handle, Handle, usize, usize, usize, u32, *const Handle, *mut Handle) -> i32;
    enqueue_fill_buffer = "clEnqueueFillBuffer",
        fn(Handle, Handle, *const c_void, usize, usize, usize, u32, *const Handle,
            *mut Handle) -> i32;
    create_buffer = "clCreateBuffer", fn(Handle, u64, usize, *mut c_void, *mut i32) -> Handle;
    svm_alloc = "clSVMAlloc", fn(Handle, u64, usize, u32) -> *mut c_void;
    svm_free = "clSVMFree", fn(Handle, *mut c_void) -> ();
    enqueue_svm_memcpy = "clEnqueueSVMMemcpy",
        fn(Handle, u32, *mut c_void, *const c_void, usize, u32, *const Handle, *mut Handle) -> i32;
    enqueue_svm_mem_fill = "clEnqueueSVMMemFill",
        fn(Handle, *mut c_void, *const c_void, usize, usize, u32, *const Handle,
            *mut Handle) -> i32;
    set_kernel_arg_svm_pointer = "clSetKernelArgSVMPointer", fn(Handle, u32, *const c_void) -> i32;
}

impl Api {
    /// Loads OpenCL's loader, which stays loaded. On failure, returns the reason.
    pub(crate) fn load() -> std::result::Result<Self, String> {
        // SAFETY: the library's initialisers have no precondition.
        let library = unsafe { Library::load(LIBRARY) }.map_err(|why| {
            format!(
                "cannot load the OpenCL loader: {why}. Install it (on Debian: apt-get install \
                 ocl-icd-libopencl1)"
            )
        })?;
        Self::find(&library)
    }
}

/// The message for a loader without the function `name`.
fn missing(name: &str) -> String {
    format!("{LIBRARY} does not provide {name}: install a loader for OpenCL 2.1 or later")
}

/// Returns an error if `code` is one. `what` names the operation.
pub(crate) fn check(code: i32, what: &str) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(failure(code, what)) }
}

/// Returns the error for `code`.
pub(crate) fn failure(code: i32, what: &str) -> Error {
    let category = match code {
        -4 | -5 | -6 | -61 => Errc::MemoryAllocation,
        -11 | -43 | -45 | -17 | -15 => Errc::Build,
        -48..=-46 => Errc::Kernel,
        -52..=-49 => Errc::KernelArgument,
        -56..=-53 | -63 => Errc::NdRange,
        -57 | -58 => Errc::Event,
        -7 => Errc::Profiling,
        -18 | -68 => Errc::Invalid,
        _ => Errc::Runtime,
    };
    Error::new(category, format!("OpenCL: {what} failed with {} ({code})", name(code)))
}

/// Returns the name of a code in OpenCL's headers.
fn name(code: i32) -> &'static str {
    match code {
        -1 => "CL_DEVICE_NOT_FOUND",
        -2 => "CL_DEVICE_NOT_AVAILABLE",
        -3 => "CL_COMPILER_NOT_AVAILABLE",
        -4 => "CL_MEM_OBJECT_ALLOCATION_FAILURE",
        -5 => "CL_OUT_OF_RESOURCES",
        -6 => "CL_OUT_OF_HOST_MEMORY",
        -7 => "CL_PROFILING_INFO_NOT_AVAILABLE",
        -11 => "CL_BUILD_PROGRAM_FAILURE",
        -13 => "CL_MISALIGNED_SUB_BUFFER_OFFSET",
        -14 => "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        -15 => "CL_COMPILE_PROGRAM_FAILURE",
        -17 => "CL_LINK_PROGRAM_FAILURE",
        -18 => "CL_DEVICE_PARTITION_FAILED",
        -30 => "CL_INVALID_VALUE",
        -31 => "CL_INVALID_DEVICE_TYPE",
        -32 => "CL_INVALID_PLATFORM",
        -33 => "CL_INVALID_DEVICE",
        -34 => "CL_INVALID_CONTEXT",
        -35 => "CL_INVALID_QUEUE_PROPERTIES",
        -36 => "CL_INVALID_COMMAND_QUEUE",
        -38 => "CL_INVALID_MEM_OBJECT",
        -42 => "CL_INVALID_BINARY",
        -43 => "CL_INVALID_BUILD_OPTIONS",
        -44 => "CL_INVALID_PROGRAM",
        -45 => "CL_INVALID_PROGRAM_EXECUTABLE",
        -46 => "CL_INVALID_KERNEL_NAME",
        -47 => "CL_INVALID_KERNEL_DEFINITION",
        -48 => "CL_INVALID_KERNEL",
        -49 => "CL_INVALID_ARG_INDEX",
        -50 => "CL_INVALID_ARG_VALUE",
        -51 => "CL_INVALID_ARG_SIZE",
        -52 => "CL_INVALID_KERNEL_ARGS",
        -53 => "CL_INVALID_WORK_DIMENSION",
        -54 => "CL_INVALID_WORK_GROUP_SIZE",
        -55 => "CL_INVALID_WORK_ITEM_SIZE",
        -56 => "CL_INVALID_GLOBAL_OFFSET",
        -57 => "CL_INVALID_EVENT_WAIT_LIST",
        -58 => "CL_INVALID_EVENT",
        -59 => "CL_INVALID_OPERATION",
        -61 => "CL_INVALID_BUFFER_SIZE",
        -63 => "CL_INVALID_GLOBAL_WORK_SIZE",
        -68 => "CL_INVALID_DEVICE_PARTITION_COUNT",
        -1001 => "CL_PLATFORM_NOT_FOUND_KHR",
        _ => "an unknown error",
    }
}

/// Returns all bytes of an answer of `query`, or nothing if the driver has no answer. The arguments
/// of `query` are a size, memory of that size, and the address for the full size.
pub(crate) fn bytes(query: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> Vec<u8> {
    let mut size = 0;
    if query(0, std::ptr::null_mut(), &mut size) != 0 || size == 0 {
        return Vec::new();
    }
    let mut out = vec![0u8; size];
    if query(size, out.as_mut_ptr().cast(), std::ptr::null_mut()) == 0 { out } else { Vec::new() }
}

/// Returns an answer of one word: a handle, a size or a bit set. Returns `None` if the driver has
/// no answer.
pub(crate) fn word(query: impl Fn(usize, *mut c_void, *mut usize) -> i32) -> Option<usize> {
    let answer = bytes(query);
    Some(usize::from_ne_bytes(answer.get(..size_of::<usize>())?.try_into().ok()?))
}

/// Converts an answer to text, without the NUL at its end and surrounding blanks.
pub(crate) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_name_what_was_tried_and_how_it_ended() {
        assert!(check(0, "anything").is_ok());
        let error = failure(-54, "clEnqueueNDRangeKernel");
        assert_eq!(error.code, Errc::NdRange);
        assert_eq!(
            error.message,
            "OpenCL: clEnqueueNDRangeKernel failed with CL_INVALID_WORK_GROUP_SIZE (-54)"
        );
        assert_eq!(failure(-5, "clCreateContext").code, Errc::MemoryAllocation);
        assert!(failure(-9999, "x").message.contains("-9999"));
    }

    #[test]
    fn text_ends_at_its_nul() {
        assert_eq!(text(b" a name \0junk"), "a name");
        assert_eq!(text(b""), "");
    }
}
