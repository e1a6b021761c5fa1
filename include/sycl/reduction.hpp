// Reductions: `sycl::reduction`, `sycl::reducer`, and the kernel that wraps the program's kernel
// (SYCL 2020, 4.9.2).
//
// One kernel does all the work. Each work-item combines its values, and each work-group combines
// the values of its work-items and stores the result in memory that the queue lends
// (`detail/scratch.hpp`). The group that finishes last combines these results with the variable's
// previous value, in the order of the groups. The result therefore does not depend on the order in
// which groups finish.
#ifndef SCYTHE_REDUCTION_HPP
#define SCYTHE_REDUCTION_HPP

#include <sycl/accessor.hpp>
#include <sycl/atomic_ref.hpp>
#include <sycl/buffer.hpp>
#include <sycl/detail/scratch.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/span.hpp>

namespace sycl {

namespace property::reduction {
// Ignores the variable's previous value.
struct initialize_to_identity : detail::property_base {
  static constexpr unsigned scythe_bit = 16;
};
} // namespace property::reduction

namespace detail {

// The intermediate result. With an identity it always has a value, otherwise it may be empty.
template <class T, bool HasIdentity> struct partial {
  T value;

  explicit partial(const T &identity) : value(identity) {}
  template <class Op> void add(const T &x, const Op &op) { value = op(value, x); }
  template <class Op> void add(const partial &x, const Op &op) { value = op(value, x.value); }
  bool any() const { return true; }
  const T &get() const { return value; }
};
template <class T> struct partial<T, false> {
  // T need not have a default constructor.
  alignas(T) unsigned char bytes[sizeof(T)];
  bool valid = false;

  partial() = default;
  template <class Op> void add(const T &x, const Op &op) {
    if (valid) {
      const T sum = op(get(), x);
      __builtin_memcpy(bytes, __builtin_addressof(sum), sizeof(T));
    } else {
      __builtin_memcpy(bytes, __builtin_addressof(x), sizeof(T));
    }
    valid = true;
  }
  template <class Op> void add(const partial &x, const Op &op) {
    if (x.valid)
      add(x.get(), op);
  }
  bool any() const { return valid; }
  const T &get() const { return *reinterpret_cast<const T *>(bytes); }
};

template <class T, class Op, class Variable, bool HasIdentity, std::size_t Extent>
struct reduction_object;

// The identity, if there is one.
template <class T, bool HasIdentity> struct reduction_identity {
  T value;
  partial<T, true> start() const { return partial<T, true>(value); }
};
template <class T> struct reduction_identity<T, false> {
  partial<T, false> start() const { return {}; }
};

} // namespace detail

// The object that a kernel combines values with. `HasIdentity` and `Extent` are additional
// parameters of this implementation.
template <class T, class BinaryOperation, int Dimensions, bool HasIdentity, std::size_t Extent>
class reducer;

template <class T, class BinaryOperation, bool HasIdentity, std::size_t Extent>
class reducer<T, BinaryOperation, 0, HasIdentity, Extent> {
  static constexpr detail::operation op = detail::operation_of<BinaryOperation>;
  template <bool Holds> using if_holds = std::enable_if_t<Holds, int>;

public:
  using value_type = T;
  using binary_operation = BinaryOperation;
  static constexpr int dimensions = 0;

  reducer(const reducer &) = delete;
  reducer(reducer &&) = delete;
  reducer &operator=(const reducer &) = delete;
  reducer &operator=(reducer &&) = delete;

  reducer &combine(const T &value) {
    state_.add(value, operation_);
    return *this;
  }
  template <bool I = HasIdentity, if_holds<I> = 0> T identity() const { return identity_.value; }

