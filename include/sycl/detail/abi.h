// The C interface between the SYCL headers and libscythe. `crates/abi` mirrors every type here, and
// a test compares the sizes and offsets of both sides.
//
// Conventions:
//  * A function that can fail returns `scythe_status`: 0 or a value of `sycl::errc`. The values in
//    `sycl/detail/errc.hpp` start at 1 in the order of the SYCL 2020 specification.
//    `scythe_last_error()` returns the message for this thread until its next failing call.
//  * Handles are opaque. Platforms and devices are never freed. Contexts, queues, events and
//    buffers have a reference count. It is one after creation, `_retain` adds one, and `_release`
//    subtracts one.
//  * Ranges are in SPIR-V order: index 0 is the dimension that varies fastest (SYCL's last
//    dimension). Unused entries are 1 in sizes and 0 in offsets.
//  * Strings are NUL-terminated UTF-8.
#ifndef SCYTHE_DETAIL_ABI_H
#define SCYTHE_DETAIL_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCYTHE_ABI_VERSION 3

// The runtime library defines this variable for its version only. The headers refer to it, so a
// program or library for another version does not link and is not loaded.
#define SCYTHE_ABI_VARIABLE scythe_abi_version_3
extern const uint8_t SCYTHE_ABI_VARIABLE;

typedef int32_t scythe_status;
typedef struct scythe_platform_t *scythe_platform;
typedef struct scythe_device_t *scythe_device;
typedef struct scythe_context_t *scythe_context;
typedef struct scythe_queue_t *scythe_queue;
typedef struct scythe_event_t *scythe_event;
typedef struct scythe_buffer_t *scythe_buffer;
typedef struct scythe_host_access_t *scythe_host_access;
typedef struct scythe_native_kernel_t *scythe_native_kernel;
typedef struct scythe_native_program_t *scythe_native_program;
typedef struct scythe_online_program_t *scythe_online_program;
typedef struct scythe_graph_t *scythe_graph;
typedef struct scythe_graph_node_t *scythe_graph_node;
typedef struct scythe_graph_exec_t *scythe_graph_exec;
typedef struct scythe_graph_choice_t *scythe_graph_choice;

const char *scythe_last_error(void);
// Makes `message` the message of this thread's last failing call. Names of device code in quotes
// become names in C++.
void scythe_set_last_error(const char *message);

// --- Platforms and devices -----------------------------------------------------------------------

// Info queries store the full size in bytes in `len`, and as many bytes as fit in `buf`, which has
// `cap` bytes. A null `buf` only queries the size. Sizes of strings exclude the NUL.
scythe_status scythe_platform_count(uint32_t *count);
scythe_status scythe_platform_get(uint32_t index, scythe_platform *out);
scythe_status scythe_platform_info(scythe_platform platform, uint32_t param, void *buf, size_t cap,
                                   size_t *len);
scythe_status scythe_device_count(scythe_platform platform /* null: all */, uint32_t *count);
scythe_status scythe_device_get(scythe_platform platform /* null: all */, uint32_t index,
                                scythe_device *out);
// Gives the device that the default selector chooses, or the first CPU if `only_cpus` is set, if
// that is known without loading drivers. Gives null if all devices must be examined.
scythe_status scythe_device_quick_default(int32_t only_cpus, scythe_device *out);
// Returns one sentence that says why there is no device, or no suitable device. The text lives as
// long as the process.
const char *scythe_device_problems(void);
scythe_status scythe_device_platform(scythe_device device, scythe_platform *out);
scythe_status scythe_device_info(scythe_device device, uint32_t param, void *buf, size_t cap,
                                 size_t *len);
// Returns 1 if the device has the aspect (numbers of `sycl::aspect`), 0 otherwise.
int32_t scythe_device_has_aspect(scythe_device device, uint32_t aspect);

enum scythe_backend_kind {
  SCYTHE_BACKEND_HOST = 0,
  SCYTHE_BACKEND_CPU = 1,
  SCYTHE_BACKEND_OPENCL = 2,
  SCYTHE_BACKEND_CUDA = 3
};

enum scythe_platform_param {
  SCYTHE_PLATFORM_NAME = 0,    // string
  SCYTHE_PLATFORM_VENDOR = 1,  // string
  SCYTHE_PLATFORM_VERSION = 2, // string
  SCYTHE_PLATFORM_PROFILE = 3, // string
  SCYTHE_PLATFORM_BACKEND = 4, // u32, scythe_backend_kind
};

