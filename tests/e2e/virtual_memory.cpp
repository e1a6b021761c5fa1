// Virtual memory: ranges that grow, physical memory that two ranges show, access modes, and wrong
// ranges. Devices without the aspect refuse all functions.
//
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/virtual_mem/physical_mem.hpp>

#include <unordered_set>

namespace ext = sycl::ext::oneapi::experimental;
using mode = ext::address_access_mode;

namespace {

// A range grows by mapping more physical memory behind its end. Pointers into it stay valid.
void grow(sycl::queue &q) {
  const sycl::context c = q.get_context();
  const std::size_t unit = ext::get_mem_granularity(q.get_device(), c);
  const std::size_t each = unit / sizeof(int);
  const std::uintptr_t start = ext::reserve_virtual_mem(4 * unit, c);
  int *data = reinterpret_cast<int *>(start);
  std::vector<ext::physical_mem> parts;
  for (std::size_t i = 0; i < 4; ++i) {
    parts.emplace_back(q, unit);
    CHECK(parts[i].map(start + i * unit, unit, mode::read_write) == data + i * each);
    const int step = static_cast<int>(i);
    q.parallel_for(each, [=](sycl::id<1> k) {
       data[i * each + k] = static_cast<int>(k) + (i == 0 ? 0 : data[(i - 1) * each + k]) + step;
     }).wait();
  }
  CHECK(sycl::get_pointer_type(data + each, c) == sycl::usm::alloc::device);
  CHECK(sycl::get_pointer_device(data + each, c) == q.get_device());
  std::vector<int> host(4 * each);
  q.memcpy(host.data(), data, 4 * unit).wait();
  bool right = true;
  for (std::size_t k = 0; k < each; ++k)
    right &= host[3 * each + k] == 4 * static_cast<int>(k) + 6;
  CHECK(right);
  q.fill(data + 2 * each, 5, 2 * each).wait();
  q.memset(data, 1, unit).wait();
  q.copy(data, host.data(), 4 * each).wait();
  CHECK(host[0] == 0x01010101 && host[2 * each] == 5 && host[4 * each - 1] == 5);
  for (std::size_t i = 0; i < 4; ++i)
    ext::unmap(data + i * each, unit, c);
  CHECK(sycl::get_pointer_type(data, c) == sycl::usm::alloc::unknown);
  ext::free_virtual_mem(start, 4 * unit, c);
}

// The second range starts in the middle of the physical memory that the first shows.
void alias(sycl::queue &q) {
  const sycl::context c = q.get_context();
  const std::size_t unit = ext::get_mem_granularity(q);
  ext::physical_mem memory(q.get_device(), c, 2 * unit);
  CHECK(memory.size() == 2 * unit && memory.get_context() == c);
  CHECK(memory.get_device() == q.get_device());
  CHECK(ext::get_mem_granularity(memory) == unit);
  const std::uintptr_t a = ext::reserve_virtual_mem(0, 2 * unit, c);
  const std::uintptr_t b = ext::reserve_virtual_mem(unit, c);
  int *whole = static_cast<int *>(memory.map(a, 2 * unit, mode::read_write));
  const int *half = static_cast<int *>(memory.map(b, unit, mode::read, unit));
  const std::size_t count = unit / sizeof(int);
  q.parallel_for(2 * count, [=](sycl::id<1> i) { whole[i] = static_cast<int>(i); }).wait();
  int first = 0;
  q.copy(half, &first, 1).wait();
  CHECK(first == static_cast<int>(count));

  CHECK(ext::get_access_mode(whole, 2 * unit, c) == mode::read_write);
  CHECK(ext::get_access_mode(half, unit, c) == mode::read);
  ext::set_access_mode(whole + count, unit, mode::read, c);
  CHECK(ext::get_access_mode(whole, unit, c) == mode::read_write);
  CHECK(ext::get_access_mode(whole + count, unit, c) == mode::read);
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::get_access_mode(whole, 2 * unit, c); }));
  int *out = sycl::malloc_device<int>(1, q);
  q.single_task([=] { *out = whole[count] + 1; }).wait();
  q.copy(out, &first, 1).wait();
  CHECK(first == static_cast<int>(count) + 1);
  sycl::free(out, q);
  ext::set_access_mode(whole, 2 * unit, mode::none, c);
  CHECK(ext::get_access_mode(whole, 2 * unit, c) == mode::none);
  CHECK(sycl::get_pointer_type(whole, c) == sycl::usm::alloc::unknown);
  ext::unmap(whole, 2 * unit, c);
  ext::unmap(half, unit, c);

  // Mapped without a mode, memory is not accessible.
  memory.map(b, unit);
  CHECK(ext::get_access_mode(half, unit, c) == mode::none);
  ext::unmap(half, unit, c);
  ext::free_virtual_mem(a, 2 * unit, c);
  ext::free_virtual_mem(b, unit, c);

  const ext::physical_mem same = memory;
  CHECK(same == memory && same != ext::physical_mem(q, unit));
  CHECK(std::unordered_set<ext::physical_mem, std::hash<ext::physical_mem>>{same}.count(memory));
}

