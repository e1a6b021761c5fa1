// Accessors: how they are made, what their types are, and which elements their indices and
// iterators mean.
//
// BACKENDS: cpu,opencl,opencl-objects,cuda
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <vector>

using sycl::access_mode;
using sycl::target;

namespace {

void deduced_types(sycl::queue &q) {
  sycl::buffer<float, 2> b{sycl::range<2>(4, 4)};
  q.fill(sycl::accessor(b, sycl::write_only), 1.0f);
  q.submit([&](sycl::handler &h) {
    sycl::accessor a1(b, h);
    sycl::accessor a2(b, h, sycl::read_only);
    sycl::accessor a3(b, h, sycl::write_only, sycl::no_init);
    sycl::accessor a4(b, h, sycl::range<2>(2, 2), sycl::read_only);
    sycl::accessor a5(b, h, sycl::range<2>(2, 2), sycl::id<2>(1, 1), sycl::read_write);
    sycl::accessor a6(b, h, sycl::read_only_host_task);
    sycl::accessor a7(b, h, sycl::no_init);
    static_assert(std::is_same_v<decltype(a1), sycl::accessor<float, 2, access_mode::read_write>>);
    static_assert(std::is_same_v<decltype(a2), sycl::accessor<float, 2, access_mode::read>>);
    static_assert(std::is_same_v<decltype(a3), sycl::accessor<float, 2, access_mode::write>>);
    static_assert(std::is_same_v<decltype(a4), sycl::accessor<float, 2, access_mode::read>>);
    static_assert(std::is_same_v<decltype(a5), sycl::accessor<float, 2, access_mode::read_write>>);
    static_assert(std::is_same_v<decltype(a6),
                                 sycl::accessor<float, 2, access_mode::read, target::host_task>>);
    static_assert(std::is_same_v<decltype(a7), sycl::accessor<float, 2, access_mode::read_write>>);
    static_assert(std::is_same_v<decltype(a2[0][0]), const float &>);
    static_assert(std::is_same_v<decltype(a1[0][0]), float &>);
    static_assert(std::is_same_v<decltype(a2)::value_type, const float>);
    CHECK(!a1.is_placeholder() && a1.size() == 16 && a1.byte_size() == 64);
    CHECK(a5.get_range() == sycl::range<2>(2, 2) && a5.get_offset() == sycl::id<2>(1, 1));

    sycl::accessor<float, 2, access_mode::read> converted = a1;
    sycl::accessor<const float, 2> constant = a2;
    CHECK(converted.size() == 16 && constant.size() == 16);
  });
  sycl::accessor placeholder(b, sycl::read_only);
  CHECK(placeholder.is_placeholder());
  sycl::accessor<float, 2> nothing;
  CHECK(nothing.empty() && nothing == nothing && nothing.begin() == nothing.end());
  sycl::buffer<int> empty{sycl::range<1>(0)};
  CHECK((sycl::accessor<int, 0>(empty).empty() && sycl::host_accessor<int, 0>(empty).empty()));
}

void subscripts(sycl::queue &q) {
  std::vector<int> a2(5 * 7), a3(3 * 5 * 7);
  {
    sycl::buffer<int, 2> b2(a2.data(), {5, 7});
    sycl::buffer<int, 3> b3(a3.data(), {3, 5, 7});
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b2, h, sycl::write_only, sycl::no_init);
      h.parallel_for(b2.get_range(),
                     [=](sycl::id<2> i) { v[i[0]][i[1]] = static_cast<int>(i[0] * 10 + i[1]); });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b3, h, sycl::write_only, sycl::no_init);
      h.parallel_for(b3.get_range(), [=](sycl::item<3> i) {
        if (i[2] % 2)
          v[i] = static_cast<int>(i[0] * 100 + i[1] * 10 + i[2]);
        else
          v[i[0]][i[1]][i[2]] = static_cast<int>(i[0] * 100 + i[1] * 10 + i[2]);
      });
    });
  }
  int wrong = 0;
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 7; ++x)
        wrong += a3[(z * 5 + y) * 7 + x] != z * 100 + y * 10 + x || a2[y * 7 + x] != y * 10 + x;
  CHECK(wrong == 0);
}

