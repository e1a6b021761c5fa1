// `weak_object` and `owner_less` (`sycl_ext_oneapi_weak_object`): references that do not keep a
// SYCL object alive, and an order of objects by their identity.
//
// Platforms, devices and kernel identifiers live until the process ends, so weak references to them
// never expire. An accessor does not own its buffer, so a weak reference to it expires with the
// buffer.
#ifndef SCYTHE_EXT_ONEAPI_WEAK_OBJECT_HPP
#define SCYTHE_EXT_ONEAPI_WEAK_OBJECT_HPP

#include <sycl/host_accessor.hpp>
#include <sycl/image.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

#include <functional>
#include <optional>

namespace sycl {

namespace ext::oneapi {
template <class T> class weak_object;
}

namespace detail {

inline void weak_retain(scythe_event h) noexcept { scythe_event_weak_retain(h); }
inline void weak_release(scythe_event h) noexcept { scythe_event_weak_release(h); }
inline bool weak_lock(scythe_event h) noexcept { return scythe_event_weak_lock(h) != 0; }
inline void weak_retain(scythe_buffer h) noexcept { scythe_buffer_weak_retain(h); }
inline void weak_release(scythe_buffer h) noexcept { scythe_buffer_weak_release(h); }
inline bool weak_lock(scythe_buffer h) noexcept { return scythe_buffer_weak_lock(h) != 0; }
inline void weak_retain(weak_block *block) noexcept { block->add_reference(); }
inline void weak_release(weak_block *block) noexcept { block->drop_reference(); }
inline bool weak_lock(weak_block *block) noexcept {
  block->lock();
  const bool alive = block->object && block->object->try_add_reference();
  block->unlock();
  return alive;
}

// A weak reference to the target of an `owner<P>`, or to nothing.
template <class P> class weak_owner {
  static constexpr bool is_handle =
      std::is_same_v<P, scythe_event> || std::is_same_v<P, scythe_buffer>;

public:
  weak_owner() = default;
  explicit weak_owner(P target) : key_(key_of(target)) {
    if (key_)
      weak_retain(key_);
  }
  weak_owner(const weak_owner &other) noexcept : key_(other.key_) {
    if (key_)
      weak_retain(key_);
  }
  weak_owner(weak_owner &&other) noexcept : key_(other.key_) { other.key_ = nullptr; }
  weak_owner &operator=(weak_owner other) noexcept {
    auto mine = key_;
    key_ = other.key_;
    other.key_ = mine;
    return *this;
  }
  ~weak_owner() {
    if (key_)
      weak_release(key_);
  }
  // Returns nothing if the target has no owners.
  owner<P> lock() const noexcept {
    if (!key_ || !weak_lock(key_))
      return {};
    if constexpr (is_handle)
      return owner<P>::adopt(key_);
    else // The new reference keeps the object, so nothing changes this member.
      return owner<P>::adopt(static_cast<P>(key_->object));
  }
  // Returns false if the target is set, but has no owners.
  bool lock(owner<P> &to) const noexcept {
    to = lock();
    return to || !key_;
  }
  const void *identity() const noexcept { return key_; }

private:
  static auto key_of(P target) {
    if constexpr (is_handle)
      return target;
    else
      return target ? target->weak() : nullptr;
  }
  decltype(key_of(P())) key_ = nullptr;
};

// The parts of a weak reference to a `T`: constructors, `lock`, and `identity`, which differs
// between objects that do not share their state.

// All of them are partial specialisations, so that only programs that use them compile them.
template <class T, class... Types>
using if_one_of = std::enable_if_t<(std::is_same_v<T, Types> || ...)>;

// Objects with one owner as their state.
template <class T, class> struct weak_parts {
  weak_parts() = default;
  explicit weak_parts(const T &object) : state(object.scythe_impl().get()) {}
  std::optional<T> lock() const noexcept {
    if (auto alive = state.lock())
      return T(std::move(alive));
    return std::nullopt;
  }
  const void *identity() const noexcept { return state.identity(); }

private:
  weak_owner<decltype(std::declval<const T &>().scythe_impl().get())> state;
};

// Objects that live until the process ends.
template <class T> struct weak_parts<T, if_one_of<T, platform, device, kernel_id>> {
  weak_parts() = default;
  explicit weak_parts(const T &object) : value(object) {
    if constexpr (std::is_same_v<T, kernel_id>)
      key = object.get_name();
    else
      key = access_handle::of(object);
  }
  std::optional<T> lock() const noexcept { return value; }
  const void *identity() const noexcept { return key; }

private:
  std::optional<T> value;
  const void *key = nullptr;
};

template <class T> struct weak_parts<T, if_one_of<T, kernel>> {
  weak_parts() = default;
  explicit weak_parts(const T &k) : state(k.shared_.get()) {}
  std::optional<T> lock() const noexcept {
    if (auto alive = state.lock())
      return T(alive.take());
    return std::nullopt;
  }
  const void *identity() const noexcept { return state.identity(); }

private:
  weak_owner<const typename T::state *> state;
};

template <class T> struct weak_parts<T, if_one_of<T, event>> {
  weak_parts() = default;
  explicit weak_parts(const T &e)
      : handle(e.handle_.get()), queue(e.queue_.get()), waits(e.waits_.get()) {}
  std::optional<T> lock() const noexcept {
    T alive({}, {});
    if (identity() && handle.lock(alive.handle_) && queue.lock(alive.queue_) &&
        waits.lock(alive.waits_))
      return alive;
    return std::nullopt;
  }
  const void *identity() const noexcept {
    return handle.identity() ? handle.identity() : waits.identity();
  }

private:
  weak_owner<later_t<T, scythe_event>> handle;
  weak_owner<later_t<T, queue_impl *>> queue;
  weak_owner<later_t<T, wait_list *>> waits;
};

template <class T, int D, class A> struct weak_parts<buffer<T, D, A>> {
  using object = buffer<T, D, A>;
  weak_parts() = default;
  explicit weak_parts(const object &b)
      : memory(b.owner_.get()), handle(b.handle_.get()),
        shape({b.range_, b.allocator_, b.properties_, b.sub_buffer_}) {}
  std::optional<object> lock() const noexcept {
    ref<later_t<T, counted_object>> kept;
    if (auto alive = handle.lock(); alive && memory.lock(kept))
      return object(std::move(alive), shape->size, shape->allocator, shape->properties,
                    std::move(kept), shape->sub_buffer);
    return std::nullopt;
  }
  const void *identity() const noexcept { return handle.identity(); }

private:
  struct values {
    range<D> size;
    A allocator;
    property_list properties;
    bool sub_buffer;
  };
  weak_owner<later_t<T, counted_object *>> memory;
  weak_owner<later_t<T, scythe_buffer>> handle;
  std::optional<values> shape;
};

template <class T, int D, access_mode Mode> struct weak_parts<host_accessor<T, D, Mode>> {
  using object = host_accessor<T, D, Mode>;
  weak_parts() = default;
  explicit weak_parts(const object &a) : access(a.access_.get()), plain(a) { plain.access_ = {}; }
  std::optional<object> lock() const noexcept {
    object alive = plain;
    if (identity() && access.lock(alive.access_))
      return alive;
    return std::nullopt;
  }
  const void *identity() const noexcept { return access.identity(); }

private:
  weak_owner<later_t<T, host_access *>> access;
  object plain;
};

template <class T, int D, access_mode Mode, target Target, access::placeholder P, class L>
struct weak_parts<accessor<T, D, Mode, Target, P, L>> {
  using object = accessor<T, D, Mode, Target, P, L>;
  weak_parts() = default;
  explicit weak_parts(const object &a) : buffer(accessor_view::of(a).buffer), plain(a) {}
  std::optional<object> lock() const noexcept {
    if (buffer.lock())
      return plain;
    return std::nullopt;
  }
  const void *identity() const noexcept { return buffer.identity(); }

private:
  weak_owner<later_t<T, scythe_buffer>> buffer;
  object plain;
};

template <class T> const void *owner_identity(const T &object) {
  return weak_parts<T>(object).identity();
}
template <class T> const void *owner_identity(const ext::oneapi::weak_object<T> &object) {
  return object.scythe_identity();
}
template <class A, class B> bool owner_before(const A &a, const B &b) noexcept {
  return std::less<const void *>()(owner_identity(a), owner_identity(b));
}

} // namespace detail

namespace ext::oneapi {

template <class T> class weak_object {
public:
  using object_type = T;

  weak_object() noexcept = default;
  weak_object(const T &object) noexcept : parts_(object) {}
  weak_object(const weak_object &) noexcept = default;
  weak_object(weak_object &&) noexcept = default;
  weak_object &operator=(const T &object) noexcept { return *this = weak_object(object); }
  weak_object &operator=(const weak_object &) noexcept = default;
  weak_object &operator=(weak_object &&) noexcept = default;

  void reset() noexcept { parts_ = {}; }
  void swap(weak_object &other) noexcept {
    weak_object mine = std::move(*this);
    *this = std::move(other);
    other = std::move(mine);
  }
  bool expired() const noexcept { return !parts_.lock(); }
  // Returns nothing if the object has expired.
  std::optional<T> try_lock() const noexcept { return parts_.lock(); }
  T lock() const {
    std::optional<T> alive = parts_.lock();
    if (!alive)
      sycl::detail::fail(errc::invalid,
                         "weak_object::lock: the object has expired; call try_lock instead");
    return *alive;
  }

  bool owner_before(const weak_object &other) const noexcept {
    return sycl::detail::owner_before(*this, other);
  }
  bool owner_before(const T &other) const noexcept {
    return sycl::detail::owner_before(*this, other);
  }

  const void *scythe_identity() const noexcept { return parts_.identity(); }

private:
  sycl::detail::weak_parts<T> parts_;
};

// An order for associative containers. Copies of an object are equivalent, and so are their weak
// references, also after the object has expired.
template <class T> struct owner_less {
  bool operator()(const T &a, const T &b) const noexcept { return before(a, b); }
  bool operator()(const T &a, const weak_object<T> &b) const noexcept { return before(a, b); }
  bool operator()(const weak_object<T> &a, const T &b) const noexcept { return before(a, b); }
  bool operator()(const weak_object<T> &a, const weak_object<T> &b) const noexcept {
    return before(a, b);
  }

private:
  template <class A, class B> static bool before(const A &a, const B &b) noexcept {
    return sycl::detail::owner_before(a, b);
  }
};

} // namespace ext::oneapi
} // namespace sycl

#endif
