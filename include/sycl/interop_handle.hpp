// `sycl::interop_handle`: what a host task may take to learn where it runs.
#ifndef SCYTHE_INTEROP_HANDLE_HPP
#define SCYTHE_INTEROP_HANDLE_HPP

#include <sycl/backend.hpp>

namespace sycl {

class interop_handle {
public:
  interop_handle() = delete;
  explicit interop_handle(backend where) : backend_(where) {}
  backend get_backend() const noexcept { return backend_; }

private:
  backend backend_;
};

} // namespace sycl

#endif
