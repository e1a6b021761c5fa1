//! The device images that programs registered, and the kernels in them.
//!
//! Registration runs before `main` and only records the descriptor; images are read at the first lookup. An image that
//! cannot be read is remembered with the reason, which every later failing lookup reports.
//!
//! A kernel symbol gets one [`Entry`] for the life of the process, so that kernel slots in host programs may point at it
//! without counting. What an entry knows carries the generation in which it was found out; each registration and
//! each removal begins a new one.
//!
//! Several images may hold one kernel: compiled ahead of time for one kind of machine each, or to be built at run time. The
//! device tells which it prefers, and which it cannot run.
//!
//! Removal waits until the kernels of the library's images that are with a backend have finished: the count of a
//! [`ReadyKernel`] tells, because a launch holds one until it is done. When the process ends, [`exit`] has waited before.

use std::any::Any;
use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use scythe_abi::launch::{KernelLaunch, ParamKind, Shape};
use scythe_abi::names::{LAUNCH_PROPERTY_SET, TU_SEPARATOR};
use scythe_abi::tgt::{BinDesc, DeviceImage};
use scythe_hal::{self as hal, Kernel, Program};
use scythe_image::{Format, ImageView};

use crate::platform::Device;
use crate::{Errc, Error, Result, lock};
use crate::{exit, settings};

/// Counts registrations and removals. Starts at 1: a slot that was never filled holds 0.
static GENERATION: AtomicU64 = AtomicU64::new(1);

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { libraries: Vec::new(), entries: None });

struct Registry {
    libraries: Vec<Library>,
    /// By symbol. Entries are never freed. `None` only stands for the empty map, which has no `const` constructor.
    entries: Option<HashMap<String, &'static Entry>>,
}

/// What one call of `__tgt_register_lib` brought.
struct Library {
    descriptor: usize,
    /// Where the images lie: `(start, end)`.
    places: Vec<(usize, usize)>,
    /// Read at the first lookup.
    images: Option<Vec<Arc<Image>>>,
    /// Why images of this library could not be read.
    errors: Vec<String>,
}

/// One device image that could be read. Its bytes stay in the host program.
struct Image {
    start: usize,
    len: usize,
    format: Format,
    target: String,
    kernels: HashMap<String, Arc<KernelLaunch>>,
    /// By device.
    programs: Mutex<HashMap<u32, ProgramCell>>,
}

/// Filled by whoever builds first.
type ProgramCell = Arc<OnceLock<Result<Arc<dyn Program>>>>;

/// What the runtime knows of one kernel symbol.
pub struct Entry {
    symbol: String,
    ready: Mutex<Vec<Ready>>,
}

struct Ready {
    device: u32,
    generation: u64,
    /// The image's address: tells what to forget when it goes.
    image: usize,
    kernel: Arc<ReadyKernel>,
}

/// A kernel built for a device. It stands in for the backend's kernel, so that the count of its owners is the runtime's to
/// watch.
pub struct ReadyKernel {
    symbol: String,
    inner: Arc<dyn Kernel>,
    launch: Arc<KernelLaunch>,
    /// Offsets of the accessors in the functor.
    accessors: Vec<usize>,
}

impl ReadyKernel {
    pub fn symbol(&self) -> &str {
        &self.symbol
    }
    pub fn accessors(&self) -> &[usize] {
        &self.accessors
    }
}

impl Kernel for ReadyKernel {
    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }
}

/// What the host program believes of the kernel it launches.
#[derive(Clone, Copy)]
pub struct Expected {
    pub functor_size: u64,
    pub shape: Shape,
}

/// A kernel slot: where a host program lets the runtime remember a lookup.
///
/// The two words are written one after the other, so that a reader may see a new generation with an older entry. That
/// entry is for the same kernel name and never freed; when its image is gone, it holds nothing for the generation and
/// the lookup starts over.
pub struct Slot<'a> {
    pub entry: &'a AtomicPtr<c_void>,
    pub generation: &'a AtomicU64,
}