  template <class U = T, if_holds<op == detail::operation::add && sizeof(U) != 0> = 0>
  reducer &operator+=(const T &value) {
    return combine(value);
  }
  template <class U = T, if_holds<op == detail::operation::mul && sizeof(U) != 0> = 0>
  reducer &operator*=(const T &value) {
    return combine(value);
  }
  template <class U = T, if_holds<op == detail::operation::bit_and && std::is_integral_v<U>> = 0>
  reducer &operator&=(const T &value) {
    return combine(value);
  }
  template <class U = T, if_holds<op == detail::operation::bit_or && std::is_integral_v<U>> = 0>
  reducer &operator|=(const T &value) {
    return combine(value);
  }
  template <class U = T, if_holds<op == detail::operation::bit_xor && std::is_integral_v<U>> = 0>
  reducer &operator^=(const T &value) {
    return combine(value);
  }
  template <class U = T, if_holds<op == detail::operation::add && std::is_integral_v<U> &&
                                  !std::is_same_v<U, bool>> = 0>
  reducer &operator++() {
    return combine(T(1));
  }
  // A reducer cannot be copied, so the result is the reducer itself.
  template <class U = T, if_holds<op == detail::operation::add && std::is_integral_v<U> &&
                                  !std::is_same_v<U, bool>> = 0>
  reducer &operator++(int) {
    return combine(T(1));
  }

private:
  template <class, class, int, bool, std::size_t> friend class reducer;
  template <class, class, class, bool, std::size_t> friend struct detail::reduction_object;
  using state = detail::partial<T, HasIdentity>;
  using identity_type = detail::reduction_identity<T, HasIdentity>;

  reducer(state *states, const BinaryOperation &o, const identity_type &identity)
      : state_(*states), operation_(o), identity_(identity) {}

  state &state_;
  const BinaryOperation &operation_;
  const identity_type &identity_;
};

template <class T, class BinaryOperation, bool HasIdentity, std::size_t Extent>
class reducer<T, BinaryOperation, 1, HasIdentity, Extent> {
public:
  using value_type = T;
  using binary_operation = BinaryOperation;
  static constexpr int dimensions = 1;

  reducer(const reducer &) = delete;
  reducer(reducer &&) = delete;
  reducer &operator=(const reducer &) = delete;
  reducer &operator=(reducer &&) = delete;

  reducer<T, BinaryOperation, 0, HasIdentity, Extent> operator[](std::size_t index) {
    return {states_ + index, operation_, identity_};
  }
  template <bool I = HasIdentity, std::enable_if_t<I, int> = 0> T identity() const {
    return identity_.value;
  }

private:
  template <class, class, class, bool, std::size_t> friend struct detail::reduction_object;
  using state = detail::partial<T, HasIdentity>;
  using identity_type = detail::reduction_identity<T, HasIdentity>;

  reducer(state *states, const BinaryOperation &o, const identity_type &identity)
      : states_(states), operation_(o), identity_(identity) {}

  state *states_;
  const BinaryOperation &operation_;
  const identity_type &identity_;
};

namespace detail {

template <class T, class Op>
inline constexpr bool groups_reduce = is_number<T> && operation_has_identity<operation_of<Op>, T>;

// The values of a work-group's members while they are combined. It is empty if the device has an
// operation for the combination.
template <class State, bool Needed> struct group_states {
  local_accessor<State, 1> states;
  group_states(handler &h, std::size_t group_size) : states(range<1>(group_size), h) {}
};
template <class State> struct group_states<State, false> {
  group_states(handler &, std::size_t) {}
};

template <class T> T *result_address(T *variable) { return variable; }
template <class T, access_mode M, target A, access::placeholder P, class L>
T *result_address(const accessor<T, 1, M, A, P, L> &acc) {
  return &acc[0];
}
template <class T, access_mode M, target A, access::placeholder P, class L>
T *result_address(const accessor<T, 0, M, A, P, L> &acc) {
  T &value = acc;
  return __builtin_addressof(value);
}

// The type that `sycl::reduction` returns. `Variable` is a pointer, or an accessor of one element.
// `Extent` is 0 for one variable, otherwise the number of elements of a span.
template <class T, class Op, class Variable, bool HasIdentity, std::size_t Extent>
struct reduction_object {
  using scythe_reduction = void;
  using state = partial<T, HasIdentity>;
  using reducer_type = reducer<T, Op, Extent ? 1 : 0, HasIdentity, Extent>;
  static constexpr std::size_t count = Extent ? Extent : 1;
  static constexpr bool by_operation = HasIdentity && groups_reduce<T, Op>;

