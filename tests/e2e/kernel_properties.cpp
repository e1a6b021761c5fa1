// Properties of kernels take effect by whichever way they are given: as an argument of the launch,
// by a member function `get` of the function object in each of its forms, by a member `properties`,
// and where reductions or hierarchies wrap the function object.
//
// LEVELS: O2
// BACKENDS: cpu,opencl
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace experimental = sycl::ext::oneapi::experimental;
namespace here = sycl::ext::oneapi::this_work_item;

namespace {

using experimental::properties;
using experimental::properties_tag;
using experimental::sub_group_size;
using experimental::work_group_size;

// What a work-item sees: the sizes of its work-group and sub-group.
struct seen {
  int group, sub_group;
};
void look(seen *out) {
  *out = {static_cast<int>(here::get_nd_item<1>().get_local_range(0)),
          static_cast<int>(here::get_sub_group().get_max_local_range()[0])};
}

#define LIST                                                                                       \
  experimental::properties { work_group_size<16>, sub_group_size<8> }
#define KERNEL(name, ...)                                                                          \
  struct name {                                                                                    \
    seen *out;                                                                                     \
    __VA_ARGS__                                                                                    \
    void operator()(sycl::nd_item<1>) const { look(out); }                                         \
  };
KERNEL(plain, auto get(properties_tag) { return LIST; })
KERNEL(constant, auto get(properties_tag) const { return LIST; })
KERNEL(of_class, static auto get(properties_tag) { return LIST; })
KERNEL(constant_expression, constexpr auto get(properties_tag) const noexcept { return LIST; })
KERNEL(class_constant_expression, static constexpr auto get(properties_tag) { return LIST; })
KERNEL(
    declared,
    decltype(LIST) get(const properties_tag &) const { return {}; } int get(int x) { return x; })
KERNEL(template_get, template <class T> auto get(T) const { return LIST; })
KERNEL(
    two_alike,
    auto get(properties_tag) { return LIST; } auto get(properties_tag) const { return LIST; })
KERNEL(
    by_both, static constexpr auto properties = experimental::properties{sub_group_size<8>};
    auto get(properties_tag) { return experimental::properties{work_group_size<16>}; })
KERNEL(
    by_both_alike, static constexpr auto properties = LIST;
    auto get(properties_tag) { return experimental::properties{work_group_size<16>}; })

constexpr auto kept = LIST;
KERNEL(by_reference, const auto &get(properties_tag) const { return kept; })

struct base {
  auto get(properties_tag) { return LIST; }
};
struct derived : base {
  seen *out;
  explicit derived(seen *o) : out(o) {}
  void operator()(sycl::nd_item<1>) const { look(out); }
};
// It adds to what its base says.
struct extended : base {
  seen *out;
  explicit extended(seen *o) : out(o) {}
  auto get(properties_tag) {
    static_assert(
        decltype(base().get(properties_tag()))::has_property<experimental::sub_group_size_key>());
    return properties{work_group_size<16>,
                      base().get(properties_tag()).get_property<experimental::sub_group_size_key>(),
                      experimental::work_group_size_hint<16>};
  }
  void operator()(sycl::nd_item<1>) const { look(out); }
};
template <class T, std::size_t Size> struct of_template {
  T *out;
  auto get(properties_tag) { return properties{work_group_size<Size>, sub_group_size<Size / 2>}; }
  void operator()(sycl::nd_item<1>) const { look(out); }
};

bool has_size([[maybe_unused]] const sycl::queue &q, std::size_t size) {
#ifdef SCYTHE_HOST_MODE
  return size == 8;
#else
  const auto sizes = q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
#endif
}

bool in_groups_of_16(const seen &s) { return s.group == 16 && s.sub_group == 8; }

template <class K> void run(sycl::queue &q, const K &kernel) {
  const sycl::nd_range<1> right(32, 16), wrong(32, 32);
  *kernel.out = {0, 0};
  q.parallel_for(right, kernel).wait();
  CHECK(in_groups_of_16(*kernel.out));
  *kernel.out = {0, 0};
  q.submit([&](sycl::handler &h) { h.parallel_for(right, kernel); }).wait();
  CHECK(in_groups_of_16(*kernel.out));
  CHECK(check::throws(sycl::errc::nd_range, [&] { q.parallel_for(wrong, kernel).wait(); }));
  CHECK(check::throws(sycl::errc::nd_range, [&] {
    q.submit([&](sycl::handler &h) { h.parallel_for(wrong, kernel); }).wait();
  }));
}

void functors(sycl::queue &q, seen *out) {
  run(q, plain{out});
  run(q, constant{out});
  run(q, of_class{out});
  run(q, constant_expression{out});
  run(q, class_constant_expression{out});
  run(q, declared{out});
  run(q, template_get{out});
  run(q, two_alike{out});
  run(q, by_both{out});
  run(q, by_both_alike{out});
  run(q, by_reference{out});
  run(q, derived{out});
  run(q, extended{out});
  run(q, of_template<seen, 16>{out});
  // What the launch says too may be said again.
  q.parallel_for(sycl::nd_range<1>(32, 16), properties{work_group_size<16>}, plain{out}).wait();
  const sycl::event done =
      q.parallel_for(sycl::nd_range<1>(32, 16), properties{sub_group_size<8>}, constant{out});
  q.parallel_for(sycl::nd_range<1>(32, 16), done,
                 properties{sub_group_size<8>, work_group_size<16>}, derived{out})
      .wait();
  CHECK(check::throws(sycl::errc::nd_range, [&] {
    q.parallel_for(sycl::nd_range<1>(32, 32), done, properties{sub_group_size<8>}, of_class{out})
        .wait();
  }));
}

// --- Kernels that the headers wrap

struct reduces {
  seen *out;
  auto get(properties_tag) { return LIST; }
  template <class R> void operator()(sycl::nd_item<1>, R &sum) const {
    look(out);
    sum += 1;
  }
};
struct reduces_range {
  seen *out;
  auto get(properties_tag) { return properties{work_group_size<2, 8>, sub_group_size<8>}; }
  template <class R> void operator()(sycl::id<2>, R &sum) const {
    look(out);
    sum += 1;
  }
};
struct groups {
  int *out;
  auto get(properties_tag) { return properties{work_group_size<2, 4>}; }
  void operator()(sycl::group<2> g) const {
    g.parallel_for_work_item(
        [&](sycl::h_item<2> it) { out[it.get_global_id(0) * 8 + it.get_global_id(1)] += 3; });
  }
};

void wrapped(sycl::queue &q, seen *out, int *numbers) {
  int *const sum = numbers;
  const auto reduction = [&] { return sycl::reduction(sum, sycl::plus<>()); };
  *sum = 0;
  q.parallel_for(sycl::nd_range<1>(48, 16), reduction(), reduces{out}).wait();
  CHECK(*sum == 48 && in_groups_of_16(*out));
  CHECK(check::throws(sycl::errc::nd_range, [&] {
    q.parallel_for(sycl::nd_range<1>(32, 8), reduction(), reduces{out}).wait();
  }));
  *sum = 0;
  *out = {0, 0};
  q.parallel_for(sycl::range<2>(10, 11), reduction(), reduces_range{out}).wait();
  CHECK(*sum == 110 && in_groups_of_16(*out));

  std::fill(numbers, numbers + 32, 0);
  const auto launch = [&](sycl::range<2> size) {
    q.submit([&](sycl::handler &h) {
       h.parallel_for_work_group(sycl::range<2>(2, 2), size, groups{numbers});
     }).wait();
  };
  launch({2, 4});
  CHECK(std::count(numbers, numbers + 32, 3) == 32);
  CHECK(check::throws(sycl::errc::nd_range, [&] { launch({4, 2}); }));
}

// --- Properties as an argument

class nd_configured;
class wrong_size;

void with_reductions(sycl::queue &q, seen *out, int *numbers) {
  const properties list{work_group_size<16>, sub_group_size<8>};
  const auto sum = [=] { return sycl::reduction(numbers, sycl::plus<>()); };
  const auto most = [=] { return sycl::reduction(numbers + 1, sycl::maximum<>()); };
  const auto least = [=] { return sycl::reduction(numbers + 2, sycl::minimum<>()); };
  numbers[0] = 0;
  q.parallel_for(sycl::range<1>(100), list, sum(), [=](sycl::id<1>, auto &s) {
     look(out);
     s += 1;
   }).wait();
  CHECK(numbers[0] == 100 && in_groups_of_16(*out));
  numbers[1] = -1;
  sycl::event done = q.parallel_for(sycl::range<2>(9, 9), list, sum(), most(),
                                    [=](sycl::item<2> i, auto &s, auto &m) {
                                      s += 1;
                                      m.combine(static_cast<int>(i.get_linear_id()));
                                    });
  numbers[2] = 1000;
  q.parallel_for(sycl::nd_range<1>(64, 16), done, list, sum(), most(),
                 [=](sycl::nd_item<1>, auto &s, auto &m) {
                   s += 1;
                   m.combine(1);
                 })
      .wait();
  CHECK(numbers[0] == 245 && numbers[1] == 80);
  q.submit([&](sycl::handler &h) {
     h.parallel_for(
         sycl::nd_range<2>({4, 16}, {1, 16}), properties{work_group_size<1, 16>}, sum(),
         [=](sycl::nd_item<2> i, auto &s) { s += static_cast<int>(i.get_local_range(1)); });
   }).wait();
  CHECK(numbers[0] == 245 + 64 * 16);
  q.parallel_for<class three_reductions>(sycl::nd_range<1>(64, 16), {done}, list, sum(), most(),
                                         least(),
                                         [=](sycl::nd_item<1> i, auto &s, auto &m, auto &l) {
                                           s += 1;
                                           m.combine(500);
                                           l.combine(static_cast<int>(i.get_local_range(0)));
                                         })
      .wait();
  CHECK(numbers[1] == 500 && numbers[2] == 16);
  // Outside of the macro, in whose argument compilers count lines differently.
  const auto other_size = [&] {
    q.parallel_for(sycl::nd_range<1>(64, 8), list, sum(), [=](sycl::nd_item<1>, auto &s) {
       s += 1;
     }).wait();
  };
  CHECK(check::throws(sycl::errc::nd_range, other_size));
  // A range with properties of the launch.
  numbers[0] = 0;
  *out = {0, 0};
  experimental::parallel_for<class configured>(
      q, experimental::launch_config(sycl::range<1>(64), list),
      [=](sycl::id<1>, auto &s) {
        look(out);
        s += 1;
      },
      sum());
  q.wait();
  CHECK(numbers[0] == 64 && in_groups_of_16(*out));
  const experimental::launch_config config(sycl::nd_range<1>(64, 8),
                                           properties{work_group_size<16>});
  const auto other_config = [&] {
    experimental::nd_launch<nd_configured>(
        q, config, [=](sycl::nd_item<1>, auto &s) { s += 1; }, sum());
    q.wait();
  };
  CHECK(check::throws(sycl::errc::nd_range, other_config));
}

void hierarchies(sycl::queue &q, int *numbers) {
  std::fill(numbers, numbers + 32, 0);
  auto kernel = [=](sycl::group<1> g) {
    g.parallel_for_work_item(sycl::range<1>(4), [&](sycl::h_item<1> it) {
      numbers[g.get_group_id(0) * 4 + it.get_logical_local_id(0)] += 1;
    });
  };
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group<class sized>(sycl::range<1>(8), sycl::range<1>(4),
                                            properties{work_group_size<4>}, kernel);
   }).wait();
  q.submit([&](sycl::handler &h) {
     h.parallel_for_work_group<class unsized>(sycl::range<1>(8), properties{sub_group_size<8>},
                                              kernel);
   }).wait();
  CHECK(std::count(numbers, numbers + 32, 2) == 32);
  const auto other_size = [&] {
    q.submit([&](sycl::handler &h) {
       h.parallel_for_work_group<wrong_size>(sycl::range<1>(8), sycl::range<1>(2),
                                             properties{work_group_size<4>}, kernel);
     }).wait();
  };
  CHECK(check::throws(sycl::errc::nd_range, other_size));
}

