//! The device images that programs registered, and the kernels in them.
//!
//! Registration runs before `main` and only records the descriptor; images are read at the first lookup. An image that
//! cannot be read is remembered with the reason, which every later failing lookup reports.
//!
//! * `image`: one image and the programs built from it.
//! * `holders`: which images hold a kernel.
//! * `requirements`: what an image demands of a device. It is compared before anything else of the image is looked at.
//! * `link`: which other images export what an image imports.
//! * `choice`: which image a device gets a kernel from.
//!
//! Two libraries may define different kernels of one name, such as two versions of a header. A library that holds a kernel
//! launches its own: the address of the name that it asks for tells which library asks.
//!
//! A kernel symbol gets one [`Entry`] for the life of the process and each library that has a kernel of its own, so that kernel slots in host programs may point at it
//! without counting. What an entry knows carries the generation in which it was found out; each registration and
//! each removal begins a new one.
//!
//! Several images may hold one kernel: compiled ahead of time for one kind of machine each, or to be built at run time. The
//! device tells which it prefers, and which it cannot run.
//!
//! Removal waits until the kernels made of the library's images, also those of other libraries that call functions of it, that
//! are with a backend have finished: the count of a [`ReadyKernel`] tells, because a launch holds one until it is done.
//! When the process ends, [`exit`] has waited before. The wait is limited: removal runs inside `dlclose`, which holds the dynamic
//! loader, and a worker thread that has just been started needs it, too. Nothing hangs on the wait but memory of the library
//! that kernels may have been given: programs are copies, which kernels keep until they are done.

mod choice;
mod holders;
mod image;
mod link;
mod requirements;

use std::any::Any;
use std::collections::{BTreeSet, HashMap};
use std::ffi::{CStr, CString, c_void};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use scythe_abi::launch::{KernelLaunch, ParamKind, Shape};
use scythe_abi::names::{SPECIALIZATION_PREFIX, SPECIALIZATION_SUFFIX, TU_SEPARATOR};
use scythe_abi::tgt::{BinDesc, DeviceImage};
use scythe_hal::{self as hal, Kernel};
use scythe_image::Format;

use crate::demangle::symbol_name;
use crate::platform::Device;
use crate::{Errc, Error, Result, device_global, invalid, lock};
use crate::{exit, settings};
use choice::{Candidate, Ranked, rank};
use holders::Holders;
use image::{BuiltProgram, Image, KernelFacts, oldest_values};

/// How long removal waits for kernels.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts registrations and removals. Starts at 1: a slot that was never filled holds 0.
static GENERATION: AtomicU64 = AtomicU64::new(1);

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { libraries: Vec::new(), holders: None, entries: None });

struct Registry {
    libraries: Vec<Library>,
    /// Of the images that have been read. `None` only stands for an empty map, which has no `const` constructor; so below.
    holders: Option<Holders>,
    /// By symbol and home. Entries are never freed.
    entries: Option<HashMap<(String, Home), &'static Entry>>,
}

/// The library whose images alone serve a lookup, by the address it is loaded at. `None`: those of all libraries.
type Home = Option<usize>;

/// What one call of `__tgt_register_lib` brought.
struct Library {
    descriptor: usize,
    /// Where the file is loaded; 0 where it is none.
    base: usize,
    /// The file it is in.
    name: Arc<str>,
    /// Where the images lie: `(start, end)`.
    places: Vec<(usize, usize)>,
    /// Read at the first lookup.
    images: Option<Vec<Arc<Image>>>,
    /// Why images of this library could not be read.
    errors: Vec<String>,
}

/// What the runtime knows of one kernel symbol.
pub struct Entry {
    symbol: String,
    home: Home,
    /// The same for C.
    c_symbol: CString,
    ready: Mutex<Vec<Ready>>,
}

struct Ready {
    device: u32,
    constants: Constants,
    /// 0 where it is the same in all: its images have no `device_global`.
    context: u64,
    generation: u64,
    /// The images it was made of, the kernel's first: tells what to forget when one goes.
    images: Vec<u64>,
    kernel: Arc<ReadyKernel>,
}

