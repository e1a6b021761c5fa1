//! Device code inside objects and libraries: listing it, extracting it and adding it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use scythe_abi::names::IMAGE_SECTION;
use scythe_abi::target::Target;
use scythe_image::{archive, bundle, linked, unit};

use crate::error::{DeviceCodeError, Error};
use crate::identity;
use crate::plan::UnbundledPiece;

/// Types of ELF files, as numbered in the ELF header.
const ET_REL: u8 = 1;
const ET_DYN: u8 = 3;

/// The contents of a linkable file. For files that are neither objects nor archives (linker
/// scripts, LTO bitcode), everything is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The objects with device code, in order.
    pub units: Vec<Unit>,
    /// The kernels whose device link is final, if any object lists such kernels.
    pub linked: Option<Vec<String>>,
    /// Whether the file is a shared library with device images.
    pub images: bool,
    /// Whether the file is a thin archive, which only names its members.
    pub thin: bool,
}

/// An object with device code, alone or in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The name of the file, with the member if the file is an archive: `libx.a(a.o)`.
    pub name: String,
    /// The index among all members of the archive, if the object is in an archive.
    pub member: Option<usize>,
    /// The targets of the object's device modules, in order.
    pub targets: Vec<Target>,
}

/// Reads the contents of a file.
pub fn contents(path: &Path) -> Result<Contents, Error> {
    let bytes = read(path)?;
    let thin = bytes.starts_with(b"!<thin>");
    let images = is_elf_of(&bytes, ET_DYN) && holds(&bytes, IMAGE_SECTION.as_bytes());
    let mut contents = Contents { images, thin, ..Contents::default() };
    for_each_object(path, &bytes, |(name, member), object| {
        for pieces in units(object, name)? {
            let targets = pieces.iter().map(|piece| piece.0).collect();
            contents.units.push(Unit { name: name.to_owned(), member, targets });
        }
        if let Some(kernels) = linked::kernels(object).map_err(|e| fail(name, e))? {
            contents.linked.get_or_insert_default().extend(kernels);
        }
        Ok(())
    })?;
    Ok(contents)
}

/// The names of functions of the SYCL runtime begin with `scythe_`, and those of functions in the
/// library of the headers contain an ABI tag.
const RUNTIME_NAMES: [&[u8]; 2] = [b"\0scythe_", b"B10scythe_"];

/// Returns whether an object or archive refers to functions of the SYCL runtime or of the library
/// of the headers. Only these two define such functions.
pub fn mentions_runtime(path: &Path) -> bool {
    read(path).is_ok_and(|bytes| {
        (bytes.starts_with(b"!<") || is_elf_of(&bytes, ET_REL))
            && RUNTIME_NAMES.iter().any(|name| holds(&bytes, name))
    })
}

/// Extracts device modules from `input` into files. Indices count the modules of all objects in
/// `input`.
pub fn unbundle(input: &Path, wanted: &[UnbundledPiece]) -> Result<(), Error> {
    let bytes = read(input)?;
    let mut all: Vec<(Target, Vec<u8>)> = Vec::new();
    for_each_object(input, &bytes, |(name, _), object| {
        all.extend(
            units(object, name)?
                .into_iter()
                .flatten()
                .map(|(target, code)| (target, code.to_vec())),
        );
        Ok(())
    })?;
    for piece in wanted {
        match all.get(piece.index) {
            Some((target, code)) if *target == piece.target => write(&piece.output, code)?,
            _ => {
                let (path, source) = (input.to_owned(), DeviceCodeError::Changed);
                return Err(Error::DeviceCode { path, source });
            }
        }
    }
    Ok(())
}

/// Writes to `output` a copy of the object `host` with one section of device code for each target.
/// If the unit has a provisional identifier, the host object and the device modules get the unit's
/// identity.
pub fn bundle(
    host: &Path,
    device: &[(Target, PathBuf)],
    output: &Path,
    provisional: Option<u64>,
) -> Result<(), Error> {
    let mut object = read(host)?;
    let mut code = device.iter().map(|(_, file)| read(file)).collect::<Result<Vec<_>, _>>()?;
    if let Some(provisional) = provisional {
        let identity = identity::of_unit(provisional, &object, &code);
        unit::stamp(&mut object, identity)
            .map_err(|e| Error::DeviceCode { path: host.to_owned(), source: e.into() })?;
        code.iter_mut().for_each(|module| *module = unit::wrap(module, identity));
    }
    let parts: Vec<(String, &[u8])> = device
        .iter()
        .zip(&code)
        .map(|((target, _), code)| (target.bundle_id(), code.as_slice()))
        .collect();
    let fat = bundle::bundle(&object, &parts)
        .map_err(|e| Error::DeviceCode { path: host.to_owned(), source: e.into() })?;
    write(output, &fat)
}

