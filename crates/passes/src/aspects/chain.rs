//! Describes how a function comes to use an aspect, as a chain of calls with their places, for
//! warnings and tools.
//!
//! Each kernel has `!scythe_aspect_origins`, with one string per aspect that it uses or declares:
//!
//! ```text
//! fp64<TAB>K@a.cpp:20:5<TAB>helper@a.cpp:8:10
//! ```
//!
//! means that kernel `K` calls `helper` at line 20, and `helper` uses `fp64` at line 8. Each
//! function is followed by the place inside it. A function without a known place has only its name.
//! In long chains `…` replaces the middle.

use super::reach::Reach;
use super::scan::{Evidence, Scan};
use scythe_abi::aspect::Aspect;
use scythe_abi::names::TU_SEPARATOR;
use scythe_diag::Location;
use scythe_llvm::{DebugLoc, Function, Instruction};
use std::collections::BTreeMap;

/// A position in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub location: Location,
    /// The front end's number of the place, or 0 if it has none.
    pub handle: u32,
}

/// Facts about functions that the front end knows and IR does not contain. Functions are identified
/// by their symbols.
pub trait Sources {
    /// Returns the function's name for messages, without parameters.
    fn name(&self, symbol: &str) -> Option<String>;
    /// Returns whether this is the call operator of a kernel's functor, which users consider to be
    /// the kernel.
    fn is_kernel_body(&self, symbol: &str) -> bool;
    /// Returns the place where the function itself uses the aspect.
    fn use_place(&self, symbol: &str, aspect: u32) -> Option<Place>;
    /// Returns the place of the function's `device_has`.
    fn declared_place(&self, symbol: &str) -> Option<Place>;
    /// Returns the place where a function first calls another one.
    fn call_place(&self, caller: &str, callee: &str) -> Option<Place>;
}

/// The sources of modules that have no source code.
pub struct NoSources;

impl Sources for NoSources {
    fn name(&self, _: &str) -> Option<String> {
        None
    }
    fn is_kernel_body(&self, _: &str) -> bool {
        false
    }
    fn use_place(&self, _: &str, _: u32) -> Option<Place> {
        None
    }
    fn declared_place(&self, _: &str) -> Option<Place> {
        None
    }
    fn call_place(&self, _: &str, _: &str) -> Option<Place> {
        None
    }
}

/// A function in a chain.
#[derive(Clone, Debug)]
pub struct Link {
    pub function: u32,
    pub name: String,
    /// The place where the function calls the next one or uses the aspect.
    pub place: Option<Place>,
}

/// The functions from the starting function to the function that uses or declares the aspect.
#[derive(Clone, Debug)]
pub struct Chain {
    pub links: Vec<Link>,
    /// The number of functions that are left out after the first [`HEAD`].
    pub hidden: usize,
    /// The place of the use. If the last function only declares the aspect, this is the place of
    /// its call.
    pub place: Option<Place>,
}

/// The number of functions that are kept at the beginning and at the end of a chain that is longer
/// than both together.
const HEAD: usize = 12;
const TAIL: usize = 12;

impl Chain {
    /// Formats one line per function for messages, with the place of its call.
    pub fn lines(&self) -> Vec<String> {
        let line = |index: usize| {
            // The caller of the first function after the gap is not known.
            let caller = index.checked_sub(1).filter(|_| self.hidden == 0 || index != HEAD);
            match caller.and_then(|caller| self.links[caller].place.as_ref()) {
                Some(place) => format!("  {}() {}", self.links[index].name, place.location),
                None => format!("  {}()", self.links[index].name),
            }
        };
        self.shown(line, |hidden| format!("  ({hidden} more functions)"))
    }

    /// Formats the chain for `!scythe_aspect_origins`, without the aspect.
    fn origin(&self) -> String {
        let one = |index: usize| match &self.links[index] {
            Link { name, place: Some(place), .. } => format!("{name}@{}", place.location),
            Link { name, .. } => name.clone(),
        };
        self.shown(one, |_| "…".to_owned()).join("\t")
    }

