//! Compares Scythe's divergence analysis with LLVM's, on the kernels of the CPU's file tests and on
//! random control flow. Builds with debug assertions compare them.
#![cfg(debug_assertions)]

use proptest::prelude::*;
use scythe_llvm::{Context, Function, Module, PassOptions, run_function_passes, run_passes};
use scythe_passes::target::common::queries;
use scythe_passes::target::cpu::lowering::widening::lanes::{self, Fold};
use std::fmt::Write;
use std::path::Path;

/// Layouts of work-items in lanes.
const LAYOUTS: [Option<Fold>; 3] = [
    None,
    Some(Fold { row: 4, used: 4, rows: [8, 1] }),
    Some(Fold { row: 4, used: 3, rows: [3, 5] }),
];

/// Widens a kernel with all layouts, which compares the analyses in this build. Returns the number
/// of layouts that the kernel supports.
fn widen<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>) -> usize {
    queries::simplify(module, kernel, true);
    // One function alone may have it.
    kernel.clear_subprogram();
    if lanes::is_irreducible(kernel) {
        run_function_passes(kernel, lanes::MAKE_REDUCIBLE, None, PassOptions::default())
            .expect("passes run");
    }
    let mut made = 0;
    for (n, fold) in LAYOUTS.into_iter().enumerate() {
        for masked in [false, true] {
            let options = lanes::Options { lanes: 16, masked, fold };
            made += usize::from(
                lanes::widen(module, kernel, &format!("wide.{n}.{masked}"), options).is_ok(),
            );
        }
    }
    module.verify().expect("widened code is valid");
    made
}

#[test]
fn kernels_of_file_tests_agree_with_llvm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/cpu");
    let mut widened = 0;
    for entry in std::fs::read_dir(folder).expect("there are file tests") {
        let file = entry.expect("it can be read").path();
        let text = std::fs::read(&file).expect("it can be read");
        let context = Context::new();
        let module = context.parse_ir(&text, "test").expect("file tests hold IR");
        let passes = "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>)";
        run_passes(&module, passes, None, PassOptions::default()).expect("passes run");
        run_passes(&module, lanes::PREPARE, None, PassOptions::default()).expect("passes run");
        for kernel in module.kernels() {
            widened += widen(&module, kernel);
        }
    }
    assert!(widened > 50, "only {widened} kernels were widened");
}

/// Returns a kernel with this control flow. Each block changes variables and branches on one of
/// them, or on a value that differs between work-items.
fn kernel(blocks: &[(u8, u8, u8, u8)]) -> String {
    let mut text = String::from(
        "declare i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32) memory(none)\n\
         define spir_kernel void @k(ptr addrspace(1) %out, i32 %n) {\n\
         entry:\n  %id = call i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)\n  %item = trunc \
         i64 %id to i32\n",
    );
    for v in 0..4 {
        let _ = writeln!(
            text,
            "  %v{v} = alloca i32\n  store i32 {}, ptr %v{v}",
            if v == 3 { "%n" } else { "1" }
        );
    }
    let count = blocks.len();
    let _ = writeln!(text, "  br label %b0");
    for (b, &(kind, one, other, change)) in blocks.iter().enumerate() {
        let (from, to) = (change % 4, change / 4 % 4);
        // The work-item's number is used only rarely, so that uniform values mostly stay uniform.
        let term = if change >= 240 { "%item".to_owned() } else { (change / 16).to_string() };
        let _ = writeln!(
            text,
            "b{b}:\n  %l{b} = load i32, ptr %v{from}\n  %s{b} = add i32 %l{b}, {term}"
        );
        let _ = writeln!(text, "  store i32 %s{b}, ptr %v{to}");
        let target = |x: u8| match usize::from(x) % (count + 1) {
            t if t == count => "end".to_owned(),
            t => format!("b{t}"),
        };
        let next = if b + 1 == count { "end".to_owned() } else { format!("b{}", b + 1) };
        let condition = match kind % 8 {
            0 | 1 => format!("%c{b} = icmp slt i32 %item, {one}"),
            _ => format!("%c{b} = icmp slt i32 %s{b}, {one}"),
        };
        let (first, second) = (target(one), if kind % 16 < 8 { next } else { target(other) });
        if first == second {
            let _ = writeln!(text, "  br label %{first}");
        } else {
            let _ = writeln!(text, "  {condition}\n  br i1 %c{b}, label %{first}, label %{second}");
        }
    }
    text.push_str("end:\n  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id\n");
    let mut sum = "0".to_owned();
    for v in 0..4 {
        let _ = writeln!(text, "  %e{v} = load i32, ptr %v{v}\n  %t{v} = add i32 {sum}, %e{v}");
        sum = format!("%t{v}");
    }
    let _ = writeln!(text, "  store i32 {sum}, ptr addrspace(1) %p\n  ret void\n}}");
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]
    #[test]
    fn random_control_flow_agrees_with_llvm(blocks in proptest::collection::vec(any::<(u8, u8, u8, u8)>(), 1..12)) {
        let context = Context::new();
        let module = context.parse_ir(kernel(&blocks).as_bytes(), "test").expect("it is IR");
        run_passes(&module, "function(mem2reg)", None, PassOptions::default()).expect("passes run");
        run_passes(&module, lanes::PREPARE, None, PassOptions::default()).expect("passes run");
        let kernel = module.function("k").expect("it was just made");
        widen(&module, kernel);
    }
}
