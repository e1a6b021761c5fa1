// The operations on joint matrices that the compiler provides, and the numbers of their operands.
//
// A matrix is private memory of `sycl::detail::matrix_storage`, whose contents only these functions
// know. docs/contracts.md describes them.
#ifndef SCYTHE_EXT_ONEAPI_MATRIX_OPERATIONS_HPP
#define SCYTHE_EXT_ONEAPI_MATRIX_OPERATIONS_HPP

#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/half.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sycl {

namespace ext::oneapi::experimental::matrix {

enum class use { a, b, accumulator };
enum class layout { row_major = 0, col_major = 1, ext_intel_packed = 2, dynamic = 3 };
enum class matrix_type {
  bf16,
  fp16,
  tf32,
  fp32,
  fp64,
  sint8,
  sint16,
  sint32,
  sint64,
  uint8,
  uint16,
  uint32,
  uint64
};
namespace precision {
class tf32;
} // namespace precision

} // namespace ext::oneapi::experimental::matrix

namespace detail {

// An element type: its number, the type of its values, and the type in which a work-item reads and
// writes an element.
template <class T> struct matrix_element {
  static_assert(sizeof(T) == 0, "no device has joint matrices with elements of this type");
};
template <ext::oneapi::experimental::matrix::matrix_type Number, class Value, class Word>
struct known_matrix_element {
  static constexpr auto number = Number;
  using value = Value;
  using word = Word;
};
#define SCYTHE_MATRIX_ELEMENT(T, name, Value, Word)                                                \
  template <>                                                                                      \
  struct matrix_element<T>                                                                         \
      : known_matrix_element<ext::oneapi::experimental::matrix::matrix_type::name, Value, Word> {  \
  };
SCYTHE_MATRIX_ELEMENT(ext::oneapi::bfloat16, bf16, ext::oneapi::bfloat16, float)
SCYTHE_MATRIX_ELEMENT(half, fp16, half, float)
SCYTHE_MATRIX_ELEMENT(ext::oneapi::experimental::matrix::precision::tf32, tf32, float, float)
SCYTHE_MATRIX_ELEMENT(float, fp32, float, float)
SCYTHE_MATRIX_ELEMENT(double, fp64, double, double)
SCYTHE_MATRIX_ELEMENT(std::int8_t, sint8, std::int8_t, std::int32_t)
SCYTHE_MATRIX_ELEMENT(std::uint8_t, uint8, std::uint8_t, std::int32_t)
SCYTHE_MATRIX_ELEMENT(std::int32_t, sint32, std::int32_t, std::int32_t)
#undef SCYTHE_MATRIX_ELEMENT

// The memory of a matrix in each work-item. The compiler knows the type by its name.
template <class Word, std::size_t Elements> struct matrix_storage {
  alignas(64) Word words[Elements];
};

// The operand `kind` of the operations: the numbers of the element type, the use and the layout of
// the matrix type.
template <class T, ext::oneapi::experimental::matrix::use Use,
          ext::oneapi::experimental::matrix::layout Layout>
inline constexpr std::uint32_t matrix_kind =
    static_cast<std::uint32_t>(matrix_element<T>::number) | static_cast<std::uint32_t>(Use) << 8 |
    static_cast<std::uint32_t>(Layout) << 16;

// For the functions that work-items call for their elements.
#define SCYTHE_MATRIX_INLINE __attribute__((always_inline))

#ifdef SCYTHE_DEVICE_PASS

extern "C" {

#define SCYTHE_MATRIX_OF std::uint32_t kind, std::uint32_t rows, std::uint32_t cols
// The elements of a work-item: `first`, `first + step`, … below `end`.
SCYTHE_DEVICE_LIBRARY std::uint32_t __scythe_matrix_first(SCYTHE_MATRIX_OF) noexcept;
SCYTHE_DEVICE_LIBRARY std::uint32_t __scythe_matrix_end(SCYTHE_MATRIX_OF) noexcept;
SCYTHE_DEVICE_LIBRARY std::uint32_t __scythe_matrix_step(SCYTHE_MATRIX_OF) noexcept;
// Elements of the same number must be at the same place in matrices of both kinds.
SCYTHE_DEVICE_LIBRARY void __scythe_matrix_together(std::uint32_t kind, std::uint32_t other,
                                                    std::uint32_t rows,
                                                    std::uint32_t cols) noexcept;
// The operations of the whole sub-group, and accesses to the elements of a work-item. In a product
// D = A * B + C, the kinds are those of D, A, B and C. The layouts are those of the memory.
#define SCYTHE_MATRIX_WORD(name, Word)                                                             \
  SCYTHE_DEVICE_LIBRARY void __scythe_matrix_load_##name(void *matrix, const void *from,           \
                                                         std::size_t stride, std::uint32_t layout, \
                                                         SCYTHE_MATRIX_OF) noexcept;               \
  SCYTHE_DEVICE_LIBRARY void __scythe_matrix_store_##name(                                         \
      const void *matrix, void *to, std::size_t stride, std::uint32_t layout,                      \
      SCYTHE_MATRIX_OF) noexcept;                                                                  \
  SCYTHE_DEVICE_LIBRARY void __scythe_matrix_mad_##name(                                           \
      void *d, const void *a, const void *b, const void *c, std::uint32_t kind_d,                  \
      std::uint32_t kind_a, std::uint32_t kind_b, std::uint32_t kind_c, std::uint32_t m,           \
      std::uint32_t n, std::uint32_t k) noexcept;                                                  \
  SCYTHE_DEVICE_LIBRARY void __scythe_matrix_fill_##name(void *matrix, Word value,                 \
                                                         SCYTHE_MATRIX_OF) noexcept;               \
  SCYTHE_DEVICE_LIBRARY Word __scythe_matrix_get_##name(const void *matrix, std::uint32_t element, \
                                                        std::uint32_t kind) noexcept;              \
  SCYTHE_DEVICE_LIBRARY void __scythe_matrix_set_##name(void *matrix, std::uint32_t element,       \
                                                        Word value, std::uint32_t kind) noexcept;
SCYTHE_MATRIX_WORD(f32, float)
SCYTHE_MATRIX_WORD(f64, double)
SCYTHE_MATRIX_WORD(s32, std::int32_t)
#undef SCYTHE_MATRIX_WORD
#undef SCYTHE_MATRIX_OF

} // extern "C"

// The operations by the type of their words.
#define SCYTHE_MATRIX_WORD(name, Word)                                                             \
  template <> struct matrix_operations<Word> {                                                     \
    static constexpr auto load = __scythe_matrix_load_##name;                                      \
    static constexpr auto store = __scythe_matrix_store_##name;                                    \
    static constexpr auto fill = __scythe_matrix_fill_##name;                                      \
    static constexpr auto mad = __scythe_matrix_mad_##name;                                        \
    static constexpr auto get = __scythe_matrix_get_##name;                                        \
    static constexpr auto set = __scythe_matrix_set_##name;                                        \
  };
template <class Word> struct matrix_operations;
SCYTHE_MATRIX_WORD(f32, float)
SCYTHE_MATRIX_WORD(f64, double)
SCYTHE_MATRIX_WORD(s32, std::int32_t)
template <class T> using operations_of = matrix_operations<typename matrix_element<T>::word>;
#undef SCYTHE_MATRIX_WORD

#endif

} // namespace detail
} // namespace sycl

#endif
