//! Adds the checks of `-fsanitize` and `SCYTHE_CHECK` to kernels: calls of the functions in
//! [`scythe_abi::checks`] before accesses and barriers, and zones around variables.
//!
//! The input is inlined code with debug locations, in which a kernel still runs one work-item. The
//! calls get the work-item's global id by queries, and the position in the program as a text. No
//! debug information is left afterwards.
//!
//! Accesses to a fixed part of a private variable are correct and get no call. All other memory is
//! told apart when the kernel runs.

use crate::source_positions::{in_program, is_header};
use crate::target::common::local_variables::LOCAL;
use crate::target::common::pointers::{is_lifetime_marker, transfer};
use crate::target::common::queries::Query;
use crate::target::cpu::Options;
use crate::target::cpu::lowering::queries;
use crate::target::cpu::lowering::widening::group::BARRIER;
use scythe_abi::checks::functions::{
    ACCESS, ACCESS_IN_CALL, BARRIER as AT_BARRIER, END, ITEM, LOCAL as AT_LOCAL, PRIVATE,
    PRIVATE_END, UNDEFINED, UNDEFINED_HANDLER,
};
use scythe_abi::checks::{ATOMIC, Checks, DESCRIPTION_PREFIX, TRUSTED, WRITE, ZONE};
use scythe_abi::names::CHECKS_ATTRIBUTE;
use scythe_llvm::{
    Builder, DebugLoc, Function, GlobalVariable, Instruction, Linkage, Module, Opcode, Place, Type,
    Value,
};
use std::collections::{HashMap, HashSet};

/// Returns the checks that the module needs: those of the options, those that kernels request, and
/// those that clang has added.
pub fn requested(module: &Module<'_>, options: &Options) -> Checks {
    let of_kernel = |kernel: Function<'_>| {
        let names = kernel.string_attribute(Place::Function, CHECKS_ATTRIBUTE);
        names.map_or(Checks::NONE, |names| Checks::from_names(&names))
    };
    let kernels = module.kernels().into_iter().map(of_kernel);
    let all = kernels.fold(options.checks, Checks::and);
    let has_handlers = module.functions().any(|f| f.name().starts_with(UNDEFINED_HANDLER));
    if has_handlers { all.and(Checks::UNDEFINED) } else { all }
}

/// Metadata of instructions of the device library. Its functions for groups order their accesses in
/// ways that the check of races does not know.
const TRUSTED_METADATA: &str = "scythe.trusted";

/// Marks the code of functions that are not among `own` as part of the device library.
pub fn trust_library(module: &Module<'_>, own: &HashSet<String>) {
    let context = module.context();
    let (kind, node) = (context.metadata_kind(TRUSTED_METADATA), context.md_node(&[]));
    for function in module.functions().filter(|f| !own.contains(&f.name())) {
        for instruction in function.instructions() {
            instruction.set_metadata(kind, Some(node));
        }
    }
}

/// Returns the names of the functions that the module defines.
pub fn defined(module: &Module<'_>) -> HashSet<String> {
    module.functions().filter(|f| !f.is_declaration()).map(|f| f.name()).collect()
}

/// Adds the checks to all functions of the module. Returns the functions that describe the kernels,
/// which must stay visible.
pub fn add<'ctx>(
    module: &Module<'ctx>,
    kernels: &[Function<'ctx>],
    checks: Checks,
) -> Vec<Function<'ctx>> {
    if checks.is_empty() {
        return Vec::new();
    }
    let mut adder = Adder { module, checks, texts: HashMap::new() };
    let functions: Vec<_> = module.functions().filter(|f| !f.is_declaration()).collect();
    let local = adder.surround_local_variables();
    for function in functions {
        adder.function(function, kernels.contains(&function), &local);
    }
    queries::declare_pure(module);
    module.strip_debug_info();
    kernels.iter().map(|kernel| describe(module, *kernel, checks)).collect()
}

fn describe<'ctx>(module: &Module<'ctx>, kernel: Function<'ctx>, checks: Checks) -> Function<'ctx> {
    let context = module.context();
    let i32 = context.int_type(32);
    let name = format!("{DESCRIPTION_PREFIX}{}", kernel.name());
    let function = module.add_function(&name, i32.function(&[], false));
    let builder = context.create_builder();
    builder.position_at_end(context.append_block(function, ""));
    builder.ret(i32.const_int(checks.0.into()));
    function
}

/// A variable with a zone before and behind it.
#[derive(Clone, Copy)]
struct Zoned<'ctx> {
    /// The address of the first zone.
    first: Value<'ctx>,
    before: u64,
    bytes: u64,
    after: u64,
}

