// USM allocations with properties (`sycl_ext_oneapi_usm_malloc_properties`). The functions return
// an `annotated_ptr` with those properties of the call that the compiler reads, and with the kind
// of the allocation if it is known at compile time.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ANNOTATED_USM_ALLOC_BASE_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_ANNOTATED_USM_ALLOC_BASE_HPP

#include <sycl/ext/oneapi/annotated.hpp>
#include <sycl/usm.hpp>

namespace sycl::ext::oneapi::experimental {

// The kind of the allocation that a pointer points into.
struct usm_kind_key {
  static constexpr const char *meta_name = "sycl-usm-kind";
  template <usm::alloc Kind>
  using value_t = property_value<usm_kind_key, std::integral_constant<usm::alloc, Kind>>;
};
template <usm::alloc Kind> inline constexpr usm_kind_key::value_t<Kind> usm_kind{};
inline constexpr usm_kind_key::value_t<usm::alloc::device> usm_kind_device{};
inline constexpr usm_kind_key::value_t<usm::alloc::host> usm_kind_host{};
inline constexpr usm_kind_key::value_t<usm::alloc::shared> usm_kind_shared{};

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail::annotated_usm {

using namespace ext::oneapi::experimental;

template <class L, bool = is_properties<L>> inline constexpr bool has_kind = false;
template <class L>
inline constexpr bool has_kind<L, true> = L::template has_property<usm_kind_key>();
template <class L> constexpr usm::alloc kind_of() {
  if constexpr (has_kind<L>)
    return decltype(std::declval<const L &>().template get_property<usm_kind_key>())::value;
  else
    return usm::alloc::unknown;
}
template <class L> constexpr std::size_t alignment_of() {
  if constexpr (L::template has_property<alignment_key>())
    return static_cast<std::size_t>(
        decltype(std::declval<const L &>().template get_property<alignment_key>())::value);
  else
    return 0;
}

// The properties of the returned pointer. `Kind` is `unknown` if only the call knows it.
template <class L, usm::alloc Kind> struct pointer_properties {
  static_assert(Kind == usm::alloc::unknown || !has_kind<L> || kind_of<L>() == Kind,
                "the property usm_kind names another kind of allocation than the function");
  using type = typename joined_packs<typename compiler_properties<typename L::scythe_pack>::type,
                                     properties_pack<usm_kind_key::value_t<Kind>>>::type;
};
template <class L> struct pointer_properties<L, usm::alloc::unknown> {
  using type = typename compiler_properties<typename L::scythe_pack>::type;
};
template <class T, class L, usm::alloc Kind>
using pointer = ext::oneapi::annotated_ptr<
    T,
    typename repack<ext::oneapi::property_list, typename pointer_properties<L, Kind>::type>::type>;

// Has no type if `L` is no list: a call may name the element type of another overload.
template <bool Good, class T, class L, usm::alloc Kind> struct pointer_if {};
template <class T, class L, usm::alloc Kind> struct pointer_if<true, T, L, Kind> {
  using type = pointer<T, L, Kind>;
};
template <class T, class L, usm::alloc Kind>
using result = typename pointer_if<is_properties<L>, T, L, Kind>::type;
template <class T, class L, bool Good = has_kind<L>> struct result_of_kind {};
template <class T, class L> struct result_of_kind<T, L, true> {
  using type = pointer<T, L, kind_of<L>()>;
};

template <class T> struct element {
  static constexpr std::size_t size = sizeof(T), alignment = alignof(T);
};
template <> struct element<void> {
  static constexpr std::size_t size = 1, alignment = 0;
};

// `alignment` is 0 for functions without such a parameter.
template <class T, usm::alloc Known, class L>
pointer<T, L, Known> allocate(std::size_t alignment, std::size_t count, const device &d,
                              const context &c, usm::alloc kind) {
  static_assert(is_properties<L>,
                "annotated_malloc: the last argument must be a list of properties");
  constexpr std::size_t required = alignment_of<L>();
  static_assert(required == 0 || required >= element<T>::alignment,
                "annotated_malloc: the property alignment is less than the alignment of the type");
  if (has_kind<L> && kind != kind_of<L>())
    fail(errc::invalid,
         "annotated_malloc: the property usm_kind names another kind of allocation than the call");
  if (required != 0 && alignment != 0 && alignment != required)
    fail(errc::invalid,
         "annotated_aligned_alloc: the alignment %zu differs from the property alignment<%zu>",
         alignment, required);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, element<T>::size, &bytes))
    return pointer<T, L, Known>();
  alignment = alignment > required ? alignment : required;
  alignment = alignment > element<T>::alignment ? alignment : element<T>::alignment;
  return pointer<T, L, Known>(static_cast<T *>(usm_allocate(bytes, alignment, d, c, kind)));
}

} // namespace sycl::detail::annotated_usm

