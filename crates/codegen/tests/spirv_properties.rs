//! Checks that the metadata in the design document on compile-time properties becomes the
//! instructions that the document names. Disassemblers do not know its fictitious numbers, so the
//! tests parse the modules themselves.

use scythe_codegen::spirv::{Options, translate};
use scythe_llvm::Context;
use scythe_passes::target::spirv::lowering::binary::{Module, Op, text_operands};

const USER_SEMANTIC: u32 = 5635;

fn module(body: &str, extensions: &[&str]) -> Result<Module, String> {
    let text = format!("target triple = \"spirv64-unknown-unknown\"\n{body}");
    let bitcode = Context::new().parse_ir(text.as_bytes(), "test").expect("valid IR").to_bitcode();
    let extensions = extensions.iter().map(|&name| name.to_owned()).collect();
    let options = Options { extensions, version: 0x0001_0400, ..Options::default() };
    let words = translate(&bitcode, &[], &options).map_err(|e| e.to_string())?;
    Module::read(&words).map_err(|e| e.to_string())
}

/// Returns the operands after the target of all instructions with this operation and target.
fn of(module: &Module, op: Op, target: u32) -> Vec<Vec<u32>> {
    let own =
        module.instructions.iter().filter(|i| i.is(op) && i.operands.first() == Some(&target));
    own.map(|i| i.operands[1..].to_vec()).collect()
}

fn kernel(module: &Module) -> u32 {
    module.instructions.iter().find(|i| i.is(Op::EntryPoint)).expect("there is a kernel").operands
        [1]
}

fn semantic(text: &str) -> Vec<u32> {
    [vec![USER_SEMANTIC], text_operands(text)].concat()
}

#[test]
fn execution_modes() {
    let module = module(
        "define spir_kernel void @bar() { ret void }
         !spirv.ExecutionMode = !{!0, !1}
         !0 = !{ptr @bar, i32 42}
         !1 = !{ptr @bar, i32 43, i32 3}",
        &[],
    )
    .expect("the code can be translated");
    assert_eq!(of(&module, Op::ExecutionMode, kernel(&module)), [vec![42], vec![43, 3]]);
}

#[test]
fn modes_take_the_place_of_older_metadata_and_kernels_that_are_gone_have_none() {
    let module = module(
        "define spir_kernel void @bar() !reqd_work_group_size !0 !intel_reqd_sub_group_size !1 { \
         ret void }
         !spirv.ExecutionMode = !{!2, !3, !4, !5}
         !0 = !{i32 4, i32 2, i32 1}
         !1 = !{i32 16}
         !2 = !{ptr @bar, i32 17, i32 4, i32 2, i32 1}
         !3 = !{ptr @bar, i32 35, i32 16}
         !4 = !{ptr @bar, i32 17, i32 4, i32 2, i32 1}
         !5 = !{null, i32 35, i32 16}",
        &[],
    )
    .expect("the code can be translated");
    assert_eq!(of(&module, Op::ExecutionMode, kernel(&module)), [vec![17, 4, 2, 1], vec![35, 16]]);
}

