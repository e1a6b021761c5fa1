// Asynchronous errors that wait for a handler (SYCL 2020, 4.13).
#ifndef SCYTHE_DETAIL_ASYNC_ERRORS_HPP
#define SCYTHE_DETAIL_ASYNC_ERRORS_HPP

#include <sycl/detail/handle.hpp>
#include <sycl/exception.hpp>

#include <cstdio>

namespace sycl::detail {

// Exceptions of host tasks and errors of commands. They may arrive while or after the queue object
// is destroyed, so this object has its own reference count. Runtime threads push errors without
// blocking.
class async_errors : public counted {
public:
  SCYTHE_LIBRARY_COLD ~async_errors() {
    for (source *s = sources_; s;) {
      source *next = s->next;
      delete s;
      s = next;
    }
    for (node *n = __atomic_load_n(&first_, __ATOMIC_ACQUIRE); n;) {
      node *next = n->next;
      delete n;
      n = next;
    }
  }
  SCYTHE_LIBRARY_COLD void push(std::exception_ptr error) noexcept {
    node *added =
        new (std::nothrow) node{std::move(error), __atomic_load_n(&first_, __ATOMIC_RELAXED)};
    // If memory is exhausted, the error cannot be stored. Terminating is better than losing it
    // silently.
    if (!added)
      std::terminate();
    while (!__atomic_compare_exchange_n(&first_, &added->next, added, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
  }
  // Also delivers the errors of `other`, such as those of the host tasks of a graph.
  SCYTHE_LIBRARY_COLD void follow(const owner<async_errors *> &other) {
    for (source *s = __atomic_load_n(&sources_, __ATOMIC_ACQUIRE); s; s = s->next)
      if (s->errors == other)
        return;
    source *added = new source{other, __atomic_load_n(&sources_, __ATOMIC_RELAXED)};
    while (!__atomic_compare_exchange_n(&sources_, &added->next, added, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
  }
  // Appends all errors so far to `list`, oldest first.
  SCYTHE_LIBRARY_COLD void take(exception_list &list) {
    for (source *s = __atomic_load_n(&sources_, __ATOMIC_ACQUIRE); s; s = s->next)
      s->errors->take(list);
    // The newest error is first in the list.
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
  // Receives an error of the runtime. `ctx` is the object.
  SCYTHE_LIBRARY_COLD static void sink(void *ctx, scythe_status code, const char *message) {
    try {
      throw exception(make_error_code(static_cast<errc>(code)), message);
    } catch (...) {
      static_cast<async_errors *>(ctx)->push(std::current_exception());
    }
  }

private:
  struct node {
    std::exception_ptr error;
    node *next;
  };
  struct source {
    owner<async_errors *> errors;
    source *next;
  };
  // Accessed with the compiler's atomic builtins, because the library's class is slower to compile.
  node *first_ = nullptr;
  source *sources_ = nullptr;
};

// The default handler (SYCL 2020, 4.13.1.2). It reports every error, then terminates.
[[noreturn]] SCYTHE_LIBRARY_COLD void default_async_handler(const exception_list &errors) {
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

} // namespace sycl::detail

#endif
