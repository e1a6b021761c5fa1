// `sycl::platform` and `sycl::device`. Their runtime objects are never freed, so both are plain
// handles.
//
// The two classes refer to each other. This file defines both, and <sycl/device.hpp> includes it.
#ifndef SCYTHE_PLATFORM_HPP
#define SCYTHE_PLATFORM_HPP

#include <sycl/aspect.hpp>
#include <sycl/backend.hpp>
#include <sycl/ext/oneapi/architecture.hpp>
#include <sycl/info.hpp>

namespace sycl {

namespace detail {

struct access_handle;

// A device selector is any callable that scores devices.
void takes_score(int);
template <class S, class = void> inline constexpr bool is_selector_v = false;
template <class S>
inline constexpr bool is_selector_v<S, decltype(takes_score((*static_cast<const S *>(nullptr))(
                                           *static_cast<const device *>(nullptr))))> = true;
template <class S> using if_selector = std::enable_if_t<is_selector_v<S>>;

// Like `later`, for templates with a value. `list_for` is a `std::vector<T>` that only programs
// with an instance of the template compile.
template <auto Value, class T> struct later_for {
  using type = T;
};
template <auto Value, class T> using list_for = std::vector<typename later_for<Value, T>::type>;

template <class Enum> std::vector<Enum> enumerators(std::uint32_t bits) {
  std::vector<Enum> out;
  for (std::uint32_t i = 0; i < 32; ++i)
    if (bits >> i & 1)
      out.push_back(static_cast<Enum>(i));
  return out;
}

} // namespace detail

namespace ext::oneapi {
enum class peer_access { access_supported, atomics_supported };
namespace experimental {
// The language of a kernel bundle in state `ext_oneapi_source`.
enum class source_language : std::uint32_t {
  opencl = SCYTHE_SOURCE_OPENCL,
  spirv = SCYTHE_SOURCE_SPIRV,
  sycl = SCYTHE_SOURCE_SYCL
};
// A version of OpenCL C or of an extension.
struct cl_version {
  unsigned major : 10;
  unsigned minor : 10;
  unsigned patch : 12;
};
} // namespace experimental
} // namespace ext::oneapi

// Whether events can have time stamps on queues without `enable_profiling`. No platform has them
// (`sycl_ext_oneapi_reusable_events`).
namespace ext::oneapi::experimental::info::platform {
struct event_profiling {
  using return_type = bool;
};
} // namespace ext::oneapi::experimental::info::platform

class platform {
public:
  platform();
  template <class Selector, class = detail::if_selector<Selector>>
  explicit platform(const Selector &selector);

  // Functions that return lists are templates, so that only programs that call them compile the
  // lists.
  template <class List = std::vector<platform>> static List get_platforms() {
    std::uint32_t count = 0;
    detail::check(scythe_platform_count(&count));
    List all;
    for (std::uint32_t i = 0; i < count; ++i) {
      scythe_platform handle = nullptr;
      detail::check(scythe_platform_get(i, &handle));
      all.push_back(platform(handle));
    }
    return all;
  }
  template <class List = std::vector<device>>
  List get_devices(info::device_type type = info::device_type::all) const;
  backend get_backend() const noexcept {
    std::uint32_t kind = 0;
    std::size_t length = 0;
    scythe_platform_info(handle_, SCYTHE_PLATFORM_BACKEND, &kind, sizeof(kind), &length);
    return static_cast<backend>(kind);
  }
  template <class Param> typename Param::return_type get_info() const {
    if constexpr (std::is_same_v<Param, info::platform::extensions> ||
                  std::is_same_v<Param, ext::oneapi::experimental::info::platform::event_profiling>)
      return {};
    else
      return detail::query<typename Param::wire_type>(
          Param::code, [this](std::uint32_t code, void *buf, std::size_t cap, std::size_t *len) {
            return scythe_platform_info(handle_, code, buf, cap, len);
          });
  }
  // Returns the context of queues that do not name one.
  context khr_get_default_context() const;
  context ext_oneapi_get_default_context() const;
  // Deprecated, from SYCL 1.2.1. There is no host device.
  bool is_host() const { return false; }
  // No platform has composite devices (`ext/oneapi/experimental/composite_device.hpp`).
  template <class List = std::vector<device>> List ext_oneapi_get_composite_devices() const {
    return {};
  }
  // Returns true if every device of the platform has the aspect.
  bool has(aspect asked) const;
  bool has_extension(const std::string &) const { return false; }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const platform &a, const platform &b) { return a.handle_ == b.handle_; }
  friend bool operator!=(const platform &a, const platform &b) { return a.handle_ != b.handle_; }

private:
  friend struct detail::access_handle;
  explicit platform(scythe_platform handle) : handle_(handle) {}
  scythe_platform handle_;
};

