// Work-groups of required and of small sizes: what is compiled for one size computes what is
// compiled for any, and a kernel that requires a size has no other.
//
// MODES: device,gxx
// LEVELS: O2
// AHEAD: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace {

// Work-items of all dimensions meet in local memory, twice, with a loop and a branch that rows
// disagree on between.
template <int D>
unsigned meet(sycl::nd_item<D> it, const unsigned *in, const sycl::local_accessor<unsigned> &tile) {
  const unsigned l = static_cast<unsigned>(it.get_local_linear_id());
  const unsigned n = static_cast<unsigned>(it.get_group().get_local_linear_range());
  const unsigned x = static_cast<unsigned>(it.get_local_id(D - 1)),
                 y = static_cast<unsigned>(it.get_local_id(0));
  tile[l] = in[it.get_global_linear_id()] + x;
  sycl::group_barrier(it.get_group());
  unsigned sum = tile[n - 1 - l];
  for (unsigned i = 0; i < y % 3 + 1; ++i)
    sum = sum * 31u + tile[(l + i) % n];
  if (y & 1u)
    sum ^= tile[l - x];
  sycl::group_barrier(it.get_group());
  tile[n - 1 - l] = sum;
  sycl::group_barrier(it.get_group());
  return tile[l] + static_cast<unsigned>(it.get_global_id(0)) * 7u;
}

template <int D> struct any_size {
  unsigned *out;
  const unsigned *in;
  sycl::local_accessor<unsigned> tile;
  void operator()(sycl::nd_item<D> it) const {
    out[it.get_global_linear_id()] = meet(it, in, tile);
  }
};

template <std::size_t... S> struct of_size {
  static constexpr int D = sizeof...(S);
  unsigned *out;
  const unsigned *in;
  sycl::local_accessor<unsigned> tile;
  [[sycl::reqd_work_group_size(S...)]] void operator()(sycl::nd_item<D> it) const {
    out[it.get_global_linear_id()] = meet(it, in, tile);
  }
};

// The groups of a hierarchical kernel, of which each is to have a size.
template <std::size_t... S> struct groups_of_size {
  static constexpr int D = sizeof...(S);
  unsigned *out;
  [[sycl::reqd_work_group_size(S...)]] void operator()(sycl::group<D> g) const {
    unsigned *to = out;
    g.parallel_for_work_item([=](sycl::h_item<D> it) {
      const auto local = it.get_local();
      to[g.get_group_linear_id() * g.get_local_linear_range() + local.get_linear_id()] =
          static_cast<unsigned>(local.get_linear_id()) + 1;
    });
  }
};
template <class K> class hierarchical;

// Passes what the neighbour has on, over 2 * N barriers.
template <int N>
unsigned pass_on(const sycl::group<2> &g, const sycl::local_accessor<unsigned> &tile,
                 unsigned own) {
  const std::size_t l = g.get_local_linear_id(), n = g.get_local_linear_range();
  tile[l] = own;
  sycl::group_barrier(g);
  const unsigned next = tile[(l + 1) % n];
  sycl::group_barrier(g);
  if constexpr (N > 1)
    return pass_on<N - 1>(g, tile, next);
  return next;
}

// With many barriers, code for any size is slower for each than code for one; both have the same
// sub-groups.
template <int N> struct tells_its_sub_group {
  unsigned *out;
  const unsigned *in;
  sycl::local_accessor<unsigned> tile;
  void operator()(sycl::nd_item<2> it) const {
    const sycl::sub_group s = it.get_sub_group();
    unsigned value = s.get_local_linear_id() + 100 * s.get_group_linear_id() +
                     10000 * s.get_local_linear_range();
    for (unsigned i = 0; i < 8; i += N)
      value = pass_on<N>(it.get_group(), tile, value);
    out[it.get_global_linear_id()] = value;
  }
};

template <class K, int D>
void run_groups(sycl::queue &q, unsigned *out, sycl::range<D> groups, sycl::range<D> size) {
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group<hierarchical<K>>(groups, size, K{out});
   }).wait();
}

