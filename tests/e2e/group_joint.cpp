// Group algorithms over ranges in memory: reductions, scans and votes, of groups larger and smaller
// than the range.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <algorithm>
#include <vector>

namespace {

// The forms over memory, with more, fewer and no elements per work-item.
template <class T> void joint(sycl::queue &q, std::size_t size, std::size_t count) {
  std::vector<T> in(count);
  for (std::size_t i = 0; i < count; ++i)
    in[i] = static_cast<T>(i % 7 + 1);
  T *const device_in = sycl::malloc_shared<T>(count + 1, q), *const device_out =
                                                                 sycl::malloc_shared<T>(
                                                                     4 * count + 1, q);
  T *const device_sums = sycl::malloc_shared<T>(4, q);
  int *const device_answers = sycl::malloc_shared<int>(6, q);
  std::copy(in.begin(), in.end(), device_in);
  q.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     const T *first = device_in, *last = device_in + count;
     const T sum = sycl::joint_reduce(g, first, last, sycl::plus<T>());
     const T with_init = sycl::joint_reduce(g, first, last, T(5), sycl::plus<T>());
     const T greatest = sycl::joint_reduce(g, first, last, sycl::maximum<T>());
     T *end = sycl::joint_inclusive_scan(g, first, last, device_out, sycl::plus<T>());
     sycl::joint_exclusive_scan(g, first, last, device_out + count, sycl::plus<T>());
     sycl::joint_inclusive_scan(g, first, last, device_out + 2 * count, sycl::plus<T>(), T(3));
     sycl::joint_exclusive_scan(g, first, last, device_out + 3 * count, T(4), sycl::plus<T>());
     const bool any = sycl::joint_any_of(g, first, last, [](T x) { return x == T(7); });
     const bool all = sycl::joint_all_of(g, first, last, [](T x) { return x > T(0); });
     const bool none = sycl::joint_none_of(g, first, last, [](T x) { return x > T(7); });
     if (it.get_local_linear_id() == size - 1) {
       device_sums[0] = sum;
       device_sums[1] = with_init;
       device_sums[2] = greatest;
       device_answers[0] = any;
       device_answers[1] = all;
       device_answers[2] = none;
       device_answers[3] = end == device_out + count;
     }
   }).wait();
  T sum = 0, greatest = sycl::known_identity_v<sycl::maximum<T>, T>;
  int wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    wrong += device_out[count + i] != sum || device_out[3 * count + i] != static_cast<T>(sum + 4);
    sum = static_cast<T>(sum + in[i]);
    greatest = in[i] > greatest ? in[i] : greatest;
    wrong += device_out[i] != sum || device_out[2 * count + i] != static_cast<T>(sum + 3);
  }
  CHECK(wrong == 0);
  CHECK(device_sums[0] == sum && device_sums[1] == static_cast<T>(sum + 5) &&
        device_sums[2] == greatest);
  CHECK(device_answers[0] == (count >= 7) && device_answers[1] == 1 && device_answers[2] == 1 &&
        device_answers[3] == 1);
  for (void *p : {static_cast<void *>(device_in), static_cast<void *>(device_out),
                  static_cast<void *>(device_sums), static_cast<void *>(device_answers)})
    sycl::free(p, q);
}

// Scans are computed in the type that they write, whatever they read.
void scans_into_other_types(sycl::queue &q) {
  constexpr std::size_t count = 40, size = 16;
  auto *const bytes = sycl::malloc_shared<unsigned char>(count, q);
  auto *const floats = sycl::malloc_shared<float>(count, q);
  auto *const sums = sycl::malloc_shared<int>(2 * count, q);
  auto *const bits = sycl::malloc_shared<unsigned>(2 * count, q);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = 100;
    floats[i] = static_cast<float>(1u << i % 10) + 0.5f;
  }
  q.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     sycl::joint_inclusive_scan(g, bytes, bytes + count, sums, sycl::plus<>());
     sycl::joint_exclusive_scan(g, bytes, bytes + count, sums + count, sycl::plus<int>());
     sycl::joint_inclusive_scan(g, floats, floats + count, bits, sycl::bit_or<unsigned>());
     sycl::joint_exclusive_scan(g, floats, floats + count, bits + count, sycl::bit_or<unsigned>());
   }).wait();
  int wrong = 0;
  unsigned before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const int sum = 100 * static_cast<int>(i);
    wrong += sums[i] != sum + 100 || sums[count + i] != sum || bits[count + i] != before;
    before |= 1u << i % 10;
    wrong += bits[i] != before;
  }
  CHECK(wrong == 0);
  for (void *p : {static_cast<void *>(bytes), static_cast<void *>(floats),
                  static_cast<void *>(sums), static_cast<void *>(bits)})
    sycl::free(p, q);
}

} // namespace

int main() {
  sycl::queue q;
  for (std::size_t size : {1, 5, 32, 100})
    for (std::size_t count : {0, 1, 31, 257})
      joint<int>(q, size, count);
  joint<float>(q, 48, 1000);
  joint<unsigned char>(q, 48, 30);
  scans_into_other_types(q);
  return check::result();
}
