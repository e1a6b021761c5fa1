// Notes name what kernels can use in place of what they cannot.
// RUN: not device-pass -w %s 2> messages
// RUN: FileCheck --check-prefix=PRINT %s < messages
// RUN: FileCheck --check-prefix=THROW %s < messages
// RUN: FileCheck --check-prefix=AT %s < messages
// RUN: FileCheck --check-prefix=NEW %s < messages
// RUN: FileCheck --check-prefix=CAPTURE %s < messages
// RUN: FileCheck --check-prefix=LOCAL %s < messages
#include <functional>
#include <iostream>
#include <sycl/sycl.hpp>
#include <vector>

int twice(int i) { return 2 * i; }
namespace own {
int cout;
}

// PRINT: error: SYCL kernel cannot use a non-const global variable [scythe-E0109]
// PRINT: note: 'cout' declared here
// PRINT: {{^}}note: kernels print with 'sycl::stream' or 'sycl::ext::oneapi::experimental::printf'{{$}}
// PRINT: note: called by kernel 'prints'
// PRINT: error: SYCL kernel cannot use a non-const global variable [scythe-E0109]
// PRINT: note: 'cout' declared here
// PRINT-NOT: {{^}}note:
// PRINT: note: called by kernel 'other'

// THROW: hints.cpp:{{[0-9]+}}:{{[0-9]+}}: error: SYCL kernel cannot use exceptions [scythe-E0101]
// THROW: {{^}}note: write an error code to memory that the host reads after the kernel, or use 'assert'{{$}}
// THROW: note: called by kernel 'throws'

// AT: note: '__throw_out_of_range_fmt' declared here
// AT: {{^}}note: write an error code to memory that the host reads after the kernel, or use
// AT-SAME: {{ }}'assert'{{$}}

// NEW: hints.cpp:{{[0-9]+}}:{{[0-9]+}}: error: SYCL kernel cannot allocate storage [scythe-E0107]
// NEW: {{^}}note: allocate before the launch, with a buffer or 'sycl::malloc_device'; in the kernel, use arrays of constant length or a 'sycl::local_accessor'{{$}}
// NEW: note: called by kernel 'allocates'

// CAPTURE: error: 'std::function<int (int)>' captured as 'f' is not device copyable
// CAPTURE: {{^}}note: use a lambda or a function object: its type, as in 'auto f' or a template parameter, tells the compiler which function runs{{$}}
// CAPTURE: note: in kernel 'captures'

// LOCAL: error: SYCL kernel cannot call through a function pointer [scythe-E0103]
// LOCAL: {{^}}note: use a lambda or a function object: its type, as in 'auto f' or a template parameter, tells the compiler which function runs{{$}}
// LOCAL: note: called by kernel 'calls'

int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  q.single_task<class prints>([=] { static_cast<void>(std::cout.good()); });
  q.single_task<class other>([=] { p[0] = own::cout; });
  q.single_task<class throws>([=] {
    if (p[0])
      throw 1;
  });
  q.single_task<class indexes>([=] { p[0] = std::vector<int>().at(p[0]); });
  q.single_task<class allocates>([=] { p[1] = *new int(3); });
  std::function<int(int)> f = twice;
  q.single_task<class captures>([=] { p[2] = f(1); });
  q.single_task<class calls>([=] {
    std::function<int(int)> g = twice;
    p[2] = g(1);
  });
}
