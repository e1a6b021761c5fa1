//! Finds, in one walk over all instructions, the aspects that each function of a module uses by
//! itself, and the functions that it calls.
//!
//! A function uses the aspects of its `!intel_used_aspects`, and those of every type in its
//! signature and instructions, also of members, elements and operands. The types with aspects are
//! `double`, `half` and the types of `!intel_types_that_use_aspects`. Types are compared by
//! identity. Each type's name is looked up only once.

use super::metadata::{self, Kinds};
use crate::device_has;
use scythe_abi::aspect::Aspect;
use scythe_abi::condition::Condition;
use scythe_llvm::{Function, Instruction, Module, Opcode, Type, TypeKind};
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// The place in IR that shows that a function uses an aspect.
#[derive(Clone, Copy, Debug)]
pub enum Evidence<'ctx> {
    /// No place in IR: the front end reported the use.
    Metadata,
    /// The signature.
    Signature,
    Instruction(Instruction<'ctx>),
}

/// A function, and the ends of its ranges in the lists of [`Scan`]. A range begins at the end of
/// the previous function's range.
pub struct Node<'ctx> {
    pub function: Function<'ctx>,
    pub declared: Option<BTreeSet<u32>>,
    /// The condition of a branch that only some devices take. The aspects that the branch uses do
    /// not count for its callers.
    pub condition: Option<Condition>,
    uses_end: usize,
    calls_end: usize,
}

/// All functions, in the module's order, with the aspects that each uses by itself and its calls.
/// Intrinsics have a node but neither uses nor calls. One list holds the uses of all functions, and
/// another one the calls, so that small functions need no allocation.
pub struct Scan<'ctx> {
    pub nodes: Vec<Node<'ctx>>,
    uses: Vec<(u32, Evidence<'ctx>)>,
    calls: Vec<(u32, Instruction<'ctx>)>,
}

impl<'ctx> Scan<'ctx> {
    /// Returns the aspects that the function uses by itself, each once.
    pub fn uses(&self, function: u32) -> &[(u32, Evidence<'ctx>)] {
        let number = function as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.nodes[before].uses_end);
        &self.uses[start..self.nodes[number].uses_end]
    }

    /// Returns the callees of the function, each once, with the first call.
    pub fn calls(&self, function: u32) -> &[(u32, Instruction<'ctx>)] {
        let number = function as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.nodes[before].calls_end);
        &self.calls[start..self.nodes[number].calls_end]
    }
}

/// The uses and calls of the current function, at the end of the lists of all functions.
struct Notes<'a, 'ctx> {
    uses: &'a mut Vec<(u32, Evidence<'ctx>)>,
    uses_start: usize,
    calls: &'a mut Vec<(u32, Instruction<'ctx>)>,
}

/// Walks over all instructions of the module.
pub fn scan<'ctx>(module: &Module<'ctx>, kinds: Kinds) -> Scan<'ctx> {
    let functions: Vec<Function<'ctx>> = module.functions().collect();
    let numbers: HashMap<Function<'ctx>, u32, BuildHasherDefault<AddressHasher>> =
        functions.iter().enumerate().map(|(number, &function)| (function, number as u32)).collect();
    let mut types = Types::new(module);
    // The last function that called each function. It detects repeated calls without a set per
    // function.
    let mut last_caller = vec![u32::MAX; functions.len()];
    let mut nodes = Vec::with_capacity(functions.len());
    let (mut uses, mut calls) = (Vec::new(), Vec::new());
    for (number, &function) in functions.iter().enumerate() {
        let mut declared = None;
        if !function.is_intrinsic() {
            declared = kinds.declared(function);
            let uses_start = uses.len();
            let mut node = Notes { uses: &mut uses, uses_start, calls: &mut calls };
            node.uses.extend(
                kinds.used(function).into_iter().map(|aspect| (aspect, Evidence::Metadata)),
            );
            let signature = function.function_type();
            node.note(types.aspects(signature, signature.kind()), Evidence::Signature);
            for instruction in function.instructions() {
                visit(&mut node, instruction, &mut types, |callee| {
                    let callee = *numbers.get(&callee)?;
                    let repeated =
                        std::mem::replace(&mut last_caller[callee as usize], number as u32)
                            == number as u32;
                    (!repeated).then_some(callee)
                });
            }
        }
        let condition = device_has::condition(function);
        nodes.push(Node {
            function,
            declared,
            condition,
            uses_end: uses.len(),
            calls_end: calls.len(),
        });
    }
    Scan { nodes, uses, calls }
}

