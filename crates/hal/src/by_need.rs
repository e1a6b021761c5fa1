//! Programs whose kernels are compiled when they are first used.
//!
//! Guarantees: each kernel is compiled at most once, also if several threads launch it at the same
//! time; a failure is remembered; kernels that share variables use the same copy of them. For the
//! last, the compiler returns all kernels if one of them shares variables
//! ([`crate::compiler::Output`]), and such code is loaded once.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use scythe_image::Format;

use crate::{BuildOptions, BuildRequest, Global, Result};

/// The largest number of kernels of an image that are compiled together. A kernel that is compiled
/// alone takes longer than as a part of the image, because it has its own functions of the device
/// library. Most programs launch all kernels of a small image, and few kernels of a large one.
const MAX_TOGETHER: usize = 16;
/// The largest size of bitcode whose kernels are compiled together.
const MAX_BITCODE_TOGETHER: usize = 64 << 10;

/// Returns whether the kernels of this bitcode are compiled when they are first used.
pub fn is_large(request: &BuildRequest<'_>) -> bool {
    let libraries = request.libraries.iter().map(|library| library.len()).sum::<usize>();
    let (count, size) = (request.kernel_count, request.code.len() + libraries);
    count > MAX_TOGETHER || (count > 1 && size > MAX_BITCODE_TOGETHER)
}

/// Loaded code of an image: all kernels, or those that have been used.
pub struct ByNeed<P> {
    /// The code of all kernels, if they were compiled together.
    whole: OnceLock<Arc<P>>,
    /// The code of kernels that were compiled alone.
    alone: Mutex<HashMap<String, Cell<P>>>,
    /// The number of kernels that are compiled alone before the rest is compiled together.
    limit: usize,
    /// Whether compiling the rest together was tried.
    tried: Mutex<bool>,
}

type Cell<P> = Arc<OnceLock<Result<Arc<P>>>>;

/// Code that was compiled for a kernel and loaded.
pub enum Part<P> {
    /// The kernel alone.
    Kernel(P),
    /// All kernels of the image, because the kernel shares variables with others.
    Whole(P),
}

impl<P> Default for ByNeed<P> {
    fn default() -> Self {
        Self {
            whole: OnceLock::new(),
            alone: Mutex::default(),
            limit: usize::MAX,
            tried: Mutex::default(),
        }
    }
}

impl<P> ByNeed<P> {
    /// Creates a program from the code of all kernels.
    pub fn together(whole: P) -> Self {
        Self { whole: OnceLock::from(Arc::new(whole)), ..Self::default() }
    }

    /// Creates a program without code, for drivers that need time for each program that they load.
    /// After a quarter of the `kernels` has been compiled alone, all are compiled together. So a
    /// program that launches all kernels takes at most half as long again.
    pub fn of(kernels: usize) -> Self {
        Self { limit: kernels / 4, ..Self::default() }
    }

    /// Returns the code of all kernels. Calls `compile` unless they were compiled together.
    pub fn whole(&self, compile: impl FnOnce() -> Result<P>) -> Result<Arc<P>> {
        if let Some(whole) = self.whole.get() {
            return Ok(Arc::clone(whole));
        }
        let compiled = Arc::new(compile()?);
        // Kernels that share variables may have been compiled in the meantime.
        Ok(Arc::clone(self.whole.get_or_init(|| compiled)))
    }

    /// Returns the code of a kernel. Calls `compile` at most once for each kernel, and once for all
    /// of them (`None`) after many kernels.
    pub fn get(
        &self,
        kernel: &str,
        compile: impl Fn(Option<&str>) -> Result<Part<P>>,
    ) -> Result<Arc<P>> {
        if let Some(whole) = self.whole.get() {
            return Ok(Arc::clone(whole));
        }
        let mut alone = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
        let many = alone.len() >= self.limit && !alone.contains_key(kernel);
        if many {
            drop(alone);
            if let Some(whole) = self.rest(&compile) {
                return Ok(whole);
            }
            alone = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
        }
        let cell = Arc::clone(alone.entry(kernel.to_owned()).or_default());
        drop(alone);
        let part = || match compile(Some(kernel))? {
            Part::Kernel(program) => Ok(Arc::new(program)),
            // Several threads may have compiled all kernels. They use the first result.
            Part::Whole(program) => Ok(Arc::clone(self.whole.get_or_init(|| Arc::new(program)))),
        };
        cell.get_or_init(part).clone()
    }

    /// Compiles all kernels together, once. Returns `None` if that is impossible, for example
    /// because of another kernel.
    fn rest(&self, compile: impl Fn(Option<&str>) -> Result<Part<P>>) -> Option<Arc<P>> {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *tried, true)
            && let Ok(Part::Kernel(program) | Part::Whole(program)) = compile(None)
        {
            self.whole.get_or_init(|| Arc::new(program));
        }
        self.whole.get().cloned()
    }
}

/// A [`BuildRequest`] that owns its parts.
pub struct Source {
    code: Box<[u8]>,
    format: Format,
    kernel_count: usize,
    libraries: Vec<Box<[u8]>>,
    options: BuildOptions,
    aspects: Vec<u32>,
    globals: Vec<OwnGlobal>,
}

