//! The manual page of `scythe` and the completions for shells, made from the text of
//! `scythe --help`.

use std::path::Path;
use std::process::Command;

use crate::process;
use crate::stage::write;

/// An option as the help shows it.
#[derive(Debug, PartialEq)]
struct Entry {
    /// The option with its argument: `-fsycl-targets=LIST`, `-o FILE`.
    form: String,
    help: String,
}

impl Entry {
    /// The option without the argument. An argument that joins the option leaves its `=`.
    fn word(&self) -> &str {
        let word = self.form.split(' ').next().unwrap_or(&self.form);
        word.find('=').map_or(word, |at| &word[..=at])
    }
}

/// Writes the manual page and the completions of the driver in `prefix` to its folder `share`.
pub fn install(prefix: &Path) -> Result<(), String> {
    let help = process::output(Command::new(prefix.join("bin/scythe")).arg("--help"))?;
    let entries = entries(&help);
    if entries.len() < 20 {
        return Err(format!("expected a list of options from 'scythe --help', not:\n{help}"));
    }
    let share = prefix.join("share");
    for (name, text) in [
        ("man/man1/scythe.1", page(&entries)),
        ("bash-completion/completions/scythe", bash(&entries)),
        ("zsh/site-functions/_scythe", zsh(&entries)),
        ("fish/vendor_completions.d/scythe.fish", fish(&entries)),
    ] {
        write(&share.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// Reads the options: two blanks, the option, and at column 33 its description, which is on the
/// next line if the option is long.
fn entries(help: &str) -> Vec<Entry> {
    const COLUMN: usize = 33;
    let mut found: Vec<Entry> = Vec::new();
    for line in help.lines() {
        if line.starts_with("  -") {
            let (form, help) = match line.get(COLUMN..) {
                Some(help) if line[..COLUMN].ends_with(' ') => (&line[..COLUMN], help),
                _ => (line, ""),
            };
            found.push(Entry { form: form.trim().to_owned(), help: help.trim().to_owned() });
        } else if let Some(last) = found.last_mut().filter(|_| line.starts_with("   ")) {
            let blank = if last.help.is_empty() { "" } else { " " };
            last.help += &format!("{blank}{}", line.trim());
        }
    }
    found
}

/// The start of the manual page.
const HEAD: &str = r#".TH SCYTHE 1 "" "Scythe VERSION" "User Commands"
.SH NAME
scythe \- compile SYCL 2020 programs
.SH SYNOPSIS
.B scythe
[\fIoptions\fR] \fIfiles\fR...
.br
.B scythe inspect
[\fB\-\-json\fR | \fB\-\-html\fR] \fIfile\fR
.SH DESCRIPTION
\fBscythe\fR compiles the host code and the kernels of SYCL 2020 programs.
It accepts the options of \fBclang++\fR(1) and adds the options below.
Without \fB\-fsycl\fR it behaves as \fBclang++\fR.
.PP
\fBscythe inspect\fR lists the kernels in a file.
.SH OPTIONS
"#;

/// Makes the manual page.
fn page(entries: &[Entry]) -> String {
    // A hyphen must stay a hyphen, and a line must not start with a control character.
    let roff = |text: &str| {
        let text = text.replace('\\', "\\e").replace('-', "\\-");
        match text.starts_with(['.', '\'']) {
            true => format!("\\&{text}"),
            false => text,
        }
    };
    let mut out = HEAD.replace("VERSION", env!("CARGO_PKG_VERSION"));
    for Entry { form, help } in entries {
        out += &format!(".TP\n\\fB{}\\fR\n{}.\n", roff(form), roff(help));
    }
    out += ".SH SEE ALSO\n\\fBclang\\fR(1)\n";
    out
}

/// The words of all options, each once.
fn words(entries: &[Entry]) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for word in entries.iter().map(Entry::word) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// A text in single quotes for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

const BASH: &str = r#"# Completion of scythe for bash.
_scythe() {
  local current=$2
  COMPREPLY=()
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W WORDS -- "$current")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
  fi
}
complete -o bashdefault -o default -F _scythe scythe
"#;

fn bash(entries: &[Entry]) -> String {
    BASH.replace("WORDS", &quoted(&words(entries).join(" ")))
}

fn zsh(entries: &[Entry]) -> String {
    let mut out = "#compdef scythe\n# Completion of scythe for zsh.\n_arguments -S \\\n".to_owned();
    let mut seen: Vec<&str> = Vec::new();
    for entry in entries {
        let word = entry.word();
        if seen.contains(&word) || seen.contains(&word.trim_end_matches('=')) {
            continue;
        }
        seen.push(word);
        let help = entry.help.replace(['[', ']'], "").replace(':', "\\:");
        let (joined, apart) = (word.ends_with('='), entry.form.contains(' '));
        let argument = match (joined, apart) {
            (true, _) => "-:argument:_files",
            (false, true) => ":argument:_files",
            (false, false) => "",
        };
        let (option, rest) = match joined {
            true => (word, argument.trim_start_matches('-')),
            false => (word, argument),
        };
        let dash = if joined { "-" } else { "" };
        out += &format!("  {} \\\n", quoted(&format!("{option}{dash}[{help}]{rest}")));
    }
    out + "  '*:file:_files'\n"
}

fn fish(entries: &[Entry]) -> String {
    let mut out = "# Completion of scythe for fish.\n".to_owned();
    let mut seen: Vec<&str> = Vec::new();
    for entry in entries {
        let word = entry.word().trim_end_matches('=');
        if seen.contains(&word) || word.contains('#') {
            continue;
        }
        seen.push(word);
        let option = match (word.strip_prefix("--"), word.strip_prefix('-')) {
            (Some(long), _) => format!("-l {long}"),
            (None, Some(short)) if short.len() == 1 => format!("-s {short}"),
            (None, old) => format!("-o {}", old.unwrap_or(word)),
        };
        let argument = if entry.form == word { "" } else { " -r" };
        out += &format!("complete -c scythe {option}{argument} -d {}\n", quoted(&entry.help));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "Usage: scythe [options] files...\n\n\
        \x20 -fsycl                         Compile 'kernels'\n\
        \x20 -fsycl-targets=LIST            Device targets: a list\n\
        \x20 -Xsycl-target-frontend=TARGET OPTIONS\n\
        \x20                                The same\n\
        \x20 -o FILE                        Write to FILE\n\
        \nWithout -fsycl, scythe behaves as clang++.\n";

    #[test]
    fn help_becomes_a_page_and_completions() {
        let found = entries(HELP);
        let words: Vec<&str> = found.iter().map(Entry::word).collect();
        assert_eq!(words, ["-fsycl", "-fsycl-targets=", "-Xsycl-target-frontend=", "-o"]);
        assert_eq!(found[2].help, "The same");
        let page = page(&found);
        assert!(
            page.contains("\\fB\\-fsycl\\-targets=LIST\\fR\nDevice targets: a list.\n"),
            "{page}"
        );
        assert!(bash(&found).contains("'-fsycl -fsycl-targets= "), "{}", bash(&found));
        assert!(
            zsh(&found).contains("'-fsycl-targets=-[Device targets\\: a list]:argument:_files'")
        );
        let fish = fish(&found);
        assert!(fish.contains("-o fsycl -d 'Compile '\\''kernels'\\'''\n"), "{fish}");
        assert!(fish.contains("-s o -r -d 'Write to FILE'\n"), "{fish}");
    }
}
