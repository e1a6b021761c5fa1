// Dynamic address space casts: a pointer is in the space that its object was allocated in, and in
// no other, whatever way it came. In host mode all memory is one. OpenCL's drivers for CPUs say so,
// too, of pointers whose origin the compiler does not see: there the cast to the right space gives
// the pointer, and those to others may.
//
// MODES: device,host
// BACKENDS: cpu,opencl,opencl-objects,cuda
#include <sycl/sycl.hpp>

#include "check.hpp"

#include <vector>

namespace {

using sycl::access::address_space;
using sycl::access::decorated;

enum : int { in_global = 1, in_local = 2, in_private = 4, changed = 8 };

#ifdef SCYTHE_HOST_MODE
constexpr int expected(int) { return in_global | in_local | in_private; }
#else
constexpr int expected(int space) { return space; }
#endif

// Set where the device does not tell where pointers from memory point.
bool device_is_vague = false;

// Of a pointer that the compiler sees being made, and of one that comes from memory.
bool right(int found, int space) { return found == expected(space); }
bool right_from_memory(int found, int space) {
  return right(found, space) || (device_is_vague && (found & space) && !(found & changed));
}

template <address_space Space, class Pointer> int bit(Pointer p, int value) {
  const auto cast = sycl::khr::dynamic_addrspace_cast<Space>(p);
  static_assert(decltype(cast)::address_space == Space);
  if (cast.get_raw() == nullptr)
    return 0;
  return cast.get_raw() == &*p ? value : changed;
}
template <class Pointer> int spaces(Pointer p) {
  return bit<address_space::global_space>(p, in_global) |
         bit<address_space::local_space>(p, in_local) |
         bit<address_space::private_space>(p, in_private);
}
template <decorated D> int spaces_of_generic(int *p) {
  return spaces(sycl::multi_ptr<int, address_space::generic_space, D>(p));
}

// SYCL 2020's own functions find the same.
template <address_space Space> bool in_core(const int *p) {
  const auto cast = sycl::address_space_cast<Space, decorated::yes>(p);
  const auto made = sycl::make_ptr<const int, Space, decorated::no>(p);
  return cast.get_raw() == p && made.get_raw() == p;
}

// Nothing is known here of where the pointer comes from.
__attribute__((noinline)) int far_spaces(const int *p) {
  const int found = spaces(p);
  const int core = in_core<address_space::global_space>(p) * in_global |
                   in_core<address_space::local_space>(p) * in_local |
                   in_core<address_space::private_space>(p) * in_private;
  return found == core ? found : changed;
}

constexpr int cases = 12, space_of[4] = {in_global, in_local, in_local, in_private};

void groups(sycl::queue &q, std::size_t size, std::size_t count) {
  const std::size_t items = size * count;
  std::vector<int> out(items * cases, -1), values(items, 1);
  {
    sycl::buffer<int> b(out), global(values);
    q.submit([&](sycl::handler &h) {
      sycl::accessor to(b, h, sycl::write_only);
      sycl::accessor from(global, h, sycl::read_write);
      sycl::local_accessor<int, 1> local(sycl::range<1>(size), h);
      h.parallel_for<class in_groups>(sycl::nd_range<1>(items, size), [=](sycl::nd_item<1> it) {
        const std::size_t i = it.get_global_id(0), l = it.get_local_id(0);
        auto variable =
            sycl::ext::oneapi::group_local_memory_for_overwrite<int[300]>(it.get_group());
        int mine[96] = {};
        int *table[4] = {&from[i], &local[l], &(*variable)[l], &mine[i % 96]};
        int *own = table[3];
        local[l] = (*variable)[l] = 1;
        const std::size_t shift = static_cast<std::size_t>(from[i]) + i;
        int *chosen = table[shift % 4];
        int *base = &to[i * cases];
        base[0] = spaces(&from[0]);
        base[1] = spaces(&local[l]);
        base[2] = spaces(&(*variable)[0]);
        base[3] = spaces(own);
        base[4] = spaces(chosen);
        base[5] = far_spaces(chosen);
        sycl::group_barrier(it.get_group());
        // What lives across a barrier may lie elsewhere than what does not.
        mine[(i + 1) % 96] = *chosen;
        base[6] = far_spaces(&mine[shift % 96]);
        base[7] = spaces_of_generic<decorated::no>(chosen);
        base[8] = spaces_of_generic<decorated::yes>(table[(shift + 1) % 4]);
        int *either = l % 3 == 0 ? &local[l] : l % 3 == 1 ? &from[i] : own;
        base[9] = spaces(either);
        sycl::group_barrier(it.get_group());
        base[10] = spaces(&mine[l % 96]) | spaces(own);
        base[11] = mine[(i + 1) % 96];
      });
    });
  }
  int wrong = 0;
  for (std::size_t i = 0; i < items; ++i) {
    const std::size_t shift = 1 + i, l = i % size;
    const int of_table = space_of[shift % 4], of_next = space_of[(shift + 1) % 4];
    const int of_either = l % 3 == 0 ? in_local : l % 3 == 1 ? in_global : in_private;
    const int spaces[cases] = {in_global,  in_local, in_local, in_private, of_table,  of_table,
                               in_private, of_table, of_next,  of_either,  in_private};
    for (int c = 0; c < cases - 1; ++c) {
      const int found = out[i * cases + c];
      const bool from_memory = c == 4 || c == 5 || c == 7 || c == 8;
      if (!(from_memory ? right_from_memory(found, spaces[c]) : right(found, spaces[c])) &&
          wrong++ < 10)
        std::printf("work-groups of %zu, item %zu, case %d: in %d, expected %d\n", size, i, c,
                    found, expected(spaces[c]));
    }
    wrong += out[i * cases + 11] != (shift % 4 == 3 ? 0 : 1);
  }
  CHECK(wrong == 0);
}

// A range kernel, and memory of the program's own stack: the thread that waits may be the one that
// runs the kernel.
void ranges(sycl::queue &q) {
  constexpr int items = 37;
  int values[items] = {}, out[items * 3];
  {
    sycl::buffer<int> global(values, items), b(out, items * 3);
    q.submit([&](sycl::handler &h) {
      sycl::accessor from(global, h, sycl::read_write);
      sycl::accessor to(b, h, sycl::write_only);
      h.parallel_for<class in_range>(sycl::range<1>(items), [=](sycl::item<1> it) {
        const std::size_t i = it.get_id(0);
        int mine[2] = {1, from[i]};
        int *table[2] = {mine + 1, &from[i]};
        to[i * 3] = far_spaces(table[from[i] % 2]);
        to[i * 3 + 1] = far_spaces(table[(from[i] + 1) % 2]);
        to[i * 3 + 2] = spaces(table[(from[i] + i) % 2]);
      });
    });
    q.wait();
  }
  int wrong = 0;
  for (int i = 0; i < items; ++i)
    wrong += !right_from_memory(out[i * 3], in_private) ||
             !right_from_memory(out[i * 3 + 1], in_global) ||
             !right_from_memory(out[i * 3 + 2], i % 2 ? in_global : in_private);
  CHECK(wrong == 0);
}

void task(sycl::queue &q) {
  int **pointers = sycl::malloc_shared<int *>(2, q);
  int *out = sycl::malloc_shared<int>(4, q);
  int *far = sycl::malloc_device<int>(1, q);
  CHECK(pointers && out && far);
  pointers[0] = far;
  pointers[1] = out;
  q.single_task<class in_task>([=] {
     int mine = 1;
     out[0] = far_spaces(pointers[0]);
     pointers[0] = &mine;
     out[1] = far_spaces(pointers[0]);
     out[2] = spaces(pointers[1]);
     out[3] =
         sycl::khr::dynamic_addrspace_cast<address_space::generic_space>(&mine).get_raw() == &mine;
   }).wait();
  CHECK(right_from_memory(out[0], in_global) && right_from_memory(out[1], in_private));
  CHECK(right_from_memory(out[2], in_global) && out[3] == 1);
  sycl::free(pointers, q);
  sycl::free(out, q);
  sycl::free(far, q);
}

} // namespace

int main() {
  static_assert(SYCL_KHR_DYNAMIC_ADDRSPACE_CAST == 1);
  sycl::queue q;
  device_is_vague = q.get_backend() == sycl::backend::opencl && q.get_device().is_cpu();
  groups(q, 32, 3);
  groups(q, 5, 3);
  // Too much for the stack, where it lives across a barrier.
  groups(q, 256, 1);
  ranges(q);
  if (q.get_device().has(sycl::aspect::usm_shared_allocations))
    task(q);
  return check::result();
}
