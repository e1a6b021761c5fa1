// Reductions: of USM, buffers and spans, over ranges and nd_ranges of one to three dimensions, with
// known and unknown identities, several at once, and of types and operations of the program's own.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <array>
#include <vector>

// With another host compiler, kernels with more than two reductions of a queue need a name.
class four_reductions;

namespace {

using initialize = sycl::property::reduction::initialize_to_identity;

struct pair {
  int sum;
  int greatest;
};
struct join {
  pair operator()(const pair &a, const pair &b) const {
    return {a.sum + b.sum, a.greatest < b.greatest ? b.greatest : a.greatest};
  }
};

// Ranges around the sizes of groups and segments, and none at all.
void sizes(sycl::queue &q) {
  long *const sum = sycl::malloc_shared<long>(1, q);
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 127, 128, 129, 1000, 4096, 100003}) {
    const long expected = static_cast<long>(n) * (static_cast<long>(n) + 1) / 2;
    *sum = 7;
    q.parallel_for(n, sycl::reduction(sum, sycl::plus<>()), [=](sycl::id<1> i, auto &s) {
       s += static_cast<long>(i[0]) + 1;
     }).wait();
    CHECK(*sum == 7 + expected);
    q.parallel_for(n, sycl::reduction(sum, sycl::plus<>(), initialize()),
                   [=](sycl::item<1> i, auto &s) {
                     s.combine(static_cast<long>(i.get_linear_id() + i.get_range(0) - n) + 1);
                   })
        .wait();
    CHECK(*sum == expected);
  }
  sycl::free(sum, q);
}

void dimensions(sycl::queue &q) {
  int *const out = sycl::malloc_shared<int>(2, q);
  for (const std::size_t columns : {1, 3, 40, 300}) {
    const sycl::range<2> flat(7, columns);
    const sycl::range<3> deep(3, 5, columns);
    out[0] = out[1] = 0;
    q.parallel_for(flat, sycl::reduction(out, sycl::plus<int>()), [=](sycl::id<2> i, auto &s) {
       s += static_cast<int>(i[0] * 1000 + i[1]);
     }).wait();
    q.parallel_for(deep, sycl::reduction(out + 1, sycl::plus<int>()),
                   [=](sycl::item<3> i, auto &s) { s += static_cast<int>(i.get_linear_id()); })
        .wait();
    int expected = 0;
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        expected += static_cast<int>(i * 1000 + j);
    const int count = static_cast<int>(deep.size());
    CHECK(out[0] == expected);
    CHECK(out[1] == count * (count - 1) / 2);
  }
  out[0] = 0;
  q.parallel_for(
       sycl::nd_range<2>({8, 12}, {4, 3}), sycl::reduction(out, sycl::plus<int>()),
       [=](sycl::nd_item<2> it, auto &s) { s += static_cast<int>(it.get_global_linear_id()); })
      .wait();
  CHECK(out[0] == 96 * 95 / 2);
  out[0] = 0;
  q.parallel_for(sycl::nd_range<3>({2, 4, 6}, {1, 2, 3}), sycl::reduction(out, sycl::maximum<>()),
                 [=](sycl::nd_item<3> it, auto &s) {
                   s.combine(static_cast<int>(it.get_global_linear_id()));
                 })
      .wait();
  CHECK(out[0] == 47);
  sycl::free(out, q);
}

template <class T, class Op>
T reduce_buffer(sycl::queue &q, Op op, T before, const sycl::property_list &props = {}) {
  T result = before;
  {
    sycl::buffer<T> out(&result, 1);
    q.submit([&](sycl::handler &h) {
      h.parallel_for(sycl::nd_range<1>(96, 16), sycl::reduction(out, h, op, props),
                     [=](sycl::nd_item<1> it, auto &s) {
                       s.combine(static_cast<T>(it.get_global_id(0) % 5 + 1));
                     });
    });
  }
  return result;
}

