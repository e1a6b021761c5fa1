// Registers the `device_global` variables of a program that a separate host compiler compiles. The
// integration header contains one such object. In programs compiled by clang, the plug-in does the
// same.
#ifndef SCYTHE_DETAIL_DEVICE_GLOBAL_REGISTRATION_HPP
#define SCYTHE_DETAIL_DEVICE_GLOBAL_REGISTRATION_HPP

#include <sycl/detail/abi.h>

namespace sycl::detail {

class device_global_registration {
public:
  device_global_registration(const scythe_device_global *table, uint64_t count)
      : table_(table), count_(count) {
    scythe_device_globals_register(table_, count_);
  }
  ~device_global_registration() { scythe_device_globals_unregister(table_, count_); }
  device_global_registration(const device_global_registration &) = delete;
  device_global_registration &operator=(const device_global_registration &) = delete;

private:
  const scythe_device_global *table_;
  uint64_t count_;
};

} // namespace sycl::detail

#endif
