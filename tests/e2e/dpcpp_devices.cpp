// Extensions of DPC++ that query and select devices and kernels, with `<sycl/sycl.hpp>` alone.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/uniform.hpp>

namespace oneapi = sycl::ext::oneapi;
namespace experimental = sycl::ext::oneapi::experimental;

void queries(const sycl::device &d) {
  CHECK(d.get_info<oneapi::info::device::num_compute_units>() ==
        d.get_info<sycl::info::device::max_compute_units>());
  CHECK(d.get_info<experimental::info::device::max_global_work_groups>() >= 0xffffffff);
  CHECK(d.get_info<experimental::info::device::max_work_groups<2>>()[1] == 0x7fffffff);
  CHECK(d.get_platform().get_devices().at(d.ext_oneapi_index_within_platform()) == d);
  CHECK(d.get_backend() != sycl::backend::ext_oneapi_level_zero);
}

// A device answers the query if it has the aspect. Otherwise the query throws.
template <class Query> void detail(const sycl::device &d, sycl::aspect aspect) {
  if (d.has(aspect))
    CHECK(d.get_info<Query>() != typename Query::return_type{});
  else
    CHECK(check::throws(sycl::errc::feature_not_supported, [&] { (void)d.get_info<Query>(); }));
}

void details(const sycl::device &d) {
  namespace query = sycl::ext::intel::info::device;
  using sycl::aspect;
  detail<query::device_id>(d, aspect::ext_intel_device_id);
  detail<query::pci_address>(d, aspect::ext_intel_pci_address);
  detail<query::uuid>(d, aspect::ext_intel_device_info_uuid);
  detail<query::free_memory>(d, aspect::ext_intel_free_memory);
  detail<query::memory_clock_rate>(d, aspect::ext_intel_memory_clock_rate);
  detail<query::memory_bus_width>(d, aspect::ext_intel_memory_bus_width);
  detail<query::max_mem_bandwidth>(d, aspect::ext_intel_max_mem_bandwidth);
  detail<query::gpu_eu_count>(d, aspect::ext_intel_gpu_eu_count);
  detail<query::gpu_eu_simd_width>(d, aspect::ext_intel_gpu_eu_simd_width);
  detail<query::gpu_slices>(d, aspect::ext_intel_gpu_slices);
  detail<query::gpu_subslices_per_slice>(d, aspect::ext_intel_gpu_subslices_per_slice);
  detail<query::gpu_eu_count_per_subslice>(d, aspect::ext_intel_gpu_eu_count_per_subslice);
  detail<query::gpu_hw_threads_per_eu>(d, aspect::ext_intel_gpu_hw_threads_per_eu);
  if (d.has(aspect::ext_intel_free_memory))
    CHECK(d.get_info<query::free_memory>() <= d.get_info<sycl::info::device::global_mem_size>());
  if (d.get_backend() == sycl::backend::ext_oneapi_cuda)
    CHECK(d.has(aspect::ext_intel_free_memory) && d.has(aspect::ext_intel_device_info_uuid) &&
          d.get_info<query::pci_address>().size() == 12);
}

void composite_devices(const sycl::device &d) {
  CHECK(experimental::get_composite_devices().empty());
  CHECK(d.get_platform().ext_oneapi_get_composite_devices().empty());
  CHECK(d.get_info<experimental::info::device::component_devices>().empty());
  CHECK(!d.has(sycl::aspect::ext_oneapi_is_component));
  CHECK(check::throws(sycl::errc::feature_not_supported,
                      [&] { (void)d.get_info<experimental::info::device::composite_device>(); }));
}

