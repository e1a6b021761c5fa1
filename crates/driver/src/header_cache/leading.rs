//! Finds the SYCL header at the beginning of a source.

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

/// A SYCL header that a source includes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leading {
    pub name: String,
    /// The standard headers before it.
    pub before: Vec<String>,
    /// Whether the name is in quotes, so that clang first searches the folder of the source.
    pub quoted: bool,
}

/// Returns the SYCL header that `text` includes before anything else except standard headers.
/// Returns `None` if a construct needs a preprocessor to be understood.
pub fn sycl_header(text: &[u8]) -> Option<Leading> {
    let mut rest = text;
    let mut before = Vec::new();
    loop {
        rest = skip_blanks(rest)?;
        let directive = skip_spaces(rest.strip_prefix(b"#")?);
        let target = skip_spaces(directive.strip_prefix(b"include")?);
        let (end, quoted) = match target.first()? {
            b'<' => (b'>', false),
            b'"' => (b'"', true),
            _ => return None,
        };
        let length = target[1..].iter().position(|byte| *byte == end || *byte == b'\n')?;
        let (name, after) = (&target[1..1 + length], &target[1 + length..]);
        let name = std::str::from_utf8(name).ok()?;
        rest = skip_to_line_end(after.strip_prefix(&[end])?)?;
        if SYCL_HEADERS.contains(&name) {
            return Some(Leading { name: name.to_owned(), before, quoted });
        }
        if quoted || !STANDARD.contains(&name) {
            return None;
        }
        before.push(name.to_owned());
    }
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
        sycl_header(text.as_bytes()).map(|found| found.name)
    }

    #[test]
    fn the_header_is_found_after_comments_and_standard_headers() {
        for text in [
            "#include <sycl/sycl.hpp>",
            "// one\n/* two\n three */ # include <sycl/sycl.hpp> // four\nint x;",
            "\n#include <vector>\r\n#include <stdio.h> /* x */\n#include\t\"sycl/sycl.hpp\"\n",
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
            "#define X\n#include <sycl/sycl.hpp>",
            "#pragma once\n#include <sycl/sycl.hpp>",
            "#include \"mine.h\"\n#include <sycl/sycl.hpp>",
            "#include <mine.h>\n#include <sycl/sycl.hpp>",
            "#include \"vector\"\n#include <sycl/sycl.hpp>",
            "#if 1\n#include <sycl/sycl.hpp>\n#endif",
            "#include <sycl/sycl.hpp> int x;",
            "#include <sycl/sycl.hpp",
            "#include_next <sycl/sycl.hpp>",
            "#include HEADER\n#include <sycl/sycl.hpp>",
            "// a \\\n#define X\n#include <sycl/sycl.hpp>",
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