enum scythe_device_param {
  SCYTHE_DEVICE_NAME = 0,                     // string
  SCYTHE_DEVICE_VENDOR = 1,                   // string
  SCYTHE_DEVICE_VERSION = 2,                  // string
  SCYTHE_DEVICE_DRIVER_VERSION = 3,           // string
  SCYTHE_DEVICE_PROFILE = 4,                  // string
  SCYTHE_DEVICE_BACKEND_VERSION = 5,          // string
  SCYTHE_DEVICE_TYPE = 6,                     // u32: 0 cpu, 1 gpu, 2 accelerator, 3 custom, 5 host
  SCYTHE_DEVICE_VENDOR_ID = 7,                // u32
  SCYTHE_DEVICE_MAX_COMPUTE_UNITS = 8,        // u32
  SCYTHE_DEVICE_MAX_WORK_ITEM_DIMENSIONS = 9, // u32
  SCYTHE_DEVICE_MAX_WORK_ITEM_SIZES = 10,     // u64[3]
  SCYTHE_DEVICE_MAX_WORK_GROUP_SIZE = 11,     // u64
  SCYTHE_DEVICE_MAX_NUM_SUB_GROUPS = 12,      // u32
  SCYTHE_DEVICE_SUB_GROUP_SIZES = 13,         // u64[]
  SCYTHE_DEVICE_SUB_GROUP_FORWARD_PROGRESS = 14, // u8
  SCYTHE_DEVICE_MAX_CLOCK_FREQUENCY = 15,        // u32, MHz
  SCYTHE_DEVICE_ADDRESS_BITS = 16,               // u32
  SCYTHE_DEVICE_MAX_MEM_ALLOC_SIZE = 17,         // u64
  SCYTHE_DEVICE_GLOBAL_MEM_SIZE = 18,            // u64
  SCYTHE_DEVICE_GLOBAL_MEM_CACHE_SIZE = 19,      // u64
  SCYTHE_DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE = 20, // u32
  SCYTHE_DEVICE_GLOBAL_MEM_CACHE_TYPE = 21,      // u32: 0 none, 1 read_only, 2 read_write
  SCYTHE_DEVICE_LOCAL_MEM_SIZE = 22,             // u64
  SCYTHE_DEVICE_LOCAL_MEM_TYPE = 23,             // u32: 0 none, 1 local, 2 global
  SCYTHE_DEVICE_MAX_PARAMETER_SIZE = 24,         // u64
  SCYTHE_DEVICE_MEM_BASE_ADDR_ALIGN = 25,        // u32, bits
  SCYTHE_DEVICE_PROFILING_TIMER_RESOLUTION = 26, // u64, ns
  SCYTHE_DEVICE_PREFERRED_VECTOR_WIDTHS = 27,    // u32[7]: char short int long float double half
  SCYTHE_DEVICE_NATIVE_VECTOR_WIDTHS = 28,       // u32[7]
  SCYTHE_DEVICE_HALF_FP_CONFIG = 29, // u32 bits: 1 denorm 2 inf_nan 4 nearest 8 zero 16 inf 32 fma
                                     // 64 correctly_rounded_divide_sqrt 128 soft_float
  SCYTHE_DEVICE_SINGLE_FP_CONFIG = 30,          // u32 bits
  SCYTHE_DEVICE_DOUBLE_FP_CONFIG = 31,          // u32 bits
  SCYTHE_DEVICE_ATOMIC_MEMORY_ORDERS = 32,      // u32 bits: 1<<sycl::memory_order
  SCYTHE_DEVICE_ATOMIC_MEMORY_SCOPES = 33,      // u32 bits: 1<<sycl::memory_scope
  SCYTHE_DEVICE_PRINTF_BUFFER_SIZE = 34,        // u64
  SCYTHE_DEVICE_BACKEND = 35,                   // u32, scythe_backend_kind
  SCYTHE_DEVICE_ERROR_CORRECTION = 36,          // u8
  SCYTHE_DEVICE_PARTITION_MAX_SUB_DEVICES = 37, // u32
  SCYTHE_DEVICE_ASPECTS = 38,                   // u32[]
  // These fail with `errc::feature_not_supported` if the device lacks the aspect of the property.
  SCYTHE_DEVICE_ID = 39,                        // u32, PCI device number
  SCYTHE_DEVICE_PCI_ADDRESS = 40,               // string, such as 0000:3b:00.0
  SCYTHE_DEVICE_UUID = 41,                      // u8[16]
  SCYTHE_DEVICE_FREE_MEMORY = 42,               // u64
  SCYTHE_DEVICE_MEMORY_CLOCK_RATE = 43,         // u32, MHz
  SCYTHE_DEVICE_MEMORY_BUS_WIDTH = 44,          // u32, bits
  SCYTHE_DEVICE_MAX_MEM_BANDWIDTH = 45,         // u64, bytes per second
  SCYTHE_DEVICE_GPU_EU_COUNT = 46,              // u32
  SCYTHE_DEVICE_GPU_SLICES = 47,                // u32
  SCYTHE_DEVICE_GPU_SUBSLICES_PER_SLICE = 48,   // u32
  SCYTHE_DEVICE_GPU_EU_COUNT_PER_SUBSLICE = 49, // u32
  SCYTHE_DEVICE_GPU_HW_THREADS_PER_EU = 50,     // u32
  SCYTHE_DEVICE_MAX_CLUSTER_SIZE = 51,          // u64, work-groups, 0 for no clusters
  SCYTHE_DEVICE_MAX_REGISTERS_PER_GROUP = 52,   // u32, 0 if the driver does not tell
};

// How a device can be partitioned, and how it was created by partitioning. The numbers are those of
// `sycl::info::partition_property` and `sycl::info::partition_affinity_domain`.
typedef struct scythe_partition_info {
  uint32_t properties;       // bit n: property n
  uint32_t affinity_domains; // bit n: domain n
  uint32_t type_property;    // 0 for a device that is not a sub-device
  uint32_t type_affinity_domain;
} scythe_partition_info;
// Sets `parent` to null for a device that is not a sub-device.
scythe_status scythe_device_partition_info(scythe_device device, scythe_partition_info *out,
                                           scythe_device *parent);
// `values` holds the number of compute units of each part (one number for equal parts), or the
// affinity domain. Returns up to `capacity` parts, and the number of all parts.
scythe_status scythe_device_partition(scythe_device device, uint32_t property,
                                      const uint64_t *values, uint32_t count, scythe_device *out,
                                      uint32_t capacity, uint32_t *made);

// Returns 1 if kernels on the device can access device allocations of `peer`, 0 otherwise. With
// `atomics`, their atomic operations must work there, too.
int32_t scythe_device_can_access_peer(scythe_device device, scythe_device peer, int32_t atomics);
// Fails with `errc::feature_not_supported` if the device cannot access the peer, and with
// `errc::invalid` if the access already has the state.
scythe_status scythe_device_set_peer_access(scythe_device device, scythe_device peer, int32_t on);

// --- Contexts and queues -------------------------------------------------------------------------

scythe_status scythe_context_create(const scythe_device *devices, uint32_t count,
                                    scythe_context *out);
void scythe_context_retain(scythe_context context);
void scythe_context_release(scythe_context context);

enum scythe_queue_flags {
  SCYTHE_QUEUE_IN_ORDER = 1,
  SCYTHE_QUEUE_PROFILING = 2,
  // Hints, which a backend without priorities ignores.
  SCYTHE_QUEUE_PRIORITY_LOW = 4,
  SCYTHE_QUEUE_PRIORITY_HIGH = 8
};
scythe_status scythe_queue_create(scythe_context context, scythe_device device, uint32_t flags,
                                  scythe_queue *out);
