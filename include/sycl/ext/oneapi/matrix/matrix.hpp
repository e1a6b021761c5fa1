// `joint_matrix`: a matrix that the work-items of a sub-group hold together, and its operations
// (`sycl_ext_oneapi_matrix`, `sycl_ext_intel_matrix`).
//
// The compiler for a device implements `load`, `store`, `fill` and `mad`. All other operations work
// on the elements of each work-item. Host mode has no matrices: the constructor throws.
#ifndef SCYTHE_EXT_ONEAPI_MATRIX_MATRIX_HPP
#define SCYTHE_EXT_ONEAPI_MATRIX_MATRIX_HPP

#include <sycl/aspect.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/annotated.hpp>
#include <sycl/ext/oneapi/matrix/operations.hpp>
#include <sycl/ext/oneapi/matrix/query.hpp>
#include <sycl/ext/oneapi/properties.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {

namespace ext::oneapi::experimental::matrix {

template <class Group, class T, use Use, std::size_t Rows, std::size_t Cols, layout Layout>
struct joint_matrix {
  static_assert(std::is_same_v<Group, sub_group>,
                "the group of a joint_matrix must be sycl::sub_group");
  static_assert(Rows > 0 && Cols > 0, "a joint_matrix must have rows and columns");
  static_assert((Use == use::accumulator) == (Layout == layout::dynamic),
                "an accumulator has layout::dynamic, and other joint matrices have another layout");

  joint_matrix() {
#ifdef SCYTHE_HOST_MODE
    throw exception(make_error_code(errc::feature_not_supported),
                    "sycl_ext_oneapi_matrix: the host has no joint matrices; compile device code");
#endif
  }
  joint_matrix(const joint_matrix &) = delete;
  joint_matrix &operator=(const joint_matrix &) = delete;

  static constexpr std::uint32_t scythe_kind = sycl::detail::matrix_kind<T, Use, Layout>;
  sycl::detail::matrix_storage<typename sycl::detail::matrix_element<T>::word, Rows * Cols>
      scythe_storage;
};

} // namespace ext::oneapi::experimental::matrix

