use super::*;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, chown, symlink};

fn is(error: io::Error, reason: impl Fn(&Distrust) -> bool) -> bool {
    distrust(&error).is_some_and(|found| reason(&found))
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn folders_of_the_user_alone_are_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b");
    let folder = Folder::create(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
    for (mode, trusted) in [(0o755, true), (0o500, true), (0o720, false), (0o1777, false)] {
        set_mode(&path, mode);
        assert_eq!(Folder::create(&path).is_ok(), trusted, "mode {mode:o}");
    }
    set_mode(&path, 0o700);
    fs::write(path.join("file"), "").unwrap();
    assert!(is(Folder::open(&path.join("file")).unwrap_err(), |r| *r == Distrust::NotFolder));
    assert!(is(folder.folder("file").unwrap_err(), |r| *r == Distrust::NotFolder));
    assert_eq!(folder.folder("none").unwrap_err().kind(), io::ErrorKind::NotFound);
    folder.folder_or_new("inner").unwrap();
    assert_eq!(fs::metadata(path.join("inner")).unwrap().mode() & 0o777, 0o700);
    set_mode(&path.join("inner"), 0o777);
    assert!(is(folder.folder("inner").unwrap_err(), |r| *r == Distrust::Shared { mode: 0o777 }));
    // The user may name a folder by a link, but what is inside of it is no link.
    symlink(&path, dir.path().join("link")).unwrap();
    assert!(Folder::open(&dir.path().join("link")).is_ok());
    let outer = Folder::open(dir.path()).unwrap();
    assert!(is(outer.folder("link").unwrap_err(), |r| *r == Distrust::Link));
}

#[test]
fn files_are_read_written_and_listed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(dir.path()).unwrap();
    let other = folder.folder_or_new("other").unwrap();
    folder.create_new("new").unwrap().write_all(b"one").unwrap();
    assert_eq!(folder.create_new("new").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    folder.rename("new", &other, "old").unwrap();
    other.append("old").unwrap().write_all(b" two").unwrap();
    let mut text = String::new();
    other.read("old").unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "one two");
    assert_eq!(other.metadata("old").unwrap().mode() & 0o777, 0o600);
    assert_eq!(other.names().unwrap(), ["old"]);
    other.remove("old").unwrap();
    assert!(other.names().unwrap().is_empty());
}

#[test]
fn links_and_files_of_others_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(dir.path()).unwrap();
    fs::write(dir.path().join("file"), "secret").unwrap();
    symlink("file", dir.path().join("link")).unwrap();
    symlink("missing", dir.path().join("dangling")).unwrap();
    for link in ["link", "dangling"] {
        assert!(is(folder.read(link).unwrap_err(), |r| *r == Distrust::Link));
        assert!(is(folder.append(link).unwrap_err(), |r| *r == Distrust::Link));
        assert!(folder.create_new(link).is_err());
    }
    assert!(!dir.path().join("missing").exists());
    set_mode(&dir.path().join("file"), 0o622);
    assert!(is(folder.read("file").unwrap_err(), |r| matches!(r, Distrust::Shared { .. })));
    assert!(is(folder.read(".").unwrap_err(), |r| *r == Distrust::NotFile));
    if user() == 0 {
        set_mode(&dir.path().join("file"), 0o600);
        chown(dir.path().join("file"), Some(65534), None).unwrap();
        let foreign = Distrust::Foreign { owner: 65534, user: 0 };
        assert!(is(folder.read("file").unwrap_err(), |r| *r == foreign));
        assert!(is(folder.append("file").unwrap_err(), |r| *r == foreign));
    }
}

#[test]
fn a_swapped_folder_has_no_effect() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cache");
    let folder = Folder::create(&path).unwrap();
    folder.create_new("entry").unwrap().write_all(b"own").unwrap();
    fs::rename(&path, dir.path().join("moved")).unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("entry"), "foreign").unwrap();
    let mut text = String::new();
    folder.read("entry").unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "own");
}

#[test]
fn parents_that_others_can_replace_are_not_trusted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("parent/cache");
    Folder::create(&path).unwrap();
    Folder::check_parents(&path).unwrap();
    for (mode, trusted) in [(0o1777, true), (0o777, false), (0o755, true), (0o770, false)] {
        set_mode(&dir.path().join("parent"), mode);
        assert_eq!(Folder::check_parents(&path).is_ok(), trusted, "mode {mode:o}");
    }
    if user() == 0 {
        set_mode(&dir.path().join("parent"), 0o755);
        chown(dir.path().join("parent"), Some(65534), None).unwrap();
        let error = Folder::check_parents(&path).unwrap_err();
        assert!(is(error, |r| matches!(r, Distrust::Foreign { .. })));
    }
}

#[test]
fn outputs_in_shared_folders_follow_no_links() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("own");
    fs::write(&own, "precious").unwrap();
    let folder = dir.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let link = folder.join("link");
    symlink(&own, &link).unwrap();
    set_mode(&folder, 0o1777);
    assert!(is(output(&link).unwrap_err(), |r| *r == Distrust::Link));
    assert_eq!(fs::read_to_string(&own).unwrap(), "precious");
    let file = folder.join("file");
    output(&file).unwrap().write_all(b"long text").unwrap();
    output(&file).unwrap().write_all(b"text").unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "text");
    if user() == 0 {
        chown(&file, Some(65534), None).unwrap();
        assert!(is(output(&file).unwrap_err(), |r| matches!(r, Distrust::Foreign { .. })));
    }
    // In the user's own folder, a link is what the user wants.
    set_mode(&folder, 0o700);
    output(&link).unwrap().write_all(b"new").unwrap();
    assert_eq!(fs::read_to_string(&own).unwrap(), "new");
    assert!(output(&dir.path().join("missing/file")).is_err());
}
