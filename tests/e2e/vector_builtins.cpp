// Built-in functions of vectors, views of their elements, mathematical arrays and half give in
// kernels what they give on the host, up to rounding, and on the host what they give for each
// element.
//
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"
#include "elements.hpp"

#include <cmath>

namespace {

using sycl::float4;
using sycl::half;
using sycl::int4;

// Results by element: those of one type follow each other, so that each can be compared by itself.
struct results {
  static constexpr int most = 40;
  float4 f[most];
  int4 i[most];
  sycl::half2 h[most];
  sycl::mfloat3 m[most];
  float s[most];
};

template <class Pointer> void compute(float x, Pointer second, results &r) {
  const float4 a(x, x * 2, x * 3, x * 4), b = a.swizzle<3, 2, 1, 0>();
  int n = 0;
  r.f[n++] = sycl::sqrt(a) + sycl::sin(a.swizzle<1, 1, 0, 0>()) + sycl::exp(-a);
  r.f[n++] = sycl::pow(a, b) + sycl::fmax(a, 1.5f) + sycl::fma(a, b, a) + sycl::atan2(b, a);
  r.f[n++] = sycl::pown(a, int4(2)) + sycl::ldexp(a, 3) + sycl::rootn(a, int4(2, 3, 2, 3));
  r.f[n++] = sycl::fract(a * 1.3f, second) + *second;
  int4 exponents;
  r.f[n++] = sycl::frexp(a * 10, &exponents);
  r.f[n++] =
      sycl::clamp(a, 0.5f, 1.5f) + sycl::mix(a, b, 0.25f) + sycl::step(1.0f, a) + sycl::sign(a - 1);
  r.f[n++] =
      sycl::smoothstep(0.0f, 2.0f, a) + sycl::degrees(a) + sycl::max(a, b) + sycl::min(a, 1.0f);
  // The last two are as exact as the device likes, to three digits at least.
  r.f[n++] = sycl::normalize(a) + sycl::cross(a, b) +
             1e-3f * (sycl::native::cos(a) + sycl::half_precision::recip(a));
  r.f[n++] = sycl::select(a, b, sycl::isgreater(a, b)) + sycl::bitselect(a, b, float4(-0.0f));

  n = 0;
  r.i[n++] = exponents;
  r.i[n++] = sycl::isless(a, b) + sycl::isfinite(a) + sycl::signbit(-a);
  const int4 p(7, -8, 1 << 30, -3), q(3, 5, 4, 2);
  r.i[n++] =
      sycl::abs(p) + sycl::add_sat(p, p) + sycl::mul_hi(p, q) + sycl::clz(p) + sycl::popcount(q);
  r.i[n++] = sycl::rotate(p, q) + sycl::hadd(p, q) + sycl::mad24(q, q, p) + sycl::max(p, 4) +
             sycl::abs_diff(p, q);
  r.i[n++] = int4(sycl::any(p), sycl::all(p), sycl::ilogb(x * 64),
                  sycl::upsample(short(-2), (unsigned short)3));

  n = 0;
  const sycl::half2 h(x, x / 2);
  r.h[n++] = sycl::sqrt(h) + sycl::cos(h) * sycl::fabs(h);
  r.h[n++] =
      sycl::nextafter(h, h * 2) + sycl::fma(h, h, h) + sycl::clamp(h, half(0.25f), half(0.5f));

  n = 0;
  const sycl::mfloat3 m(x, x + 1, x + 2);
  r.m[n++] = sycl::log(m) + sycl::hypot(m, m) + sycl::max(m, 2.0f) + sycl::normalize(m);
  r.m[n++] = sycl::select(m, -m, sycl::isequal(m, sycl::mfloat3(x)));

  n = 0;
  r.s[n++] = sycl::dot(a, b) + sycl::length(a.swizzle<0, 1>()) + sycl::distance(m, -m) +
             sycl::fast_length(b);
  r.s[n++] = sycl::length(float4(x * 1e30f)) * 1e-30f;
}

template <class V> int differences(const V *a, const V *b, double tolerance) {
  int count = 0;
  for (int k = 0; k < results::most; ++k)
    for (int i = 0; i < static_cast<int>(V::size()); ++i) {
      const double x = static_cast<double>(a[k][i]), y = static_cast<double>(b[k][i]);
      count += !(std::fabs(x - y) <= tolerance * (1 + std::fabs(y)));
    }
  return count;
}

} // namespace

int main() {
  // Of each element what the function of a number gives.
  const float4 a(1, 4, 9, 16);
  CHECK(is(sycl::sqrt(a), 1, 2, 3, 4) && is(sycl::sqrt(a.swizzle<1, 0>()), 2, 1) &&
        is(sycl::pow(a, 2), 1, 16, 81, 256));
  CHECK(is(sycl::isless(a, 5.0f), -1, -1, 0, 0) &&
        is(sycl::isequal(sycl::mfloat2(1, 2), sycl::mfloat2(1)), 1, 0));
  CHECK(is(sycl::cross(sycl::float3(1, 0, 0), sycl::float3(0, 1, 0)), 0, 0, 1) &&
        sycl::dot(a, a) == 354);
  CHECK(is(sycl::upsample(sycl::char2(1, -1), sycl::uchar2(2, 3)), 258, -253) &&
        sycl::length(half(-3)) == 3);
  CHECK(sycl::nextafter(half(1), half(2)) == 1 + 0x1p-10 && sycl::isnormal(half(0x1p-14)));
  CHECK(!sycl::isnormal(half(0x1p-15)) && std::isnan(sycl::nan(7u)) &&
        sycl::fmax(half(1), half(2)) == 2);
  CHECK(is(sycl::minimum<>()(a, float4(5)), 1, 4, 5, 5) &&
        sycl::known_identity_v<sycl::plus<>, half> == 0);
  static_assert(sycl::clz(1u) == 31 && std::is_same_v<decltype(sycl::isnan(1.0f)), bool>);
  static_assert(std::is_same_v<decltype(sycl::isnan(sycl::double2())), sycl::long2>);

  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::fp16))
    return check::result();
  results *there = sycl::malloc_shared<results>(2, q), *here = there + 1;
  *there = *here = results{};
  float4 second;
  compute(0.75f, &second, *here);
  q.single_task([=] {
     float4 own;
     compute(0.75f, sycl::private_ptr<float4>(&own), *there);
   }).wait();
  CHECK(differences(there->f, here->f, 3e-6) == 0);
  CHECK(differences(there->h, here->h, 2e-3) == 0);
  CHECK(differences(there->m, here->m, 3e-6) == 0);
  CHECK(differences(there->i, here->i, 0) == 0);
  CHECK(std::fabs(there->s[0] - here->s[0]) < 1e-5f && std::fabs(there->s[1] - 1.5f) < 1e-5f);
  sycl::free(there, q);
  return check::result();
}
