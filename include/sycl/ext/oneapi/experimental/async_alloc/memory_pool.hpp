// Pools of USM memory (`sycl_ext_oneapi_async_memory_alloc`) that reuse freed memory in the order
// of commands.
//
// A pool reserves memory for each allocation. It keeps freed memory as long as the reserved size
// does not exceed its threshold. A pool over existing memory divides that memory. Memory that a
// command frees belongs to the pool when the command has completed. Before that, allocations on the
// same in-order queue may use it, because their commands run later.
#ifndef SCYTHE_EXT_ONEAPI_MEMORY_POOL_HPP
#define SCYTHE_EXT_ONEAPI_MEMORY_POOL_HPP

#include <sycl/ext/oneapi/properties.hpp>
#include <sycl/usm.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace sycl::detail::pools {

class pool_state {
public:
  pool_state(const context &c, const device &d, usm::alloc k) : context_(c), device_(d), kind_(k) {}
  // A pool over existing memory.
  pool_state(const context &c, void *ptr, std::size_t size)
      : context_(c), device_(get_pointer_device(ptr, c)), kind_(get_pointer_type(ptr, c)),
        base_(ptr), threshold_(size), maximum_(size), reserved_(size) {
    idle_.push_back({static_cast<char *>(ptr), size, {}, nullptr});
  }
  pool_state(const pool_state &) = delete;
  pool_state &operator=(const pool_state &) = delete;
  // No allocation is left. Only commands that free memory may be running.
  ~pool_state() {
    for (block &b : idle_) {
      b.freed.wait();
      if (!base_)
        sycl::free(b.start, context_);
    }
  }

  // Returns memory for commands of the queue `from`, and whether it is new. Returns null if the
  // pool is exhausted.
  void *allocate(std::size_t size, const sycl::detail::queue_impl *from, bool &fresh) {
    // Addresses are distinct and have the alignment of USM.
    constexpr std::size_t unit = 128;
    size = size ? (size + unit - 1) / unit * unit : unit;
    std::lock_guard<std::mutex> guard(mutex_);
    const std::size_t best = find(size, from);
    if (fresh = best == idle_.size(); fresh)
      return reserve(size);
    block found = idle_[best];
    if (base_ && found.size > size) {
      idle_[best].start += size;
      idle_[best].size -= size;
      found.size = size;
    } else {
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(best));
    }
    given_[found.start] = found.size;
    trim();
    return found.start;
  }
  // Returns memory to the pool once `freed` has completed. Commands of `by`, an in-order queue, may
  // use it at once.
  void release(void *ptr, const event &freed, const sycl::detail::queue_impl *by) {
    std::lock_guard<std::mutex> guard(mutex_);
    const auto found = given_.find(static_cast<char *>(ptr));
    if (found == given_.end())
      return;
    idle_.push_back({found->first, found->second, freed, by});
    given_.erase(found);
  }

  std::size_t reserved() {
    std::lock_guard<std::mutex> guard(mutex_);
    trim();
    return reserved_;
  }
  std::size_t used() {
    std::lock_guard<std::mutex> guard(mutex_);
    std::size_t sum = 0;
    for (const auto &entry : given_)
      sum += entry.second;
    for (const block &b : idle_)
      sum += b.is_free() ? 0 : b.size;
    return sum;
  }
  std::size_t threshold() {
    std::lock_guard<std::mutex> guard(mutex_);
    return threshold_;
  }
  void raise_threshold(std::size_t bytes) {
    std::lock_guard<std::mutex> guard(mutex_);
    threshold_ = threshold_ < bytes ? bytes : threshold_;
  }
  // Must be called before the pool is used.
  void set_maximum(std::size_t bytes) {
    if (bytes > device_.get_info<sycl::info::device::global_mem_size>())
      sycl::detail::fail(
          errc::memory_allocation,
          "memory_pool: the maximum size of %zu bytes exceeds the memory of the device", bytes);
    maximum_ = bytes;
  }
  void set_zeroed() { zeroed_ = true; }

  const context &get_context() const { return context_; }
  const device &get_device() const { return device_; }
  usm::alloc kind() const { return kind_; }
  bool is_zeroed() const { return zeroed_; }

