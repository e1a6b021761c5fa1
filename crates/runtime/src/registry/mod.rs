//! The device images that programs registered, and the kernels in them.
//!
//! Images are read at the first lookup. If an image cannot be read, the registry keeps the reason,
//! and every later lookup that fails reports it.
//!
//! * `library`: the libraries that registered images.
//! * `image`: an image and the programs built from it.
//! * `entry`: the state of one kernel symbol, and the slots of host programs.
//! * `ready`: a kernel that is built for a device.
//! * `variables`: variables with `device_image_scope`.
//! * `holders`: the images that contain each kernel.
//! * `requirements`: the requirements of an image on a device. They are compared before anything
//!   else of the image is used.
//! * `private`: images that one program owns, and that no lookup considers.
//! * `link`: the other images that export the imports of an image.
//! * `choice`: the choice of the image that provides a kernel for a device.
//!
//! Two libraries may define different kernels with the same name, such as two versions of a header.
//! A library that contains a kernel launches its own one: the address of the name in a lookup
//! identifies the library.
//!
//! Several images may contain the same kernel: each compiled ahead of time for one kind of machine,
//! or to be built at run time. The device determines which image it prefers and which images it
//! cannot run.

mod checks;
mod choice;
mod early;
mod entry;
mod holders;
mod image;
mod library;
mod link;
mod private;
mod ready;
mod requirements;
mod variables;

use std::collections::{BTreeSet, HashMap};
use std::ffi::{CStr, CString};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use scythe_abi::launch::KernelLaunch;
use scythe_abi::names::{SPECIALIZATION_PREFIX, SPECIALIZATION_SUFFIX, TU_SEPARATOR};
use scythe_image::Format;

use crate::platform::Device;
use crate::{Errc, Error, Result, invalid, lock};
use choice::{Candidate, Ranked, rank};
pub use early::load as load_early;
use entry::Entry;
pub use entry::{Slot, remembered};
use holders::Holders;
use image::Image;
use library::{Library, library_of};
pub use library::{register, unregister};
pub use private::{PrivateImages, divide};
pub use ready::{Expected, ReadyKernel};
pub use variables::{address_in_image, check_one_image};

/// The number of registrations and removals. It starts at 1, because a slot that was never filled
/// holds 0.
static GENERATION: AtomicU64 = AtomicU64::new(1);

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { libraries: Vec::new(), holders: None, entries: None });

struct Registry {
    libraries: Vec<Library>,
    /// The kernels of the images that have been read. `None` represents an empty map, which has no
    /// `const` constructor; this also applies to `entries`.
    holders: Option<Holders>,
    /// The entries, indexed by symbol and home. Entries are never freed.
    entries: Option<HashMap<(String, Home), &'static Entry>>,
}

/// The load address of the only library whose images a lookup considers. `None`: the lookup
/// considers the images of all libraries.
type Home = Option<usize>;

/// Values of specialization constants, sorted by name: pairs of a constant's name in device code,
/// which the identifier of a unit may qualify, and its bytes. An empty list means the default
/// values.
pub type Constants = Arc<[(String, Vec<u8>)]>;

/// The device and the context in which a kernel runs.
#[derive(Clone, Copy)]
pub struct DeviceInContext {
    pub device: &'static Device,
    /// The identifier of the context.
    pub context: u64,
}

/// Returns whether a registered image contains the kernel.
pub fn is_known(name: &str, tu: u64) -> bool {
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    symbols(name, tu).any(|symbol| !registry.holders(&symbol).is_empty())
}

/// Returns the sorted device symbols of all kernels of registered images. They stay valid for the
/// lifetime of the process.
pub fn kernel_symbols() -> Vec<&'static CStr> {
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let symbols: BTreeSet<String> =
        registry.holders.iter().flat_map(Holders::symbols).map(str::to_owned).collect();
    symbols.iter().map(|symbol| &*registry.entry(symbol, None).c_symbol).collect()
}

