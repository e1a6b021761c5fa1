// SYCL_EXTERNAL functions are device code even when no kernel calls them, and so is what they call.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

void thrower() {
  throw 1; // ERROR: SYCL kernel cannot use exceptions [scythe-E0101]
}
SYCL_EXTERNAL void exported() { // NOTE: 'exported' is device code because it is SYCL_EXTERNAL
  thrower(); // NOTE: called by 'exported'
}
void not_exported() { throw 2; }
