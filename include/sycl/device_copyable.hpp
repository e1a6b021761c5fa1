// The types that a kernel may capture: trivially copyable types, and types that the specification
// or the user declares device copyable.
#ifndef SCYTHE_DEVICE_COPYABLE_HPP
#define SCYTHE_DEVICE_COPYABLE_HPP

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

// Forward declarations of two types. Including their headers would cost up to a tenth of the
// compile time of all headers in this folder, also in programs that use neither type.
#if defined(__GLIBCXX__) && !_GLIBCXX_INLINE_VERSION
namespace std {
template <class T> class optional;
template <class... Types> class variant;
} // namespace std
#else
#include <optional>
#include <variant>
#endif

namespace sycl {

template <class T> struct is_device_copyable : std::is_trivially_copyable<T> {};
template <class T> inline constexpr bool is_device_copyable_v = is_device_copyable<T>::value;

template <class T, std::size_t N> struct is_device_copyable<T[N]> : is_device_copyable<T> {};
template <class T, std::size_t N> struct is_device_copyable<const T[N]> : is_device_copyable<T> {};
template <class T> struct is_device_copyable<const T> : is_device_copyable<T> {};
template <class T, std::size_t N>
struct is_device_copyable<std::array<T, N>> : is_device_copyable<T> {};
template <class T> struct is_device_copyable<std::optional<T>> : is_device_copyable<T> {};
template <class A, class B>
struct is_device_copyable<std::pair<A, B>>
    : std::bool_constant<is_device_copyable<A>::value && is_device_copyable<B>::value> {};
template <class... Ts>
struct is_device_copyable<std::tuple<Ts...>>
    : std::bool_constant<(is_device_copyable<Ts>::value && ... && true)> {};
template <class... Ts>
struct is_device_copyable<std::variant<Ts...>>
    : std::bool_constant<(is_device_copyable<Ts>::value && ... && true)> {};
template <class C, class Traits>
struct is_device_copyable<std::basic_string_view<C, Traits>> : std::true_type {};

} // namespace sycl

#endif
