//! A registered device image: the contents of its manifest, and the programs built from it.
//!
//! The bytes stay in the host program and are read twice: at the first lookup after registration,
//! for the manifest, and when a program is built, for a copy of the code. Both happen while the
//! registry is locked. Removal also needs that lock, so a build can never read an image that is
//! being unloaded. (Removal must not wait for a build instead: it runs inside `dlclose`, and a
//! build also needs the dynamic loader.)

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use scythe_abi::checks::Checks;
use scythe_abi::image_target::ImageTarget;
use scythe_abi::launch::{KernelLaunch, ParamKind};
use scythe_abi::requirements::{Conditional, Requirements};
use scythe_hal::{BuildOptions, BuildRequest, CompileRequest, Compiler, Global, Output, Program};
use scythe_image::manifest::{EntryPoint, Import};
use scythe_image::{Format, ImageView};
use scythe_jit_client::CLIENT;
use scythe_trace::{Category, Span};

use super::{Constants, DeviceInContext, checks, requirements};
use crate::demangle::symbol_name;
use crate::device_global::{self, ImageVariable, Memory, PrivateVariables};
use crate::platform::Device;
use crate::{Errc, Error, Result, lock, settings};

/// The maximum number of sets of specialization constant values for which a kernel and a program
/// are cached.
const MOST_VALUES: usize = 64;

/// A device image that was read successfully.
pub(super) struct Image {
    /// The identifier, unique in the process. An image at the address of a removed image has a
    /// different one.
    pub(super) id: u64,
    start: usize,
    len: usize,
    pub(super) format: Format,
    pub(super) target: ImageTarget,
    /// The file of the program or library that contains the image.
    pub(super) library: Arc<str>,
    /// The load address of that file.
    pub(super) base: usize,
    pub(super) kernels: HashMap<String, KernelFacts>,
    pub(super) exports: HashSet<String>,
    /// The symbols of the specialization constants.
    pub(super) constants: HashSet<String>,
    /// The imports in the order of the image, so that linking is deterministic.
    pub(super) imports: Vec<Import>,
    requirements: Requirements,
    /// Additional requirements on some devices.
    conditional: Vec<Conditional>,
    /// The `device_global` variables that the code uses.
    pub(super) globals: Vec<ImageVariable>,
    /// Whether the code queries the aspects of the device.
    asks_for_aspects: bool,
    /// The checks that the kernels request.
    checks: Checks,
    programs: Mutex<Vec<Built>>,
    /// Set if the image is not registered: it then owns its bytes.
    private: Option<Private>,
}

/// The bytes of an image that is not registered, and the variables of its program.
struct Private {
    bytes: Arc<[u8]>,
    variables: Arc<PrivateVariables>,
}

/// The description of a kernel in its image.
#[derive(Clone)]
pub(super) struct KernelFacts {
    pub(super) launch: Arc<KernelLaunch>,
    /// The required work-group size, in the order of the attribute.
    pub(super) work_group_size: Option<Arc<[u32]>>,
    /// The attributes and properties of the kernel, as text.
    pub(super) attributes: Arc<str>,
}

/// A program of an image, for one device and linked with these images.
pub(super) struct Built {
    device: u32,
    /// The context, or 0 if the program is the same in all contexts because none of its images has
    /// a `device_global`.
    context: u64,
    libraries: Vec<u64>,
    constants: Constants,
    program: ProgramCell,
}

/// The result of a build, set by the thread that builds first.
type ProgramCell = Arc<OnceLock<Result<BuiltProgram>>>;

/// A program and the memory that its code uses.
#[derive(Clone)]
pub(super) struct BuiltProgram {
    pub(super) program: Arc<dyn Program>,
    pub(super) globals: Vec<Arc<Memory>>,
    /// The context, or 0 if the program is the same in all contexts.
    pub(super) context: u64,
}

impl Image {
    /// Reads the image at these addresses, which belongs to a library with this name and load
    /// address. The caller must hold the registry, and the library must be registered.
    pub(super) fn read(
        (start, end): (usize, usize),
        library: Arc<str>,
        base: usize,
    ) -> std::result::Result<Self, String> {
        if start == 0 || end < start {
            return Err(format!(
                "its descriptor has the invalid address range {start:#x} to {end:#x}"
            ));
        }
        let len = end - start;
        // SAFETY: the caller holds the registry and the library is registered, so the bytes are
        // readable, as in `Image::view`.
        let view = ImageView::parse(unsafe { std::slice::from_raw_parts(start as *const u8, len) });
        let view = view.map_err(|error| error.to_string())?;
        Self::of_view(&view, (start, len), (library, base), None)
    }

