//! A fake driver without a device. It is built once and loaded separately for each test, so that
//! tests do not affect each other.

use std::ffi::{CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_backend_cuda::{Discovery, Services, discover_with};
use scythe_hal::library::Library;
use scythe_hal::{
    BuildRequest, Command, CompileRequest, Compiler, Device, Errc, Error, Event, FunctorBytes,
    Kernel, KernelWork, Output, Queue, Result, Work,
};
use scythe_image::Format;

/// The driver of one test.
pub struct Fake {
    path: PathBuf,
    library: Library,
}

impl Fake {
    pub fn new() -> Self {
        static BUILT: OnceLock<PathBuf> = OnceLock::new();
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let built = BUILT.get_or_init(|| {
            let library = folder.join(format!("libcuda-{}.so", process::id()));
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver/libcuda.c");
            let mut cc = process::Command::new("cc");
            cc.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source);
            assert!(cc.status().expect("a C compiler").success());
            library
        });
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("libcuda-{}-{number}.so", process::id()));
        std::fs::copy(built, &path).expect("a copy of the driver");
        // SAFETY: the library has no initialisers.
        let library = unsafe { Library::load(&path) }.unwrap();
        Self { path, library }
    }

    pub fn set(&self, name: &str, value: i64) -> &Self {
        let text = CString::new(name).unwrap();
        // SAFETY: the driver's function has this type, and the text is a C string.
        unsafe {
            let set: unsafe extern "C" fn(*const c_char, i64) =
                self.library.get("fake_set").unwrap();
            set(text.as_ptr(), value);
        }
        self
    }

    pub fn get(&self, name: &str) -> i64 {
        let text = CString::new(name).unwrap();
        // SAFETY: the driver's function has this type, and the text is a C string.
        unsafe {
            let get: unsafe extern "C" fn(*const c_char) -> i64 =
                self.library.get("fake_get").unwrap();
            get(text.as_ptr())
        }
    }

    pub fn discover(&self) -> Discovery {
        discover_with(&self.path, services())
    }

    pub fn devices(&self) -> Vec<Arc<dyn Device>> {
        let found = self.discover();
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        found.backends[0].devices().to_vec()
    }

    pub fn device(&self) -> Arc<dyn Device> {
        self.devices().remove(0)
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

pub fn services() -> Services {
    Services { compiler: &FakeCompiler, kernel_name: |symbol| format!("<{symbol}>") }
}

/// A compiler that translates only one text.
struct FakeCompiler;

impl Compiler for FakeCompiler {
    fn compile(
        &self,
        request: &CompileRequest<'_>,
        load: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        match (request.bitcode, request.output) {
            (b"large", Output::Ptx { kernel: Some(kernel @ ("shares" | "shared")), .. }) => load(
                format!(
                    ".version 8.3\n.visible .entry shares(\n.visible .entry shared(\n\
                     // for {kernel}\n\0"
                )
                .as_bytes(),
            ),
            (b"large", Output::Ptx { kernel: Some(kernel), .. }) => {
                load(format!(".version 8.3\n.visible .entry {kernel}(\n\0").as_bytes())
            }
            (b"BC", Output::Ptx { sm, .. }) => load(
                format!(".version 8.3 .target sm_{sm} count -O{}\0", request.opt_level).as_bytes(),
            ),
            _ => Err(Error::new(Errc::Build, "no device code")),
        }
    }
}

/// The device code with the tests' kernels.
pub const CODE: &[u8] = b".version 8.3\ncount illegal wide local\0";

/// Returns a kernel with a pointer and `locals` local accessors.
pub fn kernel(
    device: &Arc<dyn Device>,
    name: &str,
    shape: Shape,
    locals: usize,
) -> Arc<dyn Kernel> {
    let program = device.build(&BuildRequest::new(CODE, Format::Ptx)).expect("a program");
    let mut params = vec![Param::pointer(ParamKind::Pointer, 0)];
    params.extend((0..locals).map(|i| Param::pointer(ParamKind::Local, 8 + 16 * i as u64)));
    let functor_size = 8 + 16 * locals as u64;
    let launch = KernelLaunch {
        shape,
        functor_size,
        file: String::new(),
        line: 0,
        column: 0,
        identity: 0,
        params,
        function: None,
    };
    program.kernel(name, &launch).expect("a kernel")
}

/// Returns a launch of a kernel with a pointer and local accessors of these sizes.
pub fn launch(
    kernel: &Arc<dyn Kernel>,
    pointer: *mut c_void,
    locals: &[u64],
    global: &[u64],
    local: &[u64],
    offset: &[u64],
) -> Work {
    let mut functor = (pointer as u64).to_ne_bytes().to_vec();
    for size in locals {
        functor.extend(0u64.to_ne_bytes());
        functor.extend(size.to_ne_bytes());
    }
    let fill =
        |given: &[u64], rest: u64| std::array::from_fn(|d| given.get(d).copied().unwrap_or(rest));
    Work::Kernel(Box::new(KernelWork {
        kernel: kernel.clone(),
        functor: FunctorBytes::new(&functor),
        dims: global.len() as u32,
        global_size: fill(global, 1),
        local_size: fill(local, 1),
        global_offset: fill(offset, 0),
        cooperation: Default::default(),
        place: None,
    }))
}

pub fn enqueue(
    queue: &Arc<dyn Queue>,
    work: Work,
    deps: &[Arc<dyn Event>],
) -> Result<Arc<dyn Event>> {
    // SAFETY: tests keep all memory until the commands have completed.
    unsafe { queue.enqueue(Command::new(work, deps)) }
}
