// `launch_policy`: a range with properties of the kernel and its launch, and the size of local
// memory, for `experimental::launch<function>`.
#ifndef SYCLCOMPAT_LAUNCH_POLICY_HPP
#define SYCLCOMPAT_LAUNCH_POLICY_HPP

#include <syclcompat/launch.hpp>

#include <tuple>

namespace syclcompat {
namespace experimental {

// With this part, the function gets a pointer to local memory as its last argument.
struct local_mem_size {
  local_mem_size(std::size_t bytes = 0) : size(bytes) {}
  std::size_t size;
};

} // namespace experimental

namespace detail {
template <class... P> auto properties_of(const P &...p) {
  if constexpr (sizeof...(P) == 0)
    return no_properties{};
  else
    return sycl::ext::oneapi::experimental::properties{p...};
}
template <class... P> using properties_of_t = decltype(properties_of(std::declval<P>()...));
} // namespace detail

namespace experimental {

template <class... P> struct kernel_properties {
  kernel_properties(P... p) : props(detail::properties_of(p...)) {}
  detail::properties_of_t<P...> props;
};
template <class... P> struct launch_properties {
  launch_properties(P... p) : props(detail::properties_of(p...)) {}
  detail::properties_of_t<P...> props;
};

} // namespace experimental

namespace detail {

// The parts of a policy, in any order.
template <class... Parts> struct policy_parts {
  static constexpr bool local = false;
  static no_properties kernel(const Parts &...) { return {}; }
  static no_properties launch(const Parts &...) { return {}; }
  static std::size_t bytes(const Parts &...) { return 0; }
};
template <class... P, class... Rest>
struct policy_parts<experimental::kernel_properties<P...>, Rest...> {
  using rest = policy_parts<Rest...>;
  static constexpr bool local = rest::local;
  static auto kernel(const experimental::kernel_properties<P...> &p, const Rest &...) {
    return p.props;
  }
  template <class First> static auto launch(const First &, const Rest &...r) {
    return rest::launch(r...);
  }
  template <class First> static std::size_t bytes(const First &, const Rest &...r) {
    return rest::bytes(r...);
  }
};
template <class... P, class... Rest>
struct policy_parts<experimental::launch_properties<P...>, Rest...> {
  using rest = policy_parts<Rest...>;
  static constexpr bool local = rest::local;
  template <class First> static auto kernel(const First &, const Rest &...r) {
    return rest::kernel(r...);
  }
  static auto launch(const experimental::launch_properties<P...> &p, const Rest &...) {
    return p.props;
  }
  template <class First> static std::size_t bytes(const First &, const Rest &...r) {
    return rest::bytes(r...);
  }
};
template <class... Rest> struct policy_parts<experimental::local_mem_size, Rest...> {
  using rest = policy_parts<Rest...>;
  static constexpr bool local = true;
  template <class First> static auto kernel(const First &, const Rest &...r) {
    return rest::kernel(r...);
  }
  template <class First> static auto launch(const First &, const Rest &...r) {
    return rest::launch(r...);
  }
  static std::size_t bytes(const experimental::local_mem_size &size, const Rest &...) {
    return size.size;
  }
};
template <class... Parts>
using kernel_part = decltype(policy_parts<Parts...>::kernel(std::declval<Parts>()...));
template <class... Parts>
using launch_part = decltype(policy_parts<Parts...>::launch(std::declval<Parts>()...));

// The properties of both lists. A property that both have is taken from the first one.
template <class K, class... P, class L, class... Q>
auto joined(const K &k, sycl::detail::properties_pack<P...>, const L &l,
            sycl::detail::properties_pack<Q...>) {
  [[maybe_unused]] const auto own = [&](auto key) {
    using key_t = typename decltype(key)::type;
    if constexpr (K::template has_property<key_t>())
      return std::tuple<>();
    else
      return std::make_tuple(l.template get_property<key_t>());
  };
  const auto all = std::tuple_cat(std::make_tuple(k.template get_property<typename P::key_t>()...),
                                  own(type_identity<typename Q::key_t>())...);
  return std::apply([](const auto &...p) { return properties_of(p...); }, all);
}

} // namespace detail

namespace experimental {

template <class Range, class KernelProperties, class LaunchProperties, bool HasLocal>
class launch_policy {
public:
  using RangeT = Range;
  using KPropsT = KernelProperties;
  using LPropsT = LaunchProperties;
  static constexpr bool HasLocalMem = HasLocal;
  static constexpr int Dim = Range::dimensions;

