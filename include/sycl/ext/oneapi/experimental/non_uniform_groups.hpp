// Non-uniform groups, which are parts of a sub-group: `ballot_group`, `fixed_size_group`,
// `tangle_group` and `opportunistic_group` (`sycl_ext_oneapi_non_uniform_groups`). They support all
// group algorithms and the group barrier.
//
// A part is a mask of its parent's work-items, and all operations are shuffles between them. Its
// members may therefore call an algorithm while the rest of the sub-group calls it for another
// part, or runs other code. Work-items of NVIDIA GPUs do not run in lockstep, so every operation
// names the members, which wait for each other. The work-items that reach a call are not known
// there before they arrive, so `tangle_group` needs an aspect that these GPUs lack. Host mode does
// not support these groups.
#ifndef SCYTHE_EXT_ONEAPI_EXPERIMENTAL_NON_UNIFORM_GROUPS_HPP
#define SCYTHE_EXT_ONEAPI_EXPERIMENTAL_NON_UNIFORM_GROUPS_HPP

#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <sycl/ext/oneapi/sub_group_mask.hpp>
#include <sycl/group_algorithms.hpp>

// The functions of the device library that exchange values between members.
#ifdef SCYTHE_DEVICE_PASS
// Returns the members for which `x` holds.
SCYTHE_DEVICE_LIBRARY extern unsigned long __scythe_part_votes(unsigned long members,
                                                               bool x) noexcept;
// Returns the work-items of the sub-group that run together here.
SCYTHE_DEVICE_LIBRARY extern unsigned long __scythe_part_reached() noexcept;
SCYTHE_DEVICE_LIBRARY extern void __scythe_part_barrier(unsigned long members) noexcept;
#define SCYTHE_PART_SHUFFLE(T)                                                                     \
  SCYTHE_DEVICE_LIBRARY extern T __scythe_part_shuffle(unsigned long members, T x,                 \
                                                       unsigned lane) noexcept;
SCYTHE_PART_SHUFFLE(signed char)
SCYTHE_PART_SHUFFLE(short)
SCYTHE_PART_SHUFFLE(int)
SCYTHE_PART_SHUFFLE(long)
SCYTHE_PART_SHUFFLE(unsigned char)
SCYTHE_PART_SHUFFLE(unsigned short)
SCYTHE_PART_SHUFFLE(unsigned int)
SCYTHE_PART_SHUFFLE(unsigned long)
SCYTHE_PART_SHUFFLE(_Float16)
SCYTHE_PART_SHUFFLE(float)
SCYTHE_PART_SHUFFLE(double)
#undef SCYTHE_PART_SHUFFLE
#endif

namespace sycl {

namespace detail {

class part_of_sub_group {
public:
  using scythe_partial = void;
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id_type get_group_id() const { return id_type(group_); }
  id_type get_local_id() const { return id_type(get_local_linear_id()); }
  range_type get_group_range() const { return range_type(groups_); }
  range_type get_local_range() const { return range_type(get_local_linear_range()); }
  range_type get_max_local_range() const { return parent_.get_max_local_range(); }
  linear_id_type get_group_linear_id() const { return group_; }
  linear_id_type get_group_linear_range() const { return groups_; }
  linear_id_type get_local_linear_id() const {
    return static_cast<linear_id_type>(
        __builtin_popcountll(mask_ & ((bits(1) << parent_.get_local_linear_id()) - 1)));
  }
  linear_id_type get_local_linear_range() const {
    return static_cast<linear_id_type>(__builtin_popcountll(mask_));
  }
  bool leader() const { return get_local_linear_id() == 0; }

  // --- Building blocks of group algorithms

  template <class T> T scythe_shuffle(T x, linear_id_type member) const {
#ifdef SCYTHE_DEVICE_PASS
    const linear_id_type lane = lane_of(member);
    return by_pieces(x, [=](auto p) { return __scythe_part_shuffle(mask_, p, lane); });
#else
    (void)member;
    return x;
#endif
  }
  template <spirv::group_operation Kind, class T, class Op> T scythe_combine(T x, Op op) const {
    const linear_id_type self = get_local_linear_id();
    T sum = x;
    // All parts take the same number of steps, so that parts of different sizes stay in lockstep.
    for (linear_id_type distance = 1; distance < parent_.get_max_local_range()[0]; distance *= 2) {
      const bool has_partner = self >= distance;
      const T before = scythe_shuffle(sum, has_partner ? self - distance : self);
      if (has_partner)
        sum = static_cast<T>(op(before, sum));
    }
    if constexpr (Kind == spirv::inclusive_scan) {
      return sum;
    } else if constexpr (Kind == spirv::exclusive_scan) {
      const T before = scythe_shuffle(sum, self ? self - 1 : 0);
      return self ? before : identity_of<operation_of<Op>, T>();
    } else {
      return scythe_shuffle(sum, get_local_linear_range() - 1);
    }
  }
  bool scythe_any(bool x) const { return votes(mask_, x) != 0; }
  bool scythe_all(bool x) const { return votes(mask_, x) == mask_; }
  void scythe_barrier(memory_scope scope) const {
    atomic_fence(memory_order::acq_rel, scope);
#ifdef SCYTHE_DEVICE_PASS
    __scythe_part_barrier(mask_);
    atomic_fence(memory_order::acq_rel, scope);
#endif
  }

protected:
  using bits = std::uint64_t;
  part_of_sub_group(const sub_group &parent, bits mask, linear_id_type group, linear_id_type groups)
      : parent_(parent), mask_(mask), group_(group), groups_(groups) {}

