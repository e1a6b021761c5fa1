//! Client of the run-time compiler: finds `libscythe-jit.so` beside this library, loads it for the first build that the
//! cache does not save, and calls it through the C edge of `scythe_abi::jit`, `scythe_abi::spirv` and `scythe_abi::ptx`.

use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use scythe_abi::jit::{
    Bitcode, COMPILE_SYMBOL, CompileFn, FREE_SYMBOL, FreeFn, LIBRARY, Request, Response, SCALAR_OPTION, VERSION,
};
use scythe_abi::ptx;
use scythe_abi::specialize::{self, SPECIALIZE_SYMBOL, SpecializeFn};
use scythe_abi::spirv::{self, TRANSLATE_SYMBOL, TranslateFn};
use scythe_hal::{Errc, Error, Result, device_has};

use crate::cache::FileStamp;
use crate::threads::own_path;
use crate::variant::Variant;

/// Environment variable: a folder for each stage's IR.
pub(crate) const DUMP_VARIABLE: &str = "SCYTHE_DUMP_JIT";

/// As cargo names it.
const CARGO_LIBRARY: &str = "libscythe_jit.so";

/// Any function of LLVM's C interface: it tells which LLVM the compiler uses.
const LLVM_SYMBOL: &CStr = c"LLVMContextCreate";

/// What the compiler consists of; none of it needs to be loaded to know this.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) library: PathBuf,
    /// The folder of the device library. The compiler says so if it needs one and it is not there.
    pub(crate) device_lib_dir: PathBuf,
}

struct Compiler {
    compile: CompileFn,
    translate: TranslateFn,
    /// `None` in a compiler without NVIDIA's target.
    translate_ptx: Option<ptx::TranslateFn>,
    specialize: SpecializeFn,
    free: FreeFn,
    device_lib_dir: CString,
    llvm: Option<FileStamp>,
}

/// What a build gave.
pub(crate) struct Compiled {
    pub(crate) object: Vec<u8>,
    /// The LLVM that made it, where that is a file of its own.
    pub(crate) llvm: Option<&'static FileStamp>,
}

fn build_error(message: String) -> Error {
    Error::new(Errc::Build, message)
}

/// Where the compiler is; looked for once.
pub(crate) fn files() -> Result<&'static Files> {
    static FILES: OnceLock<Result<Files>> = OnceLock::new();
    FILES.get_or_init(|| find(&search_folders())).as_ref().map_err(Clone::clone)
}

/// Where to write each stage's IR, if the user wants to see it.
pub(crate) fn dump_folder() -> Option<OsString> {
    std::env::var_os(DUMP_VARIABLE).filter(|folder| !folder.is_empty())
}

/// A program that is to judge SPIR-V modules. Not for set-user-ID programs, whose environment their caller chose.
pub(crate) fn validator() -> Option<OsString> {
    // SAFETY: asks for a number that the kernel gave at the start of the process.
    let privileged = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    std::env::var_os(spirv::VALIDATOR_VARIABLE).filter(|program| !privileged && !program.is_empty())
}

/// Compiles device bitcode, linked with `libraries`, to an object for this machine. `options` may name an optimisation
/// level, `-O0` to `-O3`, and the scalar form ([`SCALAR_OPTION`]). With a variant, only its kernel, for its work-group size alone.
pub(crate) fn compile(
    bitcode: &[u8],
    options: &str,
    variant: Option<&Variant>,
    libraries: &[&[u8]],
) -> Result<Compiled> {
    let compiler = compiler()?;
    let dump = dump_folder().map(|folder| c_string(Path::new(&folder))).transpose()?;
    let kernel = variant.map(|v| c_string(Path::new(&v.kernel))).transpose()?;
    let libraries: Vec<_> = libraries.iter().map(|code| Bitcode { data: code.as_ptr(), len: code.len() }).collect();
    let aspects = device_has::aspects(options);
    let request = Request {
        version: VERSION,
        opt_level: opt_level(options),
        bitcode: bitcode.as_ptr(),
        bitcode_len: bitcode.len(),
        device_lib_dir: compiler.device_lib_dir.as_ptr(),
        dump_dir: dump.as_ref().map_or(ptr::null(), |folder| folder.as_ptr()),
        libraries: libraries.as_ptr(),
        library_count: libraries.len(),
        kernel: kernel.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
        local_size: variant.map_or([0; 3], |v| v.local_size),
        aspects: aspects.as_ptr(),
        aspect_count: aspects.len(),
        scalar: u32::from(options.split_whitespace().any(|word| word == SCALAR_OPTION)),
    };
    // SAFETY: the request is valid for the call, and has the layout of the version named inside.
    answer(compiler, |response| unsafe { (compiler.compile)(&request, response) })
}