  template <class... Parts>
  launch_policy(const Range &r, const Parts &...parts)
      : range_(r), kernel_(detail::policy_parts<Parts...>::kernel(parts...)),
        launch_(detail::policy_parts<Parts...>::launch(parts...)),
        bytes_(detail::policy_parts<Parts...>::bytes(parts...)) {}
  template <class... Parts, class R = Range,
            class = std::enable_if_t<std::is_same_v<R, sycl::nd_range<3>>>>
  launch_policy(const dim3 &grid, const dim3 &threads, const Parts &...parts)
      : launch_policy(detail::nd_range_of(grid, threads), parts...) {}
  template <class... Parts, class R = Range,
            class = std::enable_if_t<std::is_same_v<R, sycl::range<3>>>>
  launch_policy(const dim3 &size, const Parts &...parts)
      : launch_policy(sycl::range<3>(size), parts...) {}

  const Range &get_range() const { return range_; }
  KernelProperties get_kernel_properties() const { return kernel_; }
  LaunchProperties get_launch_properties() const { return launch_; }
  std::size_t get_local_mem_size() const { return bytes_; }
  // All properties in one list.
  auto get_properties() const {
    return detail::joined(kernel_, typename KernelProperties::scythe_pack(), launch_,
                          typename LaunchProperties::scythe_pack());
  }

private:
  Range range_;
  KernelProperties kernel_;
  LaunchProperties launch_;
  std::size_t bytes_;
};

#define SYCLCOMPAT_POLICY(range, ...)                                                              \
  launch_policy(__VA_ARGS__, Parts...)                                                             \
      -> launch_policy<range, detail::kernel_part<Parts...>, detail::launch_part<Parts...>,        \
                       detail::policy_parts<Parts...>::local>;
template <int D, class... Parts>
SYCLCOMPAT_POLICY(sycl::nd_range<D>, sycl::nd_range<D>)
template <int D, class... Parts>
SYCLCOMPAT_POLICY(sycl::range<D>, sycl::range<D>)
template <class... Parts>
SYCLCOMPAT_POLICY(sycl::nd_range<3>, dim3, dim3)
template <class... Parts>
SYCLCOMPAT_POLICY(sycl::range<3>, dim3)
#undef SYCLCOMPAT_POLICY

template <auto F, class Range, class K, class L, bool HasLocal, class... Args>
sycl::event
    launch(const launch_policy<Range, K, L, HasLocal> &policy, sycl::queue q, Args... args) {
  constexpr int D = Range::dimensions;
  const auto properties = policy.get_properties();
  if constexpr (std::is_same_v<Range, sycl::range<D>>) {
    static_assert(!HasLocal, "launch: local memory needs work-groups; launch over an nd_range");
    return q.parallel_for(policy.get_range(), properties, [args...](sycl::item<D>) { F(args...); });
  } else if constexpr (HasLocal) {
    return detail::run_with_local<F>(q, policy.get_range(), properties, policy.get_local_mem_size(),
                                     args...);
  } else {
    return detail::run<F>(q, policy.get_range(), properties, args...);
  }
}
template <auto F, class Range, class K, class L, bool HasLocal, class... Args>
sycl::event launch(const launch_policy<Range, K, L, HasLocal> &policy, Args... args) {
  return experimental::launch<F>(policy, get_default_queue(), args...);
}

} // namespace experimental
} // namespace syclcompat

#endif
