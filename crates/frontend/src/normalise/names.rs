//! The known attributes by namespace and name, and the attributes that are errors because they are
//! similar or unsupported.

use scythe_diag::spelling::distance;
use scythe_diag::{Diagnostic, Report};

use crate::errors::{UnknownAttribute, UnsupportedAttribute};

/// The name of the attribute in the macro `SYCL_EXTERNAL`.
pub const EXTERNAL: &str = "scythe_external";

/// The arguments that an attribute takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Integer constants.
    Sizes,
    /// Constants of type `sycl::aspect`.
    Aspects,
    /// One word.
    Word,
    /// One type.
    Type,
    /// Any arguments. Only the headers write these attributes.
    Anything,
}

/// A known attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The annotation that replaces the attribute.
    pub annotation: &'static str,
    pub takes: Takes,
}

/// A row of the table: namespaces, name, annotation, arguments.
type Row = (&'static [&'static str], &'static str, &'static str, Takes);

const SYCL: &[&str] = &["sycl", "cl"];
const INTEL: &[&str] = &["intel", "INTEL"];
const EITHER: &[&str] = &["sycl", "cl", "intel", "INTEL"];
const DETAIL: &[&str] = &["sycl_detail", "__sycl_detail__"];

const ATTRIBUTES: &[Row] = &[
    (EITHER, "reqd_work_group_size", "sycl::reqd_work_group_size", Takes::Sizes),
    (SYCL, "work_group_size_hint", "sycl::work_group_size_hint", Takes::Sizes),
    (EITHER, "reqd_sub_group_size", "sycl::reqd_sub_group_size", Takes::Sizes),
    (SYCL, "vec_type_hint", "sycl::vec_type_hint", Takes::Type),
    (INTEL, "named_sub_group_size", "intel::named_sub_group_size", Takes::Word),
    (INTEL, "kernel_args_restrict", "intel::kernel_args_restrict", Takes::Sizes),
    (SYCL, "device_has", "sycl::device_has", Takes::Aspects),
    (DETAIL, "uses_aspects", "sycl_detail::uses_aspects", Takes::Aspects),
    (DETAIL, "__uses_aspects__", "sycl_detail::uses_aspects", Takes::Aspects),
    (
        DETAIL,
        "add_ir_global_variable_attributes",
        "__sycl_detail__::add_ir_global_variable_attributes",
        Takes::Anything,
    ),
    (
        DETAIL,
        "add_ir_kernel_parameter_attributes",
        "__sycl_detail__::add_ir_kernel_parameter_attributes",
        Takes::Anything,
    ),
    (
        DETAIL,
        "add_ir_function_attributes",
        "__sycl_detail__::add_ir_function_attributes",
        Takes::Anything,
    ),
    (
        DETAIL,
        "add_ir_member_annotation",
        "__sycl_detail__::add_ir_member_annotation",
        Takes::Anything,
    ),
];

/// Attributes of other compilers that change the meaning or the launch of a kernel.
const REFUSED: &[(&[&str], &str)] = &[
    (INTEL, "max_work_group_size"),
    (INTEL, "min_work_groups_per_cu"),
    (INTEL, "max_work_groups_per_mp"),
    (INTEL, "max_global_work_dim"),
    (INTEL, "sycl_explicit_simd"),
    (INTEL, "device_indirectly_callable"),
    (SYCL, "requires"),
    (SYCL, "kernel"),
];

/// Returns the known attribute with this name.
pub fn known(namespace: &str, name: &str) -> Option<Known> {
    let row = ATTRIBUTES.iter().find(|row| row.1 == name && row.0.contains(&namespace))?;
    Some(Known { annotation: row.2, takes: row.3 })
}

/// Returns the error of an attribute that is not known, but that clang must not ignore. Its
/// location is the index of a token, which the caller sets.
pub fn fault(namespace: &str, name: &str) -> Option<Diagnostic<usize>> {
    let is_ours = [SYCL, INTEL, DETAIL].iter().any(|names| names.contains(&namespace));
    if !is_ours || known(namespace, name).is_some() {
        return None;
    }
    let attribute = format!("{namespace}::{name}");
    if REFUSED
        .iter()
        .any(|(namespaces, refused)| *refused == name && namespaces.contains(&namespace))
    {
        return Some(UnsupportedAttribute { attribute }.report());
    }
    // A name that is similar to a known name is probably a misspelling.
    let near =
        |row: &&Row| distance(row.1, name) <= 4 || row.1.replace('_', "") == name.replace('_', "");
    let meant =
        ATTRIBUTES.iter().find(|row| row.1 == name).or_else(|| ATTRIBUTES.iter().find(near))?;
    let namespace_meant = if meant.0.contains(&namespace) { namespace } else { meant.0[0] };
    let meant = format!("{namespace_meant}::{}", meant.1);
    Some(UnknownAttribute { attribute, meant }.report())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_belong_to_namespaces() {
        assert_eq!(
            known("cl", "reqd_sub_group_size").unwrap().annotation,
            "sycl::reqd_sub_group_size"
        );
        assert!(known("intel", "device_has").is_none());
        assert!(known("gnu", "device_has").is_none());
        assert!(known("sycl", "uses_aspects").is_none());
    }

    #[test]
    fn what_is_nearly_ours_is_no_other() {
        for (namespace, name, meant) in [
            ("sycl", "reqd_workgroup_size", "sycl::reqd_work_group_size"),
            ("sycl", "reqd_sub_group_sise", "sycl::reqd_sub_group_size"),
            ("intel", "device_has", "sycl::device_has"),
            ("sycl", "named_sub_group_size", "intel::named_sub_group_size"),
        ] {
            let message = fault(namespace, name).unwrap().message;
            assert!(message.ends_with(&format!("did you mean '{meant}'?")), "{message}");
        }
        let message = fault("intel", "max_work_group_size").unwrap().message;
        assert!(message.starts_with("attribute 'intel::max_work_group_size' is not supported"));
        for (namespace, name) in
            [("intel", "ivdep"), ("sycl", "device_has"), ("gnu", "device_hat"), ("sycl", "new")]
        {
            assert_eq!(fault(namespace, name), None);
        }
    }
}