void scythe_queue_retain(scythe_queue queue);
void scythe_queue_release(scythe_queue queue);
scythe_status scythe_queue_wait(scythe_queue queue);
// Waits for all commands of all queues on the device, also of those that the program has destroyed.
scythe_status scythe_device_wait(scythe_device device);
// Returns 1 if every command submitted so far has completed.
int32_t scythe_queue_is_empty(scythe_queue queue);
// Requires an in-order queue, and fails with `errc::invalid` otherwise. Gives the last command
// (null if it has completed). Also gives the additional dependency of the next command (null if
// there is none), which counts as the last command until then.
scythe_status scythe_queue_last_event(scythe_queue queue, scythe_event *out);
scythe_status scythe_queue_set_external_event(scythe_queue queue, scythe_event event);
// Passes each asynchronous error that the queue has collected to `sink`, oldest first, and removes
// it.
typedef void (*scythe_error_sink)(void *ctx, scythe_status code, const char *message);
void scythe_queue_drain_errors(scythe_queue queue, scythe_error_sink sink, void *ctx);
// For a queue that is being destroyed. `sink` receives the remaining errors, and the errors of
// running commands when they fail. `destroy` is called after all commands have completed. Both may
// be called on any thread.
void scythe_queue_leave_errors(scythe_queue queue, scythe_error_sink sink,
                               void (*destroy)(void *ctx), void *ctx);

// --- Events --------------------------------------------------------------------------------------

void scythe_event_retain(scythe_event event);
void scythe_event_release(scythe_event event);
// Weak references keep the address of an event, but not the event. `_lock` returns 1 and adds a
// reference if the event still has one, and returns 0 otherwise.
void scythe_event_weak_retain(scythe_event event);
void scythe_event_weak_release(scythe_event event);
int32_t scythe_event_weak_lock(scythe_event event);
scythe_status scythe_event_wait(scythe_event event);
// Returns 0 for submitted, 1 for running, 2 for complete, and -`errc::invalid` for the event of a
// command that was recorded to a graph.
int32_t scythe_event_status(scythe_event event);
enum scythe_profiling_param {
  SCYTHE_PROFILING_SUBMIT = 0,
  SCYTHE_PROFILING_START = 1,
  SCYTHE_PROFILING_END = 2
};
// Gives nanoseconds. Waits for the command if the value is not yet known. Fails with
// `errc::invalid` without profiling.
scythe_status scythe_event_profiling(scythe_event event, uint32_t param, uint64_t *ns);

// --- Memory --------------------------------------------------------------------------------------

enum scythe_usm_kind {
  SCYTHE_USM_HOST = 0,
  SCYTHE_USM_DEVICE = 1,
  SCYTHE_USM_SHARED = 2,
  SCYTHE_USM_UNKNOWN = 3
};
// Sets `*out` to null, with status 0, if memory is exhausted. If `align` is 0, the alignment suits
// every type.
scythe_status scythe_usm_alloc(scythe_context context, scythe_device device, uint32_t kind,
                               size_t size, size_t align, void **out);
scythe_status scythe_usm_free(scythe_context context, void *ptr);
scythe_status scythe_usm_query(scythe_context context, const void *ptr, uint32_t *kind,
                               scythe_device *device);

// Converts the data that kernels wrote to a stream to text, and passes it to `sink` in pieces.
typedef void (*scythe_text_sink)(void *ctx, const char *text, size_t bytes);
void scythe_stream_format(const uint64_t *words, scythe_text_sink sink, void *ctx);

// A device_global variable: the object on the host that represents it, and its name in device code.
typedef struct scythe_device_global {
  const void *host;
  const char *name;
  uint64_t size;
} scythe_device_global;
// Called when a program or library is loaded, and before it is unloaded. Rows without an object are
// ignored.
void scythe_device_globals_register(const scythe_device_global *table, uint64_t count);
void scythe_device_globals_unregister(const scythe_device_global *table, uint64_t count);
// Gives the address on the queue's device of `bytes` bytes from `offset` of a variable. `host` is
// the variable's host object, and `size` is its size in bytes. The first call allocates the
// variable and sets its initial value.
scythe_status scythe_device_global_place(scythe_queue queue, const void *host, uint64_t size,
                                         uint32_t image_scope, uint64_t offset, uint64_t bytes,
                                         void **out);

enum scythe_buffer_flags {
  // The memory at `host_data` is the buffer's host copy.
  SCYTHE_BUFFER_USE_HOST_PTR = 1,
  // `host_data` is const. It is copied on creation and is no default destination of the write-back.
  SCYTHE_BUFFER_READ_ONLY_HOST = 2,
  // `host_data` is copied on creation, because it is only valid during the constructor.
  SCYTHE_BUFFER_COPY_HOST = 4,
};
typedef struct scythe_buffer_desc {
  uint64_t size;      // bytes, may be 0
  uint64_t elem_size; // bytes of one element
  void *host_data;    // initial contents, or null for none
  uint32_t flags;     // scythe_buffer_flags
  uint32_t reserved;
} scythe_buffer_desc;
scythe_status scythe_buffer_create(const scythe_buffer_desc *desc, scythe_buffer *out);
// Creates a view of `size` bytes from `offset` of `parent`. Views share storage and dependencies
// with overlapping views.
scythe_status scythe_buffer_create_sub(scythe_buffer parent, uint64_t offset, uint64_t size,
                                       scythe_buffer *out);
