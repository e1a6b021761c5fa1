// The compiler cannot call the member function that returns the properties of a kernel.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

using namespace sycl::ext::oneapi::experimental;

class Hidden {
  auto get(properties_tag) const { return properties{sub_group_size<8>}; } // ERROR: 'get(properties_tag)' of the kernel's functor is not public, so its properties would have no effect: make it public [scythe-E0124]

public:
  void operator()() const {}
};
struct Deleted {
  void get(properties_tag) const = delete; // ERROR: 'get(properties_tag)' of the kernel's functor is deleted, so its properties would have no effect: define it, or remove it [scythe-E0124]
  void operator()() const {}
};
struct Temporary {
  auto get(properties_tag) && { return properties{sub_group_size<8>}; } // ERROR: 'get(properties_tag)' of the kernel's functor is only callable for temporary objects, so its properties would have no effect: remove '&&' [scythe-E0124]
  void operator()() const {}
};

int main() {
  sycl::queue q;
  q.single_task(Hidden()); // NOTE: in kernel 'Hidden'
  q.single_task(Deleted());
  q.single_task(Temporary());
}