/// A kernel built for a device. It stands in for the backend's kernel, so that the count of its owners is the runtime's to
/// watch.
pub struct ReadyKernel {
    symbol: String,
    inner: Arc<dyn Kernel>,
    facts: KernelFacts,
    /// What its code uses.
    _globals: Vec<Arc<device_global::Memory>>,
    /// Offsets of the accessors in the functor.
    accessors: Vec<usize>,
    local_accessors: Vec<usize>,
}

impl ReadyKernel {
    pub fn symbol(&self) -> &str {
        &self.symbol
    }
    pub fn accessors(&self) -> &[usize] {
        &self.accessors
    }
    /// Offsets of the local accessors in the functor.
    pub fn local_accessors(&self) -> &[usize] {
        &self.local_accessors
    }
    /// The work-group size that the kernel must be launched with, as its attribute lists it.
    pub fn work_group_size(&self) -> Option<&[u32]> {
        self.facts.work_group_size.as_deref()
    }
}

impl Kernel for ReadyKernel {
    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }

    fn native(&self) -> Result<hal::Native> {
        self.inner.native()
    }

    fn native_program(&self) -> Result<hal::Native> {
        self.inner.native_program()
    }

    fn release_native_program(&self, program: hal::Native) {
        self.inner.release_native_program(program);
    }
}

/// Values of specialization constants: pairs of a constant's name in device code, which a unit may qualify, and its bytes, in the
/// order of the names. Empty: the defaults.
pub type Constants = Arc<[(String, Vec<u8>)]>;

/// What the host program believes of the kernel it launches.
#[derive(Clone, Copy)]
pub struct Expected {
    pub functor_size: u64,
    pub shape: Shape,
}

/// Where a kernel is to run.
#[derive(Clone, Copy)]
pub struct Place {
    pub device: &'static Device,
    /// The context's number.
    pub context: u64,
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

impl Slot<'_> {
    /// What the slot remembers, as a number, and the generation, where that is the current one.
    pub fn content(&self) -> Option<(usize, u64)> {
        let generation = GENERATION.load(Ordering::Acquire);
        let current = self.generation.load(Ordering::Acquire) == generation;
        current.then(|| (self.entry.load(Ordering::Acquire) as usize, generation))
    }
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
    // Before the lock: this needs the dynamic loader's, which a thread that waits for ours in `dlclose` may hold.
    let (name, base) = library_of(descriptor.cast());
    let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| "the program".to_owned()).into();
    let mut registry = lock(&REGISTRY);
    let (images, errors) = (None, Vec::new());
    registry.libraries.push(Library { descriptor: descriptor as usize, base, name, places, images, errors });
    GENERATION.fetch_add(1, Ordering::Release);
    drop(registry);
    if settings::trace().images {
        settings::trace_line("images", &format!("registered {count} image(s)"));
    }
}

/// The file of the program or library that an address is in, and where it is loaded; 0 where the address is in none. Needs
/// the dynamic loader's lock, so the caller does not hold the registry.
fn library_of(address: *const c_void) -> (Option<String>, usize) {
    // SAFETY: `info` is plain pointers, filled when the call succeeds; it fails for an address that is in no library. The name
    // then is a C string that lives as long as the library, which the caller is in.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address, &mut info) == 0 {
            return (None, 0);
        }
        let named = !info.dli_fname.is_null();
        let name = named.then(|| CStr::from_ptr(info.dli_fname).to_string_lossy().into_owned());
        (name, info.dli_fbase as usize)
    }
}

