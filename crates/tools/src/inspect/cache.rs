//! Reports the entries of a cache of compiled code. An entry contains code, but not the
//! requirements of its kernels.

use super::code::{self, CodeReport};
use super::report::{ImageReport, KernelReport};
use crate::Failure;
use crate::device_code::is_bitcode;
use crate::errors::NotACache;
use crate::files::{damaged, file_error, unreadable};
use scythe_abi::names::{CPU_ENTRY_PREFIX, GENERIC_TRIPLE};
use scythe_image::{Format, container, cpu_report};
use scythe_jit_client::entries::{self, CachedCode, NotAnEntry};
use std::path::Path;

/// Reports the entries in a folder of a cache. Entries that other processes remove meanwhile are
/// left out.
pub fn of_folder(path: &str) -> Result<Vec<ImageReport>, Failure> {
    let listed = entries::list(Path::new(path)).map_err(|error| unreadable(path, &error))?;
    let files = listed.ok_or_else(|| file_error(path, &NotACache))?;
    let mut reports = Vec::new();
    for file in files {
        let place = file.display().to_string();
        let entry = CachedCode::read(&file).map_err(|error| failure(&place, &error))?;
        let Some(entry) = entry else { continue };
        let name = file.strip_prefix(path).unwrap_or(&file).display().to_string();
        reports.extend(of_entry(&place, Some(name), &entry)?);
    }
    Ok(reports)
}

/// Reports a file that is an entry. Returns `None` for another file.
pub fn of_file(path: &str, bytes: &[u8]) -> Option<Result<Vec<ImageReport>, Failure>> {
    let entry = CachedCode::decode(bytes.to_owned())?;
    let entry = entry.map_err(|error| failure(path, &error));
    Some(entry.and_then(|entry| of_entry(path, None, &entry)))
}

fn failure(place: &str, error: &NotAnEntry) -> Failure {
    damaged(place, error)
}

fn of_entry(
    place: &str,
    name: Option<String>,
    entry: &CachedCode,
) -> Result<Vec<ImageReport>, Failure> {
    let code = entry.code();
    if code.starts_with(&container::MAGIC) {
        let images = container::find_all(code).map_err(|error| damaged(place, error))?;
        return images
            .iter()
            .map(|image| {
                let symbols = image.symbols().map(str::to_owned).collect();
                Ok(report(name.clone(), image.target, image.format, image.code_size(), symbols))
            })
            .collect();
    }
    let Some((target, format)) = kind(code) else {
        return Err(damaged(place, "the entry of the cache contains code of an unknown kind"));
    };
    let symbols = match format {
        Format::CpuObject => cpu_kernels(code),
        Format::SpirV => spirv_kernels(code),
        Format::Ptx => ptx_kernels(&String::from_utf8_lossy(code)),
        _ => Vec::new(),
    };
    let mut report = report(name, target, format, code.len() as u64, symbols);
    report.attach(code::of_code(format, target, code));
    Ok(vec![report])
}

fn report(
    member: Option<String>,
    target: &str,
    format: Format,
    code_size: u64,
    symbols: Vec<String>,
) -> ImageReport {
    ImageReport {
        member,
        linked: true,
        cached: true,
        target: target.to_owned(),
        format: format.to_string(),
        code_size,
        kernels: symbols.iter().map(|symbol| KernelReport::of_symbol(symbol)).collect(),
        ..ImageReport::default()
    }
}

/// Returns the target and the format of code, by its first bytes.
fn kind(code: &[u8]) -> Option<(&'static str, Format)> {
    const SPIRV: [u8; 4] = 0x0723_0203u32.to_le_bytes();
    match code {
        _ if code.starts_with(b"\x7fELF") => Some(("x86_64", Format::CpuObject)),
        _ if code.starts_with(&SPIRV) => Some(("spirv64", Format::SpirV)),
        _ if is_bitcode(code) => Some((GENERIC_TRIPLE, Format::LlvmBitcode)),
        _ if code.starts_with(b"//") || code.starts_with(b".version") => {
            Some(("nvptx64", Format::Ptx))
        }
        _ => None,
    }
}

/// Returns the kernels of an x86-64 object. Objects of earlier versions do not list them.
fn cpu_kernels(object: &[u8]) -> Vec<String> {
    let told = cpu_report::read(object).unwrap_or_default().kernels;
    if !told.is_empty() {
        return told.into_iter().map(|kernel| kernel.symbol).collect();
    }
    let symbols = cpu_report::symbols(object).unwrap_or_default().into_iter();
    symbols.filter_map(|name| name.strip_prefix(CPU_ENTRY_PREFIX).map(str::to_owned)).collect()
}

/// Returns the names of the entry points of a SPIR-V module.
fn spirv_kernels(module: &[u8]) -> Vec<String> {
    const HEADER_WORDS: usize = 5;
    const ENTRY_POINT: u32 = 15;
    const NAME: usize = 3;
    let words: Vec<u32> = module
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()))
        .collect();
    let (mut names, mut at) = (Vec::new(), HEADER_WORDS);
    while let Some(&first) = words.get(at) {
        let (opcode, count) = (first & 0xffff, (first >> 16) as usize);
        let Some(instruction) = words.get(at..at + count).filter(|words| !words.is_empty()) else {
            break;
        };
        if let (ENTRY_POINT, Some(name)) = (opcode, instruction.get(NAME..)) {
            let bytes = name.iter().flat_map(|word| word.to_le_bytes());
            let name: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
            names.push(String::from_utf8_lossy(&name).into_owned());
        }
        at += count;
    }
    names
}

/// Returns the names of the entries in PTX.
fn ptx_kernels(text: &str) -> Vec<String> {
    let names = text.split(".entry").skip(1).filter_map(|rest| {
        let name = rest.trim_start().split(|c: char| "( \t\n".contains(c)).next()?;
        (!name.is_empty()).then(|| name.to_owned())
    });
    names.collect()
}

impl ImageReport {
    /// Adds what code tells to the kernels.
    pub fn attach(&mut self, code: Vec<CodeReport>) {
        for report in code {
            let is_kernel = |kernel: &&mut KernelReport| {
                kernel.symbol == report.symbol
                    || scythe_abi::cuda::symbol(&kernel.symbol) == report.symbol
            };
            if let Some(kernel) = self.kernels.iter_mut().find(is_kernel) {
                kernel.code.push(report);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kernels_are_found() {
        let ptx = "// made\n.version 7.0\n.visible .entry _ZTS1K(\n.param .u64 a)\n.entry b (\n";
        assert_eq!(ptx_kernels(ptx), ["_ZTS1K", "b"]);
        let words =
            [0x0723_0203, 0x0001_0400, 0, 9, 0, 1 << 16, 5 << 16 | 15, 6, 2, 0x6261, 0, 9 << 16];
        let bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert_eq!(spirv_kernels(&bytes), ["ab"]);
    }

    #[test]
    fn damaged_modules_end_the_search() {
        assert_eq!(spirv_kernels(&[0; 64]), [""; 0]);
        assert_eq!(spirv_kernels(b"\x03\x02\x23\x07"), [""; 0]);
    }
}
