// Access modes and targets, and the tags from which accessors deduce them.
#ifndef SCYTHE_ACCESS_HPP
#define SCYTHE_ACCESS_HPP

#include <sycl/detail/config.hpp>
#include <sycl/memory_enums.hpp>

namespace sycl {

enum class access_mode : int {
  read = 0,
  write = 1,
  read_write = 2,
  // Deprecated, from SYCL 1.2.1.
  discard_write = 3,
  discard_read_write = 4,
  atomic = 5,
};

enum class target : int {
  device = 0,
  global_buffer = device,
  host_task = 1,
  // Deprecated, from SYCL 1.2.1.
  constant_buffer = 2,
  local = 3,
  host_buffer = 4,
  image = 5,
  host_image = 6,
  image_array = 7,
};

namespace detail {
// The target of an accessor of a command group. Earlier programs name `host_buffer` for host tasks.
template <target Target>
inline constexpr target command_target = Target == target::host_buffer ? target::host_task : Target;
} // namespace detail

namespace access {
using mode = access_mode;
using target = sycl::target;
enum class placeholder : int { false_t = 0, true_t = 1 };
enum class decorated : int { no = 0, yes = 1, legacy = 2 };
enum class address_space : int {
  private_space = 0,
  global_space = 1,
  constant_space = 2,
  local_space = 3,
  generic_space = 4,
  // Parts of global memory: device allocations, and host allocations of USM.
  ext_intel_global_device_space = 5,
  ext_intel_global_host_space = 6,
};
} // namespace access

template <access_mode Mode> struct mode_tag_t {
  explicit mode_tag_t() = default;
};
template <access_mode Mode, target Target> struct mode_target_tag_t {
  explicit mode_target_tag_t() = default;
};
inline constexpr mode_tag_t<access_mode::read> read_only{};
inline constexpr mode_tag_t<access_mode::write> write_only{};
inline constexpr mode_tag_t<access_mode::read_write> read_write{};
inline constexpr mode_target_tag_t<access_mode::read, target::host_task> read_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::write, target::host_task> write_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::read_write, target::host_task>
    read_write_host_task{};

namespace detail {

template <class Tag> struct tag_traits;
template <access_mode Mode> struct tag_traits<mode_tag_t<Mode>> {
  static constexpr access_mode mode = Mode;
  static constexpr sycl::target target = sycl::target::device;
};
template <access_mode Mode, sycl::target Target>
struct tag_traits<mode_target_tag_t<Mode, Target>> {
  static constexpr access_mode mode = Mode;
  static constexpr sycl::target target = Target;
};

// Returns the mode in the C interface, where discarding is a separate flag.
constexpr unsigned abi_mode(access_mode mode) {
  if (mode == access_mode::discard_write)
    return static_cast<unsigned>(access_mode::write);
  if (mode == access_mode::discard_read_write || mode == access_mode::atomic)
    return static_cast<unsigned>(access_mode::read_write);
  return static_cast<unsigned>(mode);
}
constexpr bool discards(access_mode mode) {
  return mode == access_mode::discard_write || mode == access_mode::discard_read_write;
}

} // namespace detail
} // namespace sycl

#endif
