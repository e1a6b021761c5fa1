// Reductions and scans over work-groups and sub-groups: every operation and type, odd and full sizes, one to three
// dimensions, and the forms over ranges in memory.
#include "check.hpp"

#include <cstdint>
#include <vector>

namespace {

template <int D> sycl::range<D> make(std::size_t a, std::size_t b, std::size_t c) {
  if constexpr (D == 1)
    return sycl::range<1>(a * b * c);
  else if constexpr (D == 2)
    return sycl::range<2>(a * b, c);
  else
    return sycl::range<3>(a, b, c);
}

template <class T> struct outcome {
  T value, group[5], sub_group[5];
  std::uint32_t sub_group_id, lane, sub_group_size;
};

// Small numbers, so that every order of adding floats is exact and products stay small.
template <class T, class Op> T input(std::size_t i) {
  if constexpr (std::is_same_v<Op, sycl::multiplies<T>>)
    return static_cast<T>(i % 1000 == 3 ? 2 : 1);
  else if constexpr (std::is_same_v<T, bool>)
    return i % 5 != 2;
  else
    return static_cast<T>((i * 7 + 3) % 13 + (i % 11 == 4 ? 50 : 0));
}

template <class T, class G, class Op> void all_forms(const G &g, T x, T init, T *out) {
  const Op op;
  out[0] = sycl::reduce_over_group(g, x, op);
  out[1] = sycl::reduce_over_group(g, x, init, op);
  out[2] = sycl::inclusive_scan_over_group(g, x, op);
  out[3] = sycl::exclusive_scan_over_group(g, x, op);
  out[4] = sycl::exclusive_scan_over_group(g, x, init, op);
}

// What `all_forms` must give to member `at` of `members`.
template <class T, class Op> bool expected(const std::vector<T> &members, std::size_t at, T init, const T *got) {
  const Op op;
  T all = sycl::known_identity_v<Op, T>, before = all, upto = all;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == at)
      before = all;
    all = i == 0 ? members[i] : static_cast<T>(op(all, members[i]));
    if (i == at)
      upto = all;
  }
  // Logical operations of numbers answer 0 or 1, for one member too.
  if (sycl::detail::operation_of<Op> == sycl::detail::operation::logical_and ||
      sycl::detail::operation_of<Op> == sycl::detail::operation::logical_or) {
    all = static_cast<T>(static_cast<bool>(all));
    upto = static_cast<T>(static_cast<bool>(upto));
    before = static_cast<T>(static_cast<bool>(before));
  }
  return got[0] == all && got[1] == static_cast<T>(op(init, all)) && got[2] == upto && got[3] == before &&
         got[4] == static_cast<T>(op(init, before));
}

template <class T, class Op, int D> void over_groups(sycl::queue &q, sycl::range<D> local, std::size_t groups) {
  sycl::range<D> global = local;
  global[0] *= groups;
  const std::size_t size = local.size();
  const T init = input<T, Op>(3);
  std::vector<outcome<T>> got(global.size());
  {
    sycl::buffer<outcome<T>> b(got);
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(b, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<D>(global, local), [=](sycl::nd_item<D> it) {
        const std::size_t i =
            it.get_group_linear_id() * it.get_group().get_local_linear_range() + it.get_local_linear_id();
        const T x = input<T, Op>(i);
        outcome<T> &o = out[i];
        o.value = x;
        all_forms<T, sycl::group<D>, Op>(it.get_group(), x, init, o.group);
        const sycl::sub_group sg = it.get_sub_group();
        all_forms<T, sycl::sub_group, Op>(sg, x, init, o.sub_group);
        o.sub_group_id = sg.get_group_linear_id();
        o.lane = sg.get_local_linear_id();
        o.sub_group_size = sg.get_local_linear_range();
      });
    });
  }
  int wrong_group = 0, wrong_sub_group = 0, wrong_size = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<T> members;
    for (std::size_t i = 0; i < size; ++i)
      members.push_back(got[g * size + i].value);
    // Checking all members of a large group takes the square of its size.
    for (std::size_t i = 0; i < size; i += size > 600 ? 97 : 1)
      wrong_group += !expected<T, Op>(members, i, init, got[g * size + i].group);
    for (std::size_t i = 0; i < size;) {
      const outcome<T> &first = got[g * size + i];
      std::vector<T> lanes;
      std::size_t end = i;
      for (; end < size && got[g * size + end].sub_group_id == first.sub_group_id; ++end) {
        wrong_size += got[g * size + end].lane != end - i;
        lanes.push_back(got[g * size + end].value);
      }
      wrong_size += lanes.size() != first.sub_group_size;
      for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        wrong_sub_group += !expected<T, Op>(lanes, lane, init, got[g * size + i + lane].sub_group);
      i = end;
    }
  }
  CHECK(wrong_group == 0);
  CHECK(wrong_sub_group == 0);
  CHECK(wrong_size == 0);
  if (wrong_group || wrong_sub_group || wrong_size)
    std::printf("  operation %d, %zu bytes, group of %zu in %d dimensions\n",
                static_cast<int>(sycl::detail::operation_of<Op>), sizeof(T), size, D);
}

