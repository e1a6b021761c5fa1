//! Finds the SYCL header at the beginning of a source, or in headers of the program that the source
//! includes first.
//!
//! Only standard headers and macros may precede the SYCL header. The headers of the program are
//! read like the source: if anything else is in them before the SYCL header, the precompiled header
//! is not used. The cache checks that the macros have no meaning in the SYCL header.

use std::path::{Path, PathBuf};

/// The names of the header that have a precompiled form.
const SYCL_HEADERS: [&str; 2] = ["sycl/sycl.hpp", "CL/sycl.hpp"];
/// Headers of the C++ standard library, the C library and POSIX that may precede the SYCL header.
/// They may be included in any order, so the SYCL header may as well come first.
const STANDARD: [&str; 127] = [
    "algorithm",
    "any",
    "array",
    "assert.h",
    "atomic",
    "barrier",
    "bit",
    "bitset",
    "cassert",
    "cctype",
    "cerrno",
    "cfenv",
    "cfloat",
    "charconv",
    "chrono",
    "cinttypes",
    "climits",
    "clocale",
    "cmath",
    "codecvt",
    "compare",
    "complex",
    "concepts",
    "condition_variable",
    "coroutine",
    "csetjmp",
    "csignal",
    "cstdarg",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "ctype.h",
    "cuchar",
    "cwchar",
    "cwctype",
    "deque",
    "errno.h",
    "exception",
    "execution",
    "fcntl.h",
    "fenv.h",
    "filesystem",
    "float.h",
    "format",
    "forward_list",
    "fstream",
    "functional",
    "future",
    "getopt.h",
    "initializer_list",
    "inttypes.h",
    "iomanip",
    "ios",
    "iosfwd",
    "iostream",
    "istream",
    "iterator",
    "latch",
    "limits",
    "limits.h",
    "list",
    "locale",
    "locale.h",
    "map",
    "math.h",
    "memory",
    "memory_resource",
    "mutex",
    "new",
    "numbers",
    "numeric",
    "optional",
    "ostream",
    "pthread.h",
    "queue",
    "random",
    "ranges",
    "ratio",
    "regex",
    "scoped_allocator",
    "semaphore",
    "set",
    "shared_mutex",
    "signal.h",
    "source_location",
    "span",
    "sstream",
    "stack",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdexcept",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "streambuf",
    "string",
    "string.h",
    "string_view",
    "strings.h",
    "sys/resource.h",
    "sys/stat.h",
    "sys/time.h",
    "sys/types.h",
    "system_error",
    "thread",
    "time.h",
    "tuple",
    "type_traits",
    "typeindex",
    "typeinfo",
    "unistd.h",
    "unordered_map",
    "unordered_set",
    "utility",
    "valarray",
    "variant",
    "vector",
    "version",
    "wchar.h",
    "wctype.h",
    "sys/param.h",
    "sys/wait.h",
    "libgen.h",
];

/// How deep headers may include each other.
const MAX_DEPTH: usize = 16;
/// A SYCL header that a source includes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leading {
    pub name: String,
    /// The standard headers before it.
    pub before: Vec<String>,
    /// The macros that the program may define before it, and its include guards.
    pub macros: Vec<String>,
}

/// Returns the SYCL header that the source `path` with the contents `text` includes before anything
/// else except standard headers. `folders` are the folders that the program's options name. Returns
/// `None` if a construct needs a preprocessor to be understood.
pub fn sycl_header(path: &Path, text: &[u8], folders: &[PathBuf]) -> Option<Leading> {
    let mut scan =
        Scan { folders, found: Leading::default(), guards: Vec::new(), once: Vec::new() };
    scan.file(path, text, 0)?;
    Some(scan.found).filter(|found| !found.name.is_empty())
}

struct Scan<'a> {
    folders: &'a [PathBuf],
    found: Leading,
    /// The include guards so far, which are defined in any case.
    guards: Vec<String>,
    /// The headers with `#pragma once` so far.
    once: Vec<PathBuf>,
}

