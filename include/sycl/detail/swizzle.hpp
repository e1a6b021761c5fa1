// Views of a vector's elements, the results of `v.swizzle<2, 0>()`, `v.lo()` and `v.yx()`. A view
// reads and writes its vector. It cannot be copied, so that it does not outlive its vector by
// accident.
#ifndef SCYTHE_DETAIL_SWIZZLE_HPP
#define SCYTHE_DETAIL_SWIZZLE_HPP

#include <sycl/bit_cast.hpp>
#include <sycl/detail/elementwise.hpp>

namespace sycl {

enum class rounding_mode : int { automatic, rte, rtz, rtp, rtn };

namespace detail::elementwise {

// The upper half and the odd elements of a three-element vector include one element that does not
// exist. Reading it gives the last element, and writing it has no effect.
inline constexpr int missing = 16;

constexpr bool is_vec_size(int n) {
  return n == 1 || n == 2 || n == 3 || n == 4 || n == 8 || n == 16;
}

// The positions of the elements of a vector of `N` (without `I`), or of a view of it.
template <class T, int N, bool Writable, int... I> struct positions {
  static constexpr int count = sizeof...(I) ? static_cast<int>(sizeof...(I)) : N;
  static constexpr int all[] = {I..., 0};
  static constexpr int at(int i) {
    const int known = i < count ? i : count - 1;
    return (sizeof...(I) ? all[known] : known) | (i < count ? 0 : missing);
  }
  static constexpr bool repeats() {
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < i; ++j)
        if (at(i) == at(j))
          return true;
    return false;
  }
  template <int... J> using pick = view<T, N, Writable, at(J)...>;
};

// Half of the elements, from `First` in steps of `Step`: `lo`, `hi`, `odd` and `even`. Three
// elements count as four.
template <class Positions, int First, int Step, int Size = (Positions::count + 1) / 2> struct part {
  using type = typename Positions::template pick<First>;
};
template <class Positions, int F, int S> struct part<Positions, F, S, 2> {
  using type = typename Positions::template pick<F, F + S>;
};
template <class Positions, int F, int S> struct part<Positions, F, S, 4> {
  using type = typename Positions::template pick<F, F + S, F + 2 * S, F + 3 * S>;
};
template <class Positions, int F, int S> struct part<Positions, F, S, 8> {
  using type = typename Positions::template pick<F, F + S, F + 2 * S, F + 3 * S, F + 4 * S,
                                                 F + 5 * S, F + 6 * S, F + 7 * S>;
};

// Functions of vectors and views that select elements.
#define SCYTHE_TAKE_ELEMENTS(qualifier, ...)                                                       \
  template <int... J> constexpr auto swizzle() qualifier {                                         \
    static_assert(((J >= 0 && J < Count) && ...),                                                  \
                  "the swizzle selects an element that the vector does not have");                 \
    return typename detail::elementwise::positions<__VA_ARGS__>::template pick<J...>(source());    \
  }                                                                                                \
  template <int M = Count, class = std::enable_if_t<(M > 1)>> constexpr auto lo() qualifier {      \
    return typename detail::elementwise::part<detail::elementwise::positions<__VA_ARGS__>, 0,      \
                                              1>::type(source());                                  \
  }                                                                                                \
  template <int M = Count, class = std::enable_if_t<(M > 1)>> constexpr auto hi() qualifier {      \
    using detail::elementwise::positions;                                                          \
    return typename detail::elementwise::part<positions<__VA_ARGS__>, (M + 1) / 2, 1>::type(       \
        source());                                                                                 \
  }                                                                                                \
  template <int M = Count, class = std::enable_if_t<(M > 1)>> constexpr auto odd() qualifier {     \
    return typename detail::elementwise::part<detail::elementwise::positions<__VA_ARGS__>, 1,      \
                                              2>::type(source());                                  \
  }                                                                                                \
  template <int M = Count, class = std::enable_if_t<(M > 1)>> constexpr auto even() qualifier {    \
    return typename detail::elementwise::part<detail::elementwise::positions<__VA_ARGS__>, 0,      \
                                              2>::type(source());                                  \
  }

template <class T, int N, bool Writable, int... I>
class view : public operand<view<T, N, Writable, I...>, T, sizeof...(I) == 1> {
  static constexpr int Count = static_cast<int>(sizeof...(I));
  static_assert(is_vec_size(Count), "a swizzle must have 1, 2, 3, 4, 8 or 16 elements");
  using places = positions<T, N, Writable, I...>;
  using owner = std::conditional_t<Writable, vec<T, N>, const vec<T, N>>;
  using reference = std::conditional_t<Writable, T &, const T &>;

public:
  using element_type = T;
  using value_type = T;

