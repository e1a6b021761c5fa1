// The numbers of bits in 2^22 numbers of 64 bits, by sums of bit fields and by a loop that clears
// one bit per iteration for the low bytes.
#include "harness.hpp"

constexpr std::size_t n = std::size_t(1) << 22;

#ifdef PEER_OPENCL
static const char *source = R"(
kernel void count(global int *out, global const ulong *in) {
  size_t i = get_global_id(0);
  ulong x = in[i];
  ulong pairs = x - ((x >> 1) & 0x5555555555555555UL);
  ulong fours = (pairs & 0x3333333333333333UL) + ((pairs >> 2) & 0x3333333333333333UL);
  ulong bytes = (fours + (fours >> 4)) & 0x0f0f0f0f0f0f0f0fUL;
  int low = 0;
  for (ulong rest = x & 255; rest; rest &= rest - 1)
    ++low;
  out[i] = (int)((bytes * 0x0101010101010101UL) >> 56) + 256 * low;
})";
#endif

inline int count(std::uint64_t x) {
  std::uint64_t pairs = x - ((x >> 1) & 0x5555555555555555u);
  std::uint64_t fours = (pairs & 0x3333333333333333u) + ((pairs >> 2) & 0x3333333333333333u);
  std::uint64_t bytes = (fours + (fours >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  int low = 0;
  for (std::uint64_t rest = x & 255; rest; rest &= rest - 1)
    ++low;
  return int((bytes * 0x0101010101010101u) >> 56) + 256 * low;
}

int main() {
  std::uint64_t *in = allocate<std::uint64_t>(n);
  int *out = allocate<int>(n);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "count");
#endif
  auto prepare = [&] {
    for (std::uint32_t i = 0; i < n; ++i) {
      in[i] = std::uint64_t(scrambled(2 * i)) << 32 | scrambled(2 * i + 1);
      out[i] = 0;
    }
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::launch(kernel, {n}, {256}, out, in);
    opencl::finish();
#elif defined(PEER_OPENMP)
#pragma omp parallel for simd
    for (std::size_t i = 0; i < n; ++i)
      out[i] = count(in[i]);
#else
    queue()
        .parallel_for(sycl::nd_range<1>(n, 256),
                      [=](sycl::nd_item<1> item) {
                        std::size_t i = item.get_global_id(0);
                        out[i] = count(in[i]);
                      })
        .wait();
#endif
  };
  auto check = [&] {
    for (std::size_t i = 0; i < n; i += 7) {
      int expected = __builtin_popcountll(in[i]) + 256 * __builtin_popcountll(in[i] & 255);
      if (!near(out[i], expected, 0, i))
        return false;
    }
    return true;
  };
  return measure(10, prepare, run, check);
}
