// Host tasks: ordinary C++ between kernels.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

void accessors_of_tasks(sycl::queue &q) {
  std::vector<int> a(100, 1);
  std::string log;
  {
    sycl::buffer<int> b(a);
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h);
      h.parallel_for(100, [=](sycl::id<1> i) { v[i] += static_cast<int>(i); });
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h, sycl::read_only_host_task);
      h.host_task([=, &log] { log += "sum " + std::to_string(v[0] + v[99]); });
    });
    // Without an interop handle, accessors for the device are for the host as well.
    q.submit([&](sycl::handler &h) {
      sycl::accessor from(b, h, sycl::read_only_host_task);
      sycl::accessor to(b, h, sycl::write_only);
      h.host_task([=] { to[50] = from[50] * 10; });
    });
    sycl::accessor later(b, sycl::read_only);
    q.submit([&](sycl::handler &h) {
      h.host_task([=, &log] { log += ", later " + std::to_string(later[50]); });
      h.require(later);
    });
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h, sycl::range<1>(10), sycl::id<1>(90), sycl::write_only_host_task);
      h.host_task([=] {
        for (int &x : v)
          x = -1;
      });
    });
  }
  CHECK(log == "sum 101, later 510");
  CHECK(a[50] == 510 && a[89] == 90 && a[90] == -1 && a[99] == -1);
}

void closures(sycl::queue &q) {
  // Captures that no kernel could have; each is destroyed once.
  auto owned = std::make_shared<int>(5);
  std::weak_ptr<int> watch = owned;
  std::vector<std::string> words{"a", "b"};
  std::atomic<std::size_t> length{0};
  q.submit([&](sycl::handler &h) {
     h.host_task([owned = std::move(owned), words, &length] {
       length = words.size() + static_cast<std::size_t>(*owned);
     });
   }).wait();
  CHECK(length == 7);
  q.wait();
  CHECK(watch.expired());

  bool right = false;
  q.submit([&](sycl::handler &h) {
     h.host_task(
         [&](sycl::interop_handle handle) { right = handle.get_backend() == q.get_backend(); });
   }).wait();
  CHECK(right);

  // A group that fails frees its task.
  auto second = std::make_shared<int>(6);
  watch = second;
  CHECK(check::throws(sycl::errc::invalid, [&] {
    q.submit([&](sycl::handler &h) {
      h.host_task([kept = std::move(second)] {});
      h.single_task([] {});
    });
  }));
  CHECK(watch.expired());
}

void tasks_submit(sycl::queue &q) {
  int *v = sycl::malloc_shared<int>(1, q);
  *v = 1;
  q.submit([&](sycl::handler &h) {
     h.host_task([=]() mutable { q.single_task([=] { *v += 1; }).wait(); });
   }).wait();
  CHECK(*v == 2);
  sycl::free(v, q);
}

void elsewhere(sycl::queue &q) {
  std::thread::id where;
  q.submit([&](sycl::handler &h) {
     h.host_task([&] { where = std::this_thread::get_id(); });
   }).wait();
  CHECK(where != std::thread::id());
}

} // namespace

int main() {
  sycl::queue q;
  accessors_of_tasks(q);
  closures(q);
  tasks_submit(q);
  elsewhere(q);
  return check::result();
}
