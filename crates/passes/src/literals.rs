//! Folds constants of type `double` that code converts to another type, so that they do not count
//! as uses of double precision.
//!
//! `h[0] = 0.5;` with a `sycl::half *h` calls a constructor that has a parameter of type `double`.
//! The front end marks two sets of functions with [`FOLDABLE_ATTRIBUTE`]: functions of SYCL's
//! headers with parameters or results of type `double`, and constexpr functions. If a marked
//! function is called with constants, the pass compiles a copy of it for these constants. If no
//! `double` is left, the pass replaces the call by a call of the copy, or by the constant that the
//! copy returns. It also folds constants in memory (temporaries that references are bound to,
//! `const` variables), choices between constants (`c ? 0.5 : 0.25`) and conversions of both.
//!
//! The pass examines only functions that the front end does not mark as users of `double`. The
//! decision is therefore made before any optimisation, and is the same at every optimisation level.
//! Code that cannot be folded stays as it is, and the pass [`crate::aspects`] finds it.

use crate::aspects::metadata::Kinds;
use crate::{Error, Pass};
use scythe_abi::aspect::Aspect;
use scythe_llvm::{
    Builder, Function, Instruction, Linkage, Module, Opcode, PassOptions, Place, Type, TypeKind,
    Value, run_function_passes,
};
use std::collections::HashMap;

/// Function attribute that allows the pass to compile the function for the constants of a call.
pub const FOLDABLE_ATTRIBUTE: &str = "scythe-foldable";

/// Passes that fold everything that depends on constants alone. They keep loops.
const SIMPLIFY: &str = "sroa<modify-cfg>,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,\
                        sroa<modify-cfg>,instcombine<no-verify-fixpoint>,simplifycfg";

/// The maximum number of nested functions between a call and the conversion. Headers have few.
const MOST_NESTED: u32 = 12;

/// The maximum nesting depth of choices between constants.
const MOST_CHOICES: u32 = 6;

/// The pass `literals`. See the module documentation.
pub struct Literals;

impl Pass for Literals {
    fn name(&self) -> &'static str {
        "literals"
    }

    fn run(&self, module: &Module<'_>) -> Result<bool, Error> {
        let kinds = Kinds::new(module.context());
        let builder = module.context().create_builder();
        let mut folder = Folder { module, kinds, builder, made: HashMap::new(), changed: false };
        let functions: Vec<Function<'_>> =
            module.functions().filter(|f| !f.is_declaration()).collect();
        for function in functions {
            if !kinds.used(function).contains(&(Aspect::Fp64 as u32)) {
                folder.function(function, 0)?;
            }
        }
        Ok(folder.changed)
    }
}

/// The facts about an argument that are known at compile time.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Known<'ctx> {
    Nothing,
    Value(Value<'ctx>),
    /// A pointer to memory that holds this constant and nothing else.
    Memory(Value<'ctx>),
    /// One of several constants.
    Among(Vec<Value<'ctx>>),
}

impl Known<'_> {
    /// Returns a part of the name of the compiled function. It is the same in every module.
    fn name(&self) -> String {
        let constant = |value: &Value<'_>| {
            let text = value.to_string();
            // Some assemblers accept only few special characters in names.
            text.split_whitespace().last().unwrap_or_default().replace('-', "m").replace('+', "")
        };
        match self {
            Self::Nothing => "._".to_owned(),
            Self::Value(value) | Self::Memory(value) => format!(".{}", constant(value)),
            Self::Among(values) => {
                format!(".{}", values.iter().map(constant).collect::<Vec<_>>().join("or"))
            }
        }
    }
}

