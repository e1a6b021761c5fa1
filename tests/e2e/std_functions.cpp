// The inverse functions of `std::complex` in kernels, its projection, and the functions of the C
// library for integers. The host's library is compared with: near the branch points, on both sides
// of the branch cuts, and for large, infinite and undefined parts. The compiler expands none of the
// functions itself.
//
// MODES: device
// LEVELS: O2
// FLAGS: -fno-builtin
// BACKENDS: cpu,opencl,cuda
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

constexpr int functions = 7;
const char *names[] = {"asin", "acos", "atan", "asinh", "acosh", "atanh", "proj"};

template <class T> void all(std::complex<T> z, std::complex<T> *out) {
  out[0] = std::asin(z);
  out[1] = std::acos(z);
  out[2] = std::atan(z);
  out[3] = std::asinh(z);
  out[4] = std::acosh(z);
  out[5] = std::atanh(z);
  out[6] = std::proj(z);
}

// The standard leaves the sign of some zeros and infinities open where the argument is NaN.
template <class T> bool close(T seen, T expected, T size, T tolerance, bool defined) {
  if (std::isnan(expected))
    return std::isnan(seen);
  if (std::isinf(expected))
    return std::isinf(seen) && (!defined || std::signbit(seen) == std::signbit(expected));
  if (expected == 0 && seen == 0)
    return !defined || std::signbit(seen) == std::signbit(expected);
  return std::fabs(seen - expected) <= tolerance * size;
}

template <class T> void compare(sycl::queue &q, T tolerance) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T large = std::sqrt(std::numeric_limits<T>::max());
  const T one_side[] = {0, T(1e-3), T(0.5), 1, T(1.0001), 2, 100, large, inf};
  std::vector<T> values{nan};
  for (T v : one_side) {
    values.push_back(v);
    values.push_back(-v);
  }
  const std::size_t n = values.size();
  T *in = sycl::malloc_shared<T>(n, q);
  std::copy(values.begin(), values.end(), in);
  auto *out = sycl::malloc_shared<std::complex<T>>(n * n * functions, q);
  q.parallel_for(sycl::range<1>(n * n), [=](sycl::id<1> i) {
     all(std::complex<T>(in[i / n], in[i % n]), out + i * functions);
   }).wait();
  for (std::size_t i = 0; i < n * n; ++i) {
    const std::complex<T> z(in[i / n], in[i % n]);
    const bool defined = !std::isnan(z.real()) && !std::isnan(z.imag());
    std::complex<T> expected[functions];
    all(z, expected);
    for (int f = 0; f < functions; ++f) {
      const std::complex<T> seen = out[i * functions + f], e = expected[f];
      const T size = std::isfinite(std::abs(e)) ? std::abs(e) : 1;
      const bool fits = close(seen.real(), e.real(), size, tolerance, defined) &&
                        close(seen.imag(), e.imag(), size, tolerance, defined);
      if (!fits)
        std::printf("%s(%g, %g): (%.9g, %.9g), expected (%.9g, %.9g)\n", names[f], double(z.real()),
                    double(z.imag()), double(seen.real()), double(seen.imag()), double(e.real()),
                    double(e.imag()));
      CHECK(fits);
    }
  }
  sycl::free(in, q);
  sycl::free(out, q);
}

void integers(sycl::queue &q) {
  long long *out = sycl::malloc_shared<long long>(9, q);
  const int negative = -7;
  q.single_task([=] {
     const auto a = std::div(-99, 4);
     const auto b = std::ldiv(10000000000l, 23l);
     const auto c = std::lldiv(-200000000000ll, -47ll);
     const long long all[] = {a.quot,
                              a.rem,
                              b.quot,
                              b.rem,
                              c.quot,
                              c.rem,
                              std::abs(negative),
                              std::labs(negative),
                              std::llabs(negative)};
     for (int i = 0; i < 9; ++i)
       out[i] = all[i];
   }).wait();
  CHECK(out[0] == -24 && out[1] == -3);
  CHECK(out[2] == 10000000000l / 23 && out[3] == 10000000000l % 23);
  CHECK(out[6] == 7 && out[7] == 7 && out[8] == 7);
  CHECK(out[4] == 200000000000ll / 47 && out[5] == -(200000000000ll % 47));
  sycl::free(out, q);
}

} // namespace

int main() {
  sycl::queue q;
  compare<float>(q, 2e-6f);
  if (q.get_device().has(sycl::aspect::fp64))
    compare<double>(q, 4e-15);
  integers(q);
  return check::result();
}
