// The functions under test, with the largest error that SYCL (by OpenCL's full profile) allows
// each, in units of the last place, for float and for double. A negative limit: no limit is set,
// the error is only shown.
//
// ONE(name, float limit, double limit, low, high): a function of one number; half of the points lie
// between low and high, the others are any numbers. TWO and INT (a number and an int) likewise,
// with an interval for each operand. RELAXED has limits for float alone and no points outside of
// its interval.
#define SCYTHE_ACCURACY_ONE(X)                                                                     \
  X(acos, 4, 4, -1.0, 1.0)                                                                         \
  X(acosh, 4, 4, 1.0, 50.0)                                                                        \
  X(acospi, 5, 5, -1.0, 1.0)                                                                       \
  X(asin, 4, 4, -1.0, 1.0)                                                                         \
  X(asinh, 4, 4, -10.0, 10.0)                                                                      \
  X(asinpi, 5, 5, -1.0, 1.0)                                                                       \
  X(atan, 5, 5, -10.0, 10.0)                                                                       \
  X(atanh, 5, 5, -1.0, 1.0)                                                                        \
  X(atanpi, 5, 5, -10.0, 10.0)                                                                     \
  X(cbrt, 2, 2, -1000.0, 1000.0)                                                                   \
  X(cos, 4, 4, -100.0, 100.0)                                                                      \
  X(cosh, 4, 4, -20.0, 20.0)                                                                       \
  X(cospi, 4, 4, -100.0, 100.0)                                                                    \
  X(erf, 16, 16, -4.0, 4.0)                                                                        \
  X(erfc, 16, 16, -4.0, 27.0)                                                                      \
  X(exp, 3, 3, -100.0, 100.0)                                                                      \
  X(exp10, 3, 3, -40.0, 40.0)                                                                      \
  X(exp2, 3, 3, -150.0, 130.0)                                                                     \
  X(expm1, 3, 3, -5.0, 5.0)                                                                        \
  X(lgamma, -1, -1, 0.1, 100.0)                                                                    \
  X(log, 3, 3, 0.0, 10.0)                                                                          \
  X(log10, 3, 3, 0.0, 10.0)                                                                        \
  X(log1p, 2, 2, -1.0, 10.0)                                                                       \
  X(log2, 3, 3, 0.0, 10.0)                                                                         \
  X(rsqrt, 2, 2, 0.0, 1000.0)                                                                      \
  X(sin, 4, 4, -100.0, 100.0)                                                                      \
  X(sinh, 4, 4, -20.0, 20.0)                                                                       \
  X(sinpi, 4, 4, -100.0, 100.0)                                                                    \
  X(sqrt, 3, 0.5, 0.0, 1000.0)                                                                     \
  X(tan, 5, 5, -100.0, 100.0)                                                                      \
  X(tanh, 5, 5, -10.0, 10.0)                                                                       \
  X(tanpi, 6, 6, -100.0, 100.0)                                                                    \
  X(tgamma, 16, 16, -30.0, 170.0)                                                                  \
  X(sine_of_sincos, 4, 4, -100.0, 100.0)                                                           \
  X(cosine_of_sincos, 4, 4, -100.0, 100.0)

#define SCYTHE_ACCURACY_TWO(X)                                                                     \
  X(atan2, 6, 6, -10.0, 10.0, -10.0, 10.0)                                                         \
  X(atan2pi, 6, 6, -10.0, 10.0, -10.0, 10.0)                                                       \
  X(fmod, 0, 0, -1000.0, 1000.0, -10.0, 10.0)                                                      \
  X(hypot, 4, 4, -10.0, 10.0, -10.0, 10.0)                                                         \
  X(pow, 16, 16, 0.0, 20.0, -30.0, 30.0)                                                           \
  X(powr, 16, 16, 0.0, 20.0, -30.0, 30.0)                                                          \
  X(remainder, 0, 0, -1000.0, 1000.0, -10.0, 10.0)                                                 \
  X(divide, 2.5, 0.5, -10.0, 10.0, -10.0, 10.0)

#define SCYTHE_ACCURACY_INT(X)                                                                     \
  X(ldexp, 0.5, 0.5, -10.0, 10.0, -1200, 1200)                                                     \
  X(pown, 16, 16, -4.0, 4.0, -60, 60)                                                              \
  X(rootn, 16, 16, -1000.0, 1000.0, -12, 12)

#define SCYTHE_ACCURACY_RELAXED(X)                                                                 \
  X(cos, -100.0, 100.0, 65536.0)                                                                   \
  X(exp, -87.0, 88.7, 0.0)                                                                         \
  X(exp10, -37.9, 38.5, 0.0)                                                                       \
  X(exp2, -126.0, 128.0, 0.0)                                                                      \
  X(log, 0.0, 100.0, 0.0)                                                                          \
  X(log10, 0.0, 100.0, 0.0)                                                                        \
  X(log2, 0.0, 100.0, 0.0)                                                                         \
  X(recip, 0.001, 1000.0, 0.0)                                                                     \
  X(rsqrt, 0.001, 1000.0, 0.0)                                                                     \
  X(sin, -100.0, 100.0, 65536.0)                                                                   \
  X(sqrt, 0.001, 1000.0, 0.0)                                                                      \
  X(tan, -100.0, 100.0, 65536.0)
