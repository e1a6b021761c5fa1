// Failed assertions of the C and C++ libraries. The CPU backend reports the position and ends the
// process.
#ifndef SCYTHE_DEVICE_LIBRARY_CPU_ASSERTIONS_HPP
#define SCYTHE_DEVICE_LIBRARY_CPU_ASSERTIONS_HPP

#include "device_library.hpp"

SCYTHE_DEVICE __SIZE_TYPE__ __spirv_BuiltInGlobalInvocationId(int dimension) noexcept;
SCYTHE_DEVICE __SIZE_TYPE__ __spirv_BuiltInLocalInvocationId(int dimension) noexcept;

extern "C" {

// Defined by the CPU backend. The last arguments are the work-item's global and local ids,
// dimension 0 varying fastest.
[[noreturn]] SCYTHE_DEVICE void
__scythe_assertion_failed(const char *expression, const char *file, unsigned line,
                          const char *function, __SIZE_TYPE__ global_0, __SIZE_TYPE__ global_1,
                          __SIZE_TYPE__ global_2, __SIZE_TYPE__ local_0, __SIZE_TYPE__ local_1,
                          __SIZE_TYPE__ local_2) noexcept;

[[noreturn]] SCYTHE_DEVICE void __assert_fail(const char *expression, const char *file,
                                              unsigned line, const char *function) noexcept {
  __scythe_assertion_failed(
      expression, file, line, function, __spirv_BuiltInGlobalInvocationId(0),
      __spirv_BuiltInGlobalInvocationId(1), __spirv_BuiltInGlobalInvocationId(2),
      __spirv_BuiltInLocalInvocationId(0), __spirv_BuiltInLocalInvocationId(1),
      __spirv_BuiltInLocalInvocationId(2));
}
}

namespace std {
[[noreturn]] SCYTHE_DEVICE void __glibcxx_assert_fail(const char *file, int line,
                                                      const char *function,
                                                      const char *condition) noexcept {
  __assert_fail(condition, file, static_cast<unsigned>(line), function);
}
} // namespace std

#endif
