//! SYCL's own attributes, made readable for stock clang before it reads the file.
//!
//! Clang ignores `[[sycl::reqd_work_group_size(16)]]` and its kin, and rejects any C++ attribute after a lambda's
//! parameter list. It does accept `__attribute__((annotate("sycl::reqd_work_group_size", 16)))` in all these places, as
//! long as it stands directly after the parameter list. So each attribute becomes a call of a macro that expands to
//! that: `_Yreqd_work_group_size(16)`, defined in [`PREDEFINES`].
//!
//! The macro call is never longer than the attribute, and is padded with blanks: files keep their length, and everything
//! outside of the attribute its line and column.

mod external;
mod lexer;

use lexer::{Kind, Token, lex};

/// What becomes of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// An annotation, for the device pass.
    Annotate,
    /// Blanks, for a host pass, which has no use for it.
    Remove,
}

/// Attribute names, as they are written after the namespace, and the annotation each becomes.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("reqd_work_group_size", "sycl::reqd_work_group_size"),
    ("work_group_size_hint", "sycl::work_group_size_hint"),
    ("reqd_sub_group_size", "sycl::reqd_sub_group_size"),
    ("vec_type_hint", "sycl::vec_type_hint"),
    ("named_sub_group_size", "intel::named_sub_group_size"),
    ("device_has", "sycl::device_has"),
    ("uses_aspects", "sycl_detail::uses_aspects"),
    ("__uses_aspects__", "sycl_detail::uses_aspects"),
    ("add_ir_global_variable_attributes", "__sycl_detail__::add_ir_global_variable_attributes"),
    ("add_ir_kernel_parameter_attributes", "__sycl_detail__::add_ir_kernel_parameter_attributes"),
    ("add_ir_function_attributes", "__sycl_detail__::add_ir_function_attributes"),
    ("add_ir_member_annotation", "__sycl_detail__::add_ir_member_annotation"),
];

/// Namespaces whose attributes are known, and which.
fn known(namespace: &str, name: &str) -> bool {
    let name = ATTRIBUTES.iter().find(|(written, _)| *written == name).map(|(written, _)| *written);
    match (namespace, name) {
        (_, None) => false,
        ("sycl" | "cl", Some(name)) => !internal(name) && name != "named_sub_group_size",
        ("intel" | "INTEL", Some(name)) => matches!(name, "reqd_sub_group_size" | "named_sub_group_size"),
        ("sycl_detail" | "__sycl_detail__", Some(name)) => internal(name),
        _ => false,
    }
}

/// Attributes of headers, in a namespace of their own.
fn internal(name: &str) -> bool {
    name.contains("uses_aspects") || name.starts_with("add_ir_")
}

/// The forms of an annotation, told apart by the first letters of the macro.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `__attribute__`: before declarations, after a class-key, after a lambda's parameters.
    Gnu,
    /// `[[clang::annotate]]`: after a name, after a lambda's introducer.
    Standard,
    /// `__attribute__` after a function's parameters, where clang would remark that GCC does not allow it.
    Trailing,
}

impl Form {
    fn prefix(self) -> &'static str {
        match self {
            Self::Gnu => "_Y",
            Self::Standard => "_Z",
            Self::Trailing => "_X",
        }
    }
}

/// The macros that normalised files use.
pub fn predefines() -> String {
    let mut out = String::new();
    for (name, annotation) in ATTRIBUTES {
        // Types and words are not expressions.
        let words = matches!(*name, "vec_type_hint" | "named_sub_group_size");
        let args = if words { ", #__VA_ARGS__" } else { " __VA_OPT__(,) __VA_ARGS__" };
        let body = format!("annotate(\"{annotation}\"{args})");
        let quiet = "_Pragma(\"clang diagnostic push\") _Pragma(\"clang diagnostic ignored \\\"-Wgcc-compat\\\"\")";
        let loud = "_Pragma(\"clang diagnostic pop\")";
        out += &format!("#define {}{name}(...) __attribute__(({body}))\n", Form::Gnu.prefix());
        out += &format!("#define {}{name}(...) [[clang::{body}]]\n", Form::Standard.prefix());
        out += &format!("#define {}{name}(...) {quiet} __attribute__(({body})) {loud}\n", Form::Trailing.prefix());
    }
    out
}

/// The normalised file, of the same length; `None` when nothing changes.
pub fn normalise(text: &[u8], mode: Mode) -> Option<Vec<u8>> {
    let externals = external::may_hold(text);
    if !externals && !may_hold_attributes(text) {
        return None;
    }
    let tokens = lex(text);
    let mut file = File { text, tokens: &tokens, out: text.to_vec(), changed: false };
    if externals {
        file.changed = external::blank(text, &tokens, &mut file.out);
    }
    let mut at = 0;
    while at + 1 < tokens.len() {
        at = match file.specifier(at) {
            Some(specifier) => {
                file.rewrite(&specifier, mode);
                specifier.end
            }
            None => at + 1,
        };
    }
    file.changed.then_some(file.out)
}

