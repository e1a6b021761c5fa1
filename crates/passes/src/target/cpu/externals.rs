//! Symbols that a CPU object may leave undefined: memory and string functions of the C library,
//! `printf`, scalar functions of the maths library, and the functions that the CPU backend provides
//! for kernels. The program or the device library must define all others.
//!
//! Functions that take or return complex numbers are not allowed: device code passes complex
//! numbers through memory and the C library does not, so a call would compute wrong results. The
//! device library defines these functions.

use super::error::CpuError;
use super::lowering::debug_info::WORK_ITEM;
use super::lowering::queries;
use super::lowering::widening::group::DIVERGENT_BARRIER;
use crate::device_globals::DeviceGlobal;
use crate::target::common::address_spaces::is_query;
use crate::target::common::printf::is_printf;
use scythe_abi::checks;
use scythe_abi::names::CPU_ENTRY_PREFIX;
use scythe_llvm::{Module, Value};

/// Functions for memory and strings, and the functions that LLVM substitutes for simple calls of
/// `printf`.
const C_LIBRARY: [&str; 12] = [
    "aligned_alloc",
    "bcmp",
    "free",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "putchar",
    "puts",
    "strcmp",
    "strlen",
];

/// The function that a failed assertion calls: the CPU backend prints a message and ends the
/// process.
pub const ASSERTION: &str = "__scythe_assertion_failed";

/// The function by which a work-group waits for all others of the launch: the CPU backend runs them
/// at the same time.
pub const ROOT_GROUP_WAIT: &str = "__scythe_root_group_wait";

/// The function that reads a clock.
pub const CLOCK: &str = "__scythe_clock";

/// The `double` functions of the maths library, sorted. The names of the `float` functions have an
/// additional `f` at the end.
const MATHS: [&str; 67] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "drem",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gamma",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "pow",
    "pow10",
    "remainder",
    "remquo",
    "rint",
    "round",
    "roundeven",
    "scalbln",
    "scalbn",
    "significand",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
];

/// True for the scalar functions of the maths library, in `double` and `float`.
pub fn is_maths(symbol: &str) -> bool {
    let known = |name: &str| MATHS.binary_search(&name).is_ok();
    known(symbol) || symbol.strip_suffix('f').is_some_and(known)
}

/// True for symbols that the object loader finds in the process.
pub fn is_provided(symbol: &str) -> bool {
    C_LIBRARY.contains(&symbol)
        || [DIVERGENT_BARRIER, ASSERTION, CLOCK, ROOT_GROUP_WAIT, WORK_ITEM].contains(&symbol)
        || checks::functions::ALL.contains(&symbol)
        || symbol.starts_with(checks::functions::UNDEFINED_HANDLER)
        || is_printf(symbol)
        || is_maths(symbol)
}

/// Returns the symbols that the module uses and that neither the module nor the process defines.
/// They are looked up in the device library. The runtime provides `device_global` variables.
pub fn missing(module: &Module<'_>) -> Vec<String> {
    let functions =
        module.functions().filter(|f| f.is_declaration() && !f.is_intrinsic() && f.has_uses());
    let functions = functions
        .map(|f| f.name())
        .filter(|n| !is_provided(n) && !queries::belongs_to_kernel(n) && !is_query(n));
    let variables = module
        .globals()
        .filter(|g| g.is_declaration() && g.has_uses() && DeviceGlobal::of(*g).is_none());
    let variables = variables.map(|g| g.name());
    functions.chain(variables).collect()
}

/// The prefixes of the device library's names, after the prefix of the mangling is removed.
const DEVICE_LIBRARY: [&str; 2] = ["__spirv_", "__scythe_"];

/// Whether the device library should have defined the symbol.
fn belongs_to_device_library(symbol: &str) -> bool {
    let name =
        symbol.strip_prefix("_Z").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    DEVICE_LIBRARY.iter().any(|prefix| name.unwrap_or(symbol).starts_with(prefix))
}

/// Fails if the finished module refers to a symbol that is not defined anywhere. If the module is
/// `linkable`, other objects may define symbols that do not belong to the device library.
pub fn check(module: &Module<'_>, linkable: bool) -> Result<(), CpuError> {
    let missing =
        missing(module).into_iter().find(|symbol| !linkable || belongs_to_device_library(symbol));
    let Some(symbol) = missing else { return Ok(()) };
    let value = module.function(&symbol).map(|f| f.as_value());
    let value = value.or_else(|| module.global(&symbol).map(|g| g.as_value()));
    let user = value.and_then(using_function).unwrap_or_else(|| "a constant".to_owned());
    let user = user.strip_prefix(CPU_ENTRY_PREFIX).unwrap_or(&user).to_owned();
    Err(CpuError::Undefined { symbol, user })
}

/// Returns the name of a function that uses `value` directly or through constants.
fn using_function(value: Value<'_>) -> Option<String> {
    let mut work = vec![value];
    // Constants form cycles only through globals. The limit keeps large initialisers cheap.
    for _ in 0..1000 {
        let value = work.pop()?;
        for user in value.users() {
            match user.as_instruction().and_then(|i| i.function()) {
                Some(function) => return Some(function.name()),
                None => work.push(user),
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maths_names_are_sorted_for_the_search() {
        assert!(MATHS.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn scalar_maths_is_provided_and_complex_maths_is_not() {
        assert!(
            is_provided("sinf")
                && is_provided("pow")
                && is_provided("memcpy")
                && is_provided("nanf")
        );
        assert!(
            !is_provided("cexpf")
                && !is_provided("__mulsc3")
                && !is_provided("_Z3foov")
                && !is_provided("f")
        );
    }
}
