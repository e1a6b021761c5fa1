// Local memory whose size a program changes after the kernel was added to a graph:
// `dynamic_work_group_memory` and `dynamic_local_accessor`.
//
// MODES: device
// BACKENDS: cpu,opencl,cuda
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/graph.hpp>

#include <algorithm>
#include <vector>

namespace xp = sycl::ext::oneapi::experimental;
namespace prop = xp::property;

namespace {

constexpr std::size_t n = 128;
using graph_t = xp::command_graph<xp::graph_state::modifiable>;

bool all_are(const int *values, int expected) {
  return std::count(values, values + n, expected) == long(n);
}

// Each work-item adds up what the whole work-group has written to local memory.
template <class Memory> auto sum(int *out, Memory memory) {
  return [=](sycl::nd_item<1> item) {
    auto local = memory.get();
    const std::size_t size = item.get_local_range(0);
    local[item.get_local_id(0)] = int(size);
    sycl::group_barrier(item.get_group());
    int all = 0;
    for (std::size_t i = 0; i < size; ++i)
      all += local[i];
    out[item.get_global_id(0)] = all;
  };
}

template <class Memory, class Size> void sizes(sycl::queue &q, Size first, Size second) {
  int *out = sycl::malloc_shared<int>(n, q), *other = sycl::malloc_shared<int>(n, q);
  graph_t graph(q);
  Memory memory(graph, first);
  Memory copy = memory;
  auto node = graph.add(
      [&](sycl::handler &h) { h.parallel_for(sycl::nd_range<1>(n, 8), sum(out, memory)); });
  auto exec = graph.finalize(prop::graph::updatable());
  q.ext_oneapi_graph(exec).wait();
  CHECK(all_are(out, 8 * 8));
  // The update reaches the executable graph with the node.
  memory.update(second);
  node.update_nd_range(sycl::nd_range<1>(n, 32));
  exec.update(node);
  q.ext_oneapi_graph(exec).wait();
  CHECK(all_are(out, 32 * 32));
  // A copy is the same object: a kernel that takes it later gets the new size, in each graph.
  graph_t recorded(q);
  recorded.begin_recording(q);
  q.parallel_for(sycl::nd_range<1>(n, 32), sum(other, copy));
  recorded.end_recording();
  auto later = recorded.finalize();
  q.ext_oneapi_graph(later).wait();
  CHECK(all_are(other, 32 * 32));
  // The kernels of a dynamic command group are updated together.
  graph_t choosing(q);
  std::vector<std::function<void(sycl::handler &)>> groups;
  for (int *to : {out, other})
    groups.push_back(
        [=](sycl::handler &h) { h.parallel_for(sycl::nd_range<1>(n, 16), sum(to, copy)); });
  xp::dynamic_command_group choice(choosing, groups);
  auto chosen = choosing.add(choice);
  copy.update(first);
  chosen.update_nd_range(sycl::nd_range<1>(n, 8));
  auto both = choosing.finalize();
  q.ext_oneapi_graph(both).wait();
  CHECK(all_are(out, 8 * 8) && all_are(other, 32 * 32));
  // Too much memory is an error.
  const std::size_t limit =
      q.get_device().get_info<sycl::info::device::local_mem_size>() / sizeof(int);
  CHECK(check::throws(sycl::errc::memory_allocation, [&] { memory.update(limit + 1); }));
  sycl::free(out, q);
  sycl::free(other, q);
}

// Two objects in one kernel, and one of them in three dimensions.
void several(sycl::queue &q) {
  int *out = sycl::malloc_shared<int>(n, q);
  graph_t graph(q);
  xp::dynamic_work_group_memory<int[]> a(8);
  xp::dynamic_local_accessor<int, 3> b(sycl::range<3>(2, 2, 2));
  auto node = graph.add([&](sycl::handler &h) {
    h.parallel_for(sycl::nd_range<1>(n, 8), [=](sycl::nd_item<1> item) {
      auto x = a.get();
      auto y = b.get();
      const std::size_t i = item.get_local_id(0);
      x[i] = int(i);
      y[i / 4][i / 2 % 2][i % 2] = int(y.size());
      sycl::group_barrier(item.get_group());
      const std::size_t j = i ^ 1;
      out[item.get_global_id(0)] = x[j] - int(j) + y[j / 4][j / 2 % 2][j % 2];
    });
  });
  auto exec = graph.finalize(prop::graph::updatable());
  q.ext_oneapi_graph(exec).wait();
  CHECK(all_are(out, 8));
  b.update(sycl::range<3>(2, 3, 4));
  a.update(64);
  exec.update(node);
  q.ext_oneapi_graph(exec).wait();
  CHECK(all_are(out, 24));
  sycl::free(out, q);
}

} // namespace

int main() {
  sycl::queue q;
  sizes<xp::dynamic_work_group_memory<int[]>>(q, std::size_t(8), std::size_t(32));
  sizes<xp::dynamic_local_accessor<int>>(q, sycl::range<1>(8), sycl::range<1>(32));
  several(q);
  return check::result();
}