class device {
public:
  device();
  template <class Selector, class = detail::if_selector<Selector>>
  explicit device(const Selector &selector);

  template <class List = std::vector<device>>
  static List get_devices(info::device_type type = info::device_type::all) {
    return enumerate<List>(nullptr, type);
  }
  // Deprecated, from SYCL 1.2.1. There is no host device.
  bool is_host() const { return false; }
  bool is_cpu() const { return has(aspect::cpu); }
  bool is_gpu() const { return has(aspect::gpu); }
  bool is_accelerator() const { return has(aspect::accelerator); }
  bool has(aspect asked) const {
    return scythe_device_has_aspect(handle_, static_cast<std::uint32_t>(asked)) == 1;
  }
  bool has_extension(const std::string &) const { return false; }
  bool ext_oneapi_architecture_is(ext::oneapi::experimental::architecture asked) const {
    return has(detail::aspect_of(asked));
  }
  template <class V = void>
  bool ext_oneapi_architecture_is(ext::oneapi::experimental::arch_category asked) const {
    using query = detail::later_t<V, ext::oneapi::experimental::info::device::architecture>;
    using architectures = detail::ordered_architectures<typename query::return_type>;
    return architectures::family(get_info<query>()) == static_cast<int>(asked);
  }
  // Whether kernels on this device can access device allocations of another device.
  bool ext_oneapi_can_access_peer(
      const device &peer,
      ext::oneapi::peer_access value = ext::oneapi::peer_access::access_supported) const {
    return scythe_device_can_access_peer(handle_, peer.handle_,
                                         value == ext::oneapi::peer_access::atomics_supported) == 1;
  }
  void ext_oneapi_enable_peer_access(const device &peer) const {
    detail::check(scythe_device_set_peer_access(handle_, peer.handle_, 1));
  }
  void ext_oneapi_disable_peer_access(const device &peer) const {
    detail::check(scythe_device_set_peer_access(handle_, peer.handle_, 0));
  }
  // Waits for all commands of all queues on this device, and passes their asynchronous errors to
  // the handlers (`sycl_ext_oneapi_device_wait`).
  void ext_oneapi_wait() const { detail::check(scythe_device_wait(handle_)); }
  void ext_oneapi_wait_and_throw() const {
    ext_oneapi_wait();
    ext_oneapi_throw_asynchronous();
  }
  void ext_oneapi_throw_asynchronous() const;
  // Whether kernel bundles in the language can be built, or compiled to objects, for this device
  // (`ext/oneapi/experimental/kernel_compiler.hpp`).
  bool ext_oneapi_can_build(ext::oneapi::experimental::source_language language) const {
    return scythe_online_supported(handle_, static_cast<std::uint32_t>(language)) == 0;
  }
  bool ext_oneapi_can_compile(ext::oneapi::experimental::source_language language) const {
    return language == ext::oneapi::experimental::source_language::sycl &&
           ext_oneapi_can_build(language);
  }
  // What the compiler for OpenCL C supports, if the device has one.
  bool ext_oneapi_supports_cl_c_version(const ext::oneapi::experimental::cl_version &v) const {
    std::uint32_t number = v.major << 22 | v.minor << 12 | v.patch;
    return opencl_c(SCYTHE_OPENCL_C_VERSION, {nullptr, 0}, number);
  }
  bool ext_oneapi_supports_cl_c_feature(const std::string &name) const {
    std::uint32_t number = 0;
    return opencl_c(SCYTHE_OPENCL_C_FEATURE, {name.data(), name.size()}, number);
  }
  bool
  ext_oneapi_supports_cl_extension(const std::string &name,
                                   ext::oneapi::experimental::cl_version *version = nullptr) const {
    std::uint32_t number = 0;
    const bool has = opencl_c(SCYTHE_OPENCL_C_EXTENSION, {name.data(), name.size()}, number);
    if (has && version)
      *version = {number >> 22, number >> 12 & 0x3ff, number & 0xfff};
    return has;
  }
  std::string ext_oneapi_cl_profile() const {
    std::string profile;
    const auto append = [](void *out, const char *text, std::size_t bytes) {
      static_cast<std::string *>(out)->append(text, bytes);
    };
    detail::check(scythe_online_opencl_profile(handle_, append, &profile));
    return profile;
  }
  // Returns the place of the device in the list of its platform's devices.
  template <class = void> std::size_t ext_oneapi_index_within_platform() const;
  platform get_platform() const;
  context ext_oneapi_get_default_context() const;
  backend get_backend() const noexcept {
    std::uint32_t kind = 0;
    std::size_t length = 0;
    scythe_device_info(handle_, SCYTHE_DEVICE_BACKEND, &kind, sizeof(kind), &length);
    return static_cast<backend>(kind);
  }
  template <class Param> typename Param::return_type get_info() const;
  // Partitions the device: into as many parts of the given number of compute units as fit, into one
  // part for each number, or into one part for each affinity domain.
  template <info::partition_property Property,
            std::enable_if_t<Property == info::partition_property::partition_equally, int> = 0>
  detail::list_for<Property, device> create_sub_devices(std::size_t count) const {
    return parts<detail::list_for<Property, device>>(Property, &count, 1);
  }
  template <info::partition_property Property,
            std::enable_if_t<Property == info::partition_property::partition_by_counts, int> = 0>
  detail::list_for<Property, device>
  create_sub_devices(const detail::list_for<Property, std::size_t> &counts) const {
    return parts<detail::list_for<Property, device>>(Property, counts.data(), counts.size());
  }
  template <
      info::partition_property Property,
      std::enable_if_t<Property == info::partition_property::partition_by_affinity_domain, int> = 0>
  detail::list_for<Property, device>
  create_sub_devices(info::partition_affinity_domain domain) const {
    const auto number = static_cast<std::size_t>(domain);
    return parts<detail::list_for<Property, device>>(Property, &number, 1);
  }

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const device &a, const device &b) { return a.handle_ == b.handle_; }
  friend bool operator!=(const device &a, const device &b) { return a.handle_ != b.handle_; }

