//! Checks that `scythe_abi::capi` and `include/sycl/detail/abi.h` have the same layout.
//!
//! Every row states one number twice: as a C expression and as a Rust expression. The system's C
//! compiler compiles the C expressions against the real header.

use std::fmt::Write as _;
use std::mem::{offset_of, size_of};
use std::path::Path;
use std::process::Command;

use scythe_abi::capi as c;

/// Returns the rows `(C expression, value in Rust)`.
fn rows() -> Vec<(String, u64)> {
    let mut rows: Vec<(String, u64)> = Vec::new();
    macro_rules! layout {
        ($c:literal, $t:ty { $($field:ident),* }) => {
            rows.push((concat!("sizeof(", $c, ")").into(), size_of::<$t>() as u64));
            rows.push((concat!("_Alignof(", $c, ")").into(), align_of::<$t>() as u64));
            $(rows.push((format!("offsetof({}, \
                {})", $c, stringify!($field)), offset_of!($t, $field) as u64));)*
        };
    }
    layout!(
        "scythe_partition_info",
        c::PartitionInfo { properties, affinity_domains, type_property, type_affinity_domain }
    );
    layout!("scythe_buffer_desc", c::BufferDesc { size, elem_size, host_data, flags, reserved });
    layout!("scythe_image_layout", c::ImageLayout { pitch, size, format, channel });
    layout!("scythe_requirement", c::Requirement { buffer, mode, flags });
    layout!("scythe_accessor_head", c::AccessorHead { data, buffer });
    layout!("scythe_local_accessor_head", c::LocalAccessorHead { data, bytes });
    layout!("scythe_kernel_slot", c::KernelSlot { entry, generation });
    layout!("scythe_host_box", c::HostBox { global_size, global_offset, local_size, begin, end });
    layout!(
        "scythe_kernel_launch",
        c::KernelLaunch {
            name,
            tu,
            slot,
            host,
            functor,
            functor_size,
            shape,
            dims,
            global_size,
            local_size,
            global_offset,
            constants,
            constant_count,
            cooperation,
            cluster
        }
    );
    layout!(
        "scythe_kernel_facts",
        c::KernelFacts {
            max_work_group_size,
            together,
            per_unit,
            spill_bytes,
            sub_groups,
            sub_group_size,
            reserved
        }
    );
    layout!("scythe_text", c::Text { data, size });
    layout!(
        "scythe_source",
        c::Source {
            language,
            state,
            text,
            includes,
            include_count,
            options,
            option_count,
            names,
            name_count
        }
    );
    layout!("scythe_native_arg", c::NativeArg { kind, reserved, size, data });
    layout!("scythe_kernel_function", c::KernelFunction { functor_size, dims, arg_count });
    layout!(
        "scythe_native_launch",
        c::NativeLaunch {
            kernel,
            args,
            arg_count,
            shape,
            dims,
            global_size,
            local_size,
            global_offset
        }
    );
    layout!("scythe_view", c::View { buffer, ptr, elem_size, memory_range, offset, range });
    layout!("scythe_place", c::Place { file, line, reserved });
    layout!(
        "scythe_command",
        c::Command { kind, flags, requirements, requirement_count, deps, dep_count, place, u }
    );

    let u = offset_of!(c::Command, u);
    let members: [(&str, usize); 17] = [
        ("kernel", 0),
        ("host_task.call", offset_of!(c::HostTask, call)),
        ("host_task.destroy", offset_of!(c::HostTask, destroy)),
        ("host_task.ctx", offset_of!(c::HostTask, ctx)),
        ("memory.dst", offset_of!(c::Memory, dst)),
        ("memory.src", offset_of!(c::Memory, src)),
        ("memory.size", offset_of!(c::Memory, size)),
        ("memory.pattern_size", offset_of!(c::Memory, pattern_size)),
        ("memory.advice", offset_of!(c::Memory, advice)),
        ("copy.dst", offset_of!(c::CopyViews, dst)),
        ("copy.src", offset_of!(c::CopyViews, src)),
        ("copy.src.range", offset_of!(c::CopyViews, src) + offset_of!(c::View, range)),
        ("fill.dst", offset_of!(c::Fill, dst)),
        ("fill.pattern", offset_of!(c::Fill, pattern)),
        ("fill", 0),
        ("native", 0),
        ("graph", 0),
    ];
    rows.extend(
        members.iter().map(|(m, at)| (format!("offsetof(scythe_command, u.{m})"), (u + at) as u64)),
    );

    macro_rules! numbers {
        ($prefix:literal, $module:ident { $($name:ident),* $(,)? }) => {
            $(rows.push((concat!($prefix, stringify!($name)).into(), u64::from(c::$module::$name)));)*
        };
    }
    rows.push(("SCYTHE_ABI_VERSION".into(), u64::from(c::ABI_VERSION)));
    numbers!("SCYTHE_COOPERATION_", cooperation { NONE, ROOT, CLUSTERS });
    numbers!("SCYTHE_PLATFORM_", platform_param { NAME, VENDOR, VERSION, PROFILE, BACKEND });
    numbers!(
        "SCYTHE_DEVICE_",
        device_param {
            NAME,
            VENDOR,
            VERSION,
            DRIVER_VERSION,
            PROFILE,
            BACKEND_VERSION,
            TYPE,
            VENDOR_ID,
            MAX_COMPUTE_UNITS,
            MAX_WORK_ITEM_DIMENSIONS,
            MAX_WORK_ITEM_SIZES,
            MAX_WORK_GROUP_SIZE,
            MAX_NUM_SUB_GROUPS,
            SUB_GROUP_SIZES,
            SUB_GROUP_FORWARD_PROGRESS,
            MAX_CLOCK_FREQUENCY,
            ADDRESS_BITS,
            MAX_MEM_ALLOC_SIZE,
            GLOBAL_MEM_SIZE,
            GLOBAL_MEM_CACHE_SIZE,
            GLOBAL_MEM_CACHE_LINE_SIZE,
            GLOBAL_MEM_CACHE_TYPE,
            LOCAL_MEM_SIZE,
            LOCAL_MEM_TYPE,
            MAX_PARAMETER_SIZE,
            MEM_BASE_ADDR_ALIGN,
            PROFILING_TIMER_RESOLUTION,
            PREFERRED_VECTOR_WIDTHS,
            NATIVE_VECTOR_WIDTHS,
            HALF_FP_CONFIG,
            SINGLE_FP_CONFIG,
            DOUBLE_FP_CONFIG,
            ATOMIC_MEMORY_ORDERS,
            ATOMIC_MEMORY_SCOPES,
            PRINTF_BUFFER_SIZE,
            BACKEND,
            ERROR_CORRECTION,
            PARTITION_MAX_SUB_DEVICES,
            ASPECTS,
            MAX_CLUSTER_SIZE,
            MAX_REGISTERS_PER_GROUP,
        }
    );
    numbers!("SCYTHE_QUEUE_", queue_flags { IN_ORDER, PROFILING });
    numbers!("SCYTHE_PROFILING_", profiling_param { SUBMIT, START, END });
    numbers!("SCYTHE_USM_", usm_kind { HOST, DEVICE, SHARED, UNKNOWN });
    numbers!("SCYTHE_BUFFER_", buffer_flags { USE_HOST_PTR, READ_ONLY_HOST, COPY_HOST });
    numbers!("SCYTHE_ACCESS_", access_mode { READ, WRITE, READ_WRITE });
    numbers!(
        "SCYTHE_COMMAND_",
        command_kind {
            EMPTY,
            KERNEL,
            HOST_TASK,
            MEMCPY,
            FILL,
            COPY,
            FILL_VIEW,
            UPDATE_HOST,
            PREFETCH,
            ADVISE,
            NATIVE_KERNEL,
            GRAPH
        }
    );
    numbers!("SCYTHE_GRAPH_", graph_flags { NO_CYCLE_CHECK, BUFFERS_OUTLIVE });
    numbers!("SCYTHE_GRAPH_EXEC_", graph_exec_flags { UPDATABLE, PROFILING });
    numbers!("SCYTHE_GRAPH_", graph_selection { NODES, ROOTS, LEAVES, PREDECESSORS, SUCCESSORS });
    rows.push(("SCYTHE_SHAPE_SINGLE_TASK".into(), scythe_abi::launch::Shape::SingleTask as u64));
    rows.push(("SCYTHE_SHAPE_RANGE".into(), scythe_abi::launch::Shape::Range as u64));
    rows.push(("SCYTHE_SHAPE_ND_RANGE".into(), scythe_abi::launch::Shape::NdRange as u64));
    rows.push(("SCYTHE_SHAPE_HIERARCHICAL".into(), scythe_abi::capi::SHAPE_HIERARCHICAL.into()));
    rows
}

