//! Tests kernels in objects, which are called like compiled device code.

use std::sync::Arc;

use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Shape};
use scythe_hal::{
    BuildRequest, Command, Device, Errc, FunctorBytes, Kernel, KernelWork, Program, Work,
};
use scythe_image::Format;

use super::{compile_c, device, enqueue, host_queue};

/// Each work-group writes its number and its view of the launch. No other group may change its
/// local memory meanwhile.
const SOURCE: &str = r#"
typedef unsigned long u64;
struct launch {
    const void *const *args;
    u64 global[3], offset[3], local[3], groups[3];
    unsigned dims, local_bytes;
};
struct box { u64 begin[3], end[3]; };
void kernel(const struct launch *l, const struct box *b, char *memory) __asm__("__scythe_cpu._ZTS1K");
void kernel(const struct launch *l, const struct box *b, char *memory) {
    u64 *out = *(u64 *const *)l->args[0];
    u64 *scratch = *(u64 *const *)l->args[1];
    int add = *(const int *)l->args[2];
    char *more = *(char *const *)l->args[3];
    if (l->local_bytes < 256 + 128) return;
    if ((char *)scratch != memory || more != memory + 256 || (u64)memory % 128 != 0) return;
    for (u64 y = b->begin[1]; y < b->end[1]; y++)
        for (u64 x = b->begin[0]; x < b->end[0]; x++) {
            u64 group = y * l->groups[0] + x;
            for (u64 i = 0; i < 20; i++) scratch[i] = group;
            u64 sum = 0;
            for (u64 i = 0; i < 20; i++) sum += scratch[i];
            out[group] += sum / 20 + add + l->local[0] * 1000 + l->offset[0] * 1000000;
        }
}
"#;

fn object() -> Vec<u8> {
    compile_c(SOURCE, &["-O1", "-fPIC"])
}

fn rows() -> KernelLaunch {
    let param = Param::unlowered;
    KernelLaunch {
        shape: Shape::NdRange,
        functor_size: 56,
        file: "k.cpp".into(),
        line: 1,
        column: 1,
        identity: 0,
        params: vec![
            param(ParamKind::Accessor, 8, 0),
            param(ParamKind::Local, 8, 16),
            param(ParamKind::StdLayout, 4, 32),
            param(ParamKind::Local, 8, 40),
        ],
        function: None,
    }
}

/// Returns a functor with an accessor, a local accessor of 160 bytes, an int and a local accessor
/// of `more` bytes.
fn functor(out: *mut u64, add: u32, more: u64) -> FunctorBytes {
    let words = [out as u64, 0, 0, 160, u64::from(add), 0, more];
    FunctorBytes::new(&words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>())
}

fn work(kernel: &Arc<dyn Kernel>, functor: FunctorBytes) -> Work {
    Work::Kernel(Box::new(KernelWork {
        kernel: Arc::clone(kernel),
        functor,
        dims: 2,
        global_size: [320, 200, 1],
        local_size: [16, 2, 1],
        global_offset: [3, 0, 0],
        cooperation: Default::default(),
        place: None,
    }))
}

#[test]
fn kernels_get_arguments_launch_and_local_memory() {
    let object = object();
    for threads in [1, 3] {
        let device = device(threads);
        let program = device.build(&BuildRequest::new(&object, Format::CpuObject)).unwrap();
        let kernel = program.kernel("_ZTS1K", &rows()).unwrap();
        drop(program);
        let queue = host_queue(&device, false);
        let mut out = vec![0u64; 20 * 100];
        let start = out.as_mut_ptr();
        let first = enqueue(&queue, work(&kernel, functor(start, 5, 10)), &[]);
        drop(kernel);
        first.wait().unwrap();
        let right = out
            .iter()
            .enumerate()
            .all(|(group, &value)| value == group as u64 + 5 + 16_000 + 3_000_000);
        assert!(right, "{threads} threads: {:?}", &out[..4]);
    }
}

#[test]
fn wrong_kernels_and_arguments_are_errors() {
    let device = device(2);
    let program: Arc<dyn Program> =
        device.build(&BuildRequest::new(&object(), Format::CpuObject)).unwrap();
    let missing = program.kernel("_ZTS5Other", &rows()).err().unwrap();
    assert!(missing.code == Errc::Kernel && missing.message.contains("_ZTS5Other"), "{missing}");
    let outside = KernelLaunch { functor_size: 48, ..rows() };
    assert_eq!(program.kernel("_ZTS1K", &outside).err().unwrap().code, Errc::KernelArgument);

    let queue = host_queue(&device, false);
    let kernel = program.kernel("_ZTS1K", &rows()).unwrap();
    let refused = |functor: FunctorBytes| {
        // SAFETY: the work is refused.
        unsafe { queue.enqueue(Command::new(work(&kernel, functor), &[])) }.err().unwrap()
    };
    let short = refused(FunctorBytes::new(&[0; 8]));
    assert!(short.code == Errc::KernelArgument && short.message.contains("8 bytes"), "{short}");
    for bytes in [1 << 30, u64::MAX] {
        assert_eq!(refused(functor(std::ptr::null_mut(), 0, bytes)).code, Errc::MemoryAllocation);
    }
    let other_format = device.build(&BuildRequest::new(b"", Format::SpirV)).err().unwrap();
    assert_eq!(other_format.code, Errc::Build);
    let damaged = device.build(&BuildRequest::new(b"\x7fELF", Format::CpuObject)).err().unwrap();
    assert!(
        damaged.code == Errc::Build && damaged.message.contains("not an ELF object"),
        "{damaged}"
    );
}
