//! Checks the results of kernels that are compiled from device IR, at every optimisation level.

mod common;

use common::{Library, Sizes, arg, compile, run};
use scythe_abi::cpu::Box3;

fn whole(sizes: &Sizes) -> Box3 {
    Box3 { begin: [0; 3], end: sizes.groups() }
}

/// Runs `check` for each level with a library compiled at that level.
fn at_each_level(body: &str, check: impl Fn(&Library)) {
    for level in [0, 1, 2, 3] {
        check(&Library::new(body, level));
    }
}

const SAXPY: &str = r#"
define spir_kernel void @saxpy(ptr addrspace(1) %y, ptr addrspace(1) %x, float %a) #0 {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %px = getelementptr inbounds float, ptr addrspace(1) %x, i64 %i
  %py = getelementptr inbounds float, ptr addrspace(1) %y, i64 %i
  %vx = load float, ptr addrspace(1) %px, align 4
  %vy = load float, ptr addrspace(1) %py, align 4
  %m = fmul float %vx, %a
  %s = fadd float %m, %vy
  store float %s, ptr addrspace(1) %py, align 4
  ret void
}
"#;

#[test]
fn a_range_kernel_runs_exactly_its_box() {
    at_each_level(SAXPY, |library| {
        for (begin, end) in [(0, 1000), (0, 1), (3, 900), (7, 7), (990, 1000)] {
            let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
            let mut y = vec![1.0f32; 1000];
            let (px, py, a) = (x.as_ptr(), y.as_mut_ptr(), 2.0f32);
            let area = Box3 { begin: [begin, 0, 0], end: [end, 1, 1] };
            let sizes = Sizes::range([1000, 1, 1]);
            // SAFETY: the three arguments have the kernel's types, and both arrays have 1000
            // elements.
            unsafe {
                run(
                    library.kernel("saxpy"),
                    sizes,
                    area,
                    &[arg(&py), arg(&px), arg(&a)],
                    std::ptr::null_mut(),
                )
            };
            for (i, v) in y.iter().enumerate() {
                let inside = (begin as usize..end as usize).contains(&i);
                assert_eq!(
                    *v,
                    if inside { 2.0 * i as f32 + 1.0 } else { 1.0 },
                    "element {i} of {begin}..{end}"
                );
            }
        }
    });
}

/// Returns a kernel that writes the results of all queries, seven words in three dimensions, at the
/// work-item's linear index. The dimension is a variable, from a loop.
fn query_kernel(attributes: &str) -> String {
    let queries = [
        "33__spirv_BuiltInGlobalInvocationId",
        "25__spirv_BuiltInGlobalSize",
        "27__spirv_BuiltInGlobalOffset",
        "32__spirv_BuiltInLocalInvocationId",
        "28__spirv_BuiltInWorkgroupSize",
        "26__spirv_BuiltInWorkgroupId",
        "28__spirv_BuiltInNumWorkgroups",
    ];
    let mut text = format!(
        r#"
define internal spir_func i64 @index(i32 %d) noinline {{
  %g = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 %d)
  %o = call spir_func i64 @_Z27__spirv_BuiltInGlobalOffseti(i32 %d)
  %r = sub i64 %g, %o
  ret i64 %r
}}
define spir_kernel void @queries(ptr addrspace(1) %out) {attributes} {{
entry:
  %x = call spir_func i64 @index(i32 0)
  %y = call spir_func i64 @index(i32 1)
  %z = call spir_func i64 @index(i32 2)
  %sx = call spir_func i64 @_Z25__spirv_BuiltInGlobalSizei(i32 0)
  %sy = call spir_func i64 @_Z25__spirv_BuiltInGlobalSizei(i32 1)
  %zy = mul i64 %z, %sy
  %zyy = add i64 %zy, %y
  %zyx = mul i64 %zyy, %sx
  %linear = add i64 %zyx, %x
  %first = mul i64 %linear, 21
  br label %loop
loop:
  %d = phi i32 [ 0, %entry ], [ %dn, %loop ]
  %d64 = zext i32 %d to i64
  %row = add i64 %first, %d64
"#
    );
    for (k, query) in queries.iter().enumerate() {
        text += &format!(
            "  %v{k} = call spir_func i64 @_Z{query}i(i32 %d)\n  %o{k} = add i64 %row, {}\n  \
             %p{k} = getelementptr i64, ptr addrspace(1) %out, i64 %o{k}\n  store i64 %v{k}, ptr \
             addrspace(1) %p{k}\n",
            3 * k
        );
    }
    text + "  %dn = add i32 %d, 1\n  %c = icmp ult i32 %dn, 3\n  br i1 %c, label %loop, label \
        %done\ndone:\n  ret void\n}\n"
}

fn check_queries(attributes: &str, sizes: Sizes) {
    at_each_level(&query_kernel(attributes), |library| {
        let items = sizes.global.iter().product::<u64>() as usize;
        let mut out = vec![u64::MAX; 21 * items];
        let pointer = out.as_mut_ptr();
        // SAFETY: the kernel has one pointer parameter, and the memory has 21 words for each
        // work-item.
        unsafe {
            run(
                library.kernel("queries"),
                sizes,
                whole(&sizes),
                &[arg(&pointer)],
                std::ptr::null_mut(),
            )
        };
        for (linear, row) in out.chunks(21).enumerate() {
            let (linear, [nx, ny, _]) = (linear as u64, sizes.global);
            let index = [linear % nx, linear / nx % ny, linear / nx / ny];
            for d in 0..3 {
                let (l, g) = (sizes.local[d], index[d] / sizes.local[d]);
                let expected = [
                    index[d] + sizes.offset[d],
                    sizes.global[d],
                    sizes.offset[d],
                    index[d] % l,
                    l,
                    g,
                    sizes.groups()[d],
                ];
                let seen: [u64; 7] = std::array::from_fn(|k| row[3 * k + d]);
                assert_eq!(seen, expected, "dimension {d} of item {index:?}");
            }
        }
    });
}

#[test]
fn queries_of_a_range_answer_each_item() {
    check_queries("#0", Sizes { global: [5, 4, 3], offset: [10, 20, 30], local: [1; 3] });
}

#[test]
fn queries_of_an_nd_range_answer_each_item() {
    check_queries("#1", Sizes { global: [8, 6, 4], offset: [1, 2, 3], local: [4, 3, 2] });
    check_queries("#1", Sizes { global: [64, 1, 1], offset: [0; 3], local: [32, 1, 1] });
}

#[test]
fn a_single_task_runs_once() {
    let body = r#"
define spir_kernel void @once(ptr addrspace(1) %n) #2 {
  %v = load i32, ptr addrspace(1) %n
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %n
  ret void
}
"#;
    at_each_level(body, |library| {
        let mut n = 41u32;
        let pointer = &raw mut n;
        let sizes = Sizes::range([1; 3]);
        // SAFETY: the kernel has one pointer parameter, and it points to a number.
        unsafe {
            run(
                library.kernel("once"),
                sizes,
                whole(&sizes),
                &[arg(&pointer)],
                std::ptr::null_mut(),
            )
        };
        assert_eq!(n, 42);
    });
}