/// Forgets what [`register`] recorded, after waiting (for a while) for kernels made of its images that are running or about to.
/// A descriptor that is not registered is ignored.
pub fn unregister(descriptor: *const BinDesc) {
    let mut leaving: Vec<Arc<ReadyKernel>> = Vec::new();
    let library = {
        let mut registry = lock(&REGISTRY);
        let Some(at) = registry.libraries.iter().position(|lib| lib.descriptor == descriptor as usize) else { return };
        let library = registry.libraries.remove(at);
        GENERATION.fetch_add(1, Ordering::Release);
        if let Some(holders) = &mut registry.holders {
            library.images.iter().flatten().for_each(|image| holders.remove(image));
        }
        let images: Vec<u64> = library.images.iter().flatten().map(|image| image.id).collect();
        registry.images().for_each(|image| image.forget_linked_with(&images));
        for entry in registry.entries.iter().flat_map(HashMap::values) {
            lock(&entry.ready).retain(|ready| {
                let leaves = ready.images.iter().any(|image| images.contains(image));
                if leaves {
                    leaving.push(ready.kernel.clone());
                }
                !leaves
            });
        }
        library
    };
    let deadline = Instant::now() + PATIENCE;
    let mut pause = Duration::from_micros(20);
    for kernel in leaving {
        while Arc::strong_count(&kernel) > 1 && !exit::is_over() && Instant::now() < deadline {
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
    symbols(name, tu).any(|symbol| !registry.holders(&symbol).is_empty())
}

/// The device symbols of all kernels of registered images, sorted. They stay valid for the life of the process.
pub fn kernel_symbols() -> Vec<&'static CStr> {
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let symbols: BTreeSet<String> = registry.holders.iter().flat_map(Holders::symbols).map(str::to_owned).collect();
    symbols.iter().map(|symbol| &*registry.entry(symbol, None).c_symbol).collect()
}

/// The device symbol of a kernel that a host program calls `name`. It stays valid for the life of the process.
pub fn kernel_symbol(name: &str, tu: u64) -> Result<&'static CStr> {
    Ok(&find_entry(name, tu)?.0.c_symbol)
}

/// The states of `sycl::bundle_state` that a kernel's images can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleState {
    /// To be compiled by the device.
    Input,
    /// Compiled, to be linked by the device.
    Object,
    /// Whatever a launch would take.
    Executable,
}

/// Whether the device can run the kernel, from an image in this state. Nothing is built.
pub fn is_compatible(name: &str, tu: u64, device: &Device, state: BundleState) -> Result<bool> {
    let (entry, _) = find_entry(name, tu)?;
    let in_state = |candidate: &Candidate| match state {
        BundleState::Input | BundleState::Object => {
            !matches!(candidate.image.format, Format::CpuObject | Format::IntelGpu)
        }
        BundleState::Executable => true,
    };
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let candidates: Vec<_> = registry.candidates(&entry.symbol, entry.home).into_iter().filter(in_state).collect();
    Ok(!rank(&candidates.iter().collect::<Vec<_>>(), &registry, device).0.is_empty())
}

/// The sizes of work-groups (fastest dimension first) and sub-groups that the kernel's source demands, 0 where it demands
/// none, from the image that the device would take. Nothing is built.
pub fn required_sizes(name: &str, tu: u64, device: &Device) -> Result<([u64; 3], u32)> {
    let (entry, _) = find_entry(name, tu)?;
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let candidates = registry.candidates(&entry.symbol, entry.home);
    let (ranked, rejected) = rank(&candidates.iter().collect::<Vec<_>>(), &registry, device);
    drop(registry);
    let Some(Ranked { candidate, .. }) = ranked.first() else {
        let rejected = rejected.map(|rejection| rejection.error(&entry.symbol, device));
        return Err(rejected.unwrap_or_else(|| no_image(&entry.symbol)));
    };
    let mut sizes = [0; 3];
    if let Some(size) = &candidate.facts.work_group_size {
        // The attribute lists the fastest dimension last, and may leave out the others.
        sizes = [1; 3];
        sizes.iter_mut().zip(size.iter().rev()).for_each(|(to, &from)| *to = u64::from(from));
    }
    Ok((sizes, candidate.image.sub_group_size().unwrap_or(0)))
}

/// What the program says of the kernel by attributes or properties; all images of it say the same.
pub fn attributes(name: &str, tu: u64) -> Result<Arc<str>> {
    let (entry, _) = find_entry(name, tu)?;
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let candidates = registry.candidates(&entry.symbol, entry.home);
    candidates.first().map(|candidate| candidate.facts.attributes.clone()).ok_or_else(|| no_image(&entry.symbol))
}

/// Device symbols that a host name can mean, the most specific first.
fn symbols(name: &str, tu: u64) -> impl Iterator<Item = String> {
    let qualified = (tu != 0).then(|| format!("{name}{TU_SEPARATOR}{tu:016x}"));
    qualified.into_iter().chain(std::iter::once(name.to_owned()))
}