/// The replacement of a call.
#[derive(Clone, Copy)]
enum Folded<'ctx> {
    /// A function without the parameters whose arguments are known.
    Call(Function<'ctx>),
    Constant(Value<'ctx>),
}

struct Folder<'a, 'ctx> {
    module: &'a Module<'ctx>,
    kinds: Kinds,
    builder: Builder<'ctx>,
    /// The results for each function and its known arguments. `None` if the compiled function still
    /// uses `double`.
    made: HashMap<(Function<'ctx>, Vec<Known<'ctx>>), Option<Folded<'ctx>>>,
    changed: bool,
}

fn is_double(ty: Type<'_>) -> bool {
    ty.scalar().kind() == TypeKind::LLVMDoubleTypeKind
}

fn is_foldable(function: Function<'_>) -> bool {
    !function.is_declaration()
        && function.string_attribute(Place::Function, FOLDABLE_ATTRIBUTE).is_some()
}

impl<'ctx> Folder<'_, 'ctx> {
    fn function(&mut self, function: Function<'ctx>, depth: u32) -> Result<(), Error> {
        let (mut locals, mut has_double) = (Vec::new(), false);
        for instruction in function.instructions() {
            match instruction.opcode() {
                Opcode::LLVMAlloca if instruction.allocated_type().is_some_and(is_double) => {
                    locals.push(instruction)
                }
                Opcode::LLVMAlloca => {}
                Opcode::LLVMCall => {
                    has_double |= instruction.operands().any(|operand| is_double(operand.ty()))
                }
                _ => {}
            }
            has_double |= is_double(instruction.ty());
        }
        if locals.is_empty() && !has_double {
            return Ok(());
        }
        for &local in &locals {
            let uses = Uses::of(local);
            if let Some(constant) = uses.constant() {
                for load in uses.loads {
                    load.as_value().replace_all_uses_with(constant);
                    load.erase();
                    self.changed = true;
                }
            }
        }
        for instruction in function.instructions().collect::<Vec<_>>() {
            match instruction.opcode() {
                Opcode::LLVMCall => self.call(instruction, depth)?,
                Opcode::LLVMFPTrunc | Opcode::LLVMFPToSI | Opcode::LLVMFPToUI => {
                    self.conversion(instruction)
                }
                _ => self.arithmetic(instruction),
            }
        }
        self.clean(function);
        Ok(())
    }

    /// Folds a conversion of a constant, or of a choice between constants.
    fn conversion(&mut self, instruction: Instruction<'ctx>) {
        let Some(from) =
            instruction.operand(0).filter(|from| from.ty().kind() == TypeKind::LLVMDoubleTypeKind)
        else {
            return;
        };
        let Some(leaves) = leaves(from, MOST_CHOICES) else { return };
        let (opcode, ty) = (instruction.opcode(), instruction.ty());
        self.builder.position_before(instruction);
        let converted: HashMap<Value<'ctx>, Value<'ctx>> =
            leaves.iter().map(|&leaf| (leaf, self.builder.cast(opcode, leaf, ty, ""))).collect();
        if converted.values().all(|value| value.is_constant()) {
            let folded = self.mirror(from, ty, &converted);
            self.replace(instruction, folded);
        }
    }

    /// Folds arithmetic on constants with the constant folder of LLVM's builder.
    fn arithmetic(&mut self, instruction: Instruction<'ctx>) {
        if instruction.ty().kind() != TypeKind::LLVMDoubleTypeKind
            || !instruction.operands().all(Value::is_constant)
        {
            return;
        }
        self.builder.position_before(instruction);
        let operand = |index: u32| instruction.operand(index);
        let builder = &self.builder;
        let binary = |make: &dyn Fn(Value<'ctx>, Value<'ctx>) -> Value<'ctx>| {
            Some(make(operand(0)?, operand(1)?))
        };
        let folded = match instruction.opcode() {
            Opcode::LLVMFAdd => binary(&|a, b| builder.fadd(a, b, "")),
            Opcode::LLVMFSub => binary(&|a, b| builder.fsub(a, b, "")),
            Opcode::LLVMFMul => binary(&|a, b| builder.fmul(a, b, "")),
            Opcode::LLVMFDiv => binary(&|a, b| builder.fdiv(a, b, "")),
            _ => None,
        };
        if let Some(folded) = folded.filter(|folded| folded.is_constant()) {
            self.replace(instruction, folded);
        }
    }

    fn replace(&mut self, instruction: Instruction<'ctx>, by: Value<'ctx>) {
        instruction.as_value().replace_all_uses_with(by);
        instruction.erase();
        self.changed = true;
    }

    /// Rebuilds the choices that `value` makes, with the constants that `leaves` maps its constants
    /// to.
    fn mirror(
        &self,
        value: Value<'ctx>,
        ty: Type<'ctx>,
        leaves: &HashMap<Value<'ctx>, Value<'ctx>>,
    ) -> Value<'ctx> {
        if let Some(&leaf) = leaves.get(&value) {
            return leaf;
        }
        let Some(instruction) = value.as_instruction() else { return ty.poison() };
        if instruction.opcode() == Opcode::LLVMPHI {
            let incoming: Vec<_> = instruction
                .incoming()
                .into_iter()
                .map(|(from, block)| (self.mirror(from, ty, leaves), block))
                .collect();
            self.builder.position_before(instruction);
            let phi = self.builder.phi(ty, "");
            incoming.into_iter().for_each(|(from, block)| phi.add_incoming(from, block));
            return phi.as_value();
        }
        let arms =
            [1, 2].map(|arm| instruction.operand(arm).map(|from| self.mirror(from, ty, leaves)));
        let (Some(condition), [Some(yes), Some(no)]) = (instruction.operand(0), arms) else {
            return ty.poison();
        };
        self.builder.position_before(instruction);
        self.builder.select(condition, yes, no, "")
    }

    /// Replaces a call with constant arguments by a call of a function that was compiled for them.
    fn call(&mut self, call: Instruction<'ctx>, depth: u32) -> Result<(), Error> {
        let Some(callee) = call.called_function().filter(|callee| is_foldable(*callee)) else {
            return Ok(());
        };
        let gives_double = is_double(callee.return_type());
        let known: Vec<Known<'ctx>> =
            call.args().into_iter().map(|argument| known(argument, gives_double)).collect();
        // A result that depends on other values of type `double` is a use of `double`.
        let open = |(argument, known): (&Value<'ctx>, &Known<'ctx>)| {
            *known == Known::Nothing && (gives_double || is_double(argument.ty()))
        };
        let is_plain = known.iter().all(|known| *known == Known::Nothing);
        let args = call.args();
        if depth > MOST_NESTED || args.iter().zip(&known).any(open) || is_plain && !gives_double {
            return Ok(());
        }
        let key = (callee, known);
        let folded = match self.made.get(&key) {
            Some(folded) => *folded,
            None => {
                // This entry ends the recursion: functions that call themselves are not folded.
                self.made.insert(key.clone(), None);
                let folded = self.compile(callee, &key.1, depth)?;
                self.made.insert(key.clone(), folded);
                folded
            }
        };
        match folded {
            None => {}
            Some(Folded::Constant(value)) => self.replace(call, value),
            Some(Folded::Call(function)) => self.replace_call(call, function, &key.1),
        }
        Ok(())
    }

    fn replace_call(
        &mut self,
        call: Instruction<'ctx>,
        function: Function<'ctx>,
        known: &[Known<'ctx>],
    ) {
        let (mut args, mut places) = (Vec::new(), Vec::new());
        for (index, (argument, known)) in call.args().into_iter().zip(known).enumerate() {
            if *known == Known::Nothing {
                args.push(argument);
                places.push(index as u32);
            }
        }
        for (argument, known) in call.args().into_iter().zip(known) {
            if let Known::Among(constants) = known {
                let ty = self.module.context().int_type(32);
                let numbers = (0u64..)
                    .zip(constants)
                    .map(|(n, constant)| (*constant, ty.const_int(n)))
                    .collect();
                args.push(self.mirror(argument, ty, &numbers));
            }
        }
        self.builder.position_before(call);
        let new = self.builder.call(function, &args, "");
        new.set_call_conv(function.call_conv());
        new.set_debug_loc(call.debug_loc_metadata());
        for (new_index, &old_index) in (0u32..).zip(&places) {
            let attributes = call.call_attributes(Place::Param(old_index));
            attributes
                .into_iter()
                .for_each(|attribute| new.add_call_attribute(Place::Param(new_index), attribute));
        }
        let attributes = call.call_attributes(Place::Return);
        attributes
            .into_iter()
            .for_each(|attribute| new.add_call_attribute(Place::Return, attribute));
        self.replace(call, new.as_value());
    }

    /// Compiles the function for the known arguments. Returns `None` if the result still uses
    /// `double`.
    fn compile(
        &mut self,
        callee: Function<'ctx>,
        known: &[Known<'ctx>],
        depth: u32,
    ) -> Result<Option<Folded<'ctx>>, Error> {
        let context = self.module.context();
        let kept: Vec<u32> = (0u32..)
            .zip(known)
            .filter(|(_, k)| **k == Known::Nothing)
            .map(|(index, _)| index)
            .collect();
        let choices = known.iter().filter(|known| matches!(known, Known::Among(_))).count();
        let mut types: Vec<Type<'ctx>> = kept
            .iter()
            .filter_map(|&index| callee.param(index as usize))
            .map(|param| param.ty())
            .collect();
        types.extend(std::iter::repeat_n(context.int_type(32), choices));
        let name = format!(
            "{}.literal{}",
            callee.name(),
            known.iter().map(Known::name).collect::<String>()
        );
        let function =
            self.module.add_function(&name, callee.return_type().function(&types, false));
        function.copy_attributes_from(callee);
        function.set_linkage(Linkage::LLVMInternalLinkage);
        function.remove_string_attribute(Place::Function, FOLDABLE_ATTRIBUTE);
        ["optnone", "noinline"]
            .iter()
            .for_each(|name| function.remove_enum_attribute(Place::Function, name));
        for (new_index, &old_index) in (0u32..).zip(&kept) {
            let attributes = callee.attributes(Place::Param(old_index));
            attributes
                .into_iter()
                .for_each(|attribute| function.add_attribute(Place::Param(new_index), attribute));
        }
        let used: Vec<u32> =
            self.kinds.used(callee).into_iter().filter(|&a| a != Aspect::Fp64 as u32).collect();
        if !used.is_empty() {
            self.kinds.set_used(function, context, &used);
        }

        self.builder.position_at_end(context.append_block(function, ""));
        let (mut next, mut next_choice) = (0, kept.len());
        let mut args = Vec::new();
        for (known, param) in known.iter().zip(callee.params()) {
            args.push(match known {
                Known::Nothing => {
                    next += 1;
                    function.params()[next - 1]
                }
                Known::Value(constant) => *constant,
                Known::Memory(constant) => self.memory(*constant, param.ty()),
                Known::Among(constants) => {
                    next_choice += 1;
                    self.choice(constants, function.params()[next_choice - 1])
                }
            });
        }
        let call = self.builder.call(callee, &args, "");
        call.set_call_conv(callee.call_conv());
        if callee.return_type().is_void() {
            self.builder.ret_void();
        } else {
            self.builder.ret(call.as_value());
        }
        let done = call.inline_call().is_ok();
        function.strip_debug_info();
        if done {
            run_function_passes(function, SIMPLIFY, None, PassOptions::default())?;
            self.function(function, depth + 1)?;
            run_function_passes(function, SIMPLIFY, None, PassOptions::default())?;
        }
        let result = match (done, is_double(callee.return_type())) {
            (false, _) => None,
            (true, true) => returned_constant(function).map(Folded::Constant),
            (true, false) => (!self.mentions_double(function)).then_some(Folded::Call(function)),
        };
        if !matches!(result, Some(Folded::Call(_))) {
            function.erase();
        }
        Ok(result)
    }

    /// Emits memory that holds a constant, and returns a pointer of the given type to it.
    fn memory(&self, constant: Value<'ctx>, pointer: Type<'ctx>) -> Value<'ctx> {
        let memory = self.builder.alloca(constant.ty(), "").as_value();
        self.builder.store(constant, memory);
        if memory.ty() == pointer {
            memory
        } else {
            self.builder.cast(Opcode::LLVMAddrSpaceCast, memory, pointer, "")
        }
    }

    /// Emits code that selects the constant with the given number.
    fn choice(&self, constants: &[Value<'ctx>], number: Value<'ctx>) -> Value<'ctx> {
        let last = constants[constants.len() - 1];
        constants.iter().enumerate().rev().skip(1).fold(last, |others, (index, constant)| {
            let is_it = self.builder.icmp(
                scythe_llvm::IntPredicate::LLVMIntEQ,
                number,
                number.ty().const_int(index as u64),
                "",
            );
            self.builder.select(is_it, *constant, others, "")
        })
    }

    /// Returns whether a function has values of type `double` or calls a function that uses
    /// `double`.
    fn mentions_double(&self, function: Function<'ctx>) -> bool {
        function.instructions().any(|instruction| {
            let called = instruction.called_function();
            is_double(instruction.ty())
                || instruction.operands().any(|operand| is_double(operand.ty()))
                || instruction.allocated_type().is_some_and(is_double)
                || called
                    .is_some_and(|called| self.kinds.used(called).contains(&(Aspect::Fp64 as u32)))
        })
    }

    /// Removes memory and choices of type `double` that have no readers.
    fn clean(&mut self, function: Function<'ctx>) {
        for instruction in function.instructions().collect::<Vec<_>>().into_iter().rev() {
            let is_choice = matches!(instruction.opcode(), Opcode::LLVMSelect | Opcode::LLVMPHI);
            if is_choice && is_double(instruction.ty()) && !instruction.as_value().has_uses() {
                instruction.erase();
                self.changed = true;
            }
        }
        for local in function.instructions().collect::<Vec<_>>() {
            if local.opcode() != Opcode::LLVMAlloca
                || !local.allocated_type().is_some_and(is_double)
            {
                continue;
            }
            let uses = Uses::of(local);
            if uses.loads.is_empty() && uses.calls.is_empty() && !uses.others {
                uses.markers.into_iter().chain(uses.stores).for_each(Instruction::erase);
                uses.casts.into_iter().rev().for_each(Instruction::erase);
                local.erase();
                self.changed = true;
            }
        }
    }
}

