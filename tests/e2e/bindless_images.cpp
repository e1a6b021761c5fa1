// Bindless images: reads and writes by handle in each number of dimensions, formats, samplers,
// arrays, mipmaps, cubemaps, images in USM, and copies of boxes.
//
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/bindless_images.hpp>

#include <cmath>
#include <cstring>
#include <numeric>

namespace ext = sycl::ext::oneapi::experimental;
using format = sycl::image_channel_type;
using sycl::addressing_mode;
constexpr auto normalized = sycl::coordinate_normalization_mode::normalized;
constexpr auto unnormalized = sycl::coordinate_normalization_mode::unnormalized;
constexpr auto nearest = sycl::filtering_mode::nearest;
constexpr auto linear = sycl::filtering_mode::linear;

namespace {

// A type of the program, which is read as a vector of the same size.
struct pair {
  short a, b;
};

template <class T> class copying;
template <int N> class taking_samples;

template <int D> auto coordinates(sycl::id<D> i) {
  if constexpr (D == 1)
    return static_cast<int>(i[0]);
  else if constexpr (D == 2)
    return sycl::int2(i[0], i[1]);
  else
    return sycl::int3(i[0], i[1], i[2]);
}

// Copies through a kernel from one image to another.
template <class T, int D>
void copy_of(sycl::queue &q, sycl::range<D> size, unsigned channels, format f) {
  const ext::image_descriptor desc(size, channels, f);
  desc.verify();
  std::vector<T> in(size.size()), out(size.size());
  auto *bytes = reinterpret_cast<unsigned char *>(in.data());
  for (std::size_t i = 0; i < in.size() * sizeof(T); ++i)
    bytes[i] = static_cast<unsigned char>(i % 61);
  const ext::image_mem from(desc, q), to(desc, q.get_device(), q.get_context());
  CHECK(from.get_descriptor().width == size[0] && from.get_num_channels() == channels);
  CHECK(ext::get_image_channel_type(from.get_handle(), q) == f);
  CHECK(ext::get_image_range(from.get_handle(), q) == from.get_range());
  auto read = ext::create_image(from, desc, q), write = ext::create_image(to, desc, q);
  const sycl::event copied = q.ext_oneapi_copy(in.data(), from.get_handle(), desc);
  const sycl::event ran = q.parallel_for<copying<T>>(size, copied, [=](sycl::id<D> i) {
    const auto at = coordinates(i);
    ext::write_image<T>(write, at, ext::fetch_image<T>(read, at));
  });
  q.ext_oneapi_copy(to.get_handle(), out.data(), desc, std::vector<sycl::event>{ran}).wait();
  CHECK(std::memcmp(in.data(), out.data(), in.size() * sizeof(T)) == 0);
  ext::destroy_image_handle(read, q);
  ext::destroy_image_handle(write, q);
}

void formats(sycl::queue &q) {
  copy_of<sycl::float4>(q, sycl::range<1>(7), 4, format::fp32);
  copy_of<float>(q, sycl::range<2>(5, 3), 1, format::fp32);
  copy_of<sycl::vec<short, 2>>(q, sycl::range<3>(4, 3, 2), 2, format::signed_int16);
  copy_of<sycl::vec<unsigned char, 4>>(q, sycl::range<2>(5, 4), 4, format::unsigned_int8);
  copy_of<signed char>(q, sycl::range<1>(9), 1, format::signed_int8);
  copy_of<sycl::half>(q, sycl::range<2>(6, 2), 1, format::fp16);
  copy_of<unsigned>(q, sycl::range<3>(3, 4, 5), 1, format::unsigned_int32);

  // Three channels have no gap in memory. Channels that an image lacks are zero, alpha is one.
  const ext::image_descriptor desc(sycl::range<1>(2), 3, format::unsigned_int16);
  const std::vector<unsigned short> in{1, 2, 3, 4, 5, 6};
  const ext::image_mem memory(desc, q);
  auto image = ext::create_image(memory.get_handle(), desc, q);
  q.ext_oneapi_copy(in.data(), memory.get_handle(), desc).wait();
  auto *out = sycl::malloc_shared<sycl::ushort4>(3, q);
  q.single_task([=] {
     const auto three = ext::fetch_image<sycl::ushort3>(image, 1);
     out[0] = sycl::ushort4(three[0], three[1], three[2], 9);
     out[1] = ext::fetch_image<sycl::ushort4>(image, 0);
     out[2] = ext::fetch_image<sycl::ushort4>(image, 2); // outside
     ext::write_image(image, -1, sycl::ushort4(8, 8, 8, 8));
   }).wait();
  const auto is = [](sycl::ushort4 a, sycl::ushort4 b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
  };
  CHECK(is(out[0], {4, 5, 6, 9}) && is(out[1], {1, 2, 3, 1}) && is(out[2], {0, 0, 0, 0}));
  sycl::free(out, q);
  ext::destroy_image_handle(image, q);
}

void conversions(sycl::queue &q) {
  const ext::image_descriptor desc(sycl::range<1>(4), 2, format::unorm_int8);
  const ext::image_mem memory(desc, q);
  auto image = ext::create_image(memory, desc, q);
  auto *out = sycl::malloc_shared<float>(8, q);
  q.single_task([=] {
     ext::write_image(image, 0, sycl::float2(1, 0.5f));
     ext::write_image(image, 1, sycl::float2(-3, 7));
   }).wait();
  q.single_task([=] {
     for (int i = 0; i < 2; ++i) {
       const auto x = ext::fetch_image<sycl::float2>(image, i);
       out[2 * i] = x[0];
       out[2 * i + 1] = x[1];
     }
     out[4] = ext::fetch_image<sycl::vec<sycl::half, 2>>(image, 0)[0];
   }).wait();
  CHECK(out[0] == 1 && out[1] == 128.0f / 255 && out[2] == 0 && out[3] == 1 && out[4] == 1);
  ext::destroy_image_handle(image, q);

  const ext::image_descriptor shorts(sycl::range<1>(2), 2, format::signed_int16);
  const ext::image_mem pairs(shorts, q);
  auto user = ext::create_image(pairs, shorts, q);
  q.single_task([=] { ext::write_image(user, 1, pair{-5, 6}); }).wait();
  q.single_task([=] {
     const pair p = ext::fetch_image<pair, sycl::vec<short, 2>>(user, 1);
     out[5] = p.a;
     out[6] = p.b;
   }).wait();
  CHECK(out[5] == -5 && out[6] == 6);
  ext::destroy_image_handle(user, q);
  sycl::free(out, q);
}

// The results of samples of the image 0, 1, …, 4 × 3 - 1.
template <int N, class Sample>
std::vector<float> samples(sycl::queue &q, const ext::bindless_image_sampler &sampler,
                           Sample sample) {
  const ext::image_descriptor desc(sycl::range<2>(4, 3), 1, format::fp32);
  std::vector<float> in(12);
  std::iota(in.begin(), in.end(), 0.0f);
  const ext::image_mem memory(desc, q);
  auto image = ext::create_image(memory, sampler, desc, q);
  q.ext_oneapi_copy(in.data(), memory.get_handle(), desc).wait();
  auto *out = sycl::malloc_shared<float>(4, q);
  q.single_task<taking_samples<N>>([=] { sample(image, out); }).wait();
  const std::vector<float> result(out, out + 4);
  sycl::free(out, q);
  ext::destroy_image_handle(image, q);
  return result;
}

void sampling(sycl::queue &q) {
  using ext::sample_image;
  using sycl::float2;
  const auto four = [](ext::sampled_image_handle image, float *out) {
    out[0] = sample_image<float>(image, float2(1.5f, 1.5f));
    out[1] = sample_image<float>(image, float2(2, 1));
    out[2] = sample_image<float>(image, float2(-0.5f, 0.5f));
    out[3] = sample_image<float>(image, float2(4.5f, 2.5f));
  };
  CHECK(samples<0>(q, {addressing_mode::clamp_to_edge, unnormalized, nearest}, four) ==
        std::vector<float>{5, 6, 0, 11});
  CHECK(samples<0>(q, {addressing_mode::clamp_to_edge, unnormalized, linear}, four) ==
        std::vector<float>{5, 3.5f, 0, 11});
  CHECK(samples<0>(q, {addressing_mode::clamp, unnormalized, nearest}, four) ==
        std::vector<float>{5, 6, 0, 0});
  const auto relative = [](ext::sampled_image_handle image, float *out) {
    out[0] = sample_image<float>(image, float2(0.125f, 0.5f));
    out[1] = sample_image<float>(image, float2(1.125f, 0.5f));
    out[2] = sample_image<float>(image, float2(-0.125f, 0.5f));
    out[3] = sample_image<float>(image, float2(0.125f, -0.1f));
  };
  CHECK(samples<1>(q, {addressing_mode::repeat, normalized, nearest}, relative) ==
        std::vector<float>{4, 4, 7, 8});
  const addressing_mode modes[3] = {addressing_mode::repeat, addressing_mode::clamp_to_edge,
                                    addressing_mode::clamp};
  CHECK(samples<1>(q, {modes, normalized, nearest}, relative) == std::vector<float>{4, 4, 7, 0});
  const auto fetched = [](ext::sampled_image_handle image, float *out) {
    out[0] = ext::fetch_image<float>(image, sycl::int2(3, 2));
    out[1] = ext::fetch_image<float>(image, sycl::int2(4, 2));
    const auto gathered = ext::gather_image<sycl::float4>(image, float2(2, 1), 0);
    out[2] = gathered[0];
    out[3] = gathered[2];
  };
  CHECK(samples<2>(q, {addressing_mode::clamp_to_edge, unnormalized, nearest}, fetched) ==
        std::vector<float>{11, 0, 5, 2});
}

void arrays(sycl::queue &q) {
  const ext::image_descriptor desc(sycl::range<2>(3, 2), 1, format::signed_int32,
                                   ext::image_type::array, 1, 4);
  std::vector<int> in(24), out(24);
  std::iota(in.begin(), in.end(), 0);
  const ext::image_mem from(desc, q), to(desc, q);
  auto read = ext::create_image(from, desc, q), write = ext::create_image(to, desc, q);
  auto sampled =
      ext::create_image(from, {addressing_mode::clamp_to_edge, unnormalized, nearest}, desc, q);
  q.ext_oneapi_copy(in.data(), from.get_handle(), desc).wait();
  q.parallel_for(sycl::range<3>(3, 2, 4), [=](sycl::id<3> i) {
     const sycl::int2 at(i[0], i[1]);
     const auto layer = static_cast<unsigned>(i[2]);
     const int a = ext::fetch_image_array<int>(read, at, layer);
     const int b =
         ext::sample_image_array<int>(sampled, sycl::float2(at[0] + 0.5f, at[1] + 0.5f), 3 - layer);
     ext::write_image_array(write, at, layer, 100 * a + b);
   }).wait();
  q.ext_oneapi_copy(to.get_handle(), out.data(), desc).wait();
  bool right = true;
  for (int i = 0; i < 24; ++i)
    right &= out[i] == 100 * i + i % 6 + 6 * (3 - i / 6);
  CHECK(right);
  // One layer of the array.
  const std::vector<int> row{-1, -2, -3};
  q.ext_oneapi_copy(row.data(), sycl::range<3>(0, 0, 0), sycl::range<3>(3, 1, 1), to.get_handle(),
                    sycl::range<3>(0, 1, 2), desc, sycl::range<3>(3, 1, 1))
      .wait();
  q.ext_oneapi_copy(to.get_handle(), out.data(), desc).wait();
  CHECK(out[15] == -1 && out[17] == -3 && out[18] == 1800 && out[14] > 0);
  ext::destroy_image_handle(read, q);
  ext::destroy_image_handle(write, q);
  ext::destroy_image_handle(sampled, q);
}

void mipmaps(sycl::queue &q) {
  const ext::image_descriptor desc(sycl::range<2>(8, 4), 1, format::fp32, ext::image_type::mipmap,
                                   3);
  const ext::image_mem_handle memory = ext::alloc_image_mem(desc, q);
  for (unsigned level = 0; level < 3; ++level) {
    const ext::image_descriptor of_level = desc.get_mip_level_desc(level);
    CHECK(of_level.width == 8u >> level && of_level.height == 4u >> level);
    const std::vector<float> in(of_level.width * of_level.height, 10.0f * level);
    q.ext_oneapi_copy(in.data(), ext::get_mip_level_mem_handle(memory, level, q), of_level).wait();
  }
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::get_mip_level_mem_handle(memory, 3, q); }));
  CHECK(check::throws(sycl::errc::runtime, [&] { ext::create_image(memory, desc, q); }));
  auto *out = sycl::malloc_shared<float>(6, q);
  for (const sycl::filtering_mode between : {nearest, linear}) {
    auto image = ext::create_image(
        memory, {addressing_mode::mirrored_repeat, normalized, linear, between, 0, 2, 4}, desc, q);
    q.single_task([=] {
       const sycl::float2 at(0.3f, 0.6f);
       out[0] = ext::sample_mipmap<float>(image, at, 0.0f);
       out[1] = ext::sample_mipmap<float>(image, at, 1.25f);
       out[2] = ext::sample_mipmap<float>(image, at, 7.0f);
       // Two elements of the first level in each direction.
       out[3] = ext::sample_mipmap<float>(image, at, sycl::float2(0.25f, 0), sycl::float2(0, 0.5f));
       // Four times as long in one direction, within the limit of the sampler.
       out[4] = ext::sample_mipmap<float>(image, at, sycl::float2(1, 0), sycl::float2(0, 0.5f));
       out[5] = ext::sample_mipmap<float>(image, at, sycl::float2(0, 0), sycl::float2(0, 0));
     }).wait();
    const auto near = [&](int i, float x) { return std::fabs(out[i] - x) < 1e-4f; };
    CHECK(near(0, 0) && near(1, between == linear ? 12.5f : 10) && near(2, 20));
    CHECK(near(3, 10) && near(4, 10) && near(5, 0));
    ext::destroy_image_handle(image, q);
  }
  // A level is an image of its own.
  const ext::image_descriptor last = desc.get_mip_level_desc(2);
  auto level = ext::create_image(ext::get_mip_level_mem_handle(memory, 2, q), last, q);
  q.single_task([=] { out[0] = ext::fetch_image<float>(level, sycl::int2(1, 0)); }).wait();
  CHECK(out[0] == 20);
  ext::destroy_image_handle(level, q);
  sycl::free(out, q);
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { ext::free_image_mem(memory, ext::image_type::standard, q); }));
  ext::free_image_mem(memory, ext::image_type::mipmap, q);
}

