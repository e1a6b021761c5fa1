// `sycl::atomic_ref`: atomic operations on an object that other work-items or threads may change at
// the same time.
//
// The compiler's builtins implement the operations on integers, floating-point numbers and
// pointers. In device code they take the scope. If a target has no instruction for an operation,
// the back end emits a compare-exchange loop. `half` and `bfloat16` (`sycl_ext_oneapi_atomic16`)
// are classes, so their arithmetic is such a loop here.
#ifndef SCYTHE_ATOMIC_REF_HPP
#define SCYTHE_ATOMIC_REF_HPP

#include <sycl/access.hpp>
#include <sycl/aspect.hpp>
#include <sycl/memory_enums.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sycl {

class half;
namespace ext::oneapi {
class bfloat16;
}

namespace detail {

// The classes of numbers with 2 bytes.
template <class T>
inline constexpr bool is_short_float =
    std::is_same_v<T, half> || std::is_same_v<T, ext::oneapi::bfloat16>;

constexpr int builtin_order(memory_order order) {
  switch (order) {
  case memory_order::relaxed:
    return __ATOMIC_RELAXED;
  case memory_order::acquire:
    return __ATOMIC_ACQUIRE;
  case memory_order::release:
    return __ATOMIC_RELEASE;
  case memory_order::acq_rel:
    return __ATOMIC_ACQ_REL;
  case memory_order::seq_cst:
    break;
  }
  return __ATOMIC_SEQ_CST;
}

// The order for operations that only read, or only write.
constexpr memory_order reading_order(memory_order order) {
  if (order == memory_order::acq_rel)
    return memory_order::acquire;
  return order == memory_order::release ? memory_order::relaxed : order;
}
constexpr memory_order writing_order(memory_order order) {
  if (order == memory_order::acq_rel)
    return memory_order::release;
  return order == memory_order::acquire ? memory_order::relaxed : order;
}

#ifdef SCYTHE_DEVICE_PASS

constexpr int builtin_scope(memory_scope scope) {
  switch (scope) {
  case memory_scope::work_item:
    return __MEMORY_SCOPE_SINGLE;
  case memory_scope::sub_group:
    return __MEMORY_SCOPE_WVFRNT;
  case memory_scope::work_group:
    return __MEMORY_SCOPE_WRKGRP;
  case memory_scope::device:
  case memory_scope::ext_codeplay_cuda_cluster_group:
    return __MEMORY_SCOPE_DEVICE;
  case memory_scope::system:
    break;
  }
  return __MEMORY_SCOPE_SYSTEM;
}

// The builtins prefer constant arguments but accept variables.
#ifdef __SYCL_NVPTX__
// clang passes no scopes to LLVM for NVPTX. Atomic accesses then have system scope, unless they are
// volatile: the compiler makes those ordinary accesses of device scope.
#define SCYTHE_SCOPED(builtin, p, ...)                                                             \
  (scope == memory_scope::system                                                                   \
       ? builtin(p, __VA_ARGS__)                                                                   \
       : builtin(static_cast<volatile std::remove_pointer_t<decltype(p)> *>(p), __VA_ARGS__))
#else
#define SCYTHE_SCOPED(builtin, p, ...) builtin(p, __VA_ARGS__)
#endif
#define SCYTHE_ATOMIC(name, p, ...)                                                                \
  SCYTHE_SCOPED(__scoped_atomic_##name, p, __VA_ARGS__, builtin_order(order), builtin_scope(scope))
#define SCYTHE_COMPARE_EXCHANGE(weak)                                                              \
  SCYTHE_SCOPED(__scoped_atomic_compare_exchange, p, &expected, &desired, weak,                    \
                builtin_order(success), builtin_order(failure), builtin_scope(scope))

#else

#define SCYTHE_ATOMIC(name, ...) __atomic_##name(__VA_ARGS__, builtin_order(order))
#define SCYTHE_COMPARE_EXCHANGE(weak)                                                              \
  __atomic_compare_exchange(p, &expected, &desired, weak, builtin_order(success),                  \
                            builtin_order(failure))

#endif

template <class T>
SCYTHE_ALWAYS_INLINE T atomic_load(const T *p, memory_order order, memory_scope scope) {
  (void)scope;
  T value;
  T *const object = const_cast<T *>(p);
  SCYTHE_ATOMIC(load, object, &value);
  return value;
}
template <class T>
SCYTHE_ALWAYS_INLINE void atomic_store(T *p, T value, memory_order order, memory_scope scope) {
  (void)scope;
  SCYTHE_ATOMIC(store, p, &value);
}
template <class T>
SCYTHE_ALWAYS_INLINE T atomic_exchange(T *p, T value, memory_order order, memory_scope scope) {
  (void)scope;
  T old;
  SCYTHE_ATOMIC(exchange, p, &value, &old);
  return old;
}
template <bool Weak, class T>
SCYTHE_ALWAYS_INLINE bool atomic_compare_exchange(T *p, T &expected, T desired,
                                                  memory_order success, memory_order failure,
                                                  memory_scope scope) {
  (void)scope;
  return SCYTHE_COMPARE_EXCHANGE(Weak);
}

// Replaces the old value by `f` of it, for operations without a builtin.
template <class T, class F>
SCYTHE_ALWAYS_INLINE T atomic_update(T *p, memory_order order, memory_scope scope, F f) {
  T old = atomic_load(p, memory_order::relaxed, scope);
  while (!atomic_compare_exchange<true>(p, old, static_cast<T>(f(old)), order, reading_order(order),
                                        scope)) {
  }
  return old;
}

#define SCYTHE_FETCH(name)                                                                         \
  template <class T>                                                                               \
  SCYTHE_ALWAYS_INLINE T atomic_fetch_##name(T *p, T x, memory_order order, memory_scope scope) {  \
    (void)scope;                                                                                   \
    return SCYTHE_ATOMIC(fetch_##name, p, x);                                                      \
  }
// Only clang has builtins for minima and maxima, and for sums of floating-point numbers. Another
// compiler may run the host pass.
#ifdef SCYTHE_DEVICE_PASS
template <class T> inline constexpr bool has_sum_builtin = !is_short_float<T>;
template <class T> inline constexpr bool has_order_builtin = has_sum_builtin<T>;
#else
template <class T> inline constexpr bool has_sum_builtin = std::is_integral_v<T>;
template <class T> inline constexpr bool has_order_builtin = false;
#endif
#define SCYTHE_FETCH_OR_UPDATE(name, has_builtin, value)                                           \
  template <class T>                                                                               \
  SCYTHE_ALWAYS_INLINE T atomic_fetch_##name(T *p, T x, memory_order order, memory_scope scope) {  \
    if constexpr (has_builtin<T>)                                                                  \
      return SCYTHE_ATOMIC(fetch_##name, p, x);                                                    \
    else                                                                                           \
      return atomic_update(p, order, scope, [=](T old) { return value; });                         \
  }
SCYTHE_FETCH(and)
SCYTHE_FETCH(or)
SCYTHE_FETCH(xor)
SCYTHE_FETCH_OR_UPDATE(add, has_sum_builtin, old + x)
SCYTHE_FETCH_OR_UPDATE(sub, has_sum_builtin, old - x)
SCYTHE_FETCH_OR_UPDATE(min, has_order_builtin, x < old ? x : old)
SCYTHE_FETCH_OR_UPDATE(max, has_order_builtin, old < x ? x : old)

#undef SCYTHE_FETCH_OR_UPDATE
#undef SCYTHE_FETCH
#undef SCYTHE_COMPARE_EXCHANGE
#undef SCYTHE_ATOMIC
#undef SCYTHE_SCOPED

// Members of atomic references to all types.
template <class T, memory_order Order, memory_scope Scope, access::address_space Space>
class atomic_ref_base {
  static_assert(std::is_trivially_copyable_v<T>, "atomic_ref: T must be trivially copyable");
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "atomic_ref: T must have 2, 4 or 8 bytes");
  static_assert(Order == memory_order::relaxed || Order == memory_order::acq_rel ||
                    Order == memory_order::seq_cst,
                "atomic_ref: the default order must be relaxed, acq_rel or seq_cst");
  static_assert(Space == access::address_space::global_space ||
                    Space == access::address_space::ext_intel_global_device_space ||
                    Space == access::address_space::ext_intel_global_host_space ||
                    Space == access::address_space::local_space ||
                    Space == access::address_space::generic_space,
                "atomic_ref: the address space must be global, local or generic");

public:
  using value_type = T;
  static constexpr std::size_t required_alignment = sizeof(T);
  static constexpr bool is_always_lock_free = true;
  static constexpr memory_order default_read_order = reading_order(Order);
  static constexpr memory_order default_write_order = writing_order(Order);
  static constexpr memory_order default_read_modify_write_order = Order;
  static constexpr memory_scope default_scope = Scope;

  bool is_lock_free() const noexcept { return true; }

  void store(T operand, memory_order order = default_write_order,
             memory_scope scope = default_scope) const noexcept {
    atomic_store(p_, operand, order, scope);
  }
  T load(memory_order order = default_read_order,
         memory_scope scope = default_scope) const noexcept {
    return atomic_load(p_, order, scope);
  }
  operator T() const noexcept { return load(); }
  T exchange(T operand, memory_order order = default_read_modify_write_order,
             memory_scope scope = default_scope) const noexcept {
    return atomic_exchange(p_, operand, order, scope);
  }
  bool compare_exchange_weak(T &expected, T desired, memory_order success, memory_order failure,
                             memory_scope scope = default_scope) const noexcept {
    return atomic_compare_exchange<true>(p_, expected, desired, success, failure, scope);
  }
  bool compare_exchange_weak(T &expected, T desired,
                             memory_order order = default_read_modify_write_order,
                             memory_scope scope = default_scope) const noexcept {
    return compare_exchange_weak(expected, desired, order, reading_order(order), scope);
  }
  bool compare_exchange_strong(T &expected, T desired, memory_order success, memory_order failure,
                               memory_scope scope = default_scope) const noexcept {
    return atomic_compare_exchange<false>(p_, expected, desired, success, failure, scope);
  }
  bool compare_exchange_strong(T &expected, T desired,
                               memory_order order = default_read_modify_write_order,
                               memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, order, reading_order(order), scope);
  }

protected:
  explicit atomic_ref_base(T &object) : p_(&object) {}
  atomic_ref_base(const atomic_ref_base &) = default;
  atomic_ref_base &operator=(const atomic_ref_base &) = delete;

