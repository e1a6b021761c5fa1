// `if_device_has` and `if_architecture_is`: code for certain devices.
//
// If a device pass compiles for a known architecture, it does not instantiate the functions of the
// other branches. Code for the generic target keeps all branches, each behind a query that is
// resolved when the code is compiled for a device. The aspects that a branch uses do not count as
// used by its kernel. A host pass compiles no kernels and omits every branch. Host mode takes the
// last branch, `else_device`.
#ifndef SCYTHE_EXT_ONEAPI_DEVICE_IF_HPP
#define SCYTHE_EXT_ONEAPI_DEVICE_IF_HPP

#include <sycl/detail/config.hpp>
#include <sycl/ext/oneapi/architecture.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace sycl {
namespace detail {

// Whether the branches are chosen later, when the code is compiled for a device.
#ifdef SCYTHE_DEVICE_PASS
inline constexpr bool chooses_later = !compiled_for_known_architecture();
// The compilation for a device resolves this query: see passes/src/device_has.rs.
extern "C" SCYTHE_DEVICE_LIBRARY bool __scythe_device_has(std::uint32_t aspect);
#else
inline constexpr bool chooses_later = false;
constexpr bool __scythe_device_has(std::uint32_t) { return false; }
#endif

// Makes the queries dependent on an aspect, so that they are only instantiated if used.
template <aspect Aspect> using known = std::integral_constant<aspect, Aspect>;
template <aspect... Aspects> constexpr bool aspects_valid() {
  return (is_architecture_aspect<known<Aspects>>(Aspects) && ... && true);
}
// For else branches, which are called on different classes in different passes. Only one pass
// reports the error.
template <aspect... Aspects> constexpr bool aspects_valid_in_else() {
#if defined(SCYTHE_DEVICE_PASS) || defined(SCYTHE_HOST_MODE)
  return aspects_valid<Aspects...>();
#else
  return true;
#endif
}
template <aspect... Aspects> constexpr bool device_has_all() {
  return (compiled_for<known<Aspects>>(Aspects) && ... && true);
}
template <ext::oneapi::experimental::architecture... Architectures>
constexpr bool architecture_is_any() {
  return (compiled_for<known<aspect_of(Architectures)>>(aspect_of(Architectures)) || ... || false);
}

// A list of architectures, and the list of those that meet a condition.
template <ext::oneapi::experimental::architecture...> struct architecture_list {};
template <ext::oneapi::experimental::architecture... A,
          ext::oneapi::experimental::architecture... B>
architecture_list<A..., B...> operator+(architecture_list<A...>, architecture_list<B...>);
template <class Condition, class I> struct selected_architectures;
template <class Condition, std::size_t... I>
struct selected_architectures<Condition, std::index_sequence<I...>> {
  using order = ordered_architectures<later_t<Condition, ext::oneapi::experimental::architecture>>;
  template <ext::oneapi::experimental::architecture A>
  using one = std::conditional_t<Condition::holds(A), architecture_list<A>, architecture_list<>>;
  using type = decltype((architecture_list<>{} + ... + one<order::all[I]>{}));
};
template <class Condition>
using architectures_with = typename selected_architectures<
    Condition, std::make_index_sequence<std::size_t(
                   ordered_architectures<
                       later_t<Condition, ext::oneapi::experimental::architecture>>::count)>>::type;

// Conditions: the places of a family from `First` to `Last`, and all places of some families.
template <int Family, int First, int Last> struct in_places {
  template <class A> static constexpr bool holds(A a) {
    const int place = ordered_architectures<A>::place(a);
    return ordered_architectures<A>::family(a) == Family && place >= First && place <= Last;
  }
};
template <auto... Categories> struct in_families {
  template <class A> static constexpr bool holds(A a) {
    return ((ordered_architectures<A>::family(a) == static_cast<int>(Categories)) || ... || false);
  }
};
template <auto A> inline constexpr int place_of = ordered_architectures<decltype(A)>::place(A);
template <auto A, int First, int Last>
using architectures_like =
    architectures_with<in_places<ordered_architectures<decltype(A)>::family(A), First, Last>>;
inline constexpr int last_place = 1000;

// The else branches for parts of a family. `Self` has `scythe_else_if`, which
// takes a list of architectures.
template <class Self> struct architecture_branches {
  using arch = ext::oneapi::experimental::architecture;
  template <arch A, class F, class... Args>
  SCYTHE_ALWAYS_INLINE constexpr auto else_if_architecture_is_lt(F function, Args... args) {
    return self().scythe_else_if(architectures_like<A, 0, place_of<A> - 1>{}, function, args...);
  }
  template <arch A, class F, class... Args>
  SCYTHE_ALWAYS_INLINE constexpr auto else_if_architecture_is_le(F function, Args... args) {
    return self().scythe_else_if(architectures_like<A, 0, place_of<A>>{}, function, args...);
  }
  template <arch A, class F, class... Args>
  SCYTHE_ALWAYS_INLINE constexpr auto else_if_architecture_is_gt(F function, Args... args) {
    return self().scythe_else_if(architectures_like<A, place_of<A> + 1, last_place>{}, function,
                                 args...);
  }
  template <arch A, class F, class... Args>
  SCYTHE_ALWAYS_INLINE constexpr auto else_if_architecture_is_ge(F function, Args... args) {
    return self().scythe_else_if(architectures_like<A, place_of<A>, last_place>{}, function,
                                 args...);
  }
  template <arch A, arch B, class F, class... Args>
  SCYTHE_ALWAYS_INLINE constexpr auto else_if_architecture_is_between(F function, Args... args) {
    return self().scythe_else_if(architectures_like<A, place_of<A>, place_of<B>>{}, function,
                                 args...);
  }

private:
  constexpr Self &self() { return static_cast<Self &>(*this); }
};

// The object of the else branches. `Waiting` is true if no earlier branch was taken.
template <bool Waiting>
class if_device_has_helper : public architecture_branches<if_device_has_helper<Waiting>> {
public:
  template <aspect... Aspects, class F, class... Args>
  constexpr auto else_if_device_has([[maybe_unused]] F function, [[maybe_unused]] Args... args) {
    static_assert(aspects_valid_in_else<Aspects...>(),
                  "Invalid aspect used in else_if_device_has.");
    if constexpr (Waiting && device_has_all<Aspects...>()) {
      function(args...);
      return if_device_has_helper<false>{};
    } else {
      return if_device_has_helper<Waiting>{};
    }
  }
  template <ext::oneapi::experimental::arch_category... Categories, class F, class... Args>
  constexpr auto else_if_architecture_is(F function, Args... args) {
    return scythe_else_if(architectures_with<in_families<Categories...>>{}, function, args...);
  }
  template <ext::oneapi::experimental::architecture... Architectures, class F, class... Args>
  constexpr auto else_if_architecture_is(F function, Args... args) {
    return scythe_else_if(architecture_list<Architectures...>{}, function, args...);
  }
  template <ext::oneapi::experimental::architecture... Architectures, class F, class... Args>
  constexpr auto scythe_else_if(architecture_list<Architectures...>, [[maybe_unused]] F function,
                                [[maybe_unused]] Args... args) {
    if constexpr (Waiting && architecture_is_any<Architectures...>()) {
      function(args...);
      return if_device_has_helper<false>{};
    } else {
      return if_device_has_helper<Waiting>{};
    }
  }
  template <class F, class... Args>
  constexpr void else_device([[maybe_unused]] F function, [[maybe_unused]] Args... args) {
    if constexpr (Waiting)
      function(args...);
  }
  template <class F, class... Args> constexpr void otherwise(F function, Args... args) {
    else_device(function, args...);
  }
};

// A condition on the device, as numbers. crates/abi/src/condition.rs describes the format.
template <int... Numbers> struct device_condition {
  // A branch for devices that meet the condition. Aspects that it uses do not count for its callers
  // on other devices.
  template <class F, class... Args>
  SCYTHE_ANNOTATE("scythe::conditional", Numbers...)
  static void take_branch(F &function, Args &...args) {
    function(args...);
  }
};
template <int... A, int... B>
device_condition<A..., B...> operator+(device_condition<A...>, device_condition<B...>);
template <class... C> using all_conditions = decltype((device_condition<>{} + ... + C{}));

template <auto... Aspects>
using has_all = all_conditions<device_condition<static_cast<int>(Aspects), 0>...>;
template <auto... Aspects> using lacks_one = device_condition<-static_cast<int>(Aspects)..., 0>;
template <auto... Aspects> using has_one = device_condition<static_cast<int>(Aspects)..., 0>;
template <auto... Aspects>
using lacks_all = all_conditions<device_condition<-static_cast<int>(Aspects), 0>...>;

template <aspect... Aspects> SCYTHE_ALWAYS_INLINE bool device_has_all_later() {
  return (__scythe_device_has(static_cast<std::uint32_t>(Aspects)) && ... && true);
}

// The same for code that is compiled for a device later. All of it is inlined into the calling
// function, even without optimisation, so that the query results select the branches there.
// `Waiting` is the condition under which no earlier branch is taken. It gives the compiler the
// value that `waiting_` has at run time.
template <class Waiting>
class later_branches : public architecture_branches<later_branches<Waiting>> {
public:
  SCYTHE_ALWAYS_INLINE explicit later_branches(bool waiting) : waiting_(waiting) {}

