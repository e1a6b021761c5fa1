//! Which members of static libraries a program takes: asked of the linker itself.
//!
//! Order, groups, `--whole-archive`, `-u`, symbols of shared libraries and of the language's own:
//! only the linker knows what all of them come to. So the host link runs once before the device
//! link, without device images, and lists the members that it loads. Device code has needs of its
//! own, which host code does not show: a kernel may call a `SYCL_EXTERNAL` function of a member
//! that nothing else refers to. Such symbols count as undefined in the host link, too (`-u`), by
//! the linker's own rules. So both links agree on what is in. A function that only device code
//! defines cannot be asked for in that way: its member's device code is linked, its host code is
//! not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use scythe_image::archive;

use crate::error::Error;

/// The question, and where the answer goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    /// The host link, but for device images.
    pub program: PathBuf,
    pub args: Vec<String>,
    /// What it writes, which nobody needs.
    pub output: PathBuf,
    pub archives: Vec<Archive>,
    /// Device modules that are linked in any case.
    pub objects: Vec<PathBuf>,
    /// Becomes a file of words for the host link.
    pub words: PathBuf,
}

/// A static library with device code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// Its words among those of the link.
    pub words: Vec<String>,
    /// What the linker reads.
    pub path: PathBuf,
    /// Where a copy can be made, in which no two members have one name.
    pub copy: PathBuf,
    pub members: Vec<Member>,
}

/// A member with device code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its place among all members.
    pub index: usize,
    /// Its device modules. Those of members that the program does not take become empty.
    pub modules: Vec<PathBuf>,
    /// What to say if the program takes it.
    pub warnings: Vec<String>,
}

/// What came of the question.
pub enum Answer {
    /// Warnings about members that are linked.
    Chosen(String),
    /// The host link failed.
    Failed(Output),
}

/// Numbers of an archive and of one of its members with device code.
type Place = (usize, usize);

/// Runs programs.
pub type Runner<'a> = &'a dyn Fn(&mut Command, &Path) -> Result<Output, Error>;

/// Asks, and empties the modules of members that are not taken.
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
        // What is loaded for device code may need more, of both kinds.
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
        // Host code does not define what could not be loaded by its name.
        wanted.retain(|name| symbols.definers(name).any(|place| loaded.contains(&place)));
    }
    let words: String = wanted.iter().map(|name| format!("-u\n{name}\n")).collect();
    write(&question.words, words.as_bytes())?;
    let mut warnings = String::new();
    for place in all {
        let member = &archives[place.0].archive.members[place.1];
        if loaded.contains(&place) || needed.contains(&place) {
            member
                .warnings
                .iter()
                .for_each(|warning| warnings += &format!("scythe: warning: {warning}\n"));
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
    /// The linker is given the copy, whose members are called by their numbers.
    copied: bool,
}

impl<'a> Known<'a> {
    fn read(archive: &'a Archive) -> Result<Self, Error> {
        let bytes = std::fs::read(&archive.path)
            .map_err(|source| Error::Read { path: archive.path.clone(), source })?;
        let fail = |error: archive::ArchiveError| Error::DeviceCode {
            path: archive.path.clone(),
            message: error.to_string(),
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

    /// The members with device code that the linker's `name` means.
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

    /// The members of a thin archive that are the file `path`.
    fn files(&self, path: &Path) -> impl Iterator<Item = usize> {
        let folder = self.archive.path.parent().unwrap_or(Path::new(""));
        self.archive.members.iter().enumerate().filter_map(move |(number, member)| {
            let file = folder.join(self.names.get(member.index)?);
            is_same_file(&file, path).then_some(number)
        })
    }
}

/// The members that the linker loads, with these symbols undefined; or what it said when it failed.
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
    // Once lists files, twice also the members of libraries.
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

/// The ways in which a line may name an archive and a member: `libx.a(a.o)`, or `(libx.a)a.o`.
/// Names may hold parentheses.
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

/// What device modules define and need, by symbol.
struct Symbols {
    defined_by: BTreeMap<String, Vec<Place>>,
    /// Of modules that are linked in any case.
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
            let message = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
            return Err(Error::DeviceSymbols { message });
        }
        let mut symbols = Self {
            defined_by: BTreeMap::new(),
            needed: BTreeSet::new(),
            needed_by: BTreeMap::new(),
        };
        // A line for each symbol: the number of the file, whether it defines or needs it, the
        // symbol.
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

    /// The members that device code needs besides those that are loaded, and the symbols by which
    /// it does.
    fn closure(&self, loaded: &BTreeSet<Place>) -> (BTreeSet<Place>, BTreeSet<String>) {
        let (mut members, mut names) = (BTreeSet::new(), BTreeSet::new());
        let mut work: Vec<&String> = self
            .needed
            .iter()
            .chain(loaded.iter().flat_map(|place| self.needed_by.get(place)).flatten())
            .collect();
        while let Some(name) = work.pop() {
            let mut definers = self.definers(name).peekable();
            // As in a host link, the first that defines a symbol is taken, unless one is there
            // already.
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
        // What is loaded already serves.
        assert_eq!(symbols.closure(&[(1, 0)].into()), ([(0, 0)].into(), set(&["f"])));
    }
}
