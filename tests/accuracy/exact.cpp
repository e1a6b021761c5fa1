// Checks the built-in functions whose results are exact: integer functions against 128-bit
// arithmetic, and functions that take numbers apart, compare or round them against the C library.
// All run in kernels, on edge values and random ones.
#include "points.hpp"

#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <vector>

namespace exact {

using wide = __int128;
int failures = 0;

template <class T>
void expect(const char *name, T found, T expected, double x, double y, double z) {
  const bool same =
      std::memcmp(&found, &expected, sizeof(T)) == 0 || (found != found && expected != expected);
  if (!same && ++failures <= 20)
    std::fprintf(stderr, "error: %s of %d bytes at %a, %a, %a is %a, not %a\n", name,
                 int(sizeof(T)), x, y, z, double(found), double(expected));
}

template <class T> T bounded(wide v) {
  const wide low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<T>(v < low ? low : v > high ? high : v);
}

// Runs `kernel(x, y, z)` on all operands and compares with `reference(x, y, z)`.
template <class T, class Kernel, class Reference>
void check(sycl::queue &q, const char *name, const std::vector<T> &in, Kernel kernel,
           Reference reference) {
  using R = decltype(kernel(T(), T(), T()));
  const std::size_t n = in.size() / 3;
  T *operands = sycl::malloc_shared<T>(in.size(), q);
  R *out = sycl::malloc_shared<R>(n, q);
  std::copy(in.begin(), in.end(), operands);
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) {
     out[i] = kernel(operands[3 * i], operands[3 * i + 1], operands[3 * i + 2]);
   }).wait();
  for (std::size_t i = 0; i < n; ++i) {
    const T x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    expect<R>(name, out[i], static_cast<R>(reference(x, y, z)), double(x), double(y), double(z));
  }
  sycl::free(operands, q);
  sycl::free(out, q);
}

template <class T> std::vector<T> integers() {
  using L = std::numeric_limits<T>;
  const std::vector<T> edges = {
      0, 1, 2, T(-1), T(-2), L::min(), T(L::min() + 1), L::max(), T(L::max() - 1), 7, 64};
  std::vector<T> all;
  for (T x : edges)
    for (T y : edges)
      for (T z : edges)
        all.insert(all.end(), {x, y, z});
  accuracy::random_bits random;
  for (int i = 0; i < 30000; ++i)
    all.push_back(static_cast<T>(random.next() >> (i % 3 == 0 ? 0 : random.next() % 64)));
  all.resize(all.size() / 3 * 3);
  return all;
}

#define SCYTHE_CHECK(name, call, reference)                                                        \
  check<T>(                                                                                        \
      q, name, in, [](T x, T y, T z) { return (void)x, (void)y, (void)z, sycl::call; },            \
      [](T x, T y, T z) { return (void)x, (void)y, (void)z, reference; })