#[test]
fn private_arrays_belong_to_one_item() {
    // Each item fills an array, hides its address in memory, and reads the array through that
    // address.
    let body = r#"
define spir_kernel void @private(ptr addrspace(1) %out, ptr addrspace(1) %pick) #0 {
entry:
  %array = alloca [16 x i32], align 4
  %hidden = alloca ptr, align 8
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %i32 = trunc i64 %i to i32
  store volatile ptr %array, ptr %hidden, align 8
  br label %fill
fill:
  %k = phi i64 [ 0, %entry ], [ %kn, %fill ]
  %k32 = trunc i64 %k to i32
  %v = add i32 %i32, %k32
  %p = getelementptr [16 x i32], ptr %array, i64 0, i64 %k
  store i32 %v, ptr %p, align 4
  %kn = add i64 %k, 1
  %c = icmp ult i64 %kn, 16
  br i1 %c, label %fill, label %read
read:
  %q = getelementptr i64, ptr addrspace(1) %pick, i64 %i
  %j = load i64, ptr addrspace(1) %q, align 8
  %back = load volatile ptr, ptr %hidden, align 8
  %r = getelementptr i32, ptr %back, i64 %j
  %got = load i32, ptr %r, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %got, ptr addrspace(1) %o, align 4
  ret void
}
"#;
    at_each_level(body, |library| {
        let pick: Vec<u64> = (0..500).map(|i| i * 7 % 16).collect();
        let mut out = vec![0u32; 500];
        let (p, o) = (pick.as_ptr(), out.as_mut_ptr());
        let sizes = Sizes::range([500, 1, 1]);
        // SAFETY: the kernel has two pointer parameters, and each array has 500 elements.
        unsafe {
            run(
                library.kernel("private"),
                sizes,
                whole(&sizes),
                &[arg(&o), arg(&p)],
                std::ptr::null_mut(),
            )
        };
        for i in 0..500u32 {
            assert_eq!(out[i as usize], i + i * 7 % 16, "item {i}");
        }
    });
}

