//! The device image: code for one target, and the information about it that the runtime needs.
//!
//! Layout, all numbers little-endian:
//!
//! ```text
//!  0  8 bytes  magic "SCYTHEIM"
//!  8  u32      version
//! 12  u32      number of sections, n
//! 16  u64      length of the whole image
//! 24  u64      checksum of all that follows
//! 32  n times  u32 kind, u32 zero, u64 offset from the image's start, u64 size
//!     sections: target (text), format (u32), options (text), manifest (its binary form),
//!               symbols (u32 count; per symbol u32 length and text), code (at a multiple of 16),
//!               encoding (u32 1, zstd; u64 size of the code): only if the code is compressed
//! ```
//!
//! Every section kind appears exactly once, except the last, which is optional. The output of the
//! writer depends only on its input: equal images are equal bytes. The reader borrows: code that is
//! not compressed is never copied, and code and manifest are decoded on demand.

use crate::manifest::{Manifest, ManifestError};
use scythe_abi::image_target::ImageTarget;
use std::borrow::Cow;
use std::fmt;
use std::io::Read;

pub const MAGIC: [u8; 8] = *b"SCYTHEIM";
pub const VERSION: u32 = 2;

const HEADER_SIZE: usize = 32;
const ROW_SIZE: usize = 24;
const CODE_ALIGNMENT: usize = 16;
/// The number of the only encoding: a zstd frame.
const ZSTD: u32 = 1;
const ENCODING_SIZE: usize = 12;

/// The format of an image's code. The numbers are part of the container format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Format {
    /// LLVM bitcode for the generic device triple, built at run time.
    LlvmBitcode = 0,
    /// A SPIR-V module.
    SpirV = 1,
    /// An ELF relocatable object with the entry points of `scythe_abi::cpu`.
    CpuObject = 2,
    /// PTX assembly text.
    Ptx = 3,
    /// A CUDA fat binary.
    Fatbin = 4,
    /// No code: the image only lists kernels that were left out, with the reasons.
    Empty = 5,
    /// A device binary that ocloc compiled for the Intel GPU that the image's target names.
    IntelGpu = 6,
}

impl Format {
    pub const ALL: [Self; 7] = [
        Self::LlvmBitcode,
        Self::SpirV,
        Self::CpuObject,
        Self::Ptx,
        Self::Fatbin,
        Self::Empty,
        Self::IntelGpu,
    ];

    /// Returns the format with this number.
    pub fn from_u32(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&format| format as u32 == number)
    }

    /// Returns the name by which tools print and accept the format.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LlvmBitcode => "llvmbc",
            Self::SpirV => "spirv",
            Self::CpuObject => "cpu-object",
            Self::Ptx => "ptx",
            Self::Fatbin => "fatbin",
            Self::Empty => "empty",
            Self::IntelGpu => "intel-gpu",
        }
    }

    /// The inverse of [`Format::as_str`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A device image that owns its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The target for which the code was compiled.
    pub target: ImageTarget,
    pub format: Format,
    /// Options for building the code at run time.
    pub options: String,
    pub manifest: Manifest,
    /// The kernels and other entry points in the image, in the order of the split.
    pub symbols: Vec<String>,
    pub code: Vec<u8>,
}

/// A device image that borrows from the bytes it was read from.
#[derive(Clone, Copy, Debug)]
pub struct ImageView<'a> {
    pub target: &'a str,
    pub format: Format,
    pub options: &'a str,
    /// The code as it is stored in the container.
    stored: &'a [u8],
    /// The size of the decompressed code, if it is compressed.
    decompressed_size: Option<u64>,
    manifest: &'a [u8],
    symbols: Symbols<'a>,
}

