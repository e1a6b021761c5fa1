//! The types of `include/sycl/detail/abi.h`, field by field.
//!
//! The header is the original: it documents each field. `tests/capi_layout.rs` compiles it and
//! compares sizes, offsets and numbers. Fields that hold an enumeration have type `u32` here,
//! because C callers can store any number in them. The constants list the valid numbers, and the
//! runtime's C interface rejects all others.

use std::ffi::{c_char, c_void};

/// `SCYTHE_ABI_VERSION`.
pub const ABI_VERSION: u32 = 3;

/// `scythe_status`: 0, or a number of `sycl::errc`.
pub type Status = i32;

/// Declares types that are only used behind a pointer.
macro_rules! opaque {
    ($($name:ident = $c:literal;)*) => {$(
        #[doc = concat!("What `", $c, "` points at.")]
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        }
    )*};
}

opaque! {
    PlatformT = "scythe_platform";
    DeviceT = "scythe_device";
    ContextT = "scythe_context";
    QueueT = "scythe_queue";
    EventT = "scythe_event";
    BufferT = "scythe_buffer";
    HostAccessT = "scythe_host_access";
    NativeKernelT = "scythe_native_kernel";
    NativeProgramT = "scythe_native_program";
    PhysicalT = "scythe_physical";
    OnlineProgramT = "scythe_online_program";
    GraphT = "scythe_graph";
    GraphNodeT = "scythe_graph_node";
    GraphExecT = "scythe_graph_exec";
    GraphChoiceT = "scythe_graph_choice";
}

pub type PlatformHandle = *mut PlatformT;
pub type DeviceHandle = *mut DeviceT;
pub type ContextHandle = *mut ContextT;
pub type QueueHandle = *mut QueueT;
pub type EventHandle = *mut EventT;
pub type BufferHandle = *mut BufferT;
pub type HostAccessHandle = *mut HostAccessT;
pub type NativeKernelHandle = *mut NativeKernelT;
pub type NativeProgramHandle = *mut NativeProgramT;
pub type PhysicalHandle = *mut PhysicalT;
pub type OnlineProgramHandle = *mut OnlineProgramT;
pub type GraphHandle = *mut GraphT;
pub type GraphNodeHandle = *mut GraphNodeT;
pub type GraphExecHandle = *mut GraphExecT;
pub type GraphChoiceHandle = *mut GraphChoiceT;

/// `scythe_platform_param`.
pub mod platform_param {
    pub const NAME: u32 = 0;
    pub const VENDOR: u32 = 1;
    pub const VERSION: u32 = 2;
    pub const PROFILE: u32 = 3;
    pub const BACKEND: u32 = 4;
}

