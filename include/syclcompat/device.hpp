// Devices with their queues: the current device of a thread, its default queue, and information
// about devices.
#ifndef SYCLCOMPAT_DEVICE_HPP
#define SYCLCOMPAT_DEVICE_HPP

#include <syclcompat/defs.hpp>
#include <syclcompat/device_info.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace syclcompat {

inline void destroy_event(event_ptr event) { delete event; }

// A device with the queues that were created for it.
class device_ext : public sycl::device {
public:
  device_ext() = default;
  device_ext(const sycl::device &base, bool print_on_async_exceptions = false, bool in_order = true)
      : sycl::device(base), context_(base) {
    default_ = saved_ = create_queue(print_on_async_exceptions, in_order);
  }
  device_ext(const device_ext &) = delete;
  device_ext &operator=(const device_ext &) = delete;
  ~device_ext() {
    try {
      const std::lock_guard<std::mutex> lock(mutex_);
      sycl::event::wait(events_);
      queues_.clear();
    } catch (const sycl::exception &e) {
      std::cerr << "syclcompat: a command failed while its device was destroyed: " << e.what()
                << '\n';
      std::exit(1);
    }
  }

  bool is_native_host_atomic_supported() const { return false; }
  int get_major_version() const { return detail::version_of(*this).first; }
  int get_minor_version() const { return detail::version_of(*this).second; }
  int get_max_compute_units() const { return get_device_info().get_max_compute_units(); }
  int get_max_clock_frequency() const { return get_device_info().get_max_clock_frequency(); }
  int get_integrated() const { return get_device_info().get_integrated(); }
  int get_max_sub_group_size() const { return get_device_info().get_max_sub_group_size(); }
  int get_max_register_size_per_work_group() const {
    return get_device_info().get_max_register_size_per_work_group();
  }
  int get_max_work_group_size() const { return get_device_info().get_max_work_group_size(); }
  int get_mem_base_addr_align() const {
    return int(get_info<sycl::info::device::mem_base_addr_align>());
  }
  std::size_t get_global_mem_size() const { return get_device_info().get_global_mem_size(); }
  std::size_t get_local_mem_size() const { return get_device_info().get_local_mem_size(); }
  // The bytes that can still be allocated, and all bytes.
  void get_memory_info(std::size_t &free_bytes, std::size_t &total_bytes) const {
    total_bytes = get_global_mem_size();
    free_bytes = has(sycl::aspect::ext_intel_free_memory)
                     ? get_info<sycl::ext::intel::info::device::free_memory>()
                     : total_bytes;
  }
  void get_device_info(device_info &out) const { detail::describe(*this, out); }
  device_info get_device_info() const {
    device_info out;
    get_device_info(out);
    return out;
  }

  // Waits for all commands, and starts again with a new default queue.
  void reset(bool print_on_async_exceptions = false, bool in_order = true) {
    queues_wait_and_throw();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      queues_.clear();
      events_.clear();
    }
    default_ = saved_ = create_queue(print_on_async_exceptions, in_order);
  }

  queue_ptr default_queue() const { return default_; }
  // Waits for the commands of the previous default queue.
  void set_default_queue(const sycl::queue &q) {
    default_->wait_and_throw();
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool was_saved = saved_ == default_;
    queues_.push_back(std::make_unique<sycl::queue>(q));
    default_ = queues_.back().get();
    if (was_saved)
      saved_ = default_;
  }
  void queues_wait_and_throw() {
    std::vector<sycl::queue> all;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (const auto &q : queues_)
        all.push_back(*q);
    }
    for (sycl::queue &q : all)
      q.wait_and_throw();
    // The default queue may have been replaced by one that is not listed.
    default_->wait_and_throw();
  }
  queue_ptr create_queue(bool print_on_async_exceptions = false, bool in_order = true) {
    const sycl::property_list properties =
        in_order ? sycl::property_list{sycl::property::queue::in_order()} : sycl::property_list{};
    auto made = print_on_async_exceptions
                    ? std::make_unique<sycl::queue>(context_, *this, &print, properties)
                    : std::make_unique<sycl::queue>(context_, *this, properties);
    const std::lock_guard<std::mutex> lock(mutex_);
    queues_.push_back(std::move(made));
    return queues_.back().get();
  }
  queue_ptr create_in_order_queue(bool print_on_async_exceptions = false) {
    return create_queue(print_on_async_exceptions, true);
  }
  queue_ptr create_out_of_order_queue(bool print_on_async_exceptions = false) {
    return create_queue(print_on_async_exceptions, false);
  }
  void destroy_queue(queue_ptr &queue) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queues_.erase(std::remove_if(queues_.begin(), queues_.end(),
                                 [&](const auto &q) { return q.get() == queue; }),
                  queues_.end());
    queue = nullptr;
  }
  void set_saved_queue(queue_ptr q) { saved_ = q; }
  queue_ptr get_saved_queue() const { return saved_; }
  sycl::context get_context() const { return context_; }
  // The destructor waits for these events.
  void add_event(const sycl::event &event) {
    const std::lock_guard<std::mutex> lock(mutex_);
    events_.push_back(event);
  }
  // Throws if the device lacks one of the aspects.
  void has_capability_or_fail(const std::initializer_list<sycl::aspect> &aspects) const {
    for (const sycl::aspect a : aspects)
      if (!has(a))
        throw std::runtime_error("syclcompat: device '" + get_info<sycl::info::device::name>() +
                                 "' lacks aspect " + std::to_string(int(a)));
  }

