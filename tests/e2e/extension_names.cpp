// Clocks, modes of events, properties of reductions, and the names of group algorithms, reductions
// and atomic references before SYCL 2020.
// MODES: device,host
// LEVELS: O2
// VALGRIND: no
#include <CL/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/intel/experimental/event_mode_property.hpp>
#include <sycl/ext/oneapi/experimental/clock.hpp>
#include <sycl/ext/oneapi/experimental/reduction_properties.hpp>

class sub_group_clock;
class group_clock;
class device_clock;

namespace {

namespace exp = sycl::ext::oneapi::experimental;

// A clock never runs backwards, and it advances while a work-item waits for it.
template <class Name, exp::clock_scope Scope> void clock(sycl::queue &q, sycl::aspect needed) {
  std::uint64_t *const times = sycl::malloc_shared<std::uint64_t>(3, q);
  const auto run = [&] {
    q.parallel_for<Name>(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> it) {
       const std::uint64_t first = exp::clock<Scope>();
       std::uint64_t last = first;
       for (int tries = 0; tries < 1000000 && last == first; ++tries)
         last = exp::clock<Scope>();
       if (it.get_local_id(0) == 3) {
         times[0] = first;
         times[1] = last;
         times[2] = exp::clock<Scope>();
       }
     }).wait();
  };
#ifdef SCYTHE_HOST_MODE
  const bool has = true;
  (void)needed;
#else
  const bool has = q.get_device().has(needed);
#endif
  if (has) {
    run();
    CHECK(times[0] < times[1] && times[1] <= times[2]);
  } else {
    CHECK(check::throws(sycl::errc::kernel_not_supported, run));
  }
  sycl::free(times, q);
}

void event_modes(sycl::queue &q) {
  namespace intel = sycl::ext::intel::experimental;
  int *const value = sycl::malloc_shared<int>(1, q);
  *value = 0;
  const exp::properties quiet{intel::event_mode(intel::event_mode_enum::low_power)};
  CHECK(quiet.get_property<intel::event_mode_key>().value == intel::event_mode_enum::low_power);
  exp::submit_with_event(q, quiet, [&](sycl::handler &h) {
    exp::single_task(h, [=] { *value = 7; });
  }).wait();
  CHECK(*value == 7);
  sycl::free(value, q);
}

void reductions(sycl::queue &q) {
  int *const sum = sycl::malloc_shared<int>(2, q);
  const exp::properties steady{exp::deterministic};
  const exp::properties fresh{exp::deterministic, exp::initialize_to_identity};
  const auto run = [&](auto reduction) {
    q.parallel_for(sycl::range<1>(100), reduction, [=](sycl::id<1> i, auto &r) {
       r += static_cast<int>(i[0]);
     }).wait();
  };
  sum[0] = 5;
  run(sycl::reduction(sum, sycl::plus<int>(), steady));
  CHECK(sum[0] == 4955);
  run(sycl::reduction(sum, sycl::plus<int>(), fresh));
  CHECK(sum[0] == 4950);
  run(sycl::reduction(sum, 0, sycl::plus<int>(), fresh));
  CHECK(sum[0] == 4950);
  sum[1] = 1;
  q.parallel_for(sycl::range<1>(10),
                 sycl::reduction(sycl::span<int, 2>(sum, 2), sycl::plus<int>(), fresh),
                 [=](sycl::id<1> i, auto &r) {
                   r[0] += 1;
                   r[1] += static_cast<int>(i[0]);
                 })
      .wait();
  CHECK(sum[0] == 10 && sum[1] == 45);
  sycl::buffer<int> total(1);
  q.submit([&](sycl::handler &h) {
    h.parallel_for(sycl::range<1>(100), sycl::reduction(total, h, sycl::plus<int>(), fresh),
                   [=](sycl::id<1>, auto &r) { r += 2; });
  });
  CHECK(total.get_host_access()[0] == 200);
  // The mode of an accessor says whether the previous value counts.
  for (const bool keeps : {true, false}) {
    q.submit([&](sycl::handler &h) {
      const auto add = [=](sycl::nd_item<1>, auto &r) { r += 1; };
      const sycl::nd_range<1> range(64, 16);
      if (keeps) {
        auto acc = total.get_access<sycl::access::mode::read_write>(h);
        h.parallel_for<class kept>(range, sycl::ONEAPI::reduction(acc, sycl::ONEAPI::plus<int>()),
                                   add);
      } else {
        auto acc = total.get_access<sycl::access::mode::discard_write>(h);
        h.parallel_for<class fresh_value>(
            range, sycl::ONEAPI::reduction(acc, 0, sycl::ONEAPI::plus<int>()), add);
      }
    });
    CHECK(total.get_host_access()[0] == (keeps ? 264 : 64));
  }
  sycl::free(sum, q);
}

