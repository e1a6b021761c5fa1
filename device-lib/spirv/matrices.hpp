// Joint matrices on devices without instructions for them, for all sizes of matrices and
// sub-groups.
//
// The memory of a matrix in each work-item has room for all elements, of which those of the
// work-item are valid. A product first exchanges the elements of A and B, so that all work-items
// have all of them.
#ifndef SCYTHE_DEVICE_LIBRARY_SPIRV_MATRICES_HPP
#define SCYTHE_DEVICE_LIBRARY_SPIRV_MATRICES_HPP

#include "../cpu/matrices.hpp"
#include "group_functions.hpp"

namespace scythe_device_library {

// The numbers of element types in the first byte of a kind.
enum matrix_element : scythe_u32 { matrix_bf16 = 0, matrix_fp16 = 1, matrix_s8 = 5, matrix_u8 = 9 };

inline float matrix_bits(scythe_u32 bits) { return __builtin_bit_cast(float, bits); }

inline void read_matrix(float &word, const void *from, __SIZE_TYPE__ at, scythe_u32 kind) {
  switch (kind & 0xff) {
  case matrix_bf16:
    word =
        matrix_bits(static_cast<scythe_u32>(static_cast<const unsigned short *>(from)[at]) << 16);
    break;
  case matrix_fp16:
    word = static_cast<float>(static_cast<const half *>(from)[at]);
    break;
  default:
    word = static_cast<const float *>(from)[at];
  }
}
inline void read_matrix(double &word, const void *from, __SIZE_TYPE__ at, scythe_u32) {
  word = static_cast<const double *>(from)[at];
}
inline void read_matrix(int &word, const void *from, __SIZE_TYPE__ at, scythe_u32 kind) {
  switch (kind & 0xff) {
  case matrix_s8:
    word = static_cast<const signed char *>(from)[at];
    break;
  case matrix_u8:
    word = static_cast<const unsigned char *>(from)[at];
    break;
  default:
    word = static_cast<const int *>(from)[at];
  }
}

// The words have the precision of the elements.
inline void write_matrix(float word, void *to, __SIZE_TYPE__ at, scythe_u32 kind) {
  switch (kind & 0xff) {
  case matrix_bf16:
    static_cast<unsigned short *>(to)[at] =
        static_cast<unsigned short>(__builtin_bit_cast(scythe_u32, word) >> 16);
    break;
  case matrix_fp16:
    static_cast<half *>(to)[at] = static_cast<half>(word);
    break;
  default:
    static_cast<float *>(to)[at] = word;
  }
}
inline void write_matrix(double word, void *to, __SIZE_TYPE__ at, scythe_u32) {
  static_cast<double *>(to)[at] = word;
}
inline void write_matrix(int word, void *to, __SIZE_TYPE__ at, scythe_u32 kind) {
  switch (kind & 0xff) {
  case matrix_s8:
  case matrix_u8:
    static_cast<unsigned char *>(to)[at] = static_cast<unsigned char>(word);
    break;
  default:
    static_cast<int *>(to)[at] = word;
  }
}

// Rounds to the precision of the elements.
inline float round_matrix(float word, scythe_u32 kind) {
  switch (kind & 0xff) {
  case matrix_bf16: {
    scythe_u32 bits = __builtin_bit_cast(scythe_u32, word);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
      bits |= 0x400000u; // A NaN stays one.
    else
      bits += 0x7fffu + (bits >> 16 & 1);
    return matrix_bits(bits & 0xffff0000u);
  }
  case matrix_fp16:
    return static_cast<float>(static_cast<half>(word));
  default:
    return word;
  }
}
inline double round_matrix(double word, scythe_u32) { return word; }
inline int round_matrix(int word, scythe_u32) { return word; }

// Returns the place of an element in memory. The numbers are those of `layout`.
inline __SIZE_TYPE__ matrix_place(scythe_u32 element, scythe_u32 cols, __SIZE_TYPE__ stride,
                                  scythe_u32 layout, scythe_u32 kind) {
  const scythe_u32 row = element / cols, col = element % cols;
  if (layout == 1)
    return col * stride + row;
  if (layout != 2)
    return row * stride + col;
  const scythe_u32 type = kind & 0xff;
  const scythe_u32 side = type == matrix_s8 || type == matrix_u8       ? 4
                          : type == matrix_bf16 || type == matrix_fp16 ? 2
                                                                       : 1;
  return row / side * stride + col * side + row % side;
}

} // namespace scythe_device_library

