// `sycl::context`: devices of one platform that share memory and events, and the handler for their
// asynchronous errors.
#ifndef SCYTHE_CONTEXT_HPP
#define SCYTHE_CONTEXT_HPP

#include <sycl/detail/async_errors.hpp>
#include <sycl/detail/inline_vector.hpp>
#include <sycl/device.hpp>
#include <sycl/property_list.hpp>

namespace sycl {

namespace detail {

struct context_impl : counted {
  context_impl(async_handler h, property_list props)
      : handler(std::move(h)), properties(std::move(props)) {}

  SCYTHE_LIBRARY_COLD ~context_impl() {
    report_kept_errors();
    delete kept_errors;
  }

  // Reports errors of a queue without a handler.
  SCYTHE_LIBRARY_COLD void report(exception_list list) {
    if (handler)
      handler(std::move(list));
    else
      default_async_handler(list);
  }
  // Stores errors of a destroyed queue. Any thread may call this. The context's destructor or a
  // wait for the device passes them to the program's handler, on a thread of the program.
  SCYTHE_LIBRARY_COLD void keep_errors(exception_list list) {
    if (!handler)
      default_async_handler(list);
    async_errors *mine = __atomic_load_n(&kept_errors, __ATOMIC_ACQUIRE);
    if (!mine) {
      auto *made = new async_errors;
      if (__atomic_compare_exchange_n(&kept_errors, &mine, made, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
        mine = made;
      else
        delete made;
    }
    for (const std::exception_ptr &error : list)
      mine->push(error);
  }
  SCYTHE_LIBRARY_COLD void report_kept_errors() {
    exception_list list;
    if (async_errors *mine = __atomic_load_n(&kept_errors, __ATOMIC_ACQUIRE))
      mine->take(list);
    if (list.size() != 0)
      report(std::move(list));
  }

  SCYTHE_LIBRARY_COLD void add_devices_of(scythe_platform platform) {
    std::uint32_t count = 0;
    check(scythe_device_count(platform, &count));
    for (std::uint32_t i = 0; i < count; ++i) {
      scythe_device member = nullptr;
      check(scythe_device_get(platform, i, &member));
      devices.push_back(member);
    }
  }
  // Called after all devices were added.
  SCYTHE_LIBRARY_COLD void create() {
    scythe_platform first = nullptr, other = nullptr;
    for (scythe_device d : devices) {
      check(scythe_device_platform(d, &other));
      if (first && other != first)
        fail(errc::invalid, "context: all devices must belong to the same platform");
      first = other;
    }
    if (!first)
      fail(errc::invalid,
           "context: the list of devices is empty; a context requires at least one device");
    scythe_context created = nullptr;
    check(scythe_context_create(devices.data(), static_cast<std::uint32_t>(devices.size()),
                                &created));
    context = detail::handle<scythe_context>::adopt(created);
  }
  bool has_device(scythe_device asked) const {
    for (scythe_device d : devices)
      if (d == asked)
        return true;
    return false;
  }
  template <class Selector> device select(const Selector &selector) const {
    device_choice choice;
    for (scythe_device d : devices)
      choice.offer(d, selector(access_handle::make(d)));
    return choice.result();
  }

  handle<scythe_context> context;
  inline_vector<scythe_device, 4> devices;
  async_handler handler;
  property_list properties;
  // Errors of destroyed queues.
  async_errors *kept_errors = nullptr;
};

SCYTHE_LIBRARY_INSTANCE(void destroy(context_impl *) noexcept)
inline void retain(context_impl *context) noexcept { context->add_reference(); }
inline void release(context_impl *context) noexcept {
  if (context->drop_reference())
    destroy(context);
}

// Returns the context of queues that do not name one. There is one such context per platform, so
// that their allocations and events can be mixed. It lives until the process ends, because static
// objects may use it until then.
SCYTHE_LIBRARY_COLD ref<context_impl> default_context(scythe_platform platform) {
  struct entry {
    scythe_platform owner;
    ref<context_impl> context;
    entry *next;
  };
  static entry *first = nullptr;
  ref<context_impl> created;
  for (;;) {
    entry *head = __atomic_load_n(&first, __ATOMIC_ACQUIRE);
    for (entry *e = head; e; e = e->next)
      if (e->owner == platform)
        return e->context;
    if (!created) {
      created = ref<context_impl>::adopt(new context_impl({}, {}));
      created->add_devices_of(platform);
      created->create();
    }
    entry *added = new entry{platform, created, head};
    if (__atomic_compare_exchange_n(&first, &head, added, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return created;
    delete added;
  }
}
inline ref<context_impl> default_context(const device &d) {
  return default_context(access_handle::of(d.get_platform()));
}

} // namespace detail

namespace usm {
enum class alloc : std::uint32_t;
}
namespace ext::oneapi::experimental {
class memory_pool;
}

class context {
public:
  // The constructors call functions with other names, because overload resolution among so many
  // constructors is slow to compile.
  explicit context(const property_list &properties = {}) : impl_(of(device(), {}, properties)) {}
  explicit context(async_handler handler, const property_list &properties = {})
      : impl_(of(device(), std::move(handler), properties)) {}
  explicit context(const device &d, const property_list &properties = {})
      : impl_(of(d, {}, properties)) {}
  explicit context(const device &d, async_handler handler, const property_list &properties = {})
      : impl_(of(d, std::move(handler), properties)) {}
  explicit context(const platform &p, const property_list &properties = {})
      : impl_(of_all(p, {}, properties)) {}
  explicit context(const platform &p, async_handler handler, const property_list &properties = {})
      : impl_(of_all(p, std::move(handler), properties)) {}
  template <class V = void>
  explicit context(const std::vector<detail::later_t<V, device>> &devices,
                   const property_list &properties = {})
      : impl_(of_list(devices.data(), devices.size(), {}, properties)) {}
  template <class V = void>
  explicit context(const std::vector<detail::later_t<V, device>> &devices, async_handler handler,
                   const property_list &properties = {})
      : impl_(of_list(devices.data(), devices.size(), std::move(handler), properties)) {}
  explicit context(detail::ref<detail::context_impl> impl) : impl_(std::move(impl)) {}

  // Deprecated, from SYCL 1.2.1. There is no host device.
  bool is_host() const { return false; }
  backend get_backend() const noexcept { return first_device().get_backend(); }
  platform get_platform() const { return first_device().get_platform(); }
  template <class List = std::vector<device>> List get_devices() const {
    List list;
    for (scythe_device d : impl_->devices)
      list.push_back(detail::access_handle::make(d));
    return list;
  }
  template <class Param> typename Param::return_type get_info() const {
    if constexpr (std::is_same_v<Param, info::context::platform>)
      return get_platform();
    else if constexpr (std::is_same_v<Param, info::context::devices>)
      return get_devices<detail::later_t<Param, std::vector<device>>>();
    else if constexpr (std::is_base_of_v<info::context::atomic_memory_order_capabilities, Param>)
      return common<detail::later_t<Param, info::device::atomic_memory_order_capabilities>>();
    else {
      static_assert(std::is_base_of_v<info::context::atomic_memory_scope_capabilities, Param>,
                    "context::get_info: Param is not an info::context descriptor");
      return common<detail::later_t<Param, info::device::atomic_memory_scope_capabilities>>();
    }
  }
  template <class P> bool has_property() const noexcept {
    return impl_->properties.template has_property<P>();
  }
  template <class P> P get_property() const { return impl_->properties.template get_property<P>(); }

  // Defined in `ext/oneapi/experimental/async_alloc/async_alloc.hpp`.
  template <class Pool = ext::oneapi::experimental::memory_pool>
  Pool ext_oneapi_get_default_memory_pool(usm::alloc kind) const;
  template <class Pool = ext::oneapi::experimental::memory_pool>
  Pool ext_oneapi_get_default_memory_pool(const device &d, usm::alloc kind) const;

  SCYTHE_OWNER_BEFORE
  friend bool operator==(const context &a, const context &b) {
    return a.impl_.get() == b.impl_.get();
  }
  friend bool operator!=(const context &a, const context &b) {
    return a.impl_.get() != b.impl_.get();
  }

  const detail::ref<detail::context_impl> &scythe_impl() const noexcept { return impl_; }
  static context scythe_make(const detail::ref<detail::context_impl> &impl) {
    return context(impl, 0, 0, 0);
  }

private:
  using shared = detail::ref<detail::context_impl>;
  // This constructor has more arguments than any other. The compiler therefore does not consider a
  // conversion to a handler.
  context(const shared &impl, int, int, int) : impl_(impl) {}
  static shared of(const device &d, async_handler handler, const property_list &properties) {
    return of_list(&d, 1, std::move(handler), properties);
  }
  SCYTHE_LIBRARY_COLD static shared of_list(const device *devices, std::size_t count,
                                            async_handler handler,
                                            const property_list &properties) {
    auto made = shared::adopt(new detail::context_impl(std::move(handler), properties));
    for (std::size_t i = 0; i < count; ++i)
      made->devices.push_back(detail::access_handle::of(devices[i]));
    made->create();
    return made;
  }
  SCYTHE_LIBRARY_COLD static shared of_all(const platform &p, async_handler handler,
                                           const property_list &properties) {
    auto made = shared::adopt(new detail::context_impl(std::move(handler), properties));
    made->add_devices_of(detail::access_handle::of(p));
    made->create();
    return made;
  }
  device first_device() const { return detail::access_handle::make(*impl_->devices.begin()); }
  // Returns the capabilities that all devices of the context have.
  template <class DeviceParam> typename DeviceParam::return_type common() const {
    auto values = first_device().template get_info<DeviceParam>();
    for (scythe_device d : impl_->devices) {
      typename DeviceParam::return_type both;
      for (auto theirs : detail::access_handle::make(d).template get_info<DeviceParam>())
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
    : code_(code), message_(message), context_(where.scythe_impl()) {}
inline exception::exception(const context &where, std::error_code code, const char *message)
    : code_(code), message_(message), context_(where.scythe_impl()) {}
inline exception::exception(const context &where, std::error_code code)
    : code_(code), message_(code.message()), context_(where.scythe_impl()) {}
inline exception::exception(const context &where, int value, const std::error_category &category,
                            const std::string &message)
    : code_(value, category), message_(message), context_(where.scythe_impl()) {}
inline exception::exception(const context &where, int value, const std::error_category &category,
                            const char *message)
    : code_(value, category), message_(message), context_(where.scythe_impl()) {}
inline exception::exception(const context &where, int value, const std::error_category &category)
    : code_(value, category), message_(category.message(value)), context_(where.scythe_impl()) {}
inline context exception::get_context() const {
  if (!context_)
    detail::fail(errc::invalid,
                 "exception::get_context: the exception has no context; call has_context first");
  return context::scythe_make(context_);
}

inline context platform::khr_get_default_context() const {
  return context::scythe_make(detail::default_context(handle_));
}
inline context platform::ext_oneapi_get_default_context() const {
  return khr_get_default_context();
}
inline context device::ext_oneapi_get_default_context() const {
  return context::scythe_make(detail::default_context(*this));
}

} // namespace sycl

template <> struct std::hash<sycl::context> {
  std::size_t operator()(const sycl::context &c) const noexcept {
    return std::hash<const void *>()(c.scythe_impl().get());
  }
};

#endif
