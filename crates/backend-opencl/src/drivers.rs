//! Finds the installed drivers, by the rules of OpenCL's loaders, and reports drivers that cannot
//! be loaded. Loaders skip such drivers silently.

use std::path::{Path, PathBuf};

use scythe_hal::library::Library;

/// The default folder of loaders.
const VENDORS: &str = "/etc/OpenCL/vendors";

/// Returns one sentence for each installed driver that cannot be loaded.
pub(crate) fn broken() -> Vec<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (drivers, mut problems) =
        installed(variable("OCL_ICD_FILENAMES"), variable("OCL_ICD_VENDORS"));
    problems.extend(drivers.iter().filter_map(|driver| load(driver).err()));
    problems
}

/// A driver, and the file or variable that names it.
#[derive(Debug, PartialEq, Eq)]
struct Driver {
    library: PathBuf,
    named_by: String,
}

/// Returns the drivers that the variables or, without variables, the system's folder name, and the
/// problems with the files that name drivers.
fn installed(files: Option<String>, vendors: Option<String>) -> (Vec<Driver>, Vec<String>) {
    let (mut drivers, mut problems) = (Vec::new(), Vec::new());
    for library in files.iter().flat_map(|list| list.split(':')).filter(|name| !name.is_empty()) {
        drivers.push(Driver { library: library.into(), named_by: "OCL_ICD_FILENAMES".to_owned() });
    }
    let chosen = vendors.is_some();
    let place = PathBuf::from(vendors.unwrap_or_else(|| VENDORS.to_owned()));
    let list = if place.is_dir() {
        read_folder(&place, &mut problems)
    } else if chosen {
        match place.extension().is_some_and(|e| e == "icd") {
            true => vec![place],
            // The name of a library.
            false => {
                drivers.push(Driver { library: place, named_by: "OCL_ICD_VENDORS".to_owned() });
                Vec::new()
            }
        }
    } else {
        Vec::new()
    };
    for file in list {
        match std::fs::read_to_string(&file) {
            Ok(text) => {
                let library = text.lines().next().unwrap_or_default().trim();
                match library.is_empty() {
                    true => problems.push(format!(
                        "the driver file {} does not name a library",
                        file.display()
                    )),
                    false => {
                        drivers.push(Driver {
                            library: library.into(),
                            named_by: file.display().to_string(),
                        });
                    }
                }
            }
            Err(error) => {
                problems.push(format!("cannot read the driver file {}: {error}", file.display()))
            }
        }
    }
    (drivers, problems)
}

/// Returns the files that name a driver, sorted by name.
fn read_folder(folder: &Path, problems: &mut Vec<String>) -> Vec<PathBuf> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(format!("cannot read the driver folder {}: {error}", folder.display()));
            return Vec::new();
        }
    };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "icd"));
    files.sort();
    files
}

/// Loads a driver. It stays loaded, because drivers that can be loaded are already in use.
fn load(driver: &Driver) -> Result<(), String> {
    let shown = format!("driver {} (named by {})", driver.library.display(), driver.named_by);
    // SAFETY: drivers may be loaded at any time.
    let library = unsafe { Library::load(&driver.library) }
        .map_err(|why| format!("{shown} cannot be loaded: {why}"))?;
    match library.address("clGetExtensionFunctionAddress") {
        Some(_) => Ok(()),
        None => Err(format!(
            "{shown} is not an OpenCL driver: it does not provide clGetExtensionFunctionAddress"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_files_name_drivers() {
        let folder = std::env::temp_dir().join(format!("scythe-icd-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("b.icd"), "libb.so\n").unwrap();
        std::fs::write(folder.join("a.icd"), "\n").unwrap();
        std::fs::write(folder.join("notes.txt"), "libc.so\n").unwrap();
        let (drivers, problems) = installed(
            Some("/x/libx.so::/y/liby.so".into()),
            Some(folder.to_string_lossy().into_owned()),
        );
        let names: Vec<_> =
            drivers.iter().map(|d| d.library.to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["/x/libx.so", "/y/liby.so", "libb.so"]);
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].contains("a.icd") && problems[0].contains("does not name a library"),
            "{problems:?}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn drivers_that_cannot_be_loaded_are_named_with_the_reason() {
        let missing =
            Driver { library: "/nowhere/libnone.so".into(), named_by: "OCL_ICD_FILENAMES".into() };
        let why = load(&missing).unwrap_err();
        assert!(why.contains("/nowhere/libnone.so") && why.contains("cannot be loaded: "), "{why}");
        let other = Driver { library: "libc.so.6".into(), named_by: "x.icd".into() };
        assert!(load(&other).unwrap_err().contains("is not an OpenCL driver"));
    }
}
