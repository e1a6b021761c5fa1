// The kind of the current compilation, and the attributes that other parts of the compiler read.
// Every other header depends on this one.
//
//  * Device pass (`__SYCL_DEVICE_ONLY__`): kernels are instantiated through their entry points.
//    Host functions are parsed but never emitted.
//  * Host pass by clang (`__SCYTHE_HOST_PASS__`) or by a separate host compiler
//    (`__SCYTHE_INT_HEADER__`): kernels are launched by their device symbol and never instantiated.
//  * Host mode (none of these macros): kernels are plain C++ functions that the runtime's threads
//    call.
//
// Types that a kernel can capture have the same layout in all of these compilations.
#ifndef SCYTHE_DETAIL_CONFIG_HPP
#define SCYTHE_DETAIL_CONFIG_HPP

#if __cplusplus < 201703L
#error "SYCL 2020 needs C++17 or a later standard: remove the option -std= or name such a standard"
#endif

#include <sycl/version.hpp>

#include <cstddef>

#if defined(__SYCL_DEVICE_ONLY__)
#define SCYTHE_DEVICE_PASS 1
#elif !defined(__SCYTHE_HOST_PASS__) && !defined(__SCYTHE_INT_HEADER__)
#define SCYTHE_HOST_MODE 1
#endif

// Kernels need no names. Programs for DPC++ test this macro of its compiler.
#ifndef __SYCL_UNNAMED_LAMBDA__
#define __SYCL_UNNAMED_LAMBDA__ 1
#endif

#ifdef __SYCL_DEVICE_ONLY__
#define SYCL_EXTERNAL __attribute__((scythe_external))
#else
#define SYCL_EXTERNAL
#endif

// Other compilers warn about clang's `annotate` and do not need it.
#ifdef __clang__
#define SCYTHE_ANNOTATE(...) __attribute__((annotate(__VA_ARGS__)))
#else
#define SCYTHE_ANNOTATE(...)
#endif

// A class whose first words the runtime replaces when it launches a kernel.
#define SCYTHE_SPECIAL(kind) SCYTHE_ANNOTATE("scythe::special", kind)
// A function that no kernel may call. The compiler reports the message as an error.
#define SCYTHE_DEVICE_ERROR(message) SCYTHE_ANNOTATE("scythe::error", message)
// A function that the device library or the back end provides.
#define SCYTHE_DEVICE_LIBRARY SCYTHE_ANNOTATE("scythe::device_library")
// A class or function that requires devices with these aspects:
// `[[__sycl_detail__::__uses_aspects__(…)]]`.
#ifdef SCYTHE_DEVICE_PASS
#define SCYTHE_USES_ASPECTS(...) SCYTHE_ANNOTATE("sycl_detail::uses_aspects", __VA_ARGS__)
#else
#define SCYTHE_USES_ASPECTS(...)
#endif

// For functions that run rarely. Every file compiles them, so compile time matters more than speed.
#ifdef __clang__
#define SCYTHE_COLD __attribute__((noinline, cold, minsize))
#else
#define SCYTHE_COLD __attribute__((noinline, cold))
#endif

// For code that every launch runs, independent of the kernel. It is not inlined, because the
// optimiser would otherwise process it once per launch in the program.
#define SCYTHE_SHARED __attribute__((noinline))

// Functions that are the same in every program. They would be most of the code of a small program,
// so `libscythe-headers.a` contains them, and programs that the driver compiles only declare them.
// The driver defines `__SCYTHE_HEADER_LIBRARY__` if it links that library. All other programs
// compile the functions themselves: programs for a sanitizer that must see all code, and programs
// with another ABI of the C++ library.
#if defined(__GLIBCXX__) && _GLIBCXX_USE_CXX11_ABI && !_GLIBCXX_INLINE_VERSION &&                  \
    !defined(_GLIBCXX_DEBUG)
// A part of the functions' symbols. Files of a program that compile the functions share static
// variables with files that use the library. Files and libraries of different versions do not link.
#define SCYTHE_LIBRARY_TAG abi_tag("scythe_0_1")
#ifdef __SCYTHE_HEADER_LIBRARY__
#define SCYTHE_HEADER_LIBRARY 1
#endif
#else
#define SCYTHE_LIBRARY_TAG
#endif
#if defined(SCYTHE_HEADER_LIBRARY) && defined(__SANITIZE_THREAD__)
#undef SCYTHE_HEADER_LIBRARY
#endif
#if defined(SCYTHE_HEADER_LIBRARY) && defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer) ||                          \
    __has_feature(dataflow_sanitizer)
#undef SCYTHE_HEADER_LIBRARY
#endif
#endif

// `SCYTHE_LIBRARY` marks such a function, `SCYTHE_LIBRARY_COLD` one that runs rarely, and
// `SCYTHE_LIBRARY_INSTANCE` an instance of a template.
#if defined(SCYTHE_HEADER_LIBRARY) && defined(SCYTHE_COMPILE_HEADER_LIBRARY)
#define SCYTHE_LIBRARY inline __attribute__((noinline, used, SCYTHE_LIBRARY_TAG))
#define SCYTHE_LIBRARY_COLD inline __attribute__((noinline, used, cold, SCYTHE_LIBRARY_TAG))
#define SCYTHE_LIBRARY_INSTANCE(...) template __VA_ARGS__;
#elif defined(SCYTHE_HEADER_LIBRARY)
// A definition with `gnu_inline` is never emitted, because the library has one.
#define SCYTHE_LIBRARY inline __attribute__((noinline, gnu_inline, SCYTHE_LIBRARY_TAG))
#define SCYTHE_LIBRARY_COLD inline __attribute__((noinline, gnu_inline, cold, SCYTHE_LIBRARY_TAG))
#define SCYTHE_LIBRARY_INSTANCE(...) extern template __VA_ARGS__;
#else
#define SCYTHE_LIBRARY inline SCYTHE_SHARED __attribute__((SCYTHE_LIBRARY_TAG))
#define SCYTHE_LIBRARY_COLD inline SCYTHE_COLD __attribute__((SCYTHE_LIBRARY_TAG))
#define SCYTHE_LIBRARY_INSTANCE(...)
#endif

#define SCYTHE_ALWAYS_INLINE inline __attribute__((always_inline))

// Precedes a statement that calls a kernel. In device code the call is inlined even for a large
// kernel, so that the optimiser removes the object that holds the work-item's position.
#ifdef SCYTHE_DEVICE_PASS
#define SCYTHE_INLINED [[clang::always_inline]]
#else
#define SCYTHE_INLINED
#endif

// Identifies the translation unit if a kernel's name has internal linkage. The driver sets it.
#ifndef SCYTHE_TU_ID
#define SCYTHE_TU_ID 0ULL
#endif

static_assert(sizeof(void *) == 8 && sizeof(decltype(sizeof(0))) == 8,
              "SYCL programs require a 64-bit host, because host and device share the layout of "
              "kernel functors");

namespace sycl::detail {

// `T` as a type that depends on `V`. A template that uses it costs only its parsing until it is
// instantiated.
template <class V, class T> struct later {
  using type = T;
};
template <class V, class T> using later_t = typename later<V, T>::type;

} // namespace sycl::detail

#endif
