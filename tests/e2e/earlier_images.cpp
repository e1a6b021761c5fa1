// `sycl::image`, `sycl::sampler` and their accessors of SYCL 1.2.1
// (`sycl_ext_intel_legacy_image`): formats, sampling, arrays, host access, write-back, and colours
// of sRGB (`sycl_ext_oneapi_srgb`).
//
// A foreign host compiler cannot tell unnamed kernels of one line apart:
// MODES: device,host
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace {

using order = sycl::image_channel_order;
using type = sycl::image_channel_type;
using mode = sycl::access::mode;
using target = sycl::access::target;

bool near(const sycl::float4 &a, const sycl::float4 &b, float tolerance = 1e-6f) {
  for (int i = 0; i < 4; ++i)
    if (!(std::fabs(a[i] - b[i]) <= tolerance))
      return false;
  return true;
}

// Writes an element in one kernel, reads it in another, and returns it.
template <class T = sycl::float4>
T through(sycl::queue &q, order o, type t, T value, std::vector<unsigned char> *bytes = nullptr) {
  T result;
  sycl::image<1> image(o, t, sycl::range<1>(3));
  std::vector<unsigned char> memory(image.get_size());
  {
    sycl::image<1> written(memory.data(), o, t, sycl::range<1>(3));
    CHECK(written.get_count() == 3 && written.get_size() == memory.size());
    q.submit([&](sycl::handler &h) {
      auto out = written.get_access<T, mode::write>(h);
      h.single_task([=] { out.write(1, value); });
    });
    sycl::buffer<T> b(&result, sycl::range<1>(1));
    q.submit([&](sycl::handler &h) {
      auto in = written.get_access<T, mode::read>(h);
      sycl::accessor out(b, h);
      h.single_task([=] { out[0] = in.read(1); });
    });
  }
  if (bytes) {
    const auto size = static_cast<std::ptrdiff_t>(memory.size() / 3);
    bytes->assign(memory.begin() + size, memory.begin() + 2 * size);
  }
  return result;
}

void formats(sycl::queue &q) {
  const sycl::float4 f(0.25f, 0.5f, 0.75f, 1.0f);
  std::vector<unsigned char> bytes;
  CHECK(near(through(q, order::rgba, type::fp32, f), f));
  CHECK(near(through(q, order::rgba, type::fp16, f, &bytes), f));
  CHECK(bytes.size() == 8);
  CHECK(near(through(q, order::r, type::fp32, f, &bytes), {0.25f, 0, 0, 1}));
  CHECK(bytes.size() == 4);
  CHECK(near(through(q, order::rx, type::fp32, f), {0.25f, 0, 0, 1}));
  CHECK(near(through(q, order::a, type::fp32, f), {0, 0, 0, 1}));
  CHECK(near(through(q, order::rg, type::fp32, f), {0.25f, 0.5f, 0, 1}));
  CHECK(near(through(q, order::ra, type::fp32, {1, 2, 3, 4}), {1, 0, 0, 4}));
  CHECK(near(through(q, order::intensity, type::fp32, {2, 3, 4, 5}), {2, 2, 2, 2}));
  CHECK(near(through(q, order::luminance, type::fp32, {2, 3, 4, 5}), {2, 2, 2, 1}));
  CHECK(near(through(q, order::rgba, type::unorm_int8, {0, 0.2f, 1, 7}, &bytes), {0, 0.2f, 1, 1}));
  CHECK((bytes == std::vector<unsigned char>{0, 51, 255, 255}));
  CHECK(near(through(q, order::argb, type::unorm_int8, {0.2f, 0.4f, 0.6f, 1}, &bytes),
             {0.2f, 0.4f, 0.6f, 1}));
  CHECK((bytes == std::vector<unsigned char>{255, 51, 102, 153}));
  CHECK(near(through(q, order::bgra, type::unorm_int8, {0.2f, 0.4f, 0.6f, 1}, &bytes),
             {0.2f, 0.4f, 0.6f, 1}));
  CHECK((bytes == std::vector<unsigned char>{153, 102, 51, 255}));
  CHECK(near(through(q, order::abgr, type::unorm_int8, {0.2f, 0.4f, 0.6f, 1}, &bytes),
             {0.2f, 0.4f, 0.6f, 1}));
  CHECK((bytes == std::vector<unsigned char>{255, 153, 102, 51}));
  CHECK(near(through(q, order::rgba, type::snorm_int8, {-1, -3, 1, 0}, &bytes), {-1, -1, 1, 0}));
  CHECK((bytes == std::vector<unsigned char>{129, 129, 127, 0}));
  CHECK(near(through(q, order::rgba, type::snorm_int16, {-0.5f, 0.5f, 1, 0}), {-0.5f, 0.5f, 1, 0},
             1e-4f));
  CHECK(near(through(q, order::rg, type::unorm_int16, f), {0.25f, 0.5f, 0, 1}, 1e-4f));
  CHECK(near(through(q, order::rgb, type::unorm_short_565, {1, 0, 1, 0}, &bytes), {1, 0, 1, 1}));
  CHECK((bytes == std::vector<unsigned char>{0x1f, 0xf8}));
  CHECK(near(through(q, order::rgbx, type::unorm_short_555, {0, 1, 0, 0}, &bytes), {0, 1, 0, 1}));
  CHECK((bytes == std::vector<unsigned char>{0xe0, 0x03}));
  CHECK(near(through(q, order::rgb, type::unorm_int_101010, {1, 0.5f, 0, 0}, &bytes),
             {1, 0.5f, 0, 1}, 1e-3f));
  CHECK(bytes.size() == 4 && bytes[3] == 0x3f);

  const sycl::int4 i(-300, 100, -7, 70000);
  CHECK(sycl::all(through(q, order::rgba, type::signed_int32, i) == i));
  CHECK(sycl::all(through(q, order::rgba, type::signed_int16, i) ==
                  sycl::int4(-300, 100, -7, 32767)));
  CHECK(sycl::all(through(q, order::rgba, type::signed_int8, i) == sycl::int4(-128, 100, -7, 127)));
  const sycl::uint4 u(3, 300, 70000, 1);
  CHECK(sycl::all(through(q, order::rg, type::unsigned_int32, u) == sycl::uint4(3, 300, 0, 1)));
  CHECK(
      sycl::all(through(q, order::rgba, type::unsigned_int16, u) == sycl::uint4(3, 300, 65535, 1)));
  CHECK(sycl::all(through(q, order::rgba, type::unsigned_int8, u) == sycl::uint4(3, 255, 255, 1)));
}

void samplers(sycl::queue &q) {
  using address = sycl::addressing_mode;
  using filter = sycl::filtering_mode;
  using coordinate = sycl::coordinate_normalization_mode;
  const sycl::sampler linear(coordinate::unnormalized, address::clamp_to_edge, filter::linear);
  const sycl::sampler nearest(coordinate::normalized, address::clamp, filter::nearest);
  CHECK(linear.get_addressing_mode() == address::clamp_to_edge);
  CHECK(linear.get_filtering_mode() == filter::linear);
  CHECK(linear.get_coordinate_normalization_mode() == coordinate::unnormalized);
  CHECK(linear != nearest && sycl::sampler(linear) == linear);

  // The rows have a gap after 3 elements.
  const std::vector<float> memory{0, 1, 2, -9, 10, 11, 12, -9};
  sycl::float4 results[6];
  {
    sycl::image<2> image(memory.data(), order::r, type::fp32, sycl::range<2>(3, 2),
                         sycl::range<1>(4 * sizeof(float)));
    CHECK(image.get_pitch() == sycl::range<1>(16) && image.get_range() == sycl::range<2>(3, 2));
    sycl::buffer<sycl::float4> b(results, sycl::range<1>(6));
    q.submit([&](sycl::handler &h) {
      sycl::accessor<sycl::float4, 2, mode::read, target::image> in(image, h);
      sycl::accessor out(b, h);
      h.single_task([=] {
        out[0] = in.read(sycl::float2(1.0f, 0.5f), linear);
        out[1] = in.read(sycl::float2(1.5f, 1.0f), linear);
        out[2] = in.read(sycl::float2(-5.0f, 0.5f), linear);
        out[3] = in.read(sycl::float2(0.5f, 0.75f), nearest);
        out[4] = in.read(sycl::float2(1.5f, 0.75f), nearest);
        out[5] = in.read(sycl::int2(2, 1), linear);
        (void)in.get_range();
      });
    });
  }
  CHECK(near(results[0], {0.5f, 0, 0, 1}));
  CHECK(near(results[1], {6, 0, 0, 1}));
  CHECK(near(results[2], {0, 0, 0, 1}));
  CHECK(near(results[3], {11, 0, 0, 1}));
  CHECK(near(results[4], {0, 0, 0, 1})); // outside, without alpha
  CHECK(near(results[5], {6.5f, 0, 0, 1}));
}

void arrays(sycl::queue &q) {
  std::vector<sycl::int4> memory(4 * 3 * 2);
  {
    sycl::image<3> image(memory.data(), order::rgba, type::signed_int32, sycl::range<3>(4, 3, 2));
    q.submit([&](sycl::handler &h) {
      sycl::accessor<sycl::int4, 2, mode::write, target::image_array> out(image, h);
      h.parallel_for(sycl::range<3>(2, 3, 4), [=](sycl::id<3> i) {
        const int x = static_cast<int>(i[2]), y = static_cast<int>(i[1]),
                  z = static_cast<int>(i[0]);
        out[i[0]].write(sycl::int2(x, y), sycl::int4(x, y, z, 1));
      });
    });
    // Three-dimensional coordinates have a fourth number, which is ignored.
    auto host = image.get_access<sycl::int4, mode::read_write>();
    CHECK(sycl::all(host.read(sycl::int4(3, 2, 1, 0)) == sycl::int4(3, 2, 1, 1)));
    CHECK(host.get_range() == sycl::range<3>(4, 3, 2));
    host.write(sycl::int4(0, 0, 0, 0), sycl::int4(8, 8, 8, 8));
  }
  CHECK(sycl::all(memory[0] == sycl::int4(8, 8, 8, 8)));
  CHECK(sycl::all(memory[4 * 3 + 4 * 2 + 3] == sycl::int4(3, 2, 1, 1)));
}

void memory(sycl::queue &q) {
  // Const memory stays, and a final destination gets the contents.
  const float before[4] = {1, 2, 3, 4};
  float after[4] = {};
  {
    sycl::image<1> image(before, order::rgba, type::fp32, sycl::range<1>(1));
    image.get_access<sycl::float4, mode::write>().write(0, {5, 6, 7, 8});
  }
  CHECK(before[0] == 1);
  {
    sycl::image<1> image(before, order::rgba, type::fp32, sycl::range<1>(1));
    image.set_final_data(reinterpret_cast<sycl::float4 *>(after));
    q.submit([&](sycl::handler &h) {
      auto out = image.get_access<sycl::float4, mode::discard_write>(h);
      h.single_task([=] { out.write(0, {5, 6, 7, 8}); });
    });
  }
  CHECK(before[0] == 1 && after[3] == 8);
  auto shared = std::make_shared<sycl::float4>(9.0f);
  {
    sycl::image<1> image(shared, order::rgba, type::fp32, sycl::range<1>(1));
    image.get_access<sycl::float4, mode::write>().write(0, {1, 2, 3, 4});
  }
  CHECK((*shared)[1] == 2);

  CHECK(check::throws(sycl::errc::invalid,
                      [] { sycl::image<1>(order::rgb, type::fp32, sycl::range<1>(1)); }));
  CHECK(check::throws(sycl::errc::invalid, [] {
    sycl::image<1> image(order::rgba, type::fp32, sycl::range<1>(1));
    (void)image.get_access<sycl::int4, mode::read>();
  }));
}

// Reads make colours linear, but not alpha, and before they mix elements.
void srgb(sycl::queue &q) {
  if (!q.get_device().has(sycl::aspect::ext_oneapi_srgb))
    return;
  const std::vector<unsigned char> texels{127, 0, 255, 127, 10, 64, 200, 255};
  sycl::image<2> image(texels.data(), order::ext_oneapi_srgba, type::unorm_int8,
                       sycl::range<2>(2, 1));
  sycl::float4 results[2];
  {
    sycl::buffer<sycl::float4> b(results, sycl::range<1>(2));
    q.submit([&](sycl::handler &h) {
      auto in = image.get_access<sycl::float4, mode::read>(h);
      sycl::accessor out(b, h);
      const sycl::sampler linear(sycl::coordinate_normalization_mode::unnormalized,
                                 sycl::addressing_mode::clamp_to_edge,
                                 sycl::filtering_mode::linear);
      h.single_task([=] {
        out[0] = in.read(sycl::int2(0, 0));
        out[1] = in.read(sycl::float2(1, 0.5f), linear);
      });
    });
  }
  const auto linear = [](int c) {
    const double x = c / 255.0;
    return static_cast<float>(x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4));
  };
  CHECK(near(results[0], {linear(127), 0, 1, 127 / 255.0f}, 1e-5f));
  CHECK(near(
      results[1],
      {(linear(127) + linear(10)) / 2, linear(64) / 2, (1 + linear(200)) / 2, (127 + 255) / 510.0f},
      1e-5f));
  CHECK(check::throws(sycl::errc::invalid, [] {
    sycl::image<1>(order::ext_oneapi_srgba, type::unorm_int8, sycl::range<1>(4));
  }));
  CHECK(check::throws(sycl::errc::invalid, [] {
    sycl::image<2>(order::ext_oneapi_srgba, type::unorm_int16, sycl::range<2>(4, 4));
  }));
  CHECK(check::throws(sycl::errc::feature_not_supported, [&] {
    q.submit([&](sycl::handler &h) {
      auto out = image.get_access<sycl::float4, mode::write>(h);
      h.single_task([=] { out.write(sycl::int2(0, 0), sycl::float4(1)); });
    });
  }));
}

} // namespace

int main() {
  sycl::queue q;
  srgb(q);
  CHECK(q.get_device().has(sycl::aspect::ext_intel_legacy_image));
  formats(q);
  samplers(q);
  arrays(q);
  memory(q);
  return check::result();
}
