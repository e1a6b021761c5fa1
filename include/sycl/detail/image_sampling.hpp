// Reading an image through a sampler: which elements a coordinate falls on, and what they give together.
//
// The formulas are those of OpenCL's chapter on image addressing and filtering. No coordinate, however odd, makes a
// read outside of the image's memory.
#ifndef SCYTHE_DETAIL_IMAGE_SAMPLING_HPP
#define SCYTHE_DETAIL_IMAGE_SAMPLING_HPP

#include <sycl/detail/image_texel.hpp>

namespace sycl::detail {

// In one dimension: the element, with linear filtering also the next one and how much it counts. Those that are outside
// of the image stand for the border's colour.
struct sample_position {
  int first, second;
  float weight;
};

inline sample_position position_of(float coordinate, int size, const image_sampler &sampler) {
  const bool normalized = sampler.coordinate == coordinate_normalization_mode::normalized;
  const float extent = static_cast<float>(size);
  float u = normalized ? coordinate * extent : coordinate;
  if (sampler.addressing == addressing_mode::repeat) {
    const float s = normalized ? coordinate : coordinate / extent;
    u = (s - __builtin_floorf(s)) * extent;
  } else if (sampler.addressing == addressing_mode::mirrored_repeat) {
    const float s = normalized ? coordinate : coordinate / extent;
    u = __builtin_fabsf(s - 2 * __builtin_rintf(0.5f * s)) * extent;
  }
  if (sampler.filtering == filtering_mode::linear)
    u -= 0.5f;
  // What an int holds; not a number is before the image.
  u = u > -2.0f ? u < extent + 1 ? u : extent + 1 : -2.0f;
  const float below = __builtin_floorf(u);
  sample_position p = {static_cast<int>(below), static_cast<int>(below) + 1, u - below};
  switch (sampler.addressing) {
  case addressing_mode::clamp:
    break;
  case addressing_mode::repeat:
    p.first += p.first < 0 ? size : p.first >= size ? -size : 0;
    p.second -= p.second >= size ? size : 0;
    break;
  default:
    p.first = p.first < 0 ? 0 : p.first >= size ? size - 1 : p.first;
    p.second = p.second < 0 ? 0 : p.second >= size ? size - 1 : p.second;
  }
  return p;
}

template <class E, int D>
vec<E, 4> texel_or_border(const std::byte *data, const image_layout &layout, const int (&at)[3]) {
  for (int d = 0; d < D; ++d)
    if (at[d] < 0 || at[d] >= layout.size[d])
      return vec<E, 4>(E(0));
  return load_texel<E>(data + texel_offset<D>(layout, at), layout.format);
}

// What filtering computed, as a channel's type: integers to the nearest.
template <class E> E filtered(float x) {
  if constexpr (channel_kind_of<E>() == 'f') {
    return x;
  } else {
    // The bounds of the type, as far as float can tell.
    constexpr float low = std::is_signed_v<E> ? -0x1p31f : 0.0f, high = std::is_signed_v<E> ? 0x1p31f : 0x1p32f;
    if (x >= high)
      return std::numeric_limits<E>::max();
    return static_cast<E>(x > low ? __builtin_rintf(x) : low);
  }
}

template <class E, int D> vec<E, 4> sample(const std::byte *data, const image_layout &layout, const float (&where)[3]) {
  sample_position p[D];
  int at[3] = {};
  for (int d = 0; d < D; ++d) {
    p[d] = position_of(where[d], layout.size[d], layout.sampler);
    at[d] = p[d].first;
  }
  if (layout.sampler.filtering == filtering_mode::nearest)
    return texel_or_border<E, D>(data, layout, at);
  float sum[4] = {};
  for (int corner = 0; corner < 1 << D; ++corner) {
    float weight = 1;
    for (int d = 0; d < D; ++d) {
      const bool second = corner >> d & 1;
      at[d] = second ? p[d].second : p[d].first;
      weight *= second ? p[d].weight : 1 - p[d].weight;
    }
    const vec<E, 4> x = texel_or_border<E, D>(data, layout, at);
    for (int c = 0; c < 4; ++c)
      sum[c] += weight * static_cast<float>(x[c]);
  }
  return {filtered<E>(sum[0]), filtered<E>(sum[1]), filtered<E>(sum[2]), filtered<E>(sum[3])};
}

} // namespace sycl::detail

#endif
