// Graphs of commands: explicit nodes and edges, recorded queues, launches, sub-graphs, host tasks,
// buffers and queries.
#include <sycl/sycl.hpp>

#include <sycl/detail/host_task_impl.hpp>

#include "check.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace xp = sycl::ext::oneapi::experimental;
using graph_t = xp::command_graph<xp::graph_state::modifiable>;
namespace prop = xp::property;

namespace {

constexpr int n = 64;

int *numbers(sycl::queue &q, int value = 0) {
  int *made = sycl::malloc_shared<int>(n, q);
  std::fill_n(made, n, value);
  return made;
}

void explicit_nodes() {
  sycl::queue q;
  int *a = numbers(q), *b = numbers(q);
  graph_t graph(q);
  CHECK(graph.empty());
  xp::node first = graph.add(
      [&](sycl::handler &h) { h.parallel_for(n, [=](sycl::id<1> i) { a[i] = int(i); }); });
  xp::node twice =
      graph.add([&](sycl::handler &h) { h.parallel_for(n, [=](sycl::id<1> i) { a[i] *= 2; }); },
                {prop::node::depends_on(first)});
  xp::node copy = graph.add([&](sycl::handler &h) { h.memcpy(b, a, n * sizeof(int)); });
  graph.make_edge(twice, copy);
  xp::node joined = graph.add(sycl::property_list{prop::node::depends_on_all_leaves()});
  xp::node last =
      graph.add([&](sycl::handler &h) { h.parallel_for(n, [=](sycl::id<1> i) { b[i] += 1; }); },
                {prop::node::depends_on(joined)});
  CHECK(first.get_type() == xp::node_type::kernel && copy.get_type() == xp::node_type::memcpy);
  CHECK(joined.get_type() == xp::node_type::empty);
  CHECK(graph.get_nodes().size() == 5 && graph.get_root_nodes().size() == 1);
  CHECK(graph.get_root_nodes()[0] == first && first != last);
  CHECK(twice.get_predecessors().size() == 1 && twice.get_successors()[0] == copy);

  CHECK(check::throws(sycl::errc::invalid, [&] { graph.make_edge(last, first); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { graph.make_edge(last, last); }));
  graph_t other(q);
  xp::node foreign = other.add();
  CHECK(check::throws(sycl::errc::invalid, [&] { graph.make_edge(first, foreign); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { graph.add({prop::node::depends_on(foreign)}); }));
  CHECK(graph.get_nodes().size() == 5);
  CHECK(graph.get_id() < other.get_id());

  auto exec = graph.finalize();
  for (int launch = 0; launch < 3; ++launch) {
    std::fill_n(a, n, -1);
    std::fill_n(b, n, -1);
    q.ext_oneapi_graph(exec).wait();
    for (int i = 0; i < n; ++i)
      CHECK(a[i] == 2 * i && b[i] == 2 * i + 1);
  }
  other.finalize();
  q.ext_oneapi_graph(graph_t(q).finalize()).wait();
  sycl::free(a, q);
  sycl::free(b, q);
}

// Launches of one graph do not overlap, on any queue.
void repeated_launches() {
  sycl::queue q, in_order{sycl::property::queue::in_order()};
  int *a = numbers(q);
  graph_t graph(q);
  auto add = [&](sycl::handler &h) { h.parallel_for(n, [=](sycl::id<1> i) { a[i] += 1; }); };
  graph.add(add);
  graph.add(add, {prop::node::depends_on_all_leaves()});
  auto exec = graph.finalize();
  for (int launch = 0; launch < 50; ++launch) {
    q.ext_oneapi_graph(exec);
    q.submit([&](sycl::handler &h) { h.ext_oneapi_graph(exec); });
  }
  q.wait();
  CHECK(a[0] == 200 && a[n - 1] == 200);
  // Between other commands of a queue.
  in_order.parallel_for(n, [=](sycl::id<1> i) { a[i] = 10; });
  in_order.ext_oneapi_graph(exec);
  in_order.parallel_for(n, [=](sycl::id<1> i) { a[i] *= 3; });
  sycl::event before = in_order.ext_oneapi_graph(exec);
  q.ext_oneapi_graph(exec, before).wait();
  CHECK(a[0] == 40 && a[n - 1] == 40);
  {
    // The launch keeps what it needs.
    graph_t brief(q);
    brief.add(add);
    auto once = brief.finalize();
    q.ext_oneapi_graph(once);
  }
  q.wait();
  CHECK(a[0] == 41);
  // An executable graph that ends with the command group.
  const auto add_brief = [&](sycl::handler &h) {
    graph_t brief(q);
    brief.add(add);
    h.ext_oneapi_graph(brief.finalize());
  };
  q.submit(add_brief);
  graph_t outer(q);
  outer.add(add_brief);
  outer.add(add_brief, {prop::node::depends_on_all_leaves()});
  q.wait();
  q.ext_oneapi_graph(outer.finalize()).wait();
  CHECK(a[0] == 44);
  sycl::free(a, q);
}

void recorded_queues() {
  sycl::queue q, second, in_order{sycl::property::queue::in_order()};
  int *a = numbers(q), *b = numbers(q);
  graph_t graph(q);
  CHECK(q.ext_oneapi_get_state() == xp::queue_state::executing);
  CHECK(check::throws(sycl::errc::invalid, [&] { (void)q.ext_oneapi_get_graph(); }));
  graph.begin_recording(q);
  CHECK(q.ext_oneapi_get_state() == xp::queue_state::recording);
  CHECK(q.ext_oneapi_get_graph() == graph);
  CHECK(check::throws(sycl::errc::invalid, [&] { graph.begin_recording(q); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { graph_t(q).begin_recording(q); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { graph_t(q).end_recording(q); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { graph.add(); }));
  CHECK(check::throws(sycl::errc::invalid, [&] { q.wait(); }));
  sycl::event set = q.fill(a, 3, n);
  sycl::event more = q.parallel_for(n, set, [=](sycl::id<1> i) { a[i] += int(i); });
  CHECK(check::throws(sycl::errc::invalid, [&] { set.wait(); }));
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { set.get_info<sycl::info::event::command_execution_status>(); }));
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { set.get_profiling_info<sycl::info::event_profiling::command_end>(); }));
  // A dependency makes the other queue record.
  CHECK(second.ext_oneapi_get_state() == xp::queue_state::executing);
  second.memcpy(b, a, n * sizeof(int), more);
  CHECK(second.ext_oneapi_get_state() == xp::queue_state::recording);
  sycl::event outside = in_order.single_task([] {});
  CHECK(check::throws(sycl::errc::invalid, [&] { q.memset(b, 0, 4, outside); }));
  xp::node kernel = xp::node::get_node_from_event(more);
  CHECK(kernel.get_predecessors().size() == 1 && kernel.get_successors().size() == 1);
  CHECK(kernel.get_predecessors()[0].get_type() == xp::node_type::memfill);
  CHECK(check::throws(sycl::errc::invalid, [&] { xp::node::get_node_from_event(outside); }));
  graph.end_recording();
  CHECK(q.ext_oneapi_get_state() == xp::queue_state::executing);
  CHECK(second.ext_oneapi_get_state() == xp::queue_state::executing);
  CHECK(check::throws(sycl::errc::invalid, [&] { q.memset(b, 0, 4, more); }));
  graph.end_recording(q);
  CHECK(a[0] == 0 && graph.get_nodes().size() == 3);

  q.ext_oneapi_graph(graph.finalize()).wait();
  for (int i = 0; i < n; ++i)
    CHECK(b[i] == 3 + i);

  // The commands of an in-order queue follow each other.
  graph_t chain(in_order);
  chain.begin_recording(std::vector<sycl::queue>{in_order});
  in_order.memset(a, 0, n * sizeof(int));
  in_order.parallel_for(n, [=](sycl::id<1> i) { a[i] += 5; });
  in_order.ext_oneapi_submit_barrier();
  in_order.submit([&](sycl::handler &h) {
    h.host_task([=] {
      for (int i = 0; i < n; ++i)
        a[i] *= 2;
    });
  });
  in_order.parallel_for(n, [=](sycl::id<1> i) { a[i] += 1; });
  chain.end_recording(std::vector<sycl::queue>{in_order});
  CHECK(chain.get_nodes().size() == 5 && chain.get_root_nodes().size() == 1);
  CHECK(chain.get_nodes()[2].get_type() == xp::node_type::ext_oneapi_barrier);
  CHECK(chain.get_nodes()[3].get_type() == xp::node_type::host_task);
  auto exec = chain.finalize();
  for (int launch = 0; launch < 3; ++launch)
    in_order.ext_oneapi_graph(exec);
  in_order.wait();
  CHECK(a[0] == 11 && a[n - 1] == 11);

  // The last copy of a graph ends recording.
  {
    graph_t brief(q);
    brief.begin_recording(q);
    q.memset(a, 0, 4);
  }
  CHECK(q.ext_oneapi_get_state() == xp::queue_state::executing);
  sycl::free(a, q);
  sycl::free(b, q);
}

void sub_graphs() {
  sycl::queue q;
  int *a = numbers(q);
  graph_t inner(q);
  xp::node one =
      inner.add([&](sycl::handler &h) { h.parallel_for(n, [=](sycl::id<1> i) { a[i] += 1; }); });
  inner.add([&](sycl::handler &h) { h.parallel_for(n, [=](sycl::id<1> i) { a[i] *= 2; }); },
            {prop::node::depends_on(one)});
  auto part = inner.finalize();
  graph_t outer(q);
  auto set = outer.add([&](sycl::handler &h) { h.fill(a, 4, n); });
  auto sub =
      outer.add([&](sycl::handler &h) { h.ext_oneapi_graph(part); }, {prop::node::depends_on(set)});
  auto again =
      outer.add([&](sycl::handler &h) { h.ext_oneapi_graph(part); }, {prop::node::depends_on(sub)});
  outer.add([&](sycl::handler &h) { h.host_task([=] { a[0] += 100; }); },
            {prop::node::depends_on(again)});
  CHECK(sub.get_type() == xp::node_type::subgraph);
  auto exec = outer.finalize();
  q.ext_oneapi_graph(exec).wait();
  CHECK(a[0] == 122 && a[1] == 22);
  q.ext_oneapi_graph(part).wait();
  CHECK(a[1] == 46);
  sycl::free(a, q);
}

void buffers() {
  sycl::queue q;
  std::vector<int> host(n, 7);
  sycl::buffer<int> a{sycl::range<1>(n)}, b{host.data(), sycl::range<1>(n)};
  b.set_write_back(false);
  graph_t refuses(q);
  const auto add = [&] {
    refuses.add([&](sycl::handler &h) {
      sycl::accessor out(a, h);
      h.parallel_for(n, [=](sycl::id<1> i) { out[i] = 0; });
    });
  };
  CHECK(check::throws(sycl::errc::invalid, add));
  graph_t graph(q, {prop::graph::assume_buffer_outlives_graph()});
  auto first = graph.add([&](sycl::handler &h) {
    sycl::accessor in(b, h, sycl::read_only);
    sycl::accessor out(a, h, sycl::write_only, sycl::no_init);
    h.parallel_for(n, [=](sycl::id<1> i) { out[i] = in[i] + int(i); });
  });
  auto second = graph.add([&](sycl::handler &h) {
    sycl::accessor in(a, h, sycl::read_only);
    sycl::accessor out(b, h, sycl::write_only);
    h.copy(in, out);
  });
  auto task = graph.add([&](sycl::handler &h) {
    sycl::accessor seen(b, h, sycl::read_write, sycl::property_list{});
    h.host_task([=] { seen[0] += 1000; });
  });
  CHECK(second.get_predecessors() == std::vector<xp::node>{first});
  CHECK(task.get_predecessors().back() == second);
  auto exec = graph.finalize();
  q.ext_oneapi_graph(exec);
  q.ext_oneapi_graph(exec);
  {
    sycl::host_accessor seen(b);
    CHECK(seen[0] == 2007 && seen[5] == 17);
    seen[1] = 1;
  }
  q.ext_oneapi_graph(exec);
  CHECK(sycl::host_accessor(a)[1] == 2);

  sycl::queue recorder;
  graph_t recorded(recorder, {prop::graph::assume_buffer_outlives_graph()});
  std::vector<int> kept(n);
  sycl::buffer<int> writes_back(kept.data(), sycl::range<1>(n));
  recorded.begin_recording(recorder);
  auto set = [](sycl::queue &to, sycl::buffer<int> &which) {
    to.submit([&](sycl::handler &h) {
      sycl::accessor out(which, h);
      h.parallel_for(n, [=](sycl::id<1> i) { out[i] = 1; });
    });
  };
  CHECK(check::throws(sycl::errc::invalid, [&] { set(recorder, writes_back); }));
  set(recorder, a);
  CHECK(check::throws(sycl::errc::invalid, [&] { sycl::host_accessor seen(a); }));
  recorded.end_recording();
  CHECK(sycl::host_accessor(a)[1] == 2);
}

void reductions() {
  sycl::queue q;
  int *sum = numbers(q);
  graph_t graph(q);
  graph.add([&](sycl::handler &h) {
    h.parallel_for(sycl::range<1>(1000), sycl::reduction(sum, sycl::plus<>()),
                   [=](sycl::id<1> i, auto &s) { s += int(i); });
  });
  auto exec = graph.finalize();
  q.ext_oneapi_graph(exec);
  q.ext_oneapi_graph(exec).wait();
  CHECK(sum[0] == 2 * 499500);
  CHECK(check::throws(sycl::errc::feature_not_supported, [&] {
    graph.add([&](sycl::handler &h) {
      sycl::stream out(64, 64, h);
      h.single_task([=] { out << 1; });
    });
  }));
  CHECK(check::throws(sycl::errc::invalid, [&] {
    graph.add([&](sycl::handler &h) { h.ext_oneapi_memcpy2d(sum, 8, sum + 8, 8, 4, 2); });
  }));
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { graph.add([&](sycl::handler &h) { h.ext_oneapi_barrier(); }); }));
  CHECK(graph.get_nodes().size() == 1);
  sycl::free(sum, q);
}

