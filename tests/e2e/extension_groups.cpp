// Extensions for groups: masks of sub-groups, work-items asked for from anywhere, forward progress,
// sorting, and reductions by any function object.
// MODES: device,host
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/forward_progress.hpp>
#include <sycl/ext/oneapi/experimental/group_sort.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <sycl/ext/oneapi/experimental/user_defined_reductions.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

class root_kernel;
class too_many_groups;
class meeting_groups;
class concurrent_groups;

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using sycl::ext::oneapi::sub_group_mask;

// --- Masks

// Counts what is wrong with a mask that has every third work-item.
int wrong_in_mask(const sub_group_mask &mask, std::uint32_t members) {
  int wrong = 0;
  std::uint32_t expected = 0;
  for (std::uint32_t i = 0; i < mask.size(); ++i) {
    const bool in = i < members && i % 3 == 1;
    expected += in;
    wrong += mask[i] != in || mask.test(i) != in;
  }
  wrong +=
      mask.count() != expected || mask.any() != (expected > 0) || mask.none() != (expected == 0);
  wrong += mask.find_low()[0] != (expected ? 1 : mask.size());
  wrong += expected && mask.find_high()[0] != (expected - 1) * 3 + 1;
  sub_group_mask other = mask;
  other.flip();
  wrong +=
      !(other == ~mask) || (other & mask).any() || !(other | mask).all() || !(other ^ mask).all();
  other = mask << 1;
  for (std::uint32_t i = 1; i < mask.size(); ++i)
    wrong += other[i] != mask[i - 1];
  wrong += (other >> 1).count() + (mask.size() && mask[mask.size() - 1]) != mask.count();
  other = mask;
  other.reset_low();
  other.set(0);
  wrong += other.count() != std::max(mask.count(), 1u);
  other.reset();
  other.insert_bits(static_cast<unsigned char>(0xa5), 2);
  unsigned short bits = 0;
  other.extract_bits(bits, 1);
  const unsigned room = mask.size() > 3 ? mask.size() - 1 : 0;
  const unsigned whole = 0xa5u << 1 & (room < 16 ? (1u << room) - 1 : 0xffffu);
  wrong += mask.size() > 3 && bits != whole;
  sycl::marray<unsigned char, 2> two(0, 0);
  other = sub_group_mask(0x1234ULL);
  other.extract_bits(two);
  wrong += mask.size() >= 16 && (two[0] != 0x34 || two[1] != 0x12);
  other[0] = true;
  other[0].flip();
  wrong += other[0];
  return wrong;
}

void masks(sycl::queue &q) {
  int *const wrong = sycl::malloc_shared<int>(50, q);
  q.parallel_for(sycl::nd_range<1>(50, 25), [=](sycl::nd_item<1> it) {
     const sycl::sub_group sg = it.get_sub_group();
     const sub_group_mask mask =
         sycl::ext::oneapi::group_ballot(sg, sg.get_local_linear_id() % 3 == 1);
     int bad = wrong_in_mask(mask, sg.get_local_linear_range());
     bad += mask.size() != sg.get_max_local_range()[0];
     bad += sycl::ext::oneapi::group_ballot(sg).count() != sg.get_local_linear_range();
     wrong[it.get_global_id(0)] = bad;
   }).wait();
  for (int i = 0; i < 50; ++i)
    CHECK(wrong[i] == 0);
  sycl::free(wrong, q);
}

// --- Where a work-item is

int asks_for_itself() {
  using namespace sycl::ext::oneapi::this_work_item;
  const auto it = get_nd_item<2>();
  // Others run in between.
  sycl::group_barrier(get_work_group<2>());
  return static_cast<int>(get_nd_item<2>().get_global_linear_id() * 1000 +
                          it.get_local_linear_id() * 10 + (get_sub_group() == it.get_sub_group()));
}

