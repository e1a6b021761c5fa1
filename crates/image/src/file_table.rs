//! File tables, by which post-link stages name their outputs to each other.
//!
//! ```text
//! [Code|Properties|Symbols]
//! a_0.bc|a_0.prop|a_0.sym
//! a_1.bc|a_1.prop|a_1.sym
//! ```
//!
//! The first line names the columns; each later line is a row. A cell contains no `|` and no line
//! end.

pub const CODE: &str = "Code";
pub const PROPERTIES: &str = "Properties";
pub const SYMBOLS: &str = "Symbols";

/// A table of strings with named columns. Every row has one cell per column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The reason why a text is not a file table, or why a table cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileTableError {
    #[error("line 1: expected the columns, for example '[Code|Properties]', found '{0}'")]
    NoColumns(String),
    #[error("line {line}: found {seen} cells, expected one for each of the {expected} columns")]
    CellCount { line: usize, seen: usize, expected: usize },
    #[error("the column '{0}' appears twice")]
    RepeatedColumn(String),
    #[error("there is no column '{name}': the columns are {known}")]
    NoSuchColumn { name: String, known: String },
    #[error("'{0}' cannot be a cell of a table: it contains '|' or a line break")]
    BadCell(String),
    #[error(
        "'{0}' cannot be the name of a column: it is empty, or contains '|', a bracket or a line \
         break"
    )]
    BadColumn(String),
    #[error("the tables have {seen} and {expected} rows, expected the same number")]
    RowCount { seen: usize, expected: usize },
}

impl FileTable {
    /// Creates a table without rows.
    pub fn new<S: Into<String>>(
        columns: impl IntoIterator<Item = S>,
    ) -> Result<Self, FileTableError> {
        let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
        if columns.is_empty() {
            return Err(FileTableError::NoColumns(String::new()));
        }
        for (index, name) in columns.iter().enumerate() {
            check_column(name)?;
            if columns[..index].contains(name) {
                return Err(FileTableError::RepeatedColumn(name.clone()));
            }
        }
        Ok(Self { columns, rows: Vec::new() })
    }

    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Appends a row.
    pub fn push<S: Into<String>>(
        &mut self,
        cells: impl IntoIterator<Item = S>,
    ) -> Result<(), FileTableError> {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        if cells.len() != self.columns.len() {
            return Err(FileTableError::CellCount {
                line: self.rows.len() + 2,
                seen: cells.len(),
                expected: self.columns.len(),
            });
        }
        if let Some(bad) = cells.iter().find(|cell| cell.contains(['|', '\n', '\r'])) {
            return Err(FileTableError::BadCell(bad.clone()));
        }
        self.rows.push(cells);
        Ok(())
    }

    /// Returns the cells of a column, in order.
    pub fn column(
        &self,
        name: &str,
    ) -> Result<impl ExactSizeIterator<Item = &str>, FileTableError> {
        let at = self.place(name)?;
        Ok(self.rows.iter().map(move |row| row[at].as_str()))
    }

    /// Returns a table of some of the columns, in the given order.
    pub fn extract(&self, names: &[&str]) -> Result<Self, FileTableError> {
        let places = names.iter().map(|name| self.place(name)).collect::<Result<Vec<_>, _>>()?;
        let mut table = Self::new(names.iter().copied())?;
        table.rows = self
            .rows
            .iter()
            .map(|row| places.iter().map(|&place| row[place].clone()).collect())
            .collect();
        Ok(table)
    }

