//! Queries about the folder of Scythe's libraries, which clang does not know.

use std::process::Command;

use crate::args::Invocation;
use crate::clang;
use crate::error::Error;
use crate::layout::Layout;

/// The start of the line with the folders of libraries.
const LIBRARIES: &str = "libraries: =";

/// Answers `-print-file-name=` and `-print-search-dirs`, and returns the exit status. `args` are
/// the user's arguments, and `words` those for clang. Returns `None` for other queries and for
/// files that Scythe does not have.
pub fn answer(
    invocation: &Invocation,
    args: &[String],
    words: &[String],
) -> Result<Option<i32>, Error> {
    let driver = std::env::current_exe().ok();
    let Some(layout) = driver.and_then(|driver| Layout::of(&driver).ok()) else { return Ok(None) };
    for query in args.iter().map(|arg| arg.trim_start_matches('-')) {
        if let Some(name) = query.strip_prefix("print-file-name=") {
            let file = layout.lib.join(name);
            if !name.is_empty() && file.exists() {
                return crate::print(&format!("{}\n", file.display())).map(Some);
            }
        }
        if query == "print-search-dirs" {
            let program = clang::find(invocation.clang.as_deref())?;
            let fail = |source| Error::Spawn { program: program.clone(), source };
            let output = Command::new(&program).args(words).output().map_err(fail)?;
            let text = String::from_utf8_lossy(&output.stdout);
            let folder = format!("{LIBRARIES}{}:", layout.lib.display());
            crate::print(&text.replacen(LIBRARIES, &folder, 1))?;
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            return Ok(Some(crate::exec::exit_status(output.status)));
        }
    }
    Ok(None)
}
