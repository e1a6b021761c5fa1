//! Collects what the machine code of an image tells about its kernels. Code that is not compiled
//! yet is compiled for the processor of this machine.

use crate::device_library;
use scythe_abi::aspect::Aspect;
use scythe_hal::BuildOptions;
use scythe_image::cpu_report::CpuKernel;
use scythe_image::{Format, cpu_report, cubin, fatbin, intel_gpu};
use scythe_passes::target::cpu;

/// The maximum size of code that is compiled. Compiling takes about a second for each megabyte.
const MAX_COMPILED_BYTES: usize = 64 << 20;

/// What the code of a kernel for one processor is like. Unknown facts are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeReport {
    /// The kernel's symbol in the code.
    pub symbol: String,
    pub processor: String,
    /// The number of work-items that run side by side in the lanes of vectors.
    pub lanes: Option<u32>,
    pub registers: Option<u32>,
    /// The bytes of variables in local memory. Local accessors are not part of it.
    pub local_bytes: Option<u64>,
    /// The bytes of private memory of a work-item or thread, with those for spilled registers.
    pub private_bytes: Option<u64>,
    pub code_bytes: Option<u64>,
    /// The reason why the kernel is not vectorised, or why the facts are not known.
    pub remark: Option<String>,
}

impl CodeReport {
    /// Describes the code on one line.
    pub fn summary(&self) -> String {
        let count = |number: Option<u64>, what: &str| {
            number.map(|n| format!("{n} {what}{}", if n == 1 { "" } else { "s" }))
        };
        let bytes = |number: Option<u64>, what: &str| {
            let number = number.filter(|&n| n != 0);
            count(number, "byte").map(|text| format!("{text} of {what}"))
        };
        let facts = [
            count(self.lanes.map(u64::from), "lane"),
            count(self.registers.map(u64::from), "register"),
            bytes(self.local_bytes, "local memory"),
            bytes(self.private_bytes, "private memory"),
            bytes(self.code_bytes, "code"),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        match (facts.join(", "), &self.remark) {
            (facts, None) => facts,
            (facts, Some(remark)) if facts.is_empty() => remark.clone(),
            (facts, Some(remark)) => format!("{facts}: {remark}"),
        }
    }
}

/// Code that may be compiled for this machine.
pub struct Generic<'a> {
    pub bitcode: &'a [u8],
    pub options: &'a str,
}

/// Returns what finished code tells about its kernels.
pub fn of_code(format: Format, target: &str, code: &[u8]) -> Vec<CodeReport> {
    match format {
        Format::CpuObject => of_object(target, code),
        Format::IntelGpu => of_intel_gpu(target, code),
        Format::Fatbin => fatbin::read(code)
            .unwrap_or_default()
            .iter()
            .filter(|entry| entry.kind == fatbin::Kind::Cubin && !entry.compressed)
            .flat_map(|entry| of_cubin(&format!("sm_{}", entry.sm), entry.code))
            .collect(),
        Format::LlvmBitcode | Format::SpirV | Format::Ptx | Format::Empty => Vec::new(),
    }
}

/// Compiles generic code for this machine, and returns what the result tells about the kernels, or
/// the reason why there is none.
pub fn compiled(code: &Generic<'_>) -> Result<Vec<CodeReport>, String> {
    if code.bitcode.len() > MAX_COMPILED_BYTES {
        let limit = MAX_COMPILED_BYTES >> 20;
        return Err(format!("not compiled, because the code exceeds {limit} MiB"));
    }
    let BuildOptions { opt_level, scalar, .. } = BuildOptions::from_command_line(code.options);
    let folder = device_library::folder().map_err(|failure| failure.to_string())?;
    let options = scythe_codegen::Options {
        target: cpu::Options { scalar, linkable: true, ..cpu::Options::host(opt_level) },
        device_lib_dir: Some(folder),
        dump_dir: None,
        aspects: vec![Aspect::ExtIntelX86_64 as u32],
    };
    match scythe_codegen::compile_to_object(code.bitcode, &options) {
        Ok(object) => Ok(of_object(THIS_CPU, &object)),
        Err(error) => Err(format!("cannot be compiled: {error}")),
    }
}

/// The name of this machine's processor in reports.
pub const THIS_CPU: &str = "this CPU";

/// Returns what an x86-64 object tells.
pub fn of_object(processor: &str, object: &[u8]) -> Vec<CodeReport> {
    let report = |kernel: CpuKernel| CodeReport {
        symbol: kernel.symbol,
        processor: processor.to_owned(),
        lanes: Some(kernel.lanes),
        local_bytes: Some(kernel.local_bytes),
        remark: (!kernel.remark.is_empty()).then_some(kernel.remark),
        ..CodeReport::default()
    };
    // Objects of earlier versions tell nothing.
    cpu_report::read(object).unwrap_or_default().kernels.into_iter().map(report).collect()
}

fn of_cubin(processor: &str, code: &[u8]) -> Vec<CodeReport> {
    let kernels = cubin::kernels(code).unwrap_or_default().into_iter();
    kernels
        .map(|(symbol, kernel)| CodeReport {
            symbol,
            processor: processor.to_owned(),
            lanes: None,
            registers: kernel.registers,
            local_bytes: Some(kernel.shared_bytes),
            private_bytes: kernel.stack_bytes,
            code_bytes: Some(kernel.code_bytes),
            remark: None,
        })
        .collect()
}

fn of_intel_gpu(processor: &str, code: &[u8]) -> Vec<CodeReport> {
    let kernels = intel_gpu::kernels(code).unwrap_or_default().into_iter();
    kernels
        .map(|(symbol, kernel)| CodeReport {
            symbol,
            processor: processor.to_owned(),
            lanes: kernel.lanes,
            registers: kernel.registers,
            local_bytes: Some(kernel.local_bytes),
            private_bytes: Some(kernel.scratch_bytes),
            code_bytes: Some(kernel.code_bytes),
            remark: None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_on_one_line() {
        let all = CodeReport {
            lanes: Some(1),
            registers: Some(24),
            local_bytes: Some(1024),
            private_bytes: Some(0),
            code_bytes: Some(1),
            remark: Some("a reason".into()),
            ..CodeReport::default()
        };
        assert_eq!(
            all.summary(),
            "1 lane, 24 registers, 1024 bytes of local memory, 1 byte of code: a reason"
        );
        let none = CodeReport { remark: Some("a reason".into()), ..CodeReport::default() };
        assert_eq!(none.summary(), "a reason");
    }

    #[test]
    fn code_that_is_not_code_tells_nothing() {
        for format in Format::ALL {
            assert_eq!(of_code(format, "x", b"\x7fELF and so on"), []);
        }
    }
}
