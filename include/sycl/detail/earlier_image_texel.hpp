// The elements of images of SYCL 1.2.1, which have one to four channels in several orders.
//
// As for the images of SYCL 2020 (`image_texel.hpp`), an image is plain memory, and all functions
// are templates. `sample` finds the functions for `earlier_layout` by overload resolution.
#ifndef SCYTHE_DETAIL_EARLIER_IMAGE_TEXEL_HPP
#define SCYTHE_DETAIL_EARLIER_IMAGE_TEXEL_HPP

#include <sycl/detail/image_sampling.hpp>

namespace sycl {

enum class image_channel_order : unsigned {
  a,
  r,
  rx,
  rg,
  rgx,
  ra,
  rgb,
  rgbx,
  rgba,
  argb,
  bgra,
  intensity,
  luminance,
  abgr,
  ext_oneapi_srgba, // read in linear colours; `sycl_ext_oneapi_srgb`
};

enum class image_channel_type : unsigned {
  snorm_int8,
  snorm_int16,
  unorm_int8,
  unorm_int16,
  unorm_short_565,
  unorm_short_555,
  unorm_int_101010,
  signed_int8,
  signed_int16,
  signed_int32,
  unsigned_int8,
  unsigned_int16,
  unsigned_int32,
  fp16,
  fp32,
};

namespace detail {

// The numbers of formats in `scythe_image_layout`.
constexpr unsigned earlier_format(image_channel_order order, image_channel_type type) {
  return 256 + static_cast<unsigned>(order) * 16 + static_cast<unsigned>(type);
}

struct earlier_layout : image_layout {
  image_channel_order order() const { return static_cast<image_channel_order>(format / 16 - 16); }
  image_channel_type type() const { return static_cast<image_channel_type>(format % 16); }
};

// Four digits in base 16 for red, green, blue and alpha, red first: the channel in memory that
// holds the component, or a constant.
enum : unsigned { constant_zero = 4, constant_one = 5 };
constexpr unsigned channel_places(image_channel_order order) {
  using o = image_channel_order;
  switch (order) {
  case o::a:
    return 0x4440;
  case o::r:
  case o::rx:
    return 0x0445;
  case o::rg:
  case o::rgx:
    return 0x0145;
  case o::ra:
    return 0x0441;
  case o::rgb:
  case o::rgbx:
    return 0x0125;
  case o::argb:
    return 0x1230;
  case o::bgra:
    return 0x2103;
  case o::intensity:
    return 0x0000;
  case o::luminance:
    return 0x0005;
  case o::abgr:
    return 0x3210;
  case o::rgba:
  case o::ext_oneapi_srgba:
    break;
  }
  return 0x0123;
}
constexpr unsigned channel_place(unsigned places, int component) {
  return places >> (12 - 4 * component) & 15;
}

template <class E, class C> struct snorm_channel {
  using bits = C;
  static E decode(C c) {
    const float x = static_cast<float>(c) / std::numeric_limits<C>::max();
    return x < -1 ? -1 : x;
  }
  static C encode(E x) {
    // NaN becomes zero.
    const float inside = x > E(-1) ? x < E(1) ? x : E(1) : x <= E(-1) ? E(-1) : E(0);
    return static_cast<C>(__builtin_rintf(inside * std::numeric_limits<C>::max()));
  }
};

// Colours of sRGB between 0 and 1, as linear colours.
template <class E> E linear_colour(E x) {
  const float c = static_cast<float>(x);
  return c <= 0.04045f ? c / 12.92f : __builtin_powf((c + 0.055f) / 1.055f, 2.4f);
}

// Calls `use` with an object for the type of the channels, unless they are packed. The type must be
// one that programs access as `E`.
template <class E, class F> decltype(auto) with_channel(image_channel_type type, F use) {
  using t = image_channel_type;
  if constexpr (channel_kind<E> == 2)
    switch (type) {
    case t::snorm_int8:
      return use(snorm_channel<E, std::int8_t>());
    case t::snorm_int16:
      return use(snorm_channel<E, std::int16_t>());
    case t::unorm_int8:
      return use(unorm_channel<E, std::uint8_t>());
    case t::unorm_int16:
      return use(unorm_channel<E, std::uint16_t>());
    case t::fp16:
      return use(half_channel<E, std::uint16_t>());
    default:
      return use(plain_channel<E, float>());
    }
  else
    switch (type) {
    case t::signed_int8:
    case t::unsigned_int8:
      return use(
          plain_channel<E, std::conditional_t<std::is_signed_v<E>, std::int8_t, std::uint8_t>>());
    case t::signed_int16:
    case t::unsigned_int16:
      return use(
          plain_channel<E, std::conditional_t<std::is_signed_v<E>, std::int16_t, std::uint16_t>>());
    default:
      return use(plain_channel<E, E>());
    }
}

// The number of bits of red, green and blue, which is first in the highest bits.
template <class E, class Bits> struct packed_element {
  unsigned red, green, blue;

  static E decode(unsigned bits, unsigned width) {
    const unsigned most = (1u << width) - 1;
    return static_cast<float>(bits & most) / static_cast<float>(most);
  }
  static unsigned encode(E x, unsigned width) {
    const float inside = x > E(0) ? x < E(1) ? x : E(1) : E(0);
    return static_cast<unsigned>(__builtin_rintf(inside * static_cast<float>((1u << width) - 1)));
  }
  template <class T> T load(const std::byte *at) const {
    Bits b;
    __builtin_memcpy(&b, __builtin_assume_aligned(at, sizeof(b)), sizeof(b));
    return T(decode(b >> (green + blue), red), decode(b >> blue, green), decode(b, blue), E(1));
  }
  template <class T> void store(std::byte *at, const T &x) const {
    const Bits b = static_cast<Bits>(encode(x[0], red) << (green + blue) |
                                     encode(x[1], green) << blue | encode(x[2], blue));
    __builtin_memcpy(__builtin_assume_aligned(at, sizeof(b)), &b, sizeof(b));
  }
};
template <class E, class F> decltype(auto) with_packed(image_channel_type type, F use) {
  if (type == image_channel_type::unorm_int_101010)
    return use(packed_element<E, std::uint32_t>{10, 10, 10});
  return use(packed_element<E, std::uint16_t>{
      5, type == image_channel_type::unorm_short_565 ? 6u : 5u, 5});
}
constexpr bool is_packed(image_channel_type type) {
  return type >= image_channel_type::unorm_short_565 &&
         type <= image_channel_type::unorm_int_101010;
}

template <class T> T load_texel(const std::byte *at, const earlier_layout &layout) {
  using element = typename T::element_type;
  if constexpr (channel_kind<element> == 2)
    if (is_packed(layout.type()))
      return with_packed<element>(layout.type(),
                                  [=](auto packed) { return packed.template load<T>(at); });
  const unsigned places = channel_places(layout.order());
  const unsigned bytes = layout.channel;
  return with_channel<element>(layout.type(), [=](auto channel) -> T {
    T x;
    for (int c = 0; c < 4; ++c) {
      const unsigned place = channel_place(places, c);
      typename decltype(channel)::bits bits = {};
      if (place * sizeof(bits) < bytes && place < constant_zero)
        __builtin_memcpy(&bits, __builtin_assume_aligned(at + place * sizeof(bits), sizeof(bits)),
                         sizeof(bits));
      x[c] = place == constant_one    ? element(1)
             : place == constant_zero ? element(0)
                                      : channel.decode(bits);
    }
    if constexpr (channel_kind<element> == 2)
      if (layout.order() == image_channel_order::ext_oneapi_srgba)
        for (int c = 0; c < 3; ++c)
          x[c] = linear_colour<element>(x[c]);
    return x;
  });
}

template <class T> void store_texel(std::byte *at, const earlier_layout &layout, const T &value) {
  using element = typename T::element_type;
  if constexpr (channel_kind<element> == 2)
    if (is_packed(layout.type())) {
      with_packed<element>(layout.type(), [=](auto packed) { packed.store(at, value); });
      return;
    }
  const unsigned places = channel_places(layout.order());
  with_channel<element>(layout.type(), [=](auto channel) {
    // From alpha to red, because red determines intensity and luminance.
    for (int c = 3; c >= 0; --c) {
      const unsigned place = channel_place(places, c);
      if (place < constant_zero) {
        const auto bits = channel.encode(value[c]);
        __builtin_memcpy(__builtin_assume_aligned(at + place * sizeof(bits), sizeof(bits)), &bits,
                         sizeof(bits));
      }
    }
  });
}

template <int D, class At> std::size_t texel_offset(const earlier_layout &layout, const At &at) {
  std::size_t offset = static_cast<std::size_t>(at[0]) * layout.channel;
  for (int d = 1; d < D; ++d)
    offset += static_cast<std::size_t>(at[d]) * layout.pitch[d - 1];
  return offset;
}

// Outside of the image, orders without alpha have an alpha of one.
template <class T, int D, class At>
T texel_or_border(const std::byte *data, const earlier_layout &layout, const At &at) {
  using o = image_channel_order;
  for (int d = 0; d < D; ++d)
    if (at[d] < 0 || at[d] >= layout.size[d]) {
      const o order = layout.order();
      const bool opaque =
          order == o::r || order == o::rg || order == o::rgb || order == o::luminance;
      T border(typename T::element_type(0));
      border[3] = typename T::element_type(opaque);
      return border;
    }
  return load_texel<T>(data + texel_offset<D>(layout, at), layout);
}

} // namespace detail
} // namespace sycl

#endif