// Does nothing, in more work-groups than there may be.
struct one_too_many {
  void operator()(sycl::nd_item<1>) const {}
};

// What a device says of the number of work-groups is what launches are refused by, or less where
// only a driver knows.
void check_most_groups(sycl::queue &q) {
  namespace ask = sycl::khr::info::device;
  const sycl::device d = q.get_device();
  const std::size_t all = d.get_info<ask::max_work_group_range_size>();
  const std::size_t line = d.get_info<ask::max_work_group_range<1>>()[0];
  CHECK(d.get_info<ask::max_work_group_range<>>() == sycl::range<3>(line, line, line) &&
        all >= line);
  if (!d.is_cpu() && d.get_backend() == sycl::backend::opencl)
    return;
  std::string why;
  try {
    q.parallel_for<one_too_many>(sycl::nd_range<1>(line + 1, 1), one_too_many()).wait();
  } catch (const sycl::exception &e) {
    CHECK(e.code() == sycl::errc::nd_range);
    why = e.what();
  }
  const std::string limit =
      d.is_cpu() ? "exceeds 2^63 - 1" : "exceeds the limit of " + std::to_string(line);
  CHECK(why.find(limit) != std::string::npos);
}

// Summing kernels keep to a size that the program launches; a range has none.
template <class Item> struct counts {
  template <class R> [[sycl::reqd_work_group_size(16)]] void operator()(Item, R &sum) const {
    sum += 1;
  }
};
using of_items = counts<sycl::nd_item<1>>;
using of_a_range = counts<sycl::id<1>>;

constexpr std::size_t most = 4096;

template <class K, int D>
std::vector<unsigned> run(sycl::queue &q, unsigned *out, const unsigned *in, sycl::range<D> groups,
                          sycl::range<D> local) {
  for (std::size_t i = 0; i < most; ++i)
    out[i] = 0;
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<unsigned> tile(local.size(), h);
     h.parallel_for(sycl::nd_range<D>(groups * local, local), K{out, in, tile});
   }).wait_and_throw();
  return {out, out + (groups * local).size()};
}

// How many results of the groups along the first dimension differ from what one work-item after the
// other computes.
template <int D>
std::size_t wrong_in_first_groups(const std::vector<unsigned> &out, const unsigned *in,
                                  sycl::range<D> global, sycl::range<D> local) {
  const std::size_t n = local.size();
  std::size_t wrong = 0;
  for (std::size_t g = 0; g < global[0] / local[0]; ++g) {
    std::vector<std::size_t> at(n), x(n), y(n);
    for (std::size_t l = 0; l < n; ++l) {
      std::size_t rest = l, stride = 1;
      for (int d = D - 1; d >= 0; --d) {
        const std::size_t id = rest % local[d];
        rest /= local[d];
        at[l] += (id + (d == 0 ? g * local[0] : 0)) * stride;
        stride *= global[d];
        x[l] = d == D - 1 ? id : x[l];
        y[l] = id;
      }
    }
    const auto first = [&](std::size_t l) { return in[at[l]] + static_cast<unsigned>(x[l]); };
    for (std::size_t l = 0; l < n; ++l) {
      const std::size_t other = n - 1 - l;
      unsigned sum = first(l);
      for (std::size_t i = 0; i < y[other] % 3 + 1; ++i)
        sum = sum * 31u + first((other + i) % n);
      if (y[other] & 1u)
        sum ^= first(other - x[other]);
      wrong += out[at[l]] != sum + static_cast<unsigned>(g * local[0] + y[l]) * 7u;
    }
  }
  return wrong;
}

template <std::size_t... S> void check_size(sycl::queue &q, unsigned *out, const unsigned *in) {
  constexpr int D = sizeof...(S);
  sycl::range<D> local{S...}, groups = local;
  for (int d = 0; d < D; ++d)
    groups[d] = 2 + d % 2;
  const std::vector<unsigned> required = run<of_size<S...>>(q, out, in, groups, local);
  CHECK((run<any_size<D>>(q, out, in, groups, local) == required));
  // Once more, with what the first launch may have had compiled.
  CHECK((run<any_size<D>>(q, out, in, groups, local) == required));
  CHECK(wrong_in_first_groups<D>(required, in, groups * local, local) == 0);
}

