//! Reads the directives in a test: `RUN:`, `RUN-IF:`, `DEFINE:`, `REQUIRES:`, `UNSUPPORTED:` and
//! `XFAIL:`.
//!
//! A directive is a keyword anywhere in a line, and its text is the rest of that line. The text of
//! a line that ends with a backslash continues in the next directive with the same keyword.

/// A step of a test, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A shell command.
    Run(String),
    /// A condition, and a shell command to run if it holds.
    RunIf(String, String),
    /// The name of a substitution with its `%{}`, and the text that it stands for from here on.
    Define(String, String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    pub steps: Vec<Step>,
    /// Expressions that all have to hold for the test to apply.
    pub requires: Vec<String>,
    /// Expressions of which none may hold.
    pub unsupported: Vec<String>,
    /// Expressions of which none may hold, because DPC++ fails the test as well.
    pub xfail: Vec<String>,
}

const KEYWORDS: [&str; 8] =
    ["RUN:", "RUN-IF:", "DEFINE:", "REDEFINE:", "REQUIRES:", "UNSUPPORTED:", "XFAIL:", "END."];

impl Directives {
    /// Returns the directives in a source. A source without `RUN:` is not a test.
    pub fn parse(source: &str) -> Result<Directives, String> {
        let mut directives = Directives::default();
        let mut open: Option<(&str, String)> = None;
        for line in source.lines() {
            let Some((keyword, text)) = keyword(line) else { continue };
            let text = match open.take() {
                Some((before, text_before)) if before == keyword => text_before + " " + text,
                Some((before, _)) => {
                    return Err(format!("a line of '{before}' continues in one of '{keyword}'"));
                }
                None => text.to_owned(),
            };
            if keyword == "END." {
                break;
            }
            match text.strip_suffix('\\') {
                Some(part) => open = Some((keyword, part.trim_end().to_owned())),
                None => directives.add(keyword, &text)?,
            }
        }
        match open {
            Some((keyword, _)) => Err(format!("the last line of '{keyword}' ends with '\\'")),
            None => Ok(directives),
        }
    }

    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Run(command) | Step::RunIf(_, command) => Some(command.as_str()),
            Step::Define(..) => None,
        })
    }

    fn add(&mut self, keyword: &str, text: &str) -> Result<(), String> {
        let expressions = || text.split(',').map(|part| part.trim().to_owned());
        match keyword {
            "RUN:" => self.steps.push(Step::Run(text.to_owned())),
            "RUN-IF:" => {
                let (condition, command) =
                    text.split_once(',').ok_or_else(|| format!("'{keyword} {text}' has no ','"))?;
                let (condition, command) = (condition.trim(), command.trim());
                self.steps.push(Step::RunIf(condition.to_owned(), command.to_owned()));
            }
            "REQUIRES:" => self.requires.extend(expressions()),
            "UNSUPPORTED:" => self.unsupported.extend(expressions()),
            "XFAIL:" => self.xfail.extend(expressions()),
            _ => {
                let (name, value) =
                    text.split_once('=').ok_or_else(|| format!("'{keyword} {text}' has no '='"))?;
                self.steps.push(Step::Define(name.trim().to_owned(), value.trim().to_owned()));
            }
        }
        Ok(())
    }
}

/// Returns the first keyword in a line, and the text after it. Characters of words directly before
/// a keyword make it another word, for example in `XREQUIRES:`.
fn keyword(line: &str) -> Option<(&'static str, &str)> {
    let starts_word = |at: usize| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_')
    };
    let found = KEYWORDS.into_iter().filter_map(|keyword| {
        let (at, _) = line.match_indices(keyword).find(|(at, _)| starts_word(*at))?;
        Some((at, keyword))
    });
    let (at, keyword) = found.min()?;
    Some((keyword, line[at + keyword.len()..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_keep_their_order_and_continue() {
        let source = "// REQUIRES: gpu, !linux\n\
                      // XREQUIRES: nothing\n\
                      // UNSUPPORTED: cuda || \\\n\
                      // UNSUPPORTED: hip\n\
                      // XFAIL: *\n\
                      // DEFINE: %{options} = -O1\n\
                      // RUN: %{build} %{options} \\\n\
                      // RUN: -o %t.out\n\
                      //RUN:%{run} %t.out\n\
                      // RUN-IF: cpu || gpu, %{run} %t.x86.out\n\
                      // END.\n\
                      // RUN: false\n";
        let directives = Directives::parse(source).unwrap();
        assert_eq!(directives.requires, ["gpu", "!linux"]);
        assert_eq!(directives.unsupported, ["cuda || hip"]);
        assert_eq!(directives.xfail, ["*"]);
        let commands: Vec<_> = directives.commands().collect();
        assert_eq!(commands[..2], ["%{build} %{options} -o %t.out", "%{run} %t.out"]);
        let last = Step::RunIf("cpu || gpu".into(), "%{run} %t.x86.out".into());
        assert_eq!(directives.steps.last(), Some(&last));
        assert_eq!(directives.steps[0], Step::Define("%{options}".into(), "-O1".into()));
    }

    #[test]
    fn lines_that_do_not_end_are_errors() {
        for source in
            ["// RUN-IF: a\n", "// RUN: a \\\n", "// RUN: a \\\n// XFAIL: b\n", "// DEFINE: %{a}\n"]
        {
            assert!(Directives::parse(source).is_err(), "{source}");
        }
    }
}