namespace detail {

using ext::oneapi::experimental::matrix::joint_matrix;
using ext::oneapi::experimental::matrix::layout;
using ext::oneapi::experimental::matrix::use;

template <class T> using matrix_value = typename matrix_element<T>::value;

// Returns the address of a matrix in memory with elements of type `T`.
template <class T, class Tm, access::address_space Space, access::decorated Decorated,
          class = std::enable_if_t<std::is_same_v<matrix_value<T>, std::remove_cv_t<Tm>>>>
Tm *matrix_pointer(const multi_ptr<Tm, Space, Decorated> &p) {
  return p.get_raw();
}
template <class T, class Tm, class Properties,
          class = std::enable_if_t<std::is_same_v<matrix_value<T>, std::remove_cv_t<Tm>>>>
Tm *matrix_pointer(const ext::oneapi::annotated_ptr<Tm, Properties> &p) {
  return p.get();
}
template <class T, class Pointer>
using if_matrix_pointer = decltype(matrix_pointer<T>(std::declval<const Pointer &>()));

// Calls `function` with the number of each element of this work-item.
template <class G, class T, use U, std::size_t R, std::size_t C, layout L, class F>
SCYTHE_ALWAYS_INLINE void for_matrix_elements(const joint_matrix<G, T, U, R, C, L> &,
                                              [[maybe_unused]] F &&function) {
#ifdef SCYTHE_DEVICE_PASS
  constexpr std::uint32_t kind = matrix_kind<T, U, L>;
  const std::uint32_t end = __scythe_matrix_end(kind, R, C);
  const std::uint32_t step = __scythe_matrix_step(kind, R, C);
  for (std::uint32_t i = __scythe_matrix_first(kind, R, C); i < end; i += step)
    function(i);
#endif
}

// Converts an element. The small types convert through float or int.
template <class To, class From> constexpr matrix_value<To> convert_matrix_value(const From &x) {
  if constexpr (std::is_same_v<From, matrix_value<To>>)
    return x;
  else if constexpr (std::is_arithmetic_v<From>)
    return static_cast<matrix_value<To>>(
        static_cast<std::conditional_t<std::is_arithmetic_v<matrix_value<To>>, From, float>>(x));
  else
    return static_cast<matrix_value<To>>(static_cast<float>(x));
}

template <class G, class T, use U, std::size_t R, std::size_t C, layout L>
SCYTHE_ALWAYS_INLINE matrix_value<T>
get_matrix_element([[maybe_unused]] const joint_matrix<G, T, U, R, C, L> &m,
                   [[maybe_unused]] std::uint32_t element) {
  typename matrix_element<T>::word word{};
#ifdef SCYTHE_DEVICE_PASS
  word = operations_of<T>::get(&m.scythe_storage, element, matrix_kind<T, U, L>);
#endif
  return static_cast<matrix_value<T>>(word);
}
template <class G, class T, use U, std::size_t R, std::size_t C, layout L>
SCYTHE_ALWAYS_INLINE void set_matrix_element([[maybe_unused]] joint_matrix<G, T, U, R, C, L> &m,
                                             [[maybe_unused]] std::uint32_t element,
                                             [[maybe_unused]] matrix_value<T> value) {
#ifdef SCYTHE_DEVICE_PASS
  operations_of<T>::set(&m.scythe_storage, element,
                        static_cast<typename matrix_element<T>::word>(value), matrix_kind<T, U, L>);
#endif
}

// Refuses devices on which the elements of a work-item are at different places in both matrices.
template <class G, class T1, class T2, use U1, use U2, std::size_t R, std::size_t C, layout L1,
          layout L2>
SCYTHE_ALWAYS_INLINE void
expect_same_places([[maybe_unused]] const joint_matrix<G, T1, U1, R, C, L1> &,
                   [[maybe_unused]] const joint_matrix<G, T2, U2, R, C, L2> &) {
#ifdef SCYTHE_DEVICE_PASS
  __scythe_matrix_together(matrix_kind<T1, U1, L1>, matrix_kind<T2, U2, L2>, R, C);
#endif
}

// Calls `function` with the layout as a constant.
template <class F> SCYTHE_ALWAYS_INLINE void with_matrix_layout(layout l, F function) {
  if (l == layout::row_major)
    function(0);
  else if (l == layout::col_major)
    function(1);
  else
    function(2);
}

template <class G, class T, use U, std::size_t R, std::size_t C, layout L>
SCYTHE_ALWAYS_INLINE void load_matrix([[maybe_unused]] joint_matrix<G, T, U, R, C, L> &m,
                                      [[maybe_unused]] const void *from,
                                      [[maybe_unused]] std::size_t stride, layout l) {
  with_matrix_layout(l, [&]([[maybe_unused]] std::uint32_t number) SCYTHE_MATRIX_INLINE {
#ifdef SCYTHE_DEVICE_PASS
    operations_of<T>::load(&m.scythe_storage, from, stride, number, matrix_kind<T, U, L>, R, C);
#endif
  });
}
template <class G, class T, use U, std::size_t R, std::size_t C, layout L>
SCYTHE_ALWAYS_INLINE void store_matrix([[maybe_unused]] const joint_matrix<G, T, U, R, C, L> &m,
                                       [[maybe_unused]] void *to,
                                       [[maybe_unused]] std::size_t stride, layout l) {
  with_matrix_layout(l, [&]([[maybe_unused]] std::uint32_t number) SCYTHE_MATRIX_INLINE {
#ifdef SCYTHE_DEVICE_PASS
    operations_of<T>::store(&m.scythe_storage, to, stride, number, matrix_kind<T, U, L>, R, C);
#endif
  });
}

// Whether a matrix product exists on any device.
template <class T>
inline constexpr bool is_small_float =
    std::is_same_v<T, half> || std::is_same_v<T, ext::oneapi::bfloat16> ||
    std::is_same_v<T, float> ||
    std::is_same_v<T, ext::oneapi::experimental::matrix::precision::tf32>;
template <class T>
inline constexpr bool is_small_integer =
    std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>;
template <class A, class B, class C, class D> constexpr bool has_matrix_product() {
  if constexpr (is_small_integer<A> && is_small_integer<B>)
    return std::is_same_v<C, std::int32_t> && std::is_same_v<D, std::int32_t>;
  else if constexpr (is_small_float<A> && std::is_same_v<A, B>)
    return is_small_float<C> && is_small_float<D>;
  else
    return std::is_same_v<A, double> && std::is_same_v<B, double> && std::is_same_v<C, double> &&
           std::is_same_v<D, double>;
}

} // namespace detail

