//! `dynamic-tblgen`: TableGen with a back end that stock `llvm-tblgen` lacks. It writes dynamic
//! tables in C++.

use crate::command_line::{Arguments, Opt, Syntax};
use crate::errors::{MissingOption, NoTemporaryFolder, Unreadable};
use crate::files::{self, file_error};
use crate::{Failure, Status};
use scythe_device_config::tablegen;
use scythe_diag::Location;
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
        return Err(Failure::new(&MissingOption { option: "'--gen-dynamic-tables'".to_owned() }));
    }
    let built_in = built_in().map_err(|error| {
        let folder = std::env::temp_dir().to_string_lossy().into_owned();
        Failure::new(&NoTemporaryFolder { folder, reason: error.to_string() })
    })?;
    let mut include: Vec<PathBuf> = args.all("I").map(PathBuf::from).collect();
    include.push(built_in.path().to_owned());
    let mut path = PathBuf::from(input);
    if !path.exists() && tablegen::BUILT_IN.iter().any(|(name, _)| *name == input) {
        path = built_in.path().join(input);
    }
    // The message of stock TableGen would have only the path, and not the reason.
    if !path.exists() {
        let reason = "No such file or directory".to_owned();
        return Err(file_error(input, &Unreadable { reason }));
    }
    let code = tablegen::dynamic_tables(&path, &include)
        .map_err(|error| error.at(Location::file(input)))?;
    files::write(args.last("o").unwrap_or("-"), code.as_bytes())?;
    Ok(Status::Done)
}

/// Makes a temporary folder with the files that can be included without `-I`.
fn built_in() -> std::io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("scythe-tblgen-").tempdir()?;
    for (name, text) in tablegen::BUILT_IN {
        let path = folder.path().join(name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, text)?;
    }
    Ok(folder)
}