/// Returns the facts about an argument. With `all`, constants of any type count, not only those of
/// type `double`.
fn known<'ctx>(argument: Value<'ctx>, all: bool) -> Known<'ctx> {
    if is_double(argument.ty()) || all && argument.is_constant() {
        return match leaves(argument, MOST_CHOICES).as_deref() {
            Some([one]) => Known::Value(*one),
            Some(several) => Known::Among(several.to_vec()),
            None => Known::Nothing,
        };
    }
    if !argument.ty().is_pointer() {
        return Known::Nothing;
    }
    let mut at = argument;
    while let Some(cast) = at.as_instruction().filter(|i| i.opcode() == Opcode::LLVMAddrSpaceCast) {
        let Some(from) = cast.operand(0) else { break };
        at = from;
    }
    let local = at.as_instruction().filter(|i| i.allocated_type().is_some_and(is_double));
    local.and_then(|local| Uses::of(local).constant()).map_or(Known::Nothing, Known::Memory)
}

/// Returns the constants that a value can be, without duplicates. Returns `None` if the value may
/// also be something else.
fn leaves<'ctx>(value: Value<'ctx>, depth: u32) -> Option<Vec<Value<'ctx>>> {
    if value.is_constant() {
        return (!value.is_undef_or_poison()).then(|| vec![value]);
    }
    let instruction = value.as_instruction().filter(|_| depth > 0)?;
    let arms: Vec<Value<'ctx>> = match instruction.opcode() {
        Opcode::LLVMSelect => vec![instruction.operand(1)?, instruction.operand(2)?],
        Opcode::LLVMPHI => instruction.incoming().into_iter().map(|(value, _)| value).collect(),
        _ => return None,
    };
    let mut all = Vec::new();
    for arm in arms {
        for leaf in leaves(arm, depth - 1)? {
            if !all.contains(&leaf) {
                all.push(leaf);
            }
        }
    }
    Some(all)
}

