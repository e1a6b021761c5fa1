//! The members of static libraries, so that the device code of fat objects in them can be linked.

use object::read::archive::ArchiveFile;

/// A member. A thin archive only names its members' files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    pub name: &'a str,
    /// `None` in a thin archive: the file is found relative to the archive.
    pub data: Option<&'a [u8]>,
}

/// Why bytes are not an archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    #[error("not an archive: {0}")]
    NotAnArchive(String),
    #[error("archive member {index}: {reason}")]
    Member { index: usize, reason: String },
    #[error("the name of archive member {0} is not UTF-8 text")]
    NotText(usize),
}

/// The bytes look like an archive, thin or not; they need not be a good one.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n")
}

/// The members in order, without the symbol table.
pub fn members(bytes: &[u8]) -> Result<Vec<Member<'_>>, ArchiveError> {
    let archive = ArchiveFile::parse(bytes).map_err(|error| ArchiveError::NotAnArchive(error.to_string()))?;
    let mut members = Vec::new();
    for (index, member) in archive.members().enumerate() {
        let fail = |error: object::read::Error| ArchiveError::Member { index, reason: error.to_string() };
        let member = member.map_err(fail)?;
        let name = std::str::from_utf8(member.name()).map_err(|_| ArchiveError::NotText(index))?;
        let data = if member.is_thin() { None } else { Some(member.data(bytes).map_err(fail)?) };
        members.push(Member { name, data });
    }
    Ok(members)
}