// --- Long lists

template <int N> struct number {
  using key_t = number;
};
using eight = decltype(properties{number<7>{}, number<1>{}, number<6>{}, number<2>{}, number<5>{},
                                  number<3>{}, number<4>{}, number<0>{}});
static_assert(std::is_same_v<eight, decltype(properties{number<0>{}, number<1>{}, number<2>{},
                                                        number<3>{}, number<4>{}, number<5>{},
                                                        number<6>{}, number<7>{}})>);
static_assert(eight::has_property<number<6>>() && !eight::has_property<number<8>>());

#ifndef SCYTHE_HOST_MODE
// A size that an attribute requires holds where a reduction divides the range.
void by_attribute(sycl::queue &q, seen *out, int *sum) {
  *sum = 0;
  q.parallel_for(sycl::range<1>(100), sycl::reduction(sum, sycl::plus<>()),
                 [=](sycl::id<1>, auto &s) [[sycl::reqd_work_group_size(16)]] {
                   look(out);
                   s += 1;
                 })
      .wait();
  CHECK(*sum == 100 && out->group == 16);
}
#endif

} // namespace

int main() {
  sycl::queue q;
  if (!has_size(q, 8))
    return check::result();
  seen *out = sycl::malloc_shared<seen>(1, q);
  int *numbers = sycl::malloc_shared<int>(32, q);
  functors(q, out);
  wrapped(q, out, numbers);
  with_reductions(q, out, numbers);
  hierarchies(q, numbers);
#ifndef SCYTHE_HOST_MODE
  by_attribute(q, out, numbers);
#endif
  sycl::free(out, q);
  sycl::free(numbers, q);
  return check::result();
}
