// Sampled images: every addressing mode with both filters against values computed by hand, with and
// without normalised coordinates, in one to three dimensions; and coordinates that are nowhere.
//
// LEVELS: O2
// BACKENDS: cpu,opencl,opencl-objects,cuda
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace {

using sycl::addressing_mode;
using sycl::filtering_mode;
using sycl::image_format;
using sycl::image_sampler;

constexpr auto normalized = sycl::coordinate_normalization_mode::normalized;
constexpr auto plain = sycl::coordinate_normalization_mode::unnormalized;
constexpr auto nearest = filtering_mode::nearest, linear = filtering_mode::linear;

template <class T, int D> class sampling;

// What a kernel reads at these places.
template <class T, int D, class C>
std::vector<T> read(sycl::queue &q, sycl::sampled_image<D> &image, const std::vector<C> &where) {
  std::vector<T> result(where.size());
  sycl::buffer<C> places(where);
  sycl::buffer<T> out(result);
  q.submit([&](sycl::handler &h) {
    auto in = image.template get_access<T>(h);
    sycl::accessor at(places, h, sycl::read_only);
    sycl::accessor to(out, h, sycl::write_only);
    h.parallel_for<sampling<T, D>>(where.size(), [=](sycl::id<1> i) { to[i] = in.read(at[i]); });
  });
  const sycl::host_accessor seen(out, sycl::read_only);
  return {seen.begin(), seen.end()};
}

bool near(float a, float b) { return std::fabs(a - b) <= 1e-5f * (1 + std::fabs(b)); }

// Elements 10, 20, 30, 40 in the first channel, the others multiples of it; each place must read as
// told.
void line(sycl::queue &q, image_sampler sampler, const std::vector<float> &where,
          const std::vector<float> &expected) {
  std::vector<float> data;
  for (float x : {10.0f, 20.0f, 30.0f, 40.0f})
    data.insert(data.end(), {x, -x, 2 * x, x / 4});
  sycl::sampled_image<1> image(data.data(), image_format::r32g32b32a32_sfloat, sampler, 4);
  const std::vector<sycl::float4> seen = read<sycl::float4>(q, image, where);
  const sycl::host_sampled_image_accessor<sycl::float4, 1> host(image);
  for (std::size_t i = 0; i < where.size(); ++i) {
    const float x = expected[i];
    const bool right = near(seen[i][0], x) && near(seen[i][1], -x) && near(seen[i][2], 2 * x) &&
                       near(seen[i][3], x / 4);
    if (!right)
      std::printf("addressing %d, filter %d: at %g read %g, expected %g\n", int(sampler.addressing),
                  int(sampler.filtering), where[i], seen[i][0], x);
    CHECK(right && near(host.read(where[i])[0], x));
  }
}

void modes(sycl::queue &q) {
  const std::vector<float> places = {-1.25f, 0, 0.5f, 1, 1.75f, 3.5f, 4, 5.5f};
  line(q, {addressing_mode::clamp_to_edge, plain, nearest}, places,
       {10, 10, 10, 20, 20, 40, 40, 40});
  line(q, {addressing_mode::clamp_to_edge, plain, linear}, places,
       {10, 10, 10, 15, 22.5f, 40, 40, 40});
  line(q, {addressing_mode::clamp, plain, nearest}, places, {0, 10, 10, 20, 20, 40, 0, 0});
  line(q, {addressing_mode::clamp, plain, linear}, places, {0, 5, 10, 15, 22.5f, 40, 20, 0});
  line(q, {addressing_mode::none, plain, nearest}, {0, 0.5f, 1, 1.75f, 3.5f}, {10, 10, 20, 20, 40});
  line(q, {addressing_mode::none, plain, linear}, {0.5f, 1, 1.75f, 3.5f}, {10, 15, 22.5f, 40});

  const std::vector<float> parts = {-0.25f, 0, 0.125f, 0.5f, 0.9375f, 1, 1.375f, -1.5f};
  line(q, {addressing_mode::repeat, normalized, nearest}, parts, {40, 10, 10, 30, 40, 10, 20, 30});
  line(q, {addressing_mode::repeat, normalized, linear}, parts,
       {35, 25, 10, 25, 32.5f, 25, 20, 25});
  line(q, {addressing_mode::mirrored_repeat, normalized, nearest}, parts,
       {20, 10, 10, 30, 40, 40, 30, 30});
  line(q, {addressing_mode::mirrored_repeat, normalized, linear}, parts,
       {15, 10, 10, 25, 40, 40, 30, 25});
  line(q, {addressing_mode::clamp_to_edge, normalized, nearest}, parts,
       {10, 10, 10, 30, 40, 40, 40, 10});
  line(q, {addressing_mode::clamp, normalized, linear}, parts, {0, 5, 10, 25, 30, 20, 0, 0});

  // Nowhere: the border, the edge, and for images that repeat anything that is inside.
  const float far = std::numeric_limits<float>::infinity(),
              none = std::numeric_limits<float>::quiet_NaN();
  line(q, {addressing_mode::clamp, plain, linear}, {far, -far, none, 1e30f}, {0, 0, 0, 0});
  line(q, {addressing_mode::clamp_to_edge, normalized, nearest}, {far, -far, none, -1e30f},
       {40, 10, 10, 10});
  line(q, {addressing_mode::repeat, normalized, nearest}, {0x1p30f, -0x1p30f}, {10, 10});
}

void more_dimensions(sycl::queue &q) {
  // 10 20 / 30 40, after each row an element that must not be seen.
  const std::uint8_t flat[2][3][4] = {{{10, 0, 0, 255}, {20, 0, 0, 255}, {99, 99, 99, 99}},
                                      {{30, 0, 0, 255}, {40, 0, 0, 255}, {99, 99, 99, 99}}};
  sycl::sampled_image<2> image(flat, image_format::r8g8b8a8_unorm,
                               {addressing_mode::clamp_to_edge, plain, linear}, {2, 2}, 12);
  CHECK(image.get_pitch() == sycl::range<1>(12) && image.byte_size() == 24 && image.size() == 4);
  const auto colors =
      read<sycl::float4>(q, image, std::vector<sycl::float2>{{1, 1}, {0.75f, 1.25f}, {9, 0.5f}});
  CHECK(near(colors[0][0] * 255, 25) && near(colors[1][0] * 255, 27.5f) &&
        near(colors[2][0] * 255, 20));
  CHECK(colors[0][1] == 0 && near(colors[0][3], 1));

  // 1 + x + 2y + 4z: linear in all directions. Integers are rounded.
  int deep[8][4];
  for (int i = 0; i < 8; ++i)
    deep[i][0] = deep[i][1] = deep[i][2] = deep[i][3] = (1 + i) * 10;
  sycl::sampled_image<3> whole(deep, image_format::r32b32g32a32_sint,
                               {addressing_mode::clamp, normalized, linear}, {2, 2, 2});
  const auto numbers = read<sycl::int4>(q, whole,
                                        std::vector<sycl::float4>{{0.5f, 0.5f, 0.5f, 0},
                                                                  {0.75f, 0.25f, 0.5f, 0},
                                                                  {0.26f, 0.25f, 0.25f, 0}});
  CHECK(numbers[0][0] == 45 && numbers[1][0] == 40 && numbers[2][3] == 10);
}

void host_side(sycl::queue &q) {
  const unsigned data[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  std::shared_ptr<const void> owned(data, [](const void *) {}), nothing;
  const image_sampler sampler = {addressing_mode::mirrored_repeat, normalized, nearest};
  sycl::sampled_image<1> image(owned, image_format::r32b32g32a32_uint, sampler, 2),
      empty(nothing, image_format::r32b32g32a32_uint, sampler, 2), copy = image;
  CHECK(copy == image && copy != empty && owned.use_count() > 1);
  unsigned seen = 0;
  q.submit([&](sycl::handler &h) {
    auto in = image.get_access<const sycl::uint4, sycl::image_target::host_task>(h);
    const sycl::sampled_image_accessor<sycl::uint4, 1, sycl::image_target::host_task> same = in;
    CHECK(in.size() == 2 && same.size() == 2);
    h.host_task([=, &seen] { seen = in.read(0.75f).w() * 10 + same.read(1.75f).x(); });
  });
  q.wait();
  CHECK(seen == 81);
  CHECK(check::throws(sycl::errc::invalid, [&] { image.get_host_access<sycl::int4>(); }));
  CHECK(check::throws(sycl::errc::invalid, [&] {
    sycl::sampled_image<1>(data, image_format::r32b32g32a32_uint, sampler, 0);
  }));
}

} // namespace

int main() {
  sycl::queue q;
  modes(q);
  more_dimensions(q);
  host_side(q);
  return check::result();
}
