// `sycl::sub_group`: the work-items of a work-group that run together.
//
// In device code the compiler chooses them. In host mode they are `host_sub_group_size` neighbours
// by linear id. The object stores the values that its work-items share.
#ifndef SCYTHE_SUB_GROUP_HPP
#define SCYTHE_SUB_GROUP_HPP

#include <sycl/access.hpp>
#include <sycl/detail/spirv_group.hpp>
#include <sycl/detail/work_item.hpp>

namespace sycl {

template <class T, access::address_space Space, access::decorated Decorated> class multi_ptr;
template <class T, int N> class vec;

class sub_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id_type get_group_id() const { return id_type(get_group_linear_id()); }
  id_type get_local_id() const { return id_type(get_local_linear_id()); }
  range_type get_local_range() const { return range_type(get_local_linear_range()); }
  range_type get_group_range() const { return range_type(get_group_linear_range()); }
  range_type get_max_local_range() const { return range_type(max_size()); }
  bool leader() const { return get_local_linear_id() == 0; }
  // The earlier form of `group_barrier`. The fence covers all memory.
  template <class Self = sub_group>
  void barrier(access::fence_space = access::fence_space::global_and_local) const {
    group_barrier(static_cast<const Self &>(*this));
  }

  // The earlier forms of `select_from_group`, `shift_group_left`, `shift_group_right` and
  // `permute_group_by_xor`.
  template <class T> T shuffle(T x, id_type id) const { return select_from_group(*this, x, id); }
  template <class T> T shuffle_down(T x, linear_id_type delta) const {
    return shift_group_left(*this, x, delta);
  }
  template <class T> T shuffle_up(T x, linear_id_type delta) const {
    return shift_group_right(*this, x, delta);
  }
  template <class T> T shuffle_xor(T x, id_type mask) const {
    return permute_group_by_xor(*this, x, static_cast<linear_id_type>(mask[0]));
  }

  // Loads and stores of `sycl_ext_oneapi_sub_group`, before `group_load` and `group_store`. Each
  // work-item accesses the element with its number. Element `i` of a vector is
  // `i * get_max_local_range()` elements further.
  template <class CV, class T = std::remove_cv_t<CV>> T load(CV *from) const {
    return const_cast<T *>(from)[get_local_linear_id()];
  }
  template <class CV, access::address_space S, access::decorated D>
  std::remove_cv_t<CV> load(multi_ptr<CV, S, D> from) const {
    return load(from.get_raw());
  }
  template <int N, class CV, access::address_space S, access::decorated D>
  vec<std::remove_cv_t<CV>, N> load(multi_ptr<CV, S, D> from) const {
    using element = std::remove_cv_t<CV>;
    element *const first = const_cast<element *>(from.get_raw()) + get_local_linear_id();
    vec<element, N> elements;
    for (int i = 0; i < N; ++i)
      elements[i] = first[i * max_size()];
    return elements;
  }
  template <class T> void store(T *to, const std::remove_reference_t<T> &x) const {
    to[get_local_linear_id()] = x;
  }
  template <class T, access::address_space S, access::decorated D>
  void store(multi_ptr<T, S, D> to, const std::remove_cv_t<T> &x) const {
    store(to.get_raw(), x);
  }
  template <int N, class T, access::address_space S, access::decorated D>
  void store(multi_ptr<T, S, D> to, const vec<T, N> &elements) const {
    for (int i = 0; i < N; ++i)
      to.get_raw()[get_local_linear_id() + i * max_size()] = elements[i];
  }

  linear_id_type get_group_linear_id() const { return group_; }
  linear_id_type get_local_linear_id() const { return place(detail::this_work_item()); }
  linear_id_type get_local_linear_range() const { return size_; }
  linear_id_type get_group_linear_range() const { return groups_; }

  friend bool operator==(const sub_group &a, const sub_group &b) {
    return a.group_ == b.group_ && a.size_ == b.size_ && a.groups_ == b.groups_;
  }
  friend bool operator!=(const sub_group &a, const sub_group &b) { return !(a == b); }

#ifdef SCYTHE_DEVICE_PASS
  explicit sub_group(const detail::work_item &)
      : group_(__spirv_BuiltInSubgroupId()), size_(__spirv_BuiltInSubgroupSize()),
        groups_(__spirv_BuiltInNumSubgroups()) {}

private:
  static linear_id_type max_size() { return __spirv_BuiltInSubgroupMaxSize(); }
  static linear_id_type place(const detail::work_item &) {
    return __spirv_BuiltInSubgroupLocalInvocationId();
  }
#else
  explicit sub_group(const detail::work_item &self)
      : group_(static_cast<linear_id_type>(self.local_linear_id() / max_size())) {
    const auto items = static_cast<linear_id_type>(self.local_linear_size());
    const linear_id_type left = items - group_ * max_size();
    size_ = left < max_size() ? left : max_size();
    groups_ = (items + max_size() - 1) / max_size();
  }

private:
  static linear_id_type max_size() { return detail::host_sub_group_size; }
  static linear_id_type place(const detail::work_item &self) {
    return static_cast<linear_id_type>(self.local_linear_id() % max_size());
  }
#endif

  linear_id_type group_;
  linear_id_type size_;
  linear_id_type groups_;
};

} // namespace sycl

#endif
