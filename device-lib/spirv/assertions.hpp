// The function that the back end calls when an assertion fails. It records the first failure for
// the runtime.
#ifndef SCYTHE_DEVICE_LIBRARY_SPIRV_ASSERTIONS_HPP
#define SCYTHE_DEVICE_LIBRARY_SPIRV_ASSERTIONS_HPP

#include "../cpu/device_library.hpp"
#include "../index_text.hpp"

SCYTHE_DEVICE __SIZE_TYPE__ __spirv_BuiltInGlobalInvocationId(int dimension) noexcept;
SCYTHE_DEVICE __SIZE_TYPE__ __spirv_BuiltInLocalInvocationId(int dimension) noexcept;

// The layout matches `crates/abi/src/spirv.rs`. Texts end with a zero.
struct scythe_assertion {
  unsigned failed;
  unsigned line;
  __SIZE_TYPE__ global_id[3], local_id[3];
  char expression[256], file[256], function[256];
};

// `inline` allows the linker to keep it only with its user.
inline scythe_assertion __scythe_assertion{};

extern "C" SCYTHE_DEVICE void __scythe_report_assertion(const char *expression, const char *file,
                                                        unsigned line,
                                                        const char *function) noexcept {
  scythe_assertion &report = __scythe_assertion;
  if (__atomic_exchange_n(&report.failed, 1u, __ATOMIC_RELAXED) != 0)
    return;
  report.line = line;
  for (int d = 0; d < 3; ++d) {
    report.global_id[d] = __spirv_BuiltInGlobalInvocationId(d);
    report.local_id[d] = __spirv_BuiltInLocalInvocationId(d);
  }
  const char *const texts[] = {expression, file, function};
  char *const places[] = {report.expression, report.file, report.function};
  for (int i = 0; i < 3; ++i)
    for (unsigned at = 0; at < sizeof report.file - 1 && texts[i] && texts[i][at] != 0; ++at)
      places[i][at] = texts[i][at];
}

// The same for an accessor's index that is not within its range.
extern "C" SCYTHE_DEVICE void __scythe_report_index(const char *file, unsigned line,
                                                    const char *function, unsigned dimensions,
                                                    __SIZE_TYPE__ index_0, __SIZE_TYPE__ index_1,
                                                    __SIZE_TYPE__ index_2, __SIZE_TYPE__ range_0,
                                                    __SIZE_TYPE__ range_1,
                                                    __SIZE_TYPE__ range_2) noexcept {
  using namespace scythe_device_library;
  char text[index_text_size];
  write_index_text(text, dimensions, index_0, index_1, index_2, range_0, range_1, range_2);
  __scythe_report_assertion(text, file, line, function);
}

#endif