void cubemaps(sycl::queue &q) {
  const ext::image_descriptor desc(sycl::range<2>(4, 4), 1, format::fp32, ext::image_type::cubemap,
                                   1, 6);
  std::vector<float> in(96);
  for (int i = 0; i < 96; ++i)
    in[i] = static_cast<float>(i / 16 * 100 + i % 16);
  const ext::image_mem memory(desc, q);
  q.ext_oneapi_copy(in.data(), memory.get_handle(), desc).wait();
  auto faces = ext::create_image(memory, desc, q);
  const auto mode = addressing_mode::clamp_to_edge;
  auto exact = ext::create_image(memory, {mode, normalized, nearest}, desc, q);
  auto seamless = ext::create_image(
      memory, {mode, normalized, linear, ext::cubemap_filtering_mode::seamless}, desc, q);
  auto apart = ext::create_image(
      memory, {mode, normalized, linear, ext::cubemap_filtering_mode::disjointed}, desc, q);
  auto *out = sycl::malloc_shared<float>(12, q);
  q.single_task([=] {
     const float a = 0.1f; // the element right of and below the centre of the face +x
     out[0] = ext::sample_cubemap<float>(exact, sycl::float3(1, -a, -a));
     out[1] = ext::sample_cubemap<float>(exact, sycl::float3(-1, -a, a));
     out[2] = ext::sample_cubemap<float>(exact, sycl::float3(a, 1, a));
     out[3] = ext::sample_cubemap<float>(exact, sycl::float3(a, -1, -a));
     out[4] = ext::sample_cubemap<float>(exact, sycl::float3(a, -a, 1));
     out[5] = ext::sample_cubemap<float>(exact, sycl::float3(-a, -a, -1));
     // On the edge between the faces +x and +z.
     out[6] = ext::sample_cubemap<float>(seamless, sycl::float3(1, -0.25f, 1));
     out[7] = ext::sample_cubemap<float>(apart, sycl::float3(1, -0.25f, 1));
     out[8] = ext::sample_cubemap<float>(seamless, sycl::float3(1, 0, 0));
     ext::write_cubemap(faces, sycl::int2(2, 1), 3, -5.0f);
   }).wait();
  q.single_task([=] { out[9] = ext::fetch_cubemap<float>(faces, sycl::int2(2, 1), 3); }).wait();
  for (int face = 0; face < 6; ++face)
    CHECK(out[face] == face * 100 + 10);
  // Elements 8 of the face +x and 11 of the face +z.
  CHECK(std::fabs(out[6] - (8 + 411) / 2.0f) < 1e-3f && std::fabs(out[7] - 8) < 1e-3f);
  CHECK(out[8] == 7.5f && out[9] == -5);
  sycl::free(out, q);
  for (auto *image : {&exact, &seamless, &apart})
    ext::destroy_image_handle(*image, q);
  ext::destroy_image_handle(faces, q);
}

