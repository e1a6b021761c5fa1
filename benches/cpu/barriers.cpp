// How the time of barriers grows with the work-group: a kernel with 64 barriers, each followed by
// reading what a neighbour wrote, on 2^18 work-items in groups of 1, 2, 4, … up to what the device
// allows. Prints `group-SIZE N`: seconds per work-item and barrier.
#include "harness.hpp"

#include <algorithm>
#include <vector>

constexpr std::size_t n = std::size_t(1) << 18;
constexpr std::uint32_t barriers = 64;

#ifdef PEER_OPENCL
static const char *source = R"(
kernel void rotate_values(global uint *out, uint barriers, local uint *part) {
  size_t i = get_local_id(0), size = get_local_size(0);
  uint value = (uint)get_global_id(0);
  for (uint k = 0; k < barriers; k += 2) {
    part[i] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    value = value * 3 + part[i + 1 == size ? 0 : i + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = value;
})";
#endif

int main() {
  std::uint32_t *out = allocate<std::uint32_t>(n);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "rotate_values");
  std::size_t most = 1;
  opencl::check(clGetDeviceInfo(opencl::the_machine().device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                sizeof most, &most, nullptr),
                "CL_DEVICE_MAX_WORK_GROUP_SIZE");
#else
  std::size_t most = queue().get_device().get_info<sycl::info::device::max_work_group_size>();
#endif
  auto run = [&](std::size_t size) {
#ifdef PEER_OPENCL
    opencl::launch(kernel, {n}, {size}, out, cl_uint(barriers),
                   opencl::local_memory{size * sizeof(cl_uint)});
    opencl::finish();
#else
    std::uint32_t rounds = barriers;
    queue()
        .submit([&](sycl::handler &h) {
          sycl::local_accessor<std::uint32_t, 1> part(sycl::range<1>(size), h);
          h.parallel_for(sycl::nd_range<1>(sycl::range<1>(n), sycl::range<1>(size)),
                         [=](sycl::nd_item<1> item) {
                           std::size_t i = item.get_local_id(0), size = item.get_local_range(0);
                           std::uint32_t value = std::uint32_t(item.get_global_id(0));
                           for (std::uint32_t k = 0; k < rounds; k += 2) {
                             part[i] = value;
                             sycl::group_barrier(item.get_group());
                             value = value * 3 + part[i + 1 == size ? 0 : i + 1];
                             sycl::group_barrier(item.get_group());
                           }
                           out[item.get_global_id(0)] = value;
                         });
        })
        .wait();
#endif
  };
  auto correct = [&](std::size_t size) {
    std::size_t step = std::max<std::size_t>(1, n / size / 4) * size;
    std::vector<std::uint32_t> values(size), before(size);
    for (std::size_t first = 0; first < n; first += step) {
      for (std::size_t i = 0; i < size; ++i)
        values[i] = std::uint32_t(first + i);
      for (std::uint32_t k = 0; k < barriers; k += 2) {
        before = values;
        for (std::size_t i = 0; i < size; ++i)
          values[i] = before[i] * 3 + before[(i + 1) % size];
      }
      for (std::size_t i = 0; i < size; ++i)
        if (!near(out[first + i], values[i], 0, first + i))
          return false;
    }
    return true;
  };
  for (std::size_t size = 1; size <= std::min(most, n); size *= 2) {
    double best = 1e300;
    for (int round = 0; round < 5; ++round) {
      double start = now();
      run(size);
      double seconds = now() - start;
      best = seconds < best ? seconds : best;
    }
    if (!correct(size))
      return 1;
    std::printf("group-%zu %.12f\n", size, best / double(n) / barriers);
  }
}