    fn shown(&self, one: impl Fn(usize) -> String, gap: impl Fn(usize) -> String) -> Vec<String> {
        let mut shown: Vec<String> = (0..self.links.len()).map(one).collect();
        if self.hidden > 0 {
            shown.insert(HEAD, gap(self.hidden));
        }
        shown
    }
}

/// A module's functions, with the call chains of each aspect.
pub struct Analysis<'a, 'ctx> {
    pub functions: Scan<'ctx>,
    pub reaches: BTreeMap<u32, Reach>,
    pub sources: &'a dyn Sources,
}

impl<'ctx> Analysis<'_, 'ctx> {
    pub fn function(&self, number: u32) -> Function<'ctx> {
        self.functions.nodes[number as usize].function
    }

    /// Returns the chain by which `from` comes to use the aspect, or `None` if it does not use it.
    /// The functions between a kernel and its functor's call operator are left out.
    pub fn chain(&self, from: u32, aspect: u32) -> Option<Chain> {
        let numbers = self.reaches.get(&aspect)?.chain(from);
        (!numbers.is_empty()).then(|| self.describe(self.without_entry(numbers), aspect))
    }

    /// Describes a chain of calls whose last function uses or declares the aspect.
    pub fn describe(&self, numbers: Vec<u32>, aspect: u32) -> Chain {
        let hidden = numbers.len().saturating_sub(HEAD + TAIL);
        let mut links: Vec<Link> = Vec::with_capacity(numbers.len() - hidden);
        for (index, &function) in numbers.iter().enumerate() {
            if hidden > 0 && (HEAD..HEAD + hidden).contains(&index) {
                continue;
            }
            let symbol = self.function(function).name();
            let place = match numbers.get(index + 1) {
                Some(&callee) => {
                    self.call_place((function, &symbol), (callee, &self.function(callee).name()))
                }
                None => self.use_place(function, &symbol, aspect),
            };
            let name = self.name(function, &symbol);
            // Two symbols of the same constructor are one function for users.
            if hidden == 0
                && links.last().is_some_and(|last| last.name == name && last.place.is_none())
            {
                links.pop();
            }
            links.push(Link { function, name, place });
        }
        let uses =
            |link: &Link| self.functions.uses(link.function).iter().any(|use_| use_.0 == aspect);
        let place = match links.as_slice() {
            [.., caller, last] if !uses(last) => caller.place.clone(),
            [.., last] => last.place.clone(),
            [] => None,
        };
        Chain { links, hidden, place }
    }

    pub fn without_entry(&self, mut numbers: Vec<u32>) -> Vec<u32> {
        if self.function(numbers[0]).is_kernel() {
            // Headers put few functions between the two, so only the first names are looked up.
            let body = numbers
                .iter()
                .take(HEAD)
                .position(|&number| self.sources.is_kernel_body(&self.function(number).name()));
            numbers.drain(..body.unwrap_or(0));
        }
        numbers
    }

    /// Returns the strings of a kernel's `!scythe_aspect_origins`.
    pub fn origins(&self, kernel: u32) -> Vec<String> {
        let declared = self.functions.nodes[kernel as usize].declared.clone().unwrap_or_default();
        let mut aspects = declared;
        aspects.extend(
            self.reaches.iter().filter(|(_, reach)| reach.uses(kernel)).map(|(&aspect, _)| aspect),
        );
        let line = |aspect: u32| {
            let chain =
                self.chain(kernel, aspect).unwrap_or_else(|| self.describe(vec![kernel], aspect));
            format!("{}\t{}", aspect_name(aspect), chain.origin())
        };
        aspects.into_iter().map(line).collect()
    }

    pub fn name(&self, number: u32, symbol: &str) -> String {
        let function = self.function(number);
        let written = || function.debug_loc().map(|at| at.function).filter(|name| !name.is_empty());
        self.sources.name(symbol).or_else(written).unwrap_or_else(|| plain_name(symbol))
    }

    fn use_place(&self, number: u32, symbol: &str, aspect: u32) -> Option<Place> {
        let from_source = || {
            self.sources.use_place(symbol, aspect).or_else(|| self.sources.declared_place(symbol))
        };
        let evidence =
            self.functions.uses(number).iter().find(|(used, _)| *used == aspect).map(|(_, e)| e);
        let from_ir = || match evidence? {
            Evidence::Instruction(instruction) => first_place(*instruction),
            Evidence::Signature => self.function(number).debug_loc().map(place),
            Evidence::Metadata => None,
        };
        from_source().or_else(from_ir)
    }

    fn call_place(
        &self,
        (caller, caller_symbol): (u32, &str),
        (callee, callee_symbol): (u32, &str),
    ) -> Option<Place> {
        let from_ir = || {
            let calls = self.functions.calls(caller);
            calls.iter().find(|(to, _)| *to == callee).and_then(|(_, call)| first_place(*call))
        };
        self.sources.call_place(caller_symbol, callee_symbol).or_else(from_ir)
    }
}

