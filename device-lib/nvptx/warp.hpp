// Sub-groups are warps of 32 work-items, which exchange values by shuffles. The last warp of a
// work-group may have fewer work-items.
//
// Warps contain work-items in the order of their linear id. All work-items of a sub-group call its
// functions together. A mask of all lanes is therefore correct for a full warp, and missing lanes
// take no part.
#ifndef SCYTHE_DEVICE_LIBRARY_NVPTX_WARP_HPP
#define SCYTHE_DEVICE_LIBRARY_NVPTX_WARP_HPP

#include "../cpu/group_primitives.hpp"

namespace scythe_device_library {

constexpr scythe_u32 warp_size = 32, whole_warp = 0xffffffffu;

#define SCYTHE_WARP inline __attribute__((always_inline))

SCYTHE_WARP scythe_u32 lane() { return static_cast<scythe_u32>(__nvvm_read_ptx_sreg_laneid()); }

SCYTHE_WARP scythe_u32 items_of_group() {
  return static_cast<scythe_u32>(__nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() *
                                 __nvvm_read_ptx_sreg_ntid_z());
}

SCYTHE_WARP scythe_u32 linear_id() {
  return static_cast<scythe_u32>((__nvvm_read_ptx_sreg_tid_z() * __nvvm_read_ptx_sreg_ntid_y() +
                                  __nvvm_read_ptx_sreg_tid_y()) *
                                     __nvvm_read_ptx_sreg_ntid_x() +
                                 __nvvm_read_ptx_sreg_tid_x());
}

SCYTHE_WARP scythe_u32 warps_of_group() { return (items_of_group() + warp_size - 1) / warp_size; }

// Returns the number of work-items in this warp.
SCYTHE_WARP scythe_u32 lanes_of_warp() {
  const scythe_u32 rest = items_of_group() - (linear_id() & ~(warp_size - 1));
  return rest < warp_size ? rest : warp_size;
}

SCYTHE_WARP scythe_u32 lanes_mask() {
  const scythe_u32 lanes = lanes_of_warp();
  return lanes == warp_size ? whole_warp : (1u << lanes) - 1;
}

// A value as 32-bit words, the unit of shuffles.
template <class T> struct shuffle_words {
  scythe_u32 word[sizeof(T) > 4 ? 2 : 1] = {};
};
template <class T> SCYTHE_WARP shuffle_words<T> split(T x) {
  shuffle_words<T> parts;
  __builtin_memcpy(&parts, &x, sizeof(T));
  return parts;
}
template <class T> SCYTHE_WARP T join_words(shuffle_words<T> parts) {
  T x;
  __builtin_memcpy(&x, &parts, sizeof(T));
  return x;
}

// The kinds of shuffles. A lane that does not exist gives an unspecified value.
#define SCYTHE_SHUFFLE(name, instruction, clamp)                                                   \
  template <class T> SCYTHE_WARP T name(T x, scythe_u32 n) {                                       \
    auto parts = split(x);                                                                         \
    for (scythe_u32 &word : parts.word)                                                            \
      word = static_cast<scythe_u32>(__nvvm_shfl_sync_##instruction##_i32(                         \
          whole_warp, static_cast<int>(word), static_cast<int>(n), clamp));                        \
    return join_words<T>(parts);                                                                   \
  }
SCYTHE_SHUFFLE(from_lane, idx, 31)
SCYTHE_SHUFFLE(from_lane_xor, bfly, 31)
SCYTHE_SHUFFLE(from_lane_before, up, 0)
SCYTHE_SHUFFLE(from_lane_after, down, 31)
#undef SCYTHE_SHUFFLE

// Combines the values of the first `count` lanes, a number that is the same in all of them. Every
// lane gets the result. The values that lanes beyond the last would have reach lane 0 only if lanes
// are missing.
template <class T, class Op> SCYTHE_WARP T fold_lanes(T x, scythe_u32 count, Op op) {
  if (count == warp_size) {
#pragma clang loop unroll(full)
    for (scythe_u32 step = warp_size / 2; step > 0; step /= 2)
      x = op(x, from_lane_after(x, step));
    return from_lane(x, 0);
  }
  const scythe_u32 self = lane();
#pragma clang loop unroll(full)
  for (scythe_u32 step = warp_size / 2; step > 0; step /= 2) {
    const T other = from_lane_after(x, step);
    x = self + step < count ? op(x, other) : x;
  }
  return from_lane(x, 0);
}

// Combines each lane's value with those of all lanes before it.
template <class T, class Op> SCYTHE_WARP T scan_lanes(T x, Op op) {
  const scythe_u32 self = lane();
#pragma clang loop unroll(full)
  for (scythe_u32 step = 1; step < warp_size; step *= 2) {
    const T other = from_lane_before(x, step);
    x = self >= step ? op(other, x) : x;
  }
  return x;
}

} // namespace scythe_device_library

#endif
