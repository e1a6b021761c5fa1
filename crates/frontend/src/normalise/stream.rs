//! Tokens and edits of tokens, as values.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or a keyword.
    Word,
    Punctuation,
    /// A string literal.
    Text,
    Other,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
}

/// The tokens of a unit. Every index after the last token gives [`Kind::End`].
pub trait Stream {
    fn get(&self, at: usize) -> Token<'_>;

    fn word(&self, at: usize) -> Option<&str> {
        let token = self.get(at);
        (token.kind == Kind::Word).then_some(token.text)
    }

    fn is_word(&self, at: usize, word: &str) -> bool {
        self.word(at) == Some(word)
    }

    fn is(&self, at: usize, mark: &str) -> bool {
        let token = self.get(at);
        token.kind == Kind::Punctuation && token.text == mark
    }

    fn is_text(&self, at: usize) -> bool {
        self.get(at).kind == Kind::Text
    }

    /// Returns the index after the bracket that closes the bracket at `open`.
    fn after_close(&self, open: usize) -> Option<usize> {
        let mut stack = Vec::new();
        for at in open.. {
            let token = self.get(at);
            match (token.kind, token.text) {
                (Kind::End, _) => return None,
                (Kind::Punctuation, "(") => stack.push(")"),
                (Kind::Punctuation, "[") => stack.push("]"),
                (Kind::Punctuation, "{") => stack.push("}"),
                (Kind::Punctuation, close @ (")" | "]" | "}")) if stack.pop() != Some(close) => {
                    return None;
                }
                _ => {}
            }
            if stack.is_empty() {
                return Some(at + 1);
            }
        }
        None
    }

    /// Returns the index of the bracket that the bracket at `close` closes.
    fn open_of(&self, close: usize) -> Option<usize> {
        let mut stack = Vec::new();
        for at in (0..=close).rev() {
            let token = self.get(at);
            match (token.kind, token.text) {
                (Kind::Punctuation, ")") => stack.push("("),
                (Kind::Punctuation, "]") => stack.push("["),
                (Kind::Punctuation, "}") => stack.push("{"),
                (Kind::Punctuation, open @ ("(" | "[" | "{")) if stack.pop() != Some(open) => {
                    return None;
                }
                _ => {}
            }
            if stack.is_empty() {
                return Some(at);
            }
        }
        None
    }

    /// Returns the index after the `>` that closes the `<` at `open`. The `>` is before `limit`.
    fn after_angle(&self, open: usize, limit: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut at = open;
        while at < limit {
            match self.get(at) {
                Token { kind: Kind::Punctuation, text } => match text {
                    "<" => depth += 1,
                    ">" => depth -= 1,
                    ">>" => depth = depth.checked_sub(2)?,
                    "(" | "[" | "{" => {
                        at = self.after_close(at)?;
                        continue;
                    }
                    _ => {}
                },
                Token { kind: Kind::End, .. } => return None,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Returns the index of the `<` that the `>` or `>>` at `close` closes.
    fn open_angle(&self, close: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut at = close;
        loop {
            match self.get(at) {
                Token { kind: Kind::Punctuation, text } => match text {
                    ">" => depth += 1,
                    ">>" => depth += 2,
                    "<" => depth = depth.checked_sub(1)?,
                    ")" | "]" | "}" => at = self.open_of(at)?,
                    ";" | "{" => return None,
                    _ => {}
                },
                _ if depth == 0 => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
            at = at.checked_sub(1)?;
        }
    }
}

/// A token of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A copy of the token with this index.
    Copy(usize),
    /// A new token with the location of the token with this index.
    New(Kind, String, usize),
}

impl Piece {
    pub fn word(text: &str, at: usize) -> Self {
        Self::New(Kind::Word, text.to_owned(), at)
    }

    pub fn mark(text: &str, at: usize) -> Self {
        Self::New(Kind::Punctuation, text.to_owned(), at)
    }

    pub fn text(text: &str, at: usize) -> Self {
        Self::New(Kind::Text, text.to_owned(), at)
    }
}

/// The replacement of the tokens `start..end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub pieces: Vec<Piece>,
}

/// The token where the program wrote a SYCL attribute (argument 0) or an argument of it (from 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub at: usize,
    pub argument: u32,
    pub name: String,
}

/// Edits in the order of the tokens. Edits at one token are in the order in which they apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    pub edits: Vec<Edit>,
    pub written: Vec<Written>,
}