/// The reason why bytes are not a device image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    #[error("not a device image: it starts with {}, expected {}", Hex(seen), Hex(&MAGIC))]
    BadMagic { seen: Vec<u8> },
    #[error(
        "device image has version {seen}, expected {VERSION}: link the program again with this \
         version of Scythe"
    )]
    Version { seen: u32 },
    #[error("device image truncated at byte {length}: expected {needed} bytes for {what}")]
    Truncated { length: usize, needed: u64, what: &'static str },
    #[error("device image of {claimed} bytes is followed by {extra} bytes that are not part of it")]
    TrailingBytes { claimed: u64, extra: u64 },
    #[error("device image checksum {seen:#018x}, expected {expected:#018x}: the image is damaged")]
    Checksum { seen: u64, expected: u64 },
    #[error("device image section {index} has unknown kind {kind}")]
    UnknownSection { index: u32, kind: u32 },
    #[error("device image has two {0} sections, expected one")]
    RepeatedSection(&'static str),
    #[error("device image has no {0} section")]
    MissingSection(&'static str),
    #[error(
        "device image {section} section spans bytes {offset} to {offset} + {size}, beyond the \
         image's {length}"
    )]
    SectionBounds { section: &'static str, offset: u64, size: u64, length: usize },
    #[error("device image {0} section is not UTF-8 text")]
    NotText(&'static str),
    #[error("device image has unknown format {0}")]
    UnknownFormat(u32),
    #[error("device image {section} section has {seen} bytes, expected {expected}")]
    SectionSize { section: &'static str, seen: usize, expected: usize },
    #[error("device image symbol {index} of {count} is outside the symbol section")]
    Symbol { index: u32, count: u32 },
    #[error("device image code has encoding {0}, expected 1 (zstd)")]
    Encoding(u32),
    #[error("device image code cannot be decompressed: {0}")]
    Decompress(String),
    #[error("device image code decompresses to {seen} bytes or more, expected {expected}")]
    DecompressedSize { seen: u64, expected: u64 },
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nothing");
        }
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

#[derive(Clone, Copy, PartialEq)]
#[repr(u32)]
enum Section {
    Target = 1,
    Format = 2,
    Options = 3,
    Manifest = 4,
    Symbols = 5,
    Code = 6,
    Encoding = 7,
}

const SECTIONS: [Section; 7] = [
    Section::Target,
    Section::Format,
    Section::Options,
    Section::Manifest,
    Section::Symbols,
    Section::Code,
    Section::Encoding,
];

impl Section {
    fn name(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Format => "format",
            Self::Options => "options",
            Self::Manifest => "manifest",
            Self::Symbols => "symbols",
            Self::Code => "code",
            Self::Encoding => "encoding",
        }
    }
}

/// Computes the checksum. It detects damage, not manipulation. It works on words, because it is
/// computed for every image when a program starts.
fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| {
        let sum = (sum ^ word).wrapping_mul(PRIME);
        sum ^ (sum >> 32)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let sum =
        words.iter().fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(sum, u64::from_le_bytes(last))
}

/// Makes the length and the checksum of a container those of its bytes. Tests of the reader change
/// the bytes in between.
#[doc(hidden)]
pub fn seal(bytes: &mut [u8]) {
    if bytes.len() < HEADER_SIZE {
        return;
    }
    let length = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    let sum = checksum(&bytes[HEADER_SIZE..]);
    bytes[24..32].copy_from_slice(&sum.to_le_bytes());
}

impl Image {
    /// Returns the container's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.write(&self.code, None)
    }

    /// Returns the container's bytes with compressed code, if that makes them smaller.
    pub fn to_compressed_bytes(&self) -> Vec<u8> {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        let compressed = compress_to_vec(self.code.as_slice(), CompressionLevel::Fastest);
        if compressed.len() + ENCODING_SIZE + ROW_SIZE >= self.code.len() {
            return self.to_bytes();
        }
        let mut encoding = [0; ENCODING_SIZE];
        encoding[..4].copy_from_slice(&ZSTD.to_le_bytes());
        encoding[4..].copy_from_slice(&(self.code.len() as u64).to_le_bytes());
        self.write(&compressed, Some(&encoding))
    }

    fn write(&self, code: &[u8], encoding: Option<&[u8]>) -> Vec<u8> {
        let mut symbols = Vec::from((self.symbols.len() as u32).to_le_bytes());
        for symbol in &self.symbols {
            symbols.extend((symbol.len() as u32).to_le_bytes());
            symbols.extend(symbol.as_bytes());
        }
        let format = (self.format as u32).to_le_bytes();
        let manifest = self.manifest.to_bytes();
        let mut contents: Vec<(Section, &[u8])> = vec![
            (Section::Target, self.target.as_str().as_bytes()),
            (Section::Format, &format),
            (Section::Options, self.options.as_bytes()),
            (Section::Manifest, &manifest),
            (Section::Symbols, &symbols),
            (Section::Code, code),
        ];
        contents.extend(encoding.map(|encoding| (Section::Encoding, encoding)));

        let table_end = HEADER_SIZE + ROW_SIZE * contents.len();
        let mut out = vec![0; table_end];
        for (index, (section, content)) in contents.iter().enumerate() {
            if *section == Section::Code {
                out.resize(out.len().next_multiple_of(CODE_ALIGNMENT), 0);
            }
            let row = HEADER_SIZE + ROW_SIZE * index;
            let offset = out.len() as u64;
            out[row..row + 4].copy_from_slice(&(*section as u32).to_le_bytes());
            out[row + 8..row + 16].copy_from_slice(&offset.to_le_bytes());
            out[row + 16..row + 24].copy_from_slice(&(content.len() as u64).to_le_bytes());
            out.extend(*content);
        }
        let length = out.len() as u64;
        let sum = checksum(&out[HEADER_SIZE..]);
        out[..8].copy_from_slice(&MAGIC);
        out[8..12].copy_from_slice(&VERSION.to_le_bytes());
        out[12..16].copy_from_slice(&(contents.len() as u32).to_le_bytes());
        out[16..24].copy_from_slice(&length.to_le_bytes());
        out[24..32].copy_from_slice(&sum.to_le_bytes());
        out
    }

    /// Reads a whole image. [`ImageView::parse`] does the same without copies.
    pub fn parse(bytes: &[u8]) -> Result<Self, ImageError> {
        ImageView::parse(bytes)?.to_image()
    }
}

impl<'a> ImageView<'a> {
    /// Checks the container and finds its parts. `bytes` must be exactly one image.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ImageError> {
        let (view, length) = Self::parse_prefix(bytes)?;
        if length < bytes.len() {
            return Err(ImageError::TrailingBytes {
                claimed: length as u64,
                extra: (bytes.len() - length) as u64,
            });
        }
        Ok(view)
    }

    /// Like [`ImageView::parse`], for bytes that start with an image. Also returns the image's
    /// length.
    pub fn parse_prefix(bytes: &'a [u8]) -> Result<(Self, usize), ImageError> {
        let seen = &bytes[..bytes.len().min(MAGIC.len())];
        if seen != MAGIC {
            return Err(ImageError::BadMagic { seen: seen.to_vec() });
        }
        let truncated = |needed, what| ImageError::Truncated { length: bytes.len(), needed, what };
        let header =
            bytes.get(..HEADER_SIZE).ok_or_else(|| truncated(HEADER_SIZE as u64, "the header"))?;
        let version = u32_at(header, 8);
        if version != VERSION {
            return Err(ImageError::Version { seen: version });
        }
        let length = u64_at(header, 16);
        let bytes = usize::try_from(length)
            .ok()
            .and_then(|length| bytes.get(..length))
            .ok_or_else(|| truncated(length, "the whole image"))?;
        let truncated = |needed, what| ImageError::Truncated { length: bytes.len(), needed, what };
        let body =
            bytes.get(HEADER_SIZE..).ok_or_else(|| truncated(HEADER_SIZE as u64, "the header"))?;
        let (seen, expected) = (checksum(body), u64_at(header, 24));
        if seen != expected {
            return Err(ImageError::Checksum { seen, expected });
        }
        let count = u32_at(header, 12);
        let table_size = u64::from(count) * ROW_SIZE as u64;
        let table = usize::try_from(table_size)
            .ok()
            .and_then(|size| body.get(..size))
            .ok_or_else(|| truncated(HEADER_SIZE as u64 + table_size, "the section table"))?;
        let sections = Sections::read(bytes, table)?;
        Ok((sections.view()?, bytes.len()))
    }

    /// Returns the code. Code that is not compressed is borrowed.
    pub fn code(&self) -> Result<Cow<'a, [u8]>, ImageError> {
        let Some(expected) = self.decompressed_size else { return Ok(Cow::Borrowed(self.stored)) };
        let fail = |error: &dyn fmt::Display| ImageError::Decompress(error.to_string());
        let mut decoder =
            ruzstd::decoding::StreamingDecoder::new(self.stored).map_err(|error| fail(&error))?;
        let mut code = Vec::new();
        // Reading one byte more than expected detects a frame that is too large, without reading
        // all of it.
        decoder
            .by_ref()
            .take(expected.saturating_add(1))
            .read_to_end(&mut code)
            .map_err(|error| fail(&error))?;
        if code.len() as u64 != expected {
            return Err(ImageError::DecompressedSize { seen: code.len() as u64, expected });
        }
        Ok(Cow::Owned(code))
    }

    /// Returns the size of [`ImageView::code`].
    pub fn code_size(&self) -> u64 {
        self.decompressed_size.unwrap_or(self.stored.len() as u64)
    }

    /// Returns the size of the code in the container, if it is compressed.
    pub fn compressed_size(&self) -> Option<u64> {
        self.decompressed_size.map(|_| self.stored.len() as u64)
    }

    /// Decodes the manifest.
    pub fn manifest(&self) -> Result<Manifest, ManifestError> {
        Manifest::from_bytes(self.manifest)
    }

    /// Returns the kernels and other entry points in the image, in order.
    pub fn symbols(&self) -> Symbols<'a> {
        self.symbols
    }

    /// Returns a copy that owns its parts.
    pub fn to_image(&self) -> Result<Image, ImageError> {
        Ok(Image {
            target: ImageTarget::parse(self.target),
            format: self.format,
            options: self.options.to_owned(),
            manifest: self.manifest()?,
            symbols: self.symbols.map(str::to_owned).collect(),
            code: self.code()?.into_owned(),
        })
    }
}