/// Records a library's images.
///
/// # Safety
/// `descriptor` is null or points at a descriptor whose images stay readable until [`unregister`].
pub unsafe fn register(descriptor: *const BinDesc) {
    // SAFETY: the caller vouches for a non-null pointer.
    let Some(desc) = (unsafe { descriptor.as_ref() }) else { return };
    let count = usize::try_from(desc.num_device_images).unwrap_or(0);
    let rows: &[DeviceImage] = if count == 0 || desc.device_images.is_null() {
        &[]
    } else {
        // SAFETY: the descriptor names `count` rows.
        unsafe { std::slice::from_raw_parts(desc.device_images, count) }
    };
    let places = rows.iter().map(|row| (row.image_start as usize, row.image_end as usize)).collect();
    let mut registry = lock(&REGISTRY);
    registry.libraries.push(Library { descriptor: descriptor as usize, places, images: None, errors: Vec::new() });
    GENERATION.fetch_add(1, Ordering::Release);
    drop(registry);
    if settings::trace().images {
        settings::trace_line("images", &format!("registered {count} image(s)"));
    }
}

/// Forgets what [`register`] recorded, after the kernels of its images that are running or about to have finished. A
/// descriptor that is not registered is ignored.
pub fn unregister(descriptor: *const BinDesc) {
    let mut leaving: Vec<Arc<ReadyKernel>> = Vec::new();
    let library = {
        let mut registry = lock(&REGISTRY);
        let Some(at) = registry.libraries.iter().position(|lib| lib.descriptor == descriptor as usize) else { return };
        let library = registry.libraries.remove(at);
        GENERATION.fetch_add(1, Ordering::Release);
        let images: Vec<usize> = library.images.iter().flatten().map(|image| image.start).collect();
        for entry in registry.entries.iter().flat_map(HashMap::values) {
            lock(&entry.ready).retain(|ready| {
                let leaves = images.contains(&ready.image);
                if leaves {
                    leaving.push(ready.kernel.clone());
                }
                !leaves
            });
        }
        library
    };
    let mut pause = Duration::from_micros(20);
    for kernel in leaving {
        while Arc::strong_count(&kernel) > 1 && !exit::is_over() {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(1));
        }
    }
    if settings::trace().images {
        settings::trace_line("images", &format!("removed {} image(s)", library.places.len()));
    }
}

/// Whether a registered image holds the kernel.
pub fn is_known(name: &str, tu: u64) -> bool {
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    symbols(name, tu).any(|symbol| !registry.candidates(&symbol).is_empty())
}

/// Device symbols that a host name can mean, the most specific first.
fn symbols(name: &str, tu: u64) -> impl Iterator<Item = String> {
    let qualified = (tu != 0).then(|| format!("{name}{TU_SEPARATOR}{tu:016x}"));
    qualified.into_iter().chain(std::iter::once(name.to_owned()))
}

/// The kernel that a slot remembers, where it still does: the quick way, without the kernel's name.
pub fn remembered(slot: &Slot<'_>, expected: Expected, device: &Device) -> Result<Option<Arc<ReadyKernel>>> {
    let generation = GENERATION.load(Ordering::Acquire);
    if slot.generation.load(Ordering::Acquire) != generation {
        return Ok(None);
    }
    // SAFETY: only this module writes slots, and only addresses of entries, which are never freed.
    let entry = unsafe { slot.entry.load(Ordering::Acquire).cast::<Entry>().as_ref() };
    let kernel = entry.and_then(|entry| entry.find(device.id, generation));
    if let Some(kernel) = &kernel {
        kernel.check(expected)?;
    }
    Ok(kernel)
}

