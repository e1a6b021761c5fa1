// Joint matrices of the sizes that NVIDIA GPUs have, and the exceptions for other uses there.
// MODES: device
// AHEAD: no
// LEVELS: O2
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/matrix/matrix.hpp>

#include <cstdint>
#include <string>

namespace {

using namespace sycl::ext::oneapi::experimental::matrix;
namespace exp = sycl::ext::oneapi::experimental;
using sycl::half;
using sycl::sub_group;
using sycl::ext::oneapi::bfloat16;

template <class T> auto global(T *p) {
  return sycl::address_space_cast<sycl::access::address_space::global_space,
                                  sycl::access::decorated::no>(p);
}
template <class T> using stored = std::conditional_t<std::is_same_v<T, precision::tf32>, float, T>;

constexpr std::size_t warp = 32;

// D = 2 * (A * B + C) + 1 of one tile.
template <class T, class Tc, std::size_t M, std::size_t N, std::size_t K,
          layout La = layout::row_major, layout Lb = layout::row_major>
void product(sycl::queue &q) {
  using Tm = stored<T>;
  auto *a = sycl::malloc_shared<Tm>(M * K, q);
  auto *b = sycl::malloc_shared<Tm>(K * N, q);
  auto *c = sycl::malloc_shared<Tc>(M * N, q);
  for (std::size_t i = 0; i < M * K; ++i)
    a[i] = static_cast<Tm>(static_cast<float>(i * 7 % 5));
  for (std::size_t i = 0; i < K * N; ++i)
    b[i] = static_cast<Tm>(static_cast<float>(i * 3 % 5));
  for (std::size_t i = 0; i < M * N; ++i)
    c[i] = static_cast<Tc>(static_cast<float>(i % 3));
  q.parallel_for(sycl::nd_range<1>(warp, warp),
                 [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(warp)]] {
                   const auto sg = it.get_sub_group();
                   joint_matrix<sub_group, T, use::a, M, K, La> sub_a;
                   joint_matrix<sub_group, T, use::b, K, N, Lb> sub_b;
                   joint_matrix<sub_group, Tc, use::accumulator, M, N> sub_c, twice;
                   joint_matrix_fill(sg, twice, 2);
                   joint_matrix_load(sg, sub_a, global(a), La == layout::row_major ? K : M);
                   joint_matrix_load(sg, sub_b, global(b), Lb == layout::row_major ? N : K);
                   joint_matrix_load(sg, sub_c, global(c), N, layout::row_major);
                   joint_matrix_mad(sg, sub_c, sub_a, sub_b, sub_c);
                   joint_matrix_apply(sg, twice, sub_c, [](const Tc &two, Tc &x) { x = two * x; });
                   joint_matrix_apply(sg, sub_c, [](Tc &x) { x = x + Tc(1); });
                   joint_matrix_copy(sg, sub_c, twice);
                   joint_matrix_store(sg, twice, global(c), M, layout::col_major);
                 })
      .wait();
  int wrong = 0;
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < N; ++j) {
      float sum = static_cast<float>((i * N + j) % 3);
      for (std::size_t k = 0; k < K; ++k)
        sum += static_cast<float>(a[La == layout::row_major ? i * K + k : k * M + i]) *
               static_cast<float>(b[Lb == layout::row_major ? k * N + j : j * K + k]);
      wrong += static_cast<float>(c[j * M + i]) != 2 * sum + 1;
    }
  CHECK(wrong == 0);
  sycl::free(a, q);
  sycl::free(b, q);
  sycl::free(c, q);
}

template <class T> void all_sizes(sycl::queue &q) {
  using Tc = std::conditional_t<std::is_integral_v<T>, std::int32_t, float>;
  constexpr auto row = layout::row_major, col = layout::col_major;
  product<T, Tc, 16, 16, 16, row, col>(q);
  product<T, Tc, 8, 32, 16, col, row>(q);
  product<T, Tc, 32, 8, 16, col, col>(q);
}

// Submits a kernel that uses what no NVIDIA GPU has.
void unusual(sycl::queue &q) {
  auto *out = sycl::malloc_shared<float>(7 * 9, q);
  q.parallel_for(sycl::nd_range<1>(warp, warp),
                 [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(warp)]] {
                   joint_matrix<sub_group, float, use::accumulator, 7, 9> c;
                   joint_matrix_fill(it.get_sub_group(), c, 3);
                   joint_matrix_store(it.get_sub_group(), c, global(out), 9, layout::row_major);
                 })
      .wait();
  CHECK(out[62] == 3);
  sycl::free(out, q);
}

// A work-group of the size that the query returns is one sub-group, so that programs can compute
// one matrix in each work-group.
class one_sub_group;
void sizes(sycl::queue &q) {
  const auto id = sycl::get_kernel_id<one_sub_group>();
  const auto bundle =
      sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context(), {id});
  const std::size_t size =
      bundle.get_kernel(id).get_info<sycl::info::kernel_device_specific::max_sub_group_size>(
          q.get_device());
  auto *groups = sycl::malloc_shared<std::uint32_t>(1, q);
  q.parallel_for<one_sub_group>(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
     groups[0] = it.get_sub_group().get_group_linear_range();
   }).wait();
  CHECK(groups[0] == 1);
  sycl::free(groups, q);
}

} // namespace

int main() {
  sycl::queue q;
  sizes(q);
  const auto device = q.get_device();
  bool has = false;
  for (const std::size_t size : device.get_info<sycl::info::device::sub_group_sizes>())
    has |= size == warp;
  const bool nvidia = device.get_backend() == sycl::backend::ext_oneapi_cuda;
  const auto all = device.get_info<exp::info::device::matrix_combinations>();
  const auto multiplies = [&](matrix_type type) {
    for (const combination &one : all)
      if (one.atype == type)
        return true;
    return false;
  };
  if (!has || !multiplies(matrix_type::fp16))
    return check::result();
  all_sizes<half>(q);
  product<half, half, 16, 16, 16>(q);
  if (multiplies(matrix_type::sint8))
    all_sizes<std::int8_t>(q), all_sizes<std::uint8_t>(q);
  if (multiplies(matrix_type::bf16)) {
    all_sizes<bfloat16>(q);
    product<precision::tf32, float, 16, 16, 8>(q);
    product<double, double, 8, 8, 4>(q);
  }
  if (nvidia)
    CHECK(check::throws(sycl::errc::kernel_not_supported, [&] { unusual(q); }));
  else
    unusual(q);
  return check::result();
}
