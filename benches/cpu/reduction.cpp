// The sum of 2^24 floats: 16 per work-item, then a tree in local memory with a barrier per step,
// one sum per work-group of 256, and those summed by the host.
#include "harness.hpp"

constexpr std::size_t n = std::size_t(1) << 24, group_size = 256, each = 16,
                      groups = n / (group_size * each);

#ifdef PEER_OPENCL
static const char *source = R"(
#define EACH 16
kernel void reduction(global const float *in, global float *sums, local float *part) {
  size_t local_id = get_local_id(0), size = get_local_size(0);
  size_t first = get_group_id(0) * size * EACH + local_id;
  float sum = 0.0f;
  for (size_t k = 0; k < EACH; ++k)
    sum += in[first + k * size];
  part[local_id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t step = size / 2; step > 0; step /= 2) {
    if (local_id < step)
      part[local_id] += part[local_id + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (local_id == 0)
    sums[get_group_id(0)] = part[0];
})";
#endif

int main() {
  float *in = allocate<float>(n), *sums = allocate<float>(groups);
  float sum = 0;
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "reduction");
#endif
  auto prepare = [&] {
    for (std::size_t i = 0; i < n; ++i)
      in[i] = float(scrambled(std::uint32_t(i)) & 3);
    for (std::size_t g = 0; g < groups; ++g)
      sums[g] = 0;
  };
  auto run = [&] {
    sum = 0;
#if defined(PEER_OPENMP)
#pragma omp parallel for simd reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i)
      sum += in[i];
#else
#if defined(PEER_OPENCL)
    opencl::launch(kernel, {n / each}, {group_size}, in, sums,
                   opencl::local_memory{group_size * sizeof(float)});
    opencl::finish();
#else
    queue()
        .submit([&](sycl::handler &h) {
          sycl::local_accessor<float, 1> part(sycl::range<1>(group_size), h);
          h.parallel_for(sycl::nd_range<1>(sycl::range<1>(n / each), sycl::range<1>(group_size)),
                         [=](sycl::nd_item<1> item) {
                           std::size_t local_id = item.get_local_id(0),
                                       size = item.get_local_range(0);
                           std::size_t first = item.get_group(0) * size * each + local_id;
                           float sum = 0.0f;
                           for (std::size_t k = 0; k < each; ++k)
                             sum += in[first + k * size];
                           part[local_id] = sum;
                           sycl::group_barrier(item.get_group());
                           for (std::size_t step = size / 2; step > 0; step /= 2) {
                             if (local_id < step)
                               part[local_id] += part[local_id + step];
                             sycl::group_barrier(item.get_group());
                           }
                           if (local_id == 0)
                             sums[item.get_group(0)] = part[0];
                         });
        })
        .wait();
#endif
    for (std::size_t g = 0; g < groups; ++g)
      sum += sums[g];
#endif
  };
  auto check = [&] {
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i)
      expected += in[i];
    // Sums above 2^24 are rounded.
    return near(sum, expected, 1e-4 * expected, 0);
  };
  return measure(10, prepare, run, check);
}