/// The variables that a specialization constant may be in device code: the host knows the mangled name of the class that the
/// variable is a member of.
pub fn constant_symbols(class: &str, tu: u64) -> Result<impl Iterator<Item = String>> {
    let nested = class.strip_prefix("_ZTS").unwrap_or(class).trim_start_matches('*');
    // g++ marks what is in unnamed namespaces as internal once more, clang, which compiled the device code, does not.
    let nested = nested.replace("12_GLOBAL__N_1L", "12_GLOBAL__N_1");
    let name = nested.strip_suffix('E').map(|nested| format!("_Z{nested}{SPECIALIZATION_SUFFIX}"));
    match name.filter(|name| name.starts_with(SPECIALIZATION_PREFIX)) {
        Some(name) => Ok(symbols(&name, tu).collect::<Vec<_>>().into_iter()),
        None => Err(invalid(format!("'{class}' is not the class of a specialization constant"))),
    }
}

/// Whether an image with the kernel holds the specialization constant: a class that a unit may qualify, or any where none is
/// named.
pub fn has_constant(kernel: &str, constant: Option<(&str, u64)>) -> Result<bool> {
    let names = constant.map(|(class, tu)| constant_symbols(class, tu)).transpose()?;
    let names: Option<Vec<String>> = names.map(Iterator::collect);
    let (entry, _) = find_entry(kernel, 0)?;
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let holds = |candidate: &Candidate| match &names {
        Some(names) => names.iter().any(|name| candidate.image.constants.contains(name)),
        None => !candidate.image.constants.is_empty(),
    };
    Ok(registry.candidates(&entry.symbol, entry.home).iter().any(holds))
}

/// The kernel that a slot remembers, where it still does: the quick way, without the kernel's name.
pub fn remembered(slot: &Slot<'_>, expected: Expected, place: Place) -> Result<Option<Arc<ReadyKernel>>> {
    let generation = GENERATION.load(Ordering::Acquire);
    if slot.generation.load(Ordering::Acquire) != generation {
        return Ok(None);
    }
    // SAFETY: only this module writes slots, and only addresses of entries, which are never freed.
    let entry = unsafe { slot.entry.load(Ordering::Acquire).cast::<Entry>().as_ref() };
    let kernel = entry.and_then(|entry| entry.find(place, generation, &[]));
    if let Some(kernel) = &kernel {
        kernel.check(expected)?;
    }
    Ok(kernel)
}

/// The kernel that a host program calls `name`, built for its place; `slot` remembers it. `Kernel` error when no image
/// holds it, `KernelArgument` when host and device disagree on it. A slot is for kernels without values of `constants` alone.
pub fn kernel(
    name: &str,
    tu: u64,
    slot: Option<Slot<'_>>,
    expected: Expected,
    place: Place,
    constants: &Constants,
) -> Result<Arc<ReadyKernel>> {
    let (entry, generation) = find_entry(name, tu)?;
    let kernel = match entry.find(place, generation, constants) {
        Some(kernel) => {
            kernel.check(expected)?;
            kernel
        }
        None => entry.prepare(expected, place, generation, constants)?,
    };
    if let Some(slot) = slot {
        slot.entry.store(std::ptr::from_ref(entry).cast_mut().cast(), Ordering::Release);
        slot.generation.store(generation, Ordering::Release);
    }
    Ok(kernel)
}

/// The kernel with this device symbol, built for its place, whatever the host program believes of it.
pub fn kernel_of_symbol(symbol: &str, place: Place) -> Result<Arc<ReadyKernel>> {
    let expected = {
        let mut registry = lock(&REGISTRY);
        registry.read_images();
        let candidates = registry.candidates(symbol, None);
        let facts = &candidates.first().ok_or_else(|| no_image(symbol))?.facts;
        Expected { functor_size: facts.launch.functor_size, shape: facts.launch.shape }
    };
    kernel(symbol, 0, None, expected, place, &Constants::default())
}

