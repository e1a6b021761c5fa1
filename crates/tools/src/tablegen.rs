//! `dynamic-tblgen`: TableGen with the back end that stock `llvm-tblgen` lacks, which writes
//! dynamic tables in C++.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::files::{self, file_error};
use crate::{Failure, Status};
use scythe_device_config::tablegen;
use std::path::PathBuf;
use tempfile::TempDir;

pub const SYNTAX: Syntax = Syntax {
    tool: "dynamic-tblgen",
    summary: "Writes the dynamic tables of a TableGen file as C++.",
    inputs: "INPUT.td",
    options: &[
        Opt {
            name: "gen-dynamic-tables",
            value: None,
            help: "write one std::map for each record of class DynamicTable",
        },
        Opt {
            name: "I",
            value: Some("DIR"),
            help: "look for included files here; may be given several times",
        },
        Opt { name: "o", value: Some("FILE"), help: "the output (default: standard output)" },
    ],
    notes: "'llvm/TableGen/DynamicTable.td', and the default device configuration \
        'DeviceConfig.td', can be included \
            without -I.\nThe latter may also be the input itself. llvm-tblgen of LLVM 22 reads the \
            files; LLVM_SYS_221_PREFIX \
            names another prefix.",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let input = args.only_input()?;
    if !args.has("gen-dynamic-tables") {
        return Err(Failure::new("nothing to do: expected --gen-dynamic-tables"));
    }
    let built_in = built_in()
        .map_err(|error| Failure::new(format!("cannot write temporary files: {error}")))?;
    let mut include: Vec<PathBuf> = args.all("I").map(PathBuf::from).collect();
    include.push(built_in.path().to_owned());
    let mut path = PathBuf::from(input);
    if !path.exists() && tablegen::BUILT_IN.iter().any(|(name, _)| *name == input) {
        path = built_in.path().join(input);
    }
    // Stock TableGen would say this of the path alone, and not how to go on.
    if !path.exists() {
        return Err(file_error(input, "cannot read: No such file or directory"));
    }
    let code =
        tablegen::dynamic_tables(&path, &include).map_err(|error| file_error(input, error))?;
    files::write(args.last("o").unwrap_or("-"), code.as_bytes())?;
    Ok(Status::Done)
}

/// A temporary folder with the files that need no `-I`.
fn built_in() -> std::io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("scythe-tblgen-").tempdir()?;
    for (name, text) in tablegen::BUILT_IN {
        let path = folder.path().join(name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, text)?;
    }
    Ok(folder)
}
