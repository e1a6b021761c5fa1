// All named swizzles of two to four elements, `xy` to `wwww` and `rg` to `aaaa`, for programs that
// define SYCL_SIMPLE_SWIZZLES. A class includes this file after it defines the macro
// SCYTHE_SIMPLE(name, indices…), which this file undefines.
#define SCYTHE_FOURTH(p, i, j, k, A, B, C, D)                                                      \
  SCYTHE_SIMPLE(p##A, i, j, k, 0)                                                                  \
  SCYTHE_SIMPLE(p##B, i, j, k, 1)                                                                  \
  SCYTHE_SIMPLE(p##C, i, j, k, 2)                                                                  \
  SCYTHE_SIMPLE(p##D, i, j, k, 3)
#define SCYTHE_THIRD_IS(p, i, j, k, A, B, C, D)                                                    \
  SCYTHE_SIMPLE(p, i, j, k)                                                                        \
  SCYTHE_FOURTH(p, i, j, k, A, B, C, D)
#define SCYTHE_THIRD(p, i, j, A, B, C, D)                                                          \
  SCYTHE_SIMPLE(p, i, j)                                                                           \
  SCYTHE_THIRD_IS(p##A, i, j, 0, A, B, C, D)                                                       \
  SCYTHE_THIRD_IS(p##B, i, j, 1, A, B, C, D)                                                       \
  SCYTHE_THIRD_IS(p##C, i, j, 2, A, B, C, D)                                                       \
  SCYTHE_THIRD_IS(p##D, i, j, 3, A, B, C, D)
#define SCYTHE_SECOND(p, i, A, B, C, D)                                                            \
  SCYTHE_THIRD(p##A, i, 0, A, B, C, D)                                                             \
  SCYTHE_THIRD(p##B, i, 1, A, B, C, D)                                                             \
  SCYTHE_THIRD(p##C, i, 2, A, B, C, D)                                                             \
  SCYTHE_THIRD(p##D, i, 3, A, B, C, D)
#define SCYTHE_FIRST(A, B, C, D)                                                                   \
  SCYTHE_SECOND(A, 0, A, B, C, D)                                                                  \
  SCYTHE_SECOND(B, 1, A, B, C, D)                                                                  \
  SCYTHE_SECOND(C, 2, A, B, C, D)                                                                  \
  SCYTHE_SECOND(D, 3, A, B, C, D)

SCYTHE_FIRST(x, y, z, w)
SCYTHE_FIRST(r, g, b, a)

#undef SCYTHE_FIRST
#undef SCYTHE_SECOND
#undef SCYTHE_THIRD
#undef SCYTHE_THIRD_IS
#undef SCYTHE_FOURTH
#undef SCYTHE_SIMPLE