/// A hasher for the addresses of functions, which the walk looks up at each call. A fast hash is
/// enough, because nobody can choose the addresses to make the table slow.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        // The factor is the odd number nearest to 2^64 divided by the golden ratio. It mixes all
        // bits into the upper bits, which the table uses.
        let mixed = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Adds the uses and calls of one instruction. `new_callee` returns the number of a callee that the
/// current function has not called before.
fn visit<'ctx>(
    node: &mut Notes<'_, 'ctx>,
    instruction: Instruction<'ctx>,
    types: &mut Types<'ctx>,
    mut new_callee: impl FnMut(Function<'ctx>) -> Option<u32>,
) {
    let evidence = Evidence::Instruction(instruction);
    let mut called = None;
    let named = match instruction.opcode() {
        Opcode::LLVMAlloca => instruction.allocated_type(),
        Opcode::LLVMGetElementPtr => instruction.gep_source_type(),
        Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr => {
            called = instruction.called_function();
            node.calls.extend(called.and_then(&mut new_callee).map(|callee| (callee, instruction)));
            None
        }
        _ => None,
    };
    for ty in named.into_iter().chain([instruction.ty()]) {
        node.note(types.aspects(ty, ty.kind()), evidence);
    }
    for operand in instruction.operands() {
        let ty = operand.ty();
        match ty.kind() {
            TypeKind::LLVMPointerTypeKind if operand.is_constant() => {
                let function = operand
                    .strip_constant_casts()
                    .as_function()
                    .filter(|function| called != Some(*function));
                node.calls
                    .extend(function.and_then(&mut new_callee).map(|callee| (callee, instruction)));
            }
            kind => node.note(types.aspects(ty, kind), evidence),
        }
    }
}

impl<'ctx> Notes<'_, 'ctx> {
    fn note(&mut self, aspects: &[u32], evidence: Evidence<'ctx>) {
        for &aspect in aspects {
            match self.uses[self.uses_start..].iter_mut().find(|(known, _)| *known == aspect) {
                // A place in the code is more specific than metadata.
                Some((_, known @ Evidence::Metadata)) => *known = evidence,
                Some(_) => {}
                None => self.uses.push((aspect, evidence)),
            }
        }
    }
}

/// The aspects of types. Each type is analysed once.
struct Types<'ctx> {
    named: HashMap<String, BTreeSet<u32>>,
    known: HashMap<Type<'ctx>, Vec<u32>>,
}

const FP64: [u32; 1] = [Aspect::Fp64 as u32];
const FP16: [u32; 1] = [Aspect::Fp16 as u32];

impl<'ctx> Types<'ctx> {
    fn new(module: &Module<'ctx>) -> Self {
        Self { named: metadata::types(module), known: HashMap::new() }
    }

    fn aspects(&mut self, ty: Type<'ctx>, kind: TypeKind) -> &[u32] {
        match kind {
            TypeKind::LLVMDoubleTypeKind => &FP64,
            TypeKind::LLVMHalfTypeKind => &FP16,
            kind if is_compound(kind) => {
                if !self.known.contains_key(&ty) {
                    let found = self.aspects_of_parts(ty);
                    self.known.insert(ty, found);
                }
                &self.known[&ty]
            }
            _ => &[],
        }
    }

    /// Returns the aspects of all parts of a compound type. The recursion ends, because a type can
    /// only contain itself through a pointer.
    fn aspects_of_parts(&mut self, ty: Type<'ctx>) -> Vec<u32> {
        let mut found = BTreeSet::new();
        if let Some(name) = ty.struct_name() {
            found.extend(self.named.get(&name).into_iter().flatten());
        }
        for part in ty.contained().into_iter().chain(ty.return_type()) {
            found.extend(self.aspects(part, part.kind()));
        }
        found.into_iter().collect()
    }
}

fn is_compound(kind: TypeKind) -> bool {
    use TypeKind::*;
    matches!(
        kind,
        LLVMStructTypeKind
            | LLVMArrayTypeKind
            | LLVMVectorTypeKind
            | LLVMScalableVectorTypeKind
            | LLVMFunctionTypeKind
            | LLVMTargetExtTypeKind
    )
}
