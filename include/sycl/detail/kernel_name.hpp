// How host code names a kernel's device symbol.
//
// clang's host pass asks the compiler. A foreign host compiler numbers lambdas in its own way, so
// that a lambda's mangled name could be another kernel's: there, names that hold a lambda are found
// by the position of the call and the layout of the functor, and what is not found or not unique is
// an error, never a guess.
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
#error                                                                                             \
    "kernel names need RTTI with a foreign host compiler: compile without -fno-rtti, or let clang do the host pass"
#endif
#endif

namespace sycl::detail {

// The default for a kernel's name: the functor's type is the name. Compilers take classes for names
// only: another type is the name of a class.
struct unnamed;
template <class Name> struct named_by;
template <class Name>
using class_name_t = std::conditional_t<std::is_class_v<Name>, Name, named_by<Name>>;
template <class Name, class K>
using kernel_name_t = std::conditional_t<std::is_same_v<Name, unnamed>, K, class_name_t<Name>>;

// The same where the headers launch a `Wrapper` around the functor. One whose call operator is a
// template, or one of several, may be called with different arguments: it is a kernel for each
// wrapper, and these have different names.
template <class K, class = void> inline constexpr bool has_one_call = false;
template <class K>
inline constexpr bool has_one_call<K, std::void_t<decltype(&K::operator())>> = true;
template <class Name, class K, class Wrapper>
using wrapper_name_t = kernel_name_t<Name, std::conditional_t<has_one_call<K>, K, Wrapper>>;

// Where the runtime remembers what it found for this kernel. Each unit has its own: a name may mean
// a kernel of that unit.
template <class Name> static scythe_kernel_slot kernel_slot{};

#ifdef __SCYTHE_INT_HEADER__

template <class K, class = void> inline constexpr bool has_functor_info = false;
template <class K>
inline constexpr bool has_functor_info<K, std::void_t<decltype(sizeof(functor_info<K>))>> = true;
template <class Name, class = void> inline constexpr bool has_kernel_info = false;
template <class Name>
inline constexpr bool has_kernel_info<Name, std::void_t<decltype(kernel_info<Name>::name())>> =
    true;

// g++ spells closure types "<lambda(...)>" here, clang "(lambda at ...)". A class inside of a
// closure's function is named after the closure, too, which clang tells in the mangled name alone.
template <class Name> bool holds_closure() {
  return std::strstr(__PRETTY_FUNCTION__, "<lambda") ||
         std::strstr(__PRETTY_FUNCTION__, "(lambda at ") ||
         std::strstr(typeid(Name *).name(), "$_");
}

// The passes may have been started in different folders: one path may be the end of the other.
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

// Two mangled names are the same but for the numbers of lambdas ("UlvE_", "UlvE0_"), in which
// compilers differ. This tells apart the lambdas that one position in a template stands for.
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

// A functor in the host pass.
struct host_functor {
  std::size_t size;
  std::size_t align;
  const functor_member *const *members;
};

// The first member of a kernel's functor that the host compiler sees elsewhere, or of another size
// or type, or not at all; null where there is none.
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

// Throws where the passes lay out a kernel's functor differently. `place` tells the kernel, `line`
// is 0 without one.
inline void require_agreement(const listed_kernel &kernel, host_functor functor, const char *place,
                              unsigned line) {
  char at[16] = "";
  if (line)
    std::snprintf(at, sizeof at, ":%u", line);
  if (kernel.functor_size != functor.size || kernel.functor_align != functor.align)
    fail(errc::kernel_argument,
         "%s%s: the kernel's functor has %zu bytes, aligned to %zu, here, and %zu bytes, aligned "
         "to %zu, in the device "
         "compilation: the compilers disagree on what it captures or holds; capture explicitly, or "
         "let clang compile "
         "both sides",
         place, at, functor.size, functor.align, static_cast<std::size_t>(kernel.functor_size),
         static_cast<std::size_t>(kernel.functor_align));
  const expected_member *expected = first_difference(kernel, functor);
  if (!expected)
    return;
  const functor_member &device = expected->member, &host = *functor.members[expected->index];
  char here[96] = "is not there";
  if (host.path)
    std::snprintf(here, sizeof here, "is%s at offset %zu, of %zu bytes,",
                  device.type && host.type != device.type ? " of another type," : "",
                  static_cast<std::size_t>(host.offset), static_cast<std::size_t>(host.size));
  fail(errc::kernel_argument,
       "%s%s: '%s' of the kernel's functor %s here, and at offset %zu, of %zu bytes, in the device "
       "compilation: the "
       "compilers disagree on what it captures or holds; capture explicitly, or let clang compile "
       "both sides",
       place, at, device.path, here, static_cast<std::size_t>(device.offset),
       static_cast<std::size_t>(device.size));
}

// A kernel's name alone may be a class without a definition.
template <class K, class = void> inline constexpr std::size_t size_if_known = 0;
template <class K>
inline constexpr std::size_t size_if_known<K, std::void_t<decltype(sizeof(K))>> = sizeof(K);
template <class K, class = void> inline constexpr std::size_t align_if_known = 0;
template <class K>
inline constexpr std::size_t align_if_known<K, std::void_t<decltype(sizeof(K))>> = alignof(K);
template <class K>
inline constexpr host_functor functor_if_known{size_if_known<K>, align_if_known<K>,
                                               functor_members<K>};

// Each translation unit has its own table, and so its own function: a shared one would read the
// table of any.
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
    // A symbol is "_ZTS" and the mangled name.
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
         "%s:%u: %d unnamed kernels fit this call; name the kernel, as in parallel_for<class "
         "my_kernel>(...)",
         where.file, where.line, positions);
  if (other)
    require_agreement(*other, functor, where.file, where.line);
  fail(errc::kernel,
       "%s:%u: the device compilation knows no unnamed kernel submitted here; name the kernel, as "
       "in "
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

// Compares functors before anything is launched. Each assertion names what the device pass says;
// compilers add what they see themselves.
template <class Name, class K> void check_functor() {
  if constexpr (has_kernel_info<Name>) {
    static_assert(
        sizeof(K) == kernel_info<Name>::functor_size(),
        "host compiler (left) and device pass (right) give this kernel's functor K different "
        "sizes: they disagree "
        "on what it captures or holds; name all captures, or let clang compile the host side too");
    static_assert(
        alignof(K) == kernel_info<Name>::functor_align(),
        "host compiler (left) and device pass (right) align this kernel's functor K differently: "
        "they disagree on "
        "what it captures or holds; name all captures, or let clang compile the host side too");
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
    // A pointer's type information exists for incomplete types too; its name is "P" and the type's.
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