void in_usm(sycl::queue &q) {
  const ext::image_descriptor desc(sycl::range<2>(5, 3), 1, format::fp32);
  std::vector<float> in(15), out(15);
  std::iota(in.begin(), in.end(), 1.0f);
  std::size_t pitch = 0, other = 0;
  void *memory = ext::pitched_alloc_device(&pitch, desc, q);
  void *second = ext::pitched_alloc_device(&other, 20, 3, 4, q);
  const auto unit = q.get_device().get_info<ext::info::device::image_row_pitch_align>();
  CHECK(pitch >= 20 && pitch % unit == 0 && other == pitch);
  CHECK(q.get_device().get_info<ext::info::device::max_image_linear_width>() >= 5 &&
        q.get_device().get_info<ext::info::device::max_image_linear_height>() >= 3 &&
        q.get_device().get_info<ext::info::device::max_image_linear_row_pitch>() >= pitch &&
        q.get_device().get_info<ext::info::device::mipmap_max_anisotropy>() >= 1);
  q.ext_oneapi_copy(in.data(), memory, desc, pitch).wait();
  auto image = ext::create_image(memory, pitch,
                                 {addressing_mode::clamp_to_edge, unnormalized, nearest}, desc, q);
  auto target = ext::create_image(second, pitch, desc, q.get_device(), q.get_context());
  q.parallel_for(sycl::range<2>(5, 3), [=](sycl::id<2> i) {
     const sycl::float2 at(i[0] + 0.5f, i[1] + 0.5f);
     ext::write_image(target, coordinates(i), 2 * ext::sample_image<float>(image, at));
   }).wait();
  q.ext_oneapi_copy(second, out.data(), desc, pitch).wait();
  bool right = true;
  for (int i = 0; i < 15; ++i)
    right &= out[i] == 2 * in[i];
  CHECK(right);
  // Ranges in braces, between images and memory of the program.
  const ext::image_mem middle(desc, q);
  q.ext_oneapi_copy(in.data(), {0, 0, 0}, {5, 3, 0}, middle.get_handle(), {0, 0, 0}, desc,
                    {5, 3, 1})
      .wait();
  q.ext_oneapi_copy(middle.get_handle(), {1, 1, 0}, desc, second, {0, 0, 0}, desc, pitch, {2, 2, 1})
      .wait();
  const sycl::event back = q.ext_oneapi_copy(second, {0, 0, 0}, desc, pitch, middle.get_handle(),
                                             {3, 1, 0}, desc, {2, 2, 1});
  q.ext_oneapi_copy(middle.get_handle(), {0, 0, 0}, desc, out.data(), {0, 0, 0}, {5, 3, 0},
                    {5, 3, 1}, back)
      .wait();
  CHECK(out[7] == in[7] && out[8] == in[6] && out[9] == in[7] && out[14] == in[12]);
  // A box of two by two from the first memory to the second, and between both whole.
  q.ext_oneapi_copy(memory, sycl::range<3>(3, 1, 0), desc, pitch, second, sycl::range<3>(0, 0, 0),
                    desc, pitch, sycl::range<3>(2, 2, 1))
      .wait();
  q.ext_oneapi_copy(second, sycl::range<3>(0, 0, 0), out.data(), sycl::range<3>(1, 1, 0), desc,
                    pitch, sycl::range<3>(5, 3, 1), sycl::range<3>(2, 2, 1))
      .wait();
  CHECK(out[6] == in[8] && out[7] == in[9] && out[11] == in[13] && out[12] == in[14]);
  q.ext_oneapi_copy(memory, desc, pitch, second, desc, pitch).wait();
  q.ext_oneapi_copy(second, out.data(), desc, pitch).wait();
  CHECK(out == in);
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { ext::create_image(memory, std::size_t(8), desc, q); }));
  ext::destroy_image_handle(image, q);
  ext::destroy_image_handle(target, q);
  sycl::free(memory, q);
  sycl::free(second, q);
}

