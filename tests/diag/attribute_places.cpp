// An attribute is honoured where it stands, or it is an error there: positions, arguments, names.
// RUN: not device-pass -w -Wno-everything %s 2>&1 | check-diagnostics %s
#include <sycl/sycl.hpp>

#define SIZED(n) [[sycl::reqd_sub_group_size(n)]]
#define ATTRIBUTE(x) [[x]]

[[sycl::reqd_sub_group_size(8)]] int variable; // ERROR: 'sycl::reqd_sub_group_size' attribute only applies to functions
SIZED(8) int from_macro; // ERROR: 'sycl::reqd_sub_group_size' attribute only applies to functions
<:<:sycl::reqd_sub_group_size(8):>:> int digraph; // ERROR: 'sycl::reqd_sub_group_size' attribute only applies to functions
ATTRIBUTE(intel::reqd_sub_group_size(8)) int inside; // ERROR: 'intel::reqd_sub_group_size' attribute only applies to functions
[[using sycl: work_group_size_hint(8), device_has()]] int listed; // ERROR: 'sycl::work_group_size_hint' attribute only // ERROR: 'sycl::device_has' attribute only
struct [[sycl::device_has(sycl::aspect::fp16)]] Class {}; // ERROR: 'sycl::device_has' attribute only applies to functions
[[sycl_detail::uses_aspects(sycl::aspect::fp16)]] int used; // ERROR: 'sycl_detail::uses_aspects' attribute only applies to functions and classes
void parameter([[sycl::reqd_work_group_size(8)]] int x); // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions
enum Enumeration { enumerator [[sycl::reqd_work_group_size(8)]] }; // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions
struct Members {
  int bits [[sycl::vec_type_hint(int)]] : 5; // ERROR: 'sycl::vec_type_hint' attribute only applies to functions
  int field [[intel::named_sub_group_size(primary)]]; // ERROR: 'intel::named_sub_group_size' attribute only applies to functions
};
void statement() { [[sycl::reqd_work_group_size(8)]] return; } // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions
void after(bool b) { if (b) [[sycl::reqd_work_group_size(8)]] return; } // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions
void [[sycl::reqd_work_group_size(8)]] type(); // ERROR: 'sycl::reqd_work_group_size' attribute cannot be applied to types
using Alias [[sycl::reqd_work_group_size(8)]] = int; // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions
namespace [[sycl::reqd_work_group_size(8)]] space {} // ERROR: 'sycl::reqd_work_group_size' attribute only applies to functions

enum class other { value };
int changes;
[[sycl::device_has(1)]] void number(); // ERROR: argument 1 of 'sycl::device_has' must be a value of 'sycl::aspect'
[[sycl::device_has("123")]] void text(); // ERROR: argument 1 of 'sycl::device_has' must be a value of 'sycl::aspect'
[[sycl::device_has(1.5)]] void real(); // ERROR: argument 1 of 'sycl::device_has' must be a value of 'sycl::aspect'
[[sycl::device_has(sycl::aspect::fp16, other::value)]] void enumeration(); // ERROR: argument 2 of 'sycl::device_has' must be a value of 'sycl::aspect'
[[sycl::device_has(static_cast<sycl::aspect>(999999))]] void unheard(); // ERROR: argument 1 of 'sycl::device_has' is 999999, which is no value of 'sycl::aspect'
[[sycl::reqd_work_group_size(1.5)]] void fraction(); // ERROR: argument 1 of 'sycl::reqd_work_group_size' must be an integer constant, not a floating-point number
[[sycl::reqd_work_group_size(other::value)]] void scoped(); // ERROR: argument 1 of 'sycl::reqd_work_group_size' must be an integer constant
[[sycl::reqd_work_group_size("x")]] void letters(); // ERROR: argument 1 of 'sycl::reqd_work_group_size' must be an integer constant, not a text
[[sycl::reqd_work_group_size()]] void none(); // ERROR: 'sycl::reqd_work_group_size' attribute takes one to three arguments, not 0
[[sycl::reqd_work_group_size]] void bare(); // ERROR: 'sycl::reqd_work_group_size' attribute takes one to three arguments, not 0
[[sycl::reqd_work_group_size(8, 8, 8, 8)]] void many(); // ERROR: 'sycl::reqd_work_group_size' attribute takes one to three arguments, not 4
[[sycl::work_group_size_hint(8, 0)]] void zero(); // ERROR: argument 2 of 'sycl::work_group_size_hint' must be positive, not 0
[[sycl::reqd_sub_group_size(-1)]] void negative(); // ERROR: argument 1 of 'sycl::reqd_sub_group_size' must be positive, not -1
[[sycl::reqd_sub_group_size(8, 8)]] void pair(); // ERROR: 'sycl::reqd_sub_group_size' attribute takes one argument, not 2
[[sycl::reqd_sub_group_size(changes)]] void dynamic(); // ERROR: argument 1 of 'sycl::reqd_sub_group_size' must be a constant expression
[[sycl::vec_type_hint(5)]] void no_type(); // ERROR: expected a type
[[intel::named_sub_group_size(biggest)]] void named(); // ERROR: argument 1 of 'intel::named_sub_group_size' must be 'automatic' or 'primary', not 'biggest'
[[sycl::reqd_sub_group_size(8), sycl::reqd_sub_group_size(16)]] void both(); // ERROR: 'sycl::reqd_sub_group_size(16)' contradicts 'sycl::reqd_sub_group_size(8)'
[[intel::named_sub_group_size(primary)]] [[sycl::reqd_sub_group_size(8)]] void kinds(); // ERROR: 'sycl::reqd_sub_group_size(8)' contradicts 'intel::named_sub_group_size(primary)'

[[sycl::reqd_workgroup_size(8)]] void misspelt(); // ERROR: unknown attribute 'sycl::reqd_workgroup_size'; did you mean 'sycl::reqd_work_group_size'?
[[intel::device_has()]] void elsewhere(); // ERROR: unknown attribute 'intel::device_has'; did you mean 'sycl::device_has'?
[[intel::max_work_group_size(8, 8, 8)]] void unsupported(); // ERROR: attribute 'intel::max_work_group_size' is not supported

SYCL_EXTERNAL int no_function; // ERROR: 'SYCL_EXTERNAL' only applies to functions and to variables of class 'device_global'
struct SYCL_EXTERNAL NoFunction {}; // ERROR: 'SYCL_EXTERNAL' only applies to functions and to variables of class 'device_global'
SYCL_EXTERNAL extern "C" { void block(); } // ERROR: 'SYCL_EXTERNAL' only applies to functions and to variables of class 'device_global'
static SYCL_EXTERNAL void internal() {} // ERROR: 'sycl_external' can only be applied to functions with external linkage
