//! `SYCL_EXTERNAL` before a `device_global` variable, which the extension allows and clang's attribute does not: it is blanked out.
//! Such variables are the same in all translation units without it.

use super::lexer::{Kind, Token};

const MACRO: &[u8] = b"SYCL_EXTERNAL";
const CLASS: &[u8] = b"device_global";

/// A quick look that spares other files the lexer.
pub(super) fn may_hold(text: &[u8]) -> bool {
    let holds = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
    holds(MACRO) && holds(CLASS)
}

/// Blanks the macro out before variables; true where there is one.
pub(super) fn blank(text: &[u8], tokens: &[Token], out: &mut [u8]) -> bool {
    let mut changed = false;
    for (index, token) in tokens.iter().enumerate() {
        if &text[token.start..token.end] == MACRO && declares_variable(text, &tokens[index + 1..]) {
            out[token.start..token.end].fill(b' ');
            changed = true;
        }
    }
    changed
}

/// The tokens begin with specifiers, the class with its arguments, and a name.
fn declares_variable(text: &[u8], tokens: &[Token]) -> bool {
    let is = |token: &Token, byte: u8| token.kind == Kind::Punctuation(byte);
    let mut rest = tokens.iter();
    // `extern`, namespaces, and the class.
    let found = rest.by_ref().find(|token| &text[token.start..token.end] == CLASS || !(word(token) || is(token, b':')));
    if found.is_none_or(|token| &text[token.start..token.end] != CLASS) {
        return false;
    }
    let mut depth = 0i32;
    for token in rest {
        match token.kind {
            Kind::Punctuation(b'<' | b'(') => depth += 1,
            Kind::Punctuation(b'>' | b')') => depth -= 1,
            _ if depth == 0 => return word(token),
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    false
}

fn word(token: &Token) -> bool {
    token.kind == Kind::Word
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    #[test]
    fn variables_lose_it_and_functions_do_not() {
        for (text, lost) in [
            ("SYCL_EXTERNAL device_global<int> x;", true),
            ("SYCL_EXTERNAL extern a::device_global<int, decltype(properties(device_image_scope))> x{};", true),
            ("SYCL_EXTERNAL /* a */ extern device_global<b<c<int>>> ns::x;", true),
            ("SYCL_EXTERNAL device_global<int> &get();", false),
            ("SYCL_EXTERNAL int f(device_global<int> &x);", false),
            ("SYCL_EXTERNAL device_global<", false),
            ("SYCL_EXTERNAL", false),
        ] {
            let mut out = text.as_bytes().to_vec();
            assert_eq!(blank(text.as_bytes(), &lex(text.as_bytes()), &mut out), lost, "{text}");
            assert_eq!(out.starts_with(MACRO), !lost, "{text}");
            assert_eq!(out.len(), text.len());
        }
    }
}
