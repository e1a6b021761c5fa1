//! Reads the compile commands of the suite's tests from CMake's `compile_commands.json`.

/// One source of a category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    pub category: String,
    /// The test program that the source belongs to.
    pub program: String,
    pub source: String,
    /// The path of the object, relative to the build folder.
    pub object: String,
    /// The shell command.
    pub command: String,
}

/// Returns all units below `tests/`, in the file's order.
pub fn units(json: &str) -> Result<Vec<Unit>, String> {
    let mut units = Vec::new();
    let (mut source, mut command) = (None, None);
    let mut rest = json;
    // The file is a list of flat objects, in which all names and values are strings.
    while let Some(at) = rest.find(['"', '}']) {
        if rest.as_bytes()[at] == b'}' {
            rest = &rest[at + 1..];
            if let (Some(source), Some(command)) = (source.take(), command.take()) {
                units.extend(unit(source, command));
            }
            continue;
        }
        let (name, after) = string(&rest[at..])?;
        let colon = after
            .trim_start()
            .strip_prefix(':')
            .ok_or_else(|| format!("':' expected after \"{name}\""))?;
        let (value, after) = string(colon.trim_start())?;
        match name.as_str() {
            "file" => source = Some(value),
            "command" => command = Some(value),
            _ => {}
        }
        rest = after;
    }
    Ok(units)
}

/// Returns the unit that a command compiles if its output is the object of a test:
/// `tests/CATEGORY/…/CMakeFiles/PROGRAM_objects.dir/…`.
fn unit(source: String, command: String) -> Option<Unit> {
    let from = command.find(" -o ")? + 4;
    let object = command[from..].split(" -c ").next()?.trim().to_owned();
    let below = object.strip_prefix("tests/")?;
    let category = below.split('/').next()?.to_owned();
    let program = below.split_once("CMakeFiles/")?.1.split_once("_objects.dir/")?.0.to_owned();
    Some(Unit { category, program, source, object, command })
}

/// Parses a JSON string at the start of `text`. Returns the string and the text after it.
fn string(text: &str) -> Result<(String, &str), String> {
    let wrong =
        || format!("a string was expected at '{}'", text.chars().take(40).collect::<String>());
    let body = text.strip_prefix('"').ok_or_else(wrong)?;
    let mut value = String::new();
    let mut characters = body.char_indices();
    while let Some((i, c)) = characters.next() {
        match c {
            '"' => return Ok((value, &body[i + 1..])),
            '\\' => match characters.next().ok_or_else(wrong)?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'u' => {
                    let digits: String = characters.by_ref().take(4).map(|(_, c)| c).collect();
                    let code = u32::from_str_radix(&digits, 16).map_err(|_| wrong())?;
                    value.push(char::from_u32(code).ok_or_else(wrong)?);
                }
                other => value.push(other),
            },
            c => value.push(c),
        }
    }
    Err(wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_from_libraries() {
        let json = r#"[
{ "directory": "/b", "command": "cc -DA=\\\"x\\\" -o util/u.o -c /s/u.cpp", "file": "/s/u.cpp" },
{ "directory": "/b", "command": "cc -DA=\"}\" -o tests/id/CMakeFiles/test_id_objects.dir/id.cpp.o -c /s/id.cpp",
  "file": "/s/id.cpp" },
{ "directory": "/b",
  "command": "cc -o tests/extension/x/CMakeFiles/test_x_objects.dir/a.cpp.o -c /s/a.cpp", "file": "/s/a.cpp" } ]"#;
        let units = units(json).unwrap();
        assert_eq!(units.len(), 2);
        assert_eq!((units[0].category.as_str(), units[0].program.as_str()), ("id", "test_id"));
        assert_eq!(units[0].object, "tests/id/CMakeFiles/test_id_objects.dir/id.cpp.o");
        assert!(units[0].command.contains(r#"-DA="}""#));
        assert_eq!(
            (units[1].category.as_str(), units[1].program.as_str()),
            ("extension", "test_x")
        );
    }

    #[test]
    fn damaged_files_are_errors() {
        assert!(units(r#"[{ "file" "x" }]"#).is_err());
        assert!(units(r#"[{ "file": "x"#).is_err());
        assert!(units(r#"[{ "file": "\u12" }]"#).is_err());
    }
}
