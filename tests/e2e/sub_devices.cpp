// Sub-devices: each way to partition a device, what they say of themselves, and work on them.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

namespace {

using property = sycl::info::partition_property;
using domain = sycl::info::partition_affinity_domain;
namespace info = sycl::info::device;

bool has(const sycl::device &d, property asked) {
  const auto all = d.get_info<info::partition_properties>();
  return std::find(all.begin(), all.end(), asked) != all.end();
}

// Work on a part of a device, in a context of its own, and in one of the whole device.
void use(const sycl::device &part, const sycl::device &whole) {
  for (const sycl::context &context : {sycl::context(part), sycl::context(whole)}) {
    sycl::queue q(context, part);
    CHECK(q.get_device() == part);
    std::vector<int> values(1000, 1);
    {
      sycl::buffer<int> b(values.data(), values.size());
      for (int round = 0; round < 3; ++round)
        q.submit([&](sycl::handler &h) {
          sycl::accessor v(b, h);
          h.parallel_for(1000, [=](sycl::id<1> i) { v[i] = v[i] * 2 + static_cast<int>(i[0]); });
        });
      // The whole device goes on with what the part has made.
      sycl::queue(whole).submit([&](sycl::handler &h) {
        sycl::accessor v(b, h);
        h.parallel_for(1000, [=](sycl::id<1> i) { v[i] += 1; });
      });
    }
    int wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      wrong += values[i] != static_cast<int>(8 + 7 * i + 1);
    CHECK(wrong == 0);
  }
  sycl::queue q(part);
  int *shared = sycl::malloc_shared<int>(64, q);
  q.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> item) {
     const int own = static_cast<int>(item.get_global_id(0));
     shared[own] = sycl::reduce_over_group(item.get_group(), own, sycl::plus<int>());
   }).wait();
  CHECK(shared[0] == 120 && shared[63] == 120 + 48 * 16);
  sycl::free(shared, q);
}

void describe(const sycl::device &part, const sycl::device &whole, property how, domain where,
              std::size_t units) {
  CHECK(part != whole && part.get_info<info::parent_device>() == whole);
  CHECK(part.get_info<info::partition_type_property>() == how);
  CHECK(part.get_info<info::partition_type_affinity_domain>() == where);
  CHECK(part.get_info<info::max_compute_units>() == units);
  CHECK(part.get_platform() == whole.get_platform() && part.get_backend() == whole.get_backend());
  CHECK(part.has(sycl::aspect::cpu) == whole.has(sycl::aspect::cpu));
}

void wrong(const sycl::device &d, std::size_t units) {
  const auto equally = [&](std::size_t n) {
    (void)d.create_sub_devices<property::partition_equally>(n);
  };
  const auto counts = [&](std::vector<std::size_t> n) {
    (void)d.create_sub_devices<property::partition_by_counts>(n);
  };
  const auto affinity = [&](domain n) {
    (void)d.create_sub_devices<property::partition_by_affinity_domain>(n);
  };
  const bool able = has(d, property::partition_equally);
  CHECK(check::throws(able ? sycl::errc::invalid : sycl::errc::feature_not_supported,
                      [&] { equally(units + 1); }));
  const bool counted = has(d, property::partition_by_counts);
  CHECK(check::throws(counted ? sycl::errc::invalid : sycl::errc::feature_not_supported,
                      [&] { counts({units, 1}); }));
  CHECK(
      check::throws(sycl::errc::feature_not_supported, [&] { affinity(domain::not_applicable); }));
  const auto domains = d.get_info<info::partition_affinity_domains>();
  for (domain asked : {domain::numa, domain::L4_cache, domain::next_partitionable})
    if (std::find(domains.begin(), domains.end(), asked) == domains.end())
      CHECK(check::throws(sycl::errc::feature_not_supported, [&] { affinity(asked); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { (void)d.get_info<info::parent_device>(); }));
}

#ifndef __SYCL_DEVICE_ONLY__
// In host mode kernels can tell on which threads they run: no more than the part has, and the one
// that waits.
void threads(const sycl::device &part, std::size_t units) {
#ifdef SCYTHE_HOST_MODE
  std::set<std::thread::id> seen;
  std::atomic_flag busy = ATOMIC_FLAG_INIT;
  sycl::queue q(part);
  auto *set = &seen;
  auto *flag = &busy;
  q.parallel_for(sycl::nd_range<1>(4096, 1), [=](sycl::nd_item<1>) {
     while (flag->test_and_set())
       std::this_thread::yield();
     set->insert(std::this_thread::get_id());
     flag->clear();
   }).wait();
  CHECK(!seen.empty() && seen.size() <= units + 1);
#else
  (void)part, (void)units;
#endif
}
#endif

} // namespace

int main() {
  const sycl::device whole;
  const std::size_t units = whole.get_info<info::max_compute_units>();
  CHECK(whole.get_info<info::partition_type_property>() == property::no_partition);
  CHECK(whole.get_info<info::partition_type_affinity_domain>() == domain::not_applicable);
  wrong(whole, units);
  if (has(whole, property::partition_equally)) {
    const auto parts = whole.create_sub_devices<property::partition_equally>(1);
    CHECK(parts.size() == units && units == whole.get_info<info::partition_max_sub_devices>());
    describe(parts[0], whole, property::partition_equally, domain::not_applicable, 1);
    CHECK(parts.size() == 1 || parts[0] != parts[1]);
    use(parts[0], whole);
#ifndef __SYCL_DEVICE_ONLY__
    threads(parts[0], 1);
#endif
  }
  if (has(whole, property::partition_by_counts)) {
    const auto parts =
        whole.create_sub_devices<property::partition_by_counts>({units - units / 2, units / 2});
    CHECK(parts.size() == (units > 1 ? 2u : 1u));
    describe(parts[0], whole, property::partition_by_counts, domain::not_applicable,
             units - units / 2);
    use(parts.back(), whole);
    // The CPU device's parts can be partitioned again.
    if (has(parts[0], property::partition_equally)) {
      const auto again = parts[0].create_sub_devices<property::partition_equally>(1);
      describe(again[0], parts[0], property::partition_equally, domain::not_applicable, 1);
      CHECK(sycl::queue(sycl::context(whole), again[0]).get_device() == again[0]);
    }
  }
  for (domain where : whole.get_info<info::partition_affinity_domains>()) {
    try {
      const auto parts = whole.create_sub_devices<property::partition_by_affinity_domain>(where);
      CHECK(!parts.empty() && parts[0].get_info<info::parent_device>() == whole);
      use(parts[0], whole);
    } catch (const sycl::exception &e) {
      // A driver may find that the machine has but one such part.
      CHECK(e.code() == sycl::errc::invalid);
    }
  }
  // A device is in no context of one of its parts.
  if (has(whole, property::partition_equally)) {
    const auto parts = whole.create_sub_devices<property::partition_equally>(1);
    CHECK(check::throws(sycl::errc::invalid, [&] { sycl::queue(sycl::context(parts[0]), whole); }));
  }
  return check::result();
}