#[test]
fn by_value_arguments_are_copies_that_an_item_may_change() {
    let body = r#"
define spir_kernel void @values(ptr addrspace(1) %out, ptr byval([24 x i8]) align 8 %s, i8 %b, double %d) #0 {
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %j = and i64 %i, 1
  %p = getelementptr i64, ptr %s, i64 %j
  %v = load i64, ptr %p, align 8
  %w = add i64 %v, 1
  store i64 %w, ptr %p, align 8
  %again = load i64, ptr %s, align 8
  %b64 = zext i8 %b to i64
  %d64 = fptoui double %d to i64
  %s1 = add i64 %w, %again
  %s2 = add i64 %s1, %b64
  %s3 = add i64 %s2, %d64
  %o = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 %s3, ptr addrspace(1) %o, align 8
  ret void
}
define spir_kernel void @table(ptr addrspace(1) %out, ptr byval([32 x i8]) align 4 %t) #0 {
  %copy = alloca [32 x i8], align 4
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %t, i64 32, i1 false)
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %j = and i64 %i, 7
  %p = getelementptr float, ptr %copy, i64 %j
  %v = load float, ptr %p, align 4
  %o = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %v, ptr addrspace(1) %o, align 4
  ret void
}
"#;
    at_each_level(body, |library| {
        let mut out = vec![0u64; 100];
        // The address is not aligned for the parameter, because a functor's field may be unaligned,
        // too.
        let mut bytes = [0u8; 25];
        bytes[1..9].copy_from_slice(&100u64.to_le_bytes());
        bytes[9..17].copy_from_slice(&200u64.to_le_bytes());
        let (o, s, b, d) = (out.as_mut_ptr(), &bytes[1], 7u8, 9.0f64);
        let sizes = Sizes::range([100, 1, 1]);
        let args = [arg(&o), arg(s), arg(&b), arg(&d)];
        // SAFETY: the arguments match the kernel's parameters, with 100 elements and 24 bytes of
        // memory.
        unsafe { run(library.kernel("values"), sizes, whole(&sizes), &args, std::ptr::null_mut()) };
        for (i, v) in out.iter().enumerate() {
            assert_eq!(*v, if i % 2 == 0 { 101 + 101 } else { 201 + 100 } + 16, "item {i}");
        }
        let table: [f32; 8] = std::array::from_fn(|i| i as f32 * 1.5);
        let mut out = vec![0f32; 100];
        let o = out.as_mut_ptr();
        // SAFETY: the arguments match the kernel's parameters, with 100 elements of memory.
        unsafe {
            run(
                library.kernel("table"),
                sizes,
                whole(&sizes),
                &[arg(&o), arg(&table)],
                std::ptr::null_mut(),
            )
        };
        assert!(out.iter().enumerate().all(|(i, v)| *v == table[i % 8]), "{out:?}");
    });
}

#[test]
fn a_functor_on_the_stack_is_filled_before_it_is_read() {
    // One functor is the same for all items. The middle of the other one is overwritten with a
    // value from the item's index.
    let body = r#"
define spir_kernel void @functors(ptr addrspace(1) %out, ptr byval([32 x i8]) align 4 %t) #1 {
  %same = alloca { i64, [32 x i8] }, align 8
  %own = alloca [32 x i8], align 8
  %table = getelementptr i8, ptr %same, i64 8
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %f = uitofp i64 %i to float
  store i64 3, ptr %same, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr %table, ptr %t, i64 32, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %t, i64 32, i1 false)
  %mine = getelementptr float, ptr %own, i64 2
  store float %f, ptr %mine, align 4
  %shift = load i64, ptr %same, align 8
  %k = add i64 %i, %shift
  %j = and i64 %k, 7
  %p = getelementptr float, ptr %table, i64 %j
  %q = getelementptr float, ptr %own, i64 %j
  %u = load float, ptr %p, align 4
  %v = load float, ptr %q, align 4
  %s = fadd float %u, %v
  %o = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %s, ptr addrspace(1) %o, align 4
  ret void
}
"#;
    at_each_level(body, |library| {
        let table: [f32; 8] = std::array::from_fn(|i| i as f32 * 1.5 + 100.0);
        let mut out = vec![0f32; 96];
        let o = out.as_mut_ptr();
        let sizes = Sizes { global: [96, 1, 1], offset: [0; 3], local: [32, 1, 1] };
        // SAFETY: the arguments match the kernel's parameters, with 96 elements of memory.
        unsafe {
            run(
                library.kernel("functors"),
                sizes,
                whole(&sizes),
                &[arg(&o), arg(&table)],
                std::ptr::null_mut(),
            )
        };
        for (i, v) in out.iter().enumerate() {
            let j = (i + 3) % 8;
            assert_eq!(*v, table[j] + if j == 2 { i as f32 } else { table[j] }, "item {i}");
        }
    });
}

