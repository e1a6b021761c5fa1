// What goes wrong on an NVIDIA GPU is an exception that tells what it was, and the process goes on:
// on the GPU as long as that lives, and on the CPU after that.
//
// MODES: device
// BACKENDS: cuda
#include <sycl/sycl.hpp>

#include "check.hpp"
#include <string>
#include <sycl/sycl.hpp>

static std::string asynchronous;

// What `f` throws, as its code and words.
template <class F> static std::string thrown(F f, sycl::errc expected) {
  try {
    f();
  } catch (const sycl::exception &e) {
    CHECK(e.code() == expected);
    return e.what();
  }
  CHECK(false && "an exception");
  return "";
}

class breaks_the_device;

static bool holds(const std::string &text, const char *part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found)
    std::printf("'%s' lacks '%s'\n", text.c_str(), part);
  return found;
}

int main() {
  sycl::device gpu{sycl::gpu_selector_v};
  CHECK(gpu.get_backend() == sycl::backend::ext_oneapi_cuda);
  sycl::queue q{gpu, [](sycl::exception_list list) {
                  for (const std::exception_ptr &e : list)
                    try {
                      std::rethrow_exception(e);
                    } catch (const sycl::exception &x) {
                      asynchronous = x.what();
                    }
                }};
  int *word = sycl::malloc_device<int>(1, q);
  auto works = [&] {
    int seen = 0;
    q.single_task([=] { *word = 42; }).wait();
    q.memcpy(&seen, word, sizeof seen).wait();
    return seen == 42;
  };
  CHECK(works());

  // More memory than there is: no address, and a buffer that is too large.
  const std::size_t all = gpu.get_info<sycl::info::device::global_mem_size>();
  CHECK(sycl::malloc_device(all - (1 << 20), q) == nullptr);
  CHECK(sycl::malloc_device(2 * all, q) == nullptr);
  const std::string memory = thrown(
      [&] {
        sycl::buffer<char> large{sycl::range<1>(all - (1 << 20))};
        q.submit([&](sycl::handler &h) {
          sycl::accessor a{large, h, sycl::write_only, sycl::no_init};
          h.single_task([=] { a[0] = 1; });
        });
      },
      sycl::errc::memory_allocation);
  CHECK(holds(memory, "bytes of Device memory"));
  CHECK(works());

  // More local memory, and larger work-groups, than a multiprocessor has.
  const std::size_t local = gpu.get_info<sycl::info::device::local_mem_size>();
  auto with_local = [&](std::size_t bytes) {
    q.submit([&](sycl::handler &h) {
       sycl::local_accessor<char, 1> part(bytes, h);
       h.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) {
         part[bytes - 1 - item.get_local_id(0)] = 1;
         sycl::group_barrier(item.get_group());
         if (item.get_local_id(0) == 0)
           *word = part[bytes - 32];
       });
     }).wait();
  };
  CHECK(local > 48 << 10);
  with_local(local);
  CHECK(
      holds(thrown([&] { with_local(local + 1); }, sycl::errc::memory_allocation), "local memory"));
  auto groups_of = [&](std::size_t items) {
    q.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1>) { *word = 1; }).wait();
  };
  const std::size_t most = gpu.get_info<sycl::info::device::max_work_group_size>();
  groups_of(most);
  CHECK(holds(thrown([&] { groups_of(2 * most); }, sycl::errc::nd_range), "exceeds the limit of"));
  CHECK(works());

  // An address that is nobody's: the device is lost, with the name of the kernel.
  int *nobodys = word + (std::size_t(1) << 40);
  const std::string lost = thrown(
      [&] {
        q.single_task<breaks_the_device>([=] { *nobodys = 1; });
        q.wait_and_throw();
        CHECK(!asynchronous.empty());
        q.single_task([=] { *word = 1; });
      },
      sycl::errc::runtime);
  CHECK(holds(lost, "is lost") && holds(lost, "breaks_the_device"));
  CHECK(holds(asynchronous, "is lost") && holds(asynchronous, "breaks_the_device"));
  CHECK(holds(thrown([&] { sycl::malloc_device<int>(1, q); }, sycl::errc::runtime), "is lost"));

  // The CPU goes on.
  sycl::queue cpu{sycl::cpu_selector_v};
  int *shared = sycl::malloc_shared<int>(1, cpu);
  *shared = 42;
  cpu.submit([&](sycl::handler &h) { h.host_task([=] { ++*shared; }); }).wait();
  CHECK(*shared == 43);
  sycl::free(shared, cpu);
  return check::result();
}