impl Zoned<'_> {
    /// Returns the sizes for a variable of `bytes` bytes and this alignment.
    fn sizes(bytes: u64, align: u32) -> [u64; 3] {
        let before = ZONE.max(align.into());
        [before, bytes, bytes.next_multiple_of(ZONE) - bytes + ZONE]
    }
}

/// A variable in local memory, and the functions that use it.
type Local<'ctx> = (Zoned<'ctx>, HashSet<Function<'ctx>>);

struct Adder<'a, 'ctx> {
    module: &'a Module<'ctx>,
    checks: Checks,
    /// The constants with positions.
    texts: HashMap<String, Value<'ctx>>,
}

/// The work-item that runs a function.
enum Item<'ctx> {
    Known([Value<'ctx>; 3]),
    /// The function was not inlined into its kernel.
    Hidden,
}

impl<'ctx> Adder<'_, 'ctx> {
    fn function(&mut self, function: Function<'ctx>, is_kernel: bool, local: &[Local<'ctx>]) {
        let context = self.module.context();
        let Some(entry) = function.entry_block() else { return };
        let builder = context.create_builder();
        let item = match (is_kernel, entry.first_instruction()) {
            (true, Some(first)) => {
                builder.position_before(first);
                let id = std::array::from_fn(|d| self.global_id(&builder, d as u64));
                for (variable, _) in local.iter().filter(|(_, users)| users.contains(&function)) {
                    self.tell_of(&builder, AT_LOCAL, variable);
                }
                Item::Known(id)
            }
            _ => Item::Hidden,
        };
        let mut ends = Vec::new();
        let instructions: Vec<_> = function.instructions().collect();
        for &instruction in &instructions {
            match instruction.opcode() {
                Opcode::LLVMRet => ends.push(instruction),
                Opcode::LLVMCall => self.call(&builder, instruction, &item),
                _ => self.access(&builder, instruction, &item),
            }
        }
        if self.checks.contains(Checks::ADDRESS) {
            let variables = instructions.iter().filter(|i| i.opcode() == Opcode::LLVMAlloca);
            for variable in variables {
                self.surround(&builder, *variable, &ends);
            }
        }
        let Item::Known(id) = item else { return };
        for end in ends {
            builder.position_before(end);
            self.emit(&builder, END, &id);
        }
    }

    /// Queries the global id in a dimension.
    fn global_id(&self, builder: &Builder<'ctx>, dimension: u64) -> Value<'ctx> {
        let context = self.module.context();
        let ty = context.int_type(64).function(&[context.int_type(32)], false);
        let query = self.module.get_or_add_function(&Query::GlobalInvocationId.symbol(), ty);
        builder.call(query, &[context.const_int(32, dimension)], "").as_value()
    }

    /// Calls a function of the backend.
    fn emit(&self, builder: &Builder<'ctx>, name: &str, args: &[Value<'ctx>]) {
        let types: Vec<_> = args.iter().map(|arg| arg.ty()).collect();
        let ty = self.module.context().void_type().function(&types, false);
        let function = self.module.get_or_add_function(name, ty);
        if let Some(attribute) = self.module.context().enum_attribute("nounwind", 0) {
            function.add_attribute(Place::Function, attribute);
        }
        builder.call(function, args, "");
    }

    fn int(&self, bits: u32, value: u64) -> Value<'ctx> {
        self.module.context().const_int(bits, value)
    }

    fn call(&mut self, builder: &Builder<'ctx>, call: Instruction<'ctx>, item: &Item<'ctx>) {
        let Some(callee) = call.called_function() else { return };
        builder.position_before(call);
        let name = callee.name();
        if let (true, Item::Known(id)) = (name.contains(BARRIER), item) {
            let scope = call.args().first().copied().unwrap_or(self.int(32, 0));
            let position = self.position(call);
            return self.emit(builder, AT_BARRIER, &[&[scope, position], &id[..]].concat());
        }
        if name.starts_with(UNDEFINED_HANDLER) {
            let zero = [self.int(64, 0); 3];
            let id = if let Item::Known(id) = item { id } else { &zero };
            let data = self.plain(builder, call.args()[0]);
            return self.emit(builder, UNDEFINED, &[&[data], &id[..]].concat());
        }
        if let Some(pointers) = transfer(call) {
            let size = call.args()[2];
            for (index, kind) in [WRITE, 0].into_iter().enumerate().take(pointers) {
                self.tell(builder, call, call.args()[index], size, kind, item);
            }
        } else if let (false, Item::Known(id)) = (callee.is_declaration(), item) {
            self.emit(builder, ITEM, id);
        }
    }

    fn access(&mut self, builder: &Builder<'ctx>, i: Instruction<'ctx>, item: &Item<'ctx>) {
        let atomic = if i.is_atomic() { ATOMIC } else { 0 };
        let (pointer, ty, kind) = match i.opcode() {
            Opcode::LLVMLoad => (i.operand(0), Some(i.ty()), atomic),
            Opcode::LLVMStore => (i.operand(1), i.operand(0).map(|v| v.ty()), atomic | WRITE),
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                (i.operand(0), i.operand(1).map(|v| v.ty()), ATOMIC | WRITE)
            }
            _ => return,
        };
        let size = ty.and_then(|ty| ty.alloc_size(self.module));
        let (Some(pointer), Some(size)) = (pointer, size) else { return };
        if self.is_part_of_variable(pointer, size) {
            return;
        }
        builder.position_before(i);
        self.tell(builder, i, pointer, self.int(64, size), kind, item);
    }

    /// Calls the check of an access.
    fn tell(
        &mut self,
        builder: &Builder<'ctx>,
        at: Instruction<'ctx>,
        pointer: Value<'ctx>,
        size: Value<'ctx>,
        kind: u32,
        item: &Item<'ctx>,
    ) {
        if !self.checks.contains(Checks::ADDRESS) && !self.checks.contains(Checks::RACES) {
            return;
        }
        let i64 = self.module.context().int_type(64);
        let size = if size.ty() == i64 { size } else { builder.zext(size, i64, "") };
        let position = self.position(at);
        let trusted = at.metadata(self.module.context().metadata_kind(TRUSTED_METADATA)).is_some();
        let kind = if trusted { kind | TRUSTED } else { kind };
        let access = [self.plain(builder, pointer), size, self.int(32, kind.into()), position];
        match item {
            Item::Known(id) => self.emit(builder, ACCESS, &[&access, &id[..]].concat()),
            Item::Hidden => self.emit(builder, ACCESS_IN_CALL, &access),
        }
    }

    /// Returns the pointer without its address space.
    fn plain(&self, builder: &Builder<'ctx>, pointer: Value<'ctx>) -> Value<'ctx> {
        let plain = self.module.context().ptr_type(0);
        if pointer.ty() == plain { pointer } else { builder.addr_space_cast(pointer, plain, "") }
    }

    /// Whether the bytes are a fixed part of a private variable.
    fn is_part_of_variable(&self, pointer: Value<'ctx>, size: u64) -> bool {
        let (mut value, mut offset) = (pointer, 0u64);
        while let Some(step) = value.as_instruction() {
            match step.opcode() {
                Opcode::LLVMAlloca => {
                    let whole = step.allocated_type().and_then(|ty| ty.alloc_size(self.module));
                    let end = offset.checked_add(size);
                    return step.is_static_alloca()
                        && whole.zip(end).is_some_and(|(whole, end)| end <= whole);
                }
                Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => {}
                Opcode::LLVMGetElementPtr => match self.constant_offset(step) {
                    Some(more) => offset = offset.wrapping_add(more),
                    None => return false,
                },
                _ => return false,
            }
            let Some(next) = step.operand(0) else { return false };
            value = next;
        }
        false
    }

    /// Returns the number of bytes that a `getelementptr` adds, if it is constant.
    fn constant_offset(&self, step: Instruction<'ctx>) -> Option<u64> {
        let mut ty: Type<'ctx> = step.gep_source_type()?;
        let mut offset = 0u64;
        for (n, index) in step.operands().skip(1).enumerate() {
            let index = index.const_int_value()?;
            if n > 0 && ty.is_struct() {
                offset = offset.wrapping_add(ty.field_offset(self.module, index as u32)?);
                ty = *ty.contained().get(index as usize)?;
                continue;
            }
            if n > 0 {
                ty = *ty.contained().first()?;
            }
            offset = offset.wrapping_add(index.wrapping_mul(ty.alloc_size(self.module)?));
        }
        Some(offset)
    }

    /// Gives a private variable zones, unless all accesses are to fixed parts of it.
    fn surround(
        &self,
        builder: &Builder<'ctx>,
        variable: Instruction<'ctx>,
        ends: &[Instruction<'ctx>],
    ) {
        let bytes = variable.allocated_type().and_then(|ty| ty.alloc_size(self.module));
        let Some(bytes) = bytes.filter(|_| variable.is_static_alloca()) else { return };
        if !self.is_accessed_by_index(variable) {
            return;
        }
        let align = variable.alignment();
        let [before, bytes, after] = Zoned::sizes(bytes, align);
        let context = self.module.context();
        builder.position_before(variable);
        let ty = context.int_type(8).array(before + bytes + after);
        let memory = builder.alloca(ty, "zoned");
        memory.set_align(align.max(ZONE as u32));
        let zoned = Zoned { first: memory.as_value(), before, bytes, after };
        let address = builder.byte_offset(context, zoned.first, before, "");
        for user in variable.users().into_iter().filter_map(|user| user.as_instruction()) {
            if is_lifetime_marker(user) {
                user.erase();
            }
        }
        variable.replace_all_uses_with(address);
        self.tell_of(builder, PRIVATE, &zoned);
        variable.erase();
        for end in ends {
            builder.position_before(*end);
            self.tell_of(builder, PRIVATE_END, &zoned);
        }
    }

    /// Whether an access to a private variable can be outside of it.
    fn is_accessed_by_index(&self, variable: Instruction<'ctx>) -> bool {
        let mut work = vec![variable.as_value()];
        while let Some(value) = work.pop() {
            for user in value.users() {
                let Some(user) = user.as_instruction() else { return true };
                let size = match user.opcode() {
                    Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => {
                        work.push(user.as_value());
                        continue;
                    }
                    Opcode::LLVMGetElementPtr if self.constant_offset(user).is_some() => {
                        work.push(user.as_value());
                        continue;
                    }
                    Opcode::LLVMCall if is_lifetime_marker(user) => continue,
                    Opcode::LLVMLoad => user.ty().alloc_size(self.module),
                    Opcode::LLVMStore if user.operand(0) != Some(value) => {
                        user.operand(0).and_then(|v| v.ty().alloc_size(self.module))
                    }
                    _ => return true,
                };
                if !size.is_some_and(|size| self.is_part_of_variable(value, size)) {
                    return true;
                }
            }
        }
        false
    }

    /// Gives all variables in local memory zones.
    fn surround_local_variables(&self) -> Vec<Local<'ctx>> {
        let wanted = self.checks.contains(Checks::ADDRESS) || self.checks.contains(Checks::RACES);
        let variables: Vec<_> = self
            .module
            .globals()
            .filter(|g| wanted && g.address_space() == LOCAL && g.has_uses())
            .collect();
        variables.into_iter().filter_map(|variable| self.surround_local(variable)).collect()
    }

    fn surround_local(&self, variable: GlobalVariable<'ctx>) -> Option<Local<'ctx>> {
        let context = self.module.context();
        variable.as_value().expand_constant_users_everywhere();
        let users = variable.users().into_iter().filter_map(|user| user.as_instruction());
        let users = users.filter_map(|user| user.function()).collect();
        let bytes = variable.value_type().alloc_size(self.module)?;
        let [before, bytes, after] = Zoned::sizes(bytes, variable.align());
        let ty = context.int_type(8).array(before + bytes + after);
        let new = self.module.add_global(&format!("{}.zoned", variable.name()), ty, LOCAL);
        new.copy_attributes_from(variable);
        new.set_linkage(Linkage::LLVMInternalLinkage);
        new.set_align(variable.align().max(ZONE as u32));
        new.set_initializer(Some(ty.undef()));
        let builder = context.create_builder();
        let address = builder.byte_offset(context, new.as_value(), before, "");
        variable.replace_all_uses_with(address);
        variable.erase();
        Some((Zoned { first: new.as_value(), before, bytes, after }, users))
    }

    fn tell_of(&self, builder: &Builder<'ctx>, name: &str, variable: &Zoned<'ctx>) {
        let first = self.plain(builder, variable.first);
        let sizes = [variable.before, variable.bytes, variable.after].map(|n| self.int(64, n));
        self.emit(builder, name, &[&[first], &sizes[..]].concat());
    }

    /// Returns the text with the position of an instruction.
    fn position(&mut self, at: Instruction<'ctx>) -> Value<'ctx> {
        let text = text(&at.debug_locs());
        let context = self.module.context();
        let module = self.module;
        *self.texts.entry(text).or_insert_with_key(|text| {
            let value = context.const_string(text.as_bytes(), true);
            let variable = module.add_global(".scythe.position", value.ty(), 0);
            variable.set_initializer(Some(value));
            variable.set_constant_global(true);
            variable.set_linkage(Linkage::LLVMPrivateLinkage);
            variable.as_value()
        })
    }
}

/// Returns the position in the program, and a line for each call from there to the innermost
/// position.
fn text(positions: &[DebugLoc]) -> String {
    let place = |at: &DebugLoc| match at.column {
        0 => format!("{}:{}", at.file, at.line),
        column => format!("{}:{}:{column}", at.file, at.line),
    };
    let mut text = in_program(positions).map(place).unwrap_or_default();
    // The headers' calls of the kernel say nothing.
    let last = positions.iter().rposition(|at| !is_header(&at.file));
    for at in &positions[..last.map_or(positions.len(), |last| last + 1)] {
        text += &format!("\n{} in {}", place(at), at.function);
    }
    text
}