#[test]
fn parameters_have_decorations_with_numbers_and_texts() {
    let module = module(
        "define spir_kernel void @MyKernel(i32 %a, i32 %b) !spirv.ParameterDecorations !0 { ret \
         void }
         !0 = !{!1, !2}
         !1 = !{!3, !4, !5}
         !2 = !{}
         !3 = !{i32 7742}
         !4 = !{i32 7743, i32 10}
         !5 = !{i32 7743, i32 11, !\"a text\"}",
        &[],
    )
    .expect("the code can be translated");
    let parameters = module.parameters("MyKernel").expect("the kernel is there");
    let first = of(&module, Op::Decorate, parameters[0]);
    assert_eq!(
        first,
        [vec![7742], vec![7743, 10], [vec![7743, 11], text_operands("a text")].concat()]
    );
    assert!(of(&module, Op::Decorate, parameters[1]).is_empty());
}

#[test]
fn variables_have_decorations() {
    let body = "
         @MyVariable = addrspace(1) global i32 0, !spirv.Decorations !0
         define spir_kernel void @k() { store i32 1, ptr addrspace(1) @MyVariable ret void }
         !0 = !{!1, !2, !3, !4}
         !1 = !{i32 7744}
         !2 = !{i32 7745, i32 20}
         !3 = !{i32 7746, !\"text\"}
         !4 = !{i32 6188, i32 1, !\"MyVariable\"}";
    let access = [vec![6188, 1], text_operands("MyVariable")].concat();
    for extensions in [&[][..], &["SPV_INTEL_global_variable_host_access"]] {
        let module = module(body, extensions).expect("the code can be translated");
        let variable = module.named("MyVariable", Op::Variable).expect("it is there");
        let own = of(&module, Op::Decorate, variable);
        for expected in [vec![7744], vec![7745, 20], [vec![7746], text_operands("text")].concat()] {
            assert!(own.contains(&expected), "{expected:?}: {own:?}");
        }
        // A driver that does not support the extension would reject the module.
        assert_eq!(own.contains(&access), !extensions.is_empty(), "{own:?}");
        let capability =
            module.instructions.iter().any(|i| i.is(Op::Capability) && i.operands == [6187]);
        assert_eq!(capability, !extensions.is_empty());
    }
}

/// Where the document has a call of `__spirv_AddMemberDecoration` with a list of decorations,
/// Scythe has an annotation with the list.
#[test]
fn members_and_pointers_to_them_have_decorations() {
    let body = "
         %class.annotated = type { i32, ptr addrspace(1) }
         @text = private addrspace(1) constant [40 x i8] \
         c\"sycl-properties:foo,sycl-latency=3,bar=4\", section \"llvm.metadata\"
         declare ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1), ptr addrspace(1), \
         ptr addrspace(1), i32, ptr addrspace(1))
         define spir_kernel void @k(ptr addrspace(1) %p, i64 %i) {
           %at = getelementptr %class.annotated, ptr addrspace(1) %p, i64 %i, i32 1
           %ann = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %at, ptr \
           addrspace(1) @text,
               ptr addrspace(1) @text, i32 1, ptr addrspace(1) null) LIST !scythe_member !9
           store ptr addrspace(1) %p, ptr addrspace(1) %ann
           ret void }
         !0 = !{!1, !2}
         !1 = !{i32 7744}
         !2 = !{i32 7745, i32 20}
         !9 = !{%class.annotated poison, i32 1}";
    let check = |body: &str, extensions: &[&str], expected: &[Vec<u32>]| {
        let module = module(body, extensions).expect("the code can be translated");
        let structure =
            module.named("class.annotated", Op::TypeStruct).expect("the structure is there");
        let mut members = of(&module, Op::MemberDecorate, structure);
        let mut expected: Vec<Vec<u32>> = expected.to_vec();
        let pointer = |i: &&scythe_passes::target::spirv::lowering::binary::Instruction| {
            i.is(Op::Decorate) && i.operands.get(1..) == Some(&expected[0][..])
        };
        let pointer =
            module.instructions.iter().find(pointer).expect("the pointer is decorated").operands[0];
        let mut own = of(&module, Op::Decorate, pointer);
        [&mut expected, &mut own].into_iter().for_each(|list| list.sort());
        assert_eq!(own, expected);
        let mut of_member: Vec<Vec<u32>> =
            expected.iter().map(|words| [vec![1], words.clone()].concat()).collect();
        [&mut of_member, &mut members].into_iter().for_each(|list| list.sort());
        assert_eq!(members, of_member);
        module
    };
    check(&body.replace("LIST", ", !spirv.Decorations !0,"), &[], &[vec![7744], vec![7745, 20]]);
    // Without a list, the decorations come from the text, by the table.
    let by_text = body.replace("LIST", ",");
    check(&by_text, &[], &[semantic("sycl-properties:foo,bar=4")]);
    let interfaces = "SPV_INTEL_fpga_argument_interfaces";
    let module =
        check(&by_text, &[interfaces], &[vec![6179, 3], semantic("sycl-properties:foo,bar=4")]);
    let has = |op: Op, operands: Vec<u32>| {
        module.instructions.iter().any(|i| i.is(op) && i.operands == operands)
    };
    assert!(has(Op::Capability, vec![6174]) && has(Op::Extension, text_operands(interfaces)));
}

