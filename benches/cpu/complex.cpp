// Arithmetic of complex numbers, 2^20 times: each work-item jumps ahead in a linear congruential
// sequence of 64-bit integers, takes four numbers, and compares moduli of a product, a quotient and
// a sum.
#include "harness.hpp"

constexpr std::size_t n = std::size_t(1) << 20;

#ifdef PEER_OPENCL
static const char *source = R"(
ulong jump(ulong n) {
  ulong factor = 6364136223846793005UL, summand = 1442695040888963407UL, f = 1, s = 0;
  for (; n > 0; n >>= 1) {
    if (n & 1) {
      f *= factor;
      s = s * factor + summand;
    }
    summand *= factor + 1;
    factor *= factor;
  }
  return f + s;
}
float next(ulong *seed) {
  *seed = 6364136223846793005UL * *seed + 1442695040888963407UL;
  return (float)(int)(*seed >> 40) * 0x1p-24f + 0.5f;
}
float2 product(float2 a, float2 b) {
  return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
float2 quotient(float2 a, float2 b) {
  float s = b.x * b.x + b.y * b.y;
  return (float2)((a.x * b.x + a.y * b.y) / s, (a.y * b.x - a.x * b.y) / s);
}
float modulus(float2 a) { return sqrt(a.x * a.x + a.y * a.y); }
kernel void compare(global float *out) {
  size_t i = get_global_id(0);
  ulong seed = jump(i);
  float a = next(&seed), b = next(&seed), c = next(&seed), d = next(&seed);
  float2 x = (float2)(a, b), y = (float2)(c, d), sum = (float2)(a + c, b + d);
  out[i] = modulus(product(x, y)) - modulus(x) * modulus(y) +
           (modulus(quotient(x, y)) - modulus(x) / modulus(y)) + modulus(sum);
})";
#endif

inline std::uint64_t jump(std::uint64_t n) {
  std::uint64_t factor = 6364136223846793005u, summand = 1442695040888963407u, f = 1, s = 0;
  for (; n > 0; n >>= 1) {
    if (n & 1) {
      f *= factor;
      s = s * factor + summand;
    }
    summand *= factor + 1;
    factor *= factor;
  }
  return f + s;
}
inline float next(std::uint64_t &seed) {
  seed = 6364136223846793005u * seed + 1442695040888963407u;
  return float(int(seed >> 40)) * 0x1p-24f + 0.5f;
}

struct number {
  float re, im;
};
inline number product(number a, number b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline number quotient(number a, number b) {
  float s = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / s, (a.im * b.re - a.re * b.im) / s};
}
#if defined(PEER_OPENCL) || defined(PEER_OPENMP)
inline float root(float x) { return std::sqrt(x); }
#else
inline float root(float x) { return sycl::sqrt(x); }
#endif
inline float modulus(number a) { return root(a.re * a.re + a.im * a.im); }

inline float compare(std::uint64_t i) {
  std::uint64_t seed = jump(i);
  float a = next(seed), b = next(seed), c = next(seed), d = next(seed);
  number x{a, b}, y{c, d}, sum{a + c, b + d};
  return modulus(product(x, y)) - modulus(x) * modulus(y) +
         (modulus(quotient(x, y)) - modulus(x) / modulus(y)) + modulus(sum);
}

int main() {
  float *out = allocate<float>(n);
#ifdef PEER_OPENCL
  cl_kernel kernel = opencl::kernel(opencl::build(source), "compare");
#endif
  auto prepare = [&] {
    for (std::size_t i = 0; i < n; ++i)
      out[i] = 0.0f;
  };
  auto run = [&] {
#if defined(PEER_OPENCL)
    opencl::launch(kernel, {n}, {256}, out);
    opencl::finish();
#elif defined(PEER_OPENMP)
#pragma omp parallel for simd
    for (std::size_t i = 0; i < n; ++i)
      out[i] = compare(i);
#else
    queue()
        .parallel_for(sycl::nd_range<1>(n, 256),
                      [=](sycl::nd_item<1> item) {
                        std::size_t i = item.get_global_id(0);
                        out[i] = compare(i);
                      })
        .wait();
#endif
  };
  auto check = [&] {
    for (std::size_t i = 0; i < n; i += 11) {
      std::uint64_t seed = jump(i);
      double a = next(seed), b = next(seed), c = next(seed), d = next(seed);
      if (!near(out[i], std::hypot(a + c, b + d), 1e-5, i))
        return false;
    }
    return true;
  };
  return measure(10, prepare, run, check);
}
