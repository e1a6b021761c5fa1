//! Facts about the machine and the inputs on which a plan depends. They are gathered once, so that
//! planning has no side effects.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use scythe_abi::target::Target;
use scythe_own_files::in_path;

use crate::args::{InputKind, Invocation, Item, LinkCache, Mode};
use crate::error::Error;
use crate::flags::Meaning;
use crate::header_cache::HeaderCache;
use crate::include_scan::Finding;
use crate::layout::Layout;
use crate::precompiled::Precompiled;
use crate::{
    clang, device_code, fingerprint, include_scan, linker_arguments, precompiled, preprocessed,
};

#[derive(Clone, Debug)]
pub struct Facts {
    pub clang: PathBuf,
    pub layout: Layout,
    /// Whether clang can link with lld.
    pub lld: bool,
    /// The folder for temporary files.
    pub temp: PathBuf,
    /// A part of the names of unfinished outputs, which are written beside the output that they
    /// replace.
    pub unique: String,
    /// Whether diagnostics go to a terminal.
    pub colour: bool,
    /// The device code of each linkable input that contains any. Keys are words of the command
    /// line: a path, or `-lNAME`.
    pub device_code: BTreeMap<String, Holder>,
    /// Shared libraries that contain device images, by the same keys.
    pub image_libraries: BTreeMap<String, PathBuf>,
    /// Sources that provably contain no device code.
    pub host_only: BTreeSet<String>,
    /// The fingerprint of each source's code.
    pub code: BTreeMap<String, u64>,
    /// Inputs that are bundles of preprocessed text.
    pub texts: BTreeMap<String, preprocessed::Bundle>,
    /// The precompiled header that the passes use.
    pub precompiled: Option<Precompiled>,
    /// The sources whose passes can read precompiled SYCL headers.
    pub header_cache: HeaderCache,
    /// With `-E`, the fingerprint of the programs that would compile the text.
    pub compiler: u64,
    /// The folder for cached results of device links, if they are cached.
    pub link_cache: Option<PathBuf>,
    /// The options that define the macros for the aspects of the targets, for every pass.
    pub aspect_macros: Vec<String>,
    /// Outputs that exist and are not ordinary files (`/dev/null`, a pipe). They are written in
    /// place.
    pub in_place: BTreeSet<String>,
}

/// A file with device code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub path: PathBuf,
    /// The objects in the file that contain device code to be linked.
    pub units: Vec<device_code::Unit>,
    /// The kernels in the file whose device link is final.
    pub linked: Option<Vec<String>>,
    /// Whether the file is a thin archive, which only names its members.
    pub thin: bool,
}

impl Facts {
    /// Gathers the facts about everything that `invocation` names. `temp` need not exist yet.
    pub fn gather(invocation: &Invocation, temp: PathBuf) -> Result<Facts, Error> {
        let driver = std::env::current_exe()
            .map_err(|source| Error::Read { path: "/proc/self/exe".into(), source })?;
        let layout = Layout::of(&driver)?;
        let clang = clang::find(invocation.clang.as_deref())?;
        clang::check(&clang)?;
        let named = invocation.inputs().map(|input| &input.path).filter(|path| *path != "-");
        for path in named {
            if !Path::new(path).exists() {
                return Err(Error::NoSuchFile { path: path.clone() });
            }
        }
        let linking = invocation.mode == Mode::Link && !invocation.device_only;
        let (device_code, image_libraries) =
            if linking { holders(invocation)? } else { Default::default() };
        let mut host_only = host_only_sources(invocation, &layout);
        let texts = preprocessed::bundles(invocation, &mut host_only)?;
        let compiler = match invocation.mode {
            Mode::Preprocess => fingerprint::contents(&[&clang, &layout.plugin])?,
            _ => 0,
        };
        let link_cache = invocation.link_cache.as_ref().map(cache_folder).transpose()?;
        let precompiled = precompiled::used(invocation)?;
        let header_cache = match precompiled {
            None => HeaderCache::gather(invocation, &layout),
            Some(_) => HeaderCache::default(),
        };
        let outputs = invocation.output.iter().chain(&invocation.int_header);
        Ok(Facts {
            lld: has_lld(&clang),
            clang,
            layout,
            temp,
            unique: std::process::id().to_string(),
            colour: std::io::stderr().is_terminal(),
            device_code,
            image_libraries,
            host_only,
            code: fingerprint::sources(invocation)?,
            compiler,
            texts,
            precompiled,
            header_cache,
            link_cache,
            aspect_macros: aspect_macros(invocation),
            in_place: outputs.filter(|o| is_special(o)).cloned().collect(),
        })
    }
}

