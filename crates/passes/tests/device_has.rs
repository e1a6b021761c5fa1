//! Checks the code that remains of `if_device_has` for a known device.

use scythe_llvm::{Context, Module};
use scythe_passes::device_has;

/// Two branches and an else, as in code without optimisation, with a function that all branches
/// share.
const CODE: &str = "
    target triple = \"spirv64-unknown-unknown\"
    declare spir_func zeroext i1 @__scythe_device_has(i32)
    define spir_kernel void @kernel(ptr addrspace(1) %p) noinline optnone {
      %waiting = alloca i8
      %a = call spir_func zeroext i1 @__scythe_device_has(i32 1000)
      %b = call spir_func zeroext i1 @__scythe_device_has(i32 1021)
      %both = and i1 %a, %b
      br i1 %both, label %first, label %next
    first:
      call spir_func void @first()
      store i8 0, ptr %waiting
      br label %end
    next:
      call spir_func void @second()
      store i8 1, ptr %waiting
      br label %end
    end:
      %w = load i8, ptr %waiting
      %c = icmp ne i8 %w, 0
      br i1 %c, label %third, label %out
    third:
      call spir_func void @third()
      br label %out
    out:
      ret void
    }
    define internal spir_func void @first() noinline \"scythe-conditional\" { call spir_func void \
    @one() ret void }
    define internal spir_func void @second() noinline optnone \"scythe-conditional\" { call \
    spir_func void @shared() ret void }
    define internal spir_func void @third() noinline \"scythe-conditional\" { call spir_func void \
    @shared() ret void }
    define internal spir_func void @one() { ret void }
    define internal spir_func void @shared() { ret void }
    define spir_func void @exported() { ret void }";

fn folded<'ctx>(context: &'ctx Context, aspects: &[u32]) -> (Module<'ctx>, Vec<String>) {
    let module = context.parse_ir(CODE.as_bytes(), "test").expect("valid IR");
    device_has::fold(&module, aspects).expect("it can be folded");
    module.verify().expect("it is still valid");
    let names = module.functions().filter(|f| !f.is_declaration()).map(|f| f.name()).collect();
    (module, names)
}

#[test]
fn branches_that_are_not_taken_are_gone_with_all_that_only_they_use() {
    let context = Context::new();
    let (module, names) = folded(&context, &[7, 1000, 1021]);
    assert_eq!(names, ["kernel", "first", "one", "exported"], "{module}");
    let (module, names) = folded(&context, &[1000]);
    assert_eq!(names, ["kernel", "second", "third", "shared", "exported"], "{module}");
    assert_eq!(folded(&context, &[]).1, names);
}

#[test]
fn branches_that_are_taken_become_plain_functions() {
    let context = Context::new();
    let (module, _) = folded(&context, &[]);
    let text = module.to_string();
    assert!(!text.contains("scythe-conditional") && !text.contains("br i1"), "{text}");
    assert!(!text.contains("call spir_func zeroext i1 @__scythe_device_has"), "{text}");
    let attributes = |name: &str| {
        let function = module.function(name).expect("it is there");
        ["noinline", "optnone"]
            .map(|a| function.enum_attribute(scythe_llvm::Place::Function, a).is_some())
    };
    // Functions keep `optnone` and `noinline`, except where `fold` had to remove them.
    assert_eq!(
        [attributes("kernel"), attributes("second"), attributes("third")],
        [[false; 2], [true; 2], [false; 2]]
    );
}

#[test]
fn code_that_does_not_ask_is_left_alone() {
    let context = Context::new();
    let code = "define internal void @unused() \"scythe-conditional\" { ret void }\n";
    let module = context.parse_ir(code.as_bytes(), "test").expect("valid IR");
    let before = module.to_string();
    device_has::fold(&module, &[1000]).expect("it can be folded");
    assert_eq!(module.to_string(), before);
}

/// A branch whose condition does not hold is not compiled, even if the query's answer is not
/// folded. Here the answer goes through memory that other code may change.
#[test]
fn a_branch_whose_condition_does_not_hold_loses_its_body() {
    let code = "
        declare i1 @__scythe_device_has(i32)
        declare void @elsewhere()
        define spir_kernel void @kernel(ptr addrspace(1) %p) {
          %a = call i1 @__scythe_device_has(i32 1000)
          store volatile i1 %a, ptr addrspace(1) %p
          %b = load volatile i1, ptr addrspace(1) %p
          br i1 %b, label %yes, label %no
        yes:
          call void @branch()
          br label %no
        no:
          ret void
        }
        define linkonce_odr void @branch() noinline \"scythe-conditional\"=\"1000&!1001\" {
          call void @elsewhere()
          ret void
        }";
    let context = Context::new();
    for (aspects, is_left) in [(&[][..], false), (&[1000, 1001], false), (&[1000], true)] {
        let module = context.parse_ir(code.as_bytes(), "test").expect("valid IR");
        device_has::fold(&module, aspects).expect("it can be folded");
        module.verify().expect("it is still valid");
        assert_eq!(
            module.to_string().contains("call void @elsewhere"),
            is_left,
            "{aspects:?}: {module}"
        );
    }
}
