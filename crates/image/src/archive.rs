//! Reads and writes the members of static libraries, so that the device code of fat objects in them
//! can be linked.

use object::read::archive::ArchiveFile;

/// A member. A thin archive only names its members' files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    pub name: &'a str,
    /// The contents, or `None` in a thin archive, whose files are found relative to the archive.
    pub data: Option<&'a [u8]>,
}

/// The reason why bytes are not an archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    #[error("not an archive: {0}")]
    NotAnArchive(String),
    #[error("archive member {index}: {reason}")]
    Member { index: usize, reason: String },
    #[error("the name of archive member {0} is not UTF-8 text")]
    NotText(usize),
}

/// Returns whether the bytes look like an archive, thin or not. The archive need not be valid.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n")
}

/// Returns the members in order, without the symbol table.
pub fn members(bytes: &[u8]) -> Result<Vec<Member<'_>>, ArchiveError> {
    let archive =
        ArchiveFile::parse(bytes).map_err(|error| ArchiveError::NotAnArchive(error.to_string()))?;
    let mut members = Vec::new();
    for (index, member) in archive.members().enumerate() {
        let fail =
            |error: object::read::Error| ArchiveError::Member { index, reason: error.to_string() };
        let member = member.map_err(fail)?;
        let name = std::str::from_utf8(member.name()).map_err(|_| ArchiveError::NotText(index))?;
        let data = if member.is_thin() { None } else { Some(member.data(bytes).map_err(fail)?) };
        members.push(Member { name, data });
    }
    Ok(members)
}

/// Returns a copy in which the names of members are their numbers, counted from 0, so that all
/// names differ. All contents keep their offsets. Returns `None` if names are stored in the
/// contents or refer to other files.
pub fn numbered(bytes: &[u8]) -> Option<Vec<u8>> {
    const HEADER: usize = 60;
    const NAME: usize = 16;
    let archive = ArchiveFile::parse(bytes).ok()?;
    let mut out = bytes.to_vec();
    for (index, member) in archive.members().enumerate() {
        let member = member.ok().filter(|member| !member.is_thin())?;
        let start = usize::try_from(member.file_range().0).ok()?;
        let header = out
            .get_mut(start.checked_sub(HEADER)?..start)
            .filter(|header| header.ends_with(b"`\n"))?;
        header[..NAME].copy_from_slice(format!("{:<NAME$}", format!("{index}/")).as_bytes());
    }
    Some(out)
}

/// Returns an archive with these members and no symbol table: the members are device code, which no
/// host linker reads. Equal members give equal bytes.
pub fn write(members: &[(String, &[u8])]) -> Vec<u8> {
    // Names of more than 15 bytes, or with characters that end a name, are stored in a separate
    // member.
    let in_header = |name: &str| name.len() <= 15 && !name.contains(['/', '\n']);
    let mut long_names = Vec::new();
    let mut fields = Vec::with_capacity(members.len());
    for (name, _) in members {
        if in_header(name) {
            fields.push(format!("{name}/"));
        } else {
            fields.push(format!("/{}", long_names.len()));
            long_names.extend(name.replace('\n', "_").as_bytes());
            long_names.extend(b"/\n");
        }
    }
    let mut out = b"!<arch>\n".to_vec();
    let mut add = |name: &str, data: &[u8]| {
        out.extend(
            format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, data.len())
                .as_bytes(),
        );
        out.extend(data);
        if !data.len().is_multiple_of(2) {
            out.push(b'\n');
        }
    };
    if !long_names.is_empty() {
        add("//", &long_names);
    }
    for (field, (_, data)) in fields.iter().zip(members) {
        add(field, data);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let parts: [(String, &[u8]); 3] = [
            ("a.bc".into(), b"odd"),
            ("a-name-longer-than-the-header-takes.bc".into(), b"even"),
            ("exactly15bytes_".into(), b""),
        ];
        let bytes = write(&parts);
        let read = members(&bytes).unwrap();
        let expected: Vec<_> =
            parts.iter().map(|(name, data)| Member { name, data: Some(data) }).collect();
        assert_eq!(read, expected);
        let numbered = numbered(&bytes).unwrap();
        let names: Vec<_> = members(&numbered).unwrap().iter().map(|member| member.name).collect();
        assert_eq!(names, ["0", "1", "2"]);
        assert_eq!(members(&numbered).unwrap()[1].data, Some(&b"even"[..]));
    }
}
