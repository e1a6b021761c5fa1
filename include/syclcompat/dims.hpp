// `dim3`: three sizes, the fastest first, and its conversions to ranges, whose order is reverse.
#ifndef SYCLCOMPAT_DIMS_HPP
#define SYCLCOMPAT_DIMS_HPP

#include <sycl/sycl.hpp>

namespace syclcompat {

class dim3 {
public:
  std::size_t x, y, z;

  constexpr dim3(std::size_t x_size = 1, std::size_t y_size = 1, std::size_t z_size = 1)
      : x(x_size), y(y_size), z(z_size) {}
  dim3(const sycl::range<3> &r) : x(r[2]), y(r[1]), z(r[0]) {}
  dim3(const sycl::range<2> &r) : x(r[1]), y(r[0]), z(1) {}
  dim3(const sycl::range<1> &r) : x(r[0]), y(1), z(1) {}

  constexpr std::size_t size() const { return x * y * z; }

  operator sycl::range<3>() const { return {z, y, x}; }
  operator sycl::range<2>() const {
    if (z > 1)
      throw std::invalid_argument("dim3: z must be 1 to convert to a range of two dimensions");
    return {y, x};
  }
  operator sycl::range<1>() const {
    if (z > 1 || y > 1)
      throw std::invalid_argument("dim3: y and z must be 1 to convert to a range of one dimension");
    return {x};
  }

  friend dim3 operator*(const dim3 &a, const dim3 &b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
  friend dim3 operator+(const dim3 &a, const dim3 &b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend dim3 operator-(const dim3 &a, const dim3 &b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend bool operator==(const dim3 &a, const dim3 &b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
  friend bool operator!=(const dim3 &a, const dim3 &b) { return !(a == b); }
};

} // namespace syclcompat

#endif