void scythe_buffer_retain(scythe_buffer buffer);
// The last release waits for all commands that use the buffer, then writes back as set below.
void scythe_buffer_release(scythe_buffer buffer);
// Weak references, as for events.
void scythe_buffer_weak_retain(scythe_buffer buffer);
void scythe_buffer_weak_release(scythe_buffer buffer);
int32_t scythe_buffer_weak_lock(scythe_buffer buffer);
// Sets the destination of the last release. If `callback` is set, it receives the final contents
// (the size of the buffer). Otherwise they are copied to `dest`. If both are null, nothing is
// written. The default destination is `host_data` if it is not const.
typedef void (*scythe_write_back)(void *ctx, const void *data, uint64_t size);
void scythe_buffer_set_final(scythe_buffer buffer, void *dest, scythe_write_back callback,
                             void *ctx, void (*destroy_ctx)(void *ctx));
// 0 turns write-back off, 1 turns it on.
void scythe_buffer_set_write_back(scythe_buffer buffer, int32_t on);

enum scythe_access_mode {
  SCYTHE_ACCESS_READ = 0,
  SCYTHE_ACCESS_WRITE = 1,
  SCYTHE_ACCESS_READ_WRITE = 2
};
// Waits for conflicting commands, updates the host copy and gives its address. Later conflicting
// commands wait for `_end`.
scythe_status scythe_host_access_begin(scythe_buffer buffer, uint32_t mode, uint32_t no_init,
                                       void **data, scythe_host_access *out);
void scythe_host_access_end(scythe_host_access access);
// Gives the address of the buffer's host copy (for a view: of its first byte), and allocates the
// copy if needed. The address stays the same until the last release. Host tasks and kernels in host
// mode find the contents there: before such a command runs, the runtime updates the host copies of
// its requirements.
scythe_status scythe_buffer_host_address(scythe_buffer buffer, void **data);

// --- Images --------------------------------------------------------------------------------------

// The memory layout of an image. Index 0 is the dimension that varies fastest. From 256 on, a
// format is one of SYCL 1.2.1: 256 + 16 * sycl::image_channel_order + sycl::image_channel_type.
// `channel` is then the number of bytes of one element. Elements of other formats have four
// channels.
typedef struct scythe_image_layout {
  uint64_t pitch[2]; // bytes from row to row, from slice to slice
  int32_t size[3];   // elements; 1 in dimensions that the image does not have
  uint32_t format;   // sycl::image_format
  uint32_t channel;  // bytes of one channel
} scythe_image_layout;
// Creates a buffer for an image of `size[dims]` elements, and computes its layout. `pitch[dims -
// 1]` may be null. Messages use `name`, the name of the class. `flags` are scythe_buffer_flags.
scythe_status scythe_image_create(const char *name, uint32_t format, uint32_t dims,
                                  const uint64_t *size, const uint64_t *pitch, void *host_data,
                                  uint32_t flags, scythe_image_layout *layout, scythe_buffer *out);
// Fails unless programs access channels of the format as numbers of this kind: 0 int, 1 unsigned, 2
// float or half.
scythe_status scythe_image_check_access(const char *name, uint32_t format, uint32_t kind);

// --- Native objects ------------------------------------------------------------------------------

// The driver's objects behind the runtime's, such as `cl_event`. If the driver counts references,
// the caller receives one. Fails with `errc::backend_mismatch` if the backend has no driver.
enum scythe_native_kind {
  SCYTHE_NATIVE_PLATFORM = 0,
  SCYTHE_NATIVE_DEVICE = 1,
  SCYTHE_NATIVE_CONTEXT = 2
};
scythe_status scythe_native_of_device(scythe_device device, uint32_t kind, void **out);
scythe_status scythe_native_of_context(scythe_context context, void **out);
// An in-order queue has its own native queue. All other queues of a device share one, and only
// events order the commands that a program enqueues there.
scythe_status scythe_native_of_queue(scythe_queue queue, void **out);
// Waits for the commands in the queue's native queue, if it has one.
scythe_status scythe_native_finish(scythe_queue queue);
scythe_status scythe_native_context_of_queue(scythe_queue queue, void **out);
scythe_status scythe_native_of_event(scythe_event event, void **out);
// Passes each memory object that holds the buffer's contents on the queue's device (any device if
// null) to `sink`. Such objects exist for buffers made from them, and on devices that share no
// memory with the host.
typedef void (*scythe_native_sink)(void *ctx, void *native);
scythe_status scythe_native_of_buffer(scythe_buffer buffer, scythe_queue queue,
                                      scythe_native_sink sink, void *ctx);
// Creates a memory object over `size` bytes at `ptr`. They must stay valid until it is released.
scythe_status scythe_native_memory(scythe_queue queue, void *ptr, uint64_t size, void **out);
// Gives the driver's kernel and program of a device symbol, built for the context's first device. A
// null output address skips the object.
scythe_status scythe_native_of_kernel(scythe_context context, const char *symbol, void **kernel,
                                      void **program);

// Runtime objects made from native objects. They take their own reference.
scythe_status scythe_context_from_native(uint32_t backend /* scythe_backend_kind */, void *native,
                                         scythe_context *out);
// Gives as many devices as fit, and the number of all devices.
scythe_status scythe_context_devices(scythe_context context, scythe_device *list, uint32_t capacity,
                                     uint32_t *count);
scythe_status scythe_queue_from_native(scythe_context context, void *native, scythe_queue *out,
                                       scythe_device *device,
                                       uint32_t *flags /* scythe_queue_flags */);
scythe_status scythe_event_from_native(scythe_queue queue, void *native, scythe_event *out);
// Commands use the memory object itself, after `ready` (at once if null). Its contents are up to
// date when the last release returns.
scythe_status scythe_buffer_from_native(scythe_context context, void *native, scythe_event ready,
                                        scythe_buffer *out, uint64_t *size);
scythe_status scythe_kernel_from_native(scythe_context context, void *native,
                                        scythe_native_kernel *out);
void scythe_native_kernel_retain(scythe_native_kernel kernel);
void scythe_native_kernel_release(scythe_native_kernel kernel);
scythe_status scythe_program_from_native(scythe_context context, void *native,
                                         scythe_native_program *out);
