//! `file-table-tform`: transforms file tables between the stages after a link.

use crate::command_line::{Argument, Arguments, Opt, Syntax};
use crate::errors::{BadValue, MissingTable, NoInput, TableTransformation, UnusedTable};
use crate::files::{self, damaged, file_error};
use crate::{Failure, Status};
use scythe_image::FileTable;
use scythe_image::file_table::FileTableError;

pub const SYNTAX: Syntax = Syntax {
    tool: "file-table-tform",
    summary: "Transforms a file table. Transformations happen in the order in which they are \
        given.",
    inputs: "TABLE [TABLE…]",
    options: &[
        Opt { name: "o", value: Some("FILE"), help: "the result (default: standard output)" },
        Opt {
            name: "extract", value: Some("COLUMN,…"), help: "keep these columns, in this order"
        },
        Opt { name: "rename", value: Some("OLD,NEW"), help: "give a column another name" },
        Opt {
            name: "replace",
            value: Some("COLUMN,OTHER"),
            help: "take a column's cells from OTHER of the next table",
        },
        Opt { name: "drop_titles", value: None, help: "write no line with the columns' names" },
    ],
    notes: "The first table is transformed; each --replace uses up one more. A table without a \
        line of names, such as\n\
            --drop_titles leaves, has the columns 0, 1, … .",
};

pub fn run(args: &Arguments) -> Result<Status, Failure> {
    let mut inputs = args.inputs();
    let path = inputs.next();
    let path = path.ok_or_else(|| Failure::new(&NoInput { expected: "a file table" }))?;
    let mut table = read(path)?;
    for argument in &args.0 {
        let Argument::Option(name, value) = argument else { continue };
        let in_file = |path: &str, error: FileTableError| {
            let (option, value) = ((*name).to_owned(), value.clone());
            file_error(path, &TableTransformation { option, value, reason: error.to_string() })
        };
        let fail = |error| in_file(path, error);
        match *name {
            "extract" => {
                table = table.extract(&value.split(',').collect::<Vec<_>>()).map_err(fail)?
            }
            "rename" => {
                let (old, new) = pair(name, value)?;
                table.rename(old, new).map_err(fail)?;
            }
            "replace" => {
                let (column, from) = pair(name, value)?;
                let other = inputs.next().ok_or_else(|| {
                    Failure::new(&MissingTable { option: "replace", value: value.clone() })
                })?;
                let cells = read(other)?
                    .column(from)
                    .map_err(|error| in_file(other, error))?
                    .map(str::to_owned)
                    .collect();
                table.replace(column, cells).map_err(fail)?;
            }
            _ => {}
        }
    }
    if let Some(unused) = inputs.next() {
        return Err(Failure::new(&UnusedTable { table: unused.to_owned() }));
    }
    let mut text = table.to_text();
    if args.has("drop_titles") {
        text = text.split_once('\n').map_or(String::new(), |(_, rows)| rows.to_owned());
    }
    files::write(args.last("o").unwrap_or("-"), text.as_bytes())?;
    Ok(Status::Done)
}

fn pair<'a>(option: &'static str, value: &'a str) -> Result<(&'a str, &'a str), Failure> {
    value.split_once(',').ok_or_else(|| {
        let expected = "two columns, 'a,b'".to_owned();
        Failure::new(&BadValue { option, value: value.to_owned(), expected })
    })
}

fn read(path: &str) -> Result<FileTable, Failure> {
    let text = files::read_text(path)?;
    let titled = if text.starts_with('[') {
        text
    } else {
        let columns = text.lines().next().map_or(1, |line| line.split('|').count());
        let names: Vec<String> = (0..columns).map(|index| index.to_string()).collect();
        format!("[{}]\n{text}", names.join("|"))
    };
    FileTable::from_text(&titled).map_err(|error| damaged(path, error))
}
