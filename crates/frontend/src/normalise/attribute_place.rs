//! Finds the place where clang applies an attribute to the function that the program means.
//!
//! After the parameters of a function or a lambda, an attribute belongs to the type in C++, but to
//! the function in SYCL. Everywhere else the attribute keeps its place, and the grammar decides
//! which declaration has it.

use super::stream::{Kind, Stream};

/// The new place of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The attribute keeps its place.
    Here,
    /// Before this token, in GNU syntax. The token follows the parameters of a lambda.
    Gnu(usize),
    /// Before this token, in standard syntax. The token follows the name in the declaration of a
    /// function.
    Standard(usize),
}

/// Returns the place for the attribute specifier that begins at `start`.
pub fn find(tokens: &impl Stream, start: usize) -> Place {
    after_parameters(tokens, start).unwrap_or(Place::Here)
}

/// Searches backwards for a parameter list. Skips the tokens that the grammar allows between the
/// parameters and an attribute.
fn after_parameters(tokens: &impl Stream, start: usize) -> Option<Place> {
    let mut before = start.checked_sub(1)?;
    let mut specifiers = false;
    loop {
        let token = tokens.get(before);
        match (token.kind, token.text) {
            (Kind::Word, "mutable" | "constexpr" | "consteval" | "static" | "noexcept") => {
                specifiers = true
            }
            (Kind::Word, "const" | "volatile" | "override" | "final" | "__restrict") => {}
            (Kind::Punctuation, "&" | "&&") => {}
            (Kind::Punctuation, "]") => {
                let open = tokens.open_of(before)?;
                if is_specifier(tokens, open, before) {
                    before = open;
                } else {
                    // `[=] mutable [[…]] {`: a lambda without parameters.
                    return (specifiers && is_introducer(tokens, open))
                        .then_some(Place::Gnu(before + 1));
                }
            }
            (Kind::Punctuation, ")") => {
                let open = tokens.open_of(before)?;
                let owner = tokens.get(open.checked_sub(1)?);
                match (owner.kind, owner.text) {
                    (Kind::Word, "noexcept" | "throw" | "__attribute__") => before = open - 1,
                    (Kind::Word, word) if takes_condition(word) => return None,
                    _ => return Some(declarator(tokens, open, before)),
                }
            }
            _ => return None,
        }
        before = before.checked_sub(1)?;
    }
}

/// Returns the place for an attribute after the parameters `open..=close`.
fn declarator(tokens: &impl Stream, open: usize, close: usize) -> Place {
    if is_lambda(tokens, open) { Place::Gnu(close + 1) } else { Place::Standard(open) }
}

/// Whether parentheses after this word do not contain parameters.
fn takes_condition(word: &str) -> bool {
    matches!(
        word,
        "if" | "while"
            | "for"
            | "switch"
            | "catch"
            | "constexpr"
            | "alignas"
            | "_Alignas"
            | "decltype"
            | "typeof"
            | "__typeof__"
            | "__typeof"
            | "requires"
            | "explicit"
            | "sizeof"
            | "asm"
            | "__asm__"
            | "return"
            | "co_return"
    )
}

/// Whether `open..=close` are the brackets of an attribute specifier.
fn is_specifier(tokens: &impl Stream, open: usize, close: usize) -> bool {
    tokens.is(open + 1, "[") && tokens.after_close(open + 1) == Some(close)
}

/// Whether a bracket begins a lambda. The other case is the name `operator[]`.
fn is_introducer(tokens: &impl Stream, open: usize) -> bool {
    !open.checked_sub(1).is_some_and(|before| tokens.is_word(before, "operator"))
}

/// Whether the parenthesis opens the parameter list of a lambda. Before it is the lambda
/// introducer, possibly followed by template parameters, their constraint, or attributes.
fn is_lambda(tokens: &impl Stream, open: usize) -> bool {
    let mut at = open;
    loop {
        let Some(before) = at.checked_sub(1) else { return false };
        let token = tokens.get(before);
        match (token.kind, token.text) {
            (Kind::Punctuation, ">" | ">>") => match tokens.open_angle(before) {
                Some(angle) => {
                    // `requires concept<T>` belongs to the template parameters before it.
                    let words = angle.checked_sub(2).filter(|&at| tokens.is_word(at, "requires"));
                    at = words.unwrap_or(angle);
                }
                None => return false,
            },
            (Kind::Punctuation, "]") => {
                let Some(bracket) = tokens.open_of(before) else { return false };
                if !is_specifier(tokens, bracket, before) {
                    return is_introducer(tokens, bracket);
                }
                at = bracket;
            }
            _ => return false,
        }
    }
}