private:
  static void print(sycl::exception_list list) {
    for (const std::exception_ptr &failure : list)
      try {
        std::rethrow_exception(failure);
      } catch (const sycl::exception &e) {
        std::cerr << "syclcompat: asynchronous error: " << e.what() << '\n';
      }
  }

  sycl::context context_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<sycl::queue>> queues_;
  std::vector<sycl::event> events_;
  queue_ptr default_ = nullptr;
  queue_ptr saved_ = nullptr;
};

namespace detail {

// All devices, the default device first, and the device that each thread has selected.
class dev_mgr {
public:
  static dev_mgr &instance() {
    static dev_mgr manager;
    return manager;
  }
  device_ext &current_device() { return get_device(current_device_id()); }
  device_ext &get_device(unsigned id) {
    check(id);
    return *devices_[id];
  }
  device_ext &cpu_device() {
    for (const auto &d : devices_)
      if (d->is_cpu())
        return *d;
    throw std::runtime_error("syclcompat: there is no CPU device");
  }
  unsigned current_device_id() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = selected_.find(std::this_thread::get_id());
    return found == selected_.end() ? 0 : found->second;
  }
  unsigned select_device(unsigned id) {
    check(id);
    const std::lock_guard<std::mutex> lock(mutex_);
    return selected_[std::this_thread::get_id()] = id;
  }
  unsigned device_count() const { return unsigned(devices_.size()); }
  unsigned get_device_id(const sycl::device &d) const {
    for (std::size_t id = 0; id < devices_.size(); ++id)
      if (*devices_[id] == d)
        return unsigned(id);
    throw std::runtime_error("syclcompat: the device is not one of the listed devices");
  }
  // Keeps the devices whose names contain one of the texts.
  void filter(const std::vector<std::string> &names) {
    const std::lock_guard<std::mutex> lock(mutex_);
    devices_.erase(
        std::remove_if(devices_.begin(), devices_.end(),
                       [&](const auto &d) {
                         const auto name = d->template get_info<sycl::info::device::name>();
                         return std::none_of(names.begin(), names.end(), [&](const auto &part) {
                           return name.find(part) != std::string::npos;
                         });
                       }),
        devices_.end());
    selected_.clear();
  }

private:
  dev_mgr() {
    const sycl::device first{sycl::default_selector_v};
    devices_.push_back(std::make_unique<device_ext>(first));
    for (const sycl::device &d : sycl::device::get_devices())
      if (d != first)
        devices_.push_back(std::make_unique<device_ext>(d));
  }
  void check(unsigned id) const {
    if (id >= devices_.size())
      throw std::runtime_error("syclcompat: device " + std::to_string(id) +
                               " does not exist, there are " + std::to_string(devices_.size()));
  }

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<device_ext>> devices_;
  std::map<std::thread::id, unsigned> selected_;
};

} // namespace detail

inline device_ext &get_current_device() { return detail::dev_mgr::instance().current_device(); }
inline unsigned get_current_device_id() { return detail::dev_mgr::instance().current_device_id(); }
inline device_ext &get_device(unsigned id) { return detail::dev_mgr::instance().get_device(id); }
inline unsigned get_device_id(const sycl::device &d) {
  return detail::dev_mgr::instance().get_device_id(d);
}
inline unsigned device_count() { return detail::dev_mgr::instance().device_count(); }
inline unsigned select_device(unsigned id) { return detail::dev_mgr::instance().select_device(id); }
inline unsigned select_device(const sycl::device &d) { return select_device(get_device_id(d)); }
inline void filter_device(const std::vector<std::string> &names) {
  detail::dev_mgr::instance().filter(names);
}
inline void list_devices() {
  for (unsigned id = 0; id < device_count(); ++id)
    std::cout << "Device " << id << ": " << get_device(id).get_info<sycl::info::device::name>()
              << '\n';
}
inline device_ext &cpu_device() { return detail::dev_mgr::instance().cpu_device(); }

inline sycl::queue get_default_queue() { return *get_current_device().default_queue(); }
inline void set_default_queue(const sycl::queue &q) { get_current_device().set_default_queue(q); }
inline sycl::queue create_queue(bool print_on_async_exceptions = false, bool in_order = true) {
  return *get_current_device().create_queue(print_on_async_exceptions, in_order);
}
inline sycl::queue create_queue(const sycl::device &d, bool print_on_async_exceptions = false,
                                bool in_order = true) {
  return *get_device(get_device_id(d)).create_queue(print_on_async_exceptions, in_order);
}
inline sycl::context get_default_context() { return get_default_queue().get_context(); }
inline void wait(sycl::queue q = get_default_queue()) { q.wait(); }
inline void wait_and_throw(sycl::queue q = get_default_queue()) { q.wait_and_throw(); }
inline void has_capability_or_fail(const sycl::device &d,
                                   const std::initializer_list<sycl::aspect> &aspects) {
  get_device(get_device_id(d)).has_capability_or_fail(aspects);
}
inline int get_major_version(const sycl::device &d) { return detail::version_of(d).first; }
inline int get_minor_version(const sycl::device &d) { return detail::version_of(d).second; }

// A stream number of other programming models as a queue: small numbers are the default queue.
inline queue_ptr int_as_queue_ptr(std::uintptr_t x) {
  return x <= 2 ? get_current_device().default_queue() : reinterpret_cast<queue_ptr>(x);
}

} // namespace syclcompat

#endif