// The same places by the interface that all groups share.
bool has_its_place(sycl::nd_item<2> it) {
  const sycl::khr::work_group<2> group = it.get_group();
  const sycl::khr::sub_group sub = it.get_sub_group();
  const sycl::khr::member_item member = get_member_item(group);
  const sycl::khr::member_item lane = get_member_item(sub);
  return group.id() == it.get_group().get_group_id() &&
         group.linear_id() == it.get_group_linear_id() && group.range() == it.get_group_range() &&
         group.size() == 6 && member.id() == it.get_local_id() &&
         member.linear_id() == it.get_local_linear_id() && member.range() == it.get_local_range() &&
         member.size() == 1 && leader_of(group) == (it.get_local_linear_id() == 0) &&
         leader_of(member) && lane.linear_id() == it.get_sub_group().get_local_linear_id() &&
         lane.range()[0] == sub.size() && sub.size() <= sub.max_size() &&
         sub.linear_id() < sub.range()[0] && leader_of(sub) == it.get_sub_group().leader() &&
         sycl::group<2>(group) == it.get_group();
}

void work_items(sycl::queue &q) {
  int *const out = sycl::malloc_shared<int>(24, q);
  q.parallel_for(sycl::nd_range<2>({4, 6}, {2, 3}), [=](sycl::nd_item<2> it) {
     const int expected =
         static_cast<int>(it.get_global_linear_id() * 1000 + it.get_local_linear_id() * 10 + 1);
     out[it.get_global_linear_id()] = asks_for_itself() == expected &&
                                      sycl::khr::this_group<2>() == it.get_group() &&
                                      has_its_place(it);
   }).wait();
  for (int i = 0; i < 24; ++i)
    CHECK(out[i] == 1);
  q.parallel_for(sycl::range<1>(24), [=](sycl::id<1> i) {
     out[i] = exp::this_id<1>() == i && exp::this_item<1>().get_range(0) == 24 ? 2 : 0;
   }).wait();
  for (int i = 0; i < 24; ++i)
    CHECK(out[i] == 2);
  sycl::free(out, q);
}

// --- All work-items of a kernel

void root_groups(sycl::queue &q) {
  const sycl::range<2> local(3, 5);
#ifdef SCYTHE_HOST_MODE
  // There are no bundles to take the kernel from.
  const std::size_t groups = 1;
#else
  using most = exp::info::kernel_queue_specific::max_num_work_groups;
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  const std::size_t groups =
      bundle.get_kernel<root_kernel>().ext_oneapi_get_info<most>(q, local, 0);
#endif
  CHECK(groups >= 1);
  const exp::properties together{exp::use_root_sync};
  int *const data = sycl::malloc_shared<int>(15 * (groups + 1), q), *const out =
                                                                        sycl::malloc_shared<int>(
                                                                            15 * groups, q);
  const std::size_t count = 15 * groups;
  q.parallel_for<root_kernel>(sycl::nd_range<2>({3 * groups, 5}, local), together,
                              [=](sycl::nd_item<2> it) {
                                const auto root = it.ext_oneapi_get_root_group();
                                const std::size_t i = root.get_local_linear_id();
                                data[i] = static_cast<int>(i);
                                sycl::group_barrier(root);
                                out[i] = data[count - 1 - i] == static_cast<int>(count - 1 - i) &&
                                         root.get_local_id() == it.get_global_id() &&
                                         root.get_local_range() == it.get_global_range() &&
                                         root.get_group_linear_range() == 1 &&
                                         root.leader() == (i == 0) &&
                                         exp::get_child_group(root) == it.get_group() &&
                                         exp::get_child_group(it.get_group()) == it.get_sub_group();
                              })
      .wait();
  for (std::size_t i = 0; i < count; ++i)
    CHECK(out[i] == 1);
  // More than the device can run at once never start.
  CHECK(check::throws(sycl::errc::nd_range, [&] {
    q.parallel_for<too_many_groups>(sycl::nd_range<1>((groups + 1) * 4, 4), together,
                                    [=](sycl::nd_item<1>) {})
        .wait();
  }));
  sycl::free(data, q);
  sycl::free(out, q);
}

// --- Sorting

struct record {
  short key;
  int order;
};
struct by_key {
  bool operator()(const record &a, const record &b) const { return a.key > b.key; }
};

