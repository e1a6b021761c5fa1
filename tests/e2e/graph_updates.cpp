// Updates of executable graphs: ranges, dynamic parameters, dynamic command groups, whole graphs.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

namespace xp = sycl::ext::oneapi::experimental;
using graph_t = xp::command_graph<xp::graph_state::modifiable>;
namespace prop = xp::property;

namespace {

constexpr int n = 64;
constexpr auto invalid = sycl::errc::invalid;

int *numbers(sycl::queue &q) {
  int *made = sycl::malloc_shared<int>(n, q);
  std::fill_n(made, n, 0);
  return made;
}
int count(const int *a, int value) { return int(std::count(a, a + n, value)); }

void ranges() {
  sycl::queue q;
  int *a = numbers(q);
  graph_t graph(q);
  auto plain = graph.add([&](sycl::handler &h) {
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] += 1; });
  });
  auto groups = graph.add(
      [&](sycl::handler &h) {
        h.parallel_for(sycl::nd_range<1>(n, 8),
                       [=](sycl::nd_item<1> i) { a[i.get_global_id(0)] += 100; });
      },
      {prop::node::depends_on(plain)});
  auto single = graph.add([&](sycl::handler &h) { h.single_task([=] { (void)a; }); },
                          {prop::node::depends_on(groups)});
  auto copy =
      graph.add([&](sycl::handler &h) { h.memcpy(a, a + 1, 4); }, {prop::node::depends_on(single)});
  (void)copy;
  auto exec = graph.finalize(prop::graph::updatable());
  auto fixed = graph.finalize();
  q.ext_oneapi_graph(exec).wait();
  CHECK(count(a, 101) == n);
  plain.update_range(sycl::range<1>(10));
  groups.update_nd_range(sycl::nd_range<1>(16, 4));
  CHECK(check::throws(invalid, [&] { plain.update_range(sycl::range<2>(2, 2)); }));
  CHECK(check::throws(sycl::errc::nd_range,
                      [&] { plain.update_nd_range(sycl::nd_range<1>(10, 4)); }));
  CHECK(check::throws(invalid, [&] { copy.update_range(sycl::range<1>(2)); }));
  CHECK(check::throws(sycl::errc::nd_range,
                      [&] { groups.update_nd_range(sycl::nd_range<1>(10, 4)); }));
  std::fill_n(a, n, 0);
  q.ext_oneapi_graph(exec).wait();
  CHECK(count(a, 101) == n);
  std::fill_n(a, n, 0);
  exec.update(std::vector<xp::node>{plain, groups});
  q.ext_oneapi_graph(exec).wait();
  CHECK(count(a, 101) == 10 && count(a, 100) == 6 && count(a, 0) == n - 16);
  CHECK(check::throws(invalid, [&] { fixed.update(plain); }));
  CHECK(check::throws(invalid, [&] { exec.update(copy); }));
  graph_t other(q);
  auto foreign = other.add([&](sycl::handler &h) { h.single_task([=] { a[0] = 1; }); });
  CHECK(check::throws(invalid, [&] { exec.update(foreign); }));
  CHECK(check::throws(invalid, [&] { exec.update(other); }));
  // A kernel over a range may get an nd_range, and the other way round.
  plain.update_nd_range(sycl::nd_range<1>(12, 4));
  groups.update_range(sycl::range<1>(14));
  exec.update(std::vector<xp::node>{plain, groups});
  std::fill_n(a, n, 0);
  q.ext_oneapi_graph(exec).wait();
  CHECK(count(a, 101) == 12 && count(a, 100) == 2 && count(a, 0) == n - 14);
  groups.update_nd_range(sycl::nd_range<1>(16, 4));
  exec.update(groups);
  // Launches that are under way keep their ranges.
  std::fill_n(a, n, 0);
  for (int launch = 0; launch < 20; ++launch) {
    plain.update_range(sycl::range<1>(launch + 1));
    exec.update(plain);
    q.ext_oneapi_graph(exec);
  }
  q.wait();
  CHECK(a[19] == 1 && a[20] == 0 && a[18] == 2);
  sycl::free(a, q);
}

// A whole graph takes the commands of another graph of the same shape.
void whole_graphs() {
  sycl::queue q;
  int *a = numbers(q), *b = numbers(q);
  auto build = [&](int *which, int size) {
    graph_t graph(q);
    auto first = graph.add([&](sycl::handler &h) {
      h.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { which[i] += int(i); });
    });
    graph.add(
        [&](sycl::handler &h) {
          h.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { which[i] *= 3; });
        },
        {prop::node::depends_on(first)});
    return graph;
  };
  graph_t one = build(a, n), two = build(b, n / 2);
  auto exec = one.finalize(prop::graph::updatable());
  q.ext_oneapi_graph(exec).wait();
  exec.update(two);
  q.ext_oneapi_graph(exec).wait();
  CHECK(a[5] == 15 && b[5] == 15 && a[n - 1] == 3 * (n - 1) && b[n - 1] == 0);
  two.add();
  CHECK(check::throws(invalid, [&] { exec.update(two); }));
  graph_t copies(q);
  copies.add([&](sycl::handler &h) { h.memcpy(a, b, 4); });
  copies.add([&](sycl::handler &h) { h.memcpy(a, b, 4); });
  CHECK(check::throws(invalid, [&] { exec.update(copies); }));
  q.ext_oneapi_graph(exec).wait();
  CHECK(a[5] == 15 && b[5] == 60);
  sycl::free(a, q);
  sycl::free(b, q);
}

