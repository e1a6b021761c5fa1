// Property lists: what a constructor was given, found again by the property's type.
//
// A list is immutable and shared, so that copies of queues and buffers carry theirs without allocation.
#ifndef SCYTHE_PROPERTY_LIST_HPP
#define SCYTHE_PROPERTY_LIST_HPP

#include <sycl/exception.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace sycl {

namespace detail {
// Properties derive from it; `is_property` needs no list of them.
struct property_base {};
// One object per property type: its address identifies the type, without RTTI.
template <class P> inline constexpr char property_key = 0;
} // namespace detail

template <class P> struct is_property : std::is_base_of<detail::property_base, P> {};
template <class P> inline constexpr bool is_property_v = is_property<P>::value;
template <class P, class Object> struct is_property_of : std::false_type {};
template <class P, class Object> inline constexpr bool is_property_of_v = is_property_of<P, Object>::value;

class property_list {
public:
  property_list() = default;
  template <class First, class... Rest,
            class = std::enable_if_t<is_property_v<First> && (is_property_v<Rest> && ... && true)>>
  property_list(First first, Rest... rest) {
    add(std::move(first));
    (add(std::move(rest)), ...);
  }

  template <class P> bool has_property() const noexcept { return find<P>() != nullptr; }
  template <class P> P get_property() const {
    if (const P *property = find<P>())
      return *property;
    detail::fail(errc::invalid, "get_property: the object was not constructed with this property");
  }

private:
  struct node {
    const void *key;
    std::shared_ptr<const node> next;
  };
  template <class P> struct value_node : node {
    value_node(std::shared_ptr<const node> next, P p)
        : node{&detail::property_key<P>, std::move(next)}, value(std::move(p)) {}
    P value;
  };
  template <class P> void add(P property) {
    first_ = std::make_shared<const value_node<P>>(std::move(first_), std::move(property));
  }
  template <class P> const P *find() const noexcept {
    for (const node *n = first_.get(); n; n = n->next.get())
      if (n->key == &detail::property_key<P>)
        return &static_cast<const value_node<P> *>(n)->value;
    return nullptr;
  }
  std::shared_ptr<const node> first_;
};

namespace property {

// For accessors: the earlier contents of what is accessed need not be kept.
struct no_init : detail::property_base {};

namespace queue {
struct in_order : detail::property_base {};
struct enable_profiling : detail::property_base {};
} // namespace queue

} // namespace property

inline constexpr property::no_init no_init{};

class queue;
template <> struct is_property_of<property::queue::in_order, queue> : std::true_type {};
template <> struct is_property_of<property::queue::enable_profiling, queue> : std::true_type {};

} // namespace sycl

#endif