private:
  friend struct detail::access_handle;
  friend class platform;
  explicit device(scythe_device handle) : handle_(handle) {}
  bool opencl_c(std::uint32_t fact, scythe_text name, std::uint32_t &version) const {
    std::int32_t answer = 0;
    detail::check(scythe_online_opencl_c(handle_, fact, name, &version, &answer));
    return answer;
  }
  template <class List> static List enumerate(scythe_platform platform, info::device_type type) {
    std::uint32_t count = 0;
    detail::check(scythe_device_count(platform, &count));
    List found;
    for (std::uint32_t i = 0; i < count; ++i) {
      scythe_device handle = nullptr;
      detail::check(scythe_device_get(platform, i, &handle));
      device d(handle);
      if (type == info::device_type::all || type == d.get_info<info::device::device_type>())
        found.push_back(d);
    }
    // "automatic" means the device that the default selector chooses. Without a preference, it is
    // the first device.
    if (type == info::device_type::automatic)
      found.push_back(device());
    return found;
  }
  template <class List>
  List parts(info::partition_property property, const std::size_t *values,
             std::size_t count) const {
    std::vector<detail::later_t<List, scythe_device>> handles(
        get_info<info::device::partition_max_sub_devices>());
    std::uint32_t made = 0;
    detail::check(scythe_device_partition(handle_, static_cast<std::uint32_t>(property), values,
                                          static_cast<std::uint32_t>(count), handles.data(),
                                          static_cast<std::uint32_t>(handles.size()), &made));
    List list;
    for (std::uint32_t i = 0; i < made && i < handles.size(); ++i)
      list.push_back(device(handles[i]));
    return list;
  }
  scythe_partition_info partition_info(scythe_device *parent) const {
    scythe_partition_info answers{};
    detail::check(scythe_device_partition_info(handle_, &answers, parent));
    return answers;
  }
  template <class Wire> Wire ask(std::uint32_t code) const {
    if constexpr (std::is_same_v<Wire, std::string>)
      return ask_text(code);
    else
      return ask_any<Wire>(code);
  }
  SCYTHE_LIBRARY_COLD std::string ask_text(std::uint32_t code) const {
    return ask_any<std::string>(code);
  }
  template <class Wire> Wire ask_any(std::uint32_t code) const {
    return detail::query<Wire>(
        code, [this](std::uint32_t c, void *buf, std::size_t cap, std::size_t *len) {
          return scythe_device_info(handle_, c, buf, cap, len);
        });
  }
  scythe_device handle_;
};