  T *p_;
};

// Members that only some types have.
template <class T, memory_order Order, memory_scope Scope, access::address_space Space,
          class = void>
class atomic_ref_operations : public atomic_ref_base<T, Order, Scope, Space> {
protected:
  using atomic_ref_base<T, Order, Scope, Space>::atomic_ref_base;
};

#define SCYTHE_FETCH_MEMBER(name, operand_type)                                                    \
  T fetch_##name(operand_type operand, memory_order order = Order, memory_scope scope = Scope)     \
      const noexcept {                                                                             \
    return atomic_fetch_##name(this->p_, operand, order, scope);                                   \
  }
#define SCYTHE_FETCH_OPERATOR(name, op)                                                            \
  T operator op## = (T operand) const noexcept {                                                   \
    return static_cast<T>(fetch_##name(operand) op operand);                                       \
  }

template <class T, memory_order Order, memory_scope Scope, access::address_space Space>
class atomic_ref_operations<T, Order, Scope, Space,
                            std::enable_if_t<std::is_arithmetic_v<T> || is_short_float<T>>>
    : public atomic_ref_base<T, Order, Scope, Space> {
  template <class U> using if_integral = std::enable_if_t<std::is_integral_v<U>>;

public:
  using difference_type = T;

  SCYTHE_FETCH_MEMBER(add, T)
  SCYTHE_FETCH_MEMBER(sub, T)
  SCYTHE_FETCH_MEMBER(min, T)
  SCYTHE_FETCH_MEMBER(max, T)
  SCYTHE_FETCH_OPERATOR(add, +)
  SCYTHE_FETCH_OPERATOR(sub, -)

  template <class U = T, class = if_integral<U>>
  SCYTHE_FETCH_MEMBER(and, T)
  template <class U = T, class = if_integral<U>>
  SCYTHE_FETCH_MEMBER(or, T)
  template <class U = T, class = if_integral<U>>
  SCYTHE_FETCH_MEMBER(xor, T) template <class U = T, class = if_integral<U>>
  SCYTHE_FETCH_OPERATOR(and, &)
  template <class U = T, class = if_integral<U>>
  SCYTHE_FETCH_OPERATOR(or, |)
  template <class U = T, class = if_integral<U>>
  SCYTHE_FETCH_OPERATOR(xor, ^) template <class U = T, class = if_integral<U>>
  T operator++(int) const noexcept {
    return fetch_add(T(1));
  }
  template <class U = T, class = if_integral<U>> T operator--(int) const noexcept {
    return fetch_sub(T(1));
  }
  template <class U = T, class = if_integral<U>> T operator++() const noexcept {
    return *this += T(1);
  }
  template <class U = T, class = if_integral<U>> T operator--() const noexcept {
    return *this -= T(1);
  }

protected:
  using atomic_ref_base<T, Order, Scope, Space>::atomic_ref_base;
};

