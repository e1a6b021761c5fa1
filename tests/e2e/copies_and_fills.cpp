// Copies between accessors, plain memory and shared pointers, fills and host updates.
//
// backends: cpu,opencl,opencl-objects,cuda
#include "check.hpp"

#include <memory>
#include <vector>

namespace {

void to_and_from_memory(sycl::queue &q) {
  std::vector<int> in(6 * 8), out(6 * 8, -1);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int>(i);
  sycl::buffer<int, 2> b{sycl::range<2>(6, 8)};
  q.submit([&](sycl::handler &h) {
    sycl::accessor v(b, h, sycl::write_only);
    h.copy(in.data(), v);
  });
  q.submit([&](sycl::handler &h) {
     sycl::accessor v(b, h, sycl::read_only);
     h.copy(v, out.data());
   }).wait();
  CHECK(out == in);

  // A box of it, packed.
  std::vector<int> box(2 * 3, -1);
  q.copy(sycl::accessor(b, sycl::range<2>(2, 3), sycl::id<2>(1, 4), sycl::read_only), box.data()).wait();
  CHECK(box == std::vector<int>({12, 13, 14, 20, 21, 22}));
  for (int &x : box)
    x = -x;
  q.copy(box.data(), sycl::accessor(b, sycl::range<2>(2, 3), sycl::id<2>(3, 0), sycl::write_only)).wait();
  sycl::host_accessor v(b, sycl::read_only);
  CHECK(v[3][0] == -12 && v[4][2] == -22 && v[3][3] == 27 && v[5][0] == 40);
}

void between_accessors(sycl::queue &q) {
  std::vector<int> in(10 * 10);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int>(i);
  sycl::buffer<int, 2> a(in.data(), {10, 10}), b{sycl::range<2>(4, 4)};
  sycl::buffer<int> line{sycl::range<1>(16)};
  q.submit([&](sycl::handler &h) {
    sycl::accessor from(a, h, sycl::range<2>(4, 4), sycl::id<2>(3, 2), sycl::read_only);
    sycl::accessor to(b, h, sycl::write_only);
    h.copy(from, to);
  });
  // The number of dimensions may differ, not the number of elements.
  q.copy(sycl::accessor(b, sycl::read_only), sycl::accessor(line, sycl::write_only));
  sycl::host_accessor v(line, sycl::read_only);
  CHECK(v[0] == 32 && v[3] == 35 && v[4] == 42 && v[15] == 65);

  sycl::buffer<int, 2> small{sycl::range<2>(2, 2)};
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { q.copy(sycl::accessor(b, sycl::read_only), sycl::accessor(small, sycl::write_only)); }));
}

void shared_pointers(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(50)};
  std::shared_ptr<int> source(new int[50], std::default_delete<int[]>());
  for (int i = 0; i < 50; ++i)
    source.get()[i] = i * i;
  std::weak_ptr<int> watch = source;
  q.copy(std::move(source), sycl::accessor(b, sycl::write_only));
  std::shared_ptr<int> result(new int[50](), std::default_delete<int[]>());
  q.copy(sycl::accessor(b, sycl::read_only), result).wait();
  CHECK(result.get()[49] == 49 * 49);
  q.wait();
  // The queue let go of the source after the copy.
  CHECK(watch.expired());
}

void fills(sycl::queue &q) {
  struct pair {
    int a;
    char b;
  };
  sycl::buffer<pair, 3> b{sycl::range<3>(4, 5, 6)};
  q.fill(sycl::accessor(b, sycl::write_only, sycl::no_init), pair{1, 'x'});
  q.submit([&](sycl::handler &h) {
    sycl::accessor v(b, h, sycl::range<3>(2, 2, 2), sycl::id<3>(1, 2, 3), sycl::write_only);
    h.fill(v, pair{2, 'y'});
  });
  sycl::host_accessor v(b, sycl::read_only);
  int ones = 0, twos = 0;
  for (const pair &p : v) {
    ones += p.a == 1 && p.b == 'x';
    twos += p.a == 2 && p.b == 'y';
  }
  CHECK(ones == 112 && twos == 8);
  CHECK(v[1][2][3].a == 2 && v[2][3][4].a == 2 && v[0][2][3].a == 1);
}

void host_update(sycl::queue &q) {
  std::vector<int> a(100, 1);
  sycl::buffer<int> b(a.data(), sycl::range<1>(100), sycl::property::buffer::use_host_ptr());
  q.submit([&](sycl::handler &h) {
    sycl::accessor v(b, h);
    h.parallel_for(100, [=](sycl::id<1> i) { v[i] += static_cast<int>(i); });
  });
  q.update_host(sycl::accessor(b)).wait();
  CHECK(a[0] == 1 && a[99] == 100);
}

} // namespace

int main() {
  sycl::queue q;
  to_and_from_memory(q);
  between_accessors(q);
  shared_pointers(q);
  fills(q);
  host_update(q);
  return check::result();
}
