// Group operations in host mode. Each work-item publishes the address of its value, and the runtime
// lets work-items wait for each other.
#ifndef SCYTHE_DETAIL_HOST_GROUP_HPP
#define SCYTHE_DETAIL_HOST_GROUP_HPP

#include <sycl/detail/abi.h>
#include <sycl/group.hpp>
#include <sycl/sub_group.hpp>

#ifndef SCYTHE_DEVICE_PASS

namespace sycl::detail {

// A set of neighbouring work-items of a work-group, and the caller's position in it.
struct host_members {
  std::uint64_t first, count, self;
  bool leads() const { return self == 0; }
  void wait() const {
    const work_item *const item = host_work_item;
    scythe_host_group_wait(first, count);
    host_work_item = item;
  }
};
template <int D> host_members members_of(const group<D> &g) {
  return {0, g.get_local_linear_range(), g.get_local_linear_id()};
}
inline host_members members_of(const sub_group &g) {
  return {g.get_group_linear_id() * std::uint64_t(host_sub_group_size), g.get_local_linear_range(),
          g.get_local_linear_id()};
}

// The values of all members. No member continues while this object exists.
template <class T> class host_values {
public:
  host_values(const host_members &members, T &mine) : members_(members) {
    const work_item *const item = host_work_item;
    values_ = scythe_host_group_exchange(members.first + members.self, &mine, members.first,
                                         members.count);
    host_work_item = item;
  }
  host_values(const host_values &) = delete;
  host_values &operator=(const host_values &) = delete;
  ~host_values() { members_.wait(); }

  T &operator[](std::uint64_t member) const { return *static_cast<T *>(values_[member]); }
  std::uint64_t size() const { return members_.count; }

private:
  host_members members_;
  void **values_;
};

// One member changes all values with `change(values)`. Each member receives its value.
template <class Group, class T, class F> T host_collective(const Group &g, T value, F change) {
  const host_members members = members_of(g);
  {
    host_values<T> values(members, value);
    if (members.leads())
      change(values);
  }
  return value;
}

// Returns the value of member `source`, or the caller's value if there is no such member.
template <class Group, class T> T host_value_of(const Group &g, T value, std::uint64_t source) {
  host_values<T> values(members_of(g), value);
  return source < values.size() ? values[source] : value;
}

} // namespace sycl::detail

#endif

#endif
