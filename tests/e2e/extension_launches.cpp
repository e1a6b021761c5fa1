// Properties of launches and of kernel arguments, sizes of work-groups that the headers choose,
// waits that sleep, and smart pointers to device memory.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <memory>
#include <sycl/ext/intel/experimental/cache_control_properties.hpp>
#include <sycl/ext/intel/experimental/grf_size_properties.hpp>
#include <sycl/ext/oneapi/experimental/throttled_wait.hpp>
#include <sycl/ext/oneapi/experimental/usm_deleter.hpp>

namespace syclex = sycl::ext::oneapi::experimental;
namespace intelex = sycl::ext::intel::experimental;

namespace {

constexpr std::size_t n = 96;

struct automatic {
  int *out;
  auto get(syclex::properties_tag) const {
    return syclex::properties{intelex::maximum_registers_automatic};
  }
  void operator()(sycl::nd_item<1> it) const { out[it.get_global_id(0)] = 4; }
};

void registers() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(n, q);
  const sycl::nd_range<1> range(n, 16);
  q.parallel_for<class small>(range, syclex::properties{intelex::maximum_registers<32>},
                              [=](sycl::nd_item<1> it) { out[it.get_global_id(0)] = 1; })
      .wait();
  CHECK(out[0] == 1 && out[n - 1] == 1);
  q.parallel_for<class large>(range, syclex::properties{intelex::maximum_registers<256>},
                              [=](sycl::nd_item<1> it) { out[it.get_global_id(0)] = 2; })
      .wait();
  CHECK(out[0] == 2 && out[n - 1] == 2);
  q.single_task<class older>(syclex::properties{intelex::grf_size<256>}, [=] {
     out[0] = 3;
   }).wait();
  q.single_task<class chosen>(syclex::properties{intelex::grf_size_automatic}, [=] {
     out[1] = out[0] + 1;
   }).wait();
  CHECK(out[0] == 3 && out[1] == 4);
  q.parallel_for(range, automatic{out}).wait();
  CHECK(out[0] == 4 && out[n - 1] == 4);
  for (const auto config : {intelex::large_slm, intelex::large_data}) {
    syclex::nd_launch<class cached>(
        q, syclex::launch_config(range, syclex::properties{intelex::cache_config(config)}),
        [=](sycl::nd_item<1> it) { out[it.get_global_id(0)] += 1; });
    q.wait();
  }
  CHECK(out[0] == 6 && out[n - 1] == 6);
  sycl::free(out, q);
}

#ifndef SCYTHE_HOST_MODE // which has no kernel objects

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::nd_range_kernel<1>))
void doubled(int *out) {
  out[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_id(0)] *= 2;
}

// Kernels that do not use the scratch memory of their launch need no header of its own.
void unused_scratch() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(n, q);
  q.fill(out, 21, n).wait();
  const auto bundle =
      syclex::get_kernel_bundle<doubled, sycl::bundle_state::executable>(q.get_context());
  syclex::nd_launch(q,
                    syclex::launch_config(sycl::nd_range<1>(n, 16),
                                          syclex::properties{syclex::work_group_scratch_size(64)}),
                    bundle.ext_oneapi_get_kernel<doubled>(), out);
  q.wait();
  CHECK(out[0] == 42 && out[n - 1] == 42);
  sycl::free(out, q);
}

#endif

void arguments() {
  sycl::queue q;
  int *to = sycl::malloc_shared<int>(n, q);
  int *from = sycl::malloc_shared<int>(
      n, q, sycl::property_list{sycl::ext::oneapi::property::usm::device_read_only()});
  for (std::size_t i = 0; i < n; ++i)
    from[i] = int(i);
  q.parallel_for<class by_attribute>(sycl::range<1>(n),
                                     [=](sycl::id<1> i)
                                         [[intel::kernel_args_restrict]] { to[i] = from[i] + 1; })
      .wait();
  CHECK(to[0] == 1 && to[n - 1] == int(n));
  const syclex::annotated_arg a(to, syclex::properties{syclex::restrict, syclex::alignment<4>});
  const syclex::annotated_ptr b(from, syclex::properties{syclex::restrict});
  q.parallel_for<class by_property>(sycl::range<1>(n), [=](sycl::id<1> i) {
     a[i] = b[i] + 2;
   }).wait();
  CHECK(to[0] == 2 && to[n - 1] == int(n) + 1);
  using intelex::cache_control, intelex::cache_level, intelex::cache_mode;
  const syclex::annotated_ptr c(
      from,
      syclex::properties{
          intelex::read_hint<cache_control<cache_mode::uncached, cache_level::L1>,
                             cache_control<cache_mode::cached, cache_level::L2, cache_level::L3>>});
  const syclex::annotated_ptr d(
      to, syclex::properties{
              intelex::write_hint<cache_control<cache_mode::write_back, cache_level::L1>>,
              intelex::read_assertion<cache_control<cache_mode::constant, cache_level::L2>>});
  q.parallel_for<class by_hint>(sycl::range<1>(n), [=](sycl::id<1> i) { d[i] = c[i] + 3; }).wait();
  CHECK(to[0] == 3 && to[n - 1] == int(n) + 2);
  sycl::free(to, q);
  sycl::free(from, q);
}

void chosen_sizes() {
  sycl::queue q;
  int *count = sycl::malloc_shared<int>(2, q);
  count[0] = count[1] = 0;
  const auto add = [=](int place) {
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(count[place])
        .fetch_add(1);
  };
  q.parallel_for<class line>(sycl::nd_range<1>(1000, syclex::auto_range<1>()),
                             [=](sycl::nd_item<1>) { add(0); });
  q.parallel_for<class box>(sycl::nd_range<3>({3, 14, 50}, syclex::auto_range<3>()),
                            [=](sycl::nd_item<3>) { add(1); });
  q.wait();
  CHECK(count[0] == 1000 && count[1] == 3 * 14 * 50);
  const sycl::nd_range<2> plane({100, 64}, syclex::auto_range<2>());
  CHECK(plane.get_local_range() == sycl::range<2>(4, 64));
  CHECK(plane.get_group_range() == sycl::range<2>(25, 1));
  CHECK(sycl::nd_range<1>(997, syclex::auto_range<1>()).get_local_range()[0] == 1);
  sycl::free(count, q);
}

void waits() {
  sycl::queue q;
  std::unique_ptr<int, syclex::usm_deleter> value{sycl::malloc_shared<int>(1, q), {q}};
  std::shared_ptr<int> other{sycl::malloc_device<int>(1, q), syclex::usm_deleter(q.get_context())};
  int *p = value.get(), *o = other.get();
  sycl::event e = q.single_task<class first>([=] { *o = 41; });
  syclex::ext_oneapi_throttled_wait(e, std::chrono::microseconds(50));
  std::vector<sycl::event> events{q.single_task<class second>([=] { *p = *o + 1; })};
  syclex::ext_oneapi_throttled_wait_and_throw(events, std::chrono::milliseconds(1));
  CHECK(*value == 42);
}

} // namespace

int main() {
  registers();
#ifndef SCYTHE_HOST_MODE
  unused_scratch();
#endif
  arguments();
  chosen_sizes();
  waits();
  return check::result();
}