  // Returns the members for which `x` holds. All members call it.
  static bits votes(bits members, bool x) {
#ifdef SCYTHE_DEVICE_PASS
    return __scythe_part_votes(members, x);
#else
    (void)members, (void)x;
    refuse();
#endif
  }
  // Returns the work-items of the sub-group that run together here.
  static bits reached() {
#ifdef SCYTHE_DEVICE_PASS
    return __scythe_part_reached();
#else
    refuse();
#endif
  }
  // Returns the sub-group of a group.
  static const sub_group &sub_group_of(const sub_group &g) { return g; }
  static const sub_group &sub_group_of(const part_of_sub_group &g) { return g.parent_; }
  // Returns all work-items of a group.
  static bits members(const part_of_sub_group &g) { return g.mask_; }
  static bits members(const sub_group &g) {
    const linear_id_type count = g.get_local_linear_range();
    return count >= 64 ? ~bits(0) : (bits(1) << count) - 1;
  }

private:
#ifndef SCYTHE_DEVICE_PASS
  [[noreturn]] static void refuse() {
    fail(errc::feature_not_supported, "non-uniform groups are not supported in host mode; compile "
                                      "with -fsycl and run the kernel on a device");
  }
#endif
  // Finds the lane of bit number `member` of the mask by bisection: in one half, then in a quarter,
  // and so on.
  linear_id_type lane_of(linear_id_type member) const {
    linear_id_type lane = 0;
    for (linear_id_type width = 32; width != 0; width /= 2) {
      const bits low = mask_ >> lane & ((bits(1) << width) - 1);
      const auto count = static_cast<linear_id_type>(__builtin_popcountll(low));
      if (member >= count) {
        member -= count;
        lane += width;
      }
    }
    return lane;
  }