impl Scan<'_> {
    /// Reads the directives of a file until the SYCL header. Returns `None` if there is anything
    /// else before the SYCL header or the end of the file.
    fn file(&mut self, path: &Path, text: &[u8], depth: usize) -> Option<()> {
        let mut rest = skip_blanks(text)?;
        let mut guarded = false;
        if depth > 0 {
            if let Some(after) = directive(rest, b"pragma").and_then(|d| d.strip_prefix(b"once")) {
                let file = path.canonicalize().ok()?;
                if self.once.contains(&file) {
                    return Some(());
                }
                self.once.push(file);
                rest = skip_blanks(skip_to_line_end(after)?)?;
            }
            if let Some(opened) = directive(rest, b"ifndef") {
                let (guard, after) = identifier(opened)?;
                if self.guards.iter().any(|known| known == guard) {
                    return Some(());
                }
                let unknown = self.found.macros.iter().all(|known| known != guard);
                let defined = directive(skip_blanks(skip_to_line_end(after)?)?, b"define")?;
                let (name, after) = identifier(defined)?;
                (name == guard && unknown).then_some(())?;
                self.guards.push(guard.to_owned());
                self.found.macros.push(guard.to_owned());
                rest = skip_directive(after)?;
                guarded = true;
            }
        }
        // The number of open conditional blocks, without the include guard.
        let mut open = 0;
        loop {
            rest = skip_blanks(rest)?;
            if rest.is_empty() {
                return (!guarded && open == 0).then_some(());
            }
            if let Some(after) = directive(rest, b"define") {
                self.found.macros.push(identifier(after)?.0.to_owned());
                rest = skip_directive(after)?;
                continue;
            }
            let begins = [&b"if"[..], b"ifdef", b"ifndef"];
            if let Some(after) = begins.iter().find_map(|name| directive(rest, name)) {
                (open, rest) = (open + 1, skip_directive(after)?);
                continue;
            }
            let continues = [&b"else"[..], b"elif", b"elifdef", b"elifndef"];
            if let Some(after) = continues.iter().find_map(|name| directive(rest, name)) {
                (open > 0).then_some(())?;
                rest = skip_directive(after)?;
                continue;
            }
            if let Some(after) = directive(rest, b"endif") {
                rest = skip_directive(after)?;
                if open == 0 {
                    return (guarded && skip_blanks(rest)?.is_empty()).then_some(());
                }
                open -= 1;
                continue;
            }
            let (name, quoted, after) = target(directive(rest, b"include")?)?;
            rest = after;
            if self.include(path, name, quoted, open > 0, depth)? {
                return Some(());
            }
        }
    }

    /// Reads an included file. Returns whether it is or includes the SYCL header. A conditional
    /// block may only include standard headers.
    fn include(
        &mut self,
        path: &Path,
        name: &str,
        quoted: bool,
        conditional: bool,
        depth: usize,
    ) -> Option<bool> {
        let beside = path.with_file_name("").join(name);
        let own = match quoted && beside.is_file() {
            true => Some(beside),
            false => only(name, self.folders)?,
        };
        if let Some(file) = own {
            (!conditional && depth < MAX_DEPTH).then_some(())?;
            let text = std::fs::read(&file).ok()?;
            self.file(&file, &text, depth + 1)?;
            return Some(!self.found.name.is_empty());
        }
        if SYCL_HEADERS.contains(&name) {
            self.found.name = name.to_owned();
            return (!conditional).then_some(true);
        }
        self.found.before.push(STANDARD.contains(&name).then(|| name.to_owned())?);
        Some(false)
    }
}

/// Returns the name in an `#include` directive, whether it is in quotes, and the text after the
/// directive.
fn target(text: &[u8]) -> Option<(&str, bool, &[u8])> {
    let (end, quoted) = match text.first()? {
        b'<' => (b'>', false),
        b'"' => (b'"', true),
        _ => return None,
    };
    let length = text[1..].iter().position(|byte| *byte == end || *byte == b'\n')?;
    let (name, after) = (&text[1..1 + length], &text[1 + length..]);
    let name = std::str::from_utf8(name).ok()?;
    Some((name, quoted, skip_to_line_end(after.strip_prefix(&[end])?)?))
}

/// Returns the file in the only one of `folders` that has it. The inner `None` means that there is
/// no such file. The order of several folders depends on the options that name them.
fn only(name: &str, folders: &[PathBuf]) -> Option<Option<PathBuf>> {
    let mut files = folders.iter().map(|folder| folder.join(name)).filter(|file| file.exists());
    let file = files.next();
    files.all(|other| Some(&other) == file.as_ref()).then_some(file)
}

