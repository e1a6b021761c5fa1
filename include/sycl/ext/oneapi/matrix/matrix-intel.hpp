// The functions of `sycl_ext_intel_matrix`: elements with their coordinates, and loads, stores and
// fills at the border of a larger matrix.
#ifndef SCYTHE_EXT_ONEAPI_MATRIX_MATRIX_INTEL_HPP
#define SCYTHE_EXT_ONEAPI_MATRIX_MATRIX_INTEL_HPP

#include <sycl/ext/oneapi/matrix/matrix.hpp>

namespace sycl {

namespace detail {

// Calls `function` with the number, row and column of each element of this work-item. Only devices
// with `aspect::ext_intel_matrix` number the elements in rows.
template <class G, class T, use U, std::size_t R, std::size_t C, layout L, class F>
SCYTHE_USES_ASPECTS(aspect::ext_intel_matrix)
SCYTHE_ALWAYS_INLINE
    void for_matrix_coordinates(const joint_matrix<G, T, U, R, C, L> &m, F &&function) {
  for_matrix_elements(m, [&](std::uint32_t i) SCYTHE_MATRIX_INLINE {
    function(i, static_cast<std::size_t>(i / std::uint32_t{C}),
             static_cast<std::size_t>(i % std::uint32_t{C}));
  });
}

// The part of a matrix in memory that a joint matrix covers. The memory has `height` lines with
// `width` elements each. The part begins in line `x` at element `y`.
struct matrix_window {
  std::size_t stride;
  layout order;
  std::size_t height, width, x, y;

