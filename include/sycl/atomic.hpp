// `sycl::atomic` of SYCL 1.2.1, which `atomic_ref` replaces: atomic operations on the target of a
// multi_ptr or of an accessor with `access_mode::atomic`. All operations are relaxed.
#ifndef SCYTHE_ATOMIC_HPP
#define SCYTHE_ATOMIC_HPP

#include <sycl/atomic_ref.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {

#define SCYTHE_FOR_EACH_FETCH(X)                                                                   \
  X(add)                                                                                           \
  X(sub)                                                                                           \
  X(and)                                                                                           \
  X(or)                                                                                            \
  X(xor)                                                                                           \
  X(min)                                                                                           \
  X(max)

template <class T, access::address_space Space = access::address_space::global_space> class atomic {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                "sycl::atomic: T must be an arithmetic type of 4 or 8 bytes");
  static constexpr memory_scope scope = memory_scope::device;

public:
  template <class U, access::decorated D, class = std::enable_if_t<sizeof(U) == sizeof(T)>>
  atomic(multi_ptr<U, Space, D> p) : p_(reinterpret_cast<T *>(p.get_raw())) {}

  void store(T operand, memory_order order = memory_order::relaxed) volatile {
    detail::atomic_store(p_, operand, order, scope);
  }
  T load(memory_order order = memory_order::relaxed) const volatile {
    return detail::atomic_load(p_, order, scope);
  }
  T exchange(T operand, memory_order order = memory_order::relaxed) volatile {
    return detail::atomic_exchange(p_, operand, order, scope);
  }
  template <class U = T, class = std::enable_if_t<std::is_integral_v<U>>>
  bool compare_exchange_strong(T &expected, T desired, memory_order success = memory_order::relaxed,
                               memory_order failure = memory_order::relaxed) volatile {
    return detail::atomic_compare_exchange<false>(p_, expected, desired, success, failure, scope);
  }
#define SCYTHE_FETCH(name)                                                                         \
  template <class U = T, class = std::enable_if_t<std::is_integral_v<U>>>                          \
  T fetch_##name(T operand, memory_order order = memory_order::relaxed) volatile {                 \
    return detail::atomic_fetch_##name(p_, operand, order, scope);                                 \
  }
  SCYTHE_FOR_EACH_FETCH(SCYTHE_FETCH)
#undef SCYTHE_FETCH

private:
  T *p_;
};

template <class T, access::address_space S>
void atomic_store(atomic<T, S> object, T operand, memory_order order = memory_order::relaxed) {
  object.store(operand, order);
}
template <class T, access::address_space S>
T atomic_load(atomic<T, S> object, memory_order order = memory_order::relaxed) {
  return object.load(order);
}
template <class T, access::address_space S>
T atomic_exchange(atomic<T, S> object, T operand, memory_order order = memory_order::relaxed) {
  return object.exchange(operand, order);
}
template <class T, access::address_space S>
bool atomic_compare_exchange_strong(atomic<T, S> object, T &expected, T desired,
                                    memory_order success = memory_order::relaxed,
                                    memory_order failure = memory_order::relaxed) {
  return object.compare_exchange_strong(expected, desired, success, failure);
}
#define SCYTHE_FETCH(name)                                                                         \
  template <class T, access::address_space S>                                                      \
  T atomic_fetch_##name(atomic<T, S> object, T operand,                                            \
                        memory_order order = memory_order::relaxed) {                              \
    return object.fetch_##name(operand, order);                                                    \
  }
SCYTHE_FOR_EACH_FETCH(SCYTHE_FETCH)
#undef SCYTHE_FETCH
#undef SCYTHE_FOR_EACH_FETCH

} // namespace sycl

#endif
