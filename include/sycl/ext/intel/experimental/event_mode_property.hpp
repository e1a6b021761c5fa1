// The mode of waits for an event (`sycl_ext_intel_event_mode`): a property of `submit_with_event`.
//
// It is a hint. Threads that wait for an event always sleep after a short time.
#ifndef SCYTHE_EXT_INTEL_EXPERIMENTAL_EVENT_MODE_PROPERTY_HPP
#define SCYTHE_EXT_INTEL_EXPERIMENTAL_EVENT_MODE_PROPERTY_HPP

namespace sycl::ext::intel::experimental {

enum class event_mode_enum { none, low_power };

struct event_mode {
  using key_t = event_mode;
  event_mode(event_mode_enum mode) : value(mode) {}
  event_mode_enum value;

  friend bool operator==(const event_mode &a, const event_mode &b) { return a.value == b.value; }
  friend bool operator!=(const event_mode &a, const event_mode &b) { return a.value != b.value; }
};
using event_mode_key = event_mode;

} // namespace sycl::ext::intel::experimental

#endif
