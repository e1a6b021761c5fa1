// Memory of bindless images: `alloc_image_mem`, `image_mem`, `pitched_alloc_device` and queries.
//
// An image is device memory in rows without gaps between them. The levels of a mipmap follow one
// another, and so do the layers of an array and the faces of a cubemap.
#ifndef SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_MEMORY_HPP
#define SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_MEMORY_HPP

#include <sycl/detail/bindless_texel.hpp>
#include <sycl/ext/oneapi/bindless_images_descriptor.hpp>
#include <sycl/ext/oneapi/bindless_images_mem_handle.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

#include <vector>

namespace sycl::detail::bindless {

using namespace ext::oneapi::experimental;

SCYTHE_COLD inline void require(const char *call, const device &d) {
  if (!d.has(aspect::ext_oneapi_bindless_images))
    fail(errc::feature_not_supported,
         "%s: device '%s' does not support sycl_ext_oneapi_bindless_images; check "
         "aspect::ext_oneapi_bindless_images",
         call, device_label(d).c_str());
}

// Rows begin `pitch` bytes apart.
inline bindless_level level_at(void *data, const image_descriptor &desc, std::size_t pitch) {
  const auto at_least_one = [](std::size_t n) { return static_cast<std::int32_t>(n ? n : 1); };
  const std::size_t rows = desc.height ? desc.height : 1;
  return {static_cast<std::byte *>(data),
          pitch,
          pitch * rows,
          {at_least_one(desc.width), at_least_one(desc.height), at_least_one(desc.depth)},
          0};
}
// The size of all layers of a level.
inline std::size_t bytes_of(const bindless_level &level, unsigned layers) {
  return level.slice * static_cast<std::size_t>(level.size[2]) * layers;
}

// Memory of an image, or a level of it.
struct memory {
  image_descriptor desc;
  bindless_level level;
  std::vector<memory> levels; // of a mipmap

  memory(const image_descriptor &of, void *data)
      : desc(of), level(level_at(data, of, of.width * of.scythe_element_size())) {
    if (of.type != image_type::mipmap)
      return;
    auto *at = static_cast<std::byte *>(data);
    for (unsigned n = 0; n < of.num_levels; ++n) {
      levels.emplace_back(of.get_mip_level_desc(n), at);
      at += aligned(bytes_of(levels.back().level, 1));
    }
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const memory &l : levels)
      sum += aligned(bytes_of(l.level, 1));
    return levels.empty() ? bytes_of(level, desc.array_size) : sum;
  }
  static std::size_t aligned(std::size_t n) { return (n + 15) / 16 * 16; }
};

SCYTHE_COLD inline memory &memory_of(image_mem_handle handle, const char *call) {
  if (handle.raw_handle == 0)
    fail(errc::invalid, "%s: the image memory handle is empty", call);
  return *reinterpret_cast<memory *>(handle.raw_handle);
}

SCYTHE_COLD inline image_mem_handle allocate(const image_descriptor &desc, const device &d,
                                             const context &c) {
  require("alloc_image_mem", d);
  desc.verify();
  const std::size_t bytes = memory(desc, nullptr).bytes();
  void *data = sycl::malloc_device(bytes, d, c);
  if (!data)
    fail(errc::memory_allocation, "alloc_image_mem: cannot allocate %zu bytes for an image on '%s'",
         bytes, device_label(d).c_str());
  return {reinterpret_cast<std::uint64_t>(new memory(desc, data))};
}

SCYTHE_COLD inline void release(image_mem_handle handle, image_type type, const context &c) {
  if (handle.raw_handle == 0)
    return;
  memory &freed = memory_of(handle, "free_image_mem");
  if (freed.desc.type != type)
    fail(errc::invalid, "free_image_mem: the image has type %u, but the call names type %u",
         static_cast<unsigned>(freed.desc.type), static_cast<unsigned>(type));
  sycl::free(freed.level.data, c);
  delete &freed;
}

} // namespace sycl::detail::bindless

