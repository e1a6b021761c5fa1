// Sub-buffers share memory and dependencies with their parent; reinterpreted buffers share the
// bytes.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <vector>

namespace {

void parts(sycl::queue &q) {
  std::vector<int> a(100, 0);
  {
    sycl::buffer<int> whole(a);
    sycl::buffer<int> low(whole, 0, 50), high(whole, 50, 50), middle(whole, 25, 50);
    CHECK(middle.is_sub_buffer() && !whole.is_sub_buffer());
    CHECK(middle.size() == 50);
    auto add = [&](sycl::buffer<int> &b, int value) {
      q.submit([&](sycl::handler &h) {
        sycl::accessor v(b, h);
        h.parallel_for(b.get_range(), [=](sycl::id<1> i) { v[i] = v[i] * 2 + value; });
      });
    };
    // Each overlaps with the next: they must run in this order.
    add(low, 1);
    add(high, 2);
    add(middle, 3);
    add(whole, 4);
    add(middle, 5);
    sycl::host_accessor v(middle, sycl::read_only);
    CHECK(v[0] == (((1 * 2 + 3) * 2 + 4) * 2 + 5));
    CHECK(v[49] == (((2 * 2 + 3) * 2 + 4) * 2 + 5));
  }
  CHECK(a[0] == 1 * 2 + 4);
  CHECK(a[25] == ((1 * 2 + 3) * 2 + 4) * 2 + 5);
  CHECK(a[99] == 2 * 2 + 4);
}

void rows(sycl::queue &q) {
  std::vector<int> a(6 * 10, 0);
  {
    sycl::buffer<int, 2> whole(a.data(), {6, 10});
    sycl::buffer<int, 2> part(whole, {2, 0}, {3, 10});
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(part, h, sycl::write_only);
      h.parallel_for(part.get_range(),
                     [=](sycl::id<2> i) { v[i] = static_cast<int>(i[0] * 100 + i[1]); });
    });
    sycl::buffer<int, 2> in_row(whole, {5, 3}, {1, 4});
    q.fill(sycl::accessor(in_row, sycl::write_only), -1);
  }
  CHECK(a[1 * 10 + 9] == 0);
  CHECK(a[2 * 10 + 0] == 0 && a[2 * 10 + 9] == 9);
  CHECK(a[4 * 10 + 7] == 207);
  CHECK(a[5 * 10 + 2] == 0 && a[5 * 10 + 3] == -1 && a[5 * 10 + 6] == -1 && a[5 * 10 + 7] == 0);
}

void errors() {
  sycl::buffer<int, 2> whole{sycl::range<2>(6, 10)};
  using sycl::errc;
  CHECK(check::throws(errc::invalid, [&] { sycl::buffer<int, 2>(whole, {0, 0}, {2, 5}); }));
  CHECK(check::throws(errc::invalid, [&] { sycl::buffer<int, 2>(whole, {5, 0}, {2, 10}); }));
  CHECK(check::throws(errc::invalid, [&] {
    sycl::buffer<int, 2> part(whole, {0, 0}, {3, 10});
    sycl::buffer<int, 2>(part, {0, 0}, {1, 10});
  }));
  CHECK(check::throws(errc::invalid, [&] { whole.reinterpret<short>(sycl::range<1>(60)); }));
}

void other_types(sycl::queue &q) {
  std::vector<unsigned> a(8, 0);
  {
    sycl::buffer<unsigned> words(a);
    auto bytes = words.reinterpret<unsigned char>();
    static_assert(std::is_same_v<decltype(bytes), sycl::buffer<unsigned char, 1>>);
    CHECK(bytes.size() == 32);
    auto square = words.reinterpret<unsigned>(sycl::range<2>(2, 4));
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(bytes, h);
      h.parallel_for(bytes.get_range(),
                     [=](sycl::id<1> i) { v[i] = static_cast<unsigned char>(i); });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(square, h);
      h.single_task([=] { v[1][3] += 1; });
    });
  }
  CHECK(a[0] == 0x03020100u);
  CHECK(a[7] == 0x1f1e1d1du);
}

} // namespace

int main() {
  sycl::queue q;
  parts(q);
  rows(q);
  errors();
  other_types(q);
  return check::result();
}