void ranged(sycl::queue &q) {
  std::vector<int> a(10 * 10, 0);
  {
    sycl::buffer<int, 2> b(a.data(), {10, 10});
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h, sycl::range<2>(3, 4), sycl::id<2>(2, 5), sycl::write_only);
      // Indices are relative to the box.
      h.parallel_for(v.get_range(),
                     [=](sycl::id<2> i) { v[i] = 1 + static_cast<int>(i[0] * 4 + i[1]); });
    });
    sycl::host_accessor v(b, sycl::range<2>(3, 4), sycl::id<2>(2, 5), sycl::read_only);
    int expected = 1;
    for (int value : v)
      CHECK(value == expected++);
    CHECK(expected == 13 && v.end() - v.begin() == 12 && v.begin()[5] == 6);
    CHECK(*v.rbegin() == 12 && *(v.end() - 1) == 12);
  }
  CHECK(a[2 * 10 + 5] == 1 && a[4 * 10 + 8] == 12);
  CHECK(a[2 * 10 + 4] == 0 && a[2 * 10 + 9] == 0 && a[5 * 10 + 5] == 0);

  sycl::buffer<int> one{sycl::range<1>(10)};
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { sycl::accessor(one, sycl::range<1>(5), sycl::id<1>(6)); }));
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { sycl::accessor(one, sycl::read_only, sycl::no_init); }));
}

void placeholders(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(8)};
  sycl::accessor v(b);
  q.submit([&](sycl::handler &h) {
    h.require(v);
    h.parallel_for(8, [=](sycl::id<1> i) { v[i] = static_cast<int>(i); });
  });
  q.submit([&](sycl::handler &h) {
    h.require(v);
    h.parallel_for(8, [=](sycl::id<1> i) { v[i] *= 3; });
  });
  sycl::host_accessor result(b, sycl::read_only);
  CHECK(result[7] == 21);
  CHECK(check::throws(sycl::errc::invalid, [&] {
    q.submit([&](sycl::handler &h) { h.require(sycl::accessor<int>()); });
  }));
}

void pointers_and_scalars(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(16)};
  q.submit([&](sycl::handler &h) {
    sycl::accessor v(b, h, sycl::range<1>(4), sycl::id<1>(8), sycl::write_only);
    h.single_task([=] {
      // Pointers are to the buffer, wherever the accessor's range begins.
      int *p = v.get_pointer();
      p[8] = 1;
      v.get_multi_ptr<sycl::access::decorated::no>()[9] = 2;
      *(v.begin() + 2) = 3;
      *v.rbegin() = 4;
    });
  });
  sycl::host_accessor result(b, sycl::read_only);
  CHECK(result[8] == 1 && result[9] == 2 && result[10] == 3 && result[11] == 4);

  sycl::buffer<int> scalar{sycl::range<1>(1)};
  q.submit([&](sycl::handler &h) {
    sycl::accessor<int, 0> v(scalar, h);
    h.single_task([=] { v = 42; });
  });
  sycl::host_accessor<int, 0, access_mode::read> value(scalar);
  CHECK(static_cast<const int &>(value) == 42);
}

void old_style(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(4)};
  q.submit([&](sycl::handler &h) {
    auto v = b.get_access<sycl::access::mode::discard_write>(h);
    h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { v[i] = 5; });
  });
  q.submit([&](sycl::handler &h) {
    auto v = b.get_access(h, sycl::read_write);
    h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { v[i] += 1; });
  });
  q.submit([&](sycl::handler &h) {
    auto v = b.get_access<sycl::access::mode::read_write, sycl::access::target::host_buffer>(h);
    h.host_task([=] { v[2] += v[0]; });
  });
  q.submit([&](sycl::handler &h) {
    auto v = b.get_access(h);
    h.single_task([=] { v[2] -= v[0]; });
  });
  auto later = b.get_access(sycl::range<1>(2), sycl::id<1>(1), sycl::read_write);
  CHECK(b.get_access().is_placeholder() && later.is_placeholder());
  q.submit([&](sycl::handler &h) {
    h.require(later);
    h.parallel_for(sycl::range<1>(2), [=](sycl::id<1> i) { later[i] -= 1; });
  });
  auto v = b.get_access<sycl::access::mode::read>();
  CHECK(v[3] == 6 && v[2] == 5);
  CHECK(b.get_host_access(sycl::read_only)[0] == 6);
}