namespace detail {

// The only access from SYCL objects to their handles.
struct access_handle {
  static scythe_platform of(const platform &p) { return p.handle_; }
  static scythe_device of(const device &d) { return d.handle_; }
  static platform make(scythe_platform handle) { return platform(handle); }
  static device make(scythe_device handle) { return device(handle); }
};

// A device's name for messages, without the strings that `info::device::name` needs.
struct device_label {
  char text[256] = {};
  SCYTHE_LIBRARY_COLD explicit device_label(const device &d) {
    std::size_t length = 0;
    // Longer names are truncated.
    scythe_device_info(access_handle::of(d), info::device::name::code, text, sizeof(text) - 1,
                       &length);
  }
  const char *c_str() const { return text; }
};

template <class Param, class = void> inline constexpr bool has_wire = false;
template <class Param>
inline constexpr bool has_wire<Param, std::void_t<typename Param::wire_type>> = true;
template <class Param, class = void> inline constexpr bool has_fixed_value = false;
template <class Param>
inline constexpr bool has_fixed_value<Param, std::void_t<decltype(Param::value)>> = true;
template <class Param, class = void> inline constexpr bool is_aspect_flag = false;
template <class Param>
inline constexpr bool is_aspect_flag<Param, std::void_t<decltype(Param::asked)>> = true;
template <class Param, class = void> inline constexpr bool is_bit_set = false;
template <class Param>
inline constexpr bool is_bit_set<Param, std::void_t<typename Param::element_type>> = true;
template <class Param, class = void> inline constexpr bool is_vector_width = false;
template <class Param>
inline constexpr bool is_vector_width<Param, std::void_t<decltype(Param::index)>> = true;
template <class Param, class = void> inline constexpr bool is_partition_answer = false;
template <class Param>
inline constexpr bool is_partition_answer<Param, std::void_t<decltype(Param::answer)>> = true;
template <class Param, class = void> inline constexpr bool is_item_sizes = false;
template <class Param>
inline constexpr bool is_item_sizes<Param, std::void_t<decltype(Param::dimensions)>> = true;
// A query of an extension whose header computes the result.
template <class Param, class = void> inline constexpr bool has_own_query = false;
template <class Param>
inline constexpr bool has_own_query<
    Param, std::void_t<decltype(Param::scythe_query(*static_cast<device *>(nullptr)))>> = true;
// A query for devices with an aspect that no backend has.
template <class Param, class = void> inline constexpr bool needs_missing_aspect = false;
template <class Param>
inline constexpr bool needs_missing_aspect<Param, std::void_t<decltype(Param::scythe_aspect)>> =
    true;

} // namespace detail

inline platform device::get_platform() const {
  scythe_platform handle = nullptr;
  detail::check(scythe_device_platform(handle_, &handle));
  return detail::access_handle::make(handle);
}

template <class List> List platform::get_devices(info::device_type type) const {
  return device::enumerate<List>(handle_, type);
}

