//! The pairs of programs that are compared, and the commands by which Makefiles run programs.

use std::path::Path;
use std::process::Command;

use crate::process;
use crate::workspace::root;

/// A pair of programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub name: String,
    /// Arguments for both versions in the place of the Makefile's, which suit another device.
    pub arguments: Option<String>,
}

/// The commands of a Makefile's target `run`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// The program's path in its folder.
    pub program: String,
    /// The commands for a shell, in which `"$PROGRAM"` stands for the program.
    pub lines: Vec<String>,
}

/// Reads a list of pairs from `benches/collection`, or those with the given names from it. Names
/// that the list does not contain are pairs with the arguments of their Makefile.
pub fn pairs(list: &str, named: &[String]) -> Result<Vec<Pair>, String> {
    let file = root().join("benches/collection").join(list);
    let text = std::fs::read_to_string(&file)
        .map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let all = parse(&text);
    if named.is_empty() {
        return Ok(all);
    }
    let pair = |name: &String| {
        let known = all.iter().find(|pair| pair.name == *name).cloned();
        known.unwrap_or_else(|| Pair { name: name.clone(), arguments: None })
    };
    Ok(named.iter().map(pair).collect())
}

fn parse(text: &str) -> Vec<Pair> {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    let pair = |line: &str| match line.split_once('|') {
        Some((name, arguments)) => {
            Pair { name: name.trim().to_owned(), arguments: Some(arguments.trim().to_owned()) }
        }
        None => Pair { name: line.to_owned(), arguments: None },
    };
    lines.map(pair).collect()
}

/// Returns the commands of the target `run`, which `make` would execute with these variables.
/// `arguments` replace those of the Makefile.
pub fn commands(make: &mut Command, pair: &Pair) -> Result<Commands, String> {
    let text = process::output(make.args(["-n", "run"]))?;
    let mut commands = of_text(&text)
        .ok_or_else(|| format!("the Makefile of {} does not run one program", pair.name))?;
    if let Some(arguments) = &pair.arguments {
        commands.lines = vec![format!("\"$PROGRAM\" {arguments}")];
    }
    Ok(commands)
}

/// Returns a call of make in a folder of the suite.
pub fn make(folder: &Path, variables: &[&str]) -> Command {
    let mut command = Command::new("make");
    command.arg("-C").arg(folder).args(variables);
    command
}

/// Finds the commands that start a program of the current folder in the output of `make -n`.
fn of_text(text: &str) -> Option<Commands> {
    let text = text.replace("\\\n", " ");
    let mut program: Option<String> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some(rest) = line.strip_prefix("./") else { continue };
        let (name, arguments) = rest.split_once(' ').unwrap_or((rest, ""));
        if program.get_or_insert_with(|| name.to_owned()) != name {
            return None;
        }
        lines.push(format!("\"$PROGRAM\" {arguments}").trim_end().to_owned());
    }
    Some(Commands { program: program?, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_names_and_arguments() {
        let pairs = parse("# a list\nadam\n\n  aop | -t 3 100\n");
        assert_eq!(pairs[0], Pair { name: "adam".to_owned(), arguments: None });
        assert_eq!(
            pairs[1],
            Pair { name: "aop".to_owned(), arguments: Some("-t 3 100".to_owned()) }
        );
    }

    #[test]
    fn commands_start_programs_of_the_folder() {
        let text = "make: Entering directory '/x'\nnvcc -O3 -o main main.o\n ./main 10 \\\n   20\n\
                    ./main\nmake: Leaving directory '/x'\n";
        let commands = of_text(text).unwrap();
        assert_eq!(commands.program, "main");
        assert_eq!(commands.lines, ["\"$PROGRAM\" 10 20", "\"$PROGRAM\""]);
        assert_eq!(of_text("echo\n"), None);
        assert_eq!(of_text("./a\n./b\n"), None);
    }
}
