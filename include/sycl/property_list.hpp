// Property lists: the properties passed to a constructor, which can be looked up by their type.
//
// A list is immutable. Properties without values are bits. Copies share the others. Accessors with
// `no_init` and copies of queues and buffers therefore need no allocation.
#ifndef SCYTHE_PROPERTY_LIST_HPP
#define SCYTHE_PROPERTY_LIST_HPP

#include <sycl/exception.hpp>

#include <type_traits>
#include <utility>

namespace sycl {

namespace detail {
// Base class of properties, from which `is_property` recognises them.
struct property_base {};
// One object per property type. Its address identifies the type without RTTI.
template <class P> inline constexpr char property_key = 0;
// The bit of a property without values, or 0 for other properties.
template <class P, class = void> inline constexpr unsigned property_bit = 0;
template <class P>
inline constexpr unsigned property_bit<P, std::void_t<decltype(P::scythe_bit)>> = P::scythe_bit;
} // namespace detail

template <class P> struct is_property : std::is_base_of<detail::property_base, P> {};
template <class P> inline constexpr bool is_property_v = is_property<P>::value;
template <class P, class Object> struct is_property_of : std::false_type {};
template <class P, class Object>
inline constexpr bool is_property_of_v = is_property_of<P, Object>::value;

class property_list {
public:
  property_list() = default;
  template <class First, class... Rest,
            class = std::enable_if_t<is_property_v<First> && (is_property_v<Rest> && ... && true)>>
  property_list(First first, Rest... rest) {
    add(std::move(first));
    (add(std::move(rest)), ...);
  }

  template <class P> bool has_property() const noexcept {
    if constexpr (detail::property_bit<P> != 0)
      return flags_ & detail::property_bit<P>;
    else
      return find<P>() != nullptr;
  }
  template <class P> P get_property() const {
    if constexpr (detail::property_bit<P> != 0) {
      if (flags_ & detail::property_bit<P>)
        return P();
    } else if (const P *property = find<P>()) {
      return *property;
    }
    detail::fail(
        errc::invalid,
        "get_property: the object was not constructed with this property; call has_property first");
  }

private:
  struct node : detail::counted_object {
    node(const void *k, detail::ref<node> n) : key(k), next(std::move(n)) {}
    const void *key;
    detail::ref<node> next;
  };
  template <class P> struct value_node : node {
    value_node(detail::ref<node> next, P p)
        : node(&detail::property_key<P>, std::move(next)), value(std::move(p)) {}
    P value;
  };
  template <class P> void add(P property) {
    if constexpr (detail::property_bit<P> != 0)
      flags_ |= detail::property_bit<P>;
    else
      first_ = detail::ref<node>::adopt(new value_node<P>(std::move(first_), std::move(property)));
  }
  template <class P> const P *find() const noexcept {
    for (const node *n = first_.get(); n; n = n->next.get())
      if (n->key == &detail::property_key<P>)
        return &static_cast<const value_node<P> *>(n)->value;
    return nullptr;
  }
  detail::ref<node> first_;
  unsigned flags_ = 0;
};

namespace property {

// For accessors: discards the previous contents.
struct no_init : detail::property_base {
  static constexpr unsigned scythe_bit = 1;
};

namespace queue {
struct in_order : detail::property_base {
  static constexpr unsigned scythe_bit = 2;
};
struct enable_profiling : detail::property_base {
  static constexpr unsigned scythe_bit = 4;
};
} // namespace queue

} // namespace property

inline constexpr property::no_init no_init{};

class queue;
template <> struct is_property_of<property::queue::in_order, queue> : std::true_type {};
template <> struct is_property_of<property::queue::enable_profiling, queue> : std::true_type {};

// Queue properties of extensions. All of them are hints, which the backends ignore. The status of
// events of a queue with `discard_events` is unknown, but they can be waited for.
#define SCYTHE_QUEUE_HINT(vendor, name, bit)                                                       \
  namespace ext::vendor::property::queue {                                                         \
  struct name : sycl::detail::property_base {                                                      \
    static constexpr unsigned scythe_bit = bit;                                                    \
  };                                                                                               \
  }                                                                                                \
  template <> struct is_property_of<ext::vendor::property::queue::name, queue> : std::true_type {};
SCYTHE_QUEUE_HINT(oneapi, priority_normal, 64)
SCYTHE_QUEUE_HINT(oneapi, priority_low, 128)
SCYTHE_QUEUE_HINT(oneapi, priority_high, 256)
SCYTHE_QUEUE_HINT(oneapi, discard_events, 512)
SCYTHE_QUEUE_HINT(intel, immediate_command_list, 1024)
SCYTHE_QUEUE_HINT(intel, no_immediate_command_list, 2048)
#undef SCYTHE_QUEUE_HINT

namespace ext::oneapi::property::usm {
// For shared memory that only the host changes. A hint, which the backends ignore.
struct device_read_only : sycl::detail::property_base {};
} // namespace ext::oneapi::property::usm

namespace ext::intel::property::queue {
// Selects one of `max_compute_queue_indices` queues of the device. Every device has one.
class compute_index : public sycl::detail::property_base {
public:
  compute_index(int index) : index_(index) {}
  int get_index() const { return index_; }

private:
  int index_;
};
} // namespace ext::intel::property::queue
template <>
struct is_property_of<ext::intel::property::queue::compute_index, queue> : std::true_type {};

} // namespace sycl

#endif
