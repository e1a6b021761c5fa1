// Barriers and local memory: in straight code, in loops, under uniform branches, in called
// functions, and in one to three dimensions; sub-group barriers; fences.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <vector>

namespace {

// Each work-item hands its number to the one that mirrors it.
template <int D> void reverse(sycl::queue &q, sycl::range<D> global, sycl::range<D> local) {
  std::vector<int> out(global.size(), -1);
  {
    sycl::buffer<int> b(out);
    q.submit([&](sycl::handler &h) {
      sycl::accessor acc(b, h, sycl::write_only);
      sycl::local_accessor<int, 1> tile(sycl::range<1>(local.size()), h);
      h.parallel_for(sycl::nd_range<D>(global, local), [=](sycl::nd_item<D> it) {
        const std::size_t i = it.get_local_linear_id(), n = it.get_group().get_local_linear_range();
        const std::size_t base = it.get_group_linear_id() * n;
        tile[i] = static_cast<int>(base + i);
        sycl::group_barrier(it.get_group());
        acc[base + i] = tile[n - 1 - i];
      });
    });
  }
  const std::size_t n = local.size();
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    wrong += out[i] != static_cast<int>(i / n * n + (n - 1 - i % n));
  CHECK(wrong == 0);
}

// A tree of sums: a barrier in a loop, private values that live across it, and a branch inside.
void tree(sycl::queue &q, std::size_t size) {
  constexpr std::size_t groups = 4;
  std::vector<long> out(groups * size, -1);
  {
    sycl::buffer<long> b(out);
    q.submit([&](sycl::handler &h) {
      sycl::accessor acc(b, h, sycl::write_only);
      sycl::local_accessor<long> sums(sycl::range<1>(size), h);
      h.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> it) {
        const std::size_t i = it.get_local_id(0);
        long mine = static_cast<long>(it.get_global_id(0));
        const long kept = mine * 3;
        sums[i] = mine;
        it.barrier();
        for (std::size_t step = 1; step < size; step *= 2) {
          long other = 0;
          if (i + step < size)
            other = sums[i + step];
          it.barrier(sycl::access::fence_space::local_space);
          mine += other;
          sums[i] = mine;
          it.barrier(sycl::access::fence_space::local_space);
        }
        acc[it.get_global_id()] = sums[0] + kept;
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    // Doubling steps add every later number of the group once.
    const std::size_t first = i / size * size;
    long sum = 0;
    for (std::size_t j = first; j < first + size; ++j)
      sum += static_cast<long>(j);
    wrong += out[i] != sum + static_cast<long>(i) * 3;
  }
  CHECK(wrong == 0);
}

template <int D>
int neighbour(const sycl::nd_item<D> &it, const sycl::local_accessor<int> &tile, int value) {
  const std::size_t i = it.get_local_linear_id(), n = it.get_group().get_local_linear_range();
  tile[i] = value;
  sycl::group_barrier(it.get_group());
  const int other = tile[(i + 1) % n];
  sycl::group_barrier(it.get_group());
  return other;
}

// Barriers in a function, called under a branch that is the same for the group.
void in_functions(sycl::queue &q) {
  constexpr std::size_t size = 24, groups = 6;
  std::vector<int> out(groups * size, -1);
  {
    sycl::buffer<int> b(out);
    q.submit([&](sycl::handler &h) {
      sycl::accessor acc(b, h, sycl::write_only);
      sycl::local_accessor<int> tile(sycl::range<1>(size), h);
      h.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> it) {
        int value = static_cast<int>(it.get_local_id(0));
        for (std::size_t round = 0; round < it.get_group(0); ++round)
          value = neighbour(it, tile, value);
        if (it.get_group(0) % 2 == 0)
          value = neighbour(it, tile, value);
        acc[it.get_global_id()] = value;
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t group = i / size, rounds = group + (group % 2 == 0);
    wrong += out[i] != static_cast<int>((i % size + rounds) % size);
  }
  CHECK(wrong == 0);
}

// Captured by one compiler, not by another: outside of functions nobody captures them.
constexpr std::size_t n = 48, t = 8;

// The product of matrices by tiles.
void product(sycl::queue &q) {
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (std::size_t i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 5);
  }
  {
    sycl::buffer<float, 2> ab(a.data(), {n, n}), bb(b.data(), {n, n}), cb(c.data(), {n, n});
    q.submit([&](sycl::handler &h) {
      sycl::accessor x(ab, h, sycl::read_only), y(bb, h, sycl::read_only);
      sycl::accessor z(cb, h, sycl::write_only);
      sycl::local_accessor<float, 2> tx({t, t}, h), ty({t, t}, h);
      h.parallel_for(sycl::nd_range<2>({n, n}, {t, t}), [=](sycl::nd_item<2> it) {
        const std::size_t row = it.get_local_id(0), column = it.get_local_id(1);
        float sum = 0;
        for (std::size_t k = 0; k < n; k += t) {
          tx[row][column] = x[it.get_global_id(0)][k + column];
          ty[row][column] = y[k + row][it.get_global_id(1)];
          sycl::group_barrier(it.get_group());
          for (std::size_t i = 0; i < t; ++i)
            sum += tx[row][i] * ty[i][column];
          sycl::group_barrier(it.get_group());
        }
        z[it.get_global_id()] = sum;
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum += a[i * n + k] * b[k * n + j];
      wrong += c[i * n + j] != sum;
    }
  CHECK(wrong == 0);
}

// Sub-groups wait on their own: as many times as their number says.
void sub_groups(sycl::queue &q) {
  constexpr std::size_t size = 50;
  std::vector<int> out(size, -1), expected(size, -2);
  {
    sycl::buffer<int> b(out), e(expected);
    q.submit([&](sycl::handler &h) {
      sycl::accessor acc(b, h, sycl::write_only);
      sycl::accessor exp(e, h, sycl::write_only);
      sycl::local_accessor<int> tile(sycl::range<1>(size), h);
      h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
        const sycl::sub_group sg = it.get_sub_group();
        const std::size_t i = it.get_local_id(0), lane = sg.get_local_linear_id(),
                          n = sg.get_local_linear_range();
        int value = static_cast<int>(lane);
        for (std::uint32_t round = 0; round <= sg.get_group_linear_id(); ++round) {
          tile[i] = value;
          sycl::group_barrier(sg);
          value = tile[i - lane + (lane + 1) % n];
          sycl::group_barrier(sg);
        }
        acc[i] = value;
        exp[i] = static_cast<int>((lane + sg.get_group_linear_id() + 1) % n);
      });
    });
  }
  CHECK(out == expected);
}

void fences(sycl::queue &q) {
  int *data = sycl::malloc_shared<int>(2, q);
  data[0] = data[1] = 0;
  q.single_task([=] {
     for (auto scope : {sycl::memory_scope::work_item, sycl::memory_scope::sub_group,
                        sycl::memory_scope::work_group, sycl::memory_scope::device,
                        sycl::memory_scope::system}) {
       data[0] += 1;
       sycl::atomic_fence(sycl::memory_order::release, scope);
       sycl::atomic_fence(sycl::memory_order::acquire, scope);
       sycl::atomic_fence(sycl::memory_order::acq_rel, scope);
       sycl::atomic_fence(sycl::memory_order::seq_cst, scope);
       sycl::atomic_fence(sycl::memory_order::relaxed, scope);
       data[1] += data[0];
     }
   }).wait();
  CHECK(data[0] == 5 && data[1] == 15);
  sycl::free(data, q);
}

} // namespace

int main() {
  sycl::queue q;
  for (std::size_t size : {1, 2, 3, 8, 17, 64, 1000})
    reverse<1>(q, sycl::range<1>(size * 5), sycl::range<1>(size));
  reverse<2>(q, {12, 21}, {4, 7});
  reverse<2>(q, {8, 64}, {2, 32});
  reverse<3>(q, {4, 6, 10}, {2, 3, 5});
  for (std::size_t size : {1, 5, 16, 100, 512})
    tree(q, size);
  in_functions(q);
  product(q);
  sub_groups(q);
  fences(q);
  return check::result();
}
