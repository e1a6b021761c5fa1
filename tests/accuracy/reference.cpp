// References from MPFR, with 60 bits more than the result has.
#include "reference.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>

#include <mpfr.h>

namespace accuracy {

namespace {

// Operands as MPFR numbers; `n` is for functions of an integer.
struct operands {
  mpfr_srcptr x, y;
  int n;
};
using function = void (*)(mpfr_ptr, const operands &);

struct entry {
  const char *name;
  function value;
};

#define SCYTHE_ONE(name, mpfr)                                                                     \
  {name, [](mpfr_ptr r, const operands &o) { mpfr(r, o.x, MPFR_RNDN); }}
#define SCYTHE_TWO(name, mpfr)                                                                     \
  {name, [](mpfr_ptr r, const operands &o) { mpfr(r, o.x, o.y, MPFR_RNDN); }}

// Unlike pow, powr knows no value for 0^0, infinity^0, 1^infinity and negative bases.
void powr(mpfr_ptr r, const operands &o) {
  const bool end = mpfr_zero_p(o.x) || mpfr_inf_p(o.x);
  const bool one = !mpfr_nan_p(o.x) && mpfr_cmp_ui(o.x, 1) == 0;
  const bool negative = !mpfr_nan_p(o.x) && mpfr_sgn(o.x) < 0;
  if (mpfr_nan_p(o.x) || mpfr_nan_p(o.y) || negative || (mpfr_zero_p(o.y) && end) ||
      (one && mpfr_inf_p(o.y)))
    mpfr_set_nan(r);
  else {
    mpfr_abs(r, o.x, MPFR_RNDN);
    mpfr_pow(r, r, o.y, MPFR_RNDN);
  }
}

void rootn(mpfr_ptr r, const operands &o) {
  if (o.n == 0)
    mpfr_set_nan(r);
  else if (o.n % 2 == 0 && mpfr_zero_p(o.x)) {
    // MPFR keeps the sign of zero; SYCL's even roots do not.
    mpfr_abs(r, o.x, MPFR_RNDN);
    mpfr_rootn_si(r, r, o.n, MPFR_RNDN);
  } else
    mpfr_rootn_si(r, o.x, o.n, MPFR_RNDN);
}

// MPFR forgets the sign of zero.
void rsqrt(mpfr_ptr r, const operands &o) {
  mpfr_rec_sqrt(r, o.x, MPFR_RNDN);
  if (mpfr_zero_p(o.x))
    mpfr_copysign(r, r, o.x, MPFR_RNDN);
}

void lgamma(mpfr_ptr r, const operands &o) {
  int sign;
  mpfr_lgamma(r, &sign, o.x, MPFR_RNDN);
}

const entry entries[] = {
    SCYTHE_ONE("acos", mpfr_acos),
    SCYTHE_ONE("acosh", mpfr_acosh),
    SCYTHE_ONE("acospi", mpfr_acospi),
    SCYTHE_ONE("asin", mpfr_asin),
    SCYTHE_ONE("asinh", mpfr_asinh),
    SCYTHE_ONE("asinpi", mpfr_asinpi),
    SCYTHE_ONE("atan", mpfr_atan),
    SCYTHE_ONE("atanh", mpfr_atanh),
    SCYTHE_ONE("atanpi", mpfr_atanpi),
    SCYTHE_ONE("cbrt", mpfr_cbrt),
    SCYTHE_ONE("cos", mpfr_cos),
    SCYTHE_ONE("cosh", mpfr_cosh),
    SCYTHE_ONE("cosine_of_sincos", mpfr_cos),
    SCYTHE_ONE("cospi", mpfr_cospi),
    SCYTHE_ONE("erf", mpfr_erf),
    SCYTHE_ONE("erfc", mpfr_erfc),
    SCYTHE_ONE("exp", mpfr_exp),
    SCYTHE_ONE("exp10", mpfr_exp10),
    SCYTHE_ONE("exp2", mpfr_exp2),
    SCYTHE_ONE("expm1", mpfr_expm1),
    SCYTHE_ONE("log", mpfr_log),
    SCYTHE_ONE("log10", mpfr_log10),
    SCYTHE_ONE("log1p", mpfr_log1p),
    SCYTHE_ONE("log2", mpfr_log2),
    {"rsqrt", rsqrt},
    SCYTHE_ONE("sin", mpfr_sin),
    SCYTHE_ONE("sine_of_sincos", mpfr_sin),
    SCYTHE_ONE("sinh", mpfr_sinh),
    SCYTHE_ONE("sinpi", mpfr_sinpi),
    SCYTHE_ONE("sqrt", mpfr_sqrt),
    SCYTHE_ONE("tan", mpfr_tan),
    SCYTHE_ONE("tanh", mpfr_tanh),
    SCYTHE_ONE("tanpi", mpfr_tanpi),
    SCYTHE_ONE("tgamma", mpfr_gamma),
    SCYTHE_TWO("atan2", mpfr_atan2),
    SCYTHE_TWO("atan2pi", mpfr_atan2pi),
    SCYTHE_TWO("divide", mpfr_div),
    SCYTHE_TWO("fmod", mpfr_fmod),
    SCYTHE_TWO("hypot", mpfr_hypot),
    SCYTHE_TWO("pow", mpfr_pow),
    SCYTHE_TWO("remainder", mpfr_remainder),
    {"lgamma", lgamma},
    {"ldexp", [](mpfr_ptr r, const operands &o) { mpfr_mul_2si(r, o.x, o.n, MPFR_RNDN); }},
    {"pown", [](mpfr_ptr r, const operands &o) { mpfr_pow_si(r, o.x, o.n, MPFR_RNDN); }},
    {"powr", powr},
    {"recip", [](mpfr_ptr r, const operands &o) { mpfr_ui_div(r, 1, o.x, MPFR_RNDN); }},
    {"rootn", rootn},
};

// What follows `native::` or `half_precision::`: these have the reference of the exact functions.
const char *plain_name(const char *name) {
  const char *colons = std::strstr(name, "::");
  return colons ? colons + 2 : name;
}

function find(const char *name) {
  name = plain_name(name);
  for (const entry &e : entries)
    if (std::strcmp(e.name, name) == 0)
      return e.value;
  std::fprintf(stderr, "accuracy: there is no reference for '%s'\n", name);
  std::exit(2);
}

// MPFR variables that live as long as their thread.
struct workspace {
  mpfr_t x, y, exact, difference;
  explicit workspace(int precision) {
    for (mpfr_ptr v : {x, y, exact, difference})
      mpfr_init2(v, precision);
  }
  ~workspace() {
    for (mpfr_ptr v : {x, y, exact, difference})
      mpfr_clear(v);
  }
};

template <class T> double measure(const char *name, T result, T x, T y, int n) {
  using L = std::numeric_limits<T>;
  thread_local workspace w(L::digits + 60);
  thread_local const char *last = nullptr;
  thread_local function value = nullptr;
  if (last != name) {
    value = find(name);
    last = name;
  }
  mpfr_set_d(w.x, x, MPFR_RNDN);
  mpfr_set_d(w.y, y, MPFR_RNDN);
  value(w.exact, {w.x, w.y, n});
  if (mpfr_nan_p(w.exact))
    return std::isnan(result) ? 0 : wrong;
  if (std::isnan(result))
    return wrong;
  // Infinity, and all that rounds to it, lies one step beyond the largest number.
  mpfr_set_d(w.y, 1, MPFR_RNDN);
  mpfr_mul_2si(w.y, w.y, L::max_exponent, MPFR_RNDN);
  const auto capped = [&](mpfr_ptr v) {
    if (mpfr_inf_p(v) || mpfr_cmpabs(v, w.y) > 0)
      mpfr_copysign(v, w.y, v, MPFR_RNDN);
  };
  const bool sign = mpfr_signbit(w.exact) != 0;
  if (mpfr_inf_p(w.exact) && !std::isinf(result))
    return wrong;
  capped(w.exact);
  // The sign of zero counts where the value is exactly zero.
  if (mpfr_zero_p(w.exact))
    return result != 0 ? wrong : (std::signbit(result) == sign ? 0 : wrong);
  // Relaxed functions may take subnormal results for zero.
  if (plain_name(name) != name && mpfr_get_exp(w.exact) < L::min_exponent &&
      std::fabs(result) <= L::min())
    return 0;
  long exponent = mpfr_get_exp(w.exact);
  if (exponent < L::min_exponent)
    exponent = L::min_exponent;
  if (exponent > L::max_exponent)
    exponent = L::max_exponent;
  mpfr_set_d(w.difference, result, MPFR_RNDN);
  capped(w.difference);
  mpfr_sub(w.difference, w.difference, w.exact, MPFR_RNDN);
  mpfr_mul_2si(w.difference, w.difference, L::digits - exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(w.difference, MPFR_RNDN));
}

} // namespace

double error(const char *name, float result, float x, float y, int n) {
  return measure(name, result, x, y, n);
}
double error(const char *name, double result, double x, double y, int n) {
  return measure(name, result, x, y, n);
}

} // namespace accuracy
