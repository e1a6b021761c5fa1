// Waits that let the host sleep between looks at the commands (`sycl_ext_oneapi_throttled_wait`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_THROTTLED_WAIT_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_THROTTLED_WAIT_HPP

#include <sycl/event.hpp>
#include <sycl/info.hpp>

#include <chrono>
#include <thread>
#include <vector>

namespace sycl::detail {
template <class Event, class Duration> void sleep_until_done(Event &e, const Duration &sleep) {
  while (e.template get_info<info::event::command_execution_status>() !=
         info::event_command_status::complete)
    std::this_thread::sleep_for(sleep);
}
} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class Rep, class Period>
void ext_oneapi_throttled_wait(event &e, const std::chrono::duration<Rep, Period> &sleep) {
  sycl::detail::sleep_until_done(e, sleep);
  e.wait();
}
template <class Rep, class Period>
void ext_oneapi_throttled_wait(std::vector<event> &events,
                               const std::chrono::duration<Rep, Period> &sleep) {
  for (event &e : events)
    ext_oneapi_throttled_wait(e, sleep);
}
template <class Rep, class Period>
void ext_oneapi_throttled_wait_and_throw(event &e,
                                         const std::chrono::duration<Rep, Period> &sleep) {
  sycl::detail::sleep_until_done(e, sleep);
  e.wait_and_throw();
}
template <class Rep, class Period>
void ext_oneapi_throttled_wait_and_throw(std::vector<event> &events,
                                         const std::chrono::duration<Rep, Period> &sleep) {
  for (event &e : events)
    ext_oneapi_throttled_wait_and_throw(e, sleep);
}

} // namespace sycl::ext::oneapi::experimental

#endif
