// Info descriptors and their values in the C interface.
//
// A descriptor derives from `param<Code, Wire, Result>`. The runtime answers the query `Code` with
// a `Wire` value (a number, `std::string`, or `std::vector` of numbers). The user receives it
// converted to `Result`.
#ifndef SCYTHE_DETAIL_INFO_QUERY_HPP
#define SCYTHE_DETAIL_INFO_QUERY_HPP

#include <sycl/exception.hpp>

#include <cstdint>

namespace sycl::detail {

template <std::uint32_t Code, class Wire, class Result = Wire> struct param {
  static constexpr std::uint32_t code = Code;
  using wire_type = Wire;
  using return_type = Result;
};
template <std::uint32_t Code> using string_param = param<Code, std::string>;
template <std::uint32_t Code> using u32_param = param<Code, std::uint32_t>;
template <std::uint32_t Code> using u64_param = param<Code, std::uint64_t>;
template <std::uint32_t Code> using size_param = param<Code, std::uint64_t, std::size_t>;
template <std::uint32_t Code> using bool_param = param<Code, std::uint8_t, bool>;

// A descriptor with the same value for every device.
template <class Result, int Value = 0> struct fixed_param {
  static constexpr int value = Value;
  using return_type = Result;
};

// Base class of descriptors that only OpenCL devices support.
struct opencl_only {};

template <class T> struct wire_element {
  using type = void;
};
template <class T> struct wire_element<std::vector<T>> {
  using type = T;
};

// `ask(code, buf, cap, &len)` is one of the info functions, bound to its object.
template <class Wire, class Ask> Wire query(std::uint32_t code, Ask ask) {
  using element = typename wire_element<Wire>::type;
  std::size_t length = 0;
  if constexpr (std::is_same_v<Wire, std::string>) {
    check(ask(code, nullptr, 0, &length));
    Wire text;
    text.resize(length);
    check(ask(code, text.data(), length, &length));
    return text;
  } else if constexpr (!std::is_void_v<element>) {
    check(ask(code, nullptr, 0, &length));
    std::vector<element> values(length / sizeof(element));
    check(ask(code, values.data(), values.size() * sizeof(element), &length));
    return values;
  } else {
    Wire value{};
    check(ask(code, &value, sizeof(value), &length));
    if (length != sizeof(value))
      fail(errc::runtime, "info query %u: the runtime returned %zu bytes, expected %zu", code,
           length, sizeof(value));
    return value;
  }
}

} // namespace sycl::detail

#endif
