//! An installed tree with the real driver and stand-ins for the programs that it starts.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Creates the tree in a folder.
pub fn install(prefix: &Path) -> std::io::Result<()> {
    for name in ["include/sycl", "lib/scythe", "bin"] {
        std::fs::create_dir_all(prefix.join(name))?;
    }
    for name in ["include/sycl/sycl.hpp", "lib/libscythe.so", "lib/scythe/libscythe_frontend.so"] {
        std::fs::write(prefix.join(name), "")?;
    }
    let tools = prefix.join("bin/scythe-tools");
    std::fs::write(&tools, "#!/bin/bash\nexit 0\n")?;
    std::fs::set_permissions(&tools, std::fs::Permissions::from_mode(0o755))?;
    // The driver finds the tree by its own path, so a link would not work.
    std::fs::copy(env!("CARGO_BIN_EXE_scythe"), prefix.join("bin/scythe"))?;
    Ok(())
}