void joint_sorts(sycl::queue &q, std::size_t count, std::size_t size) {
  record *const data = sycl::malloc_shared<record>(count, q);
  std::vector<record> expected;
  for (std::size_t i = 0; i < count; ++i) {
    data[i] = {static_cast<short>(i * 7919 % 31 - 15), static_cast<int>(i)};
    expected.push_back(data[i]);
  }
  const std::size_t bytes = exp::default_sorters::joint_sorter<by_key>::memory_required<record>(
      q.get_device(), sycl::memory_scope::work_group, count);
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<std::byte, 1> scratch(bytes, h);
     h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
       const exp::group_with_scratchpad helper(it.get_group(), sycl::span(&scratch[0], bytes));
       exp::joint_sort(helper, data, data + count, by_key());
     });
   }).wait();
  // Equal elements keep their order.
  std::sort(expected.begin(), expected.end(), [](const record &a, const record &b) {
    return by_key()(a, b) || (!by_key()(b, a) && a.order < b.order);
  });
  int wrong = 0;
  for (std::size_t i = 0; i < count; ++i)
    wrong += data[i].key != expected[i].key || data[i].order != expected[i].order;
  CHECK(wrong == 0);
  sycl::free(data, q);
}

void sorts_over_groups(sycl::queue &q) {
  constexpr std::size_t size = 21, each = 3;
  float *const values = sycl::malloc_shared<float>(size * 4, q);
  int *const keys = sycl::malloc_shared<int>(size * (each * 2 + 2), q);
  using radix = exp::radix_sorters::group_sorter<float, exp::sorting_order::descending>;
  using pairs = exp::default_sorters::group_key_value_sorter<int, float, std::less<>, each>;
  const std::size_t bytes =
      std::max(pairs::memory_required(q.get_device(), sycl::memory_scope::work_group, size),
               radix::memory_required(sycl::memory_scope::work_group, size));
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<std::byte, 1> scratch(bytes, h);
     h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
       const std::size_t i = it.get_local_id(0);
       const sycl::span memory(&scratch[0], bytes);
       const exp::group_with_scratchpad helper(it.get_group(), memory);
       const float x = static_cast<float>(i * 5 % size) - 10.5f;
       values[i] = exp::sort_over_group(helper, x);
       values[size + i] = exp::sort_over_group(it.get_group(), x, radix(memory));
       const auto [key, value] = exp::sort_key_value_over_group(
           helper, static_cast<int>(i % 4), static_cast<float>(i), std::greater<>());
       keys[size * each * 2 + i] = key;
       values[size * 2 + i] = value;
       int several[each];
       float with[each];
       for (std::size_t e = 0; e < each; ++e) {
         several[e] = static_cast<int>((i * each + e) * 10 % 63);
         with[e] = static_cast<float>(several[e]) / 2;
       }
       exp::sort_key_value_over_group(it.get_group(), sycl::span<int, each>(several),
                                      sycl::span<float, each>(with), pairs(memory));
       bool alike = true;
       for (std::size_t e = 0; e < each; ++e) {
         keys[i * each + e] = several[e];
         alike = alike && with[e] * 2 == static_cast<float>(several[e]);
       }
       keys[size * (each * 2 + 1) + i] = alike;
       exp::sort_over_group(
           helper, sycl::span<int, each>(several), std::greater<>(),
           exp::properties{
               exp::output_data_placement<exp::group_algorithm_data_placement::striped>});
       for (std::size_t e = 0; e < each; ++e)
         keys[size * each + i * each + e] = several[e];
     });
   }).wait();
  for (std::size_t i = 0; i < size; ++i) {
    CHECK(values[i] == static_cast<float>(i) - 10.5f);
    CHECK(values[size + i] == static_cast<float>(size - 1 - i) - 10.5f);
    CHECK(keys[size * (each * 2 + 1) + i] == 1);
    // Keys 0 to 3 of 21 work-items, the largest first; equal ones keep their order.
    const int count[] = {6, 5, 5, 5}, key = keys[size * each * 2 + i];
    const std::size_t before[] = {15, 10, 5, 0};
    CHECK(key >= 0 && key < 4 && i >= before[key] &&
          i < before[key] + static_cast<std::size_t>(count[key]));
    CHECK(values[size * 2 + i] == static_cast<float>(static_cast<int>(i - before[key]) * 4 + key));
    for (std::size_t e = 0; e < each; ++e) {
      const int place = static_cast<int>(i * each + e), striped = static_cast<int>(e * size + i);
      CHECK(keys[i * each + e] == place);
      CHECK(keys[size * each + i * each + e] == 62 - striped);
    }
  }
  sycl::free(values, q);
  sycl::free(keys, q);
}