/// Returns every image in the bytes of a file of any kind. If the file starts with a container,
/// errors of that container are reported. Inside of other files, bytes that only look like the
/// start of an image are skipped.
pub fn find_all(bytes: &[u8]) -> Result<Vec<ImageView<'_>>, ImageError> {
    let mut images = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(MAGIC.len()).position(|window| window == MAGIC) {
        let start = at + found;
        at = match ImageView::parse_prefix(&bytes[start..]) {
            Ok((image, length)) => {
                images.push(image);
                start + length
            }
            Err(error) if start == 0 => return Err(error),
            Err(_) => start + 1,
        };
    }
    Ok(images)
}

/// An iterator over an image's symbols.
#[derive(Clone, Copy, Debug)]
pub struct Symbols<'a> {
    /// The bytes of the remaining symbols. They were checked when the image was read.
    rest: &'a [u8],
    left: u32,
}

impl<'a> Symbols<'a> {
    fn read(section: &'a [u8]) -> Result<Self, ImageError> {
        let name = Section::Symbols.name();
        let (count, rest) = section.split_first_chunk::<4>().ok_or(ImageError::SectionSize {
            section: name,
            seen: section.len(),
            expected: 4,
        })?;
        let count = u32::from_le_bytes(*count);
        let all = Self { rest, left: count };
        let mut walk = all;
        for index in 0..count {
            let (symbol, tail) =
                split_symbol(walk.rest).ok_or(ImageError::Symbol { index, count })?;
            std::str::from_utf8(symbol).map_err(|_| ImageError::NotText(name))?;
            walk.rest = tail;
        }
        if !walk.rest.is_empty() {
            return Err(ImageError::SectionSize {
                section: name,
                seen: section.len(),
                expected: section.len() - walk.rest.len(),
            });
        }
        Ok(all)
    }
}

