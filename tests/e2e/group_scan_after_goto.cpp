// Exclusive scans in a kernel whose control flow no compiler can vectorize: its sub-groups may have
// one work-item.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <limits>

namespace {

template <class T, class Op> void scan(sycl::queue &q, T identity, Op op) {
  constexpr std::size_t n = 48;
  T *const group = sycl::malloc_shared<T>(n, q), *const sub_group = sycl::malloc_shared<T>(n, q);
  unsigned *const first = sycl::malloc_shared<unsigned>(n, q);
  unsigned *const other = sycl::malloc_shared<unsigned>(n, q);
  unsigned *const sums = sycl::malloc_shared<unsigned>(n, q);
  for (unsigned i = 0; i < n; ++i)
    other[i] = i * 2654435761u;
  const auto value = [](std::size_t i) { return static_cast<T>(i % 5 + 2); };
  q.parallel_for(sycl::nd_range<1>(n, n), [=](sycl::nd_item<1> it) {
     const std::size_t l = it.get_local_linear_id();
     const sycl::sub_group sub = it.get_sub_group();
     const T x = value(l);
     group[l] = sycl::exclusive_scan_over_group(it.get_group(), x, op);
     sub_group[l] = sycl::exclusive_scan_over_group(sub, x, op);
     first[l] = static_cast<unsigned>(l - sub.get_local_linear_id());
     unsigned sum = other[l], round = 0;
     const unsigned rounds = (sum >> 7) % 4;
     if (sum & 1)
       goto middle;
   start:
     sum = sum * 3 + other[(sum + l) % n];
   middle:
     if (++round < rounds)
       goto start;
     sums[l] = sum;
   }).wait();
  for (std::size_t i = 0; i < n; ++i) {
    T before = identity, inside = identity;
    for (std::size_t j = 0; j < i; ++j) {
      before = op(before, value(j));
      if (j >= first[i])
        inside = op(inside, value(j));
    }
    CHECK(group[i] == before);
    CHECK(sub_group[i] == inside);
  }
  for (void *memory :
       {static_cast<void *>(group), static_cast<void *>(sub_group), static_cast<void *>(first),
        static_cast<void *>(other), static_cast<void *>(sums)})
    sycl::free(memory, q);
}

} // namespace

int main() {
  sycl::queue q;
  scan<unsigned>(q, 0, sycl::plus<unsigned>());
  scan<long>(q, std::numeric_limits<long>::max(), sycl::minimum<long>());
  scan<short>(q, std::numeric_limits<short>::min(), sycl::maximum<short>());
  scan<unsigned char>(q, 255, sycl::bit_and<unsigned char>());
  scan<float>(q, 0, sycl::plus<float>());
  scan<float>(q, std::numeric_limits<float>::infinity(), sycl::minimum<float>());
  return check::result();
}