void peers(sycl::device d) {
  CHECK(!d.ext_oneapi_can_access_peer(d));
  CHECK(!d.ext_oneapi_can_access_peer(d, oneapi::peer_access::atomics_supported));
  CHECK(check::throws(sycl::errc::feature_not_supported,
                      [&] { d.ext_oneapi_enable_peer_access(d); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { d.ext_oneapi_disable_peer_access(d); }));
  // Devices of other platforms are no peers. The parts of the CPU device share its memory.
  std::vector<sycl::device> others = sycl::device::get_devices();
  constexpr auto by_counts = sycl::info::partition_property::partition_by_counts;
  if (d.get_backend() != sycl::backend::opencl && d.is_cpu() &&
      d.get_info<sycl::info::device::max_compute_units>() > 1) {
    others = d.create_sub_devices<by_counts>(std::vector<std::size_t>{1, 1});
    CHECK(others.at(0).ext_oneapi_can_access_peer(others.at(1)));
    d = others[0];
  }
  for (const sycl::device &other : others) {
    if (!d.ext_oneapi_can_access_peer(other)) {
      CHECK(check::throws(sycl::errc::feature_not_supported,
                          [&] { d.ext_oneapi_enable_peer_access(other); }));
      continue;
    }
    CHECK(other.get_platform() == d.get_platform());
    d.ext_oneapi_enable_peer_access(other);
    CHECK(check::throws(sycl::errc::invalid, [&] { d.ext_oneapi_enable_peer_access(other); }));
    d.ext_oneapi_disable_peer_access(other);
    CHECK(check::throws(sycl::errc::invalid, [&] { d.ext_oneapi_disable_peer_access(other); }));
  }
}

void selectors(const sycl::device &d) {
  const char *kind = d.is_gpu() ? "gpu" : d.is_cpu() ? "CPU" : "accelerator";
  CHECK(sycl::device(oneapi::filter_selector(std::string("cuda:acc:7,") + kind)).is_cpu() ==
        d.is_cpu());
  CHECK(sycl::device(oneapi::filter_selector("*:*:0")) == sycl::device::get_devices().at(0));
  CHECK(oneapi::filter_selector("0").select_device() == sycl::device::get_devices().at(0));
  CHECK(oneapi::filter_selector("hip,level_zero:gpu")(d) < 0);
  CHECK(check::throws(sycl::errc::invalid, [] { oneapi::filter_selector("opencl:tpu"); }));
  CHECK(check::throws(sycl::errc::runtime,
                      [] { sycl::queue q{oneapi::filter_selector("level_zero:9")}; }));
}

void current_device(const sycl::device &d) {
  namespace this_thread = experimental::this_thread;
  CHECK(this_thread::get_current_device() == sycl::device());
  this_thread::set_current_device(d);
  CHECK(this_thread::get_current_device() == d);
}

class doubling;

void kernels(sycl::queue &q) {
  float *out = sycl::malloc_shared<float>(32, q);
  q.parallel_for<doubling>(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) {
     oneapi::sub_group sg = item.get_sub_group();
     const experimental::uniform<float> two(2.0f);
     const std::size_t i = item.get_global_linear_id();
     out[i] =
         two * experimental::native::tanh(float(i) * 100.0f) + experimental::native::exp2(3.0f);
     sg.barrier();
   }).wait();
  for (int i = 0; i < 32; ++i)
    CHECK(sycl::fabs(out[i] - (i ? 10.0f : 8.0f)) < 0.01f);
#ifndef SCYTHE_HOST_MODE // without device images, there are no kernel bundles
  using size = sycl::info::kernel_device_specific::work_group_size;
  CHECK(oneapi::get_kernel_info<doubling, size>(q) > 0);
  CHECK((oneapi::get_kernel_info<doubling, sycl::info::kernel::context>(q.get_context()) ==
         q.get_context()));
#endif
  q.ext_oneapi_prod();
  sycl::free(out, q);
}

void profiling_tags(const sycl::device &d) {
  sycl::queue plain{d};
  CHECK(check::throws(sycl::errc::invalid, [&] { experimental::submit_profiling_tag(plain); }));
  if (!d.has(sycl::aspect::queue_profiling))
    return;
  sycl::queue q{d, {sycl::property::queue::enable_profiling{}, sycl::property::queue::in_order{}}};
  sycl::event first = experimental::submit_profiling_tag(q);
  q.single_task([=] {});
  sycl::event last = experimental::submit_profiling_tag(q);
  q.wait();
  using end = sycl::info::event_profiling::command_end;
  CHECK(first.get_profiling_info<end>() <= last.get_profiling_info<end>());
}

int main() {
  sycl::queue q;
  const sycl::device d = q.get_device();
  queries(d);
  details(d);
  composite_devices(d);
  peers(d);
  selectors(d);
  current_device(d);
  kernels(q);
  profiling_tags(d);
  return check::result();
}