/// Returns the aspect's name in `sycl::aspect`, or its number if it has no name.
pub fn aspect_name(aspect: u32) -> String {
    Aspect::from_u32(aspect).map_or_else(|| aspect.to_string(), |known| known.as_str().to_owned())
}

fn first_place(instruction: Instruction<'_>) -> Option<Place> {
    instruction.debug_loc().filter(|at| at.line != 0).map(place)
}

fn place(at: DebugLoc) -> Place {
    Place { location: Location::new(at.file, at.line, at.column), handle: 0 }
}

/// Returns the name in a symbol if it is plain or qualified, such as `foo` for `_Z3foov`. Otherwise
/// returns the symbol.
fn plain_name(symbol: &str) -> String {
    let base = symbol.split(TU_SEPARATOR).next().unwrap_or(symbol);
    let mangled = base.strip_prefix("_ZTS").or_else(|| base.strip_prefix("_Z"));
    mangled.and_then(unmangle).unwrap_or_else(|| symbol.to_owned())
}

fn unmangle(mangled: &str) -> Option<String> {
    let mut rest = mangled.strip_prefix('N').unwrap_or(mangled);
    let nested = rest.len() != mangled.len();
    let mut parts = Vec::new();
    while let Some((name, tail)) = source_name(rest) {
        parts.push(name);
        rest = tail;
        if !nested {
            break;
        }
    }
    let whole =
        !parts.is_empty() && (if nested { rest.starts_with('E') } else { !rest.starts_with('I') });
    whole.then(|| parts.join("::"))
}

fn source_name(mangled: &str) -> Option<(&str, &str)> {
    let digits = mangled.find(|c: char| !c.is_ascii_digit())?;
    let length: usize = mangled[..digits].parse().ok()?;
    mangled[digits..].split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_and_qualified_symbols_are_unmangled() {
        for (symbol, name) in [
            ("_Z3foov", "foo"),
            ("_ZN1a3fooEid", "a::foo"),
            ("_ZTSN1a1KE.tu.00000000000000ab", "a::K"),
            ("foo", "foo"),
            ("_Z3fooIiEvT_", "_Z3fooIiEvT_"),
            ("_Z", "_Z"),
            ("_Z99x", "_Z99x"),
        ] {
            assert_eq!(plain_name(symbol), name);
        }
    }

    #[test]
    fn the_middle_of_long_chains_is_left_out() {
        let link =
            |index: usize| Link { function: index as u32, name: format!("f{index}"), place: None };
        let lines =
            |hidden| Chain { links: (0..24).map(link).collect(), hidden, place: None }.lines();
        assert_eq!(lines(0).len(), 24);
        let long = lines(976);
        assert_eq!(long.len(), 25);
        assert_eq!((long[11].as_str(), long[12].as_str()), ("  f11()", "  (976 more functions)"));
        assert_eq!((long[13].as_str(), long[24].as_str()), ("  f12()", "  f23()"));
    }
}
