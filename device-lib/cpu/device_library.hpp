// Definitions shared by all parts of the device library: the markers for library functions, and
// macros that define a maths function for all three floating-point types.
#ifndef SCYTHE_DEVICE_LIBRARY_HPP
#define SCYTHE_DEVICE_LIBRARY_HPP

#if !defined(__SYCL_DEVICE_ONLY__) && !defined(SYCL_LANGUAGE_VERSION)
#error "the device library must be compiled as SYCL device code; README.md shows the command"
#endif

// Device code calls these functions by their mangled names and with its target's calling
// convention. They are therefore compiled as device code. SYCL_EXTERNAL makes the compiler emit
// them.
#define SCYTHE_DEVICE [[clang::sycl_external]]

using half = _Float16;

// Defines `name` for float, double and half from two builtins. The half version computes in float
// and rounds once. Float has 24 bits, more than twice half's 11 bits plus two, so the basic
// operations stay correctly rounded.
#define SCYTHE_UNARY(name, builtin)                                                                \
  SCYTHE_DEVICE float name(float x) noexcept { return builtin##f(x); }                             \
  SCYTHE_DEVICE double name(double x) noexcept { return builtin(x); }                              \
  SCYTHE_DEVICE half name(half x) noexcept {                                                       \
    return static_cast<half>(builtin##f(static_cast<float>(x)));                                   \
  }

#define SCYTHE_BINARY(name, builtin)                                                               \
  SCYTHE_DEVICE float name(float x, float y) noexcept { return builtin##f(x, y); }                 \
  SCYTHE_DEVICE double name(double x, double y) noexcept { return builtin(x, y); }                 \
  SCYTHE_DEVICE half name(half x, half y) noexcept {                                               \
    return static_cast<half>(builtin##f(static_cast<float>(x), static_cast<float>(y)));            \
  }

// Overloads for each precision, used by the formulas for complex numbers.
namespace scythe_device_library {

inline float abs_of(float x) { return __builtin_fabsf(x); }
inline double abs_of(double x) { return __builtin_fabs(x); }
inline float sin_of(float x) { return __builtin_sinf(x); }
inline double sin_of(double x) { return __builtin_sin(x); }
inline float cos_of(float x) { return __builtin_cosf(x); }
inline double cos_of(double x) { return __builtin_cos(x); }
inline float exp_of(float x) { return __builtin_expf(x); }
inline double exp_of(double x) { return __builtin_exp(x); }
inline float log_of(float x) { return __builtin_logf(x); }
inline double log_of(double x) { return __builtin_log(x); }
inline float sinh_of(float x) { return __builtin_sinhf(x); }
inline double sinh_of(double x) { return __builtin_sinh(x); }
inline float cosh_of(float x) { return __builtin_coshf(x); }
inline double cosh_of(double x) { return __builtin_cosh(x); }
inline float sqrt_of(float x) { return __builtin_sqrtf(x); }
inline double sqrt_of(double x) { return __builtin_sqrt(x); }
inline float hypot_of(float x, float y) { return __builtin_hypotf(x, y); }
inline double hypot_of(double x, double y) { return __builtin_hypot(x, y); }
inline float atan2_of(float y, float x) { return __builtin_atan2f(y, x); }
inline double atan2_of(double y, double x) { return __builtin_atan2(y, x); }
inline float copysign_of(float x, float y) { return __builtin_copysignf(x, y); }
inline double copysign_of(double x, double y) { return __builtin_copysign(x, y); }
inline float scale_of(float x, int n) { return __builtin_ldexpf(x, n); }
inline double scale_of(double x, int n) { return __builtin_ldexp(x, n); }
inline float exponent_of(float x) { return __builtin_logbf(x); }
inline double exponent_of(double x) { return __builtin_logb(x); }
inline float fmax_of(float x, float y) { return __builtin_fmaxf(x, y); }
inline double fmax_of(double x, double y) { return __builtin_fmax(x, y); }

// A complex number inside the library. `_Complex` takes no template parameter.
template <class T> struct parts {
  T re, im;
};

inline parts<float> parts_of(_Complex float z) { return {__real__ z, __imag__ z}; }
inline parts<double> parts_of(_Complex double z) { return {__real__ z, __imag__ z}; }

inline _Complex float join(parts<float> z) {
  _Complex float r;
  __real__ r = z.re;
  __imag__ r = z.im;
  return r;
}
inline _Complex double join(parts<double> z) {
  _Complex double r;
  __real__ r = z.re;
  __imag__ r = z.im;
  return r;
}

} // namespace scythe_device_library

#endif
