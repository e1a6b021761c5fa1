//! Zebin: the section `.ze_info` describes the kernels as YAML text, in the block style of Intel's
//! compiler:
//!
//! ```text
//! kernels:
//!   - name:            _ZTS1K
//!     execution_env:
//!       grf_count:       128
//!       simd_size:       32
//!       slm_size:        1024
//!     per_thread_memory_buffers:
//!       - type:            scratch
//!         size:            64
//! ```
//!
//! The code of a kernel is in the section `.text.<kernel>`.

use super::IntelKernel;
use std::collections::BTreeMap;

/// Reads the description, as far as it has the form that the compiler writes.
pub(super) fn described(text: &str) -> BTreeMap<String, IntelKernel> {
    let mut found: BTreeMap<String, IntelKernel> = BTreeMap::new();
    let (mut in_kernels, mut current, mut block) = (false, None, String::new());
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let item = line.trim_start();
        let (item, is_new) = match item.strip_prefix("- ") {
            Some(item) => (item, true),
            None => (item, false),
        };
        let Some((key, value)) = item.split_once(':') else { continue };
        let value = value.trim().trim_matches(['\'', '"']);
        match (indent, is_new) {
            (0, false) => (in_kernels, current) = (key == "kernels", None),
            (2, true) if in_kernels && key == "name" => {
                found.entry(value.to_owned()).or_default();
                current = Some(value.to_owned());
            }
            (4, false) => block = key.to_owned(),
            _ => {}
        }
        let Some(kernel) = current.as_ref().and_then(|name| found.get_mut(name)) else { continue };
        let number = value.parse::<u64>().ok();
        match (&*block, key, number) {
            ("execution_env", "simd_size", Some(n)) => kernel.lanes = u32::try_from(n).ok(),
            ("execution_env", "grf_count", Some(n)) => kernel.registers = u32::try_from(n).ok(),
            ("execution_env", "slm_size", Some(n)) => kernel.local_bytes = n,
            ("per_thread_memory_buffers", "size", Some(n)) => {
                kernel.scratch_bytes = kernel.scratch_bytes.saturating_add(n);
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---
version:         '1.49'
kernels:
  - name:            _ZTS1K
    execution_env:
      barrier_count:   1
      grf_count:       128
      simd_size:       32
      slm_size:        1024
    payload_arguments:
      - arg_type:        arg_bypointer
        offset:          0
        size:            8
    per_thread_memory_buffers:
      - type:            scratch
        usage:           spill_fill_space
        size:            64
  - name:            _ZTS1L
    execution_env:
      simd_size:       16
kernels_misc_info:
  - name:            _ZTS1M
...
";

    #[test]
    fn kernels_are_described() {
        let found = described(TEXT);
        let first = IntelKernel {
            lanes: Some(32),
            registers: Some(128),
            local_bytes: 1024,
            scratch_bytes: 64,
            code_bytes: 0,
        };
        let second = IntelKernel { lanes: Some(16), ..IntelKernel::default() };
        assert_eq!(found, [("_ZTS1K".into(), first), ("_ZTS1L".into(), second)].into());
    }
}
