// Reads an image through a sampler: selects the elements for a coordinate and filters them.
//
// The formulas are those of OpenCL's chapter on image addressing and filtering. No coordinate
// causes a read outside the image's memory.
#ifndef SCYTHE_DETAIL_IMAGE_SAMPLING_HPP
#define SCYTHE_DETAIL_IMAGE_SAMPLING_HPP

#include <sycl/detail/image_texel.hpp>

namespace sycl::detail {

// The position in one dimension: the element and, for linear filtering, the next element and its
// weight. An element outside the image stands for the border colour. `Float` is float.
template <class Float> struct sample_position {
  int at[2];
  Float weight[2];

  template <class Sampler> sample_position(Float coordinate, int size, const Sampler &sampler) {
    using mode = addressing_mode;
    const Float extent = size;
    const bool normalized = sampler.coordinate == coordinate_normalization_mode::normalized;
    const bool wraps = sampler.addressing <= mode::repeat;
    Float u = normalized ? coordinate : wraps ? coordinate / extent : coordinate;
    if (wraps)
      u = sampler.addressing == mode::repeat ? u - __builtin_floorf(u)
                                             : __builtin_fabsf(u - 2 * __builtin_rintf(u / 2));
    if (normalized || wraps)
      u *= extent;
    if (sampler.filtering == filtering_mode::linear)
      u -= Float(0.5f);
    // Clamp to the range of int. NaN is before the image.
    u = u > Float(-2) ? u < extent + 1 ? u : extent + 1 : Float(-2);
    const Float below = __builtin_floorf(u);
    weight[1] = u - below;
    weight[0] = 1 - weight[1];
    for (int i = 0; i < 2; ++i) {
      at[i] = static_cast<int>(below) + i;
      if (sampler.addressing == mode::repeat)
        at[i] += at[i] < 0 ? size : at[i] >= size ? -size : 0;
      else if (sampler.addressing != mode::clamp)
        at[i] = at[i] < 0 ? 0 : at[i] >= size ? size - 1 : at[i];
    }
  }
};

template <class T, int D, class Layout, class At>
T texel_or_border(const std::byte *data, const Layout &layout, const At &at) {
  for (int d = 0; d < D; ++d)
    if (at[d] < 0 || at[d] >= layout.size[d])
      return T(typename T::element_type(0));
  return load_texel<T>(data + texel_offset<D>(layout, at), layout);
}

// Converts a filtered value to the channel's type. Integers are rounded to nearest.
template <class E, class Float> E filtered(Float x) {
  if constexpr (channel_kind<E> == 2)
    return x;
  else // The sum of the weights may exceed one by rounding.
    return x >= Float(std::numeric_limits<E>::max())   ? std::numeric_limits<E>::max()
           : x <= Float(std::numeric_limits<E>::min()) ? std::numeric_limits<E>::min()
                                                       : static_cast<E>(__builtin_rintf(x));
}

template <class T, int D, class Layout, class Float>
T sample(const std::byte *data, const Layout &layout, const Float (&where)[3]) {
  using element = typename T::element_type;
  int at[D];
  if (layout.sampler.filtering == filtering_mode::nearest) {
    for (int d = 0; d < D; ++d)
      at[d] = sample_position<Float>(where[d], layout.size[d], layout.sampler).at[0];
    return texel_or_border<T, D>(data, layout, at);
  }
  Float sum[4] = {};
  for (int corner = 0; corner < 1 << D; ++corner) {
    Float weight = 1;
    for (int d = 0; d < D; ++d) {
      const sample_position<Float> p(where[d], layout.size[d], layout.sampler);
      at[d] = p.at[corner >> d & 1];
      weight *= p.weight[corner >> d & 1];
    }
    const T x = texel_or_border<T, D>(data, layout, at);
    for (int c = 0; c < 4; ++c)
      sum[c] += weight * static_cast<Float>(x[c]);
  }
  return T(filtered<element>(sum[0]), filtered<element>(sum[1]), filtered<element>(sum[2]),
           filtered<element>(sum[3]));
}

} // namespace sycl::detail

#endif
