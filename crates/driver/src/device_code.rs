//! Device code inside objects and static libraries: which there is, taking it out, putting it in.

use std::path::{Path, PathBuf};

use scythe_abi::names::GENERIC_TRIPLE;
use scythe_image::{archive, bundle};

use crate::error::Error;

/// Relocatable files, by the type in an ELF header; programs and shared libraries have registered images already.
const ET_REL: u8 = 1;

/// How many pieces of device code for the generic target a file holds. Files that are neither objects nor archives
/// (linker scripts, LTO bitcode) hold none.
pub fn count(path: &Path) -> Result<usize, Error> {
    let bytes = read(path)?;
    Ok(pieces(path, &bytes)?.len())
}

/// Writes the pieces of `input`, in order, one to each of `outputs`.
pub fn unbundle(input: &Path, outputs: &[PathBuf]) -> Result<(), Error> {
    let bytes = read(input)?;
    let pieces = pieces(input, &bytes)?;
    if pieces.len() != outputs.len() {
        let message = format!("the file changed while linking: {} pieces, expected {}", pieces.len(), outputs.len());
        return Err(Error::DeviceCode { path: input.to_owned(), message });
    }
    for (piece, output) in pieces.iter().zip(outputs) {
        std::fs::write(output, piece).map_err(|source| Error::Write { path: output.clone(), source })?;
    }
    Ok(())
}

/// Writes to `output` the object `host` with the device code `device` in a section.
pub fn bundle(host: &Path, device: &Path, output: &Path) -> Result<(), Error> {
    let (object, code) = (read(host)?, read(device)?);
    let fat = bundle::bundle(&object, &[(bundle::sycl_target(GENERIC_TRIPLE), code.as_slice())])
        .map_err(|e| Error::DeviceCode { path: host.to_owned(), message: e.to_string() })?;
    std::fs::write(output, fat).map_err(|source| Error::Write { path: output.to_owned(), source })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

fn pieces(path: &Path, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let fail = |message: String| Error::DeviceCode { path: path.to_owned(), message };
    if !archive::is_archive(bytes) {
        return of_object(bytes).map_err(fail);
    }
    let mut all = Vec::new();
    for member in archive::members(bytes).map_err(|e| fail(e.to_string()))? {
        let in_member = |message| fail(format!("member '{}': {message}", member.name));
        match member.data {
            Some(data) => all.extend(of_object(data).map_err(in_member)?),
            // A thin archive names its members relative to itself.
            None => {
                let file = path.parent().unwrap_or(Path::new("")).join(member.name);
                all.extend(of_object(&read(&file)?).map_err(in_member)?);
            }
        }
    }
    Ok(all)
}

fn of_object(bytes: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    if !bundle::is_object(bytes) || bytes.get(16) != Some(&ET_REL) {
        return Ok(Vec::new());
    }
    let code = bundle::extract(bytes, &bundle::sycl_target(GENERIC_TRIPLE)).map_err(|e| e.to_string())?;
    Ok(code.map(<[u8]>::to_vec).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_hold_none() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("libc.so");
        std::fs::write(&script, "INPUT(-lm)").unwrap();
        assert_eq!(count(&script).unwrap(), 0);
        assert_eq!(count(&std::env::current_exe().unwrap()).unwrap(), 0);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = count(Path::new("nowhere.o")).unwrap_err().to_string();
        assert!(error.contains("nowhere.o"), "{error}");
    }

    #[test]
    fn what_was_bundled_comes_out_of_objects_and_archives() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a.c"), "int f(void) { return 1; }").unwrap();
        let run = |program: &str, args: &[&str]| {
            let status = std::process::Command::new(program).args(args).current_dir(dir.path()).status().unwrap();
            assert!(status.success(), "{program} {args:?}");
        };
        run("cc", &["-c", "a.c", "-o", "a.o"]);
        std::fs::write(at("a.bc"), "device").unwrap();
        bundle(&at("a.o"), &at("a.bc"), &at("fat.o")).unwrap();
        assert_eq!(count(&at("a.o")).unwrap(), 0);
        assert_eq!(count(&at("fat.o")).unwrap(), 1);
        run("ar", &["rcs", "lib.a", "a.o", "fat.o"]);
        run("ar", &["rcsT", "thin.a", "a.o", "fat.o"]);
        for archive in ["lib.a", "thin.a"] {
            assert_eq!(count(&at(archive)).unwrap(), 1, "{archive}");
            unbundle(&at(archive), &[at("out.bc")]).unwrap();
            assert_eq!(std::fs::read(at("out.bc")).unwrap(), b"device");
        }
    }
}
