// The state that all copies of a queue share, and the delivery of asynchronous errors to their
// handler.
#ifndef SCYTHE_DETAIL_QUEUE_IMPL_HPP
#define SCYTHE_DETAIL_QUEUE_IMPL_HPP

#include <sycl/context.hpp>

namespace sycl::detail {

struct scratch_block;

// A lock that is held for a few instructions.
class spin_guard {
public:
  explicit spin_guard(std::atomic_flag &flag) : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  spin_guard(const spin_guard &) = delete;
  spin_guard &operator=(const spin_guard &) = delete;
  ~spin_guard() { flag_.clear(std::memory_order_release); }

private:
  std::atomic_flag &flag_;
};

struct queue_impl;
// All queues of the program, the newest first.
struct queue_list {
  queue_impl *first = nullptr;
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
};
inline queue_list all_queues;

struct queue_impl : counted {
  SCYTHE_LIBRARY_COLD queue_impl(ref<context_impl> c, const device &d, async_handler h,
                                 const property_list &props)
      : context(std::move(c)), target(d), handler(std::move(h)), properties(props),
        in_order(props.has_property<property::queue::in_order>()),
        errors(ref<async_errors>::adopt(new async_errors)) {
    check_hints(props);
    const bool profiling = props.has_property<property::queue::enable_profiling>();
    if (profiling && !target.has(aspect::queue_profiling))
      fail(errc::feature_not_supported,
           "queue: property enable_profiling requires aspect::queue_profiling, which device '%s' "
           "lacks",
           name().c_str());
    scythe_queue created = nullptr;
    std::uint32_t flags = 0;
    if (in_order)
      flags |= SCYTHE_QUEUE_IN_ORDER;
    if (profiling)
      flags |= SCYTHE_QUEUE_PROFILING;
    if (props.has_property<ext::oneapi::property::queue::priority_low>())
      flags |= SCYTHE_QUEUE_PRIORITY_LOW;
    if (props.has_property<ext::oneapi::property::queue::priority_high>())
      flags |= SCYTHE_QUEUE_PRIORITY_HIGH;
    check(scythe_queue_create(context->context.get(), access_handle::of(target), flags, &created));
    queue = detail::handle<scythe_queue>::adopt(created);
    enter();
  }
  // Wraps an existing queue.
  SCYTHE_LIBRARY_COLD queue_impl(ref<context_impl> c, const device &d, async_handler h,
                                 const property_list &props, detail::handle<scythe_queue> q)
      : context(std::move(c)), target(d), handler(std::move(h)), properties(props),
        in_order(props.has_property<property::queue::in_order>()),
        errors(ref<async_errors>::adopt(new async_errors)), queue(std::move(q)) {
    enter();
  }
  // Pending errors reach a handler now, and errors of running commands reach it when they occur. A
  // handler that throws terminates the program, like any exception that leaves a destructor.
  SCYTHE_LIBRARY_COLD ~queue_impl() {
    {
      spin_guard guard(all_queues.lock);
      (before ? before->after : all_queues.first) = after;
      if (after)
        after->before = before;
    }
    if (scratch)
      free_scratch(scratch);
    const bool idle = scythe_queue_is_empty(queue.get()) == 1;
    throw_asynchronous();
    if (!idle)
      detach_errors();
  }

  SCYTHE_LIBRARY_COLD void enter() {
    spin_guard guard(all_queues.lock);
    after = all_queues.first;
    if (after)
      after->before = this;
    all_queues.first = this;
  }
  // Returns the first queue after `last` that is not being destroyed. `last` may be null, and is
  // alive otherwise.
  SCYTHE_LIBRARY_COLD static ref<queue_impl> next(const queue_impl *last) {
    spin_guard guard(all_queues.lock);
    for (queue_impl *q = last ? last->after : all_queues.first; q; q = q->after)
      if (q->try_add_reference())
        return ref<queue_impl>::adopt(q);
    return {};
  }

  handle<scythe_event> submit(const scythe_command &command) {
    scythe_event event = nullptr;
    check(scythe_submit(queue.get(), &command, &event));
    return handle<scythe_event>::adopt(event);
  }

  SCYTHE_LIBRARY_COLD void throw_asynchronous() {
    exception_list list;
    scythe_queue_drain_errors(queue.get(), &async_errors::sink, errors.get());
    errors->take(list);
    if (list.size() == 0)
      return;
    if (handler)
      handler(std::move(list));
    else
      context->report(std::move(list));
  }
  // The queue's handler may refer to objects that are destroyed with the queue. From here on,
  // errors go to the context.
  SCYTHE_LIBRARY_COLD void detach_errors() {
    struct detached_errors {
      ref<async_errors> errors;
      ref<context_impl> context;

      static void receive(void *ctx, scythe_status code, const char *message) {
        async_errors::sink(static_cast<detached_errors *>(ctx)->errors.get(), code, message);
      }
      static void destroy(void *ctx) {
        auto *self = static_cast<detached_errors *>(ctx);
        exception_list list;
        self->errors->take(list);
        if (list.size() != 0)
          self->context->keep_errors(std::move(list));
        delete self;
      }
    };
    scythe_queue_leave_errors(queue.get(), &detached_errors::receive, &detached_errors::destroy,
                              new detached_errors{errors, context});
  }
  SCYTHE_LIBRARY_COLD device_label name() const { return device_label(target); }
  // Reports properties of extensions that contradict each other.
  SCYTHE_LIBRARY_COLD static void check_hints(const property_list &props) {
    using namespace ext::oneapi::property::queue;
    using namespace ext::intel::property::queue;
    if (props.has_property<priority_normal>() + props.has_property<priority_low>() +
            props.has_property<priority_high>() >
        1)
      fail(errc::invalid, "queue: the property list has more than one priority");
    if (props.has_property<immediate_command_list>() &&
        props.has_property<no_immediate_command_list>())
      fail(errc::invalid, "queue: immediate_command_list contradicts no_immediate_command_list");
    if (props.has_property<discard_events>() &&
        props.has_property<sycl::property::queue::enable_profiling>())
      fail(errc::invalid, "queue: discard_events contradicts enable_profiling");
    if (props.has_property<compute_index>() && props.get_property<compute_index>().get_index() != 0)
      fail(errc::invalid, "queue: compute_index must be less than max_compute_queue_indices, 1");
  }

  ref<context_impl> context;
  device target;
  async_handler handler;
  property_list properties;
  bool in_order;
  ref<async_errors> errors;
  handle<scythe_queue> queue;
  // Memory for reductions (`detail/scratch.hpp`): the blocks that no command group uses, and the
  // function that frees them.
  scratch_block *scratch = nullptr;
  void (*free_scratch)(scratch_block *) = nullptr;
  std::atomic_flag scratch_lock = ATOMIC_FLAG_INIT;
  // The neighbours in `all_queues`.
  queue_impl *before = nullptr, *after = nullptr;
};
SCYTHE_LIBRARY_INSTANCE(void destroy(queue_impl *) noexcept)

// Passes the errors of all queues on the device to their handlers.
SCYTHE_LIBRARY_COLD void report_errors_of(const device &d) {
  for (auto q = queue_impl::next(nullptr); q.get(); q = queue_impl::next(q.get()))
    if (q->target == d) {
      q->throw_asynchronous();
      q->context->report_kept_errors();
    }
}

} // namespace sycl::detail

namespace sycl {
inline void device::ext_oneapi_throw_asynchronous() const { detail::report_errors_of(*this); }
} // namespace sycl

#endif
