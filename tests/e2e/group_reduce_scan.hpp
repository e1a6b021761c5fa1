// Reductions and scans over work-groups and sub-groups against what a loop gives, for the programs
// that do it with different types.
#ifndef SCYTHE_TESTS_GROUP_REDUCE_SCAN_HPP
#define SCYTHE_TESTS_GROUP_REDUCE_SCAN_HPP

#include "check.hpp"

#include <cstdint>
#include <vector>

namespace reduce_scan {

template <class T> struct outcome {
  T value, group[5], sub_group[5];
  std::uint32_t sub_group_id, lane, sub_group_size;
};

// Small numbers, so that every order of adding floats is exact and products stay small.
template <class T, class Op> T input(std::size_t i) {
  if constexpr (sycl::detail::operation_of<Op> == sycl::detail::operation::mul)
    return static_cast<T>(i % 1000 == 3 ? 2 : 1);
  else if constexpr (std::is_same_v<T, bool>)
    return i % 5 != 2;
  else
    return static_cast<T>((i * 7 + 3) % 13 + (i % 11 == 4 ? 50 : 0));
}

template <class T, class G, class Op> void all_forms(const G &g, T x, T init, T *out) {
  const Op op;
  out[0] = sycl::reduce_over_group(g, x, op);
  out[1] = sycl::reduce_over_group(g, x, init, op);
  out[2] = sycl::inclusive_scan_over_group(g, x, op);
  out[3] = sycl::exclusive_scan_over_group(g, x, op);
  out[4] = sycl::exclusive_scan_over_group(g, x, init, op);
}

// What `all_forms` must give to member `at` of `members`.
template <class T, class Op>
bool expected(const std::vector<T> &members, std::size_t at, T init, const T *got) {
  const Op op;
  T all = sycl::known_identity_v<Op, T>, before = all, upto = all;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == at)
      before = all;
    all = i == 0 ? members[i] : static_cast<T>(op(all, members[i]));
    if (i == at)
      upto = all;
  }
  // Logical operations of numbers answer 0 or 1, for one member too.
  if (sycl::detail::operation_of<Op> == sycl::detail::operation::logical_and ||
      sycl::detail::operation_of<Op> == sycl::detail::operation::logical_or) {
    all = static_cast<T>(static_cast<bool>(all));
    upto = static_cast<T>(static_cast<bool>(upto));
    before = static_cast<T>(static_cast<bool>(before));
  }
  return got[0] == all && got[1] == static_cast<T>(op(init, all)) && got[2] == upto &&
         got[3] == before && got[4] == static_cast<T>(op(init, before));
}

template <class T, class Op, int D>
void over_groups(sycl::queue &q, sycl::range<D> local, std::size_t groups) {
  sycl::range<D> global = local;
  global[0] *= groups;
  const std::size_t size = local.size();
  const T init = input<T, Op>(3);
  std::vector<outcome<T>> got(global.size());
  {
    sycl::buffer<outcome<T>> b(got);
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(b, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<D>(global, local), [=](sycl::nd_item<D> it) {
        const std::size_t i = it.get_group_linear_id() * it.get_group().get_local_linear_range() +
                              it.get_local_linear_id();
        const T x = input<T, Op>(i);
        outcome<T> &o = out[i];
        o.value = x;
        all_forms<T, sycl::group<D>, Op>(it.get_group(), x, init, o.group);
        const sycl::sub_group sg = it.get_sub_group();
        all_forms<T, sycl::sub_group, Op>(sg, x, init, o.sub_group);
        o.sub_group_id = sg.get_group_linear_id();
        o.lane = sg.get_local_linear_id();
        o.sub_group_size = sg.get_local_linear_range();
      });
    });
  }
  int wrong_group = 0, wrong_sub_group = 0, wrong_size = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<T> members;
    for (std::size_t i = 0; i < size; ++i)
      members.push_back(got[g * size + i].value);
    // Checking all members of a large group takes the square of its size.
    for (std::size_t i = 0; i < size; i += size > 600 ? 97 : 1)
      wrong_group += !expected<T, Op>(members, i, init, got[g * size + i].group);
    for (std::size_t i = 0; i < size;) {
      const outcome<T> &first = got[g * size + i];
      std::vector<T> lanes;
      std::size_t end = i;
      for (; end < size && got[g * size + end].sub_group_id == first.sub_group_id; ++end) {
        wrong_size += got[g * size + end].lane != end - i;
        lanes.push_back(got[g * size + end].value);
      }
      wrong_size += lanes.size() != first.sub_group_size;
      for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        wrong_sub_group += !expected<T, Op>(lanes, lane, init, got[g * size + i + lane].sub_group);
      i = end;
    }
  }
  CHECK(wrong_group == 0);
  CHECK(wrong_sub_group == 0);
  CHECK(wrong_size == 0);
  if (wrong_group || wrong_sub_group || wrong_size)
    std::printf("  operation %d, %zu bytes, group of %zu in %d dimensions\n",
                static_cast<int>(sycl::detail::operation_of<Op>), sizeof(T), size, D);
}

template <class T, class Op> void sizes(sycl::queue &q) {
  for (std::size_t size : {1, 2, 7, 16, 33, 100})
    over_groups<T, Op, 1>(q, sycl::range<1>(size), 3);
}
template <class T> void arithmetic(sycl::queue &q) {
  sizes<T, sycl::plus<T>>(q);
  sizes<T, sycl::multiplies<T>>(q);
  sizes<T, sycl::minimum<T>>(q);
  sizes<T, sycl::maximum<T>>(q);
}
template <class T> void bitwise(sycl::queue &q) {
  sizes<T, sycl::bit_and<T>>(q);
  sizes<T, sycl::bit_or<T>>(q);
  sizes<T, sycl::bit_xor<T>>(q);
}
template <class T> void logical(sycl::queue &q) {
  sizes<T, sycl::logical_and<T>>(q);
  sizes<T, sycl::logical_or<T>>(q);
}

} // namespace reduce_scan

#endif