  view(const view &) = delete;

  static constexpr std::size_t size() noexcept { return Count; }
  static constexpr std::size_t byte_size() noexcept { return sizeof(vec<T, Count>); }
  [[deprecated("use size()")]] constexpr std::size_t get_count() const { return size(); }
  [[deprecated("use byte_size()")]] constexpr std::size_t get_size() const { return byte_size(); }

  constexpr operator vec<T, Count>() const {
    return vec<T, Count>(static_cast<const T &>(owner_[I & (missing - 1)])...);
  }
  constexpr reference operator[](int i) const { return owner_[places::all[i] & (missing - 1)]; }

  template <class U, rounding_mode Mode = rounding_mode::automatic> vec<U, Count> convert() const {
    return vec<T, Count>(*this).template convert<U, Mode>();
  }
  template <class As> As as() const { return bit_cast<As>(vec<T, Count>(*this)); }

  template <class Pointer> void store(std::size_t offset, Pointer p) const {
    vec<T, Count>(*this).store(offset, p);
  }
  template <class Pointer, bool W = Writable, class = std::enable_if_t<W>>
  void load(std::size_t offset, Pointer p) const {
    vec<T, Count> loaded;
    loaded.load(offset, p);
    *this = loaded;
  }

  const view &operator=(const view &rhs) const { return *this = vec<T, Count>(rhs); }
  const view &operator=(const vec<T, Count> &rhs) const {
    static_assert(Writable, "cannot assign to the elements of a const vector");
    static_assert(!places::repeats(), "cannot assign to a swizzle that selects an element twice");
    for (int i = 0; i < Count; ++i)
      if (!(places::all[i] & missing))
        owner_[places::all[i]] = rhs[i];
    return *this;
  }
  template <class U, class = std::enable_if_t<joins<view, U> && !std::is_same_v<U, vec<T, Count>>>>
  const view &operator=(const U &rhs) const {
    return *this = whole<vec<T, Count>>(rhs);
  }

#define SCYTHE_NAME(name, index, condition)                                                        \
  constexpr reference name() const {                                                               \
    static_assert(condition, "a swizzle of this size has no element '" #name "'");                 \
    return (*this)[index];                                                                         \
  }
#include <sycl/detail/vec_names.hpp>
  SCYTHE_FOR_EACH_ELEMENT(SCYTHE_NAME)
#undef SCYTHE_FOR_EACH_ELEMENT
#undef SCYTHE_NAME

  SCYTHE_TAKE_ELEMENTS(const, T, N, Writable, I...)

#ifdef SYCL_SIMPLE_SWIZZLES
#define SCYTHE_SIMPLE(name, ...)                                                                   \
  constexpr auto name() const { return this->template swizzle<__VA_ARGS__>(); }
#include <sycl/detail/simple_swizzles.hpp>
#endif

private:
  template <class, int> friend class sycl::vec;
  template <class, int, bool, int...> friend class view;

  explicit constexpr view(owner &v) : owner_(v) {}
  constexpr owner &source() const { return owner_; }

  owner &owner_;
};

} // namespace detail::elementwise
} // namespace sycl

#endif
