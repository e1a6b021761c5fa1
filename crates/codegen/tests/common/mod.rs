//! Compiles device IR, loads the object and runs its kernels.

use scythe_abi::cpu::{Box3, KernelFn, Launch};
use scythe_codegen::{Options, compile_module};
use scythe_llvm::Context;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::process::Command;

// The C library's loader. The tests need only these functions of it.
unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}
const RTLD_NOW: c_int = 2;

/// The beginning of every module of the tests.
pub const HEAD: &str = r#"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
declare spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare spir_func i64 @_Z25__spirv_BuiltInGlobalSizei(i32)
declare spir_func i64 @_Z27__spirv_BuiltInGlobalOffseti(i32)
declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)
declare spir_func i64 @_Z28__spirv_BuiltInWorkgroupSizei(i32)
declare spir_func i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32)
declare spir_func i64 @_Z28__spirv_BuiltInNumWorkgroupsi(i32)
attributes #0 = { convergent nounwind mustprogress "scythe-shape"="range" "frame-pointer"="all" }
attributes #1 = { convergent nounwind mustprogress "scythe-shape"="nd_range" "frame-pointer"="all" }
attributes #2 = { convergent nounwind mustprogress "scythe-shape"="single_task" "frame-pointer"="all" }
"#;

/// Compiles `HEAD` and `body` with the device library, which is built from its sources.
pub fn compile(body: &str, opt_level: u32) -> Result<Vec<u8>, String> {
    let context = Context::new();
    let module =
        context.parse_ir(format!("{HEAD}{body}").as_bytes(), "test").map_err(|e| e.to_string())?;
    let mut options = Options::host(opt_level);
    options.device_lib_dir = Some(device_library());
    options.dump_dir = std::env::var_os("SCYTHE_TEST_DUMP").map(PathBuf::from);
    compile_module(&context, module, &options).map_err(|e| e.to_string())
}

/// Returns the folder with the device library, which is built once for each test program.
fn device_library() -> PathBuf {
    static FOLDER: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    let build = || {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("devicelib-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the device library can be made");
        let source =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../device-lib/cpu/devicelib.cpp");
        let flags = "-fsycl -fsycl-device-only -std=c++17 -O2 -nostdinc -fno-math-errno \
            -ffp-contract=off -emit-llvm -c";
        let mut command = Command::new("clang++-22");
        command
            .args(flags.split(' '))
            .arg(source)
            .arg("-o")
            .arg(folder.join(scythe_codegen::DEVICE_LIBRARY));
        assert!(
            command.status().expect("clang++-22 runs").success(),
            "the device library compiles"
        );
        folder
    };
    FOLDER.get_or_init(build).clone()
}

/// A loaded object.
pub struct Library(*mut c_void);

impl Library {
    /// Compiles, links and loads a library. Panics with the message if that fails.
    pub fn new(body: &str, opt_level: u32) -> Self {
        let object = compile(body, opt_level).unwrap_or_else(|e| panic!("{e}"));
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let (file, library) = (folder.path().join("k.o"), folder.path().join("k.so"));
        std::fs::write(&file, object).expect("the object can be written");
        let link = Command::new("cc")
            .args(["-shared", "-Wl,-z,defs", "-o"])
            .arg(&library)
            .arg(&file)
            .arg("-lm")
            .output();
        let link = link.expect("cc runs");
        assert!(link.status.success(), "{}", String::from_utf8_lossy(&link.stderr));
        let path =
            CString::new(library.to_str().expect("a plain path")).expect("no NUL in the path");
        // SAFETY: the path is a C string. The library was just built and has no constructors.
        let handle = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
        assert!(!handle.is_null(), "the library loads");
        Self(handle)
    }

    /// Returns the work-group function of a kernel.
    pub fn kernel(&self, name: &str) -> KernelFn {
        let symbol = CString::new(format!("{}{name}", scythe_abi::names::CPU_ENTRY_PREFIX))
            .expect("no NUL in the name");
        // SAFETY: the library is loaded, and the symbol is a C string.
        let address = unsafe { dlsym(self.0, symbol.as_ptr()) };
        assert!(!address.is_null(), "{symbol:?} is defined");
        // SAFETY: the compiler gives functions with this prefix this type.
        unsafe { std::mem::transmute::<*mut c_void, KernelFn>(address) }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: the library is loaded, and `drop` runs once. Tests do not call kernels
        // afterwards.
        unsafe { dlclose(self.0) };
    }
}

/// The sizes of a launch, with the fastest dimension first.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub global: [u64; 3],
    pub offset: [u64; 3],
    pub local: [u64; 3],
}

impl Sizes {
    pub fn range(global: [u64; 3]) -> Self {
        Self { global, offset: [0; 3], local: [1; 3] }
    }

    pub fn groups(&self) -> [u64; 3] {
        std::array::from_fn(|d| self.global[d] / self.local[d])
    }
}

/// Runs `kernel` over `area`. `args` holds the addresses of the argument values.
///
/// # Safety
/// The values must match the kernel's parameters, and the memory that the kernel reaches through
/// them must be valid.
pub unsafe fn run(
    kernel: KernelFn,
    sizes: Sizes,
    area: Box3,
    args: &[*const c_void],
    local_memory: *mut u8,
) {
    let launch = Launch {
        args: args.as_ptr(),
        global_size: sizes.global,
        global_offset: sizes.offset,
        local_size: sizes.local,
        num_groups: sizes.groups(),
        work_dim: 3,
        local_bytes: 0,
    };
    // SAFETY: the launch and the box are valid for the call. The caller guarantees the arguments
    // (this function's contract).
    unsafe { kernel(&launch, &area, local_memory) }
}

/// Returns the address of a value, as an entry of `args`.
pub fn arg<T>(value: &T) -> *const c_void {
    (value as *const T).cast()
}
