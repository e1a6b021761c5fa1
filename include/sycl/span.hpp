// `sycl::span`: `std::span` of C++20, for C++17 programs.
#ifndef SCYTHE_SPAN_HPP
#define SCYTHE_SPAN_HPP

#include <sycl/detail/config.hpp>

#include <array>
#include <cstddef>
#include <iterator>
#include <type_traits>

namespace sycl {

inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

template <class T, std::size_t Extent = dynamic_extent> class span;

namespace detail {

// The number of elements. Only spans of dynamic extent store it.
template <std::size_t Extent> struct span_extent {
  constexpr span_extent() = default;
  constexpr explicit span_extent(std::size_t) {}
  static constexpr std::size_t size() noexcept { return Extent; }
};
template <> struct span_extent<dynamic_extent> {
  constexpr span_extent() = default;
  constexpr explicit span_extent(std::size_t count) : count(count) {}
  constexpr std::size_t size() const noexcept { return count; }
  std::size_t count = 0;
};

// `From (*)[]` converts to `To (*)[]` if only qualifiers are added.
template <class From, class To>
inline constexpr bool spans_as = std::is_convertible_v<From (*)[], To (*)[]>;

template <class T> inline constexpr bool is_span_or_array = false;
template <class T, std::size_t N> inline constexpr bool is_span_or_array<span<T, N>> = true;
template <class T, std::size_t N> inline constexpr bool is_span_or_array<std::array<T, N>> = true;

template <class C>
using element_of_container = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;
template <class C, class T, class = decltype(std::size(std::declval<C &>()))>
using if_container = std::enable_if_t<!is_span_or_array<std::remove_cv_t<C>> &&
                                      !std::is_array_v<C> && spans_as<element_of_container<C>, T>>;

} // namespace detail

template <class T, std::size_t Extent> class span {
  template <std::size_t N>
  using if_extent = std::enable_if_t<Extent == dynamic_extent || Extent == N>;

public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T *;
  using const_pointer = const T *;
  using reference = T &;
  using const_reference = const T &;
  using iterator = pointer;
  using reverse_iterator = std::reverse_iterator<iterator>;
  static constexpr std::size_t extent = Extent;

  template <std::size_t N = Extent, class = std::enable_if_t<N == 0 || N == dynamic_extent>>
  constexpr span() noexcept {}
  template <std::size_t N = Extent, std::enable_if_t<N == dynamic_extent, int> = 0>
  constexpr span(pointer first, size_type count) : data_(first), extent_(count) {}
  template <std::size_t N = Extent, std::enable_if_t<N != dynamic_extent, int> = 0>
  constexpr explicit span(pointer first, size_type count) : data_(first), extent_(count) {}
  template <std::size_t N = Extent, std::enable_if_t<N == dynamic_extent, int> = 0>
  constexpr span(pointer first, pointer last)
      : data_(first), extent_(static_cast<size_type>(last - first)) {}
  template <std::size_t N = Extent, std::enable_if_t<N != dynamic_extent, int> = 0>
  constexpr explicit span(pointer first, pointer last)
      : data_(first), extent_(static_cast<size_type>(last - first)) {}
  template <std::size_t N, class = if_extent<N>>
  constexpr span(element_type (&a)[N]) noexcept : data_(a), extent_(N) {}
  template <class U, std::size_t N, class = if_extent<N>,
            class = std::enable_if_t<detail::spans_as<U, T>>>
  constexpr span(std::array<U, N> &a) noexcept : data_(a.data()), extent_(N) {}
  template <class U, std::size_t N, class = if_extent<N>,
            class = std::enable_if_t<detail::spans_as<const U, T>>>
  constexpr span(const std::array<U, N> &a) noexcept : data_(a.data()), extent_(N) {}
  template <class C, class = detail::if_container<C, T>, std::size_t N = Extent,
            std::enable_if_t<N == dynamic_extent, int> = 0>
  constexpr span(C &c) : data_(std::data(c)), extent_(std::size(c)) {}
  template <class C, class = detail::if_container<const C, T>, std::size_t N = Extent,
            std::enable_if_t<N == dynamic_extent, int> = 0>
  constexpr span(const C &c) : data_(std::data(c)), extent_(std::size(c)) {}
  template <
      class U, std::size_t N,
      class = std::enable_if_t<detail::spans_as<U, T> && (Extent == dynamic_extent || Extent == N)>>
  constexpr span(const span<U, N> &other) noexcept : data_(other.data()), extent_(other.size()) {}

  template <std::size_t Count> constexpr span<T, Count> first() const {
    return span<T, Count>(data_, Count);
  }
  template <std::size_t Count> constexpr span<T, Count> last() const {
    return span<T, Count>(data_ + (size() - Count), Count);
  }
  template <std::size_t Offset, std::size_t Count = dynamic_extent> constexpr auto subspan() const {
    constexpr std::size_t rest = Extent == dynamic_extent ? dynamic_extent : Extent - Offset;
    constexpr std::size_t count = Count == dynamic_extent ? rest : Count;
    return span<T, count>(data_ + Offset, Count == dynamic_extent ? size() - Offset : Count);
  }
  constexpr span<T> first(size_type count) const { return {data_, count}; }
  constexpr span<T> last(size_type count) const { return {data_ + (size() - count), count}; }
  constexpr span<T> subspan(size_type offset, size_type count = dynamic_extent) const {
    return {data_ + offset, count == dynamic_extent ? size() - offset : count};
  }

  constexpr size_type size() const noexcept { return extent_.size(); }
  constexpr size_type size_bytes() const noexcept { return size() * sizeof(T); }
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }
  constexpr reference operator[](size_type i) const { return data_[i]; }
  constexpr reference front() const { return data_[0]; }
  constexpr reference back() const { return data_[size() - 1]; }
  constexpr pointer data() const noexcept { return data_; }
  constexpr iterator begin() const noexcept { return data_; }
  constexpr iterator end() const noexcept { return data_ + size(); }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }

private:
  pointer data_ = nullptr;
  detail::span_extent<Extent> extent_;
};

template <class T, std::size_t N> span(T (&)[N]) -> span<T, N>;
template <class T, std::size_t N> span(std::array<T, N> &) -> span<T, N>;
template <class T, std::size_t N> span(const std::array<T, N> &) -> span<const T, N>;
template <class C>
span(C &) -> span<std::remove_reference_t<decltype(*std::data(std::declval<C &>()))>>;
template <class C>
span(const C &) -> span<std::remove_reference_t<decltype(*std::data(std::declval<const C &>()))>>;

template <class T, std::size_t N> auto as_bytes(span<T, N> s) noexcept {
  constexpr std::size_t bytes = N == dynamic_extent ? dynamic_extent : N * sizeof(T);
  return span<const std::byte, bytes>(reinterpret_cast<const std::byte *>(s.data()),
                                      s.size_bytes());
}
template <class T, std::size_t N, class = std::enable_if_t<!std::is_const_v<T>>>
auto as_writable_bytes(span<T, N> s) noexcept {
  constexpr std::size_t bytes = N == dynamic_extent ? dynamic_extent : N * sizeof(T);
  return span<std::byte, bytes>(reinterpret_cast<std::byte *>(s.data()), s.size_bytes());
}

} // namespace sycl

#endif
