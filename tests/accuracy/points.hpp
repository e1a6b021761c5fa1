// The arguments that functions are measured at: special values and their neighbours, numbers of an
// interval, and numbers of any exponent. The same in every run.
#ifndef SCYTHE_ACCURACY_POINTS_HPP
#define SCYTHE_ACCURACY_POINTS_HPP

#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace accuracy {

// A plain generator of 64 random bits: a counter, well mixed.
class random_bits {
public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 31)) * 0xd6e8feb86659fd93u;
    z = (z ^ (z >> 29)) * 0xff51afd7ed558ccdu;
    return z ^ (z >> 32);
  }
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
  }

private:
  std::uint64_t state_ = 2020;
};

template <class T> T any_number(random_bits &random) {
  const std::uint64_t bits = random.next();
  T x;
  std::memcpy(&x, &bits, sizeof(T));
  return x;
}

// Values where functions change their ways, each with neighbours on both sides and both signs.
template <class T> std::vector<T> special_values() {
  using L = std::numeric_limits<T>;
  const double pi = 3.14159265358979323846;
  std::vector<T> centres = {T(0),
                            T(1),
                            T(0.5),
                            T(2),
                            T(0.25),
                            T(0.625),
                            T(0.4142135623),
                            T(1.5),
                            T(3),
                            T(0.4),
                            T(2.4142135),
                            T(0.7071067811),
                            T(1.41421),
                            T(pi / 4),
                            T(pi / 2),
                            T(pi),
                            T(3 * pi / 2),
                            T(2 * pi),
                            T(100 * pi),
                            T(1e5 * pi),
                            T(0x1p17),
                            T(0x1p27),
                            T(88.7),
                            T(709.78),
                            T(-103.9),
                            T(-745.1),
                            T(128),
                            T(1024),
                            T(149),
                            T(1074),
                            T(38.5),
                            T(308.2),
                            T(0x1p-12),
                            T(0x1p-24),
                            T(0x1p-27),
                            T(0x1p-53),
                            T(10),
                            T(28),
                            T(0x1p24),
                            T(0x1p53),
                            L::min(),
                            L::denorm_min() * 8,
                            L::epsilon(),
                            L::max()};
  std::vector<T> all = {L::infinity(), -L::infinity(), L::quiet_NaN(), T(0), T(-0.0)};
  for (const T c : centres) {
    T up = c, down = c;
    for (int i = 0; i < 5; ++i) {
      all.insert(all.end(), {up, down, T(-up), T(-down)});
      up = std::nextafter(up, L::infinity());
      down = std::nextafter(down, -L::infinity());
    }
  }
  return all;
}

// Arguments in memory that kernels read.
template <class T> class points {
public:
  points(sycl::queue &q, std::size_t wanted, double x_low, double x_high, double y_low,
         double y_high, bool anywhere)
      : count(wanted), x(sycl::malloc_shared<T>(wanted, q)), y(sycl::malloc_shared<T>(wanted, q)),
        n(sycl::malloc_shared<int>(wanted, q)), queue_(q) {
    const std::vector<T> special = special_values<T>();
    random_bits random;
    for (std::size_t i = 0; i < count; ++i) {
      const bool inside = !anywhere || i % 2 == 0;
      x[i] = static_cast<T>(inside ? random.between(x_low, x_high) : 0);
      y[i] = static_cast<T>(random.between(y_low, y_high));
      n[i] = static_cast<int>(
          std::lround(std::fmax(-1e9, std::fmin(1e9, random.between(y_low, y_high)))));
      if (inside)
        continue;
      // Where the second operand is any number too, results are mostly 0 or infinite: do so for
      // half of these points.
      x[i] = any_number<T>(random);
      if (i % 4 == 1)
        y[i] = any_number<T>(random);
      // A base near one takes a large exponent.
      if (i % 16 == 3) {
        x[i] = static_cast<T>(
            1 + std::ldexp(random.between(-1, 1), -static_cast<int>(random.next() % 20)));
        y[i] =
            static_cast<T>(std::ldexp(random.between(-1, 1), static_cast<int>(random.next() % 24)));
        n[i] = static_cast<int>(y[i]);
      }
    }
    if (!anywhere)
      return;
    // One special value with each other, then spread over the rest of the points.
    for (std::size_t i = 0; i < special.size() * 4 && i < count; ++i) {
      x[i] = special[i % special.size()];
      if (i >= special.size())
        y[i] = special[random.next() % special.size()];
    }
  }
  points(const points &) = delete;
  points &operator=(const points &) = delete;
  ~points() {
    sycl::free(x, queue_);
    sycl::free(y, queue_);
    sycl::free(n, queue_);
  }

  std::size_t count;
  T *x, *y;
  int *n;

private:
  sycl::queue &queue_;
};

} // namespace accuracy

#endif
