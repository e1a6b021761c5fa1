// Atomic operations on pointers, with the order and the scope as template arguments or as an
// argument, and a class for atomic objects.
#ifndef SYCLCOMPAT_ATOMIC_HPP
#define SYCLCOMPAT_ATOMIC_HPP

#include <syclcompat/defs.hpp>

namespace syclcompat {

namespace detail {
template <class T, sycl::access::address_space Space, sycl::memory_scope Scope>
using ref = sycl::atomic_ref<T, sycl::memory_order::relaxed, Scope, Space>;

// The order for a failed exchange that `success` permits.
constexpr sycl::memory_order failure_of(sycl::memory_order success) {
  return success == sycl::memory_order::acq_rel   ? sycl::memory_order::acquire
         : success == sycl::memory_order::release ? sycl::memory_order::relaxed
                                                  : success;
}
} // namespace detail

#define SYCLCOMPAT_ATOMIC_PARAMETERS                                                               \
  template <sycl::access::address_space Space = sycl::access::address_space::generic_space,        \
            sycl::memory_order Order = sycl::memory_order::relaxed,                                \
            sycl::memory_scope Scope = sycl::memory_scope::device, class T>
#define SYCLCOMPAT_ATOMIC_SPACE                                                                    \
  template <sycl::access::address_space Space = sycl::access::address_space::generic_space, class T>
#define SYCLCOMPAT_ATOMIC(name, operand_t)                                                         \
  SYCLCOMPAT_ATOMIC_PARAMETERS T atomic_##name(T *p, operand_t<T> operand) {                       \
    return detail::ref<T, Space, Scope>(*p).name(operand, Order, Scope);                           \
  }                                                                                                \
  SYCLCOMPAT_ATOMIC_SPACE T atomic_##name(T *p, operand_t<T> operand, sycl::memory_order order) {  \
    return detail::ref<T, Space, sycl::memory_scope::device>(*p).name(operand, order);             \
  }
SYCLCOMPAT_ATOMIC(fetch_add, arith_t)
SYCLCOMPAT_ATOMIC(fetch_sub, arith_t)
SYCLCOMPAT_ATOMIC(fetch_and, type_identity_t)
SYCLCOMPAT_ATOMIC(fetch_or, type_identity_t)
SYCLCOMPAT_ATOMIC(fetch_xor, type_identity_t)
SYCLCOMPAT_ATOMIC(fetch_min, type_identity_t)
SYCLCOMPAT_ATOMIC(fetch_max, type_identity_t)
SYCLCOMPAT_ATOMIC(exchange, type_identity_t)
#undef SYCLCOMPAT_ATOMIC

SYCLCOMPAT_ATOMIC_PARAMETERS
T atomic_compare_exchange_strong(T *p, type_identity_t<T> expected, type_identity_t<T> desired,
                                 sycl::memory_order success = sycl::memory_order::relaxed,
                                 sycl::memory_order fail = sycl::memory_order::relaxed) {
  detail::ref<T, Space, Scope>(*p).compare_exchange_strong(expected, desired, success, fail, Scope);
  return expected;
}
SYCLCOMPAT_ATOMIC_PARAMETERS
T atomic_compare_exchange_strong(sycl::multi_ptr<T, Space> p, type_identity_t<T> expected,
                                 type_identity_t<T> desired,
                                 sycl::memory_order success = sycl::memory_order::relaxed,
                                 sycl::memory_order fail = sycl::memory_order::relaxed) {
  return atomic_compare_exchange_strong<Space, Order, Scope>(p.get(), expected, desired, success,
                                                             fail);
}

// Replaces the value by `change(value)` and returns the value before.
namespace detail {
template <sycl::access::address_space Space, sycl::memory_scope Scope, class T, class F>
T atomic_change(T *p, sycl::memory_order order, F change) {
  const ref<T, Space, Scope> object(*p);
  T before = object.load(sycl::memory_order::relaxed, Scope);
  while (!object.compare_exchange_weak(before, change(before), order, failure_of(order), Scope))
    ;
  return before;
}
} // namespace detail

// Increments, and restarts at 0 after `operand`.
template <sycl::access::address_space Space = sycl::access::address_space::generic_space,
          sycl::memory_order Order = sycl::memory_order::relaxed,
          sycl::memory_scope Scope = sycl::memory_scope::device>