    /// Renames a column.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), FileTableError> {
        let at = self.place(from)?;
        check_column(to)?;
        if from != to && self.columns.iter().any(|name| name == to) {
            return Err(FileTableError::RepeatedColumn(to.to_owned()));
        }
        self.columns[at] = to.to_owned();
        Ok(())
    }

    /// Replaces the cells of a column. `cells` must have one cell per row.
    pub fn replace(&mut self, name: &str, cells: Vec<String>) -> Result<(), FileTableError> {
        let at = self.place(name)?;
        if cells.len() != self.rows.len() {
            return Err(FileTableError::RowCount { seen: cells.len(), expected: self.rows.len() });
        }
        if let Some(bad) = cells.iter().find(|cell| cell.contains(['|', '\n', '\r'])) {
            return Err(FileTableError::BadCell(bad.clone()));
        }
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row[at] = cell;
        }
        Ok(())
    }

    fn place(&self, name: &str) -> Result<usize, FileTableError> {
        self.columns.iter().position(|column| column == name).ok_or_else(|| {
            FileTableError::NoSuchColumn { name: name.to_owned(), known: self.columns.join(", ") }
        })
    }

    pub fn to_text(&self) -> String {
        let mut out = format!("[{}]\n", self.columns.join("|"));
        for row in &self.rows {
            out.push_str(&row.join("|"));
            out.push('\n');
        }
        out
    }

    /// Reads the text form. In a table with one column, empty lines are rows with an empty cell.
    /// Only the last line end is optional.
    pub fn from_text(text: &str) -> Result<Self, FileTableError> {
        let text = text.strip_suffix('\n').unwrap_or(text);
        let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        let first = lines.next().unwrap_or_default();
        let columns = first
            .strip_prefix('[')
            .and_then(|columns| columns.strip_suffix(']'))
            .ok_or_else(|| FileTableError::NoColumns(first.to_owned()))?;
        let mut table = Self::new(columns.split('|'))?;
        for line in lines {
            table.push(line.split('|'))?;
        }
        Ok(table)
    }
}

fn check_column(name: &str) -> Result<(), FileTableError> {
    if name.is_empty() || name.contains(['|', '[', ']', '\n', '\r']) {
        return Err(FileTableError::BadColumn(name.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str =
        "[Code|Properties|Symbols]\na_0.bc|a_0.prop|a_0.sym\na_1.bc|a_1.prop|a_1.sym\n";

    #[test]
    fn a_table_reads_and_writes_the_same() {
        let table = FileTable::from_text(TEXT).unwrap();
        assert_eq!(table.columns(), ["Code", "Properties", "Symbols"]);
        assert_eq!(
            table.column("Properties").unwrap().collect::<Vec<_>>(),
            ["a_0.prop", "a_1.prop"]
        );
        assert_eq!(table.to_text(), TEXT);
    }

    #[test]
    fn columns_are_extracted_renamed_and_replaced() {
        let mut table = FileTable::from_text(TEXT).unwrap().extract(&["Symbols", "Code"]).unwrap();
        table.rename("Code", "Binary").unwrap();
        table.replace("Binary", vec!["0.spv".into(), "1.spv".into()]).unwrap();
        assert_eq!(table.to_text(), "[Symbols|Binary]\na_0.sym|0.spv\na_1.sym|1.spv\n");
    }

    #[test]
    fn errors_say_what_was_expected() {
        let read = |text: &str| FileTable::from_text(text).unwrap_err().to_string();
        assert_eq!(
            read("Code\n"),
            "line 1: expected the columns, for example '[Code|Properties]', found 'Code'"
        );
        assert_eq!(
            read("[A|B]\nx\n"),
            "line 2: found 1 cells, expected one for each of the 2 columns"
        );
        assert_eq!(read("[A|A]\n"), "the column 'A' appears twice");
        assert_eq!(
            read("[]\n"),
            "'' cannot be the name of a column: it is empty, or contains '|', a bracket or a line \
             break"
        );
        let mut table = FileTable::from_text(TEXT).unwrap();
        let error = table.replace("Code", vec![]).unwrap_err().to_string();
        assert_eq!(error, "the tables have 0 and 2 rows, expected the same number");
        let error = table.extract(&["X"]).unwrap_err().to_string();
        assert_eq!(error, "there is no column 'X': the columns are Code, Properties, Symbols");
    }

    proptest! {
        #[test]
        fn any_table_survives_the_text(
            columns in prop::collection::hash_set("[^|\\[\\]\\r\\n]{1,5}", 1..4),
            rows in prop::collection::vec(prop::collection::vec("[^|\\r\\n]{0,8}", 3), 0..4),
        ) {
            let count = columns.len();
            let mut table = FileTable::new(columns).unwrap();
            for row in rows {
                table.push(row.into_iter().take(count)).unwrap();
            }
            prop_assert_eq!(FileTable::from_text(&table.to_text()).unwrap(), table);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[\\[\\]aB|\\n\\r]{0,30}") {
            if let Ok(table) = FileTable::from_text(&text) {
                prop_assert_eq!(FileTable::from_text(&table.to_text()).unwrap(), table);
            }
        }
    }
}