/// The kernel that a host program calls `name`, built for `device`; `slot` remembers it. `Kernel` error when no image
/// holds it, `KernelArgument` when host and device disagree on it.
pub fn kernel(
    name: &str,
    tu: u64,
    slot: Option<Slot<'_>>,
    expected: Expected,
    device: &Device,
) -> Result<Arc<ReadyKernel>> {
    let (entry, generation) = find_entry(name, tu)?;
    let kernel = match entry.find(device.id, generation) {
        Some(kernel) => {
            kernel.check(expected)?;
            kernel
        }
        None => entry.prepare(expected, device, generation)?,
    };
    if let Some(slot) = slot {
        slot.entry.store(std::ptr::from_ref(entry).cast_mut().cast(), Ordering::Release);
        slot.generation.store(generation, Ordering::Release);
    }
    Ok(kernel)
}

fn find_entry(name: &str, tu: u64) -> Result<(&'static Entry, u64)> {
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let generation = GENERATION.load(Ordering::Acquire);
    for symbol in symbols(name, tu) {
        if !registry.candidates(&symbol).is_empty() {
            return Ok((registry.entry(&symbol), generation));
        }
    }
    Err(registry.unknown(name))
}

impl Registry {
    /// Reads images that were registered since the last lookup.
    fn read_images(&mut self) {
        for library in &mut self.libraries {
            if library.images.is_some() {
                continue;
            }
            let mut images = Vec::new();
            for (index, &(start, end)) in library.places.iter().enumerate() {
                match Image::read(start, end) {
                    Ok(image) => images.push(Arc::new(image)),
                    Err(why) => library.errors.push(format!("image {index}: {why}")),
                }
            }
            library.images = Some(images);
        }
    }

    fn candidates(&self, symbol: &str) -> Vec<Candidate> {
        let images = self.libraries.iter().flat_map(|lib| lib.images.iter().flatten());
        images.filter_map(|image| Some((image.clone(), image.kernels.get(symbol)?.clone()))).collect()
    }

    fn entry(&mut self, symbol: &str) -> &'static Entry {
        let entries = self.entries.get_or_insert_with(HashMap::new);
        if let Some(entry) = entries.get(symbol) {
            return entry;
        }
        let entry: &'static Entry =
            Box::leak(Box::new(Entry { symbol: symbol.to_owned(), ready: Mutex::new(Vec::new()) }));
        entries.insert(symbol.to_owned(), entry);
        entry
    }

    fn unknown(&self, name: &str) -> Error {
        let images: usize = self.libraries.iter().map(|lib| lib.places.len()).sum();
        let mut message = format!("no device image holds kernel '{name}' ({images} registered)");
        for error in self.libraries.iter().flat_map(|lib| &lib.errors) {
            // Writing to a string cannot fail.
            let _ = write!(message, "; {error}");
        }
        if images == 0 {
            message.push_str("; was the program linked with scythe -fsycl?");
        }
        Error::new(Errc::Kernel, message)
    }
}

impl Image {
    fn read(start: usize, end: usize) -> std::result::Result<Self, String> {
        if start == 0 || end < start {
            return Err(format!("its descriptor gives the addresses {start:#x} to {end:#x}"));
        }
        let len = end - start;
        // SAFETY: as in `Image::view`; the library is registered.
        let view = ImageView::parse(unsafe { std::slice::from_raw_parts(start as *const u8, len) });
        let view = view.map_err(|error| error.to_string())?;
        let sets = view.properties().map_err(|error| error.to_string())?;
        let mut kernels = HashMap::new();
        for (symbol, value) in sets.get(LAUNCH_PROPERTY_SET).into_iter().flat_map(|set| set.iter()) {
            let launch = value
                .as_bytes()
                .and_then(KernelLaunch::from_bytes)
                .ok_or_else(|| format!("property '{symbol}' of set {LAUNCH_PROPERTY_SET} is not a launch row"))?;
            check_rows(symbol, &launch)?;
            kernels.insert(symbol.to_owned(), Arc::new(launch));
        }
        let (format, target) = (view.format, view.target.to_owned());
        Ok(Self { start, len, format, target, kernels, programs: Mutex::default() })
    }