void scythe_native_program_release(scythe_native_program program);
scythe_status scythe_native_of_program(scythe_native_program program, void **out);
// See `scythe_native_of_kernel`.
scythe_status scythe_native_of_native_kernel(scythe_native_kernel kernel, void **native,
                                             void **program);

// --- Commands ------------------------------------------------------------------------------------

enum scythe_requirement_flags {
  // The previous contents need not be kept.
  SCYTHE_REQUIREMENT_NO_INIT = 1,
  // A host task gets the native memory object of the buffer instead of its host copy.
  SCYTHE_REQUIREMENT_NATIVE = 2,
};
typedef struct scythe_requirement {
  scythe_buffer buffer;
  uint32_t mode;  // scythe_access_mode
  uint32_t flags; // scythe_requirement_flags
} scythe_requirement;

// Every accessor object begins with these two words, on host and device. When a kernel is launched,
// the runtime looks up `buffer` and stores the device address of its first byte in `data` of the
// kernel's copy.
typedef struct scythe_accessor_head {
  void *data;
  scythe_buffer buffer;
} scythe_accessor_head;

// A local accessor begins with these words. The runtime gives each work-group `bytes` of local
// memory there.
typedef struct scythe_local_accessor_head {
  void *data;
  uint64_t bytes;
} scythe_local_accessor_head;

enum scythe_kernel_shape {
  SCYTHE_SHAPE_SINGLE_TASK = 0,
  SCYTHE_SHAPE_RANGE = 1,
  SCYTHE_SHAPE_ND_RANGE = 2,
  // Only for launches: a kernel over an nd_range in which each group is one work-item that runs a
  // whole work-group of the program. `global_size` counts the groups, and `local_size` is the size
  // that the program specified.
  SCYTHE_SHAPE_HIERARCHICAL = 3,
};

// Storage for cached lookups of the runtime. Each kernel type has one in static storage of the host
// program.
typedef struct scythe_kernel_slot {
  void *entry;
  uint64_t generation;
} scythe_kernel_slot;

// Host mode: the part of a range that one call runs. For SINGLE_TASK and RANGE, `begin..end` are
// work-item indices without the offset. For ND_RANGE, they are work-group indices. Work-items run
// in any order.
typedef struct scythe_host_box {
  uint64_t global_size[3];
  uint64_t global_offset[3];
  uint64_t local_size[3];
  uint64_t begin[3];
  uint64_t end[3];
} scythe_host_box;
typedef void (*scythe_host_kernel)(const void *functor, const scythe_host_box *box);

// The value of a specialization constant.
typedef struct scythe_specialization {
  // The mangled name of the type `sycl::detail::specialization_constant<id>`, with or without
  // "_ZTS".
  const char *name;
  uint64_t tu; // as in scythe_kernel_launch
  const void *bytes;
  uint64_t size;
  const void *id; // only for the headers: the address of the `sycl::specialization_id`
} scythe_specialization;

// The way in which the work-groups of a launch depend on each other.
enum scythe_cooperation {
  SCYTHE_COOPERATION_NONE = 0,
  SCYTHE_COOPERATION_ROOT = 1,    // all of them run at the same time
  SCYTHE_COOPERATION_CLUSTERS = 2 // those of a cluster run at the same time
};
typedef struct scythe_kernel_launch {
  const char *name;         // device symbol ("_ZTS…"), null in host mode
  uint64_t tu;              // translation unit of names with internal linkage, or 0
  scythe_kernel_slot *slot; // may be null
  scythe_host_kernel host;  // null except in host mode
  const void *functor;      // copied before the call returns
  uint64_t functor_size;
  uint32_t shape; // scythe_kernel_shape
  uint32_t dims;  // 1 to 3 (1 for a single task)
  uint64_t global_size[3];
  uint64_t local_size[3]; // 1 except for ND_RANGE and HIERARCHICAL
  uint64_t global_offset[3];
  const scythe_specialization *constants; // only constants that differ from their defaults
  uint64_t constant_count;
  uint32_t cooperation; // scythe_cooperation
  uint32_t cluster[3];  // work-groups in each dimension, only for CLUSTERS
} scythe_kernel_launch;

// One argument of a native kernel. It is copied before the call returns.
enum scythe_native_arg_kind {
  SCYTHE_NATIVE_ARG_ACCESSOR = 0, // data: a scythe_accessor_head
  SCYTHE_NATIVE_ARG_VALUE = 1,    // data: `size` bytes
  SCYTHE_NATIVE_ARG_POINTER = 3,  // data: an address in unified shared memory
  SCYTHE_NATIVE_ARG_LOCAL = 4,    // data: a scythe_local_accessor_head
};
typedef struct scythe_native_arg {
  uint32_t kind; // scythe_native_arg_kind
  uint32_t reserved;
  uint64_t size;
  const void *data;
} scythe_native_arg;

typedef struct scythe_native_launch {
  scythe_native_kernel kernel;
  const scythe_native_arg *args;
  uint64_t arg_count;
  uint32_t shape; // scythe_kernel_shape
  uint32_t dims;
  uint64_t global_size[3];
  uint64_t local_size[3];
  uint64_t global_offset[3];
} scythe_native_launch;

// A box of elements inside a buffer, or inside plain memory at `ptr` if `buffer` is null.
typedef struct scythe_view {
  scythe_buffer buffer;
  void *ptr;
  uint64_t elem_size;
  uint64_t memory_range[3]; // the whole memory in elements, fastest dimension first
  uint64_t offset[3];
  uint64_t range[3]; // the box
} scythe_view;