/// Returns the device symbol of the kernel that a host program calls `name`. It stays valid for the
/// lifetime of the process.
pub fn kernel_symbol(name: &str, tu: u64) -> Result<&'static CStr> {
    Ok(&find_entry(name, tu)?.0.c_symbol)
}

/// The states of `sycl::bundle_state` that the images of a kernel can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleState {
    /// The device still compiles the code.
    Input,
    /// The code is compiled, and the device still links it.
    Object,
    /// Any code that a launch would use.
    Executable,
}

/// Returns whether the device can run the kernel from an image in this state. This builds nothing.
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
    let candidates: Vec<_> =
        registry.candidates(&entry.symbol, entry.home).into_iter().filter(in_state).collect();
    Ok(!rank(&candidates.iter().collect::<Vec<_>>(), &registry, device).0.is_empty())
}

/// Returns the sizes of work-groups (fastest dimension first) and sub-groups that the kernel's
/// source requires, or 0 if it requires none. They come from the image that the device would use.
/// This builds nothing.
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
        // The attribute lists the fastest dimension last, and may omit the other dimensions.
        sizes = [1; 3];
        sizes.iter_mut().zip(size.iter().rev()).for_each(|(to, &from)| *to = u64::from(from));
    }
    Ok((sizes, candidate.image.sub_group_size().unwrap_or(0)))
}

/// Returns the attributes and properties of the kernel, as text. They are the same in all its
/// images.
pub fn attributes(name: &str, tu: u64) -> Result<Arc<str>> {
    let (entry, _) = find_entry(name, tu)?;
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let candidates = registry.candidates(&entry.symbol, entry.home);
    candidates
        .first()
        .map(|candidate| candidate.facts.attributes.clone())
        .ok_or_else(|| no_image(&entry.symbol))
}

/// Returns the launch description of the kernel. Its images agree on the functor and on the
/// function of the program.
pub fn description(name: &str, tu: u64) -> Result<Arc<KernelLaunch>> {
    let (entry, _) = find_entry(name, tu)?;
    let mut registry = lock(&REGISTRY);
    registry.read_images();
    let candidates = registry.candidates(&entry.symbol, entry.home);
    candidates
        .first()
        .map(|candidate| candidate.facts.launch.clone())
        .ok_or_else(|| no_image(&entry.symbol))
}

/// Returns the device symbols that a host name can denote, the most specific first.
fn symbols(name: &str, tu: u64) -> impl Iterator<Item = String> {
    let qualified = (tu != 0).then(|| format!("{name}{TU_SEPARATOR}{tu:016x}"));
    qualified.into_iter().chain(std::iter::once(name.to_owned()))
}

/// Returns the possible symbols of a specialization constant in device code. The host passes the
/// mangled name of the class that contains the variable.
pub fn constant_symbols(class: &str, tu: u64) -> Result<impl Iterator<Item = String>> {
    let nested = class.strip_prefix("_ZTS").unwrap_or(class).trim_start_matches('*');
    // g++ additionally marks names in unnamed namespaces as internal. clang, which compiled the
    // device code, does not.
    let nested = nested.replace("12_GLOBAL__N_1L", "12_GLOBAL__N_1");
    let name = nested.strip_suffix('E').map(|nested| format!("_Z{nested}{SPECIALIZATION_SUFFIX}"));
    match name.filter(|name| name.starts_with(SPECIALIZATION_PREFIX)) {
        Some(name) => Ok(symbols(&name, tu).collect::<Vec<_>>().into_iter()),
        None => Err(invalid(format!("'{class}' is not the class of a specialization constant"))),
    }
}

/// Returns whether an image with the kernel contains the specialization constant, which is given by
/// a class and a unit that may qualify it. If no constant is given, any constant matches.
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