/// Fails where the device's images do not hold the variable, which has `device_image_scope`, exactly once.
pub fn check_one_image(symbol: &str, device: &Device) -> Result<()> {
    let images = images_with(symbol, device);
    let fault = |code, what: String| {
        Err(Error::new(
            code,
            format!("device_global '{}' has the property 'device_image_scope', {what}", symbol_name(symbol)),
        ))
    };
    match images.len() {
        1 => Ok(()),
        0 => fault(Errc::KernelNotSupported, format!("but no kernel for {} uses it", device.name())),
        n => fault(Errc::Invalid, format!("but is in {n} device images for {}, expected one", device.name())),
    }
}

/// Where a variable with `device_image_scope` is inside of the program that its image becomes.
pub fn address_in_image(symbol: &str, device: &'static Device, context: u64) -> Result<*mut c_void> {
    let image = images_with(symbol, device).into_iter().next();
    let image = image.ok_or_else(|| Error::new(Errc::Invalid, format!("no device image holds '{symbol}'")))?;
    let libraries = {
        let registry = lock(&REGISTRY);
        let all: Vec<Arc<Image>> = registry.images().cloned().collect();
        link::resolve(&image, &all, device)
    };
    let libraries = libraries.map_err(|error| Error::new(Errc::Build, error.to_string()))?;
    let built = image.program(Place { device, context }, &libraries, &Constants::default())?;
    let address = built.program.global(symbol)?;
    address.ok_or_else(|| {
        let name = symbol_name(symbol);
        Error::new(Errc::KernelNotSupported, format!("device_global '{name}' is not used by the code of its image"))
    })
}

/// The images that hold the variable and can run on the device, of each library the one that it prefers.
fn images_with(symbol: &str, device: &Device) -> Vec<Arc<Image>> {
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let mut best: Vec<(u32, Arc<Image>)> = Vec::new();
    for image in registry.images().filter(|image| image.globals.iter().any(|global| global.symbol == symbol)) {
        let Ok(preference) =
            image.check(device).map_err(|_| ()).and_then(|()| image.preference(device).map_err(|_| ()))
        else {
            continue;
        };
        // The same kernels, compiled for other kinds of machines.
        match best.iter_mut().find(|(_, other)| other.kernels.keys().any(|kernel| image.kernels.contains_key(kernel))) {
            Some(known) if known.0 < preference => *known = (preference, image.clone()),
            Some(_) => {}
            None => best.push((preference, image.clone())),
        }
    }
    best.into_iter().map(|(_, image)| image).collect()
}

/// Forgets what was built for a context that is gone.
pub fn forget_context(context: u64) {
    let mut dropped = Vec::new();
    let registry = lock(&REGISTRY);
    let programs: Vec<_> = registry.images().flat_map(|image| image.take_of_context(context)).collect();
    for entry in registry.entries.iter().flat_map(HashMap::values) {
        let mut ready = lock(&entry.ready);
        let (gone, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut *ready).into_iter().partition(|ready| ready.context == context);
        *ready = kept;
        dropped.push(gone);
    }
    drop(registry);
    drop((programs, dropped));
}

