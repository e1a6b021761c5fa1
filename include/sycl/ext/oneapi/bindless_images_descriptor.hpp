// `image_descriptor`: the size, the format and the kind of a bindless image.
#ifndef SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_DESCRIPTOR_HPP
#define SCYTHE_EXT_ONEAPI_BINDLESS_IMAGES_DESCRIPTOR_HPP

#include <sycl/detail/earlier_image_texel.hpp>
#include <sycl/exception.hpp>
#include <sycl/range.hpp>

namespace sycl::ext::oneapi::experimental {

enum class image_type : unsigned { standard = 0, mipmap = 1, array = 2, cubemap = 3, gather = 4 };

struct image_descriptor {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t depth = 0;
  unsigned num_channels = 4;
  image_channel_type channel_type = image_channel_type::fp32;
  image_type type = image_type::standard;
  unsigned num_levels = 1;
  unsigned array_size = 1;

  image_descriptor() = default;
  image_descriptor(range<1> dims, unsigned channels, image_channel_type format,
                   image_type kind = image_type::standard, unsigned levels = 1, unsigned layers = 1)
      : image_descriptor(dims[0], 0, 0, channels, format, kind, levels, layers) {}
  image_descriptor(range<2> dims, unsigned channels, image_channel_type format,
                   image_type kind = image_type::standard, unsigned levels = 1, unsigned layers = 1)
      : image_descriptor(dims[0], dims[1], 0, channels, format, kind, levels, layers) {}
  image_descriptor(range<3> dims, unsigned channels, image_channel_type format,
                   image_type kind = image_type::standard, unsigned levels = 1, unsigned layers = 1)
      : image_descriptor(dims[0], dims[1], dims[2], channels, format, kind, levels, layers) {}

  image_descriptor get_mip_level_desc(unsigned level) const {
    image_descriptor of_level = *this;
    of_level.type = image_type::standard;
    of_level.num_levels = 1;
    const auto halved = [level](std::size_t n) {
      return n == 0 || n >> level != 0 ? n >> level : 1;
    };
    of_level.width = halved(width);
    of_level.height = halved(height);
    of_level.depth = halved(depth);
    return of_level;
  }

  SCYTHE_COLD void verify() const {
    const auto require = [](bool holds, const char *why) {
      if (!holds)
        sycl::detail::fail(errc::invalid, "image_descriptor::verify: %s", why);
    };
    constexpr std::size_t most = std::size_t(1) << 30;
    require(num_channels >= 1 && num_channels <= 4, "the number of channels must be 1 to 4");
    require(width >= 1 && width <= most && height <= most && depth <= most,
            "every dimension must have 1 to 2^30 elements");
    require(height != 0 || depth == 0, "an image with a depth needs a height");
    require(scythe_channel_size() != 0, "the channel type must be one that is not packed");
    require(type == image_type::mipmap ? num_levels > 1 && num_levels <= 31 : num_levels == 1,
            "mipmaps have 2 to 31 levels, other images have one");
    require(type == image_type::array     ? array_size > 1
            : type == image_type::cubemap ? array_size == 6
                                          : array_size == 1,
            "arrays have more than one layer, cubemaps have six, other images have one");
    require(depth == 0 || (type != image_type::array && type != image_type::cubemap &&
                           type != image_type::gather),
            "arrays, cubemaps and gather images have no depth");
    require(type != image_type::cubemap || width == height,
            "the faces of a cubemap must have equal width and height");
    require(type != image_type::gather || height != 0, "gather images have two dimensions");
  }

  // The size of a channel and of an element in bytes.
  std::size_t scythe_channel_size() const {
    using t = image_channel_type;
    switch (channel_type) {
    case t::snorm_int8:
    case t::unorm_int8:
    case t::signed_int8:
    case t::unsigned_int8:
      return 1;
    case t::snorm_int16:
    case t::unorm_int16:
    case t::signed_int16:
    case t::unsigned_int16:
    case t::fp16:
      return 2;
    case t::signed_int32:
    case t::unsigned_int32:
    case t::fp32:
      return 4;
    default:
      return 0;
    }
  }
  std::size_t scythe_element_size() const { return scythe_channel_size() * num_channels; }

private:
  image_descriptor(std::size_t w, std::size_t h, std::size_t d, unsigned channels,
                   image_channel_type format, image_type kind, unsigned levels, unsigned layers)
      : width(w), height(h), depth(d), num_channels(channels), channel_type(format), type(kind),
        num_levels(levels), array_size(layers) {}
};

} // namespace sycl::ext::oneapi::experimental

#endif