enum scythe_command_kind {
  SCYTHE_COMMAND_EMPTY = 0,     // no action: a barrier or an empty command group
  SCYTHE_COMMAND_KERNEL = 1,    // u.kernel
  SCYTHE_COMMAND_HOST_TASK = 2, // u.host_task
  SCYTHE_COMMAND_MEMCPY = 3,    // u.memory: dst, src, size (USM or host pointers)
  SCYTHE_COMMAND_FILL = 4, // u.memory: dst, pattern bytes at src, pattern_size, size = total bytes
  // u.copy: copies a box to (the first elements of) another, in row-major order of both
  SCYTHE_COMMAND_COPY = 5,
  SCYTHE_COMMAND_FILL_VIEW = 6, // u.fill: fills a box with a pattern of one element
  // u.copy.src.buffer: updates the host copy and the memory of the host pointer
  SCYTHE_COMMAND_UPDATE_HOST = 7,
  SCYTHE_COMMAND_PREFETCH = 8,       // u.memory: dst, size
  SCYTHE_COMMAND_ADVISE = 9,         // u.memory: dst, size, advice
  SCYTHE_COMMAND_NATIVE_KERNEL = 10, // u.native: a native kernel
  SCYTHE_COMMAND_GRAPH = 11,         // u.graph: a launch of an executable graph
};

enum scythe_command_flags {
  SCYTHE_COMMAND_BARRIER = 1, // waits for all commands submitted to the queue before
  SCYTHE_COMMAND_HOLD = 2,    // commands submitted to the queue later wait for it
  // A host task without an interop_handle. Its accessors refer to host memory.
  SCYTHE_COMMAND_ON_HOST = 4,
  // The command is submitted even if the queue records commands to a graph.
  SCYTHE_COMMAND_UNRECORDED = 8,
};

// A position in the program's source.
typedef struct scythe_place {
  const char *file; // null if the position is unknown
  uint32_t line;
  uint32_t reserved;
} scythe_place;

typedef struct scythe_command {
  uint32_t kind;
  uint32_t flags; // scythe_command_flags
  const scythe_requirement *requirements;
  uint64_t requirement_count;
  const scythe_event *deps;
  uint64_t dep_count;
  scythe_place place; // of the call that submits the command, for messages
  union {
    scythe_kernel_launch kernel;
    struct {
      // Runs on a runtime thread. Must not throw.
      void (*call)(void *ctx);
      // Called once, after `call` or when the command is dropped. If the submission fails, the
      // caller owns `ctx`.
      void (*destroy)(void *ctx);
      void *ctx;
    } host_task;
    struct {
      void *dst;
      const void *src;
      uint64_t size;
      uint64_t pattern_size;
      int32_t advice;
    } memory;
    struct {
      scythe_view dst;
      scythe_view src;
    } copy;
    struct {
      scythe_view dst;
      const void *pattern; // elem_size bytes, copied before the call returns
    } fill;
    scythe_native_launch native;
    scythe_graph_exec graph;
  } u;
} scythe_command;

// Validates the command and orders it after `deps`, conflicting accesses and, on an in-order queue,
// the queue's last command. Returns without waiting. `event` may be null. If a copy names a view of
// a buffer, `requirements` must contain the buffer.
scythe_status scythe_submit(scythe_queue queue, const scythe_command *command, scythe_event *event);

// --- Graphs --------------------------------------------------------------------------------------

// A queue that records passes its commands to a graph, as nodes. `scythe_submit` then returns the
// event of a recorded command, which only later commands of the graph can wait for. All functions
// fail with `errc::invalid` where the specification of `sycl_ext_oneapi_graph` requires it.
enum scythe_graph_flags { SCYTHE_GRAPH_NO_CYCLE_CHECK = 1, SCYTHE_GRAPH_BUFFERS_OUTLIVE = 2 };
scythe_status scythe_graph_create(scythe_context context, scythe_device device, uint32_t flags,
                                  scythe_graph *out);
void scythe_graph_retain(scythe_graph graph);
// The last release ends recording on all queues. Nodes and events remain valid.
void scythe_graph_release(scythe_graph graph);
uint64_t scythe_graph_id(scythe_graph graph);
// Makes the commands of `queue` nodes of the explicit interface, which no queue orders.
scythe_status scythe_graph_bind(scythe_graph graph, scythe_queue queue);
scythe_status scythe_graph_begin(scythe_graph graph, scythe_queue queue);
scythe_status scythe_graph_end(scythe_graph graph, scythe_queue queue /* null: all */);
// Fails while a queue records to the graph. Messages name the function `what`.
scythe_status scythe_graph_check_explicit(scythe_graph graph, const char *what);
// Returns 1 if the queue records, 0 otherwise.
int32_t scythe_queue_is_recording(scythe_queue queue);
// Fails if the queue does not record.
scythe_status scythe_queue_graph(scythe_queue queue, scythe_graph *out);
// If the event belongs to a recorded command, the graph owns `object` from now on, and the call
// returns 1. Otherwise it returns 0.
int32_t scythe_graph_keep(scythe_event event, void *object, void (*destroy)(void *object));

scythe_status scythe_graph_node_of_event(scythe_event event, scythe_graph_node *out);
void scythe_graph_node_retain(scythe_graph_node node);
void scythe_graph_node_release(scythe_graph_node node);
// Returns a number that no other node has.
uint64_t scythe_graph_node_id(scythe_graph_node node);
// Gives a value of `sycl::ext::oneapi::experimental::node_type`.
scythe_status scythe_graph_node_type(scythe_graph_node node, uint32_t *type);
scythe_status scythe_graph_make_edge(scythe_graph graph, scythe_graph_node source,
                                     scythe_graph_node target);
enum scythe_graph_selection {
  SCYTHE_GRAPH_NODES = 0,
  SCYTHE_GRAPH_ROOTS = 1,
  SCYTHE_GRAPH_LEAVES = 2,
  SCYTHE_GRAPH_PREDECESSORS = 3, // of `node`
  SCYTHE_GRAPH_SUCCESSORS = 4,   // of `node`
};
// Passes nodes to `sink`, which owns them. `graph` is null in a selection around `node`, and `node`
// is null otherwise.
typedef void (*scythe_node_sink)(void *ctx, scythe_graph_node node);
scythe_status scythe_graph_select(scythe_graph graph, scythe_graph_node node, uint32_t selection,
                                  scythe_node_sink sink, void *ctx);