/// Translates device bitcode, linked with `libraries`, to SPIR-V up to `version`. `extensions` are separated by blanks.
pub(crate) fn translate(
    bitcode: &[u8],
    options: &str,
    libraries: &[&[u8]],
    extensions: &str,
    version: u32,
    kernel: Option<&str>,
) -> Result<Compiled> {
    let compiler = compiler()?;
    let dump = dump_folder().map(|folder| c_string(Path::new(&folder))).transpose()?;
    let validator = validator().map(|program| c_string(Path::new(&program))).transpose()?;
    let kernel = kernel.map(|name| c_string(Path::new(name))).transpose()?;
    let libraries: Vec<_> = libraries.iter().map(|code| Bitcode { data: code.as_ptr(), len: code.len() }).collect();
    let extensions = c_string(Path::new(extensions))?;
    let aspects = device_has::aspects(options);
    let request = spirv::Request {
        version: spirv::VERSION,
        spirv_version: version,
        bitcode: bitcode.as_ptr(),
        bitcode_len: bitcode.len(),
        libraries: libraries.as_ptr(),
        library_count: libraries.len(),
        device_lib_dir: compiler.device_lib_dir.as_ptr(),
        dump_dir: dump.as_ref().map_or(ptr::null(), |folder| folder.as_ptr()),
        extensions: extensions.as_ptr(),
        kernel: kernel.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
        validator: validator.as_ref().map_or(ptr::null(), |program| program.as_ptr()),
        aspects: aspects.as_ptr(),
        aspect_count: aspects.len(),
    };
    // SAFETY: the request is valid for the call, and has the layout of the version named inside.
    answer(compiler, |response| unsafe { (compiler.translate)(&request, response) })
}

/// Translates device bitcode, linked with `libraries`, to PTX for compute capability `sm`, of a version that a driver of CUDA
/// version `driver` knows.
pub(crate) fn translate_ptx(
    bitcode: &[u8],
    options: &str,
    libraries: &[&[u8]],
    sm: u32,
    driver: u32,
) -> Result<Compiled> {
    let compiler = compiler()?;
    let dump = dump_folder().map(|folder| c_string(Path::new(&folder))).transpose()?;
    let libraries: Vec<_> = libraries.iter().map(|code| Bitcode { data: code.as_ptr(), len: code.len() }).collect();
    let aspects = device_has::aspects(options);
    let request = ptx::Request {
        version: ptx::VERSION,
        opt_level: opt_level(options),
        bitcode: bitcode.as_ptr(),
        bitcode_len: bitcode.len(),
        libraries: libraries.as_ptr(),
        library_count: libraries.len(),
        device_lib_dir: compiler.device_lib_dir.as_ptr(),
        dump_dir: dump.as_ref().map_or(ptr::null(), |folder| folder.as_ptr()),
        cuda_path: ptr::null(),
        aspects: aspects.as_ptr(),
        aspect_count: aspects.len(),
        sm,
        ptx_version: ptx::version_of_driver(driver),
    };
    let Some(translate) = compiler.translate_ptx else {
        return Err(build_error("the run-time compiler makes no code for NVIDIA GPUs".to_owned()));
    };
    // SAFETY: the request is valid for the call, and has the layout of the version named inside.
    answer(compiler, |response| unsafe { translate(&request, response) })
}

