// Reports an accessor's index that is not within its range. The driver's function for failed
// assertions takes constant texts only, so the numbers are printed before.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_INDEX_CHECKS_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_INDEX_CHECKS_HPP

#include "c_support.hpp"

extern "C" SCYTHE_DEVICE void __scythe_index_failed(const char *file, unsigned line,
                                                    const char *function, unsigned dimensions,
                                                    __SIZE_TYPE__ index_0, __SIZE_TYPE__ index_1,
                                                    __SIZE_TYPE__ index_2, __SIZE_TYPE__ range_0,
                                                    __SIZE_TYPE__ range_1,
                                                    __SIZE_TYPE__ range_2) noexcept {
  file = file ? file : "?";
  function = function ? function : "?";
  if (dimensions == 1)
    __builtin_printf("%s:%u: %s: accessor index {%lu} is not within range {%lu}\n", file, line,
                     function, index_0, range_0);
  else if (dimensions == 2)
    __builtin_printf("%s:%u: %s: accessor index {%lu, %lu} is not within range {%lu, %lu}\n", file,
                     line, function, index_0, index_1, range_0, range_1);
  else
    __builtin_printf(
        "%s:%u: %s: accessor index {%lu, %lu, %lu} is not within range {%lu, %lu, %lu}\n", file,
        line, function, index_0, index_1, index_2, range_0, range_1, range_2);
  __assertfail("accessor index is within range", file, line, function, 1);
}

#endif
