// Info descriptors. Each is a type with a `return_type` that is passed to `get_info<>`.
#ifndef SCYTHE_INFO_HPP
#define SCYTHE_INFO_HPP

#include <sycl/aspect.hpp>
#include <sycl/detail/info_query.hpp>
#include <sycl/id.hpp>
#include <sycl/memory_enums.hpp>

namespace sycl {

class device;
class platform;
class context;
class event;
class kernel_id;

namespace info {

enum class device_type : std::uint32_t {
  cpu = 0,
  gpu = 1,
  accelerator = 2,
  custom = 3,
  automatic = 4,
  host = 5,
  all = 6
};
enum class partition_property : int {
  no_partition = 0,
  partition_equally,
  partition_by_counts,
  partition_by_affinity_domain,
};
enum class partition_affinity_domain : int {
  not_applicable = 0,
  numa,
  L4_cache,
  L3_cache,
  L2_cache,
  L1_cache,
  next_partitionable,
};
enum class local_mem_type : std::uint32_t { none = 0, local = 1, global = 2 };
enum class global_mem_cache_type : std::uint32_t { none = 0, read_only = 1, read_write = 2 };
enum class fp_config : std::uint32_t {
  denorm = 0,
  inf_nan,
  round_to_nearest,
  round_to_zero,
  round_to_inf,
  fma,
  correctly_rounded_divide_sqrt,
  soft_float,
};
enum class execution_capability : int { exec_kernel, exec_native_kernel };
enum class event_command_status : int {
  submitted = 0,
  running = 1,
  complete = 2,
  ext_oneapi_unknown = -1,
};

namespace platform {
struct name : detail::string_param<SCYTHE_PLATFORM_NAME> {};
struct vendor : detail::string_param<SCYTHE_PLATFORM_VENDOR> {};
struct version : detail::string_param<SCYTHE_PLATFORM_VERSION> {};
struct profile : detail::string_param<SCYTHE_PLATFORM_PROFILE> {};
struct extensions {
  using return_type = std::vector<std::string>;
};
} // namespace platform

namespace context {
struct platform {
  using return_type = sycl::platform;
};
struct devices {
  using return_type = std::vector<sycl::device>;
};
struct atomic_memory_order_capabilities {
  using return_type = std::vector<memory_order>;
};
struct atomic_memory_scope_capabilities {
  using return_type = std::vector<memory_scope>;
};
struct atomic_fence_order_capabilities : atomic_memory_order_capabilities {};
struct atomic_fence_scope_capabilities : atomic_memory_scope_capabilities {};
} // namespace context

namespace queue {
struct context {
  using return_type = sycl::context;
};
struct device {
  using return_type = sycl::device;
};
} // namespace queue

namespace event {
struct command_execution_status {
  using return_type = event_command_status;
};
} // namespace event

namespace event_profiling {
struct command_submit : detail::u64_param<SCYTHE_PROFILING_SUBMIT> {};
struct command_start : detail::u64_param<SCYTHE_PROFILING_START> {};
struct command_end : detail::u64_param<SCYTHE_PROFILING_END> {};
} // namespace event_profiling

namespace device {
struct name : detail::string_param<SCYTHE_DEVICE_NAME> {};
struct vendor : detail::string_param<SCYTHE_DEVICE_VENDOR> {};
struct version : detail::string_param<SCYTHE_DEVICE_VERSION> {};
struct driver_version : detail::string_param<SCYTHE_DEVICE_DRIVER_VERSION> {};
struct profile : detail::string_param<SCYTHE_DEVICE_PROFILE>, detail::opencl_only {};
struct backend_version : detail::string_param<SCYTHE_DEVICE_BACKEND_VERSION> {};
struct device_type : detail::param<SCYTHE_DEVICE_TYPE, std::uint32_t, info::device_type> {};
struct vendor_id : detail::u32_param<SCYTHE_DEVICE_VENDOR_ID> {};
struct max_compute_units : detail::u32_param<SCYTHE_DEVICE_MAX_COMPUTE_UNITS> {};
struct max_work_item_dimensions : detail::u32_param<SCYTHE_DEVICE_MAX_WORK_ITEM_DIMENSIONS> {};
template <int Dimensions = 3> struct max_work_item_sizes {
  static constexpr int dimensions = Dimensions;
  using return_type = range<Dimensions>;
};
struct max_work_group_size : detail::size_param<SCYTHE_DEVICE_MAX_WORK_GROUP_SIZE> {};
struct max_num_sub_groups : detail::u32_param<SCYTHE_DEVICE_MAX_NUM_SUB_GROUPS> {};
struct sub_group_sizes : detail::param<SCYTHE_DEVICE_SUB_GROUP_SIZES, std::vector<std::uint64_t>,
                                       std::vector<std::size_t>> {};
struct sub_group_independent_forward_progress
    : detail::bool_param<SCYTHE_DEVICE_SUB_GROUP_FORWARD_PROGRESS> {};
struct max_clock_frequency : detail::u32_param<SCYTHE_DEVICE_MAX_CLOCK_FREQUENCY> {};
struct address_bits : detail::u32_param<SCYTHE_DEVICE_ADDRESS_BITS> {};
struct max_mem_alloc_size : detail::u64_param<SCYTHE_DEVICE_MAX_MEM_ALLOC_SIZE> {};
struct global_mem_size : detail::u64_param<SCYTHE_DEVICE_GLOBAL_MEM_SIZE> {};
struct global_mem_cache_size : detail::u64_param<SCYTHE_DEVICE_GLOBAL_MEM_CACHE_SIZE> {};
struct global_mem_cache_line_size : detail::u32_param<SCYTHE_DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE> {};
struct global_mem_cache_type : detail::param<SCYTHE_DEVICE_GLOBAL_MEM_CACHE_TYPE, std::uint32_t,
                                             info::global_mem_cache_type> {};
struct local_mem_size : detail::u64_param<SCYTHE_DEVICE_LOCAL_MEM_SIZE> {};
struct local_mem_type
    : detail::param<SCYTHE_DEVICE_LOCAL_MEM_TYPE, std::uint32_t, info::local_mem_type> {};
struct max_parameter_size : detail::size_param<SCYTHE_DEVICE_MAX_PARAMETER_SIZE> {};
struct mem_base_addr_align : detail::u32_param<SCYTHE_DEVICE_MEM_BASE_ADDR_ALIGN> {};
struct profiling_timer_resolution : detail::size_param<SCYTHE_DEVICE_PROFILING_TIMER_RESOLUTION> {};
struct printf_buffer_size : detail::size_param<SCYTHE_DEVICE_PRINTF_BUFFER_SIZE> {};
struct error_correction_support : detail::bool_param<SCYTHE_DEVICE_ERROR_CORRECTION> {};
struct partition_max_sub_devices : detail::u32_param<SCYTHE_DEVICE_PARTITION_MAX_SUB_DEVICES> {};
struct aspects
    : detail::param<SCYTHE_DEVICE_ASPECTS, std::vector<std::uint32_t>, std::vector<aspect>> {};

// One of the seven widths that the runtime returns for a query.
template <std::uint32_t Code, int Index> struct vector_width {
  static constexpr std::uint32_t code = Code;
  static constexpr int index = Index;
  using return_type = std::uint32_t;
};
struct preferred_vector_width_char : vector_width<SCYTHE_DEVICE_PREFERRED_VECTOR_WIDTHS, 0> {};
struct preferred_vector_width_short : vector_width<SCYTHE_DEVICE_PREFERRED_VECTOR_WIDTHS, 1> {};
struct preferred_vector_width_int : vector_width<SCYTHE_DEVICE_PREFERRED_VECTOR_WIDTHS, 2> {};
struct preferred_vector_width_long : vector_width<SCYTHE_DEVICE_PREFERRED_VECTOR_WIDTHS, 3> {};
struct preferred_vector_width_long_long : vector_width<SCYTHE_DEVICE_PREFERRED_VECTOR_WIDTHS, 3> {};
struct preferred_vector_width_float : vector_width<SCYTHE_DEVICE_PREFERRED_VECTOR_WIDTHS, 4> {};
struct preferred_vector_width_double : vector_width<SCYTHE_DEVICE_PREFERRED_VECTOR_WIDTHS, 5> {};
struct preferred_vector_width_half : vector_width<SCYTHE_DEVICE_PREFERRED_VECTOR_WIDTHS, 6> {};
struct native_vector_width_char : vector_width<SCYTHE_DEVICE_NATIVE_VECTOR_WIDTHS, 0> {};
struct native_vector_width_short : vector_width<SCYTHE_DEVICE_NATIVE_VECTOR_WIDTHS, 1> {};
struct native_vector_width_int : vector_width<SCYTHE_DEVICE_NATIVE_VECTOR_WIDTHS, 2> {};
struct native_vector_width_long : vector_width<SCYTHE_DEVICE_NATIVE_VECTOR_WIDTHS, 3> {};
struct native_vector_width_long_long : vector_width<SCYTHE_DEVICE_NATIVE_VECTOR_WIDTHS, 3> {};
struct native_vector_width_float : vector_width<SCYTHE_DEVICE_NATIVE_VECTOR_WIDTHS, 4> {};
struct native_vector_width_double : vector_width<SCYTHE_DEVICE_NATIVE_VECTOR_WIDTHS, 5> {};
struct native_vector_width_half : vector_width<SCYTHE_DEVICE_NATIVE_VECTOR_WIDTHS, 6> {};

// A set that the runtime returns as bits: bit n is the enumerator with value n.
template <std::uint32_t Code, class Enum> struct bit_set {
  static constexpr std::uint32_t code = Code;
  using element_type = Enum;
  using return_type = std::vector<Enum>;
};
struct half_fp_config : bit_set<SCYTHE_DEVICE_HALF_FP_CONFIG, fp_config> {};
struct single_fp_config : bit_set<SCYTHE_DEVICE_SINGLE_FP_CONFIG, fp_config> {};
struct double_fp_config : bit_set<SCYTHE_DEVICE_DOUBLE_FP_CONFIG, fp_config> {};
struct atomic_memory_order_capabilities
    : bit_set<SCYTHE_DEVICE_ATOMIC_MEMORY_ORDERS, memory_order> {};
struct atomic_memory_scope_capabilities
    : bit_set<SCYTHE_DEVICE_ATOMIC_MEMORY_SCOPES, memory_scope> {};
struct atomic_fence_order_capabilities : bit_set<SCYTHE_DEVICE_ATOMIC_MEMORY_ORDERS, memory_order> {
};
struct atomic_fence_scope_capabilities : bit_set<SCYTHE_DEVICE_ATOMIC_MEMORY_SCOPES, memory_scope> {
};

// True if the device has the aspect.
template <aspect Aspect> struct aspect_flag {
  static constexpr sycl::aspect asked = Aspect;
  using return_type = bool;
};
struct image_support : aspect_flag<aspect::image> {};
struct is_compiler_available : aspect_flag<aspect::online_compiler> {};
struct is_linker_available : aspect_flag<aspect::online_linker> {};
struct queue_profiling : aspect_flag<aspect::queue_profiling> {};
struct usm_device_allocations : aspect_flag<aspect::usm_device_allocations> {};
struct usm_host_allocations : aspect_flag<aspect::usm_host_allocations> {};
struct usm_shared_allocations : aspect_flag<aspect::usm_shared_allocations> {};
struct usm_system_allocations : aspect_flag<aspect::usm_system_allocations> {};

struct is_available : detail::fixed_param<bool, 1> {};
// SYCL 1.2.1 and DPC++ have this query. Devices are never freed.
struct reference_count : detail::fixed_param<std::uint32_t, 1> {};
struct is_endian_little : detail::fixed_param<bool, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__> {};
struct host_unified_memory : aspect_flag<aspect::usm_system_allocations> {};
struct preferred_interop_user_sync : detail::fixed_param<bool, 1>, detail::opencl_only {};
// Images are plain memory on every device. Only the number of elements in a dimension has a
// separate limit.
struct max_read_image_args : detail::fixed_param<std::uint32_t, 128> {};
struct max_write_image_args : detail::fixed_param<std::uint32_t, 128> {};
struct max_samplers : detail::fixed_param<std::uint32_t, 128> {};
struct image2d_max_width : detail::fixed_param<std::size_t, 1 << 30> {};
struct image2d_max_height : detail::fixed_param<std::size_t, 1 << 30> {};
struct image3d_max_width : detail::fixed_param<std::size_t, 1 << 30> {};
struct image3d_max_height : detail::fixed_param<std::size_t, 1 << 30> {};
struct image3d_max_depth : detail::fixed_param<std::size_t, 1 << 30> {};
struct image_max_buffer_size : detail::fixed_param<std::size_t, 1 << 30> {};

struct platform {
  using return_type = sycl::platform;
};
struct parent_device {
  using return_type = sycl::device;
};
struct extensions {
  using return_type = std::vector<std::string>;
};
struct built_in_kernels {
  using return_type = std::vector<std::string>;
};
struct built_in_kernel_ids {
  using return_type = std::vector<kernel_id>;
};
// Constant memory is global memory. These deprecated queries return the sizes of global memory.
struct max_constant_buffer_size : detail::u64_param<SCYTHE_DEVICE_MAX_MEM_ALLOC_SIZE> {};
struct max_constant_args : detail::fixed_param<std::uint32_t, 8> {};
struct execution_capabilities : detail::opencl_only {
  using return_type = std::vector<execution_capability>;
};
// A member of the runtime's partition info: a number or a set of bits.
template <std::uint32_t scythe_partition_info::*Answer, class Result> struct partition_answer {
  static constexpr auto answer = Answer;
  using return_type = Result;
};
struct partition_properties
    : partition_answer<&scythe_partition_info::properties, std::vector<partition_property>> {};
struct partition_affinity_domains : partition_answer<&scythe_partition_info::affinity_domains,
                                                     std::vector<partition_affinity_domain>> {};
struct partition_type_property
    : partition_answer<&scythe_partition_info::type_property, partition_property> {};
struct partition_type_affinity_domain
    : partition_answer<&scythe_partition_info::type_affinity_domain, partition_affinity_domain> {};
} // namespace device

} // namespace info
} // namespace sycl

#endif
