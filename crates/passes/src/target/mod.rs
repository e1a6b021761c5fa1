//! Code generation: one folder for each target that device code is lowered to, and [`common`] for
//! the code that the targets share.
//!
//! Every target has the same modules, so that a reader who knows one target can find their way in
//! the others, and a new target is one folder. A test compares the folders.
//!
//! | module | contents |
//! |---|---|
//! | `mod.rs` | `Options`; `lower`, the ordered list of the target's steps |
//! | `error.rs` | the error type of the target, with one variant per reason |
//! | `retarget.rs` | triple, data layout, calling conventions, attributes and visibility |
//! | `address_spaces.rs` | how the target distinguishes private, local and global memory |
//! | `arguments.rs` | how kernels receive their arguments |
//! | `printf.rs` | the replacement of `printf` calls |
//! | `externals.rs` | symbols that code may leave undefined; `missing` lists all others |
//! | `check.rs` | rejects code that the target, or LLVM's back end for it, cannot handle |
//! | `lowering/` | the passes that no other target needs |
//!
//! The crate `codegen` has a folder of the same name for each target: it reads the libraries and
//! runs LLVM's back end.

pub mod common;
pub mod cpu;
pub mod nvptx;
pub mod spirv;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    /// The modules in each folder of `target`, except `common`.
    fn modules() -> BTreeMap<String, BTreeSet<String>> {
        let names = |folder: &Path| -> Vec<String> {
            let entries = std::fs::read_dir(folder).expect("the folder can be read");
            entries
                .map(|e| {
                    e.expect("the entry can be read").file_name().to_string_lossy().into_owned()
                })
                .collect()
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/target");
        let targets =
            names(&root).into_iter().filter(|name| name != "common" && root.join(name).is_dir());
        targets.map(|name| (name.clone(), names(&root.join(name)).into_iter().collect())).collect()
    }

    #[test]
    fn every_target_has_the_same_modules() {
        let expected = [
            "address_spaces.rs",
            "arguments.rs",
            "check.rs",
            "error.rs",
            "externals.rs",
            "lowering",
            "mod.rs",
            "printf.rs",
            "retarget.rs",
        ];
        let targets = modules();
        assert!(targets.len() >= 3, "{:?}", targets.keys());
        for (target, found) in targets {
            assert!(
                found.iter().map(String::as_str).eq(expected),
                "target/{target} has {found:?}, expected {expected:?}"
            );
        }
    }

    /// Imports the items that the modules of every target must define.
    macro_rules! same_names {
        ($($target:ident)*) => {
            $(mod $target {
                #[allow(unused_imports)]
                use crate::target::$target::{Options, externals::check, externals::missing, lower};
            })*
            const NAMED: &[&str] = &[$(stringify!($target)),*];
        };
    }
    same_names!(cpu nvptx spirv);

    #[test]
    fn every_target_is_named() {
        assert!(modules().keys().map(String::as_str).eq(NAMED.iter().copied()));
    }
}
