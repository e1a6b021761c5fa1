//! Reconciles translation units of a program that treat denormal `float` numbers differently.
//!
//! Clang records the choice of a unit (`-fdenormal-fp-math`) twice. Function attributes control
//! code generation. The module flag [`FLAG`] controls CUDA's maths library, which calls
//! `__nvvm_reflect`. The flag has one value per module, and LLVM cannot link modules with different
//! values.
//!
//! Guarantees: a function flushes denormals if and only if its unit was compiled to flush them.
//! Functions of CUDA's library flush them if all units of the linked module do. Functions of the
//! device library, which is compiled for both, behave like the function that they are inlined into,
//! and do not flush denormals otherwise.

use scythe_llvm::{Metadata, Module, Place};

/// The module flag. Its value is 1 if denormals are flushed to zero.
pub const FLAG: &str = "nvvm-reflect-ftz";

const FLAGS: &str = "llvm.module.flags";
/// The behaviour of a module flag at linking: the smaller value wins.
const MINIMUM: u64 = 8;

/// LLVM's name of the attribute for `float`.
const ATTRIBUTE: &str = "denormal-fp-math-f32";

/// Makes it possible to link a module for NVPTX with modules of the opposite choice. A module
/// without the flag keeps denormals.
pub fn reconcile(module: &Module<'_>) {
    if module.triple().starts_with("nvptx") {
        rewrite(module, |value| value);
    }
}

/// Prepares a library for both choices before it is linked into `module`. Sets its flag to that of
/// `module`.
pub fn adopt(library: &Module<'_>, module: &Module<'_>) {
    reconcile(module);
    let flag = module.named_metadata(FLAGS).into_iter().find_map(value).unwrap_or(0);
    rewrite(library, |_| flag);
    if !module.functions().any(|f| f.string_attribute(Place::Function, ATTRIBUTE).is_some()) {
        return;
    }
    let dynamic = library.context().string_attribute(ATTRIBUTE, "dynamic,dynamic");
    for function in library.functions().filter(|f| !f.is_declaration()) {
        if function.string_attribute(Place::Function, ATTRIBUTE).is_none() {
            function.add_attribute(Place::Function, dynamic);
        }
    }
}

/// Returns the value of a module flag if it is [`FLAG`].
fn value(flag: Metadata<'_>) -> Option<u64> {
    let name = flag.operand(1)?.string()?;
    (name == FLAG).then(|| flag.operand(2)?.int())?
}

/// Sets the flag of the module to the result of `choose` for its old value.
fn rewrite(module: &Module<'_>, choose: impl Fn(u64) -> u64) {
    let context = module.context();
    let number = |number: u64| context.int_type(32).const_int(number).as_metadata();
    let (own, mut flags): (Vec<_>, Vec<_>) =
        module.named_metadata(FLAGS).into_iter().partition(|flag| value(*flag).is_some());
    let chosen = choose(own.into_iter().find_map(value).unwrap_or(0));
    flags.push(context.md_node(&[number(MINIMUM), context.md_string(FLAG), number(chosen)]));
    module.set_named_metadata(FLAGS, &flags);
}

#[cfg(test)]
mod tests {
    use super::*;
    use scythe_llvm::Context;

    fn unit(name: &str, flag: &str, attribute: &str) -> String {
        format!(
            "target triple = \"nvptx64-nvidia-cuda\"
             define float @{name}(float %x) {attribute} {{ ret float %x }}
             {flag}"
        )
    }

    /// Returns the flag of the module that results from linking `units`.
    fn linked(units: &[String]) -> Result<Option<u64>, scythe_llvm::Error> {
        let context = Context::new();
        let parse = |text: &String| context.parse_ir(text.as_bytes(), "unit").expect("valid IR");
        let whole = parse(&units[0]);
        reconcile(&whole);
        for unit in &units[1..] {
            let other = parse(unit);
            reconcile(&other);
            whole.link(other)?;
        }
        Ok(whole.named_metadata(FLAGS).into_iter().find_map(value))
    }

    #[test]
    fn libraries_flush_where_all_units_do() {
        let flag = |v: u32| {
            format!("!llvm.module.flags = !{{!0}}\n!0 = !{{i32 4, !\"nvvm-reflect-ftz\", i32 {v}}}")
        };
        let [keeps, flushes] = [unit("a", &flag(0), ""), unit("b", &flag(1), "")];
        let silent = unit("c", "", "");
        let also = unit("d", &flag(1), "");
        assert_eq!(linked(&[keeps.clone(), flushes.clone()]), Ok(Some(0)));
        assert_eq!(linked(&[flushes.clone(), keeps]), Ok(Some(0)));
        assert_eq!(linked(&[flushes.clone(), also]), Ok(Some(1)));
        assert_eq!(linked(&[silent.clone(), flushes.clone()]), Ok(Some(0)));
        assert_eq!(linked(&[flushes, silent]), Ok(Some(0)));
    }

    #[test]
    fn libraries_take_over_the_choice() {
        let context = Context::new();
        let parse = |text: String| context.parse_ir(text.as_bytes(), "unit").expect("valid IR");
        let flag = "!llvm.module.flags = !{!0}\n!0 = !{i32 4, !\"nvvm-reflect-ftz\", i32 1}";
        let own = "\"denormal-fp-math-f32\"=\"preserve-sign\"";
        let (module, library) = (parse(unit("a", flag, own)), parse(unit("b", "", "")));
        adopt(&library, &module);
        module.link(library).expect("flags agree");
        let mode = |name: &str| {
            module
                .function(name)
                .and_then(|f| f.string_attribute(Place::Function, ATTRIBUTE))
                .unwrap_or_default()
        };
        assert_eq!((mode("a").as_str(), mode("b").as_str()), ("preserve-sign", "dynamic,dynamic"));
        assert_eq!(module.named_metadata(FLAGS).into_iter().find_map(value), Some(1));
    }
}
