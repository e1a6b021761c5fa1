//! Replaces SYCL attributes by attributes that stock clang understands, before clang parses the
//! unit.
//!
//! Clang ignores attributes such as `[[sycl::reqd_work_group_size(16)]]`. This module replaces them
//! by annotations such as `[[clang::annotate("sycl::reqd_work_group_size", 16)]]`. It edits the
//! *tokens* of the unit, so it works with macros, digraphs, spliced lines, included files and
//! preprocessed files. After the parameters of a function or a lambda, clang would apply the
//! attribute to the type. There, the annotation moves to a place where it applies to the function
//! ([`attribute_place`]).
//!
//! Each annotation gets a companion attribute. Through it, the shim learns which declaration has
//! the annotation, and `crate::attributes` checks it.
//!
//! Arguments become values (`+(n)`). Otherwise a lambda would capture a constant that its attribute
//! names, in the device pass alone.

mod attribute_place;
mod names;
pub mod stream;

pub use names::{Known, Takes, known};

use scythe_diag::{Diagnostic, Report};

use crate::errors::ExternalPlace;
use attribute_place::Place;
use stream::{Edit, Edits, Piece, Stream, Written};

/// Returns the edits of the attribute specifiers and external declarations that begin at `starts`,
/// and the errors. The location of an error is the index of a token.
pub fn edit(tokens: &impl Stream, starts: &[usize]) -> (Edits, Vec<Diagnostic<usize>>) {
    let mut out = Editor { tokens, edits: Vec::new(), written: Vec::new(), faults: Vec::new() };
    for &start in starts {
        if tokens.is_word(start, names::EXTERNAL) {
            out.external(start);
        } else if let Some(specifier) = Specifier::parse(tokens, start) {
            out.specifier(&specifier);
        }
    }
    let Editor { mut edits, written, faults, .. } = out;
    // An insertion before a token comes before the replacement of the token.
    edits.sort_by_key(|edit| (edit.start, edit.end));
    (Edits { edits, written }, faults)
}

/// An attribute specifier `[[…]]`: the tokens `start..end`, with its attributes.
struct Specifier<'a> {
    start: usize,
    end: usize,
    items: Vec<Item<'a>>,
    /// The namespace of `using NS:` and the index of its token.
    using: Option<(&'a str, usize)>,
}

/// One attribute of a list.
struct Item<'a> {
    namespace: &'a str,
    name: &'a str,
    /// The index of the name.
    at: usize,
    /// The attribute consists of the tokens `first..end`.
    first: usize,
    end: usize,
    /// The indices of the parentheses.
    arguments: Option<(usize, usize)>,
}

impl<'a> Specifier<'a> {
    fn parse(tokens: &'a impl Stream, start: usize) -> Option<Self> {
        if !(tokens.is(start, "[") && tokens.is(start + 1, "[")) {
            return None;
        }
        let end = tokens.after_close(start)?;
        if tokens.after_close(start + 1)? != end - 1 {
            return None;
        }
        let (mut at, last) = (start + 2, end - 2);
        let mut using = None;
        if tokens.is_word(at, "using") && tokens.is(at + 2, ":") {
            using = Some((tokens.word(at + 1)?, at + 1));
            at += 3;
        }
        let mut items = Vec::new();
        while at < last {
            if tokens.is(at, ",") {
                at += 1;
                continue;
            }
            let first = at;
            let (mut namespace, mut name) =
                (using.map_or("", |(namespace, _)| namespace), tokens.word(at)?);
            let mut name_at = at;
            at += 1;
            if tokens.is(at, "::") {
                (namespace, name, name_at) = (name, tokens.word(at + 1)?, at + 1);
                at += 2;
            }
            let mut arguments = None;
            if tokens.is(at, "(") {
                let after = tokens.after_close(at)?;
                arguments = Some((at, after - 1));
                at = after;
            }
            if tokens.is(at, "...") {
                at += 1;
            }
            if at < last && !tokens.is(at, ",") {
                return None;
            }
            items.push(Item { namespace, name, at: name_at, first, end: at, arguments });
        }
        Some(Self { start, end, items, using })
    }
}

struct Editor<'a, S> {
    tokens: &'a S,
    edits: Vec<Edit>,
    written: Vec<Written>,
    faults: Vec<Diagnostic<usize>>,
}

