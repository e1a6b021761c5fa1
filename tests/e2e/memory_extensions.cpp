// Extensions for memory: registered memory of the program, hints about copies, exported memory,
// allocations without a context, and allocations with properties.
//
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/annotated_usm/alloc_device.hpp>
#include <sycl/ext/oneapi/experimental/annotated_usm/dealloc.hpp>
#include <sycl/ext/oneapi/experimental/copy_optimize.hpp>
#include <sycl/ext/oneapi/experimental/ipc_memory.hpp>
#include <sycl/ext/oneapi/experimental/register_host_memory.hpp>
#include <sycl/ext/oneapi/experimental/usm_shortcuts.hpp>
#include <sycl/ext/oneapi/memory_export.hpp>

#include <sys/mman.h>
#include <unistd.h>

namespace ext = sycl::ext::oneapi::experimental;

namespace {

bool refuses(sycl::queue &q, sycl::aspect needed) { return !q.get_device().has(needed); }

void registered(sycl::queue &q) {
  const sycl::context c = q.get_context();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  int *data = static_cast<int *>(std::aligned_alloc(page, 2 * page));
  data[0] = 5;
  if (refuses(q, sycl::aspect::ext_oneapi_register_host_memory)) {
    CHECK(check::throws(sycl::errc::feature_not_supported,
                        [&] { ext::register_host_memory(data, page, c); }));
    CHECK(check::throws(sycl::errc::feature_not_supported,
                        [&] { ext::unregister_host_memory(data, c); }));
    std::free(data);
    return;
  }
  CHECK(sycl::get_pointer_type(data, c) == sycl::usm::alloc::unknown);
  ext::register_host_memory(data, 2 * page, c);
  CHECK(sycl::get_pointer_type(data + page / sizeof(int), c) == sycl::usm::alloc::host);
  CHECK(sycl::get_pointer_device(data, c) == c.get_devices()[0]);
  q.parallel_for(page / sizeof(int), [=](sycl::id<1> i) {
     data[i] = static_cast<int>(i) + (i == 0 ? data[0] : 1);
   }).wait();
  CHECK(data[0] == 5 && data[page / sizeof(int) - 1] == static_cast<int>(page / sizeof(int)));
  CHECK(check::throws(sycl::errc::invalid, [&] { sycl::free(data, c); }));
  CHECK(check::throws(sycl::errc::runtime, [&] { ext::register_host_memory(data, page, c); }));
  ext::unregister_host_memory(data, c);
  CHECK(sycl::get_pointer_type(data, c) == sycl::usm::alloc::unknown);
  CHECK(check::throws(sycl::errc::runtime, [&] { ext::unregister_host_memory(data, c); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::register_host_memory(nullptr, page, c); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::register_host_memory(data, 0, c); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::register_host_memory(data, 1, c); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::register_host_memory(data + 1, page, c); }));
  std::free(data);

  void *fixed = mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ext::register_host_memory(fixed, page, c, ext::properties{ext::read_only});
  ext::unregister_host_memory(fixed, c);
  ext::register_host_memory(fixed, page, c, ext::read_only);
  int copy = 1;
  q.memcpy(&copy, fixed, sizeof(copy)).wait();
  CHECK(copy == 0);
  ext::unregister_host_memory(fixed, c);
  munmap(fixed, page);
}

void prepared(sycl::queue &q) {
  std::vector<int> host(1000, 3), back(1000);
  int *device = sycl::malloc_device<int>(1000, q);
  ext::prepare_for_device_copy(host.data(), 4000, q);
  ext::prepare_for_device_copy(back.data(), 4000, q.get_context());
  q.copy(host.data(), device, 1000).wait();
  q.copy(device, back.data(), 1000).wait();
  ext::release_from_device_copy(host.data(), q.get_context());
  ext::release_from_device_copy(back.data(), q);
  CHECK(back == host);
  sycl::free(device, q);
}

void exported(sycl::queue &q) {
  constexpr auto fd = ext::export_external_mem_handle_type::opaque_fd;
  if (refuses(q, sycl::aspect::ext_oneapi_memory_export_linear)) {
    CHECK(check::throws(sycl::errc::feature_not_supported,
                        [&] { ext::alloc_exportable_device_mem(0, 64, fd, q); }));
    return;
  }
  const std::size_t align = std::size_t(1) << 23;
  int *data = static_cast<int *>(ext::alloc_exportable_device_mem(align, 4000, fd, q));
  CHECK(reinterpret_cast<std::uintptr_t>(data) % align == 0);
  CHECK(sycl::get_pointer_type(data, q.get_context()) == sycl::usm::alloc::device);
  q.parallel_for(1000, [=](sycl::id<1> i) { data[i] = static_cast<int>(i) * 2; }).wait();
  const int file = ext::export_device_mem_handle<fd>(data, q);
  CHECK(file >= 0 && ext::export_device_mem_handle<fd>(data, q) != file);
  if (q.get_device().is_cpu()) {
    // The descriptor is that of the memory itself.
    const void *other = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
    CHECK(other != MAP_FAILED && static_cast<const int *>(other)[999] == 1998);
    munmap(const_cast<void *>(other), 4096);
  }
  close(file);
  CHECK(check::throws(sycl::errc::invalid, [&] { sycl::free(data, q); }));
  ext::free_exportable_mem(data, q);
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::free_exportable_mem(data, q); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { ext::export_device_mem_handle<fd>(data, q); }));
  CHECK(check::throws(sycl::errc::invalid, [&] {
    ext::alloc_exportable_device_mem(0, 64, ext::export_external_mem_handle_type::win32_nt, q);
  }));
  ext::free_exportable_mem(nullptr, q);
}