void operations(sycl::queue &q) {
  CHECK(reduce_buffer<int>(q, sycl::plus<int>(), 1) == 287);
  CHECK(reduce_buffer<int>(q, sycl::plus<int>(), 1, {initialize()}) == 286);
  CHECK(reduce_buffer<unsigned char>(q, sycl::minimum<unsigned char>(), 200) == 1);
  CHECK(reduce_buffer<short>(q, sycl::maximum<>(), -3) == 5);
  CHECK(reduce_buffer<unsigned>(q, sycl::bit_or<unsigned>(), 8) == 15);
  CHECK(reduce_buffer<unsigned>(q, sycl::bit_and<unsigned>(), 7) == 0);
  CHECK(reduce_buffer<float>(q, sycl::plus<float>(), 0.5f) == 286.5f);
  CHECK(reduce_buffer<bool>(q, sycl::logical_and<bool>(), true));
  // No identity is known for a lambda.
  CHECK(reduce_buffer<int>(q, [](int a, int b) { return a + b; }, 1) == 287);
  CHECK(check::throws(sycl::errc::invalid, [&] {
    reduce_buffer<int>(q, [](int a, int b) { return a + b; }, 1, {initialize()});
  }));
  sycl::buffer<int> two(2);
  CHECK(check::throws(sycl::errc::invalid, [&] {
    q.submit([&](sycl::handler &h) { (void)sycl::reduction(two, h, sycl::plus<int>()); });
  }));
}

void own_types(sycl::queue &q) {
  pair *const out = sycl::malloc_shared<pair>(2, q);
  out[0] = out[1] = {100, 2};
  q.parallel_for(sycl::range<1>(5000), sycl::reduction(out, pair{0, -1}, join()),
                 sycl::reduction(out + 1, join()),
                 [=](sycl::id<1> i, auto &with, auto &without) {
                   const pair p{1, static_cast<int>(i[0])};
                   with.combine(p);
                   // Only some work-items have a value.
                   if (i[0] % 700 == 699)
                     without.combine(p);
                 })
      .wait();
  CHECK(out[0].sum == 5100 && out[0].greatest == 4999);
  CHECK(out[1].sum == 107 && out[1].greatest == 4899);
  sycl::free(out, q);
}

void spans(sycl::queue &q) {
  int *const bins = sycl::malloc_shared<int>(4, q);
  for (int i = 0; i < 4; ++i)
    bins[i] = i;
  q.parallel_for(sycl::range<1>(4001), sycl::reduction(sycl::span<int, 4>(bins, 4), sycl::plus<>()),
                 [=](sycl::id<1> i, auto &s) { ++s[i[0] % 4]; })
      .wait();
  CHECK(bins[0] == 1001 && bins[1] == 1001 && bins[2] == 1002 && bins[3] == 1003);
  q.parallel_for(
       sycl::nd_range<1>(64, 8),
       sycl::reduction(
           sycl::span<int, 4>(bins, 4), 0, [](int a, int b) { return a + b; }, initialize()),
       [=](sycl::nd_item<1> it, auto &s) { s[it.get_local_id(0) % 4].combine(2); })
      .wait();
  CHECK(bins[0] == 32 && bins[1] == 32 && bins[2] == 32 && bins[3] == 32);
  sycl::free(bins, q);
}

// Four in one kernel, after events, while others are in flight.
void several(sycl::queue &q) {
  long *const out = sycl::malloc_shared<long>(5, q);
  for (int i = 0; i < 5; ++i)
    out[i] = 1;
  sycl::event last;
  for (int round = 0; round < 3; ++round)
    last = q.parallel_for<four_reductions>(
        sycl::range<1>(3000), last, sycl::reduction(out, sycl::plus<long>()),
        sycl::reduction(out + 1, sycl::minimum<long>()),
        sycl::reduction(out + 2, sycl::maximum<long>()),
        sycl::reduction(out + 3, 0L, [](long a, long b) { return a ^ b; }),
        [=](sycl::id<1> i, auto &sum, auto &least, auto &most, auto &odd) {
          const long x = static_cast<long>(i[0]);
          sum += x;
          least.combine(-x);
          most.combine(x);
          odd.combine(x);
        });
  last.wait();
  long odd = 0;
  for (long x = 0; x < 3000; ++x)
    odd ^= x;
  CHECK(out[0] == 1 + 3 * 3000L * 2999 / 2);
  CHECK(out[1] == -2999 && out[2] == 2999);
  CHECK(out[3] == (1 ^ odd));
  std::vector<sycl::event> events;
  for (int i = 0; i < 40; ++i)
    events.push_back(q.parallel_for(sycl::range<1>(2000), i ? events.back() : sycl::event(),
                                    sycl::reduction(out + 4, sycl::plus<long>()),
                                    [=](sycl::id<1>, auto &s) { ++s; }));
  q.wait();
  CHECK(out[4] == 80001);
  sycl::free(out, q);
}

