// Events that track one command after the other (`sycl_ext_oneapi_reusable_events`).
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_REUSABLE_EVENTS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_REUSABLE_EVENTS_HPP

#include <sycl/ext/oneapi/properties.hpp>
#include <sycl/queue.hpp>

namespace sycl::ext::oneapi::experimental {

// The property of `make_event` that requests time stamps. No platform has them for queues without
// `enable_profiling`, as `info::platform::event_profiling` tells.
struct enable_profiling {
  using key_t = enable_profiling;
  enable_profiling(bool enable) : value(enable) {}
  bool value;

  friend bool operator==(const enable_profiling &a, const enable_profiling &b) {
    return a.value == b.value;
  }
  friend bool operator!=(const enable_profiling &a, const enable_profiling &b) { return !(a == b); }
};
using enable_profiling_key = enable_profiling;

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

template <class L> inline constexpr bool is_event_properties = false;
template <>
inline constexpr bool is_event_properties<ext::oneapi::experimental::enable_profiling> = true;
template <class... Ps>
inline constexpr bool is_event_properties<ext::oneapi::experimental::properties<Ps...>> =
    (std::is_same_v<Ps, ext::oneapi::experimental::enable_profiling> && ... && true);
template <class L> using if_event_properties = std::enable_if_t<is_event_properties<L>, int>;

template <class Event> struct reusable_event {
  // Returns an event without a command.
  template <class L> static Event make(const device &d, const context &c, const L &properties) {
    if (wants_profiling(properties))
      fail(errc::feature_not_supported,
           "make_event: events of device '%s' have no time stamps of their own; create the queue "
           "with property enable_profiling",
           device_label(d).c_str());
    Event made;
    made.waits_->context = c.scythe_impl();
    made.waits_->target = access_handle::of(d);
    return made;
  }
  // Makes the event stand for all commands of the queue so far.
  template <class Queue> static void signal(Queue &q, Event &e) {
    const context c = e.get_context();
    const device d = e.get_device();
    if (d != q.get_device())
      fail(errc::invalid,
           "enqueue_signal_event: the event belongs to device '%s', but the queue to device '%s'",
           device_label(d).c_str(), device_label(q.get_device()).c_str());
    if (c != q.get_context())
      fail(errc::invalid, "enqueue_signal_event: the event belongs to another context than the "
                          "queue");
    Event next = q.ext_oneapi_submit_barrier();
    next.waits_ = next.waits_
                      ? make_wait_list(next.waits_->events.data(), next.waits_->events.size())
                      : make_wait_list(nullptr, 0);
    next.waits_->context = c.scythe_impl();
    next.waits_->target = access_handle::of(d);
    e = std::move(next);
  }

private:
  static bool wants_profiling(const ext::oneapi::experimental::enable_profiling &property) {
    return property.value;
  }
  template <class... Ps>
  static bool wants_profiling(const ext::oneapi::experimental::properties<Ps...> &list) {
    if constexpr (sizeof...(Ps) == 0)
      return false;
    else
      return list.template get_property<ext::oneapi::experimental::enable_profiling>().value;
  }
};

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

template <class L = empty_properties_t, sycl::detail::if_event_properties<L> = 0>
event make_event(const device &d, const context &c, L properties = {}) {
  return sycl::detail::reusable_event<event>::make(d, c, properties);
}
template <class L = empty_properties_t, sycl::detail::if_event_properties<L> = 0>
event make_event(const device &d, L properties = {}) {
  return make_event(d, d.get_platform().khr_get_default_context(), properties);
}
template <class L = empty_properties_t, sycl::detail::if_event_properties<L> = 0>
event make_event(L properties = {}) {
  return make_event(device(), properties);
}

// Later commands of the queue wait for these events.
template <class Event = event>
void enqueue_wait_event(queue q, const sycl::detail::later_t<Event, event> &e) {
  q.ext_oneapi_submit_barrier({e});
}
template <class Event = event>
void enqueue_wait_events(queue q, const std::vector<sycl::detail::later_t<Event, event>> &events) {
  q.ext_oneapi_submit_barrier(events);
}

// The event completes with all commands that the queue has so far.
template <class Event = event>
void enqueue_signal_event(queue q, sycl::detail::later_t<Event, event> &e) {
  sycl::detail::reusable_event<event>::signal(q, e);
}

} // namespace sycl::ext::oneapi::experimental

#endif
