//! Computes the upper half of a product with OpenCL's instructions.

use scythe_llvm::{Builder, CallConv, Module, Type, TypeKind, Value};

/// Computes the upper half of the product of two unsigned integers of a width that SPIR-V supports,
/// or of vectors of them.
pub fn unsigned_upper_half<'ctx>(
    m: &Module<'ctx>,
    b: &Builder<'ctx>,
    x: Value<'ctx>,
    y: Value<'ctx>,
) -> Value<'ctx> {
    call(m, b, "u_mul_hi", ["h", "t", "j", "m"], x, y)
}

/// Computes the upper half of the product of two signed integers.
pub fn signed_upper_half<'ctx>(
    m: &Module<'ctx>,
    b: &Builder<'ctx>,
    x: Value<'ctx>,
    y: Value<'ctx>,
) -> Value<'ctx> {
    call(m, b, "s_mul_hi", ["c", "s", "i", "l"], x, y)
}

/// Calls an OpenCL function. `letters` are those of integers of 8, 16, 32 and 64 bits in mangled
/// names.
fn call<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    name: &str,
    letters: [&str; 4],
    x: Value<'ctx>,
    y: Value<'ctx>,
) -> Value<'ctx> {
    let ty = x.ty();
    let vector = (ty.kind() == TypeKind::LLVMVectorTypeKind).then(|| ty.element_count()).flatten();
    let scalar = vector.and_then(|_| ty.element()).unwrap_or(ty);
    let letter = match scalar.int_width() {
        Some(8) => letters[0],
        Some(16) => letters[1],
        Some(32) => letters[2],
        _ => letters[3],
    };
    // The second of two equal types is a substitution, except for types with one letter.
    let types = vector.map_or_else(|| letter.repeat(2), |count| format!("Dv{count}_{letter}S_"));
    let mangled = format!("_Z{}__spirv_ocl_{name}{types}", "__spirv_ocl_".len() + name.len());
    let signature: Type<'ctx> = ty.function(&[ty, ty], false);
    let function = module.get_or_add_function(&mangled, signature);
    function.set_call_conv(CallConv::SPIR_FUNC);
    let product = builder.call(function, &[x, y], "");
    product.set_call_conv(CallConv::SPIR_FUNC);
    product.as_value()
}
