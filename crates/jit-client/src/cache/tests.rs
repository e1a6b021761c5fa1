//! Tests the cache inside of one process. `tests/cache.rs` uses several processes.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use super::entry::{Damage, encode_head};
use super::*;
use scythe_abi::checks::Checks;
use scythe_hal::Output;
use scythe_hal::compiler::Part;

/// A temporary folder, which is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "scythe-cache-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn cache(&self, max_bytes: u64) -> Cache {
        Cache::open(&Settings::for_folder(&self.0.join("cache"), max_bytes)).unwrap()
    }

    fn file(&self, name: &str, contents: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, contents).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn key(number: u64) -> Key {
    let mut bytes = [7; Key::BYTES];
    bytes[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    Key(bytes)
}

fn object(cache: &Cache, key: &Key) -> Option<Vec<u8>> {
    cache.get(key).map(|entry| entry.object().to_vec())
}

/// Returns bytes that identify the number they were made from.
fn contents(number: u64, length: usize) -> Vec<u8> {
    number.to_le_bytes().into_iter().cycle().take(length).collect()
}

fn set_used(path: &Path, ago: Duration) {
    File::options().write(true).open(path).unwrap().set_modified(SystemTime::now() - ago).unwrap();
}

fn entry_bytes(key: &Key, compiler: Option<&FileStamp>, object: &[u8]) -> Vec<u8> {
    [encode_head(key, compiler, object), object.to_vec()].concat()
}

#[test]
fn entries_come_back_as_they_went_in() {
    let scratch = Scratch::new();
    let stamp = FileStamp::of(&scratch.file("llvm", b"x")).unwrap();
    for length in [0, 1, 15, 16, 1000] {
        for compiler in [None, Some(&stamp)] {
            let object = contents(3, length);
            let entry = Entry::decode(entry_bytes(&key(1), compiler, &object), &key(1)).unwrap();
            assert_eq!(entry.object(), object);
            assert_eq!(entry.compiler(), compiler);
            assert_eq!(entry.object().as_ptr() as usize % 16, 0);
        }
    }
}

#[test]
fn every_truncation_flipped_bit_and_addition_is_noticed() {
    let scratch = Scratch::new();
    let stamp = FileStamp::of(&scratch.file("llvm", b"x")).unwrap();
    let good = entry_bytes(&key(1), Some(&stamp), &contents(5, 400));
    for length in 0..good.len() {
        assert!(
            Entry::decode(good[..length].to_vec(), &key(1)).is_err(),
            "{length} of {} bytes",
            good.len()
        );
    }
    for bit in 0..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(Entry::decode(bytes, &key(1)).is_err(), "bit {bit}");
    }
    assert!(Entry::decode([good.clone(), vec![0]].concat(), &key(1)).is_err());
    assert_eq!(Entry::decode(good.clone(), &key(2)).unwrap_err(), Damage::Key);
    let mut newer = good.clone();
    newer[8] = 2;
    assert_eq!(Entry::decode(newer, &key(1)).unwrap_err(), Damage::Version(2));
    // Lengths beyond the end of the file.
    let mut long = good;
    long[12..24].fill(0xff);
    assert!(matches!(Entry::decode(long, &key(1)).unwrap_err(), Damage::Length { .. }));
}

#[test]
fn damaged_entry_is_removed_and_can_be_stored_again() {
    let scratch = Scratch::new();
    let cache = scratch.cache(u64::MAX);
    let path = cache.folder.entry(&key(1));
    assert!(cache.get(&key(1)).is_none());
    let good = contents(1, 5000);
    for damage in [b"".as_slice(), b"SCYTHOBJ", &[0; 9000]] {
        cache.put(&key(1), None, &good);
        assert_eq!(object(&cache, &key(1)).unwrap(), good);
        std::fs::write(&path, damage).unwrap();
        assert!(cache.get(&key(1)).is_none());
        assert!(!path.exists());
    }
    // A folder cannot be replaced by a file.
    std::fs::create_dir(&path).unwrap();
    assert!(cache.get(&key(1)).is_none());
    cache.put(&key(1), None, &good);
    assert!(cache.get(&key(1)).is_none());
}

