// Expectations of the end-to-end programs: each one that fails is printed, and `check::result()` is
// the exit status.
#ifndef SCYTHE_TESTS_CHECK_HPP
#define SCYTHE_TESTS_CHECK_HPP

#include <sycl/sycl.hpp>

#include <cstdio>

namespace check {

inline int failures = 0;

inline void that(bool holds, const char *text, const char *file, int line) {
  if (holds)
    return;
  std::printf("%s:%d: does not hold: %s\n", file, line, text);
  ++failures;
}

// True when `f` throws a `sycl::exception` with this code.
template <class F> bool throws(sycl::errc code, F f) {
  try {
    f();
  } catch (const sycl::exception &e) {
    if (e.code() == code && e.what()[0] != '\0')
      return true;
    std::printf("threw '%s' with code %d, expected code %d\n", e.what(), e.code().value(),
                static_cast<int>(code));
    return false;
  }
  std::printf("threw nothing, expected code %d\n", static_cast<int>(code));
  return false;
}

inline int result() { return failures ? 1 : 0; }

} // namespace check

#define CHECK(...) check::that((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

#endif
