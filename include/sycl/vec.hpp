// `sycl::vec`: 1, 2, 3, 4, 8 or 16 numbers with element-wise operations. Its elements are
// contiguous, as in an array. It is aligned to its size, up to 64 bytes. Three elements take the
// space of four.
#ifndef SCYTHE_VEC_HPP
#define SCYTHE_VEC_HPP

#include <sycl/access.hpp>
#include <sycl/detail/swizzle.hpp>
#include <sycl/detail/vec_convert.hpp>

namespace sycl {

template <class T, access::address_space Space, access::decorated Decorated> class multi_ptr;

using byte [[deprecated("use std::byte")]] = std::uint8_t;

struct elem {
  static constexpr int x = 0, y = 1, z = 2, w = 3, r = 0, g = 1, b = 2, a = 3;
  static constexpr int s0 = 0, s1 = 1, s2 = 2, s3 = 3, s4 = 4, s5 = 5, s6 = 6, s7 = 7;
  static constexpr int s8 = 8, s9 = 9, sA = 10, sB = 11, sC = 12, sD = 13, sE = 14, sF = 15;
};

namespace detail {

template <class T, int N>
inline constexpr std::size_t vec_alignment =
    sizeof(T) * (N == 3 ? 4 : N) < 64 ? sizeof(T) * (N == 3 ? 4 : N) : 64;

// The number of elements that a constructor argument initialises in a `vec` of `T`. It is too large
// if the argument is invalid.
template <class T, class A>
inline constexpr int elements_from =
    has_elements<A> && std::is_same_v<typename shape<A>::element, T> && !shape<A>::is_marray
        ? shape<A>::count
    : std::is_convertible_v<const A &, T> ? 1
                                          : 1000;

#ifdef SCYTHE_DEVICE_PASS
// The compiler's vector type with the same elements.
template <class T>
using vector_element = std::conditional_t<
    is_half<T>, float16,
    std::conditional_t<std::is_same_v<T, bool> || std::is_same_v<T, std::byte>, unsigned char,
                       std::conditional_t<is_bfloat16<T>, unsigned short, T>>>;
template <class T, int N> struct vector_of {
  typedef vector_element<T> type __attribute__((ext_vector_type(N)));
};
template <class T> struct vector_of<T, 1> {
  using type = vector_element<T>;
};
#endif

} // namespace detail

template <class T, int N>
class alignas(detail::vec_alignment<T, N>) vec
    : public detail::elementwise::operand<vec<T, N>, T, N == 1> {
  static constexpr int Count = N;
  static_assert(detail::elementwise::is_vec_size(N),
                "a vec must have 1, 2, 3, 4, 8 or 16 elements");
  static_assert(std::is_same_v<T, std::remove_cv_t<T>> &&
                    (detail::is_vec_number<T> || std::is_same_v<T, std::byte>),
                "the element type of a vec must be an arithmetic type or std::byte");

public:
  using element_type = T;
  using value_type = T;
#ifdef SCYTHE_DEVICE_PASS
  using vector_t = typename detail::vector_of<T, N>::type;
#endif

  vec() = default;
  vec(const vec &) = default;
  template <int M = N, std::enable_if_t<M != 1, int> = 0>
  explicit constexpr vec(const T &arg) : data_{} {
    for (int i = 0; i < N; ++i)
      data_[i] = arg;
  }
  template <int M = N, std::enable_if_t<M == 1, long> = 0>
  constexpr vec(const T &arg) : data_{arg} {}
  template <class... A, class = std::enable_if_t<(N > 1 || (std::is_arithmetic_v<A> && ...)) &&
                                                 (0 + ... + detail::elements_from<T, A>) == N>>
  constexpr vec(const A &...args) : data_{} {
    int at = 0;
    (append(at, args), ...);
  }
#ifdef SCYTHE_DEVICE_PASS
  template <class V, class = std::enable_if_t<std::is_same_v<V, vector_t> && (N > 1)>, class = void>
  vec(V v) {
    __builtin_memcpy(data_, &v, sizeof(data_));
  }
  template <class V, class = std::enable_if_t<std::is_same_v<V, vector_t> && (N > 1)>, class = void>
  operator V() const {
    V v{};
    __builtin_memcpy(&v, data_, sizeof(data_));
    return v;
  }
#endif

  vec &operator=(const vec &) = default;
  template <class U,
            class = std::enable_if_t<std::is_convertible_v<const U &, T> &&
                                     !std::is_same_v<typename detail::shape<U>::value, vec>>>
  constexpr vec &operator=(const U &rhs) {
    const T value = static_cast<T>(rhs);
    for (int i = 0; i < N; ++i)
      data_[i] = value;
    return *this;
  }

  static constexpr std::size_t size() noexcept { return N; }
  static constexpr std::size_t byte_size() noexcept { return sizeof(T) * (N == 3 ? 4 : N); }
  [[deprecated("use size()")]] static constexpr std::size_t get_count() { return size(); }
  [[deprecated("use byte_size()")]] static constexpr std::size_t get_size() { return byte_size(); }

  constexpr T &operator[](int index) { return data_[index]; }
  constexpr const T &operator[](int index) const { return data_[index]; }

  template <class U, rounding_mode Mode = rounding_mode::automatic>
  SCYTHE_BY_ELEMENT vec<U, N> convert() const {
    vec<U, N> r;
    for (int i = 0; i < N; ++i)
      r[i] = detail::converted<U, Mode>(data_[i]);
    return r;
  }
  template <class As> As as() const { return bit_cast<As>(*this); }

  // Loads or stores the elements from `offset * N` on.
  void load(std::size_t offset, const T *p) {
    __builtin_memcpy(data_, p + offset * N, sizeof(data_));
  }
  void store(std::size_t offset, T *p) const {
    __builtin_memcpy(p + offset * N, data_, sizeof(data_));
  }
  template <access::address_space Space, access::decorated Decorated>
  void load(std::size_t offset, multi_ptr<const T, Space, Decorated> p) {
    load(offset, static_cast<const T *>(p.get_raw()));
  }
  template <access::address_space Space, access::decorated Decorated>
  void load(std::size_t offset, multi_ptr<T, Space, Decorated> p) {
    load(offset, static_cast<const T *>(p.get_raw()));
  }
  template <access::address_space Space, access::decorated Decorated>
  void store(std::size_t offset, multi_ptr<T, Space, Decorated> p) const {
    store(offset, static_cast<T *>(p.get_raw()));
  }
  // The memory of an accessor, as in DPC++.
  template <class A>
  auto load(std::size_t offset, const A &acc) -> decltype(void(acc.get_pointer())) {
    load(offset, static_cast<const T *>(&acc[0]));
  }
  template <class A>
  auto store(std::size_t offset, const A &acc) const -> decltype(void(acc.get_pointer())) {
    store(offset, static_cast<T *>(&acc[0]));
  }

#define SCYTHE_NAME(name, index, condition)                                                        \
  constexpr T &name() {                                                                            \
    static_assert(condition, "a vec of this size has no element '" #name "'");                     \
    return data_[index];                                                                           \
  }                                                                                                \
  constexpr const T &name() const {                                                                \
    static_assert(condition, "a vec of this size has no element '" #name "'");                     \
    return data_[index];                                                                           \
  }
#include <sycl/detail/vec_names.hpp>
  SCYTHE_FOR_EACH_ELEMENT(SCYTHE_NAME)
#undef SCYTHE_FOR_EACH_ELEMENT
#undef SCYTHE_NAME

  SCYTHE_TAKE_ELEMENTS(, T, N, true)
  SCYTHE_TAKE_ELEMENTS(const, T, N, false)

#ifdef SYCL_SIMPLE_SWIZZLES
#define SCYTHE_SIMPLE(name, ...)                                                                   \
  constexpr auto name() { return this->template swizzle<__VA_ARGS__>(); }                          \
  constexpr auto name() const { return this->template swizzle<__VA_ARGS__>(); }
#include <sycl/detail/simple_swizzles.hpp>
#endif

private:
  constexpr vec &source() { return *this; }
  constexpr const vec &source() const { return *this; }

  template <class A> constexpr void append(int &at, const A &arg) {
    if constexpr (detail::has_elements<A> && !detail::shape<A>::is_marray) {
      for (int i = 0; i < detail::shape<A>::count; ++i)
        data_[at++] = static_cast<T>(arg[i]);
    } else {
      data_[at++] = static_cast<T>(arg);
    }
  }

  T data_[N];
};

#undef SCYTHE_TAKE_ELEMENTS

template <class T, class... U> vec(T, U...) -> vec<T, static_cast<int>(sizeof...(U) + 1)>;

} // namespace sycl

#endif
