// The maths functions that the device library provides, grouped by signature. The same lists give
// their declarations in device code, their definitions on the host, and their public names. A user
// of the lists includes this file, and `builtins_names_end.hpp` afterwards.

// Functions that CUDA's `libdevice` also provides, under the same names.
#define SCYTHE_FOR_EACH_CUDA_MATHS_1(X)                                                            \
  X(acos)                                                                                          \
  X(acosh)                                                                                         \
  X(asin)                                                                                          \
  X(asinh)                                                                                         \
  X(atan)                                                                                          \
  X(atanh)                                                                                         \
  X(cbrt)                                                                                          \
  X(cos)                                                                                           \
  X(cosh)                                                                                          \
  X(cospi)                                                                                         \
  X(erf)                                                                                           \
  X(erfc)                                                                                          \
  X(exp)                                                                                           \
  X(exp10)                                                                                         \
  X(exp2)                                                                                          \
  X(expm1)                                                                                         \
  X(lgamma)                                                                                        \
  X(log)                                                                                           \
  X(log10)                                                                                         \
  X(log1p)                                                                                         \
  X(log2)                                                                                          \
  X(logb)                                                                                          \
  X(round)                                                                                         \
  X(rsqrt)                                                                                         \
  X(sin)                                                                                           \
  X(sinh)                                                                                          \
  X(sinpi)                                                                                         \
  X(tan)                                                                                           \
  X(tanh)                                                                                          \
  X(tgamma)

#define SCYTHE_FOR_EACH_MATHS_1(X)                                                                 \
  SCYTHE_FOR_EACH_CUDA_MATHS_1(X)                                                                  \
  X(acospi)                                                                                        \
  X(asinpi)                                                                                        \
  X(atanpi)                                                                                        \
  X(ceil)                                                                                          \
  X(fabs)                                                                                          \
  X(floor)                                                                                         \
  X(rint)                                                                                          \
  X(sqrt)                                                                                          \
  X(tanpi)                                                                                         \
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
