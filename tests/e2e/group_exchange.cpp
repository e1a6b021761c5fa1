// Values that travel between work-items: broadcasts, shifts, permutations, selections, and votes;
// for numbers and for structures of any size.
//
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <vector>

namespace {

struct triple {
  double a;
  int b;
  char c;
  friend bool operator==(const triple &x, const triple &y) {
    return x.a == y.a && x.b == y.b && x.c == y.c;
  }
};
struct bytes {
  unsigned char b[3];
  friend bool operator==(const bytes &x, const bytes &y) {
    return x.b[0] == y.b[0] && x.b[1] == y.b[1] && x.b[2] == y.b[2];
  }
};

template <class T> T make(std::size_t i) {
  if constexpr (std::is_same_v<T, triple>)
    return {static_cast<double>(i) / 2, static_cast<int>(i) * 3, static_cast<char>(i % 100)};
  else if constexpr (std::is_same_v<T, bytes>)
    return {{static_cast<unsigned char>(i), static_cast<unsigned char>(i / 3),
             static_cast<unsigned char>(i * 5)}};
  else
    return static_cast<T>(i * 3 + 1);
}

template <class T> struct seen {
  T from_first, from_some, left, right, by_xor, selected, in_sub_group;
  std::uint32_t sub_group, lane, size;
};

template <class T> void numbers(sycl::queue &q, std::size_t size) {
  std::vector<seen<T>> all(size);
  const std::size_t source = size / 3;
  {
    sycl::buffer<seen<T>> b(all);
    q.submit([&](sycl::handler &h) {
      sycl::accessor out(b, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> it) {
        const std::size_t i = it.get_local_id(0);
        const sycl::sub_group sg = it.get_sub_group();
        const T x = make<T>(i);
        seen<T> &s = out[i];
        s.from_first = sycl::group_broadcast(it.get_group(), x);
        s.from_some = sycl::group_broadcast(it.get_group(), x, source);
        s.left = sycl::shift_group_left(sg, x, 2);
        s.right = sycl::shift_group_right(sg, x);
        s.by_xor = sycl::permute_group_by_xor(sg, x, 1);
        s.selected = sycl::select_from_group(
            sg, x, sg.get_local_linear_range() - 1 - sg.get_local_linear_id());
        s.in_sub_group = sycl::group_broadcast(sg, x, sg.get_local_linear_range() - 1);
        s.sub_group = sg.get_group_linear_id();
        s.lane = sg.get_local_linear_id();
        s.size = sg.get_local_linear_range();
      });
    });
  }
  int wrong[7] = {};
  for (std::size_t i = 0; i < size; ++i) {
    const seen<T> &s = all[i];
    const std::size_t first = i - s.lane;
    wrong[0] += !(s.from_first == make<T>(0));
    wrong[1] += !(s.from_some == make<T>(source));
    wrong[2] += s.lane + 2 < s.size && !(s.left == make<T>(i + 2));
    wrong[3] += s.lane >= 1 && !(s.right == make<T>(i - 1));
    wrong[4] += (s.lane ^ 1) < s.size && !(s.by_xor == make<T>(first + (s.lane ^ 1)));
    wrong[5] += !(s.selected == make<T>(first + s.size - 1 - s.lane));
    wrong[6] += !(s.in_sub_group == make<T>(first + s.size - 1));
  }
  for (int w : wrong)
    CHECK(w == 0);
}

// Broadcasts name their source by an id, or by its linear form, in more dimensions too.
template <int D> void dimensions(sycl::queue &q, sycl::range<D> local, sycl::id<D> source) {
  std::vector<int> by_id(local.size() * 2), by_number(local.size() * 2),
      by_nothing(local.size() * 2);
  sycl::range<D> global = local;
  global[0] *= 2;
  const std::size_t number = sycl::detail::linear(source, local);
  {
    sycl::buffer<int> a(by_id), b(by_number), c(by_nothing);
    q.submit([&](sycl::handler &h) {
      sycl::accessor out_a(a, h, sycl::write_only), out_b(b, h, sycl::write_only),
          out_c(c, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<D>(global, local), [=](sycl::nd_item<D> it) {
        const auto g = it.get_group();
        const std::size_t i =
            g.get_group_linear_id() * g.get_local_linear_range() + g.get_local_linear_id();
        const int x = static_cast<int>(i) * 2;
        out_a[i] = sycl::group_broadcast(g, x, source);
        out_b[i] = sycl::group_broadcast(g, x, number);
        out_c[i] = sycl::group_broadcast(g, x);
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < by_id.size(); ++i) {
    const std::size_t first = i / local.size() * local.size();
    const int expected = static_cast<int>(first + number) * 2;
    wrong += by_id[i] != expected || by_number[i] != expected ||
             by_nothing[i] != static_cast<int>(first) * 2;
  }
  CHECK(wrong == 0);
}

void votes(sycl::queue &q, std::size_t size) {
  // In group `g`, the first `g` work-items say yes.
  const std::size_t groups = size + 1;
  std::vector<int> out(groups * size);
  {
    sycl::buffer<int> b(out);
    q.submit([&](sycl::handler &h) {
      sycl::accessor acc(b, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> it) {
        const auto g = it.get_group();
        const auto sg = it.get_sub_group();
        const bool yes = it.get_local_id(0) < it.get_group(0);
        const auto is_yes = [](bool b) { return b; };
        int answers = sycl::any_of_group(g, yes) | sycl::all_of_group(g, yes) << 1 |
                      sycl::none_of_group(g, yes) << 2;
        answers |= sycl::any_of_group(g, yes, is_yes) << 3 |
                   sycl::all_of_group(g, yes, is_yes) << 4 |
                   sycl::none_of_group(g, yes, is_yes) << 5;
        // The yes of a sub-group are its first ones too: its first and last work-items tell.
        const bool first = sycl::group_broadcast(sg, yes, 0),
                   last = sycl::group_broadcast(sg, yes, sg.get_local_linear_range() - 1);
        const bool same = sycl::any_of_group(sg, yes) == first &&
                          sycl::all_of_group(sg, yes) == last &&
                          sycl::none_of_group(sg, yes) == !first;
        acc[it.get_global_id()] = answers | same << 6;
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t yes = i / size;
    const int once = (yes > 0) | (yes == size) << 1 | (yes == 0) << 2;
    wrong += out[i] != (once | once << 3 | 1 << 6);
  }
  CHECK(wrong == 0);
}

} // namespace

int main() {
  sycl::queue q;
  for (std::size_t size : {1, 2, 8, 13, 64, 100}) {
    numbers<int>(q, size);
    numbers<double>(q, size);
    numbers<triple>(q, size);
    votes(q, size);
  }
  for (std::size_t size : {7, 32}) {
    numbers<signed char>(q, size);
    numbers<bool>(q, size);
    numbers<short>(q, size);
    numbers<unsigned>(q, size);
    numbers<long long>(q, size);
    numbers<float>(q, size);
    numbers<bytes>(q, size);
  }
  dimensions<1>(q, sycl::range<1>(20), sycl::id<1>(7));
  dimensions<2>(q, {5, 9}, {3, 7});
  dimensions<3>(q, {2, 3, 17}, {1, 2, 16});
  return check::result();
}