unsigned atomic_fetch_compare_inc(unsigned *p, unsigned operand) {
  return detail::atomic_change<Space, Scope>(
      p, Order, [=](unsigned old) { return old >= operand ? 0u : old + 1; });
}
template <sycl::access::address_space Space = sycl::access::address_space::generic_space>
unsigned atomic_fetch_compare_inc(unsigned *p, unsigned operand, sycl::memory_order order) {
  return detail::atomic_change<Space, sycl::memory_scope::device>(
      p, order, [=](unsigned old) { return old >= operand ? 0u : old + 1; });
}
// Decrements, and restarts at `operand` after 0 and for values above `operand`.
template <sycl::access::address_space Space = sycl::access::address_space::generic_space,
          sycl::memory_order Order = sycl::memory_order::relaxed,
          sycl::memory_scope Scope = sycl::memory_scope::device>
unsigned atomic_fetch_compare_dec(unsigned *p, unsigned operand) {
  return detail::atomic_change<Space, Scope>(
      p, Order, [=](unsigned old) { return old == 0 || old > operand ? operand : old - 1; });
}
template <sycl::access::address_space Space = sycl::access::address_space::generic_space>
unsigned atomic_fetch_compare_dec(unsigned *p, unsigned operand, sycl::memory_order order) {
  return detail::atomic_change<Space, sycl::memory_scope::device>(
      p, order, [=](unsigned old) { return old == 0 || old > operand ? operand : old - 1; });
}
#undef SYCLCOMPAT_ATOMIC_PARAMETERS
#undef SYCLCOMPAT_ATOMIC_SPACE

template <class T, sycl::memory_scope DefaultScope = sycl::memory_scope::system,
          sycl::memory_order DefaultOrder = sycl::memory_order::seq_cst,
          sycl::access::address_space Space = sycl::access::address_space::generic_space>
class atomic {
  static_assert(std::is_arithmetic_v<T> || std::is_pointer_v<T>,
                "atomic: T must be an integer, floating-point or pointer type");
  using ref = sycl::atomic_ref<T, DefaultOrder, DefaultScope, Space>;
  using order = sycl::memory_order;
  using scope = sycl::memory_scope;

public:
  static constexpr order default_read_order = ref::default_read_order;
  static constexpr order default_write_order = ref::default_write_order;
  static constexpr scope default_scope = DefaultScope;
  static constexpr order default_read_modify_write_order = DefaultOrder;

  constexpr atomic() noexcept = default;
  constexpr atomic(T value) noexcept : value_(value) {}

  void store(T value, order o = default_write_order, scope s = default_scope) noexcept {
    ref(value_).store(value, o, s);
  }
  T load(order o = default_read_order, scope s = default_scope) const noexcept {
    return ref(const_cast<T &>(value_)).load(o, s);
  }
  T exchange(T value, order o = default_read_modify_write_order, scope s = default_scope) noexcept {
    return ref(value_).exchange(value, o, s);
  }
  bool compare_exchange_weak(T &expected, T desired, order success, order failure,
                             scope s = default_scope) noexcept {
    return ref(value_).compare_exchange_weak(expected, desired, success, failure, s);
  }
  bool compare_exchange_weak(T &expected, T desired, order o = default_read_modify_write_order,
                             scope s = default_scope) noexcept {
    return ref(value_).compare_exchange_weak(expected, desired, o, detail::failure_of(o), s);
  }
  bool compare_exchange_strong(T &expected, T desired, order success, order failure,
                               scope s = default_scope) noexcept {
    return ref(value_).compare_exchange_strong(expected, desired, success, failure, s);
  }
  bool compare_exchange_strong(T &expected, T desired, order o = default_read_modify_write_order,
                               scope s = default_scope) noexcept {
    return ref(value_).compare_exchange_strong(expected, desired, o, detail::failure_of(o), s);
  }
  T fetch_add(arith_t<T> operand, order o = default_read_modify_write_order,
              scope s = default_scope) noexcept {
    return ref(value_).fetch_add(operand, o, s);
  }
  T fetch_sub(arith_t<T> operand, order o = default_read_modify_write_order,
              scope s = default_scope) noexcept {
    return ref(value_).fetch_sub(operand, o, s);
  }

private:
  T value_{};
};

} // namespace syclcompat

#endif