// Each sub-group sorts what its work-items hold, in memory of its own.
void sorts_over_sub_groups(sycl::queue &q) {
  constexpr std::size_t size = 40;
  int *const out = sycl::malloc_shared<int>(size, q);
  using sorter = exp::default_sorters::group_sorter<int>;
  const std::size_t bytes =
      sorter::memory_required(q.get_device(), sycl::memory_scope::sub_group, 64);
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<std::byte, 1> scratch(bytes * size, h);
     h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
       const sycl::sub_group sg = it.get_sub_group();
       const int mine = static_cast<int>(it.get_local_id(0) * 11 % size);
       const int sorted = exp::sort_over_group(
           sg, mine, sorter(sycl::span(&scratch[bytes * sg.get_group_linear_id()], bytes)));
       const int next = sycl::shift_group_left(sg, sorted, 1);
       const bool last = sg.get_local_linear_id() + 1 == sg.get_local_linear_range();
       const int total = sycl::reduce_over_group(sg, sorted - mine, sycl::plus<>());
       out[it.get_local_id(0)] = total == 0 && (last || sorted < next);
     });
   }).wait();
  for (std::size_t i = 0; i < size; ++i)
    CHECK(out[i] == 1);
  sycl::free(out, q);
}

// --- Reductions by any function object

struct line {
  int first, last, parts;
};
struct join {
  line operator()(const line &a, const line &b) const {
    return {a.first, b.last, a.parts + b.parts};
  }
};

void own_reductions(sycl::queue &q) {
  for (const std::size_t size : {1, 13, 32}) {
    line *const out = sycl::malloc_shared<line>(4, q), *const in = sycl::malloc_shared<line>(50, q);
    for (int i = 0; i < 50; ++i)
      in[i] = {i, i + 1, 1};
    q.submit([&](sycl::handler &h) {
       sycl::local_accessor<std::byte, 1> scratch(sizeof(line) * (size + 1), h);
       h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
         const exp::group_with_scratchpad helper(
             it.get_group(), sycl::span(&scratch[0], sizeof(line) * (size + 1)));
         const int i = static_cast<int>(it.get_local_id(0));
         const line one = exp::reduce_over_group(helper, line{i, i + 1, 1}, join());
         const line two = exp::reduce_over_group(helper, line{i, i + 1, 1}, line{-5, 0, 7}, join());
         const line three = exp::joint_reduce(helper, in, in + 50, join());
         const line none = exp::joint_reduce(helper, in, in, line{1, 2, 3}, join());
         const int plain = exp::reduce_over_group(helper, i, sycl::plus<>());
         if (i == static_cast<int>(size) - 1) {
           out[0] = one;
           out[1] = two;
           out[2] = three;
           out[3] = {none.first, none.last, plain};
         }
       });
     }).wait();
    const int n = static_cast<int>(size);
    CHECK(out[0].first == 0 && out[0].last == n && out[0].parts == n);
    CHECK(out[1].first == -5 && out[1].last == n && out[1].parts == n + 7);
    CHECK(out[2].first == 0 && out[2].last == 50 && out[2].parts == 50);
    CHECK(out[3].first == 1 && out[3].last == 2 && out[3].parts == n * (n - 1) / 2);
    sycl::free(out, q);
    sycl::free(in, q);
  }
}

// --- Forward progress

