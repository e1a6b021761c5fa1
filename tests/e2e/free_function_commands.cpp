// Commands as free functions, under the names of both extensions.
//
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/khr/free_function_commands.hpp>
#include <sycl/khr/static_addrspace_cast.hpp>

#include <memory>
#include <vector>

namespace ext = sycl::ext::oneapi::experimental;
namespace khr = sycl::khr;

namespace {

class sum_of_range;
class sum_of_groups;

void by_ext() {
  const sycl::queue q{sycl::property::queue::in_order()};
  int *v = sycl::malloc_shared<int>(64, q);
  int *sum = sycl::malloc_shared<int>(2, q);
  sum[0] = sum[1] = 0;
  ext::fill(q, v, 1, 64);
  ext::single_task(q, [=] { v[0] = 10; });
  ext::parallel_for(q, sycl::range<1>(64), [=](sycl::id<1> i) { v[i] += 1; });
  ext::parallel_for(q, ext::launch_config(sycl::range<2>(8, 8)),
                    [=](sycl::item<2> i) { v[i.get_linear_id()] += 1; });
  ext::nd_launch(q, sycl::nd_range<1>(64, 16),
                 [=](sycl::nd_item<1> i) { v[i.get_global_id(0)] += 1; });
  ext::parallel_for<sum_of_range>(
      q, sycl::range<1>(64), [=](sycl::id<1> i, auto &s) { s += v[i]; },
      sycl::reduction(sum, sycl::plus<>()));
  ext::nd_launch<sum_of_groups>(
      q, sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i, auto &s) { s += v[i.get_global_id(0)]; },
      sycl::reduction(sum + 1, sycl::plus<>()));
  sycl::event e = ext::submit_with_event(q, [&](sycl::handler &h) {
    ext::nd_launch(h, ext::launch_config(sycl::nd_range<1>(64, 32)),
                   [=](sycl::nd_item<1> i) { v[i.get_global_id(0)] *= 2; });
  });
  ext::partial_barrier(q, {e});
  ext::barrier(q);
  std::vector<int> back(64);
  ext::memcpy(q, back.data(), v, 32 * sizeof(int));
  ext::copy(q, v + 32, back.data() + 32, 32);
  ext::prefetch(q, v, 64);
  ext::prefetch(q, v, 64, ext::prefetch_type::host);
  ext::mem_advise(q, v, 64, 0);
  ext::submit(q, [&](sycl::handler &h) { ext::memset(h, v, 0, sizeof(int)); });
  sycl::queue(q).wait();
  CHECK(sum[0] == 13 + 63 * 4 && sum[1] == sum[0]);
  CHECK(back[0] == 26 && back[63] == 8 && v[0] == 0 && v[1] == 8);
  sycl::free(v, q);
  sycl::free(sum, q);
}

void by_khr() {
  const sycl::queue q{sycl::property::queue::in_order()};
  int *v = sycl::malloc_shared<int>(64, q);
  int *sum = sycl::malloc_shared<int>(2, q);
  sum[0] = sum[1] = 0;
  khr::fill(q, v, 1, 64);
  khr::launch_task(q, [=] { v[0] = 10; });
  khr::launch(q, {64}, [=](sycl::id<1> i) {
    *khr::static_addrspace_cast<sycl::access::address_space::global_space>(v + i[0]) += 1;
  });
  khr::launch_grouped(q, {8, 8}, {2, 4},
                      [=](sycl::nd_item<2> i) { v[i.get_global_linear_id()] += 1; });
  khr::launch_reduce(
      q, {64}, [=](sycl::id<1> i, auto &s) { s += v[i]; }, sycl::reduction(sum, sycl::plus<>()));
  khr::launch_grouped_reduce(
      q, {64}, {16}, [=](sycl::nd_item<1> i, auto &s) { s += v[i.get_global_id(0)]; },
      sycl::reduction(sum + 1, sycl::plus<>()));
  std::vector<int> back(64), host(64, 3);
  {
    sycl::buffer<int> b(host.data(), 64);
    sycl::accessor<int, 1, sycl::access_mode::read_write> a(b);
    khr::copy(q, std::shared_ptr<int[]>(new int[64]()), a);
    khr::fill(q, a, 5);
    khr::submit(q, [&](sycl::handler &h) {
      sycl::accessor c(b, h);
      khr::launch(h, sycl::range<1>(64), [=](sycl::id<1> i) { c[i] += 1; });
    });
    khr::copy(q, a, back.data());
    khr::update_host(q, a);
    khr::command_barrier(q);
  }
  CHECK(host[0] == 6 && host[63] == 6);
  khr::event_barrier(
      q, {khr::submit_tracked(q, [&](sycl::handler &h) { khr::memset(h, v, 0, sizeof(int)); })});
  khr::copy(q, v, v + 1, 1);
  khr::memcpy(q, v + 2, v, sizeof(int));
  khr::prefetch(q, v, 4);
  khr::mem_advise(q, v, 4, 0);
  sycl::queue(q).wait();
  CHECK(sum[0] == 12 + 63 * 3 && sum[1] == sum[0] && back[0] == 6 && back[63] == 6);
  CHECK(v[0] == 0 && v[1] == 0 && v[2] == 0 && v[3] == 3);
  sycl::free(v, q);
  sycl::free(sum, q);
}

} // namespace

int main() {
  by_ext();
  by_khr();
  return check::result();
}
