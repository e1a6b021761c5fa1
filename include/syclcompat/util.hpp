// Small functions for translated programs: bits of numbers, exchange in parts of sub-groups, and a
// barrier for all work-groups.
#ifndef SYCLCOMPAT_UTIL_HPP
#define SYCLCOMPAT_UTIL_HPP

#include <syclcompat/defs.hpp>

namespace syclcompat {

// --- Bits

// The high word of a number is its upper half.
inline int cast_double_to_int(double d, bool use_high32 = true) {
  const auto bits = sycl::bit_cast<std::uint64_t>(d);
  return int(std::uint32_t(use_high32 ? bits >> 32 : bits));
}
inline double cast_ints_to_double(int high32, int low32) {
  return sycl::bit_cast<double>(std::uint64_t(std::uint32_t(high32)) << 32 | std::uint32_t(low32));
}
template <class T> T reverse_bits(T a) {
  static_assert(std::is_unsigned_v<T>, "reverse_bits: the operand must be unsigned");
  T reversed = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    reversed = T(reversed << 1 | ((a >> i) & 1));
  return reversed;
}
// Digit i of `s` names the byte of `b:a` that becomes byte i of the result.
inline unsigned byte_level_permute(unsigned a, unsigned b, unsigned s) {
  const std::uint64_t bytes = std::uint64_t(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= unsigned((bytes >> (8 * ((s >> (4 * i)) & 7))) & 0xff) << (8 * i);
  return result;
}
// The position of the lowest bit that is set, counted from 1, or 0 if there is none.
template <class T> int ffs(T a) {
  static_assert(std::is_integral_v<T>, "ffs: the operand must be an integer");
  return a == 0 ? 0 : int(sycl::ctz(std::make_unsigned_t<T>(a))) + 1;
}

// --- Exchange inside of parts of `logical_size` work-items of a sub-group

template <class T>
T select_from_sub_group(sycl::sub_group g, T x, int remote_local_id, int logical_size = 32) {
  const unsigned size = unsigned(logical_size), self = g.get_local_linear_id();
  return sycl::select_from_group(g, x, self / size * size + unsigned(remote_local_id) % size);
}
template <class T>
T shift_sub_group_left(sycl::sub_group g, T x, unsigned delta, int logical_size = 32) {
  const unsigned size = unsigned(logical_size), self = g.get_local_linear_id();
  const T other = sycl::shift_group_left(g, x, delta);
  const unsigned whole = (self / size + 1) * size, last = g.get_local_linear_range();
  return self + delta >= (whole < last ? whole : last) ? x : other;
}
template <class T>
T shift_sub_group_right(sycl::sub_group g, T x, unsigned delta, int logical_size = 32) {
  const unsigned size = unsigned(logical_size), self = g.get_local_linear_id();
  const T other = sycl::shift_group_right(g, x, delta);
  return self % size < delta ? x : other;
}
template <class T>
T permute_sub_group_by_xor(sycl::sub_group g, T x, unsigned mask, int logical_size = 32) {
  const unsigned size = unsigned(logical_size), self = g.get_local_linear_id();
  const unsigned start = self / size * size, target = (self % size) ^ mask;
  const bool inside = target < size && start + target < g.get_local_linear_range();
  return sycl::select_from_group(g, x, inside ? start + target : self);
}

namespace experimental {

// The same functions with a mask of the work-items that take part. All work-items of the sub-group
// must call them.
template <class T>
T select_from_sub_group(unsigned, sycl::sub_group g, T x, int remote_local_id,
                        int logical_size = 32) {
  return syclcompat::select_from_sub_group(g, x, remote_local_id, logical_size);
}
template <class T>
T shift_sub_group_left(unsigned, sycl::sub_group g, T x, unsigned delta, int logical_size = 32) {
  return syclcompat::shift_sub_group_left(g, x, delta, logical_size);
}
template <class T>
T shift_sub_group_right(unsigned, sycl::sub_group g, T x, unsigned delta, int logical_size = 32) {
  return syclcompat::shift_sub_group_right(g, x, delta, logical_size);
}
template <class T>
T permute_sub_group_by_xor(unsigned, sycl::sub_group g, T x, unsigned mask, int logical_size = 32) {
  return syclcompat::permute_sub_group_by_xor(g, x, mask, logical_size);
}

// A part of a work-group with `size` work-items, in the order of their linear ids.
class logical_group {
public:
  logical_group(sycl::nd_item<3> item, sycl::group<3> parent, std::uint32_t size)
      : id_(std::uint32_t(item.get_local_linear_id())),
        count_(std::uint32_t(parent.get_local_linear_range())), size_(size) {}
  std::uint32_t get_local_linear_id() const { return id_ % size_; }
  std::uint32_t get_group_linear_id() const { return id_ / size_; }
  std::uint32_t get_local_linear_range() const {
    const std::uint32_t rest = count_ - id_ / size_ * size_;
    return rest < size_ ? rest : size_;
  }
  std::uint32_t get_group_linear_range() const { return (count_ + size_ - 1) / size_; }

private:
  std::uint32_t id_, count_, size_;
};

// Waits for all work-items of the kernel. The counter is 0 before the first use. All work-groups
// must run at the same time, which the program has to ensure: otherwise the kernel never ends. The
// highest bit of the counter changes when the last work-group has arrived.
template <int D>
void nd_range_barrier(
    const sycl::nd_item<D> &item,
    sycl::atomic_ref<unsigned, sycl::memory_order::acq_rel, sycl::memory_scope::device,
                     sycl::access::address_space::global_space> &counter) {
  const sycl::group<D> group = item.get_group();
  sycl::group_barrier(group, sycl::memory_scope::device);
  if (group.leader()) {
    const unsigned groups = unsigned(item.get_group_range().size());
    const unsigned step = group.get_group_linear_id() == 0 ? 0x80000000u - (groups - 1) : 1;
    const unsigned before = counter.fetch_add(step);
    while (((before ^ counter.load(sycl::memory_order::acquire)) & 0x80000000u) == 0)
      ;
  }
  sycl::group_barrier(group, sycl::memory_scope::device);
}

} // namespace experimental

// --- Votes of a sub-group

// The mask of the work-items, among those of `member_mask`, that have the caller's value.
template <class T> unsigned match_any_over_sub_group(sycl::sub_group g, unsigned member_mask, T x) {
  static_assert(std::is_arithmetic_v<T>, "the value must be a number");
  unsigned matches = 0;
  for (std::uint32_t i = 0; i < g.get_local_linear_range() && i < 32; ++i)
    if (sycl::select_from_group(g, x, i) == x)
      matches |= 1u << i;
  return matches & member_mask;
}
// `member_mask` if all of its work-items have one value, else 0.
template <class T>
unsigned match_all_over_sub_group(sycl::sub_group g, unsigned member_mask, T x, int *pred) {
  static_assert(std::is_arithmetic_v<T>, "the value must be a number");
  const bool is_member = (member_mask >> (g.get_local_linear_id() & 31u)) & 1;
  const std::uint32_t first = member_mask ? std::uint32_t(sycl::ctz(member_mask)) : 0;
  const T expected = sycl::select_from_group(g, x, first);
  const bool all = sycl::all_of_group(g, !is_member || x == expected);
  *pred = all;
  return all ? member_mask : 0;
}

} // namespace syclcompat

#endif
