// Kernels whose work-groups wait for each other, many times, beside other kernels and in graphs,
// clusters of work-groups, and the queries about the launches of a kernel.
// MODES: device,host
// LEVELS: O2
// VALGRIND: no
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/codeplay/experimental/cluster_group.hpp>

#include <vector>

class rounds_kernel;
class local_kernel;
class plain_kernel;
class sized_kernel;
class recorded_kernel;
class level_kernel;
class cluster_kernel;
class clustered_kernel;

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace query = exp::info::kernel_queue_specific;

#ifdef SCYTHE_HOST_MODE
template <class Name, int D>
std::size_t most_groups(const sycl::queue &, const sycl::range<D> &, std::size_t = 0) {
  return 1;
}
#else
template <class Name> sycl::kernel kernel_of(const sycl::queue &q) {
  return sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context())
      .get_kernel<Name>();
}
template <class Name, int D>
std::size_t most_groups(const sycl::queue &q, const sycl::range<D> &local, std::size_t bytes = 0) {
  return kernel_of<Name>(q).template ext_oneapi_get_info<query::max_num_work_groups>(q, local,
                                                                                     bytes);
}
#endif

constexpr int rounds = 100;

// In each round, a work-item reads what a work-item of the next work-group wrote in the round
// before. Returns the event of the launch.
sycl::event run_rounds(sycl::queue &q, int *data, int *wrong, std::size_t groups) {
  const std::size_t local = 24, count = groups * local;
  return q.parallel_for<rounds_kernel>(
      sycl::nd_range<1>(count, local), exp::properties{exp::use_root_sync},
      [=](sycl::nd_item<1> it) {
        const auto root = it.ext_oneapi_get_root_group();
        const std::size_t i = root.get_local_linear_id();
        for (int round = 0; round < rounds; ++round) {
          data[i] = round * 1000 + static_cast<int>(i);
          sycl::group_barrier(root);
          const std::size_t other = (i + local + 1) % count;
          if (data[other] != round * 1000 + static_cast<int>(other))
            ++wrong[i];
          sycl::group_barrier(root);
        }
      });
}

void rounds_under_load(sycl::queue &q) {
  const std::size_t groups = most_groups<rounds_kernel>(q, sycl::range<1>(24));
  CHECK(groups >= 1);
  const std::size_t count = groups * 24;
  constexpr int queues = 3;
  int *const data = sycl::malloc_device<int>(queues * count, q);
  int *const wrong = sycl::malloc_shared<int>(queues * count, q);
  int *const other = sycl::malloc_shared<int>(4096, q);
  q.fill(wrong, 0, queues * count).wait();
  q.fill(other, 0, 4096).wait();
  std::vector<sycl::queue> all;
  for (int i = 0; i < queues; ++i)
    all.emplace_back(q.get_context(), q.get_device());
  // Several gangs at the same time, and plain kernels that need the same processors.
  for (int repeat = 0; repeat < 5; ++repeat) {
    for (int i = 0; i < queues; ++i)
      run_rounds(all[static_cast<std::size_t>(i)], data + static_cast<std::size_t>(i) * count,
                 wrong + static_cast<std::size_t>(i) * count, groups);
    q.parallel_for<plain_kernel>(sycl::range<1>(4096), [=](sycl::id<1> i) { ++other[i]; });
    for (auto &one : all)
      one.wait();
    q.wait();
  }
  int failures = 0;
  for (std::size_t i = 0; i < queues * count; ++i)
    failures += wrong[i];
  CHECK(failures == 0);
  CHECK(other[0] == 5 && other[4095] == 5);
  sycl::free(data, q);
  sycl::free(wrong, q);
  sycl::free(other, q);
}

// The sums of work-groups in local memory meet in global memory.
void with_local_memory(sycl::queue &q) {
  const sycl::range<2> local(4, 8);
  const std::size_t bytes = local.size() * sizeof(int);
  const std::size_t groups = most_groups<local_kernel>(q, local, bytes);
  int *const sums = sycl::malloc_shared<int>(groups, q);
  int *const totals = sycl::malloc_shared<int>(groups, q);
  q.submit([&](sycl::handler &h) {
     const sycl::local_accessor<int, 1> cells(local.size(), h);
     h.parallel_for<local_kernel>(
         sycl::nd_range<2>({4 * groups, 8}, local), exp::properties{exp::use_root_sync},
         [=](sycl::nd_item<2> it) {
           const auto root = exp::this_work_item::get_root_group<2>();
           const std::size_t group = it.get_group_linear_id();
           cells[it.get_local_linear_id()] = static_cast<int>(it.get_global_linear_id());
           sycl::group_barrier(it.get_group());
           if (it.get_group().leader()) {
             int sum = 0;
             for (std::size_t i = 0; i < it.get_group().get_local_linear_range(); ++i)
               sum += cells[i];
             sums[group] = sum;
           }
           sycl::group_barrier(root, sycl::memory_scope::system);
           int total = 0;
           for (std::size_t g = 0; g < it.get_group().get_group_linear_range(); ++g)
             total += sums[g];
           if (it.get_group().leader())
             totals[group] = total;
         });
   }).wait();
  const int count = static_cast<int>(groups * local.size());
  for (std::size_t g = 0; g < groups; ++g)
    CHECK(totals[g] == count * (count - 1) / 2);
  sycl::free(sums, q);
  sycl::free(totals, q);
}

