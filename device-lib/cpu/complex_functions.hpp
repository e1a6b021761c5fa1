// The complex functions that `std::complex` calls by their C names. Device code cannot use the
// functions of the C library, because device code passes complex numbers in memory and the C
// library expects them in registers.
#include "device_library.hpp"

namespace scythe_device_library {

template <class T> T cabs_of(parts<T> z) { return hypot_of(z.re, z.im); }
template <class T> T carg_of(parts<T> z) { return atan2_of(z.im, z.re); }

template <class T> parts<T> cexp_of(parts<T> z) {
  const auto [x, y] = z;
  if (y == T(0))
    return parts<T>{exp_of(x), y};
  if (__builtin_isinf(x) && !__builtin_isfinite(y))
    return x < T(0) ? parts<T>{T(0), copysign_of(T(0), y)} : parts<T>{x, y - y};
  const T r = exp_of(x);
  return parts<T>{r * cos_of(y), r * sin_of(y)};
}

template <class T> parts<T> clog_of(parts<T> z) {
  return parts<T>{log_of(cabs_of<T>(z)), carg_of<T>(z)};
}

template <class T> parts<T> csqrt_of(parts<T> z) {
  const auto [x, y] = z;
  if (x == T(0) && y == T(0))
    return parts<T>{T(0), y};
  if (__builtin_isinf(y))
    return parts<T>{static_cast<T>(__builtin_inf()), y};
  if (__builtin_isinf(x) && !__builtin_isnan(y))
    return x > T(0) ? parts<T>{x, copysign_of(T(0), y)} : parts<T>{T(0), copysign_of(-x, y)};
  // Halve before adding, so that the largest numbers do not overflow.
  const T half_sum = abs_of(x) / 2 + cabs_of<T>(parts<T>{x / 2, y / 2});
  const T root = sqrt_of(half_sum);
  if (x >= T(0))
    return parts<T>{root, y / (2 * root)};
  return parts<T>{abs_of(y) / (2 * root), copysign_of(root, y)};
}

template <class T> parts<T> csinh_of(parts<T> z) {
  const auto [x, y] = z;
  return y == T(0) ? parts<T>{sinh_of(x), y}
                   : parts<T>{sinh_of(x) * cos_of(y), cosh_of(x) * sin_of(y)};
}

template <class T> parts<T> ccosh_of(parts<T> z) {
  const auto [x, y] = z;
  return y == T(0) ? parts<T>{cosh_of(x), copysign_of(T(0), x) * y}
                   : parts<T>{cosh_of(x) * cos_of(y), sinh_of(x) * sin_of(y)};
}

template <class T> parts<T> ctanh_of(parts<T> z) {
  const auto [x, y] = z;
  // Beyond this limit the squares below overflow, and the result is exactly one.
  if (abs_of(x) > T(40))
    return parts<T>{copysign_of(T(1), x), copysign_of(T(0), sin_of(2 * y))};
  const T s = sin_of(y), c = cos_of(y), sh = sinh_of(x), ch = cosh_of(x);
  const T denominator = c * c + sh * sh;
  return parts<T>{sh * ch / denominator, s * c / denominator};
}

// The circular functions are hyperbolic functions of the rotated argument: sin z = -i sinh(iz).
template <class T> parts<T> csin_of(parts<T> z) {
  const auto [re, im] = csinh_of<T>(parts<T>{-z.im, z.re});
  return parts<T>{im, -re};
}
template <class T> parts<T> ccos_of(parts<T> z) { return ccosh_of<T>(parts<T>{-z.im, z.re}); }
template <class T> parts<T> ctan_of(parts<T> z) {
  const auto [re, im] = ctanh_of<T>(parts<T>{-z.im, z.re});
  return parts<T>{im, -re};
}

template <class T> parts<T> cpow_of(parts<T> base, parts<T> exponent) {
  const auto [x, y] = base;
  if (x == T(0) && y == T(0))
    return exponent.re == T(0) && exponent.im == T(0) ? parts<T>{T(1), T(0)} : parts<T>{T(0), T(0)};
  const T log_radius = log_of(cabs_of<T>(base)), angle = carg_of<T>(base);
  const T c = exponent.re, d = exponent.im;
  return cexp_of<T>(parts<T>{c * log_radius - d * angle, d * log_radius + c * angle});
}

} // namespace scythe_device_library

#include "complex_inverse.hpp"

#define SCYTHE_COMPLEX(name)                                                                       \
  SCYTHE_DEVICE _Complex float name##f(_Complex float z) {                                         \
    return scythe_device_library::join(                                                            \
        scythe_device_library::name##_of<float>(scythe_device_library::parts_of(z)));              \
  }                                                                                                \
  SCYTHE_DEVICE _Complex double name(_Complex double z) {                                          \
    return scythe_device_library::join(                                                            \
        scythe_device_library::name##_of<double>(scythe_device_library::parts_of(z)));             \
  }

extern "C" {
SCYTHE_COMPLEX(cexp)
SCYTHE_COMPLEX(clog)
SCYTHE_COMPLEX(csqrt)
SCYTHE_COMPLEX(csin)
SCYTHE_COMPLEX(ccos)
SCYTHE_COMPLEX(ctan)
SCYTHE_COMPLEX(csinh)
SCYTHE_COMPLEX(ccosh)
SCYTHE_COMPLEX(ctanh)
SCYTHE_COMPLEX(casin)
SCYTHE_COMPLEX(cacos)
SCYTHE_COMPLEX(catan)
SCYTHE_COMPLEX(casinh)
SCYTHE_COMPLEX(cacosh)
SCYTHE_COMPLEX(catanh)
SCYTHE_COMPLEX(cproj)
SCYTHE_DEVICE float cabsf(_Complex float z) {
  return scythe_device_library::cabs_of<float>(scythe_device_library::parts_of(z));
}
SCYTHE_DEVICE double cabs(_Complex double z) {
  return scythe_device_library::cabs_of<double>(scythe_device_library::parts_of(z));
}
SCYTHE_DEVICE float cargf(_Complex float z) {
  return scythe_device_library::carg_of<float>(scythe_device_library::parts_of(z));
}
SCYTHE_DEVICE double carg(_Complex double z) {
  return scythe_device_library::carg_of<double>(scythe_device_library::parts_of(z));
}
SCYTHE_DEVICE _Complex float cpowf(_Complex float x, _Complex float y) {
  return scythe_device_library::join(scythe_device_library::cpow_of<float>(
      scythe_device_library::parts_of(x), scythe_device_library::parts_of(y)));
}
SCYTHE_DEVICE _Complex double cpow(_Complex double x, _Complex double y) {
  return scythe_device_library::join(scythe_device_library::cpow_of<double>(
      scythe_device_library::parts_of(x), scythe_device_library::parts_of(y)));
}
}

#undef SCYTHE_COMPLEX