/// Copies an object or archive without the device code of its objects. All other contents keep
/// their offsets.
pub fn strip(input: &Path, output: &Path) -> Result<(), Error> {
    let bytes = read(input)?;
    let mut out = bytes.clone();
    let start = bytes.as_ptr() as usize;
    for_each_object(input, &bytes, |(name, _), object| {
        if is_elf_of(object, ET_REL) {
            let at = (object.as_ptr() as usize).wrapping_sub(start);
            let place = out.get_mut(at..at.saturating_add(object.len()));
            if let Some(place) = place {
                place.copy_from_slice(&linked::without_bundles(object).map_err(|e| fail(name, e))?);
            }
        }
        Ok(())
    })?;
    write(output, &out)
}

/// Writes to `output` a copy of the object with the list of its kernels. The files in `lists` name
/// the kernels, one per line.
pub fn mark_linked(object: &Path, lists: &[PathBuf], output: &Path) -> Result<(), Error> {
    let mut kernels = BTreeSet::new();
    for list in lists {
        kernels.extend(String::from_utf8_lossy(&read(list)?).lines().map(str::to_owned));
    }
    let kernels: Vec<String> = kernels.into_iter().collect();
    let marked = linked::mark(&read(object)?, &kernels)
        .map_err(|e| Error::DeviceCode { path: object.to_owned(), source: e.into() })?;
    write(output, &marked)
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|source| Error::Write { path: path.to_owned(), source })
}

fn fail(name: &str, error: impl Into<DeviceCodeError>) -> Error {
    Error::DeviceCode { path: name.into(), source: error.into() }
}