impl Facts {
    /// Returns the targets of all device code in the inputs.
    pub fn found_targets(&self) -> BTreeSet<Target> {
        self.device_code
            .values()
            .flat_map(|holder| &holder.units)
            .flat_map(|unit| unit.targets.iter().copied())
            .collect()
    }
}

/// Returns the options for the macros behind `any_device_has` and `all_devices_have`, from the
/// device configuration. Prints the warnings about the user's configuration file, once for all
/// tools.
fn aspect_macros(invocation: &Invocation) -> Vec<String> {
    invocation.config_warnings.iter().for_each(|warning| eprint!("{warning}"));
    let names: Vec<String> =
        invocation.targets.effective().iter().map(|target| target.name()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let macros = scythe_device_config::macros_for(&names, &invocation.devices);
    macros.iter().map(|definition| format!("-D{definition}")).collect()
}

/// Returns the sources that contain no device code. If the device side is requested, every source
/// is treated as SYCL.
fn host_only_sources(invocation: &Invocation, layout: &Layout) -> BTreeSet<String> {
    if invocation.device_only
        || invocation.int_header.is_some()
        || matches!(invocation.mode, Mode::OneSide | Mode::Precompile)
    {
        return BTreeSet::new();
    }
    let Some(mut scan) = include_scan::Scan::new(invocation, &layout.include) else {
        return BTreeSet::new();
    };
    let mut is_free = |path: &str| match scan.look(Path::new(path)) {
        Finding::FreeOfSycl => true,
        // A foreign host compiler needs the integration header for every source that includes SYCL
        // headers.
        Finding::FreeOfKernels => invocation.host_compiler.is_none(),
        Finding::Unknown => false,
    };
    let sources =
        invocation.inputs().filter(|input| input.kind == InputKind::Source && input.path != "-");
    sources.map(|input| input.path.clone()).filter(|path| is_free(path)).collect()
}

/// Returns the folder of `-fsycl-device-link-cache`.
fn cache_folder(cache: &LinkCache) -> Result<PathBuf, Error> {
    if let LinkCache::Folder(folder) = cache {
        return Ok(PathBuf::from(folder));
    }
    let variable =
        |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base =
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    base.map(|base| base.join("scythe/device-link")).ok_or(Error::NoCacheFolder)
}

fn has_lld(clang: &Path) -> bool {
    let beside = clang.canonicalize().ok().and_then(|p| p.parent().map(|d| d.join("ld.lld")));
    beside.is_some_and(|p| p.is_file()) || in_path("ld.lld").is_some()
}

fn is_special(output: &str) -> bool {
    output == "-" || std::fs::metadata(output).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// The inputs and libraries that contain device code, and those that contain device images.
pub type Holders = (BTreeMap<String, Holder>, BTreeMap<String, PathBuf>);

/// Returns the device code in the inputs and libraries of a link.
pub fn holders(invocation: &Invocation) -> Result<Holders, Error> {
    let (mut found, mut libraries) = (BTreeMap::new(), BTreeMap::new());
    let mut add = |key: String, path: PathBuf| -> Result<(), Error> {
        let contents = device_code::contents(&path)?;
        if contents.images {
            libraries.insert(key.clone(), path.clone());
        }
        if !contents.units.is_empty() || contents.linked.is_some() {
            let device_code::Contents { units, linked, thin, .. } = contents;
            found.insert(key, Holder { path, units, linked, thin });
        }
        Ok(())
    };
    for item in &invocation.items {
        match item {
            Item::Input(input) if input.kind == InputKind::Linkable => {
                add(input.path.clone(), PathBuf::from(&input.path))?;
            }
            Item::Option { words, meaning: Meaning::Library, .. } => {
                if let Some(path) = library(invocation, &linker_arguments::value(words)) {
                    add(words.concat(), path)?;
                }
            }
            Item::Option { words, meaning: Meaning::LinkerInput, .. } => {
                let path = PathBuf::from(linker_arguments::value(words));
                if path.is_file() {
                    add(words.concat(), path)?;
                }
            }
            _ => {}
        }
    }
    Ok((found, libraries))
}

/// Returns the library that `-lNAME` refers to, shared or static. Searches only the folders of
/// `-L`, because other folders contain no SYCL libraries.
fn library(invocation: &Invocation, name: &str) -> Option<PathBuf> {
    for item in &invocation.items {
        let Item::Option { words, meaning: Meaning::LibraryDir, .. } = item else { continue };
        let dir = PathBuf::from(linker_arguments::value(words));
        if let Some(exact) = name.strip_prefix(':') {
            let file = dir.join(exact);
            if file.is_file() {
                return Some(file);
            }
            continue;
        }
        let named = ["so", "a"].map(|extension| dir.join(format!("lib{name}.{extension}")));
        if let Some(file) = named.into_iter().find(|file| file.is_file()) {
            return Some(file);
        }
    }
    None
}
