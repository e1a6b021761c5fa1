// Hierarchical kernels: `h_item`, `private_memory`, and the kernel that `parallel_for_work_group`
// launches.
//
// One work-item runs the code of the whole work-group, and `parallel_for_work_item` is a loop over
// the group's logical work-items. Variables in the scope of the group are therefore shared, and the
// end of each loop acts as a barrier. On a CPU, the compiler turns a work-group into such loops
// anyway.
#ifndef SCYTHE_H_ITEM_HPP
#define SCYTHE_H_ITEM_HPP

#include <sycl/ext/oneapi/kernel_properties.hpp>
#include <sycl/group.hpp>
#include <sycl/item.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/specialization_id.hpp>

namespace sycl {

template <int Dimensions> class h_item {
public:
  static constexpr int dimensions = Dimensions;

  h_item() = delete;

  item<Dimensions, false> get_global() const { return {get_global_id(), get_global_range()}; }
  item<Dimensions, false> get_local() const { return get_logical_local(); }
  item<Dimensions, false> get_logical_local() const { return {logical_id_, logical_}; }
  item<Dimensions, false> get_physical_local() const {
    return {get_physical_local_id(), physical_};
  }
  id<Dimensions> get_global_id() const {
    return group_ * id<Dimensions>(physical_) + get_physical_local_id();
  }
  std::size_t get_global_id(int d) const {
    return group_[d] * physical_[d] + get_physical_local_id(d);
  }
  range<Dimensions> get_global_range() const { return groups_ * physical_; }
  std::size_t get_global_range(int d) const { return get_global_range()[d]; }
  id<Dimensions> get_local_id() const { return logical_id_; }
  std::size_t get_local_id(int d) const { return logical_id_[d]; }
  range<Dimensions> get_local_range() const { return logical_; }
  std::size_t get_local_range(int d) const { return logical_[d]; }
  id<Dimensions> get_logical_local_id() const { return logical_id_; }
  std::size_t get_logical_local_id(int d) const { return logical_id_[d]; }
  range<Dimensions> get_logical_local_range() const { return logical_; }
  std::size_t get_logical_local_range(int d) const { return logical_[d]; }
  // A flexible range wraps around the work-items that the group was launched with.
  id<Dimensions> get_physical_local_id() const {
    id<Dimensions> at = logical_id_;
    for (int d = 0; d < Dimensions; ++d)
      at[d] %= physical_[d];
    return at;
  }
  std::size_t get_physical_local_id(int d) const { return logical_id_[d] % physical_[d]; }
  range<Dimensions> get_physical_local_range() const { return physical_; }
  std::size_t get_physical_local_range(int d) const { return physical_[d]; }

  friend bool operator==(const h_item &a, const h_item &b) {
    return a.group_ == b.group_ && a.groups_ == b.groups_ && a.logical_id_ == b.logical_id_ &&
           a.logical_ == b.logical_ && a.physical_ == b.physical_;
  }
  friend bool operator!=(const h_item &a, const h_item &b) { return !(a == b); }

private:
  template <int> friend class group;
  h_item(const group<Dimensions> &g, const range<Dimensions> &logical)
      : groups_(g.get_group_range()), logical_(logical), physical_(g.get_local_range()),
        group_(g.get_group_id()) {}

  range<Dimensions> groups_, logical_, physical_;
  id<Dimensions> group_, logical_id_;
};

template <int D> template <class F> void group<D>::parallel_for_work_item(F f) const {
  parallel_for_work_item(get_local_range(), f);
}
template <int D>
template <class F>
void group<D>::parallel_for_work_item(range<D> flexible, F f) const {
  h_item<D> item(*this, flexible);
  id<D> &at = item.logical_id_;
  // Missing dimensions have size one.
  const std::size_t outer = D > 2 ? flexible[0] : 1, middle = D > 1 ? flexible[D - 2] : 1,
                    inner = flexible[D - 1];
  for (std::size_t i = 0; i < outer; ++i)
    for (std::size_t j = 0; j < middle; ++j)
      for (std::size_t k = 0; k < inner; ++k) {
        if constexpr (D > 2)
          at[0] = i;
        if constexpr (D > 1)
          at[D - 2] = j;
        at[D - 1] = k;
        f(item);
      }
}

// One object for each work-item of a hierarchical group.
template <class T, int Dimensions = 1> class private_memory {
public:
#ifdef SCYTHE_DEVICE_PASS
  explicit private_memory(const group<Dimensions> &) {}
#else
  explicit private_memory(const group<Dimensions> &g)
      : objects_(new T[g.get_local_linear_range()]) {}
  ~private_memory() { delete[] objects_; }
#endif
  private_memory(const private_memory &) = delete;
  private_memory &operator=(const private_memory &) = delete;

  T &operator()(const h_item<Dimensions> &item) {
    return objects_[detail::linear(item.get_physical_local_id(), item.get_physical_local_range())];
  }

private:
#ifdef SCYTHE_DEVICE_PASS
  // Device code has no memory of dynamic size. This is the largest work-group of any device.
  static constexpr std::size_t max_work_group_size = 8192;
  T objects_[max_work_group_size];
#else
  T *objects_;
#endif
};

namespace detail {

// The work-group size that the program requires, under a separate name.
template <class Size> struct logical_size {
  struct property {
    static constexpr const char *meta_name = "scythe-logical-work-group-size";
    static constexpr const char *meta_value = Size::meta_value;
  };
  using type = properties_pack<property>;
};
template <> struct logical_size<void> {
  using type = properties_pack<>;
};
template <int D> struct one_item {
  using type = properties_pack<
      std::conditional_t<D == 1, ext::oneapi::work_group_size::value_t<1>,
                         std::conditional_t<D == 2, ext::oneapi::work_group_size::value_t<1, 1>,
                                            ext::oneapi::work_group_size::value_t<1, 1, 1>>>>;
};

// The kernel that runs a hierarchical kernel, with one work-item per group.
template <class K, int D> struct hierarchical_kernel {
  using scythe_wrapped = K;
  K kernel;
  range<D> logical;

  // The groups of the program are loops, and the required size applies to them. A group of the
  // device has one work-item, because a group of several would need the private memory of all of
  // them.
  template <class Pack>
  using scythe_properties = typename joined_all<
      typename without<Pack, ext::oneapi::work_group_size, ext::oneapi::work_group_size_hint>::type,
      typename logical_size<property_in<ext::oneapi::work_group_size, Pack>>::type,
      typename one_item<D>::type>::type;

  SCYTHE_ANNOTATE("scythe::work_groups", "logical")
  SCYTHE_ANNOTATE("scythe::calls_kernel") void operator()(const nd_item<D> &) const {
    const group<D> g(this_work_item(), logical);
    if constexpr (std::is_invocable_v<const K &, const group<D> &>)
      SCYTHE_INLINED kernel(g);
    else
      SCYTHE_INLINED kernel(g, kernel_handler());
  }
};

} // namespace detail

} // namespace sycl

#endif
