// The names of elements, in one list for vectors and their views. The including file undefines the
// list after use.
//
// X(name, index, condition): the name exists if the condition on the number of elements `Count`
// holds.
#define SCYTHE_FOR_EACH_ELEMENT(X)                                                                 \
  X(x, 0, Count <= 4)                                                                              \
  X(y, 1, Count > 1 && Count <= 4)                                                                 \
  X(z, 2, Count > 2 && Count <= 4)                                                                 \
  X(w, 3, Count == 4)                                                                              \
  X(r, 0, Count == 4)                                                                              \
  X(g, 1, Count == 4)                                                                              \
  X(b, 2, Count == 4)                                                                              \
  X(a, 3, Count == 4)                                                                              \
  X(s0, 0, Count > 0)                                                                              \
  X(s1, 1, Count > 1)                                                                              \
  X(s2, 2, Count > 2)                                                                              \
  X(s3, 3, Count > 3)                                                                              \
  X(s4, 4, Count > 4)                                                                              \
  X(s5, 5, Count > 5)                                                                              \
  X(s6, 6, Count > 6)                                                                              \
  X(s7, 7, Count > 7)                                                                              \
  X(s8, 8, Count > 8)                                                                              \
  X(s9, 9, Count > 9)                                                                              \
  X(sA, 10, Count > 10)                                                                            \
  X(sB, 11, Count > 11)                                                                            \
  X(sC, 12, Count > 12)                                                                            \
  X(sD, 13, Count > 13)                                                                            \
  X(sE, 14, Count > 14)                                                                            \
  X(sF, 15, Count > 15)
