// What work-items know of themselves: every query of item, nd_item and group, in one to three
// dimensions; and that copies which leave their kernel still know it.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <type_traits>
#include <vector>

// Names of kernels.
template <int D> struct copies_of_items;
template <int D> struct copies_of_nd_items;
template <int D> struct copies_of_h_items;
template <int D> struct reads_copies;

namespace {

template <int D> sycl::range<D> make(std::size_t a, std::size_t b, std::size_t c) {
  if constexpr (D == 1)
    return sycl::range<1>(c);
  else if constexpr (D == 2)
    return sycl::range<2>(b, c);
  else
    return sycl::range<3>(a, b, c);
}

struct seen {
  std::size_t id[3], range[3], offset[3], local[3], group[3], groups[3], local_range[3];
  std::size_t linear, local_linear, group_linear;
  int visits;
};

template <int D> void items(sycl::queue &q) {
  const sycl::range<D> r = make<D>(3, 5, 7);
  std::vector<seen> all(r.size(), seen{});
  {
    sycl::buffer<seen> b(all);
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(b, h);
      h.parallel_for(r, [=](sycl::item<D> it) {
        seen &s = out[it.get_linear_id()];
        for (int d = 0; d < D; ++d) {
          s.id[d] = it[d];
          s.range[d] = it.get_range(d);
          s.offset[d] =
              it.get_id()[d] == it.get_id(d) && it.get_range()[d] == it.get_range(d) ? 0 : 99;
        }
        s.linear = it.get_linear_id();
        s.visits += 1;
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t rest = i;
    for (int d = D - 1; d >= 0; --d) {
      wrong += all[i].id[d] != rest % r[d] || all[i].range[d] != r[d] || all[i].offset[d] != 0;
      rest /= r[d];
    }
    wrong += all[i].visits != 1 || all[i].linear != i;
  }
  CHECK(wrong == 0);
}

template <int D> void offsets(sycl::queue &q) {
  const sycl::range<D> r = make<D>(2, 3, 4);
  const sycl::id<D> offset = sycl::id<D>(make<D>(10, 20, 30));
  std::vector<seen> all(r.size(), seen{});
  {
    sycl::buffer<seen> b(all);
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(b, h);
      h.parallel_for(r, offset, [=](sycl::item<D, true> it) {
        seen &s = out[it.get_linear_id()];
        for (int d = 0; d < D; ++d) {
          s.id[d] = it.get_id(d);
          s.offset[d] = it.get_offset()[d];
        }
        s.visits += 1;
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t rest = i;
    for (int d = D - 1; d >= 0; --d) {
      wrong += all[i].id[d] != rest % r[d] + offset[d] || all[i].offset[d] != offset[d];
      rest /= r[d];
    }
    wrong += all[i].visits != 1;
  }
  CHECK(wrong == 0);
}

template <int D> void nd_items(sycl::queue &q) {
  const sycl::range<D> global = make<D>(4, 6, 10), local = make<D>(2, 3, 5);
  const sycl::id<D> offset = sycl::id<D>(make<D>(1, 2, 3));
  std::vector<seen> all(global.size(), seen{});
  {
    sycl::buffer<seen> b(all);
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(b, h);
      h.parallel_for(sycl::nd_range<D>(global, local, offset), [=](sycl::nd_item<D> it) {
        seen &s = out[it.get_global_linear_id()];
        const sycl::group<D> g = it.get_group();
        for (int d = 0; d < D; ++d) {
          s.id[d] = it.get_global_id(d);
          s.range[d] = it.get_global_range(d);
          s.offset[d] = it.get_offset()[d];
          s.local[d] = it.get_local_id(d);
          s.group[d] = it.get_group(d);
          s.groups[d] = it.get_group_range(d);
          s.local_range[d] = it.get_local_range(d);
          // The same through other queries.
          if (g.get_group_id(d) != it.get_group(d) || g[d] != it.get_group(d) ||
              g.get_local_range(d) != it.get_local_range(d) ||
              g.get_local_id()[d] != it.get_local_id()[d] ||
              g.get_group_range()[d] != it.get_group_range()[d] ||
              it.get_nd_range().get_local_range()[d] != local[d])
            s.visits = 100;
        }
        s.linear = it.get_global_linear_id();
        s.local_linear = it.get_local_linear_id();
        s.group_linear = it.get_group_linear_id();
        if (g.leader() != (s.local_linear == 0) || g.get_local_linear_range() != local.size())
          s.visits = 100;
        s.visits += 1;
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const seen &s = all[i];
    std::size_t rest = i, local_linear = 0, group_linear = 0, index[3];
    for (int d = D - 1; d >= 0; --d) {
      index[d] = rest % global[d];
      rest /= global[d];
    }
    for (int d = 0; d < D; ++d) {
      wrong += s.id[d] != index[d] + offset[d] || s.range[d] != global[d] ||
               s.offset[d] != offset[d] || s.local[d] != index[d] % local[d] ||
               s.group[d] != index[d] / local[d] || s.groups[d] != global[d] / local[d] ||
               s.local_range[d] != local[d];
      local_linear = local_linear * local[d] + s.local[d];
      group_linear = group_linear * (global[d] / local[d]) + s.group[d];
    }
    wrong += s.visits != 1 || s.linear != i || s.local_linear != local_linear ||
             s.group_linear != group_linear;
  }
  CHECK(wrong == 0);
}

// Copies that kernels leave behind are values: the host and other kernels read in them what their
// work-items knew.
template <class T> T *memory_for(sycl::queue &q, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>);
  return static_cast<T *>(sycl::malloc_shared(count * sizeof(T), q));
}

template <int D> void copies(sycl::queue &q) {
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations))
    return;
  const sycl::range<D> global = make<D>(4, 6, 10), local = make<D>(2, 3, 5);
  const sycl::id<D> offset = sycl::id<D>(make<D>(1, 2, 3));
  const std::size_t n = global.size();
  auto *items = memory_for<sycl::item<D>>(q, n);
  auto *nd_items = memory_for<sycl::nd_item<D>>(q, n);
  auto *groups = memory_for<sycl::group<D>>(q, n);
  auto *sub_groups = memory_for<sycl::sub_group>(q, n);
  auto *places = memory_for<std::uint32_t>(q, n);
  auto *logical = memory_for<sycl::group<D>>(q, n);
  auto *h_items = memory_for<sycl::h_item<D>>(q, n);
  q.parallel_for<copies_of_items<D>>(global,
                                     [=](sycl::item<D> it) { items[it.get_linear_id()] = it; });
  q.parallel_for<copies_of_nd_items<D>>(sycl::nd_range<D>(global, local, offset),
                                        [=](sycl::nd_item<D> it) {
                                          const std::size_t i = it.get_global_linear_id();
                                          nd_items[i] = it;
                                          groups[i] = it.get_group();
                                          sub_groups[i] = it.get_sub_group();
                                          places[i] = it.get_sub_group().get_local_linear_id();
                                        });
  q.submit([&](sycl::handler &h) {
    h.parallel_for_work_group<copies_of_h_items<D>>(global / local, local, [=](sycl::group<D> g) {
      g.parallel_for_work_item([&](sycl::h_item<D> it) {
        const std::size_t i = it.get_global().get_linear_id();
        h_items[i] = it;
        logical[i] = g;
      });
    });
  });
  q.wait();

  int *const differing = sycl::malloc_shared<int>(n, q);
  // In a template, compilers order what `[=]` captures in different ways.
  const auto read = [n, items, nd_items, groups, h_items, differing](sycl::nd_item<1> self) {
    const std::size_t i = self.get_global_id(0), other = (i + 1) % n;
    const sycl::nd_item<D> it = nd_items[i];
    differing[i] = it.get_global_linear_id() != i || it.get_group() != groups[i] ||
                   it == nd_items[other] || items[i] == items[other] ||
                   items[i].get_linear_id() != i || h_items[i].get_global().get_linear_id() != i ||
                   groups[i].get_local_id()[0] != 0;
  };
  q.parallel_for<reads_copies<D>>(sycl::nd_range<1>(n, 1), read);
  q.wait();

  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sycl::id<D> at;
    std::size_t rest = i;
    for (int d = D - 1; d >= 0; --d) {
      at[d] = rest % global[d];
      rest /= global[d];
    }
    const sycl::id<D> in_group = at % sycl::id<D>(local), group = at / sycl::id<D>(local);
    const sycl::nd_item<D> it = nd_items[i];
    wrong += differing[i] != 0 || items[i].get_id() != at || items[i].get_range() != global;
    wrong += it.get_global_id() != at + offset || it.get_local_id() != in_group ||
             it.get_offset() != offset;
    wrong += it.get_nd_range() != sycl::nd_range<D>(global, local, offset) ||
             it.get_global_linear_id() != i;
    wrong += it.get_group() != groups[i] || it != nd_items[i] || it == nd_items[(i + 1) % n];
    wrong += groups[i].get_group_id() != group || groups[i].get_group_range() != global / local;
    wrong += groups[i].get_local_range() != local || groups[i].get_global_range() != global;
    wrong += logical[i] != groups[i];
    const sycl::sub_group sub = sub_groups[i];
    wrong += sub.get_group_linear_id() >= sub.get_group_linear_range() ||
             places[i] >= sub.get_local_linear_range();
    wrong += h_items[i].get_global_id() != at || h_items[i].get_local_id() != in_group;
    wrong += h_items[i].get_local_range() != local || h_items[i].get_global_range() != global;
  }
  CHECK(wrong == 0);
  for (void *memory : std::initializer_list<void *>{items, nd_items, groups, sub_groups, places,
                                                    logical, h_items, differing})
    sycl::free(memory, q);
}

// Shapes at the edges: nothing, one, long and thin.
void odd_shapes(sycl::queue &q) {
  for (std::size_t n : {0, 1, 2, 63, 64, 65, 100003}) {
    std::vector<int> v(n + 1, 0);
    {
      sycl::buffer<int> b(v);
      q.submit([&](sycl::handler &h) {
        sycl::accessor out(b, h);
        h.parallel_for(n, [=](sycl::id<1> i) { out[i] += 1; });
      });
    }
    std::size_t ones = 0;
    for (int x : v)
      ones += x == 1;
    CHECK(ones == n && v[n] == 0);
  }
  for (sycl::range<3> r :
       {sycl::range<3>(1, 1, 5000), sycl::range<3>(5000, 1, 1), sycl::range<3>(1, 5000, 1)}) {
    std::vector<int> v(5000, 0);
    {
      sycl::buffer<int, 3> b(v.data(), r);
      q.submit([&](sycl::handler &h) {
        sycl::accessor out(b, h);
        h.parallel_for(r, [=](sycl::id<3> i) { out[i] += 1; });
      });
    }
    int wrong = 0;
    for (int x : v)
      wrong += x != 1;
    CHECK(wrong == 0);
  }
}

} // namespace

int main() {
  sycl::queue q;
  items<1>(q);
  items<2>(q);
  items<3>(q);
  offsets<1>(q);
  offsets<2>(q);
  offsets<3>(q);
  nd_items<1>(q);
  nd_items<2>(q);
  nd_items<3>(q);
  copies<1>(q);
  copies<2>(q);
  copies<3>(q);
  odd_shapes(q);
  return check::result();
}
