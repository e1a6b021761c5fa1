//! Resolves the address space queries of device code: `bool __scythe_is_global(const volatile void
//! *)` returns whether the pointer points into global memory; likewise for `local` and `private`.
//!
//! [`resolve`] computes the result if the code shows the origin of the pointer: a variable, a
//! parameter, or a selection between them. For other pointers, each target computes the result at
//! run time in its own way. The more code is inlined, the fewer of these pointers remain. A target
//! therefore first inlines into kernels all functions that contain queries ([`users`]).
//!
//! The numbers of the address spaces are those of generic device code: 0 is private memory, 1
//! global, 2 constant, 3 local, 4 generic.

use super::callers;
use scythe_llvm::{BasicBlock, Builder, Function, Instruction, Module, Opcode, Value};
use std::collections::HashMap;

/// The generic address space: the pointer may point to any memory.
const ANY: u32 = 4;

/// The maximum number of chained `phi` and `select` instructions that are followed.
const MAX_DEPTH: u32 = 64;

/// A kind of memory that device code queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Global,
    Local,
    Private,
}

impl Space {
    pub const ALL: [Self; 3] = [Self::Global, Self::Local, Self::Private];

    /// Returns the name of the query function for this memory.
    pub fn query_name(self) -> &'static str {
        match self {
            Self::Global => "__scythe_is_global",
            Self::Local => "__scythe_is_local",
            Self::Private => "__scythe_is_private",
        }
    }

    /// Returns the memory that an address space is. For queries, constant memory is global memory.
    fn of(address_space: u32) -> Option<Self> {
        match address_space {
            0 => Some(Self::Private),
            1 | 2 => Some(Self::Global),
            3 => Some(Self::Local),
            _ => None,
        }
    }
}

/// Whether the function with this name is an address space query.
pub fn is_query(name: &str) -> bool {
    Space::ALL.iter().any(|space| space.query_name() == name)
}

/// Returns all functions from which a chain of direct calls leads to a query.
pub fn users<'ctx>(module: &Module<'ctx>) -> Vec<Function<'ctx>> {
    callers::of(Space::ALL.into_iter().filter_map(|space| module.function(space.query_name())))
}

/// Builds, at the builder's position, the result of a query about a pointer whose origin is
/// unknown.
pub type Unknown<'a, 'ctx> = dyn FnMut(&Builder<'ctx>, Space, Value<'ctx>) -> Value<'ctx> + 'a;

/// Replaces all queries in `function` by their results, and returns whether there were any.
pub fn resolve<'ctx>(
    module: &Module<'ctx>,
    function: Function<'ctx>,
    unknown: &mut Unknown<'_, 'ctx>,
) -> bool {
    let mut any = false;
    for space in Space::ALL {
        let Some(query) = module.function(space.query_name()) else { continue };
        let calls: Vec<_> =
            function.instructions().filter(|i| i.called_function() == Some(query)).collect();
        let builder = module.context().create_builder();
        let mut resolver = Resolver { function, space, builder, answers: HashMap::new(), unknown };
        for call in calls {
            let Some(pointer) = call.args().first().copied() else { continue };
            let answer = resolver.answer(pointer, 0);
            call.replace_all_uses_with(answer);
            call.erase();
            any = true;
        }
    }
    any
}

/// The origin of a pointer, without the offsets and casts applied to it.
enum Source<'ctx> {
    Memory(Space),
    /// Null, undef or poison.
    NoObject,
    Unknown(Value<'ctx>),
}

fn source(mut pointer: Value<'_>) -> Source<'_> {
    use Opcode::{LLVMAddrSpaceCast, LLVMBitCast, LLVMFreeze, LLVMGetElementPtr};
    loop {
        if pointer.is_undef_or_poison() {
            return Source::NoObject;
        }
        let address_space = pointer.ty().address_space();
        if let Some(space) = address_space.filter(|&number| number != ANY).and_then(Space::of) {
            return Source::Memory(space);
        }
        let made = match pointer.as_instruction() {
            Some(i) => matches!(
                i.opcode(),
                LLVMAddrSpaceCast | LLVMBitCast | LLVMFreeze | LLVMGetElementPtr
            ),
            None if pointer.is_constant() && pointer.operand_count() == 0 => {
                return Source::NoObject;
            }
            None => pointer.is_constant(),
        };
        match pointer.operand(0).filter(|base| made && base.ty().is_pointer()) {
            Some(base) => pointer = base,
            None => return Source::Unknown(pointer),
        }
    }
}

struct Resolver<'a, 'b, 'ctx> {
    function: Function<'ctx>,
    space: Space,
    builder: Builder<'ctx>,
    /// The results so far, by the source of the pointer.
    answers: HashMap<Value<'ctx>, Value<'ctx>>,
    unknown: &'a mut Unknown<'b, 'ctx>,
}

impl<'ctx> Resolver<'_, '_, 'ctx> {
    /// Returns the query result for a pointer, at a position that dominates all uses of the
    /// pointer.
    fn answer(&mut self, pointer: Value<'ctx>, depth: u32) -> Value<'ctx> {
        let truth = |holds: bool| pointer.ty().context().const_int(1, holds.into());
        let source = match source(pointer) {
            Source::Memory(space) => return truth(space == self.space),
            Source::NoObject => return truth(false),
            Source::Unknown(value) => value,
        };
        if let Some(&answer) = self.answers.get(&source) {
            return answer;
        }
        let choice = source.as_instruction().filter(|_| depth < MAX_DEPTH);
        let answer = match choice.map(|i| (i, i.opcode())) {
            Some((phi, Opcode::LLVMPHI)) => return self.answer_phi(phi, depth),
            Some((select, Opcode::LLVMSelect)) => {
                let operand = |n| select.operand(n).expect("a select has three operands");
                let (yes, no) =
                    (self.answer(operand(1), depth + 1), self.answer(operand(2), depth + 1));
                self.builder.position_before(select);
                self.builder.select(operand(0), yes, no, "in.space")
            }
            _ => {
                self.position_behind(source);
                (self.unknown)(&self.builder, self.space, source)
            }
        };
        self.answers.insert(source, answer);
        answer
    }

    fn answer_phi(&mut self, phi: Instruction<'ctx>, depth: u32) -> Value<'ctx> {
        self.builder.position_before(phi);
        let bit = phi.ty().context().int_type(1);
        let answer = self.builder.phi(bit, "in.space");
        // The map must contain the result before the operands are resolved: they may be computed
        // from this phi.
        self.answers.insert(phi.as_value(), answer.as_value());
        let mut by_block: HashMap<BasicBlock<'ctx>, Value<'ctx>> = HashMap::new();
        for (value, from) in phi.incoming() {
            // A predecessor that occurs twice has the same value both times.
            let incoming = match by_block.get(&from) {
                Some(&known) => known,
                None => self.answer(value, depth + 1),
            };
            by_block.insert(from, incoming);
            answer.add_incoming(incoming, from);
        }
        answer.as_value()
    }

    /// Positions the builder behind the instruction that defines `value`, or at the start of the
    /// function if no instruction defines it.
    fn position_behind(&self, value: Value<'ctx>) {
        let behind = match value.as_instruction() {
            Some(i) if i.opcode() == Opcode::LLVMPHI => {
                i.block().and_then(|block| block.first_non_phi())
            }
            Some(i) => i.next(),
            None => self.function.entry_block().and_then(|block| block.first_non_phi()),
        };
        self.builder.position_before(behind.expect("a terminator follows every definition"));
    }
}