namespace sycl::ext::oneapi::experimental {

inline image_mem_handle alloc_image_mem(const image_descriptor &desc, const device &d,
                                        const context &c) {
  return sycl::detail::bindless::allocate(desc, d, c);
}
inline image_mem_handle alloc_image_mem(const image_descriptor &desc, const queue &q) {
  return alloc_image_mem(desc, q.get_device(), q.get_context());
}
inline void free_image_mem(image_mem_handle handle, image_type type, const device &,
                           const context &c) {
  sycl::detail::bindless::release(handle, type, c);
}
inline void free_image_mem(image_mem_handle handle, image_type type, const queue &q) {
  free_image_mem(handle, type, q.get_device(), q.get_context());
}

// --- Queries

inline range<3> get_image_range(image_mem_handle handle, const device &, const context &) {
  const image_descriptor &desc = sycl::detail::bindless::memory_of(handle, "get_image_range").desc;
  return {desc.width, desc.height, desc.depth};
}
inline range<3> get_image_range(image_mem_handle handle, const queue &q) {
  return get_image_range(handle, q.get_device(), q.get_context());
}
inline image_channel_type get_image_channel_type(image_mem_handle handle, const device &,
                                                 const context &) {
  return sycl::detail::bindless::memory_of(handle, "get_image_channel_type").desc.channel_type;
}
inline image_channel_type get_image_channel_type(image_mem_handle handle, const queue &q) {
  return get_image_channel_type(handle, q.get_device(), q.get_context());
}
inline unsigned get_image_num_channels(image_mem_handle handle, const device &, const context &) {
  return sycl::detail::bindless::memory_of(handle, "get_image_num_channels").desc.num_channels;
}
inline unsigned get_image_num_channels(image_mem_handle handle, const queue &q) {
  return get_image_num_channels(handle, q.get_device(), q.get_context());
}

inline image_mem_handle get_mip_level_mem_handle(image_mem_handle handle, unsigned level,
                                                 const device &, const context &) {
  auto &levels = sycl::detail::bindless::memory_of(handle, "get_mip_level_mem_handle").levels;
  if (level >= levels.size())
    sycl::detail::fail(errc::invalid,
                       "get_mip_level_mem_handle: level %u does not exist, the image is a mipmap "
                       "with %zu levels",
                       level, levels.size());
  return {reinterpret_cast<std::uint64_t>(&levels[level])};
}
inline image_mem_handle get_mip_level_mem_handle(image_mem_handle handle, unsigned level,
                                                 const queue &q) {
  return get_mip_level_mem_handle(handle, level, q.get_device(), q.get_context());
}

// Which memory an image with this descriptor may have: a program's memory holds only plain images.
inline std::vector<image_memory_handle_type>
get_image_memory_support(const image_descriptor &desc, const device &d, const context &) {
  if (!d.has(aspect::ext_oneapi_bindless_images))
    return {};
  if (desc.type == image_type::standard || desc.type == image_type::gather)
    return {image_memory_handle_type::usm_pointer, image_memory_handle_type::opaque_handle};
  return {image_memory_handle_type::opaque_handle};
}
inline std::vector<image_memory_handle_type> get_image_memory_support(const image_descriptor &desc,
                                                                      const queue &q) {
  return get_image_memory_support(desc, q.get_device(), q.get_context());
}

// --- Image memory as an object

class image_mem {
public:
  image_mem() = default;
  image_mem(const image_descriptor &desc, const device &d, const context &c)
      : impl_(shared::adopt(new state(desc, d, c))) {}
  image_mem(const image_descriptor &desc, const queue &q)
      : image_mem(desc, q.get_device(), q.get_context()) {}

  image_mem_handle get_handle() const { return get().handle; }
  image_descriptor get_descriptor() const { return get().desc; }
  device get_device() const { return get().target; }
  context get_context() const { return get().owner; }
  range<3> get_range() const {
    const image_descriptor &desc = get().desc;
    return {desc.width, desc.height, desc.depth};
  }
  image_channel_type get_channel_type() const { return get().desc.channel_type; }
  unsigned get_num_channels() const { return get().desc.num_channels; }
  image_type get_type() const { return get().desc.type; }
  image_mem_handle get_mip_level_mem_handle(unsigned level) const {
    return experimental::get_mip_level_mem_handle(get().handle, level, get().target, get().owner);
  }

