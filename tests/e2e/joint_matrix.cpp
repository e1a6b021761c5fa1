// Joint matrices: products of all element types in all layouts equal those of plain loops, for
// several sizes of matrices and sub-groups. Work-items see each element once, at its coordinates.
// MODES: device
// LEVELS: O0,O2
// BACKENDS: cpu,opencl
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/matrix/matrix.hpp>

#include <cstdint>
#include <vector>

namespace {

using namespace sycl::ext::oneapi::experimental::matrix;
namespace intel = sycl::ext::intel::experimental::matrix;
namespace exp = sycl::ext::oneapi::experimental;
using sycl::half;
using sycl::sub_group;
using sycl::ext::oneapi::bfloat16;

template <class T> auto global(T *p) {
  return sycl::address_space_cast<sycl::access::address_space::global_space,
                                  sycl::access::decorated::no>(p);
}

// Small integers, which all types represent.
template <class T> T small(std::size_t i, std::size_t step, int most) {
  return static_cast<T>(static_cast<float>(static_cast<int>(i * step % 5) - (5 - most)));
}

template <class T> double number(const T &x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(x);
  else
    return static_cast<double>(static_cast<float>(x));
}

// Where an element of a matrix of `rows` x `cols` lies in memory.
std::size_t place(layout l, std::size_t side, std::size_t row, std::size_t col, std::size_t rows,
                  std::size_t cols) {
  if (l == layout::col_major)
    return col * rows + row;
  if (l == layout::row_major)
    return row * cols + col;
  return row / side * cols * side + col * side + row % side;
}
template <class T> constexpr std::size_t side = sizeof(T) < 4 ? 4 / sizeof(T) : 1;

// D = A * B + C of two tiles in each direction, with `Size` work-items in a sub-group.
template <class Ta, class Tb, class Tc, class Td, std::size_t M, std::size_t N, std::size_t K,
          layout La, layout Lb, int Size, class Tm = Ta>
void product(sycl::queue &q, layout lc) {
  using Tn = std::conditional_t<std::is_same_v<Tb, precision::tf32>, float, Tb>;
  constexpr std::size_t m = 2 * M, n = 2 * N, k = 3 * K;
  const bool is_unsigned = std::is_unsigned_v<Tm>;
  std::vector<double> left(m * k), right(k * n);
  auto *a = sycl::malloc_shared<Tm>(m * k, q);
  auto *b = sycl::malloc_shared<Tn>(k * n, q);
  auto *c = sycl::malloc_shared<Tc>(m * n, q);
  auto *d = sycl::malloc_shared<Td>(m * n, q);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < k; ++j) {
      const auto x = small<Tm>(i * k + j, 7, is_unsigned ? 5 : 3);
      left[i * k + j] = number(x);
      a[place(La, side<Tm>, i, j, m, k)] = x;
    }
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const auto x = small<Tn>(i * n + j, 3, std::is_unsigned_v<Tn> ? 5 : 3);
      right[i * n + j] = number(x);
      b[place(Lb, side<Tn>, i, j, k, n)] = x;
    }
  for (std::size_t i = 0; i < m * n; ++i)
    c[i] = static_cast<Tc>(static_cast<float>(i % 3)), d[i] = static_cast<Td>(77.0f);
  q.parallel_for(
       sycl::nd_range<2>({2, 2 * Size}, {1, 2 * Size}),
       [=](sycl::nd_item<2> it) [[sycl::reqd_sub_group_size(Size)]] {
         const auto sg = it.get_sub_group();
         const std::size_t row = it.get_global_id(0) * M, col = it.get_local_id(1) / Size * N;
         joint_matrix<sub_group, Ta, use::a, M, K, La> sub_a;
         joint_matrix<sub_group, Tb, use::b, K, N, Lb> sub_b;
         joint_matrix<sub_group, Tc, use::accumulator, M, N> sub_c;
         joint_matrix<sub_group, Td, use::accumulator, M, N> sub_d;
         const std::size_t at = lc == layout::row_major ? row * n + col : col * m + row;
         const std::size_t length = lc == layout::row_major ? n : m;
         joint_matrix_load(sg, sub_c, global(c) + at, length, lc);
         for (std::size_t i = 0; i < k; i += K) {
           const std::size_t from_a = La == layout::row_major ? row * k + i : i * m + row;
           const std::size_t from_b = Lb == layout::row_major   ? i * n + col
                                      : Lb == layout::col_major ? col * k + i
                                                                : i * n + col * side<Tn>;
           joint_matrix_load(sg, sub_a, global(a) + from_a, La == layout::row_major ? k : m);
           joint_matrix_load(sg, sub_b, global(b) + from_b,
                             Lb == layout::row_major   ? n
                             : Lb == layout::col_major ? k
                                                       : n * side<Tn>);
           joint_matrix_mad(sg, sub_d, sub_a, sub_b, sub_c);
           joint_matrix_copy(sg, sub_d, sub_c);
         }
         joint_matrix_store(sg, sub_d, global(d) + at, length, lc);
       })
      .wait();
  int wrong = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = lc == layout::row_major ? i * n + j : j * m + i;
      double sum = number(c[at]);
      for (std::size_t l = 0; l < k; ++l)
        sum += left[i * k + l] * right[l * n + j];
      wrong += number(d[at]) != sum;
    }
  CHECK(wrong == 0);
  for (void *p : {static_cast<void *>(a), static_cast<void *>(b), static_cast<void *>(c),
                  static_cast<void *>(d)})
    sycl::free(p, q);
}

