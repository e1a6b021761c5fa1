// Images that kernels access by handle (`sycl_ext_oneapi_bindless_images`), in device code.
//
// A handle is the address of a `bindless_image` in device memory. The image is plain memory on
// every device, as for the images of SYCL 2020 (`image_texel.hpp`), and this code reads and filters
// it. Coordinates outside of an image never access other memory: reads give zero and writes have no
// effect. All functions are templates, so that programs without images do not compile them.
#ifndef SCYTHE_DETAIL_BINDLESS_TEXEL_HPP
#define SCYTHE_DETAIL_BINDLESS_TEXEL_HPP

#include <sycl/builtins.hpp>
#include <sycl/detail/earlier_image_texel.hpp>

namespace sycl::detail {

// One level of an image. Rows begin `row` bytes apart, slices `slice` bytes.
struct bindless_level {
  std::byte *data;
  std::uint64_t row, slice;
  std::int32_t size[3]; // unused dimensions are 1
  std::int32_t reserved;
};

// An image with its first level. The other levels of a mipmap follow in memory.
struct bindless_image {
  bindless_level base;
  std::uint64_t layer; // layers begin this many bytes apart
  std::int32_t layers, levels;
  std::uint32_t channels, element; // `element` is the size of an element in bytes
  image_channel_type type;
  addressing_mode addressing[3];
  coordinate_normalization_mode coordinate;
  filtering_mode filtering, mipmap_filtering;
  float min_level, max_level, max_anisotropy;
  bool seamless;