#undef SCYTHE_FETCH_MEMBER
#undef SCYTHE_FETCH_OPERATOR

// Pointer arithmetic counts in elements. The operations use the integer of the pointer's size.
template <class T, memory_order Order, memory_scope Scope, access::address_space Space>
class atomic_ref_operations<T *, Order, Scope, Space, void>
    : public atomic_ref_base<T *, Order, Scope, Space> {
public:
  using difference_type = std::ptrdiff_t;

  T *fetch_add(difference_type operand, memory_order order = Order,
               memory_scope scope = Scope) const noexcept {
    return atomic_update(this->p_, order, scope, [=](T *old) { return old + operand; });
  }
  T *fetch_sub(difference_type operand, memory_order order = Order,
               memory_scope scope = Scope) const noexcept {
    return fetch_add(-operand, order, scope);
  }
  T *operator+=(difference_type operand) const noexcept { return fetch_add(operand) + operand; }
  T *operator-=(difference_type operand) const noexcept { return fetch_sub(operand) - operand; }
  T *operator++(int) const noexcept { return fetch_add(1); }
  T *operator--(int) const noexcept { return fetch_sub(1); }
  T *operator++() const noexcept { return fetch_add(1) + 1; }
  T *operator--() const noexcept { return fetch_sub(1) - 1; }

protected:
  using atomic_ref_base<T *, Order, Scope, Space>::atomic_ref_base;
};