namespace sycl::ext::oneapi::experimental {

// The functions `annotated_malloc<suffix>` and `annotated_aligned_alloc<suffix>` for a place of
// allocation: `parameters` name it, and `place` is the device, the context and the kind. `known` is
// the kind if all calls have it.
#define SCYTHE_ANNOTATED_ALLOC(suffix, known, parameters, place)                                   \
  template <class L = empty_properties_t>                                                          \
  sycl::detail::annotated_usm::result<void, L, known> annotated_malloc##suffix(                    \
      std::size_t bytes, SCYTHE_UNPACK parameters, const L & = {}) {                               \
    return sycl::detail::annotated_usm::allocate<void, known, L>(0, bytes, SCYTHE_UNPACK place);   \
  }                                                                                                \
  template <class T, class L = empty_properties_t>                                                 \
  sycl::detail::annotated_usm::result<T, L, known> annotated_malloc##suffix(                       \
      std::size_t count, SCYTHE_UNPACK parameters, const L & = {}) {                               \
    return sycl::detail::annotated_usm::allocate<T, known, L>(0, count, SCYTHE_UNPACK place);      \
  }                                                                                                \
  template <class L = empty_properties_t>                                                          \
  sycl::detail::annotated_usm::result<void, L, known> annotated_aligned_alloc##suffix(             \
      std::size_t alignment, std::size_t bytes, SCYTHE_UNPACK parameters, const L & = {}) {        \
    return sycl::detail::annotated_usm::allocate<void, known, L>(alignment, bytes,                 \
                                                                 SCYTHE_UNPACK place);             \
  }                                                                                                \
  template <class T, class L = empty_properties_t>                                                 \
  sycl::detail::annotated_usm::result<T, L, known> annotated_aligned_alloc##suffix(                \
      std::size_t alignment, std::size_t count, SCYTHE_UNPACK parameters, const L & = {}) {        \
    return sycl::detail::annotated_usm::allocate<T, known, L>(alignment, count,                    \
                                                              SCYTHE_UNPACK place);                \
  }
#define SCYTHE_UNPACK(...) __VA_ARGS__

SCYTHE_ANNOTATED_ALLOC(_device, usm::alloc::device, (const device &d, const context &c),
                       (d, c, usm::alloc::device))
SCYTHE_ANNOTATED_ALLOC(_device, usm::alloc::device, (const queue &q),
                       (q.get_device(), q.get_context(), usm::alloc::device))
SCYTHE_ANNOTATED_ALLOC(_shared, usm::alloc::shared, (const device &d, const context &c),
                       (d, c, usm::alloc::shared))
SCYTHE_ANNOTATED_ALLOC(_shared, usm::alloc::shared, (const queue &q),
                       (q.get_device(), q.get_context(), usm::alloc::shared))
SCYTHE_ANNOTATED_ALLOC(_host, usm::alloc::host, (const context &c),
                       (sycl::detail::first_device_of(c), c, usm::alloc::host))
SCYTHE_ANNOTATED_ALLOC(_host, usm::alloc::host, (const queue &q),
                       (q.get_device(), q.get_context(), usm::alloc::host))
SCYTHE_ANNOTATED_ALLOC(, usm::alloc::unknown, (const device &d, const context &c, usm::alloc kind),
                       (d, c, kind))
SCYTHE_ANNOTATED_ALLOC(, usm::alloc::unknown, (const queue &q, usm::alloc kind),
                       (q.get_device(), q.get_context(), kind))
#undef SCYTHE_ANNOTATED_ALLOC
#undef SCYTHE_UNPACK

// The property usm_kind names the kind.
#define SCYTHE_ANNOTATED_ALLOC(T, Result, parameters, place)                                       \
  Result annotated_malloc(std::size_t count, SCYTHE_UNPACK parameters, const L &) {                \
    constexpr usm::alloc kind = sycl::detail::annotated_usm::kind_of<L>();                         \
    return sycl::detail::annotated_usm::allocate<T, kind, L>(0, count, SCYTHE_UNPACK place, kind); \
  }
#define SCYTHE_UNPACK(...) __VA_ARGS__
#define SCYTHE_RESULT(T) typename sycl::detail::annotated_usm::result_of_kind<T, L>::type
template <class L>
SCYTHE_ANNOTATED_ALLOC(void, SCYTHE_RESULT(void), (const device &d, const context &c), (d, c))
template <class L>
SCYTHE_ANNOTATED_ALLOC(void, SCYTHE_RESULT(void), (const queue &q),
                       (q.get_device(), q.get_context()))
template <class T, class L>
SCYTHE_ANNOTATED_ALLOC(T, SCYTHE_RESULT(T), (const device &d, const context &c), (d, c))
template <class T, class L>
SCYTHE_ANNOTATED_ALLOC(T, SCYTHE_RESULT(T), (const queue &q), (q.get_device(), q.get_context()))
#undef SCYTHE_ANNOTATED_ALLOC
#undef SCYTHE_UNPACK
#undef SCYTHE_RESULT

template <class T, class L>
void free(oneapi::annotated_ptr<T, L> &ptr, const context &c) {
  sycl::free(ptr.get(), c);
}
template <class T, class L> void free(oneapi::annotated_ptr<T, L> &ptr, const queue &q) {
  sycl::free(ptr.get(), q);
}

} // namespace sycl::ext::oneapi::experimental

#endif