impl<S: Stream> Editor<'_, S> {
    fn specifier(&mut self, specifier: &Specifier) {
        let faults = |item: &Item| Some(names::fault(item.namespace, item.name)?.at(item.at));
        self.faults.extend(specifier.items.iter().filter_map(faults));
        let concerns_us =
            |item: &Item| known(item.namespace, item.name).is_some() || faults(item).is_some();
        if !specifier.items.iter().any(concerns_us) {
            return;
        }
        match attribute_place::find(self.tokens, specifier.start) {
            Place::Here => {
                let mut pieces = Vec::new();
                self.list(specifier, specifier.items.iter(), &mut pieces);
                self.edits.push(Edit { start: specifier.start, end: specifier.end, pieces });
            }
            Place::Gnu(to) => self.move_to(specifier, to, true),
            Place::Standard(to) => self.move_to(specifier, to, false),
        }
    }

    /// Moves SYCL attributes before the token `to`. Other attributes keep their place.
    fn move_to(&mut self, specifier: &Specifier, to: usize, gnu: bool) {
        let (ours, others): (Vec<&Item>, Vec<&Item>) =
            specifier.items.iter().partition(|item| known(item.namespace, item.name).is_some());
        let mut pieces = Vec::new();
        if ours.is_empty() {
            // All SYCL attributes of the specifier are errors.
        } else if gnu {
            let at = ours[0].at;
            pieces.extend([
                Piece::word("__attribute__", at),
                Piece::mark("(", at),
                Piece::mark("(", at),
            ]);
            for (index, item) in ours.iter().enumerate() {
                if index > 0 {
                    pieces.push(Piece::mark(",", item.at));
                }
                self.annotation(item, true, &mut pieces);
            }
            pieces.extend([Piece::mark(")", at), Piece::mark(")", at)]);
        } else {
            self.list(specifier, ours.iter().copied(), &mut pieces);
        }
        self.edits.push(Edit { start: to, end: to, pieces });
        let mut pieces = Vec::new();
        if !others.is_empty() {
            self.list(specifier, others.into_iter(), &mut pieces);
        }
        self.edits.push(Edit { start: specifier.start, end: specifier.end, pieces });
    }

    /// Writes a specifier with these attributes. SYCL attributes become annotations.
    fn list<'i>(
        &mut self,
        specifier: &Specifier,
        items: impl Iterator<Item = &'i Item<'i>>,
        out: &mut Vec<Piece>,
    ) {
        out.extend([Piece::Copy(specifier.start), Piece::Copy(specifier.start + 1)]);
        // Wrong attributes are already reported. Without them, clang does not warn about them.
        let items = items.filter(|item| names::fault(item.namespace, item.name).is_none());
        for (index, item) in items.enumerate() {
            if index > 0 {
                out.push(Piece::mark(",", item.at));
            }
            if known(item.namespace, item.name).is_some() {
                self.annotation(item, false, out);
                continue;
            }
            if let Some((_, using)) = specifier.using.filter(|_| item.first == item.at) {
                out.extend([Piece::Copy(using), Piece::mark("::", using)]);
            }
            out.extend((item.first..item.end).map(Piece::Copy));
        }
        out.extend([Piece::Copy(specifier.end - 2), Piece::Copy(specifier.end - 1)]);
    }

    /// Writes a SYCL attribute as an annotation with its companion.
    fn annotation(&mut self, item: &Item, gnu: bool, out: &mut Vec<Piece>) {
        let Some(known) = known(item.namespace, item.name) else { return };
        let at = item.at;
        let name = format!("{}::{}", item.namespace, item.name);
        self.written.push(Written { at, argument: 0, name: name.clone() });
        if !gnu {
            out.extend([Piece::word("clang", at), Piece::mark("::", at)]);
        }
        out.extend([
            Piece::word("annotate", at),
            Piece::mark("(", at),
            Piece::text(known.annotation, at),
        ]);
        for (index, argument) in self.arguments(item).into_iter().enumerate() {
            self.written.push(Written {
                at: argument.start,
                argument: index as u32 + 1,
                name: name.clone(),
            });
            out.push(Piece::mark(",", argument.start));
            self.argument(known.takes, &argument, out);
        }
        out.push(Piece::mark(")", at));
        if known.takes != Takes::Anything {
            out.push(Piece::mark(",", at));
            if gnu {
                out.push(Piece::word("scythe_attribute", at));
            } else {
                out.extend([
                    Piece::word("scythe", at),
                    Piece::mark("::", at),
                    Piece::word("attribute", at),
                ]);
            }
        }
    }

    fn argument(&self, takes: Takes, argument: &Argument, out: &mut Vec<Piece>) {
        let at = argument.start;
        let copies = (argument.start..argument.end).map(Piece::Copy);
        match takes {
            Takes::Sizes => {
                out.extend([Piece::mark("+", at), Piece::mark("(", at)]);
                out.extend(copies);
                out.push(Piece::mark(")", at));
            }
            // Both operands of `?:` must have the same type.
            Takes::Aspects => {
                out.extend([Piece::mark("(", at), Piece::word("false", at), Piece::mark("?", at)]);
                out.extend([Piece::mark("::", at), Piece::word("sycl", at), Piece::mark("::", at)]);
                out.extend([Piece::word("aspect", at), Piece::mark("{", at), Piece::mark("}", at)]);
                out.extend([Piece::mark(":", at), Piece::mark("(", at)]);
                out.extend(copies);
                out.extend([Piece::mark(")", at), Piece::mark(")", at)]);
            }
            Takes::Word => out.push(Piece::text(&self.spelling(argument), at)),
            // Clang reports an error if the argument is not a type.
            Takes::Type => {
                out.extend([Piece::text(&self.spelling(argument), at), Piece::mark(",", at)]);
                out.extend([
                    Piece::word("__is_same", at),
                    Piece::mark("(", at),
                    Piece::word("int", at),
                ]);
                out.push(Piece::mark(",", at));
                out.extend(copies);
                out.push(Piece::mark(")", at));
            }
            Takes::Anything => out.extend(copies),
        }
        if let Some(pack) = argument.pack {
            out.push(Piece::Copy(pack));
        }
    }

    fn spelling(&self, argument: &Argument) -> String {
        (argument.start..argument.end)
            .map(|at| self.tokens.get(at).text)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns the arguments between the parentheses. Commas inside brackets do not separate them.
    fn arguments(&self, item: &Item) -> Vec<Argument> {
        let Some((open, close)) = item.arguments else { return Vec::new() };
        let mut out = Vec::new();
        let (mut start, mut at) = (open + 1, open + 1);
        while at <= close {
            if at == close || self.tokens.is(at, ",") {
                // An empty argument is left out, so that the number of arguments is wrong.
                if at > start {
                    let pack = (at > start + 1 && self.tokens.is(at - 1, "...")).then_some(at - 1);
                    out.push(Argument { start, end: pack.unwrap_or(at), pack });
                }
                start = at + 1;
                at += 1;
                continue;
            }
            let brackets = ["(", "[", "{"].iter().any(|bracket| self.tokens.is(at, bracket));
            let template = self.tokens.is(at, "<") && self.tokens.word(at - 1).is_some();
            at = match (brackets, template) {
                (true, _) => self.tokens.after_close(at).unwrap_or(at + 1),
                (_, true) => self.tokens.after_angle(at, close).unwrap_or(at + 1),
                _ => at + 1,
            };
        }
        out
    }

    /// Handles `SYCL_EXTERNAL extern "C"`. Clang drops attributes before a language linkage, so the
    /// attribute moves to the declaration after it.
    fn external(&mut self, word: usize) {
        // `__attribute__((scythe_external))`
        let (Some(start), end) = (word.checked_sub(3), word + 3) else { return };
        if !(self.tokens.is_word(start, "__attribute__") && self.tokens.is(end - 1, ")")) {
            return;
        }
        let mut linkage = end;
        while self.tokens.is(linkage, "[") && self.tokens.is(linkage + 1, "[") {
            let Some(after) = self.tokens.after_close(linkage) else { return };
            linkage = after;
        }
        if !(self.tokens.is_word(linkage, "extern") && self.tokens.is_text(linkage + 1)) {
            return;
        }
        if self.tokens.is(linkage + 2, "{") {
            self.faults.push(ExternalPlace.report().at(word));
            return;
        }
        let pieces: Vec<Piece> = (start..end).map(Piece::Copy).collect();
        self.edits.push(Edit { start, end, pieces: Vec::new() });
        self.edits.push(Edit { start: linkage + 2, end: linkage + 2, pieces });
    }
}

/// The tokens of one argument, and the index of the `...` after it.
struct Argument {
    start: usize,
    end: usize,
    pack: Option<usize>,
}

#[cfg(test)]
mod tests;
