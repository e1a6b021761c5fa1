//! Tests the loader with objects from the machine's C compiler, which resemble those of the
//! run-time compiler.

use super::*;
use crate::tests::compile_c as compile;
use scythe_hal::null::Random;

fn load(source: &str, flags: &[&str]) -> Result<LoadedObject, LoadError> {
    LoadedObject::link(&[&compile(source, flags)], &system_symbol)
}

/// Calls a function of the object that takes and returns an `int`.
fn call(object: &LoadedObject, name: &str, argument: i32) -> i32 {
    let code = object.function(name).unwrap_or_else(|| panic!("no function '{name}'"));
    // SAFETY: the tests' sources define the function with this type, and the object is loaded.
    unsafe { std::mem::transmute::<*const u8, extern "C" fn(i32) -> i32>(code)(argument) }
}

const PIC: &[&str] = &["-O1", "-fPIC"];

#[test]
fn code_constants_and_data_work_together() {
    let source = r#"
        static const int table[4] = {10, 20, 30, 40};
        const int *const where = &table[1];
        static int counter = 5;
        int uninitialised[1000];
        int common_one;
        __attribute__((noinline)) int helper(int i) { return table[i & 3]; }
        int f(int i) {
            counter += i;
            uninitialised[i] = counter;
            common_one += 1;
            return helper(i) + *where + uninitialised[i] + common_one;
        }
        int indirect(int i) {
            int (*volatile target)(int) = helper;
            return target(i);
        }
    "#;
    for flags in
        [PIC, &["-O0", "-fPIC"], &["-O2", "-fPIC", "-fcommon"], &["-O1", "-fPIC", "-fno-plt"]]
    {
        let object = load(source, flags).unwrap();
        assert_eq!(call(&object, "f", 2), 30 + 20 + 7 + 1, "{flags:?}");
        assert_eq!(call(&object, "f", 2), 30 + 20 + 9 + 2, "{flags:?}");
        assert_eq!(call(&object, "indirect", 3), 40, "{flags:?}");
    }
}

#[test]
fn library_functions_are_reached_from_afar() {
    let source = r#"
        float sinf(float);
        double pow(double, double);
        void *memset(void *, int, unsigned long);
        int f(int n) {
            char bytes[100];
            volatile float x = 0.5f;
            volatile double two = 2.0;
            memset(bytes, n, sizeof bytes);
            return (int)(sinf(x) * 100) + (int)pow(two, 10.0) + bytes[n];
        }
    "#;
    for flags in
        [&["-O1", "-fPIC", "-fno-builtin"][..], &["-O1", "-fPIC", "-fno-builtin", "-fno-plt"]]
    {
        assert_eq!(call(&load(source, flags).unwrap(), "f", 7), 47 + 1024 + 7);
    }
}

#[test]
fn unknown_function_is_named() {
    let error =
        load("int no_such_function(int); int f(int i) { return no_such_function(i); }", PIC)
            .err()
            .unwrap();
    assert!(matches!(&error, LoadError::Undefined(name) if name == "no_such_function"), "{error}");
    assert!(error.to_string().contains("'no_such_function'"));
}

#[test]
fn what_device_code_cannot_have_is_refused() {
    let absolute =
        load("int x; int *f(void) { return &x; }", &["-O1", "-fno-pic", "-mcmodel=small"]);
    assert!(
        absolute.is_ok() || absolute.err().unwrap().to_string().contains("position independent")
    );
    let thread_local = load("__thread int x; int f(int i) { return x += i; }", PIC).err().unwrap();
    assert!(
        matches!(thread_local, LoadError::Relocation { .. } | LoadError::Undefined(_)),
        "{thread_local}"
    );
    let initialiser = load("__attribute__((constructor)) void f(void) {}", PIC).err().unwrap();
    assert!(initialiser.to_string().contains("initialisers"), "{initialiser}");
    let program = LoadedObject::link(&[&std::fs::read("/proc/self/exe").unwrap()], &system_symbol)
        .err()
        .unwrap();
    assert!(matches!(program, LoadError::WrongKind(_)), "{program}");
    for bytes in [&b""[..], b"\x7fELF", b"BC\xc0\xde and so on"] {
        assert!(matches!(LoadedObject::link(&[bytes], &system_symbol), Err(LoadError::Parse(_))));
    }
}

#[test]
fn code_is_not_writable_and_data_is_not_executable() {
    let source = "static int data = 1; int f(int i) { return data += i; } int *where(void) { \
        return &data; }";
    let object = load(source, PIC).unwrap();
    let code = object.function("f").unwrap() as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let of = |address: usize| {
        maps.lines().find_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (low, high) = range.split_once('-')?;
            let range =
                usize::from_str_radix(low, 16).ok()?..usize::from_str_radix(high, 16).ok()?;
            range.contains(&address).then(|| rest[..4].to_owned())
        })
    };
    assert_eq!(of(code).as_deref(), Some("r-xp"));
    let where_ = object.function("where").unwrap();
    // SAFETY: the source above defines the function with this type, and the object is loaded.
    let data = unsafe { std::mem::transmute::<*const u8, extern "C" fn() -> usize>(where_)() };
    assert_eq!(of(data).as_deref(), Some("rw-p"));
}

#[test]
fn objects_find_each_others_symbols_round_about() {
    let one = compile(
        "int two(int); int shared = 100; int one(int i) { return i < 1 ? shared : two(i - 1) + 1; \
         } int own(int i) { return i; }
         int f(int i) { return one(i) + own(i); }",
        PIC,
    );
    let other = compile(
        "extern int shared; int one(int); int two(int i) { shared += 1; return one(i) * 2; } int \
         own(int i) { return -i; }
         int g(int i) { return own(i); }",
        PIC,
    );
    let linked = LoadedObject::link(&[&one, &other], &system_symbol).unwrap();
    // one(2) = two(1) + 1 = one(1) * 2 + 1 = (two(0) + 1) * 2 + 1, two(0) = 102 * 2
    assert_eq!(call(&linked, "f", 2), (204 + 1) * 2 + 1 + 2, "each object uses its own 'own'");
    assert!(linked.function("g").is_none(), "kernels are those of the first object");
    let missing = LoadedObject::link(&[&one], &system_symbol).err().unwrap();
    assert!(matches!(&missing, LoadError::Undefined(name) if name == "two"), "{missing}");
}

/// A small random number generator with a fixed seed, so that failures are reproducible.
#[test]
fn damaged_objects_are_refused_or_loaded_but_never_crash() {
    let source = r#"
        double pow(double, double);
        static const double table[3] = {1, 2, 3};
        const double *const where = &table[1];
        int counter, common_one;
        int f(int i) { counter += i; common_one++; return (int)pow(table[i % 3], *where) + counter; }
    "#;
    let object = compile(source, &["-O1", "-fPIC", "-fcommon"]);
    let mut random = Random::new(0x5eed_1234_abcd_0001);
    for round in 0..20_000 {
        let mut bytes = object.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = match random.below(3) {
                0 => random.below(256) as u8,
                1 => 0xff,
                _ => bytes[at] ^ 1 << random.below(8),
            };
        }
        if round % 10 == 0 {
            bytes.truncate(random.below(bytes.len()));
        }
        // The test calls no function of a loaded object: only loading must be safe.
        let _ = LoadedObject::link(&[&bytes], &|_| Some(0x1234_5678_9abc));
    }
}
