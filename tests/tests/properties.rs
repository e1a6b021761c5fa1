//! Compile-time properties from source to SPIR-V: the examples of the design document as programs, in the IR of post-link and
//! in the module that drivers get.

use scythe_tests::{Project, prefix};

/// The document's examples with its names.
const PROGRAM: &str = r#"
#include <sycl/sycl.hpp>
using namespace sycl;
using namespace sycl::ext::oneapi;
namespace program {
// SYCL has a class of this name, too.
using ext::oneapi::property_list;

struct foo {
  static constexpr const char *meta_name = "sycl-foo";
  template <int N> using value_t = property_value<foo, std::integral_constant<int, N>>;
};
template <int N> inline constexpr foo::value_t<N> foo_v{};
struct bar {
  static constexpr const char *meta_name = "bar";
  template <int N> using value_t = property_value<bar, std::integral_constant<int, N>>;
};

// A variable.
device_global<int, property_list_t<device_image_scope::value_t, host_access::value_t<host_access::access::read>>> dm1;

// A kernel function object with properties.
class MyKernel {
  int *p;

public:
  MyKernel(int *p) : p(p) {}
  void operator()() const { p[0] = 1; }
  static constexpr auto properties = property_list{sub_group_size_v<32>, device_has_v<aspect::fp16>};
};

// A structure with a member that has properties.
struct node {
  int key;
  annotated_ptr<int, property_list_t<foo::value_t<1>, bar::value_t<32>>> next;
};

void submit(queue &q, buffer<int> buf, node *nodes, int *p) {
  q.submit([&](handler &cgh) {
    accessor acc(buf, cgh, property_list{no_alias_v, foo_v<32>});
    cgh.parallel_for<class Accessor>(range<1>(4), [=](id<1> i) { acc[i] = dm1; });
  });
  q.submit([&](handler &cgh) {
    cgh.single_task<class Listed>(property_list{sub_group_size_v<32>, device_has_v<aspect::fp16>}, [=] { p[0] = 2; });
  });
  q.submit([&](handler &cgh) { cgh.single_task(MyKernel(p)); });
  q.parallel_for<class Members>(range<1>(4), [=](id<1> i) { nodes[i].next[0] = nodes[i].key; });
}
} // namespace program
"#;

#[test]
fn properties_reach_spirv() {
    let p = Project::new().file("a.cpp", PROGRAM);
    for level in ["-O0", "-O2"] {
        p.scythe(&["-fsycl", "-fsycl-device-only", level, "a.cpp", "-o", "a.bc"]).ok();
        let tools = prefix().join("bin/scythe-tools");
        p.run(&tools, &["sycl-post-link", "-S", "-o", "out.table", "a.bc"]).ok();
        let [mut ir, mut spirv] = [String::new(), String::new()];
        // Kernels that need fp16 have an image of their own.
        for part in ["out_0", "out_1"] {
            ir += &String::from_utf8_lossy(&p.read(&format!("{part}.ll")));
            p.run(&tools, &["spirv-translate", "-o", "out.spv", &format!("{part}.ll")]).ok();
            p.run("spirv-val", &["--target-env", "spv1.4", "out.spv"]).ok();
            spirv += &p.run("spirv-dis", &["--raw-id", "out.spv"]).ok().stdout;
        }
        let has = |text: &str, part: &str| assert!(text.contains(part), "{level}: no '{part}' in {text}");
        for part in [
            "\"sycl-foo\"=\"32\" \"sycl-no-alias\" %",
            "!spirv.ParameterDecorations !",
            " = !{i32 38, i32 4}",
            "\"sycl-device-image-scope\" \"sycl-host-access\"=\"read\"",
            ", !spirv.Decorations !",
            " = !{i32 6188, i32 1, !\"_ZN7program3dm1E\"}",
            "\"sycl-sub-group-size\"=\"32\"",
            "!spirv.ExecutionMode = !{!",
            " = !{ptr @_ZTSN7program8MyKernelE, i32 35, i32 32}",
            "c\"sycl-properties:bar=32,sycl-foo=1\\00\"",
        ] {
            has(&ir, part);
        }
        assert_eq!(ir.matches(", i32 35, i32 32}").count(), 2, "{level}: two kernels ask for it: {ir}");
        for part in [
            "FuncParamAttr NoAlias",
            "SubgroupSize 32",
            "UserSemantic \"sycl-properties:bar=32,sycl-foo=1\"",
            "OpMemberDecorate %",
        ] {
            has(&spirv, part);
        }
        // What the driver was not told to know is not there.
        assert!(!spirv.contains("HostAccess"), "{spirv}");
    }
}