fn is_elf_of(bytes: &[u8], kind: u8) -> bool {
    bundle::is_object(bytes) && bytes.get(16) == Some(&kind)
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// Calls `visit` for a file that is an object, or for each object in an archive, with its name and
/// its index in the archive. Skips everything that is not an object.
fn for_each_object(
    path: &Path,
    bytes: &[u8],
    mut visit: impl FnMut((&str, Option<usize>), &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let file = path.to_string_lossy();
    let mut visit_object = |name: (&str, Option<usize>), object: &[u8]| {
        if is_elf_of(object, ET_REL) { visit(name, object) } else { Ok(()) }
    };
    if !archive::is_archive(bytes) {
        return visit_object((&file, None), bytes);
    }
    for (index, member) in
        archive::members(bytes).map_err(|e| fail(&file, e))?.into_iter().enumerate()
    {
        let name = format!("{file}({})", member.name);
        match member.data {
            Some(data) => visit_object((&name, Some(index)), data)?,
            // A thin archive names its members relative to its own folder.
            None => visit_object(
                (&name, Some(index)),
                &read(&path.parent().unwrap_or(Path::new("")).join(member.name))?,
            )?,
        }
    }
    Ok(())
}

/// The device code of one translation unit: a module for each of its targets.
type Pieces<'a> = Vec<(Target, &'a [u8])>;

/// Returns the device code in an object, grouped by unit, in order. An object has several units if
/// `ld -r` has joined objects. Modules with the same identity belong to the same unit. Modules
/// without an identity belong to the same unit if they have the same index in their sections.
fn units<'a>(object: &'a [u8], name: &str) -> Result<Vec<Pieces<'a>>, Error> {
    let mut units: Vec<(Result<unit::Identity, usize>, Pieces<'a>)> = Vec::new();
    for bundle in bundle::list(object).map_err(|e| fail(name, e))? {
        if bundle.device_triple().is_none() {
            continue;
        }
        let Some(target) = Target::from_bundle_id(bundle.target) else {
            return Err(Error::UnknownBundle { path: name.into(), id: bundle.target.to_owned() });
        };
        let modules = unit::modules(bundle.data).map_err(|error| {
            let target = bundle.target.to_owned();
            fail(name, DeviceCodeError::DamagedBundle { target, source: error })
        })?;
        for (place, module) in modules.into_iter().enumerate() {
            let unit = unit::identity(module).ok_or(place);
            let known = |(other, pieces): &&mut (_, Pieces)| {
                *other == unit && pieces.iter().all(|(known, _)| *known != target)
            };
            match units.iter_mut().find(known) {
                Some((_, pieces)) => pieces.push((target, module)),
                None => units.push((unit, vec![(target, module)])),
            }
        }
    }
    Ok(units.into_iter().map(|(_, pieces)| pieces).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that stand for device code.
    const DEVICE: &[u8] = b"BC\xc0\xde\x21\x0c\0\0\x01\0\0\0code";

    fn host_object(dir: &Path) -> PathBuf {
        std::fs::write(dir.join("h.c"), "int h;").unwrap();
        let status = std::process::Command::new("cc")
            .args(["-c", "h.c", "-o", "h.o"])
            .current_dir(dir)
            .status()
            .unwrap();
        assert!(status.success());
        dir.join("h.o")
    }

    #[test]
    fn other_files_hold_none() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("libc.so");
        std::fs::write(&script, "INPUT(-lm)").unwrap();
        assert_eq!(contents(&script).unwrap(), Contents::default());
        assert_eq!(contents(&std::env::current_exe().unwrap()).unwrap().units, []);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = contents(Path::new("nowhere.o")).unwrap_err().to_string();
        assert!(error.contains("nowhere.o"), "{error}");
    }

    #[test]
    fn what_was_bundled_comes_out_of_objects_and_archives() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a.c"), "int f(void) { return 1; }").unwrap();
        let run = |program: &str, args: &[&str]| {
            let status = std::process::Command::new(program)
                .args(args)
                .current_dir(dir.path())
                .status()
                .unwrap();
            assert!(status.success(), "{program} {args:?}");
        };
        run("cc", &["-c", "a.c", "-o", "a.o"]);
        std::fs::write(at("a.bc"), DEVICE).unwrap();
        std::fs::write(at("b.bc"), DEVICE).unwrap();
        let code = [(Target::Generic, at("a.bc")), (Target::Cpu, at("b.bc"))];
        bundle(&at("a.o"), &code, &at("fat.o"), None).unwrap();
        let units = |name: &str| contents(&at(name)).unwrap().units;
        assert_eq!(units("a.o"), []);
        assert_eq!(units("fat.o")[0].targets, [Target::Generic, Target::Cpu]);
        run("ar", &["rcs", "lib.a", "a.o", "fat.o"]);
        run("ar", &["rcsT", "thin.a", "a.o", "fat.o"]);
        for archive in ["lib.a", "thin.a"] {
            assert_eq!(units(archive).len(), 1, "{archive}");
            assert!(units(archive)[0].name.ends_with(&format!("{archive}(fat.o)")));
            let piece = UnbundledPiece { index: 1, target: Target::Cpu, output: at("out.bc") };
            unbundle(&at(archive), &[piece]).unwrap();
            assert_eq!(std::fs::read(at("out.bc")).unwrap(), DEVICE);
        }
        for (fat, plain) in [("fat.o", "plain.o"), ("lib.a", "plain.a")] {
            strip(&at(fat), &at(plain)).unwrap();
            assert_eq!(units(plain), []);
        }
        // Linkers accept a stripped file, and their output contains no trace of device code.
        std::fs::write(at("m.c"), "int f(void);\nint main(void) { return f() - 1; }").unwrap();
        run("cc", &["m.c", "plain.o", "-o", "app"]);
        run("./app", &[]);
        run("cc", &["m.c", "plain.a", "-o", "app"]);
        run("ld", &["-r", "plain.o", "-o", "joined.o"]);
        assert!(!holds(&std::fs::read(at("joined.o")).unwrap(), b"__CLANG_OFFLOAD_BUNDLE__"));
    }

    #[test]
    fn kernels_linked_for_good_are_listed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let object = host_object(dir.path());
        std::fs::write(at("one"), "b\na\n").unwrap();
        std::fs::write(at("two"), "a\nc\n").unwrap();
        mark_linked(&object, &[at("one"), at("two")], &at("marked.o")).unwrap();
        assert_eq!(contents(&object).unwrap().linked, None);
        let kernels = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(contents(&at("marked.o")).unwrap().linked, Some(kernels));
    }

    #[test]
    fn damage_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let object = host_object(dir.path());
        std::fs::write(at("bad.bc"), "bad!").unwrap();
        bundle(&object, &[(Target::Generic, at("bad.bc"))], &at("bad.o"), None).unwrap();
        let error = contents(&at("bad.o")).unwrap_err().to_string();
        for part in ["bad.o", "sycl-spir64-unknown-unknown", "expected bitcode", "\"bad!\""] {
            assert!(error.contains(part), "{error}");
        }
        let mut bytes = std::fs::read(at("bad.o")).unwrap();
        let place = bytes.windows(7).position(|w| w == b"sycl-sp").unwrap();
        bytes[place..place + 7].copy_from_slice(b"sycl-xx");
        std::fs::write(at("bad.o"), &bytes).unwrap();
        let error = contents(&at("bad.o")).unwrap_err().to_string();
        assert!(error.contains("'sycl-xxir64-unknown-unknown'"), "{error}");
        std::fs::write(at("bad.o"), &bytes[..100]).unwrap();
        assert!(contents(&at("bad.o")).unwrap_err().to_string().contains("bad.o"));
    }
}