#[test]
fn structures_that_spirv_cannot_tell_apart_are_decorated_alike_or_not_at_all() {
    // The back end emits one structure for both classes.
    let body = |second: &str| {
        format!(
            "%class.first = type {{ i32, i32 }}
             %class.second = type {{ i32, i32 }}
             @text = private addrspace(1) constant [1 x i8] zeroinitializer, \
             section \"llvm.metadata\"
             declare ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1), ptr \
             addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))
             define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %i) {{
               %at = getelementptr %class.first, ptr addrspace(1) %p, i64 %i, i32 1
               %ann = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %at, ptr \
               addrspace(1) @text,
                   ptr addrspace(1) @text, i32 1, ptr addrspace(1) null), !spirv.Decorations !0, \
                   !scythe_member !8
               store i32 1, ptr addrspace(1) %ann
               %other = getelementptr %class.second, ptr addrspace(1) %q, i64 %i, i32 1
               {second}
               ret void }}
             !0 = !{{!1}}
             !1 = !{{i32 7744, i32 3}}
             !2 = !{{!3}}
             !3 = !{{i32 7744, i32 4}}
             !8 = !{{%class.first poison, i32 1}}
             !9 = !{{%class.second poison, i32 1}}"
        )
    };
    let annotated = |list: &str| {
        body(&format!(
            "%second = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %other, \
             ptr addrspace(1) @text,
                 ptr addrspace(1) @text, i32 1, ptr addrspace(1) null), !spirv.Decorations {list}, \
                 !scythe_member !9
             store i32 2, ptr addrspace(1) %second"
        ))
    };
    let plain = body("store i32 2, ptr addrspace(1) %other");
    let ways =
        [(annotated("!0"), vec![vec![1, 7744, 3]]), (annotated("!2"), vec![]), (plain, vec![])];
    for (body, expected) in ways {
        let module = module(&body, &[]).expect("the code can be translated");
        let structure =
            module.named("class.first", Op::TypeStruct).expect("the structure is there");
        assert_eq!(module.named("class.second", Op::TypeStruct), Some(structure));
        assert_eq!(of(&module, Op::MemberDecorate, structure), expected, "{body}");
        // The accesses are decorated in any case.
        assert!(
            module.instructions.iter().any(|i| i.is(Op::Decorate) && i.operands[1..] == [7744, 3])
        );
    }
}

#[test]
fn metadata_of_another_form_is_an_error() {
    let error = |body: &str| module(body, &[]).expect_err("it is refused");
    let kernel = "define spir_kernel void @k(i32 %a) !spirv.ParameterDecorations !0 { ret void }\n";
    let count = error(&format!("{kernel}!0 = !{{!1, !1}}\n!1 = !{{}}"));
    assert_eq!(
        count,
        "metadata !spirv.ParameterDecorations of function 'k' describes 2 parameters, but the \
         function has 1"
    );
    let number = error(&format!("{kernel}!0 = !{{!1}}\n!1 = !{{!2}}\n!2 = !{{!\"text\"}}"));
    assert_eq!(
        number,
        "a decoration of parameter 0 of 'k' is malformed, expected its number, and integers or \
         strings as operands"
    );
    let mode = error(
        "define spir_kernel void @k() { ret void }\n!spirv.ExecutionMode = !{!0}\n!0 = !{ptr @k}",
    );
    assert_eq!(
        mode,
        "the second operand of metadata !spirv.ExecutionMode of kernel 'k' is not the \
         number of an execution mode"
    );
}
