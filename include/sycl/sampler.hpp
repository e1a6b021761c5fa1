// How a `sycl::sampled_image` is read between and beyond its elements.
#ifndef SCYTHE_SAMPLER_HPP
#define SCYTHE_SAMPLER_HPP

namespace sycl {

// What coordinates outside of the image mean.
enum class addressing_mode {
  mirrored_repeat, // the image again, every other one in a mirror
  repeat,          // the image again
  clamp_to_edge,   // the element at the edge
  clamp,           // zero in all channels
  none,            // the program does not use any
};

enum class filtering_mode { nearest, linear };

enum class coordinate_normalization_mode {
  normalized, // from 0 to 1, whatever the image's range
  unnormalized,
};

struct image_sampler {
  addressing_mode addressing;
  coordinate_normalization_mode coordinate;
  filtering_mode filtering;
};

} // namespace sycl

#endif
