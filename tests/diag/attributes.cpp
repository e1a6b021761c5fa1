// Attributes whose arguments are wrong, or contradict each other.
// RUN: not device-pass -w %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

[[sycl::reqd_sub_group_size(8)]] SYCL_EXTERNAL void twice(); // NOTE: 'sycl::reqd_sub_group_size(8)' is here
[[sycl::reqd_sub_group_size(16)]] SYCL_EXTERNAL void twice() {} // ERROR: 'sycl::reqd_sub_group_size(16)' of 'twice' contradicts 'sycl::reqd_sub_group_size(8)': keep one of them [scythe-E0144]
[[sycl::reqd_sub_group_size(8)]] SYCL_EXTERNAL void same();
[[sycl::reqd_sub_group_size(8)]] SYCL_EXTERNAL void same() {}
[[sycl::reqd_work_group_size(8)]] SYCL_EXTERNAL void launched() {} // ERROR: 'sycl::reqd_work_group_size' attribute cannot apply to the SYCL_EXTERNAL function 'launched': move the attribute to the kernel [scythe-E0146]

// Arguments that depend on template parameters are checked where they are known.
template <int N> struct Sized {
  [[sycl::reqd_sub_group_size(N)]] void operator()() const {} // ERROR: argument 1 of 'sycl::reqd_sub_group_size' must be positive, not 0 [scythe-E0143]
};

// A kernel must require what the functions that it calls require, however deep the call is.
[[sycl::reqd_sub_group_size(64)]] inline int wide(int x) { return x; } // NOTE: 'sycl::reqd_sub_group_size(64)' is here // NOTE: 'sycl::reqd_sub_group_size(64)' is here
inline int deep(int x) { return wide(x); } // ERROR: 'wide' requires 'sycl::reqd_sub_group_size(64)', but kernel 'narrow', which calls it, has 'sycl::reqd_sub_group_size(16)': require the same size in both [scythe-E0145] // ERROR: 'wide' requires 'sycl::reqd_sub_group_size(64)', but kernel 'unsized', which calls it, has no such attribute: add it to the kernel [scythe-E0145]
[[sycl::reqd_work_group_size(8)]] inline int grouped(int x) { return x; }

int main() {
  sycl::queue q;
  int *p = nullptr;
  q.single_task<class zero>(Sized<0>());
  q.single_task<class eight>(Sized<8>());
  q.single_task<class narrow>([=]() [[sycl::reqd_sub_group_size(16)]] { p[0] = deep(p[1]); });
  q.single_task<class fitting>([=]() [[sycl::reqd_sub_group_size(64)]] { p[0] = deep(p[1]); });
  q.single_task<class unsized>([=] { p[0] = deep(p[1]); });
  q.single_task<class other>([=]() [[sycl::reqd_work_group_size(4)]] { p[0] = grouped(p[1]); }); // ERROR: 'grouped' requires 'sycl::reqd_work_group_size(8)', but kernel 'other', which calls it, has 'sycl::reqd_work_group_size(4)': require the same size in both [scythe-E0145]
  q.single_task<class equal>([=]() [[sycl::reqd_work_group_size(8)]] { p[0] = grouped(p[1]); });
  q.single_task<class named>([=]() [[intel::named_sub_group_size(automatic)]] {});
}