struct OwnGlobal {
    symbol: String,
    size: usize,
    address: *mut c_void,
}

// SAFETY: the address is in the device's memory. Only commands access it.
unsafe impl Send for OwnGlobal {}
// SAFETY: the address is in the device's memory. Only commands access it.
unsafe impl Sync for OwnGlobal {}

impl Source {
    pub fn new(request: &BuildRequest<'_>) -> Self {
        let own = |global: &Global<'_>| OwnGlobal {
            symbol: global.symbol.to_owned(),
            size: global.size,
            address: global.address,
        };
        Self {
            code: request.code.into(),
            format: request.format,
            kernel_count: request.kernel_count,
            libraries: request.libraries.iter().map(|&library| library.into()).collect(),
            options: request.options,
            aspects: request.aspects.to_vec(),
            globals: request.globals.iter().map(own).collect(),
        }
    }

    /// Calls `build` with the request.
    pub fn with<R>(&self, build: impl FnOnce(&BuildRequest<'_>) -> R) -> R {
        let libraries: Vec<&[u8]> = self.libraries.iter().map(|library| &**library).collect();
        let globals: Vec<Global<'_>> = self
            .globals
            .iter()
            .map(|own| Global { symbol: &own.symbol, size: own.size, address: own.address })
            .collect();
        build(&BuildRequest {
            code: &self.code,
            format: self.format,
            kernel_count: self.kernel_count,
            libraries: &libraries,
            options: self.options,
            aspects: &self.aspects,
            globals: &globals,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Errc, Error};

    #[test]
    fn each_kernel_is_compiled_once() {
        let program = ByNeed::default();
        let first = program.get("a", |_| Ok(Part::Kernel(1))).unwrap();
        assert_eq!(*first, 1);
        assert_eq!(*program.get("a", |_| Ok(Part::Kernel(2))).unwrap(), 1);
        assert_eq!(*program.get("b", |_| Ok(Part::Kernel(3))).unwrap(), 3);
        let fails = |_: Option<&str>| Err(Error::new(Errc::Build, "no"));
        assert!(program.get("c", fails).is_err());
        assert_eq!(program.get("c", |_| Ok(Part::Kernel(4))).unwrap_err().message, "no");
        assert_eq!(*program.whole(|| Ok(5)).unwrap(), 5);
        assert_eq!(*program.get("a", |_| Ok(Part::Kernel(6))).unwrap(), 5);
    }

    #[test]
    fn kernels_that_share_variables_use_one_copy() {
        let program = ByNeed::default();
        program.get("a", |_| Ok(Part::Kernel(1))).unwrap();
        let shared = |n| program.get(["b", "c"][n as usize], |_| Ok(Part::Whole(n)));
        assert_eq!((*shared(1).unwrap(), *shared(0).unwrap()), (1, 1));
        assert_eq!(*program.whole(|| Ok(2)).unwrap(), 1);
        let racing = ByNeed::default();
        let seen = std::thread::scope(|scope| {
            let launch = |n: u32| {
                let kernel = n.to_string();
                let racing = &racing;
                scope.spawn(move || *racing.get(&kernel, |_| Ok(Part::Whole(n))).unwrap())
            };
            let threads: Vec<_> = (0..8).map(launch).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(seen.iter().all(|n| n == &seen[0]), "{seen:?}");
    }

    #[test]
    fn the_rest_is_compiled_together_after_many_kernels() {
        let compiled = Mutex::new(Vec::new());
        let compile = |kernel: Option<&str>| {
            compiled.lock().unwrap().push(kernel.map(str::to_owned));
            Ok(match kernel {
                Some(_) => Part::Kernel(1),
                None => Part::Whole(2),
            })
        };
        let program = ByNeed::of(8);
        let seen = ["a", "b", "a", "c", "d", "a"].map(|name| *program.get(name, compile).unwrap());
        assert_eq!(seen, [1, 1, 1, 2, 2, 2]);
        assert_eq!(compiled.lock().unwrap().as_slice(), [Some("a".into()), Some("b".into()), None]);
        let fails = |kernel: Option<&str>| match kernel {
            Some(_) => Ok(Part::Kernel(1)),
            None => Err(Error::new(Errc::Build, "no")),
        };
        let program = ByNeed::of(4);
        assert_eq!(["a", "b", "c"].map(|name| *program.get(name, fails).unwrap()), [1, 1, 1]);
    }

    #[test]
    fn images_are_large_by_kernels_or_by_size() {
        let code = vec![0; MAX_BITCODE_TOGETHER];
        let request = |kernel_count, size: usize, libraries| BuildRequest {
            kernel_count,
            libraries,
            ..BuildRequest::new(&code[..size], Format::LlvmBitcode)
        };
        assert!(!is_large(&request(MAX_TOGETHER, 1000, &[])));
        assert!(is_large(&request(MAX_TOGETHER + 1, 1000, &[])));
        assert!(!is_large(&request(2, MAX_BITCODE_TOGETHER, &[])));
        assert!(is_large(&request(2, MAX_BITCODE_TOGETHER, &[&[0]])));
        assert!(!is_large(&request(1, MAX_BITCODE_TOGETHER, &[&[0]])));
    }
}