/// Device bitcode with the values of specialization constants: pairs of a name and the bytes.
pub(crate) fn specialize(bitcode: &[u8], values: &[(String, Vec<u8>)]) -> Result<Compiled> {
    let compiler = compiler()?;
    let names = values.iter().map(|(symbol, _)| c_string(Path::new(symbol))).collect::<Result<Vec<_>>>()?;
    let value = |(name, (_, bytes)): (&CString, &(String, Vec<u8>))| specialize::Value {
        symbol: name.as_ptr(),
        bytes: bytes.as_ptr(),
        len: bytes.len(),
    };
    let values: Vec<_> = names.iter().zip(values).map(value).collect();
    let request = specialize::Request {
        version: specialize::VERSION,
        bitcode: bitcode.as_ptr(),
        bitcode_len: bitcode.len(),
        values: values.as_ptr(),
        value_count: values.len(),
    };
    // SAFETY: the request is valid for the call, and has the layout of the version named inside.
    answer(compiler, |response| unsafe { (compiler.specialize)(&request, response) })
}

/// The compiler, loaded once.
fn compiler() -> Result<&'static Compiler> {
    static COMPILER: OnceLock<Result<Compiler>> = OnceLock::new();
    COMPILER.get_or_init(|| load(files()?)).as_ref().map_err(Clone::clone)
}

/// What the compiler answers when `call` asks it: a status, and a response that the compiler frees.
fn answer(compiler: &'static Compiler, call: impl FnOnce(*mut Response) -> i32) -> Result<Compiled> {
    let mut response = Response { object: ptr::null_mut(), object_len: 0, error: ptr::null_mut() };
    let status = call(&mut response);
    let result = if status == 0 && response.error.is_null() && !response.object.is_null() {
        // SAFETY: on success the response holds `object_len` bytes until it is freed.
        let object = unsafe { std::slice::from_raw_parts(response.object, response.object_len) }.to_vec();
        Ok(Compiled { object, llvm: compiler.llvm.as_ref() })
    } else if response.error.is_null() {
        Err(build_error(format!("the run-time compiler failed with status {status} and gave no reason")))
    } else {
        // SAFETY: the error is a NUL-terminated string until the response is freed.
        Err(build_error(unsafe { CStr::from_ptr(response.error) }.to_string_lossy().into_owned()))
    };
    // SAFETY: the response is the compiler's, and nothing of it is used any more.
    unsafe { (compiler.free)(&mut response) };
    result
}

/// The last `-O` option counts, as for a compiler; kernels are optimised as far as possible without one.
pub(crate) fn opt_level(options: &str) -> u32 {
    let level = |word: &str| match word {
        "-O0" => Some(0),
        "-O1" | "-O" => Some(1),
        "-O2" | "-Os" | "-Oz" => Some(2),
        "-O3" | "-Ofast" => Some(3),
        _ => None,
    };
    options.split_whitespace().filter_map(level).next_back().unwrap_or(3)
}

/// The folder of this library; in a cargo target folder also the one above, where cargo puts finished libraries.
fn search_folders() -> Vec<PathBuf> {
    let own = own_path().and_then(|path| std::fs::canonicalize(OsStr::from_bytes(path.as_bytes())).ok());
    let executable = std::env::current_exe().ok();
    let mut folders = Vec::new();
    for folder in [own, executable].iter().flatten().filter_map(|file| file.parent()) {
        folders.push(folder.to_owned());
        if ["deps", "examples"].iter().any(|name| folder.ends_with(name)) {
            folders.extend(folder.parent().map(Path::to_owned));
        }
    }
    folders.dedup();
    folders
}

fn find(folders: &[PathBuf]) -> Result<Files> {
    let candidates = folders.iter().flat_map(|folder| [folder.join(LIBRARY), folder.join(CARGO_LIBRARY)]);
    let Some(library) = candidates.into_iter().find(|file| file.is_file()) else {
        let searched: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        return Err(build_error(format!(
            "the run-time compiler {LIBRARY} was not found in {}; device code for the CPU cannot be built without it. \
             Install it beside libscythe.so (`cargo xtask install` does)",
            searched.join(", ")
        )));
    };
    let beside = library.parent().unwrap_or(Path::new("."));
    // Installed, or in a cargo target folder.
    let [installed, built] = [beside.join("scythe/devicelib"), beside.join("devicelib")];
    let device_lib_dir = if !installed.is_dir() && built.is_dir() { built } else { installed };
    Ok(Files { library, device_lib_dir })
}