fn split_symbol(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

impl<'a> Iterator for Symbols<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.left = self.left.checked_sub(1)?;
        let (symbol, rest) = split_symbol(self.rest)?;
        self.rest = rest;
        std::str::from_utf8(symbol).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Symbols<'_> {}

/// The sections, by their index in [`SECTIONS`].
struct Sections<'a>([Option<&'a [u8]>; SECTIONS.len()]);

impl<'a> Sections<'a> {
    fn read(image: &'a [u8], table: &[u8]) -> Result<Self, ImageError> {
        let mut found = Self([None; SECTIONS.len()]);
        for (index, row) in table.chunks_exact(ROW_SIZE).enumerate() {
            let kind = u32_at(row, 0);
            let place = SECTIONS
                .iter()
                .position(|&section| section as u32 == kind)
                .ok_or(ImageError::UnknownSection { index: index as u32, kind })?;
            let section = SECTIONS[place].name();
            let (offset, size) = (u64_at(row, 8), u64_at(row, 16));
            let bytes = usize::try_from(offset)
                .ok()
                .zip(usize::try_from(size).ok())
                .and_then(|(offset, size)| image.get(offset..offset.checked_add(size)?))
                .ok_or(ImageError::SectionBounds { section, offset, size, length: image.len() })?;
            if found.0[place].replace(bytes).is_some() {
                return Err(ImageError::RepeatedSection(section));
            }
        }
        Ok(found)
    }

