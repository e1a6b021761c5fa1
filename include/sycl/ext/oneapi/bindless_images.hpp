// Images that kernels access by handle (`sycl_ext_oneapi_bindless_images`).
//
// As for all images here, an image is plain memory on every device, and code in kernels filters it
// (`detail/bindless_texel.hpp`). The program orders accesses: a handle has no dependencies.
#ifndef SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_HPP
#define SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_HPP

#include <sycl/aliases.hpp>
#include <sycl/builtins.hpp>
#include <sycl/detail/bindless_copy.hpp>
#include <sycl/detail/bindless_texel.hpp>
#include <sycl/ext/oneapi/bindless_images_descriptor.hpp>
#include <sycl/ext/oneapi/bindless_images_interop.hpp>
#include <sycl/ext/oneapi/bindless_images_mem_handle.hpp>
#include <sycl/ext/oneapi/bindless_images_memory.hpp>
#include <sycl/ext/oneapi/bindless_images_sampler.hpp>

namespace sycl::ext::oneapi::experimental {

struct unsampled_image_handle {
  using raw_image_handle_type = std::uint64_t;
  unsampled_image_handle() = default;
  unsampled_image_handle(raw_image_handle_type raw) : raw_handle(raw) {}
  raw_image_handle_type raw_handle = ~raw_image_handle_type(0);
};

struct sampled_image_handle {
  using raw_image_handle_type = std::uint64_t;
  sampled_image_handle() = default;
  sampled_image_handle(raw_image_handle_type raw) : raw_handle(raw) {}
  raw_image_handle_type raw_handle = ~raw_image_handle_type(0);
};

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail::bindless {

// Writes the description of an image to the device, and returns its address.
SCYTHE_COLD inline std::uint64_t describe(const image_descriptor &desc, const memory &image,
                                          const bindless_image_sampler *sampler, const device &d,
                                          const context &c) {
  require("create_image", d);
  desc.verify();
  if (!sampler && desc.type == image_type::mipmap)
    fail(errc::runtime, "create_image: mipmaps can only be sampled; pass a sampler");
  const std::size_t more = image.levels.empty() ? 0 : image.levels.size() - 1;
  const std::size_t size = sizeof(bindless_image) + more * sizeof(bindless_level);
  std::vector<std::byte> bytes(size);
  bindless_image out{};
  out.base = image.level;
  out.layer = bytes_of(image.level, 1);
  out.layers = static_cast<std::int32_t>(desc.array_size);
  out.levels = static_cast<std::int32_t>(more + 1);
  out.channels = desc.num_channels;
  out.element = static_cast<std::uint32_t>(desc.scythe_element_size());
  out.type = desc.channel_type;
  const bindless_image_sampler modes = sampler ? *sampler : bindless_image_sampler();
  for (int i = 0; i < 3; ++i)
    out.addressing[i] = modes.addressing[i];
  out.coordinate = modes.coordinate;
  out.filtering = modes.filtering;
  out.mipmap_filtering = modes.mipmap_filtering;
  out.min_level = modes.min_mipmap_level_clamp;
  out.max_level = modes.max_mipmap_level_clamp;
  out.max_anisotropy = modes.max_anisotropy;
  out.seamless = modes.cubemap_filtering == cubemap_filtering_mode::seamless;
  std::memcpy(bytes.data(), &out, sizeof(out));
  for (std::size_t n = 0; n < more; ++n)
    std::memcpy(bytes.data() + sizeof(out) + n * sizeof(bindless_level), &image.levels[n + 1].level,
                sizeof(bindless_level));
  void *on_device = sycl::malloc_device(size, d, c);
  if (!on_device)
    fail(errc::runtime, "create_image: cannot allocate %zu bytes for the description of an image",
         size);
  queue(c, d).memcpy(on_device, bytes.data(), size).wait_and_throw();
  return reinterpret_cast<std::uint64_t>(on_device);
}

// An image in memory of the program. The memory of an image of one dimension has no gaps.
SCYTHE_COLD inline std::uint64_t describe_usm(const void *ptr, std::size_t pitch,
                                              const image_descriptor &desc,
                                              const bindless_image_sampler *sampler,
                                              const device &d, const context &c) {
  require("create_image", d);
  if (desc.type != image_type::standard && desc.type != image_type::gather)
    fail(errc::invalid, "create_image: only plain images can be in USM, not mipmaps, arrays and "
                        "cubemaps");
  const std::size_t row = desc.width * desc.scythe_element_size();
  if (desc.height > 1 && (pitch < row || pitch % desc.scythe_channel_size() != 0))
    fail(errc::invalid,
         "create_image: the pitch %zu must be a multiple of the channel size %zu and not less than "
         "the %zu bytes of a row",
         pitch, desc.scythe_channel_size(), row);
  if (!ptr)
    fail(errc::invalid, "create_image: the address of the image is null");
  memory image(desc, const_cast<void *>(ptr));
  image.level = level_at(const_cast<void *>(ptr), desc, desc.height > 1 ? pitch : row);
  return describe(desc, image, sampler, d, c);
}

inline void destroy(std::uint64_t &handle, const context &c) {
  if (handle != ~std::uint64_t(0) && handle != 0)
    sycl::free(reinterpret_cast<void *>(handle), c);
  handle = ~std::uint64_t(0);
}

} // namespace sycl::detail::bindless

namespace sycl::ext::oneapi::experimental {

// --- Handles. The sampler may come before or after the descriptor.

inline unsampled_image_handle create_image(image_mem_handle memory, const image_descriptor &desc,
                                           const device &d, const context &c) {
  using namespace sycl::detail::bindless;
  return describe(desc, memory_of(memory, "create_image"), nullptr, d, c);
}
inline sampled_image_handle create_image(image_mem_handle memory,
                                         const bindless_image_sampler &sampler,
                                         const image_descriptor &desc, const device &d,
                                         const context &c) {
  using namespace sycl::detail::bindless;
  return describe(desc, memory_of(memory, "create_image"), &sampler, d, c);
}
inline unsampled_image_handle create_image(const image_mem &memory, const image_descriptor &desc,
                                           const device &d, const context &c) {
  return create_image(memory.get_handle(), desc, d, c);
}
inline sampled_image_handle create_image(const image_mem &memory,
                                         const bindless_image_sampler &sampler,
                                         const image_descriptor &desc, const device &d,
                                         const context &c) {
  return create_image(memory.get_handle(), sampler, desc, d, c);
}
inline unsampled_image_handle create_image(const void *usm, std::size_t pitch,
                                           const image_descriptor &desc, const device &d,
                                           const context &c) {
  return sycl::detail::bindless::describe_usm(usm, pitch, desc, nullptr, d, c);
}
inline sampled_image_handle create_image(const void *usm, std::size_t pitch,
                                         const bindless_image_sampler &sampler,
                                         const image_descriptor &desc, const device &d,
                                         const context &c) {
  return sycl::detail::bindless::describe_usm(usm, pitch, desc, &sampler, d, c);
}
#define SCYTHE_CREATE_IMAGE(Memory)                                                                \
  inline sampled_image_handle create_image(Memory memory, const image_descriptor &desc,            \
                                           const bindless_image_sampler &sampler, const device &d, \
                                           const context &c) {                                     \
    return create_image(memory, sampler, desc, d, c);                                              \
  }                                                                                                \
  inline sampled_image_handle create_image(Memory memory, const image_descriptor &desc,            \
                                           const bindless_image_sampler &sampler,                  \
                                           const queue &q) {                                       \
    return create_image(memory, sampler, desc, q.get_device(), q.get_context());                   \
  }                                                                                                \
  inline sampled_image_handle create_image(Memory memory, const bindless_image_sampler &sampler,   \
                                           const image_descriptor &desc, const queue &q) {         \
    return create_image(memory, sampler, desc, q.get_device(), q.get_context());                   \
  }                                                                                                \
  inline unsampled_image_handle create_image(Memory memory, const image_descriptor &desc,          \
                                             const queue &q) {                                     \
    return create_image(memory, desc, q.get_device(), q.get_context());                            \
  }
SCYTHE_CREATE_IMAGE(image_mem_handle)
SCYTHE_CREATE_IMAGE(const image_mem &)
#undef SCYTHE_CREATE_IMAGE
inline unsampled_image_handle create_image(const void *usm, std::size_t pitch,
                                           const image_descriptor &desc, const queue &q) {
  return create_image(usm, pitch, desc, q.get_device(), q.get_context());
}
inline sampled_image_handle create_image(const void *usm, std::size_t pitch,
                                         const bindless_image_sampler &sampler,
                                         const image_descriptor &desc, const queue &q) {
  return create_image(usm, pitch, sampler, desc, q.get_device(), q.get_context());
}
inline sampled_image_handle create_image(const void *usm, std::size_t pitch,
                                         const image_descriptor &desc,
                                         const bindless_image_sampler &sampler, const device &d,
                                         const context &c) {
  return create_image(usm, pitch, sampler, desc, d, c);
}
inline sampled_image_handle create_image(const void *usm, std::size_t pitch,
                                         const image_descriptor &desc,
                                         const bindless_image_sampler &sampler, const queue &q) {
  return create_image(usm, pitch, sampler, desc, q.get_device(), q.get_context());
}

inline void destroy_image_handle(unsampled_image_handle &handle, const device &, const context &c) {
  sycl::detail::bindless::destroy(handle.raw_handle, c);
}
inline void destroy_image_handle(unsampled_image_handle &handle, const queue &q) {
  destroy_image_handle(handle, q.get_device(), q.get_context());
}
inline void destroy_image_handle(sampled_image_handle &handle, const device &, const context &c) {
  sycl::detail::bindless::destroy(handle.raw_handle, c);
}
inline void destroy_image_handle(sampled_image_handle &handle, const queue &q) {
  destroy_image_handle(handle, q.get_device(), q.get_context());
}

template <class Handle>
bool is_image_handle_supported(const image_descriptor &desc, image_memory_handle_type type,
                               const device &d, const context &c) {
  if (std::is_same_v<Handle, unsampled_image_handle> && desc.type == image_type::mipmap)
    return false;
  for (const image_memory_handle_type supported : get_image_memory_support(desc, d, c))
    if (supported == type)
      return true;
  return false;
}
template <class Handle>
bool is_image_handle_supported(const image_descriptor &desc, image_memory_handle_type type,
                               const queue &q) {
  return is_image_handle_supported<Handle>(desc, type, q.get_device(), q.get_context());
}

} // namespace sycl::ext::oneapi::experimental

// --- In kernels

namespace sycl::detail {

template <class Handle> const bindless_image &bindless_of(const Handle &handle) {
  return *reinterpret_cast<const bindless_image *>(handle.raw_handle);
}

// A scalar or a vector of up to `N` coordinates. Further elements of a vector are ignored.
template <int N, class To, class C> void bindless_coordinates(const C &coords, To (&at)[3]) {
  using type = bindless_type<C>;
  static_assert(type::is_known && type::count <= 4,
                "the coordinates of an image must be a number or a vector of 2 to 4 numbers");
  static_assert(std::is_integral_v<To> == std::is_integral_v<typename type::element>,
                "fetches and writes take integer coordinates, samples floating-point coordinates");
  for (int d = 0; d < 3; ++d)
    at[d] = d < N && d < type::count ? static_cast<To>(type::get(coords, d)) : To(0);
}
template <class C> inline constexpr int bindless_dims = bindless_type<C>::count;

// Calls `read(channels)` with the element type of `T`, or of `Hint` if `T` is a type of the
// program, and converts the channels.
template <class T, class Hint, class F> T read_bindless(F read) {
  using known = std::conditional_t<bindless_type<T>::is_known, T, Hint>;
  using type = bindless_type<known>;
  static_assert(type::is_known && type::count <= 4,
                "reads of images return numbers and vectors of up to 4 numbers; pass such a type "
                "as the second template argument for other types");
  static_assert(sizeof(known) == sizeof(T), "the hint must have the size of the returned type");
  typename type::element x[4];
  read(x);
  known out{};
  for (int c = 0; c < type::count; ++c)
    type::set(out, c, x[c]);
  if constexpr (std::is_same_v<known, T>) {
    return out;
  } else {
    T result;
    __builtin_memcpy(&result, &out, sizeof(T));
    return result;
  }
}

template <class T, class Hint, class Handle, class C>
T fetch_layer(const Handle &handle, const C &coords, unsigned layer) {
  return read_bindless<T, Hint>([&](auto &x) {
    const bindless_image &image = bindless_of(handle);
    int at[3];
    bindless_coordinates<3>(coords, at);
    fetch_bindless(image, image.base, at, layer, x);
  });
}
template <class C, class T>
void write_layer(std::uint64_t handle, const C &coords, unsigned layer, const T &color) {
  const bindless_image &image = *reinterpret_cast<const bindless_image *>(handle);
  int at[3];
  bindless_coordinates<3>(coords, at);
  std::byte *place = bindless_place(image, image.base, at, layer);
  if (!place)
    return;
  if constexpr (bindless_type<T>::is_known) {
    using type = bindless_type<T>;
    typename type::element x[4] = {};
    for (int c = 0; c < type::count && c < 4; ++c)
      x[c] = type::get(color, c);
    store_bindless(image, place, x, type::count);
  } else {
    static_assert(std::is_trivially_copyable_v<T>,
                  "types that are written to images must be trivially copyable");
    if (sizeof(T) == image.element)
      __builtin_memcpy(place, &color, sizeof(T));
  }
}

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class DataT, class HintT = DataT, class CoordT>
DataT fetch_image(const unsampled_image_handle &handle, const CoordT &coords) {
  return sycl::detail::fetch_layer<DataT, HintT>(handle, coords, 0);
}
template <class DataT, class HintT = DataT, class CoordT>
DataT fetch_image(const sampled_image_handle &handle, const CoordT &coords) {
  return sycl::detail::fetch_layer<DataT, HintT>(handle, coords, 0);
}
template <class DataT, class HintT = DataT, class CoordT>
DataT fetch_image_array(const unsampled_image_handle &handle, const CoordT &coords,
                        unsigned layer) {
  return sycl::detail::fetch_layer<DataT, HintT>(handle, coords, layer);
}
template <class DataT, class HintT = DataT, class CoordT>
DataT fetch_image_array(const sampled_image_handle &handle, const CoordT &coords, unsigned layer) {
  return sycl::detail::fetch_layer<DataT, HintT>(handle, coords, layer);
}
template <class DataT, class HintT = DataT>
DataT fetch_cubemap(const unsampled_image_handle &handle, const int2 &coords, unsigned face) {
  return sycl::detail::fetch_layer<DataT, HintT>(handle, coords, face);
}

template <class DataT, class CoordT>
void write_image(unsampled_image_handle handle, const CoordT &coords, const DataT &color) {
  sycl::detail::write_layer(handle.raw_handle, coords, 0, color);
}
template <class DataT, class CoordT>
void write_image_array(unsampled_image_handle handle, const CoordT &coords, unsigned layer,
                       const DataT &color) {
  sycl::detail::write_layer(handle.raw_handle, coords, layer, color);
}
template <class DataT>
void write_cubemap(unsampled_image_handle handle, const int2 &coords, int face,
                   const DataT &color) {
  sycl::detail::write_layer(handle.raw_handle, coords, static_cast<unsigned>(face), color);
}

template <class DataT, class HintT = DataT, class CoordT>
DataT sample_image_array(const sampled_image_handle &handle, const CoordT &coords, unsigned layer) {
  using namespace sycl::detail;
  return read_bindless<DataT, HintT>([&](auto &x) {
    float where[3];
    constexpr int dims = bindless_dims<CoordT> < 3 ? bindless_dims<CoordT> : 3;
    bindless_coordinates<3>(coords, where);
    sample_bindless<dims>(bindless_of(handle), where, layer, x);
  });
}
template <class DataT, class HintT = DataT, class CoordT>
DataT sample_image(const sampled_image_handle &handle, const CoordT &coords) {
  return sample_image_array<DataT, HintT>(handle, coords, 0);
}

// Between levels of a mipmap.
template <class DataT, class HintT = DataT, class CoordT>
DataT sample_mipmap(const sampled_image_handle &handle, const CoordT &coords, float level) {
  using namespace sycl::detail;
  return read_bindless<DataT, HintT>([&](auto &x) {
    float where[3], sum[4] = {};
    constexpr int dims = bindless_dims<CoordT> < 3 ? bindless_dims<CoordT> : 3;
    bindless_coordinates<3>(coords, where);
    sample_levels<dims>(bindless_of(handle), where, level, 1.0f, sum);
    for (int c = 0; c < 4; ++c)
      x[c] = bindless_convert<std::decay_t<decltype(x[c])>>(sum[c]);
  });
}
template <class DataT, class HintT = DataT, class CoordT>
DataT sample_mipmap(const sampled_image_handle &handle, const CoordT &coords, const CoordT &dx,
                    const CoordT &dy) {
  using namespace sycl::detail;
  return read_bindless<DataT, HintT>([&](auto &x) {
    float where[3], along_x[3], along_y[3], sum[4] = {};
    constexpr int dims = bindless_dims<CoordT> < 3 ? bindless_dims<CoordT> : 3;
    bindless_coordinates<3>(coords, where);
    bindless_coordinates<3>(dx, along_x);
    bindless_coordinates<3>(dy, along_y);
    sample_gradients<dims>(bindless_of(handle), where, along_x, along_y, sum);
    for (int c = 0; c < 4; ++c)
      x[c] = bindless_convert<std::decay_t<decltype(x[c])>>(sum[c]);
  });
}

// The direction from the centre of the cube.
template <class DataT, class HintT = DataT>
DataT sample_cubemap(const sampled_image_handle &handle, const float3 &direction) {
  using namespace sycl::detail;
  return read_bindless<DataT, HintT>([&](auto &x) {
    const float towards[3] = {direction[0], direction[1], direction[2]};
    sample_cube(bindless_of(handle), towards, x);
  });
}

// One channel of the four elements that linear filtering would mix: the elements of the next row
// first, from left to right, then those of the row before, from right to left.
template <class DataT, class HintT = DataT>
DataT gather_image(const sampled_image_handle &handle, const float2 &coords, unsigned channel) {
  using namespace sycl::detail;
  return read_bindless<DataT, HintT>([&](auto &x) {
    const bindless_image &image = bindless_of(handle);
    int columns[2], rows[2];
    for (int d = 0; d < 2; ++d) {
      image_sampler modes = image.sampler(d);
      modes.filtering = filtering_mode::linear;
      const sample_position<float> p(coords[d], image.base.size[d], modes);
      (d == 0 ? columns : rows)[0] = p.at[0];
      (d == 0 ? columns : rows)[1] = p.at[1];
    }
    for (int i = 0; i < 4; ++i) {
      const int at[3] = {columns[i == 1 || i == 2], rows[i < 2], 0};
      std::decay_t<decltype(x[0])> texel[4];
      fetch_bindless(image, image.base, at, 0, texel);
      x[i] = texel[channel & 3];
    }
  });
}

} // namespace sycl::ext::oneapi::experimental

#endif
