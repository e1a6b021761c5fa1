// Copies between accessors, plain memory and shared pointers, fills and host updates.
//
// BACKENDS: cpu,opencl,opencl-objects,cuda
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <algorithm>
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
  q.copy(sycl::accessor(b, sycl::range<2>(2, 3), sycl::id<2>(1, 4), sycl::read_only), box.data())
      .wait();
  CHECK(box == std::vector<int>({12, 13, 14, 20, 21, 22}));
  for (int &x : box)
    x = -x;
  q.copy(box.data(), sycl::accessor(b, sycl::range<2>(2, 3), sycl::id<2>(3, 0), sycl::write_only))
      .wait();
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
  // The number of dimensions may differ.
  q.copy(sycl::accessor(b, sycl::read_only), sycl::accessor(line, sycl::write_only));
  sycl::host_accessor v(line, sycl::read_only);
  CHECK(v[0] == 32 && v[3] == 35 && v[4] == 42 && v[15] == 65);

  sycl::buffer<int, 2> small{sycl::range<2>(2, 2)};
  CHECK(check::throws(sycl::errc::invalid, [&] {
    q.copy(sycl::accessor(b, sycl::read_only), sycl::accessor(small, sycl::write_only));
  }));
}

// A box of a buffer's elements.
template <int D> struct box {
  sycl::range<D> memory, range;
  sycl::id<D> offset;
};

// The elements arrive in row-major order of both boxes, and nothing else is written.
template <int D, int E> void between_shapes(sycl::queue &q, const box<D> &from, const box<E> &to) {
  sycl::buffer<int, D> a{from.memory};
  sycl::buffer<int, E> b{to.memory};
  int next = 0;
  for (int &element : sycl::host_accessor(a, sycl::write_only))
    element = next++;
  q.fill(sycl::accessor(b, sycl::write_only), -1);
  q.copy(sycl::accessor(a, from.range, from.offset, sycl::read_only),
         sycl::accessor(b, to.range, to.offset, sycl::write_only));
  const sycl::host_accessor source(a, from.range, from.offset, sycl::read_only);
  const sycl::host_accessor target(b, to.range, to.offset, sycl::read_only);
  const bool arrived = std::equal(source.begin(), source.end(), target.begin());
  // A host accessor of all of a buffer would wait for those of its parts.
  const auto written = [](const auto &elements) {
    return static_cast<std::size_t>(
        std::count_if(elements.begin(), elements.end(), [](int x) { return x >= 0; }));
  };
  std::vector<int> all(to.memory.size());
  q.copy(sycl::accessor(b, sycl::read_only), all.data()).wait();
  CHECK(arrived && written(target) == from.range.size() && written(all) == from.range.size());
}

void other_shapes(sycl::queue &q) {
  using line = box<1>;
  using plane = box<2>;
  using cube = box<3>;
  const line whole_line{{24}, {24}, {}}, part{{40}, {24}, {7}}, long_part{{40}, {31}, {4}};
  const plane whole_plane{{4, 6}, {4, 6}, {}}, inner{{9, 9}, {4, 6}, {2, 1}},
      upright{{9, 9}, {6, 4}, {1, 3}};
  const plane roomy{{9, 9}, {7, 5}, {2, 3}};
  const cube whole_cube{{2, 3, 4}, {2, 3, 4}, {}}, middle{{5, 5, 5}, {2, 3, 4}, {1, 2, 1}};
  const cube turned{{5, 5, 5}, {4, 3, 2}, {1, 0, 3}}, spacious{{5, 5, 5}, {3, 3, 3}, {1, 2, 1}};
  // Without gaps, with gaps on one side, and on both.
  between_shapes(q, whole_line, whole_plane);
  between_shapes(q, part, inner);
  between_shapes(q, inner, part);
  between_shapes(q, whole_line, middle);
  between_shapes(q, turned, whole_line);
  between_shapes(q, whole_plane, whole_cube);
  between_shapes(q, inner, turned);
  between_shapes(q, middle, upright);
  between_shapes(q, inner, upright);
  between_shapes(q, middle, turned);
  // Into a larger box: rows, planes and a part of a row are written.
  between_shapes(q, inner, long_part);
  between_shapes(q, part, roomy);
  between_shapes(q, inner, roomy);
  between_shapes(q, inner, spacious);
  between_shapes(q, turned, spacious);

  // A box that fits in each dimension stays what it is.
  std::vector<int> in(6 * 4), out(7 * 5, -1);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int>(i);
  {
    sycl::buffer<int, 2> a(in.data(), {6, 4}), b(out.data(), {7, 5});
    q.copy(sycl::accessor(a, sycl::read_only), sycl::accessor(b, sycl::write_only));
  }
  CHECK(out[0] == 0 && out[3] == 3 && out[4] == -1 && out[5] == 4 && out[5 * 5 + 3] == 23 &&
        out[6 * 5] == -1);

  sycl::buffer<int> few{sycl::range<1>(23)};
  sycl::buffer<int, 2> many{sycl::range<2>(4, 6)};
  CHECK(check::throws(sycl::errc::invalid, [&] {
    q.copy(sycl::accessor(many, sycl::read_only), sycl::accessor(few, sycl::write_only));
  }));
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
  other_shapes(q);
  shared_pointers(q);
  fills(q);
  host_update(q);
  return check::result();
}
