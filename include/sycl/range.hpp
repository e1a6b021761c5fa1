// `sycl::range`: the number of work-items or elements in each dimension.
#ifndef SCYTHE_RANGE_HPP
#define SCYTHE_RANGE_HPP

#include <sycl/detail/coordinates.hpp>

namespace sycl {

template <int Dimensions = 1>
class range : public detail::coordinates<range<Dimensions>, Dimensions> {
  using base = detail::coordinates<range<Dimensions>, Dimensions>;

public:
  constexpr range() = default;
  template <int D = Dimensions, class = std::enable_if_t<D == 1>>
  constexpr range(std::size_t d0) : base(d0, 0, 0) {}
  template <int D = Dimensions, class = std::enable_if_t<D == 2>>
  constexpr range(std::size_t d0, std::size_t d1) : base(d0, d1, 0) {}
  template <int D = Dimensions, class = std::enable_if_t<D == 3>>
  constexpr range(std::size_t d0, std::size_t d1, std::size_t d2) : base(d0, d1, d2) {}

  constexpr std::size_t size() const {
    std::size_t n = 1;
    for (int i = 0; i < Dimensions; ++i)
      n *= (*this)[i];
    return n;
  }
};

range(std::size_t) -> range<1>;
range(std::size_t, std::size_t) -> range<2>;
range(std::size_t, std::size_t, std::size_t) -> range<3>;

} // namespace sycl

#endif
