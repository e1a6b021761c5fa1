// Group algorithms and reductions of half, of vectors and of mathematical arrays; kernels with
// reductions that take a `kernel_handler`; identities that the program declares for its own types.
// MODES: device,host
// LEVELS: O2
// VALGRIND: no
#include "group_reduce_scan.hpp"

struct money {
  int cents;
};
struct add_money {
  money operator()(const money &a, const money &b) const { return {a.cents + b.cents}; }
};
template <> struct sycl::known_identity<add_money, money> {
  static constexpr money value{0};
};
template <> struct sycl::has_known_identity<add_money, money> : std::true_type {};

constexpr sycl::specialization_id<int> weight(3);

namespace {

using initialize = sycl::property::reduction::initialize_to_identity;

template <class V, class Op> class element_by_element;

// What vectors give is what their elements give.
template <class V, class Op> void vectors(sycl::queue &q, std::size_t size) {
  using T = typename V::value_type;
  constexpr std::size_t forms = 6;
  std::vector<int> wrong(size, -1);
  {
    sycl::buffer<int> out(wrong);
    q.submit([&](sycl::handler &h) {
      sycl::accessor w(out, h, sycl::write_only);
      sycl::local_accessor<V, 1> values(2 * size + 1, h);
      h.parallel_for<element_by_element<V, Op>>(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1>
                                                                                       it) {
        const Op op;
        const std::size_t i = it.get_local_id(0);
        V x{}, init{};
        for (std::size_t e = 0; e < V::size(); ++e) {
          x[e] = static_cast<T>((i * 3 + e * 5) % 7 + 1);
          init[e] = static_cast<T>(e);
        }
        const auto g = it.get_group();
        const auto sg = it.get_sub_group();
        for (std::size_t at = i; at < 2 * size + 1; at += size)
          values[at] = x;
        sycl::group_barrier(g);
        const V got[forms] = {sycl::reduce_over_group(g, x, op),
                              sycl::inclusive_scan_over_group(g, x, op),
                              sycl::exclusive_scan_over_group(g, x, init, op),
                              sycl::reduce_over_group(sg, x, init, op),
                              sycl::exclusive_scan_over_group(sg, x, op),
                              sycl::joint_reduce(g, &values[0], &values[0] + values.size(), op)};
        int bad = 0;
        for (std::size_t e = 0; e < V::size(); ++e) {
          const std::conditional_t<sycl::detail::operation_of<Op> == sycl::detail::operation::add,
                                   sycl::plus<>, sycl::maximum<>>
              one{};
          const T y = x[e];
          // The values in memory are those of all work-items twice, and the first one's.
          const T all = sycl::reduce_over_group(g, y, one), first = sycl::group_broadcast(g, y);
          bad += !(got[0][e] == all);
          bad += !(got[1][e] == sycl::inclusive_scan_over_group(g, y, one));
          bad += !(got[2][e] == sycl::exclusive_scan_over_group(g, y, init[e], one));
          bad += !(got[3][e] == sycl::reduce_over_group(sg, y, init[e], one));
          bad += !(got[4][e] == sycl::exclusive_scan_over_group(sg, y, one));
          bad += !(got[5][e] == static_cast<T>(one(static_cast<T>(one(all, all)), first)));
        }
        const V last = sycl::group_broadcast(g, x, size - 1),
                next = sycl::shift_group_left(sg, x, 1);
        for (std::size_t e = 0; e < V::size(); ++e) {
          bad += !(last[e] == static_cast<T>(((size - 1) * 3 + e * 5) % 7 + 1));
          if (sg.get_local_linear_id() + 1 < sg.get_local_linear_range())
            bad += !(next[e] == static_cast<T>(((i + 1) * 3 + e * 5) % 7 + 1));
        }
        w[i] = bad;
      });
    });
  }
  for (int bad : wrong)
    CHECK(bad == 0);
}

void half_reductions(sycl::queue &q) {
  sycl::half *const out = sycl::malloc_shared<sycl::half>(3, q);
  out[0] = out[1] = out[2] = 2;
  q.parallel_for(sycl::range<1>(300), sycl::reduction(out, sycl::plus<>()),
                 sycl::reduction(out + 1, sycl::maximum<sycl::half>()),
                 [=](sycl::id<1> i, auto &sum, auto &most) {
                   sum += sycl::half(1);
                   most.combine(static_cast<sycl::half>(static_cast<float>(i[0])));
                 })
      .wait();
  q.parallel_for(sycl::nd_range<1>(64, 16),
                 sycl::reduction(out + 2, sycl::minimum<sycl::half>(), initialize()),
                 [=](sycl::nd_item<1> it, auto &least) {
                   least.combine(static_cast<sycl::half>(5 - static_cast<int>(it.get_local_id(0))));
                 })
      .wait();
  CHECK(out[0] == 302);
  CHECK(out[1] == 299);
  CHECK(out[2] == -10);
  sycl::free(out, q);
}

void handlers_and_identities(sycl::queue &q) {
  int *const out = sycl::malloc_shared<int>(2, q);
  out[0] = out[1] = 0;
  q.submit([&](sycl::handler &h) {
     h.set_specialization_constant<weight>(5);
     h.parallel_for(sycl::range<1>(100), sycl::reduction(out, sycl::plus<>()),
                    [=](sycl::id<1>, auto &sum, sycl::kernel_handler kh) {
                      sum += kh.get_specialization_constant<weight>();
                    });
   }).wait();
  q.submit([&](sycl::handler &h) {
     h.parallel_for(sycl::nd_range<1>(40, 8), sycl::reduction(out + 1, sycl::plus<>()),
                    [=](sycl::nd_item<1>, auto &sum, sycl::kernel_handler kh) {
                      sum += kh.get_specialization_constant<weight>();
                    });
   }).wait();
  CHECK(out[0] == 500);
  CHECK(out[1] == 120);
  sycl::free(out, q);

  money *const total = sycl::malloc_shared<money>(1, q);
  total->cents = 1000;
  q.parallel_for(sycl::range<1>(50), sycl::reduction(total, add_money(), initialize()),
                 [=](sycl::id<1>, auto &sum) { sum.combine({sum.identity().cents + 2}); })
      .wait();
  CHECK(total->cents == 100);
  sycl::free(total, q);
}

} // namespace

int main() {
  sycl::queue q;
  for (std::size_t size : {7, 40}) {
    vectors<sycl::vec<float, 3>, sycl::plus<sycl::vec<float, 3>>>(q, size);
    vectors<sycl::marray<short, 2>, sycl::maximum<>>(q, size);
  }
  handlers_and_identities(q);
  if (q.get_device().has(sycl::aspect::fp16)) {
    reduce_scan::sizes<sycl::half, sycl::plus<>>(q);
    reduce_scan::sizes<sycl::half, sycl::minimum<sycl::half>>(q);
    reduce_scan::sizes<sycl::half, sycl::logical_or<sycl::half>>(q);
    half_reductions(q);
  }
  return check::result();
}
