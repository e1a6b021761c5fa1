// `device_global`: a variable in device code that each device and each context stores separately.
//
// Device code uses it like a reference to its `T`. The host copies to and from it with
// `queue::copy`, `queue::memcpy` and the handler's functions. The compiler checks that it is
// declared at namespace scope or as a public static member.
//
// The object contains a `T` in every pass. In device code, it is the variable. On the host, it is
// the initial value, which the runtime copies to devices. In host mode, it is the variable again.
#ifndef SCYTHE_EXT_ONEAPI_DEVICE_GLOBAL_HPP
#define SCYTHE_EXT_ONEAPI_DEVICE_GLOBAL_HPP

#include <sycl/detail/device_global_copy.hpp>
#include <sycl/multi_ptr.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace sycl::ext::oneapi {

// --- Properties, with the names of the older extension

struct device_image_scope {
  static constexpr const char *meta_name = "sycl-device-image-scope";
  using value_t = property_value<device_image_scope>;
};
struct host_access {
  enum class access : unsigned char { read, write, read_write, none };
  static constexpr const char *meta_name = "sycl-host-access";
  template <access Access>
  using value_t = property_value<host_access, std::integral_constant<access, Access>>;
};
struct init_mode {
  enum class trigger : unsigned char { reprogram, reset };
  static constexpr const char *meta_name = "sycl-init-mode";
  template <trigger Trigger>
  using value_t = property_value<init_mode, std::integral_constant<trigger, Trigger>>;
};
struct implement_in_csr {
  static constexpr const char *meta_name = "sycl-implement-in-csr";
  template <bool Enable>
  using value_t = property_value<implement_in_csr, std::bool_constant<Enable>>;
};

// Device code contains the words, not the numbers.
template <host_access::access Access>
struct property_value<host_access, std::integral_constant<host_access::access, Access>> {
  using key_t = host_access;
  using value_t = std::integral_constant<host_access::access, Access>;
  static constexpr host_access::access value = Access;
  static constexpr const char *meta_name = host_access::meta_name;
  static constexpr const char *meta_value = Access == host_access::access::read    ? "read"
                                            : Access == host_access::access::write ? "write"
                                            : Access == host_access::access::read_write
                                                ? "read_write"
                                                : "none";
};
template <init_mode::trigger Trigger>
struct property_value<init_mode, std::integral_constant<init_mode::trigger, Trigger>> {
  using key_t = init_mode;
  using value_t = std::integral_constant<init_mode::trigger, Trigger>;
  static constexpr init_mode::trigger value = Trigger;
  static constexpr const char *meta_name = init_mode::meta_name;
  static constexpr const char *meta_value =
      Trigger == init_mode::trigger::reprogram ? "reprogram" : "reset";
};

inline constexpr device_image_scope::value_t device_image_scope_v{};
template <host_access::access Access> inline constexpr host_access::value_t<Access> host_access_v{};
template <init_mode::trigger Trigger> inline constexpr init_mode::value_t<Trigger> init_mode_v{};
template <bool Enable> inline constexpr implement_in_csr::value_t<Enable> implement_in_csr_v{};

namespace experimental {

// --- Properties, with the current names

using device_image_scope_key = oneapi::device_image_scope;
using host_access_key = oneapi::host_access;
using init_mode_key = oneapi::init_mode;
using implement_in_csr_key = oneapi::implement_in_csr;
using host_access_enum = oneapi::host_access::access;
using init_mode_enum = oneapi::init_mode::trigger;

inline constexpr device_image_scope_key::value_t device_image_scope{};
template <host_access_enum Access> inline constexpr host_access_key::value_t<Access> host_access{};
inline constexpr host_access_key::value_t<host_access_enum::read> host_access_read{};
inline constexpr host_access_key::value_t<host_access_enum::write> host_access_write{};
inline constexpr host_access_key::value_t<host_access_enum::read_write> host_access_read_write{};
inline constexpr host_access_key::value_t<host_access_enum::none> host_access_none{};
template <init_mode_enum Trigger> inline constexpr init_mode_key::value_t<Trigger> init_mode{};
inline constexpr init_mode_key::value_t<init_mode_enum::reprogram> init_mode_reprogram{};
inline constexpr init_mode_key::value_t<init_mode_enum::reset> init_mode_reset{};
template <bool Enable> inline constexpr implement_in_csr_key::value_t<Enable> implement_in_csr{};
inline constexpr implement_in_csr_key::value_t<true> implement_in_csr_on{};
inline constexpr implement_in_csr_key::value_t<false> implement_in_csr_off{};

template <> struct is_property_key<device_image_scope_key> : std::true_type {};
template <> struct is_property_key<host_access_key> : std::true_type {};
template <> struct is_property_key<init_mode_key> : std::true_type {};
template <> struct is_property_key<implement_in_csr_key> : std::true_type {};
template <class Key, class Object> struct is_property_key_of : std::false_type {};
template <class Key, class T, class L>
struct is_property_key_of<Key, device_global<T, L>> : is_property_key<Key> {};

} // namespace experimental
} // namespace sycl::ext::oneapi

