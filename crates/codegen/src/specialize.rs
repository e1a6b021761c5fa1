//! Sets new values of specialization constants in device bitcode. A constant without a new value
//! keeps its default.

use crate::Error;
use scythe_llvm::Context;
use scythe_passes::specialization;

/// Returns bitcode with `values`, which are pairs of a constant's name and its bytes.
pub fn specialize(bitcode: &[u8], values: &[(String, Vec<u8>)]) -> Result<Vec<u8>, Error> {
    let context = Context::new();
    let module = context.parse_bitcode(bitcode, "device code")?;
    // Bitcode that can be read may still contain invalid IR.
    module.verify()?;
    specialization::set_values(&module, values)?;
    Ok(module.to_bitcode())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYMBOL: &str = "_ZN4sycl6detail23specialization_constantIL_Z1nEE5valueE";

    fn bitcode(context: &Context) -> Vec<u8> {
        let text = format!(
            "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-\
             v512:512-v1024:1024-n8:16:32:64-G1\"\n\
             target triple = \"spirv64-unknown-unknown\"\n\
             @{SYMBOL} = linkonce_odr addrspace(1) constant i32 42, align 4\n\
             define i32 @get() {{\n  %v = load i32, ptr addrspace(1) @{SYMBOL}, align 4\n  ret i32 \
             %v\n}}\n"
        );
        context.parse_ir(text.as_bytes(), "test").unwrap().to_bitcode()
    }

    fn specialized(values: &[(String, Vec<u8>)]) -> Result<String, Error> {
        let context = Context::new();
        let made = specialize(&bitcode(&context), values)?;
        Ok(context.parse_bitcode(&made, "made").unwrap().to_string())
    }

    #[test]
    fn a_value_takes_the_place_of_the_default() {
        let text = specialized(&[(SYMBOL.into(), vec![7, 0, 0, 0])]).unwrap();
        assert!(text.contains("constant [4 x i8] c\"\\07\\00\\00\\00\", align 4"), "{text}");
        assert!(!text.contains("42"), "{text}");
    }

    #[test]
    fn other_constants_keep_their_defaults() {
        let text = specialized(&[("another".into(), vec![1])]).unwrap();
        assert!(text.contains("constant i32 42"), "{text}");
    }

    #[test]
    fn a_value_of_another_size_is_refused() {
        let error = specialized(&[(SYMBOL.into(), vec![1, 2])]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "specialization constant '{SYMBOL}' has 4 bytes in device code, but its value has 2"
            )
        );
    }
}
