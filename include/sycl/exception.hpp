// `sycl::exception`, its error codes and category, and the lists that asynchronous handlers
// receive.
//
// `detail::check` turns a status of the C interface into an exception. All other headers use it.
#ifndef SCYTHE_EXCEPTION_HPP
#define SCYTHE_EXCEPTION_HPP

#include <sycl/detail/errc.hpp>
#include <sycl/detail/handle.hpp>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

// `std::function`. Including all of <functional> would double the compile time of this header, so
// include only the part if possible.
#if defined(__GLIBCXX__) && __has_include(<bits/std_function.h>)
#include <bits/std_function.h>
#else
#include <functional>
#endif

namespace sycl {

class context;

namespace detail {

struct context_impl;
void retain(context_impl *context) noexcept;
void release(context_impl *context) noexcept;

class category final : public std::error_category {
public:
  const char *name() const noexcept override { return "sycl"; }
  SCYTHE_LIBRARY_COLD std::string message(int code) const override {
    // In the order of `errc`.
    static const char *const texts[] = {
        "success",
        "runtime error",
        "kernel error",
        "accessor error",
        "nd_range error",
        "event error",
        "kernel argument error",
        "device code failed to build",
        "invalid argument or state",
        "memory allocation failed",
        "platform error",
        "profiling error",
        "feature not supported",
        "kernel not supported by the device",
        "backend mismatch",
    };
    const bool known = code >= 0 && code < static_cast<int>(sizeof(texts) / sizeof(texts[0]));
    return known ? texts[code] : "unknown SYCL error";
  }
};

} // namespace detail

inline const std::error_category &sycl_category() noexcept {
  static const detail::category instance;
  return instance;
}

inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), sycl_category()};
}

class exception : public virtual std::exception {
public:
  exception(std::error_code code, const std::string &message) : code_(code), message_(message) {}
  exception(std::error_code code, const char *message) : code_(code), message_(message) {}
  exception(std::error_code code) : code_(code), message_(code.message()) {}
  exception(int value, const std::error_category &category, const std::string &message)
      : code_(value, category), message_(message) {}
  exception(int value, const std::error_category &category, const char *message)
      : code_(value, category), message_(message) {}
  exception(int value, const std::error_category &category)
      : code_(value, category), message_(category.message(value)) {}
  // <sycl/context.hpp> defines the constructors that take the context of the error.
  exception(const context &where, std::error_code code, const std::string &message);
  exception(const context &where, std::error_code code, const char *message);
  exception(const context &where, std::error_code code);
  exception(const context &where, int value, const std::error_category &category,
            const std::string &message);
  exception(const context &where, int value, const std::error_category &category,
            const char *message);
  exception(const context &where, int value, const std::error_category &category);

  const std::error_code &code() const noexcept { return code_; }
  const std::error_category &category() const noexcept { return code_.category(); }
  const char *what() const noexcept override { return message_.what(); }
  bool has_context() const noexcept { return static_cast<bool>(context_); }
  context get_context() const;

private:
  std::error_code code_;
  // Copies of an exception must not throw. The string in the standard library's exceptions has this
  // property.
  std::runtime_error message_;
  detail::ref<detail::context_impl> context_;
};

// The asynchronous errors that one call passes to an `async_handler`, oldest first. It is a simple
// array, because every program with a queue compiles this class and `std::vector` takes much longer
// to compile.
class exception_list {
public:
  using value_type = std::exception_ptr;
  using reference = value_type &;
  using const_reference = const value_type &;
  using size_type = std::size_t;
  using iterator = const value_type *;
  using const_iterator = iterator;

  exception_list() = default;
  SCYTHE_LIBRARY_COLD exception_list(const exception_list &other) {
    for (const value_type &error : other)
      push_back(error);
  }
  exception_list(exception_list &&other) noexcept { swap(other); }
  exception_list &operator=(exception_list other) noexcept {
    swap(other);
    return *this;
  }
  ~exception_list() { delete[] errors_; }

  size_type size() const { return size_; }
  iterator begin() const { return errors_; }
  iterator end() const { return errors_ + size_; }

  SCYTHE_LIBRARY_COLD void push_back(value_type error) {
    if (size_ == capacity_) {
      const size_type capacity = capacity_ ? 2 * capacity_ : 4;
      value_type *bigger = new value_type[capacity];
      for (size_type i = 0; i < size_; ++i)
        bigger[i].swap(errors_[i]);
      delete[] errors_;
      errors_ = bigger;
      capacity_ = capacity;
    }
    errors_[size_++].swap(error);
  }

private:
  void swap(exception_list &other) noexcept {
    // Swapped by hand, because `std::swap` instantiates more templates.
    value_type *const errors = errors_;
    const size_type size = size_, capacity = capacity_;
    errors_ = other.errors_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.errors_ = errors;
    other.size_ = size;
    other.capacity_ = capacity;
  }
  value_type *errors_ = nullptr;
  size_type size_ = 0;
  size_type capacity_ = 0;
};

using async_handler = std::function<void(exception_list)>;

namespace detail {

// Throws an exception with a message in the format of `printf`. Building strings at the call would
// be most of the code that a small program compiles.
[[noreturn]] SCYTHE_LIBRARY_COLD __attribute__((format(printf, 2, 3))) void
fail(errc code, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  scythe_set_last_error(text);
  throw exception(make_error_code(code), scythe_last_error());
}

[[noreturn]] SCYTHE_LIBRARY_COLD void fail_with_last_error(scythe_status status) {
  // Every program with checked calls refers to the version of the runtime library.
  static_cast<void>(*static_cast<const volatile uint8_t *>(&SCYTHE_ABI_VARIABLE));
  const char *message = scythe_last_error();
  throw exception(make_error_code(static_cast<errc>(status)), message ? message : "");
}

inline void check(scythe_status status) {
  if (__builtin_expect(status != 0, 0))
    fail_with_last_error(status);
}

} // namespace detail
} // namespace sycl

template <> struct std::is_error_code_enum<sycl::errc> : std::true_type {};

#endif
