// Attributes whose arguments are wrong, or contradict each other.
#include <sycl/sycl.hpp>

[[sycl::reqd_sub_group_size(8)]] SYCL_EXTERNAL void twice(); // NOTE: 'sycl::reqd_sub_group_size(8)' is here
[[sycl::reqd_sub_group_size(16)]] SYCL_EXTERNAL void twice() {} // ERROR: 'sycl::reqd_sub_group_size(16)' of 'twice' contradicts 'sycl::reqd_sub_group_size(8)'
[[sycl::reqd_sub_group_size(8)]] SYCL_EXTERNAL void same();
[[sycl::reqd_sub_group_size(8)]] SYCL_EXTERNAL void same() {}

int main() {
  sycl::queue q;
  q.single_task<class a>([=]() [[sycl::reqd_sub_group_size(0)]] {}); // ERROR: 'sycl::reqd_sub_group_size(0)' wants one positive size
  q.single_task<class b>([=]() [[sycl::reqd_work_group_size(8, 8, 8, 8)]] {}); // ERROR: 'sycl::reqd_work_group_size(8, 8, 8, 8)' wants one to three positive sizes
  q.single_task<class c>([=]() [[intel::named_sub_group_size(biggest)]] {}); // ERROR: 'intel::named_sub_group_size(biggest)' wants 'automatic' or 'primary'
  q.single_task<class d>([=]() [[intel::named_sub_group_size(primary)]] [[sycl::reqd_sub_group_size(8)]] {}); // ERROR: contradicts ## 'intel::named_sub_group_size(primary)' is here
  q.single_task<class e>([=]() [[intel::named_sub_group_size(automatic)]] {});
}
