//! Gives the normaliser the shim's tokens as a [`Stream`], and gives the shim the edits as C
//! structures.

use std::cell::{OnceCell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use scythe_diag::{Diagnostic, Report};

use crate::decode::slice;
use crate::errors::Internal;
use crate::facts::Loc;
use crate::ffi;
use crate::ffi::numbers::{PieceKind, TokenKind};
use crate::normalise::stream::{Edits, Kind, Piece, Stream, Token};
use crate::plugin::panicked;
use crate::unit::report;

/// The tokens of the shim, which outlive this value.
struct RawStream {
    tokens: *mut ffi::RawTokens,
    /// The first token of a kind that `facts.h` does not define.
    unknown: OnceCell<Internal>,
}

impl RawStream {
    fn raw(&self, at: usize) -> ffi::Token {
        let mut raw = std::mem::MaybeUninit::<ffi::Token>::zeroed();
        // SAFETY: the tokens outlive this value. The shim fills the structure for every index.
        unsafe {
            ffi::scythe_token_at(self.tokens, at, raw.as_mut_ptr());
            raw.assume_init()
        }
    }
}

impl Stream for RawStream {
    fn get(&self, at: usize) -> Token<'_> {
        let raw = self.raw(at);
        let kind = match TokenKind::try_from(raw.kind) {
            Ok(TokenKind::Word) => Kind::Word,
            Ok(TokenKind::Punctuation) => Kind::Punctuation,
            Ok(TokenKind::Text) => Kind::Text,
            Ok(TokenKind::Other) => Kind::Other,
            Ok(TokenKind::End) => Kind::End,
            Err(error) => {
                self.unknown.get_or_init(|| error);
                Kind::End
            }
        };
        // SAFETY: the text is in the unit's arena or in a table of clang. Both outlive the tokens.
        let bytes = unsafe { slice(raw.text.data.cast::<u8>(), raw.text.size) };
        Token { kind, text: std::str::from_utf8(bytes).unwrap_or("") }
    }
}

/// Edits as C structures, with the memory that they point to.
#[derive(Default)]
struct Kept {
    _texts: Vec<Box<str>>,
    _pieces: Vec<Vec<ffi::Piece>>,
    edits: Vec<ffi::Edit>,
    written: Vec<ffi::Written>,
}

thread_local! {
    /// The edits that the shim reads. They live until the next unit.
    static KEPT: RefCell<Kept> = RefCell::default();
}

fn keep(edits: Edits) -> Kept {
    let mut texts: Vec<Box<str>> = Vec::new();
    let mut string = |text: String| {
        let text = text.into_boxed_str();
        let view = ffi::Str { data: text.as_ptr().cast(), size: text.len() };
        texts.push(text);
        view
    };
    let none = ffi::Str { data: std::ptr::null(), size: 0 };
    let (mut pieces, mut out) = (Vec::new(), Vec::new());
    for edit in edits.edits {
        let made: Vec<ffi::Piece> = edit
            .pieces
            .into_iter()
            .map(|piece| match piece {
                Piece::Copy(index) => {
                    ffi::Piece { kind: PieceKind::Copy as u32, index: index as u32, text: none }
                }
                Piece::New(kind, text, index) => {
                    let kind = match kind {
                        Kind::Word => PieceKind::Word,
                        Kind::Text => PieceKind::Text,
                        Kind::Punctuation | Kind::Other | Kind::End => PieceKind::Punctuation,
                    };
                    ffi::Piece { kind: kind as u32, index: index as u32, text: string(text) }
                }
            })
            .collect();
        out.push(ffi::Edit {
            start: edit.start,
            end: edit.end,
            pieces: made.as_ptr(),
            piece_count: made.len(),
        });
        pieces.push(made);
    }
    let written = edits.written.into_iter().map(|written| ffi::Written {
        index: written.at as u32,
        argument: written.argument,
        name: string(written.name),
    });
    let written = written.collect();
    Kept { _texts: texts, _pieces: pieces, edits: out, written }
}

/// Replaces the index of a token by the location of the token.
fn located(error: Diagnostic<usize>, stream: &RawStream) -> Diagnostic<Loc> {
    let Diagnostic { severity, code, location, message, notes: _ } = error;
    let location = location.map(|at| Loc(stream.raw(at).loc));
    Diagnostic { severity, code, location, message, notes: Vec::new() }
}

/// Edits the attributes that begin at the tokens `starts`.
///
/// # Safety
/// `unit` is the shim's live unit, and `tokens` are its tokens.
pub unsafe fn edit(
    unit: *mut ffi::RawUnit,
    tokens: *mut ffi::RawTokens,
    starts: &[usize],
    out: &mut ffi::Edits,
) {
    let stream = RawStream { tokens, unknown: OnceCell::new() };
    let edited = catch_unwind(AssertUnwindSafe(|| crate::normalise::edit(&stream, starts)));
    let (edits, errors) = match edited {
        Ok(edited) => edited,
        Err(payload) => {
            let error = panicked("attribute normaliser", payload.as_ref());
            // SAFETY: `unit` is the shim's live unit (this function's contract).
            unsafe { report(unit, &error.report()) };
            return;
        }
    };
    let located = errors.into_iter().map(|error| located(error, &stream));
    for error in located.chain(stream.unknown.get().map(Report::report)) {
        // SAFETY: `unit` is the shim's live unit (this function's contract).
        unsafe { report(unit, &error) };
    }
    KEPT.with(|kept| {
        let mut kept = kept.borrow_mut();
        *kept = keep(edits);
        *out = ffi::Edits {
            edits: kept.edits.as_ptr(),
            edit_count: kept.edits.len(),
            written: kept.written.as_ptr(),
            written_count: kept.written.len(),
        };
    });
}