    fn view(&self) -> std::result::Result<ImageView<'_>, scythe_image::ImageError> {
        // SAFETY: `register`'s caller keeps the bytes readable until `unregister`, which takes the image out of the
        // registry; lookups that still hold it use it under the host program's promise not to unload itself while
        // it submits.
        ImageView::parse(unsafe { std::slice::from_raw_parts(self.start as *const u8, self.len) })
    }

    /// How much the device prefers this image; an error where it cannot run it.
    fn preference(&self, device: &Device) -> Result<u32> {
        if self.format == Format::Empty {
            return Err(Error::new(Errc::KernelNotSupported, "the image holds no code for any device"));
        }
        device.hal.preference(self.format, &self.target)
    }

    /// The image built for `device`: at most once, also when many threads ask. A failure is remembered, too.
    fn program(&self, device: &Device) -> Result<Arc<dyn Program>> {
        let cell = lock(&self.programs).entry(device.id).or_default().clone();
        let built = cell.get_or_init(|| {
            let view = self.view().map_err(|error| Error::new(Errc::Build, error.to_string()))?;
            if settings::trace().images {
                let (size, format, target) = (view.code.len(), view.format, view.target);
                let line = format!("building {size} bytes of {format} ({target}) for {}", device.name());
                settings::trace_line("images", &line);
            }
            device.hal.build(view.code, view.format, view.options)
        });
        built.clone()
    }
}

/// Every parameter must lie inside the functor, and an accessor's two words as well.
fn check_rows(symbol: &str, launch: &KernelLaunch) -> std::result::Result<(), String> {
    for (index, param) in launch.params.iter().enumerate() {
        let size = match param.kind {
            ParamKind::Accessor | ParamKind::Local => 16,
            ParamKind::StdLayout | ParamKind::Sampler | ParamKind::Pointer => param.size,
        };
        if param.offset.checked_add(size).is_none_or(|end| end > launch.functor_size) {
            return Err(format!(
                "parameter {index} of kernel '{symbol}' spans {size} bytes from {}, beyond its functor's {} bytes",
                param.offset, launch.functor_size
            ));
        }
    }
    Ok(())
}

impl Entry {
    fn find(&self, device: u32, generation: u64) -> Option<Arc<ReadyKernel>> {
        let ready = lock(&self.ready);
        ready.iter().find(|r| r.device == device && r.generation == generation).map(|r| r.kernel.clone())
    }

    /// The kernel remembered from an earlier generation, now of this one.
    fn renew(&self, device: u32, image: usize, generation: u64) -> Option<Arc<ReadyKernel>> {
        let mut ready = lock(&self.ready);
        let known = ready.iter_mut().find(|r| r.device == device && r.image == image)?;
        known.generation = generation;
        Some(known.kernel.clone())
    }

    /// Remembers a kernel, unless another thread was quicker, and gives the one that counts.
    fn remember(&self, device: u32, image: usize, generation: u64, kernel: Arc<ReadyKernel>) -> Arc<ReadyKernel> {
        let mut ready = lock(&self.ready);
        if let Some(known) = ready.iter().find(|r| r.device == device && r.image == image) {
            return known.kernel.clone();
        }
        // When the image left in the meantime, nothing may point at it.
        if GENERATION.load(Ordering::Acquire) == generation {
            ready.push(Ready { device, generation, image, kernel: kernel.clone() });
        }
        kernel
    }

