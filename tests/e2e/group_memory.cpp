// Memory of work-groups: group-local variables, copies that the group makes together, hierarchical
// kernels with private memory.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <vector>

namespace {

struct point {
  int x = 7, y = 8;
};

void group_local(sycl::queue &q, std::size_t size) {
  using namespace sycl::ext::oneapi;
  std::vector<int> out(size * 3);
  {
    sycl::buffer<int> b(out);
    q.submit([&](sycl::handler &h) {
      sycl::accessor acc(b, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(size * 3, size), [=](sycl::nd_item<1> it) {
        const auto g = it.get_group();
        const std::size_t i = it.get_local_id(0);
        // Two variables of one type are two variables.
        auto a = group_local_memory_for_overwrite<int[128]>(g);
        auto b = group_local_memory_for_overwrite<int[128]>(g);
        auto c = group_local_memory<point>(g, 3, static_cast<int>(it.get_group(0)));
        auto d = group_local_memory_for_overwrite<point>(g);
        (*a)[i] = static_cast<int>(i);
        (*b)[i] = 1000;
        sycl::group_barrier(g);
        acc[it.get_global_id()] = (*a)[size - 1 - i] + (*b)[(i + 1) % size] + c->x * 10000 +
                                  c->y * 100000 + (d->x + d->y) * 1000000;
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    wrong += out[i] !=
             static_cast<int>(size - 1 - i % size + 1000 + 30000 + i / size * 100000 + 15000000);
  CHECK(wrong == 0);
}

// Captured by one compiler, not by another: outside of functions nobody captures them.
constexpr std::size_t size = 20, count = 64, groups = 3;

void copies(sycl::queue &q) {
  std::vector<int> in(groups * count * 2), out(groups * count), spread(groups * count * 2, -1);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int>(i);
  {
    sycl::buffer<int> a(in), b(out), c(spread);
    q.submit([&](sycl::handler &h) {
      sycl::accessor from(a, h, sycl::read_only);
      sycl::accessor to(b, h, sycl::write_only);
      sycl::accessor strided(c, h, sycl::read_write);
      sycl::local_accessor<int> tile(sycl::range<1>(count), h);
      h.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> it) {
        const std::size_t g = it.get_group(0);
        const auto source = sycl::global_ptr<const int>(&from[g * count * 2]);
        const auto target = sycl::global_ptr<int>(&to[g * count]);
        const auto apart = sycl::global_ptr<int>(&strided[g * count * 2]);
        source.prefetch(2 * count);
        auto first = it.async_work_group_copy(tile.get_pointer(), source, count, 2);
        it.wait_for(first);
        for (std::size_t i = it.get_local_id(0); i < count; i += size)
          tile[i] += 1;
        it.barrier();
        auto second = it.get_group().async_work_group_copy(target, tile.get_pointer(), count);
        auto third = it.get_group().async_work_group_copy(apart, tile.get_pointer(), count, 2);
        it.get_group().wait_for(second, third);
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    wrong += out[i] != static_cast<int>(i * 2 + 1);
    wrong += spread[i * 2] != static_cast<int>(i * 2 + 1) || spread[i * 2 + 1] != -1;
  }
  CHECK(wrong == 0);
}

template <int D> void hierarchical(sycl::queue &q, sycl::range<D> groups, sycl::range<D> size) {
  std::vector<int> out(groups.size() * size.size(), -1), sums(groups.size(), -1),
      wide(groups.size(), -1);
  {
    sycl::buffer<int> b(out), s(sums), w(wide);
    q.submit([&](sycl::handler &h) {
      sycl::accessor acc(b, h, sycl::write_only);
      sycl::accessor sum(s, h, sycl::write_only), count(w, h, sycl::write_only);
      sycl::local_accessor<int> tile(sycl::range<1>(size.size()), h);
      h.parallel_for_work_group(groups, size, [=](sycl::group<D> g) {
        int shared = static_cast<int>(g.get_group_linear_id());
        sycl::private_memory<int, D> mine(g);
        g.parallel_for_work_item([&](sycl::h_item<D> it) {
          const std::size_t i = sycl::detail::linear(it.get_local_id(), it.get_local_range());
          mine(it) = static_cast<int>(i) + shared;
          tile[i] = static_cast<int>(i);
        });
        shared += 100;
        g.parallel_for_work_item([&](sycl::h_item<D> it) {
          const std::size_t i = sycl::detail::linear(it.get_local_id(), it.get_local_range());
          const std::size_t n = it.get_local_range().size();
          bool right = true;
          for (int d = 0; d < D; ++d)
            right = right &&
                    it.get_global_id(d) ==
                        g.get_group_id(d) * g.get_local_range(d) + it.get_local_id(d) &&
                    it.get_global_range(d) == g.get_global_range(d);
          right = right && it.get_local() == it.get_logical_local() &&
                  it.get_local().get_linear_id() == i &&
                  it.get_global().get_id() == it.get_global_id() &&
                  it.get_physical_local().get_range().size() == n;
          acc[g.get_group_linear_id() * n + i] =
              right ? mine(it) * 1000 + shared + tile[n - 1 - i] : -5;
        });
        int total = 0;
        for (std::size_t i = 0; i < g.get_local_linear_range(); ++i)
          total += tile[i];
        sum[g.get_group_linear_id()] = total;
        int seen = 0;
        sycl::range<D> flexible = g.get_local_range();
        flexible[0] = 3;
        g.parallel_for_work_item(flexible, [&](sycl::h_item<D> it) {
          seen += static_cast<int>(it.get_logical_local_id(0) * 10 + it.get_logical_local_range(0));
        });
        count[g.get_group_linear_id()] = seen;
      });
    });
  }
  const std::size_t n = size.size();
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int g = static_cast<int>(i / n), l = static_cast<int>(i % n);
    wrong += out[i] != (l + g) * 1000 + g + 100 + static_cast<int>(n) - 1 - l;
  }
  const int rows = static_cast<int>(n / size[0]);
  for (std::size_t g = 0; g < sums.size(); ++g)
    wrong += sums[g] != static_cast<int>(n * (n - 1) / 2) || wide[g] != rows * (9 + 30);
  CHECK(wrong == 0);
}

} // namespace

int main() {
  sycl::queue q;
  for (std::size_t size : {1, 7, 64, 128})
    group_local(q, size);
  copies(q);
  hierarchical<1>(q, sycl::range<1>(5), sycl::range<1>(17));
  hierarchical<2>(q, {2, 3}, {4, 8});
  hierarchical<3>(q, {1, 2, 3}, {2, 3, 5});
  return check::result();
}