template <class T, class Op> void sizes(sycl::queue &q) {
  for (std::size_t size : {1, 2, 7, 16, 33, 100})
    over_groups<T, Op, 1>(q, sycl::range<1>(size), 3);
}
template <class T> void arithmetic(sycl::queue &q) {
  sizes<T, sycl::plus<T>>(q);
  sizes<T, sycl::multiplies<T>>(q);
  sizes<T, sycl::minimum<T>>(q);
  sizes<T, sycl::maximum<T>>(q);
}
template <class T> void bitwise(sycl::queue &q) {
  sizes<T, sycl::bit_and<T>>(q);
  sizes<T, sycl::bit_or<T>>(q);
  sizes<T, sycl::bit_xor<T>>(q);
}
template <class T> void logical(sycl::queue &q) {
  sizes<T, sycl::logical_and<T>>(q);
  sizes<T, sycl::logical_or<T>>(q);
}

void large_and_many_dimensions(sycl::queue &q) {
  const std::size_t max = q.get_device().get_info<sycl::info::device::max_work_group_size>();
  for (std::size_t size : {std::size_t(255), std::size_t(1024), max - 1, max})
    over_groups<int, sycl::plus<int>, 1>(q, sycl::range<1>(size), 2);
  over_groups<int, sycl::plus<int>, 2>(q, make<2>(1, 5, 7), 2);
  over_groups<int, sycl::plus<int>, 2>(q, make<2>(1, 4, 16), 2);
  over_groups<int, sycl::plus<int>, 3>(q, make<3>(3, 5, 7), 2);
  over_groups<int, sycl::plus<int>, 3>(q, make<3>(2, 2, 32), 2);
  over_groups<int, sycl::plus<int>, 3>(q, make<3>(4, 3, 1), 2);
}

// The forms over memory, with more, fewer and no elements per work-item.
template <class T> void joint(sycl::queue &q, std::size_t size, std::size_t count) {
  std::vector<T> in(count), inclusive(count), exclusive(count), sub(count);
  for (std::size_t i = 0; i < count; ++i)
    in[i] = static_cast<T>(i % 7 + 1);
  T sums[4] = {};
  int answers[6] = {};
  T *const device_in = sycl::malloc_shared<T>(count + 1, q), *const device_out =
                                                                 sycl::malloc_shared<T>(4 * count + 1, q);
  T *const device_sums = sycl::malloc_shared<T>(4, q);
  int *const device_answers = sycl::malloc_shared<int>(6, q);
  std::copy(in.begin(), in.end(), device_in);
  q.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     const T *first = device_in, *last = device_in + count;
     const T sum = sycl::joint_reduce(g, first, last, sycl::plus<T>());
     const T with_init = sycl::joint_reduce(g, first, last, T(5), sycl::plus<T>());
     const T greatest = sycl::joint_reduce(g, first, last, sycl::maximum<T>());
     T *end = sycl::joint_inclusive_scan(g, first, last, device_out, sycl::plus<T>());
     sycl::joint_exclusive_scan(g, first, last, device_out + count, sycl::plus<T>());
     sycl::joint_inclusive_scan(g, first, last, device_out + 2 * count, sycl::plus<T>(), T(3));
     sycl::joint_exclusive_scan(g, first, last, device_out + 3 * count, T(4), sycl::plus<T>());
     const bool any = sycl::joint_any_of(g, first, last, [](T x) { return x == T(7); });
     const bool all = sycl::joint_all_of(g, first, last, [](T x) { return x > T(0); });
     const bool none = sycl::joint_none_of(g, first, last, [](T x) { return x > T(7); });
     if (it.get_local_linear_id() == size - 1) {
       device_sums[0] = sum;
       device_sums[1] = with_init;
       device_sums[2] = greatest;
       device_answers[0] = any;
       device_answers[1] = all;
       device_answers[2] = none;
       device_answers[3] = end == device_out + count;
     }
   }).wait();
  T sum = 0, greatest = sycl::known_identity_v<sycl::maximum<T>, T>;
  int wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    wrong += device_out[count + i] != sum || device_out[3 * count + i] != static_cast<T>(sum + 4);
    sum = static_cast<T>(sum + in[i]);
    greatest = in[i] > greatest ? in[i] : greatest;
    wrong += device_out[i] != sum || device_out[2 * count + i] != static_cast<T>(sum + 3);
  }
  CHECK(wrong == 0);
  CHECK(device_sums[0] == sum && device_sums[1] == static_cast<T>(sum + 5) && device_sums[2] == greatest);
  CHECK(device_answers[0] == (count >= 7) && device_answers[1] == 1 && device_answers[2] == 1 &&
        device_answers[3] == 1);
  (void)sums;
  (void)answers;
  for (void *p : {static_cast<void *>(device_in), static_cast<void *>(device_out), static_cast<void *>(device_sums),
                  static_cast<void *>(device_answers)})
    sycl::free(p, q);
}

} // namespace

int main() {
  sycl::queue q;
  arithmetic<signed char>(q);
  arithmetic<unsigned char>(q);
  arithmetic<char>(q);
  arithmetic<short>(q);
  arithmetic<unsigned short>(q);
  arithmetic<int>(q);
  arithmetic<unsigned>(q);
  arithmetic<long>(q);
  arithmetic<unsigned long>(q);
  arithmetic<long long>(q);
  arithmetic<float>(q);
  arithmetic<double>(q);
  bitwise<unsigned char>(q);
  bitwise<short>(q);
  bitwise<int>(q);
  bitwise<unsigned long>(q);
  logical<bool>(q);
  logical<int>(q);
  bitwise<bool>(q);
  large_and_many_dimensions(q);
  for (std::size_t size : {1, 5, 32, 100})
    for (std::size_t count : {0, 1, 31, 257})
      joint<int>(q, size, count);
  joint<float>(q, 48, 1000);
  joint<unsigned char>(q, 48, 30);
  return check::result();
}
