// Owners of reference-counted objects: handles of the C interface, and objects of the headers.
//
// `handle<H>` owns one reference of a runtime object. `ref<T>` owns one reference of an object
// derived from `counted`. Copies add a reference and never fail, so that SYCL objects and
// exceptions can be copied without throwing.
#ifndef SCYTHE_DETAIL_HANDLE_HPP
#define SCYTHE_DETAIL_HANDLE_HPP

#include <sycl/detail/abi.h>
#include <sycl/detail/config.hpp>

#include <atomic>
#include <cstddef>

namespace sycl::detail {

inline void retain(scythe_context h) noexcept { scythe_context_retain(h); }
inline void release(scythe_context h) noexcept { scythe_context_release(h); }
inline void retain(scythe_queue h) noexcept { scythe_queue_retain(h); }
inline void release(scythe_queue h) noexcept { scythe_queue_release(h); }
inline void retain(scythe_event h) noexcept { scythe_event_retain(h); }
inline void release(scythe_event h) noexcept { scythe_event_release(h); }
inline void retain(scythe_buffer h) noexcept { scythe_buffer_retain(h); }
inline void release(scythe_buffer h) noexcept { scythe_buffer_release(h); }

inline void retain(scythe_native_kernel h) noexcept { scythe_native_kernel_retain(h); }
inline void release(scythe_native_kernel h) noexcept { scythe_native_kernel_release(h); }

// Base class of objects that `ref` counts.
class counted {
public:
  counted() = default;
  counted(const counted &) = delete;
  counted &operator=(const counted &) = delete;
  void add_reference() const noexcept { __atomic_fetch_add(&count_, 1, __ATOMIC_RELAXED); }
  // Returns true if this was the last reference.
  bool drop_reference() const noexcept {
    return __atomic_fetch_sub(&count_, 1, __ATOMIC_ACQ_REL) == 1;
  }

protected:
  ~counted() = default;

private:
  mutable std::size_t count_ = 1;
};

// Base class of objects that `ref` counts without knowing their type.
struct counted_object : counted {
  virtual ~counted_object() = default;
};

template <class T> void retain(T *object) noexcept { object->add_reference(); }
// Not inlined, because this code would otherwise be repeated at the end of every copy's lifetime.
template <class T> SCYTHE_COLD void destroy(T *object) noexcept { delete object; }
template <class T> void release(T *object) noexcept {
  if (object->drop_reference())
    destroy(object);
}

// Owns one reference of the target of `P` (a pointer type with `retain` and `release`), or nothing.
template <class P> class owner {
public:
  owner() = default;
  // Takes over the reference that a creating function returned.
  static owner adopt(P p) noexcept {
    owner o;
    o.pointer_ = p;
    return o;
  }
  // Adds a reference.
  static owner share(P p) noexcept {
    if (p)
      retain(p);
    return adopt(p);
  }
  owner(const owner &other) noexcept : pointer_(other.pointer_) {
    if (pointer_)
      retain(pointer_);
  }
  owner(owner &&other) noexcept : pointer_(other.pointer_) { other.pointer_ = nullptr; }
  owner &operator=(owner other) noexcept {
    P mine = pointer_;
    pointer_ = other.pointer_;
    other.pointer_ = mine;
    return *this;
  }
  ~owner() {
    if (pointer_)
      release(pointer_);
  }
  P get() const noexcept { return pointer_; }
  // Passes the reference to the caller.
  P take() noexcept {
    P mine = pointer_;
    pointer_ = nullptr;
    return mine;
  }
  P operator->() const noexcept { return pointer_; }
  auto &operator*() const noexcept { return *pointer_; }
  explicit operator bool() const noexcept { return pointer_ != nullptr; }
  friend bool operator==(const owner &a, const owner &b) noexcept {
    return a.pointer_ == b.pointer_;
  }
  friend bool operator!=(const owner &a, const owner &b) noexcept {
    return a.pointer_ != b.pointer_;
  }

private:
  P pointer_ = nullptr;
};

// `T` as a type that depends on `V`. A template that uses it costs only its parsing until it is
// instantiated.
template <class V, class T> struct later {
  using type = T;
};
template <class V, class T> using later_t = typename later<V, T>::type;

template <class H> using handle = owner<H>;
template <class T> using ref = owner<T *>;

} // namespace sycl::detail

#endif