// Replaces the ranges of a kernel. Only the shape, the sizes and the offset of `ranges` are read.
scythe_status scythe_graph_node_set_ranges(scythe_graph_node node,
                                           const scythe_kernel_launch *ranges);
// Writes the graph to a file in the format DOT.
scythe_status scythe_graph_print(scythe_graph graph, const char *path, int32_t verbose);

// The commands of a dynamic command group. Between `_open` and `_close`, commands that are
// submitted to a bound queue become candidates of the choice.
scythe_status scythe_graph_choice_open(scythe_graph graph, scythe_graph_choice *out);
void scythe_graph_choice_close(scythe_graph graph);
scythe_status scythe_graph_choice_check(scythe_graph_choice choice);
scythe_status scythe_graph_choice_activate(scythe_graph_choice choice, uint64_t index);
uint64_t scythe_graph_choice_active(scythe_graph_choice choice);
scythe_status scythe_graph_choice_add(scythe_graph graph, scythe_graph_choice choice,
                                      scythe_graph_node *out);
// Gives the commands of any node.
scythe_status scythe_graph_node_choice(scythe_graph_node node, scythe_graph_choice *out);
// Replaces an argument of a kernel, candidate `index` of the choice. `requirement` may be null.
scythe_status scythe_graph_choice_set_argument(scythe_graph_choice choice, uint64_t index,
                                               uint32_t argument, const void *bytes, uint64_t size,
                                               const scythe_requirement *requirement);
// Local memory whose size changes begins with a number from here. An update replaces the words
// after the number in the kernels of all graphs.
uint64_t scythe_dynamic_local_number(void);
scythe_status scythe_dynamic_local_update(uint64_t number, const void *words, uint64_t size);
void scythe_graph_choice_retain(scythe_graph_choice choice);
void scythe_graph_choice_release(scythe_graph_choice choice);

enum scythe_graph_exec_flags { SCYTHE_GRAPH_EXEC_UPDATABLE = 1, SCYTHE_GRAPH_EXEC_PROFILING = 2 };
scythe_status scythe_graph_finalize(scythe_graph graph, uint32_t flags, scythe_graph_exec *out);
void scythe_graph_exec_retain(scythe_graph_exec exec);
// Launches that are running keep what they need.
void scythe_graph_exec_release(scythe_graph_exec exec);
scythe_status scythe_graph_exec_update_nodes(scythe_graph_exec exec, const scythe_graph_node *nodes,
                                             uint64_t count);
scythe_status scythe_graph_exec_update(scythe_graph_exec exec, scythe_graph source);

// --- Programs compiled from source text ----------------------------------------------------------

typedef struct scythe_text {
  const char *data;
  uint64_t size;
} scythe_text;
enum scythe_source_language {
  SCYTHE_SOURCE_OPENCL = 0,
  SCYTHE_SOURCE_SPIRV = 1,
  SCYTHE_SOURCE_SYCL = 2
};
typedef struct scythe_source {
  uint32_t language; // scythe_source_language
  uint32_t state;    // scythe_bundle_state: object or executable
  scythe_text text;
  const scythe_text *includes; // pairs of a name and the contents
  uint64_t include_count;      // the number of pairs
  const scythe_text *options;
  uint64_t option_count;
  const scythe_text *names; // names that the program registers
  uint64_t name_count;
} scythe_source;
// Fails with `errc::feature_not_supported` and the reason if the device cannot build such programs.
scythe_status scythe_online_supported(scythe_device device, uint32_t language);
// What the driver of a device says about OpenCL C: `*answer` is 1 if it supports a version of the
// language, a feature or an extension. Versions have the form of `cl_version`. Of a version of the
// language, `*version` is the one that is asked for; otherwise it receives the supported one.
enum scythe_opencl_c_fact {
  SCYTHE_OPENCL_C_VERSION = 0,
  SCYTHE_OPENCL_C_FEATURE = 1,
  SCYTHE_OPENCL_C_EXTENSION = 2
};
scythe_status scythe_online_opencl_c(scythe_device device, uint32_t fact, scythe_text name,
                                     uint32_t *version, int32_t *answer);
// Passes the profile to `sink`, or calls it not at all if the driver does not compile OpenCL C.
scythe_status scythe_online_opencl_profile(scythe_device device, scythe_text_sink sink, void *ctx);
// Compiles a source for devices of the context. Passes the messages of the compiler to `log`, which
// may be null.
scythe_status scythe_online_compile(scythe_context context, const scythe_device *devices,
                                    uint64_t device_count, const scythe_source *source,
                                    scythe_text_sink log, void *ctx, scythe_online_program *out);
scythe_status scythe_online_link(scythe_context context, const scythe_device *devices,
                                 uint64_t device_count, const scythe_online_program *programs,
                                 uint64_t count, scythe_online_program *out);
void scythe_online_retain(scythe_online_program program);
void scythe_online_release(scythe_online_program program);
uint64_t scythe_online_image_count(scythe_online_program program);
// Passes the compiler-generated name of the kernel to `sink`, or calls it not at all if the program
// does not contain the kernel.
scythe_status scythe_online_kernel_name(scythe_online_program program, scythe_text name,
                                        scythe_text_sink sink, void *ctx);
// Sets `*answer` to 1 if the device can run the kernel, and to 0 otherwise.
scythe_status scythe_online_kernel_compatible(scythe_online_program program, scythe_text name,
                                              scythe_device device, int32_t *answer);
// Gives null if the program does not contain the kernel. The kernel keeps the program.
scythe_status scythe_online_kernel(scythe_online_program program, scythe_text name,
                                   scythe_native_kernel *out);
// Like `scythe_online_kernel_name`. Gives the size of the variable.
scythe_status scythe_online_variable(scythe_online_program program, scythe_text name,
                                     scythe_text_sink sink, void *ctx, uint64_t *size);
scythe_status scythe_online_variable_address(scythe_online_program program, scythe_text name,
                                             scythe_device device, void **out);