template <class> std::size_t device::ext_oneapi_index_within_platform() const {
  const scythe_platform mine = detail::access_handle::of(get_platform());
  std::uint32_t count = 0;
  detail::check(scythe_device_count(mine, &count));
  for (std::uint32_t i = 0; i < count; ++i) {
    scythe_device other = nullptr;
    detail::check(scythe_device_get(mine, i, &other));
    if (other == handle_)
      return i;
  }
  detail::fail(errc::invalid,
               "device::ext_oneapi_index_within_platform: device '%s' is a sub-device",
               detail::device_label(*this).c_str());
}

inline bool platform::has(aspect asked) const {
  std::uint32_t count = 0;
  detail::check(scythe_device_count(handle_, &count));
  for (std::uint32_t i = 0; i < count; ++i) {
    scythe_device handle = nullptr;
    detail::check(scythe_device_get(handle_, i, &handle));
    if (!device(handle).has(asked))
      return false;
  }
  return true;
}

template <class Param> typename Param::return_type device::get_info() const {
  using result = typename Param::return_type;
  if constexpr (std::is_base_of_v<detail::opencl_only, Param>)
    if (get_backend() != backend::opencl)
      detail::fail(errc::invalid,
                   "device::get_info: this query requires a device of the OpenCL backend, but "
                   "device '%s' belongs to another backend",
                   detail::device_label(*this).c_str());
  if constexpr (detail::has_wire<Param>) {
    auto wire = ask<typename Param::wire_type>(Param::code);
    if constexpr (std::is_same_v<decltype(wire), result>)
      return wire;
    else if constexpr (std::is_void_v<typename detail::wire_element<result>::type>)
      return static_cast<result>(wire);
    else {
      result converted;
      for (auto value : wire)
        converted.push_back(static_cast<typename result::value_type>(value));
      return converted;
    }
  } else if constexpr (detail::has_fixed_value<Param>) {
    return static_cast<result>(Param::value);
  } else if constexpr (detail::is_aspect_flag<Param>) {
    return has(Param::asked);
  } else if constexpr (detail::is_bit_set<Param>) {
    return detail::enumerators<typename Param::element_type>(ask<std::uint32_t>(Param::code));
  } else if constexpr (detail::is_vector_width<Param>) {
    auto widths = ask<std::vector<detail::later_t<Param, std::uint32_t>>>(Param::code);
    return widths.size() > Param::index ? widths[Param::index] : 0;
  } else if constexpr (detail::is_item_sizes<Param>) {
    auto sizes =
        ask<std::vector<detail::later_t<Param, std::uint64_t>>>(SCYTHE_DEVICE_MAX_WORK_ITEM_SIZES);
    result limits;
    for (int i = 0; i < Param::dimensions; ++i)
      limits[i] = sizes.at(static_cast<std::size_t>(Param::dimensions - 1 - i));
    return limits;
  } else if constexpr (detail::has_own_query<Param>) {
    return Param::scythe_query(*this);
  } else if constexpr (detail::needs_missing_aspect<Param>) {
    detail::fail(errc::feature_not_supported,
                 "device::get_info: device '%s' lacks aspect::%s, which this query requires",
                 detail::device_label(*this).c_str(), Param::scythe_aspect);
  } else if constexpr (std::is_same_v<Param, info::device::platform>) {
    return get_platform();
  } else if constexpr (detail::is_partition_answer<Param>) {
    scythe_device parent = nullptr;
    const std::uint32_t answer = partition_info(&parent).*Param::answer;
    if constexpr (std::is_enum_v<result>)
      return static_cast<result>(answer);
    else
      return detail::enumerators<typename result::value_type>(answer);
  } else if constexpr (std::is_same_v<Param, info::device::parent_device>) {
    scythe_device parent = nullptr;
    partition_info(&parent);
    if (!parent)
      detail::fail(errc::invalid, "info::device::parent_device: the device is not a sub-device");
    return device(parent);
  } else if constexpr (std::is_same_v<Param, info::device::execution_capabilities>) {
    return {info::execution_capability::exec_kernel};
  } else {
    // There are no extensions and no built-in kernels, so the list is empty.
    static_assert(!std::is_void_v<typename detail::wire_element<result>::type>,
                  "device::get_info: Param is not an info::device descriptor");
    return {};
  }
}

} // namespace sycl

#include <sycl/device_selector.hpp>

#endif