  // The values of one work-item.
  struct states {
    alignas(state) unsigned char bytes[count * sizeof(state)];
    state *data() { return reinterpret_cast<state *>(bytes); }
  };

  Variable variable;
  Op operation;
  reduction_identity<T, HasIdentity> identity;
  bool initialize;

  void start(states &s) const {
    for (std::size_t i = 0; i < count; ++i)
      ::new (static_cast<void *>(s.data() + i)) state(identity.start());
  }
  reducer_type make_reducer(states &s) const { return reducer_type(s.data(), operation, identity); }

  // Combines the values of all members of `g`. All members get the result.
  template <class Group, class Local>
  void over_group(const Group &g, states &s, const Local &local) const {
    for (std::size_t i = 0; i < count; ++i) {
      state &mine = s.data()[i];
      if constexpr (by_operation) {
        mine.value = detail::combine<spirv::reduce>(g, mine.value, operation);
      } else {
        state *const all = &local.states[0];
        const std::size_t self = g.get_local_linear_id(), size = g.get_local_linear_range();
        all[self] = mine;
        group_barrier(g);
        for (std::size_t active = size; active > 1;) {
          const std::size_t half = (active + 1) / 2;
          if (self + half < active)
            all[self].add(all[self + half], operation);
          group_barrier(g);
          active = half;
        }
        mine = all[0];
        group_barrier(g);
      }
    }
  }
  void store(void *scratch, std::size_t group, states &s) const {
    for (std::size_t i = 0; i < count; ++i)
      static_cast<state *>(scratch)[group * count + i] = s.data()[i];
  }
  void load(const void *scratch, std::size_t group, states &s) const {
    for (std::size_t i = 0; i < count; ++i)
      s.data()[i].add(static_cast<const state *>(scratch)[group * count + i], operation);
  }
  void finish(states &s) const {
    T *const out = result_address(variable);
    for (std::size_t i = 0; i < count; ++i) {
      const state &sum = s.data()[i];
      if (initialize) {
        // Without an identity the first value stands alone. If there is no value, nothing is
        // stored.
        if (sum.any())
          out[i] = sum.get();
      } else if (sum.any()) {
        out[i] = operation(out[i], sum.get());
      }
    }
  }
};

// One reduction of a kernel, with its memory.
template <class R> struct reduction_in_kernel {
  R reduction;
  group_states<typename R::state, !R::by_operation> local;
  std::size_t scratch;
};

// A list of reductions. Each element contains those after it.
template <class... R> struct reduction_pack {
  reduction_pack(handler &, std::size_t, std::size_t, std::size_t &) {}
  struct states {};
  static void start(states &) {}
  template <class F, class... Reducers> void call(F &f, states &, Reducers &...reducers) const {
    f(reducers...);
  }
  template <class Group> void over_group(const Group &, states &) const {}
  void store(unsigned char *, std::size_t, states &) const {}
  void load(const unsigned char *, std::size_t, states &) const {}
  void finish(states &) const {}
};
template <class R, class... Rest> struct reduction_pack<R, Rest...> {
  reduction_in_kernel<R> first;
  reduction_pack<Rest...> rest;

  // `scratch` points to the start of the groups' values. The constructor advances it to their end.
  reduction_pack(handler &h, std::size_t group_size, std::size_t groups, std::size_t &scratch,
                 const R &r, const Rest &...others)
      : first{r, {h, group_size}, reserve(scratch, groups)},
        rest(h, group_size, groups, scratch, others...) {}
  static std::size_t reserve(std::size_t &scratch, std::size_t groups) {
    constexpr std::size_t align = alignof(typename R::state);
    const std::size_t at = (scratch + align - 1) / align * align;
    scratch = at + groups * R::count * sizeof(typename R::state);
    return at;
  }

  struct states {
    typename R::states first;
    typename reduction_pack<Rest...>::states rest;
  };
  void start(states &s) const {
    first.reduction.start(s.first);
    rest.start(s.rest);
  }
  template <class F, class... Reducers>
  SCYTHE_ALWAYS_INLINE void call(F &f, states &s, Reducers &...reducers) const {
    auto mine = first.reduction.make_reducer(s.first);
    rest.call(f, s.rest, reducers..., mine);
  }
  template <class Group> void over_group(const Group &g, states &s) const {
    first.reduction.over_group(g, s.first, first.local);
    rest.over_group(g, s.rest);
  }
  void store(unsigned char *scratch, std::size_t group, states &s) const {
    first.reduction.store(scratch + first.scratch, group, s.first);
    rest.store(scratch, group, s.rest);
  }
  void load(const unsigned char *scratch, std::size_t group, states &s) const {
    first.reduction.load(scratch + first.scratch, group, s.first);
    rest.load(scratch, group, s.rest);
  }
  void finish(states &s) const {
    first.reduction.finish(s.first);
    rest.finish(s.rest);
  }
};

// The common end of all kernels with reductions.
template <class Group, class Pack>
void finish_reductions(const Group &g, const Pack &pack, typename Pack::states &s,
                       unsigned char *scratch) {
  pack.over_group(g, s);
  const std::size_t groups = g.get_group_linear_range();
  if (groups > 1) {
    std::uint32_t &counter = *reinterpret_cast<std::uint32_t *>(scratch);
    using ticket_ref = atomic_ref<later_t<Pack, std::uint32_t>, memory_order::relaxed,
                                  memory_scope::device, access::address_space::global_space>;
    std::uint32_t finished = 0;
    if (g.leader()) {
      pack.store(scratch, g.get_group_linear_id(), s);
      atomic_fence(memory_order::release, memory_scope::device);
      finished = ticket_ref(counter).fetch_add(1);
      // The leader has seen the tickets of the other groups. The broadcast below makes the results
      // of those groups visible to all members.
      atomic_fence(memory_order::acquire, memory_scope::device);
    }
    finished = sycl::group_broadcast(g, finished);
    if (finished + 1 != groups)
      return;
    atomic_fence(memory_order::acquire, memory_scope::device);
    pack.start(s);
    for (std::size_t i = g.get_local_linear_id(); i < groups; i += g.get_local_linear_range())
      pack.load(scratch, i, s);
    pack.over_group(g, s);
    if (g.leader())
      ticket_ref(counter).store(0);
  }
  if (g.leader())
    pack.finish(s);
}

// Calls a kernel with its item and its reducers, and with a `kernel_handler` if it takes one.
template <class K, class Item, class... Reducers>
SCYTHE_ANNOTATE("scythe::calls_kernel")
SCYTHE_ALWAYS_INLINE void call_with_reducers(K &kernel, const Item &item, Reducers &...reducers) {
  if constexpr (std::is_invocable_v<K &, const Item &, Reducers &...>)
    SCYTHE_INLINED kernel(item, reducers...);
  else
    SCYTHE_INLINED kernel(item, reducers..., kernel_handler());
}

// A kernel over an `nd_range`, with the sizes of the program's launch.
template <class K, class Pack, int D> struct nd_range_reduction_kernel {
  using scythe_wrapped = K;
  template <class Properties> using scythe_properties = Properties;
  K kernel;
  Pack pack;
  unsigned char *scratch;

  SCYTHE_ANNOTATE("scythe::work_groups", "launched") void operator()(const nd_item<D> &it) {
    typename Pack::states s;
    pack.start(s);
    auto call = [&](auto &...reducers) { call_with_reducers(kernel, it, reducers...); };
    pack.call(call, s);
    finish_reductions(it.get_group(), pack, s, scratch);
  }
};

// The partition of a range into work-groups: rows of the fastest dimension, in segments of
// `segment` elements.
struct reduction_tiles {
  std::size_t group_size, segment, segments, tiles, groups;
};

// The work-group size that the program requires, in one dimension.
template <class Size> struct flat_size;
template <> struct flat_size<void> {
  using type = properties_pack<>;
};
template <class Key, std::size_t... Sizes> struct flat_size<sizes_property<Key, Sizes...>> {
  using type = properties_pack<sizes_property<Key, (Sizes * ...)>>;
};

// A kernel over a `range`. Each group takes tiles, and its work-items take neighbouring elements in
// them.
template <class K, class Pack, int D> struct range_reduction_kernel {
  using scythe_wrapped = K;
  template <class Properties>
  using scythe_properties = typename joined_all<
      typename without<Properties, ext::oneapi::work_group_size,
                       ext::oneapi::work_group_size_hint>::type,
      typename flat_size<property_in<ext::oneapi::work_group_size, Properties>>::type>::type;
  K kernel;
  Pack pack;
  unsigned char *scratch;
  range<D> whole;
  std::size_t segment, segments, tiles;

  template <class Item, class... Reducers>
  static constexpr bool takes = std::is_invocable_v<K &, Item, Reducers...> ||
                                std::is_invocable_v<K &, Item, Reducers..., kernel_handler>;

  SCYTHE_ANNOTATE("scythe::work_groups", "unknown")
  void operator()(const later_t<K, nd_item<1>> &it) {
    typename Pack::states s;
    pack.start(s);
    for (std::size_t tile = it.get_group(0); tile < tiles; tile += it.get_group_range(0)) {
      const std::size_t row = tile / segments, begin = tile % segments * segment;
      const std::size_t end = begin + segment < whole[D - 1] ? begin + segment : whole[D - 1];
      id<D> at;
      if constexpr (D == 2) {
        at[0] = row;
      } else if constexpr (D == 3) {
        at[0] = row / whole[1];
        at[1] = row % whole[1];
      }
      for (std::size_t i = begin + it.get_local_id(0); i < end; i += it.get_local_range(0)) {
        at[D - 1] = i;
        auto call = [&](auto &...reducers) {
          if constexpr (takes<item<D>, decltype(reducers)...>)
            call_with_reducers(kernel, item<D>(at, whole), reducers...);
          else if constexpr (takes<item<D, false>, decltype(reducers)...>)
            call_with_reducers(kernel, item<D, false>(at, whole), reducers...);
          else
            call_with_reducers(kernel, at, reducers...);
        };
        pack.call(call, s);
      }
    }
    finish_reductions(it.get_group(), pack, s, scratch);
  }
};

// Returns the work-group size that the kernel requires by a property or an attribute, or 0 for
// none.
template <class Name, class K, class L>
std::size_t required_group_size(const device &d, code_location where) {
#if defined(SCYTHE_HOST_MODE)
  (void)d, (void)where;
  using size = property_in<ext::oneapi::work_group_size, typename kernel_pack<L, K>::type>;
  if constexpr (std::is_void_v<size>)
    return 0;
  else
    return size()[0];
#elif defined(SCYTHE_DEVICE_PASS)
  (void)d, (void)where;
  return 0;
#else
  // The size is the same for all devices. The variable is the size plus one once it is known.
  static std::atomic<std::size_t> known{0};
  std::size_t size = known.load(std::memory_order_relaxed);
  if (size == 0) {
    std::uint64_t sizes[3] = {};
    std::uint32_t sub_group = 0;
    check(scythe_kernel_required_sizes(access_handle::of(d), kernel_symbol<Name, K>(where), unit_id,
                                       sizes, &sub_group));
    known.store(size = sizes[0] + 1, std::memory_order_relaxed);
  }
  return size - 1;
#endif
}

// Chooses few groups per compute unit, each with enough work. `columns` is the size of the fastest
// dimension. `required` is the required group size or 0.
template <class Device>
SCYTHE_COLD reduction_tiles tile_reduction(const Device &d, std::size_t rows, std::size_t columns,
                                           std::size_t required) {
  reduction_tiles t;
  const bool cpu = d.is_cpu();
  std::size_t most = d.template get_info<info::device::max_work_group_size>();
  std::size_t wanted = cpu ? 32 : 256;
  t.group_size = wanted < most ? wanted : most;
  while (t.group_size > 1 && t.group_size / 2 >= columns)
    t.group_size /= 2;
  if (required)
    t.group_size = required;
  const std::size_t units = d.template get_info<info::device::max_compute_units>();
  const std::size_t most_groups = units * (cpu ? 4 : 8);
  // The number of segments per row, chosen so that all groups have tiles of at least 4 steps.
  const std::size_t steps = (columns + t.group_size - 1) / t.group_size;
  std::size_t segments = rows < most_groups && rows ? most_groups / rows : 1;
  if (segments > steps / 4)
    segments = steps / 4;
  if (segments == 0)
    segments = 1;
  t.segment = (steps + segments - 1) / segments * t.group_size;
  if (t.segment == 0)
    t.segment = t.group_size;
  t.segments = columns ? (columns + t.segment - 1) / t.segment : 1;
  t.tiles = columns ? rows * t.segments : 0;
  t.groups = t.tiles < most_groups ? t.tiles : most_groups;
  if (t.groups == 0)
    t.groups = 1;
  return t;
}

// `L` is the property list of the kernel launch.
template <class... R> struct reductions {
  template <class Name, class L, int D, class K>
  static void launch(handler &h, const nd_range<D> &r, const K &kernel, code_location where,
                     const R &...args) {
    using pack_type = reduction_pack<R...>;
    const std::size_t group_size = r.get_local_range().size(), groups = r.get_group_range().size();
    std::size_t bytes = scratch_head;
    pack_type pack(h, group_size, groups, bytes, args...);
    using wrapper = nd_range_reduction_kernel<K, pack_type, D>;
    wrapper wrapped{kernel, pack, borrow(h, groups, bytes)};
    h.template launch_over<wrapper_name_t<Name, K, wrapper>, L>(r, wrapped, where);
  }
  template <class Name, class L, int D, class K>
  static void launch(handler &h, const range<D> &r, const K &kernel, code_location where,
                     const R &...args) {
    using pack_type = reduction_pack<R...>;
    using wrapper = range_reduction_kernel<K, pack_type, D>;
    using name = wrapper_name_t<Name, K, wrapper>;
    std::size_t rows = 1;
    for (int d = 0; d + 1 < D; ++d)
      rows *= r[d];
    const auto &target = h.queue_.target;
    const std::size_t required =
        required_group_size<kernel_name_t<name, wrapper>, wrapper, L>(target, where);
    const reduction_tiles t = tile_reduction(target, rows, r[D - 1], required);
    std::size_t bytes = scratch_head;
    pack_type pack(h, t.group_size, t.groups, bytes, args...);
    wrapper wrapped{kernel, pack, borrow(h, t.groups, bytes), r, t.segment, t.segments, t.tiles};
    h.template launch_over<name, L>(later_t<K, nd_range<1>>(t.groups * t.group_size, t.group_size),
                                    wrapped, where);
  }

  // For more reductions than `handler` has overloads: the reductions so far, one more, and the
  // rest.
  template <class Name, class L, class Space, class... Args>
  static void launch_more(handler &h, const Space &r, code_location where, const R &...args,
                          const Args &...rest) {
    next<Name, L>(h, r, where, args..., rest...);
  }

private:
  template <class Name, class L, class Space, class K>
  static void next(handler &h, const Space &r, code_location where, const R &...args,
                   const K &kernel) {
    launch<Name, L>(h, r, kernel, where, args...);
  }
  template <class Name, class L, class Space, class N, class M, class... Args>
  static void next(handler &h, const Space &r, code_location where, const R &...args, const N &one,
                   const M &another, const Args &...rest) {
    static_assert(is_reduction<N>, "parallel_for: every argument between the range and the kernel "
                                   "must be a reduction, and the kernel must be last");
    reductions<R..., N>::template launch_more<Name, L>(h, r, where, args..., one, another, rest...);
  }

  // Returns memory for `groups` groups. A single group needs none.
  static unsigned char *borrow(handler &h, std::size_t groups, std::size_t bytes) {
    if (groups <= 1)
      return nullptr;
    if (h.scratch_)
      fail(errc::invalid, "a command group must contain one command, but this one already has a "
                          "kernel with reductions");
    h.scratch_ = take_scratch(h.queue_, bytes);
    h.note_scratch_use_ = &note_scratch_use;
    h.return_scratch_ = &return_scratch;
    if (scythe_event last = h.scratch_->last.get()) {
      scythe_event_retain(last);
      h.deps_.push_back(last);
    }
    return static_cast<unsigned char *>(h.scratch_->memory);
  }
};

template <class Op, class T>
using deduced_identity = reduction_identity<T, has_known_identity_v<Op, T>>;

template <class Op, class T> deduced_identity<Op, T> identity_for() {
  if constexpr (has_known_identity_v<Op, T>)
    return {known_identity_v<Op, T>};
  else
    return {};
}

template <std::size_t Extent, class T, class Op, class Variable, bool HasIdentity>
reduction_object<T, Op, Variable, HasIdentity, Extent>
make_reduction(const Variable &variable, const Op &op,
               const reduction_identity<T, HasIdentity> &identity, const property_list &props) {
  const bool initialize = props.has_property<property::reduction::initialize_to_identity>();
  if (initialize && !HasIdentity)
    fail(errc::invalid, "reduction: property initialize_to_identity requires an identity, but the "
                        "operation has no known identity; pass one to sycl::reduction");
  return {variable, op, identity, initialize};
}

template <class T, class A>
auto reduction_variable(buffer<T, 1, A> &b, handler &h, const property_list &props) {
  if (b.size() != 1)
    fail(errc::invalid, "reduction: the buffer must have one element, but it has %zu", b.size());
  using accessor_type = accessor<T, 1, access_mode::read_write, target::device>;
  return props.has_property<property::reduction::initialize_to_identity>()
             ? accessor_type(b, h, no_init)
             : accessor_type(b, h);
}

} // namespace detail

// --- The single element of a buffer

template <class T, class A, class BinaryOperation>
auto reduction(buffer<T, 1, A> vars, handler &h, BinaryOperation combiner,
               const property_list &props = {}) {
  return detail::make_reduction<0, T>(detail::reduction_variable(vars, h, props), combiner,
                                      detail::identity_for<BinaryOperation, T>(), props);
}
template <class T, class A, class BinaryOperation>
auto reduction(buffer<T, 1, A> vars, handler &h, const T &identity, BinaryOperation combiner,
               const property_list &props = {}) {
  return detail::make_reduction<0, T>(detail::reduction_variable(vars, h, props), combiner,
                                      detail::reduction_identity<T, true>{identity}, props);
}

// --- A variable in USM

template <class T, class BinaryOperation>
auto reduction(T *var, BinaryOperation combiner, const property_list &props = {}) {
  return detail::make_reduction<0, T>(var, combiner, detail::identity_for<BinaryOperation, T>(),
                                      props);
}
template <class T, class BinaryOperation>
auto reduction(T *var, const T &identity, BinaryOperation combiner,
               const property_list &props = {}) {
  return detail::make_reduction<0, T>(var, combiner, detail::reduction_identity<T, true>{identity},
                                      props);
}

// --- Several variables in USM

template <class T, std::size_t Extent, class BinaryOperation,
          class = std::enable_if_t<Extent != dynamic_extent>>
auto reduction(span<T, Extent> vars, BinaryOperation combiner, const property_list &props = {}) {
  return detail::make_reduction<Extent, T>(vars.data(), combiner,
                                           detail::identity_for<BinaryOperation, T>(), props);
}
template <class T, std::size_t Extent, class BinaryOperation,
          class = std::enable_if_t<Extent != dynamic_extent>>
auto reduction(span<T, Extent> vars, const T &identity, BinaryOperation combiner,
               const property_list &props = {}) {
  return detail::make_reduction<Extent, T>(vars.data(), combiner,
                                           detail::reduction_identity<T, true>{identity}, props);
}

} // namespace sycl

#endif