// Returns the name of the kernel, which lives as long as the kernel.
const char *scythe_native_kernel_name(scythe_native_kernel kernel);
// What `info::kernel` and `info::kernel_device_specific` say about the kernel. For kernels that the
// program made from native ones, the number of arguments is UINT32_MAX, which means unknown, and
// there are no attributes and requirements.
scythe_status scythe_native_kernel_facts(scythe_native_kernel kernel, uint32_t *arg_count,
                                         uint64_t work_group[3], uint32_t *sub_group,
                                         scythe_text_sink attributes, void *ctx);

// --- Host mode: work-items that wait for each other ----------------------------------------------

// Runs the work-items `0..count` of one work-group on this thread, and returns when all have ended.
// `items` runs them one after another: before each, it takes the number `*next` and increments it,
// until `*next` is `count`. A work-item that waits keeps its stack, and another call of `items`
// continues with the rest. Fails with `errc::kernel` if work-items wait for others that have ended
// or wait elsewhere.
typedef void (*scythe_host_items)(void *ctx, uint64_t *next, uint64_t count);
scythe_status scythe_host_group_run(scythe_host_items items, void *ctx, uint64_t count);
// Called by a work-item. Returns when each of the `count` work-items from `first` has called it
// with the same numbers. If `count` is 0, the call waits for the whole work-group. Returns at once
// outside `scythe_host_group_run`.
void scythe_host_group_wait(uint64_t first, uint64_t count);
// Waits like `scythe_host_group_wait`, and returns the addresses `value` of all those work-items in
// order. They are valid until the caller waits again.
void **scythe_host_group_exchange(uint64_t item, void *value, uint64_t first, uint64_t count);
// Returns memory that the work-group owns until its end. The n-th call of each work-item returns
// the same address. Returns null if the allocation fails.
void *scythe_host_group_memory(uint64_t item, uint64_t bytes, uint64_t align);

// --- Kernels of registered images ----------------------------------------------------------------

// Returns 1 if an image with the device symbol is registered, 0 otherwise.
int32_t scythe_kernel_known(const char *name, uint64_t tu);
// Gives the device symbol of `name` in the translation unit. Its address stays the same until the
// process ends. Fails with `errc::kernel` if no registered image contains it.
scythe_status scythe_kernel_find(const char *name, uint64_t tu, const char **symbol);
// What a kernel needs, and how many of its work-groups run at the same time. The call builds the
// kernel.
typedef struct scythe_kernel_facts {
  uint64_t max_work_group_size; // the limit of the device if the kernel has no other one
  uint64_t together;    // the most work-groups of a launch with SCYTHE_COOPERATION_ROOT, 0 for none
  uint64_t per_unit;    // work-groups on one compute unit, 0 if the driver does not tell
  uint64_t spill_bytes; // memory for spilled registers, for devices with its aspect
  uint64_t sub_groups;  // sub-groups of a work-group, 0 if they are neighbours by linear id
  uint32_t sub_group_size; // 0 for the largest size of the device
  uint32_t reserved;
} scythe_kernel_facts;
// `local_size` is the size of a work-group (fastest first). Each needs `local_bytes` bytes of local
// memory for its local accessors.
scythe_status scythe_kernel_query(scythe_context context, scythe_device device, const char *symbol,
                                  const uint64_t local_size[3], uint64_t local_bytes,
                                  scythe_kernel_facts *facts);
// Passes the device symbol of each kernel to `sink`, in alphabetical order.
typedef void (*scythe_symbol_sink)(void *ctx, const char *symbol);
scythe_status scythe_kernel_list(scythe_symbol_sink sink, void *ctx);
// Only the headers know bundles in state `SOURCE`.
enum scythe_bundle_state {
  SCYTHE_BUNDLE_INPUT = 0,
  SCYTHE_BUNDLE_OBJECT = 1,
  SCYTHE_BUNDLE_EXECUTABLE = 2,
  SCYTHE_BUNDLE_SOURCE = 3
};
// Sets `*compatible` to 1 if the device can run the kernel from an image in this state, and to 0 if
// a submission would fail with `errc::kernel_not_supported`. Builds nothing.
scythe_status scythe_kernel_compatible(scythe_device device, const char *name, uint64_t tu,
                                       uint32_t state, int32_t *compatible);
// Gives the work-group and sub-group sizes that the kernel's source requires, from the image that
// the device would use. A size of 0 means no requirement. Builds nothing.
scythe_status scythe_kernel_required_sizes(scythe_device device, const char *name, uint64_t tu,
                                           uint64_t work_group[3], uint32_t *sub_group);
// Calls `sink` with the kernel's attributes and properties in SYCL's spelling, separated by blanks.
scythe_status scythe_kernel_attributes(const char *name, uint64_t tu, scythe_symbol_sink sink,
                                       void *ctx);
// The function of a free function kernel.
typedef struct scythe_kernel_function {
  uint64_t functor_size; // 0 if the kernel is not a free function kernel
  uint32_t dims;         // of the nd_range, or 0 for a single task
  uint32_t arg_count;
} scythe_kernel_function;
// Describes the function of a kernel, and calls `sink`, unless it is null, with the position of
// each argument in the kernel's functor, in order.
typedef void (*scythe_argument_sink)(void *ctx, uint64_t offset, uint64_t size);
scythe_status scythe_kernel_arguments(const char *name, uint64_t tu,
                                      scythe_kernel_function *function, scythe_argument_sink sink,
                                      void *ctx);
// Sets `*answer` to 1 if an image that contains the kernel contains the specialization constant,
// and to 0 otherwise. `constant` and `tu` are as in `scythe_specialization`. If `constant` is null,
// any constant counts.
scythe_status scythe_kernel_has_constant(const char *name, const char *constant, uint64_t tu,
                                         int32_t *answer);

// --- Registration (called by the wrapper's object) -----------------------------------------------

struct __tgt_device_image;
struct __tgt_bin_desc;
void __tgt_register_lib(struct __tgt_bin_desc *desc);
void __tgt_unregister_lib(struct __tgt_bin_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
