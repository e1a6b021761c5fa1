// Free function kernels (`sycl_ext_oneapi_free_function_kernels`): the macro that declares them,
// and the functor and the entry point through which devices run them.
//
// The device pass emits an entry point for each kernel that the unit defines, whether or not the
// unit launches it. The functor contains the arguments, so host code launches a free function
// kernel like any other kernel with that functor, or fills in the arguments one by one
// (`handler::set_arg`).
#ifndef SCYTHE_DETAIL_FREE_FUNCTION_HPP
#define SCYTHE_DETAIL_FREE_FUNCTION_HPP

#include <sycl/detail/config.hpp>

#include <cstdint>
#include <type_traits>

namespace sycl::ext::oneapi::experimental {

struct nd_range_kernel_key {
  static constexpr const char *meta_name = "sycl-nd-range-kernel";
  template <int Dims> struct value_t {
    static_assert(Dims >= 1 && Dims <= 3, "nd_range_kernel: a range has one to three dimensions");
    using key_t = nd_range_kernel_key;
    static constexpr int dimensions = Dims;
    static constexpr const char *meta_name = nd_range_kernel_key::meta_name;
    static constexpr int meta_value = Dims;
  };
};
struct single_task_kernel_key {
  static constexpr const char *meta_name = "sycl-single-task-kernel";
  struct value_t {
    using key_t = single_task_kernel_key;
    static constexpr const char *meta_name = single_task_kernel_key::meta_name;
    static constexpr const char *meta_value = "";
  };
};
template <int Dims> inline constexpr nd_range_kernel_key::value_t<Dims> nd_range_kernel{};
inline constexpr single_task_kernel_key::value_t single_task_kernel{};

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

// The property that an expression names. Its `shape` is as in `function_facts` below.
template <class P, class = void> struct function_property {
  static_assert(!std::is_same_v<P, P>, "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY: the argument must be a "
                                       "kernel property that the compiler reads");
};
template <class P> inline constexpr int function_shape = -1;
template <int D>
inline constexpr int function_shape<ext::oneapi::experimental::nd_range_kernel_key::value_t<D>> = D;
template <>
inline constexpr int function_shape<ext::oneapi::experimental::single_task_kernel_key::value_t> = 0;
template <class P>
struct function_property<P, std::void_t<decltype(P::meta_name), decltype(P::meta_value)>> {
  static constexpr const char *meta_name = P::meta_name;
  static constexpr auto meta_value = P::meta_value;
  static constexpr int shape = function_shape<P>;
};
template <class T>
using function_property_of = function_property<std::remove_cv_t<std::remove_reference_t<T>>>;

// `shape` is the number of dimensions of an `nd_range_kernel`, 0 for a `single_task_kernel` and -1
// for any other function. The plug-in sets it when clang completes a specialisation of this class.
template <auto *Func> struct function_facts {
  enum kind : int { shape = -1 };
};

// The name of the kernel. A function that is `noexcept` has the same name with and without it.
template <auto *Func> struct free_function;
template <class F> struct without_noexcept;
template <class... Args> struct without_noexcept<void (*)(Args...)> {
  using type = void(Args...);
};
template <class... Args> struct without_noexcept<void (*)(Args...) noexcept> {
  using type = void(Args...);
};
template <auto *Func>
using free_function_name =
    free_function<static_cast<typename without_noexcept<decltype(Func)>::type *>(Func)>;

// The arguments, one after the other. The compiler knows the names of the members.
template <class... Args> struct function_arguments {
  static function_arguments of() { return {}; }
  template <auto *Func> SCYTHE_ALWAYS_INLINE void call() const { SCYTHE_INLINED Func(); }
};
template <class First> struct function_arguments<First> {
  First first;
  static function_arguments of(const First &f) { return {f}; }
  template <auto *Func, class... Before>
  SCYTHE_ALWAYS_INLINE void call(const Before &...before) const {
    SCYTHE_INLINED Func(before..., first);
  }
};
template <class First, class Second, class... Rest>
struct function_arguments<First, Second, Rest...> {
  First first;
  function_arguments<Second, Rest...> scythe_rest;
  static function_arguments of(const First &f, const Second &s, const Rest &...r) {
    return {f, function_arguments<Second, Rest...>::of(s, r...)};
  }
  template <auto *Func, class... Before>
  SCYTHE_ALWAYS_INLINE void call(const Before &...before) const {
    scythe_rest.template call<Func>(before..., first);
  }
};

// The scratch memory of the work-group (`work_group_scratch_memory.hpp`). Kernels that do not use
// it have no parameter for it.
struct SCYTHE_SPECIAL("local_accessor") free_function_scratch {
  void *at = nullptr;
  std::uint64_t bytes = 0;
};
// That header adds an overload for `int`.
inline void provide_scratch(const free_function_scratch &, long) {}

// The functor of the kernel.
template <auto *Func, class F> struct free_function_call;
template <auto *Func, class... Args> struct free_function_call<Func, void(Args...)> {
  free_function_scratch scratch;
  function_arguments<Args...> scythe_arguments;

  static free_function_call make(Args... args) {
    return {{}, function_arguments<Args...>::of(args...)};
  }
  template <class... Item> void operator()(const Item &...) const {
    // The type of the second argument is dependent, so that the call finds later overloads.
    provide_scratch(scratch, later_t<free_function_call, int>());
    scythe_arguments.template call<Func>();
  }
};
template <auto *Func>
using free_function_functor =
    free_function_call<Func, typename without_noexcept<decltype(Func)>::type>;

#ifdef SCYTHE_DEVICE_PASS

template <class Name, class K>
[[clang::sycl_kernel_entry_point(Name)]] SCYTHE_ANNOTATE(
    "scythe::kernel", "single_task") void free_single_task_entry(K kernel) {
  kernel();
}
template <class Name, class K>
[[clang::sycl_kernel_entry_point(Name)]] SCYTHE_ANNOTATE(
    "scythe::kernel", "nd_range") void free_nd_range_entry(K kernel) {
  kernel();
}
// The plug-in instantiates this function for each kernel that the unit defines. It never runs.
template <auto *Func> void emit_free_function(const free_function_functor<Func> &kernel) {
  using functor = free_function_functor<Func>;
  if constexpr (function_facts<Func>::shape == 0)
    free_single_task_entry<free_function_name<Func>, functor>(kernel);
  else
    free_nd_range_entry<free_function_name<Func>, functor>(kernel);
}

#endif

} // namespace sycl::detail

// Precedes the declaration of a function and gives it a property.
#if defined(SCYTHE_DEVICE_PASS)
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(...)                                                     \
  [[clang::annotate("scythe::free_function",                                                       \
                    ::sycl::detail::function_property_of<decltype(__VA_ARGS__)>::shape),           \
    clang::annotate("__sycl_detail__::add_ir_function_attributes",                                 \
                    ::sycl::detail::function_property_of<decltype(__VA_ARGS__)>::meta_name,        \
                    ::sycl::detail::function_property_of<decltype(__VA_ARGS__)>::meta_value)]]
#elif defined(__SCYTHE_HOST_PASS__)
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(...)                                                     \
  [[clang::annotate("scythe::free_function",                                                       \
                    ::sycl::detail::function_property_of<decltype(__VA_ARGS__)>::shape)]]
#else
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(...)
#endif

#endif
