// What a buffer starts with, and what it writes where when its last copy dies.
//
// BACKENDS: cpu,opencl,opencl-objects,cuda
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace {

constexpr std::size_t n = 100;

template <class B> void add_one(sycl::queue &q, B &buffer) {
  q.submit([&](sycl::handler &h) {
    sycl::accessor v(buffer, h);
    h.parallel_for(buffer.get_range(), [=](sycl::id<1> i) { v[i] += 1; });
  });
}

bool all_are(const int *values, int expected) {
  for (std::size_t i = 0; i < n; ++i)
    if (values[i] != expected)
      return false;
  return true;
}

void host_pointers(sycl::queue &q) {
  std::vector<int> a(n, 1);
  {
    sycl::buffer<int> b(a.data(), sycl::range<1>(n));
    add_one(q, b);
  }
  CHECK(all_are(a.data(), 2));

  const std::vector<int> constant(n, 5);
  {
    sycl::buffer<int> b(constant.data(), sycl::range<1>(n));
    add_one(q, b);
    sycl::host_accessor v(b, sycl::read_only);
    CHECK(v[0] == 6 && v[n - 1] == 6);
  }
  CHECK(all_are(constant.data(), 5));

  std::vector<int> used(n, 7);
  {
    sycl::buffer<int> b(used.data(), sycl::range<1>(n), {sycl::property::buffer::use_host_ptr()});
    CHECK(b.has_property<sycl::property::buffer::use_host_ptr>());
    add_one(q, b);
    sycl::host_accessor v(b);
    CHECK(&v[0] == used.data());
  }
  CHECK(all_are(used.data(), 8));
}

void containers(sycl::queue &q) {
  std::vector<int> a(n, 1);
  {
    sycl::buffer b(a);
    static_assert(std::is_same_v<decltype(b), sycl::buffer<int, 1>>);
    CHECK(b.size() == n && b.byte_size() == n * sizeof(int));
    add_one(q, b);
  }
  CHECK(all_are(a.data(), 2));

  const std::vector<int> constant(n, 3);
  {
    sycl::buffer b(constant);
    add_one(q, b);
  }
  CHECK(all_are(constant.data(), 3));

  std::array<int, n> fixed{};
  {
    sycl::buffer b(fixed);
    add_one(q, b);
  }
  CHECK(all_are(fixed.data(), 1));
}

void shared_pointers(sycl::queue &q) {
  std::shared_ptr<int> mine(new int[n](), std::default_delete<int[]>());
  {
    sycl::buffer<int> b(mine, sycl::range<1>(n));
    add_one(q, b);
  }
  CHECK(all_are(mine.get(), 1));
  CHECK(mine.use_count() == 1);

  std::shared_ptr<int[]> array(new int[n]());
  {
    sycl::buffer<int> b(array, sycl::range<1>(n));
    add_one(q, b);
    add_one(q, b);
  }
  CHECK(all_are(array.get(), 2));

  // Guarded by a mutex, the program's memory is the buffer's: changes of the one are the other's.
  std::mutex guard;
  std::shared_ptr<int[]> final_place(new int[n]());
  {
    sycl::buffer<int> b(array, sycl::range<1>(n), {sycl::property::buffer::use_mutex(guard)});
    {
      std::lock_guard<std::mutex> lock(guard);
      std::fill(array.get(), array.get() + n, 6);
    }
    add_one(q, b);
    q.submit([&](sycl::handler &h) {
       sycl::accessor a(b, h, sycl::read_only);
       h.update_host(a);
     }).wait();
    CHECK(all_are(array.get(), 7));
    b.set_final_data(final_place);
    add_one(q, b);
  }
  CHECK(all_are(final_place.get(), 8));
  CHECK(final_place.use_count() == 1);
}

void iterators(sycl::queue &q) {
  const bool flags[] = {true, false, true};
  sycl::buffer of_flags(flags, flags + 3);
  sycl::host_accessor seen(of_flags, sycl::read_only);
  CHECK(seen.size() == 3 && seen[0] && !seen[1] && seen[2]);
  std::list<int> list(n, 4);
  {
    sycl::buffer<int> b(list.begin(), list.end());
    CHECK(b.size() == n);
    add_one(q, b);
    sycl::host_accessor v(b, sycl::read_only);
    CHECK(all_are(&v[0], 5));
  }
  CHECK(list.front() == 4 && list.back() == 4);
  sycl::buffer deduced(list.begin(), list.end(), std::allocator<int>());
  static_assert(std::is_same_v<decltype(deduced), sycl::buffer<int, 1, std::allocator<int>>>);

  // Copied, but told where to write.
  std::vector<int> a(n, 1), out(n, 0);
  {
    sycl::buffer<int> b(a.begin(), a.end());
    b.set_final_data(out.begin());
    add_one(q, b);
  }
  CHECK(all_are(a.data(), 1) && all_are(out.data(), 2));
}

void final_data(sycl::queue &q) {
  std::vector<int> a(n, 1), out(n, 0);
  {
    sycl::buffer<int> b(a.data(), sycl::range<1>(n));
    b.set_final_data(out.data());
    add_one(q, b);
  }
  CHECK(out[0] == 2 && all_are(out.data(), 2));

  // Switched off and on again.
  std::vector<int> switched(n, 1);
  {
    sycl::buffer<int> b(switched.data(), sycl::range<1>(n));
    b.set_write_back(false);
    b.set_write_back(true);
    add_one(q, b);
  }
  CHECK(all_are(switched.data(), 2));

  // A copied source is never touched, with or without a destination.
  std::vector<int> source(n, 1);
  {
    sycl::buffer<int> b(source.begin(), source.end());
    b.set_final_data(source.data());
    b.set_final_data();
    add_one(q, b);
  }
  CHECK(all_are(source.data(), 1));

  std::list<int> list(n, 0);
  {
    sycl::buffer<int> b{sycl::range<1>(n)};
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(n, [=](sycl::id<1> i) { v[i] = 9; });
    });
    b.set_final_data(list.begin());
  }
  CHECK(list.front() == 9 && list.back() == 9);

  auto owned = std::make_shared<std::vector<int>>(n, 0);
  {
    sycl::buffer<int> b(source.begin(), source.end());
    b.set_final_data(std::weak_ptr<int>(std::shared_ptr<int>(owned, owned->data())));
    add_one(q, b);
  }
  CHECK(all_are(owned->data(), 2));

  // Nobody holds the destination any more: nothing is written.
  {
    sycl::buffer<int> b{sycl::range<1>(n)};
    std::weak_ptr<int> gone;
    {
      std::shared_ptr<int> brief(new int[n], std::default_delete<int[]>());
      gone = brief;
    }
    b.set_final_data(gone);
    q.fill(sycl::accessor(b, sycl::write_only), 1).wait();
  }
}

