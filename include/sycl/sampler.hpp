// Reads of a `sycl::sampled_image` between and beyond its elements, and `sycl::sampler` of SYCL
// 1.2.1, which reads of a `sycl::image` take.
#ifndef SCYTHE_SAMPLER_HPP
#define SCYTHE_SAMPLER_HPP

#include <sycl/property_list.hpp>

namespace sycl {

// The meaning of coordinates outside the image.
enum class addressing_mode {
  mirrored_repeat, // repeats the image, mirrored every other time
  repeat,          // repeats the image
  clamp_to_edge,   // the element at the edge
  clamp,           // zero in all channels
  none,            // the program uses no coordinates outside
};

enum class filtering_mode { nearest, linear };

enum class coordinate_normalization_mode {
  normalized, // from 0 to 1, independent of the image's range
  unnormalized,
};

struct image_sampler {
  addressing_mode addressing;
  coordinate_normalization_mode coordinate;
  filtering_mode filtering;
};

// Plain data, which kernels capture. No property applies to samplers.
class sampler {
public:
  sampler(coordinate_normalization_mode coordinate, addressing_mode addressing,
          filtering_mode filtering, const property_list & = {})
      : modes_{addressing, coordinate, filtering} {}

  addressing_mode get_addressing_mode() const { return modes_.addressing; }
  filtering_mode get_filtering_mode() const { return modes_.filtering; }
  coordinate_normalization_mode get_coordinate_normalization_mode() const {
    return modes_.coordinate;
  }
  template <class P> bool has_property() const noexcept { return false; }
  template <class P> P get_property() const { return property_list().get_property<P>(); }

  friend bool operator==(const sampler &a, const sampler &b) {
    return a.modes_.addressing == b.modes_.addressing &&
           a.modes_.coordinate == b.modes_.coordinate && a.modes_.filtering == b.modes_.filtering;
  }
  friend bool operator!=(const sampler &a, const sampler &b) { return !(a == b); }

  const image_sampler &scythe_modes() const noexcept { return modes_; }

private:
  image_sampler modes_;
};

} // namespace sycl

template <> struct std::hash<sycl::sampler> {
  std::size_t operator()(const sycl::sampler &s) const noexcept {
    return static_cast<std::size_t>(s.get_addressing_mode()) * 4 +
           static_cast<std::size_t>(s.get_filtering_mode()) * 2 +
           static_cast<std::size_t>(s.get_coordinate_normalization_mode());
  }
};

#endif
