//! Removes structures from phi nodes.
//!
//! LLVM's optimiser creates phi nodes of the pairs that a compare-exchange or an addition with
//! overflow returns. The SPIR-V back end replaces these pairs by its own values, and the type of
//! the phi node no longer matches. This pass creates one phi node per element, and rebuilds the
//! structure at its uses.

use scythe_llvm::{Instruction, Module, Opcode};

/// Replaces every phi node of a structure.
pub fn run(module: &Module<'_>) {
    let builder = module.context().create_builder();
    for function in module.functions().filter(|f| !f.is_declaration()) {
        let structures: Vec<Instruction<'_>> = function
            .instructions()
            .filter(|i| i.opcode() == Opcode::LLVMPHI && i.ty().is_struct())
            .collect();
        for phi in structures {
            let Some(body) = phi.block().and_then(|block| block.first_non_phi()) else { continue };
            let incoming = phi.incoming();
            let mut whole = phi.ty().poison();
            let mut elements = Vec::new();
            for (index, ty) in phi.ty().contained().into_iter().enumerate() {
                builder.position_before(phi);
                elements.push((index as u32, builder.phi(ty, "")));
            }
            for (value, block) in incoming {
                let Some(end) = block.terminator() else { continue };
                builder.position_before(end);
                for (index, element) in &elements {
                    element.add_incoming(builder.extract_value(value, *index, ""), block);
                }
            }
            builder.position_before(body);
            for (index, element) in elements {
                whole = builder.insert_value(whole, element.as_value(), index, "");
            }
            phi.replace_all_uses_with(whole);
            phi.erase();
        }
    }
}
