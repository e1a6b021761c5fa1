// Large private arrays: kernels that need more stack than their thread has, on the main thread, a
// thread with a small stack and worker threads, also in functions that are not inlined and across
// barriers. Without memory for the stack, the launch throws and names the kernel.
//
// MODES: device, gxx
// BACKENDS: cpu
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <cstring>
#include <fstream>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace {

constexpr int items = 96;

template <int KiB> class plain;
template <int KiB> class grouped;
template <int KiB> class called;
class too_large;

// The element depends on all of the array's size, and on the work-item.
template <int Count> int element(const int *array, int i) {
  return array[Count - 1 - i] + array[i * (Count / items)];
}
template <int Count> int expected(int i) {
  return (Count - 1 - i) * (i + 1) + i * (Count / items) * (i + 1);
}

template <int Count> [[gnu::noinline]] int in_function(int i) {
  int array[Count];
  for (int k = 0; k < Count; ++k)
    array[k] = k * (i + 1);
  return element<Count>(array, i);
}

template <int Count> bool is_right(const int *out) {
  for (int i = 0; i < items; ++i)
    if (out[i] != expected<Count>(i)) {
      std::printf("item %d of %d bytes: %d\n", i, Count * 4, out[i]);
      return false;
    }
  return true;
}

template <int KiB> void launch(sycl::queue q, int *out) {
  static constexpr int count = KiB * 256;
  const auto zero = [&] { std::memset(out, 0, items * sizeof(int)); };
  zero();
  q.parallel_for<plain<KiB>>(items, [=](sycl::id<1> id) {
     const int i = static_cast<int>(id);
     int array[count];
     for (int k = 0; k < count; ++k)
       array[k] = k * (i + 1);
     out[i] = element<count>(array, i);
   }).wait_and_throw();
  CHECK(is_right<count>(out));
  zero();
  q.parallel_for<called<KiB>>(items, [=](sycl::id<1> id) {
     out[id] = in_function<count>(static_cast<int>(id));
   }).wait_and_throw();
  CHECK(is_right<count>(out));
  zero();
  q.parallel_for<grouped<KiB>>(sycl::nd_range<1>(items, 32), [=](sycl::nd_item<1> item) {
     const int i = static_cast<int>(item.get_global_id(0));
     int array[count];
     for (int k = 0; k < count; ++k)
       array[k] = k * (i + 1);
     sycl::group_barrier(item.get_group());
     out[i] = element<count>(array, i);
   }).wait_and_throw();
  CHECK(is_right<count>(out));
}

void all(int *out) {
  sycl::queue q;
  launch<2>(q, out);
  launch<16>(q, out);
  launch<192>(q, out);
  launch<1024>(q, out);
}

void *on_thread(void *out) {
  all(static_cast<int *>(out));
  return nullptr;
}

// Runs all launches on a thread with this stack.
void on_small_thread(int *out, std::size_t bytes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_t thread;
  CHECK(pthread_create(&thread, &attributes, on_thread, out) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// The first value of /proc/self/statm counts pages of address space.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void without_memory(int *out) {
  static constexpr int count = 64 << 20;
  std::string message;
  sycl::queue q([&](const sycl::exception_list &all) {
    for (const std::exception_ptr &one : all)
      try {
        std::rethrow_exception(one);
      } catch (const sycl::exception &e) {
        message = e.what();
      }
  });
  const auto run = [&] {
    q.single_task<too_large>([=] {
       int array[count];
       for (int k = 0; k < count; k += 1 << 20)
         array[k] = k + out[1];
       out[0] = array[out[1] << 20];
     }).wait_and_throw();
  };
  out[1] = 5;
  run();
  CHECK(out[0] == (5 << 20) + 5);
  CHECK(message.empty());
  rlimit limit = {};
  getrlimit(RLIMIT_AS, &limit);
  const rlimit old = limit;
  limit.rlim_cur = address_space() + (64u << 20);
  setrlimit(RLIMIT_AS, &limit);
  run();
  setrlimit(RLIMIT_AS, &old);
  const bool is_named = message.find("too_large") != std::string::npos &&
                        message.find("bytes of stack") != std::string::npos;
  if (!is_named)
    std::printf("message: '%s'\n", message.c_str());
  CHECK(is_named);
}

} // namespace

int main() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(items, q);
  all(out);
  on_small_thread(out, 64 << 10);
  on_small_thread(out, 128 << 10);
  on_small_thread(out, 1 << 20);
  without_memory(out);
  sycl::free(out, q);
  return check::result();
}