#[test]
fn another_llvm_makes_entries_anew_and_none_does_not() {
    let scratch = Scratch::new();
    let cache = scratch.cache(u64::MAX);
    let llvm = scratch.file("libLLVM.so", b"first");
    let stamp = FileStamp::of(&llvm).unwrap();
    cache.put(&key(1), Some(&stamp), b"object");
    assert!(cache.get(&key(1)).is_some());
    std::fs::remove_file(&llvm).unwrap();
    assert!(cache.get(&key(1)).is_some(), "a run without LLVM");
    std::fs::write(&llvm, b"second one").unwrap();
    assert!(cache.get(&key(1)).is_none());
    assert!(!cache.folder.entry(&key(1)).exists());
}

#[test]
fn key_depends_on_every_ingredient() {
    let scratch = Scratch::new();
    let library = scratch.file("libscythe-jit.so", &[1; 10_000]);
    let device_lib = scratch.file("devicelib/devicelib-cpu.bc", b"bitcode");
    let folder = device_lib.parent().unwrap();
    let cpu = |scalar, kernel| Output::CpuObject { scalar, checks: Checks::NONE, kernel };
    let request = CompileRequest {
        device: "device",
        bitcode: b"code",
        libraries: &[],
        opt_level: 2,
        aspects: &[],
        output: cpu(false, None),
    };
    let parts = [None, Some([64, 1, 1]), Some([1, 64, 1])]
        .map(|local_size| Part { kernel: "k".into(), local_size });
    let extensions = ["a".to_owned(), "b".to_owned()];
    let spirv = |version, extensions, kernel| Output::SpirV { version, extensions, kernel };
    let constants = [("c".to_owned(), vec![1, 2])];
    let identify = || Toolchain::identify(&library, folder).unwrap();
    let mut keys = vec![identify().key(&request).to_string()];
    assert_eq!(keys[0], identify().key(&request).to_string());
    assert_eq!(keys[0].len(), 64);
    let mut changed = |key: Key| {
        assert!(!keys.contains(&key.to_string()), "change {}", keys.len());
        keys.push(key.to_string());
    };
    for other in [
        CompileRequest { bitcode: b"codf", ..request },
        CompileRequest { libraries: &[b""], ..request },
        CompileRequest { libraries: &[b"one", b"two"], ..request },
        CompileRequest { libraries: &[b"two", b"one"], ..request },
        CompileRequest { libraries: &[b"onetwo"], ..request },
        CompileRequest { opt_level: 3, ..request },
        CompileRequest { aspects: &[1], ..request },
        CompileRequest { aspects: &[1, 2], ..request },
        CompileRequest { output: cpu(true, None), ..request },
        CompileRequest { output: cpu(false, Some(&parts[0])), ..request },
        CompileRequest { output: cpu(false, Some(&parts[1])), ..request },
        CompileRequest { output: cpu(false, Some(&parts[2])), ..request },
        CompileRequest { output: spirv(0x0001_0000, &[], None), ..request },
        CompileRequest { output: spirv(0x0001_0400, &[], None), ..request },
        CompileRequest { output: spirv(0x0001_0400, &extensions, None), ..request },
        CompileRequest { output: spirv(0x0001_0400, &extensions[..1], Some("b")), ..request },
        CompileRequest { output: Output::Ptx { sm: 90, driver: 13000, kernel: None }, ..request },
        CompileRequest { output: Output::Ptx { sm: 80, driver: 13000, kernel: None }, ..request },
        CompileRequest {
            output: Output::Ptx { sm: 80, driver: 13000, kernel: Some("b") },
            ..request
        },
        CompileRequest { output: Output::Bitcode { constants: &[] }, ..request },
        CompileRequest { output: Output::Bitcode { constants: &constants }, ..request },
    ] {
        changed(identify().key(&other));
    }
    set_used(&library, Duration::from_secs(1000));
    changed(identify().key(&request));
    let time = std::fs::metadata(&library).unwrap().modified().unwrap();
    let rewrite = |contents: &[u8]| {
        std::fs::write(&library, contents).unwrap();
        File::options().write(true).open(&library).unwrap().set_modified(time).unwrap();
    };
    rewrite(&[1; 10_001]);
    changed(identify().key(&request));
    rewrite(&[2; 10_000]);
    changed(identify().key(&request));
    std::fs::write(&device_lib, b"bitcodf").unwrap();
    changed(identify().key(&request));
    scratch.file("devicelib/more.bc", b"");
    changed(identify().key(&request));
    let without = Toolchain::identify(&library, &scratch.0.join("none")).unwrap();
    changed(without.key(&request));
    assert!(Toolchain::identify(&scratch.0.join("no library"), folder).is_err());
}

