//! Determines whether the machine can have a GPU, without loading a driver. Drivers access GPUs
//! through device files.

/// The prefixes of the names of these files in `/dev`.
const NAMES: [&str; 14] = [
    "dri", "nvidia", "kfd", "dxg", "mali", "kgsl", "nvgpu", "nvhost", "nvmap", "galcore", "pvr",
    "vgem", "adreno", "accel",
];

/// Returns false if the machine has no GPU that a driver could use. Returns true if this cannot be
/// determined.
pub fn may_exist() -> bool {
    match std::fs::read_dir("/dev") {
        Ok(entries) => {
            entries.filter_map(Result::ok).any(|entry| is_gpu(&entry.file_name().to_string_lossy()))
        }
        Err(_) => true,
    }
}

fn is_gpu(name: &str) -> bool {
    NAMES.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_files_tell_gpus() {
        assert!(is_gpu("dri") && is_gpu("nvidia0") && is_gpu("kfd"));
        assert!(!is_gpu("null") && !is_gpu("tty1") && !is_gpu("nvme0n1"));
    }
}
