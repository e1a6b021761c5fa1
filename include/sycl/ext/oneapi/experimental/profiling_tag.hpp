// Time stamps of a queue (`sycl_ext_oneapi_profiling_tag`). No device has
// `aspect::ext_oneapi_queue_profiling_tag`, so the queue must have `enable_profiling`.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_PROFILING_TAG_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_PROFILING_TAG_HPP

#include <sycl/queue.hpp>

namespace sycl::ext::oneapi::experimental {

// Returns an event that completes after all earlier commands of the queue.
template <class Queue> event submit_profiling_tag(Queue &q) {
  if (!q.template has_property<sycl::property::queue::enable_profiling>())
    sycl::detail::fail(errc::invalid,
                       "submit_profiling_tag: device '%s' lacks "
                       "aspect::ext_oneapi_queue_profiling_tag; create the queue with property "
                       "enable_profiling",
                       sycl::detail::device_label(q.get_device()).c_str());
  return q.ext_oneapi_submit_barrier();
}

} // namespace sycl::ext::oneapi::experimental

#endif
