// A host accessor waits for the commands before it, and the commands after it wait for its end.
//
// backends: cpu,opencl,opencl-objects,cuda
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

} // namespace

int main() {
  sycl::queue q;
  waits_for_commands(q);
  holds_back_commands(q);
  readers_share(q);
  return check::result();
}
