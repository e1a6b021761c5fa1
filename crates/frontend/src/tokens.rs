//! The shim's tokens as a [`Stream`], and edits in the shim's form.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::facts::{Level, Loc};
use crate::ffi;
use crate::normalise::stream::{Edits, Kind, Piece, Stream, Token};
use crate::unit::{report, slice};

/// Tokens of the shim, which outlives this.
struct RawStream(*mut ffi::RawTokens);

impl RawStream {
    fn raw(&self, at: usize) -> ffi::Token {
        let mut raw = std::mem::MaybeUninit::<ffi::Token>::zeroed();
        // SAFETY: the shim's tokens are alive while this is; it fills the structure for any index.
        unsafe {
            ffi::scythe_token_at(self.0, at, raw.as_mut_ptr());
            raw.assume_init()
        }
    }
}

impl Stream for RawStream {
    fn get(&self, at: usize) -> Token<'_> {
        let raw = self.raw(at);
        let kind = match raw.kind {
            0 => Kind::Word,
            1 => Kind::Punctuation,
            2 => Kind::Text,
            3 => Kind::Other,
            _ => Kind::End,
        };
        // SAFETY: the text is in the unit's arena, or in a table of clang's, and outlives the
        // tokens.
        let bytes = unsafe { slice(raw.text.data.cast::<u8>(), raw.text.size) };
        Token { kind, text: std::str::from_utf8(bytes).unwrap_or("") }
    }
}

/// Edits in the shim's form, with what it points at.
#[derive(Default)]
struct Kept {
    _texts: Vec<Box<str>>,
    _pieces: Vec<Vec<ffi::Piece>>,
    edits: Vec<ffi::Edit>,
    written: Vec<ffi::Written>,
}

thread_local! {
    /// Kept for the shim until the next unit.
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
                Piece::Copy(index) => ffi::Piece { kind: 0, index: index as u32, text: none },
                Piece::New(kind, text, index) => {
                    let kind = match kind {
                        Kind::Word => 1,
                        Kind::Text => 3,
                        _ => 2,
                    };
                    ffi::Piece { kind, index: index as u32, text: string(text) }
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

/// Edits the attributes that begin at the tokens `starts`.
///
/// # Safety
/// `unit` and `tokens` are the shim's.
pub unsafe fn edit(
    unit: *mut ffi::RawUnit,
    tokens: *mut ffi::RawTokens,
    starts: &[usize],
    out: &mut ffi::Edits,
) {
    let stream = RawStream(tokens);
    let edited = catch_unwind(AssertUnwindSafe(|| crate::normalise::edit(&stream, starts)));
    let Ok((edits, faults)) = edited else {
        let message = "scythe: internal error in the attribute normaliser";
        // SAFETY: forwarded to the caller.
        unsafe { report(unit, Level::Error, Loc(0), message) };
        return;
    };
    for fault in faults {
        // SAFETY: forwarded to the caller.
        unsafe { report(unit, Level::Error, Loc(stream.raw(fault.at).loc), &fault.message) };
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
