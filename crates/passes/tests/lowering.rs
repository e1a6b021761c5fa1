//! Checks for any functor that the kernel reads the argument of each parameter at the offset of its
//! row.

use proptest::prelude::*;
use scythe_abi::launch::{KernelLaunch, Param, ParamKind, Passing, Scalar, Shape};
use scythe_llvm::{Context, PassOptions, run_passes};
use scythe_passes::{Aspects, Options, Pass, front_end_pipeline, launch_metadata};

const KINDS: [(Scalar, u64); 6] = [
    (Scalar::I8, 1),
    (Scalar::I16, 2),
    (Scalar::I32, 4),
    (Scalar::I64, 8),
    (Scalar::Float, 4),
    (Scalar::Double, 8),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The kernel stores each field to a different place. After lowering and SROA, it must store
    /// the parameter.
    #[test]
    fn every_field_becomes_its_parameter(fields in proptest::collection::vec((0usize..6, 0u64..4), 1..12)) {
        let (mut params, mut body, mut offset) = (Vec::new(), String::new(), 0u64);
        for (i, &(kind, padding)) in fields.iter().enumerate() {
            let (scalar, size) = KINDS[kind];
            let ty = scalar.as_str();
            offset += padding;
            params.push(Param { kind: ParamKind::StdLayout, size, offset, passing: Passing::Scalar(scalar) });
            body += &format!(
                "  %p{i} = getelementptr i8, ptr %f, i64 {offset}\n  %v{i} = load {ty}, ptr %p{i}, \
                 align 1\n  \
                 store volatile {ty} %v{i}, ptr addrspace(1) @out, align 1\n");
            offset += size;
        }
        let text = format!(
            "target triple = \"spirv64-unknown-unknown\"\n@out = external addrspace(1) global i64\n\
             define spir_kernel void @k(ptr byval([{offset} x i8]) align 1 %f) {{\n{body}  ret \
             void\n}}\n");
        let context = Context::new();
        let module = context.parse_ir(text.as_bytes(), "random").unwrap();
        let launch = KernelLaunch {
            shape: Shape::SingleTask, functor_size: offset, file: String::new(), line: 0, column: 0, identity: 0, params,
            function: None,
        };
        launch_metadata::write(&module, &[("k".into(), launch)]);
        front_end_pipeline(&module, &Aspects::SILENT, &Options { verify: true, ..Options::default() }, &mut |_| {}).unwrap();
        run_passes(&module, "function(sroa)", None, PassOptions::default()).unwrap();
        let kernel = module.function("k").unwrap();
        let stored: Vec<_> = kernel.instructions().filter_map(|i| i.operand(0).filter(|_| i.operand_count() == 2)).collect();
        prop_assert_eq!(stored, kernel.params(), "{}", module.to_string());
        prop_assert!(!module.to_string().contains("alloca"), "{}", module.to_string());
        // A second run changes nothing.
        prop_assert_eq!(scythe_passes::LowerKernelArgs.run(&module), Ok(false));
    }
}
