// Maths functions give in kernels what they give on the host, up to rounding.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cmath>
#include <vector>

namespace {

template <class T> bool close(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return std::fabs(a - b) <= (sizeof(T) == 4 ? T(2e-5) : T(1e-12)) * (T(1) + std::fabs(b));
}

template <class T> T evaluate(int which, T x, T y) {
  switch (which) {
  case 0:
    return sycl::sin(x) + sycl::cos(y) + sycl::tan(x / 4);
  case 1:
    return sycl::exp(x) - sycl::exp2(y) + sycl::expm1(x);
  case 2:
    return sycl::log(x + 1) + sycl::log2(y + 1) - sycl::log10(x + y + 1) + sycl::log1p(x);
  case 3:
    return sycl::sqrt(x) + sycl::cbrt(y) + sycl::rsqrt(x + 1) + sycl::hypot(x, y);
  case 4:
    return sycl::pow(x + 1, y) + sycl::pown(x, 3) + sycl::powr(x + 1, y);
  case 5:
    return sycl::floor(x * 10) + sycl::ceil(y * 10) + sycl::round(x * 7) + sycl::trunc(y * 7) +
           sycl::rint(x * 3);
  case 6:
    return sycl::fma(x, y, x) + sycl::mad(x, y, y) + sycl::fmod(x * 5, y + 1) +
           sycl::mix(x, y, T(0.25));
  case 7:
    return sycl::fmin(x, y) * 3 + sycl::fmax(x, y) + sycl::fabs(x - y) + sycl::copysign(x, y - 1) +
           sycl::fdim(x, y);
  case 8:
    return sycl::min(x, y) + sycl::max(x, y) * 2 + sycl::clamp(x, T(0.5), T(1)) +
           sycl::sign(x - y) + sycl::step(x, y);
  case 9:
    return sycl::asin(x / 4) + sycl::acos(y / 4) + sycl::atan(x) + sycl::atan2(x, y + 1);
  case 10:
    return sycl::sinh(x) + sycl::cosh(y) + sycl::tanh(x) + sycl::asinh(x) + sycl::acosh(y + 1) +
           sycl::atanh(x / 4);
  case 11:
    return sycl::erf(x) + sycl::erfc(y) + sycl::tgamma(x + 1) + sycl::lgamma(y + 1);
  case 12:
    return sycl::degrees(x) + sycl::radians(y) + sycl::pow(x + 1, 2);
  default:
    return sycl::isnan(x) + sycl::isinf(y) + sycl::isfinite(x) * 2 + sycl::signbit(-y) +
           T(sycl::abs(-3)) + T(sycl::min(2u, 3u)) + T(sycl::clamp(7L, 1L, 5L));
  }
}

template <class T> void compare(sycl::queue &q) {
  constexpr int functions = 14;
  constexpr std::size_t n = 64;
  std::vector<T> out(functions * n);
  {
    sycl::buffer<T, 2> b(out.data(), {functions, n});
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h, sycl::write_only);
      h.parallel_for(b.get_range(), [=](sycl::item<2> it) {
        v[it] = evaluate<T>(static_cast<int>(it[0]), T(it[1]) / 32, T(63 - it[1]) / 40);
      });
    });
  }
  for (int f = 0; f < functions; ++f) {
    int wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
      wrong += !close(out[f * n + i], evaluate<T>(f, T(i) / 32, T(63 - i) / 40));
    if (wrong)
      std::printf("group %d of %zu-byte functions: %d values differ\n", f, sizeof(T), wrong);
    CHECK(wrong == 0);
  }
}

} // namespace

int main() {
  CHECK(sycl::sqrt(4.0f) == std::sqrt(4.0f) && sycl::pow(2.0, 10) == 1024.0 &&
        sycl::native::sin(0.0f) == 0.0f);
  sycl::queue q;
  compare<float>(q);
  compare<double>(q);
  // The standard library's functions work in kernels too.
  float *v = sycl::malloc_shared<float>(4, q);
  q.parallel_for(4, [=](sycl::id<1> i) {
     v[i] = std::sqrt(static_cast<float>(i * i)) + std::fabs(-1.0f);
   }).wait();
  CHECK(v[3] == 4.0f);
  // Seven bits of the quotient; large powers.
  q.single_task([=] {
     int quotient = 0;
     const auto place = sycl::address_space_cast<sycl::access::address_space::private_space,
                                                 sycl::access::decorated::no>(&quotient);
     v[0] = sycl::remquo(8.5f, 0.125f, place);
     v[1] = static_cast<float>(quotient);
     v[2] = sycl::pown(0.99f, 4321);
     v[3] = sycl::fdim(0.75f, 0.5f) + sycl::fdim(0.5f, 0.75f);
   }).wait();
  const double power = std::pow(static_cast<double>(0.99f), 4321);
  CHECK(v[0] == 0.0f && v[1] == 68.0f && std::fabs(v[2] / power - 1) < 1e-6 && v[3] == 0.25f);
  // A volatile scalar is an operand like any other.
  q.single_task([=] {
     volatile float angle = 0.5f;
     v[0] = sycl::cos(angle);
     v[1] = sycl::fmax(angle, 0.25f);
   }).wait();
  CHECK(std::fabs(v[0] - std::cos(0.5f)) < 1e-6f && v[1] == 0.5f);
  sycl::free(v, q);
  return check::result();
}
