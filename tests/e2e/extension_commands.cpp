// Native commands in command groups, arguments of native kernels as bytes, prefetches in kernels.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <atomic>
#include <sycl/ext/oneapi/experimental/prefetch.hpp>
#include <vector>

namespace syclex = sycl::ext::oneapi::experimental;

namespace {

void native_commands() {
  for (const bool in_order : {false, true}) {
    sycl::queue q(in_order ? sycl::property_list{sycl::property::queue::in_order()}
                           : sycl::property_list{});
    int *data = sycl::malloc_shared<int>(2, q);
    data[0] = data[1] = 0;
    const sycl::event first = q.single_task([=] { data[0] = 5; });
    std::atomic<int> calls = 0;
    const sycl::event second = q.submit([&](sycl::handler &h) {
      h.depends_on(first);
      h.ext_codeplay_enqueue_native_command(
          [&](sycl::interop_handle handle) { calls += handle.get_backend() == q.get_backend(); });
    });
    const sycl::event third = q.submit([&](sycl::handler &h) {
      h.depends_on(second);
      h.ext_oneapi_enqueue_native_command([&](sycl::interop_handle &) { ++calls; });
    });
    q.submit([&](sycl::handler &h) {
       h.depends_on(third);
       h.single_task([=] { data[1] = data[0] + 1; });
     }).wait();
    CHECK(calls == 2 && data[1] == 6);
    sycl::free(data, q);
  }
  // Arguments as bytes are copied at once.
  sycl::queue other;
  other.submit([](sycl::handler &h) {
    int value = 4;
    h.set_arg(0, sycl::ext::oneapi::experimental::raw_kernel_arg(&value, sizeof value));
    h.set_args(sycl::ext::oneapi::raw_kernel_arg(&value, 2), value);
  });
  // An exception is an asynchronous error.
  int errors = 0;
  sycl::queue q{[&](sycl::exception_list list) { errors += int(list.size()); }};
  q.submit([](sycl::handler &h) {
    h.ext_oneapi_enqueue_native_command([](sycl::interop_handle) { throw 1; });
  });
  q.wait_and_throw();
  CHECK(errors == 1);
}

void prefetches() {
  static constexpr std::size_t items = 64, per_item = 100;
  sycl::queue q;
  int *data = sycl::malloc_shared<int>(items * per_item, q);
  for (std::size_t i = 0; i < items * per_item; ++i)
    data[i] = int(i % 7);
  std::vector<int> sums(items);
  {
    sycl::buffer<int> out(sums.data(), items), in(data, items * per_item);
    q.submit([&](sycl::handler &h) {
      sycl::accessor sum(out, h, sycl::write_only);
      sycl::accessor from(in, h, sycl::read_only);
      h.parallel_for(sycl::nd_range<1>(items, 16), [=](sycl::nd_item<1> it) {
        const std::size_t i = it.get_global_id(0);
        const int *mine = data + i * per_item;
        syclex::prefetch(mine);
        syclex::prefetch(mine, per_item, syclex::properties{syclex::prefetch_hint_L3_nt});
        syclex::prefetch(static_cast<void *>(data), 64,
                         syclex::properties{syclex::prefetch_hint<syclex::cache_level::L2, void>});
        syclex::prefetch(from, sycl::id<1>(i * per_item), per_item);
        syclex::prefetch(sycl::address_space_cast<sycl::access::address_space::global_space,
                                                  sycl::access::decorated::no>(data),
                         syclex::properties{syclex::prefetch_hint_L1});
        syclex::joint_prefetch(it.get_group(), data, items);
        syclex::joint_prefetch(it.get_sub_group(), from, sycl::id<1>(0),
                               syclex::properties{syclex::prefetch_hint_L4});
        int total = 0;
        for (std::size_t k = 0; k < per_item; ++k)
          total += mine[k];
        sum[i] = total;
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < items; ++i) {
    int total = 0;
    for (std::size_t k = 0; k < per_item; ++k)
      total += int((i * per_item + k) % 7);
    wrong += sums[i] != total;
  }
  CHECK(wrong == 0);
  sycl::free(data, q);
}

} // namespace

int main() {
  native_commands();
  prefetches();
  return check::result();
}
