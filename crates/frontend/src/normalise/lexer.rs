//! A small C++ lexer: enough to find attributes and what surrounds them, and never to be fooled by comments, strings,
//! raw strings, character literals or line splices.

/// What a token is. Everything that is neither a word nor text is one byte of punctuation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or keyword.
    Word,
    /// A number, string or character.
    Literal,
    Punctuation(u8),
}

/// A token: its bytes are `start..end` of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// The tokens of a file. Unterminated comments and raw strings end with the file, other literals with their line.
pub fn lex(text: &[u8]) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next() {
        tokens.push(token);
    }
    tokens
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts(&self, with: &[u8]) -> bool {
        self.text[self.at..].starts_with(with)
    }

    fn next(&mut self) -> Option<Token> {
        self.skip_blank();
        let start = self.at;
        let kind = match *self.text.get(self.at)? {
            b'"' => self.quoted(b'"'),
            b'\'' => self.quoted(b'\''),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            byte if is_word_start(byte) => self.word(),
            byte => {
                self.at += 1;
                Kind::Punctuation(byte)
            }
        };
        Some(Token { kind, start, end: self.at })
    }

    /// White space, comments, line splices.
    fn skip_blank(&mut self) {
        while self.at < self.text.len() {
            if self.peek(0).is_ascii_whitespace() || self.peek(0) == b'\\' && matches!(self.peek(1), b'\n' | b'\r') {
                self.at += 1;
            } else if self.starts(b"//") {
                while self.at < self.text.len() && self.peek(0) != b'\n' {
                    // A splice continues the comment on the next line.
                    self.at += if self.peek(0) == b'\\' && self.peek(1) == b'\n' { 2 } else { 1 };
                }
            } else if self.starts(b"/*") {
                let rest = &self.text[self.at + 2..];
                self.at = rest.windows(2).position(|w| w == b"*/").map_or(self.text.len(), |n| self.at + n + 4);
            } else {
                return;
            }
            self.at = self.at.min(self.text.len());
        }
    }

    fn quoted(&mut self, quote: u8) -> Kind {
        self.at += 1;
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'\n' => break,
                byte if byte == quote => {
                    self.at += 1;
                    break;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.text.len());
        Kind::Literal
    }

    fn number(&mut self) -> Kind {
        while self.at < self.text.len() {
            let byte = self.peek(0);
            let exponent_sign =
                matches!(byte, b'+' | b'-') && matches!(self.text[self.at - 1], b'e' | b'E' | b'p' | b'P');
            let separator = byte == b'\'' && self.peek(1).is_ascii_alphanumeric();
            if !(is_word(byte) || byte == b'.' || exponent_sign || separator) {
                break;
            }
            self.at += 1;
        }
        Kind::Literal
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        while is_word(self.peek(0)) && self.at < self.text.len() {
            self.at += 1;
        }
        match (&self.text[start..self.at], self.peek(0)) {
            (b"R" | b"LR" | b"uR" | b"UR" | b"u8R", b'"') => self.raw_string(),
            (b"L" | b"u" | b"U" | b"u8", quote @ (b'"' | b'\'')) => self.quoted(quote),
            _ => Kind::Word,
        }
    }

    fn raw_string(&mut self) -> Kind {
        let rest = &self.text[self.at + 1..];
        let Some(open) = rest.iter().take(17).position(|&b| b == b'(') else { return self.quoted(b'"') };
        let mut close = vec![b')'];
        close.extend(&rest[..open]);
        close.push(b'"');
        let found = rest[open..].windows(close.len()).position(|w| w == close);
        self.at = found.map_or(self.text.len(), |n| self.at + 1 + open + n + close.len());
        Kind::Literal
    }
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn is_word(byte: u8) -> bool {
    is_word_start(byte) || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        lex(text.as_bytes()).into_iter().filter(|t| t.kind == Kind::Word).map(|t| &text[t.start..t.end]).collect()
    }

    #[test]
    fn comments_and_text_hide_what_they_hold() {
        assert_eq!(words("a /* b\n */ c // d \\\n e\n f \"g \\\" h\" 'i' j"), ["a", "c", "f", "j"]);
        assert_eq!(words("R\"x(a \" )y\" b)x\" c u8R\"(d)\" e L\"f\""), ["c", "e"]);
    }

    #[test]
    fn numbers_keep_their_separators_and_exponents() {
        assert_eq!(lex(b"1'000'000 0x1p-3 1.5e+7f .5").len(), 4);
        assert_eq!(words("1'000 a 'b' c"), ["a", "c"]);
    }

    #[test]
    fn what_is_not_terminated_ends() {
        for text in ["\"abc", "'", "/* abc", "R\"(abc", "R\"abc", "// abc", "\"abc\\", "L'"] {
            lex(text.as_bytes());
        }
        assert_eq!(words("#error don't\nnext"), ["error", "don", "next"]);
    }
}
