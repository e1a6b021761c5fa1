//! The code generator. It compiles device bitcode to an x86-64 object, or to SPIR-V or PTX for
//! drivers that compile these formats.
//!
//! The runtime loads it as `libscythe-jit.so` for the first build that is not in the cache
//! ([`edge`]). Ahead-of-time compilation uses it as a Rust library ([`compile_to_object`]). It is
//! the only part of a running program that needs LLVM.
//!
//! Each target has a folder. Its `mod.rs` reads device code and runs LLVM's back end, and its
//! `libraries.rs` links the device library. The passes are in [`scythe_passes::target`] and do no
//! I/O.

mod cpu;
mod cut;
mod device_library;
mod dump;
pub mod edge;
mod error;
mod link;
pub mod nvptx;
mod specialize;
pub mod spirv;

pub use cpu::{DEVICE_LIBRARY, Options, compile_linked, compile_module, compile_to_object};
pub use error::Error;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Returns the names of the folders in `folder`.
    fn folders(folder: &Path) -> BTreeSet<String> {
        let entries = std::fs::read_dir(folder).expect("the folder can be read");
        let paths = entries
            .map(|entry| entry.expect("the entry can be read").path())
            .filter(|path| path.is_dir());
        paths.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
    }

    #[test]
    fn every_target_of_the_passes_has_a_folder_here() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut targets = folders(&here.join("../passes/src/target"));
        assert!(targets.remove("common"));
        assert_eq!(folders(&here.join("src")), targets);
        for target in targets {
            for module in ["mod.rs", "libraries.rs"] {
                assert!(
                    here.join("src").join(&target).join(module).is_file(),
                    "{target} lacks {module}"
                );
            }
        }
    }
}
