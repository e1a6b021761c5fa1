// `device_info`: the properties of a device in one object.
#ifndef SYCLCOMPAT_DEVICE_INFO_HPP
#define SYCLCOMPAT_DEVICE_INFO_HPP

#include <syclcompat/defs.hpp>

#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace syclcompat {

class device_info {
  template <class T>
  using if_sizes =
      std::enable_if_t<std::is_same_v<T, std::size_t *> || std::is_same_v<T, int *>, int>;

public:
  const char *get_name() const { return name_; }
  char *get_name() { return name_; }
  template <class T = sycl::id<3>,
            std::enable_if_t<std::is_same_v<T, sycl::id<3>> || std::is_same_v<T, int *>, int> = 0>
  auto get_max_work_item_sizes() const {
    if constexpr (std::is_same_v<T, sycl::id<3>>)
      return sycl::id<3>(items_[0], items_[1], items_[2]);
    else
      return static_cast<const int *>(items_);
  }
  template <class T = sycl::id<3>,
            std::enable_if_t<std::is_same_v<T, sycl::id<3>> || std::is_same_v<T, int *>, int> = 0>
  auto get_max_work_item_sizes() {
    if constexpr (std::is_same_v<T, sycl::id<3>>)
      return sycl::id<3>(items_[0], items_[1], items_[2]);
    else
      return static_cast<int *>(items_);
  }
  template <class T = std::size_t *, if_sizes<T> = 0> auto get_max_nd_range_size() const {
    if constexpr (std::is_same_v<T, std::size_t *>)
      return static_cast<const std::size_t *>(nd_range_);
    else
      return static_cast<const int *>(nd_range_int_);
  }
  template <class T = std::size_t *, if_sizes<T> = 0> auto get_max_nd_range_size() {
    if constexpr (std::is_same_v<T, std::size_t *>)
      return static_cast<std::size_t *>(nd_range_);
    else
      return static_cast<int *>(nd_range_int_);
  }
  void set_name(const char *name) {
    std::strncpy(name_, name, sizeof name_ - 1);
    name_[sizeof name_ - 1] = '\0';
  }
  void set_max_work_item_sizes(const sycl::id<3> sizes) {
    for (int d = 0; d < 3; ++d)
      items_[d] = int(sizes[d]);
  }
  void set_max_nd_range_size(const int sizes[]) {
    for (int d = 0; d < 3; ++d)
      nd_range_[d] = std::size_t(nd_range_int_[d] = sizes[d]);
  }
  std::array<unsigned char, 16> get_uuid() const { return uuid_; }
  void set_uuid(const std::array<unsigned char, 16> &uuid) { uuid_ = uuid; }

#define SYCLCOMPAT_PROPERTY(type, name, initial)                                                   \
public:                                                                                            \
  type get_##name() const { return name##_; }                                                      \
  void set_##name(type value) { name##_ = value; }                                                 \
                                                                                                   \
private:                                                                                           \
  type name##_ = initial;
  SYCLCOMPAT_PROPERTY(int, major_version, 0)
  SYCLCOMPAT_PROPERTY(int, minor_version, 0)
  SYCLCOMPAT_PROPERTY(int, integrated, 0)
  SYCLCOMPAT_PROPERTY(int, max_clock_frequency, 0)
  SYCLCOMPAT_PROPERTY(int, max_compute_units, 0)
  SYCLCOMPAT_PROPERTY(int, max_work_group_size, 0)
  SYCLCOMPAT_PROPERTY(int, max_sub_group_size, 0)
  SYCLCOMPAT_PROPERTY(int, max_work_items_per_compute_unit, 0)
  SYCLCOMPAT_PROPERTY(int, max_register_size_per_work_group, 0)
  SYCLCOMPAT_PROPERTY(std::size_t, global_mem_size, 0)
  SYCLCOMPAT_PROPERTY(std::size_t, local_mem_size, 0)
  SYCLCOMPAT_PROPERTY(std::size_t, max_mem_alloc_size, 0)
  SYCLCOMPAT_PROPERTY(unsigned, memory_clock_rate, 3200000)
  SYCLCOMPAT_PROPERTY(unsigned, memory_bus_width, 64)
  SYCLCOMPAT_PROPERTY(unsigned, global_mem_cache_size, 0)
  SYCLCOMPAT_PROPERTY(std::uint32_t, device_id, 0)
  SYCLCOMPAT_PROPERTY(bool, image_support, false)
#undef SYCLCOMPAT_PROPERTY

private:
  char name_[256] = {};
  int items_[3] = {};
  std::size_t nd_range_[3] = {0x7fffffff, 0x7fffffff, 0x7fffffff};
  int nd_range_int_[3] = {0x7fffffff, 0x7fffffff, 0x7fffffff};
  std::array<unsigned char, 16> uuid_{};
};

namespace detail {

// The first two numbers of the device's version.
inline std::pair<int, int> version_of(const sycl::device &d) {
  const std::string text = d.get_info<sycl::info::device::version>();
  std::size_t at = text.find_first_of("0123456789");
  if (at == std::string::npos)
    return {0, 0};
  auto number = [&] {
    int n = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && n < 100000; ++at)
      n = 10 * n + (text[at] - '0');
    return n;
  };
  const int major = number();
  if (at >= text.size() || text[at] != '.')
    return {major, 0};
  ++at;
  return {major, number()};
}

inline void describe(const sycl::device &d, device_info &out) {
  namespace info = sycl::info::device;
  namespace intel = sycl::ext::intel::info::device;
  const auto version = version_of(d);
  out.set_name(d.get_info<info::name>().c_str());
  out.set_major_version(version.first);
  out.set_minor_version(version.second);
  out.set_max_work_item_sizes(d.get_info<info::max_work_item_sizes<3>>());
  out.set_integrated(d.is_gpu() && d.has(sycl::aspect::usm_system_allocations));
  out.set_max_clock_frequency(int(d.get_info<info::max_clock_frequency>()));
  out.set_max_compute_units(int(d.get_info<info::max_compute_units>()));
  out.set_max_work_group_size(int(d.get_info<info::max_work_group_size>()));
  out.set_global_mem_size(d.get_info<info::global_mem_size>());
  out.set_local_mem_size(d.get_info<info::local_mem_size>());
  out.set_max_mem_alloc_size(d.get_info<info::max_mem_alloc_size>());
  out.set_global_mem_cache_size(unsigned(d.get_info<info::global_mem_cache_size>()));
  out.set_image_support(d.has(sycl::aspect::image));
  std::size_t sub_group = 1;
  for (const std::size_t size : d.get_info<info::sub_group_sizes>())
    sub_group = size > sub_group ? size : sub_group;
  out.set_max_sub_group_size(int(sub_group));
  out.set_max_work_items_per_compute_unit(int(d.get_info<info::max_work_group_size>()));
  out.set_max_register_size_per_work_group(65536);
  if (d.has(sycl::aspect::ext_intel_memory_clock_rate))
    // In kHz.
    out.set_memory_clock_rate(1000 * d.get_info<intel::memory_clock_rate>());
  if (d.has(sycl::aspect::ext_intel_memory_bus_width))
    out.set_memory_bus_width(d.get_info<intel::memory_bus_width>());
  if (d.has(sycl::aspect::ext_intel_device_id))
    out.set_device_id(d.get_info<intel::device_id>());
  if (d.has(sycl::aspect::ext_intel_device_info_uuid))
    out.set_uuid(d.get_info<intel::uuid>());
}

} // namespace detail

inline void get_device_info(device_info &out, const sycl::device &d) { detail::describe(d, out); }

} // namespace syclcompat

#endif
