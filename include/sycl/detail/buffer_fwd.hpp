// Forward declarations that buffers, accessors and the handler need of each other.
#ifndef SCYTHE_DETAIL_BUFFER_FWD_HPP
#define SCYTHE_DETAIL_BUFFER_FWD_HPP

#include <sycl/access.hpp>
#include <sycl/ext/oneapi/properties.hpp>

#include <memory>
#include <type_traits>

namespace sycl {

class handler;
class queue;
class context;

// Buffers allocate through the runtime. The allocator is only kept for `get_allocator`.
template <class T> using buffer_allocator = std::allocator<T>;

template <class T, int Dimensions = 1, class Allocator = buffer_allocator<std::remove_const_t<T>>>
class buffer;

namespace detail {
template <class T>
inline constexpr access_mode default_mode =
    std::is_const_v<T> ? access_mode::read : access_mode::read_write;
}

template <class T, int Dimensions = 1, access_mode Mode = detail::default_mode<T>,
          target Target = target::device,
          access::placeholder Placeholder = access::placeholder::false_t,
          class PropertyList = ext::oneapi::property_list<>>
class accessor;

template <class T, int Dimensions = 1, access_mode Mode = detail::default_mode<T>>
class host_accessor;

template <class T, int Dimensions = 1> class local_accessor;

} // namespace sycl

#endif
