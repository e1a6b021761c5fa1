// Sub-groups: queries, sizes that a kernel demands, and how they cover a work-group.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <algorithm>
#include <vector>

namespace {

struct seen {
  std::uint32_t group, groups, lane, lanes, most;
  std::uint32_t sum, leader;
};

template <int D> seen look(const sycl::nd_item<D> &it) {
  const sycl::sub_group sg = it.get_sub_group();
  seen s{};
  s.group = sg.get_group_linear_id();
  s.groups = sg.get_group_linear_range();
  s.lane = sg.get_local_linear_id();
  s.lanes = sg.get_local_linear_range();
  s.most = static_cast<std::uint32_t>(sg.get_max_local_range()[0]);
  s.sum = sycl::reduce_over_group(sg, std::uint32_t(1), sycl::plus<>());
  s.leader = sg.leader();
  const bool same = sg.get_group_id()[0] == s.group && sg.get_local_id()[0] == s.lane &&
                    sg.get_local_range()[0] == s.lanes && sg.get_group_range()[0] == s.groups &&
                    sg == it.get_sub_group();
  if (!same)
    s.lanes = 12345;
  return s;
}

// Every work-item is in one sub-group, in one lane; sub-groups follow the linear id.
void covered(const std::vector<seen> &all, std::size_t size, std::uint32_t demanded) {
  int wrong = 0;
  for (std::size_t first = 0; first < all.size(); first += size) {
    std::size_t i = first;
    std::uint32_t group = 0;
    while (i < first + size) {
      const seen &s = all[i];
      wrong += s.group != group || s.lane != 0 || s.lanes == 0 || s.lanes > s.most ||
               i + s.lanes > first + size;
      wrong += demanded != 0 && s.most != demanded;
      for (std::uint32_t lane = 0; lane < s.lanes && i + lane < first + size; ++lane) {
        const seen &other = all[i + lane];
        wrong += other.group != group || other.lane != lane || other.lanes != s.lanes ||
                 other.sum != s.lanes || other.leader != (lane == 0) || other.groups != s.groups;
      }
      if (s.lanes == 0)
        break;
      i += s.lanes;
      ++group;
    }
    wrong += all[first].groups != group;
  }
  CHECK(wrong == 0);
}

template <int D> void queries(sycl::queue &q, sycl::range<D> local) {
  sycl::range<D> global = local;
  global[0] *= 3;
  std::vector<seen> all(global.size());
  {
    sycl::buffer<seen> b(all);
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(b, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<D>(global, local), [=](sycl::nd_item<D> it) {
        const auto g = it.get_group();
        out[g.get_group_linear_id() * g.get_local_linear_range() + g.get_local_linear_id()] =
            look(it);
      });
    });
  }
  covered(all, local.size(), 0);
}

// In host mode a sub-group has one size, and nothing is demanded of it.
#if defined(__SYCL_DEVICE_ONLY__) || defined(__SCYTHE_HOST_PASS__) || defined(__SCYTHE_INT_HEADER__)
constexpr bool compiled = true;
#else
constexpr bool compiled = false;
#endif

template <int N> struct demanding {
  sycl::accessor<seen, 1, sycl::access_mode::write> out;
  [[sycl::reqd_sub_group_size(N)]] void operator()(sycl::nd_item<1> it) const {
    out[it.get_global_id()] = look(it);
  }
};

template <int N> void demanded(sycl::queue &q) {
  const std::vector<std::size_t> sizes =
      q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  if (compiled && std::find(sizes.begin(), sizes.end(), std::size_t(N)) == sizes.end())
    return;
  for (std::size_t size : {1, 7, 64, 100}) {
    std::vector<seen> all(size * 2);
    {
      sycl::buffer<seen> b(all);
      q.submit([&](sycl::handler &h) {
        h.parallel_for(sycl::nd_range<1>(size * 2, size),
                       demanding<N>{sycl::accessor(b, h, sycl::write_only)});
      });
    }
    covered(all, size, compiled ? N : 0);
  }
}

// The earlier loads and stores: every lane has its element, and vectors have one for each lane.
void earlier_accesses(sycl::queue &q) {
  static constexpr std::uint32_t lanes = 8, width = 4;
  const std::vector<std::size_t> sizes =
      q.get_device().get_info<sycl::info::device::sub_group_sizes>();
  if (compiled && std::find(sizes.begin(), sizes.end(), std::size_t(lanes)) == sizes.end())
    return;
  std::vector<float> from(2 * lanes * width), to(from.size()), alone(lanes);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<float>(i) + 0.5f;
  {
    sycl::buffer<float> in(from), out(to), single(alone);
    q.submit([&](sycl::handler &h) {
      sycl::accessor a(in, h, sycl::read_only);
      sycl::accessor b(out, h, sycl::write_only), c(single, h, sycl::write_only);
      sycl::local_accessor<float> local(lanes * width, h);
      h.parallel_for(sycl::nd_range<1>(lanes, lanes),
                     [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(lanes)]] {
                       using sycl::access::address_space;
                       const auto sg = it.get_sub_group();
                       const auto global = a.get_multi_ptr<sycl::access::decorated::no>();
                       const auto near = local.get_multi_ptr<sycl::access::decorated::yes>();
                       const sycl::vec<float, width> read = sg.load<width>(global);
                       sg.store<width>(near, read + 1.0f);
                       sg.store(b.get_multi_ptr<sycl::access::decorated::yes>(),
                                sg.load<width>(near));
                       const volatile float *raw = &a[0];
                       sg.store(&c[0], sg.load(raw) + sg.load<const float>(global));
                     });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < lanes * width; ++i)
    wrong += to[i] != from[i] + 1;
  for (std::size_t i = 0; i < lanes; ++i)
    wrong += alone[i] != 2 * from[i];
  CHECK(wrong == 0);
}

} // namespace

int main() {
  sycl::queue q;
  for (std::size_t size : {1, 3, 8, 16, 50, 256})
    queries<1>(q, sycl::range<1>(size));
  queries<2>(q, {3, 20});
  queries<3>(q, {2, 3, 7});
  demanded<4>(q);
  demanded<8>(q);
  demanded<16>(q);
  demanded<32>(q);
  earlier_accesses(q);
  return check::result();
}