void classes(sycl::queue &q) {
  int *const out = sycl::malloc_shared<int>(1, q);
  *out = 0;
  q.parallel_for(sycl::range<1>(1), sycl::reduction(out, sycl::plus<int>()),
                 [=](sycl::id<1>, auto &s) {
                   using type = std::remove_reference_t<decltype(s)>;
                   static_assert(std::is_same_v<typename type::value_type, int>);
                   static_assert(std::is_same_v<typename type::binary_operation, sycl::plus<int>>);
                   static_assert(type::dimensions == 0 && !std::is_copy_constructible_v<type>);
                   s.combine(s.identity()).combine(4) += 5;
                 })
      .wait();
  CHECK(*out == 9);
  sycl::free(out, q);

  int plain[3] = {1, 2, 3};
  sycl::span s(plain);
  static_assert(decltype(s)::extent == 3);
  sycl::span<const int> dynamic = s;
  std::vector<int> vector{4, 5};
  sycl::span of_vector(vector);
  CHECK(dynamic.size() == 3 && dynamic[2] == 3 && s.last<1>()[0] == 3 && of_vector.back() == 5);
  CHECK(dynamic.subspan(1).size() == 2 && s.subspan<1>().size() == 2 && s.first(2).back() == 2);
  CHECK(sycl::as_bytes(s).size() == sizeof(plain));
}

struct adds_index {
  template <class Reducer> void operator()(sycl::id<1> i, Reducer &sum) const {
    sum += static_cast<int>(i[0]);
  }
};

// One function object, without a name, is a kernel of its own for each kind of reduction.
void one_object_for_several(sycl::queue &q) {
  constexpr std::size_t n = 100;
  constexpr int expected = 4950;
  int *const usm = sycl::malloc_shared<int>(1, q);
  long *const wide = sycl::malloc_shared<long>(1, q);
  int in_buffer = 0;
  *usm = 0;
  *wide = 0;
  const auto kernel = [](sycl::id<1> i, auto &sum) { sum += static_cast<int>(i[0]); };
  q.parallel_for(n, sycl::reduction(usm, sycl::plus<>()), kernel).wait();
  q.parallel_for(n, sycl::reduction(wide, sycl::plus<>()), kernel).wait();
  {
    sycl::buffer<int> b(&in_buffer, 1);
    q.submit([&](sycl::handler &h) {
      h.parallel_for(n, sycl::reduction(b, h, sycl::plus<>()), kernel);
    });
  }
  CHECK(*usm == expected && *wide == expected && in_buffer == expected);
  q.parallel_for(n, sycl::reduction(usm, sycl::plus<>()), adds_index()).wait();
  q.parallel_for(n, sycl::reduction(usm, sycl::maximum<>()), [](sycl::id<1> i, auto &greatest) {
     greatest.combine(static_cast<int>(i[0]));
   }).wait();
  q.parallel_for(n, sycl::reduction(wide, sycl::plus<>()), adds_index()).wait();
  CHECK(*usm == 2 * expected && *wide == 2 * expected);
  sycl::free(usm, q);
  sycl::free(wide, q);
}

} // namespace

int main() {
  sycl::queue q;
  sycl::queue in_order{sycl::property::queue::in_order()};
  sizes(q);
  dimensions(q);
  operations(q);
  own_types(q);
  spans(q);
  several(q);
  several(in_order);
  classes(q);
  one_object_for_several(q);
  return check::result();
}