void command_groups() {
  sycl::queue q;
  int *a = numbers(q);
  graph_t graph(q);
  auto add = [&](int value) {
    return [=](sycl::handler &h) {
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] += value; });
    };
  };
  auto tens = [=](sycl::handler &h) { h.single_task([=] { a[0] *= 10; }); };
  xp::dynamic_command_group group(graph, {add(1), add(2), tens});
  auto node = graph.add(group);
  auto again = graph.add(group, {prop::node::depends_on(node)});
  CHECK(graph.get_nodes().size() == 2 && node.get_type() == xp::node_type::kernel);
  auto exec = graph.finalize(prop::graph::updatable());
  q.ext_oneapi_graph(exec).wait();
  CHECK(count(a, 2) == n && group.get_active_index() == 0);
  group.set_active_index(1);
  exec.update(node);
  q.ext_oneapi_graph(exec).wait();
  CHECK(count(a, 5) == n);
  group.set_active_index(2);
  exec.update({node, again});
  q.ext_oneapi_graph(exec).wait();
  CHECK(a[0] == 500 && a[1] == 5);
  CHECK(check::throws(invalid, [&] { group.set_active_index(3); }));
  CHECK(check::throws(invalid, [&] { xp::dynamic_command_group(graph, {}); }));
  auto copy = [=](sycl::handler &h) { h.memcpy(a, a + 1, 4); };
  auto task = [=](sycl::handler &h) { h.host_task([=] { a[0] = 0; }); };
  CHECK(check::throws(invalid, [&] { xp::dynamic_command_group(graph, {copy}); }));
  CHECK(check::throws(invalid, [&] { xp::dynamic_command_group(graph, {task, tens}); }));
  graph_t other(q);
  CHECK(check::throws(invalid, [&] { other.add(group); }));
  CHECK(graph.get_nodes().size() == 2);
  sycl::free(a, q);
}

#ifndef SCYTHE_HOST_MODE
// The captures of the kernel in order.
void parameters() {
  sycl::queue q;
  int *a = numbers(q), *b = numbers(q);
  graph_t graph(q);
  xp::dynamic_parameter where(graph, a);
  xp::dynamic_parameter what(graph, 5);
  int *pointer = a;
  int value = 5;
  auto node = graph.add([&](sycl::handler &h) {
    h.set_arg(0, where);
    h.set_arg(1, what);
    h.parallel_for(sycl::range<1>(n), [pointer, value](sycl::id<1> i) { pointer[i] += value; });
  });
  auto exec = graph.finalize(prop::graph::updatable());
  q.ext_oneapi_graph(exec).wait();
  where.update(b);
  what.update(7);
  q.ext_oneapi_graph(exec).wait();
  CHECK(count(a, 10) == n && count(b, 0) == n);
  exec.update(node);
  q.ext_oneapi_graph(exec).wait();
  CHECK(count(a, 10) == n && count(b, 7) == n);
  CHECK(check::throws(invalid, [&] {
    q.submit([&](sycl::handler &h) {
      h.set_arg(0, where);
      h.single_task([] {});
    });
  }));
  CHECK(check::throws(invalid, [&] {
    graph.add([&](sycl::handler &h) {
      h.set_arg(0, where);
      h.memcpy(a, b, 4);
    });
  }));
  sycl::free(a, q);
  sycl::free(b, q);
}
#endif

void printing() {
  sycl::queue q;
  int *a = numbers(q);
  graph_t graph(q);
  auto first = graph.add([&](sycl::handler &h) { h.memset(a, 0, 4); });
  graph.add([&](sycl::handler &h) { h.single_task([=] { a[0] += 1; }); },
            {prop::node::depends_on(first)});
  char name[] = "/tmp/graph_updates_XXXXXX.dot";
  const int file = mkstemps(name, 4);
  CHECK(file >= 0 && close(file) == 0);
  const std::string path = name;
  graph.print_graph(path, true);
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  CHECK(text.find("digraph") == 0 && text.find("memset") != std::string::npos);
  CHECK(text.find("\"0\" -> \"1\"") != std::string::npos);
#ifndef SCYTHE_HOST_MODE
  CHECK(text.find("\\nNAME = ") != std::string::npos &&
        text.find("\\nSYMBOL = ") != std::string::npos);
#endif
  std::remove(path.c_str());
  CHECK(check::throws(invalid, [&] { graph.print_graph("graph.txt"); }));
  CHECK(check::throws(invalid, [&] { graph.print_graph("/no such folder/graph.dot"); }));
  sycl::free(a, q);
}

} // namespace

int main() {
  ranges();
  whole_graphs();
  command_groups();
#ifndef SCYTHE_HOST_MODE
  parameters();
#endif
  printing();
  return check::result();
}
