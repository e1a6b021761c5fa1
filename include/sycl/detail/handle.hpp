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

inline void retain(scythe_online_program h) noexcept { scythe_online_retain(h); }
inline void release(scythe_online_program h) noexcept { scythe_online_release(h); }

inline void retain(scythe_graph h) noexcept { scythe_graph_retain(h); }
inline void release(scythe_graph h) noexcept { scythe_graph_release(h); }
inline void retain(scythe_graph_node h) noexcept { scythe_graph_node_retain(h); }
inline void release(scythe_graph_node h) noexcept { scythe_graph_node_release(h); }
inline void retain(scythe_graph_exec h) noexcept { scythe_graph_exec_retain(h); }
inline void release(scythe_graph_exec h) noexcept { scythe_graph_exec_release(h); }
inline void retain(scythe_graph_choice h) noexcept { scythe_graph_choice_retain(h); }
inline void release(scythe_graph_choice h) noexcept { scythe_graph_choice_release(h); }

class counted;

// The target of all weak references to an object (`sycl_ext_oneapi_weak_object`), which outlives
// the object.
struct weak_block {
  counted *object; // null after the end of the object
  std::size_t references;
  bool busy;

  void lock() noexcept {
    while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) {
    }
  }
  void unlock() noexcept { __atomic_clear(&busy, __ATOMIC_RELEASE); }
  void add_reference() noexcept { __atomic_fetch_add(&references, 1, __ATOMIC_RELAXED); }
  void drop_reference() noexcept {
    if (__atomic_fetch_sub(&references, 1, __ATOMIC_ACQ_REL) == 1)
      delete this;
  }
};

// Base class of objects that `ref` counts.
class counted {
public:
  counted() = default;
  counted(const counted &) = delete;
  counted &operator=(const counted &) = delete;
  // Fails if the object is being destroyed.
  bool try_add_reference() const noexcept {
    std::size_t count = __atomic_load_n(&count_, __ATOMIC_RELAXED);
    while (count != 0 && !__atomic_compare_exchange_n(&count_, &count, count + 1, true,
                                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    }
    return count != 0;
  }
  // Returns the target of weak references to this object.
  SCYTHE_LIBRARY_COLD weak_block *weak() const {
    weak_block *mine = __atomic_load_n(&weak_, __ATOMIC_ACQUIRE);
    if (mine)
      return mine;
    auto *made = new weak_block{const_cast<counted *>(this), 1, false};
    if (__atomic_compare_exchange_n(&weak_, &mine, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return made;
    delete made;
    return mine;
  }
  void add_reference() const noexcept { __atomic_fetch_add(&count_, 1, __ATOMIC_RELAXED); }
  // Returns true if this was the last reference.
  bool drop_reference() const noexcept {
    return __atomic_fetch_sub(&count_, 1, __ATOMIC_ACQ_REL) == 1;
  }

protected:
  ~counted() {
    if (weak_)
      expire();
  }

private:
  SCYTHE_LIBRARY_COLD void expire() noexcept {
    weak_->lock();
    weak_->object = nullptr;
    weak_->unlock();
    weak_->drop_reference();
  }
  mutable std::size_t count_ = 1;
  mutable weak_block *weak_ = nullptr;
};

// Base class of objects that `ref` counts without knowing their type.
struct counted_object : counted {
  virtual ~counted_object() = default;
};

template <class T> void retain(T *object) noexcept { object->add_reference(); }
// Not inlined, because this code would otherwise be repeated at the end of every copy's lifetime.
template <class T> SCYTHE_COLD void destroy(T *object) noexcept { delete object; }
SCYTHE_LIBRARY_INSTANCE(void destroy(counted_object *) noexcept)
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

template <class H> using handle = owner<H>;
template <class T> using ref = owner<T *>;

// The order of `sycl_ext_oneapi_weak_object`. `ext/oneapi/weak_object.hpp` defines both.
template <class T, class = void> struct weak_parts;
template <class A, class B> bool owner_before(const A &a, const B &b) noexcept;
#define SCYTHE_OWNER_BEFORE                                                                        \
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept {         \
    return ::sycl::detail::owner_before(*this, other);                                             \
  }

} // namespace sycl::detail

#endif
