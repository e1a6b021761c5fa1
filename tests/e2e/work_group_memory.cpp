// Local memory of the extensions: `work_group_memory`, `work_group_static` and
// `get_work_group_scratch_memory`.
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/ext/oneapi/work_group_static.hpp>
#include <vector>

namespace syclex = sycl::ext::oneapi::experimental;

namespace {

constexpr std::size_t groups = 7, items = 32;

struct point {
  int x, y;
};

// Each work-item reads what its mirror image wrote.
void memory_objects() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(groups * items, q);
  q.submit([&](sycl::handler &h) {
     syclex::work_group_memory<int> one(h);
     syclex::work_group_memory<int[items]> bounded{h};
     syclex::work_group_memory<int[]> unbounded{items, h};
     syclex::work_group_memory<int[][4]> rows{items, h};
     syclex::work_group_memory<point[items]> points{h};
     h.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> it) {
       const std::size_t i = it.get_local_id(0), other = items - 1 - i;
       if (i == 0) {
         one = 5;
         ++one;
         one += 1;
         int *address = &one;
         *address = one * 10;
       }
       syclex::work_group_memory<int[]> later{syclex::indeterminate};
       later = unbounded;
       bounded[i] = int(i);
       later[i] = int(2 * i);
       rows[i][3] = int(3 * i);
       points[i].y = int(4 * i);
       sycl::group_barrier(it.get_group());
       out[it.get_global_id(0)] =
           one + bounded[other] + unbounded[other] + rows[other][3] + points[other].y +
           unbounded.get_multi_ptr<sycl::access::decorated::no>()[0] + int(it.get_group(0));
     });
   }).wait();
  int wrong = 0;
  for (std::size_t i = 0; i < groups * items; ++i)
    wrong += out[i] != int(70 + 10 * (items - 1 - i % items) + i / items);
  CHECK(wrong == 0);
  sycl::free(out, q);
}

syclex::work_group_static<int[items]> shared_row;
inline syclex::work_group_static<int> shared_sum;
struct holder {
  static inline syclex::work_group_static<point> where;
};

int through_function(sycl::nd_item<1> it, int value) {
  static syclex::work_group_static<int[items]> row;
  const std::size_t i = it.get_local_id(0);
  sycl::group_barrier(it.get_group());
  row[i] = value;
  sycl::group_barrier(it.get_group());
  return row[(i + 1) % items];
}

template <class T> T through_template(sycl::nd_item<1> it, T value) {
  static syclex::work_group_static<T> first;
  if (it.get_local_id(0) == 0)
    first = value;
  sycl::group_barrier(it.get_group());
  return first;
}

void statics() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(groups * items, q);
  q.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> it) {
     const int i = int(it.get_local_id(0)), group = int(it.get_group(0));
     shared_row[i] = i + group;
     if (i == 0) {
       shared_sum = 0;
       (&holder::where)->x = 100 * group;
     }
     sycl::group_barrier(it.get_group());
     sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group>(shared_sum)
         .fetch_add(shared_row[items - 1 - i]);
     sycl::group_barrier(it.get_group());
     const point &where = holder::where;
     out[it.get_global_id(0)] = shared_sum + where.x + through_function(it, i) +
                                through_function(it, 2 * i) +
                                int(through_template(it, 1.5f * float(group)) * 2);
   }).wait();
  int wrong = 0;
  for (std::size_t at = 0; at < groups * items; ++at) {
    const int i = int(at % items), group = int(at / items), next = (i + 1) % int(items);
    const int sum = int(items) * (int(items) - 1) / 2 + int(items) * group;
    wrong += out[at] != sum + 100 * group + 3 * next + 3 * group;
  }
  CHECK(wrong == 0);
  sycl::free(out, q);
}

#ifndef SCYTHE_HOST_MODE
// Without `static`, a variable in a block is static.
void implicit_static() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(groups * items, q);
  q.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> it) {
     syclex::work_group_static<int[items]> row;
     const std::size_t i = it.get_local_id(0);
     row[i] = int(i + it.get_group(0));
     sycl::group_barrier(it.get_group());
     out[it.get_global_id(0)] = row[items - 1 - i];
   }).wait();
  int wrong = 0;
  for (std::size_t i = 0; i < groups * items; ++i)
    wrong += out[i] != int(items - 1 - i % items + i / items);
  CHECK(wrong == 0);
  sycl::free(out, q);
}
#else
void implicit_static() {}
#endif

