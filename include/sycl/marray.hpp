// `sycl::marray`: a fixed number of values with element-wise operations. It has the memory layout
// of an array.
#ifndef SCYTHE_MARRAY_HPP
#define SCYTHE_MARRAY_HPP

#include <sycl/detail/elementwise.hpp>

namespace sycl {

namespace detail {

// The number of elements that a constructor argument initialises in an `marray` of `T`. It is too
// large if the argument is invalid.
template <class T, class A>
inline constexpr std::size_t marray_elements_from = std::is_convertible_v<A, T> ? 1 : 100000;
template <class T, class U, std::size_t N>
inline constexpr std::size_t marray_elements_from<T, marray<U, N>> =
    std::is_same_v<T, U> ? N : 100000;

} // namespace detail

template <class T, std::size_t N>
class marray : public detail::elementwise::operand<marray<T, N>, T, N == 1> {
  static_assert(N > 0, "an marray must have at least one element");

public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  using iterator = T *;
  using const_iterator = const T *;

  marray() = default;
  marray(const marray &) = default;
  marray(marray &&) = default;
  marray &operator=(const marray &) = default;
  marray &operator=(marray &&) = default;
  explicit constexpr marray(const T &arg) : data_{} {
    for (T &element : data_)
      element = arg;
  }
  template <class... A, class = std::enable_if_t<(sizeof...(A) > 1) &&
                                                 (std::size_t(0) + ... +
                                                  detail::marray_elements_from<T, A>) == N>>
  constexpr marray(const A &...args) : data_{} {
    std::size_t at = 0;
    (append(at, args), ...);
  }
  constexpr marray &operator=(const T &rhs) {
    for (T &element : data_)
      element = rhs;
    return *this;
  }

  static constexpr std::size_t size() noexcept { return N; }
  constexpr reference operator[](std::size_t index) { return data_[index]; }
  constexpr const_reference operator[](std::size_t index) const { return data_[index]; }
  constexpr iterator begin() { return data_; }
  constexpr const_iterator begin() const { return data_; }
  constexpr iterator end() { return data_ + N; }
  constexpr const_iterator end() const { return data_ + N; }

private:
  template <class A> constexpr void append(std::size_t &at, const A &arg) {
    data_[at++] = static_cast<T>(arg);
  }
  template <std::size_t M> constexpr void append(std::size_t &at, const marray<T, M> &arg) {
    for (std::size_t i = 0; i < M; ++i)
      data_[at++] = arg[i];
  }

  T data_[N];
};

template <class T, class... U> marray(T, U...) -> marray<T, sizeof...(U) + 1>;

} // namespace sycl

#endif