extern "C" {

#define SCYTHE_WORD(name, T)                                                                       \
  SCYTHE_GROUP void __scythe_matrix_load_##name(                                                   \
      void *matrix, const void *from, __SIZE_TYPE__ stride, scythe_u32 layout, scythe_u32 kind,    \
      scythe_u32 rows, scythe_u32 cols) noexcept {                                                 \
    const scythe_u32 size = __spirv_BuiltInSubgroupSize();                                         \
    for (scythe_u32 i = __spirv_BuiltInSubgroupLocalInvocationId(); i < rows * cols; i += size)    \
      scythe_device_library::read_matrix(                                                          \
          static_cast<T *>(matrix)[i], from,                                                       \
          scythe_device_library::matrix_place(i, cols, stride, layout, kind), kind);               \
  }                                                                                                \
  SCYTHE_GROUP void __scythe_matrix_store_##name(                                                  \
      const void *matrix, void *to, __SIZE_TYPE__ stride, scythe_u32 layout, scythe_u32 kind,      \
      scythe_u32 rows, scythe_u32 cols) noexcept {                                                 \
    const scythe_u32 size = __spirv_BuiltInSubgroupSize();                                         \
    for (scythe_u32 i = __spirv_BuiltInSubgroupLocalInvocationId(); i < rows * cols; i += size)    \
      scythe_device_library::write_matrix(                                                         \
          static_cast<const T *>(matrix)[i], to,                                                   \
          scythe_device_library::matrix_place(i, cols, stride, layout, kind), kind);               \
  }                                                                                                \
  SCYTHE_GROUP void __scythe_matrix_fill_##name(void *matrix, T value, scythe_u32,                 \
                                                scythe_u32 rows, scythe_u32 cols) noexcept {       \
    const scythe_u32 size = __spirv_BuiltInSubgroupSize();                                         \
    for (scythe_u32 i = __spirv_BuiltInSubgroupLocalInvocationId(); i < rows * cols; i += size)    \
      static_cast<T *>(matrix)[i] = value;                                                         \
  }                                                                                                \
  SCYTHE_GROUP void __scythe_matrix_mad_##name(                                                    \
      void *d, void *a, void *b, const void *c, scythe_u32 kind_d, scythe_u32, scythe_u32,         \
      scythe_u32, scythe_u32 m, scythe_u32 n, scythe_u32 k) noexcept {                             \
    const scythe_u32 size = __spirv_BuiltInSubgroupSize();                                         \
    T *const left = static_cast<T *>(a), *const right = static_cast<T *>(b);                       \
    for (scythe_u32 i = 0; i < m * k; ++i)                                                         \
      left[i] = __scythe_sg_broadcast_##name(left[i], i % size);                                   \
    for (scythe_u32 i = 0; i < k * n; ++i)                                                         \
      right[i] = __scythe_sg_broadcast_##name(right[i], i % size);                                 \
    for (scythe_u32 i = __spirv_BuiltInSubgroupLocalInvocationId(); i < m * n; i += size) {        \
      T sum = static_cast<const T *>(c)[i];                                                        \
      for (scythe_u32 j = 0; j < k; ++j)                                                           \
        sum += left[i / n * k + j] * right[j * n + i % n];                                         \
      static_cast<T *>(d)[i] = scythe_device_library::round_matrix(sum, kind_d);                   \
    }                                                                                              \
  }
SCYTHE_WORD(f32, float)
SCYTHE_WORD(f64, double)
SCYTHE_WORD(s32, int)
#undef SCYTHE_WORD

} // extern "C"

#endif