/// The entry of the kernel that a library calls `name`, which is its own text: where that lies tells which library it is.
fn find_entry(name: &str, tu: u64) -> Result<(&'static Entry, u64)> {
    let (_, base) = library_of(name.as_ptr().cast());
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let generation = GENERATION.load(Ordering::Acquire);
    for symbol in symbols(name, tu) {
        if !registry.holders(&symbol).is_empty() {
            let home = registry.home(&symbol, base);
            return Ok((registry.entry(&symbol, home), generation));
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
                match Image::read((start, end), library.name.clone(), library.base) {
                    Ok(image) => images.push(Arc::new(image)),
                    Err(why) => library.errors.push(format!("image {index}: {why}")),
                }
            }
            let holders = self.holders.get_or_insert_default();
            images.iter().for_each(|image| holders.add(image));
            library.images = Some(images);
        }
    }

    /// The images that hold the kernel, in the order of registration.
    fn holders(&self, symbol: &str) -> &[Arc<Image>] {
        self.holders.as_ref().map_or(&[], |holders| holders.of(symbol))
    }

    /// Whether the library loaded at `base` launches its own kernel of this name: it has one, and others have, too.
    fn home(&self, symbol: &str, base: usize) -> Home {
        let holders = self.holders(symbol);
        let (own, others) = (|image: &Arc<Image>| image.base == base, |image: &Arc<Image>| image.base != base);
        (holders.iter().any(own) && holders.iter().any(others)).then_some(base)
    }

    /// The images that may serve lookups of a kernel.
    fn candidates(&self, symbol: &str, home: Home) -> Vec<Candidate> {
        let at_home = |image: &&Arc<Image>| home.is_none_or(|base| image.base == base);
        let images = self.holders(symbol).iter().filter(at_home);
        let found = images.filter_map(|image| Some((image, image.kernels.get(symbol)?)));
        found.map(|(image, facts)| Candidate { image: image.clone(), facts: facts.clone() }).collect()
    }

    /// Those that have been read, in the order of registration.
    fn images(&self) -> impl Iterator<Item = &Arc<Image>> {
        self.libraries.iter().flat_map(|lib| lib.images.iter().flatten())
    }

    fn holds(&self, image: &Image) -> bool {
        self.images().any(|known| known.id == image.id)
    }

    fn entry(&mut self, symbol: &str, home: Home) -> &'static Entry {
        let entries = self.entries.get_or_insert_with(HashMap::new);
        let key = (symbol.to_owned(), home);
        if let Some(entry) = entries.get(&key) {
            return entry;
        }
        let c_symbol = CString::new(symbol).unwrap_or_default();
        let entry: &'static Entry =
            Box::leak(Box::new(Entry { symbol: symbol.to_owned(), home, c_symbol, ready: Mutex::new(Vec::new()) }));
        entries.insert(key, entry);
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

impl Ready {
    fn is_for(&self, place: Place, constants: &[(String, Vec<u8>)]) -> bool {
        let context = self.context == 0 || self.context == place.context;
        self.device == place.device.id && context && *self.constants == *constants
    }
}

impl Entry {
    fn find(&self, place: Place, generation: u64, constants: &[(String, Vec<u8>)]) -> Option<Arc<ReadyKernel>> {
        let ready = lock(&self.ready);
        let fits = |r: &&Ready| r.is_for(place, constants) && r.generation == generation;
        ready.iter().find(fits).map(|r| r.kernel.clone())
    }

    /// The kernel remembered from an earlier generation, now of this one.
    fn renew(&self, place: Place, images: &[u64], generation: u64, constants: &Constants) -> Option<Arc<ReadyKernel>> {
        let mut ready = lock(&self.ready);
        let known = ready.iter_mut().find(|r| r.is_for(place, constants) && r.images == images)?;
        known.generation = generation;
        Some(known.kernel.clone())
    }

    /// Remembers a kernel, unless another thread was quicker, and gives the one that counts.
    fn remember(
        &self,
        place: Place,
        images: Vec<u64>,
        generation: u64,
        (kernel, context): (Arc<ReadyKernel>, u64),
        constants: &Constants,
    ) -> Arc<ReadyKernel> {
        // Dropped without the locks: a driver may wait for its device before it unloads a kernel.
        let mut forgotten = None;
        // Removals take both locks in this order.
        let registry = lock(&REGISTRY);
        let mut ready = lock(&self.ready);
        if let Some(known) = ready.iter().find(|r| r.is_for(place, constants) && r.images == images) {
            return known.kernel.clone();
        }
        // When one of its images left in the meantime, nothing may point at it. Others may come and go: a kernel that is not
        // remembered is not waited for when its own go.
        if images.iter().all(|&id| registry.images().any(|image| image.id == id)) {
            forgotten = oldest_values(&mut ready, |ready| !ready.constants.is_empty());
            let (device, constants) = (place.device.id, constants.clone());
            ready.push(Ready { device, context, constants, generation, images, kernel: kernel.clone() });
        }
        drop((ready, registry));
        drop(forgotten);
        kernel
    }

