// A program that includes only the parts of SYCL that it uses (`sycl_khr_split_headers`).
#include <sycl/khr/split_headers/accessor.hpp>
#include <sycl/khr/split_headers/buffer.hpp>
#include <sycl/khr/split_headers/device.hpp>
#include <sycl/khr/split_headers/index_space.hpp>
#include <sycl/khr/split_headers/math.hpp>
#include <sycl/khr/split_headers/queue.hpp>
#include <sycl/khr/split_headers/reduction.hpp>
#include <sycl/khr/split_headers/usm.hpp>

#if SYCL_KHR_SPLIT_HEADERS != 1 || SYCL_KHR_WORK_ITEM_QUERIES != 1
#error "version.hpp defines the macros of all extensions"
#endif

int main() {
  sycl::queue q{sycl::device{sycl::default_selector_v}};
  int *sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  q.parallel_for(4, sycl::reduction(sum, sycl::plus<>()), [=](sycl::id<1> i, auto &total) {
     total += static_cast<int>(i[0]);
   }).wait();
  sycl::buffer<float> roots(4);
  q.submit([&](sycl::handler &h) {
    sycl::accessor a{roots, h, sycl::write_only};
    h.parallel_for(4, [=](sycl::item<1> i) { a[i] = sycl::sqrt(float(i[0] * i[0])); });
  });
  sycl::host_accessor result{roots};
  const bool right = *sum == 6 && result[3] == 3.0f;
  sycl::free(sum, q);
  return right ? 0 : 1;
}
