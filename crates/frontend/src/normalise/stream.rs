//! Tokens, and edits of them, as values.

/// What a token is.
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

/// The tokens of a unit; behind the last one there are ends without end.
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

    /// The token after the bracket that closes the one at `open`.
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

    /// The token that opens the bracket closed at `close`.
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

    /// The token after the `>` that closes the `<` at `open`, before `limit`.
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

    /// The `<` that is closed by the `>` or `>>` at `close`.
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
    /// A new token, whose place is that of the token with this index.
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

/// What takes the place of the tokens `start..end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub pieces: Vec<Piece>,
}

/// The token where one of our attributes was written, or one of its arguments (from 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub at: usize,
    pub argument: u32,
    pub name: String,
}

/// Edits in the order of the tokens; those at one place in the order in which they apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    pub edits: Vec<Edit>,
    pub written: Vec<Written>,
}

/// An error at a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub at: usize,
    pub message: String,
}