    /// Picks an image for the device, builds it where that was not done yet, and remembers the kernel.
    fn prepare(&self, expected: Expected, device: &Device, generation: u64) -> Result<Arc<ReadyKernel>> {
        let candidates = lock(&REGISTRY).candidates(&self.symbol);
        let fitting: Vec<_> =
            candidates.iter().filter(|(_, launch)| check(&self.symbol, launch, expected).is_ok()).collect();
        let Some((_, first)) = fitting.first() else {
            let (_, launch) = candidates
                .first()
                .ok_or_else(|| Error::new(Errc::Kernel, format!("no device image holds kernel '{}'", self.symbol)))?;
            check(&self.symbol, launch, expected)?;
            return Err(Error::new(Errc::Kernel, format!("kernel '{}' changed while it was looked up", self.symbol)));
        };
        if let Some((_, other)) = fitting.iter().find(|(_, launch)| launch.identity != first.identity) {
            let message = format!(
                "two different kernels are called '{}': {}:{}:{} and {}:{}:{}",
                self.symbol, first.file, first.line, first.column, other.file, other.line, other.column
            );
            return Err(Error::new(Errc::Kernel, message));
        }

        let (ranked, rejected) = rank(fitting, device);
        let mut failure = None;
        for (image, launch) in ranked {
            // A kernel that outlives a registration elsewhere stays the same object: removal counts its launches.
            if let Some(kernel) = self.renew(device.id, image.start, generation) {
                return Ok(kernel);
            }
            let built = image.program(device).and_then(|program| program.kernel(&self.symbol, launch));
            match built {
                Ok(inner) => {
                    let kernel = Arc::new(ReadyKernel::new(&self.symbol, inner, launch.clone()));
                    return Ok(self.remember(device.id, image.start, generation, kernel));
                }
                // A backend that finds out only now that an image is not for its device says less than other errors.
                Err(error) if failure.is_none() || error.code != Errc::KernelNotSupported => failure = Some(error),
                Err(_) => {}
            }
        }
        Err(failure.or(rejected).map_or_else(
            || Error::new(Errc::Kernel, format!("no device image holds kernel '{}'", self.symbol)),
            |error| Error::new(error.code, format!("kernel '{}' on {}: {}", self.symbol, device.name(), error.message)),
        ))
    }
}

/// An image and its launch rows of the kernel that is looked for.
type Candidate = (Arc<Image>, Arc<KernelLaunch>);

/// The candidates that the device can run, the most preferred first and else in the order of registration; and why it cannot
/// run the others.
fn rank<'a>(candidates: Vec<&'a Candidate>, device: &Device) -> (Vec<&'a Candidate>, Option<Error>) {
    let mut ranked = Vec::new();
    let mut rejected: Option<Error> = None;
    for candidate in candidates {
        match (candidate.0.preference(device), &mut rejected) {
            (Ok(preference), _) => ranked.push((preference, candidate)),
            (Err(error), None) => rejected = Some(error),
            (Err(error), Some(known)) if !known.message.contains(&error.message) => {
                // Writing to a string cannot fail.
                let _ = write!(known.message, "; {}", error.message);
            }
            (Err(_), Some(_)) => {}
        }
    }
    ranked.sort_by_key(|&(preference, _)| std::cmp::Reverse(preference));
    (ranked.into_iter().map(|(_, candidate)| candidate).collect(), rejected)
}

impl ReadyKernel {
    fn new(symbol: &str, inner: Arc<dyn hal::Kernel>, launch: Arc<KernelLaunch>) -> Self {
        let accessors = launch.params.iter().filter(|param| param.kind == ParamKind::Accessor);
        let accessors = accessors.map(|param| param.offset as usize).collect();
        Self { symbol: symbol.to_owned(), inner, launch, accessors }
    }

    fn check(&self, expected: Expected) -> Result<()> {
        check(&self.symbol, &self.launch, expected)
    }
}

/// Host and device must mean the same kernel.
fn check(symbol: &str, launch: &KernelLaunch, expected: Expected) -> Result<()> {
    let place = || format!("{}:{}:{}", launch.file, launch.line, launch.column);
    if launch.functor_size != expected.functor_size {
        let message = format!(
            "kernel '{symbol}' ({}) has a functor of {} bytes in the host program and {} bytes in the device image: host \
             and device compilation disagree",
            place(),
            expected.functor_size,
            launch.functor_size
        );
        return Err(Error::new(Errc::KernelArgument, message));
    }
    if launch.shape != expected.shape {
        let message = format!(
            "kernel '{symbol}' ({}) is launched as {} and was compiled as {}: host and device compilation disagree",
            place(),
            expected.shape.as_str(),
            launch.shape.as_str()
        );
        return Err(Error::new(Errc::KernelArgument, message));
    }
    Ok(())
}