/// Returns the identifiers in a text, including those in its comments.
pub fn identifiers(text: &[u8]) -> impl Iterator<Item = &str> {
    let words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let words = words.filter(|word| word.first().is_some_and(|byte| !byte.is_ascii_digit()));
    words.filter_map(|word| std::str::from_utf8(word).ok())
}

/// Skips the rest of a directive of one or several lines, which may contain any text. Returns
/// `None` if a comment begins in it and does not end in its line.
fn skip_directive(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
        let line = text[..end].trim_ascii_end();
        let opens = |at: usize| line[at..].starts_with(b"/*");
        let mut at = 0;
        while let Some(open) = (at..line.len()).find(|at| opens(*at)) {
            let close = line[open + 2..].windows(2).position(|pair| pair == b"*/")?;
            at = open + 2 + close + 2;
        }
        if line.ends_with(b"??/") {
            return None;
        }
        let continues = line.ends_with(b"\\");
        text = &text[end..];
        match text.split_first() {
            Some((_, next)) if continues => text = next,
            _ => return Some(text),
        }
    }
}

/// Returns the text after the name of a directive, if `text` starts with this directive.
fn directive<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let after = skip_spaces(text.strip_prefix(b"#")?).strip_prefix(name)?;
    let ends = after.first().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    ends.then(|| skip_spaces(after))
}

/// Splits an identifier from the start of a text.
fn identifier(text: &[u8]) -> Option<(&str, &[u8])> {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = text.iter().position(|byte| !word(byte)).unwrap_or(text.len());
    let name = std::str::from_utf8(&text[..length]).ok()?;
    (!name.is_empty() && !name.as_bytes()[0].is_ascii_digit()).then_some((name, &text[length..]))
}

/// Skips blanks, line ends and comments before a directive.
fn skip_blanks(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        text = text.trim_ascii_start();
        if text.starts_with(b"//") {
            text = skip_line(text)?;
        } else if let Some(comment) = text.strip_prefix(b"/*") {
            text = skip_comment(comment)?;
        } else {
            return Some(text);
        }
    }
}

fn skip_spaces(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(text.len());
    &text[end..]
}

/// Skips blanks and comments after a directive, which must end there.
fn skip_to_line_end(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        text = skip_spaces(text);
        match text {
            [] | [b'\n', ..] | [b'\r', b'\n', ..] => return Some(text),
            [b'/', b'/', ..] => return skip_line(text),
            [b'/', b'*', comment @ ..] => {
                let after = skip_comment(comment)?;
                let skipped = &comment[..comment.len() - after.len()];
                // A directive does not end inside a comment of several lines.
                text = Some(after).filter(|_| !skipped.contains(&b'\n'))?;
            }
            _ => return None,
        }
    }
}

/// Skips a `//` comment. Returns `None` if the next line continues it.
fn skip_line(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    let continues = text[..end].trim_ascii_end().ends_with(b"\\")
        || text[..end].trim_ascii_end().ends_with(b"??/");
    Some(&text[end..]).filter(|_| !continues)
}