    /// Picks an image for the device, builds it where that was not done yet, and remembers the kernel.
    fn prepare(
        &self,
        expected: Expected,
        place: Place,
        generation: u64,
        constants: &Constants,
    ) -> Result<Arc<ReadyKernel>> {
        let device = place.device;
        let registry = lock(&REGISTRY);
        let candidates = registry.candidates(&self.symbol, self.home);
        let fitting: Vec<_> =
            candidates.iter().filter(|c| check(&self.symbol, &c.facts.launch, expected).is_ok()).collect();
        if fitting.is_empty() {
            let first = candidates.first().ok_or_else(|| no_image(&self.symbol))?;
            check(&self.symbol, &first.facts.launch, expected)?;
            return Err(Error::new(Errc::Kernel, format!("kernel '{}' changed while it was looked up", self.symbol)));
        }
        if let Some((first, other)) = choice::conflict(&fitting) {
            let message = format!(
                "two different kernels are called '{}': {}:{}:{} and {}:{}:{}",
                self.symbol, first.file, first.line, first.column, other.file, other.line, other.column
            );
            return Err(Error::new(Errc::Kernel, message));
        }
        let (ranked, rejected) = rank(&fitting, &registry, device);
        drop(registry);

        let mut failure = None;
        for found in ranked {
            let tell = |what: &str| {
                if settings::trace().images {
                    let (kernel, device) = (symbol_name(&self.symbol), device.name());
                    settings::trace_line(
                        "images",
                        &format!("kernel '{kernel}' on {device}: {}{what}", found.describe()),
                    );
                }
            };
            tell("");
            let Ranked { candidate, libraries, .. } = &found;
            let images: Vec<u64> = std::iter::once(&candidate.image).chain(libraries).map(|image| image.id).collect();
            // A kernel that outlives a registration elsewhere stays the same object: removal counts its launches.
            if let Some(kernel) = self.renew(place, &images, generation, constants) {
                return Ok(kernel);
            }
            let built = candidate.image.program(place, libraries, constants);
            let kernel = |built: BuiltProgram| -> Result<(Arc<ReadyKernel>, u64)> {
                let inner = built.program.kernel(&self.symbol, &candidate.facts.launch)?;
                let kernel = ReadyKernel::new(&self.symbol, inner, candidate.facts.clone(), built.globals);
                Ok((Arc::new(kernel), built.context))
            };
            match built.and_then(kernel) {
                Ok(kernel) => return Ok(self.remember(place, images, generation, kernel, constants)),
                Err(error) => {
                    tell(&format!(", cannot be used: {}", error.message));
                    // A backend that finds out only now that an image is not for its device says less than other errors.
                    if failure.is_none() || error.code != Errc::KernelNotSupported {
                        failure = Some(error);
                    }
                }
            }
        }
        let failure = failure.map(|error| on_device(&self.symbol, error, device));
        Err(failure
            .or(rejected.map(|rejection| rejection.error(&self.symbol, device)))
            .unwrap_or_else(|| no_image(&self.symbol)))
    }
}

fn no_image(symbol: &str) -> Error {
    Error::new(Errc::Kernel, format!("no device image holds kernel '{symbol}'"))
}

fn on_device(symbol: &str, error: Error, device: &Device) -> Error {
    Error::new(error.code, format!("kernel '{}' on {}: {}", symbol_name(symbol), device.name(), error.message))
}

impl ReadyKernel {
    fn new(
        symbol: &str,
        inner: Arc<dyn hal::Kernel>,
        facts: KernelFacts,
        globals: Vec<Arc<device_global::Memory>>,
    ) -> Self {
        let offsets = |kind| {
            let params = facts.launch.params.iter().filter(|param| param.kind == kind);
            params.map(|param| param.offset as usize).collect()
        };
        let (accessors, local_accessors) = (offsets(ParamKind::Accessor), offsets(ParamKind::Local));
        Self { symbol: symbol.to_owned(), inner, facts, _globals: globals, accessors, local_accessors }
    }

    /// A kernel of the driver's that the program made itself.
    pub fn of_driver(inner: Arc<dyn hal::Kernel>, launch: KernelLaunch) -> Self {
        let facts = KernelFacts { launch: Arc::new(launch), work_group_size: None, attributes: "".into() };
        Self::new("of the program's own", inner, facts, Vec::new())
    }

    fn check(&self, expected: Expected) -> Result<()> {
        check(&self.symbol, &self.facts.launch, expected)
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
