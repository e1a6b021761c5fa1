//! Tests compile-time properties from source to SPIR-V: the examples of the design document as
//! programs, in the IR of post-link and in the module for drivers.

use scythe_tests::{Project, prefix};

/// The document's examples, with its names.
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
        // Kernels that need fp16 have a separate image.
        for part in ["out_0", "out_1"] {
            ir += &String::from_utf8_lossy(&p.read(&format!("{part}.ll")));
            p.run(&tools, &["spirv-translate", "-o", "out.spv", &format!("{part}.ll")]).ok();
            p.run("spirv-val", &["--target-env", "spv1.4", "out.spv"]).ok();
            spirv += &p.run("spirv-dis", &["--raw-id", "out.spv"]).ok().stdout;
        }
        let has =
            |text: &str, part: &str| assert!(text.contains(part), "{level}: no '{part}' in {text}");
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
        assert_eq!(
            ir.matches(", i32 35, i32 32}").count(),
            2,
            "{level}: two kernels ask for it: {ir}"
        );
        for part in [
            "FuncParamAttr NoAlias",
            "SubgroupSize 32",
            "UserSemantic \"sycl-properties:bar=32,sycl-foo=1\"",
            "OpMemberDecorate %",
        ] {
            has(&spirv, part);
        }
        // Extensions that are not enabled for the driver are not used.
        assert!(!spirv.contains("HostAccess"), "{spirv}");
    }
}

/// Returns a program with a kernel's function object with this member, launched with this list.
fn program(member: &str, list: &str) -> Project {
    let text = format!(
        "#include <sycl/sycl.hpp>\n\
         using namespace sycl::ext::oneapi::experimental;\n\
         struct functor {{\n{member}\n\
         public:\n  void operator()(sycl::nd_item<1>) const {{}}\n}};\n\
         int main() {{\n  sycl::queue q;\n\
         q.parallel_for(sycl::nd_range<1>(16, 16), properties{{{list}}}, functor{{}});\n}}\n"
    );
    Project::new().file("a.cpp", &text)
}

/// Properties that cannot be honoured are errors, with clang and with a foreign host compiler.
#[test]
fn properties_that_a_kernel_cannot_have_are_errors() {
    let get = |qualifiers: &str, list: &str| {
        format!("auto get(properties_tag) {qualifiers} {{ return {list}; }}")
    };
    let sixteen = get("", "properties{work_group_size<16>}");
    for (member, list, message) in [
        (get("", "16"), "", "must return a property list"),
        (sixteen.clone(), "work_group_size<8>", "set the same property to different values"),
        (
            format!("{sixteen}\n{}", get("const", "properties{}")),
            "",
            "must return the same properties for const and non-const objects",
        ),
        (
            format!("private:\n{sixteen}"),
            "",
            "'get(properties_tag)' of the kernel's functor is not public",
        ),
        (
            format!("protected:\n{sixteen}"),
            "",
            "'get(properties_tag)' of the kernel's functor is not public",
        ),
        ("auto get(properties_tag) = delete;".to_owned(), "", "is deleted"),
        (get("&&", "properties{}"), "", "is only callable for temporary objects"),
    ] {
        let p = program(&member, list);
        p.scythe(&["-fsycl", "a.cpp", "-o", "app"]).fails().stderr_has(message);
        p.scythe(&["-fsycl", "-fsycl-host-compiler=g++", "a.cpp", "-o", "app"])
            .fails()
            .stderr_has(message);
    }
    program(&sixteen, "work_group_size<16>").scythe(&["-fsycl", "a.cpp", "-o", "app"]).ok();
    // Another function with the name `get` does not define properties.
    let other = "private:\n  int get(int x) const { return x; }\n  int get() const { return 1; }";
    program(other, "work_group_size<16>").scythe(&["-fsycl", "a.cpp", "-o", "app"]).ok();
}

/// A list without an effect is an error.
#[test]
fn lists_that_nobody_reads_are_errors() {
    for (call, message) in [
        (
            "submit(q, properties{work_group_size<8>}, [](sycl::handler &) {});",
            "a command group takes no property but event_mode",
        ),
        (
            "annotated_ptr<int> pointer(nullptr, properties{sycl::ext::oneapi::alignment_v<16>});",
            "must match the property list of the class",
        ),
        (
            "q.submit([&](sycl::handler &h) { h.single_task(properties{work_group_size<8>}, \
             *object); });",
            "remove the properties that affect compilation",
        ),
    ] {
        let text = format!(
            "#include <sycl/sycl.hpp>\nusing namespace sycl::ext::oneapi::experimental;\n\
             void use(sycl::queue q, sycl::kernel *object) {{\n  (void)object;\n  {call}\n}}\n"
        );
        let p = Project::new().file("a.cpp", &text);
        p.scythe(&["-fsycl", "-c", "a.cpp", "-o", "a.o"]).fails().stderr_has(message);
    }
}
