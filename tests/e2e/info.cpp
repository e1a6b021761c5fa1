// What platforms, devices and contexts say of themselves, and which device a selector takes.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <string>
#include <vector>

namespace dev = sycl::info::device;

namespace {

void platforms() {
  const std::vector<sycl::platform> all = sycl::platform::get_platforms();
  CHECK(!all.empty());
  for (const sycl::platform &p : all) {
    CHECK(!p.get_info<sycl::info::platform::name>().empty());
    CHECK(!p.get_info<sycl::info::platform::vendor>().empty());
    CHECK(!p.get_info<sycl::info::platform::version>().empty());
    for (const sycl::device &d : p.get_devices())
      CHECK(d.get_platform() == p && d.get_backend() == p.get_backend());
  }
  CHECK(sycl::platform() == sycl::device().get_platform());
  CHECK(sycl::platform(sycl::cpu_selector_v).has(sycl::aspect::cpu));
}

void devices() {
  const std::vector<sycl::device> all = sycl::device::get_devices();
  CHECK(!all.empty());
  CHECK(!sycl::device::get_devices(sycl::info::device_type::cpu).empty());
  for (const sycl::device &d : all) {
    CHECK(!d.get_info<dev::name>().empty() &&
          d.get_info<dev::name>().find('\0') == std::string::npos);
    CHECK(!d.get_info<dev::vendor>().empty());
    CHECK(!d.get_info<dev::version>().empty());
    CHECK(!d.get_info<dev::driver_version>().empty());
    CHECK(d.get_info<dev::max_compute_units>() > 0);
    // What OpenCL's devices alone tell.
    if (d.get_backend() == sycl::backend::opencl) {
      CHECK(!d.get_info<dev::profile>().empty() &&
            !d.get_info<dev::execution_capabilities>().empty());
      CHECK(sycl::make_device<sycl::backend::opencl>(sycl::get_native<sycl::backend::opencl>(d)) ==
            d);
    } else {
      CHECK(check::throws(sycl::errc::invalid, [&] { d.get_info<dev::profile>(); }));
      CHECK(check::throws(sycl::errc::invalid, [&] { d.get_info<dev::execution_capabilities>(); }));
      CHECK(check::throws(sycl::errc::invalid,
                          [&] { d.get_info<dev::preferred_interop_user_sync>(); }));
      CHECK(check::throws(sycl::errc::backend_mismatch,
                          [&] { sycl::get_native<sycl::backend::opencl>(d); }));
    }
    CHECK(d.get_info<dev::max_work_item_dimensions>() == 3);
    CHECK(d.get_info<dev::max_work_group_size>() > 0);
    CHECK(d.get_info<dev::max_work_item_sizes<3>>().size() > 0);
    CHECK(d.get_info<dev::max_work_item_sizes<1>>()[0] ==
          d.get_info<dev::max_work_item_sizes<3>>()[2]);
    CHECK(d.get_info<dev::address_bits>() == 64);
    CHECK(d.get_info<dev::global_mem_size>() >= d.get_info<dev::max_mem_alloc_size>());
    CHECK(d.get_info<dev::local_mem_size>() > 0);
    CHECK(d.get_info<dev::preferred_vector_width_float>() > 0);
    CHECK(d.get_info<dev::is_available>());
    CHECK(d.get_info<dev::platform>() == d.get_platform());
    CHECK(!d.get_info<dev::single_fp_config>().empty());
    CHECK(d.get_info<dev::extensions>().empty() && d.get_info<dev::built_in_kernels>().empty());
    CHECK(d.get_info<dev::partition_max_sub_devices>() <= d.get_info<dev::max_compute_units>());
    CHECK(check::throws(sycl::errc::invalid, [&] { d.get_info<dev::parent_device>(); }));
    (void)d.get_info<dev::sub_group_sizes>();
    (void)d.get_info<dev::max_num_sub_groups>();
    (void)d.get_info<dev::global_mem_cache_type>();
    (void)d.get_info<dev::local_mem_type>();
    (void)d.get_info<dev::max_clock_frequency>();
    (void)d.get_info<dev::profiling_timer_resolution>();
    for (auto order : d.get_info<dev::atomic_memory_order_capabilities>())
      CHECK(order == sycl::memory_order::relaxed || order == sycl::memory_order::acquire ||
            order == sycl::memory_order::release || order == sycl::memory_order::acq_rel ||
            order == sycl::memory_order::seq_cst);
    (void)d.get_info<dev::error_correction_support>();

    // The list of aspects, and the question for each, agree.
    const std::vector<sycl::aspect> aspects = d.get_info<dev::aspects>();
    for (std::uint32_t n = 0; n < 64; ++n) {
      bool listed = false;
      for (sycl::aspect a : aspects)
        listed |= static_cast<std::uint32_t>(a) == n;
      CHECK(d.has(static_cast<sycl::aspect>(n)) == listed);
    }
    CHECK(d.is_cpu() == d.has(sycl::aspect::cpu));
    CHECK(d.is_cpu() == (d.get_info<dev::device_type>() == sycl::info::device_type::cpu));
  }
}

struct old_selector : sycl::device_selector {
  int operator()(const sycl::device &d) const override { return d.is_cpu() ? 10 : -1; }
};

void selectors() {
  CHECK(sycl::device(sycl::cpu_selector_v).is_cpu());
  CHECK(sycl::device(sycl::default_selector_v) == sycl::device());
#ifdef SCYTHE_HOST_MODE
  // Kernels run on the host, so that the CPU device comes before GPUs, which have 500 points.
  for (const sycl::device &d : sycl::device::get_devices())
    CHECK((sycl::default_selector_v(d) > 500) ==
          (d.get_backend() == sycl::backend::ext_oneapi_native_cpu));
#endif
  CHECK(sycl::device(old_selector()).is_cpu());
  CHECK(sycl::device(sycl::cpu_selector()).is_cpu());
  CHECK(sycl::default_selector().select_device() == sycl::device());
  CHECK(sycl::device(sycl::aspect_selector(sycl::aspect::cpu, sycl::aspect::queue_profiling))
            .is_cpu());
  CHECK(sycl::device(sycl::aspect_selector(std::vector{sycl::aspect::cpu}, {sycl::aspect::custom}))
            .is_cpu());
  CHECK(sycl::device(sycl::aspect_selector<sycl::aspect::cpu>()).is_cpu());
  CHECK(check::throws(sycl::errc::runtime, [] {
    sycl::device(sycl::aspect_selector(std::vector{sycl::aspect::cpu}, {sycl::aspect::cpu}));
  }));
}

void contexts() {
  sycl::context c;
  CHECK(c.get_platform() == sycl::device().get_platform());
  CHECK(c.get_info<sycl::info::context::devices>() == c.get_devices());
  CHECK(c.get_info<sycl::info::context::platform>() == c.get_platform());
  (void)c.get_info<sycl::info::context::atomic_memory_order_capabilities>();
  (void)c.get_info<sycl::info::context::atomic_fence_scope_capabilities>();
  sycl::context copy = c, other;
  CHECK(copy == c && other != c);
  CHECK(std::hash<sycl::context>()(copy) == std::hash<sycl::context>()(c));
  CHECK(!sycl::context(sycl::platform()).get_devices().empty());
}

} // namespace

int main() {
  platforms();
  devices();
  selectors();
  contexts();
  return check::result();
}
