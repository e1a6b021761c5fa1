// Numbers of extensions: bfloat16 and its functions, complex numbers, dot products of bytes. What
// kernels compute is what the host computes with the same functions, and that is compared with
// other ways to compute it.
// MODES: device,host
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/ext/oneapi/dot_product.hpp>
#include <sycl/ext/oneapi/experimental/bfloat16_math.hpp>
#include <sycl/ext/oneapi/experimental/complex/complex.hpp>

#include <cmath>
#include <complex>
#include <cstring>
#include <sstream>

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using sycl::ext::oneapi::bfloat16;

// --- bfloat16

std::uint16_t bits_of(bfloat16 x) { return sycl::bit_cast<std::uint16_t>(x); }

void bfloat16_on_host() {
  static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);
  CHECK(bits_of(1.0f) == 0x3f80 && bits_of(-2.5f) == 0xc020);
  // Ties go to even, more than half goes up, infinities stay and NaNs stay NaNs.
  CHECK(bits_of(0x1.01p0f) == 0x3f80 && bits_of(0x1.03p0f) == 0x3f82);
  CHECK(bits_of(0x1.010002p0f) == 0x3f81 && bits_of(0x1.00fffep0f) == 0x3f80);
  CHECK(bits_of(0x1.ffp127f) == 0x7f80 && bits_of(-INFINITY) == 0xff80);
  CHECK(exp::isnan(bfloat16(NAN)) && !exp::isnan(bfloat16(3.0f)));
  CHECK((bits_of(sycl::bit_cast<float>(0x7f800001u)) & 0x7fff) > 0x7f80);
  bfloat16 x = 3, y = sycl::half(0.5f);
  CHECK(x + y == 3.5f && x - 1 == 2 && 2 * x == 6 && x / y == bfloat16(6) && -x == -3 && x != y &&
        y < x && 3 <= x);
  CHECK(std::is_same_v<decltype(x * 2.0f), bfloat16> && std::is_same_v<decltype(x == 2), bool>);
  x += y;
  x *= 2;
  CHECK(x++ == 7 && --x == 7 && static_cast<sycl::half>(x) == 7 && static_cast<bool>(x) &&
        !static_cast<bool>(bfloat16(-0.0f)));
  float sum = 1;
  sum += y;
  CHECK(sum == 1.5f);
  using limits = std::numeric_limits<bfloat16>;
  CHECK(bits_of(limits::max()) == 0x7f7f && bits_of(limits::min()) == 0x0080 &&
        bits_of(limits::denorm_min()) == 1);
  CHECK(1 + static_cast<float>(limits::epsilon()) == static_cast<float>(bfloat16(1.0078125f)));
  // 1.0078125 * 1.0078125 is a little more than a tie with -1/2^16 of it: rounding twice would go
  // wrong.
  const float a = 1.0078125f, c = -0x1p-40f;
  const double exact = static_cast<double>(a) * a + c;
  const bfloat16 once = exp::fma(bfloat16(a), bfloat16(a), bfloat16(c));
  CHECK(std::fabs(static_cast<double>(static_cast<float>(once)) - exact) <= 0x1p-8);
  CHECK(static_cast<float>(exp::fma(bfloat16(0x1.02p0f), bfloat16(0x1p0f), bfloat16(0x1p-8f))) ==
        0x1.04p0f);
  CHECK(static_cast<float>(exp::fma(bfloat16(0x1.02p0f), bfloat16(0x1p0f), bfloat16(0x1.fep-9f))) ==
        0x1.02p0f);
}