    fn get(&self, section: Section) -> Result<&'a [u8], ImageError> {
        SECTIONS
            .iter()
            .zip(self.0)
            .find_map(|(&known, bytes)| bytes.filter(|_| known == section))
            .ok_or(ImageError::MissingSection(section.name()))
    }

    fn text(&self, section: Section) -> Result<&'a str, ImageError> {
        std::str::from_utf8(self.get(section)?).map_err(|_| ImageError::NotText(section.name()))
    }

    fn decompressed_size(&self) -> Result<Option<u64>, ImageError> {
        let Ok(encoding) = self.get(Section::Encoding) else { return Ok(None) };
        if encoding.len() != ENCODING_SIZE {
            let section = Section::Encoding.name();
            return Err(ImageError::SectionSize {
                section,
                seen: encoding.len(),
                expected: ENCODING_SIZE,
            });
        }
        match u32_at(encoding, 0) {
            ZSTD => Ok(Some(u64_at(encoding, 4))),
            other => Err(ImageError::Encoding(other)),
        }
    }

    fn view(&self) -> Result<ImageView<'a>, ImageError> {
        let format = self.get(Section::Format)?;
        let number = *format.as_array::<4>().ok_or(ImageError::SectionSize {
            section: Section::Format.name(),
            seen: format.len(),
            expected: 4,
        })?;
        let number = u32::from_le_bytes(number);
        Ok(ImageView {
            target: self.text(Section::Target)?,
            format: Format::from_u32(number).ok_or(ImageError::UnknownFormat(number))?,
            options: self.text(Section::Options)?,
            stored: self.get(Section::Code)?,
            decompressed_size: self.decompressed_size()?,
            manifest: self.get(Section::Manifest)?,
            symbols: Symbols::read(self.get(Section::Symbols)?)?,
        })
    }
}

/// Returns the number at `at`. The caller has checked that `bytes` is long enough.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

/// Returns the number at `at`. The caller has checked that `bytes` is long enough.
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}
