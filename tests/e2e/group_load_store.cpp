// Blocks of memory that a group loads and stores (`sycl_ext_oneapi_group_load_store`).
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/group_load_store.hpp>

namespace experimental = sycl::ext::oneapi::experimental;

int main() {
  constexpr int items = 16, each = 4, count = items * each;
  sycl::queue q;
  int *in = sycl::malloc_shared<int>(count, q), *out = sycl::malloc_shared<int>(5 * count, q);
  for (int i = 0; i < count; ++i)
    in[i] = i;
  q.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
     const auto g = item.get_group();
     const int self = static_cast<int>(item.get_local_linear_id());
     const experimental::properties striped{experimental::data_placement_striped,
                                            experimental::full_group};
     const experimental::properties blocked{experimental::data_placement_blocked,
                                            experimental::contiguous_memory};
     int values[each];
     experimental::group_load(g, in, sycl::span{values}, blocked);
     for (int i = 0; i < each; ++i)
       out[self * each + i] = values[i];
     experimental::group_load(g, in, sycl::span{values}, striped);
     for (int i = 0; i < each; ++i)
       out[count + self * each + i] = values[i];
     experimental::group_store(g, sycl::span{values}, out + 2 * count, striped);
     sycl::vec<int, each> vector;
     experimental::group_load(g, in, vector);
     experimental::group_store(g, vector * 2, out + 3 * count);
     int one;
     experimental::group_load(g, in, one);
     experimental::group_store(g, one, out + 4 * count);
   }).wait();
  for (int i = 0; i < count; ++i) {
    CHECK(out[i] == i);
    CHECK(out[count + i] == i % each * items + i / each);
    CHECK(out[2 * count + i] == i);
    CHECK(out[3 * count + i] == 2 * i);
    CHECK(i >= items || out[4 * count + i] == i);
  }
  sycl::free(in, q);
  sycl::free(out, q);
  return check::result();
}
