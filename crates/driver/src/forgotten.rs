//! Links without `-fsycl` of inputs that need it.
//!
//! clang++ links them alone. If the link fails, the undefined symbols do not say what to do, so the
//! driver says it. If the link succeeds because the command names the SYCL runtime, or because
//! shared libraries may have undefined symbols, the program lacks its kernels. Then the driver
//! warns.

use std::process::Command;

use crate::args::{InputKind, Invocation, Mode};
use crate::error::Error;
use crate::flags::Meaning;
use crate::linker_arguments;
use crate::{clang, device_code, facts, signals};

/// Names of the SYCL runtime.
const RUNTIME: [&str; 2] = ["scythe", "sycl"];

/// Returns whether the invocation is a link of objects or libraries.
pub fn is_possible(invocation: &Invocation) -> bool {
    invocation.mode == Mode::Link
        && !invocation.query
        && !invocation.show_plan
        && invocation.has(Meaning::Relocatable).is_none()
        && invocation.inputs().any(|input| input.kind == InputKind::Linkable)
}

/// Runs clang++ with these words, and returns its exit status.
pub fn link(invocation: &Invocation, words: &[String]) -> Result<i32, Error> {
    let program = clang::find(invocation.clang.as_deref())?;
    signals::listen().map_err(|source| Error::Read { path: "signals".into(), source })?;
    let fail = |source| Error::Spawn { program: program.clone(), source };
    let mut child = Command::new(&program).args(words).spawn().map_err(fail)?;
    signals::adopt(child.id());
    signals::wait_and_release(child.id());
    let status = child.wait().map_err(fail)?;
    if let Some(signal) = signals::received() {
        signals::die_of(signal);
    }
    if !status.success() {
        if let Some(hint) = hint(invocation) {
            eprint!("{}", crate::render(&hint));
        }
    } else if may_lack_kernels(invocation)
        && let Some((input, _)) = with_device_code(invocation, true)
    {
        let message = format!(
            "the output lacks the device code of '{input}', because the command does not contain \
             '-fsycl'"
        );
        eprint!("{}", crate::render_warning(&message));
    }
    Ok(crate::exec::exit_status(status))
}

/// Returns the reason why the link may have failed.
fn hint(invocation: &Invocation) -> Option<Error> {
    let found = with_device_code(invocation, false);
    let (input, what) = found.or_else(|| with_undefined_symbols(invocation))?;
    Some(Error::LinkWithoutSycl { input, what })
}

/// Returns whether a link without `-fsycl` can succeed although inputs contain kernels.
fn may_lack_kernels(invocation: &Invocation) -> bool {
    let mut libraries = invocation.options(Meaning::Library).map(linker_arguments::value);
    invocation.has(Meaning::Shared).is_some()
        || libraries.any(|name| RUNTIME.contains(&name.as_str()))
}

/// Returns the first input with device code that is not linked yet. A link loads an object for
/// certain, but not each member of a static library.
fn with_device_code(invocation: &Invocation, certain: bool) -> Option<(String, &'static str)> {
    let (found, _) = facts::holders(invocation).ok()?;
    if found.values().any(|holder| holder.linked.is_some()) {
        return None;
    }
    let mut units = found.into_values().flat_map(|holder| holder.units);
    let unit = units.find(|unit| !certain || unit.member.is_none())?;
    Some((unit.name, "contains device code"))
}

/// Returns the first input that refers to functions of the SYCL runtime.
fn with_undefined_symbols(invocation: &Invocation) -> Option<(String, &'static str)> {
    let linkable = invocation.inputs().filter(|input| input.kind == InputKind::Linkable);
    let mut paths = linkable.map(|input| input.path.clone());
    let refers = |path: &String| device_code::mentions_runtime(path.as_ref());
    paths.find(refers).map(|path| (path, "uses the SYCL runtime"))
}
