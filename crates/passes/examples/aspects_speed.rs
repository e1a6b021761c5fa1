//! How long the aspects pass takes per function: for `cargo xtask bench aspects`.
//!
//! Arguments: a shape of call graph (`chain`, `fan` or `cycles`) and a number of functions. Prints
//! nanoseconds per function, of processor time, the best of several runs on fresh modules.

use scythe_llvm::Context;
use scythe_passes::{Aspects, Pass};
use std::fmt::Write;

/// Small modules are measured together: the clock is coarse, and none of them shall be in a cache
/// that a large one cannot be in.
const FUNCTIONS_AT_ONCE: usize = 100_000;
const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [shape, count] = args.as_slice() else {
        return Err("expected a shape and a number of functions".into());
    };
    let count: usize = count.parse()?;
    let text = module(shape, count)
        .ok_or_else(|| format!("unknown shape '{shape}'; expected chain, fan or cycles"))?;
    let mut best = f64::INFINITY;
    let modules = FUNCTIONS_AT_ONCE.div_ceil(count.max(1));
    for _ in 0..ROUNDS {
        // One context for all: its tables are then as large for many small modules as for a large
        // one.
        let context = Context::new();
        let parse = |_| context.parse_ir(text.as_bytes(), "generated");
        let parsed = (0..modules).map(parse).collect::<Result<Vec<_>, _>>()?;
        // The allocator puts what the parser freed in order when something large is asked for: not
        // the pass's work.
        std::hint::black_box(Vec::<u8>::with_capacity(1 << 16));
        let start = processor_time()?;
        parsed.iter().try_for_each(|module| Aspects::SILENT.run(module).map(drop))?;
        best = best.min(processor_time()? - start);
    }
    println!("{:.1}", best / (modules * count) as f64);
    Ok(())
}

/// Nanoseconds that this thread has run: other programs on the machine do not count.
fn processor_time() -> Result<f64, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split_whitespace().next().ok_or("no time in /proc/thread-self/schedstat")?.parse()?)
}

/// A kernel and `count` functions of some twenty instructions each; those at the ends use `double`.
fn module(shape: &str, count: usize) -> Option<String> {
    let mut text = String::from("target triple = \"spirv64-unknown-unknown\"\n");
    let kernel_calls = if shape == "fan" { 0..count } else { 0..1 };
    text += "define spir_kernel void @kernel(ptr %p) {\n";
    for callee in kernel_calls {
        let _ = writeln!(text, "  call spir_func void @f{callee}(ptr %p)");
    }
    text += "  ret void\n}\n";
    for function in 0..count {
        // In cycles of ten, each function calls the next one, and the last one the first of its own
        // and of the next cycle.
        let next = (function + 1 < count).then_some(function + 1);
        let back = (function % 10 == 9).then_some(function - function % 10);
        let calls: Vec<usize> = match shape {
            "chain" => next.into_iter().collect(),
            "fan" => Vec::new(),
            "cycles" => next.into_iter().chain(back).collect(),
            _ => return None,
        };
        body(&mut text, function, &calls, calls.is_empty() || function % 100 == 99);
    }
    Some(text)
}

fn body(text: &mut String, function: usize, calls: &[usize], doubles: bool) {
    let _ =
        writeln!(text, "define spir_func void @f{function}(ptr %p) {{\n  %x0 = load float, ptr %p");
    for step in 1..=8 {
        let before = step - 1;
        let _ = writeln!(
            text,
            "  %y{step} = fmul float %x{before}, 1.5\n  %x{step} = fadd float %y{step}, %x{before}"
        );
    }
    if doubles {
        text.push_str("  %w = fpext float %x8 to double\n  store double %w, ptr %p\n");
    }
    text.push_str("  store float %x8, ptr %p\n");
    for callee in calls {
        let _ = writeln!(text, "  call spir_func void @f{callee}(ptr %p)");
    }
    text.push_str("  ret void\n}\n");
}
