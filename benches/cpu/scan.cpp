// The inclusive scan of 2^22 numbers in three kernels: of each block by one work-group of 256 in
// local memory, of the blocks' sums by one work-group, and adding these.
#include "harness.hpp"

#include <vector>

using number = std::uint32_t;
constexpr std::size_t group_size = 256, each = 64, block = group_size * each, blocks = 256,
                      n = block * blocks;

#ifdef PEER_OPENCL
static const char *source = R"(
#define EACH 64
// The inclusive scan of one value per work-item; `memory` has room for two.
uint scan_group(uint value, local uint *memory) {
  size_t i = get_local_id(0), size = get_local_size(0);
  local uint *from = memory, *to = memory + size;
  from[i] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t step = 1; step < size; step *= 2) {
    to[i] = i >= step ? from[i] + from[i - step] : from[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    local uint *other = from;
    from = to;
    to = other;
  }
  return from[i];
}
// A row of work-items takes a row of the block after the other.
kernel void blocks(global const uint *in, global uint *out, global uint *sums, local uint *memory) {
  size_t i = get_local_id(0), size = get_local_size(0), first = get_group_id(0) * size * EACH + i;
  uint before = 0;
  for (size_t k = 0; k < EACH; ++k) {
    uint value = scan_group(in[first + k * size], memory);
    out[first + k * size] = before + value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == size - 1)
      memory[0] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    before += memory[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0)
    sums[get_group_id(0)] = before;
}
kernel void sums(global uint *sums, local uint *memory) {
  size_t i = get_local_id(0);
  uint own = sums[i];
  sums[i] = scan_group(own, memory) - own;
}
kernel void add(global uint *out, global const uint *sums, ulong block) {
  size_t i = get_global_id(0);
  out[i] += sums[i / block];
})";
#endif

#if !defined(PEER_OPENCL) && !defined(PEER_OPENMP)
// The inclusive scan of one value per work-item; `memory` has room for two.
inline number scan_group(sycl::nd_item<1> item, number value, number *memory) {
  std::size_t i = item.get_local_id(0), size = item.get_local_range(0);
  number *from = memory, *to = memory + size;
  from[i] = value;
  sycl::group_barrier(item.get_group());
  for (std::size_t step = 1; step < size; step *= 2) {
    to[i] = i >= step ? from[i] + from[i - step] : from[i];
    sycl::group_barrier(item.get_group());
    number *other = from;
    from = to;
    to = other;
  }
  return from[i];
}

static void scan(const number *in, number *out, number *sums) {
  sycl::queue &q = queue();
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<number, 1> memory(sycl::range<1>(2 * group_size), h);
    h.parallel_for(sycl::nd_range<1>(sycl::range<1>(n / each), sycl::range<1>(group_size)),
                   [=](sycl::nd_item<1> item) {
                     std::size_t i = item.get_local_id(0), size = item.get_local_range(0);
                     std::size_t first = item.get_group(0) * size * each + i;
                     number before = 0;
                     for (std::size_t k = 0; k < each; ++k) {
                       number value = scan_group(item, in[first + k * size], &memory[0]);
                       out[first + k * size] = before + value;
                       sycl::group_barrier(item.get_group());
                       if (i == size - 1)
                         memory[0] = value;
                       sycl::group_barrier(item.get_group());
                       before += memory[0];
                       sycl::group_barrier(item.get_group());
                     }
                     if (i == 0)
                       sums[item.get_group(0)] = before;
                   });
  });
  q.submit([&](sycl::handler &h) {
    sycl::local_accessor<number, 1> memory(sycl::range<1>(2 * blocks), h);
    h.parallel_for(sycl::nd_range<1>(sycl::range<1>(blocks), sycl::range<1>(blocks)),
                   [=](sycl::nd_item<1> item) {
                     std::size_t i = item.get_local_id(0);
                     number own = sums[i];
                     sums[i] = scan_group(item, own, &memory[0]) - own;
                   });
  });
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { out[i] += sums[i[0] / block]; });
  q.wait();
}
#endif

int main() {
  number *in = allocate<number>(n), *out = allocate<number>(n), *sums = allocate<number>(blocks);
#ifdef PEER_OPENCL
  cl_program program = opencl::build(source);
  cl_kernel scan_blocks = opencl::kernel(program, "blocks"),
            scan_sums = opencl::kernel(program, "sums"), add = opencl::kernel(program, "add");
#endif
  auto prepare = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = scrambled(std::uint32_t(i)) & 0xff;
      out[i] = 0;
    }
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::launch(scan_blocks, {n / each}, {group_size}, in, out, sums,
                   opencl::local_memory{2 * group_size * sizeof(number)});
    opencl::launch(scan_sums, {blocks}, {blocks}, sums,
                   opencl::local_memory{2 * blocks * sizeof(number)});
    opencl::launch(add, {n}, {}, out, sums, cl_ulong(block));
    opencl::finish();
#elif defined(PEER_OPENMP)
    // Each thread sums its part, then scans it from where those before it end.
    (void)sums;
    std::vector<number> ends(std::size_t(omp_get_max_threads()) + 1);
#pragma omp parallel
    {
      std::size_t thread = std::size_t(omp_get_thread_num()),
                  threads = std::size_t(omp_get_num_threads());
      std::size_t first = n * thread / threads, last = n * (thread + 1) / threads;
      number sum = 0;
      for (std::size_t i = first; i < last; ++i)
        sum += in[i];
      ends[thread + 1] = sum;
#pragma omp barrier
      number before = 0;
      for (std::size_t t = 0; t <= thread; ++t)
        before += ends[t];
      for (std::size_t i = first; i < last; ++i)
        out[i] = before += in[i];
    }
#else
    scan(in, out, sums);
#endif
  };
  auto check = [&] {
    number before = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (out[i] != (before += in[i]))
        return near(out[i], before, 0, i);
    return true;
  };
  return measure(10, prepare, run, check);
}