void copies(sycl::queue &q) {
  std::vector<int> a(n, 1);
  {
    sycl::buffer<int> outer{sycl::range<1>(1)};
    {
      sycl::buffer<int> b(a);
      sycl::buffer<int> copy = b;
      CHECK(copy == b && std::hash<sycl::buffer<int>>()(copy) == std::hash<sycl::buffer<int>>()(b));
      CHECK(copy != outer);
      add_one(q, b);
      add_one(q, copy);
      outer = copy;
    }
    sycl::host_accessor v(outer, sycl::read_only);
    CHECK(v[0] == 3);
  }
  CHECK(all_are(a.data(), 3));
}

void odd_ones(sycl::queue &q) {
  // No elements at all.
  {
    std::vector<int> none;
    sycl::buffer<int> b(none);
    CHECK(b.size() == 0);
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h);
      h.parallel_for(b.get_range(), [=](sycl::id<1> i) { v[i] = 1; });
    });
  }
  CHECK(check::throws(sycl::errc::invalid,
                      [] { sycl::buffer<int, 2> b(sycl::range<2>(1ull << 40, 1ull << 40)); }));

  sycl::buffer<int> bound(sycl::range<1>(1),
                          {sycl::property::buffer::context_bound(q.get_context())});
  CHECK(bound.get_property<sycl::property::buffer::context_bound>().get_context() ==
        q.get_context());
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { bound.get_property<sycl::property::buffer::use_mutex>(); }));
}

// The destructor of a buffer without memory of the program does not wait. Here the command waits
// for the host accessor, which lives longer than the buffer.
void held_buffers(sycl::queue &q) {
  sycl::buffer<int> sum{sycl::range<1>(1)};
  std::unique_ptr<sycl::host_accessor<int>> held;
  {
    sycl::buffer<int> b{sycl::range<1>(n)};
    held = std::make_unique<sycl::host_accessor<int>>(b);
    for (std::size_t i = 0; i < n; ++i)
      (*held)[i] = 1;
    add_one(q, b);
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h, sycl::read_only);
      sycl::accessor total(sum, h, sycl::write_only);
      h.single_task([=] {
        int all = 0;
        for (std::size_t i = 0; i < n; ++i)
          all += v[i];
        total[0] = all;
      });
    });
  }
  (*held)[0] = 11;
  held.reset();
  CHECK(sycl::host_accessor(sum, sycl::read_only)[0] == int(2 * n) + 10);
}

} // namespace

int main() {
  sycl::queue q;
  host_pointers(q);
  containers(q);
  shared_pointers(q);
  iterators(q);
  final_data(q);
  copies(q);
  odd_ones(q);
  held_buffers(q);
  return check::result();
}