#[test]
fn only_the_user_may_read_and_write() {
    let scratch = Scratch::new();
    let cache = scratch.cache(1 << 20);
    cache.put(&key(1), None, b"object");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    let entry = cache.folder.entry(&key(1));
    let folders = [entry.parent().unwrap(), &cache.folder.path(), &scratch.0.join("cache")];
    assert!(folders.iter().all(|folder| mode(folder) == 0o700));
    assert_eq!(mode(&entry), 0o600);
    assert_eq!(mode(&cache.folder.path().join("usage")), 0o600);

    let open = |path: &Path| Cache::open(&Settings::for_folder(path, u64::MAX)).is_some();
    let root = scratch.0.join("cache");
    for (mode, usable) in
        [(0o755, true), (0o720, false), (0o702, false), (0o1777, false), (0o700, true)]
    {
        std::fs::set_permissions(&root, PermissionsExt::from_mode(mode)).unwrap();
        assert_eq!(open(&root), usable, "mode {mode:o}");
    }
    let file = scratch.file("file", b"");
    assert!(!open(&file) && !open(&file.join("below")), "not a folder");
    assert!(!open(Path::new("/proc/no such folder")));
    // SAFETY: `geteuid` has no preconditions.
    let others = if unsafe { libc::geteuid() } == 0 {
        let folder = scratch.0.join("others");
        std::fs::create_dir(&folder).unwrap();
        std::os::unix::fs::chown(&folder, Some(65534), None).unwrap();
        folder
    } else {
        "/".into()
    };
    assert!(!open(&others), "another user's");
}

/// Returns the folder of an attacker, with the cache's files and an entry for key 1.
fn attack(scratch: &Scratch) -> PathBuf {
    let theirs = scratch.0.join("theirs");
    let cache = Cache::open(&Settings::for_folder(&theirs, u64::MAX)).unwrap();
    cache.put(&key(1), None, b"theirs");
    theirs
}

#[test]
fn links_inside_of_the_cache_are_not_followed() {
    let scratch = Scratch::new();
    let theirs = attack(&scratch);
    let root = scratch.0.join("cache");
    let shard = |cache: &Cache| cache.folder.entry(&key(1)).parent().unwrap().to_owned();
    let entry = |cache: &Cache| cache.folder.entry(&key(1));
    let places: [&dyn Fn(&Cache) -> PathBuf; 3] = [&|cache| cache.folder.path(), &shard, &entry];
    for place in places {
        let cache = scratch.cache(u64::MAX);
        let own = place(&cache);
        std::fs::create_dir_all(own.parent().unwrap()).unwrap();
        let theirs = theirs.join(own.strip_prefix(&root).unwrap());
        std::os::unix::fs::symlink(&theirs, &own).unwrap();
        assert!(cache.get(&key(1)).is_none(), "{}", own.display());
        let count = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
        let before = count(theirs.parent().unwrap());
        cache.put(&key(2), None, b"own");
        cache.put(&key(1), None, b"own");
        assert_eq!(count(theirs.parent().unwrap()), before, "nothing is written there");
        std::fs::remove_dir_all(&root).unwrap();
    }
    let theirs = Cache::open(&Settings::for_folder(&theirs, u64::MAX)).unwrap();
    assert_eq!(object(&theirs, &key(1)).unwrap(), b"theirs");
}