/// A quick look that spares files without attributes of ours (nearly all) the lexer.
fn may_hold_attributes(text: &[u8]) -> bool {
    const LONGEST: usize = 4096;
    let mut from = 0;
    while let Some(open) = text[from..].windows(2).position(|w| w == b"[[") {
        let inside = &text[from + open + 2..];
        let inside = &inside[..inside.len().min(LONGEST)];
        let close = inside.windows(2).position(|w| w == b"]]").unwrap_or(inside.len());
        let inside = &inside[..close];
        let holds = |word: &[u8]| inside.windows(word.len()).any(|w| w == word);
        if holds(b"sycl") || holds(b"intel") || holds(b"INTEL") || holds(b"cl::") || holds(b"using") {
            return true;
        }
        from += open + 2;
    }
    false
}

/// `[[…]]`: tokens `start..end`, and the attributes inside.
struct Specifier<'a> {
    start: usize,
    end: usize,
    items: Vec<Item<'a>>,
    /// Text of `using NS:`, empty without.
    using: &'a str,
}

/// One attribute of a list.
struct Item<'a> {
    namespace: &'a str,
    name: &'a str,
    /// The parentheses and what they hold.
    arguments: Option<&'a str>,
    /// All of it.
    text: &'a str,
}

impl Item<'_> {
    fn ours(&self) -> bool {
        known(self.namespace, self.name) && self.arguments.is_some()
    }
}

struct File<'a> {
    text: &'a [u8],
    tokens: &'a [Token],
    out: Vec<u8>,
    changed: bool,
}

