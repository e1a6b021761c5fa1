// An attribute that is not honoured is an error: positions, arguments, names.
// RUN: not device-pass -w -Wno-everything %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

#define SIZED(n) [[sycl::reqd_sub_group_size(n)]]
#define ATTRIBUTE(x) [[x]]

[[sycl::reqd_sub_group_size(8)]] int variable; // ERROR: 'sycl::reqd_sub_group_size' attribute only applies to functions [scythe-E0140]
SIZED(8) int from_macro; // ERROR: 'sycl::reqd_sub_group_size' attribute only applies to functions [scythe-E0140]
<:<:sycl::reqd_sub_group_size(8):>:> int digraph; // ERROR: 'sycl::reqd_sub_group_size' attribute only applies to functions [scythe-E0140]
ATTRIBUTE(intel::reqd_sub_group_size(8)) int inside; // ERROR: 'intel::reqd_sub_group_size' attribute only applies to functions [scythe-E0140]
[[using sycl: work_group_size_hint(8), device_has()]] int listed; // ERROR: 'sycl::work_group_size_hint' attribute only applies to functions [scythe-E0140] // ERROR: 'sycl::device_has' attribute only applies to functions [scythe-E0140]
struct [[sycl::device_has(sycl::aspect::fp16)]] Class {}; // ERROR: 'sycl::device_has' attribute only applies to functions [scythe-E0140]
[[sycl_detail::uses_aspects(sycl::aspect::fp16)]] int used; // ERROR: 'sycl_detail::uses_aspects' attribute only applies to functions and classes [scythe-E0140]
void parameter([[sycl::reqd_work_group_size(8)]] int x); // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions [scythe-E0140]
enum Enumeration { enumerator [[sycl::reqd_work_group_size(8)]] }; // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions [scythe-E0140]
struct Members {
  int bits [[sycl::vec_type_hint(int)]] : 5; // ERROR: 'sycl::vec_type_hint' attribute only applies to functions [scythe-E0140]
  int field [[intel::named_sub_group_size(primary)]]; // ERROR: 'intel::named_sub_group_size' attribute only applies to functions [scythe-E0140]
};
void statement() { [[sycl::reqd_work_group_size(8)]] return; } // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions [scythe-E0140]
void after(bool b) { if (b) [[sycl::reqd_work_group_size(8)]] return; } // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions [scythe-E0140]
void [[sycl::reqd_work_group_size(8)]] type(); // ERROR: 'sycl::reqd_work_group_size' attribute cannot be applied to types
using Alias [[sycl::reqd_work_group_size(8)]] = int; // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions [scythe-E0140]
namespace [[sycl::reqd_work_group_size(8)]] space {} // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions [scythe-E0140]

enum class other { value };
int changes;
[[sycl::device_has(1)]] void number(); // ERROR: argument 1 of 'sycl::device_has' must be a value of 'sycl::aspect' [scythe-E0143]
[[sycl::device_has("123")]] void text(); // ERROR: argument 1 of 'sycl::device_has' must be a value of 'sycl::aspect' [scythe-E0143]
[[sycl::device_has(1.5)]] void real(); // ERROR: argument 1 of 'sycl::device_has' must be a value of 'sycl::aspect' [scythe-E0143]
[[sycl::device_has(sycl::aspect::fp16, other::value)]] void enumeration(); // ERROR: argument 2 of 'sycl::device_has' must be a value of 'sycl::aspect' [scythe-E0143]
[[sycl::device_has(static_cast<sycl::aspect>(999999))]] void unheard(); // ERROR: argument 1 of 'sycl::device_has' must be a value of 'sycl::aspect', not 999999 [scythe-E0143]
[[sycl::reqd_work_group_size(1.5)]] void fraction(); // ERROR: argument 1 of 'sycl::reqd_work_group_size' must be an integer constant, not a floating-point number [scythe-E0143]
[[sycl::reqd_work_group_size(other::value)]] void scoped(); // ERROR: argument 1 of 'sycl::reqd_work_group_size' must be an integer constant [scythe-E0143]
[[sycl::reqd_work_group_size("x")]] void letters(); // ERROR: argument 1 of 'sycl::reqd_work_group_size' must be an integer constant, not a string [scythe-E0143]
[[sycl::reqd_work_group_size()]] void none(); // ERROR: 'sycl::reqd_work_group_size' attribute takes one to three arguments, not 0 [scythe-E0142]
[[sycl::reqd_work_group_size]] void bare(); // ERROR: 'sycl::reqd_work_group_size' attribute takes one to three arguments, not 0 [scythe-E0142]
[[sycl::reqd_work_group_size(8, 8, 8, 8)]] void many(); // ERROR: 'sycl::reqd_work_group_size' attribute takes one to three arguments, not 4 [scythe-E0142]
[[sycl::work_group_size_hint(8, 0)]] void zero(); // ERROR: argument 2 of 'sycl::work_group_size_hint' must be positive, not 0 [scythe-E0143]
[[sycl::reqd_sub_group_size(-1)]] void negative(); // ERROR: argument 1 of 'sycl::reqd_sub_group_size' must be positive, not -1 [scythe-E0143]
[[sycl::reqd_sub_group_size(8, 8)]] void pair(); // ERROR: 'sycl::reqd_sub_group_size' attribute takes one argument, not 2 [scythe-E0142]
[[sycl::reqd_sub_group_size(changes)]] void dynamic(); // ERROR: argument 1 of 'sycl::reqd_sub_group_size' must be a constant expression [scythe-E0143]
[[sycl::vec_type_hint(5)]] void no_type(); // ERROR: expected a type
[[intel::named_sub_group_size(biggest)]] void named(); // ERROR: argument 1 of 'intel::named_sub_group_size' must be 'automatic' or 'primary', not 'biggest' [scythe-E0143]
[[sycl::reqd_sub_group_size(8), sycl::reqd_sub_group_size(16)]] void both(); // ERROR: 'sycl::reqd_sub_group_size(16)' contradicts 'sycl::reqd_sub_group_size(8)': keep one of them [scythe-E0144]
[[intel::named_sub_group_size(primary)]] [[sycl::reqd_sub_group_size(8)]] void kinds(); // ERROR: 'sycl::reqd_sub_group_size(8)' contradicts 'intel::named_sub_group_size(primary)': keep one of them [scythe-E0144]

[[sycl::reqd_workgroup_size(8)]] void misspelt(); // ERROR: unknown attribute 'sycl::reqd_workgroup_size'; did you mean 'sycl::reqd_work_group_size'? [scythe-E0147]
[[intel::device_has()]] void elsewhere(); // ERROR: unknown attribute 'intel::device_has'; did you mean 'sycl::device_has'? [scythe-E0147]
[[intel::max_work_group_size(8, 8, 8)]] void unsupported(); // ERROR: attribute 'intel::max_work_group_size' is not supported, and a kernel may be wrong without it: remove the attribute [scythe-E0148]

SYCL_EXTERNAL int no_function; // ERROR: 'SYCL_EXTERNAL' only applies to functions and to variables of class 'device_global' [scythe-E0141]
struct SYCL_EXTERNAL NoFunction {}; // ERROR: 'SYCL_EXTERNAL' only applies to functions and to variables of class 'device_global' [scythe-E0141]
SYCL_EXTERNAL extern "C" { void block(); } // ERROR: 'SYCL_EXTERNAL' only applies to functions and to variables of class 'device_global' [scythe-E0141]
static SYCL_EXTERNAL void internal() {} // ERROR: 'sycl_external' can only be applied to functions with external linkage
