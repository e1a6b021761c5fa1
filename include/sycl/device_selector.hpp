// Device selection: the standard selectors, selectors by aspect, and any callable that scores a device.
//
// The device with the highest score wins, the first of equals; negative scores rule a device out.
#ifndef SCYTHE_DEVICE_SELECTOR_HPP
#define SCYTHE_DEVICE_SELECTOR_HPP

#include <sycl/platform.hpp>

namespace sycl {

namespace detail {

struct default_selector_type {
  int operator()(const device &d) const {
    if (d.is_gpu())
      return 500;
    if (d.is_cpu())
      return 300;
    return d.is_accelerator() ? 75 : 1;
  }
};
template <aspect Kind> struct kind_selector_type {
  int operator()(const device &d) const { return d.has(Kind) ? 1000 : -1; }
};

struct aspect_selector_type {
  std::vector<aspect> require;
  std::vector<aspect> deny;
  int operator()(const device &d) const {
    for (aspect a : require)
      if (!d.has(a))
        return -1;
    for (aspect a : deny)
      if (d.has(a))
        return -1;
    return 1000 + default_selector_type()(d);
  }
};

template <class Selector> device select_device(const Selector &selector, const std::vector<device> &candidates) {
  const device *best = nullptr;
  int best_score = -1;
  for (const device &d : candidates) {
    int score = selector(d);
    if (score > best_score) {
      best = &d;
      best_score = score;
    }
  }
  if (best)
    return *best;
  std::string names;
  for (const device &d : candidates)
    names += (names.empty() ? "'" : ", '") + d.template get_info<info::device::name>() + "'";
  fail(errc::runtime, "no device satisfies the selector; it rejected " +
                          (names.empty() ? std::string("nothing, for there are no devices") : names));
}

} // namespace detail

inline constexpr detail::default_selector_type default_selector_v{};
inline constexpr detail::kind_selector_type<aspect::cpu> cpu_selector_v{};
inline constexpr detail::kind_selector_type<aspect::gpu> gpu_selector_v{};
inline constexpr detail::kind_selector_type<aspect::accelerator> accelerator_selector_v{};

inline auto aspect_selector(const std::vector<aspect> &require, const std::vector<aspect> &deny = {}) {
  return detail::aspect_selector_type{require, deny};
}
template <class... Aspects> auto aspect_selector(aspect first, Aspects... rest) {
  return detail::aspect_selector_type{{first, rest...}, {}};
}
template <aspect... Required> auto aspect_selector() { return detail::aspect_selector_type{{Required...}, {}}; }

// The classes of SYCL 1.2.1.
class device_selector {
public:
  virtual ~device_selector() = default;
  device select_device() const;
  virtual int operator()(const device &d) const = 0;
};
class default_selector : public device_selector {
public:
  int operator()(const device &d) const override { return default_selector_v(d); }
};
class cpu_selector : public device_selector {
public:
  int operator()(const device &d) const override { return cpu_selector_v(d); }
};
class gpu_selector : public device_selector {
public:
  int operator()(const device &d) const override { return gpu_selector_v(d); }
};
class accelerator_selector : public device_selector {
public:
  int operator()(const device &d) const override { return accelerator_selector_v(d); }
};

template <class Selector, class>
device::device(const Selector &selector) : device(detail::select_device(selector, device::get_devices())) {}
inline device::device() : device(default_selector_v) {}
template <class Selector, class>
platform::platform(const Selector &selector) : platform(device(selector).get_platform()) {}
inline platform::platform() : platform(default_selector_v) {}
inline device device_selector::select_device() const { return device(*this); }

} // namespace sycl

template <> struct std::hash<sycl::platform> {
  std::size_t operator()(const sycl::platform &p) const noexcept {
    return std::hash<scythe_platform>()(sycl::detail::access_handle::of(p));
  }
};
template <> struct std::hash<sycl::device> {
  std::size_t operator()(const sycl::device &d) const noexcept {
    return std::hash<scythe_device>()(sycl::detail::access_handle::of(d));
  }
};

#endif
