// The maths functions that the device library provides, grouped by signature. The same lists give
// their declarations in device code, their definitions on the host, and their public names. A user
// of the lists includes this file, and `builtins_names_end.hpp` afterwards.
#define SCYTHE_FOR_EACH_MATHS_1(X)                                                                 \
  X(acos)                                                                                          \
  X(acosh)                                                                                         \
  X(acospi)                                                                                        \
  X(asin)                                                                                          \
  X(asinh)                                                                                         \
  X(asinpi)                                                                                        \
  X(atan)                                                                                          \
  X(atanh)                                                                                         \
  X(atanpi)                                                                                        \
  X(cbrt)                                                                                          \
  X(ceil)                                                                                          \
  X(cos)                                                                                           \
  X(cosh)                                                                                          \
  X(cospi)                                                                                         \
  X(erf)                                                                                           \
  X(erfc)                                                                                          \
  X(exp)                                                                                           \
  X(exp10)                                                                                         \
  X(exp2)                                                                                          \
  X(expm1)                                                                                         \
  X(fabs)                                                                                          \
  X(floor)                                                                                         \
  X(lgamma)                                                                                        \
  X(log)                                                                                           \
  X(log10)                                                                                         \
  X(log1p)                                                                                         \
  X(log2)                                                                                          \
  X(logb)                                                                                          \
  X(rint)                                                                                          \
  X(round)                                                                                         \
  X(rsqrt)                                                                                         \
  X(sin)                                                                                           \
  X(sinh)                                                                                          \
  X(sinpi)                                                                                         \
  X(sqrt)                                                                                          \
  X(tan)                                                                                           \
  X(tanh)                                                                                          \
  X(tanpi)                                                                                         \
  X(tgamma)                                                                                        \
  X(trunc)

#define SCYTHE_FOR_EACH_MATHS_2(X)                                                                 \
  X(atan2)                                                                                         \
  X(atan2pi)                                                                                       \
  X(copysign)                                                                                      \
  X(fdim)                                                                                          \
  X(fmax)                                                                                          \
  X(fmin)                                                                                          \
  X(fmod)                                                                                          \
  X(hypot)                                                                                         \
  X(maxmag)                                                                                        \
  X(minmag)                                                                                        \
  X(pow)                                                                                           \
  X(powr)                                                                                          \
  X(remainder)

// Functions of a number and an integer.
#define SCYTHE_FOR_EACH_MATHS_INT(X)                                                               \
  X(ldexp)                                                                                         \
  X(pown)                                                                                          \
  X(rootn)

// Functions with a second result through a pointer, to the same type or to an integer. `nextafter`
// and `fract` are not listed, because half needs separate definitions.
#define SCYTHE_FOR_EACH_MATHS_POINTER(X)                                                           \
  X(modf)                                                                                          \
  X(sincos)
#define SCYTHE_FOR_EACH_MATHS_INT_POINTER(X)                                                       \
  X(frexp)                                                                                         \
  X(lgamma_r)

// Functions of float whose precision the back end chooses (`native`) or is at least 11 bits
// (`half_precision`).
#define SCYTHE_FOR_EACH_RELAXED_1(X)                                                               \
  X(cos)                                                                                           \
  X(exp)                                                                                           \
  X(exp10)                                                                                         \
  X(exp2)                                                                                          \
  X(log)                                                                                           \
  X(log10)                                                                                         \
  X(log2)                                                                                          \
  X(recip)                                                                                         \
  X(rsqrt)                                                                                         \
  X(sin)                                                                                           \
  X(sqrt)                                                                                          \
  X(tan)
#define SCYTHE_FOR_EACH_RELAXED_2(X)                                                               \
  X(divide)                                                                                        \
  X(powr)
