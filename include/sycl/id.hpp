// `sycl::id`: the position of one work-item or element.
#ifndef SCYTHE_ID_HPP
#define SCYTHE_ID_HPP

#include <sycl/range.hpp>

namespace sycl {

template <int Dimensions, bool WithOffset> class item;

namespace detail {

// In one dimension, ids and items convert to their index. The conversion must not be a template,
// because templates take no part in subscripts of plain pointers.
template <class Derived, int D> struct converts_to_index {};
template <class Derived> struct converts_to_index<Derived, 1> {
  constexpr operator std::size_t() const { return static_cast<const Derived &>(*this)[0]; }
};

} // namespace detail

template <int Dimensions = 1>
class id : public detail::coordinates<id<Dimensions>, Dimensions>,
           public detail::converts_to_index<id<Dimensions>, Dimensions> {
  using base = detail::coordinates<id<Dimensions>, Dimensions>;

public:
  constexpr id() = default;
  template <class I, int D = Dimensions,
            class = std::enable_if_t<D == 1 && (std::is_arithmetic_v<I> || std::is_enum_v<I>)>>
  constexpr id(I d0) : base(static_cast<std::size_t>(d0), 0, 0) {}
  template <int D = Dimensions, class = std::enable_if_t<D == 2>>
  constexpr id(std::size_t d0, std::size_t d1) : base(d0, d1, 0) {}
  template <int D = Dimensions, class = std::enable_if_t<D == 3>>
  constexpr id(std::size_t d0, std::size_t d1, std::size_t d2) : base(d0, d1, d2) {}
  constexpr id(const range<Dimensions> &r) {
    for (int i = 0; i < Dimensions; ++i)
      (*this)[i] = r[i];
  }
  template <bool WithOffset> id(const item<Dimensions, WithOffset> &it) : id(it.get_id()) {}
};

id(std::size_t) -> id<1>;
id(std::size_t, std::size_t) -> id<2>;
id(std::size_t, std::size_t, std::size_t) -> id<3>;

namespace detail {

// Returns the row-major position of `index` in an array of size `r`.
template <int D> constexpr std::size_t linear(const id<D> &index, const range<D> &r) {
  if constexpr (D == 1)
    return index[0];
  else if constexpr (D == 2)
    return index[0] * r[1] + index[1];
  else
    return (index[0] * r[1] + index[1]) * r[2] + index[2];
}

} // namespace detail
} // namespace sycl

#endif
