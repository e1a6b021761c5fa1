// What the work-items of a hierarchical kernel keep to themselves fits a thread's stack, however
// large its type is and whatever the compiler does with several groups; and how often such a kernel
// runs that is launched again.
// BACKENDS: cpu
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <algorithm>
#include <vector>

class counting;

int main() {
  struct particle {
    double place[3], speed[3];
  };
  sycl::queue q;
  std::vector<double> out(96, -1);
  {
    sycl::buffer<double> b(out);
    q.submit([&](sycl::handler &h) {
      sycl::accessor acc(b, h, sycl::write_only);
      h.parallel_for_work_group(sycl::range<1>(32), sycl::range<1>(3), [=](sycl::group<1> g) {
        sycl::private_memory<particle> first(g), second(g);
        g.parallel_for_work_item([&](sycl::h_item<1> it) {
          for (int d = 0; d < 3; ++d) {
            first(it).place[d] = static_cast<double>(it.get_local_id(0));
            second(it).speed[d] = static_cast<double>(g.get_group_id(0));
          }
        });
        g.parallel_for_work_item([&](sycl::h_item<1> it) {
          acc[it.get_global_id(0)] = first(it).place[2] * 100 + second(it).speed[1];
        });
      });
    });
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    CHECK(out[i] == static_cast<double>(i % 3 * 100 + i / 3));

  // A launch like the one before runs as many work-groups, and one of another size has its own.
  int *counts = sycl::malloc_shared<int>(12, q);
  std::fill(counts, counts + 12, 0);
  for (std::size_t size : {3u, 3u, 3u, 2u})
    q.submit([&](sycl::handler &h) {
       h.parallel_for_work_group<counting>(sycl::range<1>(4), sycl::range<1>(size),
                                           [=](sycl::group<1> g) {
                                             g.parallel_for_work_item([&](sycl::h_item<1> it) {
                                               counts[it.get_global_id(0)] += 1;
                                             });
                                           });
     }).wait();
  for (int i = 0; i < 12; ++i)
    CHECK(counts[i] == (i < 8 ? 4 : 3));
  sycl::free(counts, q);
  return check::result();
}
