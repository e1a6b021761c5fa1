//! Names of outputs and intermediate files.

use std::path::{Path, PathBuf};

use scythe_abi::target::Target;

use crate::args::{Input, Invocation, SaveTemps};
use crate::facts::Facts;

/// Returns the file name of a source without its extension.
pub fn stem(source: &str) -> String {
    if source == "-" {
        return "-".to_owned();
    }
    Path::new(source).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the name of an input's precompiled header. As in clang, the file is beside the header.
pub fn precompiled(invocation: &Invocation, input: &Input) -> String {
    invocation.output.clone().unwrap_or_else(|| format!("{}.pch", input.path))
}

/// Returns the path of an output while it is unfinished. The path is beside the output, because a
/// rename cannot cross file systems.
pub fn waiting(output: &str, facts: &Facts) -> PathBuf {
    if facts.in_place.contains(output) {
        return PathBuf::from(output);
    }
    let path = Path::new(output);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", facts.unique))
}

/// The intermediate files of one source. `number` distinguishes sources of the same name in
/// different folders.
pub struct Intermediates {
    folder: PathBuf,
    stem: String,
    kept: bool,
}

impl Intermediates {
    pub fn new(invocation: &Invocation, facts: &Facts, name: &str, number: usize) -> Self {
        let kept = invocation.save_temps.is_some();
        let stem = if name == "-" { "stdin".to_owned() } else { name.to_owned() };
        let folder = match invocation.save_temps {
            None => facts.temp.clone(),
            Some(SaveTemps::CurrentFolder) => PathBuf::new(),
            Some(SaveTemps::BesideOutput) => {
                let output = invocation.output.as_deref().map(Path::new);
                output.and_then(Path::parent).map(Path::to_owned).unwrap_or_default()
            }
        };
        let stem = if number == 0 { stem } else { format!("{stem}-{number}") };
        Self { folder, stem, kept }
    }

    /// Device code from the pass for `target`. `several` tells whether there are other passes.
    pub fn device(&self, target: Target, several: bool) -> PathBuf {
        let name = match (self.kept, several) {
            (true, _) => format!("{}-{}.bc", self.stem, target.bundle_id()),
            (false, true) => format!("{}-{}.bc", self.stem, target.full_triple()),
            (false, false) => format!("{}.bc", self.stem),
        };
        self.folder.join(name)
    }

    /// The host object. A kept host object must not have the name of the fat object.
    pub fn host(&self, fat_follows: bool) -> PathBuf {
        let suffix = if self.kept && fat_follows { "-host.o" } else { ".o" };
        self.folder.join(format!("{}{suffix}", self.stem))
    }

    /// The file of words that gives a host compiler the unit's identity.
    pub fn identity(&self) -> PathBuf {
        self.folder.join(format!("{}-unit.args", self.stem))
    }

    /// The preprocessed text of one pass. `part` is the identifier of the pass in bundles.
    pub fn text(&self, part: &str) -> PathBuf {
        self.folder.join(format!("{}-{part}.ii", self.stem))
    }

    /// A precompiled header for one pass.
    pub fn precompiled(&self, part: &str) -> PathBuf {
        self.folder.join(format!("{}-{part}.pch", self.stem))
    }

    pub fn int_header(&self) -> PathBuf {
        self.folder.join(format!("{}-int.h", self.stem))
    }

    /// The list of files that the `n`th pass over the source read. Pass 0 is the host pass.
    pub fn dependencies(&self, n: usize) -> PathBuf {
        self.folder.join(format!("{}-{n}.d", self.stem))
    }

    /// The layout of functors in the `n`th pass over the source. Pass 0 is the host pass.
    pub fn functors(&self, n: usize) -> PathBuf {
        self.folder.join(format!("{}-{n}.functors", self.stem))
    }

    /// The `n`th device module that was extracted from an object or archive.
    pub fn unbundled(&self, n: usize) -> PathBuf {
        self.folder.join(format!("{}-unbundled-{n}.bc", self.stem))
    }

    /// The object or archive without device code.
    pub fn stripped(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}-host.{extension}", self.stem))
    }

    /// The object of a source with its device code.
    pub fn fat(&self) -> PathBuf {
        self.folder.join(format!("{}-fat.o", self.stem))
    }

    /// A copy of an archive.
    pub fn copy(&self) -> PathBuf {
        self.folder.join(format!("{}-copy.a", self.stem))
    }

    /// The output of the link that only finds the linked members of libraries, and the file of
    /// words that results from it.
    pub fn members(&self) -> (PathBuf, PathBuf) {
        let at = |end: &str| self.folder.join(format!("{}-members{end}", self.stem));
        (at(""), at(".args"))
    }

    /// The object that contains device images. `unit` numbers sources if each is linked alone.
    pub fn wrapper(&self, unit: usize) -> PathBuf {
        let number = if unit == 0 { String::new() } else { format!("-{unit}") };
        self.folder.join(format!("{}-wrapper{number}.o", self.stem))
    }

    /// The names of the kernels in [`Intermediates::wrapper`].
    pub fn linked_kernels(&self, unit: usize) -> PathBuf {
        let number = if unit == 0 { String::new() } else { format!("-{unit}") };
        self.folder.join(format!("{}-kernels{number}.txt", self.stem))
    }

    /// The object with all host code and images.
    pub fn relocatable(&self) -> PathBuf {
        self.folder.join(format!("{}-linked.o", self.stem))
    }

    /// The prefix of the device link's intermediate files, if they are kept.
    pub fn device_link_prefix(&self) -> Option<PathBuf> {
        self.kept.then(|| self.folder.join(&self.stem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_drop_folder_and_extension() {
        assert_eq!(stem("x/y.z/a.b.cpp"), "a.b");
        assert_eq!(stem("-"), "-");
    }
}
