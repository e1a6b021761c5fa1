// `assert` in kernels: what holds changes nothing; what does not ends the process, with a message
// that says where. The program runs itself to see it.
//
// MODES: device
// BACKENDS: cpu,opencl
// VALGRIND: no
#undef NDEBUG
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cassert>
#include <csignal>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int line = __LINE__ + 2;
int element(const int *values, std::size_t i, std::size_t size) {
  assert(i < size);
  return values[i];
}

// Work-item 21 of 32 reads beyond the end, in this way.
void fail(const std::string &way) {
  sycl::queue q;
  if (way == "range") {
    int *values = sycl::malloc_shared<int>(32, q);
    q.parallel_for(32, [=](sycl::id<1> i) {
       values[i] = element(values, i == 21 ? 1ul << 40 : i[0], 32);
     }).wait();
  } else if (way == "group") {
    // Nobody waits for the kernel but who needs its result.
    int values[32] = {};
    sycl::buffer<int> b(values, 32);
    q.submit([&](sycl::handler &h) {
      sycl::accessor v(b, h);
      h.parallel_for(sycl::nd_range<1>(32, 16), [=](sycl::nd_item<1> item) {
        const std::size_t i = item.get_global_id(0);
        sycl::group_barrier(item.get_group());
        v[i] = element(&v[0], i == 21 ? 1ul << 40 : i, 32);
      });
    });
    sycl::host_accessor h(b, sycl::read_only);
  } else if (way == "task") {
    int *values = sycl::malloc_shared<int>(1, q);
    q.single_task([=] { values[0] = element(values, values[0] + 1, 0); });
    // At the end of the program, nobody has waited.
    usleep(300000);
    q.wait();
  }
}

// What the program says when it fails in this way.
std::string said(const char *way, int &status) {
  int ends[2];
  if (pipe(ends) != 0)
    return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    execl("/proc/self/exe", "assertions", way, static_cast<char *>(nullptr));
    _exit(99);
  }
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  waitpid(child, &status, 0);
  return text;
}

void check_way(const char *way, const char *item) {
  int status = 0;
  const std::string text = said(way, status);
  const std::string place = "assertions.cpp:" + std::to_string(line) + ":";
  const bool good = text.find(place) != text.npos && text.find("element") != text.npos &&
                    text.find("Assertion `i < size` failed.") != text.npos &&
                    text.find(item) != text.npos;
  if (!good)
    std::printf("%s: '%s'\n", way, text.c_str());
  CHECK(good && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1) {
    fail(argv[1]);
    return 0;
  }
  check_way("range", "global id: [21,0,0]");
  check_way("group", "global id: [21,0,0], local id: [5,0,0]");
  check_way("task", "global id: [0,0,0], local id: [0,0,0]");
  sycl::queue q;
  int *values = sycl::malloc_shared<int>(100, q);
  q.fill(values, 1, 100).wait();
  q.parallel_for(100, [=](sycl::id<1> i) { values[i] += element(values, i, 100); }).wait();
  CHECK(values[0] == 2 && values[99] == 2);
  sycl::free(values, q);
  return check::result();
}