void host_task_errors() {
  std::vector<std::string> told;
  auto handler = [&](sycl::exception_list list) {
    for (auto &one : list)
      try {
        std::rethrow_exception(one);
      } catch (const std::exception &e) {
        told.push_back(e.what());
      }
  };
  sycl::queue q{handler};
  graph_t graph(q);
  graph.add([&](sycl::handler &h) { h.host_task([] { throw std::runtime_error("in a task"); }); });
  auto exec = graph.finalize();
  q.ext_oneapi_graph(exec);
  q.wait_and_throw();
  q.ext_oneapi_graph(exec);
  q.wait_and_throw();
  CHECK(told.size() == 2 && told[0] == "in a task");
}

void profiling() {
  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::queue_profiling))
    return;
  sycl::queue timed{sycl::property::queue::enable_profiling()};
  int *a = numbers(q);
  graph_t graph(timed);
  graph.add([&](sycl::handler &h) { h.parallel_for(n, [=](sycl::id<1> i) { a[i] += 1; }); });
  graph.add([&](sycl::handler &h) { h.host_task([=] { a[0] += 1; }); },
            {prop::node::depends_on_all_leaves()});
  graph.add([&](sycl::handler &h) { h.parallel_for(n, [=](sycl::id<1> i) { a[i] += 1; }); },
            {prop::node::depends_on_all_leaves()});
  auto plain = graph.finalize();
  auto exec = graph.finalize({prop::graph::enable_profiling()});
  sycl::event without = timed.ext_oneapi_graph(plain);
  sycl::event with = timed.ext_oneapi_graph(exec, without);
  timed.wait();
  using namespace sycl::info;
  CHECK(check::throws(sycl::errc::invalid,
                      [&] { without.get_profiling_info<event_profiling::command_end>(); }));
  const auto start = with.get_profiling_info<event_profiling::command_start>();
  CHECK(with.get_profiling_info<event_profiling::command_submit>() <= start);
  CHECK(start <= with.get_profiling_info<event_profiling::command_end>());
  CHECK(with.get_info<sycl::info::event::command_execution_status>() ==
        event_command_status::complete);
  CHECK(a[0] == 6 && a[1] == 4);
  sycl::free(a, q);
}

} // namespace

int main() {
  const sycl::device d;
  CHECK(d.has(sycl::aspect::ext_oneapi_graph) && d.has(sycl::aspect::ext_oneapi_limited_graph));
  static_assert(SYCL_EXT_ONEAPI_GRAPH == 1);
  CHECK(d.get_info<xp::info::device::graph_support>() == xp::graph_support_level::native);
  explicit_nodes();
  repeated_launches();
  recorded_queues();
  sub_graphs();
  buffers();
  reductions();
  host_task_errors();
  profiling();
  return check::result();
}
