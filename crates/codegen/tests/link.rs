//! Checks that device code of several images becomes one program: exported functions are part of
//! the kernels that call them.

use scythe_abi::names::CPU_WHOLE;
use scythe_codegen::{Options, compile_linked, nvptx, spirv};
use scythe_llvm::Context;
use scythe_passes::target::cpu::lowering::specialise::Target;

const HEAD: &str = "target datalayout \
    = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-\
                    v1024:1024-n8:16:32:64-G1\"\ntarget triple = \"spirv64-unknown-unknown\"\n\
                    declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)\n";

const KERNEL: &str = "declare spir_func i32 @_Z5firsti(i32)
define spir_kernel void @_ZTS1K(ptr addrspace(1) %p) \"scythe-shape\"=\"range\" {
  %v = call spir_func i32 @_Z5firsti(i32 20)
  store i32 %v, ptr addrspace(1) %p
  ret void
}";

/// `first` queries the work-item's position, and `second` calls back.
const FIRST: &str = "declare spir_func i32 @_Z6secondi(i32)
define spir_func i32 @_Z5firsti(i32 %i) {
  %g = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %t = trunc i64 %g to i32
  %s = call spir_func i32 @_Z6secondi(i32 %t)
  ret i32 %s
}
define spir_func i32 @_Z5thirdi(i32 %i) { ret i32 7 }
define spir_kernel void @_ZTS5Other(ptr addrspace(1) %p) \"scythe-shape\"=\"range\" { ret void }
define weak_odr spir_kernel void @_ZTS1K(ptr addrspace(1) %p) \"scythe-shape\"=\"range\" { ret \
void }";

const SECOND: &str = "declare spir_func i32 @_Z5thirdi(i32)
define spir_func i32 @_Z6secondi(i32 %i) {
  %t = call spir_func i32 @_Z5thirdi(i32 %i)
  ret i32 %t
}";

fn bitcode(body: &str) -> Vec<u8> {
    let context = Context::new();
    context
        .parse_ir(format!("{HEAD}{body}").as_bytes(), "test")
        .expect("the text is IR")
        .to_bitcode()
}

fn link(libraries: &[&str]) -> Result<Vec<u8>, String> {
    let libraries: Vec<_> = libraries.iter().map(|text| bitcode(text)).collect();
    let libraries: Vec<&[u8]> = libraries.iter().map(Vec::as_slice).collect();
    compile_linked(&bitcode(KERNEL), &libraries, &Options::host(1)).map_err(|e| e.to_string())
}

fn holds(object: &[u8], name: &str) -> bool {
    object.windows(name.len()).any(|part| part == name.as_bytes())
}

#[test]
fn libraries_that_need_each_other_are_linked_and_their_kernels_left_out() {
    for libraries in [[FIRST, SECOND], [SECOND, FIRST]] {
        let object = link(&libraries).expect("it compiles");
        assert!(holds(&object, "__scythe_cpu._ZTS1K") && !holds(&object, "_ZTS5Other"));
        assert_eq!(object, link(&libraries).expect("it compiles"), "the same bytes");
    }
}

#[test]
fn a_definition_comes_from_the_first_library_that_has_it() {
    let zero = "define spir_func i32 @_Z6secondi(i32 %i) { ret i32 0 }";
    let alone = link(&[FIRST, zero]).expect("it compiles");
    assert_eq!(alone, link(&[FIRST, zero, SECOND]).expect("it compiles"));
}

#[test]
fn what_cannot_be_linked_is_named() {
    let missing = link(&[FIRST]).unwrap_err().to_string();
    assert!(missing.contains("_Z6secondi"), "{missing}");
    let damaged =
        compile_linked(&bitcode(KERNEL), &[b"BC"], &Options::host(1)).unwrap_err().to_string();
    assert!(damaged.contains("device image 1 of 1 to link"), "{damaged}");
    let context = Context::new();
    let other = context
        .parse_ir(b"target triple = \"x86_64\"\n", "test")
        .expect("the text is IR")
        .to_bitcode();
    let other =
        compile_linked(&bitcode(KERNEL), &[&other], &Options::host(1)).unwrap_err().to_string();
    assert!(
        other.contains("is for target 'x86_64', expected 'spirv64-unknown-unknown'"),
        "{other}"
    );
}