  // Calls `function` with the place of an element of type `T` if it is inside of the memory.
  template <class T, class F>
  SCYTHE_ALWAYS_INLINE void at(std::size_t row, std::size_t col, F &&function) const {
    constexpr std::size_t side = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    std::size_t line = x, place = y;
    if (order == layout::row_major || order == layout::dynamic)
      line += row, place += col;
    else if (order == layout::col_major)
      line += col, place += row;
    else
      line += row / side, place += col * side + row % side;
    if (line < height && place < width)
      function(line * stride + place);
  }
};

template <class G, class T, use U, std::size_t R, std::size_t C, layout L>
SCYTHE_ALWAYS_INLINE void load_matrix_window(joint_matrix<G, T, U, R, C, L> &m,
                                             const matrix_value<T> *from, matrix_window w) {
  for_matrix_coordinates(
      m, [&](std::uint32_t i, std::size_t row, std::size_t col) SCYTHE_MATRIX_INLINE {
        matrix_value<T> value{};
        w.at<matrix_value<T>>(row, col, [&](std::size_t place) { value = from[place]; });
        set_matrix_element(m, i, value);
      });
}
template <class G, class T, use U, std::size_t R, std::size_t C, layout L>
SCYTHE_ALWAYS_INLINE void store_matrix_window(const joint_matrix<G, T, U, R, C, L> &m,
                                              matrix_value<T> *to, matrix_window w) {
  for_matrix_coordinates(
      m, [&](std::uint32_t i, std::size_t row, std::size_t col) SCYTHE_MATRIX_INLINE {
        w.at<matrix_value<T>>(row, col,
                              [&](std::size_t place) { to[place] = get_matrix_element(m, i); });
      });
}

} // namespace detail

namespace ext::intel::experimental::matrix {

using namespace sycl::ext::oneapi::experimental::matrix;

// Stores of the matrices A and B.
template <class Group, class T, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          class Pointer, class = sycl::detail::if_matrix_pointer<T, Pointer>,
          std::enable_if_t<Use != use::accumulator, int> = 0>
SCYTHE_USES_ASPECTS(aspect::ext_intel_matrix)
SCYTHE_ALWAYS_INLINE
    void joint_matrix_store(Group, const joint_matrix<Group, T, Use, Rows, Cols, Layout> &m,
                            Pointer dest, std::size_t stride) {
  sycl::detail::store_matrix(m, sycl::detail::matrix_pointer<T>(dest), stride, Layout);
}

template <class Group, class T, use Use, std::size_t Rows, std::size_t Cols, layout Layout, class F>
SCYTHE_ALWAYS_INLINE void
joint_matrix_apply(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout> &m, F &&func) {
  sycl::detail::for_matrix_coordinates(m, [&](std::uint32_t i, std::size_t row, std::size_t col)
                                              SCYTHE_MATRIX_INLINE {
                                                auto value = sycl::detail::get_matrix_element(m, i);
                                                func(value, row, col);
                                                sycl::detail::set_matrix_element(m, i, value);
                                              });
}

template <class Group, class T, std::size_t Rows, std::size_t Cols, use Use, layout Layout,
          class Tv>
SCYTHE_ALWAYS_INLINE void
joint_matrix_fill_checked(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout> &m, Tv v,
                          std::size_t Height, std::size_t Width, std::size_t coordX,
                          std::size_t coordY) {
  using value = sycl::detail::matrix_value<T>;
  sycl::detail::for_matrix_coordinates(
      m, [&](std::uint32_t i, std::size_t row, std::size_t col) SCYTHE_MATRIX_INLINE {
        const bool inside = coordX + row < Height && coordY + col < Width;
        sycl::detail::set_matrix_element(m, i, inside ? static_cast<value>(v) : value{});
      });
}

template <class Group, class T, std::size_t Rows, std::size_t Cols, class Pointer,
          class = sycl::detail::if_matrix_pointer<T, Pointer>>
SCYTHE_ALWAYS_INLINE void
joint_matrix_load_checked(Group,
                          joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic> &m,
                          Pointer base_src, std::size_t stride, layout Layout, std::size_t Height,
                          std::size_t Width, std::size_t coordX, std::size_t coordY) {
  sycl::detail::load_matrix_window(m, sycl::detail::matrix_pointer<T>(base_src),
                                   {stride, Layout, Height, Width, coordX, coordY});
}
template <class Group, class T, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          class Pointer, class = sycl::detail::if_matrix_pointer<T, Pointer>,
          std::enable_if_t<Layout != layout::dynamic, int> = 0>
SCYTHE_ALWAYS_INLINE void
joint_matrix_load_checked(Group, joint_matrix<Group, T, Use, Rows, Cols, Layout> &m,
                          Pointer base_src, std::size_t stride, std::size_t Height,
                          std::size_t Width, std::size_t coordX, std::size_t coordY) {
  sycl::detail::load_matrix_window(m, sycl::detail::matrix_pointer<T>(base_src),
                                   {stride, Layout, Height, Width, coordX, coordY});
}
template <class Group, class T, std::size_t Rows, std::size_t Cols, class Pointer,
          class = sycl::detail::if_matrix_pointer<T, Pointer>>
SCYTHE_ALWAYS_INLINE void joint_matrix_store_checked(
    Group, const joint_matrix<Group, T, use::accumulator, Rows, Cols, layout::dynamic> &m,
    Pointer base_dest, std::size_t stride, layout Layout, std::size_t Height, std::size_t Width,
    std::size_t coordX, std::size_t coordY) {
  sycl::detail::store_matrix_window(m, sycl::detail::matrix_pointer<T>(base_dest),
                                    {stride, Layout, Height, Width, coordX, coordY});
}
template <class Group, class T, use Use, std::size_t Rows, std::size_t Cols, layout Layout,
          class Pointer, class = sycl::detail::if_matrix_pointer<T, Pointer>,
          std::enable_if_t<Layout != layout::dynamic, int> = 0>
SCYTHE_ALWAYS_INLINE void
joint_matrix_store_checked(Group, const joint_matrix<Group, T, Use, Rows, Cols, Layout> &m,
                           Pointer base_dest, std::size_t stride, std::size_t Height,
                           std::size_t Width, std::size_t coordX, std::size_t coordY) {
  sycl::detail::store_matrix_window(m, sycl::detail::matrix_pointer<T>(base_dest),
                                    {stride, Layout, Height, Width, coordX, coordY});
}

} // namespace ext::intel::experimental::matrix

namespace ext::intel::experimental::info::device::matrix {
// The number of tile registers that the implementation uses: none.
struct numtiles {
  using return_type = int;
  template <class Device> static return_type scythe_query(const Device &) { return 0; }
};
} // namespace ext::intel::experimental::info::device::matrix
} // namespace sycl

#endif