private:
  struct block {
    char *start;
    std::size_t size;
    event freed;
    const sycl::detail::queue_impl *by;
    bool is_free() const {
      return freed.get_info<sycl::info::event::command_execution_status>() ==
             sycl::info::event_command_status::complete;
    }
  };

  // Finds the smallest idle block that is large enough. A block that cannot be divided must not be
  // much larger than the size.
  std::size_t find(std::size_t size, const sycl::detail::queue_impl *from) {
    if (base_)
      merge();
    std::size_t best = idle_.size();
    for (std::size_t i = 0; i < idle_.size(); ++i) {
      const block &b = idle_[i];
      const bool fits = b.size >= size && (base_ || b.size / 2 <= size);
      if (fits && (best == idle_.size() || b.size < idle_[best].size) &&
          ((from && b.by == from) || b.is_free()))
        best = i;
    }
    return best;
  }
  void *reserve(std::size_t size) {
    if (base_ || size > maximum_ || reserved_ > maximum_ - size)
      return nullptr;
    void *ptr = sycl::malloc(size, device_, context_, kind_);
    if (ptr) {
      reserved_ += size;
      given_[static_cast<char *>(ptr)] = size;
    }
    return ptr;
  }
  // Merges free neighbours.
  void merge() {
    for (std::size_t i = 0; i < idle_.size(); ++i)
      for (std::size_t j = 0; j < idle_.size(); ++j)
        if (i != j && idle_[i].start + idle_[i].size == idle_[j].start && idle_[i].is_free() &&
            idle_[j].is_free()) {
          idle_[i].size += idle_[j].size;
          idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(j));
          i -= j < i;
          j = static_cast<std::size_t>(-1);
        }
  }
  // Releases memory above the threshold.
  void trim() {
    for (std::size_t i = idle_.size(); !base_ && i > 0 && reserved_ > threshold_; --i) {
      const block &b = idle_[i - 1];
      if (!b.is_free())
        continue;
      reserved_ -= b.size;
      sycl::free(b.start, context_);
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
  }

  std::mutex mutex_;
  context context_;
  device device_;
  usm::alloc kind_;
  void *base_ = nullptr;
  std::size_t threshold_ = 0, maximum_ = static_cast<std::size_t>(-1), reserved_ = 0;
  bool zeroed_ = false;
  std::map<char *, std::size_t> given_;
  std::vector<block> idle_;
};

} // namespace sycl::detail::pools

namespace sycl::ext::oneapi::experimental {

namespace property::memory_pool {
struct initial_threshold {
  using key_t = initial_threshold;
  initial_threshold(std::size_t bytes) : value(bytes) {}
  std::size_t value;
};
struct maximum_size {
  using key_t = maximum_size;
  maximum_size(std::size_t bytes) : value(bytes) {}
  std::size_t value;
};
struct read_only {
  using key_t = read_only;
};
struct zero_init {
  using key_t = zero_init;
};
using initial_threshold_key = initial_threshold;
using maximum_size_key = maximum_size;
using read_only_key = read_only;
using zero_init_key = zero_init;
} // namespace property::memory_pool

class memory_pool {
public:
  template <class Properties = empty_properties_t>
  memory_pool(const context &c, usm::alloc kind, Properties props = {})
      : memory_pool(c, c.get_devices()[0], kind, kind == usm::alloc::host, props) {}
  template <class Properties = empty_properties_t>
  memory_pool(const context &c, const device &d, usm::alloc kind, Properties props = {})
      : memory_pool(c, d, kind, kind == usm::alloc::device || kind == usm::alloc::shared, props) {}
  template <class Properties = empty_properties_t>
  memory_pool(const queue &q, usm::alloc kind, Properties props = {})
      : memory_pool(q.get_context(),
                    kind == usm::alloc::host ? q.get_context().get_devices()[0] : q.get_device(),
                    kind, kind != usm::alloc::unknown, props) {}
  template <class Properties = empty_properties_t>
  memory_pool(const context &c, void *ptr, std::size_t size, Properties = {})
      : state_(std::make_shared<sycl::detail::pools::pool_state>(c, ptr, size)) {
    static_assert(
        !Properties::template has_property<property::memory_pool::maximum_size>() &&
            !Properties::template has_property<property::memory_pool::initial_threshold>(),
        "memory_pool: a pool over existing memory takes its size from that memory; remove "
        "properties "
        "maximum_size and initial_threshold");
  }

  context get_context() const { return state_->get_context(); }
  device get_device() const { return state_->get_device(); }
  usm::alloc get_alloc_kind() const { return state_->kind(); }
  std::size_t get_threshold() const { return state_->threshold(); }
  std::size_t get_reserved_size_current() const { return state_->reserved(); }
  std::size_t get_used_size_current() const { return state_->used(); }
  void increase_threshold_to(std::size_t bytes) { state_->raise_threshold(bytes); }

  friend bool operator==(const memory_pool &a, const memory_pool &b) {
    return a.state_ == b.state_;
  }
  friend bool operator!=(const memory_pool &a, const memory_pool &b) {
    return a.state_ != b.state_;
  }

  const std::shared_ptr<sycl::detail::pools::pool_state> &scythe_state() const noexcept {
    return state_;
  }

private:
  template <class Properties>
  memory_pool(const context &c, const device &d, usm::alloc kind, bool fits,
              const Properties &props) {
    if (!fits)
      sycl::detail::fail(errc::invalid,
                         "memory_pool: this constructor does not accept the allocation kind");
    state_ = std::make_shared<sycl::detail::pools::pool_state>(c, d, kind);
    if constexpr (Properties::template has_property<property::memory_pool::maximum_size>())
      state_->set_maximum(props.template get_property<property::memory_pool::maximum_size>().value);
    if constexpr (Properties::template has_property<property::memory_pool::initial_threshold>())
      state_->raise_threshold(
          props.template get_property<property::memory_pool::initial_threshold>().value);
    if constexpr (Properties::template has_property<property::memory_pool::zero_init>())
      state_->set_zeroed();
  }

  std::shared_ptr<sycl::detail::pools::pool_state> state_;
};

} // namespace sycl::ext::oneapi::experimental

template <> struct std::hash<sycl::ext::oneapi::experimental::memory_pool> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::memory_pool &pool) const noexcept {
    return std::hash<const void *>()(pool.scythe_state().get());
  }
};

#endif
