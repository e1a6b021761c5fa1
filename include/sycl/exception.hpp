// `sycl::exception`, its error codes and category, and what asynchronous handlers receive.
//
// `detail::check` turns a status of the C interface into an exception; all other headers go through it.
#ifndef SCYTHE_EXCEPTION_HPP
#define SCYTHE_EXCEPTION_HPP

#include <sycl/detail/errc.hpp>
#include <sycl/detail/handle.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl {

class context;

namespace detail {

struct context_impl;
void retain(context_impl *context) noexcept;
void release(context_impl *context) noexcept;

class category final : public std::error_category {
public:
  const char *name() const noexcept override { return "sycl"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
    case errc::success:
      return "success";
    case errc::runtime:
      return "runtime error";
    case errc::kernel:
      return "kernel error";
    case errc::accessor:
      return "accessor error";
    case errc::nd_range:
      return "nd_range error";
    case errc::event:
      return "event error";
    case errc::kernel_argument:
      return "kernel argument error";
    case errc::build:
      return "device code failed to build";
    case errc::invalid:
      return "invalid argument or state";
    case errc::memory_allocation:
      return "memory allocation failed";
    case errc::platform:
      return "platform error";
    case errc::profiling:
      return "profiling error";
    case errc::feature_not_supported:
      return "feature not supported";
    case errc::kernel_not_supported:
      return "kernel not supported by the device";
    case errc::backend_mismatch:
      return "backend mismatch";
    }
    return "unknown SYCL error " + std::to_string(code);
  }
};

} // namespace detail

inline const std::error_category &sycl_category() noexcept {
  static const detail::category instance;
  return instance;
}

inline std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), sycl_category()}; }

class exception : public virtual std::exception {
public:
  exception(std::error_code code, const std::string &message)
      : code_(code), message_(std::make_shared<const std::string>(message)) {}
  exception(std::error_code code, const char *message) : exception(code, std::string(message)) {}
  exception(std::error_code code) : exception(code, code.message()) {}
  exception(int value, const std::error_category &category, const std::string &message)
      : exception(std::error_code(value, category), message) {}
  exception(int value, const std::error_category &category, const char *message)
      : exception(std::error_code(value, category), message) {}
  exception(int value, const std::error_category &category) : exception(std::error_code(value, category)) {}
  // The forms with the context that the error belongs to are defined in <sycl/context.hpp>.
  exception(const context &where, std::error_code code, const std::string &message);
  exception(const context &where, std::error_code code, const char *message);
  exception(const context &where, std::error_code code);
  exception(const context &where, int value, const std::error_category &category, const std::string &message);
  exception(const context &where, int value, const std::error_category &category, const char *message);
  exception(const context &where, int value, const std::error_category &category);

  const std::error_code &code() const noexcept { return code_; }
  const std::error_category &category() const noexcept { return code_.category(); }
  const char *what() const noexcept override { return message_->c_str(); }
  bool has_context() const noexcept { return static_cast<bool>(context_); }
  context get_context() const;

private:
  std::error_code code_;
  // Shared, since copying an exception must not throw.
  std::shared_ptr<const std::string> message_;
  detail::ref<detail::context_impl> context_;
};

// The asynchronous errors that one call hands to an `async_handler`, oldest first.
class exception_list {
public:
  using value_type = std::exception_ptr;
  using reference = value_type &;
  using const_reference = const value_type &;
  using size_type = std::size_t;
  using iterator = std::vector<value_type>::const_iterator;
  using const_iterator = iterator;

  exception_list() = default;
  explicit exception_list(std::vector<value_type> errors) : errors_(std::move(errors)) {}
  size_type size() const { return errors_.size(); }
  iterator begin() const { return errors_.begin(); }
  iterator end() const { return errors_.end(); }

private:
  std::vector<value_type> errors_;
};

// Any callable that takes an `exception_list`. A class of its own instead of `std::function`, whose header alone would
// double what this one costs to compile.
class async_handler {
public:
  async_handler() = default;
  async_handler(std::nullptr_t) {}
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, async_handler> &&
                                              std::is_invocable_v<std::decay_t<F> &, exception_list>>>
  async_handler(F &&f) : target_(std::make_shared<callable<std::decay_t<F>>>(std::forward<F>(f))) {}

  explicit operator bool() const noexcept { return target_ != nullptr; }
  void operator()(exception_list errors) const { target_->call(std::move(errors)); }

private:
  struct base {
    virtual ~base() = default;
    virtual void call(exception_list errors) = 0;
  };
  template <class F> struct callable final : base {
    template <class G> explicit callable(G &&g) : f(std::forward<G>(g)) {}
    void call(exception_list errors) override { f(std::move(errors)); }
    F f;
  };
  std::shared_ptr<base> target_;
};

namespace detail {

[[noreturn]] inline void fail(errc code, const std::string &message) {
  throw exception(make_error_code(code), message);
}

[[noreturn]] inline void fail_with_last_error(scythe_status status) {
  const char *message = scythe_last_error();
  fail(static_cast<errc>(status), message ? message : "");
}

inline void check(scythe_status status) {
  if (__builtin_expect(status != 0, 0))
    fail_with_last_error(status);
}

} // namespace detail
} // namespace sycl

template <> struct std::is_error_code_enum<sycl::errc> : std::true_type {};

#endif