  const bindless_level &level(int n) const {
    return n == 0 ? base : reinterpret_cast<const bindless_level *>(this + 1)[n - 1];
  }
  image_sampler sampler(int d) const { return {addressing[d], coordinate, filtering}; }
};

// The elements and the number of channels of a type that programs read and write. User-defined
// types have none.
template <class T> struct bindless_type {
  static constexpr bool is_known = std::is_arithmetic_v<T> || std::is_same_v<T, half>;
  static constexpr int count = 1;
  using element = T;
  static element get(const T &x, int) { return x; }
  static void set(T &x, int, element e) { x = e; }
};
template <class E, int N> struct bindless_type<vec<E, N>> {
  static constexpr bool is_known = true;
  static constexpr int count = N;
  using element = E;
  static element get(const vec<E, N> &x, int c) { return x[c]; }
  static void set(vec<E, N> &x, int c, element e) { x[c] = e; }
};

// Conversions of channels. Integers keep their bits where they fit.
template <class E, class X> E bindless_convert(X x) {
  if constexpr (std::is_integral_v<E> && std::is_floating_point_v<X>)
    return x >= static_cast<float>(std::numeric_limits<E>::max()) ? std::numeric_limits<E>::max()
           : x > static_cast<float>(std::numeric_limits<E>::min())
               ? static_cast<E>(__builtin_rintf(x))
               : std::numeric_limits<E>::min();
  else if constexpr (std::is_same_v<E, half>)
    return half(static_cast<float>(x));
  else
    return static_cast<E>(x);
}

// Calls `use` with the conversion between the channels of an image and `float` or an integer.
template <class F> decltype(auto) with_bindless_channel(image_channel_type type, F use) {
  using t = image_channel_type;
  switch (type) {
  case t::snorm_int8:
    return use(snorm_channel<float, std::int8_t>());
  case t::snorm_int16:
    return use(snorm_channel<float, std::int16_t>());
  case t::unorm_int8:
    return use(unorm_channel<float, std::uint8_t>());
  case t::unorm_int16:
    return use(unorm_channel<float, std::uint16_t>());
  case t::signed_int8:
    return use(plain_channel<std::int32_t, std::int8_t>());
  case t::signed_int16:
    return use(plain_channel<std::int32_t, std::int16_t>());
  case t::signed_int32:
    return use(plain_channel<std::int32_t, std::int32_t>());
  case t::unsigned_int8:
    return use(plain_channel<std::uint32_t, std::uint8_t>());
  case t::unsigned_int16:
    return use(plain_channel<std::uint32_t, std::uint16_t>());
  case t::unsigned_int32:
    return use(plain_channel<std::uint32_t, std::uint32_t>());
  case t::fp16:
    return use(half_channel<float, std::uint16_t>());
  default:
    return use(plain_channel<float, float>());
  }
}

// Reads all channels of an element. Channels that the image lacks are zero, alpha is one.
template <class E> void load_bindless(const bindless_image &image, const std::byte *at, E (&x)[4]) {
  x[0] = x[1] = x[2] = E(0);
  x[3] = E(1);
  with_bindless_channel(image.type, [&](auto channel) {
    for (unsigned c = 0; c < 4; ++c)
      if (c < image.channels) {
        typename decltype(channel)::bits bits;
        __builtin_memcpy(&bits, __builtin_assume_aligned(at + c * sizeof(bits), sizeof(bits)),
                         sizeof(bits));
        x[c] = bindless_convert<E>(channel.decode(bits));
      }
  });
}

// Integers of the channel's size keep their bits, others are clamped.
template <class E>
void store_bindless(const bindless_image &image, std::byte *at, const E (&x)[4], int count) {
  with_bindless_channel(image.type, [&](auto channel) {
    using bits = typename decltype(channel)::bits;
    using value = decltype(channel.decode(bits()));
    for (unsigned c = 0; c < 4; ++c)
      if (c < image.channels && static_cast<int>(c) < count) {
        bits b;
        if constexpr (std::is_integral_v<E> && std::is_integral_v<value> &&
                      sizeof(E) <= sizeof(bits))
          b = static_cast<bits>(x[c]);
        else
          b = channel.encode(bindless_convert<value>(x[c]));
        __builtin_memcpy(__builtin_assume_aligned(at + c * sizeof(b), sizeof(b)), &b, sizeof(b));
      }
  });
}

// The address of an element, or null outside of the level.
template <class At>
std::byte *bindless_place(const bindless_image &image, const bindless_level &level, const At &at,
                          unsigned layer) {
  bool inside = layer < static_cast<unsigned>(image.layers);
  for (int d = 0; d < 3; ++d)
    inside &= static_cast<unsigned>(at[d]) < static_cast<unsigned>(level.size[d]);
  if (!inside)
    return nullptr;
  return level.data + static_cast<std::size_t>(at[0]) * image.element +
         static_cast<std::size_t>(at[1]) * level.row +
         static_cast<std::size_t>(at[2]) * level.slice + layer * image.layer;
}

template <class E, class At>
void fetch_bindless(const bindless_image &image, const bindless_level &level, const At &at,
                    unsigned layer, E (&x)[4]) {
  if (const std::byte *place = bindless_place(image, level, at, layer))
    return load_bindless(image, place, x);
  x[0] = x[1] = x[2] = x[3] = E(0);
}

// Adds a weighted sample of one level to `sum`. `D` is the number of coordinates.
template <int D, class Float>
void sample_bindless(const bindless_image &image, const bindless_level &level,
                     const Float (&where)[3], unsigned layer, Float share, Float (&sum)[4]) {
  const bool linear = image.filtering == filtering_mode::linear;
  for (int corner = 0; corner < (linear ? 1 << D : 1); ++corner) {
    int at[3] = {0, 0, 0};
    Float weight = share, x[4];
    for (int d = 0; d < D; ++d) {
      const sample_position<Float> p(where[d], level.size[d], image.sampler(d));
      at[d] = p.at[corner >> d & 1];
      weight *= linear ? p.weight[corner >> d & 1] : Float(1);
    }
    fetch_bindless(image, level, at, layer, x);
    for (int c = 0; c < 4; ++c)
      sum[c] += weight * x[c];
  }
}

template <int D, class E, class Float>
void sample_bindless(const bindless_image &image, const Float (&where)[3], unsigned layer,
                     E (&x)[4]) {
  if (image.filtering == filtering_mode::nearest) {
    int at[3] = {0, 0, 0};
    for (int d = 0; d < D; ++d)
      at[d] = sample_position<Float>(where[d], image.base.size[d], image.sampler(d)).at[0];
    return fetch_bindless(image, image.base, at, layer, x);
  }
  Float sum[4] = {};
  sample_bindless<D>(image, image.base, where, layer, Float(1), sum);
  for (int c = 0; c < 4; ++c)
    x[c] = bindless_convert<E>(sum[c]);
}

// --- Mipmaps

// Adds a weighted sample at a level between levels.
template <int D, class Float>
void sample_levels(const bindless_image &image, const Float (&where)[3], Float level, Float share,
                   Float (&sum)[4]) {
  const Float last = static_cast<Float>(image.levels - 1);
  const Float most = image.max_level < last ? image.max_level : last;
  level = level > image.min_level ? level : image.min_level;
  level = level < most ? level : most;
  if (image.mipmap_filtering == filtering_mode::nearest)
    return sample_bindless<D>(image, image.level(static_cast<int>(level + Float(0.5f))), where, 0,
                              share, sum);
  const int below = static_cast<int>(level);
  const Float part = level - static_cast<Float>(below);
  sample_bindless<D>(image, image.level(below), where, 0, share * (1 - part), sum);
  if (part > 0)
    sample_bindless<D>(image, image.level(below + 1), where, 0, share * part, sum);
}

// The length of a gradient in elements of the first level.
template <int D, class Float>
Float gradient_length(const bindless_image &image, const Float (&gradient)[3]) {
  Float sum = 0;
  for (int d = 0; d < D; ++d) {
    const Float scale = image.coordinate == coordinate_normalization_mode::normalized
                            ? static_cast<Float>(image.base.size[d])
                            : Float(1);
    sum += gradient[d] * scale * gradient[d] * scale;
  }
  return __builtin_sqrtf(sum);
}

// Samples along the longer gradient, so that the shorter one determines the level.
template <int D, class Float>
void sample_gradients(const bindless_image &image, const Float (&where)[3], const Float (&dx)[3],
                      const Float (&dy)[3], Float (&sum)[4]) {
  const Float x = gradient_length<D>(image, dx), y = gradient_length<D>(image, dy);
  const Float(&axis)[3] = x > y ? dx : dy;
  const Float longer = x > y ? x : y, shorter = x > y ? y : x;
  const Float most = image.max_anisotropy > 1 ? image.max_anisotropy : Float(1);
  const Float ratio = shorter * most > longer ? longer / shorter : most;
  const Float width = longer > 0 ? longer / ratio : Float(1);
  const int count = longer > 0 ? static_cast<int>(__builtin_ceilf(ratio)) : 1;
  for (int i = 0; i < count; ++i) {
    const Float along =
        (static_cast<Float>(i) + Float(0.5f)) / static_cast<Float>(count) - Float(0.5f);
    const Float at[3] = {where[0] + along * axis[0], where[1] + along * axis[1],
                         where[2] + along * axis[2]};
    sample_levels<D>(image, at, sycl::log2(width), 1 / static_cast<Float>(count), sum);
  }
}

// --- Cubemaps

// The face that a direction points at, and the position there between 0 and 1.
template <class Float> struct cube_position {
  unsigned face;
  Float where[3];

  explicit cube_position(const Float (&v)[3]) : face(0), where{0, 0, 0} {
    const Float a[3] = {__builtin_fabsf(v[0]), __builtin_fabsf(v[1]), __builtin_fabsf(v[2])};
    const int major = a[0] >= a[1] && a[0] >= a[2] ? 0 : a[1] >= a[2] ? 1 : 2;
    const bool negative = v[major] < 0;
    face = static_cast<unsigned>(2 * major + negative);
    const Float s = major == 0   ? (negative ? v[2] : -v[2])
                    : major == 1 ? v[0]
                                 : (negative ? -v[0] : v[0]);
    const Float t = major == 1 ? (negative ? -v[2] : v[2]) : -v[1];
    where[0] = (s / a[major] + 1) / 2;
    where[1] = (t / a[major] + 1) / 2;
  }
};

// The direction of a position on a face, which may lie beyond the face's edges.
template <class Float> void cube_direction(unsigned face, Float u, Float v, Float (&out)[3]) {
  const Float s = 2 * u - 1, t = 2 * v - 1, sign = face & 1 ? Float(-1) : Float(1);
  const Float x = face / 2 == 0 ? sign : face / 2 == 1 ? s : sign * s;
  const Float y = face / 2 == 1 ? sign : -t;
  const Float z = face / 2 == 0 ? -sign * s : face / 2 == 1 ? sign * t : sign;
  out[0] = x;
  out[1] = y;
  out[2] = z;
}

template <class E, class Float>
void sample_cube(const bindless_image &image, const Float (&direction)[3], E (&x)[4]) {
  const cube_position<Float> p(direction);
  const Float size = static_cast<Float>(image.base.size[0]);
  const bool linear = image.filtering == filtering_mode::linear;
  if (!image.seamless || !linear) {
    // Directions end on a face, so the addressing mode only matters to the neighbours.
    if (linear)
      return sample_bindless<2>(image, p.where, p.face, x);
    int at[3] = {0, 0, 0};
    for (int d = 0; d < 2; ++d) {
      at[d] = static_cast<int>(p.where[d] * size);
      at[d] = at[d] < image.base.size[0] ? at[d] : image.base.size[0] - 1;
    }
    return fetch_bindless(image, image.base, at, p.face, x);
  }
  const Float u = p.where[0] * size - Float(0.5f), v = p.where[1] * size - Float(0.5f);
  const Float left = __builtin_floorf(u), top = __builtin_floorf(v);
  Float sum[4] = {};
  for (int corner = 0; corner < 4; ++corner) {
    const Float cx = left + static_cast<Float>(corner & 1);
    const Float cy = top + static_cast<Float>(corner >> 1);
    const Float weight =
        (corner & 1 ? u - left : 1 - (u - left)) * (corner >> 1 ? v - top : 1 - (v - top));
    // Beyond an edge, the direction of the element's centre points at the neighbouring face.
    Float around[3];
    cube_direction(p.face, (cx + Float(0.5f)) / size, (cy + Float(0.5f)) / size, around);
    const cube_position<Float> q(around);
    int at[3] = {0, 0, 0};
    for (int d = 0; d < 2; ++d) {
      at[d] = static_cast<int>(q.where[d] * size);
      at[d] = at[d] < image.base.size[0] ? at[d] : image.base.size[0] - 1;
    }
    Float texel[4];
    fetch_bindless(image, image.base, at, q.face, texel);
    for (int c = 0; c < 4; ++c)
      sum[c] += weight * texel[c];
  }
  for (int c = 0; c < 4; ++c)
    x[c] = bindless_convert<E>(sum[c]);
}

} // namespace sycl::detail

#endif
