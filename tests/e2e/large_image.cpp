// Kernels of a large image, which are compiled when they are first used: those that share variables
// use the same copy of them, whether or not the variable belongs to the image.
// FLAGS: -std=c++20
// LEVELS: O2
#include <sycl/sycl.hpp>

#include "check.hpp"

using namespace sycl::ext::oneapi::experimental;

device_global<int> sum{100};
device_global<int, decltype(properties(device_image_scope))> scoped{1000};

constexpr int count = 24;

template <int N> class Alone;
template <int N> class Adds;
template <int N> class AddsScoped;

template <int N> int alone(sycl::queue &q, int *p) {
  q.parallel_for<Alone<N>>(sycl::range<1>(32), [=](sycl::id<1> i) {
     p[i] = static_cast<int>(i[0]) + N;
   }).wait();
  return p[31];
}

template <int N> void adds(sycl::queue &q) {
  q.single_task<Adds<N>>([] { sum = sum + N; }).wait();
}

template <int N> void adds_scoped(sycl::queue &q) {
  q.single_task<AddsScoped<N>>([] { scoped = scoped + N; }).wait();
}

template <class T> int value(sycl::queue &q, const T &global) {
  int out = 0;
  q.copy(global, &out).wait();
  return out;
}

template <int... N> void test(sycl::queue &q, int *p, std::integer_sequence<int, N...>) {
  CHECK(alone<3>(q, p) == 34);
  (adds<N>(q), ...);
  CHECK(value(q, sum) == 100 + count * (count - 1) / 2);
  // The copy may need a program that has not been built yet.
  adds_scoped<5>(q);
  CHECK(value(q, scoped) == 1005);
  (adds_scoped<N>(q), ...);
  CHECK(value(q, scoped) == 1005 + count * (count - 1) / 2);
  CHECK(((alone<N>(q, p) == 31 + N) && ...));
  adds_scoped<7>(q);
  adds<8>(q);
  CHECK(value(q, scoped) == 1012 + count * (count - 1) / 2);
  CHECK(value(q, sum) == 108 + count * (count - 1) / 2);
}

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(32, q);
  test(q, p, std::make_integer_sequence<int, count>());
  sycl::free(p, q);
}
