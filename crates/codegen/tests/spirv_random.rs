//! Checks with `spirv-val` that random kernels become valid SPIR-V.
//!
//! `SCYTHE_RANDOM_SEED` selects the first module, and `SCYTHE_RANDOM_MODULES` sets the number of
//! modules. Each module has two kernels.

mod random_ir;
mod spirv_tools;

use scythe_codegen::spirv::{Options, translate};
use scythe_llvm::Context;

const EXTENSIONS: [&str; 2] =
    ["SPV_KHR_uniform_group_instructions", "SPV_KHR_no_integer_wrap_decoration"];

/// The number of kernels in a module.
const KERNELS: usize = 2;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is '{text}'")))
}

fn check(seed: u64, options: &Options) -> Result<(), String> {
    let text = random_ir::module(seed, KERNELS);
    let module =
        Context::new().parse_ir(text.as_bytes(), "random").map(|module| module.to_bitcode());
    let bitcode = module.unwrap_or_else(|e| panic!("seed {seed} gives invalid IR: {e}\n{text}"));
    let words = translate(&bitcode, &[], options).map_err(|e| e.to_string())?;
    spirv_tools::validate(&words)
}

#[test]
fn random_kernels_become_valid_spirv() {
    let (first, count) = (number("SCYTHE_RANDOM_SEED", 1), number("SCYTHE_RANDOM_MODULES", 150));
    let options =
        Options { extensions: EXTENSIONS.map(str::to_owned).to_vec(), ..spirv_tools::options() };
    let failures: Vec<String> = (first..first + count)
        .filter_map(|seed| check(seed, &options).err().map(|why| format!("seed {seed}: {why}")))
        .collect();
    assert!(failures.is_empty(), "{} of {count} modules:\n{}", failures.len(), failures.join("\n"));
}