/// `scythe_device_param`.
pub mod device_param {
    pub const NAME: u32 = 0;
    pub const VENDOR: u32 = 1;
    pub const VERSION: u32 = 2;
    pub const DRIVER_VERSION: u32 = 3;
    pub const PROFILE: u32 = 4;
    pub const BACKEND_VERSION: u32 = 5;
    pub const TYPE: u32 = 6;
    pub const VENDOR_ID: u32 = 7;
    pub const MAX_COMPUTE_UNITS: u32 = 8;
    pub const MAX_WORK_ITEM_DIMENSIONS: u32 = 9;
    pub const MAX_WORK_ITEM_SIZES: u32 = 10;
    pub const MAX_WORK_GROUP_SIZE: u32 = 11;
    pub const MAX_NUM_SUB_GROUPS: u32 = 12;
    pub const SUB_GROUP_SIZES: u32 = 13;
    pub const SUB_GROUP_FORWARD_PROGRESS: u32 = 14;
    pub const MAX_CLOCK_FREQUENCY: u32 = 15;
    pub const ADDRESS_BITS: u32 = 16;
    pub const MAX_MEM_ALLOC_SIZE: u32 = 17;
    pub const GLOBAL_MEM_SIZE: u32 = 18;
    pub const GLOBAL_MEM_CACHE_SIZE: u32 = 19;
    pub const GLOBAL_MEM_CACHE_LINE_SIZE: u32 = 20;
    pub const GLOBAL_MEM_CACHE_TYPE: u32 = 21;
    pub const LOCAL_MEM_SIZE: u32 = 22;
    pub const LOCAL_MEM_TYPE: u32 = 23;
    pub const MAX_PARAMETER_SIZE: u32 = 24;
    pub const MEM_BASE_ADDR_ALIGN: u32 = 25;
    pub const PROFILING_TIMER_RESOLUTION: u32 = 26;
    pub const PREFERRED_VECTOR_WIDTHS: u32 = 27;
    pub const NATIVE_VECTOR_WIDTHS: u32 = 28;
    pub const HALF_FP_CONFIG: u32 = 29;
    pub const SINGLE_FP_CONFIG: u32 = 30;
    pub const DOUBLE_FP_CONFIG: u32 = 31;
    pub const ATOMIC_MEMORY_ORDERS: u32 = 32;
    pub const ATOMIC_MEMORY_SCOPES: u32 = 33;
    pub const PRINTF_BUFFER_SIZE: u32 = 34;
    pub const BACKEND: u32 = 35;
    pub const ERROR_CORRECTION: u32 = 36;
    pub const PARTITION_MAX_SUB_DEVICES: u32 = 37;
    pub const ASPECTS: u32 = 38;
    pub const ID: u32 = 39;
    pub const PCI_ADDRESS: u32 = 40;
    pub const UUID: u32 = 41;
    pub const FREE_MEMORY: u32 = 42;
    pub const MEMORY_CLOCK_RATE: u32 = 43;
    pub const MEMORY_BUS_WIDTH: u32 = 44;
    pub const MAX_MEM_BANDWIDTH: u32 = 45;
    pub const GPU_EU_COUNT: u32 = 46;
    pub const GPU_SLICES: u32 = 47;
    pub const GPU_SUBSLICES_PER_SLICE: u32 = 48;
    pub const GPU_EU_COUNT_PER_SUBSLICE: u32 = 49;
    pub const GPU_HW_THREADS_PER_EU: u32 = 50;
    pub const MAX_CLUSTER_SIZE: u32 = 51;
    pub const MAX_REGISTERS_PER_GROUP: u32 = 52;
}

/// `scythe_partition_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PartitionInfo {
    pub properties: u32,
    pub affinity_domains: u32,
    pub type_property: u32,
    pub type_affinity_domain: u32,
}

/// `scythe_queue_flags`.
pub mod queue_flags {
    pub const IN_ORDER: u32 = 1;
    pub const PROFILING: u32 = 2;
    pub const PRIORITY_LOW: u32 = 4;
    pub const PRIORITY_HIGH: u32 = 8;
}

/// `scythe_profiling_param`.
pub mod profiling_param {
    pub const SUBMIT: u32 = 0;
    pub const START: u32 = 1;
    pub const END: u32 = 2;
}

/// `scythe_usm_kind`.
pub mod usm_kind {
    pub const HOST: u32 = 0;
    pub const DEVICE: u32 = 1;
    pub const SHARED: u32 = 2;
    pub const UNKNOWN: u32 = 3;
}

/// `scythe_device_global`: a `device_global` variable of the program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceGlobal {
    pub host: *const c_void,
    pub name: *const c_char,
    pub size: u64,
}

/// `scythe_bundle_state`.
pub mod bundle_state {
    pub const INPUT: u32 = 0;
    pub const OBJECT: u32 = 1;
    pub const EXECUTABLE: u32 = 2;
}

/// `scythe_buffer_flags`.
pub mod buffer_flags {
    pub const USE_HOST_PTR: u32 = 1;
    pub const READ_ONLY_HOST: u32 = 2;
    pub const COPY_HOST: u32 = 4;
}

/// `scythe_access_mode`.
pub mod access_mode {
    pub const READ: u32 = 0;
    pub const WRITE: u32 = 1;
    pub const READ_WRITE: u32 = 2;
}

/// `scythe_command_kind`.
pub mod command_kind {
    pub const EMPTY: u32 = 0;
    pub const KERNEL: u32 = 1;
    pub const HOST_TASK: u32 = 2;
    pub const MEMCPY: u32 = 3;
    pub const FILL: u32 = 4;
    pub const COPY: u32 = 5;
    pub const FILL_VIEW: u32 = 6;
    pub const UPDATE_HOST: u32 = 7;
    pub const PREFETCH: u32 = 8;
    pub const ADVISE: u32 = 9;
    pub const NATIVE_KERNEL: u32 = 10;
    pub const GRAPH: u32 = 11;
}

