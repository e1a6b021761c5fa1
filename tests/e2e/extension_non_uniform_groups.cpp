// Parts of sub-groups: what their algorithms give is what a loop over their members gives, whether
// all parts call them together or one part does alone.
// MODES: device
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/non_uniform_groups.hpp>

#include <vector>

namespace {

namespace exp = sycl::ext::oneapi::experimental;

constexpr std::size_t size = 40, groups = 2;

// What a work-item says of its part, and of what the part did.
struct outcome {
  std::uint32_t sub_group, lane, part, parts, member, members;
  int sum, upto, before, product, last, next, swapped, joint;
  std::uint32_t any, all, leader, shared;
};

int value_of(std::size_t i) { return static_cast<int>(i * 7 % 11) - 3; }

template <class Part>
void use(const Part &part, std::size_t i, outcome &o, const int *numbers, int *room) {
  static_assert(sycl::is_group_v<Part> && exp::is_user_constructed_group_v<Part> &&
                !exp::is_fixed_topology_group_v<Part>);
  const int x = value_of(i);
  o.part = part.get_group_linear_id();
  o.parts = part.get_group_linear_range();
  o.member = static_cast<std::uint32_t>(part.get_local_id()[0]);
  o.members = static_cast<std::uint32_t>(part.get_local_range()[0]);
  o.leader = part.leader();
  o.sum = sycl::reduce_over_group(part, x, sycl::plus<>());
  o.upto = sycl::inclusive_scan_over_group(part, x, sycl::plus<>());
  o.before = sycl::exclusive_scan_over_group(part, x, 100, sycl::plus<>());
  o.product = sycl::reduce_over_group(part, x, sycl::minimum<int>());
  o.last = sycl::group_broadcast(part, x, o.members - 1);
  o.next = sycl::shift_group_left(part, x, 1);
  o.swapped = sycl::permute_group_by_xor(part, x, 1);
  o.any = sycl::any_of_group(part, x > 4);
  o.all = sycl::all_of_group(part, x, [](int y) { return y < 5; });
  o.joint = sycl::joint_reduce(part, numbers, numbers + 10, sycl::plus<>());
  // What members leave before a barrier, others find after it.
  room[i] = x;
  sycl::group_barrier(part);
  o.shared = room[i] == x;
}

enum class kind {
  ballot,
  fixed,
  tangle,
  opportunistic,
  reached,
  alone,
  nested,
  chunks_of_fragment
};

template <kind Kind> class parts_kernel;

template <kind Kind> void parts(sycl::queue &q) {
  outcome *const out = sycl::malloc_shared<outcome>(size * groups, q);
  int *const numbers = sycl::malloc_shared<int>(10, q), *const room = sycl::malloc_shared<int>(
                                                            size * groups, q);
  for (int i = 0; i < 10; ++i)
    numbers[i] = i;
  q.parallel_for<parts_kernel<Kind>>(sycl::nd_range<1>(size * groups, size), [=](sycl::nd_item<1>
                                                                                     it) {
     const sycl::sub_group sg = it.get_sub_group();
     const std::size_t i = it.get_global_id(0);
     outcome o{};
     o.sub_group = sg.get_group_linear_id();
     o.lane = sg.get_local_linear_id();
     if constexpr (Kind == kind::ballot) {
       use(exp::get_ballot_group(sg, o.lane % 3 == 1), i, o, numbers, room);
     } else if constexpr (Kind == kind::fixed) {
       use(exp::get_fixed_size_group<4>(sg), i, o, numbers, room);
     } else if constexpr (Kind == kind::alone) {
       const auto part = exp::get_ballot_group(sg, o.lane % 2 == 1);
       if (part.get_group_linear_id() == 1)
         use(part, i, o, numbers, room);
     } else if constexpr (Kind == kind::nested || Kind == kind::chunks_of_fragment) {
       const auto parent = exp::binary_partition(sg, o.lane % 2 == 1);
       if (parent.get_group_linear_id() == 1) {
         if constexpr (Kind == kind::nested)
           use(exp::binary_partition(parent, o.lane % 3 == 1), i, o, numbers, room);
         else
           use(exp::chunked_partition<2>(parent), i, o, numbers, room);
       }
     } else if (o.lane % 3 != 2) {
       if constexpr (Kind == kind::tangle)
         use(exp::get_tangle_group(sg), i, o, numbers, room);
       else if constexpr (Kind == kind::reached)
         use(exp::this_work_item::get_opportunistic_group(), i, o, numbers, room);
       else
         use(exp::this_kernel::get_opportunistic_group(), i, o, numbers, room);
     }
     out[i] = o;
   }).wait();
  constexpr bool of_odd_lanes =
      Kind == kind::alone || Kind == kind::nested || Kind == kind::chunks_of_fragment;
  int wrong = 0;
  for (std::size_t i = 0; i < size * groups; ++i) {
    const outcome &o = out[i];
    if (o.members == 0) {
      wrong += Kind == kind::ballot || Kind == kind::fixed ||
               (of_odd_lanes ? o.lane % 2 == 1 : o.lane % 3 != 2);
      continue;
    }
    std::vector<std::size_t> members;
    std::size_t self = 0;
    for (std::size_t j = i / size * size; j < (i / size + 1) * size; ++j)
      if (out[j].members && out[j].sub_group == o.sub_group && out[j].part == o.part) {
        self = j == i ? members.size() : self;
        members.push_back(j);
      }
    int sum = 0, upto = 0, least = 1000;
    bool any = false, all = true;
    for (std::size_t m = 0; m < members.size(); ++m) {
      const int x = value_of(members[m]);
      sum += x;
      upto += m <= self ? x : 0;
      least = x < least ? x : least;
      any = any || x > 4;
      all = all && x < 5;
    }
    const int x = value_of(i);
    wrong += o.members != members.size() || o.member != self || o.leader != (self == 0) ||
             o.part >= o.parts;
    wrong += o.sum != sum || o.upto != upto || o.before != 100 + upto - x || o.product != least;
    wrong += o.last != value_of(members.back()) || o.any != any || o.all != all || o.joint != 45 ||
             !o.shared;
    wrong += self + 1 < members.size() && o.next != value_of(members[self + 1]);
    wrong += (self ^ 1) < members.size() && o.swapped != value_of(members[self ^ 1]);
    wrong += Kind == kind::fixed && (members.size() != 4 || o.part != o.lane / 4);
    wrong += (Kind == kind::ballot || Kind == kind::nested) && o.part != (o.lane % 3 == 1);
    wrong += Kind == kind::chunks_of_fragment && (members.size() != 2 || o.part != o.lane / 4);
  }
  CHECK(wrong == 0);
  if (wrong)
    std::printf("  %d are wrong with kind %d\n", wrong, static_cast<int>(Kind));
  sycl::free(out, q);
  sycl::free(numbers, q);
  sycl::free(room, q);
}

} // namespace

int main() {
  sycl::queue q;
  parts<kind::ballot>(q);
  parts<kind::fixed>(q);
  // Work-items of NVIDIA GPUs do not know who else will reach a call.
  if (q.get_device().has(sycl::aspect::ext_oneapi_tangle_group))
    parts<kind::tangle>(q);
  else
    CHECK(check::throws(sycl::errc::kernel_not_supported, [&] { parts<kind::tangle>(q); }));
  CHECK(q.get_device().has(sycl::aspect::ext_oneapi_ballot_group) &&
        q.get_device().has(sycl::aspect::ext_oneapi_fixed_size_group) &&
        q.get_device().has(sycl::aspect::ext_oneapi_opportunistic_group));
  parts<kind::opportunistic>(q);
  parts<kind::reached>(q);
  parts<kind::alone>(q);
  parts<kind::nested>(q);
  parts<kind::chunks_of_fragment>(q);
  return check::result();
}