constexpr auto row = layout::row_major, col = layout::col_major, packed = layout::ext_intel_packed;

template <int Size> void products(sycl::queue &q) {
  product<bfloat16, bfloat16, float, float, 16, 16, 16, row, row, Size>(q, row);
  product<bfloat16, bfloat16, bfloat16, float, 8, 16, 16, row, packed, Size>(q, col);
  product<std::int8_t, std::uint8_t, int, int, 5, 12, 32, row, packed, Size>(q, row);
  product<precision::tf32, precision::tf32, float, float, 3, 7, 5, col, row, Size, float>(q, col);
}

// Each element belongs to one work-item, with its coordinates.
template <std::size_t M, std::size_t N, int Size> void elements(sycl::queue &q) {
  auto *seen = sycl::malloc_shared<int>(M * N, q);
  auto *out = sycl::malloc_shared<float>(M * N, q);
  auto *sums = sycl::malloc_shared<float>(3, q);
  for (std::size_t i = 0; i < M * N; ++i)
    seen[i] = 0, out[i] = static_cast<float>(i);
  q.parallel_for(sycl::nd_range<1>(Size, Size),
                 [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(Size)]] {
                   const auto sg = it.get_sub_group();
                   joint_matrix<sub_group, float, use::accumulator, M, N> x, y;
                   joint_matrix_load(sg, x, global(out), N, row);
                   joint_matrix_fill(sg, y, 2);
                   float sum = 0, twice = 0;
                   joint_matrix_apply(sg, x, [&](float &e) { sum += e; });
                   joint_matrix_apply(sg, x, y, [&](const float &e, float &f) {
                     twice += f * e;
                     f = -e;
                   });
                   float other = 0;
                   intel::joint_matrix_apply(sg, y, [&](float &e, std::size_t r, std::size_t c) {
                     seen[r * N + c] += e == -static_cast<float>(r * N + c);
                     other += e;
                     e = static_cast<float>(r * 100 + c);
                   });
                   joint_matrix_store(sg, y, global(out), N, row);
                   sum = sycl::reduce_over_group(sg, sum, sycl::plus<>());
                   twice = sycl::reduce_over_group(sg, twice, sycl::plus<>());
                   other = sycl::reduce_over_group(sg, other, sycl::plus<>());
                   if (it.get_local_id(0) == 0)
                     sums[0] = sum, sums[1] = twice, sums[2] = other;
                 })
      .wait();
  const float all = static_cast<float>(M * N * (M * N - 1) / 2);
  CHECK(sums[0] == all && sums[1] == 2 * all && sums[2] == -all);
  int wrong = 0;
  for (std::size_t i = 0; i < M * N; ++i)
    wrong += seen[i] != 1 || out[i] != static_cast<float>(i / N * 100 + i % N);
  CHECK(wrong == 0);
  for (void *p : {static_cast<void *>(seen), static_cast<void *>(out), static_cast<void *>(sums)})
    sycl::free(p, q);
}

