// `image_mem_handle`: memory of a bindless image. A handle is the address of an object on the host
// that knows the memory on the device and the layout of the image in it.
#ifndef SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_MEM_HANDLE_HPP
#define SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_MEM_HANDLE_HPP

#include <cstdint>

namespace sycl::ext::oneapi::experimental {

enum class image_memory_handle_type : unsigned { usm_pointer = 0, opaque_handle = 1 };

struct image_mem_handle {
  using raw_handle_type = std::uint64_t;
  raw_handle_type raw_handle = 0;

  image_mem_handle() = default;
  image_mem_handle(raw_handle_type handle) : raw_handle(handle) {}
  friend bool operator==(const image_mem_handle &a, const image_mem_handle &b) {
    return a.raw_handle == b.raw_handle;
  }
  friend bool operator!=(const image_mem_handle &a, const image_mem_handle &b) { return !(a == b); }
};

} // namespace sycl::ext::oneapi::experimental

#endif
