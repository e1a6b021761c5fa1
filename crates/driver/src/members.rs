//! Finds the members of static libraries that a program links, by running the linker.
//!
//! Order, groups, `--whole-archive`, `-u`, symbols of shared libraries and of the language runtime
//! all affect the result, and only the linker implements their rules. Therefore the host link runs
//! once before the device link, without device images, and lists the members that it loads.
//!
//! Device code has additional dependencies, which host code does not show: a kernel may call a
//! `SYCL_EXTERNAL` function of a member that nothing else refers to. The host link treats such
//! symbols as undefined (`-u`), so that the linker's rules apply to them and both links agree on
//! the members. This does not work for a function that only device code defines: in that case the
//! device code of the member is linked, but not its host code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use scythe_image::archive;

use crate::error::Error;

/// The input of [`choose`], and the files that it writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    /// The program and arguments of the host link, without device images.
    pub program: PathBuf,
    pub args: Vec<String>,
    /// The output of this link, which is not needed.
    pub output: PathBuf,
    pub archives: Vec<Archive>,
    /// Device modules that are always linked.
    pub objects: Vec<PathBuf>,
    /// The file of additional words for the host link, which [`choose`] writes.
    pub words: PathBuf,
}

/// A static library with device code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// The words of the link that name the archive.
    pub words: Vec<String>,
    /// The file that the linker reads.
    pub path: PathBuf,
    /// The path for a copy in which all members have different names.
    pub copy: PathBuf,
    pub members: Vec<Member>,
}

/// A member with device code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The index among all members.
    pub index: usize,
    /// The device modules of the member. If the program does not link the member, they are emptied.
    pub modules: Vec<PathBuf>,
    /// Warnings to print if the program links the member.
    pub warnings: Vec<String>,
}

/// The result of [`choose`].
pub enum Answer {
    /// The members are known. Contains warnings about linked members.
    Chosen(String),
    /// The host link failed.
    Failed(Output),
}

/// The index of an archive, and the index of one of its members with device code.
type Place = (usize, usize);

/// A function that runs programs.
pub type Runner<'a> = &'a dyn Fn(&mut Command, &Path) -> Result<Output, Error>;

/// Finds the linked members, and empties the modules of the other members.
pub fn choose(question: &Members, tools: &Path, run: Runner) -> Result<Answer, Error> {
    let archives = question.archives.iter().map(Known::read).collect::<Result<Vec<_>, _>>()?;
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut loaded = match load(question, &archives, &wanted, run)? {
        Ok(loaded) => loaded,
        Err(failed) => return Ok(Answer::Failed(failed)),
    };
    let all: BTreeSet<Place> = archives
        .iter()
        .enumerate()
        .flat_map(|(archive, known)| {
            (0..known.archive.members.len()).map(move |member| (archive, member))
        })
        .collect();
    let mut needed = BTreeSet::new();
    if loaded != all {
        let symbols = Symbols::read(question, &all, tools, run)?;
        // Members that are loaded for device code may need further members, for host or device
        // code.
        loop {
            let (members, names) = symbols.closure(&loaded);
            needed = members;
            if names.is_subset(&wanted) {
                break;
            }
            wanted.extend(names);
            loaded = match load(question, &archives, &wanted, run)? {
                Ok(loaded) => loaded,
                Err(failed) => return Ok(Answer::Failed(failed)),
            };
        }
        // Drop the symbols that loaded no member: host code does not define them.
        wanted.retain(|name| symbols.definers(name).any(|place| loaded.contains(&place)));
    }
    let words: String = wanted.iter().map(|name| format!("-u\n{name}\n")).collect();
    write(&question.words, words.as_bytes())?;
    let mut warnings = String::new();
    for place in all {
        let member = &archives[place.0].archive.members[place.1];
        if loaded.contains(&place) || needed.contains(&place) {
            member.warnings.iter().for_each(|warning| warnings += &crate::render_warning(warning));
        } else {
            member.modules.iter().try_for_each(|module| write(module, b""))?;
        }
    }
    Ok(Answer::Chosen(warnings))
}

/// An archive and the names of its members.
struct Known<'a> {
    archive: &'a Archive,
    names: Vec<String>,
    /// Whether the linker gets the copy, in which the members' names are their numbers.
    copied: bool,
}