/// `scythe_graph_flags`.
pub mod graph_flags {
    pub const NO_CYCLE_CHECK: u32 = 1;
    pub const BUFFERS_OUTLIVE: u32 = 2;
}

/// `scythe_graph_exec_flags`.
pub mod graph_exec_flags {
    pub const UPDATABLE: u32 = 1;
    pub const PROFILING: u32 = 2;
}

/// `scythe_graph_selection`.
pub mod graph_selection {
    pub const NODES: u32 = 0;
    pub const ROOTS: u32 = 1;
    pub const LEAVES: u32 = 2;
    pub const PREDECESSORS: u32 = 3;
    pub const SUCCESSORS: u32 = 4;
}

/// `scythe_requirement_flags`.
pub mod requirement_flags {
    pub const NO_INIT: u32 = 1;
    pub const NATIVE: u32 = 2;
}

/// Bit of [`Command::flags`]: the command waits for all earlier commands of its queue.
pub const COMMAND_BARRIER: u32 = 1;
pub const COMMAND_HOLD: u32 = 2;
/// Bit of [`Command::flags`]: a host task that cannot request device memory, so all of its
/// accessors refer to host memory.
pub const COMMAND_ON_HOST: u32 = 4;
/// Bit of [`Command::flags`]: the command is submitted even if the queue records.
pub const COMMAND_UNRECORDED: u32 = 8;

/// `scythe_error_sink`.
pub type ErrorSink = unsafe extern "C" fn(ctx: *mut c_void, code: Status, message: *const c_char);

/// `scythe_write_back`.
pub type WriteBack = unsafe extern "C" fn(ctx: *mut c_void, data: *const c_void, size: u64);

/// Frees a context pointer that was passed together with a callback.
pub type Destroy = unsafe extern "C" fn(ctx: *mut c_void);

/// `scythe_buffer_desc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BufferDesc {
    pub size: u64,
    pub elem_size: u64,
    pub host_data: *mut c_void,
    pub flags: u32,
    pub reserved: u32,
}

/// `scythe_image_layout`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageLayout {
    pub pitch: [u64; 2],
    pub size: [i32; 3],
    pub format: u32,
    pub channel: u32,
}

/// `scythe_requirement`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Requirement {
    pub buffer: BufferHandle,
    pub mode: u32,
    pub flags: u32,
}

/// `scythe_accessor_head`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AccessorHead {
    pub data: *mut c_void,
    pub buffer: BufferHandle,
}

/// `scythe_local_accessor_head`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct LocalAccessorHead {
    pub data: *mut c_void,
    pub bytes: u64,
}

/// `SCYTHE_SHAPE_HIERARCHICAL`: a shape that launches can have but kernels cannot (see
/// [`crate::launch::Shape`]).
pub const SHAPE_HIERARCHICAL: u32 = 3;

/// `scythe_kernel_slot`.
#[repr(C)]
pub struct KernelSlot {
    pub entry: *mut c_void,
    pub generation: u64,
}

/// `scythe_host_box`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostBox {
    pub global_size: [u64; 3],
    pub global_offset: [u64; 3],
    pub local_size: [u64; 3],
    pub begin: [u64; 3],
    pub end: [u64; 3],
}

/// `scythe_host_kernel`.
///
/// # Safety
/// `functor` must point to a functor of the type that the function was generated for, and
/// `host_box` must be valid for the call.
pub type HostKernel = unsafe extern "C" fn(functor: *const c_void, host_box: *const HostBox);

/// `scythe_host_items`.
///
/// # Safety
/// `ctx` must be the context that the function was generated for, and `next` must be valid for the
/// call.
pub type HostItems = unsafe extern "C" fn(ctx: *mut c_void, next: *mut u64, count: u64);

