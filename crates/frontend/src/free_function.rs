//! Free function kernels: functions of the program that are kernels.
//!
//! The headers launch such a function with a functor (`include/sycl/detail/free_function.hpp`). Its
//! member `scythe_arguments` has the first argument as a member and the others in `scythe_rest`,
//! which has the same form. Every argument has launch rows of its own. The functor begins with the
//! scratch memory of the work-group, which has rows only if the kernel uses it.

use scythe_abi::launch::{Argument, FreeFunction};
use scythe_diag::Report;

use crate::errors::FreeFunctionDeclaration;
use crate::facts::{FaultyFunction, Field, FieldKind, Kernel, KernelFunction, Loc, Source};
use crate::reach::Graph;
use crate::rows::Row;
use crate::scratch;

/// The members of the functor that hold arguments.
const ARGUMENTS: &str = "scythe_arguments";
const REST: &str = "scythe_rest";
/// The size of the scratch memory's description, at the beginning of the functor.
const SCRATCH_SIZE: u64 = 16;

/// Whether a field holds the arguments of a free function kernel.
pub fn holds_arguments(field: &Field) -> bool {
    field.name == ARGUMENTS || field.name == REST
}

/// Reports each rule that a declaration of a free function kernel breaks. Returns true if there is
/// none.
pub fn check(source: &impl Source, faulty: &[FaultyFunction]) -> bool {
    for FaultyFunction { fault, loc, function } in faulty {
        let (function, fault) = (function.clone(), fault.clone());
        source.report(&FreeFunctionDeclaration { function, fault }.report().at(*loc));
    }
    faulty.is_empty()
}

/// Gives the fields of the arguments the names and positions of the function's parameters, and the
/// kernel the name and position of the function.
pub fn name_parameters(kernel: &mut Kernel) {
    let Some(function) = &kernel.function else { return };
    kernel.name.clone_from(&function.name);
    kernel.functor_loc = function.loc;
    let mut parameters = function.parameters.iter();
    let arguments = kernel.fields.as_mut().and_then(|root| member(root, ARGUMENTS));
    visit(arguments, &mut |field| {
        if let Some((name, loc)) = parameters.next() {
            field.name.clone_from(name);
            field.loc = *loc;
            field.parameter = true;
        }
    });
}

fn member<'a>(field: &'a mut Field, name: &str) -> Option<&'a mut Field> {
    match &mut field.kind {
        FieldKind::Record(members) => members.iter_mut().find(|member| member.name == name),
        _ => None,
    }
}

/// Visits the fields of the arguments in order.
fn visit(mut rest: Option<&mut Field>, tell: &mut impl FnMut(&mut Field)) {
    while let Some(arguments) = rest.take() {
        let FieldKind::Record(members) = &mut arguments.kind else { return };
        for field in members {
            match field.name == REST {
                true => rest = Some(field),
                false => tell(field),
            }
        }
    }
}

/// Returns the positions of the arguments in the functor.
fn arguments(root: &Field) -> Vec<Argument> {
    let mut root = root.clone();
    let mut out = Vec::new();
    visit(member(&mut root, ARGUMENTS), &mut |field| {
        // A class without members has a size of 0 here, and 1 in C++.
        out.push(Argument { offset: field.offset, size: field.size.max(1) });
    });
    out
}

/// Returns the description of the function for the image.
pub fn describe(function: &KernelFunction, root: Option<&Field>) -> FreeFunction {
    FreeFunction {
        symbol: function.symbol.clone(),
        name: function.name.clone(),
        dimensions: function.dimensions,
        registered: function.registered.clone(),
        arguments: root.map(arguments).unwrap_or_default(),
    }
}

/// Removes the rows of the scratch memory if the kernel does not use it.
pub fn drop_unused_scratch(graph: &Graph, kernel: &Kernel, rows: &mut Vec<Row>) {
    if kernel.function.is_some() && !scratch::is_used(graph, kernel.entry) {
        rows.retain(|row| row.param.offset >= SCRATCH_SIZE);
    }
}

/// The position of a free function kernel's function, which stands for the call that submits it.
pub fn site(kernel: &Kernel) -> Option<Loc> {
    kernel.function.as_ref().map(|function| function.loc)
}
