//! Maps code from a file with symbols, so that programs which read the symbols of mapped files show
//! the names of kernels. Valgrind is one of them.
//!
//! The file is a shared object with two segments: the code, and a page that is writable, because
//! valgrind reads only files with both. The file is removed as soon as it is mapped.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Function, Object};

pub(super) const PAGE: usize = 4096;
const BASE: u64 = PAGE as u64;
const HEADER_BYTES: u64 = 64;
const SEGMENT_BYTES: u64 = 56;
const SECTION_BYTES: u64 = 64;
const SYMBOL_BYTES: u64 = 24;

/// Replaces the code of an object by a mapping of a file with the same contents.
///
/// # Safety
/// The code is complete, belongs to the caller and starts at a page, and so does the spare page.
pub(super) unsafe fn map(object: &Object<'_>, names: &[String]) -> Result<(), String> {
    let Some(spare) = object.spare else { return Ok(()) };
    // SAFETY: the caller guarantees that the code is readable.
    let code = unsafe { std::slice::from_raw_parts(object.code as *const u8, object.size) };
    let bytes = contents(object, spare, names, code);
    let (file, path) = create()?;
    let fail = |error| format!("cannot write '{}': {error}", path.display());
    let mapped = (&file).write_all(&bytes).map_err(fail).and_then(|()| {
        let (code, data) = (PAGE, PAGE + object.size.next_multiple_of(PAGE));
        // SAFETY: the caller owns both ranges, and the contents of the code stay the same.
        unsafe {
            map_part(&file, &path, object.code, object.size, code, libc::PROT_EXEC)?;
            map_part(&file, &path, spare, PAGE, data, libc::PROT_WRITE)
        }
    });
    let _ = std::fs::remove_file(&path);
    mapped
}

/// Creates a file that no other process uses.
fn create() -> Result<(File, PathBuf), String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("scythe-{}-{number}.so", std::process::id());
    let path = std::env::temp_dir().join(name);
    let mut options = File::options();
    options.read(true).write(true).create_new(true).mode(0o700);
    let file = options.open(&path);
    let file = file.map_err(|error| format!("cannot write '{}': {error}", path.display()))?;
    Ok((file, path))
}

/// # Safety
/// The caller owns the range.
unsafe fn map_part(
    file: &File,
    path: &Path,
    address: usize,
    size: usize,
    offset: usize,
    right: i32,
) -> Result<(), String> {
    let flags = libc::MAP_PRIVATE | libc::MAP_FIXED;
    let rights = libc::PROT_READ | right;
    let (start, descriptor) = (address as *mut libc::c_void, file.as_raw_fd());
    // SAFETY: the caller owns the range.
    let mapped =
        unsafe { libc::mmap(start, size, rights, flags, descriptor, offset as libc::off_t) };
    match mapped == libc::MAP_FAILED {
        true => {
            let error = std::io::Error::last_os_error();
            Err(format!("cannot map '{}': {error}", path.display()))
        }
        false => Ok(()),
    }
}

/// Returns the bytes of the shared object. Its code is at the address [`BASE`], because valgrind
/// ignores symbols at 0.
fn contents(object: &Object<'_>, spare: usize, names: &[String], code: &[u8]) -> Vec<u8> {
    let room = object.size.next_multiple_of(PAGE);
    let (code_at, data_at) = (PAGE as u64, (PAGE + room) as u64);
    let data_address = (spare - object.code) as u64 + BASE;
    let mut strings = vec![0];
    let mut symbols = vec![0; SYMBOL_BYTES as usize];
    for (name, Function { address, size, .. }) in names.iter().zip(object.functions) {
        symbols.extend((strings.len() as u32).to_le_bytes());
        // A global function in section 1.
        symbols.extend([0x12, 0, 1, 0]);
        symbols.extend(((address - object.code) as u64 + BASE).to_le_bytes());
        symbols.extend((*size as u64).to_le_bytes());
        strings.extend(name.bytes().filter(|&byte| byte != 0));
        strings.push(0);
    }
    const NAMES: &[u8] = b"\0.text\0.data\0.symtab\0.strtab\0.shstrtab\0";
    let symbols_at = data_at + PAGE as u64;
    let strings_at = symbols_at + symbols.len() as u64;
    let names_at = strings_at + strings.len() as u64;
    let sections_at = (names_at + NAMES.len() as u64).next_multiple_of(8);

    let mut bytes = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    // ET_DYN, EM_X86_64, version 1.
    bytes.extend([3, 0, 62, 0, 1, 0, 0, 0]);
    for number in [0, HEADER_BYTES, sections_at] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([0; 4]);
    for number in [HEADER_BYTES, SEGMENT_BYTES, 2, SECTION_BYTES, 6, 5] {
        bytes.extend((number as u16).to_le_bytes());
    }
    // PT_LOAD with the rights to read and execute, and with those to read and write.
    for (rights, offset, address, size) in
        [(5u32, code_at, BASE, code.len()), (6, data_at, data_address, PAGE)]
    {
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(rights.to_le_bytes());
        for number in [offset, address, address, size as u64, size as u64, PAGE as u64] {
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes.resize(PAGE, 0);
    bytes.extend(code);
    bytes.resize(data_at as usize + PAGE, 0);
    bytes.extend(&symbols);
    bytes.extend(&strings);
    bytes.extend(NAMES);
    bytes.resize(sections_at as usize, 0);
    // Name, type, flags, address, offset, size, link, first global symbol, alignment, entry size.
    let (text, data, table) = (code.len() as u64, PAGE as u64, symbols.len() as u64);
    let sections: [[u64; 10]; 6] = [
        [0; 10],
        [1, 1, 6, BASE, code_at, text, 0, 0, 16, 0],
        [7, 1, 3, data_address, data_at, data, 0, 0, 16, 0],
        [13, 2, 0, 0, symbols_at, table, 4, 1, 8, SYMBOL_BYTES],
        [21, 3, 0, 0, strings_at, strings.len() as u64, 0, 0, 1, 0],
        [29, 3, 0, 0, names_at, NAMES.len() as u64, 0, 0, 1, 0],
    ];
    for [name, kind, flags, address, offset, size, link, info, align, entry] in sections {
        bytes.extend((name as u32).to_le_bytes());
        bytes.extend((kind as u32).to_le_bytes());
        for number in [flags, address, offset, size] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend((link as u32).to_le_bytes());
        bytes.extend((info as u32).to_le_bytes());
        bytes.extend(align.to_le_bytes());
        bytes.extend(entry.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use object::{Object as _, ObjectSection, ObjectSymbol};

    use super::*;

    #[test]
    fn the_file_has_the_code_and_the_names() {
        let code: Vec<u8> = (0..PAGE).map(|at| at as u8).collect();
        let start = 0x7000_0000;
        let function = Function { symbol: "_ZTS1K", address: start + 0x20, size: 0x10 };
        let functions = [function];
        let spare = start + 3 * PAGE;
        let object = Object { code: start, size: PAGE, spare: Some(spare), functions: &functions };
        let bytes = contents(&object, spare, &["K".to_owned()], &code);
        let elf = object::File::parse(&*bytes).expect("an ELF file");
        let symbol = elf.symbols().find(|symbol| symbol.name() == Ok("K")).expect("the symbol");
        assert_eq!((symbol.address(), symbol.size()), (BASE + 0x20, 0x10));
        let section = |name: &str| elf.section_by_name(name).expect("the section");
        assert_eq!(section(".text").data(), Ok(&code[..]));
        assert_eq!(section(".data").address() - BASE, (spare - start) as u64);
    }
}