// Every call returns the same address.
int *scratch() { return static_cast<int *>(syclex::get_work_group_scratch_memory()); }

template <class Row> void read_mirror(sycl::nd_item<1> it, Row row, int *out) {
  const std::size_t i = it.get_local_id(0);
  scratch()[i] = int(i + it.get_group(0));
  row[i] = 1;
  sycl::group_barrier(it.get_group());
  out[it.get_global_id(0)] = scratch()[items - 1 - i] + row[items - 1 - i];
}

struct functor {
  int *out;
  auto get(syclex::properties_tag) const { return syclex::properties{}; }
  void operator()(sycl::nd_item<1> it) const {
    static syclex::work_group_static<int[items]> row;
    read_mirror(it, static_cast<int *>(row), out);
  }
};

struct sized_functor : functor {
  std::size_t bytes;
  auto get(syclex::properties_tag) const {
    return syclex::properties{syclex::work_group_scratch_size(bytes),
                              syclex::work_group_size<items>};
  }
};

void scratch_memory() {
  sycl::queue q;
  int *out = sycl::malloc_shared<int>(groups * items, q);
  auto check = [&](bool reset = true) {
    int wrong = 0;
    for (std::size_t i = 0; i < groups * items; ++i)
      wrong += out[i] != int(items - 1 - i % items + i / items) + 1;
    CHECK(wrong == 0);
    if (reset)
      q.fill(out, -1, groups * items).wait();
  };
  const sycl::nd_range<1> range(groups * items, items);
  const syclex::properties size{syclex::work_group_scratch_size(items * sizeof(int))};
  q.parallel_for<class by_queue>(range, size, [=](sycl::nd_item<1> it) {
     static syclex::work_group_static<int[items]> row;
     read_mirror(it, static_cast<int *>(row), out);
   }).wait();
  check();
  q.submit([&](sycl::handler &h) {
     sycl::local_accessor<int> row(items, h);
     h.parallel_for<class by_handler>(range, size,
                                      [=](sycl::nd_item<1> it) { read_mirror(it, &row[0], out); });
   }).wait();
  check();
  q.parallel_for(range, size, functor{out}).wait();
  check();
  q.parallel_for(range, sized_functor{{out}, items * sizeof(int)}).wait();
  check();
  q.submit([&](sycl::handler &h) {
     h.parallel_for(range, sized_functor{{out}, items * sizeof(int)});
   }).wait();
  check();
  syclex::nd_launch<class by_function>(q, syclex::launch_config(range, size),
                                       [=](sycl::nd_item<1> it) {
                                         static syclex::work_group_static<int[items]> row;
                                         read_mirror(it, static_cast<int *>(row), out);
                                       });
  q.wait();
  check();
  // With a reduction.
  int *sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  q.parallel_for<class with_sum>(range, size, sycl::reduction(sum, sycl::plus<int>()),
                                 [=](sycl::nd_item<1> it, auto &total) {
                                   const std::size_t i = it.get_local_id(0);
                                   scratch()[i] = int(i);
                                   sycl::group_barrier(it.get_group());
                                   total += scratch()[items - 1 - i];
                                 })
      .wait();
  CHECK(*sum == int(groups * items * (items - 1) / 2));
  sycl::free(sum, q);
  sycl::free(out, q);
}

class too_much;
class too_much_scratch;
class no_groups;

void errors() {
#ifndef SCYTHE_HOST_MODE
  sycl::queue q;
  CHECK(check::throws(sycl::errc::memory_allocation, [&] {
    q.submit([&](sycl::handler &h) {
      syclex::work_group_memory<char[]> all{std::size_t(1) << 40, h};
      h.parallel_for<too_much>(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { all[0] = 0; });
    });
  }));
  CHECK(check::throws(sycl::errc::memory_allocation, [&] {
    q.parallel_for<too_much_scratch>(
        sycl::nd_range<1>(1, 1),
        syclex::properties{syclex::work_group_scratch_size(std::size_t(1) << 40)},
        [=](sycl::nd_item<1>) { *scratch() = 0; });
  }));
  CHECK(check::throws(sycl::errc::kernel_argument, [&] {
    q.submit([&](sycl::handler &h) {
      syclex::work_group_memory<int> one{h};
      h.parallel_for<no_groups>(sycl::range<1>(1), [=](sycl::id<1>) { one = 0; });
    });
  }));
#endif
}

} // namespace

int main() {
  memory_objects();
  statics();
  implicit_static();
  scratch_memory();
  errors();
  return check::result();
}