// The parts of the root group at each scope.
void levels(sycl::queue &q) {
  using scope = exp::execution_scope;
  const std::size_t groups = most_groups<level_kernel>(q, sycl::range<1>(16));
  int *const right = sycl::malloc_shared<int>(16 * groups, q);
  q.parallel_for<level_kernel>(
       sycl::nd_range<1>(16 * groups, 16), exp::properties{exp::use_root_sync},
       [=](sycl::nd_item<1> it) {
         const auto root = it.ext_oneapi_get_root_group();
         const sycl::sub_group part = it.get_sub_group();
         const std::size_t parts = part.get_group_linear_range();
         right[it.get_global_linear_id()] =
             root.get_id<scope::work_item>() == it.get_global_id() &&
             root.get_linear_range<scope::work_item>() == it.get_global_range().size() &&
             root.get_id<scope::work_group>()[0] == it.get_group(0) &&
             root.get_range<scope::work_group>() == it.get_group_range() &&
             root.get_linear_id<scope::work_group>() == it.get_group_linear_id() &&
             root.get_id<scope::sub_group>()[0] ==
                 it.get_group_linear_id() * parts + part.get_group_linear_id() &&
             root.get_range<scope::sub_group>()[0] == parts * it.get_group_range(0);
       })
      .wait();
  for (std::size_t i = 0; i < 16 * groups; ++i)
    CHECK(right[i] == 1);
  sycl::free(right, q);
}

// A graph keeps the property of its nodes.
void in_graphs(sycl::queue &q) {
  const std::size_t groups = most_groups<rounds_kernel>(q, sycl::range<1>(24)), count = groups * 24;
  int *const data = sycl::malloc_device<int>(count, q);
  int *const wrong = sycl::malloc_shared<int>(count, q);
  q.fill(wrong, 0, count).wait();
  exp::command_graph graph(q.get_context(), q.get_device());
  graph.begin_recording(q);
  const sycl::event first = run_rounds(q, data, wrong, groups);
  q.submit([&](sycl::handler &h) {
    h.depends_on(first);
    h.parallel_for<recorded_kernel>(sycl::range<1>(count), [=](sycl::id<1> i) { ++wrong[i]; });
  });
  graph.end_recording(q);
  auto exec = graph.finalize();
  for (int launch = 0; launch < 3; ++launch)
    q.ext_oneapi_graph(exec).wait();
  for (std::size_t i = 0; i < count; ++i)
    CHECK(wrong[i] == 3);
  sycl::free(data, q);
  sycl::free(wrong, q);
}

#ifndef SCYTHE_HOST_MODE
void queries(sycl::queue &q) {
  const sycl::kernel k = kernel_of<sized_kernel>(q);
  const sycl::device d = q.get_device();
  const std::size_t most = k.ext_oneapi_get_info<query::max_work_group_size>(q);
  CHECK(most >= 1 && most <= d.get_info<sycl::info::device::max_work_group_size>());
  const sycl::id<3> sizes = k.ext_oneapi_get_info<query::max_work_item_sizes<3>>(q);
  CHECK(sizes[0] >= 1 && sizes[2] <= most);
  // Only the size of the attribute can be launched.
  const sycl::range<2> right(4, 8), wrong(8, 4);
  CHECK(k.ext_oneapi_get_info<query::max_num_work_groups>(q, right) >= 1);
  CHECK(k.ext_oneapi_get_info<query::max_num_work_groups>(q, wrong, 16) == 0);
  const std::size_t memory = d.get_info<sycl::info::device::local_mem_size>();
  CHECK(k.ext_oneapi_get_info<query::max_num_work_groups>(q, right, memory + 1) == 0);
  const std::uint32_t width = k.ext_oneapi_get_info<query::max_sub_group_size>(q, right);
  CHECK(width >= 1);
  int *const seen = sycl::malloc_shared<int>(2, q);
  q.parallel_for<sized_kernel>(sycl::nd_range<2>(right, right),
                               [=](sycl::nd_item<2> it) [[sycl::reqd_work_group_size(4, 8)]] {
                                 const sycl::sub_group part = it.get_sub_group();
                                 if (it.get_local_linear_id() == 0) {
                                   seen[0] = static_cast<int>(part.get_max_local_range()[0]);
                                   seen[1] = static_cast<int>(part.get_group_linear_range());
                                 }
                               })
      .wait();
  CHECK(static_cast<int>(width) == seen[0]);
  CHECK(static_cast<int>(k.ext_oneapi_get_info<query::num_sub_groups>(q, right)) == seen[1]);
  sycl::free(seen, q);
  if (d.get_backend() == sycl::backend::opencl)
    CHECK(check::throws(sycl::errc::feature_not_supported, [&] {
      k.ext_oneapi_get_info<query::recommended_num_work_groups>(q, right);
    }));
  else
    CHECK(k.ext_oneapi_get_info<query::recommended_num_work_groups>(q, right, 0) >= 1);
  CHECK(check::throws(sycl::errc::invalid, [&] {
    k.ext_oneapi_get_info<query::max_num_work_groups>(q, sycl::range<1>(0), 0);
  }));
  using spill = sycl::ext::intel::info::kernel_device_specific::spill_memory_size;
  if (!d.has(sycl::aspect::ext_intel_spill_memory_size))
    CHECK(check::throws(sycl::errc::feature_not_supported, [&] { k.get_info<spill>(d); }));
  else
    k.get_info<spill>(d);
  const sycl::kernel any = kernel_of<rounds_kernel>(q);
  CHECK(any.ext_oneapi_get_info<query::max_num_work_groups>(q, 24, 0) >= 1);
  CHECK(any.ext_oneapi_get_info<query::max_num_work_group_sync>(q) >= 1);
  CHECK(any.ext_oneapi_get_info<exp::info::kernel::max_num_work_groups>(
            q, any.ext_oneapi_get_info<query::max_work_group_size>(q) + 1) == 0);
}
#endif

