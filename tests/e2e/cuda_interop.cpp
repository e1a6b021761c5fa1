// SYCL and CUDA's driver on the same device: CUDA's objects behind SYCL's, commands of both in one
// stream, and events in both directions.
//
// MODES: device
// BACKENDS: cuda
// FLAGS: -ldl
#include <sycl/sycl.hpp>

#include "check.hpp"
#include <dlfcn.h>
#include <sycl/backend/cuda.hpp>
#include <vector>

constexpr sycl::backend cuda = sycl::backend::ext_oneapi_cuda;

template <class F> static F driver(const char *name) {
  static void *library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<F>(dlsym(library, name));
}

int main() {
  sycl::queue q{sycl::gpu_selector_v, sycl::property::queue::in_order()};
  const CUdevice device = sycl::get_native<cuda>(q.get_device());
  CHECK(sycl::make_device<cuda>(device) == q.get_device());
  const CUcontext context = sycl::get_native<cuda>(q.get_context());
  const CUstream stream = sycl::get_native<cuda>(q);
  auto set_current = driver<int (*)(CUcontext)>("cuCtxSetCurrent");
  auto primary = driver<int (*)(CUcontext *, CUdevice)>("cuDevicePrimaryCtxRetain");
  CUcontext retained = nullptr;
  CHECK(primary(&retained, device) == 0 && retained == context);
  CHECK(set_current(context) == 0);

  constexpr std::size_t n = 1 << 16;
  int *data = sycl::malloc_device<int>(n, q);
  const CUdeviceptr address = reinterpret_cast<CUdeviceptr>(data);
  // A kernel, CUDA's command and another kernel, in the order of the queue.
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { data[i] = 1; });
  auto memset = driver<int (*)(CUdeviceptr, unsigned, std::size_t, CUstream)>("cuMemsetD32Async");
  CHECK(memset(address, 5, n, stream) == 0);
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { data[i] += int(i); });
  std::vector<int> seen(n);
  sycl::event copied = q.memcpy(seen.data(), data, n * sizeof(int));
  auto synchronize = driver<int (*)(CUevent)>("cuEventSynchronize");
  CHECK(synchronize(sycl::get_native<cuda>(copied)) == 0);
  bool right = true;
  for (std::size_t i = 0; i < n; ++i)
    right = right && seen[i] == int(i) + 5;
  CHECK(right);

  // A SYCL command after CUDA's.
  auto create = driver<int (*)(CUevent *, unsigned)>("cuEventCreate");
  auto record = driver<int (*)(CUevent, CUstream)>("cuEventRecord");
  auto new_stream = driver<int (*)(CUstream *, unsigned)>("cuStreamCreate");
  CUevent mark = nullptr;
  CUstream other = nullptr;
  CHECK(create(&mark, 2) == 0 && new_stream(&other, 1) == 0);
  CHECK(memset(address, 7, n, other) == 0 && record(mark, other) == 0);
  sycl::event before = sycl::make_event<cuda>(mark, q.get_context());
  q.submit([&](sycl::handler &h) {
    h.depends_on(before);
    h.memcpy(seen.data(), data, n * sizeof(int));
  });
  q.wait();
  CHECK(seen[0] == 7 && seen[n - 1] == 7);

  // Inside of a host task.
  bool same = false;
  q.submit([&](sycl::handler &h) {
    h.host_task([&](sycl::interop_handle handle) {
      same = handle.get_native_device<cuda>() == device &&
             handle.get_native_context<cuda>() == context;
    });
  });
  q.wait();
  CHECK(same);

  // A buffer's memory there: what kernels wrote, and what they will read.
  auto finish = driver<int (*)(CUstream)>("cuStreamSynchronize");
  sycl::buffer<int> buffer{sycl::range<1>(n)};
  q.submit([&](sycl::handler &h) {
    sycl::accessor all{buffer, h, sycl::write_only, sycl::no_init};
    h.fill(all, 3);
  });
  q.submit([&](sycl::handler &h) {
    sycl::accessor all{buffer, h, sycl::read_write};
    h.host_task([=, &same](sycl::interop_handle handle) {
      same = set_current(context) == 0 &&
             memset(handle.get_native_mem<cuda>(all), 11, n / 2, other) == 0 && finish(other) == 0;
    });
  });
  sycl::host_accessor result{buffer};
  CHECK(same && result[0] == 11 && result[n / 2 - 1] == 11 && result[n / 2] == 3);
  sycl::free(data, q);
  return check::result();
}