// Loads, stores and fills at the border of a larger matrix, and a store of B.
void borders(sycl::queue &q) {
  constexpr std::size_t height = 11, width = 13, stride = 20;
  auto *from = sycl::malloc_shared<half>(height * stride, q);
  auto *to = sycl::malloc_shared<half>(2 * height * stride, q);
  for (std::size_t i = 0; i < height * stride; ++i) {
    from[i] = static_cast<half>(static_cast<float>(i));
    to[i] = to[height * stride + i] = -1;
  }
  q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(
                                              8)]] {
     const auto sg = it.get_sub_group();
     joint_matrix<sub_group, half, use::b, 8, 8, row> m;
     intel::joint_matrix_load_checked(sg, m, global(from), stride, height, width, 8, 8);
     intel::joint_matrix_store(sg, m, global(to), 8);
     intel::joint_matrix_fill_checked(sg, m, 5.0f, height, width, 8, 8);
     joint_matrix_apply(sg, m, [](half &x) { x = x + half(1); });
     intel::joint_matrix_store_checked(sg, m, global(to + height * stride), stride, height, width,
                                       8, 8);
   }).wait();
  int wrong = 0;
  for (std::size_t r = 0; r < 8; ++r)
    for (std::size_t c = 0; c < 8; ++c) {
      const bool inside = 8 + r < height && 8 + c < width;
      const float x = inside ? static_cast<float>(from[(8 + r) * stride + 8 + c]) : 0;
      wrong += static_cast<float>(to[r * 8 + c]) != x;
    }
  for (std::size_t i = 0; i < height * stride; ++i) {
    const bool inside = i / stride >= 8 && i % stride >= 8 && i % stride < width;
    wrong += static_cast<float>(to[height * stride + i]) != (inside ? 6.0f : -1.0f);
  }
  CHECK(wrong == 0);
  sycl::free(from, q);
  sycl::free(to, q);
}

// Arrays of matrices, several sub-groups that share tiles in local memory, and pointers with
// properties.
void arrays(sycl::queue &q) {
  constexpr std::size_t tiles = 2, m = 32, k = 64;
  auto *a = sycl::malloc_shared<half>(m * k, q);
  auto *b = sycl::malloc_shared<half>(k * m, q);
  auto *c = sycl::malloc_shared<float>(m * m, q);
  for (std::size_t i = 0; i < m * k; ++i)
    a[i] = small<half>(i, 7, 3), b[i] = small<half>(i, 3, 3);
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<half, 1> tile(16 * m, h);
     h.parallel_for(
         sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(16)]] {
           const auto sg = it.get_sub_group();
           const std::size_t band = sg.get_group_linear_id() * 16;
           joint_matrix<sub_group, float, use::accumulator, 16, 16> sums[tiles];
           for (auto &sum : sums)
             joint_matrix_fill(sg, sum, 0);
           for (std::size_t i = 0; i < k; i += 16) {
             sycl::group_barrier(it.get_group());
             for (std::size_t j = it.get_local_linear_id(); j < 16 * m; j += 32)
               tile[j] = b[i * m + j];
             sycl::group_barrier(it.get_group());
             joint_matrix<sub_group, half, use::a, 16, 16, row> sub_a;
             exp::annotated_ptr from(a + band * k + i, exp::properties{exp::alignment<2>});
             joint_matrix_prefetch<16, 16>(sg, a + band * k, k, row);
             joint_matrix_load(sg, sub_a, from, k);
             for (std::size_t t = 0; t < tiles; ++t) {
               joint_matrix<sub_group, half, use::b, 16, 16, row> sub_b;
               joint_matrix_load(
                   sg, sub_b, tile.template get_multi_ptr<sycl::access::decorated::no>() + t * 16,
                   m);
               joint_matrix_mad(sg, sums[t], sub_a, sub_b, sums[t]);
             }
           }
           for (std::size_t t = 0; t < tiles; ++t)
             joint_matrix_store(sg, sums[t], global(c) + band * m + t * 16, m, row);
         });
   }).wait();
  int wrong = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      float sum = 0;
      for (std::size_t l = 0; l < k; ++l)
        sum += static_cast<float>(a[i * k + l]) * static_cast<float>(b[l * m + j]);
      wrong += c[i * m + j] != sum;
    }
  CHECK(wrong == 0);
  sycl::free(a, q);
  sycl::free(b, q);
  sycl::free(c, q);
}

