// Group operations on single values. Device code calls SPIR-V's functions. Host mode combines the
// values of all members.
//
// SPIR-V's functions exist for one type per size, sign and kind. Other types with the same
// representation are converted. Any other trivially copyable type is passed in pieces of such
// types.
#ifndef SCYTHE_DETAIL_COLLECTIVE_HPP
#define SCYTHE_DETAIL_COLLECTIVE_HPP

#include <sycl/functional.hpp>
#include <sycl/group_barrier.hpp>

namespace sycl::detail {

// `bool` has no sum. The logical operations give the same result.
constexpr operation logical_form(operation op) {
  switch (op) {
  case operation::add:
  case operation::max:
  case operation::bit_or:
    return operation::logical_or;
  case operation::mul:
  case operation::min:
  case operation::bit_and:
    return operation::logical_and;
  default:
    return op;
  }
}

#ifdef SCYTHE_DEVICE_PASS

template <std::size_t Size, bool Signed> struct integer_of;
template <> struct integer_of<1, true> {
  using type = signed char;
};
template <> struct integer_of<2, true> {
  using type = short;
};
template <> struct integer_of<4, true> {
  using type = int;
};
template <> struct integer_of<8, true> {
  using type = long;
};
template <> struct integer_of<1, false> {
  using type = unsigned char;
};
template <> struct integer_of<2, false> {
  using type = unsigned short;
};
template <> struct integer_of<4, false> {
  using type = unsigned int;
};
template <> struct integer_of<8, false> {
  using type = unsigned long;
};

// The type that represents T in SPIR-V's functions. The fallback also serves enumerations and
// pointers.
template <class T, bool = std::is_integral_v<T>> struct collective_type {
  using type = T;
};
template <class T> struct collective_type<T, true> : integer_of<sizeof(T), std::is_signed_v<T>> {};
template <class T> using collective_type_t = typename collective_type<T>::type;

template <operation Op> bool group_operation(std::uint32_t scope, std::uint32_t kind, bool x) {
  if constexpr (logical_form(Op) == operation::logical_and)
    return __spirv_GroupLogicalAndKHR(scope, kind, x);
  else if constexpr (logical_form(Op) == operation::logical_or)
    return __spirv_GroupLogicalOrKHR(scope, kind, x);
  else
    return __spirv_GroupLogicalXorKHR(scope, kind, x);
}

template <operation Op, class T> T group_operation(std::uint32_t scope, std::uint32_t kind, T x) {
  constexpr bool floating = !std::is_integral_v<T>;
  if constexpr (has_elements<T>) {
    for (int i = 0; i < shape<T>::count; ++i)
      x[i] = group_operation<Op>(scope, kind, x[i]);
    return x;
  } else if constexpr (is_half<T> && Op != operation::logical_and && Op != operation::logical_or)
    return group_operation<Op>(scope, kind, scythe_plain(x));
  else if constexpr (Op == operation::logical_and || Op == operation::logical_or)
    return static_cast<T>(group_operation<Op>(scope, kind, static_cast<bool>(x)));
  else if constexpr (Op == operation::add && floating)
    return __spirv_GroupFAdd(scope, kind, x);
  else if constexpr (Op == operation::mul && floating)
    return __spirv_GroupFMulKHR(scope, kind, x);
  else if constexpr (Op == operation::min && floating)
    return __spirv_GroupFMin(scope, kind, x);
  else if constexpr (Op == operation::max && floating)
    return __spirv_GroupFMax(scope, kind, x);
  else {
    using I = collective_type_t<T>;
    const I i = static_cast<I>(x);
    if constexpr (Op == operation::add)
      return static_cast<T>(__spirv_GroupIAdd(scope, kind, i));
    else if constexpr (Op == operation::mul)
      return static_cast<T>(__spirv_GroupIMulKHR(scope, kind, i));
    else if constexpr (Op == operation::min && std::is_signed_v<I>)
      return static_cast<T>(__spirv_GroupSMin(scope, kind, i));
    else if constexpr (Op == operation::min)
      return static_cast<T>(__spirv_GroupUMin(scope, kind, i));
    else if constexpr (Op == operation::max && std::is_signed_v<I>)
      return static_cast<T>(__spirv_GroupSMax(scope, kind, i));
    else if constexpr (Op == operation::max)
      return static_cast<T>(__spirv_GroupUMax(scope, kind, i));
    else if constexpr (Op == operation::bit_and)
      return static_cast<T>(__spirv_GroupBitwiseAndKHR(scope, kind, i));
    else if constexpr (Op == operation::bit_or)
      return static_cast<T>(__spirv_GroupBitwiseOrKHR(scope, kind, i));
    else
      return static_cast<T>(__spirv_GroupBitwiseXorKHR(scope, kind, i));
  }
}

// Calls `f` for each piece of `x`, in the largest pieces that its size and alignment allow.
template <class T, class F> SCYTHE_ALWAYS_INLINE T by_pieces(T x, F f) {
  static_assert(std::is_trivially_copyable_v<T>,
                "group functions can only pass trivially copyable values between work-items");
  if constexpr (std::is_same_v<T, bool>)
    return static_cast<bool>(f(static_cast<unsigned char>(x)));
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(f(static_cast<collective_type_t<T>>(x)));
  else {
    constexpr std::size_t piece = sizeof(T) % 8 == 0   ? 8
                                  : sizeof(T) % 4 == 0 ? 4
                                  : sizeof(T) % 2 == 0 ? 2
                                                       : 1;
    using I = typename integer_of<piece, false>::type;
    I pieces[sizeof(T) / piece];
    __builtin_memcpy(pieces, __builtin_addressof(x), sizeof(T));
    for (I &p : pieces)
      p = f(p);
    __builtin_memcpy(__builtin_addressof(x), pieces, sizeof(T));
    return x;
  }
}

template <class Group, class T> T value_of(const Group &g, T x, const typename Group::id_type &id) {
  if constexpr (is_partial<Group>)
    return g.scythe_shuffle(x, static_cast<std::uint32_t>(id[0]));
  else
    return by_pieces(x, [&](auto piece) {
      if constexpr (Group::dimensions == 1)
        return __spirv_GroupBroadcast(scope_of<Group>, piece, id[0]);
      else if constexpr (Group::dimensions == 2)
        return __spirv_GroupBroadcast(scope_of<Group>, piece, scythe_size_2{id[1], id[0]});
      else
        return __spirv_GroupBroadcast(scope_of<Group>, piece, scythe_size_3{id[2], id[1], id[0]});
    });
}

template <class T> T shuffle(const sub_group &, T x, std::uint32_t id) {
  return by_pieces(
      x, [=](auto p) { return __spirv_GroupNonUniformShuffle(spirv::scope_sub_group, p, id); });
}
template <class T> T shuffle_xor(const sub_group &, T x, std::uint32_t mask) {
  return by_pieces(x, [=](auto p) {
    return __spirv_GroupNonUniformShuffleXor(spirv::scope_sub_group, p, mask);
  });
}
template <class T> T shuffle_up(const sub_group &, T x, std::uint32_t delta) {
  return by_pieces(x, [=](auto p) {
    return __spirv_GroupNonUniformShuffleUp(spirv::scope_sub_group, p, delta);
  });
}
template <class T> T shuffle_down(const sub_group &, T x, std::uint32_t delta) {
  return by_pieces(x, [=](auto p) {
    return __spirv_GroupNonUniformShuffleDown(spirv::scope_sub_group, p, delta);
  });
}

template <spirv::group_operation Kind, class Group, class T, class Op>
T combine(const Group &g, T x, Op op) {
  if constexpr (is_partial<Group>)
    return g.template scythe_combine<Kind>(x, op);
  else
    return group_operation<operation_of<Op>>(scope_of<Group>, Kind, x);
}
template <class Group> bool all(const Group &g, bool x) {
  if constexpr (is_partial<Group>)
    return g.scythe_all(x);
  else
    return __spirv_GroupAll(scope_of<Group>, x);
}
template <class Group> bool any(const Group &g, bool x) {
  if constexpr (is_partial<Group>)
    return g.scythe_any(x);
  else
    return __spirv_GroupAny(scope_of<Group>, x);
}

#else

template <class Group, class T> T value_of(const Group &g, T x, const typename Group::id_type &id) {
  if constexpr (is_partial<Group>)
    return g.scythe_shuffle(x, static_cast<std::uint32_t>(id[0]));
  else
    return host_value_of(g, x, linear(id, g.get_local_range()));
}
template <class T> T shuffle(const sub_group &g, T x, std::uint32_t id) {
  return host_value_of(g, x, id);
}
template <class T> T shuffle_xor(const sub_group &g, T x, std::uint32_t mask) {
  return host_value_of(g, x, g.get_local_linear_id() ^ mask);
}
template <class T> T shuffle_up(const sub_group &g, T x, std::uint32_t delta) {
  return host_value_of(g, x, std::uint64_t(g.get_local_linear_id()) - delta);
}
template <class T> T shuffle_down(const sub_group &g, T x, std::uint32_t delta) {
  return host_value_of(g, x, std::uint64_t(g.get_local_linear_id()) + delta);
}

template <spirv::group_operation Kind, class Group, class T, class Op>
T combine(const Group &g, T x, Op op) {
  constexpr bool logical =
      operation_of<Op> == operation::logical_and || operation_of<Op> == operation::logical_or;
  if constexpr (is_partial<Group>)
    return g.template scythe_combine<Kind>(x, op);
  else if constexpr (logical && !std::is_same_v<T, bool>)
    return static_cast<T>(combine<Kind>(g, static_cast<bool>(x), op));
  else
    return host_collective(g, x, [&](const host_values<T> &values) {
      T sum = identity_of<operation_of<Op>, T>();
      for (std::uint64_t i = 0; i < values.size(); ++i) {
        const T before = sum;
        sum = i == 0 ? values[i] : static_cast<T>(op(sum, values[i]));
        if (Kind != spirv::reduce)
          values[i] = Kind == spirv::inclusive_scan ? sum : before;
      }
      for (std::uint64_t i = 0; Kind == spirv::reduce && i < values.size(); ++i)
        values[i] = sum;
    });
}
template <class Group> bool all(const Group &g, bool x) {
  return combine<spirv::reduce>(g, x, logical_and<bool>());
}
template <class Group> bool any(const Group &g, bool x) {
  return combine<spirv::reduce>(g, x, logical_or<bool>());
}

#endif

// For non-uniform groups: returns another member's value, or the caller's value if that member does
// not exist.
template <class Group, class T, class = if_partial<Group>>
T shuffle(const Group &g, T x, std::uint32_t id) {
  return g.scythe_shuffle(x, id < g.get_local_linear_range() ? id : g.get_local_linear_id());
}
template <class Group, class T, class = if_partial<Group>>
T shuffle_xor(const Group &g, T x, std::uint32_t mask) {
  return shuffle(g, x, g.get_local_linear_id() ^ mask);
}
template <class Group, class T, class = if_partial<Group>>
T shuffle_up(const Group &g, T x, std::uint32_t delta) {
  return shuffle(g, x, g.get_local_linear_id() - delta);
}
template <class Group, class T, class = if_partial<Group>>
T shuffle_down(const Group &g, T x, std::uint32_t delta) {
  return shuffle(g, x, g.get_local_linear_id() + delta);
}

} // namespace sycl::detail

#endif