void boxes(sycl::queue &q) {
  const ext::image_descriptor desc(sycl::range<3>(4, 3, 2), 2, format::signed_int32);
  std::vector<sycl::int2> in(24), out(24, sycl::int2(0, 0));
  for (int i = 0; i < 24; ++i)
    in[i] = sycl::int2(i, -i);
  const ext::image_mem a(desc, q), b(desc, q);
  q.ext_oneapi_copy(in.data(), a.get_handle(), desc).wait();
  q.ext_oneapi_copy(a.get_handle(), b.get_handle(), desc).wait();
  q.ext_oneapi_copy(a.get_handle(), sycl::range<3>(0, 0, 0), desc, b.get_handle(),
                    sycl::range<3>(2, 1, 1), desc, sycl::range<3>(2, 2, 1))
      .wait();
  q.ext_oneapi_copy(b.get_handle(), sycl::range<3>(1, 1, 0), desc, out.data(),
                    sycl::range<3>(0, 0, 0), sycl::range<3>(3, 2, 2), sycl::range<3>(3, 2, 2))
      .wait();
  const int expected[12] = {5, 6, 7, 9, 10, 11, 17, 0, 1, 21, 4, 5};
  bool right = true;
  for (int i = 0; i < 12; ++i)
    right &= out[i][0] == expected[i] && out[i][1] == -expected[i];
  CHECK(right);
  const auto outside = [&] {
    q.ext_oneapi_copy(b.get_handle(), sycl::range<3>(2, 0, 0), desc, out.data(),
                      sycl::range<3>(0, 0, 0), sycl::range<3>(4, 3, 2), sycl::range<3>(3, 1, 1));
  };
  CHECK(check::throws(sycl::errc::invalid, outside));
  const ext::image_descriptor wrong(sycl::range<3>(4, 3, 1), 2, format::signed_int32);
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { q.ext_oneapi_copy(in.data(), a.get_handle(), wrong); }));
}

