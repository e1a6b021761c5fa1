// Processes that fork: a process that was forked before the first command works. One that was
// forked later gets exceptions, never waits for commands of its parent, and exits at once. The
// parent is not affected.
//
// MODES: device,host
// BACKENDS: cpu
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using seconds = std::chrono::duration<double>;
using steady = std::chrono::steady_clock;

// Ends kernels of the parent. All processes share it.
struct signals {
  std::atomic<int> end{0}, running{0};
};
signals *shared = nullptr;

// Runs `f` in a forked process, which ends by `exit` or by a return from `main`. Returns the exit
// status, or -1 if the process does not end soon.
int in_child(const std::function<int()> &f) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0)
    std::exit(f());
  const auto start = steady::now();
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (seconds(steady::now() - start).count() > 5) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    usleep(1000);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

// Whether a forked process gets an exception that says why.
bool is_refused(const std::function<void()> &f) {
  return in_child([&] {
           try {
             f();
           } catch (const sycl::exception &e) {
             const bool told = std::string(e.what()).find("forked") != std::string::npos;
             if (!told)
               std::printf("threw: %s\n", e.what());
             return told ? 7 : 8;
           }
           return 9;
         }) == 7;
}

int works() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1000, q);
  q.parallel_for(1000, [=](sycl::id<1> i) { p[i] = static_cast<int>(i); }).wait();
  sycl::buffer<int> b(p, sycl::range<1>(1000));
  q.submit([&](sycl::handler &h) {
    sycl::accessor a(b, h);
    h.parallel_for(1000, [=](sycl::id<1> i) { a[i] += 1; });
  });
  int sum = 0;
  for (const int x : sycl::host_accessor(b))
    sum += x;
  sycl::free(p, q);
  return sum == 1000 * 1001 / 2 ? 0 : 1;
}

} // namespace

int main() {
  shared = new (mmap(nullptr, sizeof(signals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0)) signals;
  // Before the first command.
  CHECK(in_child(works) == 0);
  sycl::queue q;
  CHECK(in_child(works) == 0);
  CHECK(works() == 0);

  // With commands in flight: host tasks that end when this process says so, and kernels behind.
  int *p = sycl::malloc_shared<int>(1000, q);
  sycl::buffer<int> b(1000);
  const sycl::event task = q.submit([&](sycl::handler &h) {
    h.host_task([] {
      shared->running = 1;
      while (!shared->end)
        usleep(1000);
    });
  });
  sycl::event last = q.submit([&](sycl::handler &h) {
    h.depends_on(task);
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(1000, [=](sycl::id<1> i) { a[i] = p[i] = 5; });
  });
  while (!shared->running)
    usleep(1000);

  CHECK(in_child([] { return 3; }) == 3);
  CHECK(is_refused([&] { last.wait(); }));
  CHECK(is_refused([&] { q.wait(); }));
  CHECK(is_refused([&] { sycl::host_accessor a(b); }));
  CHECK(is_refused([&] { q.single_task([=] { p[0] = 1; }); }));
  CHECK(is_refused([&] { sycl::queue other; }));
  CHECK(is_refused([&] { sycl::malloc_device<int>(1, q); }));
  CHECK(is_refused([&] { last.get_info<sycl::info::event::command_execution_status>(); }));
  // Destructors neither wait nor fail.
  CHECK(in_child([&] {
          sycl::free(p, q);
          sycl::event copy = last;
          {
            const sycl::buffer<int> moved = std::move(b);
          }
          {
            const sycl::queue ended = std::move(q);
          }
          return 4;
        }) == 4);

  shared->end = 1;
  last.wait();
  bool right = true;
  for (const int x : sycl::host_accessor(b))
    right = right && x == 5;
  CHECK(right && p[999] == 5);
  CHECK(works() == 0);
  sycl::free(p, q);
  return check::result();
}