fn load(files: &Files) -> Result<Compiler> {
    let (library, device_lib_dir) = (&files.library, c_string(&files.device_lib_dir)?);
    let path = c_string(library)?;
    // SAFETY: the path is NUL-terminated; the library's initialisers have no precondition.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        let message = format!("cannot load the run-time compiler {}: {}", library.display(), dl_error());
        return Err(build_error(message));
    }
    let compile = symbol(handle, library, COMPILE_SYMBOL)?;
    let translate = symbol(handle, library, TRANSLATE_SYMBOL)?;
    let translate_ptx = symbol(handle, library, ptx::TRANSLATE_SYMBOL).ok();
    let specialize = symbol(handle, library, SPECIALIZE_SYMBOL)?;
    let free = symbol(handle, library, FREE_SYMBOL)?;
    // SAFETY: the library's contract gives these symbols these types; it is never unloaded.
    unsafe {
        Ok(Compiler {
            compile: std::mem::transmute::<*mut c_void, CompileFn>(compile),
            translate: std::mem::transmute::<*mut c_void, TranslateFn>(translate),
            translate_ptx: translate_ptx.map(|at| std::mem::transmute::<*mut c_void, ptx::TranslateFn>(at)),
            specialize: std::mem::transmute::<*mut c_void, SpecializeFn>(specialize),
            free: std::mem::transmute::<*mut c_void, FreeFn>(free),
            device_lib_dir,
            llvm: llvm(handle),
        })
    }
}

/// The file of the LLVM that the library behind `handle` uses.
fn llvm(handle: *mut c_void) -> Option<FileStamp> {
    // SAFETY: the handle is open and the name NUL-terminated. `info` is plain pointers, filled when the call succeeds; the
    // name then is a C string that lives as long as the library, which is never unloaded.
    let path = unsafe {
        let function = libc::dlsym(handle, LLVM_SYMBOL.as_ptr());
        let mut info: libc::Dl_info = std::mem::zeroed();
        if function.is_null() || libc::dladdr(function, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        PathBuf::from(OsStr::from_bytes(CStr::from_ptr(info.dli_fname).to_bytes()))
    };
    FileStamp::of(&path).ok()
}

fn symbol(handle: *mut c_void, library: &Path, name: &str) -> Result<*mut c_void> {
    let text = c_string(Path::new(name))?;
    // SAFETY: the handle is open and the name NUL-terminated.
    let address = unsafe { libc::dlsym(handle, text.as_ptr()) };
    if address.is_null() {
        let message = format!("{} does not export '{name}': it is not Scythe's run-time compiler", library.display());
        return Err(build_error(message));
    }
    Ok(address)
}

fn c_string(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| build_error(format!("the path '{}' holds a NUL byte", path.display())))
}

fn dl_error() -> String {
    // SAFETY: the string, where there is one, lasts until this thread's next call of the dynamic loader.
    unsafe {
        let text: *const c_char = libc::dlerror();
        if text.is_null() { "unknown reason".into() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_optimisation_option_counts() {
        assert_eq!(opt_level(""), 3);
        assert_eq!(opt_level("-g -O2 -O0"), 0);
        assert_eq!(opt_level("-Ofoo -O1"), 1);
    }

    #[test]
    fn missing_library_and_wrong_library_are_explained() {
        let folder = std::env::temp_dir().join(format!("scythe-no-jit-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let folders = [folder.clone()];
        let missing = find(&folders).err().unwrap();
        assert_eq!(missing.code, Errc::Build);
        assert!(missing.message.contains(LIBRARY) && missing.message.contains(folder.to_str().unwrap()));

        std::fs::write(folder.join(LIBRARY), b"not a library").unwrap();
        let wrong = load(&find(&folders).unwrap()).err().unwrap();
        assert!(wrong.message.starts_with("cannot load the run-time compiler"), "{wrong}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
