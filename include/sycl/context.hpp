// `sycl::context`: devices of one platform that share memory and events, and the handler of their asynchronous errors.
#ifndef SCYTHE_CONTEXT_HPP
#define SCYTHE_CONTEXT_HPP

#include <sycl/device.hpp>
#include <sycl/property_list.hpp>

namespace sycl {

namespace detail {

struct context_impl : counted {
  context_impl(std::vector<device> list, async_handler h, property_list props)
      : devices(std::move(list)), handler(std::move(h)), properties(std::move(props)) {
    if (devices.empty())
      fail(errc::invalid, "a context needs at least one device");
    std::vector<scythe_device> handles;
    for (const device &d : devices) {
      if (d.get_platform() != devices.front().get_platform())
        fail(errc::invalid, "the devices of a context must belong to one platform");
      handles.push_back(access_handle::of(d));
    }
    scythe_context created = nullptr;
    check(scythe_context_create(handles.data(), static_cast<std::uint32_t>(handles.size()), &created));
    context = detail::handle<scythe_context>::adopt(created);
  }
  bool has_device(const device &asked) const {
    for (const device &d : devices)
      if (d == asked)
        return true;
    return false;
  }

  handle<scythe_context> context;
  std::vector<device> devices;
  async_handler handler;
  property_list properties;
};

inline void retain(context_impl *context) noexcept { context->add_reference(); }
inline void release(context_impl *context) noexcept {
  if (context->drop_reference())
    delete context;
}

// The context of queues that name none: one for each platform, so that their allocations and events mix. They live
// until the process ends, since static objects may use them as late as that.
inline ref<context_impl> default_context(const platform &p) {
  struct entry {
    platform owner;
    ref<context_impl> context;
    entry *next;
  };
  static std::atomic<entry *> first{nullptr};
  entry *created = nullptr;
  for (;;) {
    entry *head = first.load(std::memory_order_acquire);
    for (entry *e = head; e; e = e->next)
      if (e->owner == p) {
        delete created;
        return e->context;
      }
    if (!created)
      created = new entry{p, ref<context_impl>::adopt(new context_impl(p.get_devices(), {}, {})), nullptr};
    created->next = head;
    if (first.compare_exchange_strong(head, created, std::memory_order_acq_rel))
      return created->context;
  }
}

} // namespace detail

class context {
public:
  explicit context(const property_list &properties = {}) : context(device(), properties) {}
  explicit context(async_handler handler, const property_list &properties = {})
      : context(device(), std::move(handler), properties) {}
  explicit context(const device &d, const property_list &properties = {}) : context(d, async_handler(), properties) {}
  explicit context(const device &d, async_handler handler, const property_list &properties = {})
      : context(std::vector<device>{d}, std::move(handler), properties) {}
  explicit context(const platform &p, const property_list &properties = {}) : context(p, async_handler(), properties) {}
  explicit context(const platform &p, async_handler handler, const property_list &properties = {})
      : context(p.get_devices(), std::move(handler), properties) {}
  explicit context(const std::vector<device> &devices, const property_list &properties = {})
      : context(devices, async_handler(), properties) {}
  explicit context(const std::vector<device> &devices, async_handler handler, const property_list &properties = {})
      : impl_(detail::ref<detail::context_impl>::adopt(
            new detail::context_impl(devices, std::move(handler), properties))) {}
  explicit context(detail::ref<detail::context_impl> impl) : impl_(std::move(impl)) {}

  backend get_backend() const noexcept { return impl_->devices.front().get_backend(); }
  platform get_platform() const { return impl_->devices.front().get_platform(); }
  std::vector<device> get_devices() const { return impl_->devices; }
  template <class Param> typename Param::return_type get_info() const {
    if constexpr (std::is_same_v<Param, info::context::platform>)
      return get_platform();
    else if constexpr (std::is_same_v<Param, info::context::devices>)
      return get_devices();
    else if constexpr (std::is_base_of_v<info::context::atomic_memory_order_capabilities, Param>)
      return common<info::device::atomic_memory_order_capabilities>();
    else {
      static_assert(std::is_base_of_v<info::context::atomic_memory_scope_capabilities, Param>,
                    "not an info::context descriptor");
      return common<info::device::atomic_memory_scope_capabilities>();
    }
  }
  template <class P> bool has_property() const noexcept { return impl_->properties.template has_property<P>(); }
  template <class P> P get_property() const { return impl_->properties.template get_property<P>(); }

  friend bool operator==(const context &a, const context &b) { return a.impl_ == b.impl_; }
  friend bool operator!=(const context &a, const context &b) { return a.impl_ != b.impl_; }

  const detail::ref<detail::context_impl> &scythe_impl() const noexcept { return impl_; }

private:
  // What all devices of the context can do.
  template <class DeviceParam> typename DeviceParam::return_type common() const {
    auto values = impl_->devices.front().template get_info<DeviceParam>();
    for (const device &d : impl_->devices) {
      typename DeviceParam::return_type both;
      for (auto theirs : d.template get_info<DeviceParam>())
        for (auto ours : values)
          if (ours == theirs)
            both.push_back(ours);
      values = both;
    }
    return values;
  }
  detail::ref<detail::context_impl> impl_;
};

inline exception::exception(const context &where, std::error_code code, const std::string &message)
    : exception(code, message) {
  context_ = where.scythe_impl();
}
inline exception::exception(const context &where, std::error_code code, const char *message)
    : exception(where, code, std::string(message)) {}
inline exception::exception(const context &where, std::error_code code) : exception(where, code, code.message()) {}
inline exception::exception(const context &where, int value, const std::error_category &category,
                            const std::string &message)
    : exception(where, std::error_code(value, category), message) {}
inline exception::exception(const context &where, int value, const std::error_category &category, const char *message)
    : exception(where, std::error_code(value, category), message) {}
inline exception::exception(const context &where, int value, const std::error_category &category)
    : exception(where, std::error_code(value, category)) {}
inline context exception::get_context() const {
  if (!context_)
    detail::fail(errc::invalid, "exception::get_context: the exception has no context");
  return context(context_);
}

} // namespace sycl

template <> struct std::hash<sycl::context> {
  std::size_t operator()(const sycl::context &c) const noexcept {
    return std::hash<const void *>()(c.scythe_impl().get());
  }
};

#endif
