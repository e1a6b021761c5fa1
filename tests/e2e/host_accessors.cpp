// A host accessor waits for the commands before it, and the commands after it wait for its end.
//
// BACKENDS: cpu,opencl,opencl-objects,cuda
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

void waits_for_commands(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(10)};
  q.submit([&](sycl::handler &h) {
    sycl::accessor v(b, h, sycl::write_only_host_task, sycl::no_init);
    h.host_task([=] {
      sleep_ms(30);
      for (int &x : v)
        x = 7;
    });
  });
  sycl::host_accessor v(b, sycl::read_only);
  CHECK(v[0] == 7 && v[9] == 7);
}

void holds_back_commands(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(10)};
  q.fill(sycl::accessor(b, sycl::write_only), 1);
  std::atomic<bool> ran{false};
  sycl::event later;
  {
    sycl::host_accessor v(b);
    sycl::host_accessor copy = v;
    later = q.submit([&](sycl::handler &h) {
      sycl::accessor w(b, h, sycl::read_write_host_task);
      h.host_task([=, &ran] {
        ran = true;
        for (int &x : w)
          x += 1;
      });
    });
    sleep_ms(30);
    CHECK(!ran);
    for (int &x : v)
      x = 10;
  }
  later.wait();
  CHECK(ran);
  sycl::host_accessor v(b, sycl::read_only);
  CHECK(v[0] == 11 && v[9] == 11);
}

void readers_share(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(4)};
  q.fill(sycl::accessor(b, sycl::write_only), 3);
  sycl::host_accessor first(b, sycl::read_only), second(b, sycl::read_only);
  CHECK(first[0] + second[1] == 6);
  // A command that only reads need not wait for host readers.
  int sum = 0;
  q.submit([&](sycl::handler &h) {
     sycl::accessor v(b, h, sycl::read_only_host_task);
     h.host_task([=, &sum] { sum = v[2] + v[3]; });
   }).wait();
  CHECK(sum == 6);
}

// Programs name accessors of the host as SYCL 1.2.1 did, too, and pass either to functions that
// take the other.
int sum(const sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_buffer> &v) {
  int all = 0;
  for (int x : v)
    all += x;
  return all;
}
int twice_sum(const sycl::host_accessor<int, 1> &v) { return 2 * sum(v); }

void old_and_new_names(sycl::queue &q) {
  sycl::buffer<int> b{sycl::range<1>(4)};
  q.fill(sycl::accessor(b, sycl::write_only), 3);
  {
    sycl::accessor v = b.get_host_access();
    static_assert(std::is_same_v<decltype(v), sycl::accessor<int, 1, sycl::access_mode::read_write,
                                                             sycl::target::host_buffer>>);
    v[0] = 5;
    CHECK(sum(v) == 14 && twice_sum(v) == 28);
  }
  // The last of them ends the access.
  q.submit([&](sycl::handler &h) {
     sycl::accessor v(b, h, sycl::read_write_host_task);
     h.host_task([=] { v[1] = 7; });
   }).wait();
  const sycl::host_accessor<int, 1> v(b);
  CHECK(sum(v) == 18);
}

} // namespace

int main() {
  sycl::queue q;
  waits_for_commands(q);
  holds_back_commands(q);
  readers_share(q);
  old_and_new_names(q);
  return check::result();
}