void wrong(sycl::queue &q) {
  const sycl::context c = q.get_context();
  const std::size_t unit = ext::get_mem_granularity(c, ext::granularity_mode::minimum);
  CHECK(ext::get_mem_granularity(c) % unit == 0);
  const auto refuses = [](auto f) { return check::throws(sycl::errc::invalid, f); };
  CHECK(refuses([&] { ext::reserve_virtual_mem(unit / 2, c); }));
  CHECK(refuses([&] { ext::reserve_virtual_mem(1, unit, c); }));
  CHECK(refuses([&] { ext::reserve_virtual_mem(0, c); }));
  CHECK(refuses([&] { ext::physical_mem(q, unit + 1); }));
  CHECK(check::throws(sycl::errc::memory_allocation,
                      [&] { ext::physical_mem(q, std::size_t(1) << 50); }));
  const std::uintptr_t start = ext::reserve_virtual_mem(4 * unit, c);
  const ext::physical_mem memory(q, 2 * unit);
  CHECK(refuses([&] { memory.map(start, 2 * unit, mode::read, unit); }));
  CHECK(refuses([&] { memory.map(start + 3 * unit, 2 * unit, mode::read); }));
  CHECK(refuses([&] { memory.map(start + 1, unit, mode::read); }));
  memory.map(start + unit, 2 * unit, mode::read);
  void *mapped = reinterpret_cast<void *>(start + unit);
  CHECK(refuses([&] { memory.map(start, 2 * unit, mode::read); }));
  CHECK(refuses([&] { ext::set_access_mode(mapped, 3 * unit, mode::read, c); }));
  CHECK(refuses([&] { ext::get_access_mode(reinterpret_cast<void *>(start), unit, c); }));
  CHECK(refuses([&] { ext::unmap(mapped, unit, c); }));
  CHECK(refuses([&] { ext::free_virtual_mem(start, 4 * unit, c); }));
  ext::unmap(mapped, 2 * unit, c);
  CHECK(refuses([&] { ext::free_virtual_mem(start, unit, c); }));
  ext::free_virtual_mem(start, 4 * unit, c);
  CHECK(refuses([&] { ext::unmap(mapped, 2 * unit, c); }));
}

void refused(sycl::queue &q) {
  const auto refuses = [](auto f) { return check::throws(sycl::errc::feature_not_supported, f); };
  CHECK(refuses([&] { ext::get_mem_granularity(q); }));
  CHECK(refuses([&] { ext::reserve_virtual_mem(1 << 20, q.get_context()); }));
  CHECK(refuses([&] { ext::physical_mem(q, 1 << 20); }));
}

} // namespace

int main() {
  sycl::queue q;
  if (q.get_device().has(sycl::aspect::ext_oneapi_virtual_mem)) {
    grow(q);
    alias(q);
    wrong(q);
  } else {
    refused(q);
  }
  return check::result();
}