#[test]
fn local_accessors_point_into_the_local_memory() {
    let body = r#"
define spir_kernel void @local(ptr addrspace(3) %a, ptr addrspace(3) %b) #1 {
  %l = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)
  %pa = getelementptr i8, ptr addrspace(3) %a, i64 %l
  %pb = getelementptr i8, ptr addrspace(3) %b, i64 %l
  store i8 1, ptr addrspace(3) %pa
  store i8 2, ptr addrspace(3) %pb
  ret void
}
"#;
    at_each_level(body, |library| {
        let mut memory = [0u8; 32];
        let (a, b) = (&raw mut memory[4], &raw mut memory[20]);
        let sizes = Sizes { global: [8, 1, 1], offset: [0; 3], local: [4, 1, 1] };
        // SAFETY: both addresses are in the local memory, with room for a work-group after each.
        unsafe { run(library.kernel("local"), sizes, whole(&sizes), &[arg(&a), arg(&b)], a) };
        for (i, v) in memory.iter().enumerate() {
            assert_eq!(*v, (4..8).contains(&i) as u8 + 2 * (20..24).contains(&i) as u8, "byte {i}");
        }
    });
}

#[test]
fn maths_comes_from_the_c_library_and_the_device_library() {
    let body = r#"
declare spir_func float @sinf(float)
declare spir_func float @_Z15__spirv_ocl_cosf(float)
declare spir_func float @_Z17__spirv_ocl_sinpif(float)
declare spir_func double @_Z15__spirv_ocl_powdd(double, double)
declare spir_func void @__mulsc3(ptr sret({ float, float }) align 4, float, float, float, float)
define spir_kernel void @maths(ptr addrspace(1) %out, float %x) #0 {
  %z = alloca { float, float }, align 4
  %i = call spir_func i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  %s = call spir_func float @sinf(float %x)
  %c = call spir_func float @_Z15__spirv_ocl_cosf(float %x)
  %h = call spir_func float @_Z17__spirv_ocl_sinpif(float 5.0e-01)
  %d = fpext float %x to double
  %p = call spir_func double @_Z15__spirv_ocl_powdd(double %d, double 3.0)
  %pf = fptrunc double %p to float
  call spir_func void @__mulsc3(ptr sret({ float, float }) align 4 %z, float %x, float 2.0, float 3.0, float 4.0)
  %re = load float, ptr %z, align 4
  %first = mul i64 %i, 5
  %p0 = getelementptr float, ptr addrspace(1) %out, i64 %first
  %p1 = getelementptr float, ptr addrspace(1) %p0, i64 1
  %p2 = getelementptr float, ptr addrspace(1) %p0, i64 2
  %p3 = getelementptr float, ptr addrspace(1) %p0, i64 3
  %p4 = getelementptr float, ptr addrspace(1) %p0, i64 4
  store float %s, ptr addrspace(1) %p0
  store float %c, ptr addrspace(1) %p1
  store float %h, ptr addrspace(1) %p2
  store float %pf, ptr addrspace(1) %p3
  store float %re, ptr addrspace(1) %p4
  ret void
}
"#;
    at_each_level(body, |library| {
        let (mut out, x) = (vec![0f32; 50], 1.25f32);
        let o = out.as_mut_ptr();
        let sizes = Sizes::range([10, 1, 1]);
        // SAFETY: the arguments match the kernel's parameters, with five numbers of memory for each
        // item.
        unsafe {
            run(
                library.kernel("maths"),
                sizes,
                whole(&sizes),
                &[arg(&o), arg(&x)],
                std::ptr::null_mut(),
            )
        };
        let expected = [x.sin(), x.cos(), 1.0, x.powi(3), x * 3.0 - 8.0];
        for row in out.chunks(5) {
            for (seen, wanted) in row.iter().zip(expected) {
                assert!(
                    (seen - wanted).abs() <= 2e-7 * wanted.abs().max(1.0),
                    "{row:?} instead of {expected:?}"
                );
            }
        }
    });
}

#[test]
fn wrong_modules_are_refused_with_a_reason() {
    let kernel = |attributes: &str, body: &str| {
        format!("define spir_kernel void @k() {attributes} {{\n{body}\nret void\n}}\n")
    };
    let cases = [
        (kernel("", ""), "kernel 'k' lacks the function attribute 'scythe-shape'"),
        (kernel("\"scythe-shape\"=\"round\"", ""), "kernel 'k' has launch shape 'round'"),
        (
            kernel("#0", "call spir_func void @helper()") + "declare spir_func void @helper()",
            "'k' uses 'helper', which neither the program nor the CPU device library defines",
        ),
        (
            kernel("#0", "call spir_func void @r()")
                + "define spir_func void @r() {\n%i = call i64 \
                    @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)\n\
                   call void @r()\nret void\n}",
            "function 'r' is recursive and queries the position of the work-item",
        ),
    ];
    for (body, reason) in cases {
        let error = compile(&body, 3).expect_err("the module is refused");
        assert!(error.contains(reason), "expected: {reason}\nseen: {error}");
    }
}
