//! What a kernel's functor may hold: everything in it is copied to the device byte by byte.

use crate::facts::{Field, FieldKind, GetFault, Kernel, Level, Loc, Source};
use scythe_abi::launch::Shape;

/// Reports what is wrong with a kernel's functor; true when nothing is.
pub fn check(source: &impl Source, kernel: &Kernel, call_site: Loc) -> bool {
    let mut faults = Vec::new();
    match &kernel.fields {
        Some(root) if kernel.by_value => look(root, root, &mut faults),
        _ => faults.push((
            kernel.entry_loc,
            format!(
                "a kernel entry point takes one functor by value; '{}' is no class, or not alone",
                kernel.functor
            ),
        )),
    }
    if Shape::from_name(&kernel.shape).is_none() {
        faults.push((
            kernel.entry_loc,
            format!(
                "a kernel entry point is annotated with its shape; seen '{}', expected one of \
                'single_task', 'range', 'nd_range'",
                kernel.shape
            ),
        ));
    }
    if let Some((fault, loc)) = kernel.faulty_get {
        let fault = match fault {
            GetFault::Hidden => "is not public",
            GetFault::Deleted => "is deleted",
            GetFault::OfTemporaries => "is for temporary objects alone",
        };
        faults.push((
            loc,
            format!(
                "'get(properties_tag)' of a kernel's function object {fault}: the properties \
                would be lost"
            ),
        ));
    }
    for (loc, message) in &faults {
        source.report(Level::Error, *loc, message);
        source.report(Level::Note, call_site, &format!("in kernel '{}'", kernel.name));
    }
    faults.is_empty()
}

/// Collects the faults of `field`, which is `root` or inside it.
fn look(root: &Field, field: &Field, faults: &mut Vec<(Loc, String)>) {
    if field.special.is_some() {
        return;
    }
    if field.captured_this {
        faults.push((
            field.loc,
            "kernel captures 'this', which points to host memory; capture '*this', or copy the \
             members it uses to \
             local variables"
                .to_owned(),
        ));
        return;
    }
    if field.kind == FieldKind::Reference {
        faults.push((
            field.loc,
            if field.capture {
                format!(
                    "kernel captures '{}' by reference, which refers to host memory; capture it by \
                     value",
                    field.name
                )
            } else {
                format!(
                    "member '{}' of a kernel's functor is a reference to host \
                    memory",
                    field.name
                )
            },
        ));
        return;
    }
    let leaf = !matches!(field.kind, FieldKind::Record(_) | FieldKind::Array(..));
    if field.long_double && (leaf || field.capture) {
        faults.push((
            field.loc,
            format!(
                "{} is or holds a 'long double', which devices do not have",
                describe(root, field)
            ),
        ));
        return;
    }
    if !field.trivially_copyable && !field.device_copyable && (field.own_copy || leaf) {
        faults.push((field.loc, format!("{} is not device copyable", describe(root, field))));
        return;
    }
    if field.device_copyable {
        return;
    }
    match &field.kind {
        FieldKind::Record(members) => members.iter().for_each(|member| look(root, member, faults)),
        FieldKind::Array(element, _) => look(root, element, faults),
        _ => {}
    }
}

fn describe(root: &Field, field: &Field) -> String {
    if std::ptr::eq(root, field) {
        format!("kernel functor '{}'", field.type_name)
    } else if field.capture {
        format!("'{}' captured as '{}'", field.type_name, field.name)
    } else if field.base {
        format!("base class '{}' of a kernel's functor", field.type_name)
    } else {
        format!("'{}', type of member '{}' of a kernel's functor,", field.type_name, field.name)
    }
}