  sub_group parent_;
  bits mask_;
  linear_id_type group_, groups_;
};

} // namespace detail

namespace ext::oneapi::experimental {
template <class ParentGroup> class ballot_group;
template <std::size_t PartitionSize, class ParentGroup> class fixed_size_group;
namespace this_work_item {
ballot_group<sub_group> get_opportunistic_group();
}
} // namespace ext::oneapi::experimental

namespace detail {
// Whether a group can be divided into fragments and chunks.
template <class Group>
inline constexpr bool may_have_parts = std::is_base_of_v<part_of_sub_group, Group>;
template <> inline constexpr bool may_have_parts<sub_group> = true;
} // namespace detail

namespace ext::oneapi::experimental {

// The work-items whose predicate is true (group 1), and the others (group 0). The parent is a
// sub-group, or a part of one.
template <class ParentGroup> class ballot_group : public sycl::detail::part_of_sub_group {
  static_assert(sycl::detail::may_have_parts<ParentGroup>,
                "ballot_group: the parent group must be a sub_group, a fragment or a chunk");
  ballot_group(const ParentGroup &g, bits yes, bool predicate)
      : part_of_sub_group(sub_group_of(g), predicate ? yes : members(g) & ~yes, predicate, 2) {}
  ballot_group(const ParentGroup &g, bool predicate)
      : ballot_group(g, votes(members(g), predicate), predicate) {}
  explicit ballot_group(const part_of_sub_group &same) : part_of_sub_group(same) {}
  ballot_group(const ParentGroup &g, std::nullptr_t) : part_of_sub_group(g, reached(), 0, 1) {}
  template <class Group> friend ballot_group<Group> get_ballot_group(Group g, bool predicate);
  template <std::size_t, class> friend class fixed_size_group;
  friend ballot_group<sub_group> this_work_item::get_opportunistic_group();
};
template <class Group> ballot_group<Group> get_ballot_group(Group g, bool predicate) {
  return {g, predicate};
}

// Neighbouring members of the parent, which is a sub-group or a part of one.
template <std::size_t PartitionSize, class ParentGroup>
class fixed_size_group : public sycl::detail::part_of_sub_group {
  static_assert(sycl::detail::may_have_parts<ParentGroup>,
                "fixed_size_group: the parent group must be a sub_group, a fragment or a chunk");
  static_assert(
      PartitionSize > 0 && PartitionSize <= 64 && (PartitionSize & (PartitionSize - 1)) == 0,
      "fixed_size_group: the size must be a power of two and at most the size of a sub-group");
  static constexpr linear_id_type size = static_cast<linear_id_type>(PartitionSize);
  static constexpr bits whole = size == 64 ? ~bits(0) : (bits(1) << size % 64) - 1;
  static bits neighbours(const ParentGroup &g, linear_id_type group) {
    if constexpr (std::is_same_v<ParentGroup, sub_group>) {
      return whole << group * size;
    } else {
      bits from = members(g);
      for (linear_id_type i = 0; i < group * size; ++i)
        from &= from - 1;
      bits after = from;
      for (linear_id_type i = 0; i < size; ++i)
        after &= after - 1;
      return from & ~after;
    }
  }
  fixed_size_group(const ParentGroup &g, linear_id_type group)
      : part_of_sub_group(sub_group_of(g), neighbours(g, group), group,
                          g.get_local_linear_range() / size) {}
  template <std::size_t Size, class Group>
  friend fixed_size_group<Size, Group> get_fixed_size_group(Group g);

public:
  operator ballot_group<ParentGroup>() const { return ballot_group<ParentGroup>(*this); }
};
// The size of the parent must be a multiple of the partition size.
template <std::size_t PartitionSize, class Group>
fixed_size_group<PartitionSize, Group> get_fixed_size_group(Group g) {
  return {g, static_cast<std::uint32_t>(g.get_local_linear_id() / PartitionSize)};
}

// The work-items that reach the same call.
template <class ParentGroup> class tangle_group : public sycl::detail::part_of_sub_group {
  static_assert(std::is_same_v<ParentGroup, sub_group>,
                "tangle_group: the parent group must be a sub_group");
  explicit tangle_group(const sub_group &g) : part_of_sub_group(g, reached(), 0, 1) {}
  template <class Group> friend tangle_group<Group> get_tangle_group(Group g);
};
template <class Group>
SCYTHE_USES_ASPECTS(aspect::ext_oneapi_tangle_group)
tangle_group<Group> get_tangle_group(Group g) {
  return tangle_group<Group>(g);
}

class opportunistic_group;
namespace this_kernel {
opportunistic_group get_opportunistic_group();
}
class opportunistic_group : public sycl::detail::part_of_sub_group {
  explicit opportunistic_group(const sub_group &g) : part_of_sub_group(g, reached(), 0, 1) {}
  friend opportunistic_group this_kernel::get_opportunistic_group();
};
namespace this_kernel {
inline opportunistic_group get_opportunistic_group() {
  return opportunistic_group(oneapi::this_work_item::get_sub_group());
}
} // namespace this_kernel

// The names in later versions of the extension, and those of `sycl_ext_oneapi_tangle`.
template <class ParentGroup> using fragment = ballot_group<ParentGroup>;
template <class Group> fragment<Group> binary_partition(Group g, bool predicate) {
  return get_ballot_group(g, predicate);
}
template <std::size_t Size, class ParentGroup> using chunk = fixed_size_group<Size, ParentGroup>;
template <std::size_t Size, class Group> chunk<Size, Group> chunked_partition(Group g) {
  return get_fixed_size_group<Size>(g);
}
template <class ParentGroup> using tangle = tangle_group<ParentGroup>;
template <class Group> tangle<Group> entangle(Group g) { return get_tangle_group(g); }
namespace this_work_item {
inline fragment<sub_group> get_opportunistic_group() {
  return {oneapi::this_work_item::get_sub_group(), nullptr};
}
} // namespace this_work_item

// Groups whose members and their order follow from the launch.
template <class T> struct is_fixed_topology_group : std::false_type {};
template <int D> struct is_fixed_topology_group<group<D>> : std::true_type {};
template <> struct is_fixed_topology_group<sub_group> : std::true_type {};
template <int D> struct is_fixed_topology_group<root_group<D>> : std::true_type {};
template <class T>
inline constexpr bool is_fixed_topology_group_v = is_fixed_topology_group<T>::value;

// Groups that the program creates in a kernel.
template <class T>
struct is_user_constructed_group : std::is_base_of<sycl::detail::part_of_sub_group, T> {};
template <class T>
inline constexpr bool is_user_constructed_group_v = is_user_constructed_group<T>::value;

} // namespace ext::oneapi::experimental

template <class P> struct is_group<ext::oneapi::experimental::ballot_group<P>> : std::true_type {};
template <std::size_t N, class P>
struct is_group<ext::oneapi::experimental::fixed_size_group<N, P>> : std::true_type {};
template <class P> struct is_group<ext::oneapi::experimental::tangle_group<P>> : std::true_type {};
template <> struct is_group<ext::oneapi::experimental::opportunistic_group> : std::true_type {};

} // namespace sycl

#endif
