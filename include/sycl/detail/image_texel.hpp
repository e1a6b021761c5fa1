// The elements of images: how memory holds their four channels, and what programs see of them.
//
// An image is plain memory on every device, and reading it is this code. Numbers convert as OpenCL's image functions
// convert them: normalised formats by division, and to the nearest (ties to even) when written; whatever does not fit
// is clamped.
#ifndef SCYTHE_DETAIL_IMAGE_TEXEL_HPP
#define SCYTHE_DETAIL_IMAGE_TEXEL_HPP

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

// Bytes of one channel; an element has four.
constexpr unsigned channel_size(image_format format) {
  switch (format) {
  case image_format::r32b32g32a32_sint:
  case image_format::r32b32g32a32_uint:
  case image_format::r32g32b32a32_sfloat:
    return 4;
  case image_format::r16g16b16a16_unorm:
  case image_format::r16g16b16a16_sint:
  case image_format::r16g16b16a16_uint:
  case image_format::r16b16g16a16_sfloat:
    return 2;
  default:
    return 1;
  }
}

// The type that programs see a format's channels as: 'i' int, 'u' unsigned, 'f' float or half.
constexpr char channel_kind(image_format format) {
  return format < image_format::r8g8b8a8_sint        ? 'f'
         : format <= image_format::r32b32g32a32_sint ? 'i'
         : format <= image_format::r32b32g32a32_uint ? 'u'
                                                     : 'f';
}
template <class E> constexpr char channel_kind_of() {
  return std::is_same_v<E, std::int32_t> ? 'i' : std::is_same_v<E, std::uint32_t> ? 'u' : 'f';
}

// Channels in memory: the bits they have there, and both ways of conversion.
template <class C> struct whole_channel {
  using bits = C;
  template <class E> static E decode(C c) { return c; }
  template <class E> static C encode(E x) {
    constexpr E low = std::numeric_limits<C>::min(), high = std::numeric_limits<C>::max();
    return static_cast<C>(x < low ? low : x > high ? high : x);
  }
};
template <class C> struct unorm_channel {
  using bits = C;
  static constexpr float one = std::numeric_limits<C>::max();
  template <class E> static E decode(C c) { return static_cast<float>(c) / one; }
  template <class E> static C encode(E value) {
    const float x = value;
    // Not a number is none of these: zero.
    return static_cast<C>(__builtin_rintf((x > 0 ? x < 1 ? x : 1.0f : 0.0f) * one));
  }
};
struct half_channel {
  using bits = std::uint16_t;
  template <class E> static E decode(bits c) { return float_of_half_bits(c); }
  template <class E> static bits encode(E x) { return half_bits_of(static_cast<float>(x)); }
};
struct float_channel {
  using bits = float;
  template <class E> static E decode(float c) { return c; }
  template <class E> static float encode(E x) { return static_cast<float>(x); }
};

// Calls `use` with an object of the format's kind of channel. The format is one that programs see as `E`.
template <class E, class F> decltype(auto) with_channel(image_format format, F use) {
  if constexpr (channel_kind_of<E>() != 'f') {
    constexpr bool sign = channel_kind_of<E>() == 'i';
    switch (channel_size(format)) {
    case 1:
      return use(whole_channel<std::conditional_t<sign, std::int8_t, std::uint8_t>>());
    case 2:
      return use(whole_channel<std::conditional_t<sign, std::int16_t, std::uint16_t>>());
    default:
      return use(whole_channel<E>());
    }
  } else {
    switch (format) {
    case image_format::r8g8b8a8_unorm:
    case image_format::b8g8r8a8_unorm:
      return use(unorm_channel<std::uint8_t>());
    case image_format::r16g16b16a16_unorm:
      return use(unorm_channel<std::uint16_t>());
    case image_format::r16b16g16a16_sfloat:
      return use(half_channel());
    default:
      return use(float_channel());
    }
  }
}

// Blue before red in memory.
template <class E> vec<E, 4> in_memory_order(const vec<E, 4> &x, image_format format) {
  if constexpr (channel_kind_of<E>() == 'f')
    if (format == image_format::b8g8r8a8_unorm)
      return {x[2], x[1], x[0], x[3]};
  return x;
}

// Whoever gave the memory, it is aligned to the channel's size, and the types it is otherwise used with are unknown.
template <class E> vec<E, 4> load_texel(const std::byte *at, image_format format) {
  const vec<E, 4> x = with_channel<E>(format, [at](auto channel) -> vec<E, 4> {
    using kind = decltype(channel);
    typename kind::bits c[4];
    __builtin_memcpy(c, __builtin_assume_aligned(at, sizeof(c[0])), sizeof(c));
    return {kind::template decode<E>(c[0]), kind::template decode<E>(c[1]), kind::template decode<E>(c[2]),
            kind::template decode<E>(c[3])};
  });
  return in_memory_order(x, format);
}
template <class E> void store_texel(std::byte *at, image_format format, const vec<E, 4> &value) {
  const vec<E, 4> x = in_memory_order(value, format);
  with_channel<E>(format, [at, &x](auto channel) {
    using kind = decltype(channel);
    const typename kind::bits c[4] = {kind::encode(x[0]), kind::encode(x[1]), kind::encode(x[2]), kind::encode(x[3])};
    __builtin_memcpy(__builtin_assume_aligned(at, sizeof(c[0])), c, sizeof(c));
  });
}

// Where the elements of an image lie. The first dimension varies fastest; unused ones have size 1.
struct image_layout {
  std::size_t pitch[2]; // bytes from row to row, from slice to slice
  int size[3];
  image_format format;
  image_sampler sampler;
};

template <int D> std::size_t texel_offset(const image_layout &layout, const int (&at)[3]) {
  std::size_t offset = static_cast<std::size_t>(at[0]) * (channel_size(layout.format) * 4);
  for (int d = 1; d < D; ++d)
    offset += static_cast<std::size_t>(at[d]) * layout.pitch[d - 1];
  return offset;
}

} // namespace detail
} // namespace sycl

#endif
