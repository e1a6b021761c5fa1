// What all copies of a queue share, and how asynchronous errors reach their handler.
#ifndef SCYTHE_DETAIL_QUEUE_IMPL_HPP
#define SCYTHE_DETAIL_QUEUE_IMPL_HPP

#include <sycl/context.hpp>

#include <cstdio>

namespace sycl::detail {

// Exceptions that host tasks left. Tasks may finish while or after the queue object dies, hence its own count. Pushing
// happens on runtime threads and never blocks.
class async_errors : public counted {
public:
  ~async_errors() {
    for (node *n = __atomic_load_n(&first_, __ATOMIC_ACQUIRE); n;) {
      node *next = n->next;
      delete n;
      n = next;
    }
  }
  void push(std::exception_ptr error) noexcept {
    node *added = new (std::nothrow) node{std::move(error), __atomic_load_n(&first_, __ATOMIC_RELAXED)};
    // Out of memory: the error cannot be kept, and losing it silently is worse.
    if (!added)
      std::terminate();
    while (!__atomic_compare_exchange_n(&first_, &added->next, added, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
  }
  // Adds all errors so far, oldest first, to `list`.
  SCYTHE_COLD void take(exception_list &list) {
    // Pushing puts the newest first.
    node *oldest = nullptr;
    for (node *n = __atomic_exchange_n(&first_, nullptr, __ATOMIC_ACQUIRE); n;) {
      node *next = n->next;
      n->next = oldest;
      oldest = n;
      n = next;
    }
    while (oldest) {
      list.push_back(std::move(oldest->error));
      node *next = oldest->next;
      delete oldest;
      oldest = next;
    }
  }
  bool empty() const noexcept { return __atomic_load_n(&first_, __ATOMIC_ACQUIRE) == nullptr; }

private:
  struct node {
    std::exception_ptr error;
    node *next;
  };
  // Read and written by the compiler's own functions: the library's class is more to compile.
  node *first_ = nullptr;
};

// The handler of last resort (SYCL 2020, 4.13.1.2): it reports every error, then terminates.
[[noreturn]] SCYTHE_COLD inline void default_async_handler(const exception_list &errors) {
  for (const std::exception_ptr &error : errors) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception &e) {
      std::fprintf(stderr, "unhandled asynchronous SYCL error: %s\n", e.what());
    } catch (...) {
      std::fputs("unhandled asynchronous SYCL error: an exception of unknown type\n", stderr);
    }
  }
  std::terminate();
}

struct scratch_block;

// Held for a few instructions at a time.
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

struct queue_impl : counted {
  SCYTHE_COLD queue_impl(ref<context_impl> c, const device &d, async_handler h, const property_list &props)
      : context(std::move(c)), target(d), handler(std::move(h)), properties(props),
        in_order(props.has_property<property::queue::in_order>()), errors(ref<async_errors>::adopt(new async_errors)) {
    const bool profiling = props.has_property<property::queue::enable_profiling>();
    if (profiling && !target.has(aspect::queue_profiling))
      fail(errc::feature_not_supported, "queue: device '%s' lacks aspect queue_profiling, which enable_profiling needs",
           name().c_str());
    scythe_queue created = nullptr;
    std::uint32_t flags = 0;
    if (in_order)
      flags |= SCYTHE_QUEUE_IN_ORDER;
    if (profiling)
      flags |= SCYTHE_QUEUE_PROFILING;
    check(scythe_queue_create(context->context.get(), access_handle::of(target), flags, &created));
    queue = detail::handle<scythe_queue>::adopt(created);
  }
  // Of a queue that there is.
  SCYTHE_COLD queue_impl(ref<context_impl> c, const device &d, async_handler h, const property_list &props,
                         detail::handle<scythe_queue> q)
      : context(std::move(c)), target(d), handler(std::move(h)), properties(props),
        in_order(props.has_property<property::queue::in_order>()), errors(ref<async_errors>::adopt(new async_errors)),
        queue(std::move(q)) {}
  // Errors that nobody asked for still reach a handler of the user's; a destructor has no way to let them out.
  ~queue_impl() {
    if (scratch)
      free_scratch(scratch);
    try {
      if (handler || context->handler)
        throw_asynchronous();
    } catch (...) {
    }
  }

  handle<scythe_event> submit(const scythe_command &command) {
    scythe_event event = nullptr;
    check(scythe_submit(queue.get(), &command, &event));
    return handle<scythe_event>::adopt(event);
  }

  SCYTHE_COLD void throw_asynchronous() {
    exception_list list;
    scythe_queue_drain_errors(
        queue.get(),
        [](void *ctx, scythe_status code, const char *message) {
          try {
            throw exception(make_error_code(static_cast<errc>(code)), message);
          } catch (...) {
            static_cast<exception_list *>(ctx)->push_back(std::current_exception());
          }
        },
        &list);
    errors->take(list);
    if (list.size() == 0)
      return;
    if (handler)
      handler(std::move(list));
    else if (context->handler)
      context->handler(std::move(list));
    else
      default_async_handler(list);
  }
  device_label name() const { return device_label(target); }

  ref<context_impl> context;
  device target;
  async_handler handler;
  property_list properties;
  bool in_order;
  ref<async_errors> errors;
  handle<scythe_queue> queue;
  // Memory for reductions (`detail/scratch.hpp`): the blocks that no command group holds, and how to free them.
  scratch_block *scratch = nullptr;
  void (*free_scratch)(scratch_block *) = nullptr;
  std::atomic_flag scratch_lock = ATOMIC_FLAG_INIT;
};

} // namespace sycl::detail

#endif
