//! Checks kernels with many barriers in loops: the results are correct in every form, and the code
//! size is linear in the size of the kernel.

mod common;

use common::{Library, Sizes, arg, compile, run};
use scythe_abi::cpu::Box3;
use std::fmt::Write;

/// The number of arithmetic steps in each loop.
const STEPS: u32 = 12;

/// Returns a kernel with a sequence of loops, each with two barriers. Each loop runs as many times
/// as its entry of `times` says, which may be zero. Work-items mix their neighbour's value into
/// their own.
fn kernel(loops: u32) -> String {
    let mut text = String::from(
        "declare spir_func void @_Z22__spirv_ControlBarrieriii(i32, i32, i32) #3\n\
         attributes #3 = { convergent nounwind }\n\
         define spir_kernel void @k(ptr addrspace(1) %data, i64 %items, ptr addrspace(1) %times) \
         #1 {\n\
         entry:\n  %i = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)\n\
         %up = add i64 %i, 1\n  %last = icmp eq i64 %up, %items\n  %n = select i1 %last, i64 0, \
         i64 %up\n\
         %own = getelementptr i32, ptr addrspace(1) %data, i64 %i\n\
         %next = getelementptr i32, ptr addrspace(1) %data, i64 %n\n",
    );
    for l in 0..loops {
        write!(
            text,
            "  %p.{l} = getelementptr i64, ptr addrspace(1) %times, i64 {l}\n\
             %t.{l} = load i64, ptr addrspace(1) %p.{l}, align 8\n"
        )
        .expect("strings grow");
    }
    text.push_str("  br label %test.0\n");
    for l in 0..loops {
        let before = if l == 0 { "entry".to_owned() } else { format!("test.{}", l - 1) };
        write!(
            text,
            "test.{l}:\n  %c.{l} = phi i64 [ 0, %{before} ], [ %d.{l}, %body.{l} ]\n\
             %on.{l} = icmp ult i64 %c.{l}, %t.{l}\n  br i1 %on.{l}, label %body.{l}, label \
             %test.{}\n\
             body.{l}:\n  %a.{l} = load i32, ptr addrspace(1) %own, align 4\n\
             %b.{l} = load i32, ptr addrspace(1) %next, align 4\n\
             %x.{l}.0 = add i32 %a.{l}, {l}\n",
            l + 1
        )
        .expect("strings grow");
        for s in 0..STEPS {
            writeln!(
                text,
                "  %y.{l}.{s} = mul i32 %x.{l}.{s}, 13\n  %x.{l}.{} = xor i32 %y.{l}.{s}, %b.{l}",
                s + 1
            )
            .expect("strings grow");
        }
        write!(
            text,
            "  call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528) #3\n\
             store i32 %x.{l}.{STEPS}, ptr addrspace(1) %own, align 4\n\
             call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 528) #3\n\
             %d.{l} = add i64 %c.{l}, 1\n  br label %test.{l}\n"
        )
        .expect("strings grow");
    }
    write!(text, "test.{loops}:\n  ret void\n}}\n").expect("strings grow");
    text
}

/// Computes the expected result of the kernel.
fn expected(items: usize, times: &[u64]) -> Vec<u32> {
    let mut data: Vec<u32> = (0..items as u32).collect();
    for l in (0u32..).zip(times).flat_map(|(l, &times)| (0..times).map(move |_| l)) {
        let mix = |i: usize| {
            let neighbour = data[(i + 1) % items];
            (0..STEPS).fold(data[i].wrapping_add(l), |x, _| x.wrapping_mul(13) ^ neighbour)
        };
        data = (0..items).map(mix).collect();
    }
    data
}

#[test]
fn items_meet_at_every_barrier() {
    // Kernels with few barriers have a form for full rows, kernels with many do not.
    for (loops, level) in [(1, 3), (3, 0), (3, 3), (8, 0), (8, 2), (8, 3)] {
        let library = Library::new(&kernel(loops), level);
        for (items, times) in [1, 5, 16, 40, 64].into_iter().flat_map(|i| [0, 1, 3].map(|t| (i, t)))
        {
            // Use the same number for all loops, or skip every other loop.
            let times: Vec<u64> =
                (0..loops as u64).map(|l| if times == 3 { 3 * (l % 2) } else { times }).collect();
            let mut data: Vec<u32> = (0..items as u32).collect();
            let (pointer, count, counts) = (data.as_mut_ptr(), items as u64, times.as_ptr());
            let sizes = Sizes { local: [count, 1, 1], ..Sizes::range([count, 1, 1]) };
            let area = Box3 { begin: [0; 3], end: [1; 3] };
            // SAFETY: the first array has an element for each work-item, `count` is their number,
            // and `counts` has an element for each loop.
            unsafe {
                run(
                    library.kernel("k"),
                    sizes,
                    area,
                    &[arg(&pointer), arg(&count), arg(&counts)],
                    std::ptr::null_mut(),
                )
            };
            let wanted = expected(items, &times);
            assert_eq!(
                data, wanted,
                "{loops} loops at -O{level}, {items} work-items, {times:?} times"
            );
        }
    }
}

#[test]
fn code_grows_with_the_kernel() {
    let size = |loops| compile(&kernel(loops), 3).expect("the kernel compiles").len();
    // All of these kernels have only one form. The test measures the size that each loop adds, not
    // the constant part of each object.
    let [eight, sixteen, thirty_two] = [8, 16, 32].map(size);
    let (first, second) = (sixteen - eight, thirty_two - sixteen);
    assert!(second < 3 * first, "8 loops more add {first} bytes, 16 more {second}");
}
