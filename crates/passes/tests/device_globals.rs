//! Checks how code finds the memory of `device_global` variables.

use scythe_llvm::{Context, Module};
use scythe_passes::device_globals::{to_declarations, to_pointers};

const CODE: &str = r#"
target triple = "spirv64-unknown-unknown"
@shared = weak_odr dso_local addrspace(1) externally_initialized global [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4 #0
@scoped = weak_odr dso_local addrspace(1) externally_initialized global i32 7, align 4 #1
define spir_func i32 @reads(i1 %again) {
entry:
  %a = load i32, ptr addrspace(4) getelementptr (i8, ptr addrspace(4) addrspacecast (ptr addrspace(1) @shared to ptr addrspace(4)), i64 8)
  br i1 %again, label %more, label %end
more:
  %b = load i32, ptr addrspace(1) @shared
  br label %end
end:
  %p = phi ptr addrspace(1) [ @shared, %entry ], [ @scoped, %more ]
  %c = load i32, ptr addrspace(1) %p
  %d = add i32 %a, %c
  ret i32 %d
}
attributes #0 = { "sycl-unique-id"="shared" "sycl-device-global-size"="16" }
attributes #1 = { "sycl-unique-id"="scoped" "sycl-device-global-size"="4" "sycl-device-image-scope" }
"#;

fn parse<'ctx>(context: &'ctx Context, text: &str) -> Module<'ctx> {
    context.parse_ir(text.as_bytes(), "test").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn objects_leave_all_variables_to_their_loader() {
    let context = Context::new();
    let module = parse(&context, CODE);
    to_declarations(&module);
    module.verify().unwrap();
    let text = module.to_string();
    for name in ["shared", "scoped"] {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("@{name} = ")))
            .expect("the variable");
        assert!(
            line.contains("external addrspace(1) global") && !line.contains("dso_local"),
            "{line}"
        );
    }
}

#[test]
fn others_read_an_address_once_but_have_variables_of_one_image() {
    let context = Context::new();
    let module = parse(&context, CODE);
    to_pointers(&module).unwrap();
    module.verify().unwrap();
    let text = module.to_string();
    assert!(
        text.contains(
            "@shared = addrspace(1) externally_initialized global ptr addrspace(1) null, align 8"
        ),
        "{text}"
    );
    assert!(
        text.contains("@scoped = dso_local addrspace(1) externally_initialized global i32 7"),
        "{text}"
    );
    assert_eq!(
        text.matches("load ptr addrspace(1), ptr addrspace(1) @shared").count(),
        1,
        "{text}"
    );
    assert_eq!(text.matches("@shared").count(), 2, "{text}");
    assert!(text.contains("!invariant.load"), "{text}");
    // A second run changes nothing.
    to_pointers(&module).unwrap();
    assert_eq!(module.to_string(), text);
}

#[test]
fn an_address_in_an_initial_value_is_refused() {
    let context = Context::new();
    let text = format!("{CODE}\n@table = addrspace(1) global ptr addrspace(1) @shared\n");
    let error = to_pointers(&parse(&context, &text)).unwrap_err().to_string();
    assert!(
        error.contains(
            "variable 'shared': the initial value of another variable contains its address"
        ),
        "{error}"
    );
}

#[test]
fn lists_of_what_is_kept_are_no_initial_values() {
    let context = Context::new();
    let list = "[ptr addrspace(4) addrspacecast (ptr addrspace(1) @shared to ptr addrspace(4))]";
    let text = format!(
        "{CODE}\n@llvm.used = appending global [1 x ptr addrspace(4)] {list}, \
         section \"llvm.metadata\"\n"
    );
    let module = parse(&context, &text);
    to_pointers(&module).unwrap();
    module.verify().unwrap();
    let text = module.to_string();
    assert!(
        text.contains("global ptr addrspace(1) null, align 8") && !text.contains("llvm.used"),
        "{text}"
    );
}