impl<'a> File<'a> {
    fn word(&self, at: usize) -> Option<&'a str> {
        let token = self.tokens.get(at)?;
        (token.kind == Kind::Word).then(|| self.slice(token.start, token.end))
    }

    fn is(&self, at: usize, byte: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Punctuation(byte))
    }

    /// Text between two places; empty where it is not UTF-8, which no attribute of ours is.
    fn slice(&self, start: usize, end: usize) -> &'a str {
        std::str::from_utf8(&self.text[start..end]).unwrap_or("")
    }

    /// The token after the bracket that closes the one at `open`.
    fn after_close(&self, open: usize) -> Option<usize> {
        let mut stack = Vec::new();
        for at in open..self.tokens.len() {
            let Kind::Punctuation(byte) = self.tokens[at].kind else { continue };
            match byte {
                b'(' => stack.push(b')'),
                b'[' => stack.push(b']'),
                b'{' => stack.push(b'}'),
                b')' | b']' | b'}' => {
                    if stack.pop() != Some(byte) {
                        return None;
                    }
                    if stack.is_empty() {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The token that opens the bracket closed at `close`.
    fn open_of(&self, close: usize) -> Option<usize> {
        let mut stack = Vec::new();
        for at in (0..=close).rev() {
            let Kind::Punctuation(byte) = self.tokens[at].kind else { continue };
            match byte {
                b')' => stack.push(b'('),
                b']' => stack.push(b'['),
                b'}' => stack.push(b'{'),
                b'(' | b'[' | b'{' => {
                    if stack.pop() != Some(byte) {
                        return None;
                    }
                    if stack.is_empty() {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The attribute specifier that starts at a token.
    fn specifier(&self, start: usize) -> Option<Specifier<'a>> {
        if !(self.is(start, b'[') && self.is(start + 1, b'[')) {
            return None;
        }
        let end = self.after_close(start)?;
        if self.after_close(start + 1)? != end - 1 {
            return None;
        }
        let (mut at, last) = (start + 2, end - 2);
        let mut default_namespace = "";
        let mut using = "";
        if self.word(at) == Some("using") && self.is(at + 2, b':') && !self.is(at + 3, b':') {
            default_namespace = self.word(at + 1)?;
            using = self.slice(self.tokens[at].start, self.tokens[at + 2].end);
            at += 3;
        }
        let mut items = Vec::new();
        while at < last {
            if self.is(at, b',') {
                at += 1;
                continue;
            }
            let first = at;
            let (mut namespace, mut name) = (default_namespace, self.word(at)?);
            at += 1;
            if self.is(at, b':') && self.is(at + 1, b':') {
                (namespace, name) = (name, self.word(at + 2)?);
                at += 3;
            }
            let mut arguments = None;
            if self.is(at, b'(') {
                let after = self.after_close(at)?;
                arguments = Some(self.slice(self.tokens[at].start, self.tokens[after - 1].end));
                at = after;
            }
            // A pack expansion.
            while at < last && self.is(at, b'.') {
                at += 1;
            }
            if at < last && !self.is(at, b',') {
                return None;
            }
            let text = self.slice(self.tokens[first].start, self.tokens[at - 1].end);
            items.push(Item { namespace, name, arguments, text });
        }
        Some(Specifier { start, end, items, using })
    }

    /// Writes the new form of a specifier over the old one.
    fn rewrite(&mut self, specifier: &Specifier, mode: Mode) {
        if !specifier.items.iter().any(Item::ours) {
            return;
        }
        let (form, insert) = self.place(specifier);
        let mut new = String::new();
        let others: Vec<&str> = specifier.items.iter().filter(|item| !item.ours()).map(|item| item.text).collect();
        if !others.is_empty() {
            new += &format!("[[{}{}]]", specifier.using, others.join(","));
        }
        if mode == Mode::Annotate {
            for item in specifier.items.iter().filter(|item| item.ours()) {
                if !new.is_empty() {
                    new.push(' ');
                }
                new += form.prefix();
                new += item.name;
                new += item.arguments.unwrap_or("()");
            }
        }
        // Everything from the place where it goes to the place where it was is written anew.
        let from = insert.unwrap_or(self.tokens[specifier.start].start);
        let start = self.tokens[specifier.start].start;
        let end = self.tokens[specifier.end - 1].end;
        let between = self.slice_out(from, start);
        let old = self.slice(start, end);
        let Some(padding) = pad(&new, old) else { return };
        let mut bytes = Vec::with_capacity(end - from);
        bytes.extend(new.as_bytes());
        bytes.extend(padding.as_bytes());
        bytes.extend(&between);
        self.out[from..end].copy_from_slice(&bytes);
        self.changed = true;
    }

    /// What is written already between two places.
    fn slice_out(&self, start: usize, end: usize) -> Vec<u8> {
        self.out[start..end].to_vec()
    }

    /// Which form a specifier takes, and where it must move to, if it must.
    fn place(&self, specifier: &Specifier) -> (Form, Option<usize>) {
        let Some(mut before) = specifier.start.checked_sub(1) else { return (Form::Gnu, None) };
        let mut moved = false;
        loop {
            if let Some(word) = self.word(before) {
                if !matches!(word, "mutable" | "constexpr" | "consteval" | "static" | "noexcept") {
                    break;
                }
                moved = true;
            } else if self.is(before, b')') {
                let Some(open) = self.open_of(before) else { return (Form::Gnu, None) };
                let owner = open.checked_sub(1);
                if !matches!(owner.and_then(|owner| self.word(owner)), Some("noexcept" | "throw")) {
                    return if self.is_lambda(open) {
                        (Form::Gnu, moved.then(|| self.tokens[before].end))
                    } else {
                        (Form::Trailing, None)
                    };
                }
                moved = true;
                before = open - 1;
            } else if self.is(before, b']') && before > 0 && self.is(before - 1, b']') {
                // Another attribute specifier: what stands before that one counts.
                let Some(open) = self.open_of(before) else { return (Form::Gnu, None) };
                before = open;
            } else if self.is(before, b']') {
                return (Form::Standard, None);
            } else {
                break;
            }
            match before.checked_sub(1) {
                Some(next) => before = next,
                None => return (Form::Gnu, None),
            }
        }
        let after_name = self.word(before).is_some_and(|word| !is_class_key(word));
        match self.word(before) {
            // After a member function's parameters and qualifiers.
            Some("const" | "volatile" | "override" | "final") if !self.is(specifier.end, b'(') => {
                let after_parameters = before > 0 && self.is(before - 1, b')');
                (if after_parameters { Form::Trailing } else { Form::Gnu }, None)
            }
            // After a declared name: `void f [[…]] ();`
            Some(_) if after_name && self.is(specifier.end, b'(') => (Form::Standard, None),
            _ => (Form::Gnu, None),
        }
    }

    /// Whether the parenthesis opens a lambda's parameter list: an introducer stands before it, perhaps with template
    /// parameters or attributes in between.
    fn is_lambda(&self, open: usize) -> bool {
        let Some(mut before) = open.checked_sub(1) else { return false };
        if self.is(before, b'>') {
            let mut depth = 0usize;
            loop {
                if self.is(before, b'>') {
                    depth += 1;
                } else if self.is(before, b'<') {
                    depth -= 1;
                }
                let Some(next) = before.checked_sub(1) else { return false };
                before = next;
                if depth == 0 {
                    break;
                }
            }
        }
        self.is(before, b']')
    }
}

fn is_class_key(word: &str) -> bool {
    matches!(word, "class" | "struct" | "union" | "enum")
}

/// Blanks, and the line ends of `old` that `new` lacks, to make `new` as long as `old`.
fn pad(new: &str, old: &str) -> Option<String> {
    let mut room = old.len().checked_sub(new.len())?;
    let missing = old.matches('\n').count().checked_sub(new.matches('\n').count())?;
    let spliced = old.contains("\\\n");
    let line_end = if spliced { "\\\n" } else { "\n" };
    let needed = missing * line_end.len();
    room = room.checked_sub(needed)?;
    Some(" ".repeat(room) + &line_end.repeat(missing))
}

#[cfg(test)]
mod tests;