namespace ext::oneapi::experimental::matrix {

// The pointers are `multi_ptr` and `annotated_ptr`.
template <class Group, class T, std::size_t Rows, std::size_t Cols, class Pointer,
          class = sycl::detail::if_matrix_pointer<T, Pointer>>
SCYTHE_ALWAYS_INLINE void
joint_matrix_load(Group, joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic> &res,
                  Pointer src, std::size_t stride, layout Layout) {
  sycl::detail::load_matrix(res, sycl::detail::matrix_pointer<T>(src), stride, Layout);
}
template <class Group, class T, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          class Pointer, class = sycl::detail::if_matrix_pointer<T, Pointer>,
          std::enable_if_t<Layout != layout::dynamic, int> = 0>
SCYTHE_ALWAYS_INLINE void joint_matrix_load(Group,
                                            joint_matrix<Group, T, Use, Rows, Cols, Layout> &res,
                                            Pointer src, std::size_t stride) {
  sycl::detail::load_matrix(res, sycl::detail::matrix_pointer<T>(src), stride, Layout);
}
template <class Group, class T, std::size_t Rows, std::size_t Cols, class Pointer,
          class = sycl::detail::if_matrix_pointer<T, Pointer>>
SCYTHE_ALWAYS_INLINE void
joint_matrix_store(Group,
                   const joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic> &res,
                   Pointer dest, std::size_t stride, layout Layout) {
  sycl::detail::store_matrix(res, sycl::detail::matrix_pointer<T>(dest), stride, Layout);
}

template <class Group, class T, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          class Tv>
SCYTHE_ALWAYS_INLINE void
joint_matrix_fill(Group, [[maybe_unused]] joint_matrix<Group, T, Use, Rows, Cols, Layout> &m,
                  const Tv &v) {
  [[maybe_unused]] const auto value = static_cast<sycl::detail::matrix_value<T>>(v);
#ifdef SCYTHE_DEVICE_PASS
  sycl::detail::operations_of<T>::fill(
      &m.scythe_storage, static_cast<typename sycl::detail::matrix_element<T>::word>(value),
      sycl::detail::matrix_kind<T, Use, Layout>, Rows, Cols);
#endif
}

template <class Group, class Ta, class Tb, class Tc, class Td, std::size_t M, std::size_t K,
          std::size_t N, layout LayoutA, layout LayoutB>
SCYTHE_ALWAYS_INLINE void joint_matrix_mad(
    Group, [[maybe_unused]] joint_matrix<Group, Td, use::accumulator, M, N, layout::dynamic> &D,
    [[maybe_unused]] const joint_matrix<Group, Ta, use::a, M, K, LayoutA> &A,
    [[maybe_unused]] const joint_matrix<Group, Tb, use::b, K, N, LayoutB> &B,
    [[maybe_unused]] const joint_matrix<Group, Tc, use::accumulator, M, N, layout::dynamic> &C) {
  static_assert(sycl::detail::has_matrix_product<Ta, Tb, Tc, Td>(),
                "no device multiplies joint matrices with elements of these types");
#ifdef SCYTHE_DEVICE_PASS
  sycl::detail::operations_of<Td>::mad(
      &D.scythe_storage, &A.scythe_storage, &B.scythe_storage, &C.scythe_storage,
      sycl::detail::matrix_kind<Td, use::accumulator, layout::dynamic>,
      sycl::detail::matrix_kind<Ta, use::a, LayoutA>,
      sycl::detail::matrix_kind<Tb, use::b, LayoutB>,
      sycl::detail::matrix_kind<Tc, use::accumulator, layout::dynamic>, M, N, K);
#endif
}

template <class Group, class T1, class T2, std::size_t Rows, std::size_t Cols, use Use1, use Use2,
          layout Layout1, layout Layout2>
SCYTHE_ALWAYS_INLINE void
joint_matrix_copy(Group, joint_matrix<Group, T1, Use1, Rows, Cols, Layout1> &src,
                  joint_matrix<Group, T2, Use2, Rows, Cols, Layout2> &dst) {
  sycl::detail::expect_same_places(src, dst);
  sycl::detail::for_matrix_elements(src, [&](std::uint32_t i) SCYTHE_MATRIX_INLINE {
    const auto value = sycl::detail::get_matrix_element(src, i);
    sycl::detail::set_matrix_element(dst, i, sycl::detail::convert_matrix_value<T2>(value));
  });
}

template <class Group, class T, use Use, std::size_t Rows, std::size_t Cols, layout Layout, class F>
SCYTHE_ALWAYS_INLINE void
joint_matrix_apply(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout> &m, F &&func) {
  sycl::detail::for_matrix_elements(m, [&](std::uint32_t i) SCYTHE_MATRIX_INLINE {
    auto value = sycl::detail::get_matrix_element(m, i);
    func(value);
    sycl::detail::set_matrix_element(m, i, value);
  });
}
template <class Group, class T0, class T1, use Use, std::size_t Rows, std::size_t Cols,
          layout Layout0, layout Layout1, class F>
SCYTHE_ALWAYS_INLINE void
joint_matrix_apply(Group, joint_matrix<Group, T0, Use, Rows, Cols, Layout0> &m0,
                   joint_matrix<Group, T1, Use, Rows, Cols, Layout1> &m1, F &&func) {
  sycl::detail::expect_same_places(m0, m1);
  sycl::detail::for_matrix_elements(m0, [&](std::uint32_t i) SCYTHE_MATRIX_INLINE {
    auto value0 = sycl::detail::get_matrix_element(m0, i);
    auto value1 = sycl::detail::get_matrix_element(m1, i);
    func(value0, value1);
    sycl::detail::set_matrix_element(m0, i, value0);
    sycl::detail::set_matrix_element(m1, i, value1);
  });
}

template <std::size_t Rows, std::size_t Cols, class Group, class T,
          class Properties = empty_properties_t>
SCYTHE_ALWAYS_INLINE void joint_matrix_prefetch(Group g, T *ptr, std::size_t stride, layout Layout,
                                                Properties = {}) {
  const std::size_t lines = Layout == layout::col_major ? Cols : Rows;
  const std::size_t length = Layout == layout::col_major ? Rows : Cols;
  using bytes = multi_ptr<const char, access::address_space::global_space, access::decorated::no>;
  for (std::size_t i = g.get_local_linear_id(); i < lines; i += g.get_local_linear_range())
    bytes(reinterpret_cast<const char *>(ptr + i * stride)).prefetch(length * sizeof(T));
}

// Rounds to the precision of TF32, ties to even.
inline float round_to_tf32(float elem) {
  constexpr std::uint32_t dropped = 0x1fff, exponent = 0x7f800000;
  auto bits = __builtin_bit_cast(std::uint32_t, elem);
  if ((bits & exponent) != exponent)
    bits += dropped / 2 + (bits >> 13 & 1);
  else if ((bits & 0x7fffff) != 0) // A NaN stays one.
    bits |= 0x400000;
  return __builtin_bit_cast(float, bits & ~dropped);
}

} // namespace ext::oneapi::experimental::matrix
} // namespace sycl

#include <sycl/ext/oneapi/matrix/matrix-intel.hpp>

#endif
