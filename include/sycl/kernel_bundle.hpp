// Kernel bundles, and queries about the kernels of a program and the devices that can run them. The
// queries agree with the behaviour of submissions.
//
// A bundle is a set of kernels and its associated devices. The runtime owns the images and builds
// them when a kernel is first submitted. Kernels in host mode are plain functions, which every
// device runs and no image contains.
#ifndef SCYTHE_KERNEL_BUNDLE_HPP
#define SCYTHE_KERNEL_BUNDLE_HPP

#include <sycl/detail/kernel_name.hpp>
#include <sycl/ext/oneapi/experimental/free_function_traits.hpp>
#include <sycl/kernel.hpp>

namespace sycl {

// These are templates, so that only programs that call them compile the lists.
template <class List> List detail::kernel_ids() {
  List ids;
  auto add = [](void *list, const char *symbol) {
    static_cast<List *>(list)->push_back(kernel_id(symbol));
  };
  detail::check(scythe_kernel_list(add, &ids));
  return ids;
}

// An object, so that programs can name the type of `get_kernel_ids`, and only programs that call it
// compile the list.
namespace detail {
struct get_kernel_ids_function {
  template <class List = std::vector<kernel_id>> List operator()() const {
    return kernel_ids<List>();
  }
};
} // namespace detail
inline constexpr detail::get_kernel_ids_function get_kernel_ids{};

template <class Name> kernel_id get_kernel_id() {
  const char *symbol = nullptr;
#if defined(SCYTHE_HOST_MODE)
  detail::fail(errc::kernel, "get_kernel_id: the program was compiled without -fsycl and has no "
                             "device images; compile with -fsycl");
#elif !defined(SCYTHE_DEVICE_PASS)
  detail::check(scythe_kernel_find(
      detail::kernel_symbol<detail::class_name_t<Name>, Name>(detail::code_location{}),
      detail::unit_id, &symbol));
#endif
  return kernel_id(symbol);
}

namespace detail {

// A `std::vector<T>` that only programs with a bundle in state `State` compile.
template <bundle_state State, class T> using list_of = list_for<State, T>;
template <bundle_state State> list_of<State, device> devices_of(const context &where) {
  return where.template get_devices<list_of<State, device>>();
}

SCYTHE_LIBRARY_COLD bool is_compatible(const kernel_id &id, const device &d, bundle_state state) {
  std::int32_t answer = 0;
  check(scythe_kernel_compatible(access_handle::of(d), id.get_name(), 0,
                                 static_cast<std::uint32_t>(state), &answer));
  return answer == 1;
}

// Throws if the list is empty or a device is not in the context.
template <class Devices>
SCYTHE_COLD void check_devices(const char *function, const context &where, const Devices &devices) {
  if (devices.empty())
    fail(errc::invalid, "%s: the list of devices is empty", function);
  for (const device &d : devices)
    if (!where.scythe_impl()->has_device(access_handle::of(d)))
      fail(errc::invalid, "%s: device '%s' is not in the context", function,
           device_label(d).c_str());
}

// Returns whether each kernel can run on one of the devices. The devices must be in the context and
// support the state.
template <class Devices, class Ids>
SCYTHE_COLD bool has_bundle(bundle_state state, const context &where, const Devices &devices,
                            const Ids &ids, bool any) {
  check_devices("has_kernel_bundle", where, devices);
  for (const device &d : devices) {
    if ((state == bundle_state::input && !d.has(aspect::online_compiler)) ||
        (state == bundle_state::object && !d.has(aspect::online_linker)))
      return false;
  }
  for (const kernel_id &id : ids) {
    bool found = false;
    for (const device &d : devices)
      found = found || is_compatible(id, d, state);
    if (found == any)
      return any;
  }
  return !any;
}

} // namespace detail

template <class V = void>
bool is_compatible(const std::vector<detail::later_t<V, kernel_id>> &ids, const device &d) {
  for (const kernel_id &id : ids)
    if (!detail::is_compatible(id, d, bundle_state::executable))
      return false;
  return true;
}

template <class Name> bool is_compatible(const device &d) {
#if defined(SCYTHE_HOST_MODE)
  (void)d;
  return true;
#else
  return detail::is_compatible(get_kernel_id<Name>(), d, bundle_state::executable);
#endif
}

// Returns whether one of the devices can run any kernel.
template <bundle_state State>
bool has_kernel_bundle(const context &where, const std::vector<device> &devices) {
  return detail::has_bundle(State, where, devices,
                            detail::kernel_ids<detail::list_of<State, kernel_id>>(), true);
}
template <bundle_state State> bool has_kernel_bundle(const context &where) {
  return has_kernel_bundle<State>(where, detail::devices_of<State>(where));
}

// Returns whether all of these kernels can run.
template <bundle_state State>
bool has_kernel_bundle(const context &where, const std::vector<device> &devices,
                       const std::vector<kernel_id> &ids) {
  return detail::has_bundle(State, where, devices, ids, false);
}
template <bundle_state State>
bool has_kernel_bundle(const context &where, const std::vector<kernel_id> &ids) {
  return has_kernel_bundle<State>(where, detail::devices_of<State>(where), ids);
}
template <class Name, bundle_state State>
bool has_kernel_bundle(const context &where, const std::vector<device> &devices) {
  return has_kernel_bundle<State>(where, devices, {get_kernel_id<Name>()});
}
template <class Name, bundle_state State> bool has_kernel_bundle(const context &where) {
  return has_kernel_bundle<Name, State>(where, detail::devices_of<State>(where));
}

// Free function kernels.
namespace ext::oneapi::experimental {

template <auto *Func, sycl::detail::if_free_function<Func> = 0> kernel_id get_kernel_id() {
  sycl::detail::use_function<Func>();
  return sycl::get_kernel_id<sycl::detail::free_function_name<Func>>();
}
template <auto *Func, sycl::detail::if_free_function<Func> = 0>
bool is_compatible(const device &d) {
  return sycl::detail::is_compatible(experimental::get_kernel_id<Func>(), d,
                                     bundle_state::executable);
}
template <auto *Func, bundle_state State, sycl::detail::if_free_function<Func> = 0>
bool has_kernel_bundle(const context &where, const std::vector<device> &devices) {
  return sycl::has_kernel_bundle<State>(where, devices, {experimental::get_kernel_id<Func>()});
}
template <auto *Func, bundle_state State, sycl::detail::if_free_function<Func> = 0>
bool has_kernel_bundle(const context &where) {
  return experimental::has_kernel_bundle<Func, State>(where,
                                                      sycl::detail::devices_of<State>(where));
}

} // namespace ext::oneapi::experimental

} // namespace sycl

#include <sycl/detail/kernel_bundle_class.hpp>

#endif

// The file above includes this one again before it defines the classes.
#if defined(SCYTHE_KERNEL_BUNDLE_IS_COMPLETE)
#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>
#endif
