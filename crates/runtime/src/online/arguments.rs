//! The arguments of a kernel that is a function. The launch rows tell where each argument is in the
//! bytes that the kernel receives.

use scythe_abi::capi::NativeArg;
use scythe_abi::launch::{Argument, KernelLaunch, ParamKind};

use crate::{Errc, Error, Result};

/// Lays out arguments as the kernel expects them.
///
/// # Safety
/// The address of each argument must be null or valid for reads of its size.
pub unsafe fn functor(launch: &KernelLaunch, args: &[NativeArg]) -> Result<Vec<u8>> {
    let size = usize::try_from(launch.functor_size).unwrap_or(usize::MAX);
    let mut functor = vec![0; size];
    let expected = launch.function.as_ref().map_or(&[][..], |function| &function.arguments);
    if args.len() != expected.len() {
        let message = format!(
            "the program set {} arguments, but the kernel has {}; call set_arg once for every \
             argument",
            args.len(),
            expected.len()
        );
        return Err(Error::new(Errc::KernelArgument, message));
    }
    for (index, (arg, place)) in args.iter().zip(expected).enumerate() {
        let wrong =
            |what: String| Error::new(Errc::KernelArgument, format!("argument {index}: {what}"));
        check(launch, arg, place).map_err(wrong)?;
        let (at, bytes) = (place.offset as usize, place.size as usize);
        let room = at.checked_add(bytes).and_then(|end| functor.get_mut(at..end));
        let room = room.ok_or_else(|| wrong(format!("it is outside the {size} bytes")))?;
        if arg.data.is_null() {
            return Err(wrong("its address is null".to_owned()));
        }
        // SAFETY: the address is not null, and the caller guarantees that it is then valid for the
        // argument's size, which `check` has compared.
        room.copy_from_slice(unsafe { std::slice::from_raw_parts(arg.data.cast::<u8>(), bytes) });
    }
    Ok(functor)
}

/// Compares an argument with the kernel's parameter.
fn check(
    launch: &KernelLaunch,
    arg: &NativeArg,
    place: &Argument,
) -> std::result::Result<(), String> {
    if arg.size != place.size {
        return Err(format!(
            "it has {} bytes, but the kernel's parameter has {}; pass the type that the kernel \
             declares",
            arg.size, place.size
        ));
    }
    let first = launch.params.iter().find(|row| row.offset == place.offset);
    for (kind, name) in
        [(ParamKind::Accessor, "an accessor"), (ParamKind::Local, "a local accessor")]
    {
        let is_parameter = first.is_some_and(|row| row.kind == kind);
        if arg.kind == kind as u32 && !is_parameter {
            return Err(format!("it is {name}, but the kernel's parameter is not"));
        }
        if arg.kind != kind as u32 && is_parameter {
            return Err(format!("it is not {name}, but the kernel's parameter is"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use scythe_abi::launch::{FreeFunction, Param, Shape};

    use super::*;

    fn launch() -> KernelLaunch {
        let arguments = vec![Argument { offset: 0, size: 4 }, Argument { offset: 8, size: 8 }];
        KernelLaunch {
            shape: Shape::NdRange,
            functor_size: 16,
            file: String::new(),
            line: 0,
            column: 0,
            identity: 0,
            params: vec![
                Param::unlowered(ParamKind::StdLayout, 4, 0),
                Param::pointer(ParamKind::Pointer, 8),
            ],
            function: Some(FreeFunction { arguments, ..FreeFunction::default() }),
        }
    }

    fn message(args: &[NativeArg]) -> String {
        // SAFETY: the tests pass null or the addresses of live values.
        unsafe { functor(&launch(), args) }.expect_err("wrong arguments").message
    }

    #[test]
    fn arguments_are_where_the_kernel_expects_them() {
        let (value, pointer) = (7u32, 0x1000usize);
        let good = [
            NativeArg { kind: 1, reserved: 0, size: 4, data: (&raw const value).cast() },
            NativeArg { kind: 3, reserved: 0, size: 8, data: (&raw const pointer).cast() },
        ];
        // SAFETY: the values above outlive the call.
        let bytes = unsafe { functor(&launch(), &good) }.expect("good arguments");
        assert_eq!((bytes[0], bytes[9], bytes.len()), (7, 0x10, 16));
        assert!(message(&good[..1]).contains("set 1 arguments, but the kernel has 2"));
        let wide = [NativeArg { size: 8, ..good[0] }, good[1]];
        assert!(message(&wide).starts_with("argument 0: it has 8 bytes, but the kernel's"));
        let accessor = [good[0], NativeArg { kind: 0, ..good[1] }];
        assert!(message(&accessor).starts_with("argument 1: it is an accessor, but"));
        let null = [NativeArg { data: std::ptr::null(), ..good[0] }, good[1]];
        assert!(message(&null).starts_with("argument 0: its address is null"));
    }
}