void queries(sycl::queue &q) {
  const ext::image_descriptor plain(sycl::range<2>(4, 4), 4, format::fp32);
  ext::image_descriptor levels = plain, bad = plain;
  levels.type = ext::image_type::mipmap;
  levels.num_levels = 2;
  using kind = ext::image_memory_handle_type;
  CHECK(ext::get_image_memory_support(plain, q).size() == 2);
  CHECK(ext::is_image_handle_supported<ext::sampled_image_handle>(levels, kind::opaque_handle, q));
  CHECK(!ext::is_image_handle_supported<ext::sampled_image_handle>(levels, kind::usm_pointer, q));
  CHECK(
      !ext::is_image_handle_supported<ext::unsampled_image_handle>(levels, kind::opaque_handle, q));
  bad.num_channels = 5;
  CHECK(check::throws(sycl::errc::invalid, [&] { bad.verify(); }));
  bad = plain;
  bad.array_size = 2;
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::alloc_image_mem(bad, q); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::image_mem().get_handle(); }));
  const ext::image_mem one(plain, q), same = one;
  CHECK(one == same && one != ext::image_mem(plain, q));
  CHECK(check::throws(sycl::errc::feature_not_supported, [&] {
    ext::external_mem_descriptor<ext::resource_fd> fd{
        {0}, ext::external_mem_handle_type::opaque_fd, 64};
    ext::import_external_memory(fd, q);
  }));
  CHECK(check::throws(sycl::errc::feature_not_supported,
                      [&] { q.ext_oneapi_wait_external_semaphore(ext::external_semaphore()); }));
  CHECK(!q.get_device().has(sycl::aspect::ext_oneapi_external_memory_import));
}

} // namespace

int main() {
  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::ext_oneapi_bindless_images)) {
    const ext::image_descriptor desc(sycl::range<1>(4), 1, format::fp32);
    CHECK(check::throws(sycl::errc::feature_not_supported, [&] { ext::image_mem(desc, q); }));
    return check::result();
  }
  formats(q);
  conversions(q);
  sampling(q);
  arrays(q);
  mipmaps(q);
  cubemaps(q);
  in_usm(q);
  boxes(q);
  queries(q);
  return check::result();
}