// Elements that are const: buffers of them, accessors to them, and conversions between those that
// read.
void constant_elements(sycl::queue &q) {
  const int data[2] = {5, 6};
  sycl::buffer<const int> constant(data, sycl::range<1>(2));
  sycl::buffer<int> b{sycl::range<1>(2)};
  q.submit([&](sycl::handler &h) {
    sycl::accessor from(constant, h);
    static_assert(std::is_same_v<decltype(from), sycl::accessor<const int, 1, access_mode::read>>);
    sycl::accessor<int, 1, access_mode::read> same = from;
    sycl::accessor to(b, h, sycl::write_only);
    h.parallel_for(2, [=](sycl::id<1> i) { to[i] = from[i] + same[0]; });
  });
  sycl::host_accessor result(b, sycl::read_only);
  CHECK(result[0] == 10 && result[1] == 11);
}

// What accessors have in common with other objects: properties, hashes, swapping, and equality of
// copies alone.
void as_objects(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(2)}, c{sycl::range<1>(3)};
  q.submit([&](sycl::handler &h) {
    sycl::accessor v(b, h, sycl::write_only, sycl::no_init), w(c, h, sycl::write_only);
    CHECK(v.has_property<sycl::property::no_init>() && !w.has_property<sycl::property::no_init>());
    CHECK(check::throws(sycl::errc::invalid, [&] { w.get_property<sycl::property::no_init>(); }));
    auto copy = v;
    CHECK(copy == v && copy != w && std::hash<decltype(v)>()(copy) == std::hash<decltype(v)>()(v));
    copy.swap(w);
    CHECK(copy.size() == 3 && w == v);
    sycl::local_accessor<int> l(sycl::range<1>(1), h), m(sycl::range<1>(1), h);
    CHECK(l != m && sycl::local_accessor<int>(l) == l);
    CHECK(!sycl::accessor<int>().is_placeholder() && sycl::accessor<int>().empty());
  });
}

// Accessors of SYCL 1.2.1: atomic access, and targets that have classes of their own now.
void older_accessors(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(1)};
  {
    sycl::accessor<int, 1, access_mode::write, target::host_buffer> first(b);
    first[0] = 1;
    using hash = std::hash<decltype(first)>;
    CHECK(hash()(first) == hash()(decltype(first)(first)));
  }
  q.submit([&](sycl::handler &h) {
    auto v = b.get_access<access_mode::atomic>(h);
    sycl::accessor<int, 1, access_mode::read_write, target::local> l(sycl::range<1>(1), h);
    sycl::accessor<int, 0, access_mode::atomic, target::local> one(h);
    sycl::accessor<int, 2, access_mode::atomic, target::local> grid(sycl::range<2>(2, 3), h);
    CHECK(std::hash<decltype(l)>()(l) == std::hash<decltype(l)>()(decltype(l)(l)));
    h.parallel_for(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) {
      sycl::atomic<int, sycl::access::address_space::local_space> only = one;
      if (it.get_local_id(0) == 0) {
        l[0] = 2;
        only.store(30);
        grid[1][2].store(400);
      }
      sycl::group_barrier(it.get_group());
      sycl::atomic<int> sum = v[0];
      sum.fetch_add(l[0] + only.load() + grid[sycl::id<2>(1, 2)].load());
    });
  });
  auto result = b.get_access<access_mode::read>();
  CHECK(result[0] == 1 + 16 * 432);
}

} // namespace

int main() {
  sycl::queue q;
  deduced_types(q);
  subscripts(q);
  ranged(q);
  placeholders(q);
  pointers_and_scalars(q);
  old_style(q);
  constant_elements(q);
  as_objects(q);
  older_accessors(q);
  return check::result();
}