// Functions against those of float, scalars and arrays.
int bfloat16_functions(float x, bfloat16 *out) {
  const bfloat16 b = x;
  const sycl::marray<bfloat16, 3> m(b, b + 1, b * 2);
  int n = 0;
  const auto add = [&](bfloat16 y) { out[n++] = y; };
  add(exp::exp(b));
  add(exp::log(b));
  add(exp::sqrt(b));
  add(exp::rsqrt(b));
  add(exp::sin(b));
  add(exp::floor(b));
  add(exp::fmax(b, bfloat16(0.25f)));
  add(exp::fma(b, b, b));
  add((m * m)[1]);
  add((m + bfloat16(1))[2]);
  add(exp::exp2(m)[1]);
  add(exp::fmin(m, m)[2]);
  const sycl::vec<bfloat16, 4> v(b, b + 1, 3.0f, 4);
  add((v * v + bfloat16(1)).w());
  add((v.lo() - v.hi()).y());
  add(exp::sqrt(v)[1]);
  add(v.convert<float>().z() + static_cast<float>((v < v + bfloat16(1))[3]));
  add(sycl::vec<float, 2>(x, 2.5f).convert<bfloat16>().y() +
      v.as<sycl::vec<std::uint16_t, 4>>()[3]);
  return n;
}

void bfloat16_in_kernels(sycl::queue &q) {
  bfloat16 *const out = sycl::malloc_shared<bfloat16>(32, q), expected[32];
  q.single_task([=] { bfloat16_functions(0.7f, out); }).wait();
  const int n = bfloat16_functions(0.7f, expected);
  for (int i = 0; i < n; ++i) {
    const bool close = std::fabs(out[i] - expected[i]) <= 0.01f * std::fabs(expected[i]);
    CHECK(close);
    if (!close)
      std::printf("  function %d: %g, not %g\n", i, static_cast<double>(out[i]),
                  static_cast<double>(expected[i]));
  }
  CHECK(std::fabs(expected[0] - std::exp(0.7f)) < 0.02f &&
        std::fabs(expected[2] - std::sqrt(0.7f)) < 0.01f);
  CHECK(expected[12] == 17 && expected[15] == 2 && expected[16] == bfloat16(2.5f + 0x4080));
  sycl::free(out, q);
}

// --- Complex numbers

template <class T> using complex = exp::complex<T>;

template <class T> int complex_functions(T re, T im, complex<T> *out) {
  const complex<T> z(re, im), w(T(0.5f), T(-2));
  int n = 0;
  const auto add = [&](complex<T> y) { out[n++] = y; };
  add(z + w);
  add(z - T(1));
  add(z * w);
  add(z / w);
  add(T(2) / z);
  add(exp::exp(z));
  add(exp::log(z));
  add(exp::log10(z));
  add(exp::sqrt(z));
  add(exp::pow(z, w));
  add(exp::pow(z, T(2)));
  add(exp::sin(z));
  add(exp::cos(z));
  add(exp::tan(z));
  add(exp::sinh(z));
  add(exp::cosh(z));
  add(exp::tanh(z));
  add(exp::asin(z));
  add(exp::acos(z));
  add(exp::atan(z));
  add(exp::asinh(z));
  add(exp::acosh(z));
  add(exp::atanh(z));
  add(exp::conj(z));
  add(exp::polar(T(2), T(0.25f)));
  add({exp::abs(z), exp::arg(z)});
  add({exp::norm(z), exp::real(T(3)) + exp::imag(z)});
  sycl::marray<complex<T>, 2> m(z, w);
  m *= m;
  add(m[1]);
  add(exp::sqrt(m)[0]);
  add(exp::pow(m, w)[1]);
  return n;
}

// The same by the C++ library on the host.
int expected_functions(std::complex<double> z, std::complex<double> *out) {
  const std::complex<double> w(0.5, -2), m[2] = {z * z, w * w};
  const std::complex<double> all[] = {z + w,
                                      z - 1.0,
                                      z * w,
                                      z / w,
                                      2.0 / z,
                                      std::exp(z),
                                      std::log(z),
                                      std::log10(z),
                                      std::sqrt(z),
                                      std::pow(z, w),
                                      z * z,
                                      std::sin(z),
                                      std::cos(z),
                                      std::tan(z),
                                      std::sinh(z),
                                      std::cosh(z),
                                      std::tanh(z),
                                      std::asin(z),
                                      std::acos(z),
                                      std::atan(z),
                                      std::asinh(z),
                                      std::acosh(z),
                                      std::atanh(z),
                                      std::conj(z),
                                      std::polar(2.0, 0.25),
                                      {std::abs(z), std::arg(z)},
                                      {std::norm(z), 3 + z.imag()},
                                      m[1],
                                      std::sqrt(m[0]),
                                      std::pow(m[1], w)};
  int n = 0;
  for (const auto &x : all)
    out[n++] = x;
  return n;
}