/// Skips a comment, after its `/*`.
fn skip_comment(text: &[u8]) -> Option<&[u8]> {
    let end = text.windows(2).position(|pair| pair == b"*/")?;
    Some(&text[end + 2..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Option<String> {
        sycl_header(Path::new("a.cpp"), text.as_bytes(), &[]).map(|found| found.name)
    }

    /// Returns what is found in `a.cpp` with the text `source` next to the header `h.hpp`.
    fn through(header: &str, source: &str) -> Option<Leading> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let include = folder.path().join("include");
        std::fs::create_dir(&include).expect("a folder");
        std::fs::write(folder.path().join("h.hpp"), header).expect("a header");
        std::fs::write(include.join("sub.h"), "#pragma once\n#include <cmath>\n")
            .expect("a header");
        let path = folder.path().join("a.cpp");
        sycl_header(&path, source.as_bytes(), &[include.clone(), include])
    }

    #[test]
    fn macros_before_the_header_are_found() {
        let text = "#define N 4\n#ifdef VERIFY\n#include <random>\n#define MAX(a, b) \\\n  (a) /* b */\n\
                    #else // x\n# define OTHER\n#endif\n#include <sycl/sycl.hpp>\n#define LATER\n";
        let found = sycl_header(Path::new("a.cpp"), text.as_bytes(), &[]).expect("the header");
        assert_eq!(found.macros, ["N", "MAX", "OTHER"]);
        assert_eq!(found.before, ["random"]);
    }

    #[test]
    fn headers_of_the_program_may_include_it() {
        let source = "#include <vector>\n#include \"h.hpp\"\nint main() {}\n";
        for (header, guards) in [
            ("#pragma once\n#include \"sub.h\"\n#include <sycl/sycl.hpp>\nint x;\n", &[][..]),
            (
                "// x\n#ifndef MY_H_\n#define MY_H_ /* x */\n#include <sub.h>\n\
                 #include <sycl/sycl.hpp>\nint x;\n#endif\n",
                &["MY_H_"],
            ),
            ("#include <cmath>\n#include <sycl/sycl.hpp>\n", &[]),
        ] {
            let found = through(header, source).unwrap_or_else(|| panic!("{header}"));
            assert_eq!(found.name, "sycl/sycl.hpp");
            assert_eq!(found.before, ["vector", "cmath"], "{header}");
            assert_eq!(found.macros, guards, "{header}");
        }
        // A header that ends without it.
        let source = "#include \"h.hpp\"\n#include <sycl/sycl.hpp>\n";
        for header in [
            "#pragma once\n#include <map>\n",
            "#ifndef MINE_\n#define MINE_\n#endif // MINE_\n",
            "",
        ] {
            assert!(through(header, source).is_some(), "{header}");
        }
    }

    #[test]
    fn anything_else_in_headers_of_the_program_counts() {
        let source = "#include \"h.hpp\"\n#include <sycl/sycl.hpp>\n";
        for header in [
            "int x;\n",
            "#ifndef A_H\n#define B_H\n#endif\n",
            "#ifndef A_H\n#define A_H\n#endif\nint x;\n",
            "#ifndef A_H\n#define A_H\n#include <map>\n",
            "#ifndef A_H\n#define A_H\n#else\n#endif\n",
            "#define A_H\n#ifdef B\n#include \"sub.h\"\n#endif\n",
            "#include \"h.hpp\"\n",
            "#include_next <map>\n",
        ] {
            assert_eq!(through(header, source), None, "{header}");
        }
    }

    #[test]
    fn the_header_is_found_after_comments_and_standard_headers() {
        for text in [
            "#include <sycl/sycl.hpp>",
            "// one\n/* two\n three */ # include <sycl/sycl.hpp> // four\nint x;",
            "\n#include <vector>\r\n#include <stdio.h> /* x */\n#include\t\"sycl/sycl.hpp\"\n",
            "#include \"vector\"\n#include <sycl/sycl.hpp>",
        ] {
            assert_eq!(name(text).as_deref(), Some("sycl/sycl.hpp"), "{text}");
        }
        assert_eq!(name("#include <CL/sycl.hpp>\n").as_deref(), Some("CL/sycl.hpp"));
    }

    #[test]
    fn anything_else_before_the_header_counts() {
        for text in [
            "",
            "int x;",
            "#undef X\n#include <sycl/sycl.hpp>",
            "#define X /*\n*/ 1\n#include <sycl/sycl.hpp>",
            "#if X\n#include <sycl/sycl.hpp>\n#else\n#endif\n",
            "#ifdef X\nint x;\n#endif\n#include <sycl/sycl.hpp>",
            "#endif\n#include <sycl/sycl.hpp>",
            "#error X\n#include <sycl/sycl.hpp>",
            "#pragma once\n#include <sycl/sycl.hpp>",
            "#include \"mine.h\"\n#include <sycl/sycl.hpp>",
            "#include <mine.h>\n#include <sycl/sycl.hpp>",
            "#if 1\n#include <sycl/sycl.hpp>\n#endif",
            "#include <sycl/sycl.hpp> int x;",
            "#include <sycl/sycl.hpp",
            "#include_next <sycl/sycl.hpp>",
            "#include HEADER\n#include <sycl/sycl.hpp>",
            "#inc\\\nlude <sycl/sycl.hpp>",
            "/* open",
            "#include <sycl/sycl.hpp> /* a\n*/ + 1",
            "\u{feff}#include <sycl/sycl.hpp>",
            "import std;\n#include <sycl/sycl.hpp>",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn no_name_stands_twice() {
        for (at, name) in STANDARD.iter().enumerate() {
            assert!(!STANDARD[..at].contains(name), "{name}");
        }
    }
}