void check_sub_groups(sycl::queue &q, unsigned *out, const unsigned *in, sycl::range<2> local) {
  const sycl::range<2> groups(2, 3);
  const std::vector<unsigned> few = run<tells_its_sub_group<1>>(q, out, in, groups, local);
  CHECK((run<tells_its_sub_group<8>>(q, out, in, groups, local) == few));
  CHECK((run<tells_its_sub_group<8>>(q, out, in, groups, local) == few));
}

} // namespace

int main() {
  // Small work-groups get code of their own at once, not only when it is worth it.
  setenv("SCYTHE_CPU_VARIANTS", "always", 1);
  sycl::queue q;
  unsigned *out = sycl::malloc_shared<unsigned>(most, q),
           *in = sycl::malloc_shared<unsigned>(most, q);
  for (unsigned i = 0; i < most; ++i)
    in[i] = i * 2654435761u >> 7;
  check_most_groups(q);
  check_size<8, 8>(q, out, in);
  check_size<4, 4, 4>(q, out, in);
  check_size<3, 5>(q, out, in);
  check_size<3, 3, 7>(q, out, in);
  check_size<16, 1>(q, out, in);
  check_size<3>(q, out, in);
  check_size<3, 12>(q, out, in);
  check_size<2, 32>(q, out, in);
  check_sub_groups(q, out, in, {4, 8});
  check_sub_groups(q, out, in, {2, 32});
  check_sub_groups(q, out, in, {3, 20});
  check_sub_groups(q, out, in, {8, 1});

  CHECK(check::throws(sycl::errc::nd_range, [&] {
    run<of_size<8, 8>>(q, out, in, sycl::range<2>(1, 1), sycl::range<2>(4, 16));
  }));

  run_groups<groups_of_size<2, 3, 4>>(q, out, sycl::range<3>(1, 2, 3), sycl::range<3>(2, 3, 4));
  for (unsigned i = 0; i < 6 * 24; ++i)
    CHECK(out[i] == i % 24 + 1);
  const auto run_other = [&] {
    run_groups<groups_of_size<2, 3, 4>>(q, out, sycl::range<3>(1, 2, 3), sycl::range<3>(4, 3, 2));
  };
  CHECK(check::throws(sycl::errc::nd_range, run_other));
  CHECK(check::throws(sycl::errc::nd_range, run_other));
  // What no device has is the kernel's fault, even if there is no such range.
  constexpr std::size_t huge = std::size_t(1) << 32;
  CHECK(check::throws(sycl::errc::kernel_not_supported, [&] {
    run_groups<groups_of_size<huge, 1, 1>>(q, out, sycl::range<3>(1, 1, 1),
                                           sycl::range<3>(huge, huge, huge));
  }));
  const sycl::range<3> whole(huge, huge, huge);
  CHECK(check::throws(sycl::errc::kernel_not_supported, [&] {
    run<of_size<huge, 1, 1>>(q, out, in, sycl::range<3>(1, 1, 1), whole);
  }));
  CHECK(check::throws(sycl::errc::nd_range,
                      [&] { run<any_size<3>>(q, out, in, sycl::range<3>(1, 1, 1), whole); }));

  *out = 0;
  const auto sum = sycl::reduction(out, sycl::plus<>());
  q.parallel_for<of_items>(sycl::nd_range<1>(48, 16), sum, of_items{}).wait();
  q.parallel_for<of_a_range>(sycl::range<1>(100), sum, of_a_range{}).wait();
  CHECK(*out == 148);
  CHECK(check::throws(sycl::errc::nd_range, [&] {
    q.parallel_for<of_items>(sycl::nd_range<1>(48, 8), sum, of_items{}).wait();
  }));
  sycl::free(out, q);
  sycl::free(in, q);
  return check::result();
}