  template <aspect... Aspects, class F, class... Args>
  SCYTHE_ALWAYS_INLINE auto else_if_device_has(F function, Args... args) {
    static_assert(aspects_valid_in_else<Aspects...>(),
                  "Invalid aspect used in else_if_device_has.");
    return choose<has_all<Aspects...>, lacks_one<Aspects...>>(device_has_all_later<Aspects...>(),
                                                              function, args...);
  }
  template <ext::oneapi::experimental::arch_category... Categories, class F, class... Args>
  SCYTHE_ALWAYS_INLINE auto else_if_architecture_is(F function, Args... args) {
    return scythe_else_if(architectures_with<in_families<Categories...>>{}, function, args...);
  }
  template <ext::oneapi::experimental::architecture... Architectures, class F, class... Args>
  SCYTHE_ALWAYS_INLINE auto else_if_architecture_is(F function, Args... args) {
    return scythe_else_if(architecture_list<Architectures...>{}, function, args...);
  }
  template <ext::oneapi::experimental::architecture... Architectures, class F, class... Args>
  SCYTHE_ALWAYS_INLINE auto scythe_else_if(architecture_list<Architectures...>, F function,
                                           Args... args) {
    return choose<has_one<Architectures...>, lacks_all<Architectures...>>(
        (__scythe_device_has(static_cast<std::uint32_t>(Architectures)) || ... || false), function,
        args...);
  }
  template <class F, class... Args>
  SCYTHE_ALWAYS_INLINE void else_device(F function, Args... args) {
    choose<has_all<>, lacks_one<>>(true, function, args...);
  }
  template <class F, class... Args> SCYTHE_ALWAYS_INLINE void otherwise(F function, Args... args) {
    choose<has_all<>, lacks_one<>>(true, function, args...);
  }