template <class T> void complex_in_kernels(sycl::queue &q, double tolerance) {
  complex<T> *const out = sycl::malloc_shared<complex<T>>(64, q);
  const double points[][2] = {{0.75, 0.5}, {-1.5, 0.25}, {-0.5, -2}, {2, -0.0}, {-3, 0.0}};
  for (const auto &point : points) {
    const T re = static_cast<T>(point[0]), im = static_cast<T>(point[1]);
    q.single_task([=] { complex_functions<T>(re, im, out); }).wait();
    std::complex<double> expected[64];
    const int n = expected_functions({point[0], point[1]}, expected);
    for (int i = 0; i < n; ++i) {
      const std::complex<double> got(static_cast<double>(out[i].real()),
                                     static_cast<double>(out[i].imag()));
      const bool close = std::abs(got - expected[i]) <= tolerance * (std::abs(expected[i]) + 1);
      CHECK(close);
      if (!close)
        std::printf("  function %d at (%g,%g): (%g,%g), not (%g,%g)\n", i, point[0], point[1],
                    got.real(), got.imag(), expected[i].real(), expected[i].imag());
    }
  }
  sycl::free(out, q);
}

void complex_on_host() {
  complex<float> z(1, 2);
  z += 1.0f;
  z *= complex<double>(0, 1);
  CHECK(z == complex<float>(-2, 2) && z != 3.0f);
  const std::complex<double> s = z;
  CHECK(s == std::complex<double>(-2, 2) && complex<float>(s) == z);
  std::stringstream text;
  text << z;
  CHECK(text.str() == "(-2,2)");
  complex<float> read;
  text >> read;
  CHECK(read == z);
  const float infinite = std::numeric_limits<float>::infinity();
  CHECK(exp::proj(complex<float>(1, infinite)) == complex<float>(infinite, 0));
  CHECK(std::is_same_v<decltype(exp::pow(complex<float>(), 2.0)), complex<double>>);
  CHECK(
      std::is_same_v<decltype(exp::pow(complex<sycl::half>(), complex<float>())), complex<float>>);
}

// --- The rest

void dot_products(sycl::queue &q) {
  using sycl::ext::oneapi::dot_acc;
  int *const out = sycl::malloc_shared<int>(3, q);
  q.single_task([=] {
     out[0] = dot_acc(std::int32_t(0x01ff0203), std::int32_t(0x04050607), 10);
     out[1] = dot_acc(std::uint32_t(0x01ff0203), std::int32_t(0x04050607), 10);
     out[2] = dot_acc(sycl::vec<std::int8_t, 4>(-1, 2, 3, 4),
                      sycl::vec<std::uint8_t, 4>(200, 1, 2, 3), -5);
   }).wait();
  CHECK(out[0] == 10 + 4 - 5 + 12 + 21 && out[1] == 10 + 4 + 255 * 5 + 12 + 21 &&
        out[2] == -5 - 200 + 2 + 6 + 12);
  sycl::free(out, q);
}

void names() {
  // The headers bring these macros.
  assert(sizeof(bfloat16) == 2 && CHAR_BIT == 8);
  CHECK(std::is_same_v<sycl::ulong, unsigned long> && std::is_same_v<sycl::uchar, unsigned char>);
  CHECK(std::is_same_v<sycl::ext::oneapi::plus<int>, sycl::plus<int>>);
  CHECK(sizeof(::cl_bool) == 4 && sizeof(::cl_half) == 2 && sizeof(::cl_long) == 8 &&
        sizeof(sycl::opencl::cl_bool) == 1);
}

} // namespace

int main() {
  sycl::queue q;
  bfloat16_on_host();
  bfloat16_in_kernels(q);
  complex_on_host();
  complex_in_kernels<float>(q, 2e-5);
  if (q.get_device().has(sycl::aspect::fp64))
    complex_in_kernels<double>(q, 1e-13);
  dot_products(q);
  names();
  return check::result();
}
