//! The rules for kernel functors. The runtime copies a functor to the device byte by byte.

use scythe_abi::launch::Shape;
use scythe_diag::{Diagnostic, Report};

use crate::errors::parts::{EntryPointFault, FunctorPart, ReferenceMember};
use crate::errors::{
    CapturedReference, CapturedThis, EntryPoint, LongDoubleInFunctor, NotDeviceCopyable,
    UnusableGet,
};
use crate::facts::{Field, FieldKind, Kernel, Loc, Source};
use crate::hints;

/// Reports each rule that a kernel's functor breaks. Returns true if it breaks none.
pub fn check(source: &impl Source, kernel: &Kernel, call_site: Loc) -> bool {
    let mut errors = Vec::new();
    let entry_point = |fault| EntryPoint { fault }.report().at(kernel.entry_loc);
    match &kernel.fields {
        Some(root) if kernel.by_value => check_part(root, root, &mut errors),
        _ => errors.push(entry_point(EntryPointFault::Parameter(kernel.functor.clone()))),
    }
    if Shape::from_name(&kernel.shape).is_none() {
        errors.push(entry_point(EntryPointFault::Shape(kernel.shape.clone())));
    }
    if let Some((fault, loc)) = kernel.faulty_get {
        errors.push(UnusableGet { fault }.report().at(loc));
    }
    let sound = errors.is_empty();
    for error in errors {
        source.report(&error.note_at(call_site, format!("in kernel '{}'", kernel.name)));
    }
    sound
}

/// Collects the errors of `field`, which is `root` or a part of it.
fn check_part(root: &Field, field: &Field, errors: &mut Vec<Diagnostic<Loc>>) {
    if field.special.is_some() {
        return;
    }
    let leaf = !matches!(field.kind, FieldKind::Record(_) | FieldKind::Array(..));
    let error = if field.captured_this {
        CapturedThis.report()
    } else if field.kind == FieldKind::Reference {
        let name = field.name.clone();
        let member = match field.capture {
            true => ReferenceMember::Capture(name),
            false => ReferenceMember::Member(name),
        };
        CapturedReference { member }.report()
    } else if field.long_double && (leaf || field.capture || field.parameter) {
        LongDoubleInFunctor { part: part(root, field) }.report()
    } else if !field.trivially_copyable && !field.device_copyable && (field.own_copy || leaf) {
        let error = NotDeviceCopyable { part: part(root, field) }.report();
        match hints::of_part(&field.type_name) {
            Some(hint) => error.note(hint),
            None => error,
        }
    } else {
        if !field.device_copyable {
            check_members(root, field, errors);
        }
        return;
    };
    errors.push(error.at(field.loc));
}

fn check_members(root: &Field, field: &Field, errors: &mut Vec<Diagnostic<Loc>>) {
    match &field.kind {
        FieldKind::Record(members) => {
            members.iter().for_each(|member| check_part(root, member, errors));
        }
        FieldKind::Array(element, _) => check_part(root, element, errors),
        _ => {}
    }
}

fn part(root: &Field, field: &Field) -> FunctorPart {
    let (type_name, name) = (field.type_name.clone(), field.name.clone());
    if std::ptr::eq(root, field) {
        FunctorPart::Functor { type_name }
    } else if field.parameter {
        FunctorPart::Parameter { type_name, name }
    } else if field.capture {
        FunctorPart::Capture { type_name, name }
    } else if field.base {
        FunctorPart::Base { type_name }
    } else {
        FunctorPart::Member { type_name, name }
    }
}