impl<'a> Known<'a> {
    fn read(archive: &'a Archive) -> Result<Self, Error> {
        let bytes = std::fs::read(&archive.path)
            .map_err(|source| Error::Read { path: archive.path.clone(), source })?;
        let fail = |error: archive::ArchiveError| Error::DeviceCode {
            path: archive.path.clone(),
            source: error.into(),
        };
        let names: Vec<String> = archive::members(&bytes)
            .map_err(fail)?
            .into_iter()
            .map(|member| member.name.to_owned())
            .collect();
        let different: BTreeSet<&String> = names.iter().collect();
        let copy = if different.len() == names.len() { None } else { archive::numbered(&bytes) };
        if let Some(copy) = &copy {
            write(&archive.copy, copy)?;
        }
        Ok(Self { archive, copied: copy.is_some(), names })
    }

    fn path(&self) -> &Path {
        if self.copied { &self.archive.copy } else { &self.archive.path }
    }

    /// Returns the members with device code that the linker calls `name`.
    fn called(&self, name: &str) -> impl Iterator<Item = usize> {
        self.archive.members.iter().enumerate().filter_map(move |(number, member)| {
            let own = if self.copied {
                member.index.to_string()
            } else {
                self.names.get(member.index)?.clone()
            };
            (own == name).then_some(number)
        })
    }

    /// Returns the members of a thin archive that are the file `path`.
    fn files(&self, path: &Path) -> impl Iterator<Item = usize> {
        let folder = self.archive.path.parent().unwrap_or(Path::new(""));
        self.archive.members.iter().enumerate().filter_map(move |(number, member)| {
            let file = folder.join(self.names.get(member.index)?);
            is_same_file(&file, path).then_some(number)
        })
    }
}

