// A histogram of 2^23 numbers in 256 bins: atomics in local memory, 32 numbers per work-item, then
// one atomic in global memory per bin and work-group of 256.
#include "harness.hpp"

using number = std::uint32_t;
constexpr std::size_t n = std::size_t(1) << 23, group_size = 256, each = 32, bins = 256;

#ifdef PEER_OPENCL
static const char *source = R"(
#define EACH 32
kernel void histogram(global const uint *in, volatile global atomic_uint *count,
    local atomic_uint *part) {
  size_t i = get_local_id(0), size = get_local_size(0), first = get_group_id(0) * size * EACH + i;
  atomic_store_explicit(&part[i], 0, memory_order_relaxed, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t k = 0; k < EACH; ++k)
    atomic_fetch_add_explicit(&part[in[first + k * size] & 255], 1, memory_order_relaxed,
        memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = atomic_load_explicit(&part[i], memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_add_explicit(&count[i], sum, memory_order_relaxed, memory_scope_device);
})";
#endif

int main() {
  number *in = allocate<number>(n), *count = allocate<number>(bins);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "histogram");
#endif
  auto prepare = [&] {
    for (std::size_t i = 0; i < n; ++i)
      in[i] = scrambled(std::uint32_t(i));
    for (std::size_t i = 0; i < bins; ++i)
      count[i] = 0;
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::launch(kernel, {n / each}, {group_size}, in, count,
                   opencl::local_memory{bins * sizeof(number)});
    opencl::finish();
#elif defined(PEER_OPENMP)
    number sums[bins] = {};
#pragma omp parallel for reduction(+ : sums[ : bins])
    for (std::size_t i = 0; i < n; ++i)
      ++sums[in[i] & 255];
    for (std::size_t i = 0; i < bins; ++i)
      count[i] += sums[i];
#else
    queue()
        .submit([&](sycl::handler &h) {
          sycl::local_accessor<number, 1> part(sycl::range<1>(bins), h);
          h.parallel_for(sycl::nd_range<1>(sycl::range<1>(n / each), sycl::range<1>(group_size)),
                         [=](sycl::nd_item<1> item) {
                           using in_group =
                               sycl::atomic_ref<number, sycl::memory_order::relaxed,
                                                sycl::memory_scope::work_group,
                                                sycl::access::address_space::local_space>;
                           using in_device =
                               sycl::atomic_ref<number, sycl::memory_order::relaxed,
                                                sycl::memory_scope::device,
                                                sycl::access::address_space::global_space>;
                           std::size_t i = item.get_local_id(0), size = item.get_local_range(0);
                           std::size_t first = item.get_group(0) * size * each + i;
                           in_group(part[i]).store(0);
                           sycl::group_barrier(item.get_group());
                           for (std::size_t k = 0; k < each; ++k)
                             in_group(part[in[first + k * size] & 255]).fetch_add(1);
                           sycl::group_barrier(item.get_group());
                           in_device(count[i]).fetch_add(in_group(part[i]).load());
                         });
        })
        .wait();
#endif
  };
  auto check = [&] {
    number expected[bins] = {};
    for (std::size_t i = 0; i < n; ++i)
      ++expected[in[i] & 255];
    for (std::size_t i = 0; i < bins; ++i)
      if (!near(count[i], expected[i], 0, i))
        return false;
    return true;
  };
  return measure(8, prepare, run, check);
}
