// Unsampled images: every format in both directions, one to three dimensions with and without gaps
// between rows, what is written back where, accessors of host, host tasks and kernels, and the
// errors.
//
// LEVELS: O2
// BACKENDS: cpu,opencl,opencl-objects,cuda
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace {

using sycl::image_format;

template <class T> class both_ways;

// Reads the two elements of the image `from`, and writes zero and `given` to the image `to`.
template <class T>
void read_and_write(sycl::queue &q, image_format f, std::size_t bytes, void *from, T *read,
                    const T &given, void *to) {
  using element = typename T::element_type;
  sycl::unsampled_image<1> source(from, f, 2), target(to, f, 2);
  CHECK(source.byte_size() == bytes && source.size() == 2);
  sycl::buffer<T> out(read, 2);
  q.submit([&](sycl::handler &h) {
    auto in = source.get_access<const T>(h);
    auto written = target.template get_access<T, sycl::access_mode::write>(h);
    sycl::accessor result(out, h, sycl::write_only);
    h.parallel_for<both_ways<T>>(2, [=](sycl::id<1> i) {
      const int at = static_cast<int>(i[0]);
      result[i] = in.read(at);
      written.write(at, at == 1 ? given : T(element(0)));
    });
  });
}

// Elements that memory holds must read as `seen`, and writing `given` must leave `stored`.
template <class T, class C>
void format(sycl::queue &q, image_format f, const C (&held)[4], const T &seen, const T &given,
            const C (&stored)[4]) {
  C from[8] = {}, to[8] = {};
  std::memcpy(from + 4, held, sizeof(held));
  T read[2];
  read_and_write<T>(q, f, sizeof(from), from, read, given, to);
  for (int c = 0; c < 4; ++c) {
    const float difference =
        std::fabs(static_cast<float>(read[1][c]) - static_cast<float>(seen[c]));
    CHECK(static_cast<float>(read[0][c]) == 0);
    CHECK(read[1][c] == seen[c] || difference < 1e-6f);
    CHECK(to[c] == 0 && to[4 + c] == stored[c]);
  }
}

void formats(sycl::queue &q) {
  using i4 = sycl::int4;
  using u4 = sycl::uint4;
  using f4 = sycl::float4;
  using std::int16_t, std::int8_t, std::uint16_t, std::uint8_t;
  constexpr int low = std::numeric_limits<int>::min();
  const float infinity = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();

  format<i4, int8_t>(q, image_format::r8g8b8a8_sint, {-128, 127, 0, -1}, {-128, 127, 0, -1},
                     {300, -300, 5, -5}, {127, -128, 5, -5});
  format<i4, int16_t>(q, image_format::r16g16b16a16_sint, {-32768, 32767, 0, -1},
                      {-32768, 32767, 0, -1}, {40000, low, 5, -5}, {32767, -32768, 5, -5});
  format<i4, int>(q, image_format::r32b32g32a32_sint, {low, 7, 0, -1}, {low, 7, 0, -1},
                  {1, low, 3, -4}, {1, low, 3, -4});
  format<u4, uint8_t>(q, image_format::r8g8b8a8_uint, {0, 128, 255, 1}, {0u, 128u, 255u, 1u},
                      {256u, ~0u, 5u, 255u}, {255, 255, 5, 255});
  format<u4, uint16_t>(q, image_format::r16g16b16a16_uint, {0, 128, 65535, 1},
                       {0u, 128u, 65535u, 1u}, {65536u, ~0u, 5u, 65535u}, {65535, 65535, 5, 65535});
  format<u4, unsigned>(q, image_format::r32b32g32a32_uint, {~0u, 1, 2, 3}, {~0u, 1u, 2u, 3u},
                       {4u, ~0u, 6u, 7u}, {4, ~0u, 6, 7});
  // 0.5 is half way between 127 and 128, and between 32767 and 32768: the even one.
  format<f4, uint8_t>(q, image_format::r8g8b8a8_unorm, {0, 51, 255, 128},
                      {0.0f, 0.2f, 1.0f, 128 / 255.0f}, {-1.0f, 0.5f, 2.0f, nan}, {0, 128, 255, 0});
  format<f4, uint8_t>(q, image_format::b8g8r8a8_unorm, {51, 102, 255, 0}, {1.0f, 0.4f, 0.2f, 0.0f},
                      {1.0f, 0.6f, 0.2f, 0.8f}, {51, 153, 255, 204});
  format<f4, uint16_t>(q, image_format::r16g16b16a16_unorm, {0, 13107, 65535, 32768},
                       {0.0f, 0.2f, 1.0f, 32768 / 65535.0f}, {infinity, 0.5f, 0.2f, -infinity},
                       {65535, 32768, 13107, 0});
  // The smallest number, and one that is too large by half of a last place.
  format<f4, uint16_t>(q, image_format::r16b16g16a16_sfloat, {0x3c00, 0xc000, 0x0001, 0x7c00},
                       {1.0f, -2.0f, 0x1p-24f, infinity}, {-0.5f, 65519.0f, 65520.0f, 0x1.8p-24f},
                       {0xb800, 0x7bff, 0x7c00, 0x0002});
  format<f4, float>(q, image_format::r32g32b32a32_sfloat, {1.5f, -0.25f, 1e30f, 0x1p-126f},
                    {1.5f, -0.25f, 1e30f, 0x1p-126f}, {0.1f, -7.0f, infinity, -0.0f},
                    {0.1f, -7.0f, infinity, -0.0f});
  if (!q.get_device().has(sycl::aspect::fp16))
    return;
  using h4 = sycl::half4;
  using sycl::half;
  format<h4, uint16_t>(q, image_format::r16b16g16a16_sfloat, {0x3c00, 0xc000, 0x0001, 0x7c00},
                       {half(1), half(-2), half(0x1p-24f), half(infinity)},
                       {half(0.5), half(1), half(2), half(-4)}, {0x3800, 0x3c00, 0x4000, 0xc400});
  format<h4, uint8_t>(q, image_format::b8g8r8a8_unorm, {255, 0, 0, 255},
                      {half(0), half(0), half(1), half(1)}, {half(1), half(0.5), half(0), half(9)},
                      {0, 128, 255, 255});
}

// Each element becomes twice what it was, plus its place. Pitches leave gaps that nobody may touch.
void dimensions(sycl::queue &q) {
  constexpr int width = 3, height = 4, depth = 2;
  constexpr std::size_t element = 4, row = 5 * element, slice = 6 * row;
  std::vector<std::uint8_t> flat(row * height, 9), deep(slice * depth, 9);
  {
    sycl::unsampled_image<2> a(flat.data(), image_format::r8g8b8a8_uint, {width, height}, row);
    sycl::unsampled_image<3> b(deep.data(), image_format::r8g8b8a8_uint, {width, height, depth},
                               {row, slice});
    CHECK(a.get_range() == sycl::range<2>(width, height) && a.get_pitch() == sycl::range<1>(row));
    CHECK(b.get_range() == sycl::range<3>(width, height, depth) &&
          b.get_pitch() == sycl::range<2>(row, slice));
    CHECK(a.size() == 12 && a.byte_size() == flat.size() && b.size() == 24 &&
          b.byte_size() == deep.size());
    q.submit([&](sycl::handler &h) {
      auto image = a.get_access<sycl::uint4>(h);
      h.parallel_for({height, width}, [=](sycl::id<2> i) {
        const sycl::int2 at(static_cast<int>(i[1]), static_cast<int>(i[0]));
        image.write(at, image.read(at) * 2u + static_cast<unsigned>(at.y() * 10 + at.x()));
      });
    });
    q.submit([&](sycl::handler &h) {
      sycl::unsampled_image_accessor<sycl::uint4, 2, sycl::access_mode::read> in(a, h);
      sycl::unsampled_image_accessor<sycl::uint4, 3, sycl::access_mode::write> out(b, h);
      h.parallel_for({depth, height, width}, [=](sycl::id<3> i) {
        const sycl::int4 at(static_cast<int>(i[2]), static_cast<int>(i[1]), static_cast<int>(i[0]),
                            0);
        out.write(at,
                  in.read(sycl::int2(at.swizzle<0, 1>())) + static_cast<unsigned>(at.z() * 100));
      });
    });
  }
  for (std::size_t i = 0; i < deep.size(); ++i) {
    const std::size_t z = i / slice, y = i % slice / row, x = i % row / element;
    const bool gap = x >= width || y >= height;
    CHECK(deep[i] == (gap ? 9 : 18 + y * 10 + x + z * 100));
    if (i < flat.size())
      CHECK(flat[i] == (gap ? 9 : 18 + y * 10 + x));
  }
  const sycl::unsampled_image<3> plain(image_format::r16g16b16a16_sint, {3, 5, 7});
  CHECK(plain.get_pitch() == sycl::range<2>(24, 120) && plain.byte_size() == 840);
}

using floats = std::vector<float>;
const sycl::range<1> two = 2;

// Eight channels that count up from `first`.
bool count_from(const float *data, float first) {
  for (int i = 0; i < 8; ++i)
    if (data[i] != first + static_cast<float>(i))
      return false;
  return true;
}
floats counting() { return {0, 1, 2, 3, 4, 5, 6, 7}; }

// Adds 1 to all channels of an image of two elements.
void add_one(sycl::queue &q, sycl::unsampled_image<1> image) {
  q.submit([&](sycl::handler &h) {
    auto a = image.get_access<sycl::float4>(h);
    h.parallel_for(two, [=](sycl::id<1> i) { a.write(int(i), a.read(int(i)) + 1.0f); });
  });
}

void write_back(sycl::queue &q) {
  constexpr image_format f = image_format::r32g32b32a32_sfloat;
  floats a = counting();
  {
    sycl::unsampled_image<1> image(a.data(), f, two);
    add_one(q, image);
    sycl::unsampled_image<1> copy = image;
    add_one(q, copy);
  }
  CHECK(count_from(a.data(), 2));
  {
    sycl::unsampled_image<1> image(a.data(), f, two, {sycl::property::image::use_host_ptr()});
    add_one(q, image);
  }
  CHECK(count_from(a.data(), 3));
  {
    sycl::unsampled_image<1> image(a.data(), f, two);
    image.set_write_back(false);
    add_one(q, image);
  }
  {
    sycl::unsampled_image<1> image(a.data(), f, two);
    image.set_final_data();
    add_one(q, image);
  }
  CHECK(count_from(a.data(), 3));

  // Elsewhere: a pointer, an iterator, one that grows a container, owners that live or do not.
  floats b(8), grown;
  std::shared_ptr<float[]> owned(new float[8]());
  std::weak_ptr<float[]> gone = std::shared_ptr<float[]>(new float[8]), kept = owned;
  auto to = [&](auto destination) {
    sycl::unsampled_image<1> image(a.data(), f, two);
    image.set_final_data(destination);
    add_one(q, image);
  };
  to(b.data());
  CHECK(count_from(b.data(), 4));
  b.assign(8, 0);
  to(b.begin());
  CHECK(count_from(b.data(), 4));
  to(std::back_inserter(grown));
  CHECK(grown.size() == 8 && count_from(grown.data(), 4));
  to(gone);
  to(kept);
  CHECK(count_from(owned.get(), 4) && count_from(a.data(), 3));

  // Shared ownership, and none.
  std::shared_ptr<void> memory(a.data(), [](void *) {}), nothing;
  {
    sycl::unsampled_image<1> image(memory, f, two), fresh(nothing, f, two);
    add_one(q, image);
    add_one(q, fresh);
  }
  CHECK(count_from(a.data(), 4));

  // Memory that is aligned to nothing.
  std::vector<char> odd(33);
  std::memcpy(odd.data() + 1, a.data(), 32);
  {
    sycl::unsampled_image<1> image(odd.data() + 1, f, two);
    add_one(q, image);
  }
  std::memcpy(a.data(), odd.data() + 1, 32);
  CHECK(count_from(a.data(), 5));
}

void host_side(sycl::queue &q) {
  sycl::unsampled_image<1> image(image_format::r32g32b32a32_sfloat, two);
  {
    sycl::host_unsampled_image_accessor<sycl::float4> a(image, {sycl::no_init}), same = a;
    a.write(0, {0, 1, 2, 3});
    same.write(1, {4, 5, 6, 7});
    CHECK(a.read(1).w() == 7 && a == same && a.size() == 2 &&
          a.has_property<sycl::property::no_init>());
    CHECK(std::hash<decltype(a)>()(a) == std::hash<decltype(a)>()(same));
  }
  add_one(q, image);
  float seen[2] = {};
  q.submit([&](sycl::handler &h) {
    using task_accessor = sycl::unsampled_image_accessor<sycl::float4, 1, sycl::access_mode::write,
                                                         sycl::image_target::host_task>;
    task_accessor out(image, h);
    sycl::unsampled_image_accessor<const sycl::float4, 1, sycl::access_mode::read,
                                   sycl::image_target::host_task>
        in(image, h);
    h.host_task([=, &seen] {
      seen[0] = in.read(0).x();
      seen[1] = in.read(1).w();
      out.write(0, sycl::float4(9));
    });
  });
  add_one(q, image);
  const auto a = image.get_host_access<const sycl::float4>();
  const sycl::host_unsampled_image_accessor<sycl::float4, 1, sycl::access_mode::read> plain = a;
  CHECK(seen[0] == 1 && seen[1] == 8);
  CHECK(a.read(0).x() == 10 && a.read(1).w() == 9 && plain.read(1).w() == 9);

  const sycl::unsampled_image<1> other(image_format::r32g32b32a32_sfloat, two), copy = image;
  CHECK(copy == image && copy != other && std::hash<sycl::unsampled_image<1>>()(copy) != 0);
  const sycl::device d = q.get_device();
  CHECK(d.has(sycl::aspect::image) && d.get_info<sycl::info::device::image_support>());
  CHECK(d.get_info<sycl::info::device::max_samplers>() >= 16);
  CHECK(d.get_info<sycl::info::device::max_read_image_args>() >= 128);
  CHECK(d.get_info<sycl::info::device::image2d_max_width>() >= 8192);
  CHECK(d.get_info<sycl::info::device::image3d_max_depth>() >= 2048);
}

template <class F> std::string message_of(F f) {
  try {
    f();
  } catch (const sycl::exception &e) {
    return e.code() == sycl::errc::invalid ? e.what() : "an error of another code";
  }
  return "no error";
}

void errors(sycl::queue &q) {
  using flat = sycl::unsampled_image<2>;
  using deep = sycl::unsampled_image<3>;
  constexpr image_format f = image_format::r8g8b8a8_unorm;
  CHECK(message_of([] { flat(f, {4, 0}); }) ==
        "unsampled_image: the range has 0 elements in dimension 1, expected 1 to 1073741824");
  CHECK(
      message_of([] { flat(f, {4, 2}, 12); }) ==
      "unsampled_image: the row pitch is 12 bytes, expected a multiple of 4 of at least 16 bytes");
  CHECK(
      message_of([] { flat(f, {4, 2}, 18); }) ==
      "unsampled_image: the row pitch is 18 bytes, expected a multiple of 4 of at least 16 bytes");
  CHECK(message_of([] { deep(f, {4, 2, 2}, {16, 16}); }) ==
        "unsampled_image: the slice pitch is 16 bytes, expected a multiple of 16 of at least 32 "
        "bytes");
  CHECK(message_of([] { deep(f, {1 << 30, 1 << 30, 64}); }) ==
        "unsampled_image: the size of the range exceeds the address space");
  CHECK(message_of([] { flat(nullptr, f, {4, 2}, {sycl::property::image::use_host_ptr()}); }) ==
        "unsampled_image: property use_host_ptr with address 0x0, expected a valid address aligned "
        "to 1");
  flat image(f, {4, 2});
  CHECK(message_of([&] { image.get_host_access<sycl::int4>(); }) ==
        "host_unsampled_image_accessor: the accessor has elements of type int4, but the image has "
        "format "
        "r8g8b8a8_unorm, expected float4 or "
        "half4");
  sycl::unsampled_image<1> numbers(image_format::r16g16b16a16_uint, two);
  CHECK(message_of([&] {
          q.submit([&](sycl::handler &h) { numbers.get_access<sycl::float4>(h); });
        }) == "unsampled_image_accessor: the accessor has elements of type float4 or half4, but "
              "the image has format "
              "r16g16b16a16_uint, expected "
              "uint4");
  CHECK(message_of([&] { numbers.get_host_access<const sycl::uint4>({sycl::no_init}); }) ==
        "host_unsampled_image_accessor: property no_init cannot be combined with "
        "access_mode::read; remove no_init or "
        "use access_mode::write");
  CHECK(message_of([&] { image.get_property<sycl::property::image::use_mutex>(); }) != "no error");
}

} // namespace

int main() {
  sycl::queue q;
  formats(q);
  dimensions(q);
  write_back(q);
  host_side(q);
  errors(q);
  return check::result();
}
