// The elements of images: the format of their four channels in memory, and the conversion to the
// types that programs use.
//
// An image is plain memory on every device, and this code reads it. Conversions follow OpenCL's
// image functions: normalised formats divide, writes round to nearest (ties to even), and values
// out of range are clamped. All functions are templates, so that programs without images do not
// compile them.
#ifndef SCYTHE_DETAIL_IMAGE_TEXEL_HPP
#define SCYTHE_DETAIL_IMAGE_TEXEL_HPP

#include <sycl/detail/abi.h>
#include <sycl/detail/half_bits.hpp>
#include <sycl/sampler.hpp>
#include <sycl/vec.hpp>

namespace sycl {

enum class image_format {
  r8g8b8a8_unorm,
  r16g16b16a16_unorm,
  r8g8b8a8_sint,
  r16g16b16a16_sint,
  r32b32g32a32_sint,
  r8g8b8a8_uint,
  r16g16b16a16_uint,
  r32b32g32a32_uint,
  r16b16g16a16_sfloat,
  r32g32b32a32_sfloat,
  b8g8r8a8_unorm,
};

namespace detail {

// The description of an image in its accessors.
struct image_layout : scythe_image_layout {
  image_sampler sampler;
};

// The kind of channels that programs access as `E`, as a number of the C interface. -1 means that
// there is none.
template <class E>
inline constexpr int channel_kind = std::is_same_v<E, std::int32_t>                       ? 0
                                    : std::is_same_v<E, std::uint32_t>                    ? 1
                                    : std::is_same_v<E, float> || std::is_same_v<E, half> ? 2
                                                                                          : -1;

// Channels in memory: their bits, and conversions in both directions.
template <class E, class C> struct plain_channel {
  using bits = C;
  static E decode(C c) { return c; }
  static C encode(E x) {
    if constexpr (channel_kind<E> == 2)
      return x;
    else
      return static_cast<C>(x < E(std::numeric_limits<C>::min())   ? std::numeric_limits<C>::min()
                            : x > E(std::numeric_limits<C>::max()) ? std::numeric_limits<C>::max()
                                                                   : x);
  }
};
template <class E, class C> struct unorm_channel {
  using bits = C;
  static E decode(C c) { return static_cast<float>(c) / std::numeric_limits<C>::max(); }
  static C encode(E x) {
    // NaN becomes zero.
    const float inside = x > E(0) ? x < E(1) ? x : E(1) : E(0);
    return static_cast<C>(__builtin_rintf(inside * std::numeric_limits<C>::max()));
  }
};
template <class E, class C> struct half_channel {
  using bits = C;
  static E decode(C c) { return float_of_half_bits<float>(c); }
  static C encode(E x) { return half_bits_of<float>(x); }
};

// Calls `use` with an object for the format's kind of channel. The format must be one that programs
// access as `E`.
template <class E, class Layout, class F> decltype(auto) with_channel(const Layout &layout, F use) {
  constexpr int kind = channel_kind<E>;
  if (layout.channel == 4)
    return use(plain_channel<E, std::conditional_t<kind == 2, float, E>>());
  if constexpr (kind == 2) {
    if (layout.channel == 1)
      return use(unorm_channel<E, std::uint8_t>());
    if (layout.format == static_cast<unsigned>(image_format::r16g16b16a16_unorm))
      return use(unorm_channel<E, std::uint16_t>());
    return use(half_channel<E, std::uint16_t>());
  } else {
    if (layout.channel == 1)
      return use(plain_channel<E, std::conditional_t<kind == 0, std::int8_t, std::uint8_t>>());
    return use(plain_channel<E, std::conditional_t<kind == 0, std::int16_t, std::uint16_t>>());
  }
}

// These formats store blue before red.
template <class T, class Layout> T in_memory_order(const T &x, const Layout &layout) {
  return layout.format == static_cast<unsigned>(image_format::b8g8r8a8_unorm)
             ? T(x[2], x[1], x[0], x[3])
             : x;
}

// The memory is aligned to the channel's size. Other code may access it with unknown types.
template <class T, class Layout> T load_texel(const std::byte *at, const Layout &layout) {
  return with_channel<typename T::element_type>(layout, [=](auto channel) -> T {
    typename decltype(channel)::bits c[4];
    __builtin_memcpy(c, __builtin_assume_aligned(at, sizeof(c[0])), sizeof(c));
    return in_memory_order(
        T(channel.decode(c[0]), channel.decode(c[1]), channel.decode(c[2]), channel.decode(c[3])),
        layout);
  });
}
template <class T, class Layout>
void store_texel(std::byte *at, const Layout &layout, const T &value) {
  const T x = in_memory_order(value, layout);
  with_channel<typename T::element_type>(layout, [=](auto channel) {
    const typename decltype(channel)::bits c[] = {channel.encode(x[0]), channel.encode(x[1]),
                                                  channel.encode(x[2]), channel.encode(x[3])};
    __builtin_memcpy(__builtin_assume_aligned(at, sizeof(c[0])), c, sizeof(c));
  });
}

template <int D, class Layout, class At>
std::size_t texel_offset(const Layout &layout, const At &at) {
  std::size_t offset = static_cast<std::size_t>(at[0]) * layout.channel * 4;
  for (int d = 1; d < D; ++d)
    offset += static_cast<std::size_t>(at[d]) * layout.pitch[d - 1];
  return offset;
}

} // namespace detail
} // namespace sycl

#endif