template <class T> void integer_functions(sycl::queue &q) {
  using U = std::make_unsigned_t<T>;
  constexpr int width = sizeof(T) * 8;
  // Of 128-bit sums of products, unsigned 64-bit ones alone leave the signed range.
  using W = std::conditional_t<std::is_signed_v<T>, wide, unsigned __int128>;
  const std::vector<T> in = integers<T>();
  SCYTHE_CHECK("abs", abs(x), T(wide(x) < 0 ? -wide(x) : wide(x)));
  SCYTHE_CHECK("abs_diff", abs_diff(x, y), T(x < y ? wide(y) - x : wide(x) - y));
  SCYTHE_CHECK("add_sat", add_sat(x, y), bounded<T>(wide(x) + y));
  SCYTHE_CHECK("sub_sat", sub_sat(x, y), bounded<T>(wide(x) - y));
  SCYTHE_CHECK("hadd", hadd(x, y), T((wide(x) + y) >> 1));
  SCYTHE_CHECK("rhadd", rhadd(x, y), T((wide(x) + y + 1) >> 1));
  SCYTHE_CHECK("mul_hi", mul_hi(x, y), T((W(x) * W(y)) >> width));
  SCYTHE_CHECK("mad_hi", mad_hi(x, y, z), T(U(T((W(x) * W(y)) >> width)) + U(z)));
  SCYTHE_CHECK("mad_sat", mad_sat(x, y, z),
               (std::is_signed_v<T> ? bounded<T>(wide(x) * y + z)
                                    : T(W(x) * W(y) + W(z) > W(std::numeric_limits<T>::max())
                                            ? std::numeric_limits<T>::max()
                                            : T(W(x) * W(y) + W(z)))));
  SCYTHE_CHECK("min", min(x, y), (y < x ? y : x));
  SCYTHE_CHECK("max", max(x, y), (x < y ? y : x));
  SCYTHE_CHECK("any", any(x), T(U(x) >> (width - 1)) != 0);
  SCYTHE_CHECK("bitselect", bitselect(x, y, z), T((x & ~z) | (y & z)));
  const auto leading = [](T x, T, T) {
    int n = 0;
    while (n < width && ((U(x) >> (width - 1 - n)) & 1) == 0)
      ++n;
    return T(n);
  };
  const auto trailing = [](T x, T, T) {
    int n = 0;
    while (n < width && ((U(x) >> n) & 1) == 0)
      ++n;
    return T(n);
  };
  const auto ones = [](T x, T, T) {
    int n = 0;
    for (int i = 0; i < width; ++i)
      n += (U(x) >> i) & 1;
    return T(n);
  };
  const auto turned = [](T x, T y, T) {
    U bits = U(x);
    for (unsigned i = 0, count = unsigned(y) % width; i < count; ++i)
      bits = U(U(bits << 1) | U(bits >> (width - 1)));
    return T(bits);
  };
  check<T>(q, "clz", in, [](T x, T, T) { return sycl::clz(x); }, leading);
  check<T>(q, "ctz", in, [](T x, T, T) { return sycl::ctz(x); }, trailing);
  check<T>(q, "popcount", in, [](T x, T, T) { return sycl::popcount(x); }, ones);
  check<T>(q, "rotate", in, [](T x, T y, T) { return sycl::rotate(x, y); }, turned);
  if constexpr (sizeof(T) < 8) {
    using R = decltype(sycl::upsample(T(), U()));
    SCYTHE_CHECK("upsample", upsample(x, std::make_unsigned_t<T>(y)), R((wide(x) << width) + U(y)));
  }
}

