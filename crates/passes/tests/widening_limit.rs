//! The CPU lowering widens a kernel only if that does not make its code much larger.

use scythe_abi::checks::Checks;
use scythe_llvm::{Context, OptLevel, TargetMachine, TargetOptions};
use scythe_passes::target::cpu::{self, Stage};

/// Returns a kernel with a barrier, and with memory operations that work-items execute one after
/// the other.
fn kernel_with_atomics(count: usize) -> String {
    let mut text = String::from(
        "target triple = \"spirv64-unknown-unknown\"\n\
        declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)\n\
        declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)\n\
        define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) \
        \"scythe-shape\"=\"nd_range\" {\n\
        %x = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)\n\
        %p = getelementptr i32, ptr addrspace(1) %in, i64 %x\n\
        %v0 = load i32, ptr addrspace(1) %p, align 4\n\
        call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 272)\n",
    );
    for i in 0..count {
        text += &format!(
            "%s{i} = zext i32 %v{i} to i64\n\
            %a{i} = getelementptr i32, ptr addrspace(1) %out, i64 %s{i}\n\
            %v{} = atomicrmw add ptr addrspace(1) %a{i}, i32 1 monotonic\n",
            i + 1
        );
    }
    text + "ret void\n}\n"
}

/// Returns the module after the stage that combines work-items into work-groups, for a CPU with
/// 512-bit vectors.
fn with_work_groups(text: &str) -> String {
    let options = cpu::Options {
        opt_level: 3,
        cpu: "x86-64-v4".into(),
        features: String::new(),
        vector_width: 512,
        lanes: 16,
        scalar: false,
        for_stepping: false,
        checks: Checks::NONE,
        target: None,
        mark_whole: false,
        linkable: false,
    };
    let context = Context::new();
    let module = context.parse_ir(text.as_bytes(), "k.ll").expect("it is IR");
    let target = TargetOptions {
        triple: "x86_64-unknown-linux-gnu".into(),
        cpu: options.cpu.clone(),
        features: options.features.clone(),
        opt_level: OptLevel::from_number(options.opt_level),
    };
    let machine = TargetMachine::new(&target).expect("the target is known");
    let mut seen = None;
    let mut observe = |stage: Stage, module: &scythe_llvm::Module<'_>| {
        module.verify()?;
        if stage.name().ends_with("work-groups") {
            seen = Some(module.to_string());
        }
        Ok(())
    };
    cpu::lower(&module, &machine, &options, &mut observe).expect("it is lowered");
    seen.expect("there is such a stage")
}

#[test]
fn kernels_that_would_swell_are_not_widened() {
    let widened = |atomics| with_work_groups(&kernel_with_atomics(atomics)).contains("<16 x i32>");
    assert!(widened(2));
    assert!(!widened(200));
}