void queries(const sycl::device &d) {
  const auto all = d.get_info<exp::info::device::matrix_combinations>();
  int found = 0;
  for (const combination &one : all)
    found += one.atype == matrix_type::bf16 && one.ctype == matrix_type::fp32 &&
             (one.max_msize > 0) == (one.msize == 0);
  CHECK(found > 0);
  CHECK(d.has(sycl::aspect::ext_intel_matrix));
  CHECK(d.get_info<sycl::ext::intel::experimental::info::device::matrix::numtiles>() == 0);
  using pvc = matrix_params<exp::architecture::intel_gpu_pvc, bfloat16, bfloat16, float>;
  static_assert(pvc::M == 8 && pvc::N == 16 && pvc::K == 16);
  using hopper =
      matrix_params<exp::architecture::nvidia_gpu_sm_90, half, half, float, half, 8, 32, 16>;
  static_assert(hopper::M == 8 && hopper::N == 32 && hopper::K == 16);
  using cpu = matrix_params<exp::architecture::x86_64, std::int8_t, std::int8_t, std::int32_t>;
  static_assert(
      std::is_same_v<cpu::joint_matrix_a<sub_group, row>,
                     joint_matrix<sub_group, std::int8_t, use::a, cpu::M, cpu::K, row>> &&
      std::is_same_v<cpu::joint_matrix_c<sub_group>,
                     joint_matrix<sub_group, std::int32_t, use::accumulator, cpu::M, cpu::N>>);
  CHECK(round_to_tf32(1.0f + 0x1p-11f) == 1.0f);
  CHECK(round_to_tf32(1.0f + 3 * 0x1p-11f) == 1.0f + 0x1p-9f);
  CHECK(round_to_tf32(-0x1.ffcp0f) == -0x1.ffcp0f);
}

} // namespace

int main() {
  sycl::queue q;
  queries(q.get_device());
  bool has[65] = {};
  for (const std::size_t size : q.get_device().get_info<sycl::info::device::sub_group_sizes>())
    has[size] = true;
  if (has[4])
    products<4>(q), elements<3, 5, 4>(q);
  if (has[8])
    products<8>(q), elements<16, 16, 8>(q), borders(q);
  if (has[16])
    products<16>(q), elements<7, 20, 16>(q), arrays(q);
  if (has[32])
    products<32>(q), elements<8, 32, 32>(q);
  if (has[64])
    products<64>(q);
  if (has[16]) {
    product<half, half, float, half, 16, 16, 16, col, col, 16>(q, row);
    product<half, half, half, float, 32, 8, 16, col, row, 16>(q, col);
    product<float, float, float, float, 1, 64, 16, row, col, 16>(q, row);
    product<double, double, double, double, 8, 8, 4, col, col, 16>(q, row);
    product<std::uint8_t, std::uint8_t, int, int, 16, 16, 64, row, col, 16>(q, row);
    product<bfloat16, bfloat16, float, bfloat16, 32, 64, 16, row, packed, 16>(q, row);
  }
  return check::result();
}