#[test]
fn entries_that_others_can_write_are_discarded() {
    let scratch = Scratch::new();
    let cache = scratch.cache(u64::MAX);
    let path = cache.folder.entry(&key(1));
    let set_mode = |path: &Path, mode| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    cache.put(&key(1), None, b"object");
    set_mode(&path, 0o622);
    assert!(cache.get(&key(1)).is_none() && !path.exists());
    cache.put(&key(1), None, b"object");
    assert_eq!(object(&cache, &key(1)).unwrap(), b"object");
    for folder in [path.parent().unwrap(), &cache.folder.path()] {
        set_mode(folder, 0o722);
        assert!(cache.get(&key(1)).is_none() && path.exists(), "{}", folder.display());
        set_mode(folder, 0o700);
    }
    assert!(cache.get(&key(1)).is_some());
    // SAFETY: `geteuid` has no preconditions.
    if unsafe { libc::geteuid() } == 0 {
        std::os::unix::fs::chown(&path, Some(65534), None).unwrap();
        assert!(cache.get(&key(1)).is_none() && !path.exists());
    }
}

#[test]
fn a_root_that_is_swapped_later_is_checked_again() {
    let scratch = Scratch::new();
    let theirs = attack(&scratch);
    let cache = scratch.cache(u64::MAX);
    cache.put(&key(1), None, b"own");
    let root = scratch.0.join("cache");
    std::fs::rename(&root, scratch.0.join("moved")).unwrap();
    std::fs::rename(&theirs, &root).unwrap();
    std::fs::set_permissions(&root, PermissionsExt::from_mode(0o777)).unwrap();
    assert!(cache.get(&key(1)).is_none());
    cache.put(&key(2), None, b"own");
    assert!(!cache.folder.entry(&key(2)).exists());
}

#[test]
fn least_recently_used_entries_go_first() {
    const SIZE: usize = 1000;
    let scratch = Scratch::new();
    let bytes = entry_bytes(&key(0), None, &contents(0, SIZE)).len() as u64;
    let cache = scratch.cache(10 * bytes);
    let foreign = scratch.file("cache/cpu/00/notes", b"not ours");
    for n in 0..10 {
        cache.put(&key(n), None, &contents(n, SIZE));
        set_used(&cache.folder.entry(&key(n)), Duration::from_secs(100 - n));
    }
    assert!((0..10).all(|n| cache.folder.entry(&key(n)).exists()), "they just fit");
    // The oldest is used again.
    assert_eq!(object(&cache, &key(0)).unwrap(), contents(0, SIZE));
    cache.put(&key(10), None, &contents(10, SIZE));
    let left: Vec<u64> = (0..=10).filter(|&n| cache.folder.entry(&key(n)).exists()).collect();
    assert_eq!(left, [0, 4, 5, 6, 7, 8, 9, 10][..].to_vec(), "down to seven eighths of the limit");
    assert!(foreign.exists());

    let large = contents(11, 20 * SIZE);
    cache.put(&key(11), None, &large);
    assert!(
        cache.get(&key(11)).is_none() && cache.get(&key(10)).is_some(),
        "larger than the whole cache"
    );
}

#[test]
fn wrong_account_of_the_size_does_no_harm() {
    let scratch = Scratch::new();
    let limit = 20_000;
    let cache = scratch.cache(limit);
    let usage = cache.folder.path().join("usage");
    let total = || -> u64 {
        (0..60)
            .filter_map(|n| Some(std::fs::metadata(cache.folder.entry(&key(n))).ok()?.len()))
            .sum()
    };
    let accounts = [b"".as_slice(), b"odd", &[0xff; 16], &[0; 8 * 2000]];
    for (n, account) in (0..60).zip(accounts.iter().cycle()) {
        cache.put(&key(n), None, &contents(n, 1000));
        std::fs::write(&usage, account).unwrap();
        assert_eq!(object(&cache, &key(n)).unwrap(), contents(n, 1000));
        assert!(total() <= limit);
    }
}