void shortcuts(const sycl::device &d) {
  const sycl::context c = d.get_platform().khr_get_default_context();
  const auto is = [&](void *p, sycl::usm::alloc kind, std::size_t alignment) {
    const bool right = p && sycl::get_pointer_type(p, c) == kind &&
                       sycl::get_pointer_device(p, c) == d &&
                       reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
    sycl::free(p, c);
    return right;
  };
  using sycl::usm::alloc;
  CHECK(is(ext::malloc_device(64, d), alloc::device, 1));
  CHECK(is(ext::malloc_device<int>(64, d), alloc::device, 4));
  CHECK(is(ext::aligned_alloc_device(512, 64, d), alloc::device, 512));
  CHECK(is(ext::aligned_alloc_device<int>(512, 64, d), alloc::device, 512));
  CHECK(is(ext::malloc(64, d, alloc::device), alloc::device, 1));
  CHECK(is(ext::malloc<int>(64, d, alloc::device), alloc::device, 4));
  CHECK(is(ext::aligned_alloc(512, 64, d, alloc::device), alloc::device, 512));
  CHECK(is(ext::aligned_alloc<int>(512, 64, d, alloc::device), alloc::device, 512));
  if (!d.has(sycl::aspect::usm_shared_allocations))
    return;
  CHECK(is(ext::malloc_shared(64, d), alloc::shared, 1));
  CHECK(is(ext::malloc_shared<int>(64, d), alloc::shared, 4));
  CHECK(is(ext::aligned_alloc_shared(512, 64, d), alloc::shared, 512));
  CHECK(is(ext::aligned_alloc_shared<int>(512, 64, d), alloc::shared, 512));
}

void annotated(sycl::queue &q) {
  const sycl::context c = q.get_context();
  const sycl::device d = q.get_device();
  using sycl::usm::alloc;
  const auto is = [&](const auto &p, alloc kind, std::size_t alignment) {
    auto copy = p;
    const bool right = copy && sycl::get_pointer_type(copy.get(), c) == kind &&
                       reinterpret_cast<std::uintptr_t>(copy.get()) % alignment == 0;
    ext::free(copy, c);
    return right;
  };
  const ext::properties aligned{ext::alignment<512>};
  auto a = ext::annotated_malloc_device<int>(64, q);
  auto b = ext::annotated_malloc_device<int>(64, d, c, aligned);
  static_assert(decltype(a)::has_property<ext::usm_kind_key>() &&
                !decltype(a)::has_property<ext::alignment_key>());
  static_assert(decltype(b)::get_property<ext::usm_kind_key>() == ext::usm_kind_device &&
                decltype(b)::get_property<ext::alignment_key>() == ext::alignment<512>);
  static_assert(!std::is_same_v<decltype(a), decltype(b)>);
  q.parallel_for(64, [=](sycl::id<1> i) { b[i] = static_cast<int>(i) + 1; }).wait();
  int last = 0;
  q.copy(b.get() + 63, &last, 1).wait();
  CHECK(last == 64);
  CHECK(is(a, alloc::device, 4) && is(b, alloc::device, 512));
  CHECK(is(ext::annotated_malloc_device(64, q), alloc::device, 1));
  CHECK(is(ext::annotated_aligned_alloc_device(1024, 64, d, c), alloc::device, 1024));
  CHECK(is(ext::annotated_aligned_alloc_device<int>(512, 64, q, aligned), alloc::device, 512));
  CHECK(is(ext::annotated_malloc_host<int>(64, c), alloc::host, 4));
  CHECK(is(ext::annotated_malloc_host(64, q, aligned), alloc::host, 512));
  auto e = ext::annotated_malloc<int>(64, q, alloc::device);
  static_assert(!decltype(e)::has_property<ext::usm_kind_key>());
  CHECK(is(e, alloc::device, 4));
  const ext::properties device{ext::usm_kind<alloc::device>, ext::alignment<64>};
  auto f = ext::annotated_malloc<int>(64, q, device);
  static_assert(decltype(f)::has_property<ext::usm_kind_key>());
  CHECK(is(f, alloc::device, 64) && is(ext::annotated_malloc(64, d, c, device), alloc::device, 64));
  CHECK(is(ext::annotated_malloc<int>(64, q, alloc::device, device), alloc::device, 64));
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { ext::annotated_malloc<int>(64, q, alloc::host, device); }));
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { ext::annotated_aligned_alloc_device<int>(128, 64, q, aligned); }));
  if (d.has(sycl::aspect::usm_shared_allocations)) {
    auto g = ext::annotated_malloc_shared<int>(64, q, aligned);
    g[3] = 7;
    CHECK(*(g + 3) == 7 && is(g, alloc::shared, 512));
    CHECK(is(ext::annotated_aligned_alloc_shared(256, 64, d, c), alloc::shared, 256));
  }
}

// No device shares its allocations with other processes.
void other_processes(sycl::queue &q) {
  namespace ipc = ext::ipc;
  CHECK(!q.get_device().has(sycl::aspect::ext_oneapi_ipc_memory));
  int *data = sycl::malloc_device<int>(32, q);
  const auto refuses = [](auto f) { return check::throws(sycl::errc::feature_not_supported, f); };
  CHECK(refuses([&] { ipc::memory::get(data, q.get_context()); }));
  CHECK(refuses(
      [&] { ext::ipc_memory::open(ipc::handle_data_t(), q.get_context(), q.get_device()); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { ipc::memory::get(&data, q.get_context()); }));
  sycl::free(data, q);
}

} // namespace

int main() {
  sycl::queue q;
  registered(q);
  prepared(q);
  exported(q);
  shortcuts(q.get_device());
  annotated(q);
  other_processes(q);
  return check::result();
}
