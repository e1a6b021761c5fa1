// Finds the device symbol of a kernel in host code.
//
// clang's host pass asks the compiler. A separate host compiler numbers lambdas differently, so the
// mangled name of a lambda could match another kernel. With such a compiler, names that contain a
// lambda are found by the position of the call and the layout of the functor. A kernel that is not
// found or not unique is an error.
#ifndef SCYTHE_DETAIL_KERNEL_NAME_HPP
#define SCYTHE_DETAIL_KERNEL_NAME_HPP

#include <sycl/detail/code_location.hpp>
#include <sycl/detail/kernel_info.hpp>
#include <sycl/detail/unit.hpp>
#include <sycl/exception.hpp>

#ifdef __SCYTHE_INT_HEADER__
#include <cstring>
#include <typeinfo>
#if !defined(__GXX_RTTI) && !defined(__cpp_rtti)
#error "a separate host compiler needs RTTI to name kernels: compile without -fno-rtti"
#endif
#endif

namespace sycl::detail {

// The default name of a kernel is the functor's type. Compilers only accept classes as names, so
// another type is wrapped in a class.
struct unnamed;
template <class Name> struct named_by;
template <class Name>
using class_name_t = std::conditional_t<std::is_class_v<Name>, Name, named_by<Name>>;
template <class Name, class K>
using kernel_name_t = std::conditional_t<std::is_same_v<Name, unnamed>, K, class_name_t<Name>>;

// The name if the headers launch a `Wrapper` around the functor. A functor with a template or
// overloaded call operator may be called with different arguments. It becomes one kernel for each
// wrapper, and these kernels have different names.
template <class K, class = void> inline constexpr bool has_one_call = false;
template <class K>
inline constexpr bool has_one_call<K, std::void_t<decltype(&K::operator())>> = true;
template <class Name, class K, class Wrapper>
using wrapper_name_t = kernel_name_t<Name, std::conditional_t<has_one_call<K>, K, Wrapper>>;

// The runtime's cached lookups for this kernel. Each translation unit has its own, because a name
// may refer to a kernel with internal linkage.
template <class Name> static scythe_kernel_slot kernel_slot{};

#ifdef __SCYTHE_INT_HEADER__

template <class K, class = void> inline constexpr bool has_functor_info = false;
template <class K>
inline constexpr bool has_functor_info<K, std::void_t<decltype(sizeof(functor_info<K>))>> = true;
template <class Name, class = void> inline constexpr bool has_kernel_info = false;
template <class Name>
inline constexpr bool has_kernel_info<Name, std::void_t<decltype(kernel_info<Name>::name())>> =
    true;

// g++ prints closure types as "<lambda(...)>" and clang as "(lambda at ...)". A class inside a
// closure's function is named after the closure as well, which clang shows only in the mangled
// name.
template <class Name> bool holds_closure() {
  return std::strstr(__PRETTY_FUNCTION__, "<lambda") ||
         std::strstr(__PRETTY_FUNCTION__, "(lambda at ") ||
         std::strstr(typeid(Name *).name(), "$_");
}

// The passes may have started in different folders, so one path may be the end of the other.
inline bool same_file(const char *a, const char *b) {
  auto plain = [](const char *p) {
    while (*p == '.' && (p[1] == '/' || (p[1] == '.' && p[2] == '/')))
      p += p[1] == '/' ? 2 : 3;
    return p;
  };
  a = plain(a), b = plain(b);
  const std::size_t m = std::strlen(a), n = std::strlen(b);
  if (m > n)
    return a[m - n - 1] == '/' && std::strcmp(a + (m - n), b) == 0;
  return std::strcmp(b + (n - m), a) == 0 && (m == n || b[n - m - 1] == '/');
}

// Returns true if two mangled names differ only in the numbers of lambdas ("UlvE_", "UlvE0_"),
// which compilers assign differently. This distinguishes the lambdas of different instantiations at
// one position in a template.
inline bool same_but_lambda_numbers(const char *a, const char *b) {
  auto digits = [](const char *&p) {
    const char *rest = p;
    while (*rest >= '0' && *rest <= '9')
      ++rest;
    if (*rest == '_')
      p = rest;
  };
  for (;; ++a, ++b) {
    if (*a != *b)
      return false;
    if (!*a)
      return true;
    if (*a == 'E') {
      digits(++a);
      digits(++b);
      --a, --b;
    }
  }
}

// The layout of a functor in the host pass.
struct host_functor {
  std::size_t size;
  std::size_t align;
  const functor_member *const *members;
};

// Returns the first member of a kernel functor that is missing in the host pass or differs in
// offset, size or type. Returns null if all members agree.
inline const expected_member *first_difference(const listed_kernel &kernel, host_functor functor) {
  for (uint32_t i = 0; i < kernel.member_count; ++i) {
    const expected_member &expected = kernel.members[i];
#ifndef SCYTHE_CLOSURES_HAVE_NAMES
    if (expected.in_closure)
      continue;
#endif
    const functor_member &device = expected.member, &host = *functor.members[expected.index];
    if (!host.path || host.offset != device.offset || host.size != device.size ||
        (device.type && host.type != device.type))
      return &expected;
  }
  return nullptr;
}

// Throws if the passes give a kernel functor different layouts. `place` identifies the kernel in
// the message. `line` is 0 if it is unknown.
inline void require_agreement(const listed_kernel &kernel, host_functor functor, const char *place,
                              unsigned line) {
  char at[16] = "";
  if (line)
    std::snprintf(at, sizeof at, ":%u", line);
  if (kernel.functor_size != functor.size || kernel.functor_align != functor.align)
    fail(errc::kernel_argument,
         "%s%s: the host compiler gives the kernel functor %zu bytes aligned to %zu, but the "
         "device compiler gives it %zu bytes aligned to %zu, because they disagree on its captures "
         "or members; name all captures, or compile the host code with clang",
         place, at, functor.size, functor.align, static_cast<std::size_t>(kernel.functor_size),
         static_cast<std::size_t>(kernel.functor_align));
  const expected_member *expected = first_difference(kernel, functor);
  if (!expected)
    return;
  const functor_member &device = expected->member, &host = *functor.members[expected->index];
  char here[96] = "does not exist";
  if (host.path)
    std::snprintf(here, sizeof here, "is at offset %zu and has %zu bytes%s",
                  static_cast<std::size_t>(host.offset), static_cast<std::size_t>(host.size),
                  device.type && host.type != device.type ? " and another type" : "");
  fail(errc::kernel_argument,
       "%s%s: '%s' of the kernel's functor %s for the host compiler, but is at offset %zu and has "
       "%zu bytes for the device compiler, because they disagree on its captures or members; name "
       "all captures, or compile the host code with clang",
       place, at, device.path, here, static_cast<std::size_t>(device.offset),
       static_cast<std::size_t>(device.size));
}

// The name of a kernel may be a class without a definition.
template <class K, class = void> inline constexpr std::size_t size_if_known = 0;
template <class K>
inline constexpr std::size_t size_if_known<K, std::void_t<decltype(sizeof(K))>> = sizeof(K);
template <class K, class = void> inline constexpr std::size_t align_if_known = 0;
template <class K>
inline constexpr std::size_t align_if_known<K, std::void_t<decltype(sizeof(K))>> = alignof(K);
template <class K>
inline constexpr host_functor functor_if_known{size_if_known<K>, align_if_known<K>,
                                               functor_members<K>};

// `static`, because each translation unit has its own table. A shared function would read the table
// of an arbitrary unit.
static inline const char *find_unnamed(code_location where, host_functor functor,
                                       const char *host_name) {
  const char *at_position = nullptr, *with_name = nullptr;
  const listed_kernel *other = nullptr;
  int positions = 0, names = 0;
  for (const listed_kernel &row : unnamed_kernels) {
    if (!row.symbol || row.line != where.line || !same_file(row.file, where.file))
      continue;
    if (row.functor_size != functor.size || row.functor_align != functor.align ||
        first_difference(row, functor)) {
      other = &row;
      continue;
    }
    at_position = row.symbol;
    ++positions;
    // A symbol is "_ZTS" followed by the mangled name.
    if (same_but_lambda_numbers(row.symbol + 4, host_name)) {
      with_name = row.symbol;
      ++names;
    }
  }
  if (positions == 1)
    return at_position;
  if (names == 1)
    return with_name;
  if (positions)
    fail(errc::kernel,
         "%s:%u: %d unnamed kernels match this call; name the kernel, as in parallel_for<class "
         "my_kernel>(...)",
         where.file, where.line, positions);
  if (other)
    require_agreement(*other, functor, where.file, where.line);
  fail(errc::kernel,
       "%s:%u: the device compiler found no unnamed kernel at this call; name the kernel, as in "
       "parallel_for<class my_kernel>(...)",
       where.file, where.line);
}

// Compares the functor of a kernel that is named after a local class.
static inline bool check_local(const char *symbol, host_functor functor) {
  for (const listed_kernel &row : local_kernels)
    if (row.symbol && std::strcmp(row.symbol + 4, symbol) == 0)
      require_agreement(row, functor, symbol, 0);
  return true;
}

// Compares functors, at compile time where possible. Each assertion contains the value of the
// device pass, and compilers print the value that they compute.
template <class Name, class K> void check_functor() {
  if constexpr (has_kernel_info<Name>) {
    static_assert(sizeof(K) == kernel_info<Name>::functor_size(),
                  "the host compiler (left) and the device compiler (right) compute different "
                  "sizes for the kernel functor K, because they disagree on its captures or "
                  "members; name all captures, or compile the host code with clang");
    static_assert(alignof(K) == kernel_info<Name>::functor_align(),
                  "the host compiler (left) and the device compiler (right) compute different "
                  "alignments for the kernel functor K, because they disagree on its captures or "
                  "members; name all captures, or compile the host code with clang");
    static_assert(kernel_info<Name>::template agrees<K>());
  } else {
    static const bool agrees =
        holds_closure<Name>() || check_local(typeid(Name *).name() + 1, functor_if_known<K>);
    static_cast<void>(agrees);
  }
  if constexpr (has_functor_info<K>)
    static_assert(functor_info<K>::template agrees<K>());
}

template <class Name, class K> const char *kernel_symbol(code_location where) {
  if constexpr (has_kernel_info<Name>) {
    return kernel_info<Name>::name();
  } else if (holds_closure<Name>()) {
    static std::atomic<const char *> cached{nullptr};
    const char *symbol = cached.load(std::memory_order_acquire);
    if (!symbol) {
      symbol = find_unnamed(where, functor_if_known<K>, typeid(Name *).name() + 1);
      cached.store(symbol, std::memory_order_release);
    }
    return symbol;
  } else {
    // Type information for pointers exists for incomplete types as well. Its name is "P" followed
    // by the name of the type.
    static const std::string symbol = std::string("_ZTS") + (typeid(Name *).name() + 1);
    return symbol.c_str();
  }
}

#elif defined(__SCYTHE_HOST_PASS__)

template <class Name, class K> constexpr const char *kernel_symbol(code_location) {
  return __builtin_sycl_unique_stable_name(Name);
}

#endif

} // namespace sycl::detail

#endif