/// `scythe_kernel_launch`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelLaunch {
    pub name: *const c_char,
    pub tu: u64,
    pub slot: *mut KernelSlot,
    pub host: Option<HostKernel>,
    pub functor: *const c_void,
    pub functor_size: u64,
    pub shape: u32,
    pub dims: u32,
    pub global_size: [u64; 3],
    pub local_size: [u64; 3],
    pub global_offset: [u64; 3],
    pub constants: *const Specialization,
    pub constant_count: u64,
    pub cooperation: u32,
    pub cluster: [u32; 3],
}

/// `scythe_kernel_facts`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelFacts {
    pub max_work_group_size: u64,
    pub together: u64,
    pub per_unit: u64,
    pub spill_bytes: u64,
    pub sub_groups: u64,
    pub sub_group_size: u32,
    pub reserved: u32,
}

/// `scythe_cooperation`.
pub mod cooperation {
    pub const NONE: u32 = 0;
    pub const ROOT: u32 = 1;
    pub const CLUSTERS: u32 = 2;
}

/// `scythe_specialization`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Specialization {
    pub name: *const c_char,
    pub tu: u64,
    pub bytes: *const c_void,
    pub size: u64,
    pub id: *const c_void,
}

/// `scythe_text`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    pub data: *const c_char,
    pub size: u64,
}

/// `scythe_source`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Source {
    pub language: u32,
    pub state: u32,
    pub text: Text,
    pub includes: *const Text,
    pub include_count: u64,
    pub options: *const Text,
    pub option_count: u64,
    pub names: *const Text,
    pub name_count: u64,
}

/// `scythe_text_sink`.
pub type TextSink = unsafe extern "C" fn(ctx: *mut c_void, text: *const c_char, bytes: usize);

/// `scythe_native_sink`.
pub type NativeSink = unsafe extern "C" fn(ctx: *mut c_void, native: *mut c_void);

/// `scythe_native_arg`; the kinds are those of [`crate::launch::ParamKind`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NativeArg {
    pub kind: u32,
    pub reserved: u32,
    pub size: u64,
    pub data: *const c_void,
}

/// `scythe_native_launch`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NativeLaunch {
    pub kernel: NativeKernelHandle,
    pub args: *const NativeArg,
    pub arg_count: u64,
    pub shape: u32,
    pub dims: u32,
    pub global_size: [u64; 3],
    pub local_size: [u64; 3],
    pub global_offset: [u64; 3],
}

/// `scythe_kernel_function`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelFunction {
    pub functor_size: u64,
    pub dims: u32,
    pub arg_count: u32,
}

/// `scythe_view`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    pub buffer: BufferHandle,
    pub ptr: *mut c_void,
    pub elem_size: u64,
    pub memory_range: [u64; 3],
    pub offset: [u64; 3],
    pub range: [u64; 3],
}

/// `scythe_command::u.host_task`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostTask {
    pub call: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
    pub destroy: Option<Destroy>,
    pub ctx: *mut c_void,
}

/// `scythe_command::u.memory`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Memory {
    pub dst: *mut c_void,
    pub src: *const c_void,
    pub size: u64,
    pub pattern_size: u64,
    pub advice: i32,
}

/// `scythe_command::u.copy`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CopyViews {
    pub dst: View,
    pub src: View,
}

/// `scythe_command::u.fill`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Fill {
    pub dst: View,
    pub pattern: *const c_void,
}

/// `scythe_command::u`. [`Command::kind`] determines the valid member.
#[repr(C)]
#[derive(Clone, Copy)]
pub union CommandUnion {
    pub kernel: KernelLaunch,
    pub host_task: HostTask,
    pub memory: Memory,
    pub copy: CopyViews,
    pub fill: Fill,
    pub native: NativeLaunch,
    pub graph: GraphExecHandle,
}

/// `scythe_place`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Place {
    pub file: *const c_char,
    pub line: u32,
    pub reserved: u32,
}

impl Place {
    pub const UNKNOWN: Self = Self { file: std::ptr::null(), line: 0, reserved: 0 };
}

/// `scythe_command`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Command {
    pub kind: u32,
    pub flags: u32,
    pub requirements: *const Requirement,
    pub requirement_count: u64,
    pub deps: *const EventHandle,
    pub dep_count: u64,
    pub place: Place,
    pub u: CommandUnion,
}
