//! Defines the macros by which device and host code know the aspects of the targets.

use crate::Table;
use scythe_abi::aspect::Aspect;

/// Returns the macros for a compilation for these targets, in all passes: `NAME=1` each, in a fixed
/// order.
///
/// * `__SYCL_ANY_DEVICE_HAS_<aspect>__` if at least one target has the aspect,
/// * `__SYCL_ALL_DEVICES_HAVE_<aspect>__` if each target has it,
/// * `__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__` if a target may have aspects that are not listed. Targets
///   that the table does not know count as such.
pub fn macros_for(targets: &[&str], table: &Table) -> Vec<String> {
    let targets: Vec<_> = targets.iter().map(|name| table.lookup(name)).collect();
    let mut macros = Vec::new();
    for &aspect in Aspect::ALL {
        let having =
            targets.iter().filter(|target| target.is_some_and(|target| target.has(aspect))).count();
        if having != 0 {
            macros.push(format!("__SYCL_ANY_DEVICE_HAS_{}__=1", aspect.as_str()));
        }
        if having != 0 && having == targets.len() {
            macros.push(format!("__SYCL_ALL_DEVICES_HAVE_{}__=1", aspect.as_str()));
        }
    }
    if targets.is_empty()
        || targets.iter().any(|target| target.is_none_or(|target| target.may_support_other_aspects))
    {
        macros.push("__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__=1".into());
    }
    macros
}

#[cfg(test)]
mod tests {
    use super::*;

    fn macros(targets: &[&str]) -> Vec<String> {
        macros_for(targets, &Table::embedded())
    }

    fn has(macros: &[String], name: &str) -> bool {
        macros.iter().any(|text| text.strip_suffix("=1") == Some(name))
    }

    #[test]
    fn a_generic_target_may_have_any_aspect_and_has_none_for_certain() {
        for targets in [&["spir64"][..], &[], &["somebody_elses_target"]] {
            assert_eq!(macros(targets), ["__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__=1"], "{targets:?}");
        }
    }

    #[test]
    fn one_target_has_what_all_have() {
        let pvc = macros(&["intel_gpu_pvc"]);
        for aspect in ["fp16", "fp64", "atomic64", "gpu", "ext_intel_gpu_pvc"] {
            assert!(has(&pvc, &format!("__SYCL_ANY_DEVICE_HAS_{aspect}__")), "{aspect}");
            assert!(has(&pvc, &format!("__SYCL_ALL_DEVICES_HAVE_{aspect}__")), "{aspect}");
        }
        assert!(!has(&pvc, "__SYCL_ANY_DEVICE_HAS_cpu__"));
        assert!(!has(&pvc, "__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__"));
    }

    #[test]
    fn several_targets_share_what_each_has() {
        let both = macros(&["intel_gpu_pvc", "intel_gpu_acm_g10"]);
        assert!(
            has(&both, "__SYCL_ANY_DEVICE_HAS_fp64__")
                && !has(&both, "__SYCL_ALL_DEVICES_HAVE_fp64__")
        );
        assert!(has(&both, "__SYCL_ALL_DEVICES_HAVE_ext_intel_legacy_image__"));
        assert!(has(&both, "__SYCL_ALL_DEVICES_HAVE_fp16__"));
    }

    #[test]
    fn an_unknown_target_has_no_aspect_for_certain() {
        let both = macros(&["intel_gpu_pvc", "somebody_elses_target"]);
        assert!(
            has(&both, "__SYCL_ANY_DEVICE_HAS_fp64__")
                && !has(&both, "__SYCL_ALL_DEVICES_HAVE_fp64__")
        );
        assert!(has(&both, "__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__"));
    }

    #[test]
    fn users_targets_count() {
        let mut table = Table::embedded();
        table.extend_with_yaml_text("c.yaml", "my_gpu:\n  aspects: [gpu, fp16]\n").unwrap();
        let expected = ["gpu", "fp16"].map(|aspect| {
            [
                format!("__SYCL_ANY_DEVICE_HAS_{aspect}__=1"),
                format!("__SYCL_ALL_DEVICES_HAVE_{aspect}__=1"),
            ]
        });
        assert_eq!(macros_for(&["my_gpu"], &table), expected.concat());
    }
}