namespace sycl::detail {

// The variable is in device memory, so host code has no reference to it.
[[noreturn]] SCYTHE_LIBRARY_COLD void device_global_on_host() {
  fail(errc::feature_not_supported, "a device_global can only be accessed in device code; on the "
                                    "host, use queue::copy or queue::memcpy");
}

template <class U, class = void> inline constexpr bool has_arrow = std::is_pointer_v<U>;
template <class U>
inline constexpr bool has_arrow<U, std::void_t<decltype(std::declval<U &>().operator->())>> = true;

template <class G> inline constexpr bool is_device_global = false;
template <class T, class L>
inline constexpr bool is_device_global<ext::oneapi::experimental::device_global<T, L>> = true;

template <bool Allowed> struct copies_initial_value {};
template <> struct copies_initial_value<false> {
  constexpr copies_initial_value() = default;
  copies_initial_value(const copies_initial_value &) = delete;
};

// Helpers for initial values.
struct device_global_numbers {};
struct device_global_objects {};
template <class A, class... Rest>
using if_device_global_value =
    std::enable_if_t<sizeof...(Rest) != 0 ||
                     !is_device_global<std::remove_cv_t<std::remove_reference_t<A>>>>;

// The common part of both spellings of the property list. Variables without `device_image_scope`
// may be initialised with the initial value of others.
template <class T, class List>
class device_global_base : private copies_initial_value<
                               !List::template has_property<ext::oneapi::device_image_scope>()> {
  static_assert(std::is_trivially_destructible_v<T>,
                "device_global: T must be trivially destructible");
  using shared =
      copies_initial_value<!List::template has_property<ext::oneapi::device_image_scope>()>;
  using host_may = ext::oneapi::host_access::access;

  static constexpr host_may host_access() {
    if constexpr (List::template has_property<ext::oneapi::host_access>())
      return decltype(List{}.template get_property<ext::oneapi::host_access>())::value;
    else
      return host_may::read_write;
  }

public:
  using element_type = std::remove_extent_t<T>;

#ifdef __SCYTHE_SOURCE_BUNDLE__
  static constexpr bool scythe_has_host_object = false;
#else
  static constexpr bool scythe_has_host_object = true;
#endif
  static_assert(scythe_has_host_object || std::is_trivially_default_constructible_v<T>,
                "device_global: variables of source text that is compiled at run time have no "
                "initial value");

#if __cpp_consteval
  using tag = std::conditional_t<std::is_arithmetic_v<std::remove_all_extents_t<T>>,
                                 device_global_numbers, device_global_objects>;
  // Converts numbers explicitly. Function arguments are not constants, so list initialisation would
  // reject them as narrowing.
  template <class... Args>
  constexpr device_global_base(device_global_numbers, Args &...args)
      : value_{static_cast<std::remove_all_extents_t<T>>(args)...} {
    static_assert(scythe_has_host_object || sizeof...(Args) == 0,
                  "device_global: variables of source text that is compiled at run time have no "
                  "initial value");
  }
  template <class... Args>
  constexpr device_global_base(device_global_objects, Args &...args) : value_{args...} {
    static_assert(scythe_has_host_object || sizeof...(Args) == 0,
                  "device_global: variables of source text that is compiled at run time have no "
                  "initial value");
  }
#else
  static_assert(std::is_trivially_default_constructible_v<T>,
                "device_global: before C++20, T must be trivially default constructible");
  constexpr device_global_base() : value_() {}
#endif

#ifdef SCYTHE_DEVICE_PASS
  // The runtime takes initial values from the host object, so device code computes none when it is
  // loaded.
  constexpr device_global_base(const device_global_base &other) : shared(other), value_() {}
  template <class U, class L, class = std::enable_if_t<std::is_convertible_v<U, T>>>
  constexpr device_global_base(const ext::oneapi::experimental::device_global<U, L> &) : value_() {
    static_assert(scythe_has_host_object || sizeof(U) == 0,
                  "device_global: variables of source text that is compiled at run time have no "
                  "initial value");
    static_assert(!scythe_image_scope, "a device_global with property device_image_scope cannot be "
                                       "copied from another device_global");
  }
#else
  constexpr device_global_base(const device_global_base &) = default;
  template <class U, class L, class = std::enable_if_t<std::is_convertible_v<U, T>>>
  constexpr device_global_base(const ext::oneapi::experimental::device_global<U, L> &other)
      : value_(other.scythe_initial_value()) {
    static_assert(!scythe_image_scope, "a device_global with property device_image_scope cannot be "
                                       "copied from another device_global");
  }
#endif
  device_global_base &operator=(const device_global_base &) = delete;

  T &get() noexcept {
#if defined(SCYTHE_DEVICE_PASS) || defined(SCYTHE_HOST_MODE)
    return value_;
#else
    device_global_on_host();
#endif
  }
  const T &get() const noexcept { return const_cast<device_global_base *>(this)->get(); }
  operator T &() noexcept { return get(); }
  operator const T &() const noexcept { return get(); }

  template <access::decorated IsDecorated>
  multi_ptr<T, access::address_space::global_space, IsDecorated> get_multi_ptr() noexcept {
    return multi_ptr<T, access::address_space::global_space, IsDecorated>(
        __builtin_addressof(get()));
  }
  template <access::decorated IsDecorated>
  multi_ptr<const T, access::address_space::global_space, IsDecorated>
  get_multi_ptr() const noexcept {
    return multi_ptr<const T, access::address_space::global_space, IsDecorated>(
        __builtin_addressof(get()));
  }

  template <class U = T>
  auto operator[](std::ptrdiff_t index) noexcept -> decltype(std::declval<U &>()[index]) {
    return get()[index];
  }
  template <class U = T>
  auto operator[](std::ptrdiff_t index) const noexcept
      -> decltype(std::declval<const U &>()[index]) {
    return get()[index];
  }
  template <class U = T, class = std::enable_if_t<has_arrow<U>>> U &operator->() noexcept {
    return get();
  }
  template <class U = T, class = std::enable_if_t<has_arrow<U>>>
  const U &operator->() const noexcept {
    return get();
  }

  template <class Key> static constexpr bool has_property() {
    return List::template has_property<Key>();
  }
  template <class Key> static constexpr auto get_property() {
    return List{}.template get_property<Key>();
  }

  static constexpr bool scythe_image_scope =
      List::template has_property<ext::oneapi::device_image_scope>();
  static constexpr bool scythe_host_reads =
      host_access() == host_may::read || host_access() == host_may::read_write;
  static constexpr bool scythe_host_writes =
      host_access() == host_may::write || host_access() == host_may::read_write;
  constexpr const T &scythe_initial_value() const { return value_; }

private:
  T value_;
};

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

#if __cpp_consteval
#define SCYTHE_DEVICE_GLOBAL_CONSTRUCTORS                                                          \
  consteval device_global() : base(typename base::tag()) {}                                        \
  template <class A, class... Rest, class = sycl::detail::if_device_global_value<A, Rest...>>      \
  consteval explicit device_global(A &&first, Rest &&...rest)                                      \
      : base(typename base::tag(), first, rest...) {}
#else
#define SCYTHE_DEVICE_GLOBAL_CONSTRUCTORS constexpr device_global() = default;
#endif
#define SCYTHE_DEVICE_GLOBAL(list)                                                                 \
  template <class T, class... Props>                                                               \
  class SCYTHE_SPECIAL("device_global") SCYTHE_PROPERTIES("global_variable_attributes", Props)     \
      device_global<T, list<Props...>>                                                             \
      : public sycl::detail::device_global_base<T, list<Props...>> {                               \
    using base = sycl::detail::device_global_base<T, list<Props...>>;                              \
                                                                                                   \
  public:                                                                                          \
    SCYTHE_DEVICE_GLOBAL_CONSTRUCTORS                                                              \
    constexpr device_global(const device_global &) = default;                                      \
    template <class U, class L, class = std::enable_if_t<std::is_convertible_v<U, T>>>             \
    constexpr device_global(const device_global<U, L> &other) : base(other) {}                     \
    device_global &operator=(const device_global &) = delete;                                      \
    device_global &operator=(const T &value) noexcept {                                            \
      this->get() = value;                                                                         \
      return *this;                                                                                \
    }                                                                                              \
  };
SCYTHE_DEVICE_GLOBAL(properties)
SCYTHE_DEVICE_GLOBAL(oneapi::property_list)
#undef SCYTHE_DEVICE_GLOBAL
#undef SCYTHE_DEVICE_GLOBAL_CONSTRUCTORS

} // namespace sycl::ext::oneapi::experimental

namespace sycl::ext::oneapi {
using experimental::device_global;
}

#endif