    /// Reads an image that no library registers. It belongs to a program that was compiled from
    /// source text, which `name` describes, and shares variables with that program's images.
    pub(super) fn read_private(
        bytes: Arc<[u8]>,
        name: Arc<str>,
        variables: Arc<PrivateVariables>,
    ) -> std::result::Result<Self, String> {
        let place = (bytes.as_ptr() as usize, bytes.len());
        let view = ImageView::parse(&bytes).map_err(|error| error.to_string())?;
        let private = Private { bytes: bytes.clone(), variables };
        Self::of_view(&view, place, (name, 0), Some(private))
    }

    fn of_view(
        view: &ImageView<'_>,
        (start, len): (usize, usize),
        (library, base): (Arc<str>, usize),
        private: Option<Private>,
    ) -> std::result::Result<Self, String> {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        let manifest = view.manifest().map_err(|error| error.to_string())?;
        let kernels = kernels(manifest.entry_points, &manifest.requirements)?;
        let globals = manifest.globals.into_iter().map(ImageVariable::new);
        let globals = globals.collect::<std::result::Result<_, _>>()?;
        Ok(Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            start,
            len,
            format: view.format,
            target: view.target.into(),
            library,
            base,
            kernels,
            exports: manifest.exports.into_iter().collect(),
            constants: manifest.constants.into_iter().map(|constant| constant.symbol).collect(),
            imports: manifest.imports,
            requirements: manifest.requirements,
            conditional: manifest.conditional,
            globals,
            asks_for_aspects: manifest.asks_for_aspects,
            checks: checks::of(&manifest.other),
            programs: Mutex::default(),
            private,
        })
    }

    /// Parses the bytes of the image.
    ///
    /// # Safety
    /// The caller must hold the registry, and the image must be private or its library registered.
    unsafe fn view(&self) -> Result<ImageView<'_>> {
        let bytes = match &self.private {
            Some(private) => &private.bytes[..],
            // SAFETY: the caller of `register` keeps the bytes readable until `unregister`, which
            // waits for the registry.
            None => unsafe { std::slice::from_raw_parts(self.start as *const u8, self.len) },
        };
        ImageView::parse(bytes).map_err(|error| Error::new(Errc::Build, error.to_string()))
    }

    /// Checks whether the device meets the requirements of the image, regardless of its code; see
    /// [`requirements::check`].
    pub(super) fn check(&self, device: &Device) -> std::result::Result<(), String> {
        let info = device.hal.info();
        if self.conditional.is_empty() {
            return requirements::check(&self.requirements, info);
        }
        requirements::check(
            &self.requirements.on(&self.conditional, |aspect| info.aspects.contains(&aspect)),
            info,
        )
    }

    /// Returns the symbols that other images must define for the code that the device runs.
    pub(super) fn imports_on(&self, device: &Device) -> impl Iterator<Item = &String> {
        let has = |aspect: u32| device.hal.info().aspects.contains(&aspect);
        let called = move |import: &&Import| {
            import.conditions.is_empty()
                || import.conditions.iter().any(|condition| condition.holds(has))
        };
        self.imports.iter().filter(called).map(|import| &import.symbol)
    }

    /// Returns the sub-group size that the kernels require.
    pub(super) fn sub_group_size(&self) -> Option<u32> {
        match self.requirements.sub_group_sizes.as_deref() {
            Some([size]) => Some(*size),
            _ => None,
        }
    }

    /// Returns the number of bytes of the image.
    pub(super) fn size(&self) -> usize {
        self.len
    }

    /// Returns how much the device prefers this image, or an error if the device cannot run it.
    pub(super) fn preference(&self, device: &Device) -> Result<u32> {
        if self.format == Format::Empty {
            let message =
                format!("the device link left the kernel out of the image for '{}'", self.target);
            return Err(Error::new(Errc::KernelNotSupported, message));
        }
        device.hal.preference(self.format, &self.target)
    }

    /// Returns the program of this image: linked with `libraries` and built for its place, with
    /// these values of specialization constants. It is built at most once, even if many threads
    /// request it. A failure is cached, too.
    pub(super) fn program(
        &self,
        place: DeviceInContext,
        libraries: &[Arc<Image>],
        constants: &Constants,
    ) -> Result<BuiltProgram> {
        let constants = self.own_constants(libraries, constants)?;
        let ids: Vec<u64> = libraries.iter().map(|library| library.id).collect();
        let (device, context) = (place.device.id, self.context(place, libraries));
        let forgotten;
        let cell = {
            let mut programs = lock(&self.programs);
            let same = |b: &&Built| b.libraries == ids && b.constants == constants;
            match programs.iter().filter(same).find(|b| b.device == device && b.context == context)
            {
                Some(built) => {
                    forgotten = None;
                    built.program.clone()
                }
                None => {
                    let program = ProgramCell::default();
                    forgotten = oldest_values(&mut programs, |built| !built.constants.is_empty());
                    let (constants, program_cell) = (constants.clone(), program.clone());
                    programs.push(Built {
                        device,
                        context,
                        libraries: ids,
                        constants,
                        program: program_cell,
                    });
                    program
                }
            }
        };
        // A driver may wait for its device before it unloads a program.
        drop(forgotten);
        cell.get_or_init(|| self.build(place, libraries, &constants)).clone()
    }

    /// Returns the values for constants that this image or one of the libraries contains. Only code
    /// that is not yet compiled can use them.
    fn own_constants(&self, libraries: &[Arc<Image>], constants: &Constants) -> Result<Constants> {
        if constants.is_empty() {
            return Ok(constants.clone());
        }
        let images = || std::iter::once(self).chain(libraries.iter().map(|library| &**library));
        let used = |symbol: &str| images().any(|image| image.constants.contains(symbol));
        let own: Constants = constants.iter().filter(|(symbol, _)| used(symbol)).cloned().collect();
        if !own.is_empty() && self.format != Format::LlvmBitcode {
            let message = format!(
                "the program sets specialization constant '{}', but the image for '{}' was \
                 compiled ahead of time with default values; also compile for the target 'spir64'",
                symbol_name(&own[0].0),
                self.target
            );
            return Err(Error::new(Errc::KernelNotSupported, message));
        }
        Ok(own)
    }

    fn build(
        &self,
        place: DeviceInContext,
        libraries: &[Arc<Image>],
        constants: &[(String, Vec<u8>)],
    ) -> Result<BuiltProgram> {
        let device = place.device;
        let (options, code, others) = {
            let registry = lock(&super::REGISTRY);
            let images = std::iter::once(self).chain(libraries.iter().map(|library| &**library));
            if let Some(gone) = images.into_iter().find(|image| !registry.holds(image)) {
                let message =
                    format!("the device image for {} was unloaded before its build", gone.target);
                return Err(Error::new(Errc::Kernel, message));
            }
            let code = |image: &Image| {
                // SAFETY: the registry is locked, and all these images are registered or private.
                let code = unsafe { image.view() }?.code().map(std::borrow::Cow::into_owned);
                code.map_err(|error| Error::new(Errc::Build, error.to_string()))
            };
            let others =
                libraries.iter().map(|library| code(library)).collect::<Result<Vec<_>>>()?;
            // SAFETY: the registry is locked, and this image is registered or private.
            let options = unsafe { self.view() }?.options;
            (BuildOptions::from_command_line(options), code(self)?, others)
        };
        let specialized = |image: &Image, code: Vec<u8>| {
            let has_one = constants.iter().any(|(symbol, _)| image.constants.contains(symbol));
            if !has_one {
                return Ok(code);
            }
            let compiler: &dyn Compiler = &CLIENT;
            compiler.compile_to_vec(&CompileRequest {
                device: device.name(),
                bitcode: &code,
                libraries: &[],
                opt_level: 0,
                aspects: &[],
                output: Output::Bitcode { constants },
            })
        };
        let code = specialized(self, code)?;
        let others = libraries.iter().zip(others).map(|(library, code)| specialized(library, code));
        let others = others.collect::<Result<Vec<_>>>()?;
        if settings::trace().images {
            let (size, format, target) = (code.len(), self.format, &self.target);
            let linked = match others.len() {
                0 => String::new(),
                n => format!(", linked with {n} other image(s),"),
            };
            let line = format!(
                "building {size} bytes of {format} ({target}){linked} for {}",
                device.name()
            );
            settings::trace_line("images", &line);
        }
        checks::warn_if_unchecked(self.checks, device);
        let others: Vec<&[u8]> = others.iter().map(Vec::as_slice).collect();
        let globals = self.memory(place, libraries)?;
        let bound: Vec<Global<'_>> = globals
            .iter()
            .map(|memory| Global {
                symbol: memory.symbol(),
                size: memory.size,
                address: memory.address,
            })
            .collect();
        let asks =
            self.asks_for_aspects || libraries.iter().any(|library| library.asks_for_aspects);
        let build = Span::new(Category::Build, "device image");
        let program = device.hal.build(&BuildRequest {
            code: &code,
            format: self.format,
            kernel_count: self.kernels.len(),
            libraries: &others,
            options,
            aspects: if asks { &device.hal.info().aspects } else { &[] },
            globals: &bound,
        })?;
        drop(build);
        Ok(BuiltProgram { program, globals, context: self.context(place, libraries) })
    }

    /// Returns the memory of all variables of the image and these libraries, except for variables
    /// that are part of the program.
    fn memory(&self, place: DeviceInContext, libraries: &[Arc<Image>]) -> Result<Vec<Arc<Memory>>> {
        let mut all: Vec<Arc<Memory>> = Vec::new();
        let variables =
            self.globals.iter().chain(libraries.iter().flat_map(|library| &library.globals));
        for ImageVariable { symbol, size, image_scope } in variables {
            let inside = *image_scope && !place.device.hal.binds_globals();
            if !inside && all.iter().all(|known| known.symbol() != symbol) {
                let (device, context) = (place.device, place.context);
                all.push(match &self.private {
                    Some(private) => private.variables.memory(device, context, symbol, *size),
                    None => device_global::memory(device, context, symbol, *size),
                }?);
            }
        }
        Ok(all)
    }

    /// Returns the context that a program is built for, or 0 (any context) if it has no variables.
    fn context(&self, place: DeviceInContext, libraries: &[Arc<Image>]) -> u64 {
        let shared =
            self.globals.is_empty() && libraries.iter().all(|library| library.globals.is_empty());
        if shared { 0 } else { place.context }
    }

    /// Returns whether a program that was compiled from source text owns the image.
    pub(super) fn is_private(&self) -> bool {
        self.private.is_some()
    }

    /// Removes and returns the programs that were built for this context only. The caller must drop
    /// them without holding the registry: a driver may wait for its device before it unloads a
    /// program.
    pub(super) fn take_of_context(&self, context: u64) -> Vec<Built> {
        lock(&self.programs).extract_if(.., |built| built.context == context).collect()
    }

    /// Drops the programs that were linked with any of these images.
    pub(super) fn forget_linked_with(&self, images: &[u64]) {
        lock(&self.programs)
            .retain(|built| !built.libraries.iter().any(|library| images.contains(library)));
    }
}

