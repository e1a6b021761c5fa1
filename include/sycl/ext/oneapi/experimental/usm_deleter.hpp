// `usm_deleter`: frees shared, host and device memory at the end of a smart pointer
// (`sycl_ext_oneapi_usm_raii`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_USM_DELETER_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_USM_DELETER_HPP

#include <sycl/usm.hpp>

namespace sycl::ext::oneapi::experimental {

class usm_deleter {
public:
  usm_deleter(const context &c) : context_(c) {}
  usm_deleter(const queue &q) : context_(q.get_context()) {}
  template <class T> void operator()(T *p) const {
    sycl::free(const_cast<std::remove_cv_t<T> *>(p), context_);
  }

private:
  context context_;
};

} // namespace sycl::ext::oneapi::experimental

#endif
