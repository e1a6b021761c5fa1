// `bindless_image_sampler`: addressing and filtering of a sampled bindless image.
#ifndef SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_SAMPLER_HPP
#define SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_SAMPLER_HPP

#include <sycl/detail/earlier_image_texel.hpp>
#include <sycl/sampler.hpp>

namespace sycl::ext::oneapi::experimental {

enum class cubemap_filtering_mode : unsigned { disjointed = 0, seamless = 1 };

struct bindless_image_sampler {
  bindless_image_sampler() = default;
  bindless_image_sampler(addressing_mode a, coordinate_normalization_mode c, filtering_mode f)
      : addressing{a, a, a}, coordinate(c), filtering(f) {}
  bindless_image_sampler(addressing_mode a, coordinate_normalization_mode c, filtering_mode f,
                         filtering_mode mipmap, float min_level, float max_level, float anisotropy)
      : addressing{a, a, a}, coordinate(c), filtering(f), mipmap_filtering(mipmap),
        min_mipmap_level_clamp(min_level), max_mipmap_level_clamp(max_level),
        max_anisotropy(anisotropy) {}
  bindless_image_sampler(addressing_mode a, coordinate_normalization_mode c, filtering_mode f,
                         cubemap_filtering_mode cubemap)
      : addressing{a, a, a}, coordinate(c), filtering(f), cubemap_filtering(cubemap) {}
  bindless_image_sampler(const addressing_mode (&a)[3], coordinate_normalization_mode c,
                         filtering_mode f)
      : addressing{a[0], a[1], a[2]}, coordinate(c), filtering(f) {}
  bindless_image_sampler(const addressing_mode (&a)[3], coordinate_normalization_mode c,
                         filtering_mode f, filtering_mode mipmap, float min_level, float max_level,
                         float anisotropy)
      : addressing{a[0], a[1], a[2]}, coordinate(c), filtering(f), mipmap_filtering(mipmap),
        min_mipmap_level_clamp(min_level), max_mipmap_level_clamp(max_level),
        max_anisotropy(anisotropy) {}
  bindless_image_sampler(const addressing_mode (&a)[3], coordinate_normalization_mode c,
                         filtering_mode f, cubemap_filtering_mode cubemap)
      : addressing{a[0], a[1], a[2]}, coordinate(c), filtering(f), cubemap_filtering(cubemap) {}

  addressing_mode addressing[3] = {addressing_mode::none, addressing_mode::none,
                                   addressing_mode::none};
  coordinate_normalization_mode coordinate = coordinate_normalization_mode::unnormalized;
  filtering_mode filtering = filtering_mode::nearest;
  filtering_mode mipmap_filtering = filtering_mode::nearest;
  float min_mipmap_level_clamp = 0;
  float max_mipmap_level_clamp = 0;
  float max_anisotropy = 0;
  cubemap_filtering_mode cubemap_filtering = cubemap_filtering_mode::disjointed;
};

} // namespace sycl::ext::oneapi::experimental

#endif