/// Returns the kernels of an image.
fn kernels(
    entry_points: Vec<EntryPoint>,
    requirements: &Requirements,
) -> std::result::Result<HashMap<String, KernelFacts>, String> {
    // Kernels with different required sizes share an image only if they were compiled for fixed
    // targets. Their sizes are then not part of the image's requirements.
    let common: Option<Arc<[u32]>> = match requirements.work_group_sizes.as_deref() {
        Some([size]) => Some(Arc::from(&size[..])),
        _ => None,
    };
    let mut kernels = HashMap::new();
    for EntryPoint { symbol, launch, work_group_size, attributes, .. } in entry_points {
        let Some(launch) = launch else { continue };
        check_rows(&symbol, &launch)?;
        let work_group_size = work_group_size.map(Arc::from).or_else(|| common.clone());
        let facts = KernelFacts {
            launch: Arc::new(launch),
            work_group_size,
            attributes: attributes.into(),
        };
        kernels.insert(symbol, facts);
    }
    Ok(kernels)
}

/// Checks that every parameter, and both words of each accessor, lie inside the functor.
fn check_rows(symbol: &str, launch: &KernelLaunch) -> std::result::Result<(), String> {
    for (index, param) in launch.params.iter().enumerate() {
        let size = match param.kind {
            ParamKind::Accessor | ParamKind::Local => 16,
            ParamKind::StdLayout | ParamKind::Sampler | ParamKind::Pointer => param.size,
        };
        if param.offset.checked_add(size).is_none_or(|end| end > launch.functor_size) {
            return Err(format!(
                "parameter {index} of kernel '{symbol}' has {size} bytes at offset {}, which \
                 exceeds its functor of {} bytes",
                param.offset, launch.functor_size
            ));
        }
    }
    Ok(())
}

/// Makes room for one more element that was created for values of specialization constants: removes
/// and returns the oldest such element if there are [`MOST_VALUES`]. The list is limited because
/// programs may set any number of values.
pub(super) fn oldest_values<T>(list: &mut Vec<T>, has_values: impl Fn(&T) -> bool) -> Option<T> {
    let count = list.iter().filter(|element| has_values(element)).count();
    let oldest = list.iter().position(has_values).filter(|_| count >= MOST_VALUES)?;
    Some(list.remove(oldest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_sets_of_values_are_remembered() {
        // Numbers represent elements for values; 0 represents an element for the default values.
        let (mut list, mut forgotten) = (vec![0usize, 0], Vec::new());
        for value in 1..=3 * MOST_VALUES {
            forgotten.extend(oldest_values(&mut list, |&value| value != 0));
            list.push(value);
        }
        assert_eq!(list.len(), 2 + MOST_VALUES);
        assert_eq!(
            (list[..2].to_vec(), list[2], list.last()),
            (vec![0, 0], 2 * MOST_VALUES + 1, Some(&(3 * MOST_VALUES)))
        );
        assert!(forgotten.into_iter().eq(1..=2 * MOST_VALUES));
    }
}