// References to 2 and 8 bytes are optional device features. Only these specialisations carry the
// attribute.
template <class T, memory_order Order, memory_scope Scope, access::address_space Space,
          std::size_t Size>
class atomic_ref_sized : public atomic_ref_operations<T, Order, Scope, Space> {
protected:
  using atomic_ref_operations<T, Order, Scope, Space>::atomic_ref_operations;
};
template <class T, memory_order Order, memory_scope Scope, access::address_space Space>
class SCYTHE_USES_ASPECTS(aspect::ext_oneapi_atomic16) atomic_ref_sized<T, Order, Scope, Space, 2>
    : public atomic_ref_operations<T, Order, Scope, Space> {
protected:
  using atomic_ref_operations<T, Order, Scope, Space>::atomic_ref_operations;
};
template <class T, memory_order Order, memory_scope Scope, access::address_space Space>
class SCYTHE_USES_ASPECTS(aspect::atomic64) atomic_ref_sized<T, Order, Scope, Space, 8>
    : public atomic_ref_operations<T, Order, Scope, Space> {
protected:
  using atomic_ref_operations<T, Order, Scope, Space>::atomic_ref_operations;
};

} // namespace detail

template <class T, memory_order DefaultOrder, memory_scope DefaultScope,
          access::address_space Space = access::address_space::generic_space>
class atomic_ref
    : public detail::atomic_ref_sized<T, DefaultOrder, DefaultScope, Space, sizeof(T)> {
  using base = detail::atomic_ref_sized<T, DefaultOrder, DefaultScope, Space, sizeof(T)>;

public:
  explicit atomic_ref(T &object) : base(object) {}
  atomic_ref(const atomic_ref &) = default;
  atomic_ref &operator=(const atomic_ref &) = delete;
  T operator=(T desired) const noexcept {
    this->store(desired);
    return desired;
  }
};

} // namespace sycl

#endif
