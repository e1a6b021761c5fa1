// Sub-groups of groups in two and three dimensions: they consist of neighbours by linear id, and
// all but the last are full.
//
// MODES: device,gxx
// LEVELS: O0,O2
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <vector>

namespace {

struct seen {
  unsigned number, place, size, most, groups, sum, left;
  std::size_t local[3], global[3];
};

template <int D> constexpr int filled(int d) { return d + 3 - D; }

template <int D> struct looks_around {
  seen *out;
  sycl::local_accessor<unsigned> tile;
  void operator()(sycl::nd_item<D> it) const {
    const sycl::sub_group s = it.get_sub_group();
    seen &here = out[it.get_group_linear_id() * it.get_group().get_local_linear_range() +
                     it.get_local_linear_id()];
    here.number = s.get_group_linear_id();
    here.place = s.get_local_linear_id();
    here.size = s.get_local_linear_range();
    here.most = s.get_max_local_range()[0];
    here.groups = s.get_group_linear_range();
    here.sum = sycl::reduce_over_group(s, unsigned(it.get_local_linear_id()), sycl::plus<>());
    tile[it.get_local_linear_id()] = unsigned(it.get_local_linear_id());
    sycl::group_barrier(it.get_group());
    const std::size_t n = it.get_group().get_local_linear_range();
    here.left = tile[(it.get_local_linear_id() + n - 1) % n];
    for (int d = 0; d < D; ++d) {
      here.local[filled<D>(d)] = it.get_local_id(d);
      here.global[filled<D>(d)] = it.get_global_id(d);
    }
  }
};

template <int D> void check_size(sycl::queue &q, sycl::range<D> size) {
  sycl::range<D> groups = size;
  for (int d = 0; d < D; ++d)
    groups[d] = d + 1;
  const std::size_t n = size.size(), all = n * groups.size();
  seen *out = sycl::malloc_shared<seen>(all, q);
  std::fill_n(out, all, seen{});
  q.submit([&](sycl::handler &h) {
     h.parallel_for(sycl::nd_range<D>(size * groups, size),
                    looks_around<D>{out, sycl::local_accessor<unsigned>(n, h)});
   }).wait();
  // Intel's runtime takes work-items from rows.
  const bool by_number = q.get_backend() != sycl::backend::opencl;
  int wrong = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const std::size_t number = i % n;
    const seen &s = out[i];
    wrong += s.left != (number + n - 1) % n;
    std::size_t rest = number, group = i / n;
    for (int d = D - 1; d >= 0; --d) {
      const std::size_t local = rest % size[d], at = group % groups[d];
      rest /= size[d], group /= groups[d];
      wrong += s.local[filled<D>(d)] != local;
      wrong += s.global[filled<D>(d)] != at * size[d] + local;
    }
    if (!by_number)
      continue;
    const std::size_t first = number / s.most * s.most, last = std::min(n, first + s.most);
    wrong += s.number != number / s.most || s.place != number % s.most;
    wrong += s.size != last - first || s.groups != (n + s.most - 1) / s.most;
    wrong += s.sum != (first + last - 1) * (last - first) / 2;
  }
  if (wrong)
    std::printf("%d wrong in %zu %zu %zu\n", wrong, size[0], D > 1 ? size[D > 1] : 1,
                D > 2 ? size[D - 1] : 1);
  CHECK(wrong == 0);
  sycl::free(out, q);
}

} // namespace

int main() {
  sycl::queue q;
  check_size<1>(q, {50});
  for (const auto &[y, x] : {std::pair{10, 1}, {40, 1}, {3, 20}, {1, 7}, {5, 3}, {2, 32}, {13, 5}})
    check_size<2>(q, sycl::range<2>(y, x));
  check_size<3>(q, {2, 3, 5});
  check_size<3>(q, {37, 1, 1});
  check_size<3>(q, {1, 9, 3});
  check_size<3>(q, {2, 2, 16});
  return check::result();
}
