// The functions that all generated kernels share, and the base of the machine that runs kernels and
// prints a line for each.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <vector>

using uint = unsigned;
using ulong = unsigned long;

namespace fuzz {

inline uint mix(uint all, uint value) {
  all = (all ^ value) * 0x9E3779B1u;
  return all ^ (all >> 15);
}

inline uint bits(float x) { return __builtin_bit_cast(uint, x); }
// Keeps floats far from infinity.
inline float limited(float x) { return x > -1e6f && x < 1e6f ? x : 1.5f; }

struct launch {
  std::size_t local[3];
  std::size_t groups;
};

// The queue of a machine, its input, and the results of work-items.
class machine_base {
public:
  machine_base(const machine_base &) = delete;
  machine_base &operator=(const machine_base &) = delete;

protected:
  explicit machine_base(std::size_t results)
      : in(sycl::malloc_shared<uint>(256, q)), out(sycl::malloc_shared<uint>(results, q)) {
    uint x = 12345;
    for (uint i = 0; i < 256; ++i) {
      x = x * 1664525u + 1013904223u;
      in[i] = i % 3 == 0 ? x >> 28 : x;
    }
  }
  ~machine_base() {
    sycl::free(in, q);
    sycl::free(out, q);
  }

  // Prints one line: the hash of all results, which `work` returns, or why there is none. A kernel
  // without a hash is skipped.
  template <class Work> static void print(unsigned long long seed, Work work) {
    try {
      if (const std::optional<uint> hash = work())
        std::printf("%llu %08x\n", seed, *hash);
      else
        std::printf("%llu skipped\n", seed);
    } catch (const std::exception &e) {
      std::printf("%llu error: %s\n", seed, e.what());
    }
    std::fflush(stdout);
  }

  template <int D> static sycl::range<D> extents(const launch &l) {
    if constexpr (D == 1)
      return {l.local[0]};
    else if constexpr (D == 2)
      return {l.local[0], l.local[1]};
    else
      return {l.local[0], l.local[1], l.local[2]};
  }

  sycl::queue q;
  uint *in, *out;
};

} // namespace fuzz
