//! SYCL's own attributes, made readable for stock clang before it parses the unit.
//!
//! Clang ignores `[[sycl::reqd_work_group_size(16)]]` and its kin. It does understand
//! `[[clang::annotate("sycl::reqd_work_group_size", 16)]]`, which this module puts in their place
//! in the *tokens* of the unit: macros, digraphs, spliced lines, included and preprocessed files
//! make no difference. Where clang takes an attribute for one of a type (after the parameters of a
//! function or a lambda), the annotation moves to a place where it is one of the function
//! ([`place`]).
//!
//! A companion attribute stands beside each annotation. By it the shim learns what the annotation
//! stands on, and `crate::attributes` checks it.
//!
//! Arguments are converted to values where they stand (`+(n)`): a constant that is only named would
//! be captured by a lambda, in the device pass alone.

mod names;
mod place;
pub mod stream;

pub use names::{Known, Takes, known};

use place::Place;
use stream::{Edit, Edits, Fault, Piece, Stream, Written};

/// What becomes of the attribute specifiers and external declarations that begin at `starts`.
pub fn edit(tokens: &impl Stream, starts: &[usize]) -> (Edits, Vec<Fault>) {
    let mut out = Editor { tokens, edits: Vec::new(), written: Vec::new(), faults: Vec::new() };
    for &start in starts {
        if tokens.is_word(start, names::EXTERNAL) {
            out.external(start);
        } else if let Some(specifier) = Specifier::parse(tokens, start) {
            out.specifier(&specifier);
        }
    }
    let Editor { mut edits, written, faults, .. } = out;
    // What is put in before a token comes before what is done with it.
    edits.sort_by_key(|edit| (edit.start, edit.end));
    (Edits { edits, written }, faults)
}

/// `[[…]]`: the tokens `start..end`, and the attributes inside.
struct Specifier<'a> {
    start: usize,
    end: usize,
    items: Vec<Item<'a>>,
    /// The namespace of `using NS:`, and its token.
    using: Option<(&'a str, usize)>,
}

/// One attribute of a list.
struct Item<'a> {
    namespace: &'a str,
    name: &'a str,
    /// The token of the name.
    at: usize,
    /// The tokens `first..end` are all of it.
    first: usize,
    end: usize,
    /// The tokens of the parentheses.
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
    faults: Vec<Fault>,
}

impl<S: Stream> Editor<'_, S> {
    fn specifier(&mut self, specifier: &Specifier) {
        let faults = |item: &Item| {
            let message = names::fault(item.namespace, item.name)?;
            Some(Fault { at: item.at, message })
        };
        self.faults.extend(specifier.items.iter().filter_map(faults));
        let concerns_us =
            |item: &Item| known(item.namespace, item.name).is_some() || faults(item).is_some();
        if !specifier.items.iter().any(concerns_us) {
            return;
        }
        match place::find(self.tokens, specifier.start) {
            Place::Here => {
                let mut pieces = Vec::new();
                self.list(specifier, specifier.items.iter(), &mut pieces);
                self.edits.push(Edit { start: specifier.start, end: specifier.end, pieces });
            }
            Place::Gnu(to) => self.move_to(specifier, to, true),
            Place::Standard(to) => self.move_to(specifier, to, false),
        }
    }

    /// Puts our attributes before the token `to`, and leaves the others where they are.
    fn move_to(&mut self, specifier: &Specifier, to: usize, gnu: bool) {
        let (ours, others): (Vec<&Item>, Vec<&Item>) =
            specifier.items.iter().partition(|item| known(item.namespace, item.name).is_some());
        let mut pieces = Vec::new();
        if ours.is_empty() {
            // All that concerns us is wrong.
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

    /// A specifier with these attributes, ours as annotations.
    fn list<'i>(
        &mut self,
        specifier: &Specifier,
        items: impl Iterator<Item = &'i Item<'i>>,
        out: &mut Vec<Piece>,
    ) {
        out.extend([Piece::Copy(specifier.start), Piece::Copy(specifier.start + 1)]);
        // What is wrong has been told: clang need not warn of it.
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

    /// One of our attributes as an annotation with its companion.
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
            // Both sides of `?:` are values of one type.
            Takes::Aspects => {
                out.extend([Piece::mark("(", at), Piece::word("false", at), Piece::mark("?", at)]);
                out.extend([Piece::mark("::", at), Piece::word("sycl", at), Piece::mark("::", at)]);
                out.extend([Piece::word("aspect", at), Piece::mark("{", at), Piece::mark("}", at)]);
                out.extend([Piece::mark(":", at), Piece::mark("(", at)]);
                out.extend(copies);
                out.extend([Piece::mark(")", at), Piece::mark(")", at)]);
            }
            Takes::Word => out.push(Piece::text(&self.spelling(argument), at)),
            // Clang says so where it is no type.
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

    /// The arguments between the parentheses, divided at commas that are in no brackets.
    fn arguments(&self, item: &Item) -> Vec<Argument> {
        let Some((open, close)) = item.arguments else { return Vec::new() };
        let mut out = Vec::new();
        let (mut start, mut at) = (open + 1, open + 1);
        while at <= close {
            if at == close || self.tokens.is(at, ",") {
                // An empty one stays what it is: wrong.
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

    /// `SYCL_EXTERNAL extern "C"`: clang drops attributes before a language linkage. They belong to
    /// what it declares.
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
            let message = "'SYCL_EXTERNAL' only applies to functions and to variables of class \
                'device_global'";
            self.faults.push(Fault { at: word, message: message.to_owned() });
            return;
        }
        let pieces: Vec<Piece> = (start..end).map(Piece::Copy).collect();
        self.edits.push(Edit { start, end, pieces: Vec::new() });
        self.edits.push(Edit { start: linkage + 2, end: linkage + 2, pieces });
    }
}

/// The tokens of one argument, and the `...` after it.
struct Argument {
    start: usize,
    end: usize,
    pack: Option<usize>,
}

#[cfg(test)]
mod tests;