/// Returns the members that the linker loads if the symbols in `wanted` are undefined, or the
/// linker's output if it fails.
fn load(
    question: &Members,
    archives: &[Known],
    wanted: &BTreeSet<String>,
    run: Runner,
) -> Result<Result<BTreeSet<Place>, Output>, Error> {
    let mut args = question.args.clone();
    for known in archives.iter().filter(|known| known.copied) {
        let words = &known.archive.words;
        while let Some(at) = args.windows(words.len()).position(|window| window == words.as_slice())
        {
            args.splice(at..at + words.len(), [known.archive.copy.to_string_lossy().into_owned()]);
        }
    }
    let mut command = Command::new(&question.program);
    for name in wanted {
        command.args(["-u", name]);
    }
    // One `--trace` lists files; two also list the members of libraries.
    command.args(args).arg("-Wl,--trace,--trace").arg("-o").arg(&question.output);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = run(&mut command, &question.program)?;
    let _ = std::fs::remove_file(&question.output);
    if !output.status.success() {
        return Ok(Err(output));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut loaded = BTreeSet::new();
    for line in text.lines() {
        let line = line.strip_prefix("trace: ").unwrap_or(line);
        for (number, known) in archives.iter().enumerate() {
            let by_name =
                members(line).filter(|(path, _)| is_same_file(Path::new(path), known.path()));
            loaded.extend(
                by_name.flat_map(|(_, name)| known.called(name)).map(|member| (number, member)),
            );
            loaded.extend(known.files(Path::new(line)).map(|member| (number, member)));
        }
    }
    Ok(Ok(loaded))
}

/// Returns the ways to read a line as the name of an archive and a member: `libx.a(a.o)`, or
/// `(libx.a)a.o`. Names may contain parentheses.
fn members(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let after = line
        .strip_suffix(')')
        .into_iter()
        .flat_map(|line| line.match_indices('(').map(|(at, _)| (&line[..at], &line[at + 1..])));
    let before = line
        .strip_prefix('(')
        .into_iter()
        .flat_map(|line| line.match_indices(')').map(|(at, _)| (&line[..at], &line[at + 1..])));
    after.chain(before)
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |path: &Path| std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    a == b || identity(a).is_some_and(|own| identity(b) == Some(own))
}

/// The symbols that device modules define and need.
struct Symbols {
    defined_by: BTreeMap<String, Vec<Place>>,
    /// The symbols that the always-linked modules need.
    needed: BTreeSet<String>,
    needed_by: BTreeMap<Place, BTreeSet<String>>,
}

impl Symbols {
    fn read(
        question: &Members,
        all: &BTreeSet<Place>,
        tools: &Path,
        run: Runner,
    ) -> Result<Self, Error> {
        let of_member = |place: &Place| {
            let module = question.archives[place.0].members[place.1].modules.first();
            module.map(|module| (module.clone(), Some(*place)))
        };
        let objects = question.objects.iter().map(|module| (module.clone(), None));
        let files: Vec<(PathBuf, Option<Place>)> =
            objects.chain(all.iter().filter_map(of_member)).collect();
        let mut command = Command::new(tools);
        command.arg("device-symbols").args(files.iter().map(|(file, _)| file));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = run(&mut command, tools)?;
        if !output.status.success() {
            let printed = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
            return Err(Error::DeviceSymbols { printed });
        }
        let mut symbols = Self {
            defined_by: BTreeMap::new(),
            needed: BTreeSet::new(),
            needed_by: BTreeMap::new(),
        };
        // Each line describes one symbol: the number of the file, whether the file defines or needs
        // the symbol, and the symbol.
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let mut fields = line.splitn(3, ' ');
            let file = fields
                .next()
                .and_then(|number| number.parse::<usize>().ok())
                .and_then(|n| files.get(n));
            let (Some((_, place)), Some(kind), Some(name)) = (file, fields.next(), fields.next())
            else {
                continue;
            };
            match (kind, place) {
                ("D", Some(place)) => {
                    symbols.defined_by.entry(name.to_owned()).or_default().push(*place)
                }
                ("U", Some(place)) => {
                    symbols.needed_by.entry(*place).or_default().insert(name.to_owned());
                }
                ("U", None) => {
                    symbols.needed.insert(name.to_owned());
                }
                // A symbol that an object defines needs no archive member.
                _ => {
                    symbols.defined_by.insert(name.to_owned(), Vec::new());
                }
            }
        }
        Ok(symbols)
    }

    fn definers(&self, name: &str) -> impl Iterator<Item = Place> {
        self.defined_by.get(name).into_iter().flatten().copied()
    }

    /// Returns the members that device code needs in addition to the loaded members, and the
    /// symbols that it needs them for.
    fn closure(&self, loaded: &BTreeSet<Place>) -> (BTreeSet<Place>, BTreeSet<String>) {
        let (mut members, mut names) = (BTreeSet::new(), BTreeSet::new());
        let mut work: Vec<&String> = self
            .needed
            .iter()
            .chain(loaded.iter().flat_map(|place| self.needed_by.get(place)).flatten())
            .collect();
        while let Some(name) = work.pop() {
            let mut definers = self.definers(name).peekable();
            // As in a host link, the first member that defines a symbol is linked, unless a linked
            // member already defines it.
            let known = self
                .definers(name)
                .any(|place| loaded.contains(&place) || members.contains(&place));
            if let Some(place) = definers.next().filter(|_| !known) {
                names.insert(name.clone());
                members.insert(place);
                work.extend(self.needed_by.get(&place).into_iter().flatten());
            }
        }
        (members, names)
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|source| Error::Write { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linkers_name_members_in_two_ways() {
        assert_eq!(members("libx.a(a.o)").collect::<Vec<_>>(), [("libx.a", "a.o")]);
        assert_eq!(members("(./libx.a)a.o").collect::<Vec<_>>(), [("./libx.a", "a.o")]);
        assert!(members("d (1)/libx.a(a(2).o)").any(|found| found == ("d (1)/libx.a", "a(2).o")));
        assert_eq!(members("/usr/lib/libc.so.6").count(), 0);
    }

    #[test]
    fn device_code_pulls_members_as_a_linker_does() {
        let set =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let symbols = Symbols {
            defined_by: [("f", vec![(0, 0)]), ("g", vec![(0, 1), (1, 0)]), ("own", vec![])]
                .map(|(name, places)| (name.to_owned(), places))
                .into(),
            needed: set(&["f", "own", "nowhere"]),
            needed_by: [((0, 0), set(&["g"])), ((1, 0), set(&["f"]))].into(),
        };
        assert_eq!(symbols.closure(&BTreeSet::new()), ([(0, 0), (0, 1)].into(), set(&["f", "g"])));
        // A loaded member satisfies the need.
        assert_eq!(symbols.closure(&[(1, 0)].into()), ([(0, 0)].into(), set(&["f"])));
    }
}
