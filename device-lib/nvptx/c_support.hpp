// The remaining functions that headers of the C and C++ libraries call, besides maths and memory
// functions: failed assertions.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_C_SUPPORT_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_C_SUPPORT_HPP

#include "../cpu/device_library.hpp"

// Provided by the driver. Prints the message and ends the kernel with an error.
extern "C" SCYTHE_DEVICE void __assertfail(const char *message, const char *file, unsigned line,
                                           const char *function, __SIZE_TYPE__ char_size) noexcept;

extern "C" SCYTHE_DEVICE void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function) noexcept {
  __assertfail(message, file, line, function, 1);
}

namespace std {
SCYTHE_DEVICE void __glibcxx_assert_fail(const char *file, int line, const char *function,
                                         const char *condition) noexcept {
  __assertfail(condition, file, static_cast<unsigned>(line), function, 1);
}
} // namespace std

#endif