#[test]
fn rust_and_c_agree_on_every_size_offset_and_number() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include");
    let dir = std::env::temp_dir().join(format!("scythe-abi-layout-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let rows = rows();

    let mut source =
        String::from("#include <stdio.h>\n#include \"sycl/detail/abi.h\"\nint main(void) {\n");
    for (expression, _) in &rows {
        writeln!(source, "  printf(\"%llu\\n\", (unsigned long long)({expression}));")
            .expect("writing to a string");
    }
    source.push_str("  return 0;\n}\n");
    let (file, program) = (dir.join("layout.c"), dir.join("layout"));
    std::fs::write(&file, source).expect("write the C program");

    let compiled = Command::new("cc")
        .arg("-std=c11")
        .arg("-I")
        .arg(&include)
        .arg(&file)
        .arg("-o")
        .arg(&program)
        .output();
    let compiled = compiled.expect("start cc");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().expect("start the C program");
    let text = String::from_utf8(output.stdout).expect("the numbers are text");
    let seen: Vec<u64> = text.lines().map(|l| l.parse().expect("a number")).collect();
    std::fs::remove_dir_all(&dir).expect("remove the temporary folder");

    assert_eq!(seen.len(), rows.len());
    for ((expression, rust), c) in rows.iter().zip(seen) {
        assert_eq!(*rust, c, "{expression}: Rust has {rust}, C has {c}");
    }
}