// C's rounding, parts and neighbours of numbers.
template <class T> void number_functions(sycl::queue &q) {
  std::vector<T> in;
  const std::vector<T> special = accuracy::special_values<T>();
  accuracy::random_bits random;
  for (std::size_t i = 0; i < special.size() * 9; ++i)
    in.push_back(i % 3 == 0 ? special[i / 3 % special.size()]
                            : special[random.next() % special.size()]);
  for (int i = 0; i < 30000; ++i)
    in.push_back(i % 2 == 0 ? accuracy::any_number<T>(random) : T(random.between(-100, 100)));
  in.resize(in.size() / 3 * 3);
  SCYTHE_CHECK("ceil", ceil(x), std::ceil(x));
  SCYTHE_CHECK("floor", floor(x), std::floor(x));
  SCYTHE_CHECK("rint", rint(x), std::rint(x));
  SCYTHE_CHECK("round", round(x), std::round(x));
  SCYTHE_CHECK("trunc", trunc(x), std::trunc(x));
  SCYTHE_CHECK("fabs", fabs(x), std::fabs(x));
  SCYTHE_CHECK("logb", logb(x), std::logb(x));
  SCYTHE_CHECK("ilogb", ilogb(x), std::ilogb(x));
  SCYTHE_CHECK("copysign", copysign(x, y), std::copysign(x, y));
  SCYTHE_CHECK("nextafter", nextafter(x, y), std::nextafter(x, y));
  SCYTHE_CHECK("fdim", fdim(x, y), std::fdim(x, y));
  SCYTHE_CHECK("fma", fma(x, y, z), std::fma(x, y, z));
  SCYTHE_CHECK("isnan", isnan(x), std::isnan(x));
  SCYTHE_CHECK("isinf", isinf(x), std::isinf(x));
  SCYTHE_CHECK("isfinite", isfinite(x), std::isfinite(x));
  SCYTHE_CHECK("isnormal", isnormal(x), std::isnormal(x));
  SCYTHE_CHECK("signbit", signbit(x), std::signbit(x));
  SCYTHE_CHECK("isless", isless(x, y), std::isless(x, y));
  SCYTHE_CHECK("islessgreater", islessgreater(x, y), std::islessgreater(x, y));
  SCYTHE_CHECK("isunordered", isunordered(x, y), std::isunordered(x, y));
  SCYTHE_CHECK("sign", sign(x), (x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? x : T(0)));
  SCYTHE_CHECK("step", step(x, y), (y < x ? T(0) : T(1)));
  // Zeros of either sign are the same to fmax and fmin, so that only the values count.
  SCYTHE_CHECK("fmax", fmax(x, y) + T(0), std::fmax(x, y) + T(0));
  SCYTHE_CHECK("fmin", fmin(x, y) + T(0), std::fmin(x, y) + T(0));
  const auto fraction = [](T x, T, T) {
    int e;
    return std::isfinite(x) ? std::frexp(x, &e) : x;
  };
  const auto exponent = [](T x, T, T) {
    int e = 0;
    return std::isfinite(x) ? (std::frexp(x, &e), e) : 0;
  };
  const auto rest = [](T x, T, T) {
    T whole;
    return std::modf(x, &whole);
  };
  const auto whole = [](T x, T, T) {
    T w;
    std::modf(x, &w);
    return w;
  };
  const auto quotient = [](T x, T y, T) {
    int n;
    std::remquo(x, y, &n);
    return std::isfinite(x) && y != 0 && !std::isnan(y) ? n & 7 : 0;
  };
  check<T>(
      q, "frexp", in,
      [](T x, T, T) {
        int e;
        return sycl::frexp(x, &e);
      },
      fraction);
  check<T>(
      q, "frexp's exponent", in,
      [](T x, T, T) {
        int e;
        sycl::frexp(x, &e);
        return e;
      },
      exponent);
  check<T>(
      q, "modf", in,
      [](T x, T, T) {
        T w;
        return sycl::modf(x, &w);
      },
      rest);
  check<T>(
      q, "modf's whole", in,
      [](T x, T, T) {
        T w;
        sycl::modf(x, &w);
        return w;
      },
      whole);
  check<T>(
      q, "remquo", in,
      [](T x, T y, T) {
        int n;
        return sycl::remquo(x, y, &n);
      },
      [](T x, T y, T) {
        int n;
        return std::remquo(x, y, &n);
      });
  check<T>(
      q, "remquo's quotient", in,
      [](T x, T y, T) {
        int n;
        sycl::remquo(x, y, &n);
        return sycl::isfinite(x) && y != 0 && !sycl::isnan(y) ? n & 7 : 0;
      },
      quotient);
  check<T>(
      q, "fract", in,
      [](T x, T, T) {
        T w;
        return sycl::fract(x, &w);
      },
      [](T x, T, T) {
        if (std::isinf(x) || x == 0)
          return std::copysign(T(0), x);
        return std::fmin(x - std::floor(x), std::nextafter(T(1), T(0))) +
               (std::isnan(x) ? x : T(0));
      });
}

} // namespace exact

int main() {
  sycl::queue q;
  exact::integer_functions<signed char>(q);
  exact::integer_functions<unsigned char>(q);
  exact::integer_functions<short>(q);
  exact::integer_functions<unsigned short>(q);
  exact::integer_functions<int>(q);
  exact::integer_functions<unsigned>(q);
  exact::integer_functions<long>(q);
  exact::integer_functions<unsigned long>(q);
  exact::number_functions<float>(q);
  exact::number_functions<double>(q);
  if (exact::failures == 0)
    std::printf("all exact\n");
  else
    std::fprintf(stderr, "%d results are wrong\n", exact::failures);
  return exact::failures == 0 ? 0 : 1;
}
