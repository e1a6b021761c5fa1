// `sycl::event`: the completion of one command.
#ifndef SCYTHE_EVENT_HPP
#define SCYTHE_EVENT_HPP

#include <sycl/detail/inline_vector.hpp>
#include <sycl/detail/queue_impl.hpp>

#include <initializer_list>

namespace sycl {

namespace detail {

// The events that a command depends on. The lists of those commands are not kept, so that the end
// of a long chain does not keep the whole chain alive. Reusable events also have their context and
// device here.
struct wait_list : counted {
  inline_vector<scythe_event, 4> events;
  ref<context_impl> context;
  scythe_device target = nullptr;
  SCYTHE_LIBRARY_COLD ~wait_list() {
    for (scythe_event event : events)
      scythe_event_release(event);
  }
};

SCYTHE_LIBRARY_INSTANCE(void destroy(wait_list *) noexcept)

SCYTHE_LIBRARY_COLD ref<wait_list> make_wait_list(const scythe_event *events, std::size_t count) {
  auto list = ref<wait_list>::adopt(new wait_list);
  for (std::size_t i = 0; i < count; ++i) {
    scythe_event_retain(events[i]);
    list->events.push_back(events[i]);
  }
  return list;
}

template <class> struct reusable_event;

} // namespace detail

class event {
public:
  // An event without a command. It is complete and equal only to its copies.
  event() : waits_(detail::make_wait_list(nullptr, 0)) {}
  event(detail::handle<scythe_event> handle, detail::ref<detail::queue_impl> queue) noexcept
      : handle_(std::move(handle)), queue_(std::move(queue)) {}
  event(detail::handle<scythe_event> handle, detail::ref<detail::queue_impl> queue,
        const scythe_event *waits, std::size_t count)
      : event(std::move(handle), std::move(queue)) {
    if (count)
      waits_ = detail::make_wait_list(waits, count);
  }

  event(const event &) = default;
  event(event &&) noexcept = default;
  event &operator=(const event &) = default;
  event &operator=(event &&) noexcept = default;
  // Not inlined, because every submission that discards its event calls it.
  SCYTHE_LIBRARY ~event() {}

  // An event without a command has the backend of the default device.
  backend get_backend() const noexcept {
    return queue_ ? queue_->target.get_backend() : device().get_backend();
  }
  // The context and the device of the command (`sycl_ext_oneapi_reusable_events`), or the default
  // ones of an event without a command.
  context get_context() const {
    if (waits_ && waits_->context)
      return context::scythe_make(waits_->context);
    return queue_ ? context::scythe_make(queue_->context)
                  : device().ext_oneapi_get_default_context();
  }
  device get_device() const {
    if (waits_ && waits_->target)
      return detail::access_handle::make(waits_->target);
    return queue_ ? queue_->target : device();
  }
  // Deprecated, from SYCL 1.2.1. There is no host device.
  bool is_host() const { return false; }
  // Returns the events that `depends_on` and similar functions set for the command.
  template <class List = std::vector<event>> List get_wait_list() const {
    List list;
    if (waits_)
      for (scythe_event one : waits_->events)
        list.push_back(event(detail::handle<scythe_event>::share(one), queue_));
    return list;
  }
  void wait() {
    if (handle_)
      detail::check(scythe_event_wait(handle_.get()));
  }
  template <class V = void> static void wait(const std::vector<detail::later_t<V, event>> &events) {
    for (event e : events)
      e.wait();
  }
  void wait_and_throw() {
    wait();
    if (queue_)
      queue_->throw_asynchronous();
  }
  template <class V = void>
  static void wait_and_throw(const std::vector<detail::later_t<V, event>> &events) {
    wait(events);
    for (const event &e : events)
      if (e.queue_)
        e.queue_->throw_asynchronous();
  }
  template <class Param> typename Param::return_type get_info() const {
    static_assert(std::is_same_v<Param, info::event::command_execution_status>,
                  "event::get_info: Param is not an info::event descriptor");
    using discard_events = ext::oneapi::property::queue::discard_events;
    if (queue_ && queue_->properties.template has_property<discard_events>())
      return info::event_command_status::ext_oneapi_unknown;
    if (!handle_)
      return info::event_command_status::complete;
    const std::int32_t status = scythe_event_status(handle_.get());
    if (status < 0)
      detail::check(-status);
    return static_cast<info::event_command_status>(status);
  }
  // Waits until the value is known. Throws `errc::invalid` if the queue was created without
  // `enable_profiling`.
  template <class Param> std::uint64_t get_profiling_info() const {
    if (!handle_)
      detail::fail(errc::invalid, "get_profiling_info: the event does not belong to a command");
    std::uint64_t ns = 0;
    detail::check(scythe_event_profiling(handle_.get(), Param::code, &ns));
    return ns;
  }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const event &a, const event &b) {
    return a.scythe_identity() == b.scythe_identity();
  }
  friend bool operator!=(const event &a, const event &b) { return !(a == b); }

  scythe_event scythe_handle() const noexcept { return handle_.get(); }
  const void *scythe_identity() const noexcept {
    return handle_ ? static_cast<const void *>(handle_.get()) : waits_.get();
  }

private:
  template <class, class> friend struct detail::weak_parts;
  template <class> friend struct detail::reusable_event;
  detail::handle<scythe_event> handle_;
  detail::ref<detail::queue_impl> queue_;
  detail::ref<detail::wait_list> waits_;
};

namespace detail {

// The event of a queue's last command, or none. It is both an optional event and an event.
class last_event : public event {
public:
  last_event() = default;
  explicit last_event(const event &e) : event(e), known_(true) {}
  bool has_value() const noexcept { return known_; }
  explicit operator bool() const noexcept { return known_; }
  event &value() & {
    if (!known_)
      fail(errc::invalid, "ext_oneapi_get_last_event: the queue has no last event, because no "
                          "command was submitted or the last one has completed");
    return *this;
  }
  event value() && { return static_cast<last_event &>(*this).value(); }
  event &operator*() { return *this; }
  event *operator->() { return this; }

private:
  bool known_ = false;
};

// The dependencies that a queue's shortcut functions take: one event, a vector of events, or a
// braced list. It is valid only during the call.
class event_list {
public:
  event_list(const event &one) : first_(&one), count_(1) {}
  template <class E, class = std::enable_if_t<std::is_same_v<E, event>>>
  event_list(const std::vector<E> &many) : first_(many.data()), count_(many.size()) {}
  event_list(std::initializer_list<event> many) : event_list(many.begin(), many.size()) {}
  const event *begin() const { return first_; }
  const event *end() const { return first_ + count_; }

private:
  event_list(const event *first, std::size_t count) : first_(first), count_(count) {}
  const event *first_;
  std::size_t count_;
};

} // namespace detail
} // namespace sycl

template <> struct std::hash<sycl::event> {
  std::size_t operator()(const sycl::event &e) const noexcept {
    return std::hash<const void *>()(e.scythe_identity());
  }
};

#endif