/// Returns the constant that every return of the function gives.
fn returned_constant<'ctx>(function: Function<'ctx>) -> Option<Value<'ctx>> {
    let mut values = function
        .instructions()
        .filter(|i| i.opcode() == Opcode::LLVMRet)
        .map(|i| i.operand(0).filter(|v| v.is_constant()));
    let first = values.next()??;
    (values.all(|value| value == Some(first)) && !first.is_undef_or_poison()).then_some(first)
}

/// The uses of a local variable.
#[derive(Default)]
struct Uses<'ctx> {
    casts: Vec<Instruction<'ctx>>,
    stores: Vec<Instruction<'ctx>>,
    loads: Vec<Instruction<'ctx>>,
    /// Lifetime markers of the variable.
    markers: Vec<Instruction<'ctx>>,
    /// Calls that take the variable's address.
    calls: Vec<Instruction<'ctx>>,
    others: bool,
}

impl<'ctx> Uses<'ctx> {
    fn of(local: Instruction<'ctx>) -> Self {
        let mut uses = Self::default();
        uses.add(local.as_value());
        uses
    }

    fn add(&mut self, address: Value<'ctx>) {
        for user in address.users() {
            let Some(user) = user.as_instruction() else {
                self.others = true;
                continue;
            };
            match user.opcode() {
                Opcode::LLVMAddrSpaceCast => {
                    self.casts.push(user);
                    self.add(user.as_value());
                }
                Opcode::LLVMStore if user.operand(0) != Some(address) => self.stores.push(user),
                Opcode::LLVMLoad if is_double(user.ty()) => self.loads.push(user),
                Opcode::LLVMCall => match user.called_function() {
                    Some(callee) if callee.name().starts_with("llvm.lifetime.") => {
                        self.markers.push(user)
                    }
                    _ => self.calls.push(user),
                },
                _ => self.others = true,
            }
        }
    }

    /// Returns the constant that the variable holds whenever it is read. There is one if the
    /// variable is stored once and only passed to functions that do not change it.
    fn constant(&self) -> Option<Value<'ctx>> {
        let [store] = self.stores[..] else { return None };
        let reads_only = |call: &Instruction<'ctx>| call.called_function().is_some_and(is_foldable);
        let value =
            store.operand(0).filter(|value| value.is_constant() && !value.is_undef_or_poison())?;
        (is_double(value.ty()) && !self.others && self.calls.iter().all(reads_only))
            .then_some(value)
    }
}
