// The maths functions on float and double, and their `native` and `half_precision` forms on float.
//
// Templates over the number's type leave calls with exact types to the C library's functions of the same name, where a
// program has both in sight; other kinds of operands (vectors of numbers) are overloads with constraints of their own.
#ifndef SCYTHE_DETAIL_BUILTINS_MATH_HPP
#define SCYTHE_DETAIL_BUILTINS_MATH_HPP

#include <sycl/detail/builtins_types.hpp>
#ifdef SCYTHE_DEVICE_PASS
#include <sycl/detail/builtins_device.hpp>
#else
#include <sycl/detail/builtins_host.hpp>
#endif
#include <sycl/detail/builtins_names.hpp>

namespace sycl {

#define SCYTHE_PUBLIC_1(name)                                                                                          \
  template <class T, class = detail::if_float<T>> T name(T x) { return __spirv_ocl_##name(x); }
#define SCYTHE_PUBLIC_2(name)                                                                                          \
  template <class A, class B, class R = detail::float_of<A, B>> R name(A x, B y) {                                     \
    return __spirv_ocl_##name(static_cast<R>(x), static_cast<R>(y));                                                   \
  }
#define SCYTHE_PUBLIC_INT(name)                                                                                        \
  template <class T, class = detail::if_float<T>> T name(T x, int n) { return __spirv_ocl_##name(x, n); }
// The second result takes the way through a variable, so that any kind of pointer will do.
#define SCYTHE_PUBLIC_POINTER(name)                                                                                    \
  template <class T, class Pointer, class = detail::if_float<T>, class = detail::if_points_to<Pointer, T>>             \
  T name(T x, Pointer second) {                                                                                        \
    T value;                                                                                                           \
    const T result = __spirv_ocl_##name(x, &value);                                                                    \
    *second = value;                                                                                                   \
    return result;                                                                                                     \
  }
#define SCYTHE_PUBLIC_INT_POINTER(name)                                                                                \
  template <class T, class Pointer, class = detail::if_float<T>, class = detail::if_points_to<Pointer, int>>           \
  T name(T x, Pointer second) {                                                                                        \
    int value;                                                                                                         \
    const T result = __spirv_ocl_##name(x, &value);                                                                    \
    *second = value;                                                                                                   \
    return result;                                                                                                     \
  }
SCYTHE_FOR_EACH_MATHS_1(SCYTHE_PUBLIC_1)
SCYTHE_FOR_EACH_MATHS_2(SCYTHE_PUBLIC_2)
SCYTHE_FOR_EACH_MATHS_INT(SCYTHE_PUBLIC_INT)
SCYTHE_FOR_EACH_MATHS_POINTER(SCYTHE_PUBLIC_POINTER)
SCYTHE_FOR_EACH_MATHS_INT_POINTER(SCYTHE_PUBLIC_INT_POINTER)

template <class A, class B, class C, class R = detail::float_of<A, B, C>> R fma(A x, B y, C z) {
  return __spirv_ocl_fma(static_cast<R>(x), static_cast<R>(y), static_cast<R>(z));
}
template <class A, class B, class C, class R = detail::float_of<A, B, C>> R mad(A x, B y, C z) {
  return __spirv_ocl_mad(static_cast<R>(x), static_cast<R>(y), static_cast<R>(z));
}
template <class T, class = detail::if_float<T>> int ilogb(T x) { return __spirv_ocl_ilogb(x); }
template <class T, class Pointer, class = detail::if_float<T>, class = detail::if_points_to<Pointer, int>>
T remquo(T x, T y, Pointer quotient) {
  int value;
  const T rest = __spirv_ocl_remquo(x, y, &value);
  *quotient = value;
  return rest;
}
// A NaN that carries `code`.
template <class T, class = std::enable_if_t<std::is_same_v<T, unsigned>>> float nan(T code) {
  return detail::bits_as<float>(0x7fc00000u | (code & 0x3fffffu));
}
template <class T, class = std::enable_if_t<std::is_unsigned_v<T> && sizeof(T) == 8>, class = void> double nan(T code) {
  return detail::bits_as<double>(T(0x7ff8000000000000u) | (code & T(0x7ffffffffffffu)));
}

#define SCYTHE_NATIVE_1(name)                                                                                          \
  inline float name(float x) { return __spirv_ocl_native_##name(x); }
#define SCYTHE_NATIVE_2(name)                                                                                          \
  inline float name(float x, float y) { return __spirv_ocl_native_##name(x, y); }
#define SCYTHE_HALF_1(name)                                                                                            \
  inline float name(float x) { return __spirv_ocl_half_##name(x); }
#define SCYTHE_HALF_2(name)                                                                                            \
  inline float name(float x, float y) { return __spirv_ocl_half_##name(x, y); }

// Precision and domain are the back end's choice: about 18 bits on the CPU.
namespace native {
SCYTHE_FOR_EACH_RELAXED_1(SCYTHE_NATIVE_1)
SCYTHE_FOR_EACH_RELAXED_2(SCYTHE_NATIVE_2)
} // namespace native

// At least 11 bits; angles up to 2^16.
namespace half_precision {
SCYTHE_FOR_EACH_RELAXED_1(SCYTHE_HALF_1)
SCYTHE_FOR_EACH_RELAXED_2(SCYTHE_HALF_2)
} // namespace half_precision

#undef SCYTHE_PUBLIC_1
#undef SCYTHE_PUBLIC_2
#undef SCYTHE_PUBLIC_INT
#undef SCYTHE_PUBLIC_POINTER
#undef SCYTHE_PUBLIC_INT_POINTER
#undef SCYTHE_NATIVE_1
#undef SCYTHE_NATIVE_2
#undef SCYTHE_HALF_1
#undef SCYTHE_HALF_2

} // namespace sycl

#include <sycl/detail/builtins_names_end.hpp>

#endif