// Needs more than any device promises.
struct needs_concurrent_items {
  void operator()(sycl::nd_item<1>) const {}
  auto get(exp::properties_tag) const {
    using guarantee = exp::forward_progress_guarantee;
    return exp::properties{
        exp::work_item_progress<guarantee::concurrent, exp::execution_scope::sub_group>};
  }
};
// The same of a kernel that the headers put into one of their own.
struct needs_concurrent_groups {
  template <class Place, class... Reducers> void operator()(Place, Reducers &...) const {}
  auto get(exp::properties_tag) const {
    using guarantee = exp::forward_progress_guarantee;
    return exp::properties{
        exp::work_group_progress<guarantee::concurrent, exp::execution_scope::root_group>};
  }
};

void forward_progress(sycl::queue &q) {
  using guarantee = exp::forward_progress_guarantee;
  using scope = exp::execution_scope;
  const sycl::device d = q.get_device();
  const auto promises = [](const std::vector<guarantee> &list, guarantee g) {
    return std::find(list.begin(), list.end(), g) != list.end();
  };
  const auto groups =
      d.get_info<exp::info::device::work_group_progress_capabilities<scope::root_group>>();
  const auto sub_groups =
      d.get_info<exp::info::device::sub_group_progress_capabilities<scope::work_group>>();
  const auto items =
      d.get_info<exp::info::device::work_item_progress_capabilities<scope::root_group>>();
  CHECK(promises(groups, guarantee::weakly_parallel) &&
        promises(sub_groups, guarantee::weakly_parallel));
  CHECK(items == std::vector<guarantee>{guarantee::weakly_parallel});
  CHECK(promises(groups, guarantee::parallel) == (d.get_backend() != sycl::backend::opencl));
  CHECK(promises(sub_groups, guarantee::parallel) ==
        d.get_info<sycl::info::device::sub_group_independent_forward_progress>());

  // A kernel that needs it is launched where it is promised, and refused where it is not.
  const exp::properties parallel{exp::work_group_progress<guarantee::parallel, scope::root_group>};
  const exp::properties concurrent{
      exp::work_group_progress<guarantee::concurrent, scope::root_group>};
  const sycl::nd_range<1> range(8, 4);
  int *count = sycl::malloc_shared<int>(1, q);
  *count = 0;
  if (promises(groups, guarantee::parallel)) {
    q.parallel_for<meeting_groups>(range, parallel, [=](sycl::nd_item<1>) {
       sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*count)
           .fetch_add(1);
     }).wait();
    CHECK(*count == 8);
  }
  CHECK(check::throws(sycl::errc::feature_not_supported, [&] {
    q.submit([&](sycl::handler &h) {
      h.parallel_for<concurrent_groups>(range, concurrent, [=](sycl::nd_item<1>) { *count = 1; });
    });
  }));
  CHECK(check::throws(sycl::errc::feature_not_supported,
                      [&] { q.parallel_for(range, needs_concurrent_items()); }));
  CHECK(check::throws(sycl::errc::feature_not_supported, [&] {
    q.parallel_for(range, sycl::reduction(count, sycl::plus<>()), needs_concurrent_groups());
  }));
  CHECK(check::throws(sycl::errc::feature_not_supported, [&] {
    q.parallel_for(sycl::range<1>(8), sycl::reduction(count, sycl::plus<>()),
                   needs_concurrent_groups());
  }));
  CHECK(check::throws(sycl::errc::feature_not_supported, [&] {
    q.submit([&](sycl::handler &h) {
      h.parallel_for_work_group(sycl::range<1>(8), needs_concurrent_groups());
    });
  }));
  sycl::free(count, q);
}

} // namespace

int main() {
  sycl::queue q;
  masks(q);
  work_items(q);
  root_groups(q);
  forward_progress(q);
  joint_sorts(q, 1, 4);
  joint_sorts(q, 100, 16);
  joint_sorts(q, 77, 77);
  sorts_over_groups(q);
  sorts_over_sub_groups(q);
  own_reductions(q);
  return check::result();
}
