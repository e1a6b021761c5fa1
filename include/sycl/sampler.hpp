// Reads of a `sycl::sampled_image` between and beyond its elements.
#ifndef SCYTHE_SAMPLER_HPP
#define SCYTHE_SAMPLER_HPP

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

} // namespace sycl

#endif
