// Products of two matrices on the CPU device: with joint matrices, and the same product without
// them, in which each work-item computes one result. Prints `NAME SECONDS` for the fastest
// repetition of each, and ends with an error if the results differ.
#include <sycl/sycl.hpp>

#include <sycl/ext/oneapi/matrix/matrix.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace sycl::ext::oneapi::experimental::matrix;
using sycl::sub_group;

constexpr std::size_t n = 512, tile = 16, lanes = 16;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class F> double fastest(F f) {
  f();
  double best = 1e300;
  for (int i = 0; i < 5; ++i) {
    const double start = now();
    f();
    const double seconds = now() - start;
    best = seconds < best ? seconds : best;
  }
  return best;
}

template <class T> auto global(T *p) {
  return sycl::address_space_cast<sycl::access::address_space::global_space,
                                  sycl::access::decorated::no>(p);
}

template <class T> void product(sycl::queue &q, const char *name) {
  auto *a = sycl::malloc_shared<T>(n * n, q), *b = sycl::malloc_shared<T>(n * n, q);
  auto *plain = sycl::malloc_shared<float>(n * n, q), *joint = sycl::malloc_shared<float>(n * n, q);
  for (std::size_t i = 0; i < n * n; ++i) {
    // Sums of these numbers are exact.
    a[i] = static_cast<T>(static_cast<float>(i * 7 % 13) - 6);
    b[i] = static_cast<T>(static_cast<float>(i * 5 % 11) - 5);
  }
  const double without = fastest([&] {
    q.parallel_for(sycl::nd_range<2>({n, n}, {1, 128}), [=](sycl::nd_item<2> it) {
       const std::size_t row = it.get_global_id(0), col = it.get_global_id(1);
       float sum = 0;
       for (std::size_t k = 0; k < n; ++k)
         sum += static_cast<float>(a[row * n + k]) * static_cast<float>(b[k * n + col]);
       plain[row * n + col] = sum;
     }).wait();
  });
  const double with = fastest([&] {
    q.parallel_for(sycl::nd_range<2>({n / tile, n / tile * lanes}, {1, lanes}),
                   [=](sycl::nd_item<2> it) [[sycl::reqd_sub_group_size(lanes)]] {
                     const auto sg = it.get_sub_group();
                     const std::size_t row = it.get_group(0) * tile, col = it.get_group(1) * tile;
                     joint_matrix<sub_group, T, use::a, tile, tile, layout::row_major> left;
                     joint_matrix<sub_group, T, use::b, tile, tile, layout::row_major> right;
                     joint_matrix<sub_group, float, use::accumulator, tile, tile> sum;
                     joint_matrix_fill(sg, sum, 0);
                     for (std::size_t k = 0; k < n; k += tile) {
                       joint_matrix_load(sg, left, global(a) + row * n + k, n);
                       joint_matrix_load(sg, right, global(b) + k * n + col, n);
                       joint_matrix_mad(sg, sum, left, right, sum);
                     }
                     joint_matrix_store(sg, sum, global(joint) + row * n + col, n,
                                        layout::row_major);
                   })
        .wait();
  });
  for (std::size_t i = 0; i < n * n; ++i)
    if (plain[i] != joint[i]) {
      std::printf("%s: element %zu is %g, expected %g\n", name, i, static_cast<double>(joint[i]),
                  static_cast<double>(plain[i]));
      std::exit(1);
    }
  std::printf("%s-plain %.9f\n%s-joint %.9f\n", name, without, name, with);
}

} // namespace

int main() {
  sycl::queue q{sycl::cpu_selector_v};
  product<sycl::half>(q, "half");
  product<sycl::ext::oneapi::bfloat16>(q, "bfloat16");
  product<float>(q, "float");
}
