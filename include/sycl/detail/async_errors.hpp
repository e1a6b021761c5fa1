// Asynchronous errors on their way to a handler (SYCL 2020, 4.13).
#ifndef SCYTHE_DETAIL_ASYNC_ERRORS_HPP
#define SCYTHE_DETAIL_ASYNC_ERRORS_HPP

#include <sycl/detail/handle.hpp>
#include <sycl/exception.hpp>

#include <cstdio>

namespace sycl::detail {

// Exceptions that host tasks left, and errors of commands. They may come while or after the queue
// object dies, hence its own count. Pushing happens on runtime threads and never blocks.
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
    node *added =
        new (std::nothrow) node{std::move(error), __atomic_load_n(&first_, __ATOMIC_RELAXED)};
    // Out of memory: the error cannot be kept, and losing it silently is worse.
    if (!added)
      std::terminate();
    while (!__atomic_compare_exchange_n(&first_, &added->next, added, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
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
  // Takes an error of the runtime; `ctx` is the object.
  SCYTHE_COLD static void sink(void *ctx, scythe_status code, const char *message) {
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

} // namespace sycl::detail

#endif
