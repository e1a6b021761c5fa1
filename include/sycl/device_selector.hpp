// Device selection: the standard selectors, selectors by aspect, and any callable that scores a
// device.
//
// The device with the highest score wins. Among equal scores, the first device wins. A negative
// score rejects a device.
#ifndef SCYTHE_DEVICE_SELECTOR_HPP
#define SCYTHE_DEVICE_SELECTOR_HPP

#include <sycl/platform.hpp>

namespace sycl {

namespace detail {

struct default_selector_type {
  int operator()(const device &d) const {
#ifdef SCYTHE_HOST_MODE
    // Kernels run on the host, which cannot access the memory of other devices.
    if (d.get_backend() == backend::ext_oneapi_native_cpu)
      return 600;
#endif
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

template <class List> struct aspect_selector_type {
  List require;
  List deny;
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
// Names the list of aspects without instantiating it in programs that do not use it.
template <class Aspect>
using aspect_list = std::vector<std::enable_if_t<std::is_same_v<Aspect, aspect>, Aspect>>;

// The best device so far.
class device_choice {
public:
  void offer(scythe_device candidate, int score) {
    ++offered_;
    if (score > score_) {
      best_ = candidate;
      score_ = score;
    }
  }
  SCYTHE_LIBRARY_COLD device result() const {
    if (!best_ && offered_ == 0)
      fail(errc::runtime, "no device is available: %s", scythe_device_problems());
    if (!best_)
      fail(errc::runtime,
           "the device selector rejected all %u available devices; run sycl-ls to list them",
           offered_);
    return access_handle::make(best_);
  }

private:
  scythe_device best_ = nullptr;
  int score_ = -1;
  unsigned offered_ = 0;
};

// Selects among all devices.
template <class Selector> SCYTHE_COLD device select_device(const Selector &selector) {
  // Drivers are slow to load. Do not load those that cannot provide the device.
  constexpr bool only_cpus = std::is_same_v<Selector, kind_selector_type<aspect::cpu>>;
  if constexpr (only_cpus || std::is_same_v<Selector, default_selector_type>) {
#ifdef SCYTHE_HOST_MODE
    constexpr bool prefers_cpus = true;
#else
    constexpr bool prefers_cpus = only_cpus;
#endif
    scythe_device quick = nullptr;
    check(scythe_device_quick_default(prefers_cpus, &quick));
    if (quick)
      return access_handle::make(quick);
  }
  device_choice choice;
  std::uint32_t count = 0;
  check(scythe_device_count(nullptr, &count));
  for (std::uint32_t i = 0; i < count; ++i) {
    scythe_device candidate = nullptr;
    check(scythe_device_get(nullptr, i, &candidate));
    choice.offer(candidate, selector(access_handle::make(candidate)));
  }
  return choice.result();
}
SCYTHE_LIBRARY_INSTANCE(device select_device(const default_selector_type &))

} // namespace detail

inline constexpr detail::default_selector_type default_selector_v{};
inline constexpr detail::kind_selector_type<aspect::cpu> cpu_selector_v{};
inline constexpr detail::kind_selector_type<aspect::gpu> gpu_selector_v{};
inline constexpr detail::kind_selector_type<aspect::accelerator> accelerator_selector_v{};

template <class Aspect = aspect>
auto aspect_selector(const detail::aspect_list<Aspect> &require,
                     const detail::aspect_list<Aspect> &deny = {}) {
  return detail::aspect_selector_type<detail::aspect_list<Aspect>>{require, deny};
}
template <class... Aspects> auto aspect_selector(aspect first, Aspects... rest) {
  return detail::aspect_selector_type<std::vector<aspect>>{{first, rest...}, {}};
}
template <aspect... Required> auto aspect_selector() {
  return detail::aspect_selector_type<std::vector<aspect>>{{Required...}, {}};
}

// The selector classes of SYCL 1.2.1.
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
device::device(const Selector &selector) : handle_(detail::select_device(selector).handle_) {}
inline device::device() : handle_(detail::select_device(default_selector_v).handle_) {}
template <class Selector, class>
platform::platform(const Selector &selector) : handle_(device(selector).get_platform().handle_) {}
inline platform::platform() : handle_(device().get_platform().handle_) {}
inline device device_selector::select_device() const { return detail::select_device(*this); }

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