#[test]
fn objects_show_exported_functions_that_can_be_called_from_elsewhere() {
    let mut options = Options::host(1);
    options.target.linkable = true;
    let compile = |text: &str| compile_linked(&bitcode(text), &[], &options).expect("it compiles");
    let kernel = compile(KERNEL);
    assert!(
        holds(&kernel, "__scythe_cpu._ZTS1K") && holds(&kernel, "_Z5firsti"),
        "calls a function of another object"
    );
    let first = compile(FIRST);
    assert!(
        holds(&first, "_Z5thirdi") && !holds(&first, "_Z5firsti"),
        "'first' needs a work-item, and 'third' does not"
    );
    let library = "declare spir_func i32 @_Z12__spirv_Nonei(i32)
define spir_func i32 @_Z1fi(i32 %i) { %v = call spir_func i32 @_Z12__spirv_Nonei(i32 %i) ret i32 \
%v }";
    let missing = compile_linked(&bitcode(library), &[], &options).unwrap_err().to_string();
    assert!(missing.contains("_Z12__spirv_Nonei"), "{missing}");
}

/// Two kernels. `A` counts its launches, and `B` does not.
const COUNTING: &str = "@count = internal addrspace(1) global i32 0
define spir_kernel void @_ZTS1A(ptr addrspace(1) %p) \"scythe-shape\"=\"single_task\" {
  %v = load i32, ptr addrspace(1) @count
  %n = add i32 %v, 1
  store i32 %n, ptr addrspace(1) @count
  store i32 %n, ptr addrspace(1) %p
  ret void
}
define spir_kernel void @_ZTS1B(ptr addrspace(1) %p) \"scythe-shape\"=\"single_task\" {
  store i32 1, ptr addrspace(1) %p
  ret void
}";

#[test]
fn a_kernel_is_compiled_alone_unless_it_shares_variables() {
    let compile = |kernel: &str| {
        let mut options = Options::host(1);
        options.target.target = Some(Target { kernel: kernel.into(), local_size: None });
        compile_linked(&bitcode(COUNTING), &[], &options).map_err(|e| e.to_string())
    };
    let alone = compile("_ZTS1B").expect("it compiles");
    assert!(holds(&alone, "__scythe_cpu._ZTS1B") && !holds(&alone, "_ZTS1A"));
    assert!(!holds(&alone, CPU_WHOLE));
    let whole = compile("_ZTS1A").expect("it compiles");
    for name in ["__scythe_cpu._ZTS1A", "__scythe_cpu._ZTS1B", CPU_WHOLE] {
        assert!(holds(&whole, name), "{name}");
    }
    let missing = compile("_ZTS1C").unwrap_err();
    assert!(missing.contains("_ZTS1C"), "{missing}");
}

#[test]
fn spirv_and_ptx_have_one_kernel_unless_it_shares_variables() {
    let spirv = |kernel: &str| {
        let kernel = Some(kernel.to_owned());
        let options = spirv::Options { version: 0x0001_0400, kernel, ..Default::default() };
        spirv::translate(&bitcode(COUNTING), &[], &options).map_err(|error| error.to_string())
    };
    let ptx = |kernel: &str| {
        let options = nvptx::Options {
            opt_level: 3,
            arch: "sm_90".into(),
            ptx_version: 83,
            device_lib_dir: None,
            libdevice: None,
            dump_dir: None,
            aspects: Vec::new(),
            kernel: Some(kernel.into()),
        };
        nvptx::translate(&bitcode(COUNTING), &[], &options).map_err(|error| error.to_string())
    };
    for (what, compile) in [("SPIR-V", &spirv as &dyn Fn(&str) -> _), ("PTX", &ptx)] {
        let alone: Vec<u8> = compile("_ZTS1B").unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(holds(&alone, "_ZTS1B") && !holds(&alone, "_ZTS1A"), "{what}");
        let whole = compile("_ZTS1A").unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(holds(&whole, "_ZTS1A") && holds(&whole, "_ZTS1B"), "{what}");
        let missing = compile("_ZTS1C").expect_err("there is no such kernel");
        assert_eq!(missing, "the device code has no kernel '_ZTS1C'", "{what}");
    }
}
