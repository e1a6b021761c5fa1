// `annotated_ptr` and `annotated_arg`: a pointer or a value with properties.
//
// A kernel parameter of this type carries the properties as attributes. Where device code reads the
// member, the compiler marks the access with them. Otherwise both types behave like the value that
// they hold.
#ifndef SCYTHE_EXT_ONEAPI_ANNOTATED_HPP
#define SCYTHE_EXT_ONEAPI_ANNOTATED_HPP

#include <sycl/device_copyable.hpp>
#include <sycl/ext/oneapi/accessor_properties.hpp>

#include <cstddef>
#include <type_traits>

namespace sycl::ext::oneapi {

template <class T, class PropertyList = property_list<>> class annotated_ptr;
template <class T, class PropertyList = property_list<>> class annotated_arg;

} // namespace sycl::ext::oneapi

namespace sycl::detail {
template <class A> inline constexpr bool is_annotated_arg = false;
template <class T, class L>
inline constexpr bool is_annotated_arg<ext::oneapi::annotated_arg<T, L>> = true;
// The operand of an operator: the value of an `annotated_arg`, or the operand itself.
template <class A, std::enable_if_t<!is_annotated_arg<std::remove_cv_t<A>>, int> = 0>
constexpr A &held(A &a) {
  return a;
}
template <class T, class L> T held(const ext::oneapi::annotated_arg<T, L> &a) { return a.get(); }
template <class A, class B>
struct one_annotated
    : std::enable_if<is_annotated_arg<std::decay_t<A>> || is_annotated_arg<std::decay_t<B>>> {};
} // namespace sycl::detail

