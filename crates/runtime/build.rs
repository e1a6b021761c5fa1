//! Gives `libscythe.so` its SONAME. Programs record this name, so a later version of the runtime
//! with the same major version can replace the library.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets the version");
    let soname = format!("libscythe.so.{major}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{soname}");
    // Programs that are linked with the library in cargo's target folder look for the SONAME there.
    // The build script runs in `build/scythe-runtime-HASH/out` below the folder of the profile. A
    // link that cannot be created is not an error: the installed library does not need it.
    let out = std::env::var("OUT_DIR").expect("cargo sets the folder");
    let profile = Path::new(&out).ancestors().nth(3).expect("the folder of the profile");
    for folder in [profile.to_owned(), profile.join("deps")] {
        let _ = std::os::unix::fs::symlink("libscythe.so", folder.join(&soname));
    }
}