// Clusters of work-groups, which share their local memory.
void clusters(sycl::queue &q) {
  namespace cuda = sycl::ext::codeplay::experimental::cuda;
  const sycl::device d = q.get_device();
  const bool has = d.has(sycl::aspect::ext_codeplay_cuda_cluster_group);
  CHECK((d.get_info<cuda::info::device::max_cluster_group_size>() >= 2) == has);
  int *const out = sycl::malloc_shared<int>(64, q);
  const exp::launch_config config(sycl::nd_range<2>({4, 16}, {1, 16}),
                                  exp::properties{cuda::cluster_size(sycl::range<2>(2, 1))});
  const auto plain = [=](sycl::nd_item<2> it) { out[it.get_global_linear_id()] = 1; };
#ifndef SCYTHE_HOST_MODE
  const auto exchange = [=](sycl::nd_item<2> it) {
    const auto cluster = it.ext_codeplay_cuda_get_cluster_group();
    int &cell = *sycl::ext::oneapi::group_local_memory_for_overwrite<int>(it.get_group());
    if (it.get_group().leader())
      cell = static_cast<int>(it.get_group_linear_id());
    sycl::group_barrier(cluster);
    const std::size_t other = 1 - cluster.get_group_linear_id();
    int *const there = cluster.map_cluster_local_pointer(&cell, other);
    out[it.get_global_linear_id()] =
        *there + (cluster.get_linear_cluster_group_id_for_local_pointer(there) == other &&
                          cluster.get_local_linear_range() == 32 &&
                          cluster.leader() == (cluster.get_local_linear_id() == 0)
                      ? 0
                      : 100);
    sycl::group_barrier(cluster);
  };
  if (has) {
    exp::nd_launch<cluster_kernel>(q, config, exchange);
    q.wait();
    for (int i = 0; i < 64; ++i)
      CHECK(out[i] == (i / 16 ^ 1));
  } else {
    CHECK(check::throws(sycl::errc::kernel_not_supported,
                        [&] { exp::nd_launch<cluster_kernel>(q, config, exchange); }));
  }
#endif
  if (has)
    exp::nd_launch<clustered_kernel>(q, config, plain);
  else
    CHECK(check::throws(sycl::errc::feature_not_supported,
                        [&] { exp::nd_launch<clustered_kernel>(q, config, plain); }));
  q.wait();
  sycl::free(out, q);
}

// Numbers that only some drivers tell.
template <class Query> void told_or_refused(const sycl::device &d, bool told) {
  if (told)
    CHECK(d.get_info<Query>() > 0);
  else
    CHECK(check::throws(sycl::errc::feature_not_supported, [&] { d.get_info<Query>(); }));
}

} // namespace

int main() {
  sycl::queue q;
  rounds_under_load(q);
  with_local_memory(q);
  levels(q);
  in_graphs(q);
  clusters(q);
  using sycl::ext::codeplay::experimental::info::device::max_registers_per_work_group;
  told_or_refused<max_registers_per_work_group>(q.get_device(),
                                                q.get_backend() == sycl::backend::ext_oneapi_cuda);
#ifndef SCYTHE_HOST_MODE
  queries(q);
#endif
  return check::result();
}
