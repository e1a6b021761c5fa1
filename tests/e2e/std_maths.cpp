// The C++ library's maths in kernels: functions by their C names, with second results, and complex
// numbers. Each backend has them from its device library or its driver.
//
// MODES: device
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"
#include <sycl/sycl.hpp>

#include <cmath>
#include <complex>

namespace {

// One value of each function; the host's own C library is compared with.
template <class T> int values(T x, T *out) {
  int n = 0, exponent = 0;
  T whole = 0;
  auto add = [&](T value) { out[n++] = value; };
  add(std::sin(x));
  add(std::cos(x));
  add(std::tan(x));
  add(std::exp(x));
  add(std::log(x));
  add(std::pow(x, T(2.5)));
  add(std::sqrt(x));
  add(std::cbrt(x));
  add(std::atan2(x, T(2)));
  add(std::tgamma(x));
  add(std::hypot(x, T(4)));
  add(std::fmod(x * 10, T(3)));
  add(std::remainder(x * 10, T(4)));
  add(std::ldexp(x, 3));
  add(std::frexp(x * 10, &exponent));
  add(static_cast<T>(exponent));
  add(std::modf(x * 5, &whole));
  add(whole);
  add(std::nearbyint(x * 3));
  add(static_cast<T>(std::lround(x * 4)));
  add(static_cast<T>(std::ilogb(x * 100)));
  add(std::fma(x, x, T(1)));
  add(static_cast<T>(std::isnan(std::log(-x))));
  const std::complex<T> z(x, T(0.5)), w(T(3), T(-1));
  add((z * w).imag());
  add((w / z).real());
  add(std::abs(std::exp(z)));
  add(std::arg(std::sqrt(z)));
  return n;
}

// In the order of `values`.
constexpr const char *names[] = {"sin",
                                 "cos",
                                 "tan",
                                 "exp",
                                 "log",
                                 "pow",
                                 "sqrt",
                                 "cbrt",
                                 "atan2",
                                 "tgamma",
                                 "hypot",
                                 "fmod",
                                 "remainder",
                                 "ldexp",
                                 "frexp",
                                 "frexp's exponent",
                                 "modf",
                                 "modf's whole",
                                 "nearbyint",
                                 "lround",
                                 "ilogb",
                                 "fma",
                                 "log of a negative number",
                                 "imag of a product",
                                 "real of a quotient",
                                 "abs of exp",
                                 "arg of sqrt"};

template <class T> void compare(sycl::queue &q, T tolerance) {
  T *seen = sycl::malloc_shared<T>(64, q), expected[64];
  q.single_task([=] { values(T(0.7), seen); }).wait();
  const int count = values(T(0.7), expected);
  CHECK(count == sizeof(names) / sizeof(names[0]));
  for (int i = 0; i < count; ++i) {
    const bool close = std::fabs(seen[i] - expected[i]) <= tolerance * std::fabs(expected[i]);
    if (!close)
      std::printf("%s: %.17g, expected %.17g\n", names[i], double(seen[i]), double(expected[i]));
    CHECK(close);
  }
  sycl::free(seen, q);
}

} // namespace

int main() {
  sycl::queue q;
  compare<float>(q, 1e-5f);
  if (q.get_device().has(sycl::aspect::fp64))
    compare<double>(q, 1e-13);
  return check::result();
}