namespace sycl::ext::oneapi {

template <class T, class... Props>
class SCYTHE_PROPERTIES("kernel_parameter_attributes", Props)
    annotated_ptr<T, property_list<Props...>> {
  static_assert((sycl::detail::has_meta_name<Props> && ... && true),
                "annotated_ptr: every property must have a meta_name");
  T *ptr SCYTHE_PROPERTIES("member_annotation", Props) = nullptr;

public:
  using element_type = T;

  annotated_ptr() = default;
  explicit annotated_ptr(T *p) : ptr(p) {}
  template <class L, class = sycl::detail::if_properties<L>> annotated_ptr(T *p, L) : ptr(p) {
    static_assert(std::is_same_v<sycl::detail::compiler_list<L>, property_list<Props...>>,
                  "annotated_ptr: the property list of the constructor must match the property "
                  "list of the class");
  }

  annotated_ptr &operator=(T *p) {
    ptr = p;
    return *this;
  }
  T *get() const { return ptr; }
  std::add_lvalue_reference_t<T> operator*() const { return *ptr; }
  T *operator->() const { return ptr; }
  std::add_lvalue_reference_t<T> operator[](std::ptrdiff_t index) const { return ptr[index]; }
  annotated_ptr &operator++() {
    ++ptr;
    return *this;
  }
  annotated_ptr operator++(int) {
    annotated_ptr before = *this;
    ++ptr;
    return before;
  }
  annotated_ptr &operator--() {
    --ptr;
    return *this;
  }
  annotated_ptr operator--(int) {
    annotated_ptr before = *this;
    --ptr;
    return before;
  }
  // The result of pointer arithmetic does not have the properties of the pointer.
  T *operator+(std::ptrdiff_t offset) const { return ptr + offset; }
  T *operator-(std::ptrdiff_t offset) const { return ptr - offset; }
  std::ptrdiff_t operator-(const annotated_ptr &other) const { return ptr - other.ptr; }
  explicit operator bool() const { return ptr != nullptr; }
  friend bool operator==(const annotated_ptr &a, const annotated_ptr &b) { return a.ptr == b.ptr; }
  friend bool operator!=(const annotated_ptr &a, const annotated_ptr &b) { return a.ptr != b.ptr; }

  template <class Key> static constexpr bool has_property() {
    return property_list<Props...>::template has_property<Key>();
  }
  template <class Key> static constexpr auto get_property() {
    return property_list<Props...>{}.template get_property<Key>();
  }
};
template <class T> annotated_ptr(T *) -> annotated_ptr<T>;
template <class T, class L>
annotated_ptr(T *, L) -> annotated_ptr<T, sycl::detail::compiler_list<L>>;

template <class T, class... Props>
class SCYTHE_PROPERTIES("kernel_parameter_attributes", Props)
    annotated_arg<T, property_list<Props...>> {
  static_assert(is_device_copyable_v<T>, "annotated_arg: the value must be device copyable");
  static_assert((sycl::detail::has_meta_name<Props> && ... && true),
                "annotated_arg: every property must have a meta_name");
  T value SCYTHE_PROPERTIES("member_annotation", Props) = T();

public:
  using element_type = T;

  annotated_arg() = default;
  annotated_arg(const T &v) : value(v) {}
  template <class L, class = sycl::detail::if_properties<L>>
  annotated_arg(const T &v, L) : value(v) {
    static_assert(std::is_same_v<sycl::detail::compiler_list<L>, property_list<Props...>>,
                  "annotated_arg: the property list of the constructor must match the property "
                  "list of the class");
  }

  operator T() const { return value; }
  T get() const { return value; }
  template <class I, class U = T>
  auto operator[](const I &index) const -> decltype(std::declval<const U &>()[index]) {
    return value[index];
  }
  template <class U = T, class = std::enable_if_t<std::is_pointer_v<U>>> U operator->() const {
    return value;
  }

  // Template operators of T do not consider conversions, so they are forwarded here.
#define SCYTHE_UNARY(op)                                                                           \
  template <class U = T> auto operator op() const->decltype(op std::declval<const U &>()) {        \
    return op value;                                                                               \
  }
  SCYTHE_UNARY(+)
  SCYTHE_UNARY(-)
  SCYTHE_UNARY(~)
  SCYTHE_UNARY(!)
#undef SCYTHE_UNARY

  template <class Key> static constexpr bool has_property() {
    return property_list<Props...>::template has_property<Key>();
  }
  template <class Key> static constexpr auto get_property() {
    return property_list<Props...>{}.template get_property<Key>();
  }
};
#define SCYTHE_BINARY(op)                                                                          \
  template <class A, class B, class = typename sycl::detail::one_annotated<A, B>::type>            \
  auto operator op(A &&a, B &&b)->decltype(sycl::detail::held(a) op sycl::detail::held(b)) {       \
    return sycl::detail::held(a) op sycl::detail::held(b);                                         \
  }
SCYTHE_BINARY(+)
SCYTHE_BINARY(-)
SCYTHE_BINARY(*)
SCYTHE_BINARY(/)
SCYTHE_BINARY(%)
SCYTHE_BINARY(&)
SCYTHE_BINARY(|)
SCYTHE_BINARY(^)
SCYTHE_BINARY(<<)
SCYTHE_BINARY(>>)
SCYTHE_BINARY(==)
SCYTHE_BINARY(!=)
SCYTHE_BINARY(<)
SCYTHE_BINARY(>)
SCYTHE_BINARY(<=)
SCYTHE_BINARY(>=)
#undef SCYTHE_BINARY
template <class T> annotated_arg(T) -> annotated_arg<T>;
template <class T, class L> annotated_arg(T, L) -> annotated_arg<T, sycl::detail::compiler_list<L>>;

// The property list may also be `properties`.
template <class T, class... Props>
class annotated_ptr<T, experimental::properties<Props...>>
    : public annotated_ptr<T, property_list<Props...>> {
public:
  using annotated_ptr<T, property_list<Props...>>::annotated_ptr;
  using annotated_ptr<T, property_list<Props...>>::operator=;
};
template <class T, class... Props>
class annotated_arg<T, experimental::properties<Props...>>
    : public annotated_arg<T, property_list<Props...>> {
public:
  using annotated_arg<T, property_list<Props...>>::annotated_arg;
};

} // namespace sycl::ext::oneapi

// An `annotated_arg` is device copyable if its value is.
template <class T, class L>
struct sycl::is_device_copyable<sycl::ext::oneapi::annotated_arg<T, L>>
    : sycl::is_device_copyable<T> {};

namespace sycl::ext::oneapi {

namespace experimental {
using oneapi::annotated_arg;
using oneapi::annotated_ptr;
} // namespace experimental

} // namespace sycl::ext::oneapi

#endif