void algorithms(sycl::queue &q) {
  namespace old = sycl::ONEAPI;
  constexpr int size = 24;
  int *const in = sycl::malloc_shared<int>(size, q), *const out = sycl::malloc_shared<int>(size, q);
  for (int i = 0; i < size; ++i)
    in[i] = i * 5 % 7;
  q.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     const int i = static_cast<int>(it.get_local_id(0)), x = in[i];
     int wrong = 0, sum = 0, before = 0, most = 0;
     for (int j = 0; j < size; ++j) {
       before += j < i ? in[j] : 0;
       sum += in[j];
       most = in[j] > most ? in[j] : most;
     }
     const auto positive = [](int v) { return v > 0; };
     wrong += old::reduce(g, x, old::plus<int>()) != sum;
     wrong += old::reduce(g, x, 100, old::plus<int>()) != sum + 100;
     wrong += old::reduce(g, in, in + size, old::maximum<int>()) != most;
     wrong += old::reduce(g, in, in + size, 1, old::plus<int>()) != sum + 1;
     wrong += old::exclusive_scan(g, x, old::plus<int>()) != before;
     wrong += old::exclusive_scan(g, x, 10, old::plus<int>()) != before + 10;
     wrong += old::inclusive_scan(g, x, old::plus<int>()) != before + x;
     wrong += old::inclusive_scan(g, x, old::plus<int>(), 10) != before + x + 10;
     wrong += old::any_of(g, x == 6) != true || old::all_of(g, x, positive) ||
              old::none_of(g, in, in + size, positive);
     wrong += old::broadcast(g, x) != in[0] || old::broadcast(g, x, 3) != in[3] ||
              old::broadcast(g, x, sycl::id<1>(4)) != in[4];
     wrong += old::leader(g) != (i == 0);
     const sycl::sub_group part = it.get_sub_group();
     const int lane = static_cast<int>(part.get_local_linear_id());
     const int lanes = static_cast<int>(part.get_local_linear_range());
     wrong += part.shuffle(lane * 3, lanes - 1) != (lanes - 1) * 3;
     const int next = part.shuffle_down(lane, 1), last = part.shuffle_up(lane, 1);
     const int swapped = part.shuffle_xor(lane, 1);
     wrong += (lane + 1 < lanes && next != lane + 1) || (lane > 0 && last != lane - 1);
     wrong += (lane ^ 1) < lanes && swapped != (lane ^ 1);
     out[i] = wrong;
   }).wait();
  for (int i = 0; i < size; ++i)
    CHECK(out[i] == 0);
  q.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
     old::exclusive_scan(it.get_group(), in, in + size, out, 2, old::plus<int>());
   }).wait();
  int before = 2;
  for (int i = 0; i < size; ++i) {
    CHECK(out[i] == before);
    before += in[i];
  }
  *out = 0;
  q.parallel_for(sycl::range<1>(100), [=](sycl::id<1>) {
     old::atomic_ref<int, old::memory_order::relaxed, old::memory_scope::device,
                     sycl::access::address_space::global_space>(*out)
         .fetch_add(1);
   }).wait();
  CHECK(*out == 100);
  sycl::buffer<int> counter(1);
  counter.get_host_access()[0] = 3;
  q.submit([&](sycl::handler &h) {
    const sycl::accessor plain(counter, h, sycl::read_write);
    const old::atomic_accessor<int, 1, old::memory_order::relaxed, old::memory_scope::device> acc(
        plain);
    h.parallel_for(sycl::range<1>(50), [=](sycl::id<1>) { acc[0] += 2; });
  });
  CHECK(counter.get_host_access()[0] == 103);
  sycl::free(in, q);
  sycl::free(out, q);
}

} // namespace

int main() {
  sycl::queue q;
  using scope = exp::clock_scope;
  clock<sub_group_clock, scope::sub_group>(q, sycl::aspect::ext_oneapi_clock_sub_group);
  clock<group_clock, scope::work_group>(q, sycl::aspect::ext_oneapi_clock_work_group);
  clock<device_clock, scope::device>(q, sycl::aspect::ext_oneapi_clock_device);
  CHECK(!q.get_device().has(sycl::aspect::ext_oneapi_is_integrated_gpu) || q.get_device().is_gpu());
  event_modes(q);
  reductions(q);
  algorithms(q);
  return check::result();
}