#[test]
fn leftovers_of_dead_writers_are_removed() {
    let scratch = Scratch::new();
    let cache = scratch.cache(u64::MAX);
    let old = scratch.file("cache/cpu/tmp/1-1-1", b"half an ent");
    let young = scratch.file("cache/cpu/tmp/1-2-1", b"half an ent");
    set_used(&old, folder::LEFTOVER_AGE + Duration::from_secs(5));
    cache.put(&key(1), None, b"object");
    assert!(!old.exists() && young.exists());
}

#[test]
fn failed_write_leaves_nothing() {
    let scratch = Scratch::new();
    let cache = scratch.cache(u64::MAX);
    // A folder in the place of an entry makes the rename fail.
    let target = cache.folder.entry(&key(1));
    std::fs::create_dir_all(&target).unwrap();
    cache.folder.store(&key(1), [b"part".as_slice()]).unwrap_err();
    assert_eq!(std::fs::read_dir(cache.folder.path().join("tmp")).unwrap().count(), 0);
}

const KILLED_FOLDER: &str = "SCYTHE_TEST_KILLED_FOLDER";

/// The child process of the next test: it dies while it writes an entry.
#[test]
fn killed_child() {
    let Some(root) = std::env::var_os(KILLED_FOLDER) else { return };
    let cache = Cache::open(&Settings::for_folder(Path::new(&root), u64::MAX)).unwrap();
    let object = contents(1, 100_000);
    let head = encode_head(&key(1), None, &object);
    let parts = [&head[..], &object[..50_000], &object[50_000..]].into_iter().enumerate().map(
        |(i, part)| {
            if i == 2 {
                // SAFETY: `raise` has no preconditions. It ends this process immediately.
                unsafe { libc::raise(libc::SIGKILL) };
            }
            part
        },
    );
    let _ = cache.folder.store(&key(1), parts);
    unreachable!("the process was killed");
}

#[test]
fn writer_killed_in_mid_write_leaves_no_entry() {
    use std::os::unix::process::ExitStatusExt;
    let scratch = Scratch::new();
    let cache = scratch.cache(u64::MAX);
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "cache::tests::killed_child", "--test-threads=1"])
        .env(KILLED_FOLDER, scratch.0.join("cache"))
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(libc::SIGKILL));
    let leftovers = || {
        std::fs::read_dir(cache.folder.path().join("tmp")).unwrap().flatten().collect::<Vec<_>>()
    };
    assert_eq!(leftovers().len(), 1);
    assert!(leftovers()[0].metadata().unwrap().len() > 50_000);
    assert!(cache.get(&key(1)).is_none());
    cache.put(&key(1), None, &contents(1, 100_000));
    assert_eq!(object(&cache, &key(1)).unwrap(), contents(1, 100_000));
    set_used(&leftovers()[0].path(), folder::LEFTOVER_AGE * 2);
    cache.put(&key(2), None, b"object");
    assert!(leftovers().is_empty());
}

#[test]
fn threads_store_read_and_evict_at_once() {
    let scratch = Scratch::new();
    let limit = 60_000;
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let cache = scratch.cache(limit);
            scope.spawn(move || {
                for round in 0..300u64 {
                    let n = (thread * 31 + round * 7) % 40;
                    let expected = contents(n, 2000 + n as usize * 10);
                    match object(&cache, &key(n)) {
                        Some(found) => assert_eq!(found, expected),
                        None => cache.put(&key(n), None, &expected),
                    }
                }
            });
        }
    });
    let cache = scratch.cache(limit);
    eviction::evict(&cache.folder, limit).unwrap();
    let entries: Vec<u64> = (0..40).filter(|&n| cache.get(&key(n)).is_some()).collect();
    assert!(!entries.is_empty());
    assert!(entries.iter().map(|n| 2096 + n * 10).sum::<u64>() <= limit);
    assert_eq!(std::fs::read_dir(cache.folder.path().join("tmp")).unwrap().count(), 0);
}
