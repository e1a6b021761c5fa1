//! The layout of kernel functors in one compiler pass: every part with its offset, size and type.
//!
//! In the text form, each line is `kernel` or `part` and fields separated by tabs. In a field,
//! `\\`, `\t` and `\n` are escape sequences. The parts of a kernel follow it in preorder. The first
//! line states the version.

const HEAD: &str = "scythe functors 1";

/// The functor of one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functor {
    pub symbol: String,
    /// The kernel's name as diagnostics show it.
    pub name: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// Whether the name is or contains the type of the lambda at this position.
    pub unnamed: bool,
    pub size: u64,
    pub align: u64,
    pub parts: Vec<Part>,
}

/// A part of a functor. The first element of an array represents all of its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The nesting depth; 0 for direct members of the functor.
    pub depth: u32,
    pub kind: PartKind,
    pub name: String,
    /// The type as diagnostics show it.
    pub type_name: String,
    /// A text that is equal for equal types, across passes.
    pub identity: String,
    /// The offset from the start of the functor, in bits.
    pub bit_offset: u64,
    pub bit_size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    Capture = 0,
    Member = 1,
    Base = 2,
}

impl PartKind {
    pub fn from_u32(n: u32) -> Option<Self> {
        [Self::Capture, Self::Member, Self::Base].into_iter().find(|kind| *kind as u32 == n)
    }
}

/// Writes the functors of one pass as text.
pub fn to_text(functors: &[Functor]) -> String {
    let mut out = format!("{HEAD}\n");
    for f in functors {
        let (line, column, unnamed) =
            (f.line.to_string(), f.column.to_string(), u32::from(f.unnamed).to_string());
        let (size, align) = (f.size.to_string(), f.align.to_string());
        write_line(
            &mut out,
            &["kernel", &f.symbol, &f.name, &f.file, &line, &column, &unnamed, &size, &align],
        );
        for p in &f.parts {
            let (depth, kind) = (p.depth.to_string(), (p.kind as u32).to_string());
            let (offset, size) = (p.bit_offset.to_string(), p.bit_size.to_string());
            write_line(
                &mut out,
                &["part", &depth, &kind, &p.name, &p.type_name, &p.identity, &offset, &size],
            );
        }
    }
    out
}

/// Parses the output of [`to_text`]. Returns `None` for any other text.
pub fn from_text(text: &str) -> Option<Vec<Functor>> {
    let mut lines = text.strip_suffix('\n')?.split('\n');
    if lines.next() != Some(HEAD) {
        return None;
    }
    let mut functors: Vec<Functor> = Vec::new();
    for line in lines {
        let fields: Vec<String> = line.split('\t').map(unescaped).collect::<Option<_>>()?;
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        match fields[..] {
            ["kernel", symbol, name, file, line, column, unnamed, size, align] => {
                functors.push(Functor {
                    symbol: symbol.to_owned(),
                    name: name.to_owned(),
                    file: file.to_owned(),
                    line: line.parse().ok()?,
                    column: column.parse().ok()?,
                    unnamed: unnamed == "1",
                    size: size.parse().ok()?,
                    align: align.parse().ok()?,
                    parts: Vec::new(),
                })
            }
            ["part", depth, kind, name, type_name, identity, offset, size] => {
                functors.last_mut()?.parts.push(Part {
                    depth: depth.parse().ok()?,
                    kind: PartKind::from_u32(kind.parse().ok()?)?,
                    name: name.to_owned(),
                    type_name: type_name.to_owned(),
                    identity: identity.to_owned(),
                    bit_offset: offset.parse().ok()?,
                    bit_size: size.parse().ok()?,
                });
            }
            _ => return None,
        }
    }
    Some(functors)
}

fn write_line(out: &mut String, fields: &[&str]) {
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            out.push('\t');
        }
        for c in field.chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\t' => out.push_str("\\t"),
                '\n' => out.push_str("\\n"),
                _ => out.push(c),
            }
        }
    }
    out.push('\n');
}

fn unescaped(field: &str) -> Option<String> {
    let mut out = String::with_capacity(field.len());
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next()? {
                '\\' => '\\',
                't' => '\t',
                'n' => '\n',
                _ => return None,
            },
            _ => c,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functors_are_read_as_written() {
        let part = Part {
            depth: 1,
            kind: PartKind::Base,
            name: "a\tb\\n\nc".into(),
            type_name: "int".into(),
            identity: "_ZTSi".into(),
            bit_offset: 13,
            bit_size: 3,
        };
        let functor = Functor {
            symbol: "_ZTS1K".into(),
            name: "K".into(),
            file: "odd\tfolder/a b.cpp".into(),
            line: 7,
            column: 3,
            unnamed: true,
            size: 8,
            align: 4,
            parts: vec![part],
        };
        let functors = vec![functor, Functor::default()];
        assert_eq!(from_text(&to_text(&functors)), Some(functors));
        assert_eq!(from_text(&to_text(&[])), Some(Vec::new()));
    }

    #[test]
    fn other_text_is_refused() {
        let kernel = "kernel\ts\tn\tf\t1\t1\t0\t4\t4\n";
        for text in [
            "",
            "scythe functors 2\n",
            "scythe functors 1",
            &format!("{HEAD}\n{kernel}x\n"),
            &format!("{HEAD}\npart\t0\t1\ta\tint\ti\t0\t32\n"),
            &format!("{HEAD}\n{kernel}part\t0\t9\ta\tint\ti\t0\t32\n"),
            &format!("{HEAD}\nkernel\t\\s\tn\tf\t1\t1\t0\t4\t4\n"),
        ] {
            assert_eq!(from_text(text), None, "{text:?}");
        }
    }
}