  // Takes the branch if the device meets `Own` and no earlier branch was taken. `Not` is the
  // negation of `Own`.
  template <class Own, class Not, class F, class... Args>
  SCYTHE_ALWAYS_INLINE auto choose(bool has, F &function, Args &...args) {
    const bool taken = waiting_ && has;
    if (taken)
      all_conditions<Waiting, Own>::take_branch(function, args...);
    return later_branches<all_conditions<Waiting, Not>>(waiting_ && !taken);
  }

private:
  bool waiting_;
};

// The object before the first branch.
template <class...> SCYTHE_ALWAYS_INLINE constexpr auto no_branch_yet() {
  if constexpr (chooses_later)
    return later_branches<device_condition<>>(true);
  else
    return if_device_has_helper<true>{};
}

} // namespace detail

namespace ext::oneapi::experimental {

// Calls `function` with `args` if the device has all of the aspects, which are architecture
// aspects.
template <aspect... Aspects, class F, class... Args>
SCYTHE_ALWAYS_INLINE constexpr auto if_device_has([[maybe_unused]] F function,
                                                  [[maybe_unused]] Args... args) {
  static_assert(detail::aspects_valid<Aspects...>(), "Invalid aspect used in if_device_has.");
  if constexpr (detail::chooses_later) {
    return detail::later_branches<detail::device_condition<>>(true)
        .template choose<detail::has_all<Aspects...>, detail::lacks_one<Aspects...>>(
            detail::device_has_all_later<Aspects...>(), function, args...);
  } else if constexpr (detail::device_has_all<Aspects...>()) {
    function(args...);
    return detail::if_device_has_helper<false>{};
  } else {
    return detail::if_device_has_helper<true>{};
  }
}

// Calls `function` with `args` if the device has one of the architectures, or belongs to one of the
// families.
template <architecture... Architectures, class F, class... Args>
SCYTHE_ALWAYS_INLINE constexpr auto if_architecture_is(F function, Args... args) {
  return detail::no_branch_yet<F>().template else_if_architecture_is<Architectures...>(function,
                                                                                       args...);
}
template <arch_category... Categories, class F, class... Args>
SCYTHE_ALWAYS_INLINE constexpr auto if_architecture_is(F function, Args... args) {
  return detail::no_branch_yet<F>().template else_if_architecture_is<Categories...>(function,
                                                                                    args...);
}
// The same for the architectures of a family that come before or after one of them.
template <architecture A, class F, class... Args>
SCYTHE_ALWAYS_INLINE constexpr auto if_architecture_is_lt(F function, Args... args) {
  return detail::no_branch_yet<F>().template else_if_architecture_is_lt<A>(function, args...);
}
template <architecture A, class F, class... Args>
SCYTHE_ALWAYS_INLINE constexpr auto if_architecture_is_le(F function, Args... args) {
  return detail::no_branch_yet<F>().template else_if_architecture_is_le<A>(function, args...);
}
template <architecture A, class F, class... Args>
SCYTHE_ALWAYS_INLINE constexpr auto if_architecture_is_gt(F function, Args... args) {
  return detail::no_branch_yet<F>().template else_if_architecture_is_gt<A>(function, args...);
}
template <architecture A, class F, class... Args>
SCYTHE_ALWAYS_INLINE constexpr auto if_architecture_is_ge(F function, Args... args) {
  return detail::no_branch_yet<F>().template else_if_architecture_is_ge<A>(function, args...);
}
template <architecture A, architecture B, class F, class... Args>
SCYTHE_ALWAYS_INLINE constexpr auto if_architecture_is_between(F function, Args... args) {
  return detail::no_branch_yet<F>().template else_if_architecture_is_between<A, B>(function,
                                                                                   args...);
}

} // namespace ext::oneapi::experimental
} // namespace sycl

#endif