  friend bool operator==(const image_mem &a, const image_mem &b) { return a.impl_ == b.impl_; }
  friend bool operator!=(const image_mem &a, const image_mem &b) { return !(a == b); }
  const auto &scythe_impl() const noexcept { return impl_; }

private:
  struct state : sycl::detail::counted_object {
    state(const image_descriptor &of, const device &d, const context &c)
        : desc(of), target(d), owner(c), handle(alloc_image_mem(of, d, c)) {}
    ~state() override { sycl::detail::bindless::release(handle, desc.type, owner); }
    image_descriptor desc;
    device target;
    context owner;
    image_mem_handle handle;
  };
  using shared = sycl::detail::ref<sycl::detail::counted_object>;

  const state &get() const {
    if (!impl_)
      sycl::detail::fail(errc::invalid, "image_mem: the object has no memory, because it was made "
                                        "without a descriptor");
    return static_cast<const state &>(*impl_);
  }
  shared impl_;
};

// --- Memory of the program in rows

namespace info::device {
// Rows of images in USM begin at multiples of this number of bytes.
struct image_row_pitch_align {
  using return_type = std::uint32_t;
  template <class Device> static return_type scythe_query(const Device &) { return 64; }
};
struct max_image_linear_width {
  using return_type = std::size_t;
  template <class Device> static return_type scythe_query(const Device &) {
    return std::size_t(1) << 30;
  }
};
struct max_image_linear_height : max_image_linear_width {};
struct max_image_linear_row_pitch {
  using return_type = std::size_t;
  template <class Device> static return_type scythe_query(const Device &d) {
    return d.template get_info<sycl::info::device::max_mem_alloc_size>();
  }
};
struct mipmap_max_anisotropy {
  using return_type = float;
  template <class Device> static return_type scythe_query(const Device &) { return 16; }
};
} // namespace info::device

SCYTHE_COLD inline void *pitched_alloc_device(std::size_t *pitch, std::size_t width_bytes,
                                              std::size_t height, unsigned element_bytes,
                                              const device &d, const context &c) {
  sycl::detail::bindless::require("pitched_alloc_device", d);
  if (!pitch || element_bytes == 0)
    sycl::detail::fail(errc::invalid, "pitched_alloc_device: the address for the pitch is null, or "
                                      "the elements have no bytes");
  const std::size_t unit = d.template get_info<info::device::image_row_pitch_align>();
  *pitch = (width_bytes + unit - 1) / unit * unit;
  void *data = sycl::malloc_device(*pitch * (height ? height : 1), d, c);
  if (!data)
    sycl::detail::fail(errc::memory_allocation,
                       "pitched_alloc_device: cannot allocate %zu rows of %zu bytes", height,
                       *pitch);
  return data;
}
inline void *pitched_alloc_device(std::size_t *pitch, std::size_t width_bytes, std::size_t height,
                                  unsigned element_bytes, const queue &q) {
  return pitched_alloc_device(pitch, width_bytes, height, element_bytes, q.get_device(),
                              q.get_context());
}
inline void *pitched_alloc_device(std::size_t *pitch, const image_descriptor &desc, const device &d,
                                  const context &c) {
  return pitched_alloc_device(pitch, desc.width * desc.scythe_element_size(),
                              desc.height * (desc.depth ? desc.depth : 1),
                              static_cast<unsigned>(desc.scythe_element_size()), d, c);
}
inline void *pitched_alloc_device(std::size_t *pitch, const image_descriptor &desc,
                                  const queue &q) {
  return pitched_alloc_device(pitch, desc, q.get_device(), q.get_context());
}

} // namespace sycl::ext::oneapi::experimental

template <> struct std::hash<sycl::ext::oneapi::experimental::image_mem> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::image_mem &m) const noexcept {
    return std::hash<const void *>()(m.scythe_impl().get());
  }
};

#endif