/// Returns the kernel that a host program calls `name`, built for its place, and caches it in
/// `slot`. Returns a `Kernel` error if no image contains the kernel, and a `KernelArgument` error
/// if host and device disagree on it. A slot must only be used for kernels without values of
/// `constants`.
pub fn kernel(
    name: &str,
    tu: u64,
    slot: Option<Slot<'_>>,
    expected: Expected,
    place: DeviceInContext,
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

/// Returns the kernel with this device symbol, built for its place. It does not compare the kernel
/// with expectations of the host program.
pub fn kernel_of_symbol(symbol: &str, place: DeviceInContext) -> Result<Arc<ReadyKernel>> {
    let expected = {
        let mut registry = lock(&REGISTRY);
        registry.read_images();
        let candidates = registry.candidates(symbol, None);
        let facts = &candidates.first().ok_or_else(|| no_image(symbol))?.facts;
        Expected { functor_size: facts.launch.functor_size, shape: facts.launch.shape }
    };
    kernel(symbol, 0, None, expected, place, &Constants::default())
}

/// Drops all kernels and programs that were built for a destroyed context.
pub fn forget_context(context: u64) {
    let mut dropped = Vec::new();
    let registry = lock(&REGISTRY);
    let programs: Vec<_> =
        registry.images().flat_map(|image| image.take_of_context(context)).collect();
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

/// Returns the entry of the kernel that a library calls `name`. The text of `name` belongs to that
/// library, so its address identifies the library.
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
    /// Reads the images that were registered since the last lookup.
    fn read_images(&mut self) {
        let holders = self.holders.get_or_insert_default();
        self.libraries.iter_mut().for_each(|library| library.read_images(holders));
    }

    /// Returns the images that contain the kernel, in the order of registration.
    fn holders(&self, symbol: &str) -> &[Arc<Image>] {
        self.holders.as_ref().map_or(&[], |holders| holders.of(symbol))
    }

    /// Returns `base` if the library loaded there launches its own kernel of this name: it contains
    /// one, and other libraries contain one, too.
    fn home(&self, symbol: &str, base: usize) -> Home {
        let holders = self.holders(symbol);
        let (own, others) =
            (|image: &Arc<Image>| image.base == base, |image: &Arc<Image>| image.base != base);
        (holders.iter().any(own) && holders.iter().any(others)).then_some(base)
    }

    /// Returns the images that a lookup of a kernel considers.
    fn candidates(&self, symbol: &str, home: Home) -> Vec<Candidate> {
        let at_home = |image: &&Arc<Image>| home.is_none_or(|base| image.base == base);
        let images = self.holders(symbol).iter().filter(at_home);
        let found = images.filter_map(|image| Some((image, image.kernels.get(symbol)?)));
        found
            .map(|(image, facts)| Candidate { image: image.clone(), facts: facts.clone() })
            .collect()
    }

    /// Returns the images that have been read, in the order of registration.
    fn images(&self) -> impl Iterator<Item = &Arc<Image>> {
        self.libraries.iter().flat_map(|lib| lib.images.iter().flatten())
    }

    /// Returns whether the bytes of an image are readable.
    fn holds(&self, image: &Image) -> bool {
        image.is_private() || self.images().any(|known| known.id == image.id)
    }

    fn entry(&mut self, symbol: &str, home: Home) -> &'static Entry {
        let entries = self.entries.get_or_insert_with(HashMap::new);
        let key = (symbol.to_owned(), home);
        if let Some(entry) = entries.get(&key) {
            return entry;
        }
        let c_symbol = CString::new(symbol).unwrap_or_default();
        let entry: &'static Entry = Box::leak(Box::new(Entry {
            symbol: symbol.to_owned(),
            home,
            c_symbol,
            ready: Mutex::new(Vec::new()),
        }));
        entries.insert(key, entry);
        entry
    }

    fn unknown(&self, name: &str) -> Error {
        let images: usize = self.libraries.iter().map(|lib| lib.places.len()).sum();
        let mut message = format!("no device image contains kernel '{name}' ({images} registered)");
        for error in self.libraries.iter().flat_map(|lib| &lib.errors) {
            // Writing to a string cannot fail.
            let _ = write!(message, "; {error}");
        }
        if images == 0 {
            message.push_str("; link the program with scythe -fsycl");
        }
        Error::new(Errc::Kernel, message)
    }
}

fn no_image(symbol: &str) -> Error {
    Error::new(Errc::Kernel, format!("no device image contains kernel '{symbol}'"))
}
