// Finds a `device_global` on the queue's device, for copies between the host and the variable.
#ifndef SCYTHE_DETAIL_DEVICE_GLOBAL_COPY_HPP
#define SCYTHE_DETAIL_DEVICE_GLOBAL_COPY_HPP

#include <sycl/detail/memory_command.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/ext/oneapi/properties.hpp>

namespace sycl::ext::oneapi::experimental {
// Defined in `ext/oneapi/device_global.hpp`.
template <class T, class PropertyListT = empty_properties_t> class device_global;
} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

struct device_global_access {
  template <class T>
  static constexpr std::size_t elements = sizeof(T) / sizeof(std::remove_all_extents_t<T>);

  // Returns the address of `bytes` bytes from `offset` for writes by the host.
  template <class T, class L>
  static void *for_writes(scythe_queue queue,
                          const ext::oneapi::experimental::device_global<T, L> &global,
                          std::size_t offset, std::size_t bytes) {
    using variable = ext::oneapi::experimental::device_global<T, L>;
    static_assert(variable::scythe_host_writes,
                  "copy to a device_global: its host_access property forbids writes by the host");
    return address<T>(queue, global, offset, bytes);
  }
  // Returns the address of `bytes` bytes from `offset` for reads by the host.
  template <class T, class L>
  static const void *for_reads(scythe_queue queue,
                               const ext::oneapi::experimental::device_global<T, L> &global,
                               std::size_t offset, std::size_t bytes) {
    using variable = ext::oneapi::experimental::device_global<T, L>;
    static_assert(variable::scythe_host_reads,
                  "copy from a device_global: its host_access property forbids reads by the host");
    return address<T>(queue, global, offset, bytes);
  }

private:
  template <class T, class G>
  static void *address(scythe_queue queue, const G &global, std::size_t offset, std::size_t bytes) {
    static_assert(is_device_copyable_v<T>,
                  "copy to or from a device_global: T must be device copyable");
    void *out = nullptr;
#ifdef SCYTHE_HOST_MODE
    (void)queue;
    if (offset > sizeof(T) || bytes > sizeof(T) - offset)
      fail(errc::invalid,
           "copy: %zu bytes at offset %zu are outside the device_global, which has %zu bytes",
           bytes, offset, sizeof(T));
    out = const_cast<char *>(reinterpret_cast<const char *>(__builtin_addressof(global))) + offset;
#else
    check(scythe_device_global_place(queue, __builtin_addressof(global), sizeof(T),
                                     G::scythe_image_scope, offset, bytes, &out));
#endif
    return out;
  }
};

} // namespace sycl::detail

#endif
