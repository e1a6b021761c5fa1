// Reports an accessor's index that is not within its range as a failed assertion.
#ifndef SCYTHE_DEVICE_LIBRARY_CPU_INDEX_CHECKS_HPP
#define SCYTHE_DEVICE_LIBRARY_CPU_INDEX_CHECKS_HPP

#include "../index_text.hpp"
#include "assertions.hpp"

extern "C" [[noreturn]] SCYTHE_DEVICE void
__scythe_index_failed(const char *file, unsigned line, const char *function, unsigned dimensions,
                      __SIZE_TYPE__ index_0, __SIZE_TYPE__ index_1, __SIZE_TYPE__ index_2,
                      __SIZE_TYPE__ range_0, __SIZE_TYPE__ range_1,
                      __SIZE_TYPE__ range_2) noexcept {
  using namespace scythe_device_library;
  char text[index_text_size];
  write_index_text(text, dimensions, index_0, index_1, index_2, range_0, range_1, range_2);
  __assert_fail(text, file, line, function);
}

#endif
