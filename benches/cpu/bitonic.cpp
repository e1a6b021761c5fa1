// A bitonic sort of 2^18 numbers: distances up to half a work-group of 256 in local memory with a
// barrier per step, larger ones by a kernel each.
#include "harness.hpp"

using number = std::uint32_t;
constexpr std::size_t n = std::size_t(1) << 18, group_size = 256;

#ifdef PEER_OPENCL
static const char *source = R"(
// Sorts the two where they stand: upwards where bit `size` of the place is zero.
void exchange_global(global uint *v, size_t t, size_t size, size_t distance) {
  size_t i = 2 * t - (t & (distance - 1));
  uint a = v[i], b = v[i + distance];
  bool up = (i & size) == 0;
  v[i] = up ? min(a, b) : max(a, b);
  v[i + distance] = up ? max(a, b) : min(a, b);
}
void exchange_local(local uint *v, size_t t, size_t first, size_t size, size_t distance) {
  size_t i = 2 * t - (t & (distance - 1));
  uint a = v[i], b = v[i + distance];
  bool up = ((first + i) & size) == 0;
  v[i] = up ? min(a, b) : max(a, b);
  v[i + distance] = up ? max(a, b) : min(a, b);
}
kernel void far(global uint *v, ulong size, ulong distance) {
  exchange_global(v, get_global_id(0), size, distance);
}
// All sizes from `from` to `to`, each from distance `size / 2`, but no more than half a block.
kernel void near(global uint *v, ulong from, ulong to, local uint *part) {
  size_t t = get_local_id(0), group_size = get_local_size(0),
      first = get_group_id(0) * 2 * group_size;
  part[t] = v[first + t];
  part[t + group_size] = v[first + t + group_size];
  for (size_t size = from; size <= to; size *= 2)
    for (size_t distance = min(size / 2, group_size); distance > 0; distance /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      exchange_local(part, t, first, size, distance);
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  v[first + t] = part[t];
  v[first + t + group_size] = part[t + group_size];
})";
static cl_kernel far_kernel, near_kernel;
#endif

// Sorts the two where they stand: upwards where bit `size` of the place is zero.
inline void exchange(number *v, std::size_t t, std::size_t first, std::size_t size,
                     std::size_t distance) {
  std::size_t i = 2 * t - (t & (distance - 1));
  number a = v[i], b = v[i + distance];
  bool up = ((first + i) & size) == 0;
  number low = a < b ? a : b, high = a < b ? b : a;
  v[i] = up ? low : high;
  v[i + distance] = up ? high : low;
}

#ifndef PEER_OPENMP
static void far(number *v, std::size_t size, std::size_t distance) {
#ifdef PEER_OPENCL
  opencl::launch(far_kernel, {n / 2}, {}, v, cl_ulong(size), cl_ulong(distance));
#else
  queue().parallel_for(sycl::range<1>(n / 2),
                       [=](sycl::id<1> i) { exchange(v, i[0], 0, size, distance); });
#endif
}

// All sizes from `from` to `to`, each from distance `size / 2`, but no more than half a block.
static void near(number *v, std::size_t from, std::size_t to) {
#ifdef PEER_OPENCL
  opencl::launch(near_kernel, {n / 2}, {group_size}, v, cl_ulong(from), cl_ulong(to),
                 opencl::local_memory{2 * group_size * sizeof(number)});
#else
  queue().submit([&](sycl::handler &h) {
    sycl::local_accessor<number, 1> memory(sycl::range<1>(2 * group_size), h);
    h.parallel_for(sycl::nd_range<1>(sycl::range<1>(n / 2), sycl::range<1>(group_size)),
                   [=](sycl::nd_item<1> item) {
                     std::size_t t = item.get_local_id(0), size_of_group = item.get_local_range(0);
                     std::size_t first = item.get_group(0) * 2 * size_of_group;
                     number *part = &memory[0];
                     part[t] = v[first + t];
                     part[t + size_of_group] = v[first + t + size_of_group];
                     for (std::size_t size = from; size <= to; size *= 2)
                       for (std::size_t distance = size / 2 < size_of_group ? size / 2
                                                                            : size_of_group;
                            distance > 0; distance /= 2) {
                         sycl::group_barrier(item.get_group());
                         exchange(part, t, first, size, distance);
                       }
                     sycl::group_barrier(item.get_group());
                     v[first + t] = part[t];
                     v[first + t + size_of_group] = part[t + size_of_group];
                   });
  });
#endif
}
#endif

int main() {
  number *v = allocate<number>(n);
#ifdef PEER_OPENCL
  cl_program program = opencl::build(source);
  far_kernel = opencl::kernel(program, "far");
  near_kernel = opencl::kernel(program, "near");
#endif
  auto prepare = [&] {
    for (std::size_t i = 0; i < n; ++i)
      v[i] = scrambled(std::uint32_t(i));
  };
  auto run = [&] {
#if defined(PEER_OPENMP)
    for (std::size_t size = 2; size <= n; size *= 2)
      for (std::size_t distance = size / 2; distance > 0; distance /= 2)
#pragma omp parallel for simd
        for (std::size_t t = 0; t < n / 2; ++t)
          exchange(v, t, 0, size, distance);
#else
    near(v, 2, 2 * group_size);
    for (std::size_t size = 4 * group_size; size <= n; size *= 2) {
      for (std::size_t distance = size / 2; distance > group_size; distance /= 2)
        far(v, size, distance);
      near(v, size, size);
    }
#if defined(PEER_OPENCL)
    opencl::finish();
#else
    queue().wait();
#endif
#endif
  };
  auto check = [&] {
    std::uint64_t sum = v[0], expected = scrambled(0);
    for (std::size_t i = 1; i < n; ++i) {
      if (v[i] < v[i - 1])
        return near(v[i], v[i - 1], 0, i);
      sum += v[i];
      expected += scrambled(std::uint32_t(i));
    }
    return near(double(sum), double(expected), 0, n);
  };
  return measure(8, prepare, run, check);
}
